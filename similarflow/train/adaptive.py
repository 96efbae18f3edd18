"""Optimizers that follow the size of recent gradients: Adadelta, RMSProp, Adam."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..core.convert import as_array
from ..core.graph import Operation, get_default_graph
from ..ops import training_adaptive as adaptive
from .rule import RuleOptimizer


class AdadeltaOptimizer(RuleOptimizer):
    """Steps of the size of earlier ones, relative to the gradients.

    The slots "accum" and "accum_update" are running means of the squares of the
    gradients and of the steps. Zeiler 2012, arXiv:1212.5701.
    """

    _dense = staticmethod(adaptive.apply_adadelta)
    _sparse = staticmethod(adaptive.sparse_apply_adadelta)

    def __init__(
        self, learning_rate: Any = 0.001, rho: Any = 0.95, epsilon: Any = 1e-8,
        use_locking: bool = False, name: str = "Adadelta",
    ) -> None:  # fmt: skip
        slots = {"accum": ("accum", 0.0), "accum_update": ("accum_update", 0.0)}
        numbers = {"lr": learning_rate, "rho": rho, "epsilon": epsilon}
        super().__init__(use_locking, name, slots, numbers)


class RMSPropOptimizer(RuleOptimizer):
    """Divides the gradient by the root of its running mean square.

    ``s = decay * s + (1 - decay) * gradient^2``, then ``v = momentum * v +
    learning_rate * gradient / sqrt(s + epsilon)`` and ``w = w - v``; s and v are the
    slots "rms", which starts with ones, and "momentum".

    Parameters
    ----------
    learning_rate, decay, momentum, epsilon : float, scalar tensor, or function
    centered : bool
        Divide by the root of the running variance instead; the slot "mg" is the mean
        gradient.
    """

    def __init__(
        self, learning_rate: Any, decay: Any = 0.9, momentum: Any = 0.0,
        epsilon: Any = 1e-10, use_locking: bool = False, centered: bool = False,
        name: str = "RMSProp",
    ) -> None:  # fmt: skip
        slots = {"ms": ("rms", 1.0), "mom": ("momentum", 0.0)}
        self._dense = adaptive.apply_rms_prop
        self._sparse = adaptive.sparse_apply_rms_prop
        if centered:
            slots = {"ms": ("rms", 1.0), "mg": ("mg", 0.0), "mom": ("momentum", 0.0)}
            self._dense = adaptive.apply_centered_rms_prop
            self._sparse = adaptive.sparse_apply_centered_rms_prop
        numbers = {
            "lr": learning_rate, "rho": decay, "momentum": momentum, "epsilon": epsilon
        }  # fmt: skip
        super().__init__(use_locking, name, slots, numbers)


class AdamOptimizer(RuleOptimizer):
    """Steps along the mean gradient, relative to the root of its mean square.

    ``m = beta1 * m + (1 - beta1) * gradient``, v likewise with the square and `beta2`;
    then ``w = w - rate * m / (sqrt(v) + epsilon)``, where the rate corrects the bias of
    the first steps: ``learning_rate * sqrt(1 - beta2^t) / (1 - beta1^t)``. Kingma and
    Ba 2014, arXiv:1412.6980, with their epsilon-hat.

    A gradient of some rows moves the other rows, too, by their means; see
    `LazyAdamOptimizer`.

    Parameters
    ----------
    learning_rate : float, scalar tensor, or function that gives one
        About the length of each step.
    beta1, beta2 : float, scalar tensor, or function that gives one
        Their powers are variables of the dtype that these numbers have: float32 for
        Python's, and then all is computed with the numbers that float32 can hold.
    epsilon : float, scalar tensor, or function that gives one

    Examples
    --------
    >>> import similarflow as sf
    >>> w = sf.Variable([1.0, 1.0], name="w")
    >>> optimizer = sf.train.AdamOptimizer(0.25)
    >>> step = optimizer.minimize(sf.reduce_sum(sf.square(w) * [1.0, 100.0]))
    >>> sess = sf.Session()
    >>> sess.run(step)
    >>> sess.run(w)
    array([0.75, 0.75], dtype=float32)
    >>> [v.op.name for v in optimizer.variables()]
    ['w/Adam', 'w/Adam_1', 'beta1_power', 'beta2_power']
    """

    _dense = staticmethod(adaptive.apply_adam)
    _sparse = staticmethod(adaptive.sparse_apply_adam)

    def __init__(
        self, learning_rate: Any = 0.001, beta1: Any = 0.9, beta2: Any = 0.999,
        epsilon: Any = 1e-8, use_locking: bool = False, name: str = "Adam",
    ) -> None:  # fmt: skip
        slots = {"m": ("m", 0.0), "v": ("v", 0.0)}
        numbers = {
            "beta1": beta1, "beta2": beta2, "lr": learning_rate, "epsilon": epsilon
        }  # fmt: skip
        super().__init__(use_locking, name, slots, numbers)

    def _create_slots(self, var_list: Sequence[Any]) -> None:
        for beta in ("beta1", "beta2"):
            start = self._given[beta]
            start = start() if callable(start) else start
            self._create_non_slot_variable(start, f"{beta}_power", var_list[0])
        super()._create_slots(var_list)

    def _prepare(self) -> None:
        super()._prepare()
        for beta in ("beta1", "beta2"):
            # As precise as the powers, for else these would correct another bias.
            number = self._numbers[beta]
            exact = number if hasattr(number, "graph") else as_array(number)
            self._numbers[beta] = exact
            power = f"{beta}_power"
            self._numbers[power] = self._get_non_slot_variable(power)

    def _finish(self, update_ops: Sequence[Any], name_scope: str) -> Operation:
        powers = []
        for beta in ("beta1", "beta2"):
            power = self._numbers[f"{beta}_power"]
            with get_default_graph().control_dependencies(update_ops):
                powers.append(power.assign(power * self._numbers[beta]))
        return super()._finish([*update_ops, *powers], name_scope)


class LazyAdamOptimizer(AdamOptimizer):
    """Adam that leaves rows alone, with their means, while they have no gradient."""

    _sparse = staticmethod(adaptive.sparse_apply_lazy_adam)
