"""Reductions beside the sum: mean, extremes, product, truth, and where extremes are.

Each takes `axis` (an int or a list of them; None for all) and `keepdims`.
"""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np

from ..core.convert import Array, as_np_dtype, in_dtype
from ..core.graph import Operation, Spec, Tensor
from ..core.infer import BOOL, reduced_dims, reduction, same_as_input
from ..core.registry import DEFINITIONS, op
from ..core.rules import NotDifferentiable, RegisterGradient
from ..core.samples import case, integers, normal
from .elementary import broadcast_like, ones_like, reduce_sum
from .known import as_axis
from .logic import cast_like, equal
from .reducing import REDUCTION, as_axes, narrowed, reduced, wide

REDUCED = (
    case(normal(2, 3)),
    case(normal(2, 3, 4), axis=[0, -1]),
    case(normal(2, 3), axis=1, keepdims=True),
    case(normal(2, 3), axis=[]),
    case(normal(2, 0), axis=0),
    case(normal()),
    case(integers(-9, 9, 2, 3), axis=-1),
)
EMPTY = (case(normal(0, 3), axis=0), case(normal(2, 0), axis=1, keepdims=True))
TRUTHS = (
    case([[True, False], [True, True]]),
    case([[True, False], [True, True]], axis=0),
    case([[False, False]], axis=-1, keepdims=True),
    case(True),
)


def _spread(x: Any, op: Operation) -> Tensor:
    """What belongs to the result of the reduction `op`, in the shape of its input."""
    spread: Tensor = broadcast_like(x, op.inputs[0], **op.attrs)
    return spread


def _count(x: Array, axis: tuple[int, ...] | None) -> int:
    """How many entries of `x` go into one entry of the result."""
    shape = np.shape(x)
    return prod(shape if axis is None else [shape[a] for a in axis])


@op("Mean", infer=reduction, samples=REDUCED, **REDUCTION)
def reduce_mean(input_tensor: Array, axis: Any = None, keepdims: bool = False) -> Array:
    """The mean over `axis`; it keeps the dtype, so that of integers is cut to one.

    The mean of nothing is nan for floats and 0 for integers.

    Examples
    --------
    >>> import similarflow as sf
    >>> sf.Session().run(sf.reduce_mean([[1.0, 2.0], [3.0, 6.0]], axis=1))
    array([1.5, 4.5], dtype=float32)
    >>> int(sf.Session().run(sf.reduce_mean([1, 0, 0, 1, 1])))
    0
    """
    dtype = np.result_type(input_tensor)
    if dtype.kind in "iu":
        total = reduced(np.sum, input_tensor, axis, keepdims)
        count = max(_count(input_tensor, axis), 1)
        down, rest = np.divmod(total, count)  # rounded down, then to zero
        return np.asarray(down + ((rest != 0) & (total < 0)), dtype)
    total = reduced(np.sum, input_tensor, axis, keepdims, dtype=wide(input_tensor))
    return in_dtype(np.divide(total, _count(input_tensor, axis)), dtype)  # type: ignore[no-any-return]


@RegisterGradient("Mean")
def _reduce_mean_grad(op: Operation, grad: Tensor) -> Any:
    return spread_mean(grad, op.inputs[0], **op.attrs)


def _infer_like(x: Tensor, like: Tensor, **attrs: Any) -> Spec:
    return like.static_shape, x.static_dtype


@op("MeanGrad", infer=_infer_like, same=["x"], samples=[
    case(normal(), normal(2, 3)),
    case(normal(2), normal(2, 3), axis=[1]),
    case(normal(1, 3), normal(2, 3), axis=[0], keepdims=True),
    case(normal(3), normal(0, 3), axis=[0]),
], converters=REDUCTION["converters"])  # fmt: skip
def spread_mean(
    x: Array, like: Array, axis: Any = None, keepdims: bool = False
) -> Array:
    """`x` in equal parts over the shape of `like`: what a mean does backward."""
    part = np.divide(x, max(_count(like, axis), 1))
    spread: Array = DEFINITIONS["BroadcastLike"].kernel(part, like, axis, keepdims)
    return spread


@RegisterGradient("MeanGrad")
def _spread_mean_grad(op: Operation, grad: Tensor) -> Any:
    x, like = op.inputs
    part = spread_mean(ones_like(x), like, **op.attrs)
    return reduce_sum(grad * part, **op.attrs), None  # a mean of nothing would be nan


@op("Max", infer=reduction, accepts="real", samples=[*REDUCED, *EMPTY], **REDUCTION)
def reduce_max(input_tensor: Array, axis: Any = None, keepdims: bool = False) -> Array:
    """The maximum over `axis`; nan if there is one.

    The maximum of nothing is -inf for floats, the lowest number for integers. Entries
    that share the maximum share the gradient equally.

    Examples
    --------
    >>> import similarflow as sf
    >>> sf.Session().run(sf.reduce_max([[1.0, 5.0], [3.0, 3.0]], axis=1))
    array([5., 3.], dtype=float32)
    """
    start = {} if np.size(input_tensor) else {"initial": _bounds(input_tensor)[0]}
    return reduced(np.max, input_tensor, axis, keepdims, **start)


