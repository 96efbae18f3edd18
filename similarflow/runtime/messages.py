"""What errors of running say: what happened, where, expected and given, what to do."""

from __future__ import annotations

import contextlib
import sys
import warnings
from collections import deque
from typing import TYPE_CHECKING, Any

import numpy as np

from ..core.casting import dtype_name
from ..core.graph import PACKAGE, Graph, Operation, Tensor
from ..core.messages import describe, line_of, made_at, product_hint
from ..errors import (
    FailedPreconditionError,
    InvalidArgumentError,
    OpError,
    OutOfRangeError,
    ResourceExhaustedError,
)
from .ordering import written

if TYPE_CHECKING:
    from .plan import Plan
    from .session import Session


def unfed(plan: Plan) -> InvalidArgumentError:
    """Placeholders have no value: all of them, and how the fetch needs each."""
    lines = []
    for tensor in plan.unfed[:8]:
        path = _path(plan, tensor)
        lines.append(f"  {describe(tensor)}, {made_at(tensor.op)}{path}")
    names = ", ".join(f"'{t.op.name}'" for t in plan.unfed)
    what = "placeholder" if len(plan.unfed) == 1 else "placeholders"
    first = plan.unfed[0]
    return InvalidArgumentError(
        None,
        first.op,
        f"feed a value for the {what} {names}: sess.run(..., feed_dict={{x: value}})\n"
        + "\n".join(lines),
    )


def _path(plan: Plan, tensor: Tensor) -> str:
    """The way from a placeholder to what is fetched."""
    users: dict[Tensor, Operation] = {}
    names: list[str] = []
    seen: set[Operation] = set()
    for op, sources, _ in (*plan.early, *plan.steps):
        for source in sources:
            if source is not None:
                users.setdefault(source, op)
    queue = deque([tensor])
    while queue and len(names) < 5:
        user = users.get(queue.popleft())
        if user is not None and user not in seen:
            seen.add(user)
            names.append(user.name)
            queue.extend(user.outputs[:1])
    return f"; needed by {' -> '.join(names)}" if names else ""


def uninitialised(missing: list[Tensor], session: Session) -> FailedPreconditionError:
    """Variables have no value in a session where some were initialised explicitly."""
    first = missing[0]
    others = [
        v.op.name
        for v in session.graph.variables
        if v.as_tensor() not in session.state and v.as_tensor() is not first
    ]
    also = f"\nAlso without a value: {', '.join(others[:8])}" if others else ""
    return FailedPreconditionError(
        None,
        first.op,
        f"variable '{first.op.name}' is uninitialized: it has no value in this "
        "session. Run "
        "sess.run(sf.global_variables_initializer()) after everything is built\n"
        f"  {describe(first)}, {made_at(first.op)}{also}",
    )


def warn_other_session(session: Session) -> None:
    """A variable starts anew here, and was changed elsewhere: say so, once."""
    if not session.state.get("warned"):
        session.state["warned"] = True
        warnings.warn(
            "variables start from their initial values in this session; another "
            "session has changed them, and values belong to a session. Run in that "
            "one, or initialise them here with sf.global_variables_initializer()",
            stacklevel=_user_level(),
        )


def _user_level() -> int:
    """How many frames up the user's code is, from `warn_other_session`."""
    frame, level = sys._getframe(1), 1
    inside = (PACKAGE, contextlib.__file__)
    while frame.f_code.co_filename.startswith(inside) and frame.f_back:
        frame, level = frame.f_back, level + 1
    return level


def kernel_failed(op: Operation, args: list[Any], error: Exception) -> OpError:
    """A kernel raised: the error in its words, then the operation and its inputs."""
    asks = op.definition is not None and op.definition.asks
    args = args[asks:]
    given = ", ".join(_shown(a) for a in args[:6])
    message = (
        f"{error}\nin {op.type} '{op.name}', made at {line_of(op)}\n  given: {given}"
    )
    message += product_hint(op.type, [np.shape(a) for a in args])
    if isinstance(error, MemoryError):
        return ResourceExhaustedError(None, op, message)
    if isinstance(error, OpError):
        return type(error)(None, op, message)
    if isinstance(error, StopIteration):
        return OutOfRangeError(None, op, message)
    return InvalidArgumentError(None, op, message)


def _shown(value: Any) -> str:
    if isinstance(value, np.random.Generator):
        return "a generator"
    array = np.asarray(value)
    shape = str(array.shape).replace(" ", "")
    if array.size == 1:
        return f"{array.ravel()[0]!r}{'' if array.ndim == 0 else f' in shape {shape}'}"
    return f"{shape} {dtype_name(array.dtype)}"


