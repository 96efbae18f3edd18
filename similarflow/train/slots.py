"""Slots: the variables that an optimizer keeps for each variable, such as averages."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..core.convert import as_array
from ..core.extend import extends
from ..core.graph import Graph, get_default_graph
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
        """All that the optimizer keeps: slots, and variables that belong to no other.

        They come in the order in which they were made.
        """
        others = list(self._non_slots.values())
        return [v for slots in self._slots.values() for v in slots.values()] + others

    @property
    def _non_slots(self) -> dict[tuple[str, Graph], Any]:
        """Variables that belong to no other, by name and graph."""
        found: dict[tuple[str, Graph], Any] = vars(self).setdefault("_others", {})
        return found

    def _create_non_slot_variable(
        self, initial_value: Any, name: str, colocate_with: Any
    ) -> Any:
        """The variable `name` of the graph of `colocate_with`, made if it is new."""
        key = name, colocate_with.graph
        if key not in self._non_slots:
            variable = Variable(initial_value, trainable=False, name=name)
            self._non_slots[key] = variable
        return self._non_slots[key]

    def _get_non_slot_variable(self, name: str, graph: Graph | None = None) -> Any:
        """The variable `name` that belongs to no other; None if there is none."""
        graph = graph or get_default_graph()
        return self._non_slots.get((name, (graph, *graph.outers)[-1]))

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
                    val, trainable=False, validate_shape=_has_shape(var),
                    name=f"{var.op.name}/{op_name}",
                )  # fmt: skip
        return slots[var]

    def _zeros_slot(self, var: Any, slot_name: str, op_name: str) -> Any:
        """The slot `slot_name` of `var`, made with zeros if it is new."""
        return self._filled_slot(var, 0, slot_name, op_name)

    def _filled_slot(self, var: Any, value: float, slot_name: str, op_name: str) -> Any:
        """The slot `slot_name` of `var`, made with `value` everywhere if it is new."""
        shape = var.as_tensor().static_shape

        def start() -> Any:
            if not _has_shape(var):
                zeros = BUILDERS["zeros_like"](var)
                return zeros + value if value else zeros
            if not value:
                return BUILDERS["zeros"](shape, var.dtype)
            number = as_array(value, var.as_tensor().static_dtype)
            return BUILDERS["fill"](shape, number)

        return self._get_or_make_slot(var, start, slot_name, op_name)

    def _as_number(self, number: Any, var: Any) -> Any:
        """A number of the user's for an operation on `var`; a tensor takes its dtype.

        A Python number takes it by itself, with all its digits.
        """
        if hasattr(number, "graph"):
            return BUILDERS["cast"](number, var.dtype)
        return number


def _has_shape(var: Any) -> bool:
    """Whether the shape of a variable is known, and stays what it is."""
    shape = var.as_tensor().static_shape
    return shape is not None and None not in shape