@op("Min", infer=reduction, accepts="real", samples=[*REDUCED, *EMPTY], **REDUCTION)
def reduce_min(input_tensor: Array, axis: Any = None, keepdims: bool = False) -> Array:
    """The minimum over `axis`; nan if there is one.

    The minimum of nothing is inf for floats, the highest number for integers. Entries
    that share the minimum share the gradient equally.
    """
    start = {} if np.size(input_tensor) else {"initial": _bounds(input_tensor)[1]}
    return reduced(np.min, input_tensor, axis, keepdims, **start)


def _bounds(x: Array) -> tuple[Any, Any]:
    """The lowest and the highest number of the dtype of `x`."""
    dtype = np.result_type(x)
    if dtype.kind == "f":
        return -np.inf, np.inf
    return np.iinfo(dtype).min, np.iinfo(dtype).max


@RegisterGradient("Min")
@RegisterGradient("Max")
def _reduce_extreme_grad(op: Operation, grad: Tensor) -> Any:
    ties = equal(op.inputs[0], _spread(op.outputs[0], op))
    ties = cast_like(ties, grad)
    # spread before it divides: where all is nan, nothing is a tie, and nan must show;
    # but the number of ties among no entries must not
    share = ties / _spread(reduce_sum(ties, **op.attrs), op)
    return _spread(grad, op) * share


@op("Prod", infer=reduction, samples=[*REDUCED, *EMPTY], **REDUCTION)
def reduce_prod(input_tensor: Array, axis: Any = None, keepdims: bool = False) -> Array:
    """The product over `axis`; of nothing it is 1. Its gradients are right at 0, too.

    Examples
    --------
    >>> import similarflow as sf
    >>> x = sf.constant([2.0, 0.0, 3.0])
    >>> sf.Session().run(sf.gradients(sf.reduce_prod(x), x))
    [array([0., 6., 0.], dtype=float32)]
    """
    product = reduced(np.prod, input_tensor, axis, keepdims, dtype=wide(input_tensor))
    return narrowed(product, input_tensor)


@RegisterGradient("Prod")
def _reduce_prod_grad(op: Operation, grad: Tensor) -> Any:
    others = product_of_others([op.inputs[0]], axis=op.attrs["axis"])
    return _spread(grad, op) * others


@op("ProdGrad", infer=same_as_input, converters={"axis": as_axes}, samples=[
    case([normal(2, 3)], axis=[1]),
    case([[[2.0, 0.0, 3.0], [0.0, 0.0, 1.0]]], axis=[-1]),
    case([normal(2, 3, 2), normal(2, 3, 2)], axis=[0, 2]),
    case([normal(4), normal(4), normal(4)]),
    case([normal(0, 3)], axis=[0]),
    case([normal()]),
])  # fmt: skip
def product_of_others(*inputs: Array, axis: Any = None) -> Array:
    """For each entry of `x`, the first of `inputs`, the product of all others.

    With further inputs ``v, w, ...`` of the shape of `x`: how that changes, at first
    order in each of them, when `x` becomes ``x + r*v + s*w + ...``. In that form it is
    closed under differentiation. Nothing is divided, so that zeros do no harm: each
    entry is a polynomial ``x + r*v + s*w`` with ``r**2 = s**2 = 0``, whose coefficients
    are numbered by the set of the letters in them, and the others' product is that of
    the entries before times that of the entries after.
    """
    rows = [_as_rows(x, axis) for x in inputs]  # (kept, n) each
    entries = np.zeros((1 << (len(rows) - 1), *rows[0].shape), np.result_type(*rows))
    for i, row in enumerate(rows):
        entries[0 if i == 0 else 1 << (i - 1)] = row
    before = _products_before(entries)
    after = _products_before(entries[..., ::-1])[..., ::-1]
    return _from_rows(_times(before, after)[-1], np.shape(inputs[0]), axis)


@RegisterGradient("ProdGrad")
def _product_of_others_grad(op: Operation, grad: Tensor) -> Any:
    x, *others = op.inputs
    axis = op.attrs["axis"]
    lists = [[*others[:i], grad, *others[i + 1 :]] for i in range(len(others))]
    return [product_of_others([x, *v], axis=axis) for v in ([*others, grad], *lists)]


def _times(p: Array, q: Array) -> Array:
    """The product of polynomials: only terms without a common letter remain."""
    terms = range(len(p))
    return np.stack([
        sum(p[part] * q[whole ^ part] for part in terms if part | whole == whole)
        for whole in terms
    ])  # fmt: skip


def _products_before(entries: Array) -> Array:
    """For each entry the product of those before it, in a logarithm of passes."""
    one = np.zeros_like(entries[..., :1])
    one[0] = 1
    products = np.concatenate([one, entries[..., :-1]], -1)[..., : entries.shape[-1]]
    shift = 1
    while shift < entries.shape[-1]:
        longer = _times(products[..., :-shift], products[..., shift:])
        products = np.concatenate([products[..., :shift], longer], -1)
        shift *= 2
    return products


