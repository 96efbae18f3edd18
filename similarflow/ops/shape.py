"""Shapes to ask for, and to fill with a value."""

from __future__ import annotations

import math
import operator
from collections.abc import Iterable
from typing import Any

import numpy as np

from ..core.convert import STRING, Array, as_dims, as_np_dtype
from ..core.graph import Constant, Dims, Operation, Spec, Tensor, convert_to_tensor
from ..core.infer import broadcast_dims
from ..core.operators import BUILDERS
from ..core.registry import op
from ..core.rules import NotDifferentiable, RegisterGradient
from ..core.samples import case, normal
from ..core.shapes import TensorShape
from .composite import composite
from .elementary import reduce_sum, sum_like
from .fronts import front_of
from .known import merge_dims, show, static_dims

INT32 = np.dtype(np.int32)
FLOAT32 = np.dtype(np.float32)
NO_SIZES = np.zeros([0], np.int32)  # the shape of a scalar
LARGEST = 1000  # zeros and ones with fewer elements are constants


def as_shape_input(shape: Any, x: Any = None) -> Any:
    """A shape as the input of an operation: a tensor, an array, or a list of sizes.

    It takes ints, scalar tensors and dimensions, mixed as one likes.

    Raises
    ------
    TypeError
        A size is no whole number.
    ValueError
        A size, or the rank, is unknown.
    """
    if isinstance(shape, Tensor) or hasattr(shape, "as_tensor"):
        return shape
    sizes = getattr(shape, "dims", shape)
    if sizes is None:
        raise ValueError(f"{shape!r} is no shape to make: its rank is unknown")
    if isinstance(sizes, np.ndarray) and sizes.dtype.kind in "iu":
        return sizes
    sizes = sizes if np.iterable(sizes) else [sizes]
    sizes = [_as_size(size, shape) for size in sizes]
    if any(hasattr(size, "graph") for size in sizes):
        return sizes
    wide = any(abs(size) > np.iinfo(np.int32).max for size in sizes)
    return np.array(sizes, np.int64 if wide else np.int32)


def _as_size(size: Any, shape: Any) -> Any:
    if hasattr(size, "graph"):
        return size
    number = size if isinstance(size, int) else getattr(size, "value", size)
    if number is None:
        raise ValueError(
            f"a size in {shape} is unknown. Write -1 for one size of a reshape, or "
            "sf.shape(x)[i], which a run computes"
        )
    try:
        return int(operator.index(number))
    except TypeError:
        raise TypeError(
            f"a size is a whole number, and {shape} holds {number!r}. Divide with //"
        ) from None


def new_shape(shape: Array) -> tuple[int, ...]:
    """The value of a shape input as a tuple; raises TypeError unless it holds ints."""
    sizes = np.asarray(shape)
    if sizes.dtype.kind not in "iu" and sizes.size:
        raise TypeError(f"a shape holds whole numbers, not {sizes.dtype.name}")
    if sizes.ndim > 1:
        raise ValueError(f"a shape is a vector, not an array of shape {sizes.shape}")
    return tuple([int(n) for n in sizes.ravel()])


def sizes_of(shape: Tensor) -> Dims:
    """What is known of the shape that the input `shape` asks for."""
    dtype, rank = shape.static_dtype, shape.static_shape
    if dtype is not None and dtype.kind not in "iu" and rank != (0,):
        raise TypeError(f"a shape holds whole numbers, not {dtype.name}")
    if rank is not None and len(rank) > 1:
        raise ValueError(f"a shape is a vector, not a tensor of shape {show(rank)}")
    return static_dims(shape)


def filled_dims(shape: Tensor) -> Dims:
    """As `sizes_of`, for a tensor that is made: no size may be negative."""
    dims = sizes_of(shape)
    if dims is not None and any(n is not None and n < 0 for n in dims):
        raise ValueError(f"a size is 0 or more, and the shape is {show(dims)}")
    return dims


# What a shape is


def as_out_type(dtype: Any, x: Any = None) -> np.dtype[Any]:
    """The dtype of sizes: int32 unless another one is asked for."""
    found = as_np_dtype(dtype)
    return INT32 if found is None else found


def _infer_shape(input: Tensor, out_type: Any = INT32) -> Spec:
    dims = input.static_shape
    return (None if dims is None else len(dims),), out_type


def _infer_count(input: Tensor, out_type: Any = INT32) -> Spec:
    return (), out_type


