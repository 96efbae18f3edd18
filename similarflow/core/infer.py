"""Shape rules: what is known of a result when the graph is built.

A rule takes the input tensors and the attributes and returns (shape, dtype). A shape
is a tuple with None for unknown sizes, or None when even the rank is unknown.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .graph import Dims, Spec, Tensor

BOOL = np.dtype(bool)


def taken(constant: Any) -> Any:
    """The value of a constant that is needed when the graph is built.

    From then on it cannot be fed. Raises TypeError for what only a run tells.
    """
    if not hasattr(constant, "value") or callable(constant.value):
        raise TypeError(
            f"{constant!r} has no value before a run, and it must be known when the "
            "graph is built: give a number"
        )
    constant.op.attrs["taken"] = True
    return constant.value


def same_as_input(x: Tensor, *others: Tensor, **attrs: Any) -> Spec:
    """The shape and dtype of the first input."""
    return x.static_shape, x.static_dtype


def elementwise(x: Tensor, *others: Tensor, **attrs: Any) -> Spec:
    """Element by element, without broadcasting: the shape and dtype of the input."""
    return x.static_shape, x.static_dtype


def common_dtype(*tensors: Tensor) -> np.dtype[Any] | None:
    """The dtype of all inputs; unknown if one of them is untyped."""
    dtypes = [t.static_dtype for t in tensors]
    return None if any(dtype is None for dtype in dtypes) else dtypes[0]


def broadcast_dims(x: Dims, y: Dims) -> Dims:
    """The shape of ``x + y``, by NumPy's broadcasting."""
    if x == y or x is None or y is None:
        return x if x == y else None
    if len(x) < len(y):
        x, y = y, x
    dims = list(x)
    for i, (m, n) in enumerate(
        zip(x[len(x) - len(y) :], y, strict=True), len(x) - len(y)
    ):
        if m == 1 or (m is None and n != 1):
            dims[i] = n  # an unknown size beside a known one must fit it
        elif m != n and n not in (1, None):
            raise ValueError(f"shapes {x} and {y} do not broadcast: {m} against {n}")
    return tuple(dims)


def broadcast(x: Tensor, y: Tensor, **attrs: Any) -> Spec:
    """Element by element, with broadcasting."""
    return broadcast_dims(x.static_shape, y.static_shape), common_dtype(x, y)


def comparison(x: Tensor, y: Tensor, **attrs: Any) -> Spec:
    """Element by element, with a truth value each."""
    return broadcast_dims(x.static_shape, y.static_shape), BOOL


ELEMENTWISE = frozenset([elementwise, broadcast, comparison])
"""The rules of operations that compute each element from those in the same place."""


def reduced_dims(dims: Dims, axis: tuple[int, ...] | None, keepdims: bool) -> Dims:
    """What is left of `dims` when `axis` (None for all) is reduced."""
    if dims is None:
        return () if axis is None and not keepdims else None
    for a in axis or ():
        if not -len(dims) <= a < len(dims):
            raise ValueError(f"axis {a} is out of range for rank {len(dims)}")
    gone = [*range(len(dims))] if axis is None else [a % len(dims) for a in axis]
    if len(set(gone)) < len(gone):
        raise ValueError(f"axis {list(axis or ())} names an axis twice")
    if keepdims:
        return tuple(1 if i in gone else n for i, n in enumerate(dims))
    return tuple(n for i, n in enumerate(dims) if i not in gone)


def reduction(x: Tensor, axis: Any = None, keepdims: bool = False) -> Spec:
    """A reduction that keeps the dtype."""
    return reduced_dims(x.static_shape, axis, keepdims), x.static_dtype


def like_second(x: Tensor, like: Tensor, **attrs: Any) -> Spec:
    """The shape of the second input, the dtype of the first."""
    return like.static_shape, x.static_dtype


def step_of(var: Tensor, rate: Tensor, *others: Tensor, **attrs: Any) -> Spec:
    """A variable's next value; the learning rate is one number."""
    if rate.static_shape:
        raise ValueError(f"the learning rate is one number, not of shape {rate.shape}")
    return var.static_shape, var.static_dtype
