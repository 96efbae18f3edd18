"""Tapes: what a kernel does, as a list of NumPy calls that can write into buffers.

A kernel is plain NumPy, and makes a new array for each result. It is called once with
stand-ins that note each ufunc. The tape repeats the same ufuncs with ``out=``, so that
the numbers are the same. A kernel that does more than that has no tape.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin

DType = np.dtype[Any]
PYTHON = (bool, int, float, complex)


class NoTape(Exception):
    """The kernel is no list of ufuncs."""


class Call(NamedTuple):
    """A ufunc with its arguments: other calls' results, inputs, or plain numbers."""

    ufunc: Callable[..., Any]
    args: tuple[Any, ...]
    dtype: DType


class Tape(NamedTuple):
    """The calls in order, and the outputs: numbers of calls, or inputs as they are.

    An int below 0 in `args` and `outputs` is an input (-1 the first), others a call.
    """

    calls: list[Call]
    outputs: list[int]


class Ref(NamedTuple):
    """An argument of a call that is not a plain number."""

    place: int


class Traced(NDArrayOperatorsMixin):
    """Stands for an array of some dtype in a kernel, and notes what is done with it."""

    def __init__(self, calls: list[Call], index: int, dtype: DType, rank: int) -> None:
        self.calls, self.index, self.dtype, self.ndim = calls, index, dtype, rank

    def __array_ufunc__(
        self, ufunc: np.ufunc, method: str, *inputs: Any, **options: Any
    ) -> Any:
        if method != "__call__" or options or ufunc.nout != 1 or ufunc.signature:
            raise NoTape
        kinds = [type(x) if type(x) in PYTHON else _check(x).dtype for x in inputs]
        dtype = ufunc.resolve_dtypes((*kinds, None))[-1]
        return self._note(BY_NAME.get(ufunc, ufunc), inputs, dtype)

    def _note(self, f: Callable[..., Any], args: Sequence[Any], dtype: DType) -> Traced:
        given = [Ref(x.index) if isinstance(x, Traced) else x for x in args]
        self.calls.append(Call(f, tuple(given), dtype))
        rank = max(x.ndim for x in args if isinstance(x, Traced))
        return Traced(self.calls, len(self.calls) - 1, dtype, rank)

    def __array_function__(
        self, function: Any, types: Any, args: Any, options: Any
    ) -> Any:
        if options or function not in (np.where, np.zeros_like, np.ones_like, np.ndim):
            raise NoTape
        if function is np.ndim:
            return self.ndim
        if function is not np.where:  # what it meets has the shape
            return np.full((), function is np.ones_like, self.dtype)
        mask, x, y = map(_check, args)
        if mask.dtype != bool or x.dtype != y.dtype or not isinstance(mask, Traced):
            raise NoTape
        return self._note(choose, args, x.dtype)

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


def _check(x: Any) -> Any:
    """`x` if it may be an argument: a stand-in, or one number with a dtype."""
    if isinstance(x, Traced | np.generic) or (isinstance(x, np.ndarray) and not x.ndim):
        return x
    raise NoTape


def choose(mask: Any, x: Any, y: Any, out: Any) -> None:
    """``np.where`` into `out`, which is none of the others."""
    np.copyto(out, y)
    np.copyto(out, x, where=mask)


def _maximum(x: Any, y: Any, out: Any) -> None:
    np.maximum(x, y, out=out)


def _minimum(x: Any, y: Any, out: Any) -> None:
    np.minimum(x, y, out=out)


BY_NAME: dict[Any, Callable[..., Any]] = {np.maximum: _maximum, np.minimum: _minimum}
"""Those that take `out` by its name only."""


def record(
    kernel: Callable[..., Any], specs: Sequence[tuple[int, DType]]
) -> Tape | None:
    """The tape of `kernel` for inputs of these ranks and dtypes; None without one."""
    calls: list[Call] = []
    given = [Traced(calls, -1 - i, x, rank) for i, (rank, x) in enumerate(specs)]
    try:
        result = kernel(*given)
    except Exception:  # whatever stand-ins cannot do, arrays will
        return None
    results = result if isinstance(result, list | tuple) else [result]
    if not all(isinstance(r, Traced) for r in results) or not calls:
        return None
    return Tape(calls, [r.index for r in results])
