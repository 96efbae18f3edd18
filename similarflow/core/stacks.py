"""Defaults: the graph and the session that code means when it names none."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Generic, TypeVar

T = TypeVar("T")


class DefaultStack(threading.local, Generic[T]):
    """A stack of defaults, one for each thread; the innermost counts."""

    def __init__(self) -> None:
        self.items: list[T] = []

    def top(self) -> T | None:
        """The innermost default, or None."""
        return self.items[-1] if self.items else None

    @contextmanager
    def entered(self, item: T) -> Iterator[T]:
        """Make `item` the default inside a ``with`` block."""
        self.items.append(item)
        try:
            yield item
        finally:
            self.leave(item)

    def leave(self, item: T) -> None:
        """Take the innermost `item` off again, wherever it stands."""
        for i in reversed(range(len(self.items))):
            if self.items[i] is item:
                del self.items[i]
                break
