"""Repeating and turning over the end: tile, repeat, roll."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..core.convert import Array
from ..core.graph import Dims, Operation, Spec, Tensor, convert_to_tensor
from ..core.operators import BUILDERS
from ..core.registry import op
from ..core.rules import NotDifferentiable, RegisterGradient
from ..core.samples import case, normal
from .composite import composite
from .gather import check_index_type, gather
from .known import as_axis, as_ints, show, static_ints
from .reshape import reshape
from .shape import NO_SIZES, as_shape_input, shape, sizes_of
from .slicing import slice_index
from .split import check_axis


def _infer_tile(input: Tensor, multiples: Tensor) -> Spec:
    dims, times = input.static_shape, sizes_of(multiples)
    if times is not None:
        _check_multiples(times, dims)
        dims = dims or (None,) * len(times)
        pairs = zip(dims, times, strict=True)
        dims = tuple([None if m is None or n is None else m * n for m, n in pairs])
    elif dims is not None:
        dims = (None,) * len(dims)
    return dims, input.static_dtype


def _check_multiples(times: Sequence[int | None], dims: Dims) -> None:
    if dims is not None and len(times) != len(dims):
        raise ValueError(
            f"multiples are {show(tuple(times))}, and shape {show(dims)} needs one for "
            "each axis"
        )
    if any(n is not None and n < 0 for n in times):
        raise ValueError(f"multiples are 0 or more, not {show(tuple(times))}")


@op("Tile", infer=_infer_tile, same=["input"], accepts="any",
    converters={"multiples": as_shape_input}, samples=[
        case(normal(2, 3), [2, 1]), case(normal(2), [3]), case(normal(), NO_SIZES),
        case(normal(2, 3), [0, 2]), case(normal(0, 2), np.array([2, 2])),
    ])  # fmt: skip
def tile(input: Array, multiples: Array) -> Array:
    """A tensor repeated: axis ``i`` becomes ``multiples[i]`` times as long.

    Parameters
    ----------
    input : tensor
        Of any shape and dtype.
    multiples : list of int, or tensor
        One number for each axis.

    Examples
    --------
    >>> import similarflow as sf
    >>> sf.Session().run(sf.tile([[1, 2]], [2, 2]))
    array([[1, 2, 1, 2],
           [1, 2, 1, 2]], dtype=int32)
    """
    times = np.ravel(multiples).tolist()
    _check_multiples(times, np.shape(input))
    return np.tile(input, times)


@RegisterGradient("Tile")
def _tile_grad(op: Operation, grad: Tensor) -> Any:
    return sum_tiles(grad, *op.inputs), None


def _infer_sum(grad: Tensor, like: Tensor, multiples: Tensor) -> Spec:
    return like.static_shape, grad.static_dtype


@op("TileGrad", infer=_infer_sum, same=["grad"], samples=[
    case(normal(4, 3), normal(2, 3), [2, 1]), case(normal(0, 2), normal(3, 1), [0, 2]),
])  # fmt: skip
def sum_tiles(grad: Array, like: Array, multiples: Array) -> Array:
    """The tiles that `grad` is made of, added up: a tile, backward."""
    pairs = zip(np.ravel(multiples).tolist(), np.shape(like), strict=True)
    apart = np.reshape(grad, [n for pair in pairs for n in pair])  # (m, d, m, d, ...)
    total: Array = np.sum(apart, tuple(range(0, apart.ndim, 2)), dtype=grad.dtype)
    return total


@RegisterGradient("TileGrad")
def _sum_tiles_grad(op: Operation, grad: Tensor) -> Any:
    return tile(grad, op.inputs[2]), None, None


def _infer_repeats(repeats: Tensor, count: Tensor) -> Spec:
    check_index_type(count, "count")
    times, size = sizes_of(repeats), static_ints(count)
    if times is None or size is None or None in times:
        return (None,), np.dtype(np.int64)
    return (sum(_spread_repeats(times, size[0])),), np.dtype(np.int64)


def _spread_repeats(times: Sequence[Any], size: int) -> list[int]:
    """How often each of `size` places occurs."""
    if len(times) not in (1, size) or any(n < 0 for n in times):
        raise ValueError(
            f"repeats are {list(times)}: one number is needed, or one for each of the "
            f"{size} places, none below 0"
        )
    return [int(n) for n in times] * (size if len(times) == 1 else 1)


@op("RepeatPlaces", infer=_infer_repeats, same=[], samples=[
    case([2, 0, 1], 3), case(2, 3), case([3], 2), case(NO_SIZES, 0),
])  # fmt: skip
def repeat_places(repeats: Array, count: Array) -> Array:
    """Each of the numbers below `count` as often as `repeats` says."""
    times = _spread_repeats(np.ravel(repeats).tolist(), int(count))
    return np.repeat(np.arange(int(count)), times)


NotDifferentiable("RepeatPlaces")


@composite
def repeat(input: Any, repeats: Any, axis: Any = None, name: str | None = None) -> Any:
    """Each element, or each place of an axis, several times in a row.

    Parameters
    ----------
    input : tensor
        Of any shape and dtype.
    repeats : int, list of int, or tensor
        How often: one number, or one for each place.
    axis : int, optional
        Without one, the tensor counts as a vector.

    Examples
    --------
    >>> import similarflow as sf
    >>> sf.Session().run(sf.repeat([[1, 2], [3, 4]], [1, 2], axis=0))
    array([[1, 2],
           [3, 4],
           [3, 4]], dtype=int32)
    """
    x = convert_to_tensor(input)
    if axis is None:
        x = reshape(x, [-1])
    at, dims = as_axis(axis) or 0, x.static_shape
    size = None if dims is None else dims[check_axis(at, len(dims))]
    count = slice_index(shape(x), at) if size is None else size
    times = as_shape_input(repeats)
    return gather(x, repeat_places(times, count), axis=at, name=name or "repeat")


BUILDERS["repeat"] = repeat


def _infer_roll(input: Tensor, shift: Tensor, axis: tuple[int, ...]) -> Spec:
    check_index_type(shift, "shift")
    dims, count = input.static_shape, shift.static_shape
    if dims is not None:
        for a in axis:
            check_axis(a, len(dims))
    if count is not None and (count[0] if count else 1) not in (None, len(axis)):
        raise ValueError(f"shift has shape {show(count)}, and axis is {axis}")
    return dims, input.static_dtype


@op("Roll", infer=_infer_roll, attrs=["axis"], same=["input"], accepts="any",
    converters={"axis": as_ints}, samples=[
        case(normal(2, 3), 1, 1), case(normal(2, 3), [1, -5], [0, -1]),
        case(normal(4), [1, 2], [0, 0]), case(normal(0, 2), 1, 0),
    ])  # fmt: skip
def roll(input: Array, shift: Array, axis: Any) -> Array:
    """The elements moved along axes; what leaves at one end enters at the other.

    Parameters
    ----------
    input : tensor
        Of rank 1 or more.
    shift : int, list of int, or tensor
        How far, for each axis of `axis`; negative numbers go to the front.
    axis : int or list of int
        An axis that occurs twice is moved by both shifts.

    Examples
    --------
    >>> import similarflow as sf
    >>> sf.Session().run(sf.roll([1, 2, 3, 4], 1, 0))
    array([4, 1, 2, 3], dtype=int32)
    """
    if np.size(shift) != len(axis):
        raise ValueError(f"shift has shape {np.shape(shift)}, and axis is {axis}")
    return np.roll(input, np.ravel(shift).tolist(), axis)


@RegisterGradient("Roll")
def _roll_grad(op: Operation, grad: Tensor) -> Any:
    return roll(grad, -op.inputs[1], op.attrs["axis"]), None
