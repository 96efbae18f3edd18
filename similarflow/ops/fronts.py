"""Functions in front of a builder: arguments made ready, default names.

Both kinds stand in `BUILDERS` under their own name, and know the definition of the
operation that they build.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar, cast

from ..core.lazy import lazy
from ..core.operators import BUILDERS

messages = lazy("..core.messages", __package__)

F = TypeVar("F", bound=Callable[..., Any])


def front_of(build: Callable[..., Any]) -> Callable[[F], F]:
    """Decorator: the function prepares the arguments of the builder `build`."""

    def declare(function: F) -> F:
        definition = vars(build)["definition"]
        definition.title = function.__name__

        @wraps(function)
        def call(*args: Any, **given: Any) -> Any:
            try:
                return function(*args, **given)
            except (TypeError, ValueError) as error:
                messages.add_place(error, function.__name__)
                raise

        vars(call)["definition"] = definition
        BUILDERS[function.__name__] = call
        return cast(F, call)

    return declare
