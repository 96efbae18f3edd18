"""Decompositions of matrices: eigenvalues, singular values, QR.

Matrices are in the last two axes of a tensor, batches of them before.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from ..core.convert import Array
from ..core.graph import Dims, Operation, Spec, Tensor
from ..core.registry import op
from ..core.rules import RegisterGradient
from ..core.samples import case, normal, uniform
from .adjoint import adjoint
from .choose import where
from .complex import NARROWER, is_complex
from .diagonals import matrix_diag_part, matrix_set_diag
from .fronts import front_of
from .inverse import MATRICES, adjoint_of, need_wide, square_dims
from .join import concat
from .known import show
from .linalg import matmul
from .logic import cast_like, equal
from .matrices import matrix_band_part
from .reshape import expand_dims
from .shape import shape
from .solve import triangular_solve_of

SYMMETRIC = (
    case([[4.0, 1.0, 0.5], [1.0, 2.0, -1.0], [0.5, -1.0, 0.5]]),
    case([[[2.0, 1.0], [1.0, -1.0]], [[1.0, 0.5], [0.5, 3.0]]]),
    case(uniform(0.5, 2.0, 1, 1)),
    case(normal(0, 0)),
    case(normal(0, 2, 2)),
)
TALL = [[1.0, 2.0], [3.0, -1.0], [0.5, 1.0]]
WIDE = [[2.0, 1.0, 0.5], [-1.0, 3.0, 1.0]]
NARROW = np.array(TALL, np.float32)
SHAPES = (
    case(TALL),
    case(WIDE),
    case([[2.0, 1.0], [-0.5, 3.0]], full_matrices=True),
    case([[[2.0, 1.0], [-0.5, 3.0]], [[1.0, 0.5], [2.0, -1.0]]]),
    case(uniform(0.5, 2.0, 1, 1)),
    case(NARROW, full_matrices=True),
    case(NARROW.T, full_matrices=True),
)


def _decomposed(function: Callable[..., Any], x: Array, *args: Any) -> Any:
    """What `function` of NumPy gives for finite numbers.

    For others it may raise or not, as LAPACK was built.
    """
    if not np.all(np.isfinite(x)):
        raise ValueError("there is no decomposition: a matrix holds nan or infinity")
    return function(x, *args)


def _as_row(numbers: Any) -> Tensor:
    row: Tensor = expand_dims(numbers, -2)
    return row


def _as_column(numbers: Any) -> Tensor:
    column: Tensor = expand_dims(numbers, -1)
    return column


def _inverse_or_zero(x: Any) -> Tensor:
    """``1 / x``, and 0 where `x` is 0, also in the gradient."""
    zero = equal(x, 0.0)
    result: Tensor = where(zero, 0.0, 1.0 / where(zero, 1.0, x))
    return result


def _inverse_gaps(numbers: Any) -> Tensor:
    """``1 / (numbers[j] - numbers[i])`` at [i, j]; 0 for equal ones."""
    return _inverse_or_zero(_as_row(numbers) - _as_column(numbers))


# Eigenvalues


def _infer_eigvals(tensor: Tensor) -> Spec:
    need_wide(tensor)
    dims = square_dims(tensor.static_shape)
    return None if dims is None else dims[:-1], tensor.static_dtype


def _infer_eig(tensor: Tensor) -> list[Spec]:
    dtype = tensor.static_dtype
    return [_infer_eigvals(tensor), (square_dims(tensor.static_shape), dtype)]


@op("SelfAdjointEigV2", infer=_infer_eig, **MATRICES, samples=SYMMETRIC)
def self_adjoint_eig(tensor: Array) -> Any:
    """The eigenvalues and eigenvectors of symmetric (Hermitian) matrices.

    Only the lower triangle is read, so the gradient is in the lower triangle, too.
    With F[i, j] = 1 / (e[j] - e[i]) it is that of the symmetric
    ``v @ (diag(grad_e) + F * (v.H @ grad_v)) @ v.H`` (M. Giles, "An extended collection
    of matrix derivative results for forward and reverse mode", 2008).
    Eigenvectors of equal eigenvalues have no derivative; there F counts as 0.

    Parameters
    ----------
    tensor : tensor
        Symmetric matrices in the last two axes.

    Returns
    -------
    list of two tensors
        The eigenvalues e in ascending order, and the eigenvectors in the columns of
        v: ``tensor @ v = v * e``. The sign of a column is arbitrary. Both have the
        dtype of `tensor`; the eigenvalues are real numbers all the same.

    Raises
    ------
    ValueError
        A matrix is not square, when built if that is known then; or it holds nan or
        infinity, when run.

    Examples
    --------
    >>> import similarflow as sf
    >>> e, v = sf.self_adjoint_eig([[3.0, 0.0], [0.0, 1.0]])
    >>> sf.Session().run([e, sf.abs(v)])
    [array([1., 3.], dtype=float32), array([[0., 1.],
           [1., 0.]], dtype=float32)]
    """
    square_dims(np.shape(tensor))
    e, v = _decomposed(np.linalg.eigh, tensor)
    return e.astype(v.dtype), v


@RegisterGradient("SelfAdjointEigV2")
def _self_adjoint_eig_grad(op: Operation, grad_e: Tensor, grad_v: Tensor) -> Any:
    e, v = op.outputs
    middle = _inverse_gaps(e) * matmul(v, grad_v, adjoint_a=True)
    middle = matrix_set_diag(middle, grad_e)  # F is 0 there
    return _to_lower(matmul(matmul(v, middle), v, adjoint_b=True))


def _to_lower(grad: Any) -> Tensor:
    """What a change in the lower triangle does, which changes the upper one as well."""
    both = matrix_band_part(grad + adjoint(grad), -1, 0)
    lower: Tensor = matrix_set_diag(both, 0.5 * matrix_diag_part(both))
    return lower


@op("SelfAdjointEigvals", name="SelfAdjointEigV2", infer=_infer_eigvals,
    **MATRICES, samples=SYMMETRIC)  # fmt: skip
def self_adjoint_eigvals(tensor: Array) -> Array:
    """The eigenvalues of symmetric (Hermitian) matrices, in ascending order.

    Only the lower triangle is read; see `self_adjoint_eig`.

    Examples
    --------
    >>> import similarflow as sf
    >>> sf.Session().run(sf.self_adjoint_eigvals([[3.0, 0.0], [0.0, 1.0]]))
    array([1., 3.], dtype=float32)
    """
    square_dims(np.shape(tensor))
    e: Array = _decomposed(np.linalg.eigvalsh, tensor)
    return e.astype(np.result_type(tensor, e))


@RegisterGradient("SelfAdjointEigvals")
def _self_adjoint_eigvals_grad(op: Operation, grad: Tensor) -> Any:
    _, v = self_adjoint_eig(op.inputs[0])
    return _to_lower(matmul(v * _as_row(grad), v, adjoint_b=True))


# Singular values


def _sizes(dims: Dims) -> tuple[int | None, int | None, int | None]:
    """Rows, columns, and the smaller of the two."""
    if dims is None:
        return None, None, None
    if len(dims) < 2:
        raise ValueError(f"the input needs rank 2 or more, and has shape {show(dims)}")
    rows, columns = dims[-2:]
    least = None if rows is None or columns is None else min(rows, columns)
    return rows, columns, 0 if 0 in (rows, columns) else least


def _infer_singular(tensor: Tensor) -> Spec:
    need_wide(tensor)
    dims, (_, _, least) = tensor.static_shape, _sizes(tensor.static_shape)
    dtype = tensor.static_dtype  # of complex numbers that of their parts
    dtype = NARROWER.get(dtype, dtype) if dtype is not None else None
    return None if dims is None else (*dims[:-2], least), dtype


def _infer_svd(tensor: Tensor, full_matrices: bool = False) -> list[Spec]:
    values, (dims, dtype) = _infer_singular(tensor), (tensor.static_shape, None)
    dtype = tensor.static_dtype
    if dims is None:
        return [values, (None, dtype), (None, dtype)]
    rows, columns, least = _sizes(dims)
    u = (*dims[:-2], rows, rows if full_matrices else least)
    v = (*dims[:-2], columns, columns if full_matrices else least)
    return [values, (u, dtype), (v, dtype)]


@op("SingularValues", name="Svd", infer=_infer_singular, **MATRICES, samples=[
    case(TALL), case(WIDE), case([[[2.0, 1.0], [-0.5, 3.0]]]), case(normal(1, 1)),
])  # fmt: skip
def singular_values(tensor: Array) -> Array:
    """The singular values of matrices: `svd` with ``compute_uv=False``."""
    _sizes(np.shape(tensor))
    s: Array = _decomposed(np.linalg.svd, tensor, False, False)
    return s


@RegisterGradient("SingularValues")
def _singular_values_grad(op: Operation, grad: Tensor) -> Any:
    _, u, v = svd_of(op.inputs[0])
    return matmul(u * _as_row(cast_like(grad, u)), v, adjoint_b=True)


@op("Svd", infer=_infer_svd, **MATRICES, samples=SHAPES)
def svd_of(tensor: Array, full_matrices: bool = False) -> Any:
    """The operation of `svd`."""
    _sizes(np.shape(tensor))
    u, s, turned = _decomposed(np.linalg.svd, tensor, bool(full_matrices))
    return s, u, adjoint_of(turned)


@RegisterGradient("Svd")
def _svd_grad(op: Operation, grad_s: Tensor, grad_u: Tensor, grad_v: Tensor) -> Any:
    u, v = op.outputs[1:]
    s, grad_s = (cast_like(x, u) for x in (op.outputs[0], grad_s))
    rows, columns, _ = _sizes(op.inputs[0].static_shape)
    if op.attrs["full_matrices"] and None not in (rows, columns) and rows != columns:
        raise NotImplementedError(_no_full_gradient(op, "svd"))
    gaps, inverse = _inverse_gaps(s * s), _inverse_or_zero(s)
    in_u = matmul(u, grad_u, adjoint_a=True)
    in_v = matmul(v, grad_v, adjoint_a=True)
    middle = gaps * (in_u - adjoint(in_u)) * _as_row(s)
    middle += _as_column(s) * (gaps * (in_v - adjoint(in_v)))
    if is_complex(u):  # u may turn against v; both parts are 0 on the diagonal
        grad_s += 0.5 * inverse * matrix_diag_part(in_u - adjoint(in_u))
    middle = matrix_set_diag(middle, grad_s)
    # what leaves the spans of u and v; nothing if the matrix is square
    left = (grad_u - matmul(u, in_u)) * _as_row(inverse)
    right = (grad_v - matmul(v, in_v)) * _as_row(inverse)
    grad = matmul(matmul(u, middle) + left, v, adjoint_b=True)
    return grad + matmul(u, right, adjoint_b=True)


def _no_full_gradient(op: Operation, title: str) -> str:
    return (
        f"{title} with full_matrices=True has no gradient for the shape "
        f"{show(op.inputs[0].static_shape)}: what fills the matrices up is arbitrary. "
        "Use full_matrices=False"
    )


@front_of(svd_of)
def svd(
    tensor: Any, full_matrices: bool = False, compute_uv: bool = True,
    name: str | None = None,
) -> Any:  # fmt: skip
    """The singular values s and vectors u, v of matrices: ``(u * s) @ v.H = tensor``.

    As TensorFlow's and unlike NumPy's, s comes first and v is not transposed. `.H` is
    the adjoint; s is real. The
    gradient is that of J. Townsend, "Differentiating the singular value decomposition"
    (2016). Vectors of equal singular values have no derivative; what
    would be infinite in it counts as 0.

    Parameters
    ----------
    tensor : tensor
        Matrices of m rows and n columns in the last two axes.
    full_matrices : bool
        u and v are square, m x m and n x n. Without, they have min(m, n) columns. If
        m and n differ, no gradient flows through the full ones.
    compute_uv : bool
        Whether u and v are wanted.
    name : str, optional
        The operation's name.

    Returns
    -------
    list of three tensors, or one tensor
        s in descending order, u and v; s alone without `compute_uv`.

    Raises
    ------
    ValueError
        A rank below 2; or a matrix holds nan or infinity, when run.

    Examples
    --------
    >>> import similarflow as sf
    >>> s, u, v = sf.svd([[0.0, 3.0], [2.0, 0.0], [0.0, 0.0]])
    >>> sf.Session().run(s)
    array([3., 2.], dtype=float32)
    >>> [t.shape.as_list() for t in (u, v)]
    [[3, 2], [2, 2]]
    """
    if compute_uv:
        return svd_of(tensor, full_matrices=bool(full_matrices), name=name)
    return singular_values(tensor, name=name)


# QR


class Qr(NamedTuple):
    """What `qr` returns."""

    q: Tensor
    r: Tensor


def _infer_qr(input: Tensor, full_matrices: bool = False) -> list[Spec]:
    need_wide(input)
    dims, dtype = input.static_shape, input.static_dtype
    rows, columns, least = _sizes(dims)
    if dims is None:
        return [(None, dtype)] * 2
    size = rows if full_matrices else least
    return [((*dims[:-2], rows, size), dtype), ((*dims[:-2], size, columns), dtype)]


@op("Qr", infer=_infer_qr, **MATRICES, samples=SHAPES)
def qr_of(input: Array, full_matrices: bool = False) -> Any:
    """The operation of `qr`."""
    _sizes(np.shape(input))
    mode = "complete" if full_matrices else "reduced"
    q, r = _decomposed(np.linalg.qr, input, mode)
    return q, r


@RegisterGradient("Qr")
def _qr_grad(op: Operation, grad_q: Tensor, grad_r: Tensor) -> Any:
    x, (q, r) = op.inputs[0], op.outputs
    rows, columns, _ = _sizes(x.static_shape)
    tall = rows is not None and columns is not None and rows >= columns
    if tall and rows != columns and op.attrs["full_matrices"]:
        raise NotImplementedError(_no_full_gradient(op, "qr"))
    if tall:
        return _tall_qr_grad(q, r, grad_q, grad_r)
    # x = [first, rest] with first = q @ r[:, :k] and q.T @ rest = r[:, k:]
    k = shape(q)[-1]
    rest, grad_rest = x[..., k:], grad_r[..., k:]
    grad_q = grad_q + matmul(rest, grad_rest, adjoint_b=True)
    grad_first = _tall_qr_grad(q, r[..., :k], grad_q, grad_r[..., :k])
    return concat([grad_first, matmul(q, grad_rest)], -1)


def _tall_qr_grad(q: Any, r: Any, grad_q: Any, grad_r: Any) -> Any:
    """For as many rows as columns, or more: r is square."""
    both = matmul(r, grad_r, adjoint_b=True) - matmul(grad_q, q, adjoint_a=True)
    lower = matrix_band_part(both, -1, 0)
    mirrored = lower + adjoint(lower)  # twice the real part on the diagonal
    mirrored = matrix_set_diag(mirrored, 0.5 * matrix_diag_part(mirrored))
    inner = adjoint(grad_q + matmul(q, mirrored))
    return adjoint(triangular_solve_of(r, inner, lower=False))


@front_of(qr_of)
def qr(input: Any, full_matrices: bool = False, name: str | None = None) -> Qr:
    """Matrices as products ``q @ r``, q with orthonormal columns, r upper triangular.

    The gradient is that of S. Walter and L. Lehmann, "Algorithmic differentiation of
    linear algebra functions with application in optimum experimental design" (2010).

    Parameters
    ----------
    input : tensor
        Matrices of m rows and n columns in the last two axes.
    full_matrices : bool
        q is m x m and r is m x n. Without, min(m, n) takes the place of the inner m.
        If there are more rows than columns, no gradient flows through the full ones.
    name : str, optional
        The operation's name.

    Returns
    -------
    Qr
        A named tuple of q and r. The sign of a column of q is arbitrary.

    Raises
    ------
    ValueError
        A rank below 2. Of a matrix without full rank there is no gradient, when run.

    Examples
    --------
    >>> import similarflow as sf
    >>> q, r = sf.qr([[0.0, 2.0], [1.0, 0.0]])
    >>> sf.Session().run(sf.abs(r))
    array([[1., 0.],
           [0., 2.]], dtype=float32)
    """
    return Qr(*qr_of(input, bool(full_matrices), name=name))