def check_reshaping(
    session: Session, plan: Plan, variable: Tensor, source: Tensor, value: Any
) -> None:
    """Raise unless the variable has the shape of `value` by now, or may get it."""
    now = session.state.get(variable)
    new = [t for op, _, _ in plan.steps for v, t in written(op) if v is variable]
    same = all(t.static_shape == variable.static_shape for t in new)
    if same and (now is None or now.shape != value.shape):
        raise wrong_write(variable, source, value)


def wrong_write(variable: Tensor, source: Tensor, value: Any) -> InvalidArgumentError:
    """A variable would get a value of another shape."""
    return InvalidArgumentError(
        None,
        source.op,
        f"variable '{variable.op.name}' has shape {variable.static_shape}, and "
        f"{source.op.type} '{source.op.name}' would give it shape {np.shape(value)}\n"
        f"  {made_at(source.op)}\nNothing was changed. To change its shape, "
        "write sf.assign(w, value, validate_shape=False)",
    )


def wrong_feed_shape(tensor: Tensor, given: tuple[int, ...]) -> str:
    """A fed value has another shape than declared."""
    dims = tensor.static_shape or ()
    shape = str(dims).replace("None", "?")
    hint = ""
    fits = len(given) == len(dims) - 1 and all(
        n in (None, m) for n, m in zip(dims[1:], given, strict=True)
    )
    if fits and dims[0] in (None, 1):
        hint = "\nA batch axis is missing: feed value[None], or [value]"
    elif len(given) == len(dims) + 1 and given[-1] == 1:
        hint = "\nThe value has one axis too many: feed value[..., 0]"
    elif len(dims) == len(given) + 1 and dims[-1] == 1:
        hint = "\nThe last axis is missing: feed value[:, None]"
    return (
        f"'{tensor.name}' takes shape {shape}, and was fed shape {given}\n"
        f"  {describe(tensor)}, {made_at(tensor.op)}{hint}"
    )


def feeds_no_dict(value: Any) -> str:
    """The second argument of run is no dict."""
    return (
        "the second argument of run is feed_dict, a dict from placeholders to "
        "values; got "
        f"{type(value).__name__}. To fetch several things, give a list: sess.run([a, "
        "b])"
    )


def fed_a_tensor(tensor: Tensor, value: Any) -> str:
    """A tensor is fed instead of a number."""
    return (
        f"'{tensor.name}' was fed {value!r}, which has no value of its own. Feed "
        "numbers: "
        "what sess.run gives for it"
    )


def wrong_parts(key: Any, value: Any) -> str:
    """What is made of several tensors is fed something else than a value for each."""
    names = ", ".join(f"'{part.name}'" for part in key.components)
    return (
        f"a {type(key).__name__} is fed a tuple with a value for each part, {names}; "
        f"not {value!r:.100}"
    )


def taken(tensor: Tensor) -> str:
    """A constant was needed when the graph was built, and is fed."""
    return (
        f"'{tensor.name}' was taken as it is when the graph was built (as an axis or "
        f"the like), so it cannot be fed\n  {describe(tensor)}, {made_at(tensor.op)}"
    )


def bad_feed_key(key: Any) -> str:
    """A key of feed_dict is nothing that can be fed."""
    shown = f"{key!r:.60}"
    return (
        f"a key of feed_dict is {shown} ({type(key).__name__}), and keys are tensors, "
        "such "
        "as placeholders. Does the name still mean the placeholder, or was it "
        "assigned a "
        "value since?"
    )


def bad_fetch(item: Any, path: str) -> str:
    """Something cannot be fetched."""
    kind = type(item).__name__
    if item is None:
        guess = "Is it a gradient that is None, because nothing connects the two?"
    elif hasattr(item, "minimize"):
        guess = (
            "Fetch the operation that its minimize(loss) returned, not the optimizer"
        )
    elif isinstance(item, np.ndarray | np.generic | float | int):
        guess = "Was a tensor overwritten by its own value (loss = sess.run(loss))?"
    else:
        guess = "Fetch tensors, variables, operations, their names, or lists of them"
    return (
        f"{path} is {item!r:.60} ({kind}): that is no fetch, it cannot be run. {guess}"
    )


def wrong_graph(node: Any, graph: Graph) -> str:
    """A tensor of another graph is fetched or fed."""
    op = getattr(node, "op", node)
    if graph in node.graph.outers:
        return (
            f"'{node.name}' is inside a branch or the body of a loop, and has no value "
            f"outside\n  {made_at(op)}\nReturn it from the function that made it, and "
            "fetch what comes out"
        )
    return (
        f"'{node.name}' is not an element of this session's graph, but of another one\n"
        f"  {made_at(op)}; its graph has {len(node.graph.nodes)} nodes, the session's "
        f"{len(graph.nodes)}\nMake the session for it, sf.Session(graph=...), or "
        "build it "
        "before the session, in one graph. Was sf.reset_default_graph() called in "
        "between?"
    )
