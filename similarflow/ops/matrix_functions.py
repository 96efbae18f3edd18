"""Functions of whole matrices: the exponential, the pseudo-inverse, least squares.

Matrices are in the last two axes of a tensor, batches of them before. Gradients are
written for complex numbers, too, with adjoints `.H`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core.convert import Array
from ..core.graph import Operation, Spec, Tensor, convert_to_tensor
from ..core.registry import op
from ..core.rules import RegisterGradient
from ..core.samples import case, normal, uniform
from .adjoint import adjoint
from .composite import composite
from .diagonals import matrix_diag_part, matrix_set_diag
from .inverse import MATRICES, SQUARES, infer_square, need_wide, square_dims
from .join import concat
from .known import show
from .linalg import matmul
from .logic import cast_like
from .reshape import expand_dims, squeeze
from .shape import shape, zeros_like
from .slicing import slice_index
from .solve import matrix_solve

# ---- the exponential

PADE = (
    64764752532480000.0, 32382376266240000.0, 7771770303897600.0, 1187353796428800.0,
    129060195264000.0, 10559470521600.0, 670442572800.0, 33522128640.0, 1323241920.0,
    40840800.0, 960960.0, 16380.0, 182.0, 1.0,
)  # fmt: skip
"""Of exp(x) about p(x) / p(-x), the coefficients of p, for a norm of x up to 5.37.

