"""Linear algebra: ``sf.linalg.norm(x)``."""

from .ops.adjoint import adjoint, matrix_transpose
from .ops.clipping import global_norm, l2_normalize
from .ops.contract import tensordot
from .ops.decompose import (
    qr,
    self_adjoint_eig as eigh,
    self_adjoint_eigvals as eigvalsh,
    svd,
)
from .ops.diagonals import (
    matrix_diag as diag,
    matrix_diag_part as diag_part,
    matrix_set_diag as set_diag,
    trace,
)
from .ops.einsum import einsum
from .ops.inverse import matrix_determinant as det, matrix_inverse as inv, slogdet
from .ops.linalg import matmul
from .ops.lu import lu
from .ops.matrices import (
    diag as tensor_diag,
    diag_part as tensor_diag_part,
    matrix_band_part as band_part,
)
from .ops.matrix_functions import expm, matrix_solve_ls as lstsq, matvec, pinv
from .ops.norms import norm
from .ops.ranges import eye
from .ops.recipes import cross
from .ops.reshape import transpose
from .ops.solve import (
    cholesky,
    cholesky_solve,
    logdet,
    matrix_solve as solve,
    matrix_triangular_solve as triangular_solve,
)

__all__ = [
    "adjoint",
    "band_part",
    "cholesky",
    "cholesky_solve",
    "cross",
    "det",
    "diag",
    "diag_part",
    "eigh",
    "eigvalsh",
    "einsum",
    "expm",
    "eye",
    "global_norm",
    "inv",
    "l2_normalize",
    "logdet",
    "lstsq",
    "lu",
    "matmul",
    "matrix_transpose",
    "matvec",
    "norm",
    "pinv",
    "qr",
    "set_diag",
    "slogdet",
    "solve",
    "svd",
    "tensor_diag",
    "tensor_diag_part",
    "tensordot",
    "trace",
    "transpose",
    "triangular_solve",
]
