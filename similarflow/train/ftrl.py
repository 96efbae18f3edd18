"""Follow the regularised leader: an optimizer for large sparse linear models."""

from __future__ import annotations

from typing import Any

from ..ops import training_adaptive as adaptive
from .rule import RuleOptimizer


class FtrlOptimizer(RuleOptimizer):
    """FTRL-Proximal: the best weights for all gradients so far, and the penalties.

    McMahan et al. 2013, "Ad click prediction: a view from the trenches". The slots are
    "accum", the sum of the squares of the gradients, and "linear".

    Parameters
    ----------
    learning_rate : float, scalar tensor, or function that gives one
    learning_rate_power : float
        How fast the rate falls with the sum of squares: 0 for not at all.
    initial_accumulator_value : float
        What the sum of squares starts with.
    l1_regularization_strength, l2_regularization_strength : float
        The penalties; the first makes weights exactly zero.
    accum_name, linear_name : str, optional
        What slots are called; as the optimizer, by default.
    l2_shrinkage_regularization_strength : float
        A penalty on the present weights, which acts through the gradient.

    Raises
    ------
    ValueError
        `learning_rate_power` is positive, or one of the others negative.
    """

    def __init__(
        self, learning_rate: Any, learning_rate_power: Any = -0.5,
        initial_accumulator_value: float = 0.1,
        l1_regularization_strength: Any = 0.0, l2_regularization_strength: Any = 0.0,
        use_locking: bool = False, name: str = "Ftrl", accum_name: str | None = None,
        linear_name: str | None = None,
        l2_shrinkage_regularization_strength: Any = 0.0,
    ) -> None:  # fmt: skip
        l1, l2 = l1_regularization_strength, l2_regularization_strength
        shrinkage = l2_shrinkage_regularization_strength
        _check(-learning_rate_power, "-learning_rate_power")
        _check(initial_accumulator_value, "initial_accumulator_value")
        _check(l1, "l1_regularization_strength")
        _check(l2, "l2_regularization_strength")
        _check(shrinkage, "l2_shrinkage_regularization_strength")
        start = initial_accumulator_value
        slots = {"accum": ("accum", start), "linear": ("linear", 0.0)}
        numbers = {"lr": learning_rate, "l1": l1, "l2": l2}
        self._dense, self._sparse = adaptive.apply_ftrl, adaptive.sparse_apply_ftrl
        if hasattr(shrinkage, "graph") or shrinkage > 0:
            self._dense = adaptive.apply_ftrl_v2
            self._sparse = adaptive.sparse_apply_ftrl_v2
            numbers["l2_shrinkage"] = shrinkage
        numbers["lr_power"] = learning_rate_power
        super().__init__(use_locking, name, slots, numbers)
        self._labels = {"accum": accum_name or name, "linear": linear_name or name}


def _check(number: Any, what: str) -> None:
    """Raise ValueError for a negative number; what a tensor is, only a run tells."""
    if not hasattr(number, "graph") and number < 0:
        raise ValueError(f"{what} is {number}, and must not be negative")
