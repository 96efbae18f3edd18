"""Cutting: split into parts, slice, strided_slice."""

from __future__ import annotations

from builtins import slice as Cut  # an operation takes its name
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..core.convert import Array
from ..core.graph import Dims, Operation, Spec, Tensor, convert_to_tensor, graph_of
from ..core.operators import BUILDERS
from ..core.registry import op
from ..core.rules import RegisterGradient
from ..core.samples import case, normal
from .composite import composite
from .fronts import front_of
from .gather import check_index_type
from .join import concat
from .known import RULES, Parts, _parts, as_axis, as_ints, show, static_dims
from .shape import NO_SIZES, as_shape_input, shape, sizes_of
from .slicing import At, pick_slice, pick_slice_at


def check_axis(axis: int, rank: int) -> int:
    """`axis` counted from the front; raises ValueError if there is none."""
    if not -rank <= axis < rank:
        raise ValueError(f"axis {axis} is out of range for rank {rank}")
    return axis % rank


def _as_first(axis: Any, x: Any = None) -> int:
    return as_axis(axis) or 0


# Splitting


def _part_size(size: int, num_split: int, axis: int) -> int:
    if num_split < 1 or size % num_split:
        raise ValueError(
            f"axis {axis} has size {size}, which is no multiple of {num_split}. Give a "
            "list of sizes for parts that differ"
        )
    return size // num_split


def _infer_split(value: Tensor, num_split: int, axis: int = 0) -> list[Spec]:
    if num_split < 1:
        raise ValueError(f"the number of parts is 1 or more, not {num_split}")
    dims = value.static_shape
    if dims is not None:
        at = check_axis(axis, len(dims))
        size = dims[at]
        part = None if size is None else _part_size(size, num_split, axis)
        dims = (*dims[:at], part, *dims[at + 1 :])
    return [(dims, value.static_dtype)] * num_split


@op("Split", name="split", infer=_infer_split, attrs=["num_split"], accepts="any",
    converters={"axis": _as_first}, samples=[
        case(normal(4, 3), 2), case(normal(2, 6), 3, axis=-1), case(normal(2), 1),
        case(normal(2, 0), 2), case([True, False], 2),
    ])  # fmt: skip
def split_evenly(value: Array, num_split: Any, axis: Any = 0) -> Any:
    """`value` cut into `num_split` equal parts along `axis`; see `split`."""
    size = np.shape(value)[check_axis(axis, np.ndim(value))]
    _part_size(size, num_split, axis)
    parts = np.split(value, num_split, axis)
    return parts if num_split > 1 else parts[0]


@RegisterGradient("Split")
def _split_grad(op: Operation, *grads: Tensor) -> Any:
    return concat(list(grads), op.attrs["axis"])


def _part_sizes(size: int | None, sizes: Sequence[int | None], axis: int) -> Dims:
    """`sizes` with its -1 replaced; raises ValueError unless they add up to `size`."""
    numbers = [n for n in sizes if n is not None]
    if any(n < -1 for n in numbers) or numbers.count(-1) > 1:
        raise ValueError(f"one part's size may be -1, others 0 or more, not {sizes}")
    total = sum(n for n in numbers if n >= 0)
    exact = len(numbers) == len(sizes) and -1 not in numbers
    if size is not None and (total != size if exact else total > size):
        raise ValueError(f"axis {axis} has size {size}, and the parts are {sizes}")
    rest = None if size is None or len(numbers) < len(sizes) else size - total
    return tuple([rest if n == -1 else n for n in sizes])


def _infer_split_at(
    value: Tensor, size_splits: Tensor, axis: int = 0, num: int | None = None
) -> list[Spec]:
    dims, sizes = value.static_shape, sizes_of(size_splits)
    if sizes is None and num is None:
        raise ValueError("how many sizes there are is unknown: give num")
    parts = sizes if sizes is not None else (None,) * (num or 0)
    if not parts or num not in (None, len(parts)):
        raise ValueError(f"num is {num}, and there are {len(parts)} sizes")
    if dims is None:
        return [(None, value.static_dtype)] * len(parts)
    at = check_axis(axis, len(dims))
    parts = _part_sizes(dims[at], parts, axis) or ()
    return [((*dims[:at], n, *dims[at + 1 :]), value.static_dtype) for n in parts]


@op("SplitV", name="split", infer=_infer_split_at, same=["value"], accepts="any",
    converters={"axis": _as_first, "size_splits": as_shape_input}, samples=[
        case(normal(4, 3), [1, 3], num=2), case(normal(2, 5), [2, -1, 1], 1, 3),
        case(normal(2, 3), [3], axis=-1, num=1), case(normal(0, 2), [0, 0], num=2),
    ])  # fmt: skip
def split_at(value: Array, size_splits: Array, axis: Any = 0, num: Any = None) -> Any:
    """`value` cut into parts of the given sizes along `axis`; see `split`."""
    at, sizes = check_axis(axis, np.ndim(value)), np.ravel(size_splits).tolist()
    if num not in (None, len(sizes)):
        raise ValueError(f"num is {num}, and there are {len(sizes)} sizes")
    known: Any = _part_sizes(np.shape(value)[at], sizes, axis)
    parts = np.split(value, np.cumsum(known, dtype=np.int64)[:-1], at)
    return parts if len(parts) > 1 else parts[0]


