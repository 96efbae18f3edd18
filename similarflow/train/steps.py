"""The global step: a variable that counts the steps of training."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core.collections import GraphKeys
from ..core.graph import Graph, get_default_graph
from ..variables.scope import get_variable
from ..variables.variable import Variable


def get_global_step(graph: Graph | None = None) -> Any:
    """The graph's global step; None if it has none."""
    graph = graph or get_default_graph()
    found = graph.get_collection(GraphKeys.GLOBAL_STEP)
    if len(found) > 1:
        raise TypeError(f"the graph has {len(found)} global steps, one is expected")
    named = graph.nodes.get(GraphKeys.GLOBAL_STEP)  # a variable of the user's own
    return found[0] if found else None if named is None else named.owner


def create_global_step(graph: Graph | None = None) -> Variable:
    """Make the graph's global step: int64, 0 at first, not trained.

    Raises
    ------
    ValueError
        It has one already.
    """
    graph = graph or get_default_graph()
    if get_global_step(graph) is not None:
        raise ValueError(
            '"global_step" already exists; sf.train.get_global_step() gives it'
        )
    with graph.as_default(), graph.name_scope(None):
        return get_variable(
            GraphKeys.GLOBAL_STEP,
            shape=[],
            dtype=np.int64,
            trainable=False,
            collections=[GraphKeys.GLOBAL_VARIABLES, GraphKeys.GLOBAL_STEP],
        )


def get_or_create_global_step(graph: Graph | None = None) -> Any:
    """The graph's global step, made if it has none."""
    found = get_global_step(graph)
    return create_global_step(graph) if found is None else found


def global_step(sess: Any, global_step_tensor: Any) -> int:
    """How many steps were counted in `sess`."""
    return int(sess.run(global_step_tensor))
