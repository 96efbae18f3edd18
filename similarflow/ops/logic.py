"""Comparisons, truth values and casts: what has no gradient, or hardly one."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core.convert import STRING, Array, as_np_dtype
from ..core.graph import Operation, Spec, Tensor, convert_to_tensor, graph_of
from ..core.infer import BOOL, comparison
from ..core.registry import op
from ..core.rules import NotDifferentiable, RegisterGradient
from ..core.samples import PAIRS, case, integers, normal
from .fronts import front_of

WHOLE = (
    case(integers(-9, 9, 2, 3), integers(1, 4, 3)),
    case(integers(-9, 9), integers(-4, -1, 2, 1)),
)
TRUTHS = (
    case([[True, False], [False, True]], [True, False]),
    case(True, [[True], [False]]),
    case(False, True),
)
NO_STRINGS = "strings are not cast to numbers, nor numbers to strings"


def tensor_or_value(value: Any) -> Any:
    """A tensor for all that stands for one; plain values stay."""
    return value.as_tensor() if hasattr(value, "as_tensor") else value


# ---- comparisons


@op("Equal", infer=comparison, accepts="any", samples=[
    *PAIRS, *WHOLE, *TRUTHS, case([1.0, float("nan")], float("nan")),
])  # fmt: skip
def equal(x: Array, y: Array) -> Array:
    """``x == y``, element by element, for numbers, truth values and strings.

    The operator ``==`` compares tensors by identity.

    Examples
    --------
    >>> import similarflow as sf
    >>> sf.Session().run(sf.equal([1, 2, 3], [1, 0, 3]))
    array([ True, False,  True])
    """
    return np.equal(x, y)


@op("NotEqual", infer=comparison, accepts="any", samples=[
    *PAIRS, *WHOLE, *TRUTHS, case([1.0, float("nan")], float("nan")),
])  # fmt: skip
def not_equal(x: Array, y: Array) -> Array:
    """``x != y``, element by element, for numbers, truth values and strings."""
    return np.not_equal(x, y)


@op("Less", infer=comparison, accepts="real", samples=[*PAIRS, *WHOLE])
def less(x: Array, y: Array) -> Array:
    """``x < y``, element by element."""
    return np.less(x, y)


@op("LessEqual", infer=comparison, accepts="real", samples=[*PAIRS, *WHOLE])
def less_equal(x: Array, y: Array) -> Array:
    """``x <= y``, element by element."""
    return np.less_equal(x, y)


@op("Greater", infer=comparison, accepts="real", samples=[*PAIRS, *WHOLE])
def greater(x: Array, y: Array) -> Array:
    """``x > y``, element by element."""
    return np.greater(x, y)


@op("GreaterEqual", infer=comparison, accepts="real", samples=[*PAIRS, *WHOLE])
def greater_equal(x: Array, y: Array) -> Array:
    """``x >= y``, element by element."""
    return np.greater_equal(x, y)


# ---- logic


@op("LogicalAnd", infer=comparison, accepts="bool", samples=TRUTHS)
def logical_and(x: Array, y: Array) -> Array:
    """Whether both are true, element by element with broadcasting."""
    return np.logical_and(x, y)


@op("LogicalOr", infer=comparison, accepts="bool", samples=TRUTHS)
def logical_or(x: Array, y: Array) -> Array:
    """Whether at least one is true, element by element with broadcasting."""
    return np.logical_or(x, y)


@op("LogicalXor", infer=comparison, accepts="bool", samples=TRUTHS)
def logical_xor(x: Array, y: Array) -> Array:
    """Whether exactly one is true, element by element with broadcasting."""
    return np.logical_xor(x, y)


def _infer_truth(x: Tensor) -> Spec:
    return x.static_shape, BOOL


@op(
    "LogicalNot", infer=_infer_truth, accepts="bool",
    samples=[case([True, False]), case(True)],
)  # fmt: skip
def logical_not(x: Array) -> Array:
    """Whether it is not true, element by element."""
    return np.logical_not(x)


for _type in (
    "Equal", "NotEqual", "Less", "LessEqual", "Greater", "GreaterEqual",
    "LogicalAnd", "LogicalOr", "LogicalXor", "LogicalNot",
):  # fmt: skip
    NotDifferentiable(_type)

# ---- casts


def _infer_cast(x: Tensor, dtype: np.dtype[Any]) -> Spec:
    if STRING in (x.static_dtype, dtype):
        raise TypeError(NO_STRINGS)
    return x.static_shape, dtype


@op("Cast", infer=_infer_cast, attrs=["dtype"], accepts="any", elementwise=True,
    samples=[
    case(normal(2, 3), np.dtype("float32")),
    case(normal(2, 3), np.dtype("int32")),
    case([-1.7, 1.7, 0.0], BOOL),
    case(integers(-9, 9, 2, 3), np.dtype("float32")),
    case([True, False], np.dtype("float64")),
    case(normal(), np.dtype("float16")),
    case(normal(0, 2), np.dtype("int64")),
])  # fmt: skip
def cast_in_run(x: Array, dtype: np.dtype[Any]) -> Array:
    """`x` as `dtype`, the operation of `cast`."""
    x = np.asarray(x)
    if STRING in (x.dtype, dtype):
        raise TypeError(NO_STRINGS)
    if x.dtype.kind == "c" and dtype.kind in "iuf":
        x = x.real
    return x.astype(dtype, copy=False)


@RegisterGradient("Cast")
def _cast_grad(op: Operation, grad: Tensor) -> Any:
    x = op.inputs[0]
    if x.static_dtype is not None and x.static_dtype.kind not in "fc":
        return None
    return cast_like(grad, x)


@front_of(cast_in_run)
def cast(x: Any, dtype: Any, name: str | None = None) -> Tensor:
    """`x` with another dtype; floats lose what is behind the point in an integer.

    When the dtype fits already, the result is the very tensor. The gradient is cast
    back; none flows from or to integers and truth values.

    Raises
    ------
    TypeError
        A string is to become a number, or a number a string.

    Examples
    --------
    >>> import similarflow as sf
    >>> sf.Session().run(sf.cast([-1.7, 0.2, 1.7], sf.int32))
    array([-1,  0,  1], dtype=int32)
    """
    wanted = as_np_dtype(dtype)
    if wanted is None:
        raise TypeError("cast() needs a dtype, such as sf.float32; None was given")
    tensor = tensor_or_value(x)
    if not isinstance(tensor, Tensor):
        graph = graph_of([x])
        name = f"{graph.unique_name(name or 'Cast')}/"
        tensor = convert_to_tensor(x, name=f"{name}x/", graph=graph)
    if tensor.static_dtype is not None and tensor.static_dtype == wanted:
        return tensor
    result: Tensor = cast_in_run(tensor, wanted, name=name)
    return result


def _infer_cast_like(x: Tensor, like: Tensor) -> Spec:
    return x.static_shape, like.static_dtype


@op("CastLike", infer=_infer_cast_like, same=[], elementwise=True, samples=[
    case(normal(2, 3), normal()),
    case(integers(-9, 9, 3), normal(2)),
])  # fmt: skip
def cast_like_in_run(x: Array, like: Array) -> Array:
    """`x` as the dtype of `like`, the operation of `cast_like`."""
    return np.asarray(x).astype(np.result_type(like), copy=False)


@RegisterGradient("CastLike")
def _cast_like_grad(op: Operation, grad: Tensor) -> Any:
    return cast_like(grad, op.inputs[0]), None


@front_of(cast_like_in_run)
def cast_like(x: Any, like: Any, name: str | None = None) -> Tensor:
    """`x` with the dtype that `like` has when it is run; a plain `cast` if it is known.

    A rule of a gradient needs it, as its tensors may have no dtype before a run.
    """
    x, like = tensor_or_value(x), tensor_or_value(like)
    dtype = getattr(like, "static_dtype", None)
    if dtype is not None and getattr(x, "static_dtype", None) is not None:
        return cast(x, dtype, name)
    result: Tensor = cast_like_in_run(x, like, name=name)
    return result


def _cast_to(dtype: Any, builder: str) -> Any:
    def build(x: Any, name: str | None = None) -> Tensor:
        return cast(x, dtype, name=name)

    build.__name__ = build.__qualname__ = builder
    build.__doc__ = f"Cast to {np.dtype(dtype).name}; `cast` says it more generally."
    return build


to_double = _cast_to(np.float64, "to_double")
to_float = _cast_to(np.float32, "to_float")
to_int32 = _cast_to(np.int32, "to_int32")
to_int64 = _cast_to(np.int64, "to_int64")
