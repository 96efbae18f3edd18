"""The same workloads for every peer, and what a peer makes of one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple


class Made(NamedTuple):
    """A workload that is ready to be timed."""

    step: Callable[[], Any]
    values: Callable[[], Any]  # what peers are compared by: a loss, or some results
    sync: Callable[[], Any] = lambda: None  # waits until all steps are really done
