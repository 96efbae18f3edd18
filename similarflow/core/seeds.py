"""The seed of a graph, from which its random operations derive theirs."""

from __future__ import annotations

import operator

from .graph import get_default_graph


def set_random_seed(seed: int | None) -> None:
    """Seed the random operations that are added to the default graph from now on.

    With a seed, an operation draws the same numbers in every session, and which ones
    depends on its name or its own seed alone, not on the operations around it.
    """
    get_default_graph().seed = None if seed is None else operator.index(seed)
