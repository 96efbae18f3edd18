"""The value of a ``TensorArray``, and the operations that read and write it.

The value is a list that is never changed: to write makes a new list, which shares what
it can with the old one. So it goes through loops and conditions as any tensor does, and
gradients follow. The gradient of a list is a list, too, which lacks the elements that
have none.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core.casting import dtype_name
from ..core.convert import Array
from ..core.graph import Dims, Operation, Spec, Tensor
from ..core.registry import op
from ..core.rules import NotDifferentiable, RegisterGradient
from .known import merge_dims, show
from .places import Places
from .subgraph import spec_of

INT32 = np.dtype(np.int32)
NOTHING = Places()


class Elements:
    """The value of a `TensorArray`: elements by their places. It is never changed."""

    __slots__ = ("dims", "even", "items", "size")
    __array_ufunc__ = None  # arrays leave sums to it
    is_opaque = True
    shape: tuple[int, ...] = ()
    dtype = np.dtype(np.float32)  # zeros like it are a number, an empty list

    def __init__(
        self, items: Places, size: int = 0, dims: Dims = None, even: bool = True
    ) -> None:
        self.items, self.size = items, size
        self.dims = dims  # what is known of the shape of its elements, even of none
        self.even = even  # whether they all have one shape

    def __array__(self, dtype: Any = None, copy: Any = None) -> Array:
        """What a fetch of it gives, since it is no number."""
        return np.zeros((), np.float32 if dtype is None else dtype)

    def __add__(self, other: Any) -> Elements:
        few, many = self.items, items_of(other)
        if len(few) > len(many):
            few, many = many, few
        sums = {i: many.get(i) + v if i in many else v for i, v in few.items()}
        return Elements(many.put(sums), max(self.size, getattr(other, "size", 0)))

    __radd__ = __add__


def items_of(value: Any) -> Places:
    """The elements of a list; a number stands for an empty one."""
    return value.items if isinstance(value, Elements) else NOTHING


def _places(index: Any) -> list[int]:
    places: list[int] = np.asarray(index, np.int64).ravel().tolist()
    return places


LIST: dict[str, Any] = {"same": (), "accepts": "any"}


def _infer_list(*inputs: Tensor, **attrs: Any) -> Spec:
    return (), None


def _check_whole(numbers: Tensor, what: str) -> None:
    dtype = numbers.static_dtype
    if dtype is not None and dtype.kind not in "iu":
        raise TypeError(f"{what} must be integers, not {dtype_name(dtype)}")


@op("TensorArrayV3", infer=_infer_list, attrs=["dims", "even"], **LIST)
def new_list(size: Array, dims: Any, even: Any) -> Any:
    """An empty list, and what is known of the shapes of its elements."""
    return Elements(NOTHING, int(size), dims, even)


NotDifferentiable("TensorArrayV3")


def _infer_write(flow: Tensor, index: Tensor, value: Tensor, grows: Any) -> Spec:
    _check_whole(index, "places")
    return _infer_list()


@op("TensorArrayWriteV3", infer=_infer_write, attrs=["grows"], **LIST)
def write_element(flow: Array, index: Array, value: Array, grows: Any) -> Any:
    """The list with `value` at `index`; with a vector of places, a row at each."""
    size = getattr(flow, "size", 0)
    items, new = items_of(flow), {}
    rows = np.asarray(value)[None] if np.ndim(index) == 0 else np.asarray(value)
    places = _places(index)
    if len(rows) != len(places):
        raise ValueError(f"{len(rows)} elements cannot go to {len(places)} places")
    for n, i in enumerate(places):
        if i < 0 or (i >= size and not grows):
            raise ValueError(
                f"tried to write to place {i} of a TensorArray with {size} places"
            )
        if i in items or i in new:
            raise ValueError(f"place {i} of the TensorArray has been written already")
        new[i] = value if np.ndim(index) == 0 else rows[n, ...]
        size = max(size, i + 1)
    even, dims = getattr(flow, "even", True), getattr(flow, "dims", None)
    known = joint_dims(dims, rows.shape[1:])
    return Elements(items.put(new), size, known if even else dims, even)


def joint_dims(dims: Dims, new: Dims) -> Dims:
    """What is known of the shape of elements, of which a new one is written."""
    try:
        return merge_dims(dims, new)
    except ValueError:
        raise ValueError(
            f"the elements of a TensorArray have one shape, {show(dims)}, and "
            f"{show(new)} is written. With infer_shape=False, and no element_shape "
            "that says otherwise, they may differ"
        ) from None


@RegisterGradient("TensorArrayWriteV3")
def _write_grad(op: Operation, grad: Tensor) -> Any:
    _, index, value = op.inputs
    return _without(grad, index), None, _take(grad, index, value)


@op("TensorArrayWithout", infer=_infer_list, **LIST)
def _without(flow: Array, index: Array) -> Any:
    """The list without the elements at some places."""
    left = items_of(flow).without(_places(index))
    return Elements(left, getattr(flow, "size", 0))


@RegisterGradient("TensorArrayWithout")
def _without_grad(op: Operation, grad: Tensor) -> Any:
    return _without(grad, op.inputs[1]), None


@op(
    "TensorArrayTake", infer=lambda flow, index, like: spec_of(like), **LIST
)  # fmt: skip
def _take(flow: Array, index: Array, like: Array) -> Any:
    """What a list has at some places, zeros where it has nothing; as `like`."""
    items = items_of(flow)
    if np.ndim(index) == 0:
        found = items.get(int(index))
        return np.zeros_like(like) if found is None else found
    rows = np.zeros_like(like)
    for n, i in enumerate(_places(index)):
        if i in items:
            rows[n] = items.get(i)
    return rows


@RegisterGradient("TensorArrayTake")
def _take_grad(op: Operation, grad: Tensor) -> Any:
    return _alone(grad, op.inputs[1]), None, None


@op("TensorArrayAlone", infer=_infer_list, **LIST)
def _alone(value: Array, index: Array) -> Any:
    """A list with nothing but `value` at `index`, or rows of it at some places."""
    if np.ndim(index) == 0:
        return Elements(Places({int(index): value}))
    items: dict[int, Any] = {}
    for n, i in enumerate(_places(index)):
        row = np.asarray(value)[n, ...]
        items[i] = items[i] + row if i in items else row
    return Elements(Places(items))


@RegisterGradient("TensorArrayAlone")
def _alone_grad(op: Operation, grad: Tensor) -> Any:
    return _take(grad, op.inputs[1], op.inputs[0]), None


def _infer_read(flow: Tensor, index: Tensor, dtype: Any, dims: Dims) -> Spec:
    _check_whole(index, "places")
    places = index.static_shape
    if dims is None or places is None:
        return None, dtype
    return (*places, *dims), dtype


@op("TensorArrayReadV3", infer=_infer_read, attrs=["dtype", "dims"], **LIST)
def read_element(flow: Array, index: Array, dtype: Any, dims: Any) -> Any:
    """The element at a place; with a vector of places, those stacked."""
    items, size = items_of(flow), getattr(flow, "size", 0)
    dims = joint_dims(dims, getattr(flow, "dims", None))
    found = [_element(items, size, i, dtype, dims) for i in _places(index)]
    if np.ndim(index) == 0:
        return found[0]
    if not found:
        return np.zeros((0, *(n or 0 for n in dims or ())), dtype)
    if len({np.shape(v) for v in found}) > 1:
        shapes = ", ".join(str(np.shape(v)) for v in found[:6])
        raise ValueError(f"elements of the shapes {shapes} cannot be stacked")
    whole = np.empty((len(found), *np.shape(found[0])), dtype)
    for n, value in enumerate(found):
        whole[n, ...] = value
    return whole


def _element(items: Places, size: int, i: int, dtype: Any, dims: Any) -> Any:
    found = items.get(i)
    if found is not None:
        return found
    if not 0 <= i < size:
        raise ValueError(f"tried to read place {i} of a TensorArray with {size} places")
    if dims is None or None in dims:
        raise ValueError(
            f"place {i} of the TensorArray has not been written, and the shape of its "
            "elements is not known"
        )
    return np.zeros(dims, dtype)


@RegisterGradient("TensorArrayReadV3")
def _read_grad(op: Operation, grad: Tensor) -> Any:
    return _alone(grad, op.inputs[1]), None


@op("TensorArraySizeV3", infer=lambda flow: ((), INT32), **LIST)
def count_elements(flow: Array) -> Any:
    """The number of places."""
    return np.int32(getattr(flow, "size", 0))


NotDifferentiable("TensorArraySizeV3")


@op("TensorArrayPlaces", infer=lambda whole: ((None,), INT32), **LIST)
def all_places(whole: Any) -> Any:
    """The numbers of all places of a list, or of all rows of a tensor."""
    count = whole.size if isinstance(whole, Elements) else np.shape(whole)[0]
    return np.arange(count, dtype=np.int32)


NotDifferentiable("TensorArrayPlaces")


@op(
    "TensorArrayLengths", infer=lambda flow, dims: ((None,), INT32), attrs=["dims"],
    **LIST,
)  # fmt: skip
def _lengths(flow: Array, dims: Any) -> Any:
    """The number of rows of each element, also of one that was never written."""
    items, size = items_of(flow), getattr(flow, "size", 0)
    dims = joint_dims(dims, getattr(flow, "dims", None))
    parts = [_element(items, size, i, np.float32, dims) for i in range(size)]
    return np.array([len(part) for part in parts], np.int32)


NotDifferentiable("TensorArrayLengths")


def _infer_concat(flow: Tensor, dtype: Any, dims: Dims) -> Spec:
    return None if not dims else (None, *dims[1:]), dtype


@op("TensorArrayConcatV3", infer=_infer_concat, attrs=["dtype", "dims"], **LIST)
def concat_elements(flow: Array, dtype: Any, dims: Any) -> Any:
    """The elements one after the other."""
    items, size = items_of(flow), getattr(flow, "size", 0)
    dims = joint_dims(dims, getattr(flow, "dims", None))
    parts = [_element(items, size, i, dtype, dims) for i in range(size)]
    if not parts:
        return np.zeros((0, *(n or 0 for n in (dims or ())[1:])), dtype)
    if not all(map(np.ndim, parts)):
        raise ValueError(
            "scalars cannot be concatenated, they have no axis; stack them"
        )
    return np.concatenate(parts)


@RegisterGradient("TensorArrayConcatV3")
def _concat_grad(op: Operation, grad: Tensor) -> Any:
    return split_elements(grad, _lengths(op.inputs[0], dims=op.attrs["dims"]))


def _infer_split(value: Tensor, lengths: Tensor) -> Spec:
    _check_whole(lengths, "lengths")
    return _infer_list()


@op("TensorArraySplitV3", infer=_infer_split, **LIST)
def split_elements(value: Array, lengths: Array) -> Any:
    """A list of pieces of `value`, which have so many rows each."""
    sizes = _places(lengths)
    total, rows = sum(sizes), np.asarray(value)
    if not rows.ndim or total != len(rows):
        raise ValueError(f"the lengths add up to {total}, and value has {rows.shape}")
    parts = np.split(rows, np.cumsum(sizes)[:-1]) if sizes else []
    items = Places(dict(enumerate(parts)))
    return Elements(items, len(parts), (None, *rows.shape[1:]), False)


@RegisterGradient("TensorArraySplitV3")
def _pieces_grad(op: Operation, grad: Tensor) -> Any:
    value, lengths = op.inputs
    return _joined(grad, lengths, value), None


@op("TensorArrayJoin", infer=lambda flow, lengths, like: spec_of(like), **LIST)
def _joined(flow: Array, lengths: Array, like: Array) -> Any:
    """The pieces of a list put together again, zeros where one is missing."""
    rows, begin, items = np.zeros_like(like), 0, items_of(flow)
    for i, n in enumerate(_places(lengths)):
        if i in items:
            rows[begin : begin + n] = items.get(i)
        begin += n
    return rows


@RegisterGradient("TensorArrayJoin")
def _joined_grad(op: Operation, grad: Tensor) -> Any:
    return split_elements(grad, op.inputs[1]), None, None
