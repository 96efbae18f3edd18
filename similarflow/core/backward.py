"""Where the walk back starts, and what goes around the rules on its way."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from .convert import fits
from .graph import Operation, Tensor, convert_to_tensor
from .operators import BUILDERS

Rule = Callable[..., Any]
AROUND: list[Callable[..., Any]] = []
"""Called with an operation, its rule (or what goes around that) and the gradients."""


def seed_of(y: Tensor, given: Any = None) -> Any:
    """The gradient of `y` that the walk starts from: ones, or what is given.

    Raises
    ------
    ValueError
        What is given has another shape than `y`, or another dtype.
    """
    if given is None:
        ones: Tensor = BUILDERS["ones_like"](y)
        return ones
    if hasattr(given, "joined"):  # slices that have arrived where a graph ends
        return given
    seed = convert_to_tensor(given, y.static_dtype, graph=y.graph)
    mine, wanted = seed.static_shape, y.static_shape
    if not fits(mine, wanted):
        raise ValueError(
            f"grad_ys have the shapes of ys: '{y.name}' has shape {y.shape}, and what "
            f"is given for it {seed.shape}"
        )
    if mine is not None and mine == wanted and None not in mine:
        return seed
    ensured: Tensor = BUILDERS["ensure_shape_like"](seed, y)
    return ensured


def apply_rule(rule: Rule, op: Operation, grads: Sequence[Any]) -> Any:
    """What `rule` makes of `grads`, with all that goes around rules of the library.

    Rules of the user's own are as TensorFlow's, and do all by themselves.
    """
    own = op.definition is None or op.gradient_key != op.type
    inner = partial(rule, op)
    for around in () if own else AROUND:
        inner = partial(around, op, inner)
    return inner(*grads)
