"""similarflow beside NumPy by hand, TensorFlow 1 sessions, PyTorch and JAX.

    python benchmarks/peers.py [--workloads NAMES] [--peers NAMES] [--rounds N]
        [--threads N] [--python PEER=PATH ...] [--json FILE]

Each peer works in a process of its own; they take turns, block by block, in one run.
"""

from __future__ import annotations

import argparse
import json
import math
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from importlib.util import find_spec
from typing import Any

import alone
import machine
import processes
import tables
from processes import Worker
from workloads.data import SIZES, SPECS
from workloads.registry import MODULES, known

LIBRARIES = {"tf": "tensorflow", "tensorflow": "tensorflow", "torch": "torch"}
LIBRARIES |= {"jax": "jax"}
TOLERANCE = 5e-3
"""Losses after the same steps differ by no more, relatively.

PyTorch's Adam adds its epsilon elsewhere, which shows in the third digit.
"""
CLEAN = 3
"""If so many blocks were not disturbed, the others are left out.

If not, the half is used in which others took least.
"""


class Run:
    """One interleaved measurement of all peers."""

    def __init__(self, given: argparse.Namespace, pythons: dict[str, str]) -> None:
        self.rounds, self.block = given.rounds, given.block
        self.environment = machine.environment(given.threads)
        self.pythons, self.threads = pythons, given.threads
        self.workers: dict[str, Worker] = {}
        self.versions: dict[str, str] = {}
        self.results: dict[str, Any] = {}
        self.notes: list[str] = []

    def start(self) -> None:
        """Start a worker for each peer; who cannot work is told and left out."""
        for peer, python in self.pythons.items():
            worker = Worker(peer, python, self.environment)
            answer = worker.ask("version")
            if "error" in answer:
                self.note(f"{peer} is left out: {answer['error']}")
                worker.close()
                continue
            self.workers[peer], self.versions[peer] = worker, answer["version"]

    def note(self, text: str) -> None:
        """Print and keep what one must know of the results."""
        print(f"! {text}", flush=True)
        self.notes.append(text)

    def taking_part(self, workload: str) -> dict[str, Worker]:
        """The workers that know a workload."""
        return {p: w for p, w in self.workers.items() if known(workload, p)}

    def turns(
        self, workers: dict[str, Worker], rounds: int, block: Callable[[Worker], Any]
    ) -> dict[str, list[tuple[Any, float]]]:
        """What each block gave, and the share of the machine that others took."""
        found: dict[str, list[tuple[Any, float]]] = {peer: [] for peer in workers}
        for _ in range(rounds):
            for peer, worker in list(workers.items()):
                with machine.watched() as seen:
                    answer = block(worker)
                    seen.own = answer.get("processor", 0.0)
                if "error" in answer:
                    self.note(f"{peer}: {answer['error']}")
                    del workers[peer]
                else:
                    found[peer].append((answer, seen.others))
        return {peer: blocks for peer, blocks in found.items() if blocks}

    def keep(self, name: str, found: dict[str, Any], agree: list[str]) -> None:
        """Note the medians of a workload and print them."""
        self.results[name] = entry = {"agree": agree, "load": machine.load()}
        entry["peers"] = {p: _summary(blocks) for p, blocks in found.items()}
        blocks = [others for answers in found.values() for _, others in answers]
        entry["others"] = statistics.median(blocks) if blocks else 0.0
        print(tables.workload(name, entry), flush=True)

    def steps(self, workload: str) -> None:
        """Measure the steps of a workload."""
        workers, values, counts = self.taking_part(workload), {}, {}
        for peer, worker in list(workers.items()):
            answer = worker.ask("prepare", workload=workload)
            few = 1
            for share in (5, 1):  # roughly, then better
                if "error" not in answer:
                    values.setdefault(peer, answer.get("values"))
                    answer = worker.ask("measure", steps=few)
                    few = max(1, int(self.block / share / answer.get("seconds", 1)))
            if "error" in answer:
                self.note(f"{peer} does not do {workload}: {answer['error']}")
                del workers[peer]
                values.pop(peer, None)
            counts[peer] = few

        def block(worker: Worker) -> Any:
            return worker.ask("measure", steps=counts[worker.peer])

        blocks = self.turns(workers, self.rounds, block)
        found = {
            peer: [(answer["seconds"], others) for answer, others in answers]
            for peer, answers in blocks.items()
        }
        self.keep(workload, found, self.compared(workload, values))
        for worker in workers.values():
            worker.ask("forget")

    def compared(self, workload: str, values: dict[str, list[float]]) -> list[str]:
        """The peers whose numbers are those of the first peer."""
        if not values:
            return []
        first, *_ = values
        agree = [p for p, v in values.items() if _close(v, values[first])]
        for peer in values.keys() - agree:
            ends = f"{values[peer][-1]:.6g}, not {values[first][-1]:.6g}"
            self.note(f"{peer} DISAGREES with {first} in {workload}: {ends}")
        return agree

    def phases(self, workload: str) -> None:
        """Measure a chain: to build it, to run it first, to run it."""
        count = int(workload.partition(":")[2])
        rounds = min(self.rounds, 5 if count < 10_000 else 2)
        answers = self.turns(
            self.taking_part(workload),
            rounds,
            lambda worker: worker.ask("phases", workload=workload),
        )
        names = dict.fromkeys(
            name for blocks in answers.values() for name in blocks[0][0]["phases"]
        )
        for name in names:
            found = {
                peer: [(answer["phases"][name], others) for answer, others in blocks]
                for peer, blocks in answers.items()
                if name in blocks[0][0]["phases"]
            }
            self.keep(f"{workload} {name}, per operation", found, [])

    def start_to_step(self) -> None:
        """Measure whole processes that make one step of linear regression."""
        peers = [p for p in self.workers if not p.endswith(("_callable", "_threads"))]
        found: dict[str, list[tuple[float, float]]] = {p: [] for p in peers}
        for turn in range(min(self.rounds, 7) + 1):
            for peer in peers:
                start = time.perf_counter()
                processes.first_step(peer, self.pythons[peer], self.environment)
                if turn:  # the first one writes compiled files
                    found[peer].append((time.perf_counter() - start, 0.0))
        self.keep("start", found, [])

    def measure(self, workload: str) -> None:
        """Measure one workload."""
        if workload == "alone":
            python = self.pythons["similarflow"]
            found = alone.measure(python, self.environment, self.rounds)
            self.results["alone"] = found
            print(tables.alone(found), flush=True)
        elif workload == "start":
            self.start_to_step()
        elif workload.startswith("chain"):
            self.phases(workload)
        else:
            self.steps(workload)


