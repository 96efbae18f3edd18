"""The common case of a run that writes: all writes come last."""

from __future__ import annotations

from ..core.graph import Operation, source_kind


def is_plain(order: list[Operation], writers: list[Operation]) -> bool:
    """Whether writes come last: one for each variable, only groups wait for them."""
    waits = set(writers)
    for op in order:
        needs = (*op.control_inputs, *(t.op for t in op.inputs))
        if not waits.isdisjoint(needs):
            if op.type != "NoOp" and not source_kind(op):
                return False
            waits.add(op)
        if op.definition is None and not source_kind(op):
            return not writers
        if op.definition and (op.definition.writes > 1 or not op.definition.reads):
            return False
    written = {op.inputs[0] for op in writers if source_kind(op.inputs[0].op)}
    return len(written) == len(writers)
