"""Passes: each takes a program to an equal one that does less.

What they rely on are graph and feeds alone, never what else is fetched. No float sum is
put in another order.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import replace
from typing import Any

import numpy as np

from .program import Node, Program, Value, frozen

Pass = Callable[[Program], Program]
LARGEST = 1 << 16
"""Larger constants are not folded from smaller ones, in bytes."""
NAMED = 4
"""So many operations a note names."""


def _note(name: str, done: Sequence[str], one: str, many: str) -> str:
    """What the pass `name` did, with some of what it was done to."""
    if not done:
        return ""
    what = f"1 operation {one}" if len(done) == 1 else f"{len(done)} operations {many}"
    rest = [f"{len(done) - NAMED} more"] if len(done) > NAMED else []
    return f"{name}: {what} ({', '.join([*done[:NAMED], *rest])})"


def fold(program: Program) -> Program:
    """Compute before the run what needs nothing of it: constants, and known shapes."""
    nodes = []
    done = []
    instead: dict[Value, Value] = {}
    for node in program.nodes:
        node = node.reading(instead)
        found = _folded(node) if node.pure else None
        if found is None:
            nodes.append(node)
            continue
        done.append(node.op.name)
        for value, array in zip(node.outputs, found, strict=True):
            spec = array.shape, array.dtype
            instead[value] = Value(value.name, spec, array, value.tensor)
    note = _note("fold", done, "needs no run", "need no run")
    return program.rewritten(nodes, instead, note)


def _folded(node: Node) -> list[Any] | None:
    shaped = SHAPED.get(node.type)
    if shaped is not None and len(node.outputs) == 1:
        found = shaped(node)
        if found is not None:
            return [found]
    if not node.inputs or any(v.constant is None for v in node.inputs):
        return None
    if not all(isinstance(v.constant, np.ndarray) for v in node.inputs):
        return None  # a weak number, which takes the dtype that it meets
    if not all(v.known for v in node.outputs) or not node.plain:
        return None
    size = sum(v.size for v in node.outputs)
    if size > max(LARGEST, *(v.size for v in node.inputs)):
        return None
    try:
        result = node.kernel(*[v.constant for v in node.inputs])
    except Exception:  # it fails in the run, and says how
        return None
    results = result if isinstance(result, list | tuple) else [result]
    arrays = [np.asarray(r) for r in results]
    for array, v in zip(arrays, node.outputs, strict=True):
        if (array.shape, array.dtype) != v.spec:
            return None
    return arrays


def _shape(node: Node) -> Any:
    dims = node.inputs[0].spec[0]
    if dims is None or None in dims:
        return None
    return np.array(dims, node.outputs[0].dtype)


def _uniform(number: float) -> Callable[[Node], Any]:
    def full(node: Node) -> Any:
        (out,) = node.outputs
        if not out.known:
            return None
        return np.broadcast_to(np.array(number, out.dtype), out.dims)  # takes no room

    return full


def _spread(node: Node) -> Any:
    """A constant in the shape of something known, if it is one number."""
    x, out = node.inputs[0].constant, node.outputs[0]
    if not isinstance(x, np.ndarray) or not out.known:
        return None
    if x.size != 1 and any(x.strides):
        return None
    number = x.reshape(-1)[:1].reshape(()) if x.size else np.zeros((), x.dtype)
    return np.broadcast_to(number, out.dims)


SHAPED: dict[str, Callable[[Node], Any]] = {
    "Shape": _shape,
    "ZerosLike": _uniform(0),
    "OnesLike": _uniform(1),
    "BroadcastLike": _spread,
}
"""What is known as soon as shapes are."""


def merge(program: Program) -> Program:
    """Compute once what is the same: type, attributes and inputs are equal."""
    seen: dict[Any, Node] = {}
    instead = _equal_constants(program)
    also: dict[Node, list[str]] = {}
    nodes = []
    for node in program.nodes:
        key = (*_what(node), *[instead.get(v, v) for v in node.inputs])
        try:
            known = seen.setdefault(key, node) if node.pure else node
        except TypeError:
            known = node
        if known is node:
            nodes.append(node)
        else:
            instead.update(zip(node.outputs, known.outputs, strict=True))
            also.setdefault(known, []).append(node.op.name)
    done = [f"{name} is {n.op.name}" for n, names in also.items() for name in names]
    note = _note("merge", done, "was there already", "were there already")
    nodes = [_standing_for(n, also[n]) if n in also else n for n in nodes]
    return program.rewritten(nodes, instead, note)


SMALL = 1 << 10
"""Constants up to this size are compared, in bytes."""


def _equal_constants(program: Program) -> dict[Value, Value]:
    """For each small constant the first that is the same to the last bit."""
    first: dict[Any, Value] = {}
    instead: dict[Value, Value] = {}
    for value in dict.fromkeys([v for n in program.nodes for v in n.inputs]):
        x = value.constant
        if isinstance(x, np.ndarray) and x.nbytes <= SMALL and x.dtype.kind != "O":
            same = first.setdefault((x.shape, x.dtype, x.tobytes()), value)
            if same is not value:
                instead[value] = same
    return instead


def _standing_for(node: Node, names: list[str]) -> Node:
    """The node with a word on what else it computes."""
    rest = [f"{len(names) - NAMED} more"] if len(names) > NAMED else []
    also = f"also {', '.join([*names[:NAMED], *rest])}"
    return replace(node, why=f"{node.why}; {also}" if node.why else also)


def _what(node: Node) -> tuple[Any, ...]:
    """What a node computes: of an own operation also its class, and what it holds."""
    own = node.op.definition is None
    held = (type(node.op), frozen(getattr(node.op, "__dict__", {}))) if own else ()
    return (node.type, frozen(node.attrs), *held)


def simplify(program: Program) -> Program:
    """Leave out what gives its input: identities, casts to the same, times one."""
    instead: dict[Value, Value] = {}
    nodes: list[Node] = []
    done = []
    for node in program.nodes:
        inputs = [instead.get(v, v) for v in node.inputs]
        rule = SAME.get(node.type)
        same = rule(node, inputs) if rule and node.pure else None
        if same is None:
            nodes.append(node)
        else:
            instead[node.outputs[0]] = same
            done.append(f"{node.op.name} is {same.name}")
    note = _note("simplify", done, "gives what it gets", "give what they get")
    return program.rewritten(nodes, instead, note)


Rule = Callable[[Node, list[Value]], Value | None]


def _first(node: Node, inputs: list[Value]) -> Value | None:
    return inputs[0]


def _first_of_one(node: Node, inputs: list[Value]) -> Value | None:
    return inputs[0] if len(inputs) == 1 else None


def _first_if_alike(node: Node, inputs: list[Value]) -> Value | None:
    """The first input if the result has its shape and dtype."""
    return inputs[0] if _alike(inputs[0], node.outputs[0]) else None


def _alike(x: Value, y: Value) -> bool:
    """Whether they are known to have one shape and one dtype."""
    return x.known and y.known and x.spec == y.spec  # None == np.dtype("float64")!


def _without(*sides: tuple[int, float]) -> Rule:
    """The other of two inputs, where one is that number."""

    def rule(node: Node, inputs: list[Value]) -> Value | None:
        for side, number in sides:
            other, constant = inputs[1 - side], inputs[side].constant
            alike = _alike(other, node.outputs[0])
            if alike and isinstance(constant, np.ndarray) and _is(constant, number):
                return other
        return None

    return rule


def _is(x: Any, number: float) -> bool:
    if not x.size or (x.size > 1 and any(x.strides)) or x.dtype.kind not in "fiu":
        return False
    first = x.reshape(-1)[0]
    return bool(first == number) and np.signbit(first) == np.signbit(number)


def _is_known_alike(node: Node, inputs: list[Value]) -> Value | None:
    x, like = inputs
    return x if x.known and x.spec[0] == like.spec[0] else None


SAME: dict[str, Rule] = {
    "Identity": _first,
    "StopGradient": _first,
    "PlaceholderWithDefault": _first_if_alike,
    "EnsureShapeLike": _is_known_alike,
    "SumLike": _is_known_alike,
    "BroadcastLike": _first_if_alike,
    "ReshapeLike": _first_if_alike,
    "Reshape": _first_if_alike,
    "Cast": _first_if_alike,
    "CastLike": _first_if_alike,
    "AddN": _first_of_one,
    "Mul": _without((0, 1.0), (1, 1.0)),
    "RealDiv": _without((1, 1.0)),
    "Sub": _without((1, 0.0)),  # x + 0.0 would turn -0.0 to 0.0
}
"""For types of nodes, which input the result equals; None if it does not."""


def prune(program: Program) -> Program:
    """Leave out what nobody reads, unless it has an effect."""
    needed = {v for v in program.fetches if v} | {*program.writes.values()}
    needed.update(program.asked)
    nodes, done = [], []
    for node in reversed(program.nodes):
        if not node.pure or any(v in needed for v in node.outputs):
            nodes.append(node)
            needed.update(node.inputs)
        else:
            done.append(node.op.name)
    note = _note("prune", done[::-1], "is read by nobody", "are read by nobody")
    return program.rewritten(nodes[::-1], {}, note)


PASSES: list[Pass] = [simplify, fold, simplify, merge, prune]


_off: ContextVar[frozenset[str]] = ContextVar(
    "passes that are off", default=frozenset()
)


@contextmanager
def without(*names: str) -> Iterator[None]:
    """Switch passes off, to see what they are good for, or whether one is wrong.

    What is compiled inside, in this thread, is compiled without them, and stays so.
    A session keeps what it has compiled before; a new one compiles anew.

    Parameters
    ----------
    *names : str
        Of "simplify", "fold", "merge" and "prune".

    Examples
    --------
    >>> import similarflow as sf
    >>> x = sf.Placeholder(sf.float32, [3], name="x")
    >>> y = (x + 1.0) * (x + 1.0)
    >>> len(sf.runtime.explain(y).rows)
    2
    >>> with sf.runtime.without("merge"):
    ...     len(sf.runtime.explain(y).rows)
    3
    """
    known = list(dict.fromkeys(p.__name__ for p in PASSES))
    for name in names:
        if name not in known:
            raise ValueError(
                f"there is no pass {name!r}; give names of {', '.join(known)}"
            )
    token = _off.set(_off.get() | {*names})
    try:
        yield
    finally:
        _off.reset(token)


def improve(program: Program, passes: list[Pass] | None = None) -> Program:
    """The program after all passes, in order.

    Those that were off when the program was first improved stay off: a note says so.
    """
    rewrites = PASSES if passes is None else passes
    for name in dict.fromkeys(p.__name__ for p in rewrites):
        note = f"{name}: switched off"
        if name in _off.get() and note not in program.notes:
            program = program.rewritten(program.nodes, {}, note)
    with np.errstate(all="ignore"):  # nan and inf are results
        for rewrite in rewrites:
            if f"{rewrite.__name__}: switched off" not in program.notes:
                program = rewrite(program)
    return program
