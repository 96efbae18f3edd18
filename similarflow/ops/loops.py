"""Loops: a sub-graph that is run again and again, and its gradient, a loop backward.

A loop carries values from one iteration to the next. It can also take a slice of a
sequence in each iteration (`Sequence`), and emit a value in each, which makes a
sequence. What the gradient needs of the iterations is emitted, too: so the gradient is
a loop that takes sequences, and it has a gradient by the same rule.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence as ListLike
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

import numpy as np

from ..core.convert import Array
from ..core.gradients import takes_gradient, walk_back
from ..core.graph import Graph, Operation, Spec, Tensor, graph_of
from ..core.operators import BUILDERS
from ..core.registry import op
from ..core.rules import RegisterGradient
from ..core.table import GradientTable
from .sequences import INT64, Sequence, packed, specs_inside, stacked, unpacked
from .subgraph import (
    SubGraph,
    add_calling,
    grow,
    inner_result,
    spec_of,
    union,
    written_by,
    zeros_for,
)


@dataclass(eq=False)
class Loop:
    """What is run, and how inputs and outputs are laid out.

    Inputs: variables that it writes, what it carries, the limit if it has one, the
    sequences, what it captures. Outputs: the variables, what it carried, the number of
    iterations, what it emitted.
    """

    body: SubGraph
    nodes: list[Tensor]  # what stands for the carried values inside
    results: list[Tensor]  # what becomes of them in an iteration
    sequences: list[Sequence] = field(default_factory=list)
    emitted: list[Tensor] = field(default_factory=list)  # a value in each iteration
    test: SubGraph | None = None  # whether there is another iteration
    test_nodes: list[Tensor] = field(default_factory=list)
    test_result: Tensor | None = None
    backward: bool = False  # whether it begins with the last slices
    limited: bool = False
    differentiable: bool = True
    stacked: set[Tensor] = field(default_factory=set)
    """Emitted tensors that make one tensor even if their shape is not known."""
    like: dict[Tensor, Tensor] = field(default_factory=dict)
    """For an emitted tensor a node of its shape, which a run without iterations has."""
    written: list[Tensor] = field(default_factory=list)  # of the graph around
    captured: list[Tensor] = field(default_factory=list)
    places: dict[Tensor, tuple[Tensor, ...]] = field(default_factory=dict)
    """The outputs where the sequences are that emitted tensors make."""


def add_loop(
    loop: Loop, graph: Graph, name: str, starts: ListLike[Tensor], limit: Any = None,
    type: str = "While",
) -> tuple[list[Tensor], Tensor, list[Tensor]]:  # fmt: skip
    """Add the operation.

    Returns
    -------
    finals : list
        What the loop carried in the end.
    count : tensor
        The number of iterations.
    sequences : list
        For each emitted tensor all its values: a tensor, if the shape is known.
    """
    graphs = [loop.body] if loop.test is None else [loop.body, loop.test]
    ends = [*loop.results, *loop.emitted]
    written = [loop.body.origins[t] for t in written_by(ends)]
    if loop.test is not None and loop.test_result is not None:
        more = [loop.test.origins[t] for t in written_by([loop.test_result])]
        written = list(dict.fromkeys([*written, *more]))
    loop.written = written
    loop.captured = [t for t in union(graphs) if t not in written]
    loop.limited = limit is not None
    if graph.outers:
        for s in loop.sequences:  # as tensors of the graph where the operation stands
            s.tensors = tuple([graph.capture(t) for t in s.tensors])
    slices = [t for s in loop.sequences for t in s.tensors]
    limits = [] if limit is None else [limit]
    inputs = [*written, *starts, *limits, *slices, *loop.captured]
    specs = [*map(spec_of, [*written, *loop.nodes]), ((), INT64)]
    op = add_calling(
        type, name, graph, inputs, specs, graphs, len(written), loop=loop
    )  # fmt: skip
    wanted, loop.emitted = loop.emitted, list(dict.fromkeys(loop.emitted))
    for t in loop.emitted:
        _emit(op, t)
    k = len(written)
    finals = list(op.outputs[k : k + len(loop.nodes)])
    emitted = [loop.places[t][0] for t in wanted]
    return finals, op.outputs[k + len(loop.nodes)], emitted


def _emit(op: Operation, tensor: Tensor) -> tuple[Tensor, ...]:
    """The outputs for an inner tensor's values; made if there are none yet."""
    loop: Loop = op.attrs["loop"]
    if tensor not in loop.places:
        dims, dtype = spec_of(tensor)
        if tensor not in loop.emitted:
            loop.emitted.append(tensor)
        if _is_even(loop, tensor):
            whole = None if dims is None else (_static_count(op), *dims)
            loop.places[tensor] = grow(op, (whole, dtype))
        else:
            loop.places[tensor] = grow(op, ((None,), dtype), ((None,), INT64))
    return loop.places[tensor]


