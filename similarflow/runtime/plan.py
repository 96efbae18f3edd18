"""A plan: what a run executes for given fetches and feeds.

Only what the fetches need is in it, inputs first. Where each input's value is found is
settled here, so that the engine has no special cases. A session keeps its plans.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any, NamedTuple

from ..core.graph import Constant, Graph, Operation, Tensor, source_kind
from ..core.lazy import lazy
from ..core.traverse import traverse_postorder
from .plain import is_plain

ordering = lazy(".ordering", __package__)
Key = Tensor | None
"""Where a value is found; None for one that nobody reads."""
Step = tuple[Operation, Sequence[Key], Sequence[Key]]
"""An operation, where its inputs are, where its outputs go."""


class Plan(NamedTuple):
    """The steps of a run, what it needs and what it leaves."""

    graph: Graph
    early: list[Step]  # what the user's own operations need; waits for no variable
    steps: list[Step]
    constants: dict[Key, Any]
    reads: list[Tensor]  # variables whose value from before the run is needed
    unfed: list[Tensor]  # placeholders that lack a value
    writes: dict[Tensor, Tensor]  # variables, and where their new values are
    fetches: list[Key]  # where the results are; None for an operation
    initialises: bool
    alone: bool  # whether it changes the session, and so must have it for itself


def make_plan(
    graph: Graph, fetches: Sequence[Tensor | Operation], fed: Collection[Tensor]
) -> Plan:
    """Plan a run that gives `fetches` when the tensors `fed` have values.

    A read of a variable sees its value from before the run, unless the reader must wait
    for a write: then it sees what was written. Writes of one variable go in the order
    in which they were made. A fetched variable is its value at the end.
    """
    order = traverse_postorder(fetches, fed)
    ops = [op for op in order if not source_kind(op)]
    writers = [op for op in ops if op.definition is not None and op.definition.writes]
    early: list[Step] = []
    initialises = False
    results_fed = any(t in fed for op in writers for t in op.outputs)
    if is_plain(order, writers) and not results_fed:
        steps: list[Step] = [
            (op, op.inputs, [None if t in fed else t for t in op.outputs]) for op in ops
        ]
        writes = {op.inputs[0]: op.outputs[0] for op in writers}
    else:
        early, steps, writes, initialises = ordering.order_writes(fetches, order, fed)
    results = [
        None if isinstance(f, Operation) else f if f in fed else writes.get(f, f)
        for f in fetches
    ]
    taken = [t for _, sources, _ in (*early, *steps) for t in sources]
    used: Any = [t for t in (*taken, *results) if t is not None and t not in fed]
    needed = {t: source_kind(t.op) for t in used}
    return Plan(
        graph, early, steps,
        {None: None, **{t: t.value for t in needed if isinstance(t, Constant)}},
        [t for t, kind in needed.items() if kind == "VariableV2"],
        [t for t, kind in needed.items() if kind == "Placeholder"],
        writes, results, initialises, bool(writes) or _draws(ops),
    )  # fmt: skip


def _draws(ops: list[Operation]) -> bool:
    """Whether some are random; own operations may wait for others, and go first."""
    definitions = [op.definition for op in ops]
    return None not in definitions and any(d and d.random for d in definitions)
