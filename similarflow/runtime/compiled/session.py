"""The session that users get: of the compiled engine, or of the simple one."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import Any

from ...core.graph import Graph, Tensor
from .. import methods, session  # noqa: F401  (methods add to Session)
from ..feeds import check_feeds
from ..fetches import parse_fetches
from ..plan import Plan
from .call import Call
from .engine import Compiled, compiled
from .regions import THREADS

ENGINES = ("compiled", "simple")


def _is_key(fetches: Any) -> bool:
    """Whether fetches equal only what they are: a namedtuple equals a tuple."""
    if isinstance(fetches, dict):
        return False
    if not isinstance(fetches, list | tuple):
        return True
    plain = type(fetches) in (list, tuple)
    return plain and not any(isinstance(x, tuple) for x in fetches)


def _key(fetches: Any, fed: Iterable[Any]) -> tuple[Any, ...]:
    """Tells what is run, as it was written."""
    kind = type(fetches)
    if kind is list or kind is tuple:
        return (kind, *fetches, None, *fed)
    return (fetches, *fed)


class Session(session.Session):
    """Runs operations and keeps the values of variables between runs.

    Until a variable is initialised explicitly, variables start by themselves.

    Parameters
    ----------
    target : str
        Accepted as in TensorFlow; everything runs in this process.
    graph : Graph, optional
        The default graph, if none is given.
    config : ConfigProto, optional
        With ``intra_op_parallelism_threads=1`` large arrays are not shared between two
        threads; all else is accepted as in TensorFlow.
    engine : str
        "compiled", or "simple": the engine that defines what a run computes.
    """

    def __init__(
        self, target: str = "", graph: Graph | None = None, config: Any = None,
        engine: str = "compiled",
    ) -> None:  # fmt: skip
        known = ", ".join(map(repr, ENGINES))
        if engine not in ENGINES:
            raise ValueError(f"engine {engine!r} is unknown; there are {known}")
        super().__init__(target, graph, config)
        self.engine = engine
        self.commit = threading.RLock()  # held while variables' arrays are written to
        self._calls: dict[Any, Call] = {}
        self._programs: dict[Any, Compiled] = {}

    def run(  # noqa: D102  (documented below)
        self, fetches: Any, feed_dict: Any = None, options: Any = None,
        run_metadata: Any = None,
    ) -> Any:  # fmt: skip
        if self.engine == "simple":
            return super().run(fetches, feed_dict, options, run_metadata)
        call = None
        if feed_dict is None or isinstance(feed_dict, dict):
            with suppress(TypeError):  # it may have parts that are no key
                call = self._calls.get(_key(fetches, feed_dict or ()))
        if call is None:
            return self._run_new(fetches, feed_dict)
        return call.run(self, feed_dict.values() if feed_dict else ())

    run.__doc__ = session.Session.run.__doc__

    def _run_new(self, fetches: Any, feed_dict: Any) -> Any:
        """A run of what has not been run in this form, or cannot be."""
        found: list[Any] = []
        unpack = parse_fetches(fetches, self.graph, found)
        feeds = check_feeds(feed_dict, self.graph)
        call = self.call_of(found, unpack, [*feeds])
        if _is_key(fetches) and len(feeds) == len(feed_dict or ()):
            with suppress(TypeError):
                self._calls[_key(fetches, feed_dict or ())] = call
        return call.check_and_run(self, [*feeds.values()])

    def gather(self, plan: Plan, feeds: Any, started: Any) -> dict[Any, Any]:
        """What a run starts with, of one moment."""
        with self.commit:
            return super().gather(plan, feeds, started)

    def call(self, fetches: Any, fed: Iterable[Tensor]) -> Call:
        """What runs `fetches` with values for the tensors `fed`."""
        found: list[Any] = []
        unpack = parse_fetches(fetches, self.graph, found)
        return self.call_of(found, unpack, [*fed])

    def call_of(self, found: list[Any], unpack: Any, fed: list[Tensor]) -> Call:
        """As `call`, for fetches that are parsed already."""
        key = (*found, None, *fed)
        plan = self.plan(found, dict.fromkeys(fed))
        program = self._programs.get(key)
        if program is None:
            if len(self._programs) >= session.PLANS:
                self._programs.clear()
                self._calls.clear()
            asked = getattr(self.config, "intra_op_parallelism_threads", 0) or THREADS
            threads = min(asked, THREADS)
            program = self._programs[key] = compiled(plan, fed, found, threads)
        return Call(plan, fed, unpack, program)

    def make_callable(  # noqa: D102  (documented below)
        self, fetches: Any, feed_list: Any = None, accept_options: bool = False
    ) -> Callable[..., Any]:
        if self.engine == "simple":
            return super().make_callable(fetches, feed_list, accept_options)
        keys = [self.graph.as_graph_element(k) for k in feed_list or ()]
        fed = [k.as_tensor() for k in keys]
        if len({*fed}) < len(fed) or any(hasattr(k, "components") for k in keys):
            return super().make_callable(fetches, feed_list, accept_options)
        call = self.call(fetches, fed)

        def run(*values: Any, options: Any = None, run_metadata: Any = None) -> Any:
            if len(values) != len(keys):
                raise ValueError(
                    f"{len(keys)} values are needed, {len(values)} were given"
                )
            return call.run(self, values)

        return run

    make_callable.__doc__ = session.Session.make_callable.__doc__
