"""The error function, the gamma function's logarithm, and its derivatives.

All is computed in float64, whatever the input's precision, and accurate to about 1e-15
of the result away from its zeros. Where the formulas come from:

- erf and erfc: Cody, "Rational Chebyshev approximations for the error function",
  Mathematics of Computation 23 (1969).
- lgamma: Cody and Hillstrom, "Chebyshev approximations for the natural logarithm of the
  gamma function", Mathematics of Computation 21 (1967).
- Reflections, recurrences, asymptotic series: Abramowitz and Stegun, "Handbook of
  Mathematical Functions" (1964), cited as A&S with the number of the formula.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..core.convert import Array
from ..core.graph import Operation, Spec, Tensor
from ..core.infer import broadcast_dims, elementwise
from ..core.registry import op
from ..core.rules import RegisterGradient
from ..core.samples import ONE, case, uniform
from .elementary import square
from .logic import cast_like
from .math import exp

ARGUMENTS = (
    case(uniform(0.2, 4.0, 2, 3)),
    case(uniform(0.2, 4.0)),
    case(uniform(0.2, 4.0, 0, 2)),
    case([-2.6, -0.4, 0.1, 1.0, 2.0, 7.5, 12.5, 40.0]),
)
TAILS = (*ONE, case([-6.0, -0.5, 0.46875, 3.9, 6.0]))

# ---- the error function

ERF_NEAR = (
    [1.85777706184603153e-1, 3.16112374387056560e0, 1.13864154151050156e2,
     3.77485237685302021e2, 3.20937758913846947e3],
    [1.0, 2.36012909523441209e1, 2.44024637934444173e2, 1.28261652607737228e3,
     2.84423683343917062e3],
)  # fmt: skip
"""erf(x) / x in x**2, where |x| < 0.46875."""
ERFC_MIDDLE = (
    [2.15311535474403846e-8, 5.64188496988670089e-1, 8.88314979438837594e0,
     6.61191906371416295e1, 2.98635138197400131e2, 8.81952221241769090e2,
     1.71204761263407058e3, 2.05107837782607147e3, 1.23033935479799725e3],
    [1.0, 1.57449261107098347e1, 1.17693950891312499e2, 5.37181101862009858e2,
     1.62138957456669019e3, 3.29079923573345963e3, 4.36261909014324716e3,
     3.43936767414372164e3, 1.23033935480374942e3],
)  # fmt: skip
"""erfc(x) * exp(x**2) in x, where 0.46875 <= x < 4."""
ERFC_FAR = (
    [1.63153871373020978e-2, 3.05326634961232344e-1, 3.60344899949804439e-1,
     1.25781726111229246e-1, 1.60837851487422766e-2, 6.58749161529837803e-4],
    [1.0, 2.56852019228982242e0, 1.87295284992346725e0, 5.27905102951428412e-1,
     6.05183413124413191e-2, 2.33520497626869185e-3],
)  # fmt: skip
"""(1 / sqrt(pi) - erfc(x) * exp(x**2) * x) * x**2 in 1 / x**2, where x >= 4."""
SLOPE = 2 / math.sqrt(math.pi)  # of erf at 0


def _ratio(x: Array, above: Sequence[float], below: Sequence[float]) -> Array:
    """A quotient of polynomials; coefficients from the highest power down."""
    quotient: Array = np.polyval(above, x) / np.polyval(below, x)
    return quotient


def _pieces(x: Array, edges: Sequence[float], parts: Sequence[Any]) -> Array:
    """The first of `parts` below the first edge, and so on; nan goes to the last."""
    place = np.searchsorted(edges, x)
    return np.piecewise(x, [place == i for i in range(len(parts))], list(parts))


def _in_double(function: Callable[[Array], Array], x: Array) -> Array:
    """``function(x)``, computed in float64 and rounded to the dtype of `x`."""
    return np.asarray(function(np.asarray(x, np.float64)), np.result_type(x))


def _erf(x: Array) -> Array:
    return _pieces(x, [-0.46875, 0.46875], [
        lambda x: _erfc_above(-x) - 1,
        lambda x: x * _ratio(x * x, *ERF_NEAR),
        lambda x: 1 - _erfc_above(x),
    ])  # fmt: skip


def _erfc(x: Array) -> Array:
    return _pieces(x, [-0.46875, 0.46875], [
        lambda x: 2 - _erfc_above(-x),
        lambda x: 1 - x * _ratio(x * x, *ERF_NEAR),
        _erfc_above,
    ])  # fmt: skip


def _erfc_above(x: Array) -> Array:
    """``erfc(x)`` where `x` is 0.46875 or more."""
    x = np.minimum(x, 30.0)  # from 27.3 on it is 0
    scaled = _pieces(x, [4.0], [lambda x: _ratio(x, *ERFC_MIDDLE), _erfc_far])
    # exp(-x**2), where the rounding of the square would show: the square of x cut to
    # sixteenths is exact, and what is left of the exponent is small
    cut = np.trunc(x * 16) / 16
    value: Array = scaled * np.exp(-cut * cut) * np.exp(-(x - cut) * (x + cut))
    return value


def _erfc_far(x: Array) -> Array:
    inverse = 1 / (x * x)
    far: Array = (SLOPE / 2 - inverse * _ratio(inverse, *ERFC_FAR)) / x
    return far


@op("Erf", infer=elementwise, accepts="plain", samples=TAILS)
def erf(x: Array) -> Array:
    """The error function, ``2 / sqrt(pi)`` times the integral of ``exp(-t**2)`` to `x`.

    Examples
    --------
    >>> import similarflow as sf
    >>> sf.Session().run(sf.erf([-1.0, 0.0, 1.0])).round(4)
    array([-0.8427,  0.    ,  0.8427], dtype=float32)
    """
    return _in_double(_erf, x)


@RegisterGradient("Erf")
def _erf_grad(op: Operation, grad: Tensor) -> Any:
    return grad * (SLOPE * exp(-square(op.inputs[0])))


@op("Erfc", infer=elementwise, accepts="plain", samples=TAILS)
def erfc(x: Array) -> Array:
    """``1 - erf(x)``, with all its digits also where that is close to 0.

    Examples
    --------
    >>> import similarflow as sf
    >>> float(sf.Session().run(sf.erfc(sf.constant(20.0, sf.float64))))
    5.39586561160790...e-176
    """
    return _in_double(_erfc, x)


@RegisterGradient("Erfc")
def _erfc_grad(op: Operation, grad: Tensor) -> Any:
    return -grad * (SLOPE * exp(-square(op.inputs[0])))


# ---- the gamma function

BERNOULLI = [
    1 / 6, -1 / 30, 1 / 42, -1 / 30, 5 / 66, -691 / 2730, 7 / 6, -3617 / 510,
    43867 / 798, -174611 / 330, 854513 / 138, -236364091 / 2730,
]  # fmt: skip
"""The Bernoulli numbers of even index from 2 on (A&S 23.1)."""
LGAMMA_ONE = (
    [4.945235359296727046734888e0, 2.018112620856775083915565e2,
     2.290838373831346393026739e3, 1.131967205903380828685045e4,
     2.855724635671635335736389e4, 3.848496228443793359990269e4,
     2.637748787624195437963534e4, 7.225813979700288197698961e3],
    [1.0, 6.748212550303777196073036e1, 1.113332393857199323513008e3,
     7.738757056935398733233834e3, 2.763987074403340708898585e4,
     5.499310206226157329794414e4, 6.161122180066002127833352e4,
     3.635127591501940507276287e4, 8.785536302431013170870835e3],
)  # fmt: skip
"""(lgamma(1 + t) / t + 0.577...) / t, where -0.32 <= t <= 0.5."""
LGAMMA_TWO = (
    [4.974607845568932035012064e0, 5.424138599891070494101986e2,
     1.550693864978364947665077e4, 1.847932904445632425417223e5,
     1.088204769468828767498470e6, 3.338152967987029735917223e6,
     5.106661678927352456275255e6, 3.074109054850539556250927e6],
    [1.0, 1.830328399370592604055942e2, 7.765049321445005871323047e3,
     1.331903827966074194402448e5, 1.136705821321969608938755e6,
     5.267964117437946917577538e6, 1.346701454311101692290052e7,
     1.782736530353274213975932e7, 9.533095591844353613395747e6],
)  # fmt: skip
"""(lgamma(2 + t) / t - 0.422...) / t, where -0.5 <= t <= 2."""
LGAMMA_FOUR = (
    [1.474502166059939948905062e4, 2.426813369486704502836312e6,
     1.214755574045093227939592e8, 2.663432449630976949898078e9,
     2.940378956634553899906876e10, 1.702665737765398868392998e11,
     4.926125793377430887588120e11, 5.606251856223951465078242e11],
    [-1.0, 2.690530175870899333379843e3, 6.393885654300092398984238e5,
     4.135599930241388052042842e7, 1.120872109616147941376570e9,
     1.488613728678813811542398e10, 1.016803586272438228077304e11,
     3.417476345507377132798597e11, 4.463158187419713286462081e11],
)  # fmt: skip
"""(lgamma(4 + t) - log(6)) / t, where 0 <= t <= 8."""
EULER = 0.57721566490153286
PARTS = [-0.5, -0.32, 0.5, 0.68, 1.5, 4.0, 12.0]
"""Where the formulas for lgamma change."""


def _lgamma(x: Array) -> Array:
    return _pieces(x, PARTS, [
        _lgamma_reflected,
        lambda x: _about_two(x) - np.log(np.abs(x * (x + 1))),
        lambda x: about_one(x) - np.log(np.abs(x)),
        lambda x: _about_two(x - 1) - np.log(x),
        lambda x: about_one(x - 1),
        lambda x: _about_two(x - 2),
        lambda x: math.log(6) + (x - 4) * _ratio(x - 4, *LGAMMA_FOUR),
        _lgamma_far,
    ])  # fmt: skip


def about_one(t: Array) -> Array:
    """``lgamma(1 + t)``, to the last digit also close to its zero."""
    return t * (t * _ratio(t, *LGAMMA_ONE) - EULER)


def _about_two(t: Array) -> Array:
    """``lgamma(2 + t)``, to the last digit also close to its zero."""
    return t * (t * _ratio(t, *LGAMMA_TWO) + (1 - EULER))


def _lgamma_far(x: Array) -> Array:
    """Stirling's series, A&S 6.1.40."""
    terms = [b / ((2 * k + 2) * (2 * k + 1)) for k, b in enumerate(BERNOULLI)]
    series = np.polyval(terms[::-1], 1 / (x * x)) / x
    constant = 0.5 * math.log(2 * math.pi) - 0.5
    far: Array = (x - 0.5) * (np.log(x) - 1) + (constant + series)
    return far


