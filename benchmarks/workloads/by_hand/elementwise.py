"""An element-by-element expression by hand, in blocks."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

import numpy as np

from .. import Made
from ..data import Spec
from .common import ONE, empty

BLOCK = 1 << 15
"""So many elements a block has: it stays in the cache."""
SHARED = 1 << 18
"""From so many elements on, two threads share the work of the peer numpy_threads."""


class Elementwise:
    """The expression in blocks that stay in the cache; `threads` take turns."""

    def __init__(self, s: Spec, threads: int) -> None:
        self.inputs, self.size = s.inputs, len(s.inputs[0])
        self.threads = threads if self.size >= SHARED else 1
        self.pool = ThreadPoolExecutor(1) if self.threads > 1 else None
        block = min(BLOCK, self.size)
        self.scratch = [[empty(block) for _ in range(3)] for _ in range(threads)]

    def run(self, block: Callable[..., None], outs: list[Any]) -> None:
        """Compute all blocks."""

        def share(k: int) -> None:
            for start in range(k * BLOCK, self.size, BLOCK * self.threads):
                part = slice(start, start + BLOCK)
                arrays = [a[part] for a in self.inputs + outs]
                size = len(arrays[0])
                block(*[t[:size] for t in self.scratch[k]], *arrays)

        if self.pool is None:
            return share(0)
        other = self.pool.submit(share, 1)
        share(0)
        return other.result()


def _halves(t: Any, u: Any, a: Any, b: Any, c: Any, d: Any) -> None:
    """The hyperbolic tangent into t, one more than the exponential into u."""
    np.multiply(a, b, out=t)
    np.add(t, c, out=t)
    np.tanh(t, out=t)
    np.negative(d, out=u)
    np.exp(u, out=u)
    np.add(u, ONE, out=u)


def _forward(t: Any, u: Any, _: Any, *arrays: Any) -> None:
    *inputs, e, out = arrays
    _halves(t, u, *inputs)
    np.divide(t, u, out=t)
    np.subtract(t, e, out=out)


def _gradient(t: Any, u: Any, v: Any, *arrays: Any) -> None:
    a, b, c, d, _, ga, gb, gc, gd, ge = arrays
    _halves(t, u, a, b, c, d)
    np.reciprocal(u, out=u)
    np.multiply(t, u, out=v)
    np.multiply(t, t, out=t)
    np.subtract(ONE, t, out=t)
    np.multiply(t, u, out=gc)
    np.subtract(ONE, u, out=u)
    np.multiply(v, u, out=gd)
    np.multiply(gc, b, out=ga)
    np.multiply(gc, a, out=gb)
    ge.fill(-1)


def forward(s: Spec, threads: int = 1) -> Made:
    """The expression, into the same array each time."""
    work = Elementwise(s, threads)
    outs = [empty(work.size)]

    def step() -> Any:
        work.run(_forward, outs)
        return outs[0]

    return Made(step, lambda: step()[:: s.every])


def gradient(s: Spec, threads: int = 1) -> Made:
    """The gradient by all five inputs, into the same arrays."""
    work = Elementwise(s, threads)
    outs = [empty(work.size) for _ in "abcde"]

    def step() -> Any:
        work.run(_gradient, outs)
        return outs

    return Made(step, lambda: [out[:: s.every] for out in step()])


forward_threads = partial(forward, threads=2)
gradient_threads = partial(gradient, threads=2)
