"""Picking and placing by coordinates: gather_nd, scatter_nd, and in variables."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np

from ..core.convert import STRING, Array, as_array
from ..core.graph import (
    Dims,
    Operation,
    Spec,
    Tensor,
    convert_to_tensor,
    graph_of,
)
from ..core.infer import same_as_input
from ..core.operators import BUILDERS
from ..core.registry import op
from ..core.rules import NotDifferentiable, RegisterGradient
from ..core.samples import case, normal
from .composite import composite
from .fronts import front_of
from .gather import add_rows, check_index_type, check_indices
from .indexed_slices import IndexedSlices
from .known import merge_dims, show
from .reshape import expand_dims, squeeze
from .shape import as_shape_input, filled_dims, new_shape, shape
from .state import SCATTER


def flat_places(indices: Array, dims: Sequence[int]) -> Array:
    """The places that the rows of `indices` name, counted in the flat tensor.

    Raises
    ------
    ValueError
        One is out of range; negative numbers are, too. Or they are longer than `dims`.
    TypeError
        They are no integers.
    """
    found = np.asarray(indices)
    if found.dtype.kind not in "iu":
        if found.size:
            raise TypeError(f"indices are whole numbers, not {found.dtype.name}")
        found = found.astype(np.int64)
    _check_depth(np.shape(found), dims)
    sizes = np.array(dims[: found.shape[-1]], np.int64)
    bad = ((found < 0) | (found >= sizes)).any(-1)
    if bad.any():
        place = np.argwhere(bad)[0]
        at = str(place.tolist()) if place.size else ""
        raise ValueError(
            f"indices{at} = {found[tuple(place)].tolist()} is no place in shape "
            f"{tuple(sizes.tolist())}"
        )
    strides = np.array([prod(sizes[i + 1 :].tolist()) for i in range(len(sizes))])
    flat: Array = (found * strides.astype(np.int64)).sum(-1, dtype=np.int64)
    return flat


def check_natural(indices: Array, what: str = "indices") -> Array:
    """`indices` as an array; raises ValueError that names the first negative one."""
    found = np.asarray(indices)
    if found.dtype.kind == "i" and found.size and found.min() < 0:
        place = np.argwhere(found < 0)[0]
        at = str(place.tolist()) if place.size else ""
        raise ValueError(f"{what}{at} = {found[tuple(place)]} is negative")
    return check_indices(found, np.iinfo(np.int64).max, what)


def _check_depth(places: Dims, dims: Any) -> int | None:
    """How many numbers each index holds; raises ValueError if they are too many."""
    if places is None:
        return None
    if not places:
        raise ValueError("indices need an axis whose entries are one place")
    depth = places[-1]
    if depth is not None and dims is not None and depth > len(dims):
        raise ValueError(
            f"indices of shape {show(places)} hold {depth} numbers each, and shape "
            f"{show(dims)} has {len(dims)} axes"
        )
    return depth


# Places in front, for batches


def _infer_in_batch(indices: Tensor, batch_dims: int = 0) -> Spec:
    check_index_type(indices)
    dims = indices.static_shape
    if dims is not None:
        _check_batch(batch_dims, len(dims))
        last = dims[-1]
        dims = (*dims[:-1], None if last is None else last + batch_dims)
    return dims, np.dtype(np.int64)


def _check_batch(batch_dims: int, rank: int) -> None:
    if not 0 <= batch_dims < rank:
        raise ValueError(f"batch_dims is {batch_dims}, and indices have rank {rank}")


@op("BatchPlaces", infer=_infer_in_batch, accepts="any", samples=[
    case([[1], [0]], batch_dims=1), case([[[2, 0], [1, 1]]], batch_dims=2),
    case(np.zeros([2, 0, 1], np.int32), batch_dims=1),
])  # fmt: skip
def in_batch(indices: Array, batch_dims: int = 0) -> Array:
    """`indices` with their own place in the first `batch_dims` axes before them."""
    found = np.asarray(indices)
    _check_batch(batch_dims, found.ndim)
    own = np.moveaxis(np.indices(found.shape[:-1])[:batch_dims], 0, -1)
    return np.concatenate([own, found.astype(np.int64)], -1)


NotDifferentiable("BatchPlaces")


# gather_nd and scatter_nd


def _infer_gather_nd(params: Tensor, indices: Tensor) -> Spec:
    check_index_type(indices)
    dims, places = params.static_shape, indices.static_shape
    depth = _check_depth(places, dims)
    if dims is None or places is None or depth is None:
        return None, params.static_dtype
    return (*places[:-1], *dims[depth:]), params.static_dtype


@op("GatherNd", infer=_infer_gather_nd, same=["params"], accepts="any", samples=[
    case(normal(3, 4), [[0, 1], [2, 3]]), case(normal(3, 4), [[1], [1]]),
    case(normal(2, 3, 2), [[[1, 2]], [[0, 0]]]), case(normal(3), [2]),
    case(normal(2), np.zeros([3, 0], np.int32)),
    case(normal(0, 2), np.zeros([0, 1], np.int64)),
])  # fmt: skip
def gather_at(params: Array, indices: Array) -> Array:
    """The parts of `params` at the places in `indices`; see `gather_nd`."""
    x, dims = np.asarray(params), np.shape(indices)
    flat = flat_places(indices, x.shape)
    depth = dims[-1]
    rows = x.reshape(prod(x.shape[:depth]), *x.shape[depth:])
    return rows[flat] if depth < x.ndim else np.asarray(rows[flat], x.dtype)


@RegisterGradient("GatherNd")
def _gather_at_grad(op: Operation, grad: Tensor) -> Any:
    params, indices = op.inputs
    whole, dims = shape(params), indices.static_shape
    if dims is not None and len(dims) == 2 and dims[1] == 1:
        return IndexedSlices(grad, squeeze(indices, -1), whole), None
    return scatter_nd(indices, grad, whole), None


@front_of(gather_at)
def gather_nd(
    params: Any, indices: Any, name: str | None = None, batch_dims: int = 0
) -> Tensor:
    """The parts of a tensor at places that are given by several numbers each.

    Parameters
    ----------
    params : tensor
        Of any dtype.
    indices : tensor of ints
        The last axis holds one place: a number for each of the first axes of `params`.
        The result has the other axes, and behind them what is at a place.
    batch_dims : int
        So many first axes belong together in both.

    Raises
    ------
    ValueError
        A place is not in `params`; it is named. Negative numbers are out of range.

    Examples
    --------
    >>> import similarflow as sf
    >>> x = sf.constant([["a", "b"], ["c", "d"]])
    >>> sf.Session().run(sf.gather_nd(x, [[0, 1], [1, 0]]))
    array([b'b', b'c'], dtype=object)
    """
    places = in_batch(indices, batch_dims) if batch_dims else indices
    return gather_at(params, places, name=name)  # type: ignore[no-any-return]


@composite
def batch_gather(params: Any, indices: Any, name: str | None = None) -> Tensor:
    """Places along the last axis of `indices`, picked in each row of its own.

    ``result[i, j] = params[i, indices[i, j]]``, with any number of axes before and, in
    `params`, behind.

    Examples
    --------
    >>> import similarflow as sf
    >>> sf.Session().run(sf.batch_gather([[1, 2, 3], [4, 5, 6]], [[2, 0], [1, 1]]))
    array([[3, 1],
           [5, 5]], dtype=int32)
    """
    places = convert_to_tensor(indices)
    if not places.static_shape:
        raise ValueError("batch_gather needs indices of a known rank, 1 or more")
    batch = len(places.static_shape) - 1
    return gather_nd(params, expand_dims(places, -1), name or "BatchGather", batch)


BUILDERS["batch_gather"] = batch_gather


def check_updates(places: Dims, updates: Dims, dims: Any) -> None:
    """Raise ValueError unless `updates` fit at `places` in a tensor of shape `dims`."""
    depth = _check_depth(places, dims)
    if places is None or updates is None or dims is None or depth is None:
        return
    wanted = (*places[:-1], *dims[depth:])
    try:
        merge_dims(wanted, updates)
    except ValueError:
        raise ValueError(
            f"updates have shape {show(updates)}; indices of shape {show(places)} into "
            f"shape {show(tuple(dims))} take shape {show(wanted)}"
        ) from None


def _infer_scatter_nd(indices: Tensor, updates: Tensor, shape: Tensor) -> Spec:
    check_index_type(indices)
    if updates.static_dtype == STRING:
        raise TypeError("scatter_nd adds updates up, and takes no strings")
    dims = filled_dims(shape)
    check_updates(indices.static_shape, updates.static_shape, dims)
    return dims, updates.static_dtype


@op("ScatterNd", infer=_infer_scatter_nd, same=["updates"], accepts="any",
    converters={"shape": as_shape_input}, samples=[
        case([[1], [3]], normal(2), [5]), case([[1], [1]], normal(2, 3), [2, 3]),
        case([[0, 1], [2, 0]], normal(2), [3, 2]), case([2], normal(), [3]),
        case(np.zeros([0, 1], np.int64), normal(0, 2), [2, 2]),
        case(np.zeros([2, 0], np.int32), normal(2, 3), [3]),
        case([[1], [1]], [True, False], [2]),
    ])  # fmt: skip
def scatter_nd(indices: Array, updates: Array, shape: Array) -> Array:
    """Zeros of a shape, to which `updates` are added at the places in `indices`.

    Parameters
    ----------
    indices : tensor of ints
        The last axis holds one place. One that occurs twice is added to twice.
    updates : tensor
        What to add at each place.
    shape : list of int, or tensor
        The shape of the result.

    Raises
    ------
    ValueError
        A place is not in the shape, or the shapes do not fit.

    Examples
    --------
    >>> import similarflow as sf
    >>> sf.Session().run(sf.scatter_nd([[1], [3], [1]], [5, 6, 7], [5]))
    array([ 0, 12,  0,  6,  0], dtype=int32)
    """
    dims = new_shape(shape)
    total = np.zeros(dims, np.result_type(updates))
    _add_at(total, indices, updates)
    return total


def _add_at(total: Array, indices: Array, updates: Array) -> None:
    """Add `updates` to places of `total`, in place; `total` is contiguous."""
    flat, depth = flat_places(indices, total.shape), np.shape(indices)[-1]
    check_updates(np.shape(indices), np.shape(updates), total.shape)
    width = prod(total.shape[depth:])
    rows = total.reshape(prod(total.shape[:depth]), width)
    add_rows(rows, flat.ravel(), np.reshape(updates, (flat.size, width)))


@RegisterGradient("ScatterNd")
def _scatter_nd_grad(op: Operation, grad: Tensor) -> Any:
    return None, gather_at(grad, op.inputs[0]), None


# Variables


def _infer_nd_update(
    ref: Tensor, indices: Tensor, updates: Tensor, use_locking: Any = None
) -> Spec:
    check_index_type(indices)
    check_updates(indices.static_shape, updates.static_shape, ref.static_shape)
    return same_as_input(ref)


ND: dict[str, Any] = {**SCATTER, "infer": _infer_nd_update}


def with_added(ref: Array, indices: Array, updates: Array) -> Array:
    """A copy of `ref`, to which `updates` are added at some places."""
    new = np.array(ref, order="C")
    _add_at(new, indices, as_array(updates, new.dtype))
    return new


def with_replaced(ref: Array, indices: Array, updates: Array) -> Array:
    """A copy of `ref` with `updates` at some places."""
    new, depth = np.array(ref, order="C"), np.shape(indices)[-1]
    flat = flat_places(indices, new.shape)
    check_updates(np.shape(indices), np.shape(updates), new.shape)
    rows = new.reshape(prod(new.shape[:depth]), *new.shape[depth:])
    rows[flat] = as_array(updates, new.dtype)
    return new


@op("ScatterNdAdd", **ND)
def scatter_nd_add(
    ref: Array, indices: Array, updates: Array, use_locking: Any = False
) -> Array:
    """Add to some places of a variable, when run; gives the new value of all of it.

    Parameters
    ----------
    ref : variable
    indices : tensor of ints
        The last axis holds one place. One that occurs twice is added to twice.
    updates : tensor
        What to add at each place.

    Raises
    ------
    ValueError
        A place is not in the variable, or the shapes do not fit.

    Examples
    --------
    >>> import similarflow as sf
    >>> w = sf.Variable([1.0, 2.0, 3.0])
    >>> sf.Session().run(sf.scatter_nd_add(w, [[0], [0]], [10.0, 20.0]))
    array([31.,  2.,  3.], dtype=float32)
    """
    return with_added(ref, indices, updates)


NotDifferentiable("ScatterNdAdd")


@op("ScatterNdSub", **ND)
def scatter_nd_sub(
    ref: Array, indices: Array, updates: Array, use_locking: Any = False
) -> Array:
    """Subtract at some places of a variable, when run; see `scatter_nd_add`."""
    return with_added(ref, indices, np.negative(updates))


NotDifferentiable("ScatterNdSub")


@op("ScatterNdUpdate", **{**ND, "accepts": "any"})
def scatter_nd_update(
    ref: Array, indices: Array, updates: Array, use_locking: Any = True
) -> Array:
    """Replace some places of a variable, when run; see `scatter_nd_add`.

    Of two updates of one place, the last counts.
    """
    return with_replaced(ref, indices, updates)


NotDifferentiable("ScatterNdUpdate")


@composite
def batch_scatter_update(
    ref: Any, indices: Any, updates: Any, use_locking: bool = True,
    name: str | None = None,
) -> Tensor:  # fmt: skip
    """Replace some rows of each part of a variable, when run.

    Parameters
    ----------
    ref : variable
    indices : tensor of ints
        The last axis holds rows; the axes before it are the first ones of `ref`.
    updates : tensor
        The new rows.

    Examples
    --------
    >>> import similarflow as sf
    >>> w = sf.Variable([[1, 2, 3], [4, 5, 6]])
    >>> sf.Session().run(sf.batch_scatter_update(w, [[0], [2]], [[10], [60]]))
    array([[10,  2,  3],
           [ 4,  5, 60]], dtype=int32)
    """
    with graph_of([ref, indices, updates]).as_default():
        rows = convert_to_tensor(indices)
        if rows.static_shape is None:
            raise ValueError(f"batch_scatter_update: {rows!r} needs a known rank")
        places = in_batch(expand_dims(rows, -1), batch_dims=len(rows.static_shape) - 1)
        result: Tensor = scatter_nd_update(
            ref, places, updates, use_locking, name=name or "batch_scatter_update"
        )
    return result


BUILDERS["batch_scatter_update"] = batch_scatter_update
