"""Tensors with other values at some places: `scatter_nd_update` without a variable."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core.convert import Array
from ..core.graph import Operation, Spec, Tensor
from ..core.infer import same_as_input
from ..core.registry import op
from ..core.rules import RegisterGradient
from ..core.samples import case, normal
from .gather import check_index_type
from .scatter import check_updates, gather_at, with_added, with_replaced
from .shape import zeros_like


def _infer_scattered(tensor: Tensor, indices: Tensor, updates: Tensor) -> Spec:
    check_index_type(indices)
    dims = tensor.static_shape
    check_updates(indices.static_shape, updates.static_shape, dims)
    return same_as_input(tensor)


SCATTERED: dict[str, Any] = {
    "infer": _infer_scattered, "same": ["tensor", "updates"], "samples": [
        case(normal(5), [[3], [1]], normal(2)),
        case(normal(3, 2), [[0], [2]], normal(2, 2)),
        case(normal(2, 3), [[[0, 1]], [[1, 2]]], normal(2, 1)),
        case(normal(3), np.zeros([0, 1], np.int64), normal(0)),
    ],
}  # fmt: skip


@op("TensorScatterUpdate", accepts="any", **SCATTERED)
def tensor_scatter_update(tensor: Array, indices: Array, updates: Array) -> Array:
    """`tensor` with `updates` at the places in `indices`.

    Parameters
    ----------
    tensor : tensor
        Of any dtype.
    indices : tensor of ints
        The last axis holds one place: a number for each of the first axes of `tensor`.
        Of two updates of one place, the last counts; the gradient goes to both.
    updates : tensor
        What is at each place.

    Raises
    ------
    ValueError
        A place is not in `tensor`, or the shapes do not fit.

    Examples
    --------
    >>> import similarflow as sf
    >>> sf.Session().run(sf.tensor_scatter_update([1, 2, 3], [[0], [2]], [10, 30]))
    array([10,  2, 30], dtype=int32)
    """
    return with_replaced(tensor, indices, updates)


@RegisterGradient("TensorScatterUpdate")
def _tensor_scatter_update_grad(op: Operation, grad: Tensor) -> Any:
    _, indices, updates = op.inputs
    rest = tensor_scatter_update(grad, indices, zeros_like(updates))
    return rest, None, gather_at(grad, indices)


@op("TensorScatterAdd", **SCATTERED)
def tensor_scatter_add(tensor: Array, indices: Array, updates: Array) -> Array:
    """`tensor` plus `updates` at the places in `indices`; see `tensor_scatter_update`.

    A place that occurs twice is added to twice.

    Examples
    --------
    >>> import similarflow as sf
    >>> sf.Session().run(sf.tensor_scatter_add([1, 2, 3], [[0], [0]], [10, 20]))
    array([31,  2,  3], dtype=int32)
    """
    return with_added(tensor, indices, updates)


@RegisterGradient("TensorScatterAdd")
def _tensor_scatter_add_grad(op: Operation, grad: Tensor) -> Any:
    return grad, None, gather_at(grad, op.inputs[1])


@op("TensorScatterSub", **SCATTERED)
def tensor_scatter_sub(tensor: Array, indices: Array, updates: Array) -> Array:
    """`tensor` less `updates` at the places in `indices`; see `tensor_scatter_add`."""
    return with_added(tensor, indices, np.negative(updates))


@RegisterGradient("TensorScatterSub")
def _tensor_scatter_sub_grad(op: Operation, grad: Tensor) -> Any:
    return grad, None, -gather_at(grad, op.inputs[1])
