"""Picking places by their numbers, and the way back: adding up rows."""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np

from ..core.convert import Array
from ..core.graph import Operation, Spec, Tensor, convert_to_tensor
from ..core.registry import op
from ..core.rules import RegisterGradient
from ..core.samples import case, normal
from .fronts import front_of
from .indexed_slices import IndexedSlices
from .join import concat
from .known import as_axis, merge_dims, show, static_ints
from .reducing import narrowed, wide
from .reshape import reshape
from .shape import shape, size
from .slicing import slice_index


def check_indices(indices: Array, size: int, what: str = "indices") -> Array:
    """`indices` as an array; names the first that is not in ``[0, size)``.

    Raises
    ------
    ValueError
        One is out of range. Negative numbers are, too: they do not count from the end.
    TypeError
        They are no integers.
    """
    found = np.asarray(indices)
    if found.dtype.kind not in "iu":
        if found.size:
            raise TypeError(f"{what} are whole numbers, not {found.dtype.name}")
        return found.astype(np.int64)
    if found.size and (found.min() < 0 or found.max() >= size):
        place = np.argwhere((found < 0) | (found >= size))[0]
        at = str(place.tolist()) if place.size else ""
        raise ValueError(f"{what}{at} = {found[tuple(place)]} is not in [0, {size})")
    return found


def check_index_type(indices: Tensor, what: str = "indices") -> None:
    """Raise TypeError unless `indices` are integers, or untyped."""
    dtype = indices.static_dtype
    if dtype is not None and dtype.kind not in "iu":
        hint = ", use sf.boolean_mask for a mask" if dtype.kind == "b" else ""
        raise TypeError(f"{what} are whole numbers, not {dtype.name}{hint}")


def add_rows(target: Array, indices: Array, rows: Array) -> None:
    """Add ``rows[i]`` to row ``indices[i]`` of the matrix `target`, in place.

    Numbers of single elements are much faster to add at than numbers of rows.
    """
    width = target.shape[1]
    flat = indices.astype(np.intp)[:, None] * width + np.arange(width)
    # (N, width): where each element goes in the flat target
    np.add.at(target.reshape(-1), flat.ravel(), rows.astype(target.dtype).ravel())


def _axis_of(axis: int, rank: int) -> int:
    if not -rank <= axis < rank:
        raise ValueError(f"axis {axis} is out of range for rank {rank}")
    return axis % rank


def _batched(
    axis: int, batch: int, dims: tuple[int | None, ...], places: tuple[int | None, ...]
) -> tuple[int, tuple[int | None, ...]]:
    """The axis to pick from, and the sizes before it; `places` begin with `batch`."""
    at = _axis_of(axis, len(dims))
    if batch > min(at, len(places)):
        raise ValueError(
            f"batch_dims is {batch}: it can be at most the axis, {at}, and the rank of "
            f"indices, {len(places)}"
        )
    common = merge_dims(dims[:batch], places[:batch]) or ()
    return at, (*common, *dims[batch:at])


def _infer_gather(
    params: Tensor, indices: Tensor, axis: int = 0, batch_dims: int = 0
) -> Spec:
    check_index_type(indices)
    dims, places = params.static_shape, indices.static_shape
    if dims is None:
        return None, params.static_dtype
    if places is None:
        _axis_of(axis, len(dims))
        return None, params.static_dtype
    at, before = _batched(axis, batch_dims, dims, places)
    return (*before, *places[batch_dims:], *dims[at + 1 :]), params.static_dtype


