"""Reductions of rows that belong together: segment_sum and its kin.

Segments are given by a number for each row. Those of `segment_sum` are in order, and
their count is the last number and one; `unsorted_segment_sum` takes them in any order,
is told the count, and leaves rows with negative numbers out.
"""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np

from ..core.convert import Array
from ..core.graph import Dims, Operation, Spec, Tensor
from ..core.operators import BUILDERS
from ..core.registry import op
from ..core.rules import NotDifferentiable, RegisterGradient
from ..core.samples import case, integers, normal
from .choose import identity
from .gather import (
    check_index_type,
    gather,
    unsorted_segment_sum as strict_sum,
)
from .known import merge_dims, show, static_ints
from .math import maximum
from .roots import sqrt
from .scatter import check_natural
from .shape import shape
from .slicing import slice_index


def _begin_with(data: Dims, ids: Dims) -> Dims:
    """What is left of the shape of `data` behind that of `segment_ids`."""
    if data is None or ids is None:
        return None
    try:
        merge_dims(data[: len(ids)], ids)
    except ValueError:
        raise ValueError(
            f"the shape of data, {show(data)}, must begin with that of segment_ids, "
            f"{show(ids)}"
        ) from None
    return data[len(ids) :]


def infer_unsorted(data: Tensor, segment_ids: Tensor, num_segments: Tensor) -> Spec:
    """The static shape and dtype of a reduction whose count is given."""
    check_index_type(segment_ids, "segment_ids")
    check_index_type(num_segments, "num_segments")
    row = _begin_with(data.static_shape, segment_ids.static_shape)
    count = static_ints(num_segments)
    if count is not None and (len(count) != 1 or count[0] < 0):
        raise ValueError(f"num_segments is one number, 0 or more, not {list(count)}")
    rows = count[0] if count else None
    return None if row is None else (rows, *row), data.static_dtype


def infer_sorted(data: Tensor, segment_ids: Tensor) -> Spec:
    """The static shape and dtype of a reduction whose count the numbers tell."""
    check_index_type(segment_ids, "segment_ids")
    ids = segment_ids.static_shape
    if ids is not None and len(ids) != 1:
        raise ValueError(f"segment_ids is a vector, not of shape {show(ids)}")
    row = _begin_with(data.static_shape, (None,))
    _begin_with(data.static_shape, ids)
    return None if row is None else (None, *row), data.static_dtype


def sorted_ids(segment_ids: Array) -> Array:
    """Numbers of segments, checked: they do not go down, and none is negative."""
    ids = check_natural(segment_ids, "segment_ids")
    down = np.flatnonzero(np.diff(ids) < 0)
    if down.size:
        i = int(down[0]) + 1
        raise ValueError(
            f"segment_ids[{i}] = {ids[i]} comes behind {ids[i - 1]}, and they must not "
            "go down. Use unsorted_segment_..."
        )
    return ids.astype(np.int64, copy=False)


def known_ids(segment_ids: Array, num_segments: Any) -> Array:
    """Numbers of segments, checked: below `num_segments`, or negative."""
    ids, count = np.asarray(segment_ids), int(num_segments)
    if ids.dtype.kind not in "iu":
        if ids.size:
            raise TypeError(f"segment_ids are whole numbers, not {ids.dtype.name}")
        return ids.astype(np.int64)
    if (ids >= count).any():
        place = np.argwhere(ids >= count)[0]
        at = str(place.tolist()) if place.size else ""
        raise ValueError(
            f"segment_ids{at} = {ids[tuple(place)]} is not below num_segments, {count}"
        )
    return ids.astype(np.int64, copy=False)


