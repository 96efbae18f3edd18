"""Conditions: only the branch that is taken is computed.

A branch is a sub-graph. What its gradient needs of it becomes a further output of the
operation, which has a value (a scalar 0 otherwise) when the branch is taken.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..core.casting import dtype_name
from ..core.convert import Array, agree
from ..core.gradients import takes_gradient, walk_back
from ..core.graph import (
    Graph,
    Operation,
    Spec,
    Tensor,
    convert_to_tensor,
    graph_of,
)
from ..core.operators import BUILDERS
from ..core.registry import op
from ..core.rules import RegisterGradient
from ..core.table import GradientTable
from .composite import composite
from .structures import check_same, is_nested, leaves, rebuild
from .subgraph import (
    SubGraph,
    add_calling,
    common_dims,
    grow,
    inner_result,
    like_leaf,
    spec_of,
    union,
    written_by,
    zeros_for,
)

Branch = tuple[SubGraph, list[Tensor]]
"""A sub-graph and its results."""


@dataclass(eq=False)
class Branches:
    """What an operation chooses from, and how its inputs and outputs are laid out."""

    branches: list[Branch]
    written: list[Tensor]  # variables of the graph around, the first inputs
    captured: list[Tensor]  # other tensors of the graph around, the last inputs
    last: bool  # whether an index out of range takes the last branch
    kept: dict[Tensor, tuple[int, Tensor]] = field(default_factory=dict)
    """Inner tensors that are outputs too: of which branch, and the output."""

    def values_for(self, branch: int, values: Sequence[Any]) -> dict[Tensor, Any]:
        """What a branch starts with, from the values of the inputs."""
        captures = self.branches[branch][0].captures
        count = len(self.written)
        known = (*values[:count], *values[count + 1 :])
        given = zip((*self.written, *self.captured), known, strict=True)
        return {captures[t]: value for t, value in given if t in captures}


def _infer(*values: Tensor, choice: Any) -> list[Spec]:
    return [spec_of(t) for t in choice.branches[0][1]]


def _run_branch(call: Any, values: Sequence[Any], choice: Branches, index: int) -> Any:
    kept = list(choice.kept.items())
    graph, results = choice.branches[index]
    own = [t for t, (branch, _) in kept if branch == index]
    given = choice.values_for(index, values)
    found, new = call(graph, [*results, *own])(given)
    inside = dict(zip(own, found[len(results) :], strict=True))
    inside.update((t, given[t]) for t in own if t in given)
    written = []
    for t, old in zip(choice.written, values, strict=False):
        written.append(new.get(graph.captures.get(t), old))
    nothing = [np.zeros((), t.static_dtype or np.float32) for t, _ in kept]
    more = [inside.get(t, zero) for (t, _), zero in zip(kept, nothing, strict=True)]
    return [*written, *found[: len(results)], *more]


@op("If", infer=_infer, same=(), accepts="any", calls=True)
def _if(call: Any, *values: Array, choice: Any = None) -> Any:
    """The results of the first branch if the condition is true, else of the second."""
    index = 0 if np.asarray(values[len(choice.written)]).item() else 1
    return _run_branch(call, values, choice, index)


@op("Case", infer=_infer, same=(), accepts="any", calls=True)
def _case(call: Any, *values: Array, choice: Any = None) -> Any:
    """The results of the branch that an index names."""
    index, count = int(values[len(choice.written)]), len(choice.branches)
    if not 0 <= index < count and choice.last:
        index = count - 1
    return _run_branch(call, values, choice, index)


def _grad(op: Operation, *grads: Any) -> list[Any]:
    """A condition that runs the gradient of the branch that was taken."""
    choice: Branches = op.attrs["choice"]
    count = len(choice.written)
    around = graph_of([g for g in grads if g is not None])
    name = around.unique_name(op.type)
    arrived = dict(zip(op.outputs, grads, strict=False))
    made = [
        _branch_grad(op, i, around, f"{name}/", arrived)
        for i in range(len(choice.branches))
    ]
    inputs = [*choice.written, *choice.captured]
    wanted = [t for t in inputs if any(t in table for _, table in made)]
    if not wanted:
        return [None] * len(op.inputs)
    branches: list[Branch] = []
    for inner, table in made:
        with inner.open():
            found = [table[t] if t in table else zeros_for(t) for t in wanted]
            branches.append((inner, [inner_result(inner, grad) for grad in found]))
    results = _add(op.type, name, around, op.inputs[count], branches, choice.last)
    gradients = dict(zip(wanted, results, strict=True))
    found = [gradients.get(t) for t in inputs]
    return [*found[:count], None, *found[count:]]


def _branch_grad(
    op: Operation, index: int, around: Graph, scope: str, arrived: dict[Tensor, Any]
) -> tuple[SubGraph, dict[Tensor, Any]]:
    """A sub-graph with the gradients of a branch, by the outer tensors."""
    choice: Branches = op.attrs["choice"]
    graph, results = choice.branches[index]

    def recall(tensor: Tensor) -> Tensor:
        origin = graph.origins.get(tensor)
        if origin is not None and origin not in choice.written:
            return inner.capture(origin)
        if tensor not in choice.kept:
            (output,) = grow(op, spec_of(tensor))
            choice.kept[tensor] = index, output
        return inner.capture(choice.kept[tensor][1])

    inner = SubGraph(around, scope, graph, recall)
    ends = [*zip(results, op.outputs[len(choice.written) :], strict=False)]
    ends += [(t, output) for t, (i, output) in choice.kept.items() if i == index]
    pairs = [(t, arrived[o]) for t, o in ends if arrived.get(o) is not None]
    pairs = [(t, grad) for t, grad in pairs if takes_gradient(t)]
    table = GradientTable()
    starts = [t for t in graph.origins if takes_gradient(t)]
    with inner.as_default():
        ys, seeds = [t for t, _ in pairs], [grad for _, grad in pairs]
        nodes = {t.node for t in starts}
        deque(walk_back(table, ys, nodes, seeds, set(), "grad"), maxlen=0)
    found = [(graph.origins[t], table.get(t)) for t in starts]
    return inner, {origin: grad for origin, grad in found if grad is not None}


RegisterGradient("If")(_grad)
RegisterGradient("Case")(_grad)


def _add(
    type: str, name: str, graph: Graph, chooser: Any, branches: list[Branch],
    last: bool = False,
) -> list[Tensor]:  # fmt: skip
    """Add the operation; gives the outputs that stand for the branches' results."""
    graphs = [inner for inner, _ in branches]
    found = [g.origins[t] for g, results in branches for t in written_by(results)]
    written = list(dict.fromkeys(found))
    captured = [t for t in union(graphs) if t not in written]
    choice = Branches(branches, written, captured, last)
    specs = [spec_of(t) for t in written]
    for results in zip(*(results for _, results in branches), strict=True):
        dims, dtype = spec_of(results[0])
        for t in results[1:]:
            dims = common_dims(dims, t.static_shape)
            dtype = None if t.static_dtype is None else dtype
        specs.append((dims, dtype))
    op = add_calling(
        type, name, graph, [*written, chooser, *captured], specs, graphs,
        len(written), choice=choice,
    )  # fmt: skip
    return list(op.outputs[len(written) :])


