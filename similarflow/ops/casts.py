"""Other ways to another dtype: the same bits, and the nearest value that fits."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core.casting import dtype_name
from ..core.convert import STRING, Array, as_np_dtype
from ..core.graph import Spec, Tensor, convert_to_tensor
from ..core.registry import op
from ..core.rules import NotDifferentiable
from ..core.samples import case, integers, normal
from .clipping import clip_by_value
from .composite import composite
from .known import show
from .logic import cast


def _as_bits(dtype: Any, input: Any = None) -> Any:
    dtype = as_np_dtype(dtype)
    if dtype is None or dtype == STRING or dtype.kind == "b":
        raise TypeError(
            f"bits make numbers, not {dtype_name(dtype)}: give another type"
        )
    return dtype


def _infer_bits(input: Tensor, dtype: Any) -> Spec:
    dims, given = input.static_shape, input.static_dtype
    if given is not None and given.kind in "bO":
        raise TypeError(f"numbers have bits to show, and {dtype_name(given)} none")
    if dims is None or given is None:
        return None, dtype
    return _bit_dims(dims, given.itemsize, dtype.itemsize), dtype


def _bit_dims(dims: tuple[int | None, ...], old: int, new: int) -> Any:
    """The shape of elements of `new` bytes that were of `old` bytes."""
    if new == old:
        return dims
    if new < old:
        return (*dims, old // new)
    if not dims or dims[-1] not in (None, new // old):
        raise ValueError(
            f"{new // old} elements make one, so they must be the last axis, and the "
            f"shape is {show(dims)}"
        )
    return dims[:-1]


@op("Bitcast", infer=_infer_bits, attrs=["dtype"], accepts="any",
    aliases={"type": "dtype"},
    converters={"dtype": _as_bits}, samples=[
        case(integers(0, 9, 2, 3), dtype="float32"), case([1.0, 2.0], "int32"),
        case(normal(2), "uint8"), case(normal(), "int16"),
        case(np.arange(8, dtype=np.uint8).reshape(2, 4), "int32"),
        case(np.zeros([0, 2], np.int16), "uint32"),
    ])  # fmt: skip
def bitcast(input: Array, dtype: Any) -> Array:
    """The bits of `input` taken for numbers of another dtype; no gradient flows.

    Larger numbers are made of all elements of the last axis, which goes; smaller ones
    make a new last axis.

    Examples
    --------
    >>> import similarflow as sf
    >>> [hex(n) for n in sf.Session().run(sf.bitcast([1.0, -2.0], sf.uint32))]
    ['0x3f800000', '0xc0000000']
    """
    x = np.array(input, order="C")
    dims = _bit_dims(x.shape, x.itemsize, dtype.itemsize)
    bits: Array = x.reshape(-1).view(dtype).reshape(dims)
    return bits


NotDifferentiable("Bitcast")


@composite
def saturate_cast(value: Any, dtype: Any, name: str | None = None) -> Tensor:
    """`value` as `dtype`, and what does not fit as the nearest number that does.

    Examples
    --------
    >>> import similarflow as sf
    >>> sf.Session().run(sf.saturate_cast([-5, 100, 300], sf.uint8))
    array([  0, 100, 255], dtype=uint8)
    """
    x, wanted = convert_to_tensor(value), as_np_dtype(dtype)
    given = x.static_dtype
    if given is None or wanted is None or not {given.kind, wanted.kind} <= set("iuf"):
        raise TypeError(
            f"integers and floats saturate, not {dtype_name(given)} as "
            f"{dtype_name(wanted)}: write sf.cast"
        )
    (low, high), (least, largest) = _range(given), _range(wanted)
    if low < least or high > largest:
        ends = max(low, least), min(high, largest)
        x = clip_by_value(x, _inside(ends[0], given, 1), _inside(ends[1], given, -1))
    result: Tensor = cast(x, wanted, name=name or "saturate_cast")
    return result


def _range(dtype: np.dtype[Any]) -> tuple[Any, Any]:
    """The least and the largest number of a dtype."""
    bits: Any = np.finfo(dtype) if dtype.kind == "f" else np.iinfo(dtype)
    convert = float if dtype.kind == "f" else int
    return convert(bits.min), convert(bits.max)


def _inside(bound: Any, dtype: np.dtype[Any], inwards: int) -> Array:
    """`bound` as `dtype`; the next number `inwards` if it was rounded outwards."""
    near = np.asarray(bound, dtype)
    if dtype.kind == "f" and (int(near) - int(bound)) * inwards < 0:
        near = np.nextafter(near, dtype.type(inwards * np.inf))
    return near
