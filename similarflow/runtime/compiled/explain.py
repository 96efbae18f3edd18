"""Explaining a run: which steps the compiled engine would take, and why these."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import prod
from typing import Any, NamedTuple

import numpy as np

from ...core.convert import fits
from ...core.graph import Spec, Tensor, get_default_graph, sessions
from ...core.shapes import TensorShape
from .. import messages
from ..feeds import check_feeds
from ..fetches import parse_fetches
from ..plan import Plan, make_plan
from .binding import Emit
from .engine import compiled
from .program import Node, Program, Value
from .watch import (
    Watched,
    blocks_of,
    call_name,
    members,
    outs_of,
    plural,
    result_of,
    table,
    watched,
)


class Row(NamedTuple):
    """A call that a run makes, or a view that is there before it."""

    step: int | None  # None for a view, which costs a run nothing
    name: str  # the operation's
    type: str
    kernel: str
    result: str  # shape and dtype
    buffer: str
    why: str


@dataclass(frozen=True)
class Explanation:
    """What the compiled engine makes of a run; ``str()`` is a table.

    Attributes
    ----------
    inputs : list of str
        What the run is given, with shapes and dtypes.
    unknown : list of str
        The inputs whose shape, or dtype, only a run tells.
    early : list of str
        The operations that the simple engine computes first.
    notes : list of str
        What each pass did, in order; the second half was done with the shapes known.
    rows : list of Row
        The calls: step, name, type, kernel, result, buffer, why. A kernel that is no
        function of NumPy's is one of the engine's, or what the operation is defined by
        ("as written"). Steps that only make an array have no row of their own.
    steps : int
        So many Python calls a run makes.
    buffers : int
        So many arrays are kept from run to run.
    bytes, bytes_unshared : int
        Their size, and what it would be if each result had a buffer of its own.
    """

    inputs: list[str]
    unknown: list[str]
    early: list[str]
    notes: list[str]
    rows: list[Row]
    steps: int
    buffers: int
    bytes: int
    bytes_unshared: int

    def __str__(self) -> str:
        lines = [f"inputs: {', '.join(self.inputs) or 'none'}"]
        if self.unknown:
            lines.append(
                f"not known before a run: {', '.join(self.unknown)}; put arrays, or "
                "shapes as sf.TensorShape, into feed_dict to see more"
            )
        if self.early:
            lines.append(f"computed first, as written: {', '.join(self.early)}")
        lines += ["passes:", *[f"  {n}" for n in self.notes or ["nothing to do"]]]
        head = ("step", "operation", "type", "kernel", "result", "buffer", "why")
        cells = [
            ("-" if row.step is None else str(row.step), *row[1:]) for row in self.rows
        ]
        lines += table([head, *cells], right=[0]) if cells else ["nothing to compute"]
        lines.append(
            f"{plural(self.steps, 'step')}, {plural(self.buffers, 'buffer')} of "
            f"{plural(self.bytes, 'byte')}; {plural(self.bytes_unshared, 'byte')} "
            "without sharing"
        )
        return "\n".join(lines)

    __repr__ = __str__


def explain(fetches: Any, feed_dict: Any = None, session: Any = None) -> Explanation:
    """What the compiled engine would do to run `fetches`; nothing is run or changed.

    Parameters
    ----------
    fetches : tensor, variable, operation, name, or a nest of them
        As for ``session.run``.
    feed_dict : dict, optional
        Values as for a run, of which only shapes and dtypes matter; a `TensorShape`
        stands for a value of that shape. Placeholders that are not in it are taken to
        be fed; what shape they have is known as far as the graph tells it.
    session : Session, optional
        Whose graph and variables' shapes to use: the default session, if none is given.

    Returns
    -------
    Explanation
        ``print`` it: what each pass did, a line for each call, and how much room the
        buffers take. It is of a program made anew; `without` switches passes off.

    Examples
    --------
    >>> import similarflow as sf
    >>> x = sf.Placeholder(sf.float32, [None, 2], name="x")
    >>> y = sf.reduce_sum(sf.square(x * 2.0), name="y")
    >>> found = sf.runtime.explain(y, feed_dict={x: sf.TensorShape([3, 2])})
    >>> [row.kernel for row in found.rows]
    ['np.multiply', 'np.square', 'np.add.reduce']
    >>> found.bytes, found.bytes_unshared
    (24, 48)
    """
    session = sessions.top() if session is None else session
    graph = get_default_graph() if session is None else session.graph
    state = {} if session is None else dict(session.state)
    found: list[Any] = []
    parse_fetches(fetches, graph, found)
    given = _given(feed_dict, graph)
    plan = make_plan(graph, found, given)
    fed = [*given, *plan.unfed]
    if plan.unfed:
        plan = make_plan(graph, found, fed)

    def spec(tensor: Tensor) -> Spec:
        if tensor in given:
            return given[tensor]
        value = state.get(tensor)
        if value is not None:
            return np.shape(value), value.dtype
        return tensor.static_shape, tensor.static_dtype

    start = compiled(plan, fed, found).program
    return _explained(plan, watched(start, [spec(t) for t in start.inputs]))


def _given(feed_dict: Any, graph: Any) -> dict[Tensor, Spec]:
    """Shapes and dtypes of what is fed."""
    pairs = dict(feed_dict.items() if hasattr(feed_dict, "items") else ())
    shapes = {k: v for k, v in pairs.items() if isinstance(v, TensorShape)}
    values = {k: v for k, v in pairs.items() if k not in shapes}
    feeds = check_feeds(values if pairs else feed_dict, graph)
    specs: dict[Tensor, Spec] = {k: (x.shape, x.dtype) for k, x in feeds.items()}
    for key, shape in shapes.items():
        tensor = graph.get_tensor_by_name(key) if isinstance(key, str) else key
        if not hasattr(tensor, "as_tensor"):
            raise TypeError(messages.bad_feed_key(key))
        tensor = tensor.as_tensor()
        dims: Any = None if shape.dims is None else tuple(shape.as_list())
        if shape.is_fully_defined() and not fits(tensor.static_shape, dims):
            raise ValueError(messages.wrong_feed_shape(tensor, dims))
        specs[tensor] = (dims, tensor.static_dtype)
    return specs


def _explained(plan: Plan, bound: Watched) -> Explanation:
    program = bound.program
    calls = _Calls(program, bound)
    rows = [calls.row(*call) for call in bound.calls]
    inputs = program.inputs
    return Explanation(
        [f"{t.name} {result_of(v.spec)}" for t, v in inputs.items()],
        [t.name for t, v in inputs.items() if not v.known],
        [op.name for op, _, _ in plan.early], program.notes, rows, len(bound.steps),
        len(calls.buffers), sum(size for _, size in calls.buffers.values()),
        calls.unshared,
    )  # fmt: skip


class _Calls:
    """Turns calls into rows, in order."""

    def __init__(self, program: Program, bound: Watched) -> None:
        self.bound = bound
        self.buffers: dict[int, tuple[int, int]] = {}  # by identity: number and size
        self.unshared = 0
        self._told: set[Node] = set()
        self._roles: dict[Value | None, list[str]] = {}
        for v in program.fetches:
            self._roles[v] = ["fetched"]
        for variable, v in program.writes.items():
            role = f"new value of {variable.op.name}"
            self._roles.setdefault(v, []).append(role)

    def row(self, emit: Emit, start: int, stop: int) -> Row:
        node, outs = emit.node, outs_of(emit)
        places = dict.fromkeys(self._place(emit, v) for v in outs)
        kernels = [*dict.fromkeys(call_name(e.f) for e in members(emit))]
        in_rows = emit.kind == "late" and emit.outs is not node.outputs
        if emit.kind == "late":
            kernels = ["as written, on rows" if in_rows else "as written"]
        elif emit.kind == "alias":  # with a buffer of its own it is no view
            copied = stop > start and all(place.isdigit() for place in places)
            kernels = ["np.copyto" if copied else "view"]
        return Row(
            start if stop > start else None, node.op.name, node.op.type,
            ", ".join(kernels), ", ".join(result_of(v.spec) for v in outs) or "nothing",
            ", ".join(places), "; ".join(dict.fromkeys(filter(None, self._why(emit)))),
        )  # fmt: skip

    def _why(self, emit: Emit) -> Iterator[str]:
        outs, node = outs_of(emit), emit.node
        nodes = dict.fromkeys(e.node for e in members(emit))
        for v in outs:
            yield self._taken(emit, v)
        if emit.kind == "late":
            yield _reason(node) if emit.outs is node.outputs else "the rows that change"
        if emit.kind == "final":
            yield "in the end, when all else is done"
        if emit.kind == "region":
            self._count_inside(emit)
            names = ", ".join(n.op.name for n in nodes if n is not node)
            yield f"block by block, with {names}" if names else "block by block"
        for n in nodes:
            if n.why and n not in self._told:
                yield n.why if n is node else f"{n.op.name}: {n.why}"
        self._told.update(nodes)
        for v in outs:
            yield from self._roles.get(v, ())
            if v in self.bound.recycled.values:
                yield "takes turns with the old value"

    def _count_inside(self, region: Emit) -> None:
        """Count the blocks that are between two calls of a region."""
        (out, *_) = outs_of(region)
        for block in blocks_of(region):
            root = _root(block)
            size = len(self.buffers), root.nbytes
            self.buffers.setdefault(id(root), size)
        inside = [e.out for e in members(region) if e.out not in outs_of(region)]
        sizes = [v.dtype.itemsize for v in inside if v is not None]
        self.unshared += sum(sizes) * prod(out.dims)

    def _place(self, emit: Emit, out: Value) -> str:
        """Where a result of a call is: the number of a buffer, or how it is made."""
        if emit.kind == "final":
            return "the variable's"
        array = self.bound.arrays.get(out)
        x = emit.args[0] if emit.kind == "alias" else None
        if array is None and x is not None:
            return f"view of {x.name}"
        if array is None:
            return "new"
        root = _root(array)
        if x is not None:
            same = x.constant is not None and np.may_share_memory(array, x.constant)
            if same or not array.size:
                return f"view of {'a constant' if x.constant is not None else x.name}"
            if id(root) in self.buffers:
                return f"view of {self.buffers[id(root)][0]}"
        self.unshared += array.nbytes
        size = len(self.buffers), root.nbytes
        return str(self.buffers.setdefault(id(root), size)[0])

    def _taken(self, emit: Emit, out: Value) -> str:
        """Which argument's buffer the result takes."""
        arrays = self.bound.arrays
        if emit.kind not in ("call", "region") or out not in arrays:
            return ""
        root, outs = _root(arrays[out]), outs_of(emit)
        for x in [x for x in emit.args if isinstance(x, Value) and x not in outs]:
            if x in arrays and _root(arrays[x]) is root:
                return "in place" if x.tensor is None else f"in place of {x.name}"
        return ""


def _root(array: Any) -> Any:
    """The array whose memory `array` looks at."""
    while isinstance(array.base, np.ndarray):
        array = array.base
    return array


def _reason(node: Node) -> str:
    """Why a node is computed as it is written, into new arrays."""
    known = node.op.definition
    if known is None:
        return "an operation of your own"
    if known.calls:
        return "runs sub-graphs"
    if known.random:
        return "draws random numbers"
    if known.asks:
        return "asks what has a value"
    if known.effects:
        return "has an effect"
    unknown = [v for v in (*node.inputs, *node.outputs) if not v.known]
    if unknown:  # rather one that is a tensor's value
        return _unknown(next((v for v in unknown if v.tensor is not None), unknown[0]))
    return "its kernel is no list of ufuncs and reductions"


def _unknown(value: Value) -> str:
    dims, dtype = value.spec
    if dtype is not None and dtype.kind == "O":
        return f"{value.name} holds objects"
    if value.opaque:
        return f"{value.name} may be no array"
    what = "shape" if dims is None or None in dims else "dtype"
    return f"the {what} of {value.name} is not known before the run"
