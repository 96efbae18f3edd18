"""Reads and writes of variables in one run: which write a read comes after."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from itertools import pairwise

from ..core.graph import Operation, Tensor, source_kind
from ..core.traverse import traverse_postorder
from .plan import Key, Step

Edges = dict[Operation, list[Operation]]
Seen = dict[Tensor, int]
"""So many writes of each variable."""
Places = dict[Operation, Seen]
"""For each write, the how manieth of its variable it is."""


def written(op: Operation) -> Iterator[tuple[Tensor, Tensor]]:
    """The variables that `op` writes, each with the output that is its new value."""
    if op.definition is not None:
        for i in range(op.definition.writes):
            yield variable_behind(op.inputs[i]), op.outputs[i]


def variable_behind(tensor: Tensor) -> Tensor:
    """The variable that `tensor` is a new value of: ``assign(assign(w, 1), 2)``."""
    while not source_kind(tensor.op):
        tensor = tensor.op.inputs[tensor.value_index]
    return tensor


def order_writes(
    fetches: Sequence[Tensor | Operation],
    order: list[Operation],
    fed: Collection[Tensor],
) -> tuple[list[Step], list[Step], dict[Tensor, Tensor], bool]:
    """Steps in which every read finds the value that it must see.

    Returns
    -------
    early, steps : list
        Steps before and after the point where variables are locked.
    writes : dict
        From each written variable to the tensor with its last value.
    initialises : bool
        Whether an initializer is among the steps.
    """
    writers: dict[Tensor, list[Operation]] = {}
    for op in order:
        for variable, _ in written(op):
            writers.setdefault(variable, []).append(op)
    for ops in writers.values():
        ops.sort(key=lambda op: (not is_initializer(op), op.number))
    also = _edges(writers, fed)
    if also:
        order = traverse_postorder(fetches, fed, also)
    places: Places = {}
    for variable, ops in writers.items():
        for n, op in enumerate(ops, 1):
            places.setdefault(op, {})[variable] = n
    before = _writes_before(order, places, fed, also)
    stand_ins = _stand_ins(writers, fed)
    steps: list[Step] = []
    for op in order:
        if not source_kind(op):
            targets = [stand_ins.get(t, None if t in fed else t) for t in op.outputs]
            own = places.get(op, {})
            sources = _sources(op, writers, before[op], own, stand_ins, fed)
            steps.append((op, sources, targets))
    last = {v: _result(v, ops[-1], stand_ins) for v, ops in writers.items()}
    early = _early(order, before, fed)
    return (
        [step for step in steps if step[0] in early],
        [step for step in steps if step[0] not in early],
        last,
        any(is_initializer(op) for op in order),
    )


def is_initializer(op: Operation) -> bool:
    """Whether `op` gives a variable its initial value."""
    return op.definition is not None and bool(op.attrs.get("initializer"))


def _edges(writers: dict[Tensor, list[Operation]], fed: Collection[Tensor]) -> Edges:
    """Order that nobody wrote down: among writes of one variable, and of initializers.

    An initial value that reads another variable comes after that one's initializer.
    """
    also: Edges = {}
    for ops in writers.values():
        for earlier, later in pairwise(ops):
            also.setdefault(later, []).append(earlier)
    firsts = {v: ops[0] for v, ops in writers.items() if is_initializer(ops[0])}
    for variable, first in firsts.items():
        for op in traverse_postorder(first.inputs[1], fed):
            for t in op.inputs:
                if t in firsts and t is not variable and t not in fed:
                    also.setdefault(op, []).append(firsts[t])
        source = first.inputs[1]
        if source in firsts and source is not variable and source not in fed:
            also.setdefault(first, []).append(firsts[source])
    return also


def _writes_before(
    order: list[Operation], places: Places, fed: Collection[Tensor], also: Edges
) -> dict[Operation, Seen]:
    """For each operation, how many writes of each variable it waits for."""
    none: Seen = {}
    before: dict[Operation, Seen] = {}
    for op in order:
        waits = none
        needs = [t.op for t in op.inputs if t not in fed]
        for need in (*needs, *op.control_inputs, *also.get(op, ())):
            seen = before.get(need, none)
            if need in places:
                seen = {**seen, **places[need]}
            if seen is not waits:  # most often they are one and the same
                waits = _later(waits, seen)
        before[op] = waits
    return before


def _later(x: Seen, y: Seen) -> Seen:
    """For each variable the later of two places."""
    if not x or not y:
        return x or y
    more = {v: n for v, n in y.items() if n > x.get(v, 0)}
    return {**x, **more} if more else x


def _sources(
    op: Operation, writers: dict[Tensor, list[Operation]], seen: Seen, own: Seen,
    stand_ins: dict[Tensor, Tensor], fed: Collection[Tensor],
) -> list[Key]:  # fmt: skip
    """Where `op` finds its inputs: at the latest write that it waits for."""
    writes = 0 if op.definition is None else op.definition.writes
    sources: list[Key] = []
    for i, t in enumerate(op.inputs):
        count = 0 if t in fed else seen.get(t, 0)
        if i < writes and t not in fed:  # it replaces what the write before it left
            t = variable_behind(t)
            count = own[t] - 1
        found = _result(t, writers[t][count - 1], stand_ins) if count else t
        sources.append(found)
    if op.definition is not None and not op.definition.reads:
        sources[:writes] = [None] * writes
    return sources


def _result(variable: Tensor, op: Operation, stand_ins: dict[Tensor, Tensor]) -> Tensor:
    """Where the value is that `op` gives to `variable`."""
    output = dict(written(op))[variable]
    return stand_ins.get(output, output)


def _stand_ins(
    writers: dict[Tensor, list[Operation]], fed: Collection[Tensor]
) -> dict[Tensor, Tensor]:
    """Other places for results of writes that are fed: both values are needed."""
    return {
        t: Tensor(t.op, t.value_index, (t.static_shape, t.static_dtype))
        for ops in writers.values()
        for op in ops
        for _, t in written(op)
        if t in fed
    }


def _early(
    order: list[Operation],
    before: dict[Operation, Seen],
    fed: Collection[Tensor],
) -> set[Operation]:
    """What the user's own operations need, as far as it waits for no write.

    It runs before variables are locked: an own operation may wait for other threads.
    """
    own = [
        op
        for op in order
        if op.definition is None and not source_kind(op) and not before[op]
    ]
    return set(traverse_postorder(own, fed)) if own else set()
