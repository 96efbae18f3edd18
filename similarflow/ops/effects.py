"""Operations that are run for what they do beside: print, and check values."""

from __future__ import annotations

import itertools
import sys
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..core.casting import dtype_name
from ..core.convert import Array
from ..core.graph import (
    Operation,
    Spec,
    Tensor,
    convert_to_tensor,
    get_default_graph,
    source_kind,
)
from ..core.infer import same_as_input
from ..core.registry import op
from ..core.rules import NotDifferentiable, RegisterGradient
from ..core.samples import case, normal
from .elementary import group
from .fronts import front_of
from .known import show

SHOWN = 3
"""So many elements of a tensor are printed by default."""


def summary(value: Any, summarize: int | None = None) -> str:
    """The first elements of a value in brackets: ``[[1 2][3...]...]``.

    A negative `summarize` shows all of them.
    """
    array = np.asarray(value)
    limit = SHOWN if summarize is None else summarize
    limit = array.size if limit < 0 else min(limit, array.size)
    texts = [_text(item) for item in array.ravel()[:limit]]
    rest = "..." if limit < array.size else ""
    return f"[{_rows(texts, array.shape)}{rest}]"


def _rows(texts: list[str], dims: tuple[int, ...]) -> str:
    """As many rows as there are texts for; the last one may be cut."""
    if len(dims) < 2:
        return " ".join(texts)
    length = int(np.prod(dims[1:]))
    rows = []
    for i in range(0, len(texts), max(length, 1)):
        part = texts[i : i + length]
        cut = "..." if len(part) < length and len(dims) == 2 else ""
        rows.append(f"[{_rows(part, dims[1:])}{cut}]")
    return "".join(rows)


def _text(item: Any) -> str:
    if isinstance(item, bytes):
        return item.decode(errors="backslashreplace")
    if isinstance(item, bool | np.bool_):
        return str(int(item))
    if not isinstance(item, float | np.floating):
        return str(item)
    short, exact = (15, 17) if np.result_type(item).itemsize > 4 else (6, 9)
    text = f"{item:.{short}g}"
    return text if type(item)(text) == item else f"{item:.{exact}g}"


# Passing on several


def _infer_each(*inputs: Tensor) -> list[Spec]:
    if not inputs:
        raise ValueError("identity_n needs at least one tensor")
    return [same_as_input(x) for x in inputs]


@op(
    "IdentityN", infer=_infer_each, same=[], accepts="any",
    samples=[
        case([normal(2, 3), normal()]),
        case([normal(0, 2)]),
        case([normal(2), [True, False]]),
    ],
)  # fmt: skip
def identity_n(*input: Array) -> Any:
    """The same tensors, as the results of one operation.

    Parameters
    ----------
    input : list of tensors
        Of any shapes and dtypes.

    Returns
    -------
    list of tensors
        Each of the shape and dtype of its input; gradients pass unchanged.

    Raises
    ------
    ValueError
        The list is empty.

    Examples
    --------
    >>> import similarflow as sf
    >>> sf.Session().run(sf.identity_n([[1.0, 2.0], 3]))
    [array([1., 2.], dtype=float32), np.int32(3)]
    """
    return list(input) if len(input) > 1 else input[0]


@RegisterGradient("IdentityN")
def _identity_n_grad(op: Operation, *grads: Tensor) -> Any:
    return list(grads)


# Printing


def _infer_print(*inputs: Tensor, **attrs: Any) -> Spec:
    return same_as_input(*inputs)


@op(
    "Print", infer=_infer_print, same=[], accepts="any", effects=True,
    samples=[
        case([normal(2, 3), normal(2), "a"], message="sample: "),
        case([normal(), [True, False]], summarize=1),
        case([normal(0, 2)]),
    ],
)  # fmt: skip
def print_in_run(
    *inputs: Array, message: Any = "", first_n: Any = -1, summarize: Any = None,
    calls: Any = None,
) -> Array:  # fmt: skip
    """The first input; the others are printed. See `Print`."""
    if first_n < 0 or next(calls) < first_n:
        texts = [summary(x, summarize) for x in inputs[1:]]
        sys.stderr.write(f"{message}{''.join(texts)}\n")
        sys.stderr.flush()
    return inputs[0]


