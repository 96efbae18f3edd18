"""What comes first: top_k, in_top_k, sort, argsort, searchsorted."""

from __future__ import annotations

from math import prod
from typing import Any, NamedTuple

import numpy as np

from ..core.convert import Array, as_np_dtype
from ..core.graph import Dims, Operation, Spec, Tensor
from ..core.infer import BOOL
from ..core.registry import op
from ..core.rules import NotDifferentiable, RegisterGradient
from ..core.samples import case, integers, normal
from .fronts import front_of
from .gather import add_rows, check_index_type
from .known import as_axis, merge_dims, show, static_ints
from .split import check_axis

INT32 = np.dtype(np.int32)
DIRECTIONS = ("ASCENDING", "DESCENDING")


def as_index_dtype(dtype: Any, x: Any = None) -> np.dtype[Any]:
    """The dtype of places; raises TypeError unless it is int32 or int64."""
    found = as_np_dtype(dtype)
    if found is None or found not in (np.int32, np.int64):
        raise TypeError(f"places are counted in sf.int32 or sf.int64, not {dtype!r}")
    return found


def _places(x: Array, axis: int, descending: bool) -> Array:
    """The places in order; of equal values, the first comes first. nan is largest."""
    if not descending:
        return np.argsort(x, axis, kind="stable")
    # ascending from behind, and that from behind again: equal ones keep their order
    turned = np.argsort(np.flip(x, axis), axis, kind="stable")
    places: Array = np.shape(x)[axis] - 1 - np.flip(turned, axis)
    return places


# Picking along an axis, each row its own places


def _infer_take(x: Tensor, places: Tensor, axis: int = -1) -> Spec:
    check_index_type(places, "places")
    return places.static_shape, x.static_dtype


@op("TakeAlong", infer=_infer_take, same=["x"], samples=[
    case(normal(2, 3), [[2, 0], [1, 1]]), case(normal(3, 2), [[2, 0]], axis=0),
])  # fmt: skip
def take_along(x: Array, places: Array, axis: int = -1) -> Array:
    """The elements of `x` at places along `axis`, in each row of its own."""
    return np.take_along_axis(x, np.asarray(places, np.intp), axis)


@RegisterGradient("TakeAlong")
def _take_along_grad(op: Operation, grad: Tensor) -> Any:
    x, places = op.inputs
    return put_along(grad, places, x, **op.attrs), None


def _infer_put(grad: Tensor, places: Tensor, like: Tensor, axis: int = -1) -> Spec:
    return like.static_shape, grad.static_dtype


@op("PutAlong", infer=_infer_put, same=["grad"], samples=[
    case(normal(2, 2), [[2, 0], [1, 1]], normal(2, 3)),
    case(normal(1, 2), [[2, 0]], normal(3, 2), axis=0),
    case(normal(0, 2), np.zeros([0, 2], np.int32), normal(0, 3)),
])  # fmt: skip
def put_along(grad: Array, places: Array, like: Array, axis: int = -1) -> Array:
    """Zeros of the shape of `like`, with `grad` added: `take_along`, backward."""
    rows = np.moveaxis(grad, axis, -1)
    batch = list(np.shape(like))
    steps, count = batch.pop(axis), prod(batch)
    flat = np.moveaxis(places, axis, -1).reshape(count, rows.shape[-1])
    flat = flat + steps * np.arange(count)[:, None]  # where it is in all rows together
    total = np.zeros((count * steps, 1), np.result_type(grad))
    add_rows(total, flat.ravel(), rows.reshape(-1, 1))
    return np.moveaxis(total.reshape(*batch, steps), -1, axis)


@RegisterGradient("PutAlong")
def _put_along_grad(op: Operation, grad: Tensor) -> Any:
    return take_along(grad, op.inputs[1], **op.attrs), None, None


# The largest


class TopKV2(NamedTuple):
    """What `top_k` gives."""

    values: Any
    indices: Any


def _check_k(dims: Any, k: int | None) -> None:
    if dims == ():
        raise ValueError("top_k needs a tensor of rank 1 or more, not a scalar")
    size = dims[-1]
    if k is not None and (k < 0 or (size is not None and k > size)):
        raise ValueError(
            f"k is {k}, and the last axis of shape {show(dims)} has {size}"
        )


def _infer_top_k(input: Tensor, k: Tensor, sorted: bool = True) -> list[Spec]:
    check_index_type(k, "k")
    dims, count = input.static_shape, (static_ints(k) or (None,))[0]
    if dims is not None:
        _check_k(dims, count)
        dims = (*dims[:-1], count)
    return [(dims, input.static_dtype), (dims, INT32)]


