"""A graph: operations joined by tensors. Nothing here computes a number.

``y = x * w`` adds one operation of type "Mul" with the inputs ``x`` and ``w`` to the
default graph and gives back its output tensor. A session computes it later.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from types import CodeType
from typing import TYPE_CHECKING, Any

import numpy as np

from .convert import agree, as_array, as_dims, as_np_dtype
from .lazy import lazy
from .nest import holds_tensor
from .operators import BUILDERS, Operators
from .stacks import DefaultStack

if TYPE_CHECKING:
    from .methods import GraphMethods, OperationMethods, TensorMethods
    from .registry import Definition
else:  # the methods that files beside this one add
    GraphMethods = OperationMethods = TensorMethods = object

messages = lazy(".messages", __package__)
own_specs = lazy(".own_specs", __package__)
Dims = tuple[int | None, ...] | None
"""A static shape: None for an unknown size, or for a shape of unknown rank."""
Spec = tuple[Dims, np.dtype[Any] | None]
"""What is known of a tensor when the graph is built: shape and dtype."""
SOURCES = frozenset({"Placeholder", "Const", "VariableV2"})
"""The types of operations that have a value and compute none."""
OWN_TYPES: dict[str, type[Operation]] = {}
"""The user's own operation classes, by type."""
_NAME = re.compile(r"[A-Za-z0-9.][A-Za-z0-9_.\\/>-]*")
PACKAGE = os.path.dirname(os.path.dirname(__file__)) + os.sep


class Tensor(Operators, TensorMethods):
    """A value that will flow: output `value_index` of `op`. It holds no number.

    Tensors are compared and hashed by identity; ``sf.equal`` compares their values.
    """

    __slots__ = (
        "__weakref__", "op", "static_dtype", "static_shape", "uses", "value_index",
    )  # fmt: skip

    def __init__(self, op: Operation, value_index: int, spec: Spec) -> None:
        self.op = op
        self.value_index = value_index
        self.static_shape, self.static_dtype = spec
        self.uses: list[Operation] = []

    @property
    def name(self) -> str:
        """The operation's name and the output's index: "dense/MatMul:0"."""
        return f"{self.op.name}:{self.value_index}"

    @property
    def graph(self) -> Graph:
        """The graph that the tensor belongs to."""
        return self.op.graph

    @property
    def node(self) -> Any:
        """What the user holds: the variable or own operation; else the tensor."""
        return self if self.op.owner is None else self.op.owner

    def as_tensor(self) -> Tensor:
        """Itself."""
        return self


class Operation(Operators, OperationMethods):
    """A vertex of the graph; subclass it for an operation of your own.

    Give it ``compute(self, *values)``, which takes and returns arrays. Its type is the
    name of the class. An own operation with one output stands for that output.
    """

    __slots__ = (
        "__weakref__", "attrs", "control_inputs", "definition", "device", "forward",
        "gradient_key", "graph", "inputs", "name", "number", "outputs", "owner",
        "place", "type",
    )  # fmt: skip
    control_inputs: tuple[Operation, ...]
    device: str
    forward: Operation | None
    number: int
    owner: Any
    num_outputs = 1
    pure = False

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        OWN_TYPES[cls.__name__] = cls

    def __init__(self, *inputs: Any, name: str | None = None) -> None:
        own = type(self)
        if own.compute is Operation.compute:
            raise TypeError(messages.no_compute(own))
        graph = graph_of(inputs)
        name = graph.unique_name(name or own.__name__)
        tensors = [convert_to_tensor(x, graph=graph) for x in inputs]
        specs = own_specs.read(self.infer(*tensors), self)
        self.join(own.__name__, name, graph, tensors)
        self.owner = self if len(specs) == 1 else None
        self.set_outputs(specs)

    def join(
        self, type: str, name: str, graph: Graph, inputs: Sequence[Tensor] = (),
        **attrs: Any,
    ) -> Operation:  # fmt: skip
        """Set the fields and join the graph."""
        self.type = self.gradient_key = type
        self.name, self.graph, self.attrs = name, graph, attrs
        self.inputs = tuple(map(graph.capture, inputs) if graph.outers else inputs)
        self.definition: Definition | None = None
        self.owner = None
        self.place = user_place()
        graph.add(self)
        return self

    def set_outputs(self, specs: Iterable[Spec]) -> None:
        """Make the output tensors; from now on the inputs know of this use."""
        tensors = [Tensor(self, i, spec) for i, spec in enumerate(specs)]
        self.outputs: tuple[Tensor, ...] = tuple(tensors)
        for tensor in self.inputs:
            tensor.uses.append(self)

    def infer(self, *inputs: Tensor) -> Iterable[Spec]:
        """(shape, dtype) of each output; an own operation may know better."""
        return [(None, None)] * self.num_outputs

    def compute(self, *values: Any) -> Any:
        """The values of the outputs (one, or a sequence) from those of the inputs."""
        if self.definition is None:
            raise TypeError(f"{self.type} '{self.name}' has a value and computes none")
        return self.definition.kernel(*values, **self.attrs)

    @property
    def output(self) -> Tensor:
        """The first output."""
        return self.outputs[0]

    def as_tensor(self) -> Tensor:
        """The output that an own operation stands for."""
        if self.owner is not self:
            raise TypeError(messages.no_tensor(self))
        first: Tensor = self.outputs[0]
        return first

    def __repr__(self) -> str:
        return f"<Operation '{self.name}' type={self.type}>"


