"""How variables start by themselves, in a session where nobody initialised any.

What is computed for that is kept aside until a run that reads it succeeds: a run that
fails has started nothing. Runs at the same time share it, so that they agree.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from ..core.graph import Operation, Tensor
from ..core.lazy import lazy

if TYPE_CHECKING:
    from .plan import Plan
    from .session import Session

messages = lazy(".messages", __package__)
randomness = lazy(".randomness", __package__)
Changes = dict[Any, Any]
Draws = list[tuple[Operation, int]]


@dataclass(eq=False)
class Start:
    """A variable that runs under way have started, and what that took."""

    changes: Changes = field(default_factory=dict)
    drawn: Draws = field(default_factory=list)
    runs: int = 0  # so many have started from it


@dataclass(eq=False)
class Absent:
    """Stands for the value of a variable that has none: a branch may not need it."""

    variable: Tensor
    session: Session

    @property
    def shape(self) -> Any:
        """That of the variable."""
        return self.variable.static_shape

    def error(self) -> Exception:
        """What a read of it raises."""
        error: Exception = messages.uninitialised([self.variable], self.session)
        return error

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        raise self.error()


def needed(plan: Plan, variables: Sequence[Tensor]) -> list[Tensor]:
    """Those that the plan itself reads; a branch or a loop in it sees to its own."""
    if not variables:
        return []
    found = set(plan.fetches)
    for op, sources, _ in (*plan.early, *plan.steps):
        if op.definition and op.definition.calls:  # neither written nor captured
            layout: Any = next(iter(op.attrs.values()))
            count = len(sources) - len(layout.captured)
            sources = sources[op.definition.writes : count]
        found.update(sources)
    return [v for v in variables if v in found]


@contextmanager
def attempt(
    session: Session, plan: Plan, feeds: dict[Any, Any]
) -> Iterator[tuple[Changes, Draws]]:
    """Around a run: start the variables that it reads, and take all back if it fails.

    Gives all that has changed by starting, and a list for the draws of the run itself.

    Raises
    ------
    FailedPreconditionError
        Variables were initialised explicitly, so that none starts by itself.
    """
    state, drawn = session.state, Draws()
    started: dict[Tensor, Start] = {}
    missing = [v for v in plan.reads if v not in state]
    changes: Changes = {}
    try:
        if missing and "initialised" in state:
            if read := needed(plan, missing):
                raise messages.uninitialised(read, session)
            changes = {v: Absent(v, session) for v in missing}
        elif missing:
            with session.lock:
                _start(session, missing, feeds, started)
        for start in started.values():
            changes |= start.changes
        yield changes, drawn
    except BaseException:
        randomness.give_back(drawn, session.claims)
        raise
    finally:
        if started:
            with session.lock:
                _end(session, started)


def first_argument(
    session: Session, changes: Changes, drawn: Draws, op: Operation
) -> Any:
    """What the kernel of `op` gets first: a generator, or all that has a value."""
    if op.definition and op.definition.asks:
        return session.state.keys()
    return randomness.generator_for(op, session.state, changes, session.claims, drawn)


def keep(session: Session, plan: Plan, started: Changes, changes: Changes) -> None:
    """Keep all changes at once: an interrupt comes before that or after it."""
    with session.lock if started else nullcontext():
        session.state.update(changed(session, plan, started, changes))


def changed(
    session: Session, plan: Plan, started: Changes, changes: Changes
) -> Changes:
    """All that a run changes in the session's state."""
    if plan.initialises:
        changes["initialised"] = True
    elif plan.writes:
        written_by = session.graph.state.setdefault("written_by", {})
        written_by.update(dict.fromkeys(plan.writes, session.number))
    if not started:
        return changes
    new = {k: x for k, x in started.items() if k not in session.state} | changes
    return {k: x for k, x in new.items() if not isinstance(x, Absent)}


def _start(
    session: Session, missing: list[Tensor], feeds: dict[Any, Any],
    started: dict[Tensor, Start],
) -> None:  # fmt: skip
    """Start `missing`, and what they depend on before them."""
    plans: dict[Tensor, Any] = {}
    ahead = list(missing)
    while ahead:
        v = ahead.pop()
        if v not in plans and v not in session.state:
            plans[v] = session.plan([v.op.owner.initial_value], feeds)
            if plans[v].unfed:
                raise messages.unfed(plans[v])
            ahead += plans[v].reads
    written_by = session.graph.state.get("written_by", {})
    if any(written_by.get(v, session.number) != session.number for v in plans):
        messages.warn_other_session(session)
    changes: Changes = {}
    for v in sorted(plans, key=lambda v: v.op.number):
        start = started[v] = session.begun.setdefault(v, Start())
        start.runs += 1
        if v not in start.changes:
            plan, before = plans[v], {**changes}
            values = session.gather(plan, feeds, changes)
            steps = [*plan.early, *plan.steps]
            session.execute(steps, values, changes, start.drawn)
            for variable, source in plan.writes.items():
                changes[variable] = values[source]
            changes[v] = np.array(values[plan.fetches[0]])
            new = {k: x for k, x in changes.items() if before.get(k) is not x}
            start.changes.update(new)
        changes |= start.changes


def _end(session: Session, started: dict[Tensor, Start]) -> None:
    """A run is over; the last of those that failed gives back what starting took."""
    for v, start in reversed(started.items()):
        start.runs -= 1
        if not start.runs:
            del session.begun[v]
            if v not in session.state:
                randomness.give_back(start.drawn, session.claims)
