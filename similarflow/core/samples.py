"""Descriptions of sample inputs: importing costs nothing, the tests draw them."""

from __future__ import annotations

from typing import Any, NamedTuple


class Draw(NamedTuple):
    """An array to draw: `kind` is "normal", "uniform" or "integers"."""

    kind: str
    shape: tuple[int, ...]
    low: float = 0.0
    high: float = 1.0


class Case(NamedTuple):
    """One call of a builder: its arguments, in order and by name."""

    args: tuple[Any, ...]
    attrs: dict[str, Any]


def case(*args: Any, **attrs: Any) -> Case:
    """A call with these arguments."""
    return Case(args, attrs)


def normal(*shape: int) -> Draw:
    """Normally distributed numbers."""
    return Draw("normal", shape)


def uniform(low: float, high: float, *shape: int) -> Draw:
    """Numbers from `low` to `high`."""
    return Draw("uniform", shape, low, high)


def integers(low: int, high: int, *shape: int) -> Draw:
    """Integers from `low` up to, without, `high`."""
    return Draw("integers", shape, low, high)


PAIRS = (
    case(normal(2, 3), normal(2, 3)),
    case(normal(2, 3), normal(3)),
    case(normal(2, 1), normal(1, 3)),
    case(normal(), normal(2, 0)),
)
"""For operations that broadcast two tensors."""
ONE = (case(normal(2, 3)), case(normal()), case(normal(0, 2)))
"""For operations on one tensor of any shape."""
