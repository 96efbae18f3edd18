"""Word vectors by hand: rows are taken, and subtracted from, and nothing else."""

from __future__ import annotations

from itertools import cycle
from typing import Any

import numpy as np

from .. import Made
from ..data import F, Spec
from .common import ONE, empty


class Table:
    """Rows of which some are read and changed in each step."""

    def __init__(self, rows: Any, count: int) -> None:
        self.rows = rows.copy()
        self.flat, self.width = self.rows.reshape(-1), rows.shape[1]
        self.lane, self.index = (
            np.arange(self.width),
            np.empty((count, self.width), int),
        )

    def take(self, index: Any, out: Any) -> None:
        """The rows of `index`."""
        self.rows.take(index, axis=0, out=out, mode="clip")

    def subtract(self, index: Any, rows: Any) -> None:
        """Also of rows that are there twice; one flat index is the fast way."""
        np.add((index * self.width)[:, None], self.lane, out=self.index)
        np.subtract.at(self.flat, self.index.reshape(-1), rows.reshape(-1))


def _logistic(x: Any, scale: Any) -> None:
    """Replace x by ``scale / (1 + exp(-x))``."""
    np.negative(x, out=x)
    np.exp(x, out=x)
    np.add(x, ONE, out=x)
    np.divide(scale, x, out=x)


class SkipGram:
    """Logistic loss of a word's neighbour and of samples that all words share."""

    def __init__(self, s: Spec) -> None:
        n, width, both = s.centres.shape[1], s.embeddings.shape[1], None
        both = n + s.negatives.shape[1]
        self.n, self.rate = n, F(s.rate / n)
        self.words, self.outs = Table(s.embeddings, n), Table(s.weights, both)
        self.biases = s.biases.copy()
        self.v, self.u, self.b = empty(n, width), empty(both, width), empty(both)
        self.gv, self.gu, self.gb = empty(n, width), empty(both, width), empty(both)
        self.near, self.far = empty(n), empty(n, both - n)
        self.product = empty(n, width)
        self.data = list(zip(s.centres, s.targets, s.negatives, strict=True))
        self.batches = cycle(self.data)

    def forward(self, centres: Any, targets: Any, negatives: Any) -> Any:
        """The logits of the neighbours and of the samples."""
        index, n = np.concatenate([targets, negatives]), self.n
        self.words.take(centres, self.v)
        self.outs.take(index, self.u)
        self.biases.take(index, out=self.b, mode="clip")
        np.multiply(self.v, self.u[:n], out=self.product)
        np.add.reduce(self.product, 1, None, self.near)
        np.add(self.near, self.b[:n], out=self.near)
        np.matmul(self.v, self.u[n:].T, out=self.far)
        np.add(self.far, self.b[n:], out=self.far)
        return index

    def step(self) -> None:
        """Forward, back, update; gradients have the rate in them."""
        centres, targets, negatives = next(self.batches)
        index, n = self.forward(centres, targets, negatives), self.n
        near, far, gv, gu, gb = self.near, self.far, self.gv, self.gu, self.gb
        np.negative(near, out=near)
        _logistic(near, -self.rate)
        _logistic(far, self.rate)
        np.matmul(far, self.u[n:], out=gv)
        column = near[:, None]
        np.multiply(self.u[:n], column, out=self.product)
        np.add(gv, self.product, out=gv)
        np.multiply(self.v, column, out=gu[:n])
        np.matmul(far.T, self.v, out=gu[n:])
        gb[:n] = near
        np.add.reduce(far, 0, None, gb[n:])
        self.words.subtract(centres, gv)
        self.outs.subtract(index, gu)
        np.subtract.at(self.biases, index, gb)

    def loss(self) -> Any:
        """The mean loss of the first batch."""
        self.forward(*self.data[0])
        near, far = np.logaddexp(0, -self.near), np.logaddexp(0, self.far)
        return np.mean(near + far.sum(1))


def skipgram(s: Spec) -> Made:
    """Word vectors with negative samples and sparse updates."""
    model = SkipGram(s)
    return Made(model.step, model.loss)
