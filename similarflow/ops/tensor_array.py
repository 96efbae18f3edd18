"""``TensorArray``: a list of tensors that is filled while the graph runs."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core.casting import dtype_name
from ..core.convert import as_dims, as_np_dtype
from ..core.dtypes import as_dtype
from ..core.graph import Dims, Graph, Operation, Tensor, convert_to_tensor
from ..core.operators import BUILDERS
from ..core.shapes import TensorShape
from .composite import composite
from .elements import (
    all_places,
    concat_elements,
    count_elements,
    joint_dims,
    new_list,
    read_element,
    split_elements,
    write_element,
)
from .known import static_ints


class TensorArray:
    """A list of tensors of one dtype, to be filled in a loop.

    Each method that writes returns a new `TensorArray`: go on with that one.

    Parameters
    ----------
    dtype : DType
    size : int or tensor
        The number of places.
    dynamic_size : bool
        Whether writing behind the last place adds places.
    infer_shape : bool
        Whether all elements have one shape; writing another one is an error then.
    element_shape : optional
        What is known of that shape.
    flow : tensor, optional
        A list that another `TensorArray` gave.
    clear_after_read : bool
        Accepted, with no effect: as the list is a value that never changes, its
        elements may be read any number of times (TensorFlow refuses unless it is
        False).
    tensor_array_name, handle, colocate_with_first_write_call :
        Accepted as in TensorFlow.

    A place that was not written reads as zeros, once the shape of the elements is known
    from `element_shape` or from one that was written; until then that is an error.

    Examples
    --------
    >>> import similarflow as sf
    >>> _, squares = sf.while_loop(
    ...     lambda i, array: i < 4,
    ...     lambda i, array: (i + 1, array.write(i, i * i)),
    ...     [0, sf.TensorArray(sf.int32, size=4)])
    >>> sf.Session().run(squares.stack())
    array([0, 1, 4, 9], dtype=int32)
    """

    @composite
    def __init__(
        self, dtype: Any, size: Any = None, dynamic_size: bool | None = None,
        clear_after_read: bool | None = None, tensor_array_name: str | None = None,
        handle: Any = None, flow: Any = None, infer_shape: bool = True,
        element_shape: Any = None, colocate_with_first_write_call: bool = True,
        name: str | None = None,
    ) -> None:  # fmt: skip
        kind = as_np_dtype(dtype)
        if kind is None:
            raise TypeError("TensorArray needs the dtype of its elements")
        self._kind: np.dtype[Any] = kind
        self._grows, self._infers = bool(dynamic_size), bool(infer_shape)
        self._known: list[Dims] = [as_dims(element_shape)]  # of all that follow
        self._count: int | None = None
        given = flow if flow is not None else handle
        if given is None:
            if size is None:
                raise ValueError("TensorArray needs a size: TensorArray(dtype, size=3)")
            size = convert_to_tensor(size)
            counts = static_ints(size)
            self._count = counts[0] if counts and not self._grows else None
            given = new_list(
                size, dims=self._known[0], even=self._infers,
                name=name or tensor_array_name,
            )  # fmt: skip
        self._flow = convert_to_tensor(given)

    def with_flow(self, flow: Tensor, count: int | None = None) -> TensorArray:
        """The same kind of list with another value."""
        new = TensorArray.__new__(TensorArray)
        vars(new).update(vars(self))
        new._flow = flow
        new._count = self._count if count is None else count
        return new

    @property
    def flow(self) -> Tensor:
        """The tensor whose value is the list."""
        return self._flow

    @property
    def handle(self) -> Tensor:
        """The same as `flow`."""
        return self._flow

    @property
    def graph(self) -> Graph:
        """The graph that it belongs to."""
        return self._flow.graph

    @property
    def dtype(self) -> Any:
        """The dtype of the elements."""
        return as_dtype(self._kind)

    @property
    def dynamic_size(self) -> bool:
        """Whether it grows when one writes behind its end."""
        return self._grows

    @property
    def element_shape(self) -> TensorShape:
        """What is known of the elements' shape."""
        return TensorShape.from_dims(self._known[0])

    def identity(self) -> TensorArray:
        """The same list, as it is once what is built around it allows to read it."""
        return self.with_flow(BUILDERS["identity"](self._flow))

    def _learn(self, dims: Dims) -> None:
        known = joint_dims(self._known[0], dims)
        if self._infers:
            self._known[0] = known

    def _element(self, value: Any) -> Tensor:
        tensor = convert_to_tensor(value) if hasattr(value, "graph") else None
        if tensor is None:
            return convert_to_tensor(value, self._kind)
        if tensor.static_dtype not in (None, self._kind):
            raise TypeError(
                f"the TensorArray holds {dtype_name(self._kind)}, and the value is "
                f"{dtype_name(tensor.static_dtype)}. Write sf.cast"
            )
        return tensor

    @composite
    def read(self, index: Any, name: str | None = None) -> Tensor:
        """The element at `index`."""
        dtype, dims = self._kind, self._known[0]
        result: Tensor = read_element(
            self._flow, index, dtype=dtype, dims=dims, name=name
        )
        return result

    @composite
    def write(self, index: Any, value: Any, name: str | None = None) -> TensorArray:
        """The list with `value` at `index`, where nothing has been written yet."""
        tensor = self._element(value)
        self._learn(tensor.static_shape)
        return self.with_flow(
            write_element(self._flow, index, tensor, grows=self._grows, name=name)
        )

    @composite
    def stack(self, name: str | None = None) -> Tensor:
        """All elements, stacked along a new first axis.

        Of none, sizes that neither the graph nor `unstack` or `split` told are 0.
        """
        whole = self.gather(all_places(self._flow), name)
        dims = whole.static_shape
        if dims is not None:
            whole.static_shape = (self._count, *dims[1:])
        return whole

    @composite
    def gather(self, indices: Any, name: str | None = None) -> Tensor:
        """The elements at `indices`, stacked along a new first axis."""
        dtype, dims = self._kind, self._known[0]
        result: Tensor = read_element(
            self._flow, indices, dtype=dtype, dims=dims, name=name
        )
        return result

    @composite
    def concat(self, name: str | None = None) -> Tensor:
        """The elements one after the other, along their first axis."""
        dtype, dims = self._kind, self._known[0]
        result: Tensor = concat_elements(self._flow, dtype=dtype, dims=dims, name=name)
        return result

    @composite
    def unstack(self, value: Any, name: str | None = None) -> TensorArray:
        """The list of the parts of `value` along its first axis."""
        tensor = self._element(value)
        return self._put(all_places(tensor), tensor, name)

    @composite
    def scatter(self, indices: Any, value: Any, name: str | None = None) -> TensorArray:
        """The list with the parts of `value` along its first axis at `indices`."""
        return self._put(indices, self._element(value), name)

    def _put(self, indices: Any, tensor: Tensor, name: str | None) -> TensorArray:
        dims = tensor.static_shape
        if dims == ():
            raise ValueError(
                "value is a scalar, and has no parts. Give it an axis: [value]"
            )
        self._learn(None if dims is None else dims[1:])
        return self.with_flow(
            write_element(self._flow, indices, tensor, grows=self._grows, name=name)
        )

    @composite
    def split(self, value: Any, lengths: Any, name: str | None = None) -> TensorArray:
        """The list of pieces of `value` that have `lengths` rows each."""
        tensor = self._element(value)
        dims = tensor.static_shape
        if dims == ():
            raise ValueError(
                "value is a scalar, and has no rows. Give it an axis: [value]"
            )
        if dims is not None:
            self._learn((None, *dims[1:]))
        return self.with_flow(split_elements(tensor, lengths, name=name))

    def size(self, name: str | None = None) -> Tensor:
        """The number of places."""
        result: Tensor = count_elements(self._flow, name=name)
        return result

    def close(self, name: str | None = None) -> Operation:
        """Accepted as in TensorFlow; there is nothing to close."""
        return BUILDERS["no_op"](name=name)  # type: ignore[no-any-return]
