"""Learning rates that fall as training goes on.

Each function gives a tensor, to be passed as learning rate::

    step = sf.train.get_or_create_global_step()
    rate = sf.train.exponential_decay(0.1, step, 1000, 0.5)
    train = sf.train.MomentumOptimizer(rate, 0.9).minimize(loss, global_step=step)

The rate has the dtype of `learning_rate` (float32 for a Python number), in which all is
computed. Numbers may be tensors; the step may be a variable, a tensor or a number.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from ..core.graph import Tensor, convert_to_tensor
from ..core.scopes import name_scope
from ..ops.elementary import add, multiply, reduce_sum
from ..ops.gather import gather
from ..ops.logic import cast, cast_like
from ..ops.math import exp, log, maximum, minimum, pow, truediv
from ..ops.random import random_normal
from ..ops.roots import sqrt
from ..ops.rounding import ceil, floor
from ..ops.trigonometry import cos


@contextmanager
def _schedule(
    name: str | None, default: str, learning_rate: Any, global_step: Any, *numbers: Any
) -> Iterator[list[Any]]:
    """The scope, then all others in the dtype of the learning rate."""
    if global_step is None:
        raise ValueError(
            f"{default} needs global_step: "
            "step = sf.train.get_or_create_global_step(), and minimize(loss, step)"
        )
    given = (learning_rate, global_step, *numbers)
    with name_scope(name, default, [x for x in given if hasattr(x, "graph")]) as scope:
        rate = convert_to_tensor(learning_rate, name="learning_rate")
        if rate.static_dtype is not None and rate.static_dtype.kind in "iu":
            rate = cast(rate, np.float32)
        step = cast_like(convert_to_tensor(global_step, name="step"), rate)
        # Python numbers take the dtype beside them.
        others = [cast_like(x, rate) if hasattr(x, "graph") else x for x in numbers]
        yield [scope, rate, step, *others]


def exponential_decay(
    learning_rate: Any, global_step: Any, decay_steps: Any, decay_rate: Any,
    staircase: bool = False, name: str | None = None,
) -> Tensor:  # fmt: skip
    """``learning_rate * decay_rate ^ (step / decay_steps)``.

    Parameters
    ----------
    learning_rate : float or scalar tensor
        The rate at first.
    global_step : int, variable or scalar tensor
    decay_steps, decay_rate : float or scalar tensor
    staircase : bool
        Round the exponent down, so that the rate falls every `decay_steps` steps.

    Examples
    --------
    >>> import similarflow as sf
    >>> step = sf.placeholder(sf.int64, [])
    >>> rate = sf.train.exponential_decay(1.0, step, 10, 0.5, staircase=True)
    >>> sess = sf.Session()
    >>> [float(sess.run(rate, {step: n})) for n in (0, 9, 10, 20)]
    [1.0, 1.0, 0.5, 0.25]
    """
    given = learning_rate, global_step, decay_steps, decay_rate
    with _schedule(name, "ExponentialDecay", *given) as (scope, rate, step, n, base):
        passed = floor(step / n) if staircase else step / n
        return multiply(rate, pow(base, passed), name=scope)  # type: ignore[no-any-return]


def natural_exp_decay(
    learning_rate: Any, global_step: Any, decay_steps: Any, decay_rate: Any,
    staircase: bool = False, name: str | None = None,
) -> Tensor:  # fmt: skip
    """``learning_rate * exp(-decay_rate * step / decay_steps)``.

    The arguments are those of `exponential_decay`.
    """
    given = learning_rate, global_step, decay_steps, decay_rate
    with _schedule(name, "ExponentialDecay", *given) as (scope, rate, step, n, base):
        passed = floor(step / n) if staircase else step / n
        return multiply(rate, exp(-base * passed), name=scope)  # type: ignore[no-any-return]


def inverse_time_decay(
    learning_rate: Any, global_step: Any, decay_steps: Any, decay_rate: Any,
    staircase: bool = False, name: str | None = None,
) -> Tensor:  # fmt: skip
    """``learning_rate / (1 + decay_rate * step / decay_steps)``.

    The arguments are those of `exponential_decay`.
    """
    given = learning_rate, global_step, decay_steps, decay_rate
    with _schedule(name, "InverseTimeDecay", *given) as (scope, rate, step, n, base):
        passed = floor(step / n) if staircase else step / n
        return truediv(rate, 1 + base * passed, name=scope)


def polynomial_decay(
    learning_rate: Any, global_step: Any, decay_steps: Any,
    end_learning_rate: Any = 0.0001, power: Any = 1.0, cycle: bool = False,
    name: str | None = None,
) -> Tensor:  # fmt: skip
    """From `learning_rate` to `end_learning_rate` in `decay_steps` steps.

    It is ``(learning_rate - end) * (1 - step / decay_steps) ^ power + end``, and stays
    at the end.

    Parameters
    ----------
    learning_rate, end_learning_rate : float or scalar tensor
        The rates at first and in the end.
    global_step : int, variable or scalar tensor
    decay_steps, power : float or scalar tensor
    cycle : bool
        Behind the end, go on as if `decay_steps` were its smallest multiple that lies
        ahead.
    """
    given = learning_rate, global_step, decay_steps, end_learning_rate, power
    with _schedule(name, "PolynomialDecay", *given) as (scope, rate, step, n, end, p):
        if cycle:
            n = n * maximum(ceil(step / n), 1)
        else:
            step = minimum(step, n)
        return add((rate - end) * pow(1 - step / n, p), end, name=scope)  # type: ignore[no-any-return]


def piecewise_constant(
    x: Any, boundaries: Sequence[Any], values: Sequence[Any], name: str | None = None
) -> Tensor:
    """``values[0]`` up to ``boundaries[0]`` and there, then ``values[1]``, and so on.

    Parameters
    ----------
    x : number, variable or scalar tensor
        The step.
    boundaries : list of numbers or scalar tensors
        In rising order. At a boundary itself, the value before it counts.
    values : list of numbers or tensors
        One more than boundaries, of one shape and dtype.

    Raises
    ------
    ValueError
        There is not one value more than there are boundaries.

    Examples
    --------
    >>> import similarflow as sf
    >>> step = sf.placeholder(sf.int64, [])
    >>> rate = sf.train.piecewise_constant(step, [10, 20], [1.0, 0.5, 0.25])
    >>> sess = sf.Session()
    >>> [float(sess.run(rate, {step: n})) for n in (0, 10, 11, 20, 21)]
    [1.0, 1.0, 0.5, 0.5, 0.25]
    """
    if len(boundaries) != len(values) - 1:
        raise ValueError(
            f"{len(boundaries)} boundaries part {len(boundaries) + 1} values, and "
            f"{len(values)} were given"
        )
    given = [v for v in (x, *boundaries, *values) if hasattr(v, "graph")]
    with name_scope(name, "PiecewiseConstant", given) as scope:
        x = convert_to_tensor(x, name="x")
        ends = [cast_like(b, x) if hasattr(b, "graph") else b for b in boundaries]
        bounds = convert_to_tensor(ends, x.static_dtype, "boundaries")
        passed = reduce_sum(cast(x > bounds, np.int32))
        arrays = all(isinstance(v, np.generic | np.ndarray) for v in values)
        pieces = convert_to_tensor(np.array(values) if arrays else list(values))
        return gather(pieces, passed, name=scope)


piecewise_constant_decay = piecewise_constant
"""The name that TensorFlow's later versions have for it."""


