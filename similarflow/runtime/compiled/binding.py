"""Binding: a program for known shapes becomes a list of calls with their arrays.

Each call is ``f(*args)`` with arrays that were made before the run. What is another
array in each run is *late*: inputs, results, what has a shape that only a run tells.
It is put into the arguments of the calls that read it, as soon as it is there.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextvars import Context, copy_context
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from ...core.convert import detach, fits as _fits
from .buffers import Arena, Recycled
from .finals import Finals
from .program import Node, Program, Value, frozen
from .regions import THREADS, grouped
from .tape import Call, Ref, Tape, record

Array = np.ndarray[Any, np.dtype[Any]]
Place = tuple[list[Any], int]
"""A list of arguments, and an index in it."""


TAPES = 4096
"""So many tapes are kept."""
MAKING: tuple[Any, ...] = (np.dot, np.add.reduce)
"""They make an array without ``out``, as ufuncs do."""


class Emit(NamedTuple):
    """A call to be: `args` hold values, which become arrays; `out` is written.

    Of the kind "alias", `out` is a view, which `f` makes of an array. What is "late" is
    whatever `f` gives. A "region" takes several calls block by block. What is "final"
    is called in the end, and writes into the array of the variable in front.
    """

    f: Callable[..., Any]
    args: list[Any]
    out: Value | None
    node: Node
    inplace: bool  # whether `out` may be the array of an argument
    kind: str = "call"  # or one of those below
    elementwise: bool = False
    outs: Sequence[Value] = ()  # of a kind that has several
    size: int = 0  # of arrays of its own, in bytes


class Binder:
    """Collects calls for the nodes of a program; see `bind`."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.emits: list[Emit] = []
        self.node: Any = None
        self.made: set[Value] = set()  # values in arrays of the binding's own
        self._known: dict[Any, Value] = {}  # results of calls, to be used again

    def emit(
        self, f: Callable[..., Any], *args: Any, inplace: bool = False,
        elementwise: bool = False,
    ) -> None:  # fmt: skip
        """Call `f` with these arguments, of which the last is written to."""
        node = self.node
        self.made.add(args[-1])
        emit = Emit(f, list(args), args[-1], node, inplace, "call", elementwise)
        self.emits.append(emit)

    def call(self, call: Call, args: Sequence[Any], out: Value | None) -> Value:
        """The result of `call`: in `out`, or where it was computed before."""
        key = (call.f, call.dtype, *map(_hashable, args))
        known = self._known.get(key)
        if known is not None and out is None:
            return known
        if out is None and (number := _now(call, args)) is not None:
            self._known[key] = number
            return number
        out = out or self.temp(call.dims, call.dtype)
        flags = {"inplace": call.inplace, "elementwise": call.elementwise}
        self.emit(call.f, *args, out, **flags)
        self._known[key] = out
        return out

    def tape(
        self, tape: Tape, inputs: Sequence[Value], outs: Mapping[int, Value]
    ) -> list[Value]:
        """The results of all calls of a tape; `outs` says where some are needed."""
        found: list[Value] = []
        for i, call in enumerate(tape.calls):
            args = [
                (found[x.place] if x.place >= 0 else inputs[-1 - x.place])
                if isinstance(x, Ref) else x
                for x in call.args
            ]  # fmt: skip
            found.append(self.call(call, args, outs.get(i)))
        return found

    def alias(self, out: Value, f: Callable[..., Any], x: Value) -> None:
        """Let `out` be a view, which `f` makes of the array of `x`."""
        if x in self.made:
            self.made.add(out)
        self.emits.append(Emit(f, [x], out, self.node, False, "alias"))

    def temp(self, dims: Sequence[int], dtype: Any) -> Value:
        """A value for between two calls."""
        return Value(f"in {self.node.op.name}", (tuple(dims), np.dtype(dtype)))

    def late(
        self, f: Callable[..., Any], args: Sequence[Value], outs: Sequence[Value]
    ) -> None:
        """Call `f` in the run, for whatever it gives: one value, or a list of them."""
        emit = Emit(f, [*args], None, self.node, False, "late", False, outs)
        self.emits.append(emit)

    def final(
        self, f: Callable[..., Any], variable: Value, out: Value, *args: Value,
        flat: bool = False,
    ) -> None:  # fmt: skip
        """Call `f` when all else is done, with the array of `variable` in front.

        It is a function in C that cannot fail, and what it leaves is `out`. If it works
        element by element, the array comes `flat`.
        """
        emit = Emit(f, [variable, *args], out, self.node, False, "final", flat)
        self.emits.append(emit)

    def is_final(self, old: Value, new: Value) -> bool:
        """Whether `new` replaces a variable's `old` value, and nobody reads it."""
        program, variable = self.program, old.variable
        if variable is None or program.writes.get(variable) is not new:
            return False  # fed, or written before in the run
        reads = any(v is new for n in program.nodes for v in n.inputs)
        return not reads and new not in program.fetches


