"""The last phase of a run: writes into the arrays of variables, all or none.

They are calls of functions in C that have been checked before and cannot fail. One loop
in C makes them all and puts the new values into the session, so that no interrupt comes
between. An array that somebody else holds, a run that is reading it, is left alone: the
variable gets a copy, and that is written to.
"""

from __future__ import annotations

import operator
from collections import deque
from collections.abc import Callable, Mapping
from itertools import starmap
from typing import TYPE_CHECKING, Any

from ...core.graph import Tensor
from .buffers import ALONE, holders
from .program import Program, Value

if TYPE_CHECKING:
    from .binding import Emit


class Finals:
    """The last calls of a binding; each starts with the array of a variable."""

    def __init__(self) -> None:
        self.calls: list[list[Any]] = []
        self.flat: list[bool] = []  # whether a call takes its array so
        self.outs: list[Value] = []
        self.variables: list[Tensor] = []
        self.places: list[int] = []  # of their values among the run's inputs

    def add(self, emit: Emit, put: Callable[[list[Any], int, Any], bool]) -> None:
        """Take a call, whose other arguments are there when the run has come so far."""
        rest = emit.args[1:]
        call: list[Any] = [emit.f, None, *[None] * len(rest)]
        for i, x in enumerate(rest, 2):
            put(call, i, x)
        self.calls.append(call)
        self.flat.append(emit.elementwise)
        if emit.out is not None:
            self.outs.append(emit.out)

    def close(self, program: Program) -> None:
        """All are there; the program tells which variables they write."""
        of = {v: t for t, v in program.writes.items()}
        self.variables = [of[v] for v in self.outs]
        self.places = [[*program.inputs].index(v) for v in self.variables]

    def make(
        self, state: dict[Any, Any], changes: Mapping[Any, Any], arrays: list[Any]
    ) -> None:
        """Make all calls, and put them and `changes` into the session's state.

        `arrays` are what the run has read; the list is used up.
        """
        counts = holders(arrays)
        for i, count in enumerate(counts):
            flags = arrays[i].flags
            kept = state.get(self.variables[i]) is arrays[i] and count == ALONE + 1
            if not (kept and flags.writeable and flags.c_contiguous):
                arrays[i] = arrays[i].copy()
        for call, array, flat in zip(self.calls, arrays, self.flat, strict=True):
            call[1] = array.reshape(-1) if flat else array
        new = {**changes, **dict(zip(self.variables, arrays, strict=True))}
        calls = [*self.calls, [state.update, new]]
        deque(starmap(operator.call, calls), maxlen=0)
        for call in self.calls:
            call[1] = None
