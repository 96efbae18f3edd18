"""The simple engine: the definition of what a run computes.

It does what one would do by hand: take the operations in an order in which inputs come
first, compute each from its inputs' values, and write the results down.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from ..core.graph import Graph, Operation, running
from ..core.lazy import lazy
from .plan import Key, Step

Generator = Callable[[Operation], Any]
messages = lazy(".messages", __package__)
own = lazy(".own", __package__)


def execute(
    graph: Graph, steps: Iterable[Step], values: dict[Key, Any], generator: Generator
) -> None:
    """Take `steps` one by one: read inputs from `values`, put outputs there.

    `generator` gives a random operation what it draws from.
    """
    running.items.append(graph)
    try:
        with np.errstate(all="ignore"):  # nan and inf are results, as in TensorFlow
            for op, sources, targets in steps:
                args = [values[source] for source in sources]
                outputs = compute(op, args, generator)
                # a loop may have grown further outputs since the plan was made
                values.update(zip(targets, outputs, strict=False))
    finally:
        running.items.pop()


def compute(op: Operation, args: list[Any], generator: Generator) -> Sequence[Any]:
    """The values of the outputs of `op`."""
    if op.definition is None or op.definition.calls:
        outputs: Sequence[Any] = own.compute_own(op, args, generator)
        return outputs
    if op.definition.random or op.definition.asks:
        args.insert(0, generator(op))
    try:
        result = op.compute(*args)
    except Exception as error:
        raise messages.kernel_failed(op, args, error) from error
    return (result,) if len(op.outputs) == 1 else list(result)