class Graph(GraphMethods):
    """All nodes of a model, in the order in which they were made.

    ``graph.placeholders``, ``.variables``, ``.constants`` and ``.operations`` list
    them by kind; ``get_operations()`` lists all. ``with graph:`` makes it the default.
    """

    outers: tuple[Graph, ...] = ()  # around a sub-graph, the innermost first

    def __init__(self) -> None:
        self.placeholders: list[Tensor] = []
        self.variables: list[Any] = []
        self.constants: list[Tensor] = []
        self.operations: list[Operation] = []
        self.nodes: dict[str, Operation] = {}  # by name, in the order of creation
        self.collections: dict[Any, list[Any]] = {}
        self.state: dict[Any, Any] = {}  # what other parts keep with the graph
        self.scope = ""  # the prefix of names, with "/" at its end
        self.controls: tuple[Operation, ...] = ()  # what new operations must wait for
        self._waiting: set[Operation] = set()  # what was made since, and waits already
        self.device_name = ""
        self.gradient_overrides: dict[str, str] = {}
        self.forward: Operation | None = None  # what a gradient is being built for
        self.finalized = False
        self.seed: int | None = None
        self._uses_of_name: dict[str, int] = {}

    def unique_name(self, name: str, mark_as_used: bool = True) -> str:
        """`name` in the current scope; "add", "add_1", "add_2" where it repeats.

        With a "/" at its end, `name` is whole already.
        """
        if not isinstance(name, str):
            raise TypeError(f"a name is a text, not {name!r}")
        whole = name.endswith("/")
        name = name[:-1] if whole else self.scope + name
        if not _NAME.fullmatch(name):
            raise ValueError(messages.bad_name(name))
        used, base = self._uses_of_name, name.lower()  # TensorFlow ignores case
        count = used.get(base, 0)
        if whole and name not in self.nodes:
            used.setdefault(base, 1)
            return name
        if count:
            while f"{base}_{count}" in used:
                count += 1
            name = f"{name}_{count}"
        if mark_as_used:
            used[base] = count + 1
            used.setdefault(name.lower(), 1)
        return name

    def add(self, op: Operation) -> None:
        """Take a new operation in."""
        if self.finalized:
            raise RuntimeError(messages.finalized(op))
        op.control_inputs = ()
        if self.controls:
            needed = {tensor.op for tensor in op.inputs}
            if not needed & self._waiting:
                op.control_inputs = tuple(c for c in self.controls if c not in needed)
            self._waiting.add(op)
        op.device, op.forward = self.device_name, self.forward
        op.number = len(self.nodes)
        op.gradient_key = self.gradient_overrides.get(op.type, op.gradient_key)
        self.nodes[op.name] = op
        if not source_kind(op):
            self.operations.append(op)

    @contextmanager
    def waiting_for(self, controls: Iterable[Operation]) -> Iterator[None]:
        """Let what is built inside run after `controls`, and after nothing else."""
        outer = self.controls, self._waiting
        self.controls, self._waiting = tuple(dict.fromkeys(controls)), set()
        try:
            yield
        finally:
            self.controls, self._waiting = outer

    def get_operations(self) -> list[Operation]:
        """All nodes in the order in which they were made."""
        return list(self.nodes.values())

    def as_default(self) -> AbstractContextManager[Graph]:
        """``with graph.as_default():`` builds into this graph."""
        get_default_graph()  # what is the default again afterwards
        return _graphs.entered(self)


_graphs: DefaultStack[Graph] = DefaultStack()
sessions: DefaultStack[Any] = DefaultStack()
"""The default sessions; they are of the runtime, which comes later."""
running: DefaultStack[Graph] = DefaultStack()
"""The graphs whose operations are being computed now."""