@op(
    "GatherV2", infer=_infer_gather, same=["params"], accepts="any",
    samples=[
        case(normal(4, 2), [2, 0, 2]),
        case(normal(4, 2), [[1, 0], [3, 3]]),
        case(normal(4, 2), 3),
        case(normal(2, 3), [2, 2], axis=1),
        case(normal(2, 3, 4), [[0, 3]], axis=-1),
        case(normal(2, 3), 1, axis=1),
        case(normal(3, 0), [1]),
        case(normal(2, 3), np.zeros([0], np.int64)),
        case(normal(2, 3), [[1, 1], [2, 0]], axis=1, batch_dims=1),
        case(normal(2, 3, 2), [[1], [0]], axis=-1, batch_dims=1),
        case(normal(2, 1, 3, 2), [[[1, 2]], [[0, 0]]], axis=2, batch_dims=2),
        case(normal(2, 3), [2, 0], axis=1, batch_dims=1),
        case(normal(0, 3), np.zeros([0, 2], np.int32), axis=1, batch_dims=1),
    ],
)  # fmt: skip
def gather_along(
    params: Array, indices: Array, axis: Any = 0, batch_dims: Any = 0
) -> Array:
    """The operation of `gather`."""
    x, places = np.asarray(params), np.asarray(indices)
    at, before = _batched(axis, batch_dims, x.shape, places.shape)
    places = check_indices(indices, x.shape[at])
    if not batch_dims:
        picked = np.take(x, places, at, mode="clip")  # nothing is left to clip
        return np.asarray(picked, x.dtype)
    count, (middle, size, row) = _blocks(x.shape, at, batch_dims)
    number = np.arange(count)[:, None]
    blocks = x.reshape(count, middle, size, row).swapaxes(1, 2)
    # (count, size, middle, row), of which each count has places of its own
    places = places.reshape(count, prod(places.shape[batch_dims:]))
    picked = blocks[number, places].swapaxes(1, 2)
    return picked.reshape(*before, *np.shape(indices)[batch_dims:], *x.shape[at + 1 :])


def _blocks(dims: Any, at: int, batch: int) -> tuple[int, tuple[int, int, int]]:
    """How many blocks there are, and the sizes of one: before, on, after the axis."""
    sizes = prod(dims[batch:at]), dims[at], prod(dims[at + 1 :])
    return prod(dims[:batch]), sizes


@front_of(gather_along)
def gather(
    params: Any, indices: Any, validate_indices: Any = None, name: str | None = None,
    axis: Any = None, batch_dims: int = 0,
) -> Tensor:  # fmt: skip
    """The places of `params` along `axis` that `indices` name, in their order.

    Parameters
    ----------
    params : tensor
        Of rank 1 or more, and any dtype.
    indices : tensor of ints
        Of any shape, which the result has in place of the axis. Numbers may repeat.
    axis : int
        The axis to pick from; the first after `batch_dims` by default.
    batch_dims : int
        So many first axes `params` and `indices` have in common: at each of their
        places, other numbers are picked. Negative ones count from the rank of
        `indices`.

    Raises
    ------
    ValueError
        An index is not in ``[0, size)``; it names the place. Negative ones are not.

    Examples
    --------
    >>> import similarflow as sf
    >>> sf.Session().run(sf.gather(["a", "b", "c"], [2, 0]))
    array([b'c', b'a'], dtype=object)
    >>> x = [[1, 2, 3], [4, 5, 6]]
    >>> sf.Session().run(sf.gather(x, [[2], [0]], axis=1, batch_dims=1))
    array([[3],
           [4]], dtype=int32)
    """
    batch = as_axis(batch_dims) or 0
    if batch < 0:
        indices = convert_to_tensor(indices)
        if indices.static_shape is None:
            raise ValueError("a negative batch_dims needs indices of a known rank")
        batch += len(indices.static_shape)
        if batch < 0:
            raise ValueError(f"batch_dims is {batch_dims}, beyond the rank of indices")
    at = as_axis(axis)
    at = batch if at is None else at
    picked: Tensor = gather_along(params, indices, at, batch, name=name)
    return picked


@RegisterGradient("GatherV2")
def _gather_grad(op: Operation, grad: Tensor) -> Any:
    params, indices = op.inputs
    axis, dims = op.attrs["axis"], params.static_shape
    if axis and (dims is None or axis % len(dims)):
        return put_places(grad, indices, params, **op.attrs), None
    places, whole = indices.static_shape, shape(params)
    if places is not None and len(places) == 1:
        return IndexedSlices(grad, indices, whole), None
    count, row = static_ints(size(indices)), None if dims is None else dims[1:]
    if count is not None and row is not None and None not in row:
        rows = reshape(grad, [count[0], *row])
    else:
        first = reshape(size(indices), [1])
        rows = reshape(grad, concat([first, slice_index(whole, slice(1, None))], 0))
    return IndexedSlices(rows, reshape(indices, [-1]), whole), None


