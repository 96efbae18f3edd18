"""What explanations and profiles share: a binding that can be watched, and tables."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from ...core.casting import dtype_name
from ...core.graph import Spec
from .binding import Binder, Emit
from .bound import Bound
from .engine import bind
from .program import Program, Value
from .regions import THREADS, Region


class Watched(Bound):
    """A program with its arrays that also knows which call each step is made for."""

    def __init__(self, binder: Binder, draws: Any = None) -> None:
        self.calls: list[tuple[Emit, int, int]] = []
        """Each call with the numbers of its first step and the one after its last."""
        super().__init__(binder, draws)

    def _add(self, emit: Emit, index: int) -> None:
        before = len(self.steps)
        super()._add(emit, index)
        self.calls.append((emit, before, len(self.steps)))

    def written(self, emit: Emit) -> int:
        """How many bytes a call wrote in the run that goes on: none if it is a view."""
        outs = outs_of(emit)
        if emit.kind in ("call", "region"):
            return sum(v.size for v in outs)
        return bytes_of(map(self.value, outs), map(self.value, emit.args))

    def value(self, x: Any) -> Any:
        """What `x` is in the run that goes on; None if nobody reads it."""
        if not isinstance(x, Value) or x.constant is not None or x in self.arrays:
            return self._now(x) if isinstance(x, Value) else x
        places = self.places.get(x)
        return places[0][0][places[0][1]] if places else None


def watched(program: Program, specs: Sequence[Spec], threads: int = THREADS) -> Watched:
    """Bound to inputs of these shapes and dtypes, as `Compiled` binds it."""
    return bind(program, specs, Watched, threads)


def outs_of(emit: Emit) -> list[Value]:
    """What a call gives."""
    if emit.kind == "late":
        return [*emit.outs]
    return [v for v in (emit.out, *emit.outs) if v is not None]


def members(emit: Emit) -> list[Emit]:
    """The calls of a region; any other call is the only one of itself."""
    region = getattr(emit.f, "__self__", None)
    return [*region._blocks] if isinstance(region, Region) else [emit]


def blocks_of(emit: Emit) -> list[Any]:
    """The arrays that a region keeps for what is between two of its calls."""
    region = getattr(emit.f, "__self__", None)
    if not isinstance(region, Region):
        return []
    return [array for temps in region._temps for array in temps.values()]


def bytes_of(outputs: Any, inputs: Any) -> int:
    """How many bytes were written, if what comes out is not part of what went in."""
    given = [x for x in inputs if isinstance(x, np.ndarray)]
    return sum(
        int(y.nbytes)
        for y in outputs
        if isinstance(y, np.ndarray | np.generic)
        and not any(np.may_share_memory(x, y) for x in given)
    )


def call_name(f: Any) -> str:
    """What a step calls, as one would write it: "np.multiply"."""
    function = f.func if isinstance(f, partial) else f
    owner = getattr(function, "__self__", None)
    name = str(getattr(function, "__name__", type(function).__name__)).strip("_")
    if isinstance(owner, np.ufunc):
        return f"np.{owner.__name__}.{name}"
    module = getattr(function, "__module__", None) or ""
    if isinstance(function, np.ufunc) or module.partition(".")[0] == "numpy":
        return f"np.{name}"
    for x in _held(f):
        if isinstance(x, np.ufunc):  # a function of the engine that reduces by it
            return f"np.{x.__name__}.reduce"
    return STANDS_FOR.get(name, name)


def _held(f: Any) -> list[Any]:
    """What a function was made with."""
    cells = getattr(f, "__closure__", None) or ()
    return [*getattr(f, "args", ()), *[cell.cell_contents for cell in cells]]


STANDS_FOR = {"choose": "np.where", "maximum": "np.maximum", "minimum": "np.minimum"}
"""Functions of the engine, and the function of NumPy's that each stands for."""


def result_of(spec: Spec) -> str:
    """Shape and dtype: "(2, ?) float32"."""
    dims, dtype = spec
    shape = "?" if dims is None else str(dims).replace("None", "?")
    return f"{shape} {dtype_name(dtype)}"


def table(rows: Sequence[Sequence[str]], right: Sequence[int] = ()) -> list[str]:
    """Lines of aligned columns, those numbered in `right` to the right."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = []
    for row in rows:
        pairs = enumerate(zip(row, widths, strict=True))
        cells = [c.rjust(n) if i in right else c.ljust(n) for i, (c, n) in pairs]
        lines.append("  ".join(cells).rstrip())
    return lines


def plural(count: int, one: str, many: str = "") -> str:
    """A number and what it counts: "1 step", "2 steps"."""
    return f"{count:,} {one if count == 1 else many or one + 's'}"
