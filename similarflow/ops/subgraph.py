"""Sub-graphs: the body of a loop or the branch of a condition, as a graph of its own.

Inside, tensors and variables of the graphs around are captured: a capture stands for
one, and the operation that runs the sub-graph takes it as a further input. Variables
and collections belong to the outermost graph. A sub-graph that computes gradients has a
`source`, the sub-graph to which they belong, and asks for what was computed there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from ..core import messages
from ..core.graph import (
    Constant,
    Dims,
    Graph,
    Operation,
    Spec,
    Tensor,
    convert_to_tensor,
    new_operation,
    source_kind,
)
from ..core.messages import describe, made_at
from ..core.operators import BUILDERS
from ..core.registry import DEFINITIONS, Definition
from ..core.traverse import traverse_postorder
from .outwards import walk_outwards


class SubGraph(Graph):
    """A graph that is run as one step of an operation of the graph around it.

    Parameters
    ----------
    outer : Graph
        The graph around it.
    scope : str
        The prefix of names inside; they are unique in the outermost graph.
    source : SubGraph, optional
        Where the tensors come from whose gradients are computed.
    recall : function, optional
        For a tensor of `source`: the node that stands for it inside.
    """

    walk = walk_outwards

    def __init__(
        self, outer: Graph, scope: str, source: SubGraph | None = None,
        recall: Callable[[Tensor], Tensor] | None = None,
    ) -> None:  # fmt: skip
        super().__init__()
        self.outer, self.source, self.recall = outer, source, recall
        self.outers = (outer, *outer.outers)
        if source is not None:
            self.outers = (source, *self.outers)
        self.scope, self.seed = scope, outer.seed
        self.state, self.collections = outer.state, outer.collections
        self.variables, self._uses_of_name = outer.variables, outer._uses_of_name
        self.device_name, self.finalized = outer.device_name, outer.finalized
        self.gradient_overrides, self.forward = outer.gradient_overrides, outer.forward
        self.captures: dict[Tensor, Tensor] = {}  # from the outer graph's to one's own
        self.origins: dict[Tensor, Tensor] = {}  # and back
        self.waits: dict[Operation, None] = {}  # outer operations that inner wait for
        self.plans: dict[Any, Any] = {}  # the runtime's
        self.closed = False
        self.known: dict[Tensor, Tensor] = {}  # what stands for any tensor around

    @contextmanager
    def open(self) -> Iterator[SubGraph]:
        """Build inside; afterwards nothing can be added any more."""
        with self.as_default():
            yield self
        self.closed = True

    def add(self, op: Operation) -> None:
        """Take a new operation in."""
        if self.closed and op.type != "Const":
            inner = [t for t in op.inputs if t.graph is self]
            what = describe(inner[0]) if inner else f"'{self.scope[:-1]}'"
            raise ValueError(
                f"{op.type} '{op.name}' uses {what}, which is there only inside "
                f"'{self.scope[:-1]}': return it from the function that made it"
                + (f"\n  {made_at(inner[0].op)}" if inner else "")
            )
        super().add(op)

    @contextmanager
    def waiting_for(self, controls: Iterable[Operation]) -> Iterator[None]:
        """As in any graph; what is outside is waited for before all of this one."""
        own = []
        for op in controls:
            if op.graph is self:
                own.append(op)
            else:
                self.waits[op] = None
        with super().waiting_for(own):
            yield

    def capture(self, tensor: Tensor) -> Tensor:
        """`tensor`, or what stands for it inside."""
        if tensor.graph is self:
            return tensor
        inner = self.known.get(tensor)
        if inner is None:
            inner = self.known[tensor] = self._captured(tensor)
        return inner

    def _captured(self, tensor: Tensor) -> Tensor:
        within = tensor.graph is self.source
        if isinstance(tensor, Constant) and (within or _is_plain(tensor)):
            return self._copy(tensor)
        if within and self.recall is not None:
            return self.recall(tensor)
        if isinstance(self.outer, SubGraph):
            tensor = self.outer.capture(tensor)
        elif tensor.graph is not self.outer:
            raise ValueError(messages.two_graphs(tensor, self._some_node()))
        if tensor in self.captures:
            return self.captures[tensor]
        kind = "VariableV2" if source_kind(tensor.op) == "VariableV2" else "Placeholder"
        inner = self.node(tensor.op.name, spec_of(tensor), kind)
        inner.op.owner = tensor.node
        self.captures[tensor], self.origins[inner] = inner, tensor
        return inner

    def _some_node(self) -> Any:
        """What names the sub-graph in an error."""
        return (*self.get_operations(), *self.outer.get_operations())[0]

    def node(self, name: str, spec: Spec, kind: str = "Placeholder") -> Tensor:
        """A new tensor whose value is given when the sub-graph is run."""
        closed, self.closed = self.closed, False
        op = new_operation(
            kind, self.unique_name(name.rsplit("/", maxsplit=1)[-1]), self
        )
        self.closed = closed
        op.set_outputs([spec])
        return op.outputs[0]

    def _copy(self, constant: Constant) -> Constant:
        """A constant of one's own with the same value, which stays known."""
        name = self.unique_name(constant.op.name.split("/")[-1])
        copy = Constant.__new__(Constant)
        op = new_operation("Const", name, self)
        Tensor.__init__(copy, op, 0, spec_of(constant))
        copy.value = constant.value
        op.outputs = (copy,)
        self.constants.append(copy)
        return copy


