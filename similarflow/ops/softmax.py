"""Softmax and its logarithm."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core.convert import Array, in_dtype
from ..core.graph import Operation, Spec, Tensor
from ..core.infer import reduced_dims
from ..core.registry import op
from ..core.rules import RegisterGradient
from ..core.samples import case, normal
from .elementary import reduce_sum
from .known import as_axis
from .math import exp
from .reducing import narrowed, reduced, wide

ALONG = (
    case(normal(2, 3)),
    case(normal(2, 3, 2), axis=1),
    case(normal(4), 0),
    case(normal(2, 0)),
    case([[1000.0, 0.0, -1000.0], [800.0, 0.0, 0.0]]),
)


def _as_last(axis: Any, x: Any = None) -> int:
    """One axis; None is the last."""
    found = as_axis(axis)
    return -1 if found is None else found


def _infer_along(x: Tensor, axis: int) -> Spec:
    reduced_dims(x.static_shape, (axis,), False)  # refuses an axis out of range
    return x.static_shape, x.static_dtype


SOFTMAX: dict[str, Any] = {
    "accepts": "plain",
    "converters": {"axis": _as_last},
    "aliases": {"dim": "axis"},
}


@op("Softmax", infer=_infer_along, samples=ALONG, **SOFTMAX)
def softmax(logits: Array, axis: int = -1) -> Array:
    """``exp(x) / sum(exp(x))`` along `axis`, the last one by default.

    Parameters
    ----------
    logits : tensor
        Floats, of any size: the largest along the axis is subtracted first.
    axis : int, optional
        Along it the results add up to 1; TensorFlow's older name is `dim`.
    name : str, optional
        The operation's name.

    Examples
    --------
    >>> import similarflow as sf
    >>> sf.Session().run(sf.nn.softmax([[0.0, 0.0], [1000.0, 0.0]]))
    array([[0.5, 0.5],
           [1. , 0. ]], dtype=float32)
    """
    e = np.exp(below_max(logits, axis))
    return narrowed(e / np.sum(e, axis, keepdims=True), logits)


def below_max(x: Array, axis: int) -> Array:
    """`x` less its largest along `axis`: exp of it neither overflows nor is all 0.

    Half precision becomes single, to be rounded once all is computed.
    """
    x = in_dtype(x, wide(x))
    below: Array = x - reduced(np.max, x, (axis,), True, initial=-np.inf)
    return below


@RegisterGradient("Softmax")
def _softmax_grad(op: Operation, grad: Tensor) -> Any:
    y = op.outputs[0]
    return y * (grad - reduce_sum(grad * y, op.attrs["axis"], keepdims=True))


@op("LogSoftmax", infer=_infer_along, samples=ALONG, **SOFTMAX)
def log_softmax(logits: Array, axis: int = -1) -> Array:
    """``x - log(sum(exp(x)))`` along `axis`: the logarithm of `softmax`, accurate."""
    shifted = below_max(logits, axis)
    total = np.sum(np.exp(shifted), axis, keepdims=True)
    return narrowed(shifted - np.log(total), logits)


@RegisterGradient("LogSoftmax")
def _log_softmax_grad(op: Operation, grad: Tensor) -> Any:
    total = reduce_sum(grad, op.attrs["axis"], keepdims=True)
    return grad - total * exp(op.outputs[0])
