"""Functions in front of a builder: arguments made ready, default names.

Both kinds stand in `BUILDERS` under their own name, and know the definition of the
operation that they build.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from ..core.operators import BUILDERS

F = TypeVar("F", bound=Callable[..., Any])


def front_of(build: Callable[..., Any]) -> Callable[[F], F]:
    """Decorator: the function prepares the arguments of the builder `build`."""

    def declare(function: F) -> F:
        definition = vars(build)["definition"]
        definition.title = function.__name__
        vars(function)["definition"] = definition
        BUILDERS[function.__name__] = function
        return function

    return declare