def reduce_rows(
    function: Any, data: Array, ids: Array, count: int, empty: Any
) -> Array:
    """Each segment's rows reduced with the ufunc `function`; `empty` without any."""
    x, dtype = np.asarray(data), np.result_type(data)
    row: Any = _begin_with(x.shape, ids.shape)
    result = np.full((count, *row), empty, dtype)
    rows, flat = x.reshape(ids.size, prod(row)), ids.ravel()
    if (flat < 0).any():
        rows, flat = rows[flat >= 0], flat[flat >= 0]
    if (np.diff(flat) < 0).any():
        order = np.argsort(flat, kind="stable")
        rows, flat = rows[order], flat[order]
    starts = np.flatnonzero(np.diff(flat, prepend=-1))  # where a segment begins
    if starts.size and rows.size:
        found = function.reduceat(rows, starts, axis=0, dtype=dtype)
        result.reshape(count, prod(row))[flat[starts]] = found
    return result


def count_of(ids: Array) -> int:
    """How many segments there are, from numbers that do not go down."""
    return int(ids[-1]) + 1 if ids.size else 0


# Numbers of rows


def _infer_counts(segment_ids: Tensor, num_segments: Tensor, like: Tensor) -> Spec:
    dims, _ = infer_unsorted(like, segment_ids, num_segments)
    known = None if dims is None else (dims[0], *[1] * (len(dims) - 1))
    return known, like.static_dtype


@op("SegmentCounts", infer=_infer_counts, same=["like"], samples=[
    case([1, 0, 1, -1], 3, normal(4, 2)), case([[0, 0]], 2, normal(1, 2)),
])  # fmt: skip
def segment_counts(segment_ids: Array, num_segments: Array, like: Array) -> Array:
    """How many rows of `like` each segment has, so shaped that it divides their sum."""
    ids, row = (
        known_ids(segment_ids, num_segments),
        np.ndim(like) - np.ndim(segment_ids),
    )
    counts = np.bincount(ids[ids >= 0].ravel(), minlength=int(num_segments))
    return counts.astype(np.result_type(like)).reshape(-1, *[1] * row)


NotDifferentiable("SegmentCounts")


# Sums, and their way back


@op("SegmentTotals", name="UnsortedSegmentSum", infer=infer_unsorted, same=["data"],
    samples=[
        case(normal(3, 2), [1, 0, 1], 4), case(normal(2, 2), [[0, -1], [2, 0]], 3),
        case(normal(0, 2), np.zeros([0], np.int32), 2), case(normal(2), [-1, -1], 0),
        case(integers(0, 9, 3), [0, 0, 1], 2), case(normal(), 1, 2),
    ])  # fmt: skip
def segment_totals(data: Array, segment_ids: Array, num_segments: Array) -> Array:
    """The sums of rows by segment; see `unsorted_segment_sum`."""
    ids = known_ids(segment_ids, num_segments)
    return reduce_rows(np.add, data, ids, int(num_segments), 0)


@RegisterGradient("SegmentTotals")
def _segment_totals_grad(op: Operation, grad: Tensor) -> Any:
    return rows_of(grad, op.inputs[1]), None, None


def _infer_rows(x: Tensor, segment_ids: Tensor, fill: float = 0.0) -> Spec:
    check_index_type(segment_ids, "segment_ids")
    dims, ids = x.static_shape, segment_ids.static_shape
    return None if dims is None or ids is None else (*ids, *dims[1:]), x.static_dtype


@op("SegmentRows", infer=_infer_rows, same=["x"], samples=[
    case(normal(3, 2), [2, -1, 0]), case(normal(2), [[1, -1]], fill=1.0),
    case(normal(0, 2), [-1]),
])  # fmt: skip
def rows_of(x: Array, segment_ids: Array, fill: float = 0.0) -> Array:
    """Row ``segment_ids[i]`` of `x` for each i; `fill` where the number is negative."""
    ids = known_ids(segment_ids, len(x))
    rows = np.full((*ids.shape, *np.shape(x)[1:]), fill, np.result_type(x))
    rows[ids >= 0] = np.asarray(x)[ids[ids >= 0]]
    return rows


@RegisterGradient("SegmentRows")
def _rows_of_grad(op: Operation, grad: Tensor) -> Any:
    x, ids = op.inputs
    return segment_totals(grad, ids, length_of(x)), None


def length_of(x: Tensor) -> Any:
    """How many rows a tensor has."""
    dims = x.static_shape
    known = dims[0] if dims else None
    return slice_index(shape(x), 0) if known is None else known


