"""Sines and cosines, circular and hyperbolic, and their inverses.

Each rule takes the form of the derivative that keeps its digits at the ends of the
domain and overflows for no argument: ``(1 - x) * (1 + x)`` and not ``1 - x**2``.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core.convert import Array
from ..core.graph import Operation, Tensor
from ..core.infer import broadcast, elementwise
from ..core.registry import op
from ..core.rules import RegisterGradient
from ..core.samples import ONE, case, normal, uniform
from .choose import where
from .elementary import square
from .logic import not_equal
from .roots import sqrt

WITHIN_ONE = (
    case(uniform(-0.9, 0.9, 2, 3)),
    case(uniform(-0.9, 0.9)),
    case(uniform(-0.9, 0.9, 0, 2)),
    case([-0.99, -1e-3, 0.0, 1e-3, 0.99]),
)
ABOVE_ONE = (
    case(uniform(1.2, 3.0, 2, 3)),
    case(uniform(1.2, 3.0)),
    case(uniform(1.2, 3.0, 0, 2)),
    case([1.1, 50.0, 1e4]),
)
PLANE = (
    case(normal(2, 3), uniform(0.5, 2.0, 2, 3)),
    case(uniform(0.2, 2.0, 2, 1), normal(3)),
    case(normal(), uniform(-2.0, -0.5, 2, 0)),
    case([1.0, 2.0, -3.0, 0.5], [0.0, -1.0, -2.0, 4.0]),
)

# ---- circular


@op("Sin", infer=elementwise, accepts="float", samples=[*ONE, case([-7.0, 0.0, 9.0])])
def sin(x: Array) -> Array:
    """The sine of `x` radians, element by element.

    Examples
    --------
    >>> import similarflow as sf
    >>> sf.Session().run(sf.sin([0.0, 1.0, -1.0])).round(3)
    array([ 0.   ,  0.841, -0.841], dtype=float32)
    """
    return np.sin(x)


@RegisterGradient("Sin")
def _sin_grad(op: Operation, grad: Tensor) -> Any:
    return grad * cos(op.inputs[0])


@op("Cos", infer=elementwise, accepts="float", samples=[*ONE, case([-7.0, 0.0, 9.0])])
def cos(x: Array) -> Array:
    """The cosine of `x` radians, element by element."""
    return np.cos(x)


@RegisterGradient("Cos")
def _cos_grad(op: Operation, grad: Tensor) -> Any:
    return -grad * sin(op.inputs[0])


@op("Tan", infer=elementwise, accepts="float", samples=WITHIN_ONE)
def tan(x: Array) -> Array:
    """The tangent of `x` radians, element by element."""
    return np.tan(x)


@RegisterGradient("Tan")
def _tan_grad(op: Operation, grad: Tensor) -> Any:
    return grad * (1.0 + square(op.outputs[0]))


# ---- their inverses


@op("Asin", infer=elementwise, accepts="float", samples=WITHIN_ONE)
def asin(x: Array) -> Array:
    """The angle from -pi/2 to pi/2 whose sine is `x`; nan where ``|x| > 1``.

    Its slope at -1 and 1 is inf.
    """
    return np.arcsin(x)


@RegisterGradient("Asin")
def _asin_grad(op: Operation, grad: Tensor) -> Any:
    return grad / _height(op.inputs[0])


@op("Acos", infer=elementwise, accepts="float", samples=WITHIN_ONE)
def acos(x: Array) -> Array:
    """The angle from 0 to pi whose cosine is `x`; nan where ``|x| > 1``.

    Its slope at -1 and 1 is -inf.
    """
    return np.arccos(x)


@RegisterGradient("Acos")
def _acos_grad(op: Operation, grad: Tensor) -> Any:
    return -grad / _height(op.inputs[0])


def _height(x: Tensor) -> Tensor:
    """``sqrt(1 - x**2)``, to the last digit also close to -1 and 1."""
    height: Tensor = sqrt((1.0 - x) * (1.0 + x))
    return height


@op("Atan", infer=elementwise, accepts="float", samples=[*ONE, case([-1e4, 1e4])])
def atan(x: Array) -> Array:
    """The angle from -pi/2 to pi/2 whose tangent is `x`, element by element."""
    return np.arctan(x)


@RegisterGradient("Atan")
def _atan_grad(op: Operation, grad: Tensor) -> Any:
    return grad / (1.0 + square(op.inputs[0]))


@op("Atan2", infer=broadcast, broadcasts=True, accepts="plain", samples=PLANE)
def atan2(y: Array, x: Array) -> Array:
    """The angle of the point ``(x, y)``, from -pi to pi, with broadcasting.

    Its gradients are ``x / (x**2 + y**2)`` and ``-y / (x**2 + y**2)``, found without
    squares, which tiny and huge numbers do not have. At the origin, where the angle has
    no slope, they count as 0; TensorFlow gives nan there.

    Parameters
    ----------
    y, x : tensor
        The coordinates, the second one first; floats of one dtype.
    name : str, optional
        The operation's name.

    Examples
    --------
    >>> import similarflow as sf
    >>> sf.Session().run(sf.atan2([1.0, 0.0, -1.0], [1.0, -1.0, 0.0])).round(3)
    array([ 0.785,  3.142, -1.571], dtype=float32)
    """
    return np.arctan2(y, x)


@RegisterGradient("Atan2")
def _atan2_grad(op: Operation, grad: Tensor) -> Any:
    y, x = op.inputs
    radius = hypot(x, y)
    apart = not_equal(radius, 0.0)
    safe = where(apart, radius, 1.0)
    by_y = where(apart, x / safe / safe, 0.0)
    by_x = where(apart, -y / safe / safe, 0.0)
    return grad * by_y, grad * by_x


@op("Hypot", infer=broadcast, broadcasts=True, accepts="float", samples=PLANE)
def hypot(x: Array, y: Array) -> Array:
    """``sqrt(x**2 + y**2)``, without overflow; the gradients where it is 0 are 0."""
    if np.result_type(x, y).kind != "c":
        return np.hypot(x, y)
    size = np.maximum(np.abs(x), np.abs(y))
    size = np.where(size == 0, np.ones_like(size), size)
    root: Array = size * np.sqrt(np.square(x / size) + np.square(y / size))
    return root


@RegisterGradient("Hypot")
def _hypot_grad(op: Operation, grad: Tensor) -> Any:
    x, y = op.inputs
    radius = op.outputs[0]
    apart = not_equal(radius, 0.0)
    safe = where(apart, radius, 1.0)
    return grad * where(apart, x / safe, 0.0), grad * where(apart, y / safe, 0.0)


# ---- hyperbolic; tanh is in `math`


@op("Sinh", infer=elementwise, accepts="float", samples=[*ONE, case([-5.0, 5.0])])
def sinh(x: Array) -> Array:
    """The hyperbolic sine ``(e**x - e**-x) / 2``, element by element."""
    return np.sinh(x)


@RegisterGradient("Sinh")
def _sinh_grad(op: Operation, grad: Tensor) -> Any:
    return grad * cosh(op.inputs[0])


@op("Cosh", infer=elementwise, accepts="float", samples=[*ONE, case([-5.0, 5.0])])
def cosh(x: Array) -> Array:
    """The hyperbolic cosine ``(e**x + e**-x) / 2``, element by element."""
    return np.cosh(x)


@RegisterGradient("Cosh")
def _cosh_grad(op: Operation, grad: Tensor) -> Any:
    return grad * sinh(op.inputs[0])


@op("Asinh", infer=elementwise, accepts="float", samples=[*ONE, case([-1e4, 1e4])])
def asinh(x: Array) -> Array:
    """The number whose hyperbolic sine is `x`, element by element."""
    return np.arcsinh(x)


@RegisterGradient("Asinh")
def _asinh_grad(op: Operation, grad: Tensor) -> Any:
    return grad / hypot(op.inputs[0], 1.0)


@op("Acosh", infer=elementwise, accepts="float", samples=ABOVE_ONE)
def acosh(x: Array) -> Array:
    """The number, 0 or more, whose hyperbolic cosine is `x`; nan where ``x < 1``.

    Its slope at 1 is inf.
    """
    return np.arccosh(x)


@RegisterGradient("Acosh")
def _acosh_grad(op: Operation, grad: Tensor) -> Any:
    x = op.inputs[0]
    return grad / (sqrt(x - 1.0) * sqrt(x + 1.0))  # one root would be of x**2, or inf


@op("Atanh", infer=elementwise, accepts="float", samples=WITHIN_ONE)
def atanh(x: Array) -> Array:
    """The number whose hyperbolic tangent is `x`; nan where ``|x| > 1``.

    It is -inf and inf at -1 and 1, where its slope is inf.

    Examples
    --------
    >>> import similarflow as sf
    >>> sf.Session().run(sf.atanh([0.0, 0.5, 1.0])).round(3)
    array([0.   , 0.549,   inf], dtype=float32)
    """
    return np.arctanh(x)


@RegisterGradient("Atanh")
def _atanh_grad(op: Operation, grad: Tensor) -> Any:
    x = op.inputs[0]
    return grad / ((1.0 - x) * (1.0 + x))
