"""Shields: what `where` did not choose leaves no nan in a gradient.

What was not chosen may have an infinite derivative, whose product with 0 is nan:
``where(x > 0, sqrt(x), 0)`` at 0. So on the way back from a choice a gradient of 0
stays 0 through every operation that works element by element.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from ..core.backward import AROUND
from ..core.convert import Array
from ..core.graph import Operation, Spec, Tensor
from ..core.registry import op
from ..core.rules import RegisterGradient
from ..core.samples import case, normal
from ..core.stacks import DefaultStack
from .complex import conjugated

SOURCES = frozenset({"Select", "KeepZeros"})
"""The types of operations that put zeros into a gradient since something is chosen."""
PASSING = frozenset({"AddN", "SumLike", "SegmentTotals", "UnsortedSegmentSum"})
"""The types of operations that sum up what arrived, between two rules."""
Known = dict[Tensor, bool]
_calls: DefaultStack[set[str]] = DefaultStack()
"""For each call whose gradient is being built: {"chosen"} if one inside is."""


def _infer_kept(x: Tensor, grad: Tensor) -> Spec:
    return x.static_shape, x.static_dtype


@op("KeepZeros", infer=_infer_kept, same=["x"], elementwise=True, samples=[
    case(normal(2, 3), [[1.0, 0.0, 2.0], [0.0, 0.0, 3.0]]),
    case(normal(), 0.0),
])  # fmt: skip
def keep_zeros(x: Array, grad: Array) -> Array:
    """`x`, and 0 where `grad` is 0, whatever `x` is there."""
    return np.where(np.equal(grad, 0), np.zeros_like(x), x)


@RegisterGradient("KeepZeros")
def _keep_zeros_grad(op: Operation, grad: Tensor) -> Any:
    return keep_zeros(grad, op.inputs[1]), None


def shielded(op: Operation, rule: Callable[..., Any], *grads: Any) -> Any:
    """What `rule` makes of `grads`: 0 where they are 0, on the way from a choice."""
    known: Known = op.graph.state.setdefault("chosen", {})
    definition = op.definition
    chosen = _is_chosen(grads, known)
    if definition is not None and definition.calls:
        with _calls.entered({"chosen"} if chosen else set()) as inside:
            result = rule(*grads)
            chosen = bool(inside)
    else:
        result = rule(*grads)
    found = result if isinstance(result, list | tuple) else [result]
    chosen = chosen or any(t.op.type in SOURCES for t in _tensors(found))
    if chosen and _calls.items:
        _calls.items[-1].add("chosen")
    if chosen and definition is not None and definition.elementwise:
        found = [_kept(r, grads[0]) for r in found]
    known.update(dict.fromkeys(_tensors(found), chosen))
    return found


AROUND += [conjugated, shielded]  # the last is outermost


def _tensors(grads: Iterable[Any]) -> list[Tensor]:
    """Gradients as tensors: those of some rows without their indices."""
    found = [g.values if hasattr(g, "joined") else g for g in grads]
    return [t for t in found if isinstance(t, Tensor)]


def _kept(result: Any, grad: Any) -> Any:
    if not isinstance(result, Tensor) or result is grad or result.op.type in SOURCES:
        return result
    return keep_zeros(result, grad)


def _is_chosen(grads: Any, known: Known) -> bool:
    """Whether one comes from a choice; into a call all do, if one does."""
    within = bool(_calls.items and _calls.items[-1])
    ahead = _tensors(grads)
    while ahead:
        tensor = ahead.pop()
        if tensor in known:
            if known[tensor]:
                return True
        elif tensor.op.type in PASSING:
            ahead += tensor.op.inputs
        elif within and tensor.op.type != "OnesLike":
            return True
    return False
