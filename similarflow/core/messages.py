"""What errors of building say: what happened, where, expected and given, what to do."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from .casting import dtype_name
from .graph import user_place
from .lookup import source_of
from .registry import KINDS

if TYPE_CHECKING:
    from types import CodeType

    from .graph import Graph, Operation, Tensor
    from .registry import Definition


def bad_name(name: str) -> str:
    """A text cannot be the name of an operation."""
    return (
        f"{name!r} is not a valid name: it starts with a letter, a digit or '.', and "
        "goes on with those and _ - / >"
    )


def made_at(op: Operation) -> str:
    """``made at model.py:12: `y = sf.matmul(x, w)` ``."""
    return f"made at {line_of(op)}"


def line_of(op: Operation) -> str:
    """``model.py:12: `y = sf.matmul(x, w)` ``: the user's line that made `op`."""
    return line_at(op.place)


def line_at(place: tuple[CodeType, int]) -> str:
    """The file, the number and the text of the line of an instruction."""
    file, line, text = source_of(place)
    return f"{file}:{line}" + (f": `{text}`" if text else "")


def describe(tensor: Tensor) -> str:
    """``'x:0' (?, 784) float32``."""
    dims = tensor.static_shape
    shape = "of unknown shape" if dims is None else str(dims).replace("None", "?")
    return f"'{tensor.name}' {shape} {dtype_name(tensor.static_dtype)}"


def listed(names: Sequence[str], tensors: Sequence[Tensor]) -> str:
    """The inputs of an operation, a line each."""
    labels = (
        names
        if len(names) == len(tensors)
        else [f"{names[0]}[{i}]" for i in range(len(tensors))]
    )
    return "\n".join(
        f"  {label}: {describe(t)}, {made_at(t.op)}"
        for label, t in list(zip(labels, tensors, strict=True))[:6]
    )


def add_place(error: Exception, function: str) -> None:
    """Let an error say in which function and on which line, unless it tells a place."""
    if "\nin " not in str(error):
        where = f"in {function}, made at {line_at(user_place())}"
        error.args = (f"{error}\n{where}",)


def at_build(
    error: Exception, definition: Definition, name: str, inputs: Sequence[Tensor]
) -> Exception:
    """A shape rule refused its inputs: the same error, with where and what."""
    text = f"{error}\nin {definition.title} ({definition.type} '{name}'), "
    where = f"made at {line_at(user_place())}"
    text += f"given\n{listed(definition.inputs, inputs)}" if inputs else where
    hint = product_hint(definition.type, [t.static_shape for t in inputs])
    return type(error)(text + hint)


def product_hint(type: str, shapes: Sequence[Any]) -> str:
    """A hint for ``*`` of two matrices that would fit a matrix product."""
    if type != "Mul" or any(shape is None or len(shape) != 2 for shape in shapes):
        return ""
    x, y = shapes
    if x[1] != y[0]:
        return ""
    return "\nThe shapes fit the matrix product: write x @ y (* is element by element)"


def wrong_dtype(
    definition: Definition, name: str, tensors: Sequence[Any], i: int, dtype: Any
) -> str:
    """An input's dtype is not accepted, or differs from the one beside it."""
    builder, given = definition.title, tensors[i].static_dtype
    labels = definition.inputs
    label = f"{labels[0]}[{i}]" if definition.variadic else labels[i]
    ready = [t for t in tensors if t is not None]
    if given != dtype:
        floats = [d for d in (given, dtype) if d.kind in "fc"]
        target = dtype_name(floats[0] if len(floats) == 1 else dtype)
        odd = tensors[i] if given != (floats or [dtype])[0] else tensors[0]
        instead = f"sf.cast({odd.op.name}, sf.{target})"
        if odd.op.owner is not None and odd.static_dtype.kind in "iu":
            instead = f"sf.Variable(1.0) instead of sf.Variable(1), or {instead}"
        head = (
            f"{builder}: dtypes differ, {label} is {dtype_name(given)} beside "
            f"{dtype_name(dtype)}. Write {instead}"
        )
    else:
        kinds = {
            "b": "bool",
            "f": "float",
            "i": "integer",
            "u": "unsigned",
            "c": "complex",
            "O": "string",
        }
        wanted = ", ".join(kinds[k] for k in KINDS[definition.accepts])
        head = (
            f"{builder} does not take {dtype_name(given)}, it takes: {wanted}. "
            "Write sf.cast(x, ...) or give the first tensor another dtype"
        )
    labels = labels if definition.variadic else labels[: len(ready)]
    return f"{head}\nin {definition.type} '{name}', given\n{listed(labels, ready)}"


def no_compute(own: type) -> str:
    """An own operation's class lacks `compute`."""
    return (
        f"{own.__name__} computes nothing: give the class compute(self, *values), "
        "which takes and returns arrays (sf.Operation is there to be subclassed)"
    )


