"""Profiles: where the time of a run goes, operation by operation."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Sequence
from copy import copy
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from time import perf_counter_ns as now
from typing import Any, NamedTuple

from ...core.graph import Operation, Spec
from .. import session as simple
from .binding import Emit
from .bound import Bound
from .engine import Compiled
from .session import Session
from .watch import Watched, bytes_of, members, plural, table, watched

SHOWN = 30
"""So many rows a table has; the rest is added up in one more."""
REST = "(rest)"


class Row(NamedTuple):
    """What an operation, a type of operations or a scope took in all runs."""

    name: str
    type: str
    scope: str  # the operation's name scope; "" is the outermost
    calls: int
    nanoseconds: int
    share: float  # of the whole time
    bytes: int  # of results that it wrote, also between two calls; views are none


@dataclass(frozen=True)
class Profile:
    """Where the time of some runs went; ``str()`` is a table.

    Attributes
    ----------
    engine : str
        The session's engine: "compiled" or "simple".
    runs : int
        How often it was run.
    nanoseconds : int
        What all runs took.
    preparing : int
        The nanoseconds in which the engine got ready for these shapes; they are no part
        of the runs.
    rows : list of Row
        One for each operation, and "(rest)" for what the runs cost beyond their steps:
        looking at feeds, copying results, keeping variables. The longest come first.
        They add up to `nanoseconds`, and their shares to 1.
    """

    engine: str
    runs: int
    nanoseconds: int
    preparing: int
    rows: list[Row]

    @property
    def by_type(self) -> list[Row]:
        """The rows added up for each operation type."""
        return self._grouped(lambda row: row.type, lambda row: (row.type, ""))

    @property
    def by_scope(self) -> list[Row]:
        """The rows added up for each name scope, without the scopes inside."""
        return self._grouped(lambda row: row.scope, lambda row: ("", row.scope))

    def _grouped(
        self, key: Callable[[Row], str], left: Callable[[Row], tuple[str, str]]
    ) -> list[Row]:
        groups: dict[str, list[Row]] = {}
        for row in self.rows:
            groups.setdefault(REST if row.name == REST else key(row), []).append(row)
        rows = []
        for name, group in groups.items():
            kind, scope = ("", "") if name == REST else left(group[0])
            rows.append(_total(name, kind, scope, group))
        return _longest_first(rows)

    def table(self, by: str = "operation") -> str:
        """The rows as a table, by "operation", "type" or "scope".

        Times are milliseconds of all runs. What is shown adds up exactly, digit by
        digit, to what all runs took.
        """
        kinds = {"operation": "rows", "type": "by_type", "scope": "by_scope"}
        if by not in kinds:
            raise ValueError(f"a table is by {', '.join(kinds)}, not {by!r}")
        rows = _shown(getattr(self, kinds[by]), SHOWN)
        times = _rounded([row.nanoseconds for row in rows], 1000)
        shares = _rounded([row.nanoseconds for row in rows], self.nanoseconds / 1000)
        head = [by, "calls", "ms", "share", "bytes written"]
        lines = [head if by != "operation" else [by, "type", *head[1:]]]
        for row, time, share in zip(rows, times, shares, strict=True):
            name = row.name or "(no scope)"
            lines.append([
                *([name] if by != "operation" else [name, row.type]),
                f"{row.calls:,}", f"{time / 1000:,.3f}", f"{share / 10:.1f} %",
                f"{row.bytes:,}",
            ])  # fmt: skip
        columns = len(lines[0])
        first = (
            f"{plural(self.runs, 'run')} on the {self.engine} engine: "
            f"{sum(times) / 1000:,.3f} ms"
        )
        return "\n".join([first, *table(lines, right=range(columns - 4, columns))])

    def __str__(self) -> str:
        return self.table()

    __repr__ = __str__

    def plot(self, file: Any = None) -> Any:
        """Draw the longest operations as bars, by Matplotlib.

        Parameters
        ----------
        file : str, path or file object, optional
            Where to save the picture. Without one the figure is pyplot's current one,
            and ``matplotlib.pyplot.show()`` shows it.

        Returns
        -------
        matplotlib.figure.Figure

        Raises
        ------
        ImportError
            Matplotlib is missing.
        """
        try:
            module = "matplotlib.figure" if file is not None else "matplotlib.pyplot"
            library = import_module(module)
        except ImportError as error:
            raise ImportError(
                "plot() draws by Matplotlib, which is not installed: "
                "python -m pip install 'similarflow[plot]'"
            ) from error
        make = library.Figure if file is not None else library.figure
        figure = _draw(self, make)
        if file is not None:
            figure.savefig(file)
        return figure


def profile(
    session: Any, fetches: Any, feed_dict: Any = None, runs: int = 10
) -> Profile:
    """Run `fetches` some times and measure what each operation takes.

    These are runs as any other: variables are written, random numbers are drawn. A run
    that fails raises what it always raises.

    Parameters
    ----------
    session : Session
        Of any engine. On the compiled one a step is a NumPy call, and an operation may
        have several; on the simple one it is an operation. Loops and branches count as
        one operation with all that they run.
    fetches : tensor, variable, operation, name, or a nest of them
        As for ``session.run``.
    feed_dict : dict, optional
        As for ``session.run``.
    runs : int
        How often to run.

    Returns
    -------
    Profile
        ``print`` it, ``.plot()`` it, or take its ``.rows``.

    Examples
    --------
    >>> import similarflow as sf
    >>> x = sf.Placeholder(sf.float32, [None], name="x")
    >>> y = sf.exp(x * 2.0, name="y")
    >>> found = sf.profile(sf.Session(), y, {x: [1.0, 2.0]}, runs=3)
    >>> sorted((row.name, row.calls, row.bytes) for row in found.rows)
    [('(rest)', 0, 0), ('mul', 3, 24), ('y', 3, 24)]
    >>> sum(row.nanoseconds for row in found.rows) == found.nanoseconds
    True
    """
    if not isinstance(session, simple.Session):
        raise TypeError(
            f"profile(session, fetches, ...) needs a Session first, not {session!r}"
        )
    if isinstance(runs, bool) or operator.index(runs) < 1:
        raise ValueError(f"runs is 1 or more, not {runs!r}")
    record = Record()
    engine = getattr(session, "engine", "simple")
    twin = copy(session)  # with the same variables and the same lock
    vars(twin)["execute"] = partial(_execute, session, record)
    if isinstance(session, Session):
        vars(twin).update(_calls={}, call_of=partial(_call, session, record, {}))
    for _ in range(runs):
        start = now()
        twin.run(fetches, feed_dict)
        record.all += now() - start
    return _profile(record, engine, runs)


Who = tuple[str, str, str]
"""Name, type and scope of a row."""


def _who(ops: Sequence[Operation]) -> Who:
    """Of one operation, or of several that one step does."""
    ops = list(dict.fromkeys(ops))
    name, kind, scope = ops[0].name, ops[0].type, _scope(ops[0])
    if len(ops) == 1:
        return name, kind, scope
    scopes = [_scope(op).split("/") for op in ops]
    shared = [part[0] for part in zip(*scopes, strict=False) if len({*part}) == 1]
    return f"{name} + {len(ops) - 1} more", "(several)", "/".join(shared)


def _scope(op: Operation) -> str:
    return op.name.rpartition("/")[0]


class Record:
    """What is measured, in nanoseconds."""

    def __init__(self) -> None:
        self.of: dict[Who, list[int]] = {}  # calls, time, bytes
        self.all = 0
        self.preparing = 0
        self.measuring = 0

    def add(self, who: Who, time: int, size: int) -> None:
        """Note a call."""
        counts = self.of.setdefault(who, [0, 0, 0])
        counts[0] += 1
        counts[1] += time
        counts[2] += size


class Clock:
    """Gives steps, and notes of each the time until the next one is asked for."""

    def __init__(
        self, steps: Sequence[Any], record: Record,
        what: Callable[[int], tuple[Who, int]],
    ) -> None:  # fmt: skip
        self._steps, self._record, self._what = steps, record, what
        self._count = self._start = 0

    def __iter__(self) -> Iterator[Any]:
        return self

    def __length_hint__(self) -> int:
        return len(self._steps) - self._count  # as engines ask in the case of an error

    def __next__(self) -> Any:
        end = now()
        count, record = self._count, self._record
        if count:
            who, size = self._what(count - 1)
            record.add(who, end - self._start, size)
        if count == len(self._steps):
            record.measuring += now() - end
            raise StopIteration
        step = self._steps[count]
        self._count += 1
        self._start = start = now()
        record.measuring += start - end
        return step


def _execute(
    session: simple.Session, record: Record, steps: Sequence[Any], values: Any,
    *rest: Any,
) -> None:  # fmt: skip
    """As ``session.execute``, with a clock: the simple engine takes the steps."""

    def what(index: int) -> tuple[Who, int]:
        op, sources, targets = steps[index]
        outs = [values.get(t) for t in targets if t is not None]
        return _who([op]), bytes_of(outs, [values.get(t) for t in sources])

    clock: Any = Clock(steps, record, what)
    session.execute(clock, values, *rest)


def _call(
    session: Session, record: Record, known: dict[Compiled, Timed], *parsed: Any
) -> Any:
    """As ``session.call_of``, with a program that is bound with a clock."""
    start = now()
    call = session.call_of(*parsed)
    timed = known.get(call.compiled)
    if timed is None:
        timed = known[call.compiled] = Timed(call.compiled, record)
        record.preparing += now() - start
    call.compiled = timed
    return call


class Timed(Compiled):
    """The same program, with bindings of its own that measure their steps."""

    def __init__(self, compiled: Compiled, record: Record) -> None:
        super().__init__(compiled.program, compiled.threads)
        self.record = record

    def _bind(self, specs: Sequence[Spec]) -> Bound:
        start = now()
        bound = watched(self.program, specs, self.threads)
        bound.steps = Steps(bound, self.record)
        self.record.preparing += now() - start
        return bound


class Steps(list[Any]):
    """The steps of a binding, which are measured when it goes through them."""

    def __init__(self, bound: Watched, record: Record) -> None:
        super().__init__(bound.steps)
        last: dict[int, Emit] = {}
        names: dict[int, Who] = {}
        for emit, start, stop in bound.calls:
            if stop > start:
                last[stop - 1] = emit
            who = _who([e.node.op for e in members(emit)])
            names.update(dict.fromkeys(range(start, stop), who))

        def what(index: int) -> tuple[Who, int]:
            emit = last.get(index)  # none where an array is made to be filled
            return names[index], bound.written(emit) if emit else 0

        self._clock = partial(Clock, bound.steps, record, what)

    def __iter__(self) -> Iterator[Any]:
        return self._clock()


def _profile(record: Record, engine: str, runs: int) -> Profile:
    total = record.all - record.preparing - record.measuring
    rows = []
    for who, (calls, time, size) in record.of.items():
        rows.append(Row(*who, calls, time, time / total, size))
    rest = total - sum(row.nanoseconds for row in rows)
    rows.append(Row(REST, "", "", 0, rest, rest / total, 0))
    return Profile(engine, runs, total, record.preparing, _longest_first(rows))


def _longest_first(rows: list[Row]) -> list[Row]:
    return sorted(rows, key=lambda row: -row.nanoseconds)


def _total(name: str, kind: str, scope: str, rows: Sequence[Row]) -> Row:
    """The sum of rows."""
    return Row(
        name, kind, scope, sum(r.calls for r in rows),
        sum(r.nanoseconds for r in rows), sum(r.share for r in rows),
        sum(r.bytes for r in rows),
    )  # fmt: skip


def _shown(rows: list[Row], most: int) -> list[Row]:
    """The longest rows and the rest, with one row for all others."""
    shown = [r for i, r in enumerate(rows) if i < most or r.name == REST]
    if len(shown) == len(rows):
        return rows
    others = [r for r in rows if r not in shown]
    return [*shown, _total(f"({len(others)} more)", "", "", others)]


def _rounded(values: Sequence[int], unit: float) -> list[int]:
    """How many units each value is, so that they add up to the rounded sum."""
    counts = [int(v / unit) for v in values]
    order = sorted(range(len(values)), key=lambda i: counts[i] - values[i] / unit)
    for i in order[: round(sum(values) / unit) - sum(counts)]:
        counts[i] += 1
    return counts


BARS = 15
"""So many operations a picture shows; the others are one more bar."""


def _draw(found: Profile, make: Callable[..., Any]) -> Any:
    rows = _shown(found.rows, BARS)[::-1]  # the first is the lowest
    figure = make(figsize=(9, 1.2 + 0.32 * len(rows)), layout="constrained")
    axes = figure.subplots()
    times = [row.nanoseconds / 1e6 for row in rows]
    colors = ["tab:blue" if row.type else "tab:gray" for row in rows]
    bars = axes.barh(range(len(rows)), times, color=colors)
    axes.bar_label(bars, [f"{row.share:.1%}" for row in rows], padding=3)
    axes.set_yticks(range(len(rows)), [_label(row) for row in rows])
    axes.margins(x=0.12, y=0.02)
    axes.spines[["top", "right"]].set_visible(False)
    axes.set_xlabel(f"milliseconds in {plural(found.runs, 'run')}")
    total = f"{found.nanoseconds / 1e6:,.3f} ms"
    axes.set_title(f"{total} on the {found.engine} engine", loc="left")
    return figure


def _label(row: Row) -> str:
    """The name, without its middle if it is long, and the type if it tells more."""
    name = row.name if len(row.name) <= 40 else f"{row.name[:18]}...{row.name[-19:]}"
    told = row.type.lower() in row.name.rpartition("/")[2].lower().replace("_", "")
    return name if told or row.type.startswith("(") else f"{name} ({row.type})"
