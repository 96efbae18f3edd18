"""Gradients in a branch or the body of a loop: on through what it captures."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ..core.gradients import Event, walk_back
from ..core.graph import Graph, Operation, Tensor
from ..core.table import GradientTable
from ..core.traverse import traverse_postorder

Origins = Mapping[Operation, tuple[Operation]]
"""From what stands for a tensor inside to the operation that it comes from."""


def walk_outwards(
    inmost: Graph, table: GradientTable, ys: list[Tensor], wanted: set[Any] | None,
    grad_ys: Sequence[Any] | None, stops: set[Operation], name: str,
) -> Iterator[Event]:  # fmt: skip
    """As `walk_back`, one graph after the other, from the innermost outwards.

    What arrives at a capture is where the walk through the graph around starts.
    """
    graphs = [(g, _origins(g)) for g in (inmost, *inmost.outers)]
    behind = {t.op: (o.op,) for _, origins in graphs for t, o in origins.items()}
    live = None if wanted is None else _leading(ys, wanted, stops, behind)
    ends = list(zip(ys, grad_ys or [None] * len(ys), strict=True))
    for graph, origins in graphs:
        here = [(y, seed) for y, seed in ends if y.graph is graph]
        ends = [(y, seed) for y, seed in ends if y.graph is not graph]
        if here:
            through = [t for t in origins if live is None or t.op in live]
            passed = {t.node: origins[t] for t in through}
            aims = None if wanted is None else wanted | passed.keys()
            found = GradientTable()
            starts, seeds = zip(*here, strict=True)
            yield from walk_back(found, list(starts), aims, seeds, stops, name)
            grads = [(o, found.pop(node, None)) for node, o in passed.items()]
            ends += [(o, grad) for o, grad in grads if grad is not None]
            table.update(found)


def _origins(graph: Graph) -> dict[Tensor, Tensor]:
    """The tensors around for which those of a sub-graph stand."""
    return {inner: t for t, inner in getattr(graph, "known", {}).items()}


def _leading(
    ys: list[Tensor], wanted: set[Any], stops: set[Operation], behind: Origins
) -> set[Operation]:
    """The operations behind `ys` that depend on something wanted."""
    live: set[Operation] = set()
    for op in traverse_postorder(ys, also=behind):
        needs = (*behind.get(op, ()), *(x.op for x in op.inputs))
        leads = op not in stops and not live.isdisjoint(needs)
        if leads or any(t.node in wanted for t in op.outputs):
            live.add(op)
    return live