Higham, "The scaling and squaring method for the matrix exponential revisited", SIAM
Journal on Matrix Analysis and Applications 26 (2005).
"""


@op("MatrixExponential", infer=infer_square, **MATRICES, samples=[
    *SQUARES, case(normal(2, 3, 3)), case([[0.0, 9.0], [-9.0, 0.0]]),
])  # fmt: skip
def expm(input: Array) -> Array:
    """The exponentials of square matrices, ``I + X + X @ X / 2 + ...``.

    The gradient is a block of the exponential of a matrix twice as large.

    Examples
    --------
    >>> import similarflow as sf
    >>> sf.Session().run(sf.linalg.expm([[0.0, 1.0], [0.0, 0.0]])).round(4)
    array([[1., 1.],
           [0., 1.]], dtype=float32)
    """
    square_dims(np.shape(input))
    x = np.asarray(input)
    if not x.size:
        return x
    size = np.max(np.sum(np.abs(x), -2))  # of the largest matrix
    halvings = max(0, int(np.ceil(np.log2(max(size, 1e-300) / 5.37))))
    x = x / x.dtype.type(2.0**halvings)
    square = x @ x
    even = odd = np.zeros_like(x)
    power = np.broadcast_to(np.eye(x.shape[-1], dtype=x.dtype), x.shape)
    for c, d in zip(PADE[::2], PADE[1::2], strict=True):
        even, odd = even + x.dtype.type(c) * power, odd + x.dtype.type(d) * power
        power = power @ square
    odd = x @ odd
    result = np.linalg.solve(even - odd, even + odd)
    for _ in range(halvings):
        result = result @ result
    return np.asarray(result, x.dtype)


@RegisterGradient("MatrixExponential")
def _expm_grad(op: Operation, grad: Tensor) -> Any:
    turned = adjoint(op.inputs[0])
    above = concat([turned, grad], -1)
    below = concat([zeros_like(turned), turned], -1)
    both = expm(concat([above, below], -2))
    dims = turned.static_shape
    n: Any = dims[-1] if dims else None
    n = slice_index(shape(turned), -1) if n is None else n
    return slice_index(both, (..., slice(None, n), slice(n, None)))


# ---- the pseudo-inverse


def _infer_pinv(a: Tensor, rcond: Any = None) -> Spec:
    need_wide(a)
    dims = a.static_shape
    if dims is not None and len(dims) < 2:
        raise ValueError(f"matrices have rank 2 or more, not shape {show(dims)}")
    return dims and (*dims[:-2], dims[-1], dims[-2]), a.static_dtype


@op("PseudoInverse", infer=_infer_pinv, **MATRICES, samples=[
    case(normal(2, 3)), case(normal(2, 3, 2)), case(normal(3, 3)),
    case(uniform(0.5, 2.0, 1, 1)), case(normal(0, 3, 2)),
])  # fmt: skip
def pinv_of(a: Array, rcond: Any = None) -> Array:
    """The operation of `pinv`."""
    x = np.asarray(a)
    if rcond is None:
        rcond = 10.0 * max(x.shape[-2:]) * np.finfo(x.dtype).eps
    return np.asarray(np.linalg.pinv(x, rcond), x.dtype)


@RegisterGradient("PseudoInverse")
def _pinv_grad(op: Operation, grad: Tensor) -> Any:
    a, inverse = op.inputs[0], op.outputs[0]
    turned, back = adjoint(inverse), adjoint(grad)
    right = matmul(matmul(back, inverse), turned)
    left = matmul(turned, matmul(inverse, back))
    return (
        right - matmul(a, matmul(inverse, right))
        + left - matmul(matmul(left, inverse), a)
        - matmul(matmul(turned, grad), turned)
    )  # fmt: skip


@composite
def pinv(
    a: Any, rcond: Any = None, validate_args: bool = False, name: str | None = None
) -> Tensor:
    """The pseudo-inverses of matrices: ``pinv(a) @ b`` is the least squares solution.

    Parameters
    ----------
    a : tensor
    rcond : float, optional
        Singular values below this share of the largest count as 0; by default 10 times
        the larger size of a matrix and the precision.
    validate_args : bool
        Accepted as in TensorFlow.

    Examples
    --------
    >>> import similarflow as sf
    >>> sf.Session().run(sf.linalg.pinv([[2.0, 0.0], [0.0, 0.0]]))
    array([[0.5, 0. ],
           [0. , 0. ]], dtype=float32)
    """
    if rcond is not None and not isinstance(rcond, int | float | np.number):
        raise TypeError(f"rcond is one number, known before a run, not {rcond!r:.60}")
    result: Tensor = pinv_of(a, rcond=rcond, name=name or "pinv")
    return result


# ---- systems


@composite
def matrix_solve_ls(
    matrix: Any, rhs: Any, l2_regularizer: Any = 0.0, fast: bool = True,
    name: str | None = None,
) -> Tensor:  # fmt: skip
    """The x for which ``matrix @ x`` is as close to `rhs` as can be.

    It has the least sum of squares of ``matrix @ x - rhs``, plus `l2_regularizer`
    times that of x; of several ones the smallest.

    Parameters
    ----------
    matrix : tensor
        Matrices in the last two axes.
    rhs : tensor
        As many matrices, with as many rows each; every column is a system of its own.
    l2_regularizer : float or scalar tensor
        Counted only if `fast`, as in TensorFlow.
    fast : bool
        Solve the normal equations, which need a matrix of full rank or a regularizer.
        Otherwise by the pseudo-inverse: slower, and more accurate.

    Examples
    --------
    >>> import similarflow as sf
    >>> sf.Session().run(sf.matrix_solve_ls([[1.0], [1.0]], [[1.0], [3.0]]))
    array([[2.]], dtype=float32)
    """
    a, b = convert_to_tensor(matrix), rhs
    dims = a.static_shape or (None, None)
    if not fast or None in dims[-2:]:
        plain = isinstance(l2_regularizer, int | float) and not l2_regularizer
        if fast and not plain:
            raise ValueError(
                "with a regularizer, the sizes of the matrix must be known before a "
                f"run: {show(a.static_shape)}. Use x.set_shape"
            )
        return matmul(pinv(a), b, name=name)
    rows, columns = dims[-2] or 0, dims[-1] or 0
    tall = rows >= columns
    gram = matmul(a, a, adjoint_a=True) if tall else matmul(a, a, adjoint_b=True)
    diagonal = matrix_diag_part(gram)
    gram = matrix_set_diag(gram, diagonal + cast_like(l2_regularizer, diagonal))
    if tall:
        result: Tensor = matrix_solve(gram, matmul(a, b, adjoint_a=True), name=name)
    else:
        result = matmul(a, matrix_solve(gram, b), adjoint_a=True, name=name)
    return result


@composite
def matvec(
    a: Any, b: Any, transpose_a: bool = False, adjoint_a: bool = False,
    a_is_sparse: bool = False, b_is_sparse: bool = False, name: str | None = None,
) -> Tensor:  # fmt: skip
    """The products of matrices and vectors, which are in the last axis of `b`.

    Examples
    --------
    >>> import similarflow as sf
    >>> sf.Session().run(sf.linalg.matvec([[1.0, 2.0], [3.0, 4.0]], [1.0, 10.0]))
    array([21., 43.], dtype=float32)
    """
    b = convert_to_tensor(b)
    column = expand_dims(b, -1)
    product = matmul(a, column, transpose_a=transpose_a, adjoint_a=adjoint_a)
    return squeeze(product, -1, name=name)  # type: ignore[no-any-return]
