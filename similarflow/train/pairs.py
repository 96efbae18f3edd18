"""Pairs of a gradient and its variable: checked before anything is built."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ..core.convert import fits
from ..core.gradients import takes_gradient
from ..core.graph import convert_to_tensor, graph_of
from ..core.lazy import lazy
from ..core.operators import BUILDERS
from ..variables.variable import Variable

messages = lazy(".messages", __package__)


def checked_pairs(grads_and_vars: Iterable[tuple[Any, Any]]) -> list[tuple[Any, Any]]:
    """The pairs that have a gradient.

    Raises
    ------
    TypeError
        The second of a pair is no variable, or a gradient is of whole numbers.
    ValueError
        There is no gradient, or one has another shape than its variable.
    """
    given = list(grads_and_vars)
    for _, var in given:
        if not isinstance(var, Variable):
            raise TypeError(messages.no_variable(var))
    pairs = [(_checked(grad, var), var) for grad, var in given if grad is not None]
    if not pairs:
        raise ValueError(messages.no_gradients(given))
    return pairs


def _checked(grad: Any, var: Variable) -> Any:
    graph_of([grad, var])
    if hasattr(grad, "joined"):
        return grad
    grad, tensor = convert_to_tensor(grad, graph=var.graph), var.as_tensor()
    if not takes_gradient(grad):
        raise TypeError(messages.gradient_of_integers(grad, var))
    if not fits(grad.static_shape, tensor.static_shape):
        raise ValueError(messages.gradient_of_another_shape(grad, var))
    shape = grad.static_shape
    known = shape is not None and None not in shape and shape == tensor.static_shape
    return grad if known else BUILDERS["ensure_shape_like"](grad, tensor)
