"""What errors of training say."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..core.messages import made_at


def no_gradients(pairs: Sequence[tuple[Any, Any]]) -> str:
    """No variable is connected with the loss."""
    names = ", ".join(v.op.name for _, v in pairs)
    which = f"the variables ({names})" if names else "the variables: there are none"
    text = (
        f"no gradients for any variable: the loss depends on none of {which} by "
        "differentiable operations. sf.explain_gradient(loss, variable) says where the "
        "way ends"
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
