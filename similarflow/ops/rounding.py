"""Rounding, division that cuts, clipping; and what a number is: nan, infinite, finite.

Also the logarithm of the sigmoid.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core.convert import Array
from ..core.graph import Operation, Spec, Tensor, convert_to_tensor, graph_of
from ..core.infer import BOOL, broadcast, elementwise
from ..core.registry import DEFINITIONS, op
from ..core.rules import NotDifferentiable, RegisterGradient
from ..core.samples import ONE, case
from .elementary import negative
from .fronts import front_of
from .logic import WHOLE
from .math import QUOTIENTS, floordiv, real_div
from .nn import softplus

HALVES = (*ONE, case([-1.5, -0.5, 0.5, 1.5, 2.5, 1e10]))
ODD = (*ONE, case([float("nan"), float("inf"), -float("inf"), 0.0]))
# ---- to whole numbers


@op("Floor", infer=elementwise, accepts="plain", samples=HALVES)
def floor(x: Array) -> Array:
    """The largest whole number up to `x`, as a float. No gradient flows."""
    return np.floor(x)


@op("Ceil", infer=elementwise, accepts="plain", samples=HALVES)
def ceil(x: Array) -> Array:
    """The smallest whole number from `x` on, as a float. No gradient flows."""
    return np.ceil(x)


@op("Rint", infer=elementwise, accepts="plain", samples=HALVES)
def rint(x: Array) -> Array:
    """The nearest whole number, as a float; see `round`."""
    return np.rint(x)


@op("Round", infer=elementwise, samples=HALVES)
def round_in_run(x: Array) -> Array:
    """The nearest whole number, the operation of `round`."""
    return np.round(x)


@front_of(round_in_run)
def round(x: Any, name: str | None = None) -> Tensor:
    """The nearest whole number, the even one of two equally near. No gradient flows.

    Parameters
    ----------
    x : tensor
        Floats; integers are returned as they are.
    name : str, optional
        The operation's name.

    Examples
    --------
    >>> import similarflow as sf
    >>> sf.Session().run(sf.round([0.5, 1.5, 2.5, -2.7]))
    array([ 0.,  2.,  2., -3.], dtype=float32)
    """
    tensor = convert_to_tensor(x)
    if tensor.static_dtype is not None and tensor.static_dtype.kind in "iu":
        return tensor
    result: Tensor = round_in_run(tensor, name=name)
    return result


for _type in ("Floor", "Ceil", "Rint", "Round"):
    NotDifferentiable(_type)

# ---- quotients


@op("TruncateDiv", infer=broadcast, accepts="real", samples=[*QUOTIENTS, *WHOLE])
def truncatediv(x: Array, y: Array) -> Array:
    """``x / y`` without what is behind the point, as C divides; keeps the dtype.

    No gradient flows.

    Raises
    ------
    ZeroDivisionError
        An integer is divided by zero, when run. Floats give inf or nan.

    Examples
    --------
    >>> import similarflow as sf
    >>> sf.Session().run([sf.truncatediv([7, -7], 2), sf.floordiv([7, -7], 2)])
    [array([ 3, -3], dtype=int32), array([ 3, -4], dtype=int32)]
    """
    if np.result_type(x, y).kind == "f":
        return np.trunc(np.true_divide(x, y))
    down: Array = DEFINITIONS["FloorDiv"].kernel(x, y)
    cut = np.less(down, 0) & np.not_equal(np.multiply(down, y), x)
    return np.add(down, cut, dtype=down.dtype)


NotDifferentiable("TruncateDiv")


@op(
    "TruncateMod", infer=broadcast, broadcasts=True, accepts="real",
    samples=[*QUOTIENTS, *WHOLE],
)  # fmt: skip
def truncatemod(x: Array, y: Array) -> Array:
    """The rest of `truncatediv`, ``x - truncatediv(x, y) * y``; it has the sign of `x`.

    The gradients are 1 and ``-truncatediv(x, y)``; TensorFlow has none.

    Raises
    ------
    ZeroDivisionError
        An integer is divided by zero, when run. Floats give nan.
    """
    if np.result_type(x, y).kind != "f":
        DEFINITIONS["FloorDiv"].kernel(x, y)  # refuses zeros
    return np.fmod(x, y)


@RegisterGradient("TruncateMod")
def _truncatemod_grad(op: Operation, grad: Tensor) -> Any:
    x, y = op.inputs
    return grad, -grad * truncatediv(x, y)


def floor_div(x: Any, y: Any, name: str | None = None) -> Tensor:
    """The largest whole number up to ``x / y``, the same as `floordiv`."""
    result: Tensor = floordiv(x, y, name=name or "FloorDiv")
    return result


def realdiv(x: Any, y: Any, name: str | None = None) -> Tensor:
    """``x / y`` of floats, the operation that `truediv` builds."""
    result: Tensor = real_div(x, y, name=name)
    return result


def log_sigmoid(x: Any, name: str | None = None) -> Tensor:
    """``log(sigmoid(x))``, element by element, accurate and finite for all finite `x`.

    Examples
    --------
    >>> import similarflow as sf
    >>> sf.Session().run(sf.log_sigmoid([-5.0, 0.0, 5.0])).round(3)
    array([-5.007, -0.693, -0.007], dtype=float32)
    """
    graph = graph_of([x])
    with graph.as_default(), graph.name_scope(name or "LogSigmoid") as scope:
        result: Tensor = negative(softplus(negative(x)), name=scope)
    return result


# ---- nan and infinity


def _infer_truth(x: Tensor) -> Spec:
    return x.static_shape, BOOL


@op("IsNan", infer=_infer_truth, accepts="plain", samples=ODD)
def is_nan(x: Array) -> Array:
    """Whether it is nan, element by element.

    Examples
    --------
    >>> import similarflow as sf
    >>> x = sf.constant([1.0, float("nan"), float("inf")])
    >>> sf.Session().run([sf.is_nan(x), sf.is_inf(x), sf.is_finite(x)])[0]
    array([False,  True, False])
    """
    return np.isnan(x)


@op("IsInf", infer=_infer_truth, accepts="plain", samples=ODD)
def is_inf(x: Array) -> Array:
    """Whether it is inf or -inf, element by element."""
    return np.isinf(x)


@op("IsFinite", infer=_infer_truth, accepts="plain", samples=ODD)
def is_finite(x: Array) -> Array:
    """Whether it is neither nan nor infinite, element by element."""
    return np.isfinite(x)


for _type in ("IsNan", "IsInf", "IsFinite"):
    NotDifferentiable(_type)
