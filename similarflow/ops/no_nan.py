"""Quotients that are 0 where they divide by 0, products that are 0 where `x` is 0."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..core.convert import Array
from ..core.graph import Operation, Tensor
from ..core.infer import broadcast
from ..core.registry import op
from ..core.rules import RegisterGradient
from ..core.samples import case, normal, uniform
from .composite import composite
from .elementary import ones_like
from .logic import cast_like, not_equal
from .math import QUOTIENTS

FLOATS: dict[str, Any] = {"infer": broadcast, "broadcasts": True, "accepts": "float"}
FACTORS = (
    case(uniform(0.5, 2.0, 2, 3), uniform(0.5, 2.0, 2, 3)),
    case(normal(2, 1), uniform(0.5, 2.0, 3)),
    case(normal(), uniform(0.5, 2.0, 2, 0)),
)


@op("DivNoNan", name="div_no_nan", **FLOATS, samples=QUOTIENTS)
def div_no_nan(x: Array, y: Array) -> Array:
    """``x / y``, element by element with broadcasting, and 0 where `y` is 0.

    Examples
    --------
    >>> import similarflow as sf
    >>> sf.Session().run(sf.div_no_nan([1.0, 1.0, 0.0], [2.0, 0.0, 0.0]))
    array([0.5, 0. , 0. ], dtype=float32)
    """
    none = np.equal(y, 0)
    quotient = np.divide(x, np.where(none, np.ones_like(y), y))
    return np.where(none, np.zeros_like(quotient), quotient)


@RegisterGradient("DivNoNan")
def _div_no_nan_grad(op: Operation, grad: Tensor) -> Any:
    grad_x = div_no_nan(grad, op.inputs[1])
    return grad_x, -grad_x * op.outputs[0]


@composite
def reciprocal_no_nan(x: Any, name: str | None = None) -> Tensor:
    """``1 / x``, element by element, and 0 where `x` is 0.

    Examples
    --------
    >>> import similarflow as sf
    >>> sf.Session().run(sf.math.reciprocal_no_nan([2.0, 0.0]))
    array([0.5, 0. ], dtype=float32)
    """
    result: Tensor = div_no_nan(ones_like(x), x, name=name or "reciprocal_no_nan")
    return result


def _where_some(f: Callable[..., Array], x: Array, y: Array) -> Array:
    """``f(x, y)``, but 0 where `x` is 0, whatever `y` is there."""
    none = np.equal(x, 0)
    found = f(x, np.where(none, np.ones_like(y), y))
    return np.where(none, np.zeros_like(found), found)


def _some(x: Tensor) -> Any:
    """1 where `x` is not 0: what `x` is multiplied by has no slope elsewhere."""
    return cast_like(not_equal(x, 0.0), x)


@op("Xdivy", **FLOATS, samples=QUOTIENTS)
def xdivy(x: Array, y: Array) -> Array:
    """``x / y``, element by element with broadcasting, and 0 where `x` is 0.

    Where `x` is 0, so is its gradient, as in TensorFlow.

    Examples
    --------
    >>> import similarflow as sf
    >>> sf.Session().run(sf.math.xdivy([1.0, 0.0], [2.0, 0.0]))
    array([0.5, 0. ], dtype=float32)
    """
    return _where_some(np.divide, x, y)


@RegisterGradient("Xdivy")
def _xdivy_grad(op: Operation, grad: Tensor) -> Any:
    x, y = op.inputs
    return grad * xdivy(_some(x), y), grad * xdivy(xdivy(-x, y), y)


@op("Xlogy", **FLOATS, samples=FACTORS)
def xlogy(x: Array, y: Array) -> Array:
    """``x * log(y)``, element by element with broadcasting, and 0 where `x` is 0.

    Where `x` is 0, so is its gradient, as in TensorFlow.

    Examples
    --------
    >>> import similarflow as sf
    >>> sf.Session().run(sf.math.xlogy([2.0, 0.0], [1.0, 0.0]))
    array([0., 0.], dtype=float32)
    """
    return _where_some(lambda x, y: np.multiply(x, np.log(y)), x, y)


@RegisterGradient("Xlogy")
def _xlogy_grad(op: Operation, grad: Tensor) -> Any:
    x, y = op.inputs
    return grad * xlogy(_some(x), y), grad * xdivy(x, y)


@op("Xlog1py", **FLOATS, samples=FACTORS)
def xlog1py(x: Array, y: Array) -> Array:
    """``x * log(1 + y)``, with broadcasting, and 0 where `x` is 0; see `xlogy`."""
    return _where_some(lambda x, y: np.multiply(x, np.log1p(y)), x, y)


@RegisterGradient("Xlog1py")
def _xlog1py_grad(op: Operation, grad: Tensor) -> Any:
    x, y = op.inputs
    return grad * xlog1py(_some(x), y), grad * xdivy(x, 1.0 + y)
