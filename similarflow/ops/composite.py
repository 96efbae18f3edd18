"""Functions that build from several operations: their errors name the user's line."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from types import CodeType
from typing import ParamSpec, TypeVar

from ..core.graph import PACKAGE, user_place
from ..core.lazy import lazy

messages = lazy("..core.messages", __package__)
P = ParamSpec("P")
R = TypeVar("R")


def composite(build: Callable[P, R]) -> Callable[P, R]:
    """Let errors of `build` say on which line it was called.

    What functions of the user's raise that it calls comes through as it is.
    """

    @wraps(build)
    def call(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            return build(*args, **kwargs)
        except (TypeError, ValueError) as error:
            if _is_own(error, call.__code__):  # type: ignore[attr-defined]
                where = messages.line_at(user_place())
                name = build.__qualname__.removesuffix(".__init__")
                error.args = (f"{error}\nin {name}, made at {where}",)
            raise

    return call


def _is_own(error: Exception, wrapper: CodeType) -> bool:
    """Whether neither code of the user's nor a composite inside raised it."""
    step = error.__traceback__ and error.__traceback__.tb_next
    while step:
        code = step.tb_frame.f_code
        if code is wrapper or not code.co_filename.startswith(PACKAGE):
            return False
        step = step.tb_next
    return True
