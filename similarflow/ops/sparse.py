"""Sparse tensors: the places that are not zero, and what stands there."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..core.convert import Array, as_dims
from ..core.dtypes import DType
from ..core.graph import (
    Graph,
    Operation,
    Placeholder,
    Spec,
    Tensor,
    convert_to_tensor,
    get_default_graph,
    graph_of,
)
from ..core.registry import op
from ..core.rules import RegisterGradient
from ..core.samples import case, normal
from ..core.shapes import TensorShape
from .composite import composite
from .elementary import ones_like, reduce_sum, sum_like
from .gather import check_index_type
from .join import stack
from .known import show, static_dims
from .reshape import reshape
from .scatter import flat_places, gather_nd
from .shape import as_shape_input, filled_dims, new_shape, shape, size, zeros_like


class SparseTensorValue(NamedTuple):
    """A sparse tensor's parts as arrays: what is fed for one, and what a run gives."""

    indices: Any
    values: Any
    dense_shape: Any


class SparseTensor:
    """A tensor that is zero but at ``indices[i]``, where it is ``values[i]``.

    It is made of three tensors and computes nothing itself. Fetching gives a
    `SparseTensorValue`, and feeding takes one.

    Parameters
    ----------
    indices : tensor of int64, shape (count, rank)
        The places, in the order of the rows.
    values : tensor, shape (count,)
        What stands there; any dtype.
    dense_shape : tensor of int64, shape (rank,)
        The shape of the whole.

    Raises
    ------
    ValueError
        The shapes of the parts do not fit each other.

    Examples
    --------
    >>> import similarflow as sf
    >>> x = sf.SparseTensor([[0, 1], [1, 0]], [5.0, 7.0], [2, 2])
    >>> sf.Session().run(sf.sparse_tensor_to_dense(x))
    array([[0., 5.],
           [7., 0.]], dtype=float32)
    """

    __slots__ = ("__weakref__", "dense_shape", "indices", "values")

    def __init__(self, indices: Any, values: Any, dense_shape: Any) -> None:
        given = (indices, values, dense_shape)
        graph = graph_of([part for part in given if hasattr(part, "graph")])
        with graph.as_default(), graph.name_scope("SparseTensor"):
            self.indices = convert_to_tensor(indices, np.int64, "indices", graph=graph)
            self.values = convert_to_tensor(values, name="values", graph=graph)
            self.dense_shape = convert_to_tensor(
                dense_shape, np.int64, "dense_shape", graph=graph
            )
        _check_parts(*self.components)

    @classmethod
    def from_value(cls, sparse_tensor_value: Any) -> SparseTensor:
        """A sparse tensor of constants, from a `SparseTensorValue` or a triple."""
        if isinstance(sparse_tensor_value, SparseTensor):
            return sparse_tensor_value
        return cls(*sparse_tensor_value)

    @property
    def components(self) -> tuple[Tensor, Tensor, Tensor]:
        """The tensors that it is made of."""
        return self.indices, self.values, self.dense_shape

    def fetch_as(self, *parts: Array) -> SparseTensorValue:
        """What a run gives for it, from the values of `components`."""
        return SparseTensorValue(*parts)

    @property
    def op(self) -> Operation:
        """The operation that computes `values`."""
        return self.values.op

    @property
    def graph(self) -> Graph:
        """The graph that it belongs to."""
        return self.values.graph

    @property
    def dtype(self) -> DType:
        """The dtype of `values`."""
        return self.values.dtype

    @property
    def shape(self) -> TensorShape:
        """What is known of the shape of the whole."""
        return TensorShape.from_dims(static_dims(self.dense_shape))

    def get_shape(self) -> TensorShape:
        """What is known of the shape of the whole, as the property `shape`."""
        return self.shape

    def __repr__(self) -> str:
        return (
            f"SparseTensor(indices={self.indices!r}, values={self.values!r}, "
            f"dense_shape={self.dense_shape!r})"
        )


