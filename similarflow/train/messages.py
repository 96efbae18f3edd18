"""What errors of training say."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..core.messages import describe, made_at


def no_gradients(pairs: Sequence[tuple[Any, Any]]) -> str:
    """No variable is connected with the loss."""
    if not pairs:
        return "no gradients: there are no trainable variables in this graph"
    names = ", ".join(v.op.name for _, v in pairs[:8]) + ", ..." * (len(pairs) > 8)
    text = (
        f"no gradients for any variable: the loss depends on none of the variables "
        f"({names}) by differentiable operations. sf.explain_gradient(loss, variable) "
        "says where the way ends"
    )
    for _, v in pairs:
        dtype = v.as_tensor().static_dtype
        if dtype is not None and dtype.kind not in "fc":
            text += (
                f"\n{dtype.name} variable '{v.op.name}' cannot be trained, "
                f"{made_at(v.op)}\n  Give it a float initial value (1.0, not 1) or "
                "dtype=sf.float32; or trainable=False"
            )
    return text


def no_variable(item: Any) -> str:
    """Something else is in the list of variables to train."""
    return (
        f"{item!r:.60} ({type(item).__name__}) is no variable, and only variables can "
        "be trained: var_list=[w, b]"
    )


def gradient_of_integers(grad: Any, variable: Any) -> str:
    """A gradient is no float."""
    return (
        f"the gradient {describe(grad)} for variable '{variable.op.name}' is of whole "
        f"numbers, and a float is needed\n  {made_at(grad.op)}"
    )


def gradient_of_another_shape(grad: Any, variable: Any) -> str:
    """A gradient does not have the shape of its variable."""
    return (
        f"the gradient {describe(grad)} has another shape than its variable "
        f"{describe(variable.as_tensor())}\n  {made_at(grad.op)}"
    )
