"""What errors about variables say."""

from __future__ import annotations

from ..core.graph import Tensor
from ..core.messages import describe, made_at


def unknown_shape(name: str, initial_value: Tensor) -> str:
    """The initial value does not fix the shape."""
    return (
        f"variable '{name}': the shape of its initial value {describe(initial_value)} "
        "is not "
        "known. Give the value a shape, or pass validate_shape=False to allow any"
    )


def other_graph(name: str, initial_value: Tensor) -> str:
    """The initial value belongs to another graph than the variable."""
    if initial_value.graph.outers:
        return (
            f"variable '{name}' lives outside the branch or loop body that it is made "
            f"in, and its initial value {describe(initial_value)} inside, "
            f"{made_at(initial_value.op)}\nGive a function: sf.Variable(lambda: ...)"
        )
    return (
        f"variable '{name}' joins the default graph, and its initial value "
        f"{describe(initial_value)} is of another graph, "
        f"{made_at(initial_value.op)}\nBuild both in one graph"
    )