def _as_rows(x: Array, axis: tuple[int, ...] | None) -> Array:
    """The entries that a reduction over `axis` takes together, in rows."""
    axis = tuple(range(np.ndim(x))) if axis is None else axis
    last = np.moveaxis(x, axis, range(-len(axis), 0))
    count = _count(x, axis)
    return last.reshape(np.size(x) // count if count else _kept(x, axis), count)


def _kept(x: Array, axis: tuple[int, ...]) -> int:
    """The number of results of a reduction."""
    gone = {a % np.ndim(x) for a in axis}
    return prod(n for i, n in enumerate(np.shape(x)) if i not in gone)


def _from_rows(
    rows: Array, shape: tuple[int, ...], axis: tuple[int, ...] | None
) -> Array:
    """The inverse of `_as_rows`."""
    axis = tuple(range(len(shape))) if axis is None else axis
    gone = [a % len(shape) for a in axis]
    kept = [i for i in range(len(shape)) if i not in gone]
    last = rows.reshape([shape[i] for i in (*kept, *gone)])
    return np.moveaxis(last, range(-len(gone), 0), gone)


def _infer_truth(x: Tensor, axis: Any = None, keepdims: bool = False) -> Spec:
    return reduced_dims(x.static_shape, axis, keepdims), BOOL


@op("All", infer=_infer_truth, accepts="bool", samples=TRUTHS, **REDUCTION)
def reduce_all(input_tensor: Array, axis: Any = None, keepdims: bool = False) -> Array:
    """Whether all entries over `axis` are true; all of none are.

    Examples
    --------
    >>> import similarflow as sf
    >>> sf.Session().run(sf.reduce_all([[True, False], [True, True]], axis=1))
    array([False,  True])
    """
    return reduced(np.all, input_tensor, axis, keepdims)


@op("Any", infer=_infer_truth, accepts="bool", samples=TRUTHS, **REDUCTION)
def reduce_any(input_tensor: Array, axis: Any = None, keepdims: bool = False) -> Array:
    """Whether any entry over `axis` is true; none of none is."""
    return reduced(np.any, input_tensor, axis, keepdims)


def _as_first(axis: Any, x: Any = None) -> int:
    """One axis; None is the first."""
    return as_axis(axis) or 0


def _as_index_dtype(output_type: Any, x: Any = None) -> np.dtype[Any]:
    dtype = as_np_dtype(output_type)
    if dtype is None or dtype.kind not in "iu":
        raise TypeError(f"output_type is sf.int32 or sf.int64, not {output_type!r}")
    return dtype


def _infer_index(x: Tensor, axis: int, output_type: np.dtype[Any]) -> Spec:
    return reduced_dims(x.static_shape, (axis,), False), output_type


ARG: dict[str, Any] = {
    "infer": _infer_index,
    "accepts": "ordered",
    "converters": {"axis": _as_first, "output_type": _as_index_dtype},
    "aliases": {"dimension": "axis"},
    "samples": [
        case(normal(2, 3), 1),
        case(normal(4)),
        case(normal(2, 3, 2), axis=-2, output_type="int32"),
        case(normal(0, 2), 1),
        case(integers(0, 3, 2, 5), -1),
        case([[False, True]], 1),
    ],
}
INT64 = np.dtype(np.int64)


@op("ArgMax", **ARG)
def argmax(input: Array, axis: int = 0, *, output_type: np.dtype[Any] = INT64) -> Array:
    """Where along `axis` the maximum is, the first if there are several.

    Parameters
    ----------
    input : tensor
        Numbers or truth values; nan counts as the largest.
    axis : int, optional
        The first axis by default; TensorFlow's older name is `dimension`.
    name : str, optional
        The operation's name.
    output_type : DType, optional
        An integer type; int64 by default.

    Raises
    ------
    ValueError
        There is no such axis; or, when run, it is empty.

    Examples
    --------
    >>> import similarflow as sf
    >>> sf.Session().run(sf.argmax([[1.0, 5.0, 2.0], [7.0, 3.0, 7.0]], 1))
    array([1, 0])
    """
    return np.asarray(np.argmax(_not_empty(input, axis), axis), output_type)


@op("ArgMin", **ARG)
def argmin(input: Array, axis: int = 0, *, output_type: np.dtype[Any] = INT64) -> Array:
    """Where along `axis` the minimum is; see `argmax`."""
    return np.asarray(np.argmin(_not_empty(input, axis), axis), output_type)


def _not_empty(x: Array, axis: int) -> Array:
    shape = np.shape(x)
    reduced_dims(shape, (axis,), False)  # NumPy finds one in a number, too
    if not shape[axis] and prod(shape[:axis]):
        raise ValueError(f"axis {axis} of shape {shape} is empty: there is no entry")
    return x


for _type in ("All", "Any", "ArgMax", "ArgMin"):
    NotDifferentiable(_type)


arg_max, arg_min = argmax, argmin
"""TensorFlow's older names."""