@RegisterGradient("Print")
def _print_grad(op: Operation, grad: Tensor) -> Any:
    return [grad] + [None] * (len(op.inputs) - 1)


@front_of(print_in_run)
def Print(
    input_: Any, data: Sequence[Any], message: str | None = None,
    first_n: int | None = None, summarize: int | None = None, name: str | None = None,
) -> Tensor:  # fmt: skip
    """`input_` unchanged; whenever it is computed, `data` is printed to stderr.

    What is not needed for a run is not computed, and prints nothing: go on with the
    result of `Print` instead of `input_`.

    Parameters
    ----------
    input_ : tensor
        Of any shape and dtype.
    data : list of tensors
        What to print; strings and numbers will do.
    message : str, optional
        What stands before it.
    first_n : int, optional
        Print only so many times, counted over all sessions.
    summarize : int, optional
        So many elements of each tensor, 3 by default; -1 for all.

    Returns
    -------
    tensor
        Of the shape and dtype of `input_`; gradients pass unchanged.

    Raises
    ------
    TypeError
        `data` is no list.

    Examples
    --------
    >>> import contextlib, sys
    >>> import similarflow as sf
    >>> x = sf.constant([1.0, 2.0, 3.0, 4.5])
    >>> y = sf.Print(x, [x, sf.shape(x)], "x: ")
    >>> with contextlib.redirect_stderr(sys.stdout):
    ...     sf.Session().run(2.0 * y)
    x: [1 2 3...][4]
    array([2., 4., 6., 9.], dtype=float32)
    """
    limit = -1 if first_n is None else first_n
    result: Tensor = print_in_run(
        [input_, *_as_data(data, "Print")], message=message or "", first_n=limit,
        summarize=summarize, calls=itertools.count() if limit >= 0 else None, name=name,
    )  # fmt: skip
    return result


def _as_data(data: Any, what: str) -> list[Any]:
    if not isinstance(data, list | tuple):
        raise TypeError(
            f"{what}: data is a list of tensors, not {data!r:.60}. Write [x] for one"
        )
    return list(data)


# Asserting


def _infer_assert(*inputs: Tensor, summarize: Any = None) -> list[Spec]:
    condition = inputs[0]
    if condition.static_dtype is not None and condition.static_dtype.kind != "b":
        raise TypeError(
            f"a condition is bool, not {dtype_name(condition.static_dtype)}"
        )
    if condition.static_shape not in (None, ()):
        raise ValueError(_no_scalar(show(condition.static_shape)))
    return []


def _no_scalar(shape: Any) -> str:
    return (
        f"a condition is one truth value, not of shape {shape}. Write "
        "sf.reduce_all(...) around it"
    )


@op("Assert", infer=_infer_assert, same=[], accepts="any", effects=True)
def assert_in_run(*inputs: Array, summarize: Any = None) -> tuple[()]:
    """Fails unless the first input is true; see `Assert`."""
    condition = np.asarray(inputs[0])
    if condition.ndim:
        raise ValueError(_no_scalar(condition.shape))
    if not condition:
        data = " ".join([summary(x, summarize) for x in inputs[1:]])
        raise ValueError(f"assertion failed: {data}")
    return ()


NotDifferentiable("Assert")


@front_of(assert_in_run)
def Assert(
    condition: Any, data: Sequence[Any], summarize: int | None = None,
    name: str | None = None,
) -> Operation:  # fmt: skip
    """An operation that fails when it is run and the condition is false.

    Let what relies on the condition wait for it, with `control_dependencies`: an
    operation that nothing needs is not run. Even a constant false fails only then.

    Parameters
    ----------
    condition : tensor of bool
        A scalar.
    data : list of tensors
        What the error lists.
    summarize : int, optional
        So many elements of each tensor, 3 by default; -1 for all.

    Returns
    -------
    Operation
        It has no outputs.

    Raises
    ------
    InvalidArgumentError
        In a run: the condition is false.
    TypeError
        The condition is no bool, or `data` is no list.
    ValueError
        The condition is no scalar.

    Examples
    --------
    >>> import similarflow as sf
    >>> x = sf.Placeholder(sf.float32, [])
    >>> check = sf.Assert(x > 0.0, ["x is", x])
    >>> with sf.control_dependencies([check]):
    ...     y = sf.log(x)
    >>> sess = sf.Session()
    >>> sess.run(y, {x: 1.0})
    np.float32(0.0)
    >>> try:
    ...     sess.run(y, {x: -1.0})
    ... except sf.errors.InvalidArgumentError as error:
    ...     print(error.message.splitlines()[0])
    assertion failed: [x is] [-1]
    """
    inputs = [condition, *_as_data(data, "Assert")]
    made: Operation = assert_in_run(inputs, summarize=summarize, name=name)
    return made


