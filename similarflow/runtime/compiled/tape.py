"""Tapes: what a kernel does, as a list of NumPy calls that can write into buffers.

A kernel is plain NumPy, and makes a new array for each result. It is called once with
stand-ins that note each ufunc and each reduction. The tape repeats the same calls with
``out=``, so that the numbers are the same. A kernel that does more has no tape.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin

DType = np.dtype[Any]
Dims = tuple[int, ...]
PYTHON = (bool, int, float, complex)


class NoTape(Exception):
    """The kernel is no list of ufuncs and reductions."""


class Call(NamedTuple):
    """A function, called with `args` and a last one, into which it writes.

    A `Ref` among the arguments is another call's result, or an input.
    """

    f: Callable[..., Any]
    args: tuple[Any, ...]
    dims: Dims
    dtype: DType
    inplace: bool  # whether it may write into an argument of the same shape
    elementwise: bool


class Ref(NamedTuple):
    """The result of a call, by its number; -1 is the first input, -2 the second."""

    place: int


class Tape(NamedTuple):
    """The calls in order, and which of them give the outputs."""

    calls: list[Call]
    outputs: list[int]


class Traced(NDArrayOperatorsMixin):
    """Stands for an array in a kernel, and notes what is done with it."""

    def __init__(self, calls: list[Call], place: int, dims: Dims, dtype: DType) -> None:
        self.calls, self.place, self.shape, self.dtype = calls, place, dims, dtype
        self.ndim = len(dims)

    def __array_ufunc__(
        self, ufunc: np.ufunc, method: str, *inputs: Any, **options: Any
    ) -> Any:
        if method != "__call__" or options or ufunc.nout != 1 or ufunc.signature:
            raise NoTape
        kinds = [type(x) if type(x) in PYTHON else _check(x).dtype for x in inputs]
        *wanted, dtype = ufunc.resolve_dtypes((*kinds, None))
        pairs = zip(inputs, wanted, strict=True)
        args = [np.asarray(x, to) if type(x) in PYTHON else x for x, to in pairs]
        return self._note(BY_NAME.get(ufunc, ufunc), args, dtype)

    def __array_function__(
        self, function: Any, types: Any, args: Any, options: Any
    ) -> Any:
        if function in REDUCTIONS:
            return self._reduce(REDUCTIONS[function], *args, **options)
        if function in ASKED and args[0] is self:
            return ASKED[function](self)
        if options or function not in (np.where, np.zeros_like, np.result_type):
            raise NoTape
        if function is np.result_type:
            return np.result_type(*[getattr(x, "dtype", x) for x in args])
        if function is np.zeros_like:  # what it meets has the shape
            return np.zeros((), self.dtype)
        return self._choose(*map(_check, args))

    def _choose(self, mask: Any, x: Any, y: Any) -> Traced:
        """``np.where`` on the bits of numbers, which is ten times as fast."""
        known = x.dtype == y.dtype and x.dtype.itemsize in BITS
        if (
            not known
            or x.dtype.kind not in "fiu"
            or mask.dtype != bool
            or not isinstance(mask, Traced)
        ):
            raise NoTape
        if _is_zero(y):
            return self._note(keep, [x, self._note(bits_if, [mask], INT8)], x.dtype)
        if _is_zero(x):
            return self._note(keep, [y, self._note(bits_unless, [mask], INT8)], x.dtype)
        both = BITS[x.dtype.itemsize]
        between = self._note(differ, [x, y], both)
        chosen = [between, self._note(bits_if, [mask], INT8)]
        changed = self._note(np.bitwise_and, chosen, both)
        return self._note(change, [y, changed], y.dtype)

    def _note(
        self, f: Callable[..., Any], args: Sequence[Any], dtype: DType,
        dims: Any = None, inplace: bool = True,
    ) -> Traced:  # fmt: skip
        elementwise = dims is None
        if elementwise:
            dims = np.broadcast_shapes(*[np.shape(x) for x in args])
        given = tuple([Ref(x.place) if isinstance(x, Traced) else x for x in args])
        self.calls.append(Call(f, given, dims, dtype, inplace, elementwise))
        return Traced(self.calls, len(self.calls) - 1, dims, dtype)

    def _reduce(
        self, ufunc: Any, x: Any, axis: Any = None, *, keepdims: bool = False,
        dtype: Any = None, initial: Any = None,
    ) -> Any:  # fmt: skip
        if x is not self or dtype not in (None, self.dtype) or self.dtype.kind != "f":
            raise NoTape
        axes = range(self.ndim) if axis is None else np.atleast_1d(axis)
        gone = tuple(sorted({int(a) % self.ndim for a in axes}))
        kept = [1 if i in gone else n for i, n in enumerate(self.shape)]
        dims = kept if keepdims else [n for i, n in enumerate(kept) if i not in gone]
        if not gone:
            raise NoTape
        least = {np.maximum: -np.inf, np.minimum: np.inf}.get(ufunc)
        if initial == least and all(self.shape[a] for a in gone):
            initial = None  # it changes nothing, and is slow
        f: Any = _reducer(ufunc, gone, keepdims, initial)
        args: tuple[Any, ...] = (x,)
        columns = self.shape[-1] if gone == (self.ndim - 1,) else 0
        if least is not None and initial is None and 1 < columns <= COLUMNS:
            f = _by_columns(ufunc, columns, keepdims)
        elif not keepdims and initial is None:
            f, args = ufunc.reduce, (x, gone, None)
        return self._note(f, args, self.dtype, tuple(dims), inplace=False)

    def __array__(self, *args: Any, **options: Any) -> Any:
        raise NoTape

    def __bool__(self) -> bool:
        raise NoTape

    def __len__(self) -> int:
        raise NoTape

    def astype(self, dtype: Any, copy: bool = True) -> Traced:
        """Itself, if that is its dtype already."""
        if self.dtype != dtype:
            raise NoTape
        return self


ASKED: dict[Any, Callable[[Traced], Any]] = {
    np.ndim: lambda x: x.ndim,
    np.shape: lambda x: x.shape,
    np.iscomplexobj: lambda x: x.dtype.kind == "c",
}
"""What a kernel may ask of an array."""
REDUCTIONS: dict[Any, Any] = {
    np.sum: np.add, np.max: np.maximum, np.min: np.minimum, np.prod: np.multiply,
}  # fmt: skip


COLUMNS = 16
"""Of so many columns, the extreme in each row is found by going through columns."""


@cache
def _by_columns(ufunc: Any, columns: int, keepdims: bool) -> Callable[..., Any]:
    """An extreme along the last axis, which NumPy finds row by row: slow if short."""

    def reduce(x: Any, out: Any) -> None:
        best = out if keepdims else out[..., np.newaxis]
        ufunc(x[..., :1], x[..., 1:2], out=best)
        for i in range(2, columns):
            ufunc(best, x[..., i : i + 1], out=best)

    return reduce


@cache
def _reducer(ufunc: Any, axes: Any, keepdims: bool, initial: Any) -> Callable[..., Any]:
    """A reduction as a function of an array and ``out``; the same for the same."""
    more = {} if initial is None else {"initial": initial}

    def reduce(x: Any, out: Any) -> None:
        ufunc.reduce(x, axes, None, out, keepdims, **more)

    return reduce


def _check(x: Any) -> Any:
    """`x` if it may be an argument: a stand-in, or one number with a dtype."""
    if isinstance(x, Traced | np.generic) or (isinstance(x, np.ndarray) and not x.ndim):
        return x
    raise NoTape


def _is_zero(x: Any) -> bool:
    return not isinstance(x, Traced) and not x.any() and not np.signbit(x)


INT8: DType = np.dtype(np.int8)
BITS: dict[int, DType] = {4: np.dtype(np.int32), 8: np.dtype(np.int64)}
"""The dtype with as many bytes whose bits are looked at."""


def _bits(x: Any) -> Any:
    return x.view(BITS[x.itemsize])


def bits_unless(mask: Any, out: Any) -> None:
    """All bits where the mask is false, else none."""
    np.logical_not(mask, out.view(bool))  # any byte but 0 is true, not just 1
    np.negative(out, out)


def bits_if(mask: Any, out: Any) -> None:
    """All bits where the mask is true, else none."""
    np.logical_not(mask, out.view(bool))
    np.subtract(out, 1, out)


def keep(x: Any, bits: Any, out: Any) -> None:
    """`x` where there are bits, else 0."""
    np.bitwise_and(_bits(x), bits, _bits(out))


def differ(x: Any, y: Any, out: Any) -> None:
    """The bits in which two arrays differ."""
    np.bitwise_xor(_bits(x), _bits(y), out)


def change(x: Any, bits: Any, out: Any) -> None:
    """`x` with these bits changed."""
    np.bitwise_xor(_bits(x), bits, _bits(out))


def _maximum(x: Any, y: Any, out: Any) -> None:
    np.maximum(x, y, out=out)


def _minimum(x: Any, y: Any, out: Any) -> None:
    np.minimum(x, y, out=out)


BY_NAME: dict[Any, Callable[..., Any]] = {
    np.maximum: _maximum,
    np.minimum: _minimum,
}
"""Those that take `out` by its name only."""


def record(
    kernel: Callable[..., Any], specs: Sequence[tuple[Dims, DType]]
) -> Tape | None:
    """The tape of `kernel` for inputs of these shapes and dtypes; None without one."""
    calls: list[Call] = []
    given = [Traced(calls, -1 - i, *spec) for i, spec in enumerate(specs)]
    try:
        result = kernel(*given)
    except Exception:  # whatever stand-ins cannot do, arrays will
        return None
    results = result if isinstance(result, list | tuple) else [result]
    if not all(isinstance(r, Traced) and r.place >= 0 for r in results):
        return None
    return Tape(calls, [r.place for r in results])