def _infer_put(grad: Tensor, indices: Tensor, like: Tensor, **attrs: Any) -> Spec:
    return like.static_shape, grad.static_dtype


@op(
    "GatherGrad", infer=_infer_put, same=["grad"],
    samples=[
        case(normal(2, 2), [1, 1], normal(2, 3), axis=1),
        case(normal(2, 3, 1, 2), [[0, 3]], normal(2, 3, 4), axis=-1),
        case(normal(2), 1, normal(2, 3), axis=1),
        case(normal(2, 2), [[1, 1], [2, 0]], normal(2, 3), axis=1, batch_dims=1),
        case(normal(2, 3, 1), [[1], [0]], normal(2, 3, 2), axis=-1, batch_dims=1),
    ],
)  # fmt: skip
def put_places(
    grad: Array, indices: Array, like: Array, axis: int = 0, batch_dims: int = 0
) -> Array:
    """Zeros of the shape of `like`, to which `grad` is added: a gather, backward."""
    dims = np.shape(like)
    at = axis % len(dims)
    count, (middle, size, row) = _blocks(dims, at, batch_dims)
    places = check_indices(indices, size)
    places = places.reshape(count, prod(places.shape[batch_dims:]))
    blocks = np.reshape(grad, (count, middle, places.shape[1], row)).swapaxes(1, 2)
    total = np.zeros((count * size, middle * row), wide(grad))
    numbers = places + size * np.arange(count)[:, None]
    add_rows(total, numbers.ravel(), blocks.reshape(numbers.size, middle * row))
    # (count, size, middle, row) -> (count, middle, size, row)
    whole = total.reshape(count, size, middle, row).swapaxes(1, 2).reshape(dims)
    return narrowed(whole, grad)


@RegisterGradient("GatherGrad")
def _put_places_grad(op: Operation, grad: Tensor) -> Any:
    return gather_along(grad, op.inputs[1], **op.attrs), None, None


def _infer_segments(data: Tensor, segment_ids: Tensor, num_segments: Tensor) -> Spec:
    check_index_type(segment_ids, "segment_ids")
    check_index_type(num_segments, "num_segments")
    dims, ids = data.static_shape, segment_ids.static_shape
    if dims is None or ids is None:
        return None, data.static_dtype
    if len(dims) < len(ids):
        raise ValueError(f"{show(dims)} of data begin with {show(ids)} of segment_ids")
    merge_dims(dims[: len(ids)], ids)
    count = static_ints(num_segments)
    return (count[0] if count else None, *dims[len(ids) :]), data.static_dtype


@op(
    "UnsortedSegmentSum", infer=_infer_segments, same=["data"],
    samples=[
        case(normal(3, 2), [1, 0, 1], 4),
        case(normal(2, 2), [[0, 2], [2, 2]], 3),
        case(normal(0, 2), np.zeros([0], np.int32), 2),
        case(normal(2, 0), [0, 0], 1),
    ],
)  # fmt: skip
def unsorted_segment_sum(data: Array, segment_ids: Array, num_segments: Array) -> Array:
    """The sums of the rows of `data` that have the same number in `segment_ids`.

    Parameters
    ----------
    data : tensor
        Its shape begins with that of `segment_ids`; the rest is a row.
    segment_ids : tensor of ints
        To which sum each row is added.
    num_segments : int
        How many sums there are; those without a row are zero.

    Raises
    ------
    ValueError
        A number is not in ``[0, num_segments)``.
    """
    ids = check_indices(segment_ids, int(num_segments), "segment_ids")
    given = np.shape(data)
    if given[: ids.ndim] != ids.shape:
        raise ValueError(f"segment_ids has shape {ids.shape}, and data {given}")
    row = given[ids.ndim :]
    total = np.zeros((int(num_segments), prod(row)), wide(data))
    add_rows(total, ids.ravel(), np.reshape(data, (ids.size, prod(row))))
    return narrowed(total.reshape(int(num_segments), *row), data)


@RegisterGradient("UnsortedSegmentSum")
def _unsorted_segment_sum_grad(op: Operation, grad: Tensor) -> Any:
    return gather(grad, op.inputs[1]), None, None