def get_default_graph() -> Graph:
    """The graph that new operations join: the innermost ``with``, else the thread's."""
    if not _graphs.items:
        _graphs.items.append(Graph())
    return _graphs.items[-1]


def reset_default_graph() -> None:
    """Start again with an empty default graph.

    Raises
    ------
    RuntimeError
        Inside ``with graph.as_default():``, whose graph it could not replace.
    """
    if len(_graphs.items) > 1:
        raise RuntimeError(messages.reset_inside())
    _graphs.items[:] = [Graph()]


def user_place() -> tuple[CodeType, int]:
    """Where the user's code is now: code object and instruction."""
    frame = sys._getframe(2)
    while frame.f_code.co_filename.startswith(PACKAGE) and frame.f_back:
        frame = frame.f_back
    return frame.f_code, frame.f_lasti


def source_kind(op: Operation) -> str:
    """Its type if it has a value and computes none; else ""."""
    return op.type if op.type in SOURCES and type(op) is Operation else ""


def new_operation(*args: Any, **attrs: Any) -> Operation:
    """An operation of the library's own (see `join`); it has no outputs yet."""
    return Operation.__new__(Operation).join(*args, **attrs)


class Placeholder(Tensor):
    """A tensor whose value is fed: ``sess.run(y, feed_dict={x: value})``.

    Parameters
    ----------
    dtype : DType, optional
        Without one, the placeholder takes whatever is fed, and NumPy's rules decide.
    shape : sequence of int or None, optional
        None for a size that may vary; without a shape, any shape may be fed.
    """

    __slots__ = ()

    def __init__(self, dtype: Any = None, shape: Any = None, name: str | None = None):
        graph = get_default_graph()
        spec = as_dims(shape), as_np_dtype(dtype)
        name = graph.unique_name(name or "Placeholder")
        op = new_operation("Placeholder", name, graph)
        super().__init__(op, 0, spec)
        op.outputs = (self,)
        graph.placeholders.append(self)


class Constant(Tensor):
    """A tensor with a fixed `value` (a read-only array).

    A `weak` one is a Python number beside an untyped tensor: it takes the dtype that it
    meets.
    """

    __slots__ = ("value",)

    def __init__(
        self, value: Any, dtype: Any = None, name: str = "Const",
        graph: Graph | None = None, weak: bool = False,
    ) -> None:  # fmt: skip
        if not weak:
            what = f" for '{name}'".replace("/'", "'")
            value = np.array(as_array(value, as_np_dtype(dtype), what))
            value.flags.writeable = False
        self.value = value
        graph = graph or get_default_graph()
        op = new_operation("Const", graph.unique_name(name), graph)
        super().__init__(op, 0, ((), None) if weak else (value.shape, value.dtype))
        op.outputs = (self,)
        graph.constants.append(self)


def graph_of(values: Iterable[Any]) -> Graph:
    """The one graph that the tensors among `values` belong to; else the default.

    What is of a graph around the default one can be used in the default one.

    Raises
    ------
    ValueError
        They come from two graphs.
    """
    first = None
    default = found = get_default_graph()
    for value in values:
        if isinstance(value, list | tuple):
            value = next((v for v in value if hasattr(v, "graph")), None)
        if hasattr(value, "graph"):
            graph = default if value.graph in default.outers else value.graph
            if first is not None and graph is not found:
                raise ValueError(messages.two_graphs(first, value))
            first, found = value, graph
    return found


def operation_of(item: Any) -> Operation:
    """The operation that an operation, tensor or variable is or comes from."""
    if isinstance(item, Operation):
        return item
    if not hasattr(item, "as_tensor"):
        raise TypeError(f"an operation or a tensor is expected, not {item!r}")
    return item.as_tensor().op  # type: ignore[no-any-return]


def convert_to_tensor(
    value: Any, dtype: Any = None, name: str | None = None, graph: Graph | None = None
) -> Tensor:
    """`value` (number, string, list, array, variable, own operation) as a tensor.

    Raises
    ------
    ValueError
        A tensor of another dtype.
    TypeError
        A value that `dtype` cannot hold without loss.
    """
    dtype = as_np_dtype(dtype)
    if hasattr(value, "as_tensor"):
        tensor: Tensor = value.as_tensor()
    elif isinstance(value, list | tuple) and holds_tensor(value):
        tensor = BUILDERS["packed"](value, dtype, name or "packed")
    else:
        return Constant(value, dtype, name or "Const", graph)
    if not agree(tensor.static_dtype, dtype):
        raise ValueError(messages.other_dtype(tensor, dtype))
    return tensor