def _is_even(loop: Loop, tensor: Tensor) -> bool:
    """Whether the shape is the same in every iteration."""
    return tensor in loop.stacked or _is_whole(tensor)


def _is_whole(tensor: Tensor) -> bool:
    """Whether all is known of its shape and dtype."""
    dims, dtype = spec_of(tensor)
    return dtype is not None and dims is not None and None not in dims


def _static_count(op: Operation) -> int | None:
    """The number of iterations, if the graph tells."""
    loop: Loop = op.attrs["loop"]
    for s in loop.sequences:
        dims = s.tensors[0].static_shape
        if len(s.tensors) == 1 and dims:
            return dims[0]
    return None


# Running


def _infer(*inputs: Tensor, loop: Loop) -> list[Spec]:
    """What is known of all outputs: more than at first if it is of the inputs."""
    specs = [spec_of(t) for t in inputs]
    variables, starts, _, sequences, captured = _divide(loop, specs)
    given = _start_values(loop.body, captured, variables)
    count = None
    for s, ((dims, dtype), *sizes) in zip(loop.sequences, sequences, strict=True):
        if dims and not sizes:
            count, given[s.node] = dims[0], (dims[1:], dtype)
    steady = {**given, **dict(zip(loop.nodes, starts, strict=True))}
    finals = specs_inside(loop.results, steady)
    if finals != starts:  # later iterations may have other shapes
        finals, steady = [spec_of(t) for t in loop.nodes], given
    outputs = [*variables.values(), *finals, ((), INT64)]
    emitted = list(loop.places)
    for t, (dims, dtype) in zip(emitted, specs_inside(emitted, steady), strict=True):
        if _is_even(loop, t):
            outputs.append((None if dims is None else (count, *dims), dtype))
        else:
            outputs += [((None,), dtype), ((None,), INT64)]
    return outputs


def _divide(loop: Loop, inputs: ListLike[Any]) -> tuple[Any, ...]:
    """Inputs as variables, starts, the limit, sequences and captures."""
    rest = iter(inputs)
    return (
        dict(zip(loop.written, islice(rest, len(loop.written)), strict=True)),
        list(islice(rest, len(loop.nodes))),
        next(rest) if loop.limited else None,
        [list(islice(rest, len(s.tensors))) for s in loop.sequences],
        dict(zip(loop.captured, rest, strict=True)),
    )


@op("While", infer=_infer, same=(), accepts="any", calls=True)
def _while(call: Any, *values: Array, loop: Any = None) -> Any:
    """Run the body as long as the test is true, at most as often as the limit says."""
    variables, carried, given_limit, sequences, captured = _divide(loop, values)
    count = len(carried)
    limit: Any = None if given_limit is None else _as_count(given_limit)
    pairs = zip(loop.sequences, sequences, strict=True)
    slices = [unpacked(s, parts, limit) for s, parts in pairs]
    emitted = list(loop.emitted[: len(loop.places)])
    lists: list[list[Any]] = [[] for _ in emitted]
    given = _start_values(loop.body, captured, variables)
    step = call(loop.body, [*loop.results, *emitted])
    test = None
    if loop.test is not None:
        test = call(loop.test, [loop.test_result])
        test_given = _start_values(loop.test, captured, variables)
    done = 0
    while limit is None or done < limit:
        if test is not None:
            test_given.update(zip(loop.test_nodes, carried, strict=True))
            (more,), new = test(test_given)
            if new:
                _share(loop.test, new, variables, [(loop.body, given)])
                _share(loop.test, new, variables, [(loop.test, test_given)])
            if not np.asarray(more).item():
                break
        at = limit - 1 - done if loop.backward else done
        given.update(zip(loop.nodes, carried, strict=True))
        for s, parts in zip(loop.sequences, slices, strict=True):
            given[s.node] = parts[at]
        found, new = step(given)
        carried = found[:count]
        for t, kept, value in zip(emitted, lists, found[count:], strict=True):
            kept.append(given.get(t, value))
        if new:
            _share(loop.body, new, variables, [(loop.body, given)])
            if test is not None:
                _share(loop.body, new, variables, [(loop.test, test_given)])
        done += 1
    outputs = [*variables.values(), *carried, np.int64(done)]
    for t, kept in zip(emitted, lists, strict=True):
        if loop.backward:
            kept.reverse()
        if not _is_even(loop, t):
            outputs += packed(t, kept)
            continue
        spec = spec_of(t) if done or _is_whole(t) else _spec_without(loop, t, values)
        outputs.append(stacked(spec, kept))
    return outputs


