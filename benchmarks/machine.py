"""The machine: how many threads each side gets, and who else is using it."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from types import SimpleNamespace
from typing import Any

THREADS = (
    "OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS",
)  # fmt: skip
"""What libraries read; all are set to the same number."""
MUCH = 0.1
"""A block is disturbed if others took more than this share of the machine."""


def environment(threads: int) -> dict[str, str]:
    """The environment of every process that is measured."""
    found = {**os.environ, **dict.fromkeys(THREADS, str(threads))}
    found |= {"TF_CPP_MIN_LOG_LEVEL": "3", "TF_USE_LEGACY_KERAS": "1"}
    found |= {"CUDA_VISIBLE_DEVICES": "", "JAX_PLATFORMS": "cpu"}
    found["BENCHMARK_CORES"] = quiet_cores(threads)
    found.pop("PYTHONDONTWRITEBYTECODE", None)  # compiled files, as users have
    return found


def quiet_cores(threads: int, seconds: float = 0.5) -> str:
    """The numbers of the cores that others use least, with commas between."""
    if not hasattr(os, "sched_getaffinity"):
        return ""
    before = _idle()
    time.sleep(seconds)
    after = _idle()
    rest = {c: after.get(c, 0) - before.get(c, 0) for c in os.sched_getaffinity(0)}
    cores = sorted(rest, key=lambda c: (-rest[c], -c))[:threads]
    return ",".join(map(str, cores))


def _idle() -> dict[int, int]:
    """How many ticks each core has had nothing to do."""
    found = {}
    with suppress(OSError), open("/proc/stat", encoding="ascii") as file:
        for line in file:
            name, *ticks = line.split()
            if name.startswith("cpu") and name != "cpu":
                found[int(name[3:])] = int(ticks[3]) + int(ticks[4])
    return found


def keep_to_cores() -> None:
    """Use as many cores as there are threads, since not all libraries can be told."""
    cores = os.environ.get("BENCHMARK_CORES")
    if cores and hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, map(int, cores.split(",")))


def load() -> float:
    """How many processes wanted to run in the last minute; nan where it is hidden."""
    return os.getloadavg()[0] if hasattr(os, "getloadavg") else float("nan")


def busy() -> float | None:
    """Seconds that all processors together have worked; None where it is hidden."""
    try:
        with open("/proc/stat", encoding="ascii") as file:
            ticks = [int(k) for k in file.readline().split()[1:9]]
    except OSError:
        return None
    return (sum(ticks) - ticks[3] - ticks[4]) / os.sysconf("SC_CLK_TCK")


@contextmanager
def watched() -> Iterator[Any]:
    """Yield what gets `others`, the share of the machine that other processes took.

    The block adds the processor time that is its own to `own`.
    """
    seen = SimpleNamespace(own=0.0, others=0.0)
    before, start, mine = busy(), time.perf_counter(), time.process_time()
    yield seen
    after, length = busy(), time.perf_counter() - start
    if before is not None and after is not None and length > 0.02:
        others = after - before - seen.own - (time.process_time() - mine)
        seen.others = max(0.0, others) / length / (os.cpu_count() or 1)
