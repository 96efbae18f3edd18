"""Binding: the nodes of a program, with known shapes, become calls.

Most by the calls that their kernel makes (`by_tape`), some by a maker, all others by
the kernel as it is written. Which arrays the calls get is settled in ``bound.py``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from .program import Node, Program, Value, frozen
from .regions import THREADS, grouped
from .tape import Call, Ref, Tape, record

TAPES = 4096
"""So many tapes are kept."""


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
    kind: str = "call"  # or one of those above
    elementwise: bool = False
    outs: Sequence[Value] = ()  # of a kind that has several
    size: int = 0  # of arrays of its own, in bytes


class Binder:
    """Collects calls for the nodes of a program; see `collect`."""

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


def _copying(f: Callable[..., Any], lent: Sequence[int], *args: Any) -> Any:
    """Call `f` with copies of some arguments, whose arrays will be written again."""
    given = [*args]
    for i in lent:
        given[i] = copied(args[i])
    return f(*given)


def copied(value: Any) -> Any:
    """A copy of an array; what stands for a value that is not there stays itself."""
    return np.array(value) if isinstance(value, np.ndarray | np.generic) else value
