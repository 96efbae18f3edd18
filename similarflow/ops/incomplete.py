"""The incomplete gamma and beta functions.

All is computed in float64. Where the formulas come from: NIST, "Digital Library of
Mathematical Functions" (DLMF), chapter 8, cited with the number of the formula. The
quadrature is that of Takahasi and Mori, "Double exponential formulas for numerical
integration" (1974), the continued fraction that of DiDonato and Morris, "Algorithm 708:
significant digit computation of the incomplete beta function ratios" (1992).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from ..core.convert import Array
from ..core.graph import Dims, Operation, Spec, Tensor
from ..core.infer import broadcast_dims
from ..core.registry import DEFINITIONS, op
from ..core.rules import NotDifferentiable, RegisterGradient
from ..core.samples import case, uniform
from .logic import cast_like
from .math import exp, log, log1p
from .special import BERNOULLI, about_one, lgamma

_lgamma, _digamma = (DEFINITIONS[type].kernel for type in ("Lgamma", "Digamma"))
STEP = 1 / 16
"""Between the nodes of the quadrature: its error is below 1e-16 of the result."""
NODES = np.arange(-4.0, 6.7, STEP)


def _infer_last(*inputs: Tensor) -> Spec:
    dims: Dims = inputs[-1].static_shape
    for x in inputs[:-1]:
        dims = broadcast_dims(dims, x.static_shape)
    return dims, inputs[-1].static_dtype


def _in_double(function: Callable[..., Array], *inputs: Array) -> Array:
    """A function of float64 numbers, rounded to the dtype of the last input."""
    wide = np.broadcast_arrays(*(np.asarray(x, np.float64) for x in inputs))
    return np.asarray(function(*wide), np.result_type(inputs[-1]))


# What both need


def _fall(ratio: Array, excess: Array) -> Array:
    """``excess - log(ratio)`` for a ratio of ``1 + excess``, with all digits near 1."""
    small = np.where(np.abs(excess) < 0.5, excess, 0.0)
    s = small / (2 + small)
    terms = [1 / (2 * k + 3) for k in range(18)]
    near = s * (small - 2 * s * s * np.polyval(terms[::-1], s * s))
    return np.where(np.abs(excess) < 0.5, near, excess - np.log(ratio))


def _less_expm1(x: Array) -> Array:
    """``expm1(x) - x``, to the last digit also for small `x`."""
    terms = [1 / math.factorial(k + 2) for k in range(16)]
    small = np.where(np.abs(x) < 0.5, x, 0.0)
    near = small * small * np.polyval(terms[::-1], small)
    return np.where(np.abs(x) < 0.5, near, np.expm1(x) - x)


def _stirling(a: Array) -> Array:
    """What Stirling's formula lacks of lgamma, DLMF 5.11.1."""
    terms = [b / ((2 * k + 2) * (2 * k + 1)) for k, b in enumerate(BERNOULLI)]
    above, below = np.maximum(a, 10.0), np.minimum(a, 10.0)
    far = np.polyval(terms[::-1], 1 / (above * above)) / above
    rest = (below - 0.5) * np.log(below) - below + 0.5 * math.log(2 * math.pi)
    value: Array = np.where(a > 10, far, _lgamma(below) - rest)
    return value


def _log_less_digamma(a: Array) -> Array:
    """``log(a) - digamma(a)``, DLMF 5.11.2."""
    terms = [0.0, *(b / (2 * k + 2) for k, b in enumerate(BERNOULLI))]
    above, below = np.maximum(a, 10.0), np.minimum(a, 10.0)
    far = 0.5 / above + np.polyval(terms[::-1], 1 / (above * above))
    return np.where(a > 10, far, np.log(below) - _digamma(below))


# Gamma


def _front(a: Array, x: Array) -> Array:
    """``x**a * exp(-x) / gamma(a)``, also where each of these would overflow."""
    fall = a * _fall(x / a, (x - a) / a)
    front: Array = np.sqrt(a / (2 * np.pi)) * np.exp(-fall - _stirling(a))
    return front


def _integral(a: Array, x: Array, way: int, slope: Any = None) -> Array:
    """The part of the integral of ``t**(a-1) * exp(-t)`` on one side of `x`.

    In units of ``x**a * exp(-x)``, with ``t = x * exp(way * s)`` and s from 0 on. With
    `slope`, the logarithm of x less digamma(a), its derivative in `a`.
    """
    width = 1 / (np.abs(x - a) + np.sqrt(x))
    total = np.zeros_like(x)
    for node in NODES:
        v = math.exp(node - math.exp(-node))
        s = way * v * width
        value = np.exp((a - x) * s - x * _less_expm1(s))
        factor = 1.0 if slope is None else slope + s
        total += v * (1 + math.exp(-node)) * STEP * width * value * factor
    return total