@op(
    "Shape", infer=_infer_shape, accepts="any", converters={"out_type": as_out_type},
    samples=[
        case(normal(2, 3)),
        case(normal()),
        case(normal(0, 2), out_type=np.int64),
    ],
)  # fmt: skip
def shape_in_run(input: Array, *, out_type: Any = INT32) -> Array:
    """The shape of `input`, found when it is run."""
    return np.array(np.shape(input), out_type)


NotDifferentiable("Shape")


@op(
    "Size", infer=_infer_count, accepts="any", converters={"out_type": as_out_type},
    samples=[case(normal(2, 3)), case(normal()), case(normal(0, 2), out_type=np.int64)],
)  # fmt: skip
def size_in_run(input: Array, *, out_type: Any = INT32) -> Array:
    """The number of elements of `input`, found when it is run."""
    return np.array(np.size(input), out_type)


NotDifferentiable("Size")


@op(
    "Rank", infer=_infer_count, accepts="any",
    samples=[case(normal(2, 3)), case(normal())],
)  # fmt: skip
def rank_in_run(input: Array) -> Array:
    """The number of dimensions of `input`, found when it is run."""
    return np.array(np.ndim(input), INT32)


NotDifferentiable("Rank")


@front_of(shape_in_run)
def shape(input: Any, name: str | None = None, out_type: Any = INT32) -> Tensor:
    """The shape of a tensor, as a vector of integers.

    A shape that is known when the graph is built becomes a constant.

    Parameters
    ----------
    input : tensor
        Of any shape and dtype.
    out_type : DType
        int32 or int64.

    Examples
    --------
    >>> import similarflow as sf
    >>> x = sf.Placeholder(sf.float32, [None, 2])
    >>> sf.Session().run(sf.shape(x), {x: [[1, 2], [3, 4], [5, 6]]})
    array([3, 2], dtype=int32)
    """
    x, dtype = convert_to_tensor(input), as_out_type(out_type)
    dims = x.static_shape
    if dims is None or None in dims:
        return shape_in_run(x, out_type=dtype, name=name)  # type: ignore[no-any-return]
    return Constant(np.array(dims, dtype), name=name or "Shape", graph=x.graph)


@front_of(size_in_run)
def size(input: Any, name: str | None = None, out_type: Any = INT32) -> Tensor:
    """The number of elements of a tensor, a scalar; a constant where it is known."""
    x, dtype = convert_to_tensor(input), as_out_type(out_type)
    dims = x.static_shape
    if dims is None or None in dims:
        return size_in_run(x, out_type=dtype, name=name)  # type: ignore[no-any-return]
    return Constant(np.array(product(dims), dtype), name=name or "Size", graph=x.graph)


@front_of(rank_in_run)
def rank(input: Any, name: str | None = None) -> Tensor:
    """The number of dimensions of a tensor, a scalar; a constant where it is known."""
    x = convert_to_tensor(input)
    if x.static_shape is None:
        return rank_in_run(x, name=name)  # type: ignore[no-any-return]
    value = np.array(len(x.static_shape), INT32)
    return Constant(value, name=name or "Rank", graph=x.graph)


def product(dims: Iterable[int | None]) -> int:
    """The product of the sizes that are known."""
    return math.prod(int(n) for n in dims if n is not None)


# Tensors of a shape


def _infer_fill(dims: Tensor, value: Tensor) -> Spec:
    if value.static_shape not in (None, ()):
        raise ValueError(f"fill takes one value, not shape {show(value.static_shape)}")
    return filled_dims(dims), value.static_dtype


@op(
    "Fill", infer=_infer_fill, same=["value"], accepts="any",
    converters={"dims": as_shape_input},
    samples=[
        case([2, 3], normal()),
        case(NO_SIZES, normal()),
        case([0, 2], normal()),
        case([2], True),
    ],
)  # fmt: skip
def fill(dims: Array, value: Array) -> Array:
    """A tensor of shape `dims`, with `value` everywhere.

    Parameters
    ----------
    dims : list of int, or tensor
        The shape; sizes may be scalar tensors.
    value : scalar
        Of any dtype, which the result has too.

    Examples
    --------
    >>> import similarflow as sf
    >>> sf.Session().run(sf.fill([2, 2], 7))
    array([[7, 7],
           [7, 7]], dtype=int32)
    """
    if np.ndim(value):
        raise ValueError(f"fill takes one value, not shape {np.shape(value)}")
    return np.full(new_shape(dims), value, np.result_type(value))