@RegisterGradient("SplitV")
def _split_at_grad(op: Operation, *grads: Tensor) -> Any:
    return concat(list(grads), op.attrs["axis"]), None


@front_of(split_evenly)
@front_of(split_at)
def split(
    value: Any, num_or_size_splits: Any, axis: Any = 0, num: int | None = None,
    name: str | None = "split",
) -> list[Tensor]:  # fmt: skip
    """A tensor cut into parts along an axis; the opposite of `concat`.

    Parameters
    ----------
    value : tensor
        Of rank 1 or more.
    num_or_size_splits : int, list of int, or tensor
        The number of parts, all of one size; or the sizes of the parts, of which one
        may be -1: it gets the rest.
    axis : int
        The axis to cut.
    num : int, optional
        How many sizes there are, where that is not known.

    Raises
    ------
    ValueError
        The sizes do not fit.

    Examples
    --------
    >>> import similarflow as sf
    >>> sf.Session().run(sf.split([1, 2, 3, 4], [1, -1]))
    [array([1], dtype=int32), array([2, 3, 4], dtype=int32)]
    """
    if isinstance(value, int) and not hasattr(num_or_size_splits, "graph"):
        raise TypeError("split(value, number, axis): the tensor comes first")
    many = num_or_size_splits
    many = many.as_tensor() if hasattr(many, "as_tensor") else many
    if isinstance(many, Tensor):
        single = many.static_shape == ()
    else:
        single = not isinstance(many, list | tuple) and np.ndim(many) == 0
    if single:
        return split_evenly(value, as_ints(many)[0], axis, name=name)  # type: ignore[no-any-return]
    parts: list[Tensor] = split_at(value, many, axis, num, name=name)
    return parts


# Slicing


def _slice_dims(dims: Dims, begin: Dims, size: Dims) -> Dims:
    """The shape of a slice; raises ValueError where it goes beyond the tensor."""
    ranks = {len(known) for known in (dims, begin, size) if known is not None}
    if len(ranks) > 1:
        raise ValueError(
            f"begin {show(begin)} and size {show(size)} need one number for each axis "
            f"of shape {show(dims)}"
        )
    if not ranks:
        return None
    unknown = (None,) * ranks.pop()
    found: list[int | None] = []
    axes = zip(dims or unknown, begin or unknown, size or unknown, strict=True)
    for axis, (n, first, count) in enumerate(axes):
        if count is not None and count < -1:
            raise ValueError(
                f"size {show(size)}: each is 0 or more, or -1 for the rest"
            )
        if count == -1:
            count = None if n is None or first is None else n - first
            stop = n
        else:
            stop = None if first is None or count is None else first + count
        below = (first or 0) < 0 or (count or 0) < 0
        if below or (n is not None and max(stop or 0, count or 0, first or 0) > n):
            known = ["?" if v is None else v for v in (n, count, first)]
            raise ValueError(
                f"axis {axis} has size {known[0]}, and a slice of size {known[1]} that "
                f"begins at {known[2]} is not in it"
            )
        found.append(count)
    return tuple(found)


def _infer_slice(input_: Tensor, begin: Tensor, size: Tensor) -> Spec:
    for name, x in (("begin", begin), ("size", size)):
        check_index_type(x, name)
    dims = _slice_dims(input_.static_shape, static_dims(begin), static_dims(size))
    return dims, input_.static_dtype


@op("Slice", infer=_infer_slice, same=["input_"], accepts="any",
    converters={"begin": as_shape_input, "size": as_shape_input}, samples=[
        case(normal(3, 4), [1, 0], [2, -1]), case(normal(2, 3), [2, 1], [0, 2]),
        case(normal(), NO_SIZES, NO_SIZES), case(normal(0, 3), [0, 1], [-1, 2]),
        case([True, False], np.array([1]), np.array([1])),
    ])  # fmt: skip
def slice(input_: Array, begin: Array, size: Array) -> Array:
    """The part of a tensor that begins at `begin` and has the shape `size`.

    Parameters
    ----------
    input_ : tensor
        Of any shape and dtype.
    begin, size : list of int, or tensor
        A number for each axis. A size of -1 is all that is left.

    Raises
    ------
    ValueError
        The part is not in the tensor.

    Examples
    --------
    >>> import similarflow as sf
    >>> sf.Session().run(sf.slice([[1, 2, 3], [4, 5, 6]], [1, 0], [1, 2]))
    array([[4, 5]], dtype=int32)
    """
    first = tuple(np.ravel(begin).tolist())
    dims: Any = _slice_dims(np.shape(input_), first, tuple(np.ravel(size).tolist()))
    picked: Array = np.asarray(input_)[_cuts(first, dims)]
    return picked


def _cuts(first: Sequence[int], dims: Sequence[int]) -> tuple[Any, ...]:
    return (*[Cut(i, i + n) for i, n in zip(first, dims, strict=True)], ...)


