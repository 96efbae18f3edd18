"""Tensors that are given only together."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..core.graph import graph_of
from .choose import identity
from .composite import composite
from .elementary import group


@composite
def tuple(
    tensors: Sequence[Any], name: str | None = None, control_inputs: Any = None
) -> list[Any]:
    """The same tensors, each given only when all of them are computed.

    Parameters
    ----------
    tensors : list of tensors
        A None in it stays None.
    control_inputs : list of operations, optional
        What to wait for besides.
    """
    given = [t for t in tensors if t is not None]
    if not given:
        raise ValueError("tuple needs at least one tensor")
    graph = graph_of(given)
    with graph.name_scope(name or "tuple"):
        gate = group(*given, *(control_inputs or []))
        with graph.control_dependencies([gate]):
            return [None if t is None else identity(t) for t in tensors]
