"""Optimizers that remember the squares of all gradients: Adagrad and its kin."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..ops import training, training_adaptive as adaptive
from ..ops.logic import cast
from .rule import RuleOptimizer


def _positive(value: float, what: str) -> float:
    if value <= 0:
        raise ValueError(
            f"{what} is {value}, and must be positive: gradients are divided by its "
            "root, and the first ones may be 0"
        )
    return value


class AdagradOptimizer(RuleOptimizer):
    """Slows down each element by the gradients that it has had.

    ``a = a + gradient^2``, then ``w = w - learning_rate * gradient / sqrt(a)``; a is
    the slot "accumulator". Duchi et al. 2011, "Adaptive subgradient methods".

    Raises
    ------
    ValueError
        `initial_accumulator_value` is not positive.
    """

    _dense = staticmethod(adaptive.apply_adagrad)
    _sparse = staticmethod(adaptive.sparse_apply_adagrad)

    def __init__(
        self, learning_rate: Any, initial_accumulator_value: float = 0.1,
        use_locking: bool = False, name: str = "Adagrad",
    ) -> None:  # fmt: skip
        start = _positive(initial_accumulator_value, "initial_accumulator_value")
        slots = {"accum": ("accumulator", start)}
        super().__init__(use_locking, name, slots, {"lr": learning_rate})


class ProximalAdagradOptimizer(RuleOptimizer):
    """Adagrad with the penalties of `ProximalGradientDescentOptimizer`."""

    _dense = staticmethod(training.apply_proximal_adagrad)
    _sparse = staticmethod(training.sparse_apply_proximal_adagrad)

    def __init__(
        self, learning_rate: Any, initial_accumulator_value: float = 0.1,
        l1_regularization_strength: Any = 0.0, l2_regularization_strength: Any = 0.0,
        use_locking: bool = False, name: str = "ProximalAdagrad",
    ) -> None:  # fmt: skip
        start = _positive(initial_accumulator_value, "initial_accumulator_value")
        numbers = {
            "lr": learning_rate,
            "l1": l1_regularization_strength,
            "l2": l2_regularization_strength,
        }
        slots = {"accum": ("accumulator", start)}
        super().__init__(use_locking, name, slots, numbers)


class AdagradDAOptimizer(RuleOptimizer):
    """Adagrad by dual averaging: weights come from the sum of all gradients.

    A weight that has had no gradient is zero, whatever it started with. The steps are
    counted by `global_step`, which `minimize` must raise.
    """

    _dense = staticmethod(adaptive.apply_adagrad_da)
    _sparse = staticmethod(adaptive.sparse_apply_adagrad_da)

    def __init__(
        self, learning_rate: Any, global_step: Any,
        initial_gradient_squared_accumulator_value: float = 0.1,
        l1_regularization_strength: Any = 0.0, l2_regularization_strength: Any = 0.0,
        use_locking: bool = False, name: str = "AdagradDA",
    ) -> None:  # fmt: skip
        start = _positive(
            initial_gradient_squared_accumulator_value,
            "initial_gradient_squared_accumulator_value",
        )
        slots = {
            "gradient_accumulator": ("gradient_accumulator", 0.0),
            "gradient_squared_accumulator": ("gradient_squared_accumulator", start),
        }
        numbers = {
            "lr": learning_rate,
            "l1": l1_regularization_strength,
            "l2": l2_regularization_strength,
        }
        super().__init__(use_locking, name, slots, numbers)
        self._global_step = global_step

    def _prepare(self) -> None:
        super()._prepare()
        self._step = cast(self._global_step, np.int64) + 1

    def _inputs(self, var: Any) -> dict[str, Any]:
        return {**super()._inputs(var), "global_step": self._step}
