"""How nodes are bound that are more than a list of ufuncs: products, sums, views."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from .binding import Binder, maker
from .program import Node, Value


def _swap(x: Any) -> Any:
    return x.swapaxes(-1, -2)


@maker("MatMul", "BatchMatMulV2")
def matrix_product(b: Binder, node: Node) -> bool:
    """The product into a buffer; what is transposed is a view."""
    (x, y), (out,) = node.inputs, node.outputs
    if out.dtype.kind not in "fc" or out.dtype.itemsize < 4:
        return False
    flags = [bool(f) for f in node.attrs.values()]
    if any(flags[2:]):
        return False  # adjoint
    pair = []
    for v, flag in zip((x, y), flags, strict=False):
        if flag:
            *batch, m, n = v.dims
            view = b.temp((*batch, n, m), v.dtype)
            b.alias(view, _swap, v)
            v = view
        pair.append(v)
    flat = len(out.dims) == 2
    b.emit(np.dot if flat else np.matmul, *pair, out)
    return True


@maker("Sum")
def sum_over_axes(b: Binder, node: Node) -> bool:
    """A sum into a buffer."""
    (x,), (out,) = node.inputs, node.outputs
    return _add_up(b, x, node.attrs["axis"], node.attrs["keepdims"], out)


def _add_up(b: Binder, x: Value, axis: Any, keepdims: bool, out: Value) -> bool:
    dims, dtype = x.dims, x.dtype
    if dtype != out.dtype or dtype.kind not in "fc" or dtype.itemsize < 4:
        return False  # half precision is added up in single
    axes = tuple(range(len(dims))) if axis is None else axis
    if not axes:
        return False
    b.emit(np.add.reduce, x, axes, None, out)
    if keepdims:
        emit = b.emits.pop()
        flat = b.temp([n for i, n in enumerate(dims) if i not in _places(axes, dims)],
                      dtype)  # fmt: skip
        b.emits.append(emit._replace(args=[x, axes, None, flat], out=flat))
        b.alias(out, partial(_reshape, out.dims), flat)
    return True


def _places(axes: Any, dims: Any) -> set[int]:
    return {a % len(dims) for a in axes}


def _reshape(dims: Any, x: Any) -> Any:
    return x.reshape(dims)


@maker("SumLike")
def sum_like(b: Binder, node: Node) -> bool:
    """A sum over what was broadcast."""
    (x, like), (out,) = node.inputs, node.outputs
    dims, shape = x.dims, like.dims
    new = len(dims) - len(shape)
    grown = [new + i for i, n in enumerate(shape) if n == 1 and dims[new + i] != 1]
    axes = (*range(new), *grown)
    flat = b.temp([n for i, n in enumerate(dims) if i not in axes], x.dtype)
    if not axes or not _add_up(b, x, axes, False, flat):
        return False
    b.alias(out, partial(_reshape, shape), flat)
    return True


@maker("BroadcastLike")
def broadcast_like(b: Binder, node: Node) -> bool:
    """A view, in which one number stands for many."""
    x, like = node.inputs
    shaped = np.broadcast_to(np.zeros(()), like.dims)
    b.alias(node.outputs[0], lambda array: node.kernel(array, shaped), x)
    return True


@maker("Reshape", "ReshapeLike", "ExpandDims", "Squeeze")
def reshaped(b: Binder, node: Node) -> bool:
    """A view in another shape."""
    (out,) = node.outputs
    b.alias(out, partial(_reshape, out.dims), node.inputs[0])
    return True


@maker("AddN")
def add_all(b: Binder, node: Node) -> bool:
    """One after the other, into one buffer."""
    (out,) = node.outputs
    first, *rest = node.inputs
    if not rest or any(v.spec != out.spec for v in node.inputs):
        return False
    total = first
    for i, x in enumerate(rest):
        target = out if i == len(rest) - 1 else b.temp(out.dims, out.dtype)
        b.emit(np.add, total, x, target, inplace=True)
        total = target
    return True