# What users call


@composite
def cond(
    pred: Any, true_fn: Any = None, false_fn: Any = None, strict: bool = False,
    name: str | None = None, fn1: Any = None, fn2: Any = None,
) -> Any:  # fmt: skip
    """What `true_fn` returns if `pred` is true, else what `false_fn` returns.

    Only what is built inside the functions is conditional: what they use from outside
    is computed in any case.

    Parameters
    ----------
    pred : tensor of bool
        A scalar.
    true_fn, false_fn : function
        Without arguments. Both return the same structure, with the same dtypes.
    strict : bool
        Keep a list with a single element as it is; otherwise the element is returned.

    Returns
    -------
    tensor, or a nest of them
        For an operation that a function returns, a bool.

    Raises
    ------
    TypeError
        A branch is not callable, or dtypes or structures differ.
    ValueError
        A branch returns nothing, or another number of things.

    Examples
    --------
    >>> import similarflow as sf
    >>> x = sf.Placeholder(sf.float32)
    >>> y = sf.cond(x > 0.0, lambda: sf.sqrt(x), lambda: -x)
    >>> sess = sf.Session()
    >>> float(sess.run(y, {x: 9.0})), float(sess.run(y, {x: -2.0}))
    (3.0, 2.0)
    """
    true_fn = fn1 if true_fn is None else true_fn
    false_fn = fn2 if false_fn is None else false_fn
    for function, label in ((true_fn, "true_fn"), (false_fn, "false_fn")):
        if function is None:
            raise TypeError(f"cond needs the argument {label!r}")
        if not callable(function):
            raise TypeError(
                f"{label} must be callable, and {function!r:.80} is not. Write "
                f"lambda: ..., so that only the branch that is taken is computed"
            )
    if isinstance(pred, bool):
        raise TypeError(
            "pred must not be a Python bool, for which Python's own if does: "
            "true_fn() if pred else false_fn()"
        )
    pred = as_scalar(pred, "b", "pred", "bool. Compare: x > 0")
    return choose_branch(
        "If", "cond", name, pred,
        [(true_fn, "true_fn"), (false_fn, "false_fn")], strict,
    )  # fmt: skip


