"""Regions: calls that work element by element on large arrays, taken block by block.

What is between two calls of a region stays in the processor's cache, since it is only
as large as a block. From `SHARED` elements on, two threads share the blocks: NumPy
releases the interpreter while it computes.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from functools import cache
from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np

from .buffers import Arena
from .program import Value

if TYPE_CHECKING:
    from .binding import Emit

Array = np.ndarray[Any, np.dtype[Any]]
Dims = tuple[int, ...]
BLOCK = 1 << 15
"""Elements in a block."""
SMALLEST = 1 << 16
"""Smaller arrays are not taken apart."""
SHARED = 1 << 18
"""From so many elements on, two threads share the work."""
THREADS = 2
"""As many as that, unless the session's config says one."""


def grouped(
    emits: Sequence[Emit], kept: set[Value], threads: int = THREADS
) -> list[Emit]:
    """The calls with those in a region replaced by one call of it.

    A call joins those before it on arrays of the same shape. They are taken when
    somebody needs what they give; what does not need it may come before them.
    """
    found: list[Emit] = []
    groups: dict[Dims, list[Emit]] = {}
    made: dict[Value, Dims] = {}  # by which group
    readers = _readers(emits)
    for emit in emits:
        dims = emit.out.dims if emit.out is not None and _suits(emit) else None
        needs = {made.get(x) for x in emit.args if isinstance(x, Value)}
        for other in needs - {None, dims}:
            if other in groups:
                found += _closed(groups.pop(other), readers, kept, threads)
        if dims is None or emit.out is None:
            found.append(emit)
        else:
            groups.setdefault(dims, []).append(emit)
            made[emit.out] = dims
    for group in groups.values():
        found += _closed(group, readers, kept, threads)
    return found


def _readers(emits: Sequence[Emit]) -> dict[Value, int]:
    """How many calls read a value."""
    readers: dict[Value, int] = {}
    for emit in emits:
        for x in {x for x in emit.args if isinstance(x, Value) and x is not emit.out}:
            readers[x] = readers.get(x, 0) + 1
    return readers


def _suits(emit: Emit) -> bool:
    """Whether a call can be taken block by block."""
    out = emit.out
    if emit.kind != "call" or not emit.elementwise or out is None:
        return False
    values = [x for x in emit.args if isinstance(x, Value)]
    if any(x.dtype == np.float16 for x in values):
        return False  # NumPy computes it otherwise where it does not lie in a row
    return prod(out.dims) >= SMALLEST and all(
        x.dims == out.dims or _is_number(x) for x in values
    )


def _is_number(x: Value) -> bool:
    """Whether it is one number, whatever its shape says."""
    if prod(x.dims) == 1:
        return True
    return isinstance(x.constant, np.ndarray) and not any(x.constant.strides)


def _closed(
    group: list[Emit], readers: dict[Value, int], kept: set[Value], threads: int
) -> list[Emit]:
    if len(group) < 2:
        return group
    region = Region(group, readers, kept, threads)
    return [
        group[0]._replace(
            f=region.run, args=[*region.ins, *region.outs], out=None, kind="region",
            inplace=False, outs=region.outs, size=region.bytes,
        )
    ]  # fmt: skip


class Region:
    """Calls on arrays of one shape, to be taken block by block."""

    def __init__(
        self, group: list[Emit], readers: dict[Value, int], kept: set[Value],
        threads: int,
    ) -> None:  # fmt: skip
        inside = _readers(group)
        made = [e.out for e in group if e.out is not None]
        self.outs = [
            v for v in made if v in kept or readers.get(v, 0) > inside.get(v, 0)
        ]
        self.ins = [v for v in inside if v not in made]
        self.size = prod(made[0].dims)
        self._code: list[tuple[Callable[..., Any], list[int]]] = []
        self._literals: list[Any] = []
        between = [v for v in made if v not in self.outs]
        small = {v: Value(v.name, ((BLOCK,), v.dtype)) for v in between}
        blocks = [
            e._replace(
                args=[small.get(x, x) if isinstance(x, Value) else x for x in e.args],
                out=small.get(e.out, e.out) if e.out else None,
            )
            for e in group
        ]
        self._blocks = blocks
        self._temps = [self._make_temps()]
        outer: list[Any] = [*self.ins, *self.outs]
        places = {x: i for i, x in enumerate([*outer, *self._temps[0]])}
        for emit in blocks:
            self._code.append((emit.f, [self._place(x, places) for x in emit.args]))
        self.threads = min(threads, _cores()) if self.size >= SHARED else 1
        if self.threads > 1:
            self._temps.append(self._make_temps())
        self.bytes = sum(x.nbytes for temps in self._temps for x in temps.values())

    def _make_temps(self) -> dict[Value, Array]:
        """The arrays for what is between two calls, for one thread."""
        arena = Arena(self._blocks, self.outs)
        arrays = {}
        for i, emit in enumerate(self._blocks):
            if emit.out is not None and emit.out.spec[0] == (BLOCK,):
                arrays[emit.out] = arena.new(emit.out, emit, i)
            arena.end(i)
        return arrays

    def _place(self, x: Any, places: dict[Any, int]) -> int:
        if isinstance(x, Value):
            return places[x]
        self._literals.append(x)
        return -len(self._literals)  # they are at the end, the last first

    def run(self, *arrays: Any) -> None:
        """Take all blocks of these inputs and outputs."""
        flat = [_flat(x) for x in arrays]
        if self.threads == 1:
            self._span(flat, 0, self.size, self._temps[0])
            return
        half = self.size // 2 // BLOCK * BLOCK
        rest = flat, half, self.size, self._temps[1]
        try:
            other = _pool(os.getpid()).submit(self._silent_span, *rest)
        except RuntimeError:  # Python ends, and starts no thread any more
            self._span(flat, 0, half, self._temps[0])
            self._span(*rest)
            return
        try:
            self._span(flat, 0, half, self._temps[0])
        finally:
            wait([other])
        other.result()

    def _silent_span(self, *span: Any) -> None:
        with np.errstate(all="ignore"):
            self._span(*span)

    def _span(
        self, flat: list[Array], begin: int, end: int, temps: dict[Value, Array]
    ) -> None:
        literals, whole = self._literals[::-1], [*temps.values()]
        for start in range(begin, end, BLOCK):
            stop = min(start + BLOCK, end)
            parts = [x[start:stop] if x.ndim else x for x in flat]
            size = stop - start
            parts += whole if size == BLOCK else [t[:size] for t in whole]
            parts += literals
            for f, places in self._code:
                f(*[parts[i] for i in places])


def _flat(x: Any) -> Array:
    """In one row; one number is one of rank 0."""
    if x.size == 1 or not any(x.strides):
        return np.asarray(x).reshape(-1)[:1].reshape(())
    return np.ascontiguousarray(x).reshape(-1)


@cache
def _cores() -> int:
    """How many cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


@cache
def _pool(process: int) -> ThreadPoolExecutor:
    """The second thread; a forked process has none, and needs one of its own."""
    return ThreadPoolExecutor(1, "similarflow")
