"""What the walk back does around a rule: the first gradient, and complex numbers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from .convert import fits
from .graph import Operation, Tensor, convert_to_tensor
from .operators import BUILDERS


def seed_of(y: Tensor, given: Any = None) -> Tensor:
    """The gradient of `y` that the walk starts from: ones, or what is given.

    Raises
    ------
    ValueError
        What is given has another shape than `y`, or another dtype.
    """
    if given is None:
        ones: Tensor = BUILDERS["ones_like"](y)
        return ones
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


def apply_rule(rule: Callable[..., Any], op: Operation, grads: Sequence[Any]) -> Any:
    """What `rule` makes of `grads`; complex gradients are conjugated around it.

    The gradient of a real loss points uphill: with ``x = a + ib`` it is ``dL/da + i
    dL/db``. So the gradient of ``x * y`` is ``grad * conj(y)``: the conjugate of what
    a rule gives that is written as for real numbers. Rules of the user's own are as
    TensorFlow's, and conjugate by themselves.
    """
    known = op.definition
    plain = known is None or not known.holomorphic or op.gradient_key != op.type
    if plain or not any(_is_complex(t) for t in (*op.inputs, *op.outputs)):
        return rule(op, *grads)
    result = rule(op, *map(conjugate, grads))
    if isinstance(result, list | tuple):
        return [conjugate(grad) for grad in result]
    return conjugate(result)


def conjugate(grad: Any) -> Any:
    """The conjugate of a complex gradient; others as they are."""
    if grad is None:
        return None
    if hasattr(grad, "joined"):
        return grad.with_values(conjugate(grad.values))
    tensor = convert_to_tensor(grad)
    return BUILDERS["conj"](tensor) if _is_complex(tensor) else grad


def _is_complex(t: Tensor) -> bool:
    return t.static_dtype is not None and t.static_dtype.kind == "c"
