"""Values that do not fit at once: which casts are allowed, what strings become."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any

import numpy as np

from .convert import as_array
from .nest import flatten

Array = np.ndarray[Any, np.dtype[Any]]


def lossless(array: Array, dtype: np.dtype[Any], what: str = "") -> Array:
    """`array` as `dtype`; floats may be rounded to floats, else no value may be lost.

    Raises
    ------
    TypeError
        A value would be lost, or one is a string and the other none.
    """
    kinds = array.dtype.kind, dtype.kind
    have, want = dtype_name(array.dtype), dtype_name(dtype)
    if kinds[1] == "O" and not array.size:
        return array.astype(dtype)  # NumPy takes an empty list for floats
    if "O" in kinds:
        raise TypeError(f"expected {want}{what}, got {have}")
    with np.errstate(all="ignore"):
        source = array.real if kinds[0] == "c" != kinds[1] else array
        out = source.astype(dtype)
        if kinds in {("f", "f"), ("f", "c"), ("c", "c")}:
            return out
        back = (out.real if kinds[1] == "c" else out).astype(source.dtype)
        kept = np.asarray((out == array) & (back == source))
        if kinds[0] == "f" and kinds[1] in "iu":  # beyond, processors differ
            bits = np.iinfo(dtype)
            kept &= (array >= float(bits.min)) & (array < float(bits.max + 1))
    if not kept.all():
        lost = np.asarray(array)[~kept].flat[0]
        raise TypeError(
            f"expected {want}{what}, got {lost} ({have}), which {want} cannot hold. "
            f"Give {want} values, or use sf.cast or astype if you mean to round"
        )
    return out


def common_dtype(values: Sequence[Any]) -> np.dtype[Any] | None:
    """The dtype of a list: that of the tensors inside, else one for all its numbers.

    None if all in it are untyped tensors, or no dtype is common to all.
    """
    items = flatten(*values)
    if any(hasattr(item, "graph") for item in items):
        tensors = [i.as_tensor() for i in items if hasattr(i, "as_tensor")]
        typed = [t.static_dtype for t in tensors if t.static_dtype is not None]
        return typed[0] if typed else None
    dtypes = [as_array(value).dtype for value in values]
    if len({dtype.kind == "O" for dtype in dtypes}) > 1:
        return None  # strings beside numbers: refused where they are
    common = np.result_type(*dtypes)
    wide = common == np.float64 and np.dtype(np.float64) not in dtypes
    return np.dtype(np.float32) if wide else common


def from_objects(value: Any, what: str = "", dtype: Any = None) -> Array:
    """An array of what NumPy has no dtype for: strings as bytes, sizes as ints.

    Raises
    ------
    TypeError, ValueError
        Something else is among them, or an integer is beyond 64 bits.
    """
    own = np.asarray(value).dtype
    if own.kind in "biufc" and own.newbyteorder("=").itemsize <= 8 + 8 * (
        own.kind == "c"
    ):
        return np.asarray(value).astype(own.newbyteorder("="))
    if own.kind not in "USO":
        raise TypeError(f"{own} is no dtype of tensors{what}")
    array = np.array(value, np.dtype(object))
    items = list(array.flat)
    if all(isinstance(item, str | bytes) for item in items):
        for i, item in enumerate(items):
            array.flat[i] = item.encode() if isinstance(item, str) else bytes(item)
        return array
    if any(item is None for item in items):
        raise ValueError(f"None is no value{what}: numbers or strings are expected")
    numbers = [
        operator.index(item)  # a Dimension, or an integer of any kind
        if hasattr(item, "__index__") and not isinstance(item, bool | np.bool_)
        else item
        for item in items
    ]
    found = np.array(numbers)
    if not numbers or found.dtype.kind not in "biufc":
        if dtype is not None and dtype.kind == "f" and all(map(_is_int, items)):
            return np.array([float(n) for n in numbers], dtype).reshape(array.shape)
        odd = next((i for i in items if not isinstance(i, int | float | complex)), None)
        if odd is None:
            raise ValueError(
                f"an integer{what} is beyond 64 bits: {max(numbers, key=abs)}"
            )
        raise TypeError(
            f"a {type(odd).__name__} is no number or string{what}: {odd!r:.60}"
        )
    narrow = found.astype(np.int32) if found.dtype == np.int64 else found
    return (narrow if (narrow == found).all() else found).reshape(array.shape)


def _is_int(item: Any) -> bool:
    return isinstance(item, int) and not isinstance(item, bool)


def no_array(error: Exception, what: str) -> ValueError:
    """Nested lists do not make one array."""
    return ValueError(f"no array{what}: {error} Are all rows equally long?")


def dtype_name(dtype: np.dtype[Any] | None) -> str:
    """TensorFlow's name of a dtype; "untyped" for None."""
    if dtype is None:
        return "untyped"
    return "string" if dtype.kind == "O" else dtype.name