def _check_parts(indices: Tensor, values: Tensor, dense_shape: Tensor) -> None:
    ranks = {"indices": 2, "values": 1, "dense_shape": 1}
    parts = dict(zip(ranks, (indices, values, dense_shape), strict=True))
    for name, part in parts.items():
        dims = part.static_shape
        if dims is not None and len(dims) != ranks[name]:
            raise ValueError(
                f"{name} of a SparseTensor have rank {ranks[name]}, not shape "
                f"{show(dims)}: indices are (count, rank), values (count,), "
                "dense_shape (rank,)"
            )
    sizes = [parts[name].static_shape or (None, None) for name in ranks]
    for this, that, what in (
        (sizes[0][0], sizes[1][0], "one value for each index"),
        (sizes[0][1], sizes[2][0], "one number for each axis"),
    ):
        if None not in (this, that) and this != that:
            raise ValueError(
                f"a SparseTensor has {what}: indices are {show(sizes[0])}, values "
                f"{show(sizes[1])}, dense_shape {show(sizes[2])}"
            )


def as_sparse(sp_input: Any) -> SparseTensor:
    """A sparse tensor, or its value, as a sparse tensor; raises TypeError else."""
    if isinstance(sp_input, SparseTensor | SparseTensorValue):
        return SparseTensor.from_value(sp_input)
    raise TypeError(
        f"a SparseTensor is needed, not {sp_input!r:.100}: make one with "
        "sf.SparseTensor(indices, values, dense_shape)"
    )


@composite
def sparse_placeholder(
    dtype: Any, shape: Any = None, name: str | None = None
) -> SparseTensor:
    """A `SparseTensor` to be fed, with a `SparseTensorValue` or a triple.

    Parameters
    ----------
    dtype : dtype
        Of the values.
    shape : list of int, optional
        The shape of the whole; by default it is fed too, and may differ.
    name : str, optional
        The three placeholders are called name/values, name/indices, name/shape.

    Examples
    --------
    >>> import similarflow as sf
    >>> x = sf.sparse_placeholder(sf.float32)
    >>> total = sf.reduce_sum(x.values)
    >>> print(sf.Session().run(total, {x: ([[0, 2]], [1.5], [1, 3])}))
    1.5
    """
    dims = as_dims(shape)
    whole = dims is not None and None not in dims
    rank = None if dims is None else len(dims)
    with get_default_graph().name_scope(name or "SparsePlaceholder"):
        values = Placeholder(dtype, [None], name="values")
        indices = Placeholder(np.int64, [None, rank], name="indices")
        if whole:
            dense: Any = convert_to_tensor(list(dims or ()), np.int64, "shape")
        else:
            dense = Placeholder(np.int64, [rank], name="shape")
    return SparseTensor(indices, values, dense)


# ---- made dense


def _rows(indices: Any) -> Array:
    """Places as rows: one number is a place of rank 1, a vector many of those."""
    found = np.asarray(indices)
    return found if found.ndim == 2 else found.reshape(-1, 1)


def _infer_dense(
    sparse_indices: Tensor, output_shape: Tensor, sparse_values: Tensor,
    default_value: Tensor, validate_indices: bool = True,
) -> Spec:  # fmt: skip
    check_index_type(sparse_indices)
    dims, places = filled_dims(output_shape), sparse_indices.static_shape
    if places is not None and len(places) > 2:
        raise ValueError(f"indices have rank 2 at most, not shape {show(places)}")
    if dims is not None and places is not None:
        depth = places[1] if len(places) == 2 else 1
        if depth not in (None, len(dims)):
            raise ValueError(
                f"each index has {depth} numbers, and the shape {show(dims)} "
                f"{len(dims)} axes"
            )
    if default_value.static_shape:
        found = show(default_value.static_shape)
        raise ValueError(f"the default is one value, not of shape {found}")
    return dims, sparse_values.static_dtype