@RegisterGradient("Fill")
def _fill_grad(op: Operation, grad: Tensor) -> Any:
    return None, reduce_sum(grad)


@composite
def zeros(shape: Any, dtype: Any = FLOAT32, name: str | None = None) -> Tensor:
    """Zeros of a shape (a list of ints, or a tensor); empty strings, False.

    A small tensor of a known shape is a constant.

    Examples
    --------
    >>> import similarflow as sf
    >>> sf.Session().run(sf.zeros([2, 3]))
    array([[0., 0., 0.],
           [0., 0., 0.]], dtype=float32)
    """
    return _filled(shape, 0, dtype, name or "zeros")


@composite
def ones(shape: Any, dtype: Any = FLOAT32, name: str | None = None) -> Tensor:
    """Ones of a shape (a list of ints, or a tensor); see `zeros`."""
    return _filled(shape, 1, dtype, name or "ones")


BUILDERS.update(zeros=zeros, ones=ones)


def _filled(shape: Any, value: int, dtype: Any, name: str) -> Tensor:
    found = as_np_dtype(dtype)
    found = FLOAT32 if found is None else found
    item: Any = value
    if found == STRING:
        if value:
            raise TypeError("strings have zeros (empty ones), and no ones")
        item = b""
    sizes = as_shape_input(shape)
    if not isinstance(sizes, np.ndarray) or product(list(sizes.ravel())) >= LARGEST:
        return fill(sizes, np.array(item, found), name=name)  # type: ignore[no-any-return]
    if (sizes < 0).any():
        raise ValueError(f"{name}: a size is 0 or more; the shape is {sizes.tolist()}")
    return Constant(np.full(sizes, item, found), name=name)


def _infer_zeros_like(tensor: Tensor, dtype: Any = None, optimize: bool = True) -> Spec:
    return tensor.static_shape, tensor.static_dtype if dtype is None else dtype


@op(
    "ZerosLike", name="zeros_like", infer=_infer_zeros_like, accepts="any",
    converters={"dtype": lambda dtype, x: as_np_dtype(dtype)},
    samples=[
        case(normal(2, 3)),
        case(normal()),
        case(normal(0, 2), dtype=np.int64),
        case([True, False]),
    ],
)  # fmt: skip
def zeros_like(tensor: Array, dtype: Any = None, *, optimize: bool = True) -> Array:
    """Zeros of the shape of `tensor`, and of its dtype unless another one is given."""
    dtype = np.result_type(tensor) if dtype is None else dtype
    return np.full(np.shape(tensor), b"" if dtype == STRING else 0, dtype)


NotDifferentiable("ZerosLike")


def _infer_broadcast_to(input: Tensor, shape: Tensor) -> Spec:
    dims, given = filled_dims(shape), input.static_shape
    if dims is not None and given is not None:
        try:
            dims = merge_dims(broadcast_dims(given, dims), dims)
        except ValueError:
            raise ValueError(
                f"shape {show(given)} does not broadcast to {show(dims)}"
            ) from None
    return dims, input.static_dtype


@op(
    "BroadcastTo", infer=_infer_broadcast_to, same=["input"], accepts="any",
    converters={"shape": as_shape_input},
    samples=[
        case(normal(3), [2, 3]),
        case(normal(2, 1), [2, 4]),
        case(normal(), NO_SIZES),
        case(normal(1), [0]),
    ],
)  # fmt: skip
def broadcast_to(input: Array, shape: Array) -> Array:
    """`input` repeated to `shape` by NumPy's broadcasting.

    Raises
    ------
    ValueError
        It does not broadcast.
    """
    dims = new_shape(shape)
    try:
        return np.broadcast_to(input, dims)
    except ValueError:
        raise ValueError(
            f"shape {np.shape(input)} does not broadcast to {dims}"
        ) from None


@RegisterGradient("BroadcastTo")
def _broadcast_to_grad(op: Operation, grad: Tensor) -> Any:
    return sum_like(grad, op.inputs[0]), None


def broadcast_static_shape(shape_x: Any, shape_y: Any) -> TensorShape:
    """The static shape that two shapes broadcast to.

    Raises
    ------
    ValueError
        They do not broadcast.
    """
    return TensorShape.from_dims(broadcast_dims(as_dims(shape_x), as_dims(shape_y)))