def cosine_decay(
    learning_rate: Any, global_step: Any, decay_steps: Any, alpha: Any = 0.0,
    name: str | None = None,
) -> Tensor:  # fmt: skip
    """Half a cosine wave, from `learning_rate` down to ``alpha * learning_rate``.

    It is ``(1 - alpha) * (1 + cos(pi * step / decay_steps)) / 2 + alpha`` times the
    rate, and stays at the end. Loshchilov and Hutter 2016, arXiv:1608.03983.

    Parameters
    ----------
    learning_rate : float or scalar tensor
    global_step : int, variable or scalar tensor
    decay_steps, alpha : float or scalar tensor
    """
    given = learning_rate, global_step, decay_steps, alpha
    with _schedule(name, "CosineDecay", *given) as (scope, rate, step, n, low):
        wave = _half_wave(minimum(step, n) / n)
        return multiply(rate, (1 - low) * wave + low, name=scope)  # type: ignore[no-any-return]


def cosine_decay_restarts(
    learning_rate: Any, global_step: Any, first_decay_steps: Any, t_mul: Any = 2.0,
    m_mul: Any = 1.0, alpha: Any = 0.0, name: str | None = None,
) -> Tensor:  # fmt: skip
    """`cosine_decay` that starts again and again.

    Loshchilov and Hutter 2016, arXiv:1608.03983.

    Parameters
    ----------
    learning_rate : float or scalar tensor
    global_step : int, variable or scalar tensor
    first_decay_steps : float or scalar tensor
        The length of the first period.
    t_mul : float, or a scalar tensor that is not 1
        How many times longer each period is than the one before.
    m_mul : float or scalar tensor
        What the rate is multiplied by at each restart.
    alpha : float or scalar tensor
        The part of the rate that is always left.
    """
    given = learning_rate, global_step, first_decay_steps, t_mul, m_mul, alpha
    with _schedule(name, "SGDRDecay", *given) as (scope, rate, step, n, t, m, low):
        period, part = _period(step / n, t)
        wave = pow(m, period) * _half_wave(part)
        return multiply(rate, (1 - low) * wave + low, name=scope)  # type: ignore[no-any-return]