def unsorted_segment_sum(
    data: Any, segment_ids: Any, num_segments: Any, name: str | None = None
) -> Tensor:
    """The sums of the rows of `data` that have the same number.

    Parameters
    ----------
    data : tensor
        Its shape begins with that of `segment_ids`; the rest is a row.
    segment_ids : tensor of ints
        The segment of each row. Rows with negative numbers are left out.
    num_segments : int, or scalar tensor
        How many segments there are; those without a row are zero.

    Raises
    ------
    ValueError
        A number is not below `num_segments`, or the shapes do not fit.

    Examples
    --------
    >>> import similarflow as sf
    >>> sf.Session().run(sf.unsorted_segment_sum([1, 2, 3, 4], [1, 0, 1, -1], 3))
    array([2, 4, 0], dtype=int32)
    """
    return segment_totals(data, segment_ids, num_segments, name=name)  # type: ignore[no-any-return]


vars(segment_totals)["definition"].title = "unsorted_segment_sum"


@op("SegmentSum", infer=infer_sorted, same=["data"], samples=[
    case(normal(3, 2), [0, 0, 2]), case(normal(0, 2), np.zeros([0], np.int64)),
    case(normal(2), [1, 1]), case(integers(0, 9, 3), [0, 1, 1]),
])  # fmt: skip
def segment_sum(data: Array, segment_ids: Array) -> Array:
    """The sums of the rows of `data` that have the same number; numbers do not go down.

    Parameters
    ----------
    data : tensor
        Of rank 1 or more.
    segment_ids : vector of ints
        The segment of each row. Segments without a row are zero.

    Raises
    ------
    ValueError
        A number is negative or below the one before it; it is named.

    Examples
    --------
    >>> import similarflow as sf
    >>> sf.Session().run(sf.segment_sum([1, 2, 3], [0, 0, 2]))
    array([3, 0, 3], dtype=int32)
    """
    ids = sorted_ids(segment_ids)
    return reduce_rows(np.add, data, ids, count_of(ids), 0)


@RegisterGradient("SegmentSum")
def _segment_sum_grad(op: Operation, grad: Tensor) -> Any:
    return rows_of(grad, op.inputs[1]), None


# Means


def _divisor(segment_ids: Any, num_segments: Any, like: Tensor) -> Tensor:
    """How many rows each segment has, and 1 where it has none."""
    counts = segment_counts(segment_ids, num_segments, like)
    return maximum(counts, 1)  # type: ignore[no-any-return]


@op("SegmentMean", infer=infer_sorted, same=["data"], samples=[
    case(normal(3, 2), [0, 0, 2]), case(normal(0, 2), np.zeros([0], np.int64)),
    case(integers(-9, 9, 3), [0, 1, 1]),
])  # fmt: skip
def segment_mean(data: Array, segment_ids: Array) -> Array:
    """The means of the rows of `data` that have the same number; see `segment_sum`.

    Those of integers are integers, cut to zero.

    Examples
    --------
    >>> import similarflow as sf
    >>> sf.Session().run(sf.segment_mean([1.0, 2.0, 3.0], [0, 0, 1]))
    array([1.5, 3. ], dtype=float32)
    """
    ids, dtype = sorted_ids(segment_ids), np.result_type(data)
    total = reduce_rows(np.add, data, ids, count_of(ids), 0)
    counts = np.maximum(np.bincount(ids, minlength=len(total)), 1)
    counts = counts.reshape(-1, *[1] * (total.ndim - 1)).astype(dtype)
    if dtype.kind in "iu":
        down, rest = np.divmod(total, counts)  # rounded down, then to zero
        return np.asarray(down + ((rest != 0) & (total < 0)), dtype)
    return total / counts


@RegisterGradient("SegmentMean")
def _segment_mean_grad(op: Operation, grad: Tensor) -> Any:
    data, ids = op.inputs
    part = grad / _divisor(ids, length_of(op.outputs[0]), data)
    return rows_of(part, ids), None


