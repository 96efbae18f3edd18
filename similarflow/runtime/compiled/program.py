"""A program: the steps of a plan, in a form that passes can rewrite.

Values flow between nodes, and nodes are in an order in which inputs come first. A pass
takes a program and gives another one; it changes none that it was given.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import prod
from typing import Any

import numpy as np

from ...core.graph import Constant, Operation, Spec, Tensor
from ..plan import Key, Plan

Array = np.ndarray[Any, np.dtype[Any]]


@dataclass(eq=False, slots=True)
class Value:
    """What flows: what is known of its shape and dtype, and of itself."""

    name: str
    spec: Spec = (None, None)
    constant: Array | None = None
    tensor: Tensor | None = None  # which it is the value of
    opaque: bool = False  # whether it may be no array: the list of a TensorArray
    variable: Tensor | None = None  # whose value from before the run it is

    @property
    def dims(self) -> tuple[int, ...]:
        """The shape, of a value that is `known`."""
        return self.spec[0]  # type: ignore[return-value]

    @property
    def dtype(self) -> np.dtype[Any]:
        """The dtype, of a value that is `known`."""
        return self.spec[1]  # type: ignore[return-value]

    @property
    def size(self) -> int:
        """In bytes, of a value that is `known`."""
        return prod(self.dims) * self.dtype.itemsize

    @property
    def known(self) -> bool:
        """Whether a run can hold no surprise: shape and dtype are known, of numbers."""
        dims, dtype = self.spec
        sized = dims is not None and None not in dims and not self.opaque
        return sized and dtype is not None and dtype.kind != "O"


@dataclass(eq=False, slots=True)
class Node:
    """A step: the operation that it does, or that it stands for."""

    op: Operation
    type: str
    attrs: Mapping[str, Any]
    inputs: tuple[Value, ...]
    outputs: tuple[Value, ...]
    why: str = ""  # what passes did

    @property
    def pure(self) -> bool:
        """Whether it does nothing but compute, so that it may be merged or left out."""
        known = self.op.definition
        if known is None:
            return bool(getattr(self.op, "pure", False))
        harm = known.random or known.writes or known.asks or known.calls
        return not harm and not known.effects

    def reading(self, instead: Mapping[Value, Value]) -> Node:
        """The node with other values for some of its inputs."""
        if not any(v in instead for v in self.inputs):
            return self
        return replace(self, inputs=tuple([instead.get(v, v) for v in self.inputs]))

    @property
    def plain(self) -> bool:
        """Whether its kernel takes the inputs and the attributes, and nothing else."""
        known = self.op.definition
        return known is not None and not (known.calls or known.random or known.asks)

    def kernel(self, *args: Any) -> Any:
        """What it computes, if it is `plain`."""
        return self.op.definition.kernel(*args, **self.attrs)  # type: ignore[union-attr]


@dataclass(eq=False, slots=True)
class Program:
    """What a run does, from its inputs to its fetches and the variables' new values."""

    nodes: list[Node]
    inputs: dict[Tensor, Value]
    fetches: list[Value | None]
    writes: dict[Tensor, Value]
    asked: list[Value]  # what operations give that are fetched, or waited for
    notes: list[str] = field(default_factory=list)

    def rewritten(
        self, nodes: list[Node], instead: Mapping[Value, Value], note: str
    ) -> Program:
        """With these nodes, and other values for some; passes use it in the end."""
        return Program(
            [n.reading(instead) for n in nodes], self.inputs,
            [None if v is None else instead.get(v, v) for v in self.fetches],
            {t: instead.get(v, v) for t, v in self.writes.items()},
            [instead.get(v, v) for v in self.asked],
            [*self.notes, *([note] if note else [])],
        )  # fmt: skip


def program_of(
    plan: Plan, fed: Collection[Tensor], fetched: Collection[Any] = ()
) -> Program:
    """The program of a plan. Its inputs are what is fed, computed early, or read."""
    early = [t for _, _, targets in plan.early for t in targets if t is not None]
    given, reads = {*fed, *early, *plan.reads}, {*plan.reads} - {*fed}
    values: dict[Key, Value] = {}
    inputs: dict[Tensor, Value] = {}

    def value(key: Any) -> Value:
        found = values.get(key)
        if found is None:
            found = values[key] = Value(key.name, (key.static_shape, key.static_dtype))
            found.tensor = key
            if key in given:
                inputs[key] = found
                found.variable = key if key in reads else None
            elif isinstance(key, Constant):
                found.constant = key.value
        return found

    nodes = []
    for op, sources, targets in plan.steps:
        pairs = zip(sources, op.inputs, strict=True)
        ins = tuple([_nothing(t) if k is None else value(k) for k, t in pairs])
        pairs = zip(targets, op.outputs, strict=False)  # a loop may have grown
        outs = tuple([Value("") if t is None else value(t) for t, _ in pairs])
        for out, tensor in zip(outs, op.outputs, strict=False):
            out.name = out.name or f"{tensor.name} (fed)"
            out.opaque = _may_be_opaque(op, tensor)
        nodes.append(Node(op, op.type, op.attrs, ins, outs))
    fetches = [None if key is None else value(key) for key in plan.fetches]
    writes = {t: value(source) for t, source in plan.writes.items()}
    order = dict.fromkeys([*fed, *early, *plan.reads])
    asked = {*fetched} | {c for op, _, _ in plan.steps for c in op.control_inputs}
    return Program(
        nodes, {t: inputs[t] for t in order if t in inputs}, fetches, writes,
        [v for node in nodes if node.op in asked for v in node.outputs],
    )  # fmt: skip


