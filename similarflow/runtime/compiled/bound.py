"""A bound program: a flat list of calls ``f(*args)``, with the arrays in their places.

Arrays are made before the run. What is another array in each run is *late*: inputs,
results, what has a shape that only a run tells. It is put into the arguments of the
calls that read it, as soon as it is there.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Sequence
from contextvars import Context, copy_context
from typing import Any

import numpy as np

from ...core.convert import detach, fits as _fits
from .binding import Binder, Emit, copied
from .buffers import Arena, Recycled
from .finals import Finals
from .program import Node, Value

Array = np.ndarray[Any, np.dtype[Any]]
Place = tuple[list[Any], int]
"""A list of arguments, and an index in it."""
MAKING: tuple[Any, ...] = (np.dot, np.add.reduce)
"""They make an array without ``out``, as ufuncs do."""


class Bound:
    """A program with its arrays: what one run at a time can execute."""

    refusal: Exception | None = None
    """Why it could not be bound, so that it is computed as it is written."""

    def __init__(self, binder: Binder, draws: Any) -> None:
        self.program = program = binder.program
        self.draws = draws
        self.emits = binder.emits
        self.steps: list[tuple[Callable[..., Any], Any]] = []
        self.nodes: list[Node] = []  # of each step
        self.arrays: dict[Value, Array] = {}
        self.places: dict[Value, list[Place]] = {}
        outs = [v for v in (*program.fetches, *program.writes.values()) if v]
        made = [e.out for e in self.emits if e.kind == "call"]
        made += [v for e in self.emits if e.kind == "region" for v in e.outs]
        self._fresh = {v for v in made if v is not None} & {*outs}
        self.arena = Arena(self.emits, outs)
        self.recycled = Recycled(program.writes, self._fresh)
        self.finals = Finals()
        for index, emit in enumerate(self.emits):
            self._add(emit, index)
            self.arena.end(index)
        self.results, self.owned = self._ends(program.fetches)
        self.finals.close(program)
        writes = {t: v for t, v in program.writes.items() if v not in self.finals.outs}
        self.targets = [*writes]
        self.writes, self.owned_writes = self._ends([*writes.values()])
        self.entries = [
            (args, i, n)
            for n, v in enumerate(program.inputs.values())
            for args, i in self.places.get(v, ())
        ]
        self.fits = all(
            v.known and _fits(t.static_shape, v.spec[0])
            for t, v in program.writes.items()
        )
        self.size = self.arena.size + sum(e.size for e in self.emits)
        self.light = not (self.finals.calls or self.recycled.variables)
        self._fetches = any(program.fetches)
        self._silent = _silent() if all(n.plain for n in program.nodes) else None
        apart = {id(call) for call in self.finals.calls}
        self.late = [p for places in self.places.values() for p in places]
        self.late = [p for p in self.late if id(p[0]) not in apart]

    def run(self, inputs: Sequence[Any]) -> None:
        """Take all steps; then `outcome` and `changes` give what came out.

        Raises
        ------
        StepError
            From the error of a kernel, with its node and the values of its inputs.
        """
        for args, i, n in self.entries:
            args[i] = inputs[n]
        steps = iter(self.steps)
        try:
            if self._silent is None:
                with np.errstate(all="ignore"):  # nan and inf are results
                    _take(steps)
            else:
                self._silent.run(_take, steps)
        except Exception as error:
            at = len(self.steps) - operator.length_hint(steps) - 1
            if not self.nodes[at].plain:
                raise  # it tells all by itself
            raise StepError(self.nodes[at], *self._values(at)) from error

    def outcome(self) -> list[Any]:
        """The values of the fetched tensors, as the caller's own."""
        if not self._fetches:
            return self.results  # operations alone: all are None
        pairs = zip(self.results, self.owned, strict=True)
        return [None if own is None else _own(x, own) for x, own in pairs]

    def changes(self) -> list[Any]:
        """The variables' new values."""
        if all(self.owned_writes):
            return self.writes
        pairs = zip(self.writes, self.owned_writes, strict=True)
        return [x if owned else copied(x) for x, owned in pairs]

    def forget(self) -> None:
        """Let go of all that belongs to the run."""
        self.draws.generator = None
        for args, i in self.late:
            args[i] = None

    def _values(self, at: int) -> Any:
        f, args = self.steps[at]
        if f is late or f is late_list:
            return [[*args[1]]]
        return [[self._now(v) for v in self.nodes[at].inputs]]

    def _now(self, value: Value) -> Any:
        """The array that a value has in this run."""
        if value.constant is not None:
            return value.constant
        if value in self.arrays:
            return self.arrays[value]
        args, i = self.places[value][0]
        return args[i]

    def _ends(self, values: Sequence[Value | None]) -> tuple[list[Any], list[Any]]:
        """A list for these values, and which of them are new arrays of nobody else."""
        ends: list[Any] = [None] * len(values)
        owned: list[bool | None] = []
        for i, v in enumerate(values):
            owned.append(None if v is None else v in self._fresh)
            if v is not None:
                self._fresh.discard(v)
                self._put(ends, i, v)
        return ends, owned

    def _put(self, args: list[Any], i: int, x: Any) -> bool:
        """Have `x` at place `i` of `args`: now, or in the run; whether in the run."""
        if not isinstance(x, Value):
            args[i] = x
        elif x.constant is not None:
            args[i] = x.constant
        elif x in self.arrays:
            args[i] = self.arrays[x]
        else:
            self.places.setdefault(x, []).append((args, i))
            return True
        return False

    def _add_fresh(self, emit: Emit, out: Value) -> None:
        """A call that makes a new array in each run."""
        places = self.places.setdefault(out, [])
        makes = isinstance(emit.f, np.ufunc) or emit.f in MAKING
        makes = makes and len(out.dims) < 2  # else it may get another order in memory
        makes = makes and out not in self.recycled.values
        given = emit.args[:-1] if makes else emit.args
        args: list[Any] = [None] * len(given)
        if not makes:
            self._step(late, (self.recycled.new, (out,), places), emit.node)
        waits = [self._put(args, i, x) for i, x in enumerate(given)]
        args = args if any(waits) else tuple(args)  # type: ignore[assignment]
        if makes:
            self._step(late, (emit.f, args, places), emit.node)
        else:
            self._step(emit.f, args, emit.node)

    def _add_region(self, emit: Emit, index: int) -> None:
        for out in emit.outs:
            if out in self._fresh:
                places = self.places.setdefault(out, [])
                self._step(late, (self.recycled.new, (out,), places), emit.node)
            else:
                self.arrays[out] = self.arena.new(out, emit, index)
        args: list[Any] = [None] * len(emit.args)
        for i, x in enumerate(emit.args):
            self._put(args, i, x)
        self._step(emit.f, args, emit.node)

    def _add(self, emit: Emit, index: int) -> None:
        if emit.kind == "region":
            return self._add_region(emit, index)
        if emit.kind == "final":
            return self.finals.add(emit, self._put)
        args: list[Any] = [None] * len(emit.args)
        out = emit.out
        if emit.kind == "call" and out is not None:
            if out in self._fresh:
                return self._add_fresh(emit, out)
            elif out not in self.arrays:
                self.arrays[out] = self.arena.new(out, emit, index)
        waits = [self._put(args, i, x) for i, x in enumerate(emit.args)]
        given = args if any(waits) else tuple(args)
        if emit.kind == "call":
            self._step(emit.f, given, emit.node)
        elif emit.kind == "alias" and out is not None and not any(waits):
            self.arrays[out] = view = emit.f(args[0])
            if view.size and not np.may_share_memory(view, args[0]):  # a reshape
                whole = view.reshape(args[0].shape)
                self._step(np.copyto, (whole, args[0]), emit.node)
        else:
            outs = emit.outs if emit.kind == "late" else [out]
            places_of = [self.places.setdefault(v, []) for v in outs if v]
            if len(places_of) == 1:
                self._step(late, (emit.f, given, places_of[0]), emit.node)
            else:
                self._step(late_list, (emit.f, given, places_of), emit.node)

    def _step(self, f: Callable[..., Any], args: Any, node: Node) -> None:
        self.steps.append((f, args))
        self.nodes.append(node)


def _own(value: Any, owned: bool) -> Any:
    return (value if value.ndim else value[()]) if owned else detach(value)


def _take(steps: Iterable[tuple[Callable[..., Any], Any]]) -> None:
    for f, args in steps:
        f(*args)


def _silent() -> Context:
    """A context in which NumPy does not warn; to enter it costs nearly nothing.

    It is one of the engine's own, and not for steps that run a user's functions.
    """
    context = copy_context()
    context.run(np.seterr, all="ignore")
    return context


class StepError(Exception):
    """Carries what a failed step was given."""

    def __init__(self, node: Node, values: list[Any]) -> None:
        super().__init__(node.op.name)
        self.node, self.values = node, values


def late(f: Callable[..., Any], args: Sequence[Any], places: list[Place]) -> None:
    """Call `f`, and put what it gives where it is read."""
    value = f(*args)
    for at, i in places:
        at[i] = value


def late_list(
    f: Callable[..., Any], args: Sequence[Any], places: list[list[Place]]
) -> None:
    """As `late`, for several values."""
    for value, targets in zip(f(*args), places, strict=False):
        for at, i in targets:
            at[i] = value
