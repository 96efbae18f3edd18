"""What is known of a tensor's value when the graph is built.

``sf.reshape(x, [sf.shape(x)[0], 3])`` has the static shape (?, 3): sizes are followed
through the few operations that shapes are computed with.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from ..core.convert import fits
from ..core.graph import Constant, Dims, Operation, Spec, Tensor
from ..core.infer import common_dtype, taken

Parts = list[int | None] | None
"""The elements of a scalar or vector; None for an unknown one, or for all of them."""
DEPTH = 8  # so many operations are followed
LONGEST = 64  # longer vectors are no shapes


def static_dims(tensor: Tensor) -> Dims:
    """The shape that an integer vector (or scalar) describes, as far as it is known.

    Negative numbers stay in it; what they mean is up to the caller.
    """
    parts = _parts(tensor, DEPTH)
    return None if parts is None else tuple(parts)


def static_ints(tensor: Tensor) -> tuple[int, ...] | None:
    """The elements of an integer vector (or scalar) if all are known."""
    parts = _parts(tensor, DEPTH)
    if parts is None:
        return None
    known = [n for n in parts if n is not None]
    return tuple(known) if len(known) == len(parts) else None


def as_axis(axis: Any, x: Any = None) -> int | None:
    """An axis as an int; a tensor will do if its value is known already.

    Raises
    ------
    TypeError
        It is no whole number, or only a run tells it.
    """
    if axis is None:
        return None
    found = as_ints(axis)
    tensor = axis.as_tensor() if hasattr(axis, "as_tensor") else None
    if len(found) != 1 or (
        np.iterable(axis) if tensor is None else tensor.static_shape
    ):
        raise TypeError(f"an axis is one whole number, not {axis!r}")
    return found[0]


def as_ints(value: Any, x: Any = None) -> tuple[int, ...]:
    """A number, list, array or constant as a tuple of ints; raises as `as_axis`.

    What is in a list may be tensors, too.
    """
    if hasattr(value, "as_tensor"):
        return _ints_of(value.as_tensor())
    items = value if np.iterable(value) and not isinstance(value, str) else [value]
    items = [as_axis(i) if hasattr(i, "as_tensor") else i for i in items]
    try:
        return tuple([int(operator.index(i)) for i in items])
    except TypeError:
        raise TypeError(f"whole numbers are needed, not {value!r}") from None


def _ints_of(tensor: Tensor) -> tuple[int, ...]:
    found = static_ints(tensor)
    if found is None and isinstance(tensor, Constant):
        raise TypeError(f"a list of whole numbers is needed, not {tensor!r}")
    if found is None:
        raise TypeError(
            f"'{tensor.name}' has no value before a run, and whole numbers are "
            "needed when the graph is built"
        )
    _take(tensor)
    return found


def merge_dims(x: Dims, y: Dims) -> Dims:
    """What two static shapes of one value say together.

    Raises
    ------
    ValueError
        They contradict each other.
    """
    if x is None or y is None:
        return x if y is None else y
    if not fits(x, y):
        raise ValueError(f"shapes {show(x)} and {show(y)} differ")
    return tuple([n if m is None else m for m, n in zip(x, y, strict=True)])


def all_alike(*inputs: Tensor) -> Spec:
    """The shape and dtype that all inputs have, from what is known of each."""
    if not inputs:
        raise ValueError("one tensor or more is needed: a list [x, y] of them")
    dims: Dims = None
    for i, x in enumerate(inputs):
        if not fits(dims, x.static_shape):
            raise ValueError(
                f"inputs[{i}] has shape {show(x.static_shape)}, and those before "
                f"{show(dims)}: all must have the same"
            )
        dims = merge_dims(dims, x.static_shape)
    return dims, common_dtype(*inputs)


def show(dims: Dims) -> str:
    """A static shape as text: "(?, 3)"."""
    return "of unknown rank" if dims is None else str(tuple(dims)).replace("None", "?")


def _parts(tensor: Tensor, depth: int) -> Parts:
    """The elements of `tensor`, found by going back at most `depth` operations."""
    if isinstance(tensor, Constant):
        value = np.asarray(tensor.value)
        if value.dtype.kind not in "iu" or value.ndim > 1 or value.size > LONGEST:
            return None
        return [int(n) for n in value.ravel()]
    rule = None if tensor.op.definition is None else RULES.get(tensor.op.type)
    found = rule(tensor.op, depth - 1) if rule is not None and depth else None
    dims = tensor.static_shape
    if found is None and dims is not None and None not in dims and len(dims) < 2:
        size = math.prod(n for n in dims if n is not None)
        found = [None] * size if size <= LONGEST else None
    return found


def _take(tensor: Tensor) -> None:
    """Note the constants that the value of `tensor` was taken from."""
    if isinstance(tensor, Constant):
        taken(tensor)
    elif tensor.op.type not in ("Rank", "Shape", "Size"):
        for x in tensor.op.inputs:
            _take(x)


def _of_shape(op: Operation, depth: int) -> Parts:
    dims = op.inputs[0].static_shape
    return None if dims is None else list(dims)


def _of_rank(op: Operation, depth: int) -> Parts:
    dims = op.inputs[0].static_shape
    return [None if dims is None else len(dims)]


def _of_size(op: Operation, depth: int) -> Parts:
    return [_product(op.inputs[0].static_shape)]


def _of_same(op: Operation, depth: int) -> Parts:
    dtype = op.inputs[0].static_dtype
    is_int = dtype is not None and dtype.kind in "iu"
    return _parts(op.inputs[0], depth) if is_int else None


def _of_join(op: Operation, depth: int) -> Parts:
    """Of Pack and ConcatV2: one after the other."""
    rank = 0 if op.type == "Pack" else 1
    found: list[int | None] = []
    for x in op.inputs:
        dims = x.static_shape
        parts = _parts(x, depth) if dims is not None and len(dims) == rank else None
        if parts is None:
            return None
        found += parts
    return found


def _of_slice(op: Operation, depth: int) -> Parts:
    parts = _parts(op.inputs[0], depth)
    dims = op.inputs[0].static_shape
    if parts is None or dims is None or len(dims) != 1:
        return None
    picked = np.array(parts, object)[op.attrs["index"]]
    return list(picked.ravel())


def _of_product(op: Operation, depth: int) -> Parts:
    parts = _parts(op.inputs[0], depth)
    if parts is None or op.output.static_shape != ():
        return None
    return [_product(tuple(parts))]


def _of_two(function: Callable[[Any, Any], Any]) -> Callable[[Operation, int], Parts]:
    """Of arithmetic with scalars and with vectors of one length."""

    def rule(op: Operation, depth: int) -> Parts:
        x, y = (_parts(t, depth) for t in op.inputs)
        if x is None or y is None:
            return None
        x, y = (p * len(q) if len(p) == 1 else p for p, q in ((x, y), (y, x)))
        return [
            None if m is None or n is None or (n == 0 and function is operator.floordiv)
            else function(m, n)
            for m, n in zip(x, y, strict=True)
        ]  # fmt: skip

    return rule


def _of_range(op: Operation, depth: int) -> Parts:
    parts = [p for x in op.inputs for p in _parts(x, depth) or [None]]
    known = [p for p in parts if p is not None]
    if len(known) != 3 or len(parts) != 3 or known[2] == 0:
        return None
    numbers = range(*known)
    return list(numbers) if len(numbers) <= LONGEST else None


def _product(dims: Dims) -> int | None:
    if dims is None or None in dims:
        return None
    return math.prod(n for n in dims if n is not None)


RULES: dict[str, Callable[[Operation, int], Parts]] = {
    "Add": _of_two(operator.add),
    "Cast": _of_same,
    "ConcatV2": _of_join,
    "FloorDiv": _of_two(operator.floordiv),
    "Identity": _of_same,
    "Mul": _of_two(operator.mul),
    "Pack": _of_join,
    "Prod": _of_product,
    "Range": _of_range,
    "Rank": _of_rank,
    "Shape": _of_shape,
    "Size": _of_size,
    "StridedSlice": _of_slice,
    "Sub": _of_two(operator.sub),
}
"""How to follow an operation, by its type."""