def _spec_without(loop: Loop, tensor: Tensor, values: ListLike[Any]) -> Spec:
    """What is known of an emitted tensor if there has been no iteration."""
    specs: list[Spec] = [(np.shape(v), getattr(v, "dtype", None)) for v in values]
    variables, starts, _, sequences, captured = _divide(loop, specs)
    given = _start_values(loop.body, captured, variables)
    given.update(zip(loop.nodes, starts, strict=True))
    for s, ((dims, dtype), *sizes) in zip(loop.sequences, sequences, strict=True):
        if not sizes:
            given[s.node] = dims[1:], dtype
    return specs_inside([loop.like.get(tensor, tensor)], given)[0]


def _as_count(limit: Any) -> int:
    """The most iterations, which only the run tells."""
    if np.ndim(limit) or np.asarray(limit).dtype.kind not in "iu":
        raise ValueError(f"maximum_iterations is one whole number, not {limit!r}")
    return int(limit)


def _start_values(
    graph: SubGraph, captured: dict[Tensor, Any], variables: dict[Tensor, Any]
) -> dict[Tensor, Any]:
    known = {**captured, **variables}
    return {inner: known[outer] for outer, inner in graph.captures.items()}


def _share(
    graph: SubGraph, new: dict[Tensor, Any], variables: dict[Tensor, Any],
    readers: Iterable[tuple[SubGraph, dict[Tensor, Any]]],
) -> None:  # fmt: skip
    """Let what `graph` wrote be seen from now on."""
    for inner, value in new.items():
        variable = graph.origins[inner]
        variables[variable] = value
        for other, given in readers:
            if variable in other.captures:
                given[other.captures[variable]] = value


# The gradient


class _Backward:
    """Builds the body of a gradient: what it carries, takes and emits."""

    def __init__(self, op: Operation, graph: Graph, scope: str) -> None:
        self.op = op
        self.loop: Loop = op.attrs["loop"]
        self.inner = SubGraph(graph, scope, self.loop.body, self.recall)
        self.nodes: list[Tensor] = []
        self.starts: list[Tensor] = []
        self.sequences: list[Sequence] = []
        self.taken = {s.node: s.tensors for s in self.loop.sequences}
        self.own_writes = [
            self.loop.body.captures.get(v) for v in self.loop.written
        ]  # they differ between iterations

    def carry(self, like: Tensor, start: Tensor) -> Tensor:
        """A value that starts as `start`, of the shape and dtype of `like`."""
        node = self.inner.node(like.op.name, spec_of(like))
        self.nodes.append(node)
        self.starts.append(start)
        return node

    def slice_of(self, like: Tensor, tensors: tuple[Tensor, ...]) -> Tensor:
        """A slice of `tensors` in each iteration."""
        node = self.inner.node(like.op.name, spec_of(like))
        self.sequences.append(Sequence(node, tensors))
        return node

    def recall(self, tensor: Tensor) -> Tensor:
        """What stands for a tensor of the forward body."""
        origin = self.loop.body.origins.get(tensor)
        if origin is not None and tensor not in self.own_writes:
            return self.inner.capture(origin)
        tensors = self.taken.get(tensor)
        return self.slice_of(tensor, tensors or _emit(self.op, tensor))