def unsorted_segment_mean(
    data: Any, segment_ids: Any, num_segments: Any, name: str | None = None
) -> Tensor:
    """The means of the rows of `data` that have the same number, of no row 0.

    The arguments are those of `unsorted_segment_sum`. Means of integers are float64.

    Examples
    --------
    >>> import similarflow as sf
    >>> sf.Session().run(sf.unsorted_segment_mean([1.0, 2.0, 5.0], [1, 0, 1], 3))
    array([2., 3., 0.], dtype=float32)
    """
    total = segment_totals(data, segment_ids, num_segments)
    counts = _divisor(segment_ids, num_segments, _first_input(total))
    return _divided(total, counts, name or "UnsortedSegmentMean")


def unsorted_segment_sqrt_n(
    data: Any, segment_ids: Any, num_segments: Any, name: str | None = None
) -> Tensor:
    """The sums by segment, divided by the square root of how many rows there are.

    The arguments are those of `unsorted_segment_sum`.
    """
    total = segment_totals(data, segment_ids, num_segments)
    counts = sqrt(_divisor(segment_ids, num_segments, _first_input(total)))
    return _divided(total, counts, name or "UnsortedSegmentSqrtN")


def _first_input(total: Tensor) -> Tensor:
    first: Tensor = total.op.inputs[0]
    return first


def _divided(total: Tensor, counts: Tensor, name: str) -> Tensor:
    quotient: Tensor = BUILDERS["truediv"](total, counts, name=name)
    return quotient


# Rows that are picked first


def sparse_segment_sum(
    data: Any, indices: Any, segment_ids: Any, name: str | None = None,
    num_segments: Any = None,
) -> Tensor:  # fmt: skip
    """``segment_sum(gather(data, indices), segment_ids)``.

    Parameters
    ----------
    data : tensor
        Of rank 1 or more.
    indices, segment_ids : vectors of ints
        Which rows, and the segment of each.
    num_segments : int, optional
        How many segments there are; as many as there are rows for by default.

    Examples
    --------
    >>> import similarflow as sf
    >>> sf.Session().run(sf.sparse_segment_sum([1, 2, 3], [2, 0, 0], [0, 0, 1]))
    array([4, 1], dtype=int32)
    """
    return _sparse_total(
        data, indices, segment_ids, num_segments, name or "SparseSegmentSum"
    )


def _sparse_total(
    data: Any, indices: Any, segment_ids: Any, num_segments: Any, name: str | None
) -> Tensor:
    total: Tensor
    rows = gather(identity(data), indices)  # so that its gradient is no IndexedSlices
    if num_segments is None:
        total = segment_sum(rows, segment_ids, name=name)
    else:
        total = strict_sum(rows, segment_ids, num_segments, name=name)
    return total


def sparse_segment_mean(
    data: Any, indices: Any, segment_ids: Any, name: str | None = None,
    num_segments: Any = None,
) -> Tensor:  # fmt: skip
    """The means of picked rows by segment; see `sparse_segment_sum`."""
    total = _sparse_total(data, indices, segment_ids, num_segments, None)
    rows, ids = total.op.inputs[:2]
    counts = _divisor(ids, length_of(total), rows)
    return _divided(total, counts, name or "SparseSegmentMean")


def sparse_segment_sqrt_n(
    data: Any, indices: Any, segment_ids: Any, name: str | None = None,
    num_segments: Any = None,
) -> Tensor:  # fmt: skip
    """The sums of picked rows, divided by the square root of how many there are.

    The arguments are those of `sparse_segment_sum`.
    """
    total = _sparse_total(data, indices, segment_ids, num_segments, None)
    rows, ids = total.op.inputs[:2]
    counts = sqrt(_divisor(ids, length_of(total), rows))
    return _divided(total, counts, name or "SparseSegmentSqrtN")


for _build in (unsorted_segment_mean, unsorted_segment_sqrt_n, sparse_segment_sum,
               sparse_segment_mean, sparse_segment_sqrt_n):  # fmt: skip
    BUILDERS[_build.__name__] = _build