@op("TopKV2", infer=_infer_top_k, same=["input"], accepts="real", samples=[
    case(normal(2, 4), 2), case(normal(5), 5), case(normal(3), 0),
    case(normal(0, 3), 1), case([3, 1, 3, 2], 3), case(integers(0, 3, 2, 6), 4),
])  # fmt: skip
def largest(input: Array, k: Array, sorted: bool = True) -> Any:
    """The `k` largest elements of each row, and where they are; see `top_k`."""
    _check_k(np.shape(input), int(k))
    places = _places(input, -1, descending=True)[..., : int(k)]
    return np.take_along_axis(np.asarray(input), places, -1), places.astype(INT32)


@RegisterGradient("TopKV2")
def _largest_grad(op: Operation, grad: Tensor, _: Any) -> Any:
    return put_along(grad, op.outputs[1], op.inputs[0]), None


@front_of(largest)
def top_k(
    input: Any, k: Any = 1, sorted: bool = True, name: str | None = None
) -> TopKV2:
    """The `k` largest elements of each row, the last axis, and their places.

    Parameters
    ----------
    input : tensor
        Of rank 1 or more. nan counts as the largest.
    k : int, or scalar tensor
        How many; at most as many as there are.
    sorted : bool
        TensorFlow's promise that the largest comes first; here it always does.

    Returns
    -------
    TopKV2
        `values` and `indices`. Of equal elements the first comes first.

    Raises
    ------
    ValueError
        There are fewer than `k`.

    Examples
    --------
    >>> import similarflow as sf
    >>> found = sf.Session().run(sf.nn.top_k([1.0, 5.0, 3.0, 5.0], 2))
    >>> found.values, found.indices
    (array([5., 5.], dtype=float32), array([1, 3], dtype=int32))
    """
    return TopKV2(*largest(input, k, bool(sorted), name=name))


def _infer_in_top_k(predictions: Tensor, targets: Tensor, k: Tensor) -> Spec:
    check_index_type(targets, "targets")
    check_index_type(k, "k")
    scores, labels = predictions.static_shape, targets.static_shape
    return _rows_of(scores, labels), BOOL


def _rows_of(scores: Dims, labels: Dims) -> Dims:
    try:
        merge_dims(scores, (None, None))
        return merge_dims(labels, None if scores is None else scores[:1]) or (None,)
    except ValueError:
        raise ValueError(
            "predictions are a matrix, and targets a number for each of its rows, not "
            f"of shapes {show(scores)} and {show(labels)}"
        ) from None


@op("InTopKV2", name="in_top_k", infer=_infer_in_top_k, same=["predictions"],
    accepts="real", samples=[
        case(normal(3, 4), [0, 3, 1], 2), case([[0.0, 0.0, 0.0]], [2], 1),
        case([[1.0, np.inf], [1.0, 2.0]], [0, 5], 2),
        case(normal(0, 2), np.zeros([0], np.int64), 1),
    ])  # fmt: skip
def in_top_k(predictions: Array, targets: Array, k: Array) -> Array:
    """Whether the target of each row is among its `k` largest predictions.

    Parameters
    ----------
    predictions : matrix
        For each example a row with a number for each class.
    targets : vector of ints
        The right class of each example.
    k : int, or scalar tensor
        Classes that are as good as the k-th are all among them.

    Returns
    -------
    vector of bool
        False, too, where a row holds nan or inf, or where there is no such class.

    Examples
    --------
    >>> import similarflow as sf
    >>> sf.Session().run(sf.nn.in_top_k([[0.1, 0.8, 0.1], [0.3, 0.3, 0.4]], [1, 0], 1))
    array([ True, False])
    """
    scores, labels = np.asarray(predictions), np.asarray(targets)
    _rows_of(scores.shape, labels.shape)
    known = (labels >= 0) & (labels < scores.shape[1]) & np.isfinite(scores).all(1)
    own = np.take_along_axis(scores, np.where(known, labels, 0)[:, None], 1)
    hits: Array = known & ((scores > own).sum(1) < k)
    return hits


# All in order


def _as_last(axis: Any, x: Any = None) -> int:
    found = as_axis(axis)
    return -1 if found is None else found


def _as_direction(direction: Any, x: Any = None) -> str:
    if direction not in DIRECTIONS:
        raise ValueError(f"direction is one of {DIRECTIONS}, not {direction!r}")
    return str(direction)


def _infer_sort(values: Tensor, axis: int = -1, direction: str = "ASCENDING") -> Spec:
    dims = values.static_shape
    if dims is not None:
        check_axis(axis, len(dims))
    return dims, values.static_dtype


def _infer_argsort(
    values: Tensor, axis: int = -1, direction: str = "ASCENDING", stable: bool = False
) -> Spec:
    return _infer_sort(values, axis)[0], INT32


SORT: dict[str, Any] = {
    "accepts": "real",
    "converters": {"axis": _as_last, "direction": _as_direction},
    "samples": [
        case(normal(2, 3)), case(normal(3, 2), 0, "DESCENDING"),
        case([2, 1, 2]), case(normal(2, 0)), case(integers(0, 3, 6), -1),
    ],
}  # fmt: skip