@RegisterGradient("While")
def _while_grad(op: Operation, *grads: Any) -> Any:
    loop: Loop = op.attrs["loop"]
    if not loop.differentiable:
        return [None] * len(op.inputs)
    around = graph_of([g for g in grads if g is not None])
    name = around.unique_name("While")
    made = _Backward(op, around, f"{name}/")
    with around.as_default():
        carried, ys, seeds = _seeds(made, dict(zip(op.outputs, grads, strict=False)))
    nodes = [loop.nodes[i] for i in carried]
    slices = [s for s in loop.sequences if takes_gradient(s.node)]
    captures = [t for t in loop.body.origins if takes_gradient(t)]
    table = GradientTable()
    with made.inner.open() as inner:
        wanted = {t.node for t in (*nodes, *(s.node for s in slices), *captures)}
        deque(walk_back(table, ys, wanted, seeds, set(), "grad"), maxlen=0)
        results = [_or_zeros(inner, table, node) for node in nodes]
        slices = [s for s in slices if table.get(s.node) is not None]
        emitted = [_like(s.node, inner_result(inner, table[s.node])) for s in slices]
        captures = [t for t in captures if table.get(t) is not None]
        with around.as_default():
            sums = [made.carry(t, zeros_for(loop.body.origins[t])) for t in captures]
        for t, total in zip(captures, sums, strict=True):
            results.append(BUILDERS["add_n"]([total, inner_result(inner, table[t])]))
    back = Loop(
        inner, made.nodes, results, made.sequences, emitted,
        backward=not loop.backward,
    )  # fmt: skip
    pairs = zip(emitted, slices, strict=True)
    even = {t: s.node for t, s in pairs if len(s.tensors) == 1}
    back.stacked = set(even)
    back.like = {t: inner.capture(x) for t, x in even.items() if not _is_whole(t)}
    count = op.outputs[len(loop.written) + len(loop.nodes)]
    with around.as_default():
        finals, _, wholes = add_loop(back, around, name, made.starts, count)
    sequences = dict(zip([s.node for s in slices], wholes, strict=True))
    return _in_order(op, carried, finals, captures, sequences)


def _seeds(
    made: _Backward, arrived: dict[Tensor, Any]
) -> tuple[list[int], list[Tensor], list[Tensor]]:
    """Which carried values have a gradient; where an iteration starts, with what."""
    op, loop = made.op, made.loop
    carried, ys, seeds = [], [], []
    finals = op.outputs[len(loop.written) :]
    for i, (node, final) in enumerate(zip(loop.nodes, finals, strict=False)):
        if takes_gradient(node):
            start = arrived.get(final)
            seeds.append(made.carry(node, zeros_for(final) if start is None else start))
            ys.append(loop.results[i])
            carried.append(i)
    for t, outputs in list(loop.places.items()):
        grad = arrived.get(outputs[0])
        if grad is not None and takes_gradient(t):
            seeds.append(made.slice_of(t, (grad, *outputs[1:])))
            ys.append(t)
    return carried, ys, seeds


def _or_zeros(inner: SubGraph, table: GradientTable, node: Tensor) -> Tensor:
    grad = table.get(node)
    return inner_result(inner, zeros_for(node) if grad is None else grad)


def _like(node: Tensor, grad: Tensor) -> Tensor:
    """`grad`, of which no more is known than of `node`: they go the same way."""
    result: Tensor = BUILDERS["identity"](grad)
    result.static_shape, result.static_dtype = spec_of(node)
    return result


def _in_order(
    op: Operation, carried: list[int], finals: list[Tensor], captures: list[Tensor],
    sequences: dict[Tensor, Tensor],
) -> list[Any]:  # fmt: skip
    """The gradients in the order of the inputs."""
    loop: Loop = op.attrs["loop"]
    starts = dict(zip(carried, finals, strict=False))
    origins = [loop.body.origins[t] for t in captures]
    sums = dict(zip(origins, finals[len(carried) :], strict=True))
    grads: list[Any] = [sums.get(v) for v in loop.written]
    grads += [starts.get(i) for i in range(len(loop.nodes))]
    grads += [None] * loop.limited
    for s in loop.sequences:
        grads += [sequences.get(s.node), *[None] * (len(s.tensors) - 1)]
    return [*grads, *(sums.get(t) for t in loop.captured)]
