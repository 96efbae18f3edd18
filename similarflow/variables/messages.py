"""What errors about variables say."""

from __future__ import annotations

from ..core.graph import Tensor
from ..core.messages import describe


def unknown_shape(name: str, initial_value: Tensor) -> str:
    """The initial value does not fix the shape."""
    return (
        f"variable '{name}': the shape of its initial value {describe(initial_value)} "
        "is not "
        "known. Give the value a shape, or pass validate_shape=False to allow any"
    )