def as_scalar(value: Any, kinds: str, what: str, wanted: str) -> Tensor:
    """`value` as a scalar tensor whose dtype is of one of these kinds."""
    tensor = convert_to_tensor(value)
    if tensor.static_dtype is not None and tensor.static_dtype.kind not in kinds:
        raise TypeError(
            f"{what} is {dtype_name(tensor.static_dtype)}, and must be {wanted}"
        )
    if tensor.static_shape not in (None, ()):
        raise ValueError(f"{what} must be a scalar, not of shape {tensor.static_shape}")
    return tensor


def choose_branch(
    kind: str, label: str, name: str | None, chooser: Tensor,
    functions: Sequence[tuple[Callable[[], Any], str]], strict: bool,
    last: bool = False,
) -> Any:  # fmt: skip
    """Build all branches, and the operation that takes one of them."""
    around = graph_of([chooser])
    name = around.unique_name(name or label)
    branches: list[Branch] = []
    structures: list[Any] = []
    for i, (function, what) in enumerate(functions):
        with SubGraph(around, f"{name}/").open() as inner:
            result = function()
            if result is None:
                raise ValueError(
                    f"{what} returned None, and must return a tensor, an operation or "
                    "a nest of them"
                )
            if not strict and type(result) in (list, tuple) and len(result) == 1:
                result = result[0]
            found = [_result(inner, leaf, i == 0) for leaf in leaves(result)]
        branches.append((inner, found))
        structures.append(result)
    labels = [what for _, what in functions]
    for other, what in zip(structures[1:], labels[1:], strict=True):
        check_same(structures[0], other, f"what {labels[0]} and {what} return")
    _check_dtypes(branches, labels)
    outputs = _add(kind, name, around, chooser, branches, last)
    if not is_nested(structures[0]):
        return like_leaf(structures[0], outputs[0])
    pairs = zip(leaves(structures[0]), outputs, strict=True)
    return rebuild(structures[0], [like_leaf(leaf, t) for leaf, t in pairs])


def _result(inner: SubGraph, leaf: Any, truth: bool) -> Tensor:
    """A result as a tensor of the branch; an operation as whether it was run."""
    if leaf is None:
        raise ValueError("a branch returned None among its results")
    if isinstance(leaf, Operation) and leaf.owner is not leaf:
        with inner.waiting_for((*inner.controls, leaf)):
            return BUILDERS["identity"](truth)  # type: ignore[no-any-return]
    return inner_result(inner, leaf)


def _check_dtypes(branches: list[Branch], labels: Sequence[str]) -> None:
    first = branches[0][1]
    for (_, results), what in zip(branches[1:], labels[1:], strict=True):
        if not all(
            agree(x.static_dtype, y.static_dtype)
            for x, y in zip(first, results, strict=True)
        ):
            given = [
                ", ".join(dtype_name(t.static_dtype) for t in ts)
                for ts in (first, results)
            ]
            raise TypeError(
                f"the branches must return the same dtypes: {labels[0]} returns "
                f"{given[0]}, and {what} returns {given[1]}. Write sf.cast in one of "
                "them"
            )
