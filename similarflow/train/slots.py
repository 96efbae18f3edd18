"""Slots: the variables that an optimizer keeps for each variable, such as averages."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..core.extend import extends
from ..core.operators import BUILDERS
from ..variables.variable import Variable
from .optimizer import GradientDescentOptimizer, Optimizer

__all__ = ["GradientDescentOptimizer", "Optimizer", "OptimizerSlots"]


@extends(Optimizer)
class OptimizerSlots:
    """The methods of `Optimizer` about slots."""

    if TYPE_CHECKING:
        _slots: dict[str, dict[Any, Any]]
        _name: str

    def get_name(self) -> str:
        """The optimizer's name."""
        return self._name

    def get_slot_names(self) -> list[str]:
        """The names of the slots, sorted."""
        return sorted(self._slots)

    def get_slot(self, var: Any, name: str) -> Any:
        """The slot `name` of `var`, a variable; None if there is none."""
        return self._slots.get(name, {}).get(var)

    def variables(self) -> list[Any]:
        """All slots, in the order in which they were made."""
        return [slot for slots in self._slots.values() for slot in slots.values()]

    def _get_or_make_slot(
        self, var: Any, val: Any, slot_name: str, op_name: str
    ) -> Any:
        """The slot `slot_name` of `var`, made with the value `val` if it is new.

        It is called "w/Momentum", and no variable scope around it has a say.
        """
        slots = self._slots.setdefault(slot_name, {})
        if var not in slots:
            graph = var.graph
            with (
                graph.as_default(),
                graph.name_scope(None),
                graph.control_dependencies(None),
            ):
                slots[var] = Variable(
                    val, trainable=False, name=f"{var.op.name}/{op_name}"
                )
        return slots[var]

    def _zeros_slot(self, var: Any, slot_name: str, op_name: str) -> Any:
        """The slot `slot_name` of `var`, made with zeros if it is new."""
        shape = var.as_tensor().static_shape
        known = shape is not None and None not in shape

        def zeros() -> Any:
            return BUILDERS["zeros"](shape, var.dtype) if known else zeros_like(var)

        zeros_like = BUILDERS["zeros_like"]
        return self._get_or_make_slot(var, zeros, slot_name, op_name)
