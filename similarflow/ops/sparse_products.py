"""Sparse tensors times and by dense ones: element by element, and as matrices."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..core.convert import Array
from ..core.extend import extends
from ..core.graph import Dims, Operation, Spec, Tensor, convert_to_tensor, graph_of
from ..core.operators import BUILDERS
from ..core.registry import op
from ..core.rules import RegisterGradient
from ..core.samples import case, normal
from .adjoint import adjoint
from .complex import conj
from .elementary import reduce_sum, sum_like
from .fronts import front_of
from .gather import add_rows, check_index_type, gather
from .known import show, static_dims
from .scatter import scatter_nd
from .shape import as_shape_input
from .sparse import SparseTensor, as_sparse


def _check_places(indices: Array, values: Array, dims: Any) -> None:
    """Raise ValueError that names the first index outside of a sparse tensor."""
    bad = np.flatnonzero(((indices < 0) | (indices >= np.asarray(dims))).any(1))
    if bad.size:
        i = int(bad[0])
        value = f", where {values[i]} stands," if np.size(values) else ""
        raise ValueError(
            f"indices[{i}] = {indices[i].tolist()} of the sparse tensor{value} is "
            f"outside of its shape {tuple(np.asarray(dims).tolist())}"
        )


# Element by element


def _infer_beside(sp_indices: Tensor, sp_shape: Tensor, dense: Tensor) -> Spec:
    check_index_type(sp_indices)
    dims, inner = static_dims(sp_shape), dense.static_shape
    if dims is not None and inner is not None:
        _check_spread(dims, inner)
    places = sp_indices.static_shape
    return (None if places is None else places[0],), dense.static_dtype


def _check_spread(dims: Sequence[int | None], inner: Sequence[int | None]) -> None:
    sizes = zip(inner[::-1], dims[::-1], strict=False)
    if len(inner) > len(dims) or any(m not in (1, n, None) for m, n in sizes if n):
        raise ValueError(
            f"the dense tensor has shape {show(tuple(inner))}, which does not "
            f"broadcast to the sparse one's {show(tuple(dims))}: only the dense one is "
            "broadcast"
        )


@op("SparseDenseCwiseGather", infer=_infer_beside, same=["dense"], accepts="any",
    converters={"sp_shape": as_shape_input}, samples=[
        case([[0, 1], [1, 2]], [2, 3], normal(2, 3)),
        case([[0, 1], [1, 2], [1, 2]], [2, 3], normal(3)),
        case([[0, 1], [1, 2]], [2, 3], normal(2, 1)), case([[2]], [3], normal()),
        case(np.zeros([0, 2], np.int64), [2, 2], normal(2, 2)),
    ])  # fmt: skip
def values_beside(sp_indices: Array, sp_shape: Array, dense: Array) -> Array:
    """What stands in `dense`, broadcast to a shape, at the places of `sp_indices`."""
    dims, inner = tuple(np.asarray(sp_shape).tolist()), np.shape(dense)
    _check_spread(dims, inner)
    found = np.asarray(sp_indices)
    _check_places(found, np.zeros(0), dims)
    return np.array(np.broadcast_to(dense, dims)[tuple(found.T)])


@RegisterGradient("SparseDenseCwiseGather")
def _values_beside_grad(op: Operation, grad: Tensor) -> Any:
    places, dims, dense = op.inputs
    return None, None, sum_like(scatter_nd(places, grad, dims), dense)


def _with(builder: str, name: str) -> Callable[[Any, Any], SparseTensor]:
    """An operator of a sparse tensor and a dense one."""

    def combine(sparse: Any, dense: Any) -> SparseTensor:
        with graph_of([sparse.values, dense]).as_default():
            y = convert_to_tensor(dense, sparse.values.static_dtype)
            beside = values_beside(sparse.indices, sparse.dense_shape, y)
            new = BUILDERS[builder](sparse.values, beside, name=name)
            return SparseTensor(sparse.indices, new, sparse.dense_shape)

    return combine


@extends(SparseTensor)
class SparseOperators:
    """The operators that keep a sparse tensor sparse; the dense one is broadcast.

    Examples
    --------
    >>> import similarflow as sf
    >>> x = sf.SparseTensor([[0, 1], [1, 0]], [5.0, 7.0], [2, 2])
    >>> sf.Session().run((x * [[1.0], [10.0]]).values)
    array([ 5., 70.], dtype=float32)
    """

    __slots__ = ()
    __array_ufunc__ = None  # arrays and tensors leave operators to it
    __mul__ = __rmul__ = _with("multiply", "mul")
    __truediv__ = _with("truediv", "truediv")


# Matrices


def _infer_product(
    a_indices: Tensor, a_values: Tensor, a_shape: Tensor, b: Tensor,
    adjoint_a: bool = False, adjoint_b: bool = False,
) -> Spec:  # fmt: skip
    check_index_type(a_indices)
    sizes, other = static_dims(a_shape), b.static_shape
    for what, dims in (("the sparse matrix", sizes), ("b", other)):
        if dims is not None and len(dims) != 2:
            raise ValueError(f"{what} has shape {show(dims)}, and a matrix is needed")
    rows, inner = _turned(sizes, adjoint_a)
    height, columns = _turned(other, adjoint_b)
    if None not in (inner, height) and inner != height:
        raise ValueError(
            f"the sparse matrix has {inner} columns, and b {height} rows: shapes "
            f"{show(sizes)} and {show(other)}"
            + (", adjoints to be taken" if adjoint_a or adjoint_b else "")
        )
    return (rows, columns), a_values.static_dtype


def _turned(dims: Dims, turn: bool) -> tuple[int | None, int | None]:
    """The sizes of a matrix, or of its transpose."""
    rows, columns = dims or (None, None)
    return (columns, rows) if turn else (rows, columns)


@op("SparseTensorDenseMatMul", infer=_infer_product, same=["a_values", "b"],
    holomorphic=False, converters={"a_shape": as_shape_input}, samples=[
        case([[0, 1], [1, 2], [0, 1]], normal(3), [2, 3], normal(3, 2)),
        case([[0, 1], [1, 2]], normal(2), [2, 3], normal(2, 2), adjoint_a=True),
        case([[0, 1], [1, 2]], normal(2), [2, 3], normal(2, 3), adjoint_b=True),
        case([[1, 0], [1, 2]], normal(2), [2, 3], normal(4, 2), adjoint_a=True,
             adjoint_b=True),
        case(np.zeros([0, 2], np.int64), normal(0), [2, 2], normal(2, 0)),
    ])  # fmt: skip
def sparse_times(
    a_indices: Array, a_values: Array, a_shape: Array, b: Array,
    adjoint_a: bool = False, adjoint_b: bool = False,
) -> Array:  # fmt: skip
    """The product of a sparse matrix and `b`; see `sparse_tensor_dense_matmul`."""
    places, values, dims = np.asarray(a_indices), np.asarray(a_values), a_shape
    _check_places(places, values, dims)
    dense = np.conj(b).T if adjoint_b else np.asarray(b)
    height, inner = _turned(np.asarray(dims).tolist(), adjoint_a)
    if dense.shape[0] != inner:
        raise ValueError(
            f"the sparse matrix has {inner} columns, and b {dense.shape[0]} rows"
        )
    rows, columns = places.T[::-1] if adjoint_a else places.T
    factors = np.conj(values) if adjoint_a else values
    product = np.zeros([height or 0, dense.shape[1]], values.dtype)
    add_rows(product, rows, factors[:, None] * dense[columns])
    return product


@RegisterGradient("SparseTensorDenseMatMul")
def _sparse_times_grad(op: Operation, grad: Tensor) -> Any:
    places, values, dims, b = op.inputs
    adjoint_a, adjoint_b = op.attrs["adjoint_a"], op.attrs["adjoint_b"]
    dense = adjoint(b) if adjoint_b else b
    row, column = (1, 0) if adjoint_a else (0, 1)
    rows, columns = gather(grad, places[:, row]), gather(dense, places[:, column])
    of_values = reduce_sum(rows * conj(columns), 1)
    of_dense = sparse_times(places, values, dims, grad, adjoint_a=not adjoint_a)
    return (
        None,
        conj(of_values) if adjoint_a else of_values,
        None,
        adjoint(of_dense) if adjoint_b else of_dense,
    )


@front_of(sparse_times)
def sparse_tensor_dense_matmul(
    sp_a: Any, b: Any, adjoint_a: bool = False, adjoint_b: bool = False,
    name: str | None = None,
) -> Tensor:  # fmt: skip
    """The product of a sparse matrix and a dense one.

    Parameters
    ----------
    sp_a : SparseTensor
        A matrix. Of values for one place, all are added up.
    b : tensor
        A matrix.
    adjoint_a, adjoint_b : bool
        Whether to transpose it first, and to conjugate complex numbers.

    Returns
    -------
    tensor
        Gradients flow to the values of `sp_a` and to `b`.

    Raises
    ------
    ValueError
        An index of `sp_a` is outside of its shape, or the shapes do not fit.

    Examples
    --------
    >>> import similarflow as sf
    >>> a = sf.SparseTensor([[0, 1], [1, 0]], [2.0, 3.0], [2, 2])
    >>> sf.Session().run(sf.sparse_tensor_dense_matmul(a, [[1.0], [10.0]]))
    array([[20.],
           [ 3.]], dtype=float32)
    """
    sparse = as_sparse(sp_a)
    graph = graph_of([sparse.values, b])
    with graph.as_default(), graph.name_scope(name or "SparseTensorDenseMatMul"):
        product: Tensor = sparse_times(
            *sparse.components, b, adjoint_a=bool(adjoint_a), adjoint_b=bool(adjoint_b)
        )
    return product
