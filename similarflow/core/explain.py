"""Why a gradient is what it is: the way it takes, or what blocks it."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Any

from .graph import Operation, Tensor, convert_to_tensor
from .messages import describe, line_of
from .rules import gradient_registry


def explain_gradient(loss: Any, x: Any) -> str:
    """The way of the gradient from `loss` back to `x`, or what blocks it.

    Returns
    -------
    str
        A line for each operation on the way, the loss first.

    Examples
    --------
    >>> import similarflow as sf
    >>> x = sf.Placeholder(sf.float32, [3], name="x")
    >>> y = sf.cast(sf.argmax(x, 0), sf.float32, name="y")
    >>> print(sf.explain_gradient(y, x).splitlines()[0])
    no gradient flows from 'y:0' to 'x:0': Cast 'y' goes through int64
    """
    y, x = convert_to_tensor(loss), convert_to_tensor(x)
    way = _way(y, x, lambda op, t: _obstacle(op, t) is None)
    if way is not None:
        head = f"the gradient flows from '{y.name}' to '{x.name}'"
        return "\n".join([head, *(f"  {_line(op)}" for op in way)])
    head = f"no gradient flows from '{y.name}' to '{x.name}'"
    way = _way(y, x, lambda op, t: True)
    if way is None:
        if _way(x, y, lambda op, t: True) is not None:
            return (
                f"{head}: it is the other way round, '{x.name}' depends on '{y.name}'"
            )
        return (
            f"{head}: '{y.name}' does not depend on it\n  {describe(x)}, made at "
            f"{line_of(x.op)}\n"
            "Is it the very tensor that the loss was made from? x[0] or x + 0 written "
            "again "
            "is a new tensor"
        )
    steps = [*(op.inputs for op in way)]
    for i, op in enumerate(way):
        later = [x] if i + 1 == len(way) else list(way[i + 1].outputs)
        reasons = [_obstacle(op, t) for t in steps[i] if t in later]
        if reasons and all(reason is not None for reason in reasons):
            return "\n".join(
                [f"{head}: {reasons[0]}", *(f"  {_line(o)}" for o in way[: i + 1])]
            )
    return f"{head}: every way is blocked somewhere"


def _way(
    y: Tensor, x: Tensor, passes: Callable[[Operation, Tensor], bool]
) -> list[Operation] | None:
    """The shortest way back from `y` to `x`, as operations; None if there is none."""
    came: dict[Tensor, tuple[Operation, Tensor] | None] = {y: None}
    queue = deque([y])
    while queue:
        tensor = queue.popleft()
        if tensor is x:
            way = []
            while (step := came[tensor]) is not None:
                way.append(step[0])
                tensor = step[1]
            return way[::-1]
        for t in tensor.op.inputs:
            if t not in came and passes(tensor.op, t):
                came[t] = (tensor.op, tensor)
                queue.append(t)
    return None


def _obstacle(op: Operation, t: Tensor) -> str | None:
    """What keeps a gradient from going through `op` to its input `t`."""
    if t.static_dtype is not None and t.static_dtype.kind not in "fc":
        return f"{op.type} '{op.name}' goes through {t.static_dtype.name}"
    if op.gradient_key not in gradient_registry:
        return f"{op.type} '{op.name}' has no gradient rule"
    if gradient_registry[op.gradient_key] is None:
        return f"{op.type} '{op.name}' lets no gradient through"
    return None


def _line(op: Operation) -> str:
    return f"{op.type} '{op.name}', {line_of(op)}"
