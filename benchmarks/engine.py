"""What the engine costs: import, building, running, gradients, a training step.

    OPENBLAS_NUM_THREADS=1 python benchmarks/engine.py [--runs N] [--json FILE]

Every figure is a median; the sides of a comparison take turns, so that a machine that
slows down slows both. One thread for BLAS is the fair setting for these sizes.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np

import similarflow as sf


def medians(
    sides: dict[str, Callable[[], Any]], runs: int, calls: int = 1
) -> dict[str, float]:
    """Seconds per call of each side, the sides taking turns."""
    times: dict[str, list[float]] = {name: [] for name in sides}
    for _ in range(runs):
        for name, call in sides.items():
            start = time.perf_counter()
            for _ in range(calls):
                call()
            times[name].append((time.perf_counter() - start) / calls)
    return {name: statistics.median(values) for name, values in times.items()}


def import_time(runs: int) -> dict[str, float]:
    """Milliseconds of whole processes that import NumPy, or similarflow."""
    environment = dict(os.environ)
    environment.pop("PYTHONDONTWRITEBYTECODE", None)  # compiled files, as users have

    def process(module: str) -> Callable[[], Any]:
        command = [sys.executable, "-c", f"import {module}"]
        return lambda: subprocess.run(command, check=True, env=environment)

    sides = {module: process(module) for module in ("numpy", "similarflow")}
    medians(sides, 1)  # writes the compiled files
    found = medians(sides, runs)
    return {f"import {name}": seconds * 1e3 for name, seconds in found.items()}


def chain(count: int, runs: int) -> dict[str, float]:
    """Microseconds for each operation of a chain: build, run, gradient."""
    with sf.Graph().as_default():
        start = time.perf_counter()
        x = sf.placeholder(sf.float32, [10])
        y: Any = x
        for _ in range(count // 2):
            y = (y + np.float32(0.001)) * np.float32(1.0001)
        built = time.perf_counter()
        grad = sf.gradients(y, x)[0]
        differentiated = time.perf_counter()
        session, feed = sf.Session(), {x: np.ones(10, np.float32)}
        sides = {
            "run": lambda: session.run(y, feed),
            "run gradient": lambda: session.run(grad, feed),
        }
        for side in sides.values():
            side()
        found = medians(sides, runs)
    found |= {"build": built - start, "build gradient": differentiated - built}
    return {
        f"{name}, {count:,} operations": s / count * 1e6 for name, s in found.items()
    }


def doublings() -> dict[str, float]:
    """Milliseconds to build, differentiate and run 40 times ``y = y + y``."""
    with sf.Graph().as_default():
        start = time.perf_counter()
        x = sf.placeholder(sf.float64, [])
        y: Any = x
        for _ in range(40):
            y = y + y
        value = sf.Session().run(sf.gradients(y, x)[0], {x: 1.0})
        if value != 2.0**40:
            raise AssertionError(value)
        return {"40 doublings with gradient": (time.perf_counter() - start) * 1e3}


def regression_step(runs: int) -> dict[str, float]:
    """Microseconds for one step of linear regression on 100 samples."""
    rng = np.random.default_rng(0)
    xs = np.linspace(-1, 1, 100, dtype=np.float32).reshape(-1, 1)
    ys = (3 * xs + 0.5 * rng.standard_normal((100, 1))).astype(np.float32)
    with sf.Graph().as_default():
        x, y = (
            sf.placeholder(sf.float32, [None, 1]),
            sf.placeholder(sf.float32, [None, 1]),
        )
        w, b = sf.Variable([[1.0]]), sf.Variable(0.0)
        loss = sf.reduce_sum(sf.square(sf.matmul(x, w) + b - y))
        train = sf.train.GradientDescentOptimizer(0.005).minimize(loss)
        session, feed = sf.Session(), {x: xs, y: ys}
        state = {"w": np.ones((1, 1), np.float32), "b": np.float32(0.0)}
        rate = np.float32(0.005)

        def by_hand() -> None:
            error = xs @ state["w"] + state["b"] - ys
            slope = 2.0 * error
            state["w"], state["b"] = (
                state["w"] - rate * (xs.T @ slope),
                state["b"] - rate * slope.sum(dtype=np.float32),
            )

        found = medians(
            {
                "hand-written NumPy": by_hand,
                "similarflow": lambda: session.run(train, feed),
            },
            runs,
            calls=200,
        )
        if not np.allclose(state["w"], session.run(w), rtol=1e-4):
            raise AssertionError("the two sides disagree")
    return {f"regression step, {name}": s * 1e6 for name, s in found.items()}


def main() -> None:
    """Measure everything and print a table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=9)
    parser.add_argument("--json", metavar="FILE")
    given = parser.parse_args()
    rows: list[tuple[str, float, str]] = []
    rows += [(k, v, "ms") for k, v in import_time(given.runs).items()]
    for count in (1_000, 10_000, 100_000):
        rows += [(k, v, "us each") for k, v in chain(count, 3).items()]
    rows += [(k, v, "ms") for k, v in doublings().items()]
    rows += [(k, v, "us") for k, v in regression_step(given.runs).items()]
    threads = os.environ.get("OPENBLAS_NUM_THREADS", "as it comes")
    python = sys.version.split()[0]
    print(f"NumPy {np.__version__}, Python {python}, BLAS threads: {threads}")
    for name, value, unit in rows:
        print(f"{name:<42} {value:10.2f} {unit}")
    values = {name: value for name, value, _ in rows}
    extra = values["import similarflow"] - values["import numpy"]
    ratio = (
        values["regression step, similarflow"]
        / values["regression step, hand-written NumPy"]
    )
    print(f"{'import beyond NumPy':<42} {extra:10.2f} ms")
    print(f"{'regression step, over NumPy':<42} {ratio:10.2f} times")
    if given.json:
        with open(given.json, "w", encoding="utf-8") as file:
            json.dump(values, file, indent=1)


if __name__ == "__main__":
    main()