def _is_plain(constant: Constant) -> bool:
    """Whether no gradient can be asked for: a copy is as good as the constant."""
    return constant.static_dtype is None or constant.static_dtype.kind not in "fc"


def spec_of(tensor: Tensor) -> Spec:
    """What is known of its shape and dtype."""
    return tensor.static_shape, tensor.static_dtype


# Building the operation around it


def written_by(results: Sequence[Tensor]) -> list[Tensor]:
    """The variables of a sub-graph that running it for `results` writes."""
    ops = traverse_postorder(list(results))
    return list(dict.fromkeys(t for op in ops for t, _ in _writes(op)))


def _writes(op: Operation) -> Iterator[tuple[Tensor, Tensor]]:
    """The variables that `op` writes, each with the output that is its new value."""
    count = 0 if op.definition is None else op.definition.writes
    for t, new in zip(op.inputs[:count], op.outputs, strict=False):
        while not source_kind(t.op):
            t = t.op.inputs[t.value_index]
        yield t, new


def _left_by(variable: Tensor, graphs: Sequence[SubGraph]) -> Spec:
    """What is known of a variable's value after `graphs` may have written it."""
    dims, dtype = spec_of(variable)
    inner = [graph.captures.get(variable) for graph in graphs]
    writes = [pair for g in graphs for op in g.operations for pair in _writes(op)]
    new = {t.static_shape for v, t in writes if v in inner}
    return dims if new <= {dims} else None, dtype


def union(graphs: Iterable[SubGraph]) -> list[Tensor]:
    """What the sub-graphs capture, in order."""
    return list(dict.fromkeys(t for graph in graphs for t in graph.captures))


def add_calling(
    type: str, name: str, graph: Graph, inputs: Sequence[Tensor], specs: list[Spec],
    graphs: Sequence[SubGraph], writes: int, **attrs: Any,
) -> Operation:  # fmt: skip
    """Add an operation that runs `graphs`; its first inputs are what it writes."""
    waits = [op for inner in graphs for op in inner.waits]
    specs = [*(_left_by(t, graphs) for t in inputs[:writes]), *specs[writes:]]
    with graph.waiting_for((*graph.controls, *waits)):
        op = new_operation(type, name, graph, inputs, **attrs)
    op.definition = _definition(type, writes, any(_draws(inner) for inner in graphs))
    op.set_outputs(specs)
    return op


def _definition(type: str, writes: int, random: bool) -> Definition:
    definition = DEFINITIONS[type]
    if writes or random:
        definition = replace(definition, writes=writes)
        definition.random = random  # its kernel takes no generator all the same
    return definition


def _draws(graph: SubGraph) -> bool:
    """Whether it is random, and no operation of the user's own may wait in it."""
    definitions = [op.definition for op in graph.operations]
    return None not in definitions and any(d and d.random for d in definitions)


def grow(op: Operation, *specs: Spec) -> tuple[Tensor, ...]:
    """Further outputs of an operation that knows how to give them."""
    new = [Tensor(op, len(op.outputs) + i, spec) for i, spec in enumerate(specs)]
    op.outputs = (*op.outputs, *new)
    return tuple(new)


# Values that go in and come out


def as_leaf(value: Any, dtype: Any = None) -> Tensor:
    """A leaf of what a function returns, as a tensor; a `TensorArray` as its flow."""
    if hasattr(value, "with_flow"):
        value = value.flow
    if hasattr(value, "as_tensor") or hasattr(value, "graph"):
        return convert_to_tensor(value)
    return convert_to_tensor(value, dtype)


def like_leaf(leaf: Any, tensor: Tensor) -> Any:
    """`tensor` in the form of `leaf`."""
    return leaf.with_flow(tensor) if hasattr(leaf, "with_flow") else tensor


def inner_result(graph: SubGraph, value: Any, dtype: Any = None) -> Tensor:
    """What a function returned, as a tensor of the sub-graph."""
    return graph.capture(as_leaf(value, dtype))


def zeros_for(tensor: Tensor) -> Tensor:
    """Zeros of the shape of `tensor`, which is needed only if that is not known."""
    dims, dtype = spec_of(tensor)
    if dims is None or None in dims or dtype is None:
        return BUILDERS["zeros_like"](tensor)  # type: ignore[no-any-return]
    return BUILDERS["zeros"](dims, dtype)  # type: ignore[no-any-return]


def common_dims(x: Dims, y: Dims) -> Dims:
    """What is known of a shape that is one of two."""
    if x is None or y is None or len(x) != len(y):
        return None
    return tuple([m if m == n else None for m, n in zip(x, y, strict=True)])
