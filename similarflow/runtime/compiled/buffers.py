"""Buffers: which arrays the values between two calls have, shared where they can be.

A buffer is free again when the last call that reads its value is done. The result of a
call that works element by element may take the buffer of an argument that nobody else
reads.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ...core.graph import Tensor
from .program import Value

if TYPE_CHECKING:
    from .binding import Emit

NEVER = 1 << 60


class Arena:
    """Gives values their arrays, call by call, and takes them back."""

    def __init__(self, emits: list[Emit], kept: Iterable[Value]) -> None:
        self.size = 0  # in bytes
        self._free: dict[int, list[np.ndarray[Any, Any]]] = {}
        self._held: dict[Value, np.ndarray[Any, Any]] = {}  # buffers of living values
        self._last = self._last_uses(emits, kept)
        self._ends: dict[int, list[Value]] = {}
        for value, at in self._last.items():
            self._ends.setdefault(at, []).append(value)

    def _last_uses(self, emits: list[Emit], kept: Iterable[Value]) -> dict[Value, int]:
        """For each value the last call that needs its buffer."""
        last: dict[Value, int] = dict.fromkeys(kept, NEVER)
        for i in reversed(range(len(emits))):
            emit = emits[i]
            # what a kernel gives, and what a view is, may look at the inputs' buffers
            outs = emit.outs if emit.kind == "late" else [emit.out]
            shares = emit.kind in ("late", "alias")
            until = max([i, *(last.get(v, i) for v in outs if v)]) if shares else i
            until = NEVER if emit.kind == "final" else until
            for x in emit.args:
                if isinstance(x, Value):
                    last[x] = max(last.get(x, until), until)
        return last

    def new(self, value: Value, emit: Emit, index: int) -> np.ndarray[Any, Any]:
        """The array of `value`, which call `index` writes to."""
        for x in emit.args[:-1] if emit.inplace else ():
            if self._ends_here(x, index) and x.spec == value.spec:
                # the same array, and no other view of its memory, which NumPy would
                # have to compare with it in each call
                array = self._held[value] = self._held.pop(x)
                return array
        raw = self._take(value.size)
        array = self._held[value] = raw.view(value.dtype).reshape(value.dims)
        return array

    def _ends_here(self, x: Any, index: int) -> bool:
        return isinstance(x, Value) and x in self._held and self._last.get(x) == index

    def _take(self, count: int) -> np.ndarray[Any, Any]:
        free = self._free.get(count)
        if free:
            return free.pop()
        self.size += count
        return np.empty(count, np.uint8)

    def end(self, index: int) -> None:
        """Call `index` is made: what it was the last to read is free."""
        for value in self._ends.get(index, ()):
            array = self._held.pop(value, None)
            if array is not None:
                raw = np.empty(0, np.uint8) if array.base is None else array.base
                self._free.setdefault(raw.size, []).append(raw)


LARGE = 1 << 15
"""In bytes; smaller arrays are made anew, which costs nothing."""


class Recycled:
    """Variables' old values, to write new ones into: two arrays take turns.

    An old value is taken only if nobody else holds it: no run that is reading it.
    """

    def __init__(self, writes: Mapping[Tensor, Value], fresh: set[Value]) -> None:
        known = {t: v for t, v in writes.items() if v in fresh and v.size >= LARGE}
        self.variables = [*known]
        self.values = {*known.values()}
        self._places = [*known.values()]
        self._spare: dict[Value, np.ndarray[Any, Any]] = {}

    def new(self, value: Value) -> np.ndarray[Any, Any]:
        """An array for `value`, whatever is in it."""
        spare = self._spare.pop(value, None)
        return np.empty(value.dims, value.dtype) if spare is None else spare

    def take(self, old: Sequence[Any]) -> None:
        """Keep the old values of `variables` that are nobody's by now."""
        pairs = zip(self._places, old, holders(old), strict=True)
        for value, x, count in pairs:
            if count == ALONE and (x.shape, x.dtype) == value.spec:
                flags = x.flags
                if flags.owndata and flags.writeable and flags.c_contiguous:
                    self._spare[value] = x


def holders(arrays: Sequence[Any]) -> list[int]:
    """How many hold each array."""
    return [sys.getrefcount(x) for x in arrays]


ALONE = holders([np.empty(1)])[0]
"""So many hold an array that is in one list alone."""
