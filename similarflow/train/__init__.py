"""Training: optimizers and what goes with them."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ..core.gradients import compute_gradients
    from .adagrad import AdagradDAOptimizer, AdagradOptimizer, ProximalAdagradOptimizer
    from .adaptive import (
        AdadeltaOptimizer,
        AdamOptimizer,
        LazyAdamOptimizer,
        RMSPropOptimizer,
    )
    from .averages import ExponentialMovingAverage
    from .decay import (
        cosine_decay,
        cosine_decay_restarts,
        exponential_decay,
        inverse_time_decay,
        linear_cosine_decay,
        natural_exp_decay,
        noisy_linear_cosine_decay,
        piecewise_constant,
        piecewise_constant_decay,
        polynomial_decay,
    )
    from .ftrl import FtrlOptimizer
    from .momentum import (
        MomentumOptimizer,
        ProximalGradientDescentOptimizer,
        SGDOptimizer,
    )
    from .optimizer import GradientDescentOptimizer, Optimizer
    from .steps import (
        create_global_step,
        get_global_step,
        get_or_create_global_step,
        global_step,
    )
    from .weight_decay import (
        AdamWOptimizer,
        DecoupledWeightDecayExtension,
        MomentumWOptimizer,
    )

__all__ = [
    "AdadeltaOptimizer",
    "AdagradDAOptimizer",
    "AdagradOptimizer",
    "AdamOptimizer",
    "AdamWOptimizer",
    "DecoupledWeightDecayExtension",
    "ExponentialMovingAverage",
    "FtrlOptimizer",
    "GradientDescentOptimizer",
    "LazyAdamOptimizer",
    "MomentumOptimizer",
    "MomentumWOptimizer",
    "Optimizer",
    "ProximalAdagradOptimizer",
    "ProximalGradientDescentOptimizer",
    "RMSPropOptimizer",
    "SGDOptimizer",
    "compute_gradients",
    "cosine_decay",
    "cosine_decay_restarts",
    "create_global_step",
    "exponential_decay",
    "get_global_step",
    "get_or_create_global_step",
    "global_step",
    "inverse_time_decay",
    "linear_cosine_decay",
    "natural_exp_decay",
    "noisy_linear_cosine_decay",
    "piecewise_constant",
    "piecewise_constant_decay",
    "polynomial_decay",
]
_WHERE = {
    "AdadeltaOptimizer": ".adaptive",
    "AdagradDAOptimizer": ".adagrad",
    "AdagradOptimizer": ".adagrad",
    "AdamOptimizer": ".adaptive",
    "AdamWOptimizer": ".weight_decay",
    "DecoupledWeightDecayExtension": ".weight_decay",
    "ExponentialMovingAverage": ".averages",
    "FtrlOptimizer": ".ftrl",
    "GradientDescentOptimizer": ".slots",
    "LazyAdamOptimizer": ".adaptive",
    "MomentumOptimizer": ".momentum",
    "MomentumWOptimizer": ".weight_decay",
    "Optimizer": ".slots",
    "ProximalAdagradOptimizer": ".adagrad",
    "ProximalGradientDescentOptimizer": ".momentum",
    "RMSPropOptimizer": ".adaptive",
    "SGDOptimizer": ".momentum",
    "compute_gradients": "..core.gradients",
    "cosine_decay": ".decay",
    "cosine_decay_restarts": ".decay",
    "create_global_step": ".steps",
    "exponential_decay": ".decay",
    "get_global_step": ".steps",
    "get_or_create_global_step": ".steps",
    "global_step": ".steps",
    "inverse_time_decay": ".decay",
    "linear_cosine_decay": ".decay",
    "natural_exp_decay": ".decay",
    "noisy_linear_cosine_decay": ".decay",
    "piecewise_constant": ".decay",
    "piecewise_constant_decay": ".decay",
    "polynomial_decay": ".decay",
}
"""Where the names are; the modules are loaded when a name is first used."""


def __getattr__(name: str) -> Any:
    if name not in _WHERE:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(_WHERE[name], __name__), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__
