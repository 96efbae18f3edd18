"""Running sub-graphs: the body of a loop, the branch that is taken.

A sub-graph is run as a plan of its own, inside the step of the operation that it
belongs to. Its operations read what they need from the values given to it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ..core.graph import Operation, Tensor
from ..core.messages import line_of
from ..errors import OpError
from . import messages
from .plan import Plan, make_plan
from .simple import execute
from .start import Absent, needed

Values = dict[Tensor, Any]
Run = Callable[[Values], tuple[list[Any], Values]]
"""From values to the results, and the new values of the variables it writes."""


class _Inside(Exception):
    """Carries an error of an inner operation past the kernel of the outer one."""

    def __init__(self, error: Exception) -> None:
        super().__init__(str(error))
        self.error = error


def compute_calling(op: Operation, args: list[Any], generator: Any) -> list[Any]:
    """The outputs of an operation whose kernel runs sub-graphs.

    An error of an inner operation comes through as it is, with a note.
    """

    def prepare(graph: Any, fetches: Sequence[Tensor]) -> Run:
        plan = _plan_of(graph, tuple(fetches))
        steps = [*plan.early, *plan.steps]

        def run(given: Values) -> tuple[list[Any], Values]:
            values: dict[Any, Any] = {**plan.constants, **given}
            try:
                absent = [v for v in plan.reads if isinstance(given[v], Absent)]
                for v in needed(plan, absent):
                    raise given[v].error()
                execute(graph, steps, values, generator)
            except Exception as error:
                raise _Inside(error) from error
            new = {v: values[source] for v, source in plan.writes.items()}
            return [values[key] for key in plan.fetches], new

        return run

    try:
        return list(op.compute(prepare, *args))
    except _Inside as inside:
        error = inside.error
    except Exception as failure:
        raise messages.kernel_failed(op, args, failure) from failure
    where = f"inside {op.type} '{op.name}', made at {line_of(op)}"
    if isinstance(error, OpError):
        error.message = f"{error.message}\n{where}"
    else:
        error.add_note(where)
    raise error


def _plan_of(graph: Any, fetches: tuple[Tensor, ...]) -> Plan:
    """The plan of a sub-graph for these fetches, made once."""
    plans: dict[Any, Plan] = graph.plans
    plan = plans.get(fetches)
    if plan is None:
        plan = plans[fetches] = make_plan(graph, fetches, ())
    return plan