def _half_wave(part: Tensor) -> Any:
    """From 1 at 0 down to 0 at 1."""
    return 0.5 * (1 + cos(math.pi * part))


def _period(passed: Tensor, factor: Any) -> tuple[Tensor, Tensor]:
    """How many periods are over, and which part of the present one.

    The first has length 1, each other is `factor` times as long as the one before.
    """
    if not hasattr(factor, "graph") and factor == 1:
        whole = floor(passed)
        return whole, passed - whole

    def start(period: Any) -> Any:
        return (pow(factor, period) - 1) / (factor - 1)

    # The logarithm may just miss a whole number, and with it a restart.
    guess = floor(log(passed * (factor - 1) + 1) / log(cast_like(factor, passed)))
    late = cast_like(passed >= start(guess + 1), passed)
    early = cast_like(passed < start(guess), passed)
    period = guess + late - early
    return period, (passed - start(period)) / pow(factor, period)


def linear_cosine_decay(
    learning_rate: Any, global_step: Any, decay_steps: Any, num_periods: Any = 0.5,
    alpha: Any = 0.0, beta: Any = 0.001, name: str | None = None,
) -> Tensor:  # fmt: skip
    """Cosine waves below a falling line.

    With ``part = step / decay_steps``, up to 1, it is `learning_rate` times
    ``(alpha + 1 - part) * (1 + cos(2 * pi * num_periods * part)) / 2 + beta``. Bello et
    al. 2017, arXiv:1709.07417.

    Parameters
    ----------
    learning_rate : float or scalar tensor
    global_step : int, variable or scalar tensor
    decay_steps, num_periods, alpha, beta : float or scalar tensor
    """
    given = learning_rate, global_step, decay_steps, num_periods, alpha, beta
    with _schedule(name, "LinearCosineDecay", *given) as values:
        scope, rate, step, n, periods, above, low = values
        part = minimum(step, n) / n
        wave = (above + 1 - part) * _half_wave(2 * periods * part)
        return multiply(rate, wave + low, name=scope)  # type: ignore[no-any-return]


def noisy_linear_cosine_decay(
    learning_rate: Any, global_step: Any, decay_steps: Any,
    initial_variance: Any = 1.0, variance_decay: Any = 0.55, num_periods: Any = 0.5,
    alpha: Any = 0.0, beta: Any = 0.001, name: str | None = None,
) -> Tensor:  # fmt: skip
    """`linear_cosine_decay` with normally distributed noise on the line.

    The variance of the noise is ``initial_variance / (1 + step) ^ variance_decay``.
    """
    given = (
        learning_rate, global_step, decay_steps, initial_variance, variance_decay,
        num_periods, alpha, beta,
    )  # fmt: skip
    with _schedule(name, "NoisyLinearCosineDecay", *given) as values:
        scope, rate, step, n, variance, fall, periods, above, low = values
        step = minimum(step, n)
        part = step / n
        deviation = sqrt(variance / pow(1 + step, fall))
        line = 1 - part + deviation * random_normal([], dtype=rate.dtype)
        wave = (above + line) * _half_wave(2 * periods * part)
        return multiply(rate, wave + low, name=scope)  # type: ignore[no-any-return]
