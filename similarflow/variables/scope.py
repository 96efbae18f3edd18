"""Variable scopes: variables shared by name, with `get_variable`."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from enum import Enum
from functools import partial
from typing import Any

import numpy as np

from ..core.collections import GraphKeys
from ..core.convert import agree, as_dims, as_np_dtype, fits
from ..core.dtypes import DType, dtype_of
from ..core.graph import Graph, convert_to_tensor, get_default_graph, graph_of
from ..core.messages import made_at
from .initializers import GlorotUniform, Zeros
from .variable import Variable


class _ReuseMode(Enum):
    AUTO_REUSE = 1


AUTO_REUSE = _ReuseMode.AUTO_REUSE
"""Use a variable that exists, make one that does not."""
_INHERITED = (
    "initializer", "regularizer", "caching_device", "partitioner", "custom_getter",
    "dtype", "use_resource", "constraint",
)  # fmt: skip


class VariableScope:
    """What `get_variable` goes by: a name's prefix, whether to reuse, defaults."""

    def __init__(
        self,
        name: str,
        reuse: Any = None,
        original_name_scope: str = "",
        **defaults: Any,
    ):
        self.name = name
        self.reuse = reuse
        self.original_name_scope = original_name_scope
        self.defaults = {key: defaults.get(key) for key in _INHERITED}

    def __getattr__(self, name: str) -> Any:
        if name in _INHERITED:
            return self.defaults[name]
        raise AttributeError(f"VariableScope has no attribute {name!r}")

    def reuse_variables(self) -> None:
        """From now on `get_variable` gives variables that exist."""
        self.reuse = True

    def set_initializer(self, initializer: Any) -> None:
        """The initialiser for variables made without one."""
        self.defaults["initializer"] = initializer

    def set_regularizer(self, regularizer: Any) -> None:
        """The regulariser for variables made without one."""
        self.defaults["regularizer"] = regularizer

    def global_variables(self) -> list[Any]:
        """The variables of this scope."""
        return self._collected(GraphKeys.GLOBAL_VARIABLES)

    def trainable_variables(self) -> list[Any]:
        """The trainable variables of this scope."""
        return self._collected(GraphKeys.TRAINABLE_VARIABLES)

    def _collected(self, key: str) -> list[Any]:
        return get_default_graph().get_collection(
            key, self.name + "/" if self.name else None
        )

    def get_variable(self, name: str, *args: Any, **kwargs: Any) -> Variable:
        """See `get_variable`."""
        graph = get_default_graph()
        outer = get_variable_scope()
        graph.state["variable_scope"] = self
        try:
            return get_variable(name, *args, **kwargs)
        finally:
            graph.state["variable_scope"] = outer


def get_variable_scope() -> VariableScope:
    """The current variable scope of the default graph."""
    state = get_default_graph().state
    if "variable_scope" not in state:
        state["variable_scope"] = VariableScope("")
    scope: VariableScope = state["variable_scope"]
    return scope


@contextmanager
def variable_scope(
    name_or_scope: Any,
    default_name: str | None = None,
    values: Any = None,
    initializer: Any = None,
    regularizer: Any = None,
    caching_device: Any = None,
    partitioner: Any = None,
    custom_getter: Any = None,
    reuse: Any = None,
    dtype: Any = None,
    use_resource: Any = None,
    constraint: Any = None,
    auxiliary_name_scope: bool = True,
) -> Iterator[VariableScope]:
    """``with sf.variable_scope("layer"):`` prefixes what `get_variable` makes.

    It opens a name scope too. What is not given is taken over from the scope outside.

    Parameters
    ----------
    name_or_scope : str, VariableScope or None
        A scope object is entered again; with None, `default_name` made unique counts.
    reuse : bool, AUTO_REUSE or None
        True: variables must exist. AUTO_REUSE: they are made at need. It holds inside
        this scope's scopes too.
    """
    graph = graph_of(values or ())
    given = {
        "initializer": initializer, "regularizer": regularizer, "dtype": dtype,
        "caching_device": caching_device, "partitioner": partitioner,
        "custom_getter": None, "use_resource": use_resource,
        "constraint": constraint,
    }  # fmt: skip
    if name_or_scope is None and default_name is None:
        raise ValueError("variable_scope needs a name, a scope, or default_name")
    with graph.as_default():
        outer = get_variable_scope()
        scope, label = _inner(graph, outer, name_or_scope, default_name, reuse, given)
        getters = scope.custom_getter, custom_getter
        scope.defaults["custom_getter"] = _nested(*getters)
        opened = (
            graph.name_scope(label) if auxiliary_name_scope and label else nullcontext()
        )
        with opened as prefix:
            again = isinstance(name_or_scope, VariableScope)
            scope.original_name_scope = (
                name_or_scope.original_name_scope if again else prefix or graph.scope
            )
            graph.state["variable_scope"] = scope
            try:
                yield scope
            finally:
                graph.state["variable_scope"] = outer


