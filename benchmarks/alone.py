"""similarflow alone: when a plan pays, new batch sizes, memory, cost beyond kernels.

`peers.py` starts this file as a process of its own for the workload "alone".
"""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

import machine
import numpy as np
import processes
from workloads.data import MLP, spec

NAMES = ("regression", "xor", f"mlp_sgd:{MLP}", f"mlp_adam:{MLP}", "lstm", "skipgram")
SIZES = 16
"""So many batch sizes are fed, one after the other: more than a session keeps."""
BLOCK = 0.1
"""Seconds in which steps are repeated."""


def measure(python: str, environment: dict[str, str], rounds: int) -> Any:
    """Everything about similarflow alone."""
    found = subprocess.run(
        [python, __file__, str(min(rounds, 5))],
        env=environment, check=True, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    result = json.loads(found.stdout)
    result["memory"] = {}
    for name in (*NAMES, "elementwise_gradient:4194304"):
        ours, by_hand = (
            processes.memory(peer, name, python, environment)
            for peer in ("similarflow", "numpy")
        )
        result["memory"][name] = {k: (ours[k], by_hand[k]) for k in ours}
    return result


def timed(call: Callable[[], Any]) -> float:
    """Seconds of one call."""
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def steady(call: Callable[[], Any]) -> float:
    """Seconds of a call that has been made before."""
    few = max(3, min(2000, int(BLOCK / timed(call))))
    return statistics.median(timed(call) for _ in range(few))


def many(call: Callable[[], Any], calls: int = 1000) -> float:
    """Seconds of a call that is too short to be timed alone."""

    def block() -> None:
        for _ in range(calls):
            call()

    return steady(block) / calls


class Alone:
    """Measures in this process; what it needs of the library is loaded here."""

    def __init__(self, sessions: Any, rounds: int) -> None:
        self.sessions, self.rounds = sessions, rounds
        self.sf = sessions.load("similarflow")
        for engine in ("compiled", "simple"):
            self.made("xor", engine=engine).step()  # loads what is lazy

    def made(self, workload: str, **options: Any) -> Any:
        """A workload in a new graph and a new session."""
        name = workload.partition(":")[0]
        return self.sessions.made(self.sf, name, spec(workload), **options)

    def pays(self, workload: str) -> dict[str, Any]:
        """The first run and the later ones, on both engines in turns."""
        found: dict[str, list[float]] = {}
        for _ in range(self.rounds):
            for engine, prefix in (("compiled", ""), ("simple", "simple ")):
                step = self.made(workload, engine=engine).step
                found.setdefault(f"{prefix}first", []).append(timed(step))
                found.setdefault(f"{prefix}run", []).append(steady(step))
        row: dict[str, Any] = {k: statistics.median(v) for k, v in found.items()}
        saved = row["simple run"] - row["run"]
        extra = row["first"] - row["simple first"]
        # n runs cost first + (n - 1) * run on either side
        row["pays"] = 1 + max(0, int(-(-extra // saved))) if saved > 0 else None
        return row

    def sizes(self, workload: str) -> dict[str, float]:
        """Runs with batch sizes that were not there before, and once more."""
        sf, s = self.sf, spec(workload)
        sf.reset_default_graph()
        model = getattr(self.sessions.Programs(sf), workload.partition(":")[0])(s)
        session = self.sessions.open_session(sf)

        def run(size: int) -> Callable[[], Any]:
            parts = [a[:size] for a in model.batches[0]]
            feeds = dict(zip(model.feeds, parts, strict=True))
            return lambda: session.run(model.fetches, feeds)

        run(len(s.x))()
        first, later = [], []
        for size in range(len(s.x) - 1, len(s.x) - 1 - SIZES, -1):
            first.append(timed(run(size)))
            later.append(steady(run(size)))
        few = SIZES // 4
        return {
            "first": statistics.median(first[:few]),
            "run": statistics.median(later[:few]),
            "late run": statistics.median(later[-few:]),
        }

    def least(self) -> dict[str, float]:
        """A run of one addition, in all three ways."""
        sf, one = self.sf, np.ones(1, np.float32)
        sf.reset_default_graph()
        x = sf.placeholder(sf.float32, [1])
        y, feeds, out = x + x, {x: one}, np.empty_like(one)
        session = sf.Session()
        call = session.make_callable(y, [x])
        return {
            "run": many(lambda: session.run(y, feeds)),
            "callable": many(lambda: call(one)),
            "numpy": many(lambda: np.add(one, one, out=out)),
        }

    def beyond(self, workload: str) -> dict[str, Any]:
        """What runs cost beside their steps."""
        sf = self.sf
        sf.reset_default_graph()
        model = getattr(self.sessions.Programs(sf), workload.partition(":")[0])(
            spec(workload)
        )
        session = self.sessions.open_session(sf)
        feeds = dict(zip(model.feeds, model.batches[0], strict=True))
        each = steady(lambda: session.run(model.fetches, feeds))
        runs = max(3, min(500, int(3 * BLOCK / each)))
        found = sf.profile(session, model.fetches, feeds, runs=runs)
        rest = sum(row.nanoseconds for row in found.rows if row.name == "(rest)")
        return {
            "beyond": rest / runs / 1e9,
            "run": found.nanoseconds / runs / 1e9,
            "unprofiled run": each,
            "steps": len(found.rows) - 1,
        }


def main() -> None:
    """Print what this process measures, as JSON."""
    machine.keep_to_cores()
    from workloads import sessions  # noqa: PLC0415  (only here, not in the driver)

    work = Alone(sessions, int(sys.argv[1]))
    sizes = ("regression", "xor", f"mlp_sgd:{MLP}", f"mlp_adam:{MLP}")
    result = {
        "least": work.least(),
        "pays": {name: work.pays(name) for name in NAMES},
        "sizes": {name: work.sizes(name) for name in sizes},
        "beyond": {name: work.beyond(name) for name in NAMES},
    }
    print(json.dumps(result))


if __name__ == "__main__":
    main()
