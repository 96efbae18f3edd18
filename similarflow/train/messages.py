"""What errors of training say."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..core.messages import made_at


def no_gradients(pairs: Sequence[tuple[Any, Any]]) -> str:
    """No variable is connected with the loss."""
    names = ", ".join(v.op.name for _, v in pairs)
    which = f"the variables ({names})" if names else "the variables: there are none"
    return (
        f"no gradients for any variable: the loss depends on none of {which} by "
        "differentiable operations. sf.explain_gradient(loss, variable) says where the "
        "way ends"
    )


def no_float(variable: Any) -> str:
    """A variable of whole numbers shall be trained."""
    dtype = variable.as_tensor().static_dtype
    return (
        f"{dtype} variable '{variable.op.name}' cannot be trained, "
        f"{made_at(variable.op)}\n"
        "Give it a float initial value (1.0, not 1) or dtype=sf.float32; or "
        "trainable=False"
    )
