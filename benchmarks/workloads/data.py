"""Sizes, first weights and inputs of the workloads, all from seeded NumPy.

Every peer starts from exactly these arrays, so what they compute must agree.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from types import SimpleNamespace
from typing import Any

import numpy as np

F = np.float32
Spec = SimpleNamespace


def regression(_: str) -> Spec:
    """One weight and one bias, 100 samples, the sum of squares."""
    rng = np.random.default_rng(1)
    x = np.linspace(-1, 1, 100, dtype=F).reshape(-1, 1)
    y = (3 * x + 0.5 * rng.standard_normal((100, 1))).astype(F)
    first = {"w": np.ones((1, 1), F), "b": np.zeros((), F)}
    return Spec(x=x, y=y, **first, rate=0.005, steps=20)


def xor(_: str) -> Spec:
    """Four clouds of 25 points, two sigmoid units, softmax, log and sum."""
    rng = np.random.default_rng(2)
    centres = np.repeat([[0, 1], [1, 0], [0, 0], [1, 1]], 25, axis=0)
    x = (centres + 0.2 * rng.standard_normal((100, 2))).astype(F)
    y = np.repeat(np.eye(2, dtype=F), 50, axis=0)
    shapes = [(2, 2), (2,), (2, 2), (2,)]
    weights = [rng.standard_normal(shape).astype(F) for shape in shapes]
    return Spec(x=x, y=y, weights=weights, rate=0.03, steps=100)


def _mlp(size: str, adam: bool) -> Spec:
    batch, _, layers = size.partition("x")
    n, sizes = int(batch), [int(k) for k in layers.split("-")]
    if len(sizes) != 4:
        raise ValueError(f"a size is BATCHxIN-HIDDEN-HIDDEN-CLASSES, not {size!r}")
    rng = np.random.default_rng(3)
    weights = []
    for before, after in pairwise(sizes):
        weight = rng.standard_normal((before, after)) * np.sqrt(2 / before)
        weights += [weight.astype(F), np.full(after, 0.01, F)]
    return Spec(
        x=rng.random((n, sizes[0]), dtype=F), y=rng.integers(0, sizes[-1], n),
        weights=weights, adam=adam, rate=1e-3 if adam else 0.01, steps=8,
    )  # fmt: skip


def elementwise(size: str) -> Spec:
    """``tanh(a * b + c) * sigmoid(d) - e`` and its gradient by all five."""
    rng = np.random.default_rng(6)
    inputs = [rng.standard_normal(int(size), dtype=F) for _ in "abcde"]
    return Spec(inputs=inputs, every=max(1, int(size) // 7), steps=0)


def chain(size: str) -> Spec:
    """``y = (y + 0.001) * factor`` again and again, on 10 numbers.

    The factor is no constant, so that neither the chain nor its gradient is one.
    """
    x = np.linspace(0, 1, 10, dtype=F)
    return Spec(x=x, count=int(size), add=F(0.001), factor=F(1.0001))


def lstm(_: str) -> Spec:
    """28 steps of 28 numbers, 128 units, batch 128, the last step is classified."""
    rng = np.random.default_rng(7)
    units, bound = 128, 1 / np.sqrt(128)

    def uniform(*shape: int) -> Any:
        return rng.uniform(-bound, bound, shape).astype(F)

    weights = [
        uniform(28 + units, 4 * units),  # the gates: input, forget, new, output
        np.zeros(4 * units, F),
        uniform(units, 10),
        np.zeros(10, F),
    ]
    return Spec(
        x=rng.random((128, 28, 28), dtype=F), y=rng.integers(0, 10, 128),
        weights=weights, units=units, rate=0.1, steps=6, adam=False,
    )  # fmt: skip


def skipgram(_: str) -> Spec:
    """50,000 words, 128 numbers each, batch 128, 64 negative samples."""
    rng = np.random.default_rng(9)
    words, width, batch, negatives, batches = 50_000, 128, 128, 64, 32

    def often(*shape: int) -> Any:
        return np.minimum(rng.zipf(1.3, shape) - 1, words - 1)

    return Spec(
        embeddings=(rng.random((words, width)) * 0.2 - 0.1).astype(F),
        weights=(rng.standard_normal((words, width)) / np.sqrt(width)).astype(F),
        biases=np.zeros(words, F), centres=often(batches, batch),
        targets=often(batches, batch),
        negatives=rng.integers(0, words, (batches, negatives)), rate=0.5, steps=32,
    )  # fmt: skip


SPECS: dict[str, Callable[[str], Spec]] = {
    "regression": regression,
    "xor": xor,
    "mlp_sgd": lambda size: _mlp(size, adam=False),
    "mlp_adam": lambda size: _mlp(size, adam=True),
    "elementwise_forward": elementwise,
    "elementwise_gradient": elementwise,
    "elementwise_forward_op": elementwise,
    "elementwise_gradient_op": elementwise,
    "lstm": lstm,
    "skipgram": skipgram,
    "chain": chain,
}
MLP = "128x784-256-256-10"
MLPS = (
    "4x4-8-8-3", "16x16-32-32-10", "32x64-64-64-10", "64x256-128-128-10", MLP,
    "256x784-1024-1024-10",
)  # fmt: skip
ELEMENTS = ("10", "1000", "10000", "100000", "1000000", "4194304")
SIZES: dict[str, tuple[str, ...]] = {
    "mlp_sgd": MLPS,
    "mlp_adam": MLPS,
    "elementwise_forward": ELEMENTS,
    "elementwise_gradient": ELEMENTS,
    "elementwise_forward_op": ELEMENTS[-1:],
    "elementwise_gradient_op": ELEMENTS[-1:],
    "chain": ("10", "100", "1000", "10000", "100000"),
}
"""The sizes of a workload that is named without one, from small to large."""


def spec(workload: str) -> Spec:
    """The arrays of "name" or "name:size"."""
    name, _, size = workload.partition(":")
    return SPECS[name](size)
