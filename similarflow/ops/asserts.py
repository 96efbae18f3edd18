"""Checks that stop a run, or the building of the graph if they are known to fail."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..core.casting import dtype_name
from ..core.convert import as_np_dtype
from ..core.graph import Constant, Operation, Tensor, convert_to_tensor, graph_of
from ..core.infer import taken
from ..core.messages import made_at
from ..errors import InvalidArgumentError
from .complex import abs as magnitude
from .effects import Assert, summary
from .elementary import no_op, subtract
from .known import show, static_ints
from .logic import (
    equal,
    greater,
    greater_equal,
    less,
    less_equal,
    logical_or,
    not_equal,
)
from .reduce import reduce_all
from .shape import rank as rank_of, shape as shape_of

Told = tuple[Any, Any, Any]
"""What the caller wants the error to say: data, summarize, message."""


def _compare(
    build: Callable[..., Any], sign: str, pair: tuple[Any, Any], told: Told,
    name: str | None, kind: str, labels: tuple[str, ...] = ("x", "y"),
) -> Operation:  # fmt: skip
    """Assert that `build` of a pair holds for all elements."""
    graph = graph_of(pair)
    with graph.as_default(), graph.name_scope(name or kind):
        made: Operation = build(*pair).op
        held, inputs = made.output, made.inputs
        if all(isinstance(t, Constant) for t in inputs):
            values = [taken(t) for t in inputs]
            with np.errstate(all="ignore"):
                fine = bool(np.all(made.compute(*values)))
            return _settled(fine, made, f"{kind}: {sign}", inputs, labels, told)
        shown: list[Any] = []
        for label, t in zip(labels, inputs, strict=False):
            shown += [f"{label} ('{t.name}') =", t]
        text = f"{kind}: {sign} does not hold for all elements:"
        data, summarize, message = told
        data = ([message] if message else []) + (data or [text, *shown])
        return Assert(reduce_all(held), data, summarize)


def _settled(
    fine: bool, made: Operation, what: str, inputs: Sequence[Any],
    labels: Sequence[str], told: Told,
) -> Operation:  # fmt: skip
    """What is known when the graph is built: no operation, or an error at once."""
    if fine:
        return no_op()  # type: ignore[no-any-return]
    data, summarize, message = told
    lines = [message] if message else []
    lines.append(f"{what} does not hold for all elements")
    pairs = zip(labels, inputs, strict=False)
    lines += [f"  {label} = {summary(t.value, summarize)}" for label, t in pairs]
    lines += [f"  {item}" for item in data or ()]
    raise InvalidArgumentError(None, made, "\n".join([*lines, f"  {made_at(made)}"]))


def assert_equal(
    x: Any, y: Any, data: Any = None, summarize: int | None = None,
    message: str | None = None, name: str | None = None,
) -> Operation:  # fmt: skip
    """Assert that ``x == y`` for all elements, with broadcasting.

    Let what relies on it wait for the result, with `control_dependencies`.

    Parameters
    ----------
    x, y : tensor
        Of one dtype, and of shapes that broadcast.
    data : list of tensors, optional
        What the error lists, instead of `x` and `y`.
    summarize : int, optional
        So many elements of each tensor, 3 by default; -1 for all.
    message : str, optional
        What the error begins with.

    Returns
    -------
    Operation
        An `Assert`; if both are constants and it holds, one that does nothing.

    Raises
    ------
    InvalidArgumentError
        It does not hold: in a run, or at once if both are constants.

    Examples
    --------
    >>> import similarflow as sf
    >>> x = sf.Placeholder(sf.float32, [None])
    >>> with sf.control_dependencies([sf.assert_equal(sf.reduce_sum(x), 1.0)]):
    ...     y = sf.identity(x)
    >>> sf.Session().run(y, {x: [0.25, 0.75]})
    array([0.25, 0.75], dtype=float32)
    """
    told = data, summarize, message
    return _compare(equal, "x == y", (x, y), told, name, "assert_equal")


def assert_none_equal(
    x: Any, y: Any, data: Any = None, summarize: int | None = None,
    message: str | None = None, name: str | None = None,
) -> Operation:  # fmt: skip
    """Assert that ``x != y`` for all elements; see `assert_equal`."""
    told = data, summarize, message
    return _compare(not_equal, "x != y", (x, y), told, name, "assert_none_equal")


def assert_less(
    x: Any, y: Any, data: Any = None, summarize: int | None = None,
    message: str | None = None, name: str | None = None,
) -> Operation:  # fmt: skip
    """Assert that ``x < y`` for all elements; see `assert_equal`."""
    told = data, summarize, message
    return _compare(less, "x < y", (x, y), told, name, "assert_less")


def assert_less_equal(
    x: Any, y: Any, data: Any = None, summarize: int | None = None,
    message: str | None = None, name: str | None = None,
) -> Operation:  # fmt: skip
    """Assert that ``x <= y`` for all elements; see `assert_equal`."""
    told = data, summarize, message
    return _compare(less_equal, "x <= y", (x, y), told, name, "assert_less_equal")


def assert_greater(
    x: Any, y: Any, data: Any = None, summarize: int | None = None,
    message: str | None = None, name: str | None = None,
) -> Operation:  # fmt: skip
    """Assert that ``x > y`` for all elements; see `assert_equal`."""
    told = data, summarize, message
    return _compare(greater, "x > y", (x, y), told, name, "assert_greater")


def assert_greater_equal(
    x: Any, y: Any, data: Any = None, summarize: int | None = None,
    message: str | None = None, name: str | None = None,
) -> Operation:  # fmt: skip
    """Assert that ``x >= y`` for all elements; see `assert_equal`."""
    told = data, summarize, message
    kind = "assert_greater_equal"
    return _compare(greater_equal, "x >= y", (x, y), told, name, kind)


def _sign(
    build: Callable[..., Any], sign: str, x: Any, told: Told, name: str | None,
    kind: str,
) -> Operation:  # fmt: skip
    """Assert how all elements of `x` compare to 0."""
    tensor = convert_to_tensor(x)
    zero = 0 if tensor.static_dtype is None else np.zeros((), tensor.static_dtype)
    return _compare(build, sign, (tensor, zero), told, name, kind, ("x",))


def assert_positive(
    x: Any, data: Any = None, summarize: int | None = None,
    message: str | None = None, name: str | None = None,
) -> Operation:  # fmt: skip
    """Assert that ``x > 0`` for all elements; see `assert_equal`.

    Examples
    --------
    >>> import similarflow as sf
    >>> try:
    ...     sf.assert_positive([1, -1], message="sizes")
    ... except sf.errors.InvalidArgumentError as error:
    ...     print("".join(error.message.splitlines(True)[:3]))
    sizes
    assert_positive: x > 0 does not hold for all elements
      x = [1 -1]
    <BLANKLINE>
    """
    told = data, summarize, message
    return _sign(greater, "x > 0", x, told, name, "assert_positive")


def assert_negative(
    x: Any, data: Any = None, summarize: int | None = None,
    message: str | None = None, name: str | None = None,
) -> Operation:  # fmt: skip
    """Assert that ``x < 0`` for all elements; see `assert_equal`."""
    told = data, summarize, message
    return _sign(less, "x < 0", x, told, name, "assert_negative")


def assert_non_negative(
    x: Any, data: Any = None, summarize: int | None = None,
    message: str | None = None, name: str | None = None,
) -> Operation:  # fmt: skip
    """Assert that ``x >= 0`` for all elements; see `assert_equal`."""
    told = data, summarize, message
    return _sign(greater_equal, "x >= 0", x, told, name, "assert_non_negative")


def assert_non_positive(
    x: Any, data: Any = None, summarize: int | None = None,
    message: str | None = None, name: str | None = None,
) -> Operation:  # fmt: skip
    """Assert that ``x <= 0`` for all elements; see `assert_equal`."""
    told = data, summarize, message
    return _sign(less_equal, "x <= 0", x, told, name, "assert_non_positive")


def assert_near(
    x: Any, y: Any, rtol: Any = None, atol: Any = None, data: Any = None,
    summarize: int | None = None, message: str | None = None, name: str | None = None,
) -> Operation:  # fmt: skip
    """Assert that ``abs(x - y) <= atol + rtol * abs(y)`` for all elements.

    Parameters
    ----------
    x, y : tensor of floats
        Of one dtype, and of shapes that broadcast.
    rtol, atol : float or tensor, optional
        By default ten times the distance from 1 to the next float.
    data, summarize, message
        As for `assert_equal`.

    Raises
    ------
    InvalidArgumentError
        In a run: it does not hold, or something is nan.

    Examples
    --------
    >>> import similarflow as sf
    >>> x = sf.constant([0.1, 0.2])
    >>> sf.Session().run(sf.assert_near(x * 3.0, [0.3, 0.6]))
    """
    graph = graph_of([x, y, rtol, atol])
    with graph.as_default(), graph.name_scope(name or "assert_near"):
        difference = subtract(x, y)
        left, right = difference.op.inputs
        dtype = difference.static_dtype
        kind = dtype if dtype is not None and dtype.kind == "f" else np.dtype("f4")
        ten = 10 * float(np.finfo(kind).eps)
        rtol, atol = (ten if t is None else t for t in (rtol, atol))
        held = less_equal(magnitude(difference), atol + rtol * magnitude(right))
        shown = [f"x ('{left.name}') =", left, f"y ('{right.name}') =", right]
        text = "assert_near: x and y are further apart than atol + rtol * abs(y):"
        own = data or [text, *shown, "rtol, atol =", rtol, atol]
        first = [message] if message else []
        return Assert(reduce_all(held), [*first, *own], summarize)


# Ranks


def _rank(
    x: Any, ranks: Sequence[Any], holds: tuple[str, Callable[..., Any]], told: Told,
    name: str | None, kind: str,
) -> Operation:  # fmt: skip
    """Assert that the rank of `x` fits one of `ranks`."""
    graph = graph_of([x, *ranks])
    with graph.as_default(), graph.name_scope(name or kind):
        tensor = convert_to_tensor(x)
        wanted = [convert_to_tensor(n, np.int32) for n in ranks]
        known = [static_ints(t) for t in wanted]
        words, build = holds
        dims, (data, summarize, message) = tensor.static_shape, told
        if dims is not None and None not in known:
            numbers = [n[0] for n in known if n is not None]
            if any(build(len(dims), n) for n in numbers):
                return no_op()  # type: ignore[no-any-return]
            raise ValueError(
                f"{f'{message}: ' if message else ''}'{tensor.name}' has rank "
                f"{len(dims)}, shape {show(dims)}, and {kind} takes rank {words}"
                f"{' or '.join(map(str, numbers))}\n  {made_at(tensor.op)}"
            )
        found, compare = rank_of(tensor), equal if not words else greater_equal
        held = compare(found, wanted[0])
        for t in wanted[1:]:
            held = logical_or(held, compare(found, t))
        text = f"{kind}: '{tensor.name}' must have rank {words}".rstrip()
        own = data or [text, *wanted, "its shape is", shape_of(tensor)]
        return Assert(held, ([message] if message else []) + [*own], summarize)


EXACT: tuple[str, Callable[..., Any]] = ("", lambda m, n: m == n)
AT_LEAST: tuple[str, Callable[..., Any]] = ("at least ", lambda m, n: m >= n)


def assert_rank(
    x: Any, rank: Any, data: Any = None, summarize: int | None = None,
    message: str | None = None, name: str | None = None,
) -> Operation:  # fmt: skip
    """Assert that `x` has so many dimensions.

    Parameters
    ----------
    x : tensor
    rank : int, or scalar tensor of dtype int32
    data, summarize, message
        As for `assert_equal`.

    Returns
    -------
    Operation
        An `Assert`; one that does nothing if the rank is known and right.

    Raises
    ------
    ValueError
        The rank is known, and another one.
    InvalidArgumentError
        In a run: the rank is another one.

    Examples
    --------
    >>> import similarflow as sf
    >>> sf.Session().run(sf.assert_rank(sf.ones([2, 3]), 2))
    """
    told = data, summarize, message
    return _rank(x, [rank], EXACT, told, name, "assert_rank")


def assert_rank_at_least(
    x: Any, rank: Any, data: Any = None, summarize: int | None = None,
    message: str | None = None, name: str | None = None,
) -> Operation:  # fmt: skip
    """Assert that `x` has so many dimensions or more; see `assert_rank`."""
    told = data, summarize, message
    return _rank(x, [rank], AT_LEAST, told, name, "assert_rank_at_least")


def assert_rank_in(
    x: Any, ranks: Sequence[Any], data: Any = None, summarize: int | None = None,
    message: str | None = None, name: str | None = None,
) -> Operation:  # fmt: skip
    """Assert that the number of dimensions is one of `ranks`; see `assert_rank`."""
    told = data, summarize, message
    return _rank(x, list(ranks), EXACT, told, name, "assert_rank_in")


# What is known when the graph is built


def assert_type(
    tensor: Any, tf_type: Any, message: str | None = None, name: str | None = None
) -> Operation:
    """Check the dtype at once; the operation that it returns does nothing.

    Raises
    ------
    TypeError
        The tensor has another dtype, or none is known.

    Examples
    --------
    >>> import similarflow as sf
    >>> sf.assert_type(sf.constant(1.0), sf.float32).type
    'NoOp'
    """
    x, wanted = convert_to_tensor(tensor), as_np_dtype(tf_type)
    if x.static_dtype is None or x.static_dtype != wanted:
        raise TypeError(
            f"{f'{message}: ' if message else ''}'{x.name}' is "
            f"{dtype_name(x.static_dtype)}, and must be {dtype_name(wanted)}\n"
            f"  {made_at(x.op)}"
        )
    with x.graph.as_default():
        return no_op(name=name or "assert_type")  # type: ignore[no-any-return]


def assert_integer(
    x: Any, message: str | None = None, name: str | None = None
) -> Operation:
    """Check at once that the dtype is an integer one; see `assert_type`."""
    tensor = convert_to_tensor(x)
    if tensor.static_dtype is None or tensor.static_dtype.kind not in "iu":
        raise TypeError(
            f"{f'{message}: ' if message else ''}'{tensor.name}' is "
            f"{dtype_name(tensor.static_dtype)}, and must hold whole numbers\n"
            f"  {made_at(tensor.op)}"
        )
    with tensor.graph.as_default():
        return no_op(name=name or "assert_integer")  # type: ignore[no-any-return]


def assert_scalar(
    tensor: Any, name: str | None = None, message: str | None = None
) -> Tensor:
    """The tensor, if its shape is known to be ``()``.

    Raises
    ------
    ValueError
        It has another shape, or its shape is unknown.
    """
    x = convert_to_tensor(tensor)
    if x.static_shape != ():
        raise ValueError(
            f"{f'{message}: ' if message else ''}'{x.name}' must be a scalar, and its "
            f"shape is {show(x.static_shape)}\n  {made_at(x.op)}"
        )
    return x