def _lgamma_reflected(x: Array) -> Array:
    """A&S 6.1.17; inf at the poles."""
    sine = np.abs(np.sin(np.pi * _from_whole(x)))
    value: Array = np.log(np.pi / (-x * sine)) - _lgamma(-x)
    return np.where(_is_pole(x), np.inf, value)


def _from_whole(x: Array) -> Array:
    """`x` less the nearest whole number, which is exact."""
    return np.where(np.isinf(x), 0.0, x - np.round(x))


def _is_pole(x: Array) -> Array:
    """Where the gamma function has a pole; -inf, which they approach, counts too."""
    pole: Array = (x <= 0) & (x == np.floor(x))
    return pole


@op("Lgamma", infer=elementwise, accepts="plain", samples=ARGUMENTS)
def lgamma(x: Array) -> Array:
    """The natural logarithm of the size of the gamma function; inf at its poles.

    Examples
    --------
    >>> import similarflow as sf
    >>> x = sf.constant([1.0, 5.0, 0.0])
    >>> sf.Session().run([sf.exp(sf.lgamma(x)), sf.lgamma(x)])[0].round(3)
    array([ 1., 24., inf], dtype=float32)
    """
    return _in_double(_lgamma, x)


@RegisterGradient("Lgamma")
def _lgamma_grad(op: Operation, grad: Tensor) -> Any:
    return grad * digamma(op.inputs[0])


