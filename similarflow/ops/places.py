"""A map from places to values that never changes, and of which to change one is cheap.

It is a tree of dicts, whose leaves hold the values of 64 neighbours. A changed map has
new dicts on the way to what changed, and shares all others with the one before: with a
million places those few dicts have 400 entries at most.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Iterator
from typing import Any

Node = dict[int, Any]
Change = Callable[[Node, Node], Node]
SPANS = (64**2, 64)
"""How many places are below an entry, level by level; an entry of a leaf is one."""


class Places:
    """Values by their places, which are ints."""

    __slots__ = ("_count", "_root")

    def __init__(self, items: Node | None = None) -> None:
        self._count = len(items or ())
        self._root = _changed({}, items or {}, operator.or_, SPANS)

    def get(self, place: int) -> Any:
        """The value at a place; None if there is none."""
        node = self._root
        for span in SPANS:
            node = node.get(place // span, {})
        return node.get(place)

    def __contains__(self, place: int) -> bool:
        return self.get(place) is not None

    def __len__(self) -> int:
        return self._count

    def items(self) -> Iterator[tuple[int, Any]]:
        """All places with their values, in no order."""
        nodes = [self._root]
        for _ in SPANS:
            nodes = [below for node in nodes for below in node.values()]
        return (item for leaf in nodes for item in leaf.items())

    def put(self, items: Node) -> Places:
        """The map with other values at some places."""
        added = sum(place not in self for place in items)
        return self._with(operator.or_, items, added)

    def without(self, places: Iterable[int]) -> Places:
        """The map without what is at some places."""
        gone = {place: None for place in places if place in self}
        return self._with(_rest, gone, -len(gone))

    def _with(self, change: Change, items: Node, more: int) -> Places:
        new = Places.__new__(Places)
        new._root = _changed(self._root, items, change, SPANS)
        new._count = self._count + more
        return new


def _rest(leaf: Node, gone: Node) -> Node:
    return {place: value for place, value in leaf.items() if place not in gone}


def _changed(node: Node, items: Node, change: Change, spans: tuple[int, ...]) -> Node:
    """A copy of `node`, whose leaves are changed where `items` are."""
    if not spans:
        return change(node, items)
    if len(items) == 1:  # the usual case, in which nothing needs to be sorted
        (place,) = items
        parts = {place // spans[0]: items}
    else:
        parts = {}
        for place, value in items.items():
            parts.setdefault(place // spans[0], {})[place] = value
    new = dict(node)
    for at, part in parts.items():
        new[at] = _changed(node.get(at, {}), part, change, spans[1:])
    return new