def _inner(
    graph: Graph, outer: VariableScope, name_or_scope: Any, default_name: str | None,
    reuse: Any, given: dict[str, Any],
) -> tuple[VariableScope, str]:  # fmt: skip
    """The scope to enter, and the name of its name scope."""
    if isinstance(name_or_scope, VariableScope):
        base, name = name_or_scope, name_or_scope.name
        label = name.split("/")[-1]
        kept = base.reuse
    else:
        if name_or_scope is not None and not isinstance(name_or_scope, str):
            raise TypeError(
                f"a variable scope's name is a string, not {name_or_scope!r}"
            )
        if name_or_scope is None and reuse:
            raise ValueError(
                "reuse needs a name: default_name is made unique, so it is new"
            )
        label = (
            _unique(graph, outer, default_name or "")
            if name_or_scope is None
            else name_or_scope
        )
        name = f"{outer.name}/{label}" if outer.name and label else outer.name or label
        base, kept = outer, outer.reuse
    used = graph.state.setdefault("variable_scopes", set())
    used.add(name)
    defaults: dict[str, Any] = {
        k: base.defaults[k] if v is None else v for k, v in given.items()
    }
    return VariableScope(name, reuse or kept, "", **defaults), label


def _unique(graph: Graph, outer: VariableScope, name: str) -> str:
    used = graph.state.get("variable_scopes", set())
    prefix = outer.name + "/" if outer.name else ""
    label, count = name, 0
    while prefix + label in used:
        count += 1
        label = f"{name}_{count}"
    return label


def get_variable(
    name: str,
    shape: Any = None,
    dtype: Any = None,
    initializer: Any = None,
    regularizer: Any = None,
    trainable: bool | None = None,
    collections: Any = None,
    caching_device: Any = None,
    partitioner: Any = None,
    validate_shape: bool = True,
    use_resource: Any = None,
    custom_getter: Any = None,
    constraint: Any = None,
    **options: Any,
) -> Variable:
    """The variable `name` of the current variable scope: a new one, or a shared one.

    Parameters
    ----------
    shape : list of int, optional
        Needed unless `initializer` is a value.
    dtype : DType
        float32 by default.
    initializer : Initializer, function of (shape, dtype), array or tensor, optional
        By default Glorot's uniform distribution for floats, zeros for others.
    regularizer : function of the variable, optional
        What it returns joins the collection of regularisation losses.

    Raises
    ------
    ValueError
        It exists and the scope does not reuse; or it does not exist and the scope only
        reuses; or it has another shape or dtype.
    """
    scope = get_variable_scope()
    getter = _nested(scope.custom_getter, custom_getter)
    arguments = {
        "shape": shape, "dtype": dtype, "initializer": initializer,
        "regularizer": regularizer, "trainable": trainable, "collections": collections,
        "validate_shape": validate_shape, "constraint": constraint or scope.constraint,
    }  # fmt: skip
    full = f"{scope.name}/{name}" if scope.name else name
    if getter is None:
        return _get(full, **arguments)
    variable: Variable = getter(getter=_get, name=full, **arguments)
    return variable


def _nested(outer: Any, inner: Any) -> Any:
    """A getter that asks `inner` first, whose getter asks `outer`."""
    if outer is None or inner is None:
        return inner if outer is None else outer

    def both(getter: Any, *args: Any, **kwargs: Any) -> Any:
        return inner(partial(outer, getter), *args, **kwargs)

    return both


