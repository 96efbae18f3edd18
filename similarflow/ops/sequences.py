"""Values of all iterations of a loop as tensors, and back.

Of one shape, they are stacked to a tensor. Else they are packed: a vector holds all
their elements, and another one the rank and the sizes of each.
"""

from __future__ import annotations

from collections.abc import Sequence as ListLike
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..core.convert import STRING, Array
from ..core.graph import Constant, Spec, Tensor
from ..core.traverse import traverse_postorder
from .known import merge_dims
from .subgraph import spec_of

INT64 = np.dtype(np.int64)


@dataclass(eq=False)
class Sequence:
    """What a loop takes a slice of in each iteration.

    It is one tensor, sliced along its first axis; or two, a vector of all elements and
    a vector with rank and sizes of each slice, for slices of unknown shapes.
    """

    node: Tensor  # what stands for the slice inside
    tensors: tuple[Tensor, ...]


def unpacked(sequence: Sequence, values: ListLike[Any], limit: int | None) -> Any:
    """The slices, one for each iteration."""
    if len(values) == 1:
        whole = np.asarray(values[0])
        if limit is not None and len(whole) != limit:
            raise ValueError(
                f"all sequences must have as many elements: '{sequence.node.name}' has "
                f"{len(whole)} beside {limit}"
            )
        return [whole[i, ...] for i in range(len(whole))]
    flat, sizes = values
    if flat.dtype == STRING and not len(sizes):
        return list(flat)
    slices = []
    begin = at = 0
    while at < len(sizes):
        rank = int(sizes[at])
        dims = [int(n) for n in sizes[at + 1 : at + 1 + rank]]
        end = begin + int(np.prod(dims, dtype=np.int64))
        slices.append(flat[begin:end].reshape(dims))
        begin, at = end, at + 1 + rank
    return slices


def packed(tensor: Tensor, values: list[Any]) -> list[Any]:
    """All values of an emitted tensor, as they go out: the opposite of `unpacked`."""
    dtype = tensor.static_dtype
    if any(hasattr(value, "is_opaque") for value in values):
        flat = np.empty(len(values), object)
        flat[:] = values
        return [flat, np.zeros(0, INT64)]
    arrays = [np.asarray(v, dtype if dtype == STRING else None) for v in values]
    if not arrays:
        return [np.zeros(0, dtype or np.float32), np.zeros(0, INT64)]
    sizes = [n for a in arrays for n in (a.ndim, *a.shape)]
    return [np.concatenate([a.ravel() for a in arrays]), np.array(sizes, INT64)]


def stacked(spec: Spec, values: list[Any]) -> Array:
    """All values of a tensor of this shape and dtype along a new first axis."""
    dims, dtype = spec
    if dtype is None and values:
        dtype = np.result_type(*values)
    if dims is None or None in dims:
        dims = np.shape(values[0]) if values else tuple(n or 0 for n in dims or ())
        for i, value in enumerate(values):
            if np.shape(value) != dims:
                raise ValueError(
                    f"the results of all elements must have one shape: the first has "
                    f"{dims}, and number {i} has {np.shape(value)}"
                )
    whole = np.empty((len(values), *dims), dtype)
    for i, value in enumerate(values):
        whole[i, ...] = value  # a branch that was not taken left a scalar 0
    return whole


def specs_inside(tensors: list[Tensor], given: dict[Tensor, Spec]) -> list[Spec]:
    """Shapes and dtypes that inner tensors would have, as far as rules tell them.

    They are for a run without iterations, in which nothing is computed. The rules know
    more than they did when the graph was built: what is `given` of other tensors.
    """
    specs: dict[Tensor, Spec] = {}
    for op in traverse_postorder(tensors):
        found = [spec_of(t) for t in op.outputs]
        if op.definition is not None:
            inputs = [_seen(t, specs[t]) for t in op.inputs]
            try:
                new = op.definition.infer(*inputs, **op.attrs)
                new = new if isinstance(new, list) else [new]
                pairs = zip(found, new, strict=True)
                found = [(merge_dims(x[0], y[0]), x[1] or y[1]) for x, y in pairs]
            except (TypeError, ValueError):
                pass  # an iteration would have failed
        for t, spec in zip(op.outputs, found, strict=True):
            specs[t] = given.get(t, spec)
    return [specs[t] for t in tensors]


def _seen(tensor: Tensor, spec: Spec) -> Tensor:
    """`tensor` for a rule: of the same operation, and with what is known now."""
    if isinstance(tensor, Constant):
        return tensor
    return Tensor(tensor.op, tensor.value_index, spec)
