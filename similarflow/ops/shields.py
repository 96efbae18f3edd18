"""Shields: what `where` did not choose leaves no nan in a gradient.

What was not chosen may have an infinite derivative, whose product with 0 is nan:
``where(x > 0, sqrt(x), 0)`` at 0. So the zeros that a choice put into a gradient are
put there again after each rule of an operation that works element by element.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from ..core.backward import AROUND
from ..core.graph import Constant, Operation, Tensor, convert_to_tensor
from .choose import reached_like, select
from .complex import conjugated
from .elementary import ones_like
from .logic import logical_or

Choice = tuple[Tensor, bool]
"""A mask, and whether a gradient goes through where it is true or where it is false."""
Choices = dict[Tensor, Choice | None]
"""What gradients are chosen by, as far as that has been asked."""


def shielded(op: Operation, rule: Callable[..., Any], *grads: Any) -> Any:
    """What `rule` makes of `grads`, with zeros wherever a choice put them there."""
    result = rule(*grads)
    if op.definition is None or not op.definition.elementwise:
        return result
    grad = grads[0]
    found = result if isinstance(result, list | tuple) else [result]
    new = [r is not None and r is not grad for r in found]
    choices: Choices = op.graph.state.setdefault("choices", {})
    outer = _choice(grad, choices) if any(new) else None
    if outer is None:
        return result
    pairs = zip(found, new, strict=True)
    return [_chosen(outer, r) if is_new else r for r, is_new in pairs]


AROUND += [conjugated, shielded]  # the last is outermost


def _choice(grad: Tensor, choices: Choices) -> Choice | None:
    """What `grad` is chosen by, with zeros beside; None if it is not."""
    sums = []
    while grad.op.type == "SumLike" and grad not in choices:
        sums.append(grad)
        grad = grad.op.inputs[0]
    if grad not in choices:
        is_sum = grad.op.type == "AddN"
        choices[grad] = _choice_of_sum(grad, choices) if is_sum else _mask_of(grad)
    choice = choices[grad]
    for total in reversed(sums):
        choice = choice and (_reached(choice, *total.op.inputs), True)
        choices[total] = choice
    return choice


def _choice_of_sum(grad: Tensor, choices: Choices) -> Choice | None:
    """Of a sum in which every term is chosen: where one of them is."""
    terms = grad.op.inputs
    roots = {choices[x] if x in choices else _root(x) for x in terms}
    if any(root is None or (root[0], not root[1]) in roots for root in roots):
        return None
    found = {_choice(x, choices): x for x in terms}
    if len(found) == 1:
        return found.popitem()[0]
    masks = [_reached(choice, x, x) for choice, x in found.items() if choice]
    return functools.reduce(logical_or, masks), True


def _chosen(outer: Choice, grad: Any) -> Tensor:
    """`grad` with zeros beside where `outer` has them."""
    inner = _mask_of(convert_to_tensor(grad))
    if inner is None:
        return _choose(*outer, grad, 0.0)
    if inner == outer:
        return grad  # type: ignore[no-any-return]
    both = ones_like(grad, bool)
    for mask, on in (outer, inner):
        both = _choose(mask, on, both, False)
    return _choose(both, True, grad, 0.0)


def _mask_of(grad: Tensor) -> Choice | None:
    if grad.op.type == "Select":
        mask, *sides = grad.op.inputs
        for on, zeros in ((False, sides[0]), (True, sides[1])):
            if isinstance(zeros, Constant) and not np.any(zeros.value):
                return mask, on
    return None


def _root(grad: Tensor) -> Choice | None:
    """What a choice comes from, before it was summed up."""
    while grad.op.type == "SumLike":
        grad = grad.op.inputs[0]
    choice = _mask_of(grad)
    while choice is not None and choice[0].op.type == "ReachedLike":
        op = choice[0].op
        choice = op.inputs[0], op.attrs["on"]
    return choice


def _reached(choice: Choice, grad: Tensor, like: Tensor) -> Tensor:
    mask, on = choice
    reached: Tensor = reached_like(mask, grad, like, on)
    return reached


def _choose(mask: Tensor, on: bool, x: Any, other: Any) -> Tensor:
    sides = (x, other) if on else (other, x)
    chosen: Tensor = select(mask, *sides)
    return chosen
