"""Optimizers: from gradients to operations that change variables."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from ..core.gradients import compute_gradients
from ..core.graph import Graph, Operation, Tensor, convert_to_tensor, graph_of
from ..core.lazy import lazy
from ..core.nest import flatten
from ..core.operators import BUILDERS
from ..ops.elementary import apply_gradient_descent, group
from ..variables.variable import Variable
from .pairs import checked_pairs

messages = lazy(".messages", __package__)

if TYPE_CHECKING:
    from .slots import OptimizerSlots
else:
    OptimizerSlots = object


class Optimizer(OptimizerSlots):
    """Base class: a subclass says in `_apply_dense` how one variable moves.

    Parameters
    ----------
    use_locking : bool
        Accepted as in TensorFlow; a step is never torn.
    name : str
        The name of the training operation.
    """

    def __init__(self, use_locking: bool, name: str) -> None:
        self._name = name
        self._slots: dict[str, dict[Any, Any]] = {}

    def minimize(
        self, loss: Any, global_step: Any = None, var_list: Iterable[Any] | None = None,
        gate_gradients: int = 1, aggregation_method: Any = None,
        colocate_gradients_with_ops: bool = False, name: str | None = None,
        grad_loss: Any = None,
    ) -> Operation:  # fmt: skip
        """An operation that takes one step: gradients of `loss`, then the updates.

        Parameters
        ----------
        loss : tensor
            What shall become smaller.
        global_step : variable, optional
            Counts the steps.
        var_list : list of variables, optional
            What to train; by default all trainable variables of the graph.
        grad_loss : tensor, optional
            The gradient that `loss` starts with; ones by default.

        Raises
        ------
        ValueError
            The loss depends on none of the variables.
        """
        pairs = self.compute_gradients(loss, var_list, grad_loss=grad_loss)
        return self.apply_gradients(pairs, global_step, name)

    def compute_gradients(
        self, loss: Any, var_list: Iterable[Any] | None = None, gate_gradients: int = 1,
        aggregation_method: Any = None, colocate_gradients_with_ops: bool = False,
        grad_loss: Any = None,
    ) -> list[tuple[Any, Variable]]:  # fmt: skip
        """(gradient, variable) for each variable; None where nothing connects them."""
        loss = convert_to_tensor(loss() if callable(loss) else loss)
        if var_list is None:
            var_list = loss.graph.collections.get("trainable_variables", [])
        single = isinstance(var_list, Variable)
        variables = flatten(var_list) if single else flatten(*var_list)
        for v in variables:
            if not isinstance(v, Variable):
                raise TypeError(messages.no_variable(v))
        table = compute_gradients(loss, variables, [grad_loss])
        return [(table.get(v), v) for v in variables]

    def apply_gradients(
        self, grads_and_vars: Iterable[tuple[Any, Any]], global_step: Any = None,
        name: str | None = None,
    ) -> Operation:  # fmt: skip
        """An operation that moves each variable by its gradient.

        Raises
        ------
        ValueError
            No variable has a gradient.
        """
        pairs = checked_pairs(grads_and_vars)
        graph = graph_of([global_step, *[var for _, var in pairs]])
        outer = graph.scope
        try:
            with graph.as_default():
                last = self._build_step(pairs, graph, global_step, name)
        finally:
            graph.scope = outer
        graph.collections.setdefault("train_op", []).append(last)
        return last

    def _build_step(
        self, pairs: list[Any], graph: Graph, global_step: Any, name: str | None
    ) -> Operation:
        with graph.waiting_for(()):
            self._create_slots([var for _, var in pairs])
        graph.scope = prefix = graph.unique_name(name or self._name) + "/"
        self._prepare()
        updates = []
        for grad, var in pairs:
            graph.scope = f"{prefix}update_{var.op.name}/"
            sparse = hasattr(grad, "joined")
            apply = self._apply_sparse if sparse else self._apply_dense
            updates.append(apply(grad, var))
        graph.scope = prefix
        last = self._finish(updates, prefix if global_step is None else "update")
        if global_step is not None:
            with graph.waiting_for((*graph.controls, last)):
                step = BUILDERS["assign_add"](global_step, 1, name=prefix)
            last = step.op
        return last

    def _prepare(self) -> None:
        """Called once before the updates are made."""

    def _create_slots(self, var_list: Sequence[Any]) -> None:
        """Make the variables that belong to the variables, if there are any."""

    def _apply_dense(self, grad: Tensor, var: Any) -> Any:
        raise NotImplementedError(f"{type(self).__name__} needs _apply_dense")

    def _apply_sparse(self, grad: Any, var: Any) -> Any:
        return self._apply_dense(convert_to_tensor(grad), var)

    def _finish(self, update_ops: Sequence[Any], name_scope: str) -> Operation:
        return group(*update_ops, name=name_scope)


class GradientDescentOptimizer(Optimizer):
    """Gradient descent: ``w = w - learning_rate * gradient``."""

    def __init__(
        self, learning_rate: Any, use_locking: bool = False,
        name: str = "GradientDescent",
    ) -> None:  # fmt: skip
        super().__init__(use_locking, name)
        self._learning_rate = learning_rate

    def _rate(self, var: Variable) -> Any:
        rate = self._learning_rate
        rate = rate() if callable(rate) else rate
        return BUILDERS["cast"](rate, var.dtype) if hasattr(rate, "graph") else rate

    def _apply_dense(self, grad: Tensor, var: Variable) -> Any:
        return apply_gradient_descent(var, self._rate(var), grad)

    def _apply_sparse(self, grad: Any, var: Variable) -> Any:
        return BUILDERS["scatter_sub"](var, grad.indices, grad.values * self._rate(var))