Maker = Callable[[Binder, Node], bool]
"""Emits the calls for a node; False if it can not."""
MAKERS: dict[str, Maker] = {}


def maker(*types: str) -> Callable[[Maker], Maker]:
    """Register how nodes of these types are bound."""

    def register(f: Maker) -> Maker:
        MAKERS.update(dict.fromkeys(types, f))
        return f

    return register


KINDS: list[tuple[Callable[[Node], bool], Maker]] = []
"""Makers for nodes that are told by more than their type."""


def _maker_of_kind(node: Node) -> Maker:
    return next((make for suits, make in KINDS if suits(node)), by_tape)


def collect(
    program: Program, simple: Callable[[Node], Callable[..., Any]], bind: bool = True,
    threads: int = THREADS,
) -> Binder:  # fmt: skip
    """The calls of a program; `simple` gives what computes a node without a buffer."""
    binder = Binder(program)
    for node in program.nodes:
        binder.node = node
        known = bind and all(v.known for v in (*node.inputs, *node.outputs))
        if known and node.op.definition is not None:
            make = MAKERS.get(node.type) or _maker_of_kind(node)
            before = len(binder.emits)
            if not node.op.definition.effects and make(binder, node):
                continue
            del binder.emits[before:]
        f = simple(node)
        lent = [i for i, v in enumerate(node.inputs) if v in binder.made]
        if lent and (node.op.definition is None or node.op.definition.calls):
            f = partial(_copying, f, lent)  # it may keep what it gets
        binder.late(f, node.inputs, node.outputs)
    ends = {v for v in (*program.fetches, *program.writes.values()) if v}
    ends.update(program.asked)
    binder.emits = grouped(_read(binder.emits, ends), ends, threads)
    return binder


def _now(call: Call, args: Sequence[Any]) -> Value | None:
    """The result of a call on numbers that are known already."""
    given = [x.constant if isinstance(x, Value) else x for x in args]
    if call.dims or any(x is None for x in given):
        return None
    result = np.empty((), call.dtype)
    call.f(*given, result)
    return Value("a number", ((), call.dtype), result)


def _hashable(x: Any) -> Any:
    return (x.dtype, x.tobytes()) if hasattr(x, "tobytes") else x


def _read(emits: Sequence[Emit], ends: set[Value]) -> list[Emit]:
    """Those whose result somebody reads; of some values only the shape was needed."""
    needed, found = set(ends), []
    for emit in reversed(emits):
        outs = emit.outs if emit.kind == "late" else [emit.out]
        free = emit.kind in ("call", "alias")
        free = free or (emit.kind == "late" and emit.node.pure)
        if not free or any(v in needed for v in outs):
            found.append(emit)
            needed.update(x for x in emit.args if isinstance(x, Value))
    return found[::-1]


def by_tape(b: Binder, node: Node) -> bool:
    """By the calls of the kernel itself, if it has a tape."""
    tape = tape_of(node)
    if tape is None:
        return False
    outs = dict(zip(tape.outputs, node.outputs, strict=True))
    if len(outs) < len(node.outputs):
        return False  # one call gives two outputs
    if any(v.spec != tape.calls[i][2:4] for i, v in outs.items()):
        return False
    b.tape(tape, node.inputs, outs)
    return True


_TAPES: dict[Any, Tape | None] = {}


def tape_of(node: Node) -> Tape | None:
    """The tape of a node's kernel, recorded once for all nodes like it."""
    known = node.op.definition
    if known is None or not node.plain or known.variadic:
        return None
    specs = [(v.dims, v.dtype) for v in node.inputs]
    key: Any = (node.type, *specs, frozen(node.attrs))
    try:
        return _TAPES[key]
    except KeyError:
        if len(_TAPES) >= TAPES:
            _TAPES.clear()
        tape = _TAPES[key] = record(node.kernel, specs)
        return tape
    except TypeError:  # attributes that cannot be a key
        return record(node.kernel, specs)


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
        return [x if owned else _copy(x) for x, owned in pairs]

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


def _copy(value: Any) -> Any:
    """A copy of an array; what stands for a value that is not there stays itself."""
    return np.array(value) if isinstance(value, np.ndarray | np.generic) else value


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


def _copying(f: Callable[..., Any], lent: Sequence[int], *args: Any) -> Any:
    """Call `f` with copies of some arguments, whose arrays will be written again."""
    given = [*args]
    for i in lent:
        given[i] = _copy(args[i])
    return f(*given)


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
