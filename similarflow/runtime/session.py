"""A session: it keeps the variables' values and runs parts of a graph."""

from __future__ import annotations

import itertools
import threading
from collections.abc import Sequence
from contextlib import nullcontext
from functools import partial
from typing import TYPE_CHECKING, Any

from ..core.convert import detach, fits
from ..core.graph import Graph, Operation, Tensor, get_default_graph
from ..core.lazy import lazy
from .feeds import check_feeds
from .fetches import parse_fetches
from .plan import Key, Plan, Step, make_plan
from .simple import execute
from .start import Draws, Start, attempt, first_argument, keep

messages = lazy(".messages", __package__)

if TYPE_CHECKING:
    from .methods import SessionMethods
else:
    SessionMethods = object

Feeds = dict[Any, Any]
Values = dict[Key, Any]
Changes = dict[Any, Any]
_numbers = itertools.count()
PLANS = 500
"""So many plans a session keeps."""


class Session(SessionMethods):
    """Runs operations and keeps the values of variables between runs.

    Until a variable is initialised explicitly, variables start by themselves.

    Parameters
    ----------
    target : str
        Accepted as in TensorFlow; everything runs in this process.
    graph : Graph, optional
        The default graph, if none is given.
    config : ConfigProto, optional
        Accepted as in TensorFlow.
    engine : str
        "simple", the engine that defines what a run computes.
    """

    def __init__(
        self, target: str = "", graph: Graph | None = None, config: Any = None,
        engine: str = "simple",
    ) -> None:  # fmt: skip
        if engine != "simple":
            raise ValueError(f"engine {engine!r} is unknown; there is 'simple'")
        self.graph = graph or get_default_graph()
        self.config = config
        self.state: dict[Any, Any] = {}  # variables' values, random operations' draws
        self.begun: dict[Tensor, Start] = {}  # variables that a run is starting
        self.claims: dict[Operation, int] = {}  # draws of runs that have not ended
        self._plans: dict[Any, Plan] = {}
        self.lock = threading.RLock()  # held by a run that writes
        self.number = next(_numbers)

    def run(
        self, fetches: Any, feed_dict: Any = None, options: Any = None,
        run_metadata: Any = None,
    ) -> Any:  # fmt: skip
        """Compute `fetches` and return their values, in the same form.

        Parameters
        ----------
        fetches : tensor, variable, operation, name, or a nest of them
            An operation is run for its effect, and gives None.
        feed_dict : dict, optional
            Values for placeholders, or to use instead of any tensor's own.
        options, run_metadata : optional
            Accepted as in TensorFlow.

        Returns
        -------
        numpy.ndarray, NumPy scalar, None, or a nest of them
            The caller's own: no variable, feed or other result shares memory with it.

        Raises
        ------
        InvalidArgumentError
            An operation fails, or a placeholder is not fed.
        FailedPreconditionError
            A variable has no value.

        A run that fails or is interrupted changes no variable.
        """
        found: list[Any] = []
        unpack = parse_fetches(fetches, self.graph, found)
        feeds = check_feeds(feed_dict, self.graph)
        return self._perform(self.plan(found, feeds), feeds, unpack)

    def _perform(self, plan: Plan, feeds: Feeds, unpack: Any) -> Any:
        """Run a plan; what it changes is kept in the end, at once."""
        if plan.unfed:
            raise messages.unfed(plan)
        with attempt(self, plan, feeds) as (started, drawn):
            changes = {k: x for k, x in started.items() if not isinstance(k, Tensor)}
            values: Values = {}
            if plan.early:
                values = self.gather(plan, feeds, started)
                self.execute(plan.early, values, changes, drawn)
            with self.lock if plan.alone else nullcontext():
                values |= self.gather(plan, feeds, started)
                self.execute(plan.steps, values, changes, drawn)
                result = self._finish(plan, values, changes, unpack)
                keep(self, plan, started, changes)
                return result

    def plan(self, found: Sequence[Tensor | Operation], feeds: Feeds) -> Plan:
        """The plan for these fetches and feeds, made once."""
        key = (*found, None, *feeds)
        plan = self._plans.get(key)
        if plan is None:
            if len(self._plans) >= PLANS:
                self._plans.clear()
            plan = self._plans[key] = make_plan(self.graph, found, feeds)
        return plan

    def gather(self, plan: Plan, feeds: Feeds, started: Changes) -> Values:
        """What a run starts with: constants, feeds, the variables as they are now."""
        state = {**started, **self.state}  # of one moment, while other threads write
        variables: Feeds = {v: state[v] for v in plan.reads}
        return {**plan.constants, **feeds, **variables}

    def execute(
        self, steps: list[Step], values: Values, changes: Changes, drawn: Draws
    ) -> None:
        """Have the engine take `steps`; random operations note what they draw."""
        first = partial(first_argument, self, changes, drawn)
        execute(self.graph, steps, values, first)

    def _finish(self, plan: Plan, values: Values, changes: Changes, unpack: Any) -> Any:
        """Copy the results, then note all changes."""
        found = [None if k is None else detach(values[k]) for k in plan.fetches]
        result = unpack(found)
        for variable, source in plan.writes.items():
            changes[variable] = values[source]
            if not fits(variable.static_shape, values[source].shape):
                messages.check_reshaping(self, plan, variable, source, values[source])
        return result