def _summary(blocks: list[tuple[float, float]]) -> dict[str, Any]:
    """The median of the blocks that were not disturbed, or least."""
    clean = [s for s, others in blocks if others <= machine.MUCH]
    least = sorted(blocks, key=lambda block: block[1])[: (len(blocks) + 1) // 2]
    used = clean if len(clean) >= CLEAN else [s for s, _ in least]
    return {
        "median": statistics.median(used),
        "least": min(used),
        "most": max(used),
        "blocks": len(blocks),
        "disturbed": len(blocks) - len(clean),
    }


def _close(values: list[float], others: list[float]) -> bool:
    return len(values) == len(others) and all(
        math.isclose(a, b, rel_tol=TOLERANCE, abs_tol=1e-5)
        for a, b in zip(values, others, strict=True)
    )


def workloads(names: str | None) -> list[str]:
    """The workloads that are meant; a name without a size means all of its sizes."""
    known_names = [*SPECS, "start", "alone"]
    found = []
    for name in names.split(",") if names else known_names:
        if name.partition(":")[0] not in known_names:
            sys.exit(f"{name!r} is no workload; there are {', '.join(known_names)}")
        sizes = () if ":" in name else SIZES.get(name, ())
        found += [f"{name}:{size}" for size in sizes] or [name]
    return found


def interpreters(given: argparse.Namespace) -> dict[str, str]:
    """The interpreter of each peer that is asked for, or that is there."""
    paths = {}
    for pair in given.python:
        library, _, path = pair.partition("=")
        if library not in (*LIBRARIES, "similarflow") or not path:
            sys.exit(f"--python is {'|'.join(LIBRARIES)}=PATH, not {pair!r}")
        paths[LIBRARIES.get(library, library)] = path
    found = {}
    for peer in given.peers.split(",") if given.peers else MODULES:
        if peer not in MODULES:
            sys.exit(f"{peer!r} is no peer; there are {', '.join(MODULES)}")
        library = peer.partition("_")[0]
        if library == "numpy":
            library = "similarflow"  # the same NumPy for both
        here = library == "similarflow" or find_spec(library) is not None
        if library in paths or here:
            found[peer] = paths.get(library, sys.executable)
        elif given.peers:
            sys.exit(f"{peer} is not installed here: give --python {library}=PATH")
    python = paths.get("similarflow", sys.executable)
    return {"numpy": python, "similarflow": python, **found}


def arguments() -> argparse.Namespace:
    """What is asked on the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--workloads", help="name or name:size, with commas between")
    parser.add_argument("--peers", help="with commas between; all that are installed")
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--threads", type=int, default=1, help="for each side")
    parser.add_argument("--block", type=float, default=0.1, help="seconds")
    parser.add_argument("--python", action="append", default=[], metavar="PEER=PATH")
    parser.add_argument("--json", metavar="FILE")
    return parser.parse_args()


def main() -> None:
    """Measure what is asked for and print tables."""
    given = arguments()
    names, run = workloads(given.workloads), Run(given, interpreters(given))
    if given.threads == 1:
        run.pythons.pop("numpy_threads", None)
    run.start()
    print(", ".join(dict.fromkeys(run.versions.values())))
    print(f"Each side has {tables.plural(given.threads, 'thread')}:")
    print("  " + " ".join(f"{name}={given.threads}" for name in machine.THREADS))
    try:
        for name in names:
            run.measure(name)
    finally:
        for worker in run.workers.values():
            worker.close()
    print(tables.ratios(run.results))
    disturbed = tables.disturbed(run.results)
    if disturbed:
        run.notes.append(disturbed)
    for text in run.notes:
        print(f"! {text}")
    if given.json:
        found = {"versions": run.versions, "threads": given.threads}
        found |= {"notes": run.notes, "results": run.results}
        with open(given.json, "w", encoding="utf-8") as file:
            json.dump(found, file, indent=1)


if __name__ == "__main__":
    try:
        main()
    except (KeyboardInterrupt, subprocess.CalledProcessError) as error:
        sys.exit(f"{type(error).__name__}: {error}")