def _digamma(x: Array) -> Array:
    """By reflection (A&S 6.3.7), recurrence (6.3.5) and asymptotic series (6.3.18)."""
    above = np.where(x < 0, 1 - x, x)
    value = np.zeros_like(above)
    for _ in range(10):
        low = above < 10
        value -= np.where(low, 1 / above, 0.0)
        above = above + low
    terms = [b / (2 * k + 2) for k, b in enumerate(BERNOULLI)]
    series = np.polyval([*terms[::-1], 0.0], 1 / (above * above))
    value += np.log(above) - 0.5 / above - series
    value -= np.where(x < 0, np.pi / np.tan(np.pi * _from_whole(x)), 0.0)
    return np.where(_is_pole(x), np.nan, value)


@op("Digamma", infer=elementwise, accepts="plain", samples=ARGUMENTS)
def digamma(x: Array) -> Array:
    """The derivative of `lgamma`; nan at its poles, where the sign changes."""
    return _in_double(_digamma, x)


@RegisterGradient("Digamma")
def _digamma_grad(op: Operation, grad: Tensor) -> Any:
    return grad * polygamma(1, op.inputs[0])


# ---- further derivatives


def _infer_second(x: Tensor, y: Tensor) -> Spec:
    return broadcast_dims(x.static_shape, y.static_shape), y.static_dtype


