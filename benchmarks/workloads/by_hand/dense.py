"""Dense networks by hand, with gradient descent and Adam."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import Made
from ..data import F, Spec
from .common import CrossEntropy, empty, flat_copy, flat_views

UPDATED = 1 << 14
"""So many weights are updated at a time."""


class Update:
    """Gradient descent or Adam over all weights at once, in blocks."""

    def __init__(self, weights: Any, grads: Any, s: Spec) -> None:
        cuts = range(UPDATED, weights.size, UPDATED)
        zeros = [np.zeros_like(weights) for _ in range(2 * s.adam)]
        arrays = [weights, grads, *zeros]
        parts = [np.split(a, list(cuts)) for a in arrays]
        self.blocks = list(zip(*parts, strict=True))
        self.scratch = empty(min(UPDATED, weights.size))
        self.rate, self.done = s.rate, 0
        self.apply = self.adam if s.adam else self.descend

    def descend(self) -> None:
        """Subtract the rate times the gradient; the gradients are destroyed."""
        rate = F(self.rate)
        for w, g in self.blocks:
            np.multiply(g, rate, out=g)
            np.subtract(w, g, out=w)

    def adam(self) -> None:
        """Adam; the means are kept as sums, and their factors are in `rate`."""
        self.done += 1
        b1, b2, root = F(0.9), F(0.999), np.sqrt(0.001)
        bias = np.sqrt(1 - 0.999**self.done) / (1 - 0.9**self.done)
        rate, epsilon = F(self.rate * bias * 0.1 / root), F(1e-8 / root)
        for w, g, m, v in self.blocks:
            t = self.scratch[: len(w)]
            np.multiply(m, b1, out=m)
            np.add(m, g, out=m)
            np.multiply(g, g, out=g)
            np.multiply(v, b2, out=v)
            np.add(v, g, out=v)
            np.sqrt(v, out=t)
            np.add(t, epsilon, out=t)
            np.divide(m, t, out=t)
            np.multiply(t, rate, out=t)
            np.subtract(w, t, out=w)


class Mlp:
    """Two ReLU layers and a linear one; rows are samples, as products like it."""

    def __init__(self, s: Spec) -> None:
        self.x, self.y, n = s.x, s.y, len(s.x)
        weights, self.w = flat_copy(s.weights)
        grads, self.g = flat_views([w.shape for w in s.weights])
        self.update = Update(weights, grads, s)
        shape = n, s.weights[0].shape[1]
        self.h = [empty(*shape) for _ in range(2)]
        self.d = [empty(*shape) for _ in range(2)]
        self.zeros, self.mask = np.zeros(shape, F), np.empty(shape, bool)
        self.factors = self.mask.view(np.int8)  # far faster to multiply by than bool
        self.ones, self.z = np.ones(n, F), empty(s.weights[4].shape[1], n)
        self.entropy = CrossEntropy(n)
        self.last = self.w[4].T, self.w[5][:, None]  # the weights stay where they are

    def forward(self) -> None:
        """To the logits (classes, n)."""
        x, last, z = self.x, self.last, self.z
        for h, w, b in zip(self.h, self.w[::2], self.w[1::2], strict=False):
            np.matmul(x, w, out=h)
            np.add(h, b, out=h)
            np.maximum(h, self.zeros, out=h)
            x = h
        np.matmul(last[0], x.T, out=z)
        np.add(z, last[1], out=z)

    def step(self) -> None:
        """Forward, back, update."""
        self.forward()
        (h1, h2), (d1, d2), z, w, g = self.h, self.d, self.z, self.w, self.g
        self.entropy.gradient(z, self.y)
        np.matmul(h2.T, z.T, out=g[4])
        np.add.reduce(z, 1, None, g[5])
        np.matmul(z.T, self.last[0], out=d2)
        np.greater(h2, self.zeros, out=self.mask)
        np.multiply(d2, self.factors, out=d2)
        np.matmul(h1.T, d2, out=g[2])
        np.dot(self.ones, d2, out=g[3])
        np.matmul(d2, w[2].T, out=d1)
        np.greater(h1, self.zeros, out=self.mask)
        np.multiply(d1, self.factors, out=d1)
        np.matmul(self.x.T, d1, out=g[0])
        np.dot(self.ones, d1, out=g[1])
        self.update.apply()

    def loss(self) -> float:
        """The loss with the weights as they are."""
        self.forward()
        return self.entropy.loss(self.z, self.y)


def mlp(s: Spec) -> Made:
    """A network of dense layers."""
    net = Mlp(s)
    return Made(net.step, net.loss)