def _nothing(variable: Tensor) -> Value:
    """Stands for the old value of a variable that is not read."""
    spec = variable.static_shape, variable.static_dtype
    return Value(f"the old value of {variable.op.name}", spec)


def _may_be_opaque(op: Operation, tensor: Tensor) -> bool:
    """Whether it may be the list of a `TensorArray`, which has the form of a number."""
    calls = op.definition is None or op.definition.calls
    return (calls or op.type.startswith("TensorArray")) and tensor.static_shape == ()


def specialised(program: Program, specs: Sequence[Spec]) -> Program:
    """The program for inputs of these shapes and dtypes: with all that follows."""
    new: dict[Value, Value] = {}
    for (key, value), spec in zip(program.inputs.items(), specs, strict=True):
        new[value] = Value(value.name, spec, None, key, variable=value.variable)
    nodes = []
    for node in program.nodes:
        ins = tuple([new.get(v, v) for v in node.inputs])
        found = _trusted(node, ins, inferred(node, ins))
        outs = tuple([
            Value(v.name, spec, None, v.tensor, v.opaque or _passes_on(node, ins))
            for v, spec in zip(node.outputs, found, strict=True)
        ])  # fmt: skip
        new.update(zip(node.outputs, outs, strict=True))
        nodes.append(replace(node, inputs=ins, outputs=outs))
    inputs = {key: new[value] for key, value in program.inputs.items()}
    return Program(
        nodes, inputs,
        [None if v is None else new.get(v, v) for v in program.fetches],
        {t: new.get(v, v) for t, v in program.writes.items()},
        [new.get(v, v) for v in program.asked], program.notes,
    )  # fmt: skip


def _trusted(node: Node, inputs: Sequence[Value], specs: list[Spec]) -> list[Spec]:
    """What rules say of untyped tensors holds for floats: ints may become floats."""
    kinds = {v.spec[1].kind for v in inputs if v.spec[1] is not None}
    if kinds <= {"f"}:
        return specs
    pairs = zip(specs, node.op.outputs, strict=False)
    return [
        (dims, None if t.static_dtype is None else dtype) for (dims, dtype), t in pairs
    ]


def _passes_on(node: Node, inputs: Sequence[Value]) -> bool:
    """Whether what comes out may be opaque since what comes in is."""
    shared = node.op.definition is None or node.op.definition.shares
    return bool(shared) and any(v.opaque for v in inputs)


class _Nobody:
    """Stands for the operation of a tensor that shape rules see: it tells nothing."""

    type, name, definition, inputs, attrs = "", "", None, (), {"taken": True}


class _Known(Constant):
    """What a shape rule sees of a value that is known already."""

    __slots__ = ()

    def __init__(self, value: Any, spec: Spec) -> None:
        Tensor.__init__(self, _Nobody, 0, spec)  # type: ignore[arg-type]
        self.value = value


def inferred(node: Node, inputs: Sequence[Value]) -> list[Spec]:
    """What the shape rule says of the outputs, for `inputs`."""
    known = node.op.definition
    unknown: list[Spec] = [(None, None)] * len(node.outputs)
    if known is None or known.calls or any(v.opaque for v in inputs):
        return unknown
    pairs = zip(known.shares, inputs, strict=False)
    dtypes = {v.spec[1] for shares, v in pairs if shares}
    if known.variadic and known.shares != (False,):
        dtypes = {v.spec[1] for v in inputs}
    if len(dtypes) > 1:  # untyped ones may differ, and NumPy decides what comes out
        return unknown
    try:
        specs = known.infer(*map(_seen, inputs), **node.attrs)
    except Exception:  # the run will say what is wrong
        return unknown
    return specs if isinstance(specs, list) else [specs]


def _seen(value: Value) -> Tensor:
    if value.constant is not None:
        return _Known(value.constant, value.spec)
    return Tensor(_Nobody, 0, value.spec)  # type: ignore[arg-type]


def frozen(x: Any) -> Any:
    """Attributes as part of a key."""
    if isinstance(x, dict):
        return tuple([(k, frozen(v)) for k, v in x.items()])
    if isinstance(x, list | tuple):
        return tuple(map(frozen, x))
    if isinstance(x, slice):
        return "slice", x.start, x.stop, x.step
    if isinstance(x, np.ndarray | np.generic):
        return x.shape, x.dtype, x.tobytes()
    if isinstance(x, float | complex):
        return type(x), repr(x)  # 0.0 equals -0.0, and is not the same
    return type(x), x
