"""Training: optimizers and what goes with them."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ..core.gradients import compute_gradients
    from .optimizer import GradientDescentOptimizer, Optimizer
    from .steps import (
        create_global_step,
        get_global_step,
        get_or_create_global_step,
        global_step,
    )

__all__ = [
    "GradientDescentOptimizer",
    "Optimizer",
    "compute_gradients",
    "create_global_step",
    "get_global_step",
    "get_or_create_global_step",
    "global_step",
]
_WHERE = {
    "GradientDescentOptimizer": ".slots",
    "Optimizer": ".slots",
    "compute_gradients": "..core.gradients",
    "create_global_step": ".steps",
    "get_global_step": ".steps",
    "get_or_create_global_step": ".steps",
    "global_step": ".steps",
}
"""Where the names are; the modules are loaded when a name is first used."""


def __getattr__(name: str) -> Any:
    if name not in _WHERE:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(_WHERE[name], __name__), name)
    globals()[name] = value
    return value