@op("Sort", name="sort", infer=_infer_sort, **SORT)
def sort(values: Array, axis: Any = -1, direction: str = "ASCENDING") -> Array:
    """The elements in order along an axis; nan counts as the largest.

    Parameters
    ----------
    values : tensor
        Of numbers, of rank 1 or more.
    axis : int
        The last axis by default.
    direction : str
        "ASCENDING" or "DESCENDING".

    Examples
    --------
    >>> import similarflow as sf
    >>> sf.Session().run(sf.sort([3.0, 1.0, 2.0], direction="DESCENDING"))
    array([3., 2., 1.], dtype=float32)
    """
    at = check_axis(axis, np.ndim(values))
    places = _places(values, at, direction == "DESCENDING")
    return np.take_along_axis(np.asarray(values), places, at)


@RegisterGradient("Sort")
def _sort_grad(op: Operation, grad: Tensor) -> Any:
    values, axis = op.inputs[0], op.attrs["axis"]
    return put_along(grad, argsort(values, **op.attrs), values, axis=axis)


@op("ArgSort", name="argsort", infer=_infer_argsort, **SORT)
def argsort(
    values: Array, axis: Any = -1, direction: str = "ASCENDING", stable: bool = False
) -> Array:
    """The places of the elements in order along an axis; see `sort`.

    Of equal elements the first comes first, whatever `stable` says.

    Examples
    --------
    >>> import similarflow as sf
    >>> sf.Session().run(sf.argsort([3.0, 1.0, 2.0]))
    array([1, 2, 0], dtype=int32)
    """
    at = check_axis(axis, np.ndim(values))
    return _places(values, at, direction == "DESCENDING").astype(INT32)


NotDifferentiable("ArgSort")


def _infer_search(sorted_inputs: Tensor, values: Tensor, out_type: Any = INT32) -> Spec:
    return _searched(sorted_inputs.static_shape, values.static_shape), out_type


def _searched(rows: Dims, wanted: Dims) -> Dims:
    """The shape of the result; ValueError unless each row has its values."""
    try:
        if rows == () or wanted == ():
            raise ValueError
        if rows is not None and wanted is not None:
            merge_dims(rows[:-1], wanted[:-1])
    except ValueError:
        raise ValueError(
            f"sorted_sequence of shape {show(rows)} and values of shape {show(wanted)} "
            "need the same axes before the last one"
        ) from None
    return wanted


SEARCH: dict[str, Any] = {
    "infer": _infer_search,
    "accepts": "real",
    "converters": {"out_type": as_index_dtype},
    "samples": [
        case([1.0, 3.0, 5.0], [0.0, 3.0, 6.0]),
        case([[1, 3], [2, 2]], [[3], [2]]),
        case(normal(0), normal(2), out_type=np.int64),
    ],
}


def _search(rows: Array, values: Array, side: Any, out_type: Any) -> Array:
    shape: Any = _searched(np.shape(rows), np.shape(values))
    count = prod(shape[:-1])
    pairs = zip(np.reshape(rows, (count, np.shape(rows)[-1])),
                np.reshape(values, (count, shape[-1])), strict=True)  # fmt: skip
    found = [np.searchsorted(row, wanted, side) for row, wanted in pairs]
    return np.array(found, out_type).reshape(shape)


@op("LowerBound", **SEARCH)
def lower_bound(sorted_inputs: Array, values: Array, out_type: Any = INT32) -> Array:
    """Where each value would stand, before its equals; see `searchsorted`."""
    return _search(sorted_inputs, values, "left", out_type)


@op("UpperBound", **SEARCH)
def upper_bound(sorted_inputs: Array, values: Array, out_type: Any = INT32) -> Array:
    """Where each value would stand, behind its equals; see `searchsorted`."""
    return _search(sorted_inputs, values, "right", out_type)


@front_of(lower_bound)
@front_of(upper_bound)
def searchsorted(
    sorted_sequence: Any, values: Any, side: str = "left", out_type: Any = INT32,
    name: str | None = None,
) -> Tensor:  # fmt: skip
    """Where values would have to stand in rows that are in order.

    Parameters
    ----------
    sorted_sequence, values : tensor
        Of one dtype, with the same axes before the last one.
    side : str
        Before ("left") or behind ("right") what is equal.
    out_type : DType
        int32 or int64.

    Examples
    --------
    >>> import similarflow as sf
    >>> sf.Session().run(sf.searchsorted([1, 3, 5], [0, 3, 6]))
    array([0, 1, 3], dtype=int32)
    """
    if side not in ("left", "right"):
        raise ValueError(f"side is 'left' or 'right', not {side!r}")
    build = lower_bound if side == "left" else upper_bound
    return build(sorted_sequence, values, out_type, name=name)  # type: ignore[no-any-return]


for _type in ("InTopKV2", "LowerBound", "UpperBound"):
    NotDifferentiable(_type)
