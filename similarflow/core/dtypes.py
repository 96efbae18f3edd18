"""The types of a tensor's values: `float32`, `int64`, `string` and their kin.

A `DType` is a name for a NumPy dtype, and equals it: ``float32 == np.float32``. There
is one object for each type, so ``is`` works too. Strings are `object` arrays of bytes.
Names that end in ``_ref`` are TensorFlow's, for a variable instead of its value.
"""

from __future__ import annotations

import builtins
from typing import Any

import numpy as np


class DType:
    """The type of a tensor's values.

    Attributes
    ----------
    name : str
        "float32", "string", ...
    as_datatype_enum : int
        TensorFlow's number of the type; ``int(dtype)`` gives it too.
    as_numpy_dtype : type
        NumPy's scalar type; `object` for strings.
    dtype : numpy.dtype
        The same as a dtype; through it NumPy's functions take a `DType`.
    base_dtype : DType
        The type itself; without the reference for a ``_ref`` type.

    Examples
    --------
    >>> float32.name, float32.size, float32.is_floating
    ('float32', 4, True)
    >>> float32 == np.float32, float32 == "float32", float32 == "nonsense"
    (True, True, False)
    >>> np.zeros(2, float32).dtype
    dtype('float32')
    """

    __slots__ = ("as_datatype_enum", "as_numpy_dtype", "base_dtype", "dtype", "name")
    name: str
    as_datatype_enum: int
    as_numpy_dtype: type[Any]
    dtype: np.dtype[Any]
    base_dtype: DType

    def __new__(cls, type_value: Any) -> DType:
        """Find the type that `type_value` means; none is ever made."""
        return as_dtype(type_value)

    @property
    def is_floating(self) -> builtins.bool:
        """Whether it is a real floating-point type."""
        return self.dtype.kind == "f"

    @property
    def is_integer(self) -> builtins.bool:
        """Whether it is an integer type, signed or not."""
        return self.dtype.kind in "iu"

    @property
    def is_unsigned(self) -> builtins.bool:
        """Whether it is an integer type without negative values."""
        return self.dtype.kind == "u"

    @property
    def is_bool(self) -> builtins.bool:
        """Whether it is the type of truth values."""
        return self.dtype.kind == "b"

    @property
    def is_complex(self) -> builtins.bool:
        """Whether it is a complex type."""
        return self.dtype.kind == "c"

    @property
    def is_numpy_compatible(self) -> builtins.bool:
        """Whether NumPy can hold its values; always true here."""
        return True

    @property
    def _is_ref_dtype(self) -> builtins.bool:
        return self is not self.base_dtype

    @property
    def real_dtype(self) -> DType:
        """The type of the real part: float32 for complex64; else the type itself."""
        if not self.is_complex:
            return self
        return float32 if self.size == complex64.size else float64

    @property
    def size(self) -> int:
        """Bytes for one value; 0 for strings, which have no fixed size."""
        return 0 if self.dtype.kind == "O" else self.dtype.itemsize

    @property
    def min(self) -> Any:
        """The lowest finite value, as in ``int8.min == -128``.

        Raises
        ------
        TypeError
            The values of the type have no order, or are no numbers.
        """
        return self._range("min").min

    @property
    def max(self) -> Any:
        """The highest finite value, as in ``int8.max == 127``.

        Raises
        ------
        TypeError
            The values of the type have no order, or are no numbers.
        """
        return self._range("max").max

    @property
    def limits(self) -> tuple[int, Any]:
        """The range of an image's brightness: (0, 255) for uint8, (0, 1) for floats.

        Raises
        ------
        ValueError
            Strings and complex numbers have none.
        """
        if self.is_floating:
            return 0, 1
        if self.is_bool:
            return 0, True
        if self.is_integer:
            return 0, self.max
        raise ValueError(f"{self.name} has no limits: only real numbers and bool do")

    def is_compatible_with(self, other: Any) -> builtins.bool:
        """Whether it is `other`, or what the ``_ref`` type `other` refers to."""
        other = as_dtype(other)
        return self is other or self is other.base_dtype

    def _range(self, end: str) -> np.iinfo[Any] | np.finfo[Any]:
        if self.is_integer:
            return np.iinfo(self.dtype)
        if self.is_floating:
            return np.finfo(self.dtype)
        raise TypeError(f"{self.name} has no {end}: only real numbers do")

    def __eq__(self, other: object) -> builtins.bool:
        return self is _find(other)

    def __hash__(self) -> int:
        return self.as_datatype_enum

    def __int__(self) -> int:
        return self.as_datatype_enum

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Raise TypeError: it is no function, unlike NumPy's types."""
        name = self.base_dtype.name
        raise TypeError(
            f"sf.{name} is a dtype and converts nothing: write sf.cast(x, sf.{name}) "
            f"or sf.constant(x, sf.{name})"
        )

    def __reduce__(self) -> tuple[Any, ...]:
        return as_dtype, (self.name,)

    def __repr__(self) -> str:
        return f"tf.{self.name}"

    def __str__(self) -> str:
        return f"<dtype: '{self.name}'>"


