"""Sparse tensors made of others: in another order or shape, some of it, joined, added.

What is computed of places has no gradient; values are gathered and summed, so it flows.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..core.convert import Array
from ..core.graph import Spec, Tensor, convert_to_tensor
from ..core.registry import op
from ..core.rules import NotDifferentiable
from ..core.samples import case
from .choose import where_true
from .complex import abs
from .composite import composite
from .elementary import reduce_sum
from .gather import gather, unsorted_segment_sum
from .join import concat
from .known import as_axis
from .reshape import reshape
from .scatter import flat_places, scatter_nd
from .shape import new_shape, shape as shape_of
from .slicing import slice_index
from .sparse import SparseTensor, as_sparse

INT64 = np.dtype(np.int64)
PLACES: dict[str, Any] = {"same": (), "accepts": "any"}


def _at(sparse: SparseTensor, rows: Any) -> SparseTensor:
    """Those `rows` of its indices, with their values."""
    indices, values = gather(sparse.indices, rows), gather(sparse.values, rows)
    return SparseTensor(indices, values, sparse.dense_shape)


def _infer_order(indices: Tensor, dense_shape: Tensor) -> Spec:
    dims = indices.static_shape
    return (None if dims is None else dims[0],), INT64


@op("SparseOrder", infer=_infer_order, **PLACES, samples=[
    case([[1, 0], [0, 1], [0, 0]], [2, 2]), case(np.zeros([0, 2], np.int64), [2, 2]),
])  # fmt: skip
def order_of(indices: Array, dense_shape: Array) -> Array:
    """The numbers of `indices` in the order of the places that they name."""
    flat = flat_places(indices, new_shape(dense_shape))
    return np.argsort(flat, kind="stable").astype(INT64)


NotDifferentiable("SparseOrder")


@composite
def sparse_reorder(sp_input: Any, name: str | None = None) -> SparseTensor:
    """The same sparse tensor with its indices in order, row by row.

    Examples
    --------
    >>> import similarflow as sf
    >>> x = sf.SparseTensor([[1, 0], [0, 1]], [7.0, 5.0], [2, 2])
    >>> sf.Session().run(sf.sparse_reorder(x)).values
    array([5., 7.], dtype=float32)
    """
    sparse = as_sparse(sp_input)
    return _at(sparse, order_of(sparse.indices, sparse.dense_shape, name=name))


@composite
def sparse_transpose(
    sp_input: Any, perm: Any = None, name: str | None = None
) -> SparseTensor:
    """A sparse tensor with its axes in the order `perm`; reversed by default.

    Examples
    --------
    >>> import similarflow as sf
    >>> x = sf.SparseTensor([[0, 1]], [5.0], [2, 3])
    >>> sf.Session().run(sf.sparse_tensor_to_dense(sf.sparse_transpose(x)))
    array([[0., 0.],
           [5., 0.],
           [0., 0.]], dtype=float32)
    """
    sparse = as_sparse(sp_input)
    if perm is None:
        dims = sparse.dense_shape.static_shape
        if not dims or dims[0] is None:
            raise ValueError("the rank is not known before a run: give perm")
        perm = list(range(dims[0]))[::-1]
    indices = gather(sparse.indices, perm, axis=1)
    turned = SparseTensor(indices, sparse.values, gather(sparse.dense_shape, perm))
    return sparse_reorder(turned, name)


def _infer_reshaped(indices: Tensor, dense_shape: Tensor, shape: Tensor) -> list[Spec]:
    dims, new = indices.static_shape, shape.static_shape
    count, rank = None if dims is None else dims[0], None if new is None else new[0]
    return [((count, rank), INT64), ((rank,), INT64)]


@op("SparseReshape", infer=_infer_reshaped, **PLACES, samples=[
    case([[0, 1], [1, 2]], [2, 3], [3, -1]), case([[2]], [6], [2, 3]),
    case(np.zeros([0, 1], np.int64), [4], [2, 2]),
])  # fmt: skip
def reshaped_places(indices: Array, dense_shape: Array, shape: Array) -> Any:
    """`indices` in a tensor of another shape, and that shape without -1."""
    old = new_shape(dense_shape)
    counts = np.broadcast_to(np.int8(0), old)  # no memory, whatever the shape
    try:
        new = counts.reshape([int(n) for n in np.ravel(shape)]).shape
    except ValueError:
        raise ValueError(
            f"a shape for the {counts.size} elements of shape {old} is needed, not "
            f"{np.ravel(shape).tolist()}"
        ) from None
    places = np.unravel_index(flat_places(indices, old), new)
    found = np.stack(places, -1) if new else np.zeros((len(indices), 0))
    return found.astype(INT64), np.array(new, INT64)


NotDifferentiable("SparseReshape")


@composite
def sparse_reshape(sp_input: Any, shape: Any, name: str | None = None) -> SparseTensor:
    """A sparse tensor in another shape, in which one size may be -1: what is left.

    Examples
    --------
    >>> import similarflow as sf
    >>> x = sf.SparseTensor([[0, 1], [1, 2]], [5.0, 7.0], [2, 3])
    >>> sf.Session().run(sf.sparse_reshape(x, [-1])).indices.tolist()
    [[1], [5]]
    """
    sparse = as_sparse(sp_input)
    indices, dims = reshaped_places(
        sparse.indices, sparse.dense_shape, shape, name=name
    )
    return SparseTensor(indices, sparse.values, dims)


@composite
def sparse_retain(sp_input: Any, to_retain: Any) -> SparseTensor:
    """A sparse tensor with those of its values for which the vector says True.

    Examples
    --------
    >>> import similarflow as sf
    >>> x = sf.SparseTensor([[0], [3]], [5.0, 7.0], [4])
    >>> sf.Session().run(sf.sparse_retain(x, [False, True])).indices.tolist()
    [[3]]
    """
    return _at(as_sparse(sp_input), reshape(where_true(to_retain), [-1]))


def _infer_joined(*inputs: Tensor, axis: int, expand: bool) -> list[Spec]:
    half = len(inputs) // 2
    rank = next((t.static_shape[0] for t in inputs[half:] if t.static_shape), None)
    return [((None, rank), INT64), ((rank,), INT64)]


@op("SparseConcat", infer=_infer_joined, attrs=["axis", "expand"], **PLACES, samples=[
    case([[[0, 1]], [[1, 0]], [2, 2], [2, 3]], axis=1, expand=False),
    case([[[0]], [[1], [2]], [1], [3]], axis=-1, expand=False),
])  # fmt: skip
def joined_places(*inputs: Array, axis: Any, expand: Any) -> Any:
    """All places and the shape of what is joined; `inputs` are places, then shapes."""
    half = len(inputs) // 2
    shapes = np.stack(inputs[half:])  # (tensors, rank)
    rank = shapes.shape[1]
    if not -rank <= axis < rank:
        raise ValueError(f"axis {axis} is out of range for rank {rank}")
    whole = shapes.max(0)
    if not expand and (np.delete(shapes - whole, axis, 1) != 0).any():
        raise ValueError(
            f"shapes {shapes.tolist()} cannot be joined on axis {axis}: all other "
            "sizes must be equal. Or give expand_nonconcat_dim=True"
        )
    ends = np.cumsum(shapes[:, axis])
    whole[axis] = ends[-1]
    places = []
    for indices, begin in zip(inputs, ends - shapes[:, axis], strict=False):
        moved = np.array(indices, INT64)
        moved[:, axis] += begin
        places.append(moved)
    return np.concatenate(places), whole.astype(INT64)


NotDifferentiable("SparseConcat")


@composite
def sparse_concat(
    axis: Any, sp_inputs: Sequence[Any], name: str | None = None,
    expand_nonconcat_dim: bool = False, concat_dim: Any = None,
    expand_nonconcat_dims: bool | None = None,
) -> SparseTensor:  # fmt: skip
    """Sparse tensors one after the other, along an axis that they have.

    Parameters
    ----------
    axis : int
    sp_inputs : list of SparseTensor
        Of one shape but for the axis.
    expand_nonconcat_dim : bool
        Let other sizes differ, too: the result has the largest. `expand_nonconcat_dims`
        is the same.
    concat_dim : int, optional
        The older name of `axis`.

    Examples
    --------
    >>> import similarflow as sf
    >>> x = sf.SparseTensor([[0, 1]], [5.0], [1, 2])
    >>> sf.Session().run(sf.sparse_tensor_to_dense(sf.sparse_concat(0, [x, x])))
    array([[0., 5.],
           [0., 5.]], dtype=float32)
    """
    at = as_axis(axis if concat_dim is None else concat_dim)
    parts = [as_sparse(x) for x in sp_inputs]
    if not parts:
        raise ValueError("sparse_concat needs at least one sparse tensor: (0, [x, y])")
    indices, dims = joined_places(
        [*(p.indices for p in parts), *(p.dense_shape for p in parts)],
        axis=at, expand=bool(expand_nonconcat_dim or expand_nonconcat_dims), name=name,
    )  # fmt: skip
    values = concat([p.values for p in parts], 0)
    return sparse_reorder(SparseTensor(indices, values, dims))


@composite
def sparse_reduce_sum(
    sp_input: Any, axis: Any = None, keepdims: bool | None = None,
    reduction_axes: Any = None, keep_dims: bool | None = None,
) -> Tensor:  # fmt: skip
    """The sum over `axis` of a sparse tensor, a dense one; over all axes by default.

    Examples
    --------
    >>> import similarflow as sf
    >>> x = sf.SparseTensor([[0, 1], [1, 1]], [5.0, 7.0], [2, 3])
    >>> sf.Session().run(sf.sparse_reduce_sum(x, 0))
    array([ 0., 12.,  0.], dtype=float32)
    """
    sparse = as_sparse(sp_input)
    dense = scatter_nd(sparse.indices, sparse.values, sparse.dense_shape)
    over = axis if reduction_axes is None else reduction_axes
    keep = bool(keepdims or keep_dims)
    return reduce_sum(dense, over, keepdims=keep)  # type: ignore[no-any-return]


def _infer_union(x: Tensor, x_shape: Tensor, y: Tensor, y_shape: Tensor) -> list[Spec]:
    dims = x_shape.static_shape
    return [((None, None if dims is None else dims[0]), INT64), ((None,), INT64)]


@op("SparseUnion", infer=_infer_union, **PLACES, samples=[
    case([[0, 1], [1, 1]], [2, 2], [[0, 0], [1, 1]], [2, 2]),
    case(np.zeros([0, 1], np.int64), [3], [[2]], [3]),
])  # fmt: skip
def union_of(x: Array, x_shape: Array, y: Array, y_shape: Array) -> Any:
    """The places of both in order, and which of them each place given is."""
    dims, others = new_shape(x_shape), new_shape(y_shape)
    if dims != others:
        raise ValueError(f"sparse tensors of one shape add up, not {dims} and {others}")
    both = np.concatenate([x, y])
    _, first, which = np.unique(
        flat_places(both, dims), return_index=True, return_inverse=True
    )
    return both[first].astype(INT64), which.reshape(-1).astype(INT64)


NotDifferentiable("SparseUnion")


@composite
def sparse_add(a: Any, b: Any, threshold: Any = None, thresh: Any = None) -> Any:
    """The sum of two tensors, at least one of which is sparse.

    It is sparse if both are: then a sum smaller than `threshold` in size is left out.

    Examples
    --------
    >>> import similarflow as sf
    >>> x = sf.SparseTensor([[0], [2]], [5.0, 7.0], [3])
    >>> sf.Session().run([sf.sparse_add(x, x).values, sf.sparse_add(x, [1.0] * 3)])
    [array([10., 14.], dtype=float32), array([6., 1., 8.], dtype=float32)]
    """
    dense = [x for x in (a, b) if not isinstance(x, SparseTensor | tuple)]
    if dense:
        other = as_sparse(b if dense[0] is a else a)
        given = scatter_nd(other.indices, other.values, other.dense_shape)
        return convert_to_tensor(dense[0], other.values.static_dtype) + given
    x, y = as_sparse(a), as_sparse(b)
    places, which = union_of(x.indices, x.dense_shape, y.indices, y.dense_shape)
    given, count = concat([x.values, y.values], 0), slice_index(shape_of(places), 0)
    values = unsorted_segment_sum(given, which, count)
    total = SparseTensor(places, values, x.dense_shape)
    least = threshold if threshold is not None else thresh
    if least is None or (isinstance(least, int | float) and not least):
        return total
    return sparse_retain(total, abs(total.values) >= least)