# Checking for nan and inf


def _infer_checked(tensor: Tensor, **attrs: Any) -> Spec:
    return same_as_input(tensor)


@op(
    "CheckNumerics", infer=_infer_checked, accepts="plain", effects=True,
    samples=[
        case(normal(2, 3), message="a"),
        case(normal(), message="b"),
        case(normal(0, 2), message="c"),
    ],
)  # fmt: skip
def check_numerics_in_run(tensor: Array, *, message: Any = "", of: Any = "") -> Array:
    """The same value, if all of it is finite; see `check_numerics`."""
    if not np.all(np.isfinite(tensor)):
        found = (("Inf", np.any(np.isinf(tensor))), ("NaN", np.any(np.isnan(tensor))))
        kinds = " and ".join([kind for kind, there in found if there])
        which = f"'{of}'" if of else "the tensor"
        raise ValueError(f"{message} : {which} has {kinds} values")
    return tensor


@RegisterGradient("CheckNumerics")
def _check_numerics_grad(op: Operation, grad: Tensor) -> Any:
    of = op.attrs["of"] or op.name
    message = f"{op.attrs['message']} (in the gradient of '{of}')"
    return check_numerics(grad, message)


@front_of(check_numerics_in_run)
def check_numerics(tensor: Any, message: str, name: str | None = None) -> Tensor:
    """`tensor` unchanged; a run fails if nan or inf is in it, or in its gradient.

    Parameters
    ----------
    tensor : tensor of floats
        Of any shape.
    message : str
        What the error begins with.

    Returns
    -------
    tensor
        Of the same shape and dtype.

    Raises
    ------
    InvalidArgumentError
        In a run: some values are not finite. It names the tensor and the kind, "Inf",
        "NaN" or both.

    Examples
    --------
    >>> import similarflow as sf
    >>> x = sf.Placeholder(sf.float32, name="x")
    >>> y = sf.check_numerics(sf.log(x, name="log_of_x"), "loss")
    >>> try:
    ...     sf.Session().run(y, {x: [1.0, 0.0, -1.0]})
    ... except sf.errors.InvalidArgumentError as error:
    ...     print(error.message.splitlines()[0])
    loss : 'log_of_x:0' has Inf and NaN values
    """
    x = convert_to_tensor(tensor)
    checked: Tensor = check_numerics_in_run(x, message=message, of=x.name, name=name)
    return checked


def add_check_numerics_ops() -> Operation:
    """An operation that checks every float of the default graph for nan and inf.

    It checks what is in the graph now, in the order in which it was made, so that the
    first to be found is named. Running it computes all of the graph but what writes
    variables, so every placeholder must be fed.

    Raises
    ------
    InvalidArgumentError
        In a run: see `check_numerics`.

    Examples
    --------
    >>> import similarflow as sf
    >>> with sf.Graph().as_default() as graph:
    ...     y = sf.sqrt(sf.constant(-1.0)) + 1.0
    ...     check = sf.add_check_numerics_ops()
    >>> try:
    ...     sf.Session(graph=graph).run(check)
    ... except sf.errors.InvalidArgumentError as error:
    ...     print(error.message.splitlines()[0])
    Sqrt:0 : 'Sqrt:0' has NaN values
    """
    graph = get_default_graph()
    checks: list[Operation] = []
    for node in graph.get_operations():
        writes = node.definition is not None and node.definition.writes
        if source_kind(node) == "VariableV2" or writes:
            continue
        for x in node.outputs:
            if x.static_dtype is not None and x.static_dtype.kind == "f":
                with graph.control_dependencies(checks[-1:]):
                    checks.append(check_numerics(x, x.name).op)
    return group(*checks)
