"""A call: fetches and fed tensors in the form in which a session was given them.

What can be known of it is settled once, so that a run of it has little left to do.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import nullcontext
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from ...core.convert import fits
from ...core.graph import Tensor, running
from .. import messages
from ..feeds import check_feeds
from ..plan import Plan
from ..start import attempt, changed, first_argument
from .bound import Bound, StepError
from .engine import Compiled

if TYPE_CHECKING:
    from .session import Session

Values = Sequence[Any]


class Call:
    """Runs one plan with values for the same tensors."""

    def __init__(
        self, plan: Plan, fed: Sequence[Tensor], unpack: Any, compiled: Compiled
    ) -> None:  # fmt: skip
        self.plan, self.fed, self.unpack, self.compiled = plan, fed, unpack, compiled
        dtypes = [t.static_dtype for t in fed]
        self._typed = all(d is not None and d.kind != "O" for d in dtypes)
        used = [i for i, t in enumerate(fed) if t in compiled.program.inputs]
        self._used = None if used == [*range(len(fed))] else used
        self._read = _reader(plan.reads)
        special = plan.early or plan.initialises
        plain = not special and all(n.plain for n in compiled.program.nodes)
        self._quick = plain and all(map(_is_steady, plan.reads))
        self._alone = plan.alone
        self._last: tuple[list[Any], list[Bound]] = ([(None, ())] * len(fed), [])
        """The dtypes and shapes of the last run, and the bindings for these."""
        self._marked: set[int] = set()  # sessions that are known to have changed it

    def run(self, session: Session, values: Collection[Any]) -> Any:
        """Run it with `values` for the fed tensors, in the session's state."""
        forms, ready = self._last
        feeds = []
        for x, (dtype, shape) in zip(values, forms, strict=False):
            if type(x) is not np.ndarray or x.dtype is not dtype or x.shape != shape:
                return self.check_and_run(session, [*values])
            feeds.append(x)
        if not self._quick or "reshaped" in session.state:
            return self.check_and_run(session, feeds)
        # what runs alone keeps all others from writing, and else nobody writes now
        with session.lock if self._alone else session.commit:
            try:
                used = feeds if self._used is None else [feeds[i] for i in self._used]
                inputs = [*used, *self._read(session.state)]
                bound = ready.pop()
            except (KeyError, IndexError):
                bound = None  # a variable must start, or others run this just now
            if self._alone and bound is not None:
                return self._execute(session, ready, bound, inputs)
        if bound is None:
            return self.check_and_run(session, feeds)
        return self._execute(session, ready, bound, inputs)

    def check_and_run(self, session: Session, values: Values) -> Any:
        """With any values: they are checked, and variables start by themselves."""
        pairs = zip(self.fed, values, strict=True)
        feeds = check_feeds(dict(pairs), session.graph)
        plan = self.plan
        if plan.unfed:
            raise messages.unfed(plan)
        with attempt(session, plan, feeds) as (started, drawn):
            changes = {k: x for k, x in started.items() if not isinstance(k, Tensor)}
            first = partial(first_argument, session, changes, drawn)
            known: dict[Any, Any] = {}
            if plan.early:
                known = session.gather(plan, feeds, started)
                session.execute(plan.early, known, changes, drawn)
            with session.lock if plan.alone else nullcontext():
                known |= session.gather(plan, feeds, started)
                inputs = [known[t] for t in self.compiled.program.inputs]
                ready, bound = self.compiled.take(self._signature(known), inputs)
                known.clear()  # whoever holds an array keeps it from being written to
                if self._typed and not plan.early:
                    self._last = [(x.dtype, x.shape) for x in feeds.values()], ready
                execute = partial(self._execute, session, ready, bound, inputs)
                bound.draws.generator = first
                with running.entered(session.graph):
                    return execute(started, changes)

    def _signature(self, known: Mapping[Tensor, Any]) -> tuple[Any, ...]:
        """What a binding is for: shapes, and dtypes that the graph does not tell."""
        tensors = [*self.fed, *self.plan.reads]
        shapes = [getattr(known[t], "shape", None) for t in tensors]
        others = [t for t in self.compiled.program.inputs if t not in tensors]
        untyped = [t for t in tensors if t.static_dtype is None]
        forms = [(getattr(known[t], "shape", None), known[t].dtype) for t in others]
        return (*shapes, *forms, *[known[t].dtype for t in untyped])

    def _execute(
        self, session: Session, ready: list[Bound], bound: Bound, inputs: list[Any],
        started: Any = None, changes: Any = None,
    ) -> Any:  # fmt: skip
        """Take the steps, and keep what they change in the end, at once."""
        try:
            bound.run(inputs)
            result = self.unpack(bound.outcome())
            new = bound.changes()
            if not bound.fits:
                self._check_shapes(session, zip(bound.targets, new, strict=True))
        except StepError as error:
            bound.forget()
            cause = error.__cause__
            op, values = error.node.op, error.values
            raise messages.kernel_failed(op, values, cause) from cause  # type: ignore[arg-type]
        except Exception:
            bound.forget()
            raise
        first = started or changes or session.number not in self._marked
        if bound.light and not first:
            session.state.update(zip(bound.targets, new, strict=False))
            bound.forget()
        else:
            pairs = [*zip(bound.targets, new, strict=True)]
            read = [inputs[n] for n in bound.finals.places]
            bound.forget()
            inputs.clear()
            with session.lock if started else nullcontext():
                self._keep(session, bound, pairs, read, started or {}, changes or {})
        ready.append(bound)  # not if it failed: something may still write to its arrays
        return result

    def _keep(
        self, session: Session, bound: Bound, pairs: list[Any], read: list[Any],
        started: Any, changes: Any,
    ) -> None:  # fmt: skip
        """Keep new values, also in the arrays that there are; reuse the old ones."""
        old = [session.state.get(v) for v in bound.recycled.variables]
        new = changed(session, self.plan, started, changes | dict(pairs))
        self._marked.add(session.number)
        if bound.finals.calls:
            with session.commit:
                bound.finals.make(session.state, new, read)
        else:
            session.state.update(new)
        pairs.clear()
        new.clear()
        bound.recycled.take(old)

    def _check_shapes(self, session: Session, pairs: Iterable[tuple[Any, Any]]) -> None:
        for variable, value in pairs:
            if not fits(variable.static_shape, value.shape):
                source = self.plan.writes[variable]
                messages.check_reshaping(session, self.plan, variable, source, value)
                session.state["reshaped"] = True  # shapes have to be looked at now


def _is_steady(variable: Tensor) -> bool:
    """Whether its values have one shape, unless it is given another one on purpose."""
    dims = variable.static_shape
    return dims is not None and None not in dims


def _reader(reads: Sequence[Tensor]) -> Callable[[Any], Sequence[Any]]:
    """What gives the variables' values, all of one moment."""
    if not reads:
        return lambda state: ()
    get = operator.itemgetter(*reads)
    return get if len(reads) > 1 else lambda state: (get(state),)
