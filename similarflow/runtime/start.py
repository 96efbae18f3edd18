"""How variables start by themselves, in a session where nobody initialised any.

What is computed for that is kept aside until a run that reads it succeeds: a run that
fails has started nothing. Runs at the same time share it, so that they agree.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np

from ..core.graph import Tensor
from ..core.lazy import lazy

if TYPE_CHECKING:
    from .plan import Plan
    from .session import Session

messages = lazy(".messages", __package__)
randomness = lazy(".randomness", __package__)
Changes = dict[Any, Any]


@contextmanager
def attempt(
    session: Session, plan: Plan, feeds: dict[Any, Any]
) -> Iterator[tuple[Changes, Changes]]:
    """Around a run: start the variables that it reads, and take all back if it fails.

    Gives what has started, and the draws that this took.

    Raises
    ------
    FailedPreconditionError
        Variables were initialised explicitly, so that none starts by itself.
    """
    state, started = session.state, {}
    missing = [v for v in plan.reads if v not in state]
    if missing:
        if "initialised" in state:
            raise messages.uninitialised(missing, session)
        with session.lock:
            started = _start(session, missing, feeds)
    changes = {k: x for k, x in started.items() if not isinstance(k, Tensor)}
    try:
        yield started, changes
        if missing:
            with session.lock:
                state.update({k: x for k, x in started.items() if k not in state})
    except BaseException:
        if changes:
            randomness.give_back(changes, session.claims)
        raise
    finally:
        for v in missing:
            session.begun.pop(v, None)


def _start(session: Session, missing: list[Tensor], feeds: dict[Any, Any]) -> Changes:
    """All that changes when `missing` start, and what they depend on before them."""
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
        if v not in session.begun:
            plan, before = plans[v], {**changes}
            values = session.gather(plan, feeds, changes)
            session.execute([*plan.early, *plan.steps], values, changes)
            for variable, source in plan.writes.items():
                changes[variable] = values[source]
            changes[v] = np.array(values[plan.fetches[0]])
            new = {k: x for k, x in changes.items() if before.get(k) is not x}
            session.begun[v] = new
        changes |= session.begun[v]
    return changes
