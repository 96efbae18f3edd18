"""The inverses of the normal distribution and of the error function.

Wichura, "Algorithm AS 241: The percentage points of the normal distribution", Applied
Statistics 37 (1988). All is computed in float64, and accurate to about 1e-16.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..core.convert import Array, in_dtype
from ..core.graph import Operation, Tensor
from ..core.infer import elementwise
from ..core.registry import op
from ..core.rules import RegisterGradient
from ..core.samples import case, uniform
from .elementary import square
from .math import exp

CENTRAL = (
    [2.5090809287301226727e3, 3.3430575583588128105e4, 6.7265770927008700853e4,
     4.5921953931549871457e4, 1.3731693765509461125e4, 1.9715909503065514427e3,
     1.3314166789178437745e2, 3.3871328727963666080e0],
    [5.2264952788528545610e3, 2.8729085735721942674e4, 3.9307895800092710610e4,
     2.1213794301586595867e4, 5.3941960214247511077e3, 6.8718700749205790830e2,
     4.2313330701600911252e1, 1.0],
)  # fmt: skip
"""quantile / q in 0.180625 - q**2, where q is the probability - 1/2, |q| <= 0.425."""
MIDDLE = (
    [7.74545014278341407640e-4, 2.27238449892691845833e-2, 2.41780725177450611770e-1,
     1.27045825245236838258e0, 3.64784832476320460504e0, 5.76949722146069140550e0,
     4.63033784615654529590e0, 1.42343711074968357734e0],
    [1.05075007164441684324e-9, 5.47593808499534494600e-4, 1.51986665636164571966e-2,
     1.48103976427480074590e-1, 6.89767334985100004550e-1, 1.67638483018380384940e0,
     2.05319162663775882187e0, 1.0],
)  # fmt: skip
"""The quantile's size in r - 1.6, where r = sqrt(-log(tail)) <= 5."""
FAR = (
    [2.01033439929228813265e-7, 2.71155556874348757815e-5, 1.24266094738807843860e-3,
     2.65321895265761230930e-2, 2.96560571828504891230e-1, 1.78482653991729133580e0,
     5.46378491116411436990e0, 6.65790464350110377720e0],
    [2.04426310338993978564e-15, 1.42151175831644588870e-7, 1.84631831751005468180e-5,
     7.86869131145613259100e-4, 1.48753612908506148525e-2, 1.36929880922735805310e-1,
     5.99832206555887937690e-1, 1.0],
)  # fmt: skip
"""The same in r - 5, where r > 5."""


def _ratio(x: Array, parts: tuple[list[float], list[float]]) -> Array:
    above, below = parts
    quotient: Array = np.polyval(above, x) / np.polyval(below, x)
    return quotient


def _quantile(half: Array, tail: Array) -> Array:
    """Of a probability: `half` is its distance from 1/2, `tail` that from 0 or 1.

    Both are given, as neither can be found from the other without losing digits.
    """
    root = np.sqrt(-np.log(tail))
    size = np.where(root <= 5, _ratio(root - 1.6, MIDDLE), _ratio(root - 5, FAR))
    size = np.where(tail == 0, np.inf, size)
    central = half * _ratio(0.180625 - half * half, CENTRAL)
    return np.where(np.abs(half) <= 0.425, central, np.copysign(size, half))


@op("Ndtri", infer=elementwise, accepts="plain", samples=[
    case(uniform(0.05, 0.95, 2, 3)), case(uniform(0.05, 0.95)),
    case(uniform(0.05, 0.95, 0, 2)), case([0.05, 0.075, 0.5, 0.925, 0.95]),
])  # fmt: skip
def ndtri(x: Array) -> Array:
    """The number below which a standard normal one lies with probability `x`.

    It is -inf at 0, inf at 1, and nan beyond.

    Examples
    --------
    >>> import similarflow as sf
    >>> sf.Session().run(sf.math.ndtri([0.0, 0.5, 0.975])).round(4)
    array([-inf, 0.  , 1.96], dtype=float32)
    """
    p = np.asarray(x, np.float64)
    found: Array = in_dtype(_quantile(p - 0.5, np.minimum(p, 1 - p)), np.result_type(x))
    return found


@RegisterGradient("Ndtri")
def _ndtri_grad(op: Operation, grad: Tensor) -> Any:
    return grad * (math.sqrt(2 * math.pi) * exp(0.5 * square(op.outputs[0])))


@op("Erfinv", infer=elementwise, accepts="plain", samples=[
    case(uniform(-0.9, 0.9, 2, 3)), case(uniform(-0.9, 0.9)),
    case(uniform(-0.9, 0.9, 0, 2)), case([-0.99, -0.85, 1e-3, 0.85, 0.99]),
])  # fmt: skip
def erfinv(x: Array) -> Array:
    """The number whose error function is `x`; -inf at -1, inf at 1, and nan beyond.

    Examples
    --------
    >>> import similarflow as sf
    >>> sf.Session().run(sf.math.erfinv([-1.0, 0.0, 0.5])).round(4)
    array([  -inf, 0.    , 0.4769], dtype=float32)
    """
    y = np.asarray(x, np.float64)
    quantile = _quantile(y / 2, (1 - np.abs(y)) / 2)
    found: Array = in_dtype(quantile / math.sqrt(2), np.result_type(x))
    return found


@RegisterGradient("Erfinv")
def _erfinv_grad(op: Operation, grad: Tensor) -> Any:
    return grad * (math.sqrt(math.pi) / 2 * exp(square(op.outputs[0])))
