"""Lists of variables, and what initialises them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ..core.collections import GraphKeys, get_collection
from ..core.graph import Operation
from ..ops.elementary import group


def global_variables(scope: str | None = None) -> list[Any]:
    """The variables of the default graph."""
    return get_collection(GraphKeys.GLOBAL_VARIABLES, scope)


def trainable_variables(scope: str | None = None) -> list[Any]:
    """The variables that optimizers change by default."""
    return get_collection(GraphKeys.TRAINABLE_VARIABLES, scope)


def local_variables(scope: str | None = None) -> list[Any]:
    """The variables of the default graph that are kept out of checkpoints."""
    return get_collection(GraphKeys.LOCAL_VARIABLES, scope)


def model_variables(scope: str | None = None) -> list[Any]:
    """The variables that a model needs to answer."""
    return get_collection(GraphKeys.MODEL_VARIABLES, scope)


def variables_initializer(var_list: Iterable[Any], name: str = "init") -> Operation:
    """An operation that initialises these variables, those that others need first."""
    return group(*[v.initializer for v in var_list], name=name)


def global_variables_initializer() -> Operation:
    """An operation that initialises all variables of the default graph.

    Examples
    --------
    >>> import similarflow as sf
    >>> w = sf.Variable([1.0, 2.0])
    >>> with sf.Session() as sess:
    ...     sess.run(sf.global_variables_initializer())
    ...     sess.run(w)
    array([1., 2.], dtype=float32)
    """
    return variables_initializer(global_variables())


def local_variables_initializer() -> Operation:
    """An operation that initialises the local variables."""
    return variables_initializer(local_variables())


def tables_initializer(name: str = "init_all_tables") -> Operation:
    """An operation that initialises lookup tables; there are none to initialise."""
    return group(*get_collection(GraphKeys.TABLE_INITIALIZERS), name=name)


initialize_all_variables = global_variables_initializer
initialize_local_variables = local_variables_initializer
initialize_variables = variables_initializer
"""TensorFlow's older names."""
