"""Passes: each takes a program to an equal one that does less.

What they rely on are graph and feeds alone, never what else is fetched. No float sum is
put in another order.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .program import Node, Program, Value

Pass = Callable[[Program], Program]
LARGEST = 1 << 16
"""Larger constants are not folded from smaller ones, in bytes."""


def fold(program: Program) -> Program:
    """Compute before the run what needs nothing of it: constants, and known shapes."""
    nodes = []
    folded = 0
    for node in program.nodes:
        found = _folded(node) if node.pure else None
        if found is None:
            nodes.append(node)
            continue
        folded += 1
        for value, array in zip(node.outputs, found, strict=True):
            value.constant, value.spec = array, (array.shape, array.dtype)
    note = f"fold: {folded} operations need no run" if folded else ""
    return program.rewritten(nodes, {}, note)


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
    instead: dict[Value, Value] = {}
    nodes = []
    for node in program.nodes:
        inputs = tuple([instead.get(v, v) for v in node.inputs])
        key = (node.type, tuple(map(_key, inputs)), _frozen(node.attrs))
        try:
            known = seen.setdefault(key, node) if node.pure else node
        except TypeError:
            known = node
        if known is node:
            nodes.append(node)
        else:
            instead.update(zip(node.outputs, known.outputs, strict=True))
    count = len(program.nodes) - len(nodes)
    note = f"merge: {count} operations were there already" if count else ""
    return program.rewritten(nodes, instead, note)


def _key(value: Value) -> Any:
    x = value.constant
    if isinstance(x, np.ndarray) and x.size == 1 and x.dtype.kind != "O":
        return x.shape, x.dtype, x.tobytes()
    return value


def _frozen(x: Any) -> Any:
    """Attributes as part of a key."""
    if isinstance(x, dict):
        return tuple([(k, _frozen(v)) for k, v in x.items()])
    if isinstance(x, list | tuple):
        return tuple(map(_frozen, x))
    if isinstance(x, slice):
        return "slice", x.start, x.stop, x.step
    if isinstance(x, np.ndarray):
        return x.shape, x.dtype, x.tobytes()
    return type(x), x


def simplify(program: Program) -> Program:
    """Leave out what gives its input: identities, casts to the same, times one."""
    instead: dict[Value, Value] = {}
    nodes: list[Node] = []
    for node in program.nodes:
        inputs = [instead.get(v, v) for v in node.inputs]
        rule = SAME.get(node.type)
        same = rule(node, inputs) if rule and node.pure else None
        if same is None:
            nodes.append(node)
        else:
            instead[node.outputs[0]] = same
    count = len(program.nodes) - len(nodes)
    note = f"simplify: {count} operations give what they get" if count else ""
    return program.rewritten(nodes, instead, note)


Rule = Callable[[Node, list[Value]], Value | None]


def _first(node: Node, inputs: list[Value]) -> Value | None:
    return inputs[0]


def _first_of_one(node: Node, inputs: list[Value]) -> Value | None:
    return inputs[0] if len(inputs) == 1 else None


def _first_if_alike(node: Node, inputs: list[Value]) -> Value | None:
    """The first input if the result has its shape and dtype."""
    x, out = inputs[0], node.outputs[0]
    return x if x.known and x.spec == out.spec else None


def _without(*sides: tuple[int, float]) -> Rule:
    """The other of two inputs, where one is that number."""

    def rule(node: Node, inputs: list[Value]) -> Value | None:
        for side, number in sides:
            other, constant = inputs[1 - side], inputs[side].constant
            alike = other.known and other.spec == node.outputs[0].spec
            if alike and isinstance(constant, np.ndarray) and _is(constant, number):
                return other
        return None

    return rule


def _is(x: Any, number: float) -> bool:
    if not x.size or (x.size > 1 and any(x.strides)):
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
    nodes = []
    for node in reversed(program.nodes):
        if not node.pure or any(v in needed for v in node.outputs):
            nodes.append(node)
            needed.update(node.inputs)
    count = len(program.nodes) - len(nodes)
    note = f"prune: {count} operations are read by nobody" if count else ""
    return program.rewritten(nodes[::-1], {}, note)


PASSES: list[Pass] = [simplify, fold, simplify, merge, prune]


def improve(program: Program, passes: list[Pass] | None = None) -> Program:
    """The program after all passes, in order."""
    for rewrite in PASSES if passes is None else passes:
        program = rewrite(program)
    return program
