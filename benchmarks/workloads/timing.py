"""How long something takes once, or each time."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

ENOUGH = 0.05
"""So many seconds are measured at least, if it does not take long anyway."""


def once(call: Callable[[], Any], count: int) -> tuple[Any, float]:
    """What `call` returns, and the seconds for each of `count` operations."""
    start = time.perf_counter()
    result = call()
    return result, (time.perf_counter() - start) / count


def seconds(call: Callable[[], Any], count: int) -> float:
    """The same for many calls, after one that is not counted."""
    call()
    _, first = once(call, 1)
    repeats = max(3, int(ENOUGH / max(first, 1e-7)))
    start = time.perf_counter()
    for _ in range(repeats):
        call()
    return (time.perf_counter() - start) / repeats / count
