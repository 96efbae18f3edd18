"""Why a gradient is what it is: the way it takes, or what blocks it."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Any

from .casting import dtype_name
from .gradients import takes_gradient
from .graph import Operation, Tensor, convert_to_tensor
from .messages import describe, line_of
from .rules import gradient_registry, own_key


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
    for end in (y, x):
        if not takes_gradient(end):
            what = f"'{end.name}' is {dtype_name(end.static_dtype)}"
            head = f"no gradient flows from '{y.name}' to '{x.name}'"
            return f"{head}: {what}, and gradients need floats"
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
            "again is a new tensor"
        )
    blocks = [_block(op, x, way[i + 1 : i + 2]) for i, op in enumerate(way)]
    at, why = next(found for found in enumerate(blocks) if found[1])
    return "\n".join([f"{head}: {why}", *(f"  {_line(op)}" for op in way[: at + 1])])


def _block(op: Operation, x: Tensor, following: list[Operation]) -> str | None:
    """What keeps a gradient from going on to the `following` one, at last to `x`."""
    ahead = following[0].outputs if following else [x]
    inputs = map(_origin, op.inputs)
    reasons = [_obstacle(op, t) for t in inputs if t in ahead]
    return None if None in reasons else reasons[0]


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
        for t in map(_origin, tensor.op.inputs):
            if t not in came and passes(tensor.op, t):
                came[t] = (tensor.op, tensor)
                queue.append(t)
    return None


def _origin(t: Tensor) -> Tensor:
    """`t`, or the tensor that it stands for in a branch or the body of a loop."""
    while (around := getattr(t.graph, "origins", {}).get(t)) is not None:
        t = around
    return t


def _obstacle(op: Operation, t: Tensor) -> str | None:
    """What keeps a gradient from going through `op` to its input `t`."""
    if not takes_gradient(t):
        return f"{op.type} '{op.name}' goes through {dtype_name(t.static_dtype)}"
    key = own_key(op.gradient_key) if op.definition is None else op.gradient_key
    if key not in gradient_registry:
        return f"{op.type} '{op.name}' has no gradient rule"
    if gradient_registry[key] is None:
        return f"{op.type} '{op.name}' lets no gradient through"
    return None


def _line(op: Operation) -> str:
    return f"{op.type} '{op.name}', {line_of(op)}"
