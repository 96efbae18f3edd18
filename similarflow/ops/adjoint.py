"""The transposes of matrices, which are in the last two axes of a tensor."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core.convert import Array
from ..core.graph import Operation, Spec, Tensor
from ..core.operators import BUILDERS
from ..core.registry import op
from ..core.rules import RegisterGradient
from ..core.samples import case, normal
from .matrices import need_matrix


def _infer_turned(a: Tensor, conjugate: bool = False) -> Spec:
    dims = a.static_shape
    need_matrix(dims)
    turned = None if dims is None else (*dims[:-2], dims[-1], dims[-2])
    return turned, a.static_dtype


@op("MatrixTranspose", name="matrix_transpose", infer=_infer_turned, accepts="any",
    samples=[case(normal(2, 3)), case(normal(2, 0, 3))])  # fmt: skip
def matrix_transpose(a: Array, *, conjugate: bool = False) -> Array:
    """The transposes of matrices, which are in the last two axes.

    Parameters
    ----------
    a : tensor
        Of rank 2 or more.
    conjugate : bool
        Whether complex numbers are conjugated, too.

    Examples
    --------
    >>> import similarflow as sf
    >>> sf.Session().run(sf.matrix_transpose([[[1, 2]], [[3, 4]]])).shape
    (2, 2, 1)
    """
    need_matrix(np.shape(a))
    moved = np.swapaxes(a, -1, -2)
    return np.conjugate(moved) if conjugate and moved.dtype.kind == "c" else moved


@RegisterGradient("MatrixTranspose")
def _matrix_transpose_grad(op: Operation, grad: Tensor) -> Any:
    return matrix_transpose(grad, conjugate=op.attrs["conjugate"])


def adjoint(matrix: Any, name: str | None = None) -> Tensor:
    """The conjugate transposes of matrices: `matrix_transpose`, and complex conjugates.

    Examples
    --------
    >>> import similarflow as sf
    >>> sf.Session().run(sf.linalg.adjoint([[1.0 + 2.0j, 3.0]]))
    array([[1.-2.j],
           [3.-0.j]])
    """
    turned: Tensor = matrix_transpose(matrix, conjugate=True, name=name or "adjoint")
    return turned


BUILDERS["adjoint"] = adjoint
