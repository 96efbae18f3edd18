"""Values that do not fit at once: which casts are allowed, what strings become."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

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
    if "O" in kinds:
        raise TypeError(f"expected {want}{what}, got {have}")
    with np.errstate(all="ignore"):
        out = array.astype(dtype)
        if kinds in {("f", "f"), ("f", "c"), ("c", "c")}:
            return out
        kept = np.asarray(out.astype(array.dtype) == array)
    if not kept.all():
        lost = np.asarray(array)[~kept].flat[0]
        raise TypeError(
            f"expected {want}{what}, got {lost} ({have}), which {want} cannot hold. "
            f"Give {want} values, or use sf.cast or astype if you mean to round"
        )
    return out


def from_objects(value: Any, what: str = "") -> Array:
    """An array of what NumPy has no dtype for: strings as bytes, sizes as ints.

    Raises
    ------
    TypeError, ValueError
        Something else is among them.
    """
    array = np.array(value, np.dtype(object))
    if array.size and all(hasattr(item, "__index__") for item in array.flat):
        sizes = np.array([operator.index(item) for item in array.flat], np.int64)
        narrow = sizes.astype(np.int32)
        return (narrow if (narrow == sizes).all() else sizes).reshape(array.shape)
    for i, item in enumerate(array.flat):
        if item is None:
            raise ValueError(f"None is no value{what}: numbers or strings are expected")
        if not isinstance(item, str | bytes):
            raise TypeError(f"a {type(item).__name__} is no number or string{what}")
        array.flat[i] = item.encode() if isinstance(item, str) else bytes(item)
    return array


def no_array(error: Exception, what: str) -> ValueError:
    """Nested lists do not make one array."""
    return ValueError(f"no array{what}: {error} Are all rows equally long?")


def dtype_name(dtype: np.dtype[Any] | None) -> str:
    """TensorFlow's name of a dtype; "untyped" for None."""
    if dtype is None:
        return "untyped"
    return "string" if dtype.kind == "O" else dtype.name
