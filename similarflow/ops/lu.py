"""Triangular factors of square matrices, with pivots."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core.convert import Array, as_np_dtype
from ..core.graph import Operation, Spec, Tensor
from ..core.registry import op
from ..core.rules import RegisterGradient
from ..core.samples import case, normal
from .adjoint import adjoint
from .choose import one_hot
from .diagonals import matrix_diag_part, matrix_set_diag
from .elementary import ones_like
from .inverse import (
    MATRICES,
    ONE_MATRIX,
    TWO_MATRICES,
    infer_square,
    square_dims,
    which_matrix,
)
from .linalg import matmul
from .logic import cast_like
from .matrices import matrix_band_part
from .shape import shape
from .slicing import slice_index
from .solve import matrix_triangular_solve

INT32 = np.dtype(np.int32)


def _infer_lu(input: Tensor, output_idx_type: Any = INT32) -> list[Spec]:
    dims, dtype = infer_square(input)
    return [(dims, dtype), (dims and dims[:-1], output_idx_type)]


@op("Lu", infer=_infer_lu, **MATRICES,
    converters={"output_idx_type": lambda dtype, x: as_np_dtype(dtype)}, samples=[
        case(ONE_MATRIX), case(TWO_MATRICES), case([[1.0, 2.0], [3.0, 4.0]]),
        case([[[0.0, 2.0, 1.0], [3.0, 4.0, 0.0], [1.0, 1.0, 5.0]]]), case(normal(0, 0)),
        case(normal(0, 2, 2)),
    ])  # fmt: skip
def lu(input: Array, output_idx_type: Any = INT32) -> Any:
    """The factors L and U for which ``L @ U`` is the matrix with its rows in order p.

    L has ones on its diagonal and nothing above, U nothing below.

    Parameters
    ----------
    input : tensor
        Square matrices in the last two axes.
    output_idx_type : dtype
        Of p: int32 or int64.

    Returns
    -------
    lu : tensor
        U, and below its diagonal L.
    p : tensor of ints
        The numbers of the rows.

    Raises
    ------
    ValueError
        A matrix is singular, when run.

    Examples
    --------
    >>> import similarflow as sf
    >>> lu, p = sf.Session().run(sf.linalg.lu([[1.0, 2.0], [4.0, 4.0]]))
    >>> lu
    array([[4.  , 4.  ],
           [0.25, 1.  ]], dtype=float32)
    >>> p
    array([1, 0], dtype=int32)
    """
    square_dims(np.shape(input))
    factors = np.array(input, order="C")
    n = factors.shape[-1]
    rows = np.empty(factors.shape[:-1], output_idx_type)
    rows[...] = np.arange(n)
    for place in np.ndindex(factors.shape[:-2]):
        a, p = factors[place], rows[place]
        for k in range(n):
            pivot = k + int(np.argmax(np.abs(a[k:, k])))
            if a[pivot, k] == 0:
                which = which_matrix(np.array([place]))
                raise ValueError(f"{which} is singular: no pivot is left in column {k}")
            a[[k, pivot]], p[[k, pivot]] = a[[pivot, k]], p[[pivot, k]]
            a[k + 1 :, k] /= a[k, k]
            a[k + 1 :, k + 1 :] -= np.outer(a[k + 1 :, k], a[k, k + 1 :])
    return factors, rows


@RegisterGradient("Lu")
def _lu_grad(op: Operation, grad: Tensor, _: Any) -> Any:
    factors, p = op.outputs
    ones = ones_like(matrix_diag_part(factors))
    low = matrix_set_diag(matrix_band_part(factors, -1, 0), ones)
    high = matrix_band_part(factors, 0, -1)
    grad_high = matrix_band_part(grad, 0, -1)
    below = matmul(low, grad - grad_high, adjoint_a=True)
    below = below - matrix_band_part(below, 0, -1)
    above = matrix_band_part(matmul(grad_high, high, adjoint_b=True), 0, -1)
    # low.H @ x @ high.H = below + above
    left = matrix_triangular_solve(low, below + above, lower=True, adjoint=True)
    x = adjoint(matrix_triangular_solve(high, adjoint(left), lower=False))
    moved = cast_like(one_hot(p, slice_index(shape(p), -1)), x)
    return matmul(moved, x, transpose_a=True)
