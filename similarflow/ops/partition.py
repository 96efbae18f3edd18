"""Dealing rows out and putting them together: masks, partitions, stitches."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np

from ..core.casting import dtype_name
from ..core.convert import Array, agree
from ..core.graph import (
    Constant,
    Dims,
    Operation,
    Spec,
    Tensor,
    convert_to_tensor,
    graph_of,
)
from ..core.infer import common_dtype
from ..core.operators import BUILDERS
from ..core.registry import op
from ..core.rules import NotDifferentiable, RegisterGradient
from ..core.samples import case, normal
from .choose import where_true
from .composite import composite
from .fronts import front_of
from .gather import check_index_type, check_indices, gather
from .known import as_axis, as_ints, merge_dims, show
from .reshape import reshape, reshape_like, squeeze
from .scatter import check_natural

# Masks


def _merged_dims(dims: Dims, mask: Dims, axis: int) -> Dims:
    """The shape with the axes under the mask made one."""
    if dims is None or mask is None:
        return None
    end = axis + len(mask)
    if not mask or axis < 0 or end > len(dims):
        raise ValueError(
            f"a mask of shape {show(mask)} on axis {axis} does not fit shape "
            f"{show(dims)}"
        )
    try:
        covered = merge_dims(dims[axis:end], mask)
    except ValueError:
        raise ValueError(
            f"the mask has shape {show(mask)}, and what it covers of shape "
            f"{show(dims)} from axis {axis} on has {show(dims[axis:end])}"
        ) from None
    known = [n for n in covered or () if n is not None]
    return (*dims[:axis], prod(known) if len(known) == len(mask) else None, *dims[end:])


def _infer_merged(tensor: Tensor, mask: Tensor, axis: int = 0) -> Spec:
    dims = _merged_dims(tensor.static_shape, mask.static_shape, axis)
    return dims, tensor.static_dtype


@op("MergeMasked", infer=_infer_merged, same=["tensor"], accepts="any", samples=[
    case(normal(2, 3, 2), [[True, False, True], [False, False, True]]),
    case(normal(2, 3), [True, False, True], axis=1),
    case(normal(0, 2), np.zeros([0, 2], bool)),
])  # fmt: skip
def merge_masked(tensor: Array, mask: Array, axis: int = 0) -> Array:
    """`tensor`, with the axes that the mask covers made one."""
    dims: Any = _merged_dims(np.shape(tensor), np.shape(mask), axis)
    return np.reshape(tensor, dims)


@RegisterGradient("MergeMasked")
def _merge_masked_grad(op: Operation, grad: Tensor) -> Any:
    return reshape_like(grad, op.inputs[0]), None


@composite
def boolean_mask(
    tensor: Any, mask: Any, name: str | None = "boolean_mask", axis: Any = None
) -> Tensor:
    """What the mask is true for, in a row: ``tensor[mask]`` in NumPy.

    Parameters
    ----------
    tensor : tensor
        Of rank 1 or more.
    mask : tensor of bool
        Of a known rank. It covers axes of `tensor`, which become one; how long that is,
        a run decides.
    axis : int
        The first axis that the mask covers; 0 by default.

    Raises
    ------
    ValueError
        The mask has another shape than what it covers.

    Examples
    --------
    >>> import similarflow as sf
    >>> x = sf.constant([[1, 2], [3, 4], [5, 6]])
    >>> sf.Session().run(sf.boolean_mask(x, [True, False, True]))
    array([[1, 2],
           [5, 6]], dtype=int32)
    """
    graph = graph_of([tensor, mask])
    with graph.as_default(), graph.name_scope(name or "boolean_mask"):
        x, covering = convert_to_tensor(tensor), convert_to_tensor(mask)
        dims, at = x.static_shape, as_axis(axis) or 0
        if not covering.static_shape:
            known = show(covering.static_shape)
            raise ValueError(f"a mask needs a known rank, 1 or more, not shape {known}")
        if at < 0 and dims is not None:
            at += len(dims)
        merged = merge_masked(x, covering, at)
        places = squeeze(where_true(reshape(covering, [-1])), 1)
        return gather(merged, places, axis=at)


BUILDERS["boolean_mask"] = boolean_mask


# Permutations


def _infer_inverse(x: Tensor) -> Spec:
    dims = merge_dims(x.static_shape, (None,))
    return dims, x.static_dtype


@op("InvertPermutation", infer=_infer_inverse, accepts="int", samples=[
    case([2, 0, 3, 1]), case(np.zeros([0], np.int64)), case([0]),
])  # fmt: skip
def invert_permutation(x: Array) -> Array:
    """Where each number stands in a permutation: ``result[x[i]] = i``.

    Parameters
    ----------
    x : vector of ints
        The numbers from 0 to its length, each once.

    Raises
    ------
    ValueError
        A number is out of range, or there twice.

    Examples
    --------
    >>> import similarflow as sf
    >>> sf.Session().run(sf.invert_permutation([2, 0, 1]))
    array([1, 2, 0], dtype=int32)
    """
    places = check_indices(np.ravel(x), np.size(x), "x")
    inverse = np.full(places.size, -1, np.result_type(x))
    inverse[places] = np.arange(places.size)
    for i, place in enumerate(places.tolist() if (inverse < 0).any() else []):
        if inverse[place] != i:
            raise ValueError(
                f"x[{i}] = {place} is there again at {inverse[place]}, so that x is no "
                "permutation"
            )
    return inverse


NotDifferentiable("InvertPermutation")


# Dealing out


def _row_dims(data: Dims, ids: Dims, what: str) -> Dims:
    """What is left of the shape of `data` behind that of `ids`."""
    if data is None or ids is None:
        return None
    try:
        merge_dims(data[: len(ids)], ids)
    except ValueError:
        raise ValueError(
            f"the shape of data, {show(data)}, must begin with that of {what}, "
            f"{show(ids)}"
        ) from None
    return data[len(ids) :]


def _as_count(num_partitions: Any, x: Any = None) -> int:
    count = as_ints(num_partitions)[0]
    if count < 1:
        raise ValueError(f"num_partitions is 1 or more, not {count}")
    return count


def _infer_partition(
    data: Tensor, partitions: Tensor, num_partitions: int
) -> list[Spec]:
    check_index_type(partitions, "partitions")
    row = _row_dims(data.static_shape, partitions.static_shape, "partitions")
    dims = None if row is None else (None, *row)
    return [(dims, data.static_dtype)] * num_partitions


@op("DynamicPartition", infer=_infer_partition, attrs=["num_partitions"], same=["data"],
    accepts="any", converters={"num_partitions": _as_count}, samples=[
        case(normal(4), [1, 0, 1, 1], 3), case(normal(2, 3), [1, 0], 2),
        case(normal(2, 2, 2), [[0, 1], [1, 1]], 2), case(normal(2), 0, 1),
        case(normal(0, 2), np.zeros([0], np.int32), 2),
    ])  # fmt: skip
def dynamic_partition(data: Array, partitions: Array, num_partitions: Any) -> Any:
    """The rows of a tensor, dealt out to a number of tensors.

    Parameters
    ----------
    data : tensor
        Its shape begins with that of `partitions`; the rest is a row.
    partitions : tensor of ints
        To which tensor each row goes.
    num_partitions : int
        How many tensors there are.

    Raises
    ------
    ValueError
        A number is not in ``[0, num_partitions)``, or the shapes do not fit.

    Examples
    --------
    >>> import similarflow as sf
    >>> sf.Session().run(sf.dynamic_partition([1, 2, 3], [0, 1, 0], 2))
    [array([1, 3], dtype=int32), array([2], dtype=int32)]
    """
    ids = check_indices(partitions, num_partitions, "partitions")
    row: Any = _row_dims(np.shape(data), ids.shape, "partitions")
    order, ends = _dealt(ids, num_partitions)
    parts = np.split(np.reshape(data, (ids.size, *row))[order], ends)
    return parts if num_partitions > 1 else parts[0]


def _dealt(ids: Array, count: int) -> tuple[Array, Array]:
    """The rows in the order of their partitions, and where each but the last ends."""
    flat = np.ravel(ids).astype(np.intp)
    ends = np.cumsum(np.bincount(flat, minlength=count))[:-1]
    return np.argsort(flat, kind="stable"), ends


@RegisterGradient("DynamicPartition")
def _dynamic_partition_grad(op: Operation, *grads: Tensor) -> Any:
    return merge_parts([op.inputs[1], *grads]), None


def _infer_merge(*values: Tensor) -> Spec:
    ids, row = values[0].static_shape, values[1].static_shape
    dims = None if ids is None or row is None else (*ids, *row[1:])
    return dims, common_dtype(*values[1:])


@op("DynamicPartitionGrad", infer=_infer_merge, same=[], samples=[
    case([[1, 0, 1], normal(1, 2), normal(2, 2)]), case([[[0, 0]], normal(2)]),
])  # fmt: skip
def merge_parts(*values: Array) -> Array:
    """The rows of several tensors, each where it came from: a partition, backward."""
    ids, *parts = values
    rows = np.concatenate(parts)
    whole = np.zeros(rows.shape, rows.dtype)
    whole[_dealt(ids, len(parts))[0]] = rows
    return whole.reshape(*np.shape(ids), *rows.shape[1:])


@RegisterGradient("DynamicPartitionGrad")
def _merge_parts_grad(op: Operation, grad: Tensor) -> Any:
    ids, *parts = op.inputs
    return [None, *dynamic_partition(grad, ids, len(parts))]


# Putting together


def _infer_stitch(*values: Tensor) -> Spec:
    half = len(values) // 2
    row: Dims = None
    for places, data in zip(values[:half], values[half:], strict=True):
        check_index_type(places)
        row = merge_dims(
            row, _row_dims(data.static_shape, places.static_shape, "indices")
        )
        if not agree(data.static_dtype, values[half].static_dtype):
            given = [dtype_name(v.static_dtype) for v in values[half:]]
            raise TypeError(f"data are of one dtype, not {', '.join(given)}")
    rows = None
    if all(isinstance(places, Constant) for places in values[:half]):
        rows = _row_count([v.value for v in values[:half] if isinstance(v, Constant)])
    return None if row is None else (rows, *row), common_dtype(*values[half:])


def _row_count(places: Sequence[Array]) -> int:
    return max([int(np.max(p)) + 1 for p in places if np.size(p)], default=0)


def _last_writers(places: Sequence[Array]) -> list[Array]:
    """For each list of places, where it is the last one to name its row."""
    sizes = np.cumsum([np.size(p) for p in places])[:-1]
    flat = np.concatenate([np.ravel(p) for p in places]).astype(np.intp)
    writer = np.zeros(_row_count(places), np.intp)
    writer[flat] = np.arange(flat.size)  # of several the last one stays
    last = np.split(writer[flat] == np.arange(flat.size), sizes)
    return [np.reshape(m, np.shape(p)) for m, p in zip(last, places, strict=True)]


@op("DynamicStitch", infer=_infer_stitch, same=[], samples=[
    case([[0, 2], [1], normal(2, 3), normal(1, 3)]),
    case([[[0, 3], [1, 2]], normal(2, 2)]), case([[0, 1], [1], normal(2), normal(1)]),
    case([1, [2, 0], normal(2), normal(2, 2)]),
    case([np.zeros([0], np.int32), normal(0, 2)]), case([[2], normal(1)]),
])  # fmt: skip
def stitch(*values: Array) -> Array:
    """Rows put in the places that go with them; see `dynamic_stitch`."""
    half = len(values) // 2
    places = [check_natural(p) for p in values[:half]]
    row: Any = None
    for where, data in zip(places, values[half:], strict=True):
        row = merge_dims(row, _row_dims(np.shape(data), where.shape, "indices"))
    whole = np.zeros((_row_count(places), *row), np.result_type(*values[half:]))
    for where, data in zip(places, values[half:], strict=True):
        whole[where] = data
    return whole


@RegisterGradient("DynamicStitch")
def _stitch_grad(op: Operation, grad: Tensor) -> Any:
    places = op.inputs[: len(op.inputs) // 2]
    return [*[None] * len(places), *unstitch([grad, *places])]


def _infer_unstitch(grad: Tensor, *places: Tensor) -> list[Spec]:
    row = grad.static_shape
    return [
        (None if row is None or p.static_shape is None else (*p.static_shape, *row[1:]),
         grad.static_dtype)
        for p in places
    ]  # fmt: skip


@op("DynamicStitchGrad", infer=_infer_unstitch, same=[], samples=[
    case([normal(3, 2), [0, 2], [1]]), case([normal(2), [0, 1], [1]]),
    case([normal(4), [[3, 0]]]),
])  # fmt: skip
def unstitch(*values: Array) -> Any:
    """The rows of the first at places, 0 where others are there: a stitch, backward."""
    grad, *places = values
    parts = []
    for where, last in zip(places, _last_writers(places), strict=True):
        rows = np.asarray(grad)[np.asarray(where, np.intp)]
        mask = last.reshape(*last.shape, *[1] * (np.ndim(grad) - 1))
        parts.append(np.where(mask, rows, np.zeros((), np.result_type(grad))))
    return parts if len(parts) > 1 else parts[0]


@RegisterGradient("DynamicStitchGrad")
def _unstitch_grad(op: Operation, *grads: Tensor) -> Any:
    places = op.inputs[1:]
    return [stitch([*places, *grads]), *[None] * len(places)]


@front_of(stitch)
def dynamic_stitch(indices: Any, data: Any, name: str | None = None) -> Tensor:
    """One tensor of the rows of several: row ``indices[k][i]`` is ``data[k][i]``.

    Parameters
    ----------
    indices : list of tensors of ints
        Where the rows go. Of several rows for one place, the last counts, and the
        gradient flows to that one only.
    data : list of tensors
        The shape of each begins with that of its indices; the rest is a row.

    Returns
    -------
    tensor
        Up to the largest index; rows that no index names are zero.

    Raises
    ------
    ValueError
        An index is negative, or the shapes do not fit.

    Examples
    --------
    >>> import similarflow as sf
    >>> sf.Session().run(sf.dynamic_stitch([[0, 2], [1]], [[10, 30], [20]]))
    array([10, 20, 30], dtype=int32)
    """
    places, rows = list(indices), list(data)
    if not places or len(places) != len(rows):
        raise ValueError(
            f"there are {len(places)} lists of indices and {len(rows)} of data, and "
            "each needs the other"
        )
    return stitch([*places, *rows], name=name)  # type: ignore[no-any-return]
