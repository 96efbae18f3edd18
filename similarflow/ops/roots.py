"""Roots and reciprocals. Their slopes at 0 are infinite, but times 0 they are 0.

So their rules are made of `multiply_no_nan`: where no gradient arrives none goes on,
also from the rules' own operations when they are differentiated again.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core.convert import Array
from ..core.graph import Operation, Tensor
from ..core.infer import broadcast, elementwise
from ..core.registry import op
from ..core.rules import RegisterGradient
from ..core.samples import PAIRS, case, uniform

POSITIVE = (
    case(uniform(0.1, 3.0, 2, 3)),
    case(uniform(0.1, 3.0)),
    case(uniform(0.1, 3.0, 0, 2)),
)
NOT_ZERO = (
    case(uniform(0.5, 2.0, 2, 3)),
    case(uniform(-2.0, -0.5)),
    case(uniform(0.5, 2.0, 0, 2)),
)


@op(
    "MulNoNan", infer=broadcast, broadcasts=True, accepts="float",
    samples=[*PAIRS, case([1.0, 2.0], [3.0, 0.0])],
)  # fmt: skip
def multiply_no_nan(x: Array, y: Array) -> Array:
    """``x * y``, but 0 where `y` is 0 even if `x` is infinite or nan there.

    Examples
    --------
    >>> import similarflow as sf
    >>> sf.Session().run(sf.math.multiply_no_nan([2.0, float("inf")], [3.0, 0.0]))
    array([6., 0.], dtype=float32)
    """
    product = np.multiply(x, y)
    return np.where(np.equal(y, 0), np.zeros_like(product), product)


@RegisterGradient("MulNoNan")
def _multiply_no_nan_grad(op: Operation, grad: Tensor) -> Any:
    x, y = op.inputs
    return multiply_no_nan(grad, y), multiply_no_nan(x, grad)


@op("Reciprocal", infer=elementwise, accepts="float", samples=NOT_ZERO)
def reciprocal(x: Array) -> Array:
    """``1 / x``, element by element."""
    return np.divide(1, x)


@RegisterGradient("Reciprocal")
def _reciprocal_grad(op: Operation, grad: Tensor) -> Any:
    y = op.outputs[0]
    return multiply_no_nan(y, multiply_no_nan(y, -grad))


@op("Sqrt", infer=elementwise, accepts="float", samples=POSITIVE)
def sqrt(x: Array) -> Array:
    """The square root, element by element; its slope at 0 is inf."""
    return np.sqrt(x)


@RegisterGradient("Sqrt")
def _sqrt_grad(op: Operation, grad: Tensor) -> Any:
    return multiply_no_nan(reciprocal(op.outputs[0]), 0.5 * grad)


@op("Rsqrt", infer=elementwise, accepts="float", samples=POSITIVE)
def rsqrt(x: Array) -> Array:
    """``1 / sqrt(x)``, element by element; inf at 0 and nan below.

    Examples
    --------
    >>> import similarflow as sf
    >>> sf.Session().run(sf.rsqrt([0.25, 4.0]))
    array([2. , 0.5], dtype=float32)
    """
    return np.divide(1, np.sqrt(x))


@RegisterGradient("Rsqrt")
def _rsqrt_grad(op: Operation, grad: Tensor) -> Any:
    y = op.outputs[0]
    return multiply_no_nan(y, multiply_no_nan(y, multiply_no_nan(y, -0.5 * grad)))
