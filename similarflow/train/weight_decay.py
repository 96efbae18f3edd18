"""Weight decay beside the gradient: Loshchilov and Hutter 2017, arXiv:1711.05101."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from ..core.graph import Operation, Tensor, get_default_graph
from ..core.operators import BUILDERS
from .adaptive import AdamOptimizer
from .momentum import MomentumOptimizer

if TYPE_CHECKING:
    from .rule import RuleOptimizer as Base
else:
    Base = object


class DecoupledWeightDecayExtension(Base):
    """Makes an optimizer decay weights: ``w = w - weight_decay * w`` before each step.

    Name it before the optimizer::

        class AdamWOptimizer(DecoupledWeightDecayExtension, AdamOptimizer): ...

    Of a gradient of some rows, only these rows decay.

    Parameters
    ----------
    weight_decay : float, scalar tensor, or function that gives one
        It is not multiplied by the learning rate.
    **kwargs
        The arguments of the optimizer.
    """

    def __init__(self, weight_decay: Any, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self._weight_decay = weight_decay
        self._decay_var_list: list[Any] = []

    def minimize(
        self, loss: Any, global_step: Any = None, var_list: Iterable[Any] | None = None,
        gate_gradients: int = 1, aggregation_method: Any = None,
        colocate_gradients_with_ops: bool = False, name: str | None = None,
        grad_loss: Any = None, decay_var_list: Iterable[Any] | None = None,
    ) -> Operation:  # fmt: skip
        """As `Optimizer.minimize`; `decay_var_list` are the variables that decay."""
        pairs = self.compute_gradients(loss, var_list, grad_loss=grad_loss)
        return self.apply_gradients(pairs, global_step, name, decay_var_list)

    def apply_gradients(
        self, grads_and_vars: Iterable[tuple[Any, Any]], global_step: Any = None,
        name: str | None = None, decay_var_list: Iterable[Any] | None = None,
    ) -> Operation:  # fmt: skip
        """As `Optimizer.apply_gradients`; all variables decay without a list."""
        self._decay_var_list = list(decay_var_list or [])
        return super().apply_gradients(grads_and_vars, global_step, name)

    def _prepare(self) -> None:
        super()._prepare()
        given = self._weight_decay
        self._share = given() if callable(given) else given

    def _decays(self, var: Any) -> bool:
        return not self._decay_var_list or any(v is var for v in self._decay_var_list)

    def _apply_dense(self, grad: Tensor, var: Any) -> Operation:
        if not self._decays(var):
            return super()._apply_dense(grad, var)
        decayed = var.assign_sub(self._as_number(self._share, var) * var)
        with get_default_graph().control_dependencies([decayed]):
            return super()._apply_dense(grad, var)

    def _apply_sparse(self, grad: Any, var: Any) -> Operation:
        if not self._decays(var):
            return super()._apply_sparse(grad, var)
        rows = BUILDERS["gather"](var, grad.indices)
        less = rows - self._as_number(self._share, var) * rows
        # A row that is named twice gets the same value twice.
        decayed = BUILDERS["scatter_update"](var, grad.indices, less)
        with get_default_graph().control_dependencies([decayed]):
            return super()._apply_sparse(grad, var)


class AdamWOptimizer(DecoupledWeightDecayExtension, AdamOptimizer):
    """Adam with decoupled weight decay."""

    def __init__(
        self, weight_decay: Any, learning_rate: Any = 0.001, beta1: Any = 0.9,
        beta2: Any = 0.999, epsilon: Any = 1e-8, use_locking: bool = False,
        name: str = "AdamW",
    ) -> None:  # fmt: skip
        super().__init__(
            weight_decay, learning_rate=learning_rate, beta1=beta1, beta2=beta2,
            epsilon=epsilon, use_locking=use_locking, name=name,
        )  # fmt: skip


class MomentumWOptimizer(DecoupledWeightDecayExtension, MomentumOptimizer):
    """Momentum with decoupled weight decay."""

    def __init__(
        self, weight_decay: Any, learning_rate: Any, momentum: Any,
        use_locking: bool = False, name: str = "MomentumW", use_nesterov: bool = False,
    ) -> None:  # fmt: skip
        super().__init__(
            weight_decay, learning_rate=learning_rate, momentum=momentum,
            use_locking=use_locking, name=name, use_nesterov=use_nesterov,
        )  # fmt: skip
