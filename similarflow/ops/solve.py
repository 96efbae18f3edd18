"""Solutions of systems of linear equations; Cholesky's factor.

Matrices are in the last two axes of a tensor, batches of them before.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..core.convert import Array
from ..core.graph import Dims, Operation, Spec, Tensor
from ..core.infer import broadcast_dims, common_dtype
from ..core.registry import op
from ..core.rules import RegisterGradient
from ..core.samples import case, normal, uniform
from .adjoint import adjoint as adjoint_matrix
from .complex import real
from .diagonals import matrix_diag_part, matrix_set_diag
from .elementary import reduce_sum, sum_like
from .fronts import front_of
from .inverse import (
    MATRICES,
    ONE_MATRIX,
    TWO_MATRICES,
    adjoint_of,
    infer_square,
    need_wide,
    singular,
    square_dims,
    which_matrix,
)
from .known import merge_dims, show
from .linalg import matmul
from .math import log
from .matrices import matrix_band_part

SYSTEMS = (
    case(ONE_MATRIX, normal(3, 2)),
    case(ONE_MATRIX, normal(3, 1), adjoint=True),
    case(TWO_MATRICES, normal(2, 2, 3)),
    case(TWO_MATRICES, normal(2, 2, 1), adjoint=True),
    case(uniform(0.5, 2.0, 1, 1), normal(1, 1)),
    case(ONE_MATRIX, normal(3, 0)),
    case(normal(0, 0), normal(0, 2)),
)
TRIANGLES = (
    *SYSTEMS,
    case(ONE_MATRIX, normal(3, 2), lower=False),
    case(TWO_MATRICES, normal(2, 2, 3), lower=False, adjoint=True),
    case(TWO_MATRICES, normal(2, 1)),
    case(ONE_MATRIX, normal(2, 1, 3, 2)),
)

# Systems


def _solved_dims(matrix: Dims, rhs: Dims, merge: Callable[[Any, Any], Dims]) -> Dims:
    """The shape of a solution; `merge` tells which batches go together."""
    matrix = square_dims(matrix, "the matrix")
    if rhs is not None and len(rhs) < 2:
        raise ValueError(
            f"rhs needs rank 2 or more, and has shape {show(rhs)}. Make it a column: "
            "sf.expand_dims(rhs, -1)"
        )
    if matrix is None or rhs is None:
        return None
    rows, given = matrix[-1], rhs[-2]
    if rows is not None and given is not None and rows != given:
        raise ValueError(
            f"rhs has as many rows as the matrix: they have shapes {show(rhs)} and "
            f"{show(matrix)}"
        )
    try:
        batch = merge(matrix[:-2], rhs[:-2])
    except ValueError:
        raise ValueError(
            f"the matrix has shape {show(matrix)} and rhs {show(rhs)}: the sizes "
            "before the last two do not go together"
        ) from None
    return (*(batch or ()), given if rows is None else rows, rhs[-1])


def _infer_solve(matrix: Tensor, rhs: Tensor, **attrs: Any) -> Spec:
    need_wide(matrix)
    dims = _solved_dims(matrix.static_shape, rhs.static_shape, merge_dims)
    return dims, common_dtype(matrix, rhs)


def _infer_triangular(matrix: Tensor, rhs: Tensor, **attrs: Any) -> Spec:
    need_wide(matrix)
    dims = _solved_dims(matrix.static_shape, rhs.static_shape, broadcast_dims)
    return dims, common_dtype(matrix, rhs)


@op("MatrixSolve", infer=_infer_solve, **MATRICES, samples=SYSTEMS)
def matrix_solve(matrix: Array, rhs: Array, adjoint: bool = False) -> Array:
    """The solutions x of ``matrix @ x = rhs``.

    With y the gradient of x, that of `rhs` is the solution g of ``matrix.H @ g = y``,
    and that of `matrix` is ``-g @ x.H``, with the adjoint `.H`.

    Parameters
    ----------
    matrix : tensor
        Square matrices in the last two axes.
    rhs : tensor
        As many matrices, with as many rows each; every column is a system of its own.
    adjoint : bool
        Solve with the adjoints of `matrix`.

    Raises
    ------
    ValueError
        Shapes that do not fit, when built if they are known then; or a matrix is
        singular, when run.

    Examples
    --------
    >>> import similarflow as sf
    >>> sf.Session().run(sf.matrix_solve([[2.0, 0.0], [0.0, 4.0]], [[1.0], [1.0]]))
    array([[0.5 ],
           [0.25]], dtype=float32)
    """
    _solved_dims(np.shape(matrix), np.shape(rhs), merge_dims)
    turned = adjoint_of(matrix) if adjoint else matrix
    try:
        return np.linalg.solve(turned, rhs)
    except np.linalg.LinAlgError:
        raise singular(matrix, "single solution") from None


@RegisterGradient("MatrixSolve")
def _matrix_solve_grad(op: Operation, grad: Tensor) -> Any:
    matrix, adjoint = op.inputs[0], op.attrs["adjoint"]
    grad_rhs = matrix_solve(matrix, grad, adjoint=not adjoint)
    return _grad_of_matrix(op, grad_rhs), grad_rhs


def _grad_of_matrix(op: Operation, grad_rhs: Any) -> Tensor:
    x = op.outputs[0]
    if op.attrs["adjoint"]:
        return -matmul(x, grad_rhs, adjoint_b=True)
    return -matmul(grad_rhs, x, adjoint_b=True)


@op("MatrixTriangularSolve", infer=_infer_triangular, **MATRICES, samples=TRIANGLES)
def triangular_solve_of(
    matrix: Array, rhs: Array, lower: bool = True, adjoint: bool = False
) -> Array:
    """The operation of `matrix_triangular_solve`."""
    dims = _solved_dims(np.shape(matrix), np.shape(rhs), broadcast_dims)
    diagonal = np.diagonal(matrix, axis1=-2, axis2=-1)
    if not np.all(diagonal):
        which = which_matrix(np.argwhere(np.any(diagonal == 0, axis=-1)))
        raise ValueError(f"{which} has a 0 on its diagonal: there is no solution")
    turned = adjoint_of(matrix) if adjoint else matrix
    # an untyped placeholder may be fed integers
    dtype = np.result_type(matrix, rhs, np.float32)
    x: Array = np.zeros([n or 0 for n in dims or ()], dtype)
    size, forward = np.shape(turned)[-1], bool(lower) != bool(adjoint)
    for i in range(size) if forward else reversed(range(size)):
        known = slice(0, i) if forward else slice(i + 1, size)
        rest = np.matmul(turned[..., i : i + 1, known], x[..., known, :])
        pivot = turned[..., i : i + 1, i : i + 1]
        x[..., i : i + 1, :] = (rhs[..., i : i + 1, :] - rest) / pivot
    return x


@RegisterGradient("MatrixTriangularSolve")
def _triangular_solve_grad(op: Operation, grad: Tensor) -> Any:
    matrix, rhs = op.inputs
    lower, adjoint = op.attrs["lower"], op.attrs["adjoint"]
    grad_rhs = triangular_solve_of(matrix, grad, lower=lower, adjoint=not adjoint)
    band = (-1, 0) if lower else (0, -1)
    grad_matrix = matrix_band_part(_grad_of_matrix(op, grad_rhs), *band)
    return _summed_like(grad_matrix, matrix), _summed_like(grad_rhs, rhs)


def _summed_like(grad: Any, x: Tensor) -> Any:
    """`grad` in the shape of `x`, if batches were broadcast."""
    known = x.static_shape
    if known is not None and None not in known and grad.static_shape == known:
        return grad
    return sum_like(grad, x)


@front_of(triangular_solve_of)
def matrix_triangular_solve(
    matrix: Any, rhs: Any, lower: bool = True, adjoint: bool = False,
    name: str | None = None,
) -> Tensor:  # fmt: skip
    """The solutions x of ``matrix @ x = rhs`` for triangular matrices.

    Only the triangle is read, whatever the other half holds; its gradient is 0.
    Batches of matrices broadcast.

    Parameters
    ----------
    matrix : tensor
        Square matrices in the last two axes.
    rhs : tensor
        Matrices with as many rows; every column is a system of its own.
    lower : bool
        Read the lower triangle, not the upper one.
    adjoint : bool
        Solve with the adjoints of the triangles.
    name : str, optional
        The operation's name.

    Raises
    ------
    ValueError
        Shapes that do not fit, when built if they are known then; or a 0 on a
        diagonal, when run.

    Examples
    --------
    >>> import similarflow as sf
    >>> m = [[2.0, 9.0], [1.0, 4.0]]
    >>> sf.Session().run(sf.matrix_triangular_solve(m, [[2.0], [9.0]]))
    array([[1.],
           [2.]], dtype=float32)
    """
    x: Tensor = triangular_solve_of(matrix, rhs, lower, adjoint, name=name)
    return x


# Cholesky


@op("Cholesky", infer=infer_square, **MATRICES, samples=[
    case(uniform(0.5, 2.0, 1, 1)), case(uniform(0.5, 2.0, 2, 1, 1)), case(normal(0, 0)),
    case(np.array([[4.0, 1.0], [1.0, 3.0]], np.float32)),
])  # fmt: skip
def cholesky(input: Array) -> Array:
    """The lower triangular L with ``L @ L.H = input``, for positive definite matrices.

    `.H` is the adjoint, for real numbers the transpose. Only the lower triangle is
    read. The gradient is that of a symmetric (Hermitian) matrix, half
    of it in each triangle, as TensorFlow's; the formula is that of I. Murray,
    "Differentiation of the Cholesky decomposition" (2016).

    Parameters
    ----------
    input : tensor
        Symmetric (Hermitian), positive definite matrices in the last two axes.

    Raises
    ------
    ValueError
        A matrix is not square, when built if that is known then; or it is not
        positive definite, when run.

    Examples
    --------
    >>> import similarflow as sf
    >>> sf.Session().run(sf.cholesky([[4.0, 2.0], [2.0, 10.0]]))
    array([[2., 0.],
           [1., 3.]], dtype=float32)
    """
    square_dims(np.shape(input))
    if not np.all(np.isfinite(input)):
        raise ValueError("a matrix holds nan or infinity: it is not positive definite")
    try:
        return np.linalg.cholesky(input)
    except np.linalg.LinAlgError:
        pass
    lowest = np.min(np.linalg.eigvalsh(input), axis=-1)
    which = which_matrix(np.argwhere(lowest <= 0))
    raise ValueError(
        f"{which} is not positive definite: its smallest eigenvalue is "
        f"{np.min(lowest):.3g}, and must be above 0. If rounding made it so, add a "
        "small multiple of sf.eye"
    )


@RegisterGradient("Cholesky")
def _cholesky_grad(op: Operation, grad: Tensor) -> Any:
    factor = op.outputs[0]
    middle = matrix_band_part(matmul(factor, grad, adjoint_a=True), -1, 0)
    middle = matrix_set_diag(middle, 0.5 * matrix_diag_part(middle))
    half = triangular_solve_of(factor, middle, adjoint=True)  # L.H^-1 @ middle
    whole = triangular_solve_of(factor, adjoint_matrix(half), adjoint=True)
    return 0.5 * (whole + adjoint_matrix(whole))


def cholesky_solve(chol: Any, rhs: Any, name: str | None = None) -> Tensor:
    """The solutions x of ``a @ x = rhs``, given ``chol = cholesky(a)``.

    Examples
    --------
    >>> import similarflow as sf
    >>> chol = sf.cholesky([[4.0, 2.0], [2.0, 10.0]])
    >>> sf.Session().run(sf.cholesky_solve(chol, [[8.0], [22.0]]))
    array([[1.],
           [2.]], dtype=float32)
    """
    half = matrix_triangular_solve(chol, rhs)
    return matrix_triangular_solve(chol, half, adjoint=True, name=name)


def logdet(matrix: Any, name: str | None = None) -> Tensor:
    """The logarithms of the determinants of positive definite matrices.

    Examples
    --------
    >>> import similarflow as sf
    >>> x = sf.constant([[4.0, 0.0], [0.0, 0.25]])
    >>> float(sf.Session().run(sf.linalg.logdet(x)))
    0.0
    """
    logs = log(real(matrix_diag_part(cholesky(matrix))))
    result: Tensor = reduce_sum(2.0 * logs, -1, name=name or "logdet")
    return result
