"""Optimizers that are one update rule: all that differs is which, and with what."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ..core.graph import Operation, Tensor, operation_of
from ..core.nest import flatten
from .slots import Optimizer


class RuleOptimizer(Optimizer):
    """Base class: each variable moves, with its slots, in one operation.

    A subclass names the builders of that operation: `_dense`, and `_sparse` for a
    gradient of some rows. What they take has the names of their arguments.

    Parameters
    ----------
    use_locking, name
        As for `Optimizer`.
    slots : dict
        From the argument that takes it to the slot's name and the value it starts with.
    numbers : dict
        From arguments to numbers, scalar tensors, or functions that give one, called
        once for each training operation.
    **options
        The operation's attributes.
    """

    _dense: Callable[..., Any]
    _sparse: Callable[..., Any]

    def __init__(
        self, use_locking: bool, name: str, slots: Mapping[str, tuple[str, float]],
        numbers: Mapping[str, Any], **options: Any,
    ) -> None:  # fmt: skip
        super().__init__(use_locking, name)
        self._starts, self._given, self._options = slots, numbers, options
        self._numbers: dict[str, Any] = {}
        self._labels: dict[str, str] = {}  # slots not called as the optimizer is

    def _create_slots(self, var_list: Sequence[Any]) -> None:
        for var in var_list:
            for slot, value in self._starts.values():
                label = self._labels.get(slot, self._name)
                self._filled_slot(var, value, slot, label)

    def _prepare(self) -> None:
        self._numbers = {k: x() if callable(x) else x for k, x in self._given.items()}

    def _inputs(self, var: Any) -> dict[str, Any]:
        """What the operation takes besides the variable and its gradient."""
        slots = {k: self.get_slot(var, slot) for k, (slot, _) in self._starts.items()}
        numbers = {k: self._as_number(x, var) for k, x in self._numbers.items()}
        return {**slots, **numbers, **self._options}

    def _apply_dense(self, grad: Tensor, var: Any) -> Operation:
        return _made(self._dense(var=var, grad=grad, **self._inputs(var)))

    def _apply_sparse(self, grad: Any, var: Any) -> Operation:
        rows = {"grad": grad.values, "indices": grad.indices}
        return _made(self._sparse(var=var, **rows, **self._inputs(var)))


def _made(results: Any) -> Operation:
    """The operation that gives one or several new values."""
    return operation_of(flatten(results)[0])
