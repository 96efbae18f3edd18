"""From what a user writes to an array: which dtype it gets.

Python floats become float32 and Python ints int32 (int64 when they need it); arrays
keep their dtype.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .lazy import lazy

casting = lazy(".casting", __package__)
dtypes, shapes = lazy(".dtypes", __package__), lazy(".shapes", __package__)
Array = np.ndarray[Any, np.dtype[Any]]
STRING = np.dtype(object)  # strings are object arrays of bytes
_PLAIN = frozenset(map(np.dtype, "?bBhHiIlLqQefdFD"))
_NARROW = {np.dtype(np.float64): np.float32, np.dtype(np.int64): np.int32}


def as_array(
    value: Any, dtype: np.dtype[Any] | None = None, what: str = "", narrow: bool = True
) -> Array:  # fmt: skip
    """`value` as an array of `dtype`; without one, of the dtype that suits it.

    Without `narrow`, Python numbers become what NumPy makes of them.

    Raises
    ------
    TypeError
        The cast would change a value (1.7 to int32), or the kinds do not fit.
    ValueError
        A ragged list, or None.
    """
    if type(value) is float and dtype is not None and dtype.char in "fd":
        return np.asarray(value, dtype)
    try:
        array = np.asarray(value)
    except ValueError as error:
        raise casting.no_array(error, what) from None
    if array.dtype not in _PLAIN:
        array = casting.from_objects(value, what, dtype)
    if dtype is not None and array.dtype != dtype:
        return casting.lossless(array, dtype, what)  # type: ignore[no-any-return]
    if narrow and dtype is None and array.dtype in _NARROW and not _is_numpy(value):
        with np.errstate(over="ignore"):  # what is beyond is inf
            half = array.astype(_NARROW[array.dtype])
        return half if array.dtype.kind == "f" or (half == array).all() else array
    return array


def _is_numpy(value: Any) -> bool:
    """Whether it has a dtype of its own: NumPy's, or a list of arrays."""
    if isinstance(value, np.generic):
        return True
    while isinstance(value, list | tuple) and value:
        value = value[0]
    return isinstance(value, np.ndarray)


def as_result(x: Any) -> Any:
    """What a kernel computed: no NumPy scalar, but an array of rank 0."""
    return np.asarray(x) if isinstance(x, np.generic) else x


def in_dtype(x: Any, dtype: np.dtype[Any]) -> Any:
    """A computed `x` as an array of `dtype`: itself, if it is one."""
    is_one = x.dtype == dtype and not isinstance(x, np.generic)
    return x if is_one else np.asarray(x, dtype)


def as_np_dtype(dtype: Any) -> np.dtype[Any] | None:
    """The NumPy dtype that a `DType`, a type or a name stands for; None stays None."""
    if dtype is None or (isinstance(dtype, np.dtype) and dtype in _PLAIN):
        return dtype
    found: np.dtype[Any] = dtypes.as_dtype(dtype).dtype
    return found


def as_dims(shape: Any) -> tuple[int | None, ...] | None:
    """A shape as a tuple, with None for what is unknown; None if all of it is."""
    return None if shape is None else shapes.as_shape(shape).sizes


def agree(x: np.dtype[Any] | None, y: np.dtype[Any] | None) -> bool:
    """Whether two dtypes can be those of one value (NumPy: float64 equals None)."""
    return x is None or y is None or x == y


def fits(
    dims: tuple[int | None, ...] | None, shape: tuple[int | None, ...] | None
) -> bool:
    """Whether two static shapes can be those of one value."""
    return (
        dims is None
        or shape is None
        or (
            len(dims) == len(shape)
            and all(
                m == n or m is None or n is None
                for m, n in zip(dims, shape, strict=True)
            )
        )
    )


def detach(value: Any) -> Any:
    """A value for the caller: a copy, or a NumPy scalar."""
    array = as_array(value)
    return array.copy() if array.ndim else array[()]
