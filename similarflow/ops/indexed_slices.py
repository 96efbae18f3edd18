"""Sparse gradients: a few rows of a large tensor, and which rows they are."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..core.dtypes import DType
from ..core.graph import Dims, Graph, Operation, Tensor, convert_to_tensor
from ..core.operators import BUILDERS
from ..core.shapes import TensorShape
from .known import static_dims

if TYPE_CHECKING:
    from ..core.convert import Array


class IndexedSlicesValue(NamedTuple):
    """What running an `IndexedSlices` gives: its parts as arrays."""

    values: Array
    indices: Array
    dense_shape: Array | None = None


class IndexedSlices:
    """Rows of a tensor that is zero elsewhere: row ``indices[i]`` is ``values[i]``.

    It is the gradient of a table from which a step read a few rows. Where an index
    occurs twice, its rows add up. It converts to a tensor wherever one is expected.

    Parameters
    ----------
    values : tensor
        The rows.
    indices : tensor
        A vector of integers, one for each row.
    dense_shape : tensor, optional
        The shape of the whole.
    """

    __slots__ = ("__weakref__", "_dense_shape", "_indices", "_values")

    def __init__(self, values: Any, indices: Any, dense_shape: Any = None) -> None:
        self._values = convert_to_tensor(values)
        graph = self._values.graph
        self._indices = convert_to_tensor(indices, graph=graph)
        self._dense_shape = dense_shape
        if dense_shape is not None:
            self._dense_shape = convert_to_tensor(dense_shape, graph=graph)

    @property
    def values(self) -> Tensor:
        """The rows."""
        return self._values

    @property
    def indices(self) -> Tensor:
        """Where each row belongs."""
        return self._indices

    @property
    def dense_shape(self) -> Tensor | None:
        """The shape of the whole tensor, or None if it is not known."""
        return self._dense_shape  # type: ignore[no-any-return]

    @property
    def name(self) -> str:
        """The name of `values`."""
        return self._values.name

    @property
    def op(self) -> Operation:
        """The operation that computes `values`."""
        return self._values.op

    @property
    def graph(self) -> Graph:
        """The graph that it belongs to."""
        return self._values.graph

    @property
    def device(self) -> str:
        """The device asked for when `values` was made; recorded, without effect."""
        return self._values.device

    @property
    def dtype(self) -> DType:
        """The dtype of `values`."""
        return self._values.dtype

    @property
    def shape(self) -> TensorShape:
        """What is known of the shape of the whole."""
        return TensorShape.from_dims(self._dims())

    def get_shape(self) -> TensorShape:
        """What is known of the shape of the whole, as the property `shape`."""
        return self.shape

    def _dims(self) -> Dims:
        if self._dense_shape is not None:
            return static_dims(self._dense_shape)
        row = self._values.static_shape
        return None if row is None else (None, *row[1:])

    def consumers(self) -> list[Operation]:
        """The operations that take `values`."""
        return self._values.consumers()

    def as_tensor(self) -> Tensor:
        """The whole tensor: an operation that adds the rows up, each at its place.

        Raises
        ------
        ValueError
            The shape of the whole is not known.
        """
        if self._dense_shape is None:
            raise ValueError(
                f"{self!r} has no dense_shape, so that it is not known how large the "
                "tensor is: make it with IndexedSlices(values, indices, dense_shape)"
            )
        dims = static_dims(self._dense_shape)
        rows: Any = dims[0] if dims else None
        if rows is None:
            rows = BUILDERS["slice_index"](self._dense_shape, 0)
        build = BUILDERS["unsorted_segment_sum"]
        tensor: Tensor = build(self._values, self._indices, rows)
        if tensor.static_shape is None:
            tensor.static_shape = dims
        return tensor

    def joined(self, grads: Sequence[IndexedSlices]) -> IndexedSlices:
        """The sum of `grads` (this one among them): all their rows together."""
        concat = BUILDERS["concat"]
        indices = [g.indices for g in grads]
        if len({i.static_dtype for i in indices}) > 1:
            indices = [BUILDERS["cast"](i, np.int64) for i in indices]
        shapes = [g.dense_shape for g in grads if g.dense_shape is not None]
        values = concat([g.values for g in grads], 0)
        return IndexedSlices(values, concat(indices, 0), shapes[0] if shapes else None)

    def with_values(self, values: Tensor) -> IndexedSlices:
        """Other values at the same places."""
        return IndexedSlices(values, self._indices, self._dense_shape)

    @property
    def components(self) -> tuple[Tensor, ...]:
        """The tensors that it is made of."""
        parts = (self._values, self._indices, self._dense_shape)
        return tuple([p for p in parts if p is not None])

    def fetch_as(
        self, values: Array, indices: Array, dense_shape: Array | None = None
    ) -> IndexedSlicesValue:
        """What a run gives for it, from the values of `components`."""
        return IndexedSlicesValue(values, indices, dense_shape)

    def __neg__(self) -> IndexedSlices:
        return self.with_values(-self._values)

    def __repr__(self) -> str:
        return (
            f"IndexedSlices(indices={self._indices!r}, values={self._values!r}, "
            f"dense_shape={self._dense_shape!r})"
        )
