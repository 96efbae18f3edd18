"""What several hand-written workloads need."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..data import F

ONE = np.array(1, F)
"""An array costs less to pass than a number, which becomes one in every call."""


def empty(*shape: int) -> Any:
    """A float32 array, to be filled."""
    return np.empty(shape, F)


def flat_views(shapes: list[tuple[int, ...]]) -> tuple[Any, list[Any]]:
    """One flat array, and its parts as arrays of `shapes`."""
    ends = np.cumsum([int(np.prod(shape)) for shape in shapes])
    flat = empty(int(ends[-1]))
    parts = np.split(flat, ends[:-1])
    return flat, [p.reshape(s) for p, s in zip(parts, shapes, strict=True)]


def flat_copy(arrays: list[Any]) -> tuple[Any, list[Any]]:
    """The same for a copy of some arrays."""
    flat, parts = flat_views([a.shape for a in arrays])
    for part, a in zip(parts, arrays, strict=True):
        part[...] = a
    return flat, parts


class CrossEntropy:
    """Softmax and cross entropy of logits (classes, n) whose labels are numbers."""

    def __init__(self, n: int) -> None:
        self.lane = np.arange(n)
        self.index = np.empty(n, np.int64)
        self.row = empty(n)
        self.share = F(1 / n)

    def gradient(self, z: Any, y: Any) -> None:
        """Replace the logits by the gradient of the mean loss."""
        index, row = self.index, self.row
        np.maximum.reduce(z, 0, None, row)
        np.subtract(z, row, out=z)
        np.exp(z, out=z)
        np.add.reduce(z, 0, None, row)
        np.divide(self.share, row, out=row)
        np.multiply(z, row, out=z)
        np.multiply(y, len(row), out=index)
        np.add(index, self.lane, out=index)
        z.reshape(-1)[index] -= self.share

    def loss(self, z: Any, y: Any) -> float:
        """The mean loss."""
        top = z.max(0)
        return float(np.mean(np.log(np.exp(z - top).sum(0)) + top - z[y, self.lane]))