@op("Polygamma", infer=_infer_second, same=["x"], accepts="plain", broadcasts=True,
    elementwise=True,
    samples=[
        case([0, 1, 2, 3], uniform(0.3, 4.0, 2, 4)),
        case(1, uniform(0.3, 4.0, 3)),
        case([[2], [5]], [0.5, 3.0, 12.0, -1.4]),
        case(1, uniform(0.3, 4.0, 0, 2)),
    ],
)  # fmt: skip
def polygamma(a: Array, x: Array) -> Array:
    """The derivative of order `a` of `digamma`, with broadcasting.

    At the poles of the gamma function it is inf for odd orders, and nan for even ones,
    where the sign changes.

    Parameters
    ----------
    a : tensor
        The order: whole numbers from 0 on, else the result is nan. No gradient flows.
    x : tensor
        Floats.
    name : str, optional
        The operation's name.

    Examples
    --------
    >>> import similarflow as sf
    >>> round(float(sf.Session().run(sf.polygamma(1.0, 1.0))), 4)  # pi**2 / 6
    1.6449
    """
    orders, points = np.broadcast_arrays(*(np.asarray(v, np.float64) for v in (a, x)))
    value = np.full(points.shape, np.nan)
    for n in np.unique(orders[(orders >= 0) & (orders == np.floor(orders))]):
        here = orders == n
        value[here] = _polygamma(int(n), points[here])
    return np.asarray(value, np.result_type(x))


def _polygamma(n: int, x: Array) -> Array:
    """A&S 6.4.10."""
    if n == 0:
        return _digamma(x)
    factorial = float(math.factorial(n)) if n <= 170 else np.inf
    value: Array = (-1) ** (n + 1) * factorial * _zeta(np.full(x.shape, n + 1.0), x)
    return np.where(_is_pole(x), np.inf if n % 2 else np.nan, value)


@RegisterGradient("Polygamma")
def _polygamma_grad(op: Operation, grad: Tensor) -> Any:
    a, x = op.inputs
    return None, grad * polygamma(a + 1, x)


@op("Zeta", infer=_infer_second, same=["q"], accepts="plain", broadcasts=True,
    elementwise=True,
    samples=[
        case([2, 3, 4, 8], uniform(0.3, 4.0, 2, 4)),
        case(2, uniform(0.3, 4.0)),
        case([[2], [5]], [0.5, 3.0, 12.0, -1.4]),
        case(2, uniform(0.3, 4.0, 0, 2)),
    ],
)  # fmt: skip
def zeta(x: Array, q: Array) -> Array:
    """Hurwitz' zeta function: the sum of ``(q + k)**-x`` over k from 0 on.

    With ``q = 1`` it is Riemann's. No gradient flows to `x`.

    Parameters
    ----------
    x : tensor
        The exponent; inf at 1 and nan below.
    q : tensor
        Floats; inf at 0, -1, ..., and nan at other negative ones unless `x` is whole.
    name : str, optional
        The operation's name.

    Examples
    --------
    >>> import similarflow as sf
    >>> round(float(sf.Session().run(sf.zeta(2.0, 1.0))), 4)  # pi**2 / 6
    1.6449
    """
    pair = np.broadcast_arrays(*(np.asarray(v, np.float64) for v in (x, q)))
    return np.asarray(_zeta(*pair), np.result_type(q))


def _zeta(s: Array, q: Array) -> Array:
    above = _zeta_above(s, np.where(q < 0, 1 - q, q))
    value = np.where(q < 0, np.nan, above)
    for n in np.unique(s[(q < 0) & (s == np.floor(s)) & (s > 1)]):
        here = (s == n) & (q < 0)
        value[here] = _sum_both_ways(int(n), q[here]) - (-1) ** n * above[here]
    value = np.where(_is_pole(q) | (s == 1), np.inf, value)
    return np.where(s < 1, np.nan, value)


def _zeta_above(s: Array, q: Array) -> Array:
    """Ten terms, and the rest by Euler's and Maclaurin's formula, A&S 23.1.30."""
    value = np.zeros_like(q)
    for k in range(10):
        value += (q + k) ** -s
    end = q + 10
    value += end ** (1 - s) / (s - 1) + end**-s / 2
    term = s * end ** (-s - 1)
    for k, b in enumerate(BERNOULLI):
        value += b / math.factorial(2 * k + 2) * term
        term = term * (s + 2 * k + 1) * (s + 2 * k + 2) / (end * end)
    return value


def _sum_both_ways(n: int, x: Array) -> Array:
    """The sum of ``(x + k)**-n`` over all whole k: cot and its derivatives, A&S 6.4.7.

    A polynomial in the cotangent, as the derivative of cot(x) is ``-(1 + cot(x)**2)``.
    """
    poly = np.polynomial.Polynomial([0.0, np.pi])
    for k in range(1, n):
        poly = poly.deriv() * np.polynomial.Polynomial([1.0, 0.0, 1.0]) * (np.pi / k)
    value: Array = poly(1 / np.tan(np.pi * _from_whole(x)))
    return value


@RegisterGradient("Zeta")
def _zeta_grad(op: Operation, grad: Tensor) -> Any:
    x, q = op.inputs
    return None, -grad * cast_like(x, q) * zeta(x + 1, q)