def no_tensor(op: Operation) -> str:
    """An operation stands where a tensor is needed."""
    outputs = ", ".join(f"'{t.name}'" for t in op.outputs)
    what = f"its outputs are {outputs}: use op.outputs[i]"
    if not outputs:
        what = "it is run for its effect and has no value"
    return (
        f"{op.type} '{op.name}' is an operation, and a tensor is needed; {what}\n"
        f"  {made_at(op)}"
    )


def finalized(op: Operation) -> str:
    """An operation is added too late."""
    return (
        f"the graph is finalized, and {op.type} '{op.name}' would be added to it at "
        f"{line_of(op)}\nBuild every operation before the loop that runs them"
    )


def reset_inside() -> str:
    """`reset_default_graph` inside a ``with``."""
    return (
        "reset_default_graph() inside `with graph.as_default():` would lose that "
        "graph. Leave the block first, or take a new sf.Graph()"
    )


def other_dtype(tensor: Tensor, dtype: Any) -> str:
    """A tensor has another dtype than asked for."""
    want = dtype_name(dtype)
    return (
        f"tensor {describe(tensor)} was given, and {want} is needed. Write "
        f"sf.cast(x, sf.{want})\n  {made_at(tensor.op)}"
    )


def two_graphs(first: Any, second: Any) -> str:
    """Tensors of two graphs meet."""
    graphs = [(node.graph, *node.graph.outers) for node in (first, second)]
    if graphs[0][-1] is graphs[1][-1]:
        return left_inside(first if graphs[0][0] not in graphs[1] else second)
    return (
        f"{first!r} and {second!r} are of two graphs:\n"
        f"{_of_graph(first)}\n{_of_graph(second)}\n"
        "Build both in one graph. Was sf.reset_default_graph() called, or a notebook's "
        "cell run again, between the two?"
    )


def left_inside(node: Any) -> str:
    """A tensor of a branch or of a loop's body is used outside."""
    op = getattr(node, "op", node)
    return (
        f"{node!r} is there only inside the function that made it, a branch or loop "
        f"body, and is used outside, {made_at(op)}\nReturn it from the function"
    )


def other_graph(op: Operation, graph: Graph) -> str:
    """Something of another graph shall be waited for."""
    return (
        f"'{op.name}' is of another graph than what would wait for it, {made_at(op)}\n"
        f"  its graph has {len(op.graph.nodes)} nodes, the other {len(graph.nodes)}. "
        "Build both in one graph"
    )


def _of_graph(node: Any) -> str:
    op = getattr(node, "op", node)
    graph: Graph = node.graph
    which = f"graph {id(graph):#x} ({len(graph.nodes)} nodes)"
    return f"  '{op.name}' in {which}, {made_at(op)}"


def own_optimizer() -> str:
    """`compute_gradients` was called while the graph runs."""
    return (
        "compute_gradients adds operations to the graph, and was called inside "
        "compute(), while the graph runs. Build the gradients once, before running:\n"
        "    grads = sf.compute_gradients(loss)\n"
        "    steps = [sf.assign_sub(v, rate * grads[v]) for v in "
        "sf.trainable_variables()]\n"
        "    train_op = sf.group(*steps)"
    )


def no_type(of: Any) -> str:
    """Something that is no operation type was given for one."""
    return (
        f"{of!r} ({type(of).__name__}) is no operation class, no type such as "
        '"MatMul" and no builder\'s name such as "matmul"'
    )


def has_rule(key: str) -> str:
    """A built-in operation's rule would be replaced."""
    return (
        f"{key} has its rule already. To use another one, register it under a name of "
        "its own and build inside `with "
        f'graph.gradient_override_map({{"{key}": "that name"}}):`'
    )


def no_rule(op: Operation) -> str:
    """The gradient wants to pass an operation without a rule."""
    return (
        f"no gradient is defined for {op.type} '{op.name}', {made_at(op)}\n"
        f'Register a rule: @sf.RegisterGradient("{op.gradient_key}") on a function '
        f'(op, grad); or sf.NotDifferentiable("{op.gradient_key}") if none shall flow'
    )


def wrong_count(op: Operation, given: Sequence[Any]) -> str:
    """A rule returned too few or too many gradients."""
    return (
        f"the gradient rule of {op.type} returned {len(given)} gradients, and "
        f"'{op.name}' has {len(op.inputs)} inputs, {made_at(op)}\n"
        "Return one for each input, None where no gradient flows"
    )


def wrong_gradient(op: Operation, x: Tensor, grad: Tensor) -> str:
    """A rule returned a gradient of another shape or dtype than its input."""
    return (
        f"the gradient rule of {op.type} returned {describe(grad)} for the input "
        f"{describe(x)} of '{op.name}', {made_at(op)}\n"
        "A gradient has the shape and dtype of what it belongs to"
    )
