"""Lists inside lists."""

from __future__ import annotations

from typing import Any


def flatten(*items: Any) -> list[Any]:
    """What is in `items` and in the lists and tuples among them, in order."""
    flat: list[Any] = []
    for item in items:
        flat += flatten(*item) if isinstance(item, list | tuple) else [item]
    return flat


def holds_tensor(value: Any) -> bool:
    """Whether it is something of a graph, or there is such in its lists."""
    if isinstance(value, list | tuple):
        return any(holds_tensor(v) for v in value)
    return hasattr(value, "graph")
