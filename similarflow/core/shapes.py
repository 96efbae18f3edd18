"""Static shapes: what is known of a tensor's shape before anything runs.

A `TensorShape` is a sequence of `Dimension`; each may be unknown, and so may be their
number (the rank). Inside the library a shape is a plain tuple with None for an unknown
size, or None alone; these two classes are what TensorFlow's users see of it.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Iterator
from typing import Any, SupportsIndex, overload

import numpy as np

Dims = tuple[int | None, ...] | None
_Operator = Callable[[Any, Any], Any]


def _number(value: Any) -> int | None:
    """`value` as an int or None; as in TensorFlow 1.15, a whole float is one."""
    if value is None or isinstance(value, Dimension):
        return None if value is None else value.value
    try:
        return int(operator.index(value))
    except TypeError:
        if isinstance(value, float | np.floating) and value.is_integer():
            return int(value)
        if isinstance(value, type | np.dtype) or hasattr(value, "as_numpy_dtype"):
            value = f"the dtype {value!r}"
        else:
            value = repr(value)
        raise TypeError(f"a size is an integer or None, not {value}") from None


def _size(value: Any) -> int | None:
    """`value` as a size."""
    number = _number(value)
    if number is not None and number < 0:
        raise ValueError(f"a size is 0 or more (None if unknown), not {number}")
    return number


def _method(function: Callable[[int, int], Any]) -> _Operator:
    """`function` as a method of `Dimension`; None if an operand is unknown."""

    def method(x: Any, y: Any) -> Any:
        try:
            a, b = _number(x), _number(y)
        except TypeError:
            return NotImplemented
        return None if a is None or b is None else function(a, b)

    return method


def _both_ways(function: Callable[[int, int], int]) -> tuple[_Operator, _Operator]:
    """An operator of `Dimension` and its reflection; unknown if an operand is."""
    compute = _method(function)

    def forward(x: Any, y: Any) -> Any:
        size = compute(x, y)
        return size if size is NotImplemented else Dimension(size)

    return forward, lambda y, x: forward(x, y)


class Dimension:
    """One size of a shape: a `value`, or None where it is unknown.

    What is computed from an unknown size is unknown: arithmetic gives
    ``Dimension(None)``, and comparisons give None.

    Examples
    --------
    >>> Dimension(7) // 2 + 1
    Dimension(4)
    >>> Dimension(7) * None
    Dimension(None)
    >>> Dimension(7) == 7, Dimension(7) == Dimension(None)
    (True, None)
    """

    __slots__ = ("_value",)
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, value: Any) -> None:
        self._value = _size(value)

    @property
    def value(self) -> int | None:
        """The size, or None."""
        return self._value

    def is_compatible_with(self, other: Any) -> bool:
        """Whether both could be the same size."""
        return _fits(self._value, _size(other))

    def assert_is_compatible_with(self, other: Any) -> None:
        """Raise ValueError unless both could be the same size."""
        if not self.is_compatible_with(other):
            raise ValueError(f"dimensions {self} and {other} are incompatible")

    def merge_with(self, other: Any) -> Dimension:
        """What both know together; ValueError if they contradict each other."""
        self.assert_is_compatible_with(other)
        return Dimension(other if self._value is None else self)

    __add__, __radd__ = _both_ways(operator.add)
    __sub__, __rsub__ = _both_ways(operator.sub)
    __mul__, __rmul__ = _both_ways(operator.mul)
    __floordiv__, __rfloordiv__ = _both_ways(operator.floordiv)
    __mod__, __rmod__ = _both_ways(operator.mod)
    __eq__ = _method(operator.eq)
    __ne__ = _method(operator.ne)
    __lt__ = _method(operator.lt)
    __le__ = _method(operator.le)
    __gt__ = _method(operator.gt)
    __ge__ = _method(operator.ge)

    def __truediv__(self, other: Any) -> Any:
        raise TypeError(f"{self!r} / {other!r}: sizes are whole numbers, so write //")

    def __rtruediv__(self, other: Any) -> Any:
        raise TypeError(f"{other!r} / {self!r}: sizes are whole numbers, so write //")

    def __int__(self) -> int:
        if self._value is None:
            raise TypeError(
                "an unknown dimension is no number; sf.shape(x)[i] has it in a run"
            )
        return self._value

    __index__ = __int__

    def __bool__(self) -> bool:
        return bool(self._value)

    def __repr__(self) -> str:
        return f"Dimension({self._value})"

    def __str__(self) -> str:
        return "?" if self._value is None else str(self._value)


class TensorShape:
    """What is known of a shape.

    Parameters
    ----------
    dims : None, int, or sequence of int, None and Dimension
        None for an unknown rank; inside a sequence, for an unknown size. A number is
        the one size of a vector.

    Examples
    --------
    >>> shape = TensorShape([None, 3])
    >>> print(shape, shape.ndims, shape.as_list(), shape.is_fully_defined())
    (?, 3) 2 [None, 3] False
    >>> shape[1], shape[1:]
    (Dimension(3), TensorShape([Dimension(3)]))
    >>> print(shape.merge_with([2, None]))
    (2, 3)
    >>> print(TensorShape(None), TensorShape(None).ndims)
    <unknown> None
    """

    __slots__ = ("sizes",)

    def __init__(self, dims: Any) -> None:
        if dims is None or isinstance(dims, TensorShape):
            self.sizes: Dims = None if dims is None else dims.sizes
        else:
            sizes = dims if np.iterable(dims) else (dims,)
            self.sizes = tuple([_size(size) for size in sizes])

    @classmethod
    def from_dims(cls, dims: Dims) -> TensorShape:
        """The shape that the library holds as the tuple `dims`, or as None."""
        self = cls.__new__(cls)
        self.sizes = dims
        return self

    @property
    def dims(self) -> list[Dimension] | None:
        """The dimensions; None if the rank is unknown."""
        return None if self.sizes is None else [Dimension(size) for size in self.sizes]

    @property
    def ndims(self) -> int | None:
        """The number of dimensions; None if it is unknown."""
        return None if self.sizes is None else len(self.sizes)

    rank = ndims

    def as_list(self) -> list[int | None]:
        """The sizes, with None for those unknown; ValueError if the rank is unknown."""
        return list(self._known("as_list()"))

    def num_elements(self) -> int | None:
        """The product of the sizes; None if one is unknown."""
        if self.sizes is None or None in self.sizes:
            return None
        return math.prod(size for size in self.sizes if size is not None)

    def is_fully_defined(self) -> bool:
        """Whether every size is known."""
        return self.sizes is not None and None not in self.sizes

    def assert_is_fully_defined(self) -> None:
        """Raise ValueError unless every size is known."""
        if not self.is_fully_defined():
            raise ValueError(f"shape {self} is not fully defined")

    def is_compatible_with(self, other: Any) -> bool:
        """Whether both could be the same shape."""
        return not _conflict(self, as_shape(other))

    def assert_is_compatible_with(self, other: Any) -> None:
        """Raise ValueError unless both could be the same shape."""
        other = as_shape(other)
        if conflict := _conflict(self, other):
            raise ValueError(f"shapes {self} and {other} are incompatible: {conflict}")

    def merge_with(self, other: Any) -> TensorShape:
        """What both know together; ValueError if they contradict each other."""
        other = as_shape(other)
        self.assert_is_compatible_with(other)
        if self.sizes is None or other.sizes is None:
            return other if self.sizes is None else self
        pairs = zip(self.sizes, other.sizes, strict=True)
        return TensorShape.from_dims(tuple([y if x is None else x for x, y in pairs]))

    def most_specific_compatible_shape(self, other: Any) -> TensorShape:
        """What is true of both: sizes that differ become unknown."""
        other = as_shape(other)
        if self.sizes is None or self.ndims != other.ndims:
            return TensorShape(None)
        pairs = zip(self.sizes, other.sizes, strict=True)
        return TensorShape.from_dims(tuple([x if x == y else None for x, y in pairs]))

    def concatenate(self, other: Any) -> TensorShape:
        """The dimensions of both, one after the other; ``+`` does the same."""
        other = as_shape(other)
        if self.sizes is None or other.sizes is None:
            return TensorShape(None)
        return TensorShape.from_dims(self.sizes + other.sizes)

    def assert_same_rank(self, other: Any) -> None:
        """Raise ValueError if the ranks are known and differ."""
        other = as_shape(other)
        if not _fits(self.ndims, other.ndims):
            raise ValueError(f"shapes {self} and {other} differ in rank")

    def assert_has_rank(self, rank: int | None) -> None:
        """Raise ValueError if the rank is known and not `rank`."""
        if not _fits(self.ndims, rank):
            raise ValueError(f"shape {self} has rank {self.ndims}, not {rank}")

    def with_rank(self, rank: int | None) -> TensorShape:
        """The shape with `rank` dimensions; ValueError if it has another number."""
        self.assert_has_rank(rank)
        return unknown_shape(rank) if self.sizes is None else self

    def with_rank_at_least(self, rank: int) -> TensorShape:
        """The shape itself; ValueError if it has fewer than `rank` dimensions."""
        if self.sizes is not None and len(self.sizes) < rank:
            raise ValueError(f"shape {self} has rank {self.ndims}, below {rank}")
        return self

    def with_rank_at_most(self, rank: int) -> TensorShape:
        """The shape itself; ValueError if it has more than `rank` dimensions."""
        if self.sizes is not None and len(self.sizes) > rank:
            raise ValueError(f"shape {self} has rank {self.ndims}, above {rank}")
        return self

    def __add__(self, other: Any) -> TensorShape:
        return self.concatenate(other)

    def __radd__(self, other: Any) -> TensorShape:
        return TensorShape(other).concatenate(self)

    @overload
    def __getitem__(self, key: SupportsIndex) -> Dimension: ...
    @overload
    def __getitem__(self, key: slice) -> TensorShape: ...
    def __getitem__(self, key: SupportsIndex | slice) -> Dimension | TensorShape:
        if isinstance(key, slice):
            if self.sizes is None:
                return unknown_shape(_slice_length(key))
            return TensorShape.from_dims(self.sizes[key])
        index = operator.index(key)
        if self.sizes is None:
            return Dimension(None)
        if not -len(self.sizes) <= index < len(self.sizes):
            raise IndexError(f"no dimension {index}: shape {self} has {self.ndims}")
        return Dimension(self.sizes[index])

    def __iter__(self) -> Iterator[Dimension]:
        return map(Dimension, self._known("iteration"))

    def __len__(self) -> int:
        return len(self._known("len()"))

    def __bool__(self) -> bool:
        return self.sizes is not None

    def __eq__(self, other: object) -> bool:
        try:
            return self.sizes == as_shape(other).sizes
        except (TypeError, ValueError):
            return NotImplemented

    def __hash__(self) -> int:
        return hash(self.sizes)

    def __repr__(self) -> str:
        return f"TensorShape({self.dims})"

    def __str__(self) -> str:
        dims = self.sizes
        return "<unknown>" if dims is None else str(dims).replace("None", "?")

    def _known(self, what: str) -> tuple[int | None, ...]:
        if self.sizes is None:
            raise ValueError(
                f"{what} needs a shape of known rank. Give the placeholder a shape, or "
                "call x.set_shape; sf.shape(x) has the shape in a run"
            )
        return self.sizes


def as_shape(shape: Any) -> TensorShape:
    """`shape` (None, a number, a sequence, a shape) as a `TensorShape`."""
    return shape if isinstance(shape, TensorShape) else TensorShape(shape)


def unknown_shape(ndims: int | None = None) -> TensorShape:
    """A shape of `ndims` unknown sizes; of unknown rank without `ndims`.

    Examples
    --------
    >>> print(unknown_shape(2), unknown_shape())
    (?, ?) <unknown>
    """
    return TensorShape.from_dims(None if ndims is None else (None,) * ndims)


def dimension_value(dimension: Any) -> Any:
    """The value of a `Dimension`; anything else (a number, None) as it is."""
    return dimension.value if isinstance(dimension, Dimension) else dimension


def dimension_at_index(shape: TensorShape, index: int) -> Dimension:
    """The dimension of `shape` at `index`; an unknown one if the rank is unknown."""
    return shape[index]


def _fits(x: int | None, y: int | None) -> bool:
    return x is None or y is None or x == y


def _conflict(x: TensorShape, y: TensorShape) -> str:
    """How two shapes contradict each other; "" if they do not."""
    if not _fits(x.ndims, y.ndims):
        return f"rank {x.ndims} against {y.ndims}"
    for a, b in zip(x.sizes or (), y.sizes or (), strict=False):
        if not _fits(a, b):
            return f"{a} against {b}"
    return ""


def _slice_length(key: slice) -> int | None:
    """How many items `key` takes from a sequence of unknown length, if certain."""
    start = 0 if key.start is None else operator.index(key.start)
    if key.step is not None or key.stop is None or start < 0:
        return None
    stop = operator.index(key.stop)
    return None if stop < 0 else max(0, stop - start)