def _series(a: Array, x: Array) -> tuple[Array, Array, Array]:
    """Lower and upper part, and the derivative of the lower by `a`, for x below 1.

    DLMF 8.7.1; the upper part where it is small has 1 taken away from that first.
    """
    term = _front(a, x) / a
    lower, slope, rest, sign = (np.zeros_like(x) for _ in range(4))
    sign -= 1.0
    for n in range(25):
        lower += term
        slope += term * (np.log(x) - _digamma(a + n + 1))
        term = term * x / (a + n + 1)
        sign *= -x / (n + 1)
        rest += sign / (a + n + 1)
    log_first = a * np.log(x) - _lgamma_next(a)
    upper = -np.expm1(log_first) + np.exp(log_first) * a * rest
    return lower, np.where(lower < 0.5, 1 - lower, upper), slope


def _lgamma_next(a: Array) -> Array:
    """``lgamma(1 + a)``, to the last digit also for small `a`."""
    return np.where(a < 0.25, about_one(np.minimum(a, 0.25)), _lgamma(1 + a))


def _gamma_parts(a: Array, x: Array) -> tuple[Array, Array, Array]:
    """Lower and upper part, and the derivative of the lower by `a`."""
    lower, upper, slope = (np.full(x.shape, np.nan) for _ in range(3))
    proper = (a > 0) & (x > 0) & np.isfinite(a) & np.isfinite(x)
    for here, way in ((x < 1, 0), ((x >= 1) & (x <= a), -1), ((x >= 1) & (x > a), 1)):
        at = proper & here
        u, v = a[at], x[at]
        if way == 0:
            lower[at], upper[at], slope[at] = _series(u, v)
            continue
        excess = (v - u) / u
        log_ratio = excess - _fall(v / u, excess) + _log_less_digamma(u)
        front = _front(u, v)
        part = np.minimum(front * _integral(u, v, way), 1.0)
        lower[at], upper[at] = (part, 1 - part) if way < 0 else (1 - part, part)
        slope[at] = -way * front * _integral(u, v, way, log_ratio)
    for here, value in (
        ((x == 0) & (a > 0), 0.0), ((a == np.inf) & (x >= 0) & (x < np.inf), 0.0),
        ((x == np.inf) & (a > 0) & (a < np.inf), 1.0),
    ):  # fmt: skip
        lower[here], upper[here], slope[here] = value, 1 - value, 0.0
    return lower, upper, slope


GAMMA: dict[str, Any] = {
    "infer": _infer_last, "same": ["x"], "accepts": "plain", "broadcasts": True,
}  # fmt: skip
HALVES = np.array([0.5, 1.5, 4.0], np.float32)
GAMMAS = (
    case(HALVES, uniform(0.2, 4.0, 2, 3)),
    case(HALVES[:, None], uniform(2.0, 9.0, 2)),
    case(np.float32(30), uniform(20.0, 40.0)),
    case(HALVES, uniform(0.2, 4.0, 0, 3)),
)


@op("Igamma", **GAMMA, samples=GAMMAS)
def igamma(a: Array, x: Array) -> Array:
    """The lower incomplete gamma function, as a part of the whole: from 0 to 1.

    It is the integral of ``t**(a - 1) * exp(-t)`` from 0 to `x`, over that to infinity.
    Gradients flow to both; that of `a` has no further one.

    Parameters
    ----------
    a, x : tensor
        Floats, which broadcast; nan for an `a` not above 0 or an `x` below.

    Examples
    --------
    >>> import similarflow as sf
    >>> part = sf.igamma(1.0, [0.0, 1.0, 2.0])  # 1 - exp(-x)
    >>> sf.Session().run(part).round(3)
    array([0.   , 0.632, 0.865], dtype=float32)
    """
    return _in_double(lambda a, x: _gamma_parts(a, x)[0], a, x)


@op("Igammac", **GAMMA, samples=GAMMAS)
def igammac(a: Array, x: Array) -> Array:
    """The upper incomplete gamma function, ``1 - igamma(a, x)`` with all its digits.

    Examples
    --------
    >>> import similarflow as sf
    >>> float(sf.Session().run(sf.igammac(1.0, 100.0))) > 0.0
    True
    """
    return _in_double(lambda a, x: _gamma_parts(a, x)[1], a, x)


@op("IgammaGradA", **GAMMA, samples=GAMMAS)
def igamma_grad_a(a: Array, x: Array) -> Array:
    """The derivative of ``igamma(a, x)`` by `a`."""
    return _in_double(lambda a, x: _gamma_parts(a, x)[2], a, x)


NotDifferentiable("IgammaGradA")


