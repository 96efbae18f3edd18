"""Linear regression, XOR and chains by hand: what counts is the number of calls."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import Made
from ..data import F, Spec
from ..timing import seconds
from .common import empty


def regression(s: Spec) -> Made:
    """Nine calls: two derivatives of a sum of squares."""
    x, y, w, b = s.x, s.y, s.w.copy(), s.b.copy()
    xt, twice = np.ascontiguousarray(x.T), np.array(2 * s.rate, F)
    error, gw, gb = np.empty_like(y), np.empty_like(w), np.empty_like(b)
    add, sub, mul, dot, total = np.add, np.subtract, np.multiply, np.dot, np.add.reduce

    def step() -> None:
        dot(x, w, out=error)
        add(error, b, out=error)
        sub(error, y, out=error)
        dot(xt, error, out=gw)
        total(error, None, None, gb)
        mul(gw, twice, out=gw)
        sub(w, gw, out=w)
        mul(gb, twice, out=gb)
        sub(b, gb, out=b)

    return Made(step, lambda: np.sum((x @ w + b - y) ** 2))


def xor(s: Spec) -> Made:
    """Columns are samples; a row of ones makes each bias a column of the weights."""
    n = len(s.x)
    x, h = np.ones((3, n), F), np.ones((3, n), F)
    x[:2] = s.x.T
    y = np.ascontiguousarray(s.y.T)
    w1, b1, w2, b2 = s.weights
    first, second = np.column_stack([w1.T, b1]), np.column_stack([w2.T, b2])
    a, z, t, row, g1, g2 = h[:2], empty(2, n), empty(2, n), empty(n), empty(2, 3), None
    g2, one, rate = np.empty_like(g1), np.array(1, F), np.array(s.rate, F)
    add, sub, mul, dot, exp = np.add, np.subtract, np.multiply, np.dot, np.exp
    xt, ht, back = x.T, h.T, second[:, :2].T

    def forward() -> None:
        dot(first, x, out=t)
        np.negative(t, out=t)
        exp(t, out=t)
        add(t, one, out=t)
        np.reciprocal(t, out=a)
        dot(second, h, out=z)

    def step() -> None:
        forward()
        np.maximum(z[0], z[1], out=row)
        sub(z, row, out=z)
        exp(z, out=z)
        add(z[0], z[1], out=row)
        np.divide(z, row, out=z)
        sub(z, y, out=z)  # softmax, log and sum together: p - y
        dot(z, ht, out=g2)
        dot(back, z, out=t)
        mul(t, a, out=t)
        sub(one, a, out=a)
        mul(t, a, out=t)
        dot(t, xt, out=g1)
        mul(g1, rate, out=g1)
        sub(first, g1, out=first)
        mul(g2, rate, out=g2)
        sub(second, g2, out=second)

    def loss() -> Any:
        forward()
        p = np.exp(z - z.max(0))
        return -np.sum(y * np.log(p / p.sum(0)))

    return Made(step, loss)


def chain(s: Spec) -> dict[str, float]:
    """Bare calls with bound arrays; there is nothing to build."""
    y, add, factor = np.empty_like(s.x), np.array(s.add), np.array(s.factor)
    plus, times, half = np.add, np.multiply, range(s.count // 2)

    def run() -> Any:
        np.copyto(y, s.x)
        for _ in half:
            plus(y, add, out=y)
            times(y, factor, out=y)
        return y

    def gradient() -> Any:
        y.fill(1)
        for _ in half:
            times(y, factor, out=y)
        return y

    return {
        "run": seconds(run, s.count),
        "gradient run": seconds(gradient, s.count),
    }
