"""A variable: a named place whose value a session keeps and a run may change."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ..core.graph import Tensor, convert_to_tensor, get_default_graph, new_operation
from ..core.lazy import lazy
from ..core.operators import Operators

if TYPE_CHECKING:
    from .methods import VariableMethods
else:
    VariableMethods = object

messages = lazy(".messages", __package__)


class Variable(Operators, VariableMethods):
    """A value that lives from run to run: ``w = sf.Variable([[1.0]], name="w")``.

    It converts to a tensor wherever one is expected. Each session has its own values.

    Parameters
    ----------
    initial_value : array_like, tensor, or function that returns one
        The value after initialisation; it fixes shape and dtype.
    trainable : bool, optional
        Whether optimizers change it; they do unless this is False.
    collections : list, optional
        The graph's collections that it joins; the global variables by default.
    validate_shape : bool
        False allows values of any shape.
    name : str, optional
    dtype : DType, optional
        What `initial_value` is converted to.
    """

    __slots__ = ("__weakref__", "graph", "initial_value", "op", "options", "trainable")

    def __init__(
        self, initial_value: Any = None, trainable: bool | None = None,
        collections: Sequence[Any] | None = None, validate_shape: bool = True,
        caching_device: Any = None, name: str | None = None, variable_def: Any = None,
        dtype: Any = None, **options: Any,
    ) -> None:  # fmt: skip
        if initial_value is None:
            raise ValueError("a variable needs its initial_value: sf.Variable(0.0)")
        self.trainable = trainable is not False
        self.options = options
        current = get_default_graph()
        name = current.unique_name(name or "Variable")
        self.graph = graph = (current, *current.outers)[-1]  # not of a sub-graph
        outer, graph.scope = graph.scope, f"{name}/Initializer/"
        try:
            with graph.as_default(), graph.waiting_for(()):
                if callable(initial_value):
                    initial_value = initial_value()
                first = f"{name}/initial_value/"
                self.initial_value = convert_to_tensor(initial_value, dtype, first)
                if self.initial_value.graph is not graph:
                    raise ValueError(messages.other_graph(name, self.initial_value))
                shape = self.initial_value.static_shape if validate_shape else None
                if validate_shape and (shape is None or None in shape):
                    raise ValueError(messages.unknown_shape(name, self.initial_value))
                self.op = new_operation("VariableV2", name, graph)
        finally:
            graph.scope = outer
        self.op.owner = self
        self.op.set_outputs([(shape, self.initial_value.static_dtype)])
        graph.variables.append(self)
        for key in ["variables"] if collections is None else collections:
            graph.collections.setdefault(key, []).append(self)
        if self.trainable and "trainable_variables" not in (collections or ()):
            graph.collections.setdefault("trainable_variables", []).append(self)

    def as_tensor(self) -> Tensor:
        """The tensor through which operations read the variable."""
        return self.op.outputs[0]

    @property
    def node(self) -> Variable:
        """What stands for it in a table of gradients: the variable itself."""
        return self

    @property
    def name(self) -> str:
        """The name of its tensor: "w:0"; ``w.op.name`` is "w"."""
        return self.as_tensor().name

    def __repr__(self) -> str:
        return repr(self.as_tensor()).replace("Tensor", "Variable", 1)
