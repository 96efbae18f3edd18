"""Extremes and products of rows that belong together: segment_max and its kin."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core.convert import Array
from ..core.graph import Operation, Spec, Tensor
from ..core.registry import op
from ..core.rules import NotDifferentiable, RegisterGradient
from ..core.samples import case, integers, normal
from .join import concat
from .known import static_ints
from .logic import cast_like, equal
from .reduce import product_of_others
from .reshape import expand_dims, reshape, reshape_like
from .segment import (
    count_of,
    infer_sorted,
    infer_unsorted,
    known_ids,
    length_of,
    reduce_rows,
    rows_of,
    segment_counts,
    segment_totals,
    sorted_ids,
)
from .shape import rank, shape, size
from .slicing import slice_index

SORTED: dict[str, Any] = {
    "infer": infer_sorted,
    "same": ["data"],
    "samples": [
        case(normal(4, 2), [0, 0, 0, 2]), case(normal(0, 2), np.zeros([0], np.int64)),
        case(normal(3), [1, 1, 2]), case(integers(0, 9, 3), [0, 1, 1]),
    ],
}  # fmt: skip
UNSORTED: dict[str, Any] = {
    "infer": infer_unsorted,
    "same": ["data"],
    "samples": [
        case(normal(4, 2), [1, 0, 1, -1], 2), case(normal(2, 2), [[0, -1], [1, 0]], 2),
        case(normal(2), [-1, -1], 0), case(np.ones([0, 2], int), np.zeros([0], int), 2),
        case(integers(0, 9, 3), [0, 0, 1], 3),
    ],
}  # fmt: skip


def _lowest(data: Array) -> Any:
    dtype = np.result_type(data)
    return np.finfo(dtype).min if dtype.kind == "f" else np.iinfo(dtype).min


def _highest(data: Array) -> Any:
    dtype = np.result_type(data)
    return np.finfo(dtype).max if dtype.kind == "f" else np.iinfo(dtype).max


@op("SegmentMax", accepts="real", **SORTED)
def segment_max(data: Array, segment_ids: Array) -> Array:
    """The maxima of the rows of `data` that have the same number; see `segment_sum`.

    Of no row it is 0. Entries that share a maximum share the gradient equally.

    Examples
    --------
    >>> import similarflow as sf
    >>> sf.Session().run(sf.segment_max([1, 5, 3], [0, 0, 2]))
    array([5, 0, 3], dtype=int32)
    """
    ids = sorted_ids(segment_ids)
    return reduce_rows(np.maximum, data, ids, count_of(ids), 0)


@op("SegmentMin", accepts="real", **SORTED)
def segment_min(data: Array, segment_ids: Array) -> Array:
    """The minima of the rows of `data` that have the same number; see `segment_max`."""
    ids = sorted_ids(segment_ids)
    return reduce_rows(np.minimum, data, ids, count_of(ids), 0)


@op("UnsortedSegmentMax", accepts="real", **UNSORTED)
def unsorted_segment_max(data: Array, segment_ids: Array, num_segments: Array) -> Array:
    """The maxima of the rows of `data` that have the same number.

    The arguments are those of `unsorted_segment_sum`. Of no row it is the lowest number
    of the dtype. Entries that share a maximum share the gradient equally.

    Examples
    --------
    >>> import similarflow as sf
    >>> sf.Session().run(sf.unsorted_segment_max([1.0, 5.0, 3.0], [1, 0, 1], 2))
    array([5., 3.], dtype=float32)
    """
    ids = known_ids(segment_ids, num_segments)
    return reduce_rows(np.maximum, data, ids, int(num_segments), _lowest(data))


@op("UnsortedSegmentMin", accepts="real", **UNSORTED)
def unsorted_segment_min(data: Array, segment_ids: Array, num_segments: Array) -> Array:
    """The minima of the rows of `data` that have the same number.

    Of no row it is the highest number of the dtype; see `unsorted_segment_max`.
    """
    ids = known_ids(segment_ids, num_segments)
    return reduce_rows(np.minimum, data, ids, int(num_segments), _highest(data))


def _count(op: Operation) -> Any:
    """How many segments there are: an input tells, or the length of the result."""
    return op.inputs[2] if len(op.inputs) == 3 else length_of(op.outputs[0])


@RegisterGradient("SegmentMax")
@RegisterGradient("SegmentMin")
@RegisterGradient("UnsortedSegmentMax")
@RegisterGradient("UnsortedSegmentMin")
def _segment_extreme_grad(op: Operation, grad: Tensor) -> Any:
    data, ids = op.inputs[:2]
    count = _count(op)
    ties = cast_like(equal(data, rows_of(op.outputs[0], ids)), grad)
    empty = cast_like(equal(segment_counts(ids, count, data), 0), grad)
    # where all is nan, nothing is a tie: 0 * (grad / 0), and nan shows
    share = grad / (segment_totals(ties, ids, count) + empty)
    return [ties * rows_of(share, ids), *[None] * (len(op.inputs) - 1)]


# Products


@op("SegmentProd", **SORTED)
def segment_prod(data: Array, segment_ids: Array) -> Array:
    """The products of the rows of `data` that have the same number; of none it is 1.

    The arguments are those of `segment_sum`. Gradients are right at 0, too.

    Examples
    --------
    >>> import similarflow as sf
    >>> sf.Session().run(sf.segment_prod([2, 3, 4], [0, 0, 2]))
    array([6, 1, 4], dtype=int32)
    """
    ids = sorted_ids(segment_ids)
    return reduce_rows(np.multiply, data, ids, count_of(ids), 1)


@op("UnsortedSegmentProd", **UNSORTED)
def unsorted_segment_prod(
    data: Array, segment_ids: Array, num_segments: Array
) -> Array:
    """The products of the rows of `data` that have the same number; of none it is 1.

    The arguments are those of `unsorted_segment_sum`. Gradients are right at 0, too.
    """
    ids = known_ids(segment_ids, num_segments)
    return reduce_rows(np.multiply, data, ids, int(num_segments), 1)


def _infer_places(segment_ids: Tensor, num_segments: Tensor) -> Spec:
    return ((static_ints(num_segments) or (None,))[0], None), np.dtype(np.int64)


@op("SegmentPlaces", infer=_infer_places, accepts="int", same=[], samples=[
    case([1, 0, 1, -1], 3), case([[0, 0]], 1), case(np.zeros([0], np.int32), 2),
])  # fmt: skip
def segment_places(segment_ids: Array, num_segments: Array) -> Array:
    """A row for each segment with the places of its rows, filled up with -1."""
    flat, count = known_ids(segment_ids, num_segments).ravel(), int(num_segments)
    counts = np.bincount(flat[flat >= 0], minlength=count)
    order = np.argsort(flat, kind="stable")[flat.size - counts.sum() :]
    places = np.full((count, counts.max(initial=0)), -1, np.int64)
    places[np.arange(places.shape[1]) < counts[:, None]] = order
    return places


NotDifferentiable("SegmentPlaces")


@RegisterGradient("SegmentProd")
@RegisterGradient("UnsortedSegmentProd")
def _segment_prod_grad(op: Operation, grad: Tensor) -> Any:
    data, ids = op.inputs[:2]
    places = segment_places(ids, _count(op))
    table = rows_of(_as_rows(data, ids), places, fill=1.0)  # (segments, longest, ...)
    table_grad = expand_dims(grad, 1) * product_of_others([table], axis=[1])
    rows = segment_totals(table_grad, places, size(ids))
    return [reshape_like(rows, data), *[None] * (len(op.inputs) - 1)]


def _as_rows(data: Tensor, ids: Tensor) -> Tensor:
    """`data` with the axes that `ids` has made one."""
    if ids.static_shape is not None and len(ids.static_shape) == 1:
        return data
    row = slice_index(shape(data), slice(rank(ids), None))
    return reshape(data, concat([reshape(size(ids), [1]), row], 0))  # type: ignore[no-any-return]