_KNOWN: dict[Any, DType] = {}
"""A type by its names, its number, and the Python and NumPy types that mean it."""


def _define(name: str, number: int, *aliases: str) -> DType:
    """Make the type and its ``_ref`` type, and enter both in `_KNOWN`."""
    dtype = np.dtype(object if name == "string" else name)
    base, ref = object.__new__(DType), object.__new__(DType)
    for self, suffix, offset in ((base, "", 0), (ref, "_ref", 100)):
        self.name = name + suffix
        self.as_datatype_enum = number + offset
        self.as_numpy_dtype = object if name == "string" else dtype.type
        self.dtype = dtype
        self.base_dtype = base
        _KNOWN[self.as_datatype_enum] = self
        _KNOWN.update((n + suffix, self) for n in (name, *aliases))
    return base


float32 = _define("float32", 1, "float")
float64 = double = _define("float64", 2, "double")
int32 = _define("int32", 3)
uint8 = _define("uint8", 4)
int16 = _define("int16", 5)
int8 = _define("int8", 6)
string = _define("string", 7)
complex64 = _define("complex64", 8)
int64 = _define("int64", 9)
bool = _define("bool", 10)
uint16 = _define("uint16", 17)
complex128 = _define("complex128", 18)
float16 = half = _define("float16", 19, "half")
uint32 = _define("uint32", 22)
uint64 = _define("uint64", 23)

_KNOWN.update({float: float32, builtins.bool: bool, object: string})
for _dtype in map(np.dtype, "?bBhHiIlLqQefdFDOSU"):  # C's long and long long differ
    _KNOWN[_dtype.type] = string if _dtype.kind in "OSU" else _KNOWN[_dtype.name]

_AS_SHAPE = "; a shape is given by name, shape=..."
_HINTS: dict[Any, str] = {
    int: "sf.int32 or sf.int64",
    str: "sf.string",
    bytes: "sf.string",
    complex: "sf.complex64 or sf.complex128",
}
_HINTS |= {type.__name__: hint for type, hint in _HINTS.items()}


def _find(value: Any) -> DType | None:
    """The type that `value` means, or None. Never raises."""
    if isinstance(value, DType):
        return value
    if isinstance(value, np.dtype):
        return _KNOWN.get(value.type)  # whatever its byte order or length
    if isinstance(value, str | int | type | np.integer) and value is not True:
        return _KNOWN.get(value)
    return None


def as_dtype(type_value: Any) -> DType:
    """The `DType` that a name, a NumPy or Python type or TensorFlow's number means.

    Raises
    ------
    TypeError
        It means none. Python's `int` and `str` do not, as in TensorFlow.

    Examples
    --------
    >>> as_dtype("half"), as_dtype(np.int64), as_dtype(float), as_dtype(3)
    (tf.float16, tf.int64, tf.float32, tf.int32)
    """
    found = _find(type_value)
    if found is not None:
        return found
    is_key = isinstance(type_value, str | type)
    hint = _HINTS.get(type_value) if is_key else None
    raise TypeError(
        f"{type_value!r} is no dtype: write {hint}"
        if hint
        else f"{type_value!r} is no dtype: expected one like sf.float32, 'float32' or "
        f"np.float32{_AS_SHAPE if isinstance(type_value, list | tuple) else ''}"
    )


def dtype_of(np_dtype: np.dtype[Any] | None) -> DType | None:
    """The `DType` of a NumPy dtype; None, for what is untyped, stays None.

    Raises
    ------
    TypeError
        TensorFlow has no such type, as for dates.

    Examples
    --------
    >>> dtype_of(np.dtype("float64"))
    tf.float64
    """
    if np_dtype is None:
        return None
    return _KNOWN.get(np_dtype.type) or as_dtype(np_dtype)
