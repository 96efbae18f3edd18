"""Optimizers with momentum, and those that shrink what they train."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..core.graph import Operation
from ..ops import training
from .rule import RuleOptimizer


class MomentumOptimizer(RuleOptimizer):
    """Gradient descent along a running sum of the gradients.

    ``v = momentum * v + gradient``, then ``w = w - learning_rate * v``; v is the slot
    "momentum".

    Parameters
    ----------
    learning_rate, momentum : float, scalar tensor, or function that gives one
    use_nesterov : bool
        Step by ``learning_rate * (gradient + momentum * v)``: where the momentum leads,
        looked at from the present place, as Sutskever et al. 2013 rewrite it.

    Examples
    --------
    >>> import similarflow as sf
    >>> w = sf.Variable(1.0, name="w")
    >>> optimizer = sf.train.MomentumOptimizer(0.25, 0.5)
    >>> step = optimizer.minimize(sf.square(w))
    >>> sess = sf.Session()
    >>> for _ in range(2):
    ...     sess.run(step)
    >>> float(sess.run(w)), float(sess.run(optimizer.get_slot(w, "momentum")))
    (0.0, 2.0)
    """

    _dense = staticmethod(training.apply_momentum)
    _sparse = staticmethod(training.sparse_apply_momentum)

    def __init__(
        self, learning_rate: Any, momentum: Any, use_locking: bool = False,
        name: str = "Momentum", use_nesterov: bool = False,
    ) -> None:  # fmt: skip
        super().__init__(
            use_locking, name, {"accum": ("momentum", 0.0)},
            {"lr": learning_rate, "momentum": momentum}, use_nesterov=use_nesterov,
        )  # fmt: skip


class SGDOptimizer(RuleOptimizer):
    """Gradient descent with momentum, at a rate that decays with each step.

    ``v = momentum * v - rate * gradient``, then ``w = w + v``, then
    ``rate = rate / (1 + decay)``. At a constant rate this is `MomentumOptimizer`; at a
    decaying one, what has been gathered in v keeps the rate of its time.

    Parameters
    ----------
    learning_rate : float, scalar tensor, or function that gives one
        The rate at first.
    momentum, decay : float, scalar tensor, or function that gives one
    """

    _dense = staticmethod(training.apply_keras_momentum)
    _sparse = staticmethod(training.sparse_apply_keras_momentum)

    def __init__(
        self, learning_rate: Any = 0.01, momentum: Any = 0.0, decay: Any = 0.0,
        use_locking: bool = False, name: str = "SGD",
    ) -> None:  # fmt: skip
        numbers = {"lr": learning_rate, "momentum": momentum}
        if not isinstance(decay, int | float) or decay:
            numbers["decay"] = decay
        super().__init__(use_locking, name, {"accum": ("momentum", 0.0)}, numbers)

    def _create_slots(self, var_list: Sequence[Any]) -> None:
        if "decay" in self._given:
            self._create_non_slot_variable(np.float64(1.0), "decayed", var_list[0])
        super()._create_slots(var_list)

    def _prepare(self) -> None:
        super()._prepare()
        if "decay" in self._given:
            decayed = self._get_non_slot_variable("decayed")
            rate, decay = self._numbers["lr"], self._numbers.pop("decay")
            self._numbers["lr"] = self._as_number(rate, decayed) * decayed
            self._next = decayed / (1.0 + self._as_number(decay, decayed))

    def _finish(self, update_ops: Sequence[Any], name_scope: str) -> Operation:
        updates = list(update_ops)
        if "decay" in self._given:
            updates += [self._get_non_slot_variable("decayed").assign(self._next)]
        return super()._finish(updates, name_scope)


class ProximalGradientDescentOptimizer(RuleOptimizer):
    """Gradient descent with penalties that can make weights exactly zero.

    After each step w becomes ``sign(w) * max(|w| - learning_rate * l1, 0)``, divided by
    ``1 + learning_rate * l2``. Duchi and Singer 2009, "Efficient learning using
    forward-backward splitting".
    """

    _dense = staticmethod(training.apply_proximal_gradient_descent)
    _sparse = staticmethod(training.sparse_apply_proximal_gradient_descent)

    def __init__(
        self, learning_rate: Any, l1_regularization_strength: Any = 0.0,
        l2_regularization_strength: Any = 0.0, use_locking: bool = False,
        name: str = "ProximalGradientDescent",
    ) -> None:  # fmt: skip
        numbers = {
            "alpha": learning_rate,
            "l1": l1_regularization_strength,
            "l2": l2_regularization_strength,
        }
        super().__init__(use_locking, name, {}, numbers)