@op(
    "SparseToDense", infer=_infer_dense, accepts="any",
    same=["sparse_values", "default_value"],
    converters={"output_shape": as_shape_input}, samples=[
        case([[0, 1], [2, 0]], [3, 2], normal(2), normal()),
        case([1, 3], [5], normal(2), normal()), case(2, [3], normal(), normal()),
        case([0, 2], [3], normal(), normal()),
        case(np.zeros([0, 2], np.int64), [2, 2], normal(0), normal()),
    ],
)  # fmt: skip
def fill_places(
    sparse_indices: Array, output_shape: Array, sparse_values: Array,
    default_value: Array, validate_indices: bool = True,
) -> Array:  # fmt: skip
    """`default_value` everywhere but at the places in `sparse_indices`."""
    rows, values = _rows(sparse_indices), np.asarray(sparse_values)
    dense = np.full(new_shape(output_shape), default_value, values.dtype)
    if rows.shape[1] != dense.ndim:
        raise ValueError(
            f"each index has {rows.shape[1]} numbers, and the shape {dense.shape} "
            f"{dense.ndim} axes"
        )
    flat = flat_places(rows, dense.shape)
    if values.ndim and values.shape != flat.shape:
        raise ValueError(
            f"there are {len(flat)} indices, and values of shape {values.shape}"
        )
    if validate_indices:
        wrong = np.flatnonzero(flat[1:] <= flat[:-1])
        if wrong.size:
            i = int(wrong[0]) + 1
            raise ValueError(
                f"indices[{i}] = {rows[i].tolist()} repeats an earlier one or comes "
                "too late: sort them, or pass validate_indices=False"
            )
    dense.reshape(-1)[flat] = values
    return dense


@RegisterGradient("SparseToDense")
def _fill_places_grad(op: Operation, grad: Tensor) -> Any:
    places, sizes, values, default = op.inputs
    dims = places.static_shape
    if dims is None or len(dims) < 2:  # numbers are places of rank 1
        places = reshape(places, stack([-1, size(sizes)]))
    elsewhere = fill_places(
        places, shape(grad), zeros_like(values), ones_like(default),
        validate_indices=op.attrs["validate_indices"],
    )  # fmt: skip
    of_values = sum_like(gather_nd(grad, places), values)
    return None, None, of_values, reduce_sum(grad * elsewhere)


@composite
def sparse_to_dense(
    sparse_indices: Any, output_shape: Any, sparse_values: Any,
    default_value: Any = 0, validate_indices: bool = True, name: str | None = None,
) -> Tensor:  # fmt: skip
    """A tensor that is `default_value` but at some places.

    Parameters
    ----------
    sparse_indices : tensor of ints
        The places: of shape (count, rank); for a vector also (count,), or one number.
    output_shape : list of int, or tensor
        The shape of the result.
    sparse_values : tensor
        The value of each place, or one for all.
    default_value : number
        What stands elsewhere.
    validate_indices : bool
        Whether the places must be sorted, without repeats. Else the last one counts.

    Raises
    ------
    ValueError
        A place is outside of the shape, or they are not sorted.

    Examples
    --------
    >>> import similarflow as sf
    >>> sf.Session().run(sf.sparse_to_dense([1, 3], [5], 7))
    array([0, 7, 0, 7, 0], dtype=int32)
    """
    values = convert_to_tensor(sparse_values)
    if values.static_dtype is not None and values.static_dtype.kind == "O":
        default_value = "" if isinstance(default_value, int) else default_value
    return fill_places(  # type: ignore[no-any-return]
        sparse_indices, output_shape, values, default_value,
        validate_indices=bool(validate_indices), name=name or "SparseToDense",
    )  # fmt: skip


@composite
def sparse_tensor_to_dense(
    sp_input: Any, default_value: Any = 0, validate_indices: bool = True,
    name: str | None = None,
) -> Tensor:  # fmt: skip
    """A `SparseTensor` as an ordinary one; see `sparse_to_dense`."""
    sparse = as_sparse(sp_input)
    return sparse_to_dense(
        sparse.indices, sparse.dense_shape, sparse.values, default_value,
        validate_indices, name,
    )  # fmt: skip