@RegisterGradient("Igamma")
def _igamma_grad(op: Operation, grad: Tensor) -> Any:
    a, x = op.inputs
    wide = cast_like(a, x)
    slope = exp((wide - 1.0) * log(x) - x - lgamma(wide))
    return cast_like(grad * igamma_grad_a(a, x), a), grad * slope


@RegisterGradient("Igammac")
def _igammac_grad(op: Operation, grad: Tensor) -> Any:
    return _igamma_grad(op, -grad)


# Beta


def _beta_front(a: Array, b: Array, x: Array) -> Array:
    """``x**a * (1 - x)**b / beta(a, b)``, also where each of these would overflow."""
    whole = a + b
    part = x * b - (1 - x) * a
    fall = a * _fall(x * (whole / a), part / a)
    fall += b * _fall((1 - x) * (whole / b), -part / b)
    rest = _stirling(whole) - _stirling(a) - _stirling(b)
    front: Array = np.sqrt(a / (2 * np.pi) * (b / whole)) * np.exp(rest - fall)
    return front


def _beta_fraction(a: Array, b: Array, x: Array) -> Array:
    """The integral in units of `_beta_front`: DiDonato and Morris, by Lentz' method."""
    above = a * (1 - x) - b * x + 1

    def below(n: int) -> Any:
        rest = (a + n) * (above + n * (2 - x)) / (a + 2 * n + 1)
        return n + n * (b - n) * x / (a + 2 * n - 1) + rest

    value = c = _not_0(a * above / (a + 1))
    d = np.zeros_like(x)
    for n in range(1, 20000):
        over = (
            (a + n - 1) * (a + b + n - 1) * n * (b - n) * np.square(x / (a + 2 * n - 1))
        )
        d = 1 / _not_0(below(n) + over * d)
        c = _not_0(below(n) + over / c)
        value = value * (c * d)
        change = np.abs(c * d - 1)
        if np.all(change < 2e-16):
            break
    return np.where(change < 1e-14, 1 / value, np.nan)  # rather none than a wrong one


def _not_0(x: Array) -> Array:
    return np.where(x == 0, 1e-300, x)


def _beta_part(a: Array, b: Array, x: Array) -> Array:
    part = np.full(x.shape, np.nan)
    valid = (a > 0) & (b > 0) & np.isfinite(a) & np.isfinite(b) & (x >= 0) & (x <= 1)
    part[valid] = x[valid]  # at 0 and 1
    inside = valid & (x > 0) & (x < 1)
    below = inside & (x < (a + 1) / (a + b + 2))
    part[below] = _beta_below(a[below], b[below], x[below])
    above = inside & ~below  # by what is lacking, DLMF 8.17.4
    part[above] = 1 - _beta_below(b[above], a[above], 1 - x[above])
    few = above & (part < 0.5)  # too few digits are left of that
    part[few] = _beta_below(a[few], b[few], x[few])
    return part


def _beta_below(a: Array, b: Array, x: Array) -> Array:
    return _beta_front(a, b, x) * _beta_fraction(a, b, x)


@op("Betainc", infer=_infer_last, same=["x"], accepts="plain", broadcasts=True,
    samples=[
        case(HALVES, HALVES[::-1].copy(), uniform(0.1, 0.9, 2, 3)),
        case(2, 3, uniform(0.1, 0.9)), case(40, HALVES, uniform(0.7, 0.95, 3)),
        case(2, 3, uniform(0.1, 0.9, 0, 2)),
    ])  # fmt: skip
def betainc(a: Array, b: Array, x: Array) -> Array:
    """The incomplete beta function, as a part of the whole: from 0 to 1.

    It is the integral of ``t**(a - 1) * (1 - t)**(b - 1)`` from 0 to `x`, over that to
    1. No gradient flows to `a` and `b`.

    Parameters
    ----------
    a, b, x : tensor
        Floats, which broadcast; nan unless `a` and `b` are above 0 and `x` is in
        ``[0, 1]``, and where they are too large for it (both beyond some 1e11).

    Examples
    --------
    >>> import similarflow as sf
    >>> sf.Session().run(sf.betainc(2.0, 1.0, [0.0, 0.5, 1.0]))
    array([0.  , 0.25, 1.  ], dtype=float32)
    """
    return _in_double(_beta_part, a, b, x)


@RegisterGradient("Betainc")
def _betainc_grad(op: Operation, grad: Tensor) -> Any:
    a, b, x = op.inputs
    a, b = cast_like(a, x), cast_like(b, x)
    whole = lgamma(a) + lgamma(b) - lgamma(a + b)
    slope = exp((a - 1.0) * log(x) + (b - 1.0) * log1p(-x) - whole)
    return None, None, grad * slope
