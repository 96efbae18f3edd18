"""A recurrent network by hand."""

from __future__ import annotations

import numpy as np

from .. import Made
from ..data import F, Spec
from .common import ONE, CrossEntropy, empty


class Lstm:
    """Columns are samples; gates are ordered input, forget, output, new."""

    def __init__(self, s: Spec) -> None:
        self.x, self.y, self.rate = s.x, s.y, F(s.rate)
        w, b, last, c = s.weights
        (n, steps, inputs), units = s.x.shape, s.units
        self.n, self.steps, self.inputs, self.units = n, steps, inputs, units
        i, f, g, o = np.split(np.vstack([w, b]), 4, axis=1)
        self.w = np.ascontiguousarray(np.hstack([i, f, o, g]).T)
        self.last = np.ascontiguousarray(np.vstack([last, c]).T)
        self.signed, self.signs = np.empty_like(self.w), np.ones((4 * units, 1), F)
        self.signs[: 3 * units] = -1  # sigmoid(x) is 1 / (1 + exp(-x))
        # one column of inputs, state before and 1 for each step and sample
        self.before = np.zeros((inputs + units + 1, steps * n), F)
        self.before[-1] = 1
        self.end = np.ones((units + 1, n), F)
        self.gates, self.cells = empty(steps, 4 * units, n), empty(steps, units, n)
        self.none = np.zeros((units, n), F)
        self.bent = empty(steps, units, n)  # tanh of the cells
        self.slopes, self.slope = empty(4 * units, steps * n), empty(4 * units, n)
        self.t, self.square = empty(units, n), empty(3 * units, n)
        self.dh, self.dc, self.z = empty(units, n), empty(units, n), empty(10, n)
        self.gw, self.glast = np.empty_like(self.w), np.empty_like(self.last)
        self.entropy = CrossEntropy(n)

    def forward(self) -> None:
        """To the logits (classes, n)."""
        n, units, inputs = self.n, self.units, self.inputs
        table = self.before[:inputs].reshape(inputs, self.steps, n)
        np.copyto(table, self.x.transpose(2, 1, 0))
        np.multiply(self.w, self.signs, out=self.signed)
        c = self.none
        for k in range(self.steps):
            g, here = self.gates[k], self.before[:, k * n : (k + 1) * n]
            np.matmul(self.signed, here, out=g)
            sigmoids, new = g[: 3 * units], g[3 * units :]
            np.exp(sigmoids, out=sigmoids)
            np.add(sigmoids, ONE, out=sigmoids)
            np.reciprocal(sigmoids, out=sigmoids)
            np.tanh(new, out=new)
            cell = self.cells[k]
            np.multiply(g[units : 2 * units], c, out=cell)
            np.multiply(g[:units], new, out=self.t)
            c = np.add(cell, self.t, out=cell)
            np.tanh(c, out=self.bent[k])
            h = self.before[inputs:-1, (k + 1) * n : (k + 2) * n]
            if k == self.steps - 1:
                h = self.end[:-1]
            np.multiply(g[2 * units : 3 * units], self.bent[k], out=h)
        np.matmul(self.last, self.end, out=self.z)

    def back(self) -> None:
        """The gradients, from the last step to the first; gates are destroyed."""
        n, units, dh, dc, t, d = self.n, self.units, self.dh, self.dc, self.t, None
        self.entropy.gradient(self.z, self.y)
        np.matmul(self.z, self.end.T, out=self.glast)
        np.matmul(self.last[:, :-1].T, self.z, out=dh)
        dc.fill(0)
        through, d = self.w[:, self.inputs : -1].T, self.slope
        di, df, do, dg = np.split(d, 4)
        for k in range(self.steps - 1, -1, -1):
            g, bent = self.gates[k], self.bent[k]
            i, f, o, new = (g[j * units : (j + 1) * units] for j in range(4))
            np.multiply(dh, bent, out=do)
            np.multiply(bent, bent, out=bent)
            np.subtract(ONE, bent, out=bent)
            np.multiply(dh, o, out=t)
            np.multiply(t, bent, out=t)
            np.add(dc, t, out=dc)
            np.multiply(dc, new, out=di)
            np.multiply(dc, self.cells[k - 1] if k else self.none, out=df)
            np.multiply(dc, i, out=dg)
            np.multiply(dc, f, out=dc)
            np.multiply(new, new, out=new)
            np.subtract(ONE, new, out=new)
            sigmoids = g[: 3 * units]
            np.multiply(sigmoids, sigmoids, out=self.square)
            np.subtract(sigmoids, self.square, out=sigmoids)
            np.multiply(d, g, out=d)
            np.copyto(self.slopes[:, k * n : (k + 1) * n], d)
            if k:
                np.matmul(through, d, out=dh)
        np.matmul(self.slopes, self.before.T, out=self.gw)

    def step(self) -> None:
        """Forward, back, update."""
        self.forward()
        self.back()
        for w, g in ((self.w, self.gw), (self.last, self.glast)):
            np.multiply(g, self.rate, out=g)
            np.subtract(w, g, out=w)

    def loss(self) -> float:
        """The loss with the weights as they are."""
        self.forward()
        return self.entropy.loss(self.z, self.y)


def lstm(s: Spec) -> Made:
    """A recurrent network, unrolled."""
    net = Lstm(s)
    return Made(net.step, net.loss)
