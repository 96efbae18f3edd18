"""The matrix product, of one pair of matrices or of batches of them."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core.convert import Array
from ..core.graph import Dims, Operation, Spec, Tensor
from ..core.infer import broadcast_dims, common_dtype
from ..core.registry import op
from ..core.rules import RegisterGradient
from ..core.samples import case, integers, normal
from .complex import conj, is_complex
from .elementary import sum_like
from .fronts import front_of
from .known import show
from .logic import tensor_or_value

PRODUCTS = (
    case(normal(2, 3), normal(3, 4)),
    case(normal(3, 2), normal(3, 4), transpose_a=True),
    case(normal(2, 3), normal(4, 3), transpose_b=True),
    case(normal(3, 2), normal(4, 3), True, True),
    case(normal(2, 0), normal(0, 3)),
    case(normal(0, 2), normal(2, 3)),
    case(integers(-9, 9, 2, 3), integers(-9, 9, 3, 2)),
)
BATCHES = (
    case(normal(2, 2, 3), normal(2, 3, 4)),
    case(normal(2, 2, 3), normal(3, 4)),
    case(normal(2, 3), normal(4, 1, 3, 2)),
    case(normal(5, 1, 3, 2), normal(4, 2, 3), adjoint_a=True, adjoint_b=True),
    case(normal(2, 1, 3, 2), normal(3, 3, 1), transpose_a=True),
    case(normal(1, 2, 3), normal(2, 4, 3), transpose_b=True),
    case(normal(0, 2, 3), normal(3, 2)),
)


def _infer_matmul(a: Tensor, b: Tensor, **attrs: Any) -> Spec:
    for side in "ab":
        if attrs[f"transpose_{side}"] and attrs[f"adjoint_{side}"]:
            raise ValueError(
                f"transpose_{side} and adjoint_{side} are both set; choose one"
            )
    shapes = a.static_shape, b.static_shape
    trouble = _misfit(*shapes, **attrs)
    if trouble:
        raise ValueError(trouble)
    dtype = common_dtype(a, b)
    if shapes[0] is None or shapes[1] is None:
        return None, dtype
    rows, _, columns, _ = (n for x in _sizes(*shapes, **attrs) for n in x)
    batch = broadcast_dims(shapes[0][:-2], shapes[1][:-2])
    return (*(batch or ()), rows, columns), dtype


def _sizes(a: Any, b: Any, **flags: Any) -> Any:
    """(rows of a, its columns), (columns of b, its rows), as they are multiplied."""
    turned_a = flags["transpose_a"] or flags["adjoint_a"]
    turned_b = flags["transpose_b"] or flags["adjoint_b"]
    return a[-2:][:: -1 if turned_a else 1], b[-2:][:: 1 if turned_b else -1]


def _surely_fit(a: Any, b: Any, **flags: Any) -> bool:
    """Whether the inner sizes are known and equal."""
    (_, m), (_, n) = _sizes(a, b, **flags)
    return m == n and m is not None


def _misfit(a: Dims, b: Dims, **flags: Any) -> str:
    """Why these shapes have no product and what to do; empty if they have one."""
    shown = f"a has the shape {show(a)} and b has the shape {show(b)}"
    for label, x in (("a", a), ("b", b)):
        if x is not None and len(x) == 0:
            return f"a matrix has rank 2 at least, but {shown}. Numbers go with *"
        if x is not None and len(x) == 1:
            return (
                f"a matrix has rank 2 at least, but {shown}. Make {label} a row: "
                f"sf.expand_dims({label}, 0), or a column: sf.expand_dims({label}, 1)"
            )
    if a is None or b is None:
        return ""
    (_, m), (_, n) = _sizes(a, b, **flags)
    if m != n and None not in (m, n):
        return (
            f"the inner sizes differ, {m} and {n}: {shown}{_flags_text(flags)}. "
            f"{_advice(a, b, flags)}"
        )
    try:
        broadcast_dims(a[:-2], b[:-2])
    except ValueError:
        return (
            f"{shown}: the sizes before the last two, {a[:-2]} and {b[:-2]}, do not "
            "broadcast. Make them equal, or 1 in one of the two"
        )
    return ""


def _flags_text(flags: Any) -> str:
    given = [f"{key}=True" for key, value in flags.items() if value]
    return f", with {' and '.join(given)}" if given else ""


def _advice(a: Any, b: Any, flags: Any) -> str:
    """Which change of arguments would make the inner sizes fit."""
    for side in "ba":
        turned = flags[f"transpose_{side}"] or flags[f"adjoint_{side}"]
        new = {f"adjoint_{side}": False, f"transpose_{side}": not turned}
        if _surely_fit(a, b, **{**flags, **new}):
            return f"With transpose_{side}={not turned} they would fit"
    if _surely_fit(b, a, **flags):
        return "In the other order, b before a, they would fit"
    return "Give a as many columns as b has rows"


def _product(a: Array, b: Array, **flags: Any) -> Array:
    """The kernel of both types."""
    if np.ndim(a) < 2 or np.ndim(b) < 2:
        raise ValueError(_misfit(np.shape(a), np.shape(b), **flags))
    left = np.swapaxes(a, -1, -2) if flags["transpose_a"] or flags["adjoint_a"] else a
    right = np.swapaxes(b, -1, -2) if flags["transpose_b"] or flags["adjoint_b"] else b
    left = np.conj(left) if flags["adjoint_a"] and left.dtype.kind == "c" else left
    right = np.conj(right) if flags["adjoint_b"] and right.dtype.kind == "c" else right
    try:
        product: Array = np.matmul(left, right)
    except ValueError as error:
        trouble = _misfit(np.shape(a), np.shape(b), **flags)
        raise ValueError(trouble or str(error)) from None
    return product


@op("BatchMatMulV2", infer=_infer_matmul, samples=BATCHES)
def batch_matmul(
    a: Array,
    b: Array,
    transpose_a: bool = False,
    transpose_b: bool = False,
    adjoint_a: bool = False,
    adjoint_b: bool = False,
) -> Array:
    """The products of batches of matrices: what `matmul` is for ranks above 2."""
    flags = {"transpose_a": transpose_a, "transpose_b": transpose_b}
    return _product(a, b, **flags, adjoint_a=adjoint_a, adjoint_b=adjoint_b)


@op("MatMul", infer=_infer_matmul, samples=PRODUCTS)
def mat_mul(
    a: Array,
    b: Array,
    transpose_a: bool = False,
    transpose_b: bool = False,
    adjoint_a: bool = False,
    adjoint_b: bool = False,
) -> Array:
    """The product of two matrices, the operation of `matmul`."""
    flags = {"transpose_a": transpose_a, "transpose_b": transpose_b}
    return _product(a, b, **flags, adjoint_a=adjoint_a, adjoint_b=adjoint_b)


@RegisterGradient("BatchMatMulV2")
@RegisterGradient("MatMul")
def _matmul_grad(op: Operation, grad: Tensor) -> Any:
    a, b = op.inputs
    turned_a = op.attrs["transpose_a"] or op.attrs["adjoint_a"]
    turned_b = op.attrs["transpose_b"] or op.attrs["adjoint_b"]
    if turned_a:
        grad_a = matmul(b, grad, transpose_a=turned_b, transpose_b=True)
    else:
        grad_a = matmul(grad, b, transpose_b=not turned_b)
    if turned_b:
        grad_b = matmul(grad, a, transpose_a=True, transpose_b=turned_a)
    else:
        grad_b = matmul(a, grad, transpose_a=not turned_a)
    return _summed_back(grad_a, a, b), _summed_back(grad_b, b, a)


def _summed_back(grad: Any, x: Tensor, other: Tensor) -> Any:
    """`grad` in the shape of `x`, if the axes before the last two may broadcast it.

    Of two matrices there are none: their gradients are not summed for nothing.
    """
    mine, others = x.static_shape, other.static_shape
    if mine is not None and others is not None:
        batch = mine[:-2]
        if len(batch) >= len(others) - 2 and None not in batch and 1 not in batch:
            return grad
    return sum_like(grad, x)


@front_of(mat_mul)
def matmul(
    a: Any,
    b: Any,
    transpose_a: bool = False,
    transpose_b: bool = False,
    adjoint_a: bool = False,
    adjoint_b: bool = False,
    a_is_sparse: bool = False,
    b_is_sparse: bool = False,
    name: str | None = None,
) -> Tensor:
    """The matrix product ``a @ b``.

    Matrices are in the last two axes; the axes before them broadcast. The operation's
    type is "MatMul", but "BatchMatMulV2" when a rank above 2 is known.

    Parameters
    ----------
    a, b : tensor
        Numbers of one dtype, of rank 2 at least.
    transpose_a, transpose_b : bool
        Multiply by the transpose.
    adjoint_a, adjoint_b : bool
        Multiply by the conjugate transpose, for real numbers the same.
    a_is_sparse, b_is_sparse : bool
        Hints of TensorFlow's, which change nothing.
    name : str, optional
        The operation's name.

    Raises
    ------
    ValueError
        A rank below 2, or sizes that do not fit; when built if it is known then.

    Examples
    --------
    >>> import similarflow as sf
    >>> x = sf.constant([[1.0, 2.0], [3.0, 4.0]])
    >>> sf.Session().run(sf.matmul(x, [[1.0], [10.0]]))
    array([[21.],
           [43.]], dtype=float32)
    """
    pair = [tensor_or_value(x) for x in (a, b)]
    build = batch_matmul if any(_rank(x) > 2 for x in pair) else mat_mul
    flags = [bool(f) for f in (transpose_a, transpose_b, adjoint_a, adjoint_b)]
    for i in (0, 1):
        if flags[i + 2] and not flags[i] and is_complex(pair[i]):
            pair[i], flags[i], flags[i + 2] = conj(pair[i]), True, False
    result: Tensor = build(*pair, *flags, name=name or "MatMul")
    return result


def _rank(x: Any) -> int:
    """The rank; 0 if it is unknown."""
    if isinstance(x, Tensor):
        return len(x.static_shape or ())
    while isinstance(x, list | tuple) and x:  # it may hold tensors
        return 1 + _rank(x[0])
    return np.ndim(x)
