"""How nodes are bound that are more than a list of ufuncs: products, sums, views."""

from __future__ import annotations

from functools import partial
from math import prod
from typing import Any

import numpy as np

from ...ops.cross_entropy import check_labels
from ...ops.gather import check_indices
from ...ops.softmax import below_max
from .binding import Binder, maker
from .program import Node
from .tape import Call, record


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


@maker("SumLike")
def sum_like(b: Binder, node: Node) -> bool:
    """A sum over what was broadcast."""
    (x, like), (out,) = node.inputs, node.outputs
    dims, shape = x.dims, like.dims
    new = len(dims) - len(shape)
    grown = [new + i for i, n in enumerate(shape) if n == 1 and dims[new + i] != 1]
    axes = (*range(new), *grown)
    if not axes or x.dtype.kind not in "fc" or x.dtype.itemsize < 4:
        return False  # half precision is added up in single
    flat = b.temp([n for i, n in enumerate(dims) if i not in axes], x.dtype)
    b.emit(np.add.reduce, x, axes, None, flat)
    b.alias(out, partial(_reshape, shape), flat)
    return True


def _reshape(dims: Any, x: Any) -> Any:
    return x.reshape(dims)


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


@maker("MeanGrad")
def spread_mean(b: Binder, node: Node) -> bool:
    """One division, then a view."""
    (x, like), (out,) = node.inputs, node.outputs
    axis, keepdims = node.attrs["axis"], node.attrs["keepdims"]
    dims, dtype = like.dims, x.dtype
    if dtype.kind != "f" or (axis is not None and not keepdims and len(x.dims)):
        return False
    count = prod(dims if axis is None else [dims[a] for a in axis])
    part = b.temp(x.dims, dtype)
    b.emit(np.divide, x, np.asarray(max(count, 1), dtype), part, inplace=True)
    b.alias(out, lambda array: np.broadcast_to(array, dims), part)
    return True


@maker("OneHotLike")
def one_hot_like(b: Binder, node: Node) -> bool:
    """Comparisons with the class numbers."""
    (labels, like), (out,) = node.inputs, node.outputs
    column, hot = b.temp((*labels.dims, 1), labels.dtype), b.temp(like.dims, bool)
    b.alias(column, partial(_reshape, column.dims), labels)
    b.emit(np.equal, column, np.arange(like.dims[-1]), hot)
    b.emit(_copy, hot, out)
    return True


def _copy(x: Any, out: Any) -> None:
    np.copyto(out, x)


@maker("Cast")
def cast(b: Binder, node: Node) -> bool:
    """A copy into the other dtype, if that is what a cast between them is."""
    (x,), (out,) = node.inputs, node.outputs
    if x.dtype.kind not in "biuf" or out.dtype.kind != "f":
        return False
    b.emit(_copy, x, out)
    return True


@maker("Transpose", "Slice", "StridedSlice", "MatrixTranspose")
def viewed(b: Binder, node: Node) -> bool:
    """A view, if the kernel gives one."""
    if len(node.inputs) != 1:
        return False
    (x,), (out,) = node.inputs, node.outputs
    try:
        view = node.kernel(np.broadcast_to(np.zeros((), x.dtype), x.dims))
    except Exception:  # the run will say what is wrong
        return False
    if not isinstance(view, np.ndarray) or view.base is None:
        return False
    b.alias(out, node.kernel, x)
    return True


@maker("Split", "SplitV", "SplitLike", "Unpack")
def parts(b: Binder, node: Node) -> bool:
    """A view for each part."""
    x, axis = node.inputs[0], node.attrs["axis"] % len(node.inputs[0].dims)
    before, begin = (slice(None),) * axis, 0
    if node.type == "Unpack" and len(x.dims) == 1:
        return False  # numbers are no views
    for i, out in enumerate(node.outputs):
        place: Any = i
        if node.type != "Unpack":
            place = slice(begin, begin + out.dims[axis])
            begin = place.stop
        b.alias(out, partial(_at, (*before, place)), x)
    return node.type == "Unpack" or begin == x.dims[axis]


def _at(place: Any, x: Any) -> Any:
    return x[place]


@maker("ConcatV2", "Pack")
def joined(b: Binder, node: Node) -> bool:
    """Each part is copied to its place."""
    (out,), axis = node.outputs, node.attrs["axis"]
    if any(v.dtype != out.dtype for v in node.inputs):
        return False
    axis %= len(out.dims)
    sizes = [1 if node.type == "Pack" else v.dims[axis] for v in node.inputs]
    ends = [sum(sizes[: i + 1]) for i in range(len(sizes))]
    before = (slice(None),) * axis
    places: list[Any] = [
        (*before, end - 1 if node.type == "Pack" else slice(end - size, end))
        for size, end in zip(sizes, ends, strict=True)
    ]
    b.emit(partial(_join, places), *node.inputs, out)
    return True


def _join(places: Any, *arrays: Any) -> None:
    *parts, out = arrays
    for place, x in zip(places, parts, strict=True):
        out[place] = x


@maker("SparseSoftmaxCrossEntropyWithLogits")
def sparse_cross_entropy(b: Binder, node: Node) -> bool:
    """The logits at the labels, below the logarithm of the sum."""
    (labels, logits), (out,) = node.inputs, node.outputs
    if logits.dtype.itemsize < 4 or len(logits.dims) != 2 or not all(logits.dims):
        return False
    rows, dtype = logits.dims[:1], logits.dtype
    tape = record(partial(below_max, axis=-1), [logits.spec])  # type: ignore[list-item]
    if tape is None:
        return False
    shifted = b.tape(tape, [logits], {})[-1]
    exps = b.call(Call(np.exp, (), logits.dims, dtype, True, True), [shifted], None)
    sums, picked = b.temp(rows, dtype), b.temp(rows, dtype)
    b.emit(np.add.reduce, exps, (1,), None, sums)
    b.emit(np.log, sums, sums, inplace=True)
    b.emit(partial(_pick, np.arange(*rows), logits.dims[-1]), shifted, labels, picked)
    b.emit(np.subtract, sums, picked, out, inplace=True)
    return True


def _pick(rows: Any, classes: int, x: Any, labels: Any, out: Any) -> None:
    check_labels(labels, classes)
    out[...] = x[rows, labels]


@maker("GatherV2")
def gather(b: Binder, node: Node) -> bool:
    """Rows of a table: the indices are checked once, and then taken as they are."""
    (table, indices), (out,) = node.inputs, node.outputs
    if node.attrs["axis"] != 0 or node.attrs.get("batch_dims") or not table.size:
        return False
    b.emit(_take_rows, table, indices, out)
    return True


def _take_rows(table: Any, indices: Any, out: Any) -> None:
    table.take(check_indices(indices, len(table)), 0, out, "clip")


@maker("Assign")
def assign(b: Binder, node: Node) -> bool:
    """A copy of the value; the old one is not there."""
    (old, value), (out,) = node.inputs, node.outputs
    if not old.spec == value.spec == out.spec:
        return False
    b.emit(_copy, value, out)
    return True
