"""Reverse mode: the gradient of a loss, as more operations of the same graph.

The walk goes back breadth-first from the loss. An operation's rule runs once, when the
gradients of all uses of its outputs are there: `pending` counts those that are not.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from .backward import apply_rule, seed_of
from .convert import agree, fits
from .graph import Operation, Tensor, convert_to_tensor, graph_of, running
from .lazy import lazy
from .operators import BUILDERS
from .rules import gradient_registry, own_key
from .table import GradientTable
from .traverse import traverse_postorder

messages = lazy(".messages", __package__)


class Event(NamedTuple):
    """One step of the walk, as a player shows it."""

    op: Operation
    queue: Sequence[Operation]  # what waits behind it, now
    pending: Mapping[Operation, int]  # uses whose gradient is missing
    ran_rule: bool
    added: range  # the numbers of the operations that the rule added


def compute_gradients(
    loss: Any, xs: Iterable[Any] | None = None, grad_ys: Sequence[Any] | None = None,
    stop_gradients: Iterable[Any] = (), name: str = "gradients",
) -> GradientTable:  # fmt: skip
    """The gradient of `loss` with respect to every float tensor it depends on.

    It adds operations and computes no number: run the table to see the numbers.

    Parameters
    ----------
    loss : tensor, or list of tensors
        What to differentiate; the gradients of several are added up.
    xs : list of tensors or variables, optional
        Go only where these are; without, go everywhere.
    grad_ys : list of tensors, optional
        A factor for each loss, of its shape; ones by default.
    stop_gradients : list of tensors, optional
        Tensors that count as constants.

    Returns
    -------
    GradientTable
        From each tensor to its gradient; None where none flows.

    Raises
    ------
    ValueError
        What is given in `grad_ys` has another shape or dtype than its loss.
    LookupError
        `xs` are given, and an operation between has no rule.
    """
    table = GradientTable()
    losses = loss if isinstance(loss, list | tuple) else [loss]
    if not losses:
        raise ValueError("there is no loss to differentiate: the list is empty")
    ys = [convert_to_tensor(y) for y in losses]
    wanted = None if xs is None else {convert_to_tensor(x).node for x in xs}
    stops = {convert_to_tensor(t).op for t in stop_gradients}
    with graph_of([*ys, *(wanted or ())]).as_default() as graph:
        walk = getattr(graph, "walk", walk_back)  # a sub-graph has its own
        deque(walk(table, ys, wanted, grad_ys, stops, name), maxlen=0)
    return table


def walk_back(
    table: GradientTable, ys: list[Tensor], wanted: set[Any] | None,
    grad_ys: Sequence[Any] | None, stops: set[Operation], name: str,
) -> Iterator[Event]:  # fmt: skip
    """Fill `table`, and tell of every step (see `compute_gradients`)."""
    graph = graph_of(ys)
    if running.top() is graph:
        raise RuntimeError(messages.own_optimizer())
    ways = _ways(ys, wanted, stops)
    pending = dict.fromkeys(ways, 0)
    for xs in ways.values():
        for x in xs:
            pending[x.op] += 1
    outer = graph.scope, graph.forward
    graph.scope = prefix = graph.unique_name(name) + "/"
    arrived: dict[Tensor, list[Any]] = {}
    try:
        for y, seed in zip(ys, grad_ys or [None] * len(ys), strict=True):
            if y.op in ways and takes_gradient(y):
                arrived.setdefault(y, []).append(seed_of(y, seed))
        queue = deque(dict.fromkeys(y.op for y in ys if pending.get(y.op) == 0))
        while queue:
            op = queue.popleft()
            before = len(graph.nodes)
            graph.forward, graph.scope = op, f"{prefix}{op.name}_grad/"
            grads = [_total(arrived.pop(t, ())) for t in op.outputs]
            for t, grad in zip(op.outputs, grads, strict=True):
                if takes_gradient(t) and (wanted is None or t.node in wanted):
                    table[t.node] = grad
            flows = bool(ways[op]) and any(grad is not None for grad in grads)
            if flows:
                onward = set(ways[op])
                results = _apply_rule(op, grads, must=wanted is not None)
                for x, grad in zip(op.inputs, results, strict=True):
                    if grad is not None and x in onward and takes_gradient(x):
                        arrived.setdefault(x, []).append(_checked(op, x, grad))
            for x in ways[op]:
                pending[x.op] -= 1
                if pending[x.op] == 0:
                    queue.append(x.op)
            added = range(before, len(graph.nodes))
            yield Event(op, queue, pending, flows, added)
    finally:
        graph.scope, graph.forward = outer


def _ways(
    ys: list[Tensor], wanted: set[Any] | None, stops: set[Operation]
) -> dict[Operation, list[Tensor]]:
    """For each operation on the way back, the inputs that lead to what is wanted."""
    live: set[Operation] = set()
    for op in traverse_postorder(ys):
        leads = op not in stops and any(x.op in live for x in op.inputs)
        if wanted is None or leads or any(t.node in wanted for t in op.outputs):
            live.add(op)
    ways: dict[Operation, list[Tensor]] = {}
    ahead = [y.op for y in ys if y.op in live]
    while ahead:
        op = ahead.pop()
        if op not in ways:
            ways[op] = [x for x in op.inputs if x.op in live and op not in stops]
            ahead += [x.op for x in ways[op]]
    return ways


def takes_gradient(t: Tensor) -> bool:
    """Whether it is a float, or may be one."""
    return t.static_dtype is None or t.static_dtype.kind in "fc"


def _total(grads: Sequence[Any]) -> Any:
    """The sum of what arrived; slices stay slices if all are."""
    if len(grads) < 2:
        return grads[0] if grads else None
    if all(hasattr(grad, "joined") for grad in grads):
        return grads[0].joined(grads)
    return BUILDERS["add_n"]([convert_to_tensor(grad) for grad in grads])


def _apply_rule(op: Operation, grads: list[Any], must: bool) -> Sequence[Any]:
    """What the rule of `op` makes of the gradients of its outputs."""
    key = own_key(op.gradient_key) if op.definition is None else op.gradient_key
    rule = gradient_registry.get(key)
    if rule is None:
        if must and key not in gradient_registry:
            raise LookupError(messages.no_rule(op))
        return [None] * len(op.inputs)
    for i, t in enumerate(op.outputs):
        if grads[i] is not None:
            grads[i] = convert_to_tensor(grads[i])
        elif takes_gradient(t) and not (op.definition and op.definition.calls):
            grads[i] = BUILDERS["zeros_like"](t)
    result = apply_rule(rule, op, grads)
    result = result if isinstance(result, list | tuple) else [result]
    if len(result) != len(op.inputs):
        raise ValueError(messages.wrong_count(op, result))
    return result


def _checked(op: Operation, x: Tensor, grad: Any) -> Any:
    """`grad` if it can be the gradient of `x`; broadcast axes are summed away."""
    if hasattr(grad, "joined"):
        return grad
    grad = convert_to_tensor(grad, graph=op.graph)
    shape = grad.static_shape
    known = shape is not None and None not in shape and shape == x.static_shape
    if not known and op.definition is not None and op.definition.broadcasts:
        grad = BUILDERS["sum_like"](grad, x)
    alike = agree(grad.static_dtype, x.static_dtype)
    if not alike or not fits(grad.static_shape, x.static_shape):
        raise ValueError(messages.wrong_gradient(op, x, grad))
    return grad