@RegisterGradient("Slice")
def _slice_grad(op: Operation, grad: Tensor) -> Any:
    x, begin, _ = op.inputs
    return put_part(grad, x, begin), None, None


def _infer_put(grad: Tensor, like: Tensor, begin: Tensor) -> Spec:
    return like.static_shape, grad.static_dtype


@op("SliceGrad", infer=_infer_put, same=["grad"], samples=[
    case(normal(2, 2), normal(3, 4), [1, 1]), case(normal(0), normal(2), [2]),
])  # fmt: skip
def put_part(grad: Array, like: Array, begin: Array) -> Array:
    """Zeros of the shape of `like`, with `grad` at `begin`: a slice, backward."""
    whole = np.zeros(np.shape(like), np.result_type(grad))
    whole[_cuts(np.ravel(begin).tolist(), np.shape(grad))] = grad
    return whole


@RegisterGradient("SliceGrad")
def _put_part_grad(op: Operation, grad: Tensor) -> Any:
    return slice(grad, op.inputs[2], shape(op.inputs[0])), None, None


def _of_slice(op: Operation, depth: int) -> Parts:
    whole, begin = (_parts(x, depth) for x in op.inputs[:2])
    dims, rank = op.output.static_shape, op.inputs[0].static_shape
    if whole is None or begin is None or not dims or rank is None or len(rank) != 1:
        return None
    first, count = begin[0], dims[0]
    return None if first is None or count is None else whole[first : first + count]


RULES["Slice"] = _of_slice


@composite
def strided_slice(
    input_: Any, begin: Any, end: Any, strides: Any = None, begin_mask: int = 0,
    end_mask: int = 0, ellipsis_mask: int = 0, new_axis_mask: int = 0,
    shrink_axis_mask: int = 0, var: Any = None, name: str | None = None,
) -> Tensor:  # fmt: skip
    """``x[begin:end:strides]`` on several axes: what ``x[...]`` says more clearly.

    Parameters
    ----------
    input_ : tensor
        Of any shape and dtype.
    begin, end, strides : list of int, or tensor
        One number for each part of the index; negative ones count from the end.
    begin_mask, end_mask : int
        Bit ``i`` is set where part ``i`` begins, or ends, as far out as it can.
    ellipsis_mask, new_axis_mask, shrink_axis_mask : int
        Bit ``i`` is set where part ``i`` is ``...``, None, or the int ``begin[i]``.

    Raises
    ------
    ValueError
        It is not known how many parts there are, or a place is out of range.

    Examples
    --------
    >>> import similarflow as sf
    >>> x = sf.constant([[1, 2, 3], [4, 5, 6]])
    >>> sf.Session().run(sf.strided_slice(x, [0, 0], [0, 3], [1, 2], end_mask=1))
    array([[1, 3],
           [4, 6]], dtype=int32)
    """
    given = [n for n in (begin, end, strides) if n is not None]
    graph = graph_of([input_, *given])
    tensors = [convert_to_tensor(as_shape_input(n), graph=graph) for n in given]
    numbers = [static_dims(t) for t in tensors]
    lengths = {None if n is None else len(n) for n in numbers}
    if None in lengths or len(lengths) != 1:
        raise ValueError(
            "strided_slice needs begin, end and strides of one known length, not of "
            + ", ".join(show(t.static_shape) for t in tensors)
        )
    count = len(numbers[0] or ())
    rows = [
        [At(k * count + i) if n is None else n for i, n in enumerate(row or ())]
        for k, row in enumerate(numbers)
    ] + [[1] * count] * (3 - len(numbers))
    masks = begin_mask, end_mask, ellipsis_mask, new_axis_mask, shrink_axis_mask
    parts = [
        _part(*row, *[bool(mask >> i & 1) for mask in masks])
        for i, row in enumerate(zip(*rows, strict=True))
    ]
    if parts.count(...) > 1:
        raise ValueError("ellipsis_mask has several bits, and an index has one `...`")
    index = (*parts, ...) if ... not in parts else (*parts,)
    name = name or "StridedSlice"
    if not any(isinstance(n, At) for row in rows for n in row):
        return pick_slice(input_, index=index, name=name)  # type: ignore[no-any-return]
    wide = [BUILDERS["cast"](t, np.int64) for t in tensors]
    picked: Tensor = pick_slice_at(input_, concat(wide, 0), index=index, name=name)
    return picked


BUILDERS["strided_slice"] = strided_slice


def _part(
    begin: Any, end: Any, step: Any, from_start: bool, to_end: bool,
    ellipsis: bool, new_axis: bool, shrink: bool,
) -> Any:  # fmt: skip
    """One part of the index, as NumPy writes it."""
    if ellipsis or new_axis:
        return ... if ellipsis else None
    if not isinstance(step, At) and (step < 0 if shrink else step == 0):
        raise ValueError(f"a stride of {step} is not possible here")
    if shrink:
        return begin
    return Cut(None if from_start else begin, None if to_end else end, step)