def _get(
    name: str, shape: Any = None, dtype: Any = None, initializer: Any = None,
    regularizer: Any = None, trainable: bool | None = None, collections: Any = None,
    validate_shape: bool = True, constraint: Any = None, **ignored: Any,
) -> Variable:  # fmt: skip
    current, scope = get_default_graph(), get_variable_scope()
    graph: Graph = (current, *current.outers)[-1]  # a sub-graph keeps no variables
    store: dict[str, Variable] = graph.state.setdefault("variable_store", {})
    found = store.get(name)
    if found is not None:
        _check_shared(name, found, scope, as_dims(shape), as_np_dtype(dtype))
        return found
    if scope.reuse is True:
        raise ValueError(
            f"variable {name} does not exist, and this scope has reuse=True. There "
            "are: "
            f"{', '.join(list(store)[:6]) or 'none'}. Make it first, in a scope "
            "without reuse, "
            "or use reuse=sf.AUTO_REUSE; sf.Variable(...) is not found by get_variable"
        )
    initializer = initializer if initializer is not None else scope.initializer
    dtype = as_np_dtype(dtype if dtype is not None else scope.dtype)
    with graph.as_default(), graph.name_scope(None), graph.control_dependencies(None):
        value = _initial_value(name, initializer, as_dims(shape), dtype)
        variable = Variable(
            value, trainable=trainable, collections=collections, name=name, dtype=dtype,
            validate_shape=validate_shape, constraint=constraint,
        )  # fmt: skip
        store[name] = variable
        regularizer = regularizer or scope.regularizer
        if regularizer is not None:
            with graph.name_scope(f"{name}/Regularizer/"):
                loss = regularizer(variable)
            if loss is not None:
                graph.add_to_collection(GraphKeys.REGULARIZATION_LOSSES, loss)
    return variable


def _initial_value(name: str, initializer: Any, shape: Any, dtype: Any) -> Any:
    """What `Variable` takes as initial value: a value, or a function that makes it."""
    if initializer is None:
        floats = dtype is None or dtype.kind in "fc"
        initializer = GlorotUniform() if floats else Zeros()
    elif isinstance(initializer, type):
        initializer = initializer()
    if not callable(initializer):
        value = convert_to_tensor(initializer, dtype, f"{name}/Initializer/Const/")
        if shape is not None:
            raise ValueError(
                f"variable {name}: its initializer is a value, which has the shape "
                f"{value.static_shape}. Leave the shape {shape} out"
            )
        return value
    parameters = inspect.signature(initializer).parameters
    if not parameters:
        return initializer
    if shape is None or None in shape:
        raise ValueError(
            f"variable {name} needs a shape without unknown sizes, got {shape}: "
            "sf.get_variable(name, [2, 3])"
        )
    kind: DType | None = dtype_of(np.dtype(np.float32) if dtype is None else dtype)
    offered = {"dtype": kind, "partition_info": None}
    taken = {key: value for key, value in offered.items() if key in parameters}
    return lambda: initializer(list(shape), **taken)


def _check_shared(
    name: str, found: Variable, scope: VariableScope, shape: Any, dtype: Any
) -> None:
    tensor = found.as_tensor()
    if not scope.reuse:
        raise ValueError(
            f"variable {name} already exists, {made_at(found.op)}\nTo share it, write "
            "sf.variable_scope(..., reuse=True) or reuse=sf.AUTO_REUSE; for a new "
            "one, take "
            "another name or scope; after running a cell again, "
            "sf.reset_default_graph()"
        )
    known = tensor.static_shape
    if not fits(shape, known):
        raise ValueError(
            f"variable {name} is shared, but has shape {known}, and {shape} was asked "
            "for\n"
            f"  {made_at(found.op)}"
        )
    if not agree(tensor.static_dtype, dtype):
        raise ValueError(
            f"variable {name} is shared, but has dtype {tensor.static_dtype}, and "
            f"{dtype} was "
            f"asked for\n  {made_at(found.op)}"
        )


def get_local_variable(name: str, *args: Any, **kwargs: Any) -> Variable:
    """As `get_variable`, but local: not trained, not kept in checkpoints."""
    kwargs.setdefault("collections", [GraphKeys.LOCAL_VARIABLES])
    kwargs["trainable"] = False
    return get_variable(name, *args, **kwargs)
