"""The order in which a graph is computed: every operation after what it needs."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Any

from .graph import Operation, Tensor


def traverse_postorder(
    fetches: Any,
    fed: Collection[Tensor] = (),
    also: Mapping[Operation, Iterable[Operation]] | None = None,
) -> list[Operation]:
    """All operations that `fetches` need, in post-order: inputs first.

    Parameters
    ----------
    fetches : tensor, operation, variable, or list of them
        Where to start.
    fed : collection of tensors
        Tensors that have a value: what computes them is not needed for them.
    also : mapping, optional
        Further operations that must come before an operation.
    """
    items = fetches if isinstance(fetches, list | tuple) else [fetches]
    items = [i if isinstance(i, Tensor | Operation) else i.as_tensor() for i in items]
    stack = [
        i.op if isinstance(i, Tensor) else i for i in reversed(items) if i not in fed
    ]
    order: list[Operation] = []
    opened: set[Operation] = set()
    done: set[Operation] = set()
    while stack:  # a stack of our own: a chain of 100,000 operations must not recurse
        op = stack.pop()
        if op in done:
            continue
        if op in opened:  # all that it needs was pushed above it, and is done
            done.add(op)
            order.append(op)
            continue
        opened.add(op)
        stack.append(op)
        needs = [*(also or {}).get(op, ()), *op.control_inputs]
        needs += [t.op for t in op.inputs if t not in fed]
        stack += [need for need in reversed(needs) if need not in done]
    return order
