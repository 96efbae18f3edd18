"""How a graph runs: the session and its engines."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .compiled.explain import explain
    from .compiled.passes import without

_LATER = {"explain": ".compiled.explain", "without": ".compiled.passes"}
__all__ = ["explain", "without"]


def __getattr__(name: str) -> Any:
    if name not in _LATER:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = globals()[name] = getattr(import_module(_LATER[name], __name__), name)
    return value
