"""One peer in one process; `peers.py` and `alone.py` start it and ask.

worker.py PEER                    answers lines of JSON until its input ends
worker.py --first PEER            makes one step of linear regression, and ends
worker.py --memory PEER WORKLOAD  prints the memory that some steps take
"""

from __future__ import annotations

import json
import os
import sys
import time
import tracemalloc
from typing import Any, TextIO

import numpy as np
from machine import keep_to_cores
from workloads import Made
from workloads.data import spec
from workloads.registry import load, version


def make(peer: str, workload: str) -> Any:
    """The workload as the peer does it."""
    name = workload.partition(":")[0]
    return load(peer).workload(name, peer)(spec(workload))


def numbers(values: Any) -> list[float]:
    """What was computed, as a flat list."""
    parts = values if isinstance(values, list | tuple) else [values]
    return np.concatenate([np.ravel(part) for part in parts]).tolist()


class Server:
    """Answers requests about the workload that is loaded."""

    def __init__(self, peer: str) -> None:
        self.peer = peer
        self.made: Made | None = None

    def version(self) -> Any:
        """What is measured."""
        return {"version": version(self.peer)}

    def prepare(self, workload: str) -> Any:
        """Make a workload, and give the numbers that peers are compared by."""
        self.made = None  # its memory is free before the next takes some
        made = make(self.peer, workload)
        found = numbers(made.values())
        steps = spec(workload).steps
        for _ in range(steps):
            made.step()
        if steps:
            found += numbers(made.values())
        made.step()
        made.sync()
        self.made = made
        return {"values": found}

    def measure(self, steps: int) -> Any:
        """Seconds that each of some steps takes, by the clock and of the processor."""
        if self.made is None:
            raise RuntimeError("prepare a workload first")
        step, sync = self.made.step, self.made.sync
        sync()
        processor, start = time.process_time(), time.perf_counter()
        for _ in range(steps):
            step()
        sync()
        end, processor = time.perf_counter(), time.process_time() - processor
        return {"seconds": (end - start) / steps, "processor": processor}

    def phases(self, workload: str) -> Any:
        """Seconds of the phases of a workload that measures itself."""
        processor = time.process_time()
        found = make(self.peer, workload)
        return {"phases": found, "processor": time.process_time() - processor}

    def forget(self) -> Any:
        """Free what the workload has."""
        self.made = None
        return {}


def serve(peer: str, answers: TextIO) -> None:
    """Answer requests until there are no more."""
    server = Server(peer)
    for line in sys.stdin:
        request = json.loads(line)
        try:
            answer = getattr(server, request.pop("ask"))(**request)
        except Exception as error:
            answer = {"error": f"{type(error).__name__}: {str(error)[:300]}"}
        answers.write(json.dumps(answer) + "\n")
        answers.flush()


def resident(again: bool = False) -> float:
    """The most memory that this process has had, in MB; 0 where it is hidden.

    With `again` the most is from now on.
    """
    try:
        if again:
            with open("/proc/self/clear_refs", "w", encoding="ascii") as file:
                file.write("5")
        with open("/proc/self/status", encoding="ascii") as file:
            found = [line.split()[1] for line in file if line.startswith("VmHWM")]
    except OSError:
        return 0.0
    return int(found[0]) / 1024 if found else 0.0


def memory(peer: str, workload: str, steps: int = 20) -> dict[str, float]:
    """Memory beyond the library, the inputs and the first weights, in MB."""
    name, arrays = workload.partition(":")[0], spec(workload)
    function = load(peer).workload(name, peer)
    before = resident(again=True)
    made = function(arrays)
    for _ in range(steps):
        made.step()
    after = resident()
    del made
    tracemalloc.start()
    made = function(arrays)
    for _ in range(steps):
        made.step()
    return {
        "resident": after - before,
        "allocated": tracemalloc.get_traced_memory()[1] / 1e6,
    }


def main() -> None:
    """Do what the arguments say."""
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what a library prints is no answer
    keep_to_cores()
    match sys.argv[1:]:
        case ["--first", peer]:
            made = make(peer, "regression")
            made.step()
            made.sync()
        case ["--memory", peer, workload]:
            answers.write(json.dumps(memory(peer, workload)) + "\n")
        case [peer]:
            serve(peer, answers)
        case _:
            sys.exit(__doc__)
    answers.close()


if __name__ == "__main__":
    main()
