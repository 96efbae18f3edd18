"""Passing on and choosing: identity, stop_gradient, where, one_hot."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core.casting import dtype_name
from ..core.convert import Array, agree, as_array, as_dims, as_np_dtype, as_result
from ..core.graph import Dims, Operation, Spec, Tensor
from ..core.infer import broadcast_dims, common_dtype, elementwise
from ..core.nest import holds_tensor
from ..core.registry import op
from ..core.rules import NotDifferentiable, RegisterGradient
from ..core.samples import case, normal
from .fronts import front_of
from .gather import check_index_type
from .known import as_axis, merge_dims, show, static_ints

ANY = (case(normal(2, 3)), case(normal()), case(normal(0, 2)), case([True, False]))


@op("Identity", infer=elementwise, accepts="any", samples=ANY)
def identity(input: Array) -> Array:
    """The same value, as the result of an operation of its own.

    It reads a variable at its place among control dependencies, and gives a tensor
    another name.
    """
    return input


@RegisterGradient("Identity")
def _identity_grad(op: Operation, grad: Tensor) -> Any:
    return grad


@op("StopGradient", infer=elementwise, accepts="any", samples=ANY)
def stop_gradient(input: Array) -> Array:
    """The same value; no gradient flows back through it."""
    return input


NotDifferentiable("StopGradient")


def _infer_default(input: Tensor, shape: Any) -> Spec:
    if shape is None:
        return None, input.static_dtype
    merge_dims(shape, input.static_shape)
    return shape, input.static_dtype


@op(
    "PlaceholderWithDefault", infer=_infer_default, attrs=["shape"], accepts="any",
    converters={"shape": lambda shape, x: as_dims(shape)},
    samples=[case(normal(2, 3), [None, 3]), case(normal(), []), case(normal(2), None)],
)  # fmt: skip
def placeholder_with_default(input: Array, shape: Any) -> Array:
    """A placeholder that need not be fed: then it has the value of `input`.

    Parameters
    ----------
    input : tensor
        The value without a feed.
    shape : list of int or None
        What may be fed: None for a size that may vary, or for any shape.

    Raises
    ------
    ValueError
        `input` does not have such a shape.

    Examples
    --------
    >>> import similarflow as sf
    >>> rate = sf.placeholder_with_default(0.5, [])
    >>> sess = sf.Session()
    >>> float(sess.run(rate)), float(sess.run(rate, {rate: 2.0}))
    (0.5, 2.0)
    """
    merge_dims(shape, np.shape(input))
    return input


@RegisterGradient("PlaceholderWithDefault")
def _placeholder_with_default_grad(op: Operation, grad: Tensor) -> Any:
    return grad


# Choosing


def _check_bool(dtype: np.dtype[Any] | None) -> None:
    if dtype is not None and dtype.kind != "b":
        raise TypeError(
            f"a condition is bool, not {dtype_name(dtype)}. Compare: x > 0, or "
            "sf.cast(x, sf.bool)"
        )


def _infer_select(condition: Tensor, t: Tensor, e: Tensor) -> Spec:
    _check_bool(condition.static_dtype)
    chosen = broadcast_dims(t.static_shape, e.static_shape)
    dims, dtype = condition.static_shape, common_dtype(t, e)
    if dims is not None and len(dims) == 1 and (chosen is None or len(chosen) > 1):
        if chosen is None:
            return None, dtype
        _check_rows(dims[0], chosen)
        return (chosen[0] if chosen[0] is not None else dims[0], *chosen[1:]), dtype
    return broadcast_dims(dims, chosen), dtype


def _check_rows(count: int | None, chosen: tuple[int | None, ...]) -> None:
    if None not in (count, chosen[0]) and count != chosen[0]:
        raise ValueError(
            f"a condition with one axis chooses rows: it has {count} elements, and the "
            f"shape to choose from is {show(chosen)}"
        )


@op(
    "Select", infer=_infer_select, same=["t", "e"], accepts="any", elementwise=True,
    broadcasts=True,
    samples=[
        case([[True, False, True], [False, False, True]], normal(2, 3), normal(2, 3)),
        case([True, False], normal(2, 3), normal(2, 3)),
        case([True, False, True], normal(3), normal()),
        case(True, normal(2), normal(2)),
        case([[True], [False]], normal(3), normal(2, 1)),
        case(np.zeros([0], bool), normal(0, 2), normal(0, 2)),
    ],
)  # fmt: skip
def select(condition: Array, t: Array, e: Array) -> Array:
    """`t` where the condition is true, else `e`; see `where`."""
    mask = as_result(condition)
    _check_bool(mask.dtype)
    return np.where(_as_mask(mask, np.broadcast_shapes(np.shape(t), np.shape(e))), t, e)


def _as_mask(mask: Array, shape: tuple[int, ...]) -> Array:
    """The mask as it is broadcast: if it has one axis, it chooses rows of `shape`."""
    if mask.ndim != 1 or len(shape) < 2:
        return mask
    _check_rows(mask.size, shape)
    return mask.reshape(-1, *[1] * (len(shape) - 1))


@RegisterGradient("Select")
def _select_grad(op: Operation, grad: Tensor) -> Any:
    condition = op.inputs[0]
    return None, select(condition, grad, 0.0), select(condition, 0.0, grad)


def _infer_where(condition: Tensor) -> Spec:
    dims = condition.static_shape
    return (None, None if dims is None else len(dims)), np.dtype(np.int64)


@op(
    "Where", infer=_infer_where, accepts="any",
    samples=[
        case([[True, False], [True, True]]),
        case(normal(3)),
        case(np.zeros([0, 2])),
    ],
)  # fmt: skip
def where_true(condition: Array) -> Array:
    """The places where `condition` is true (not 0), one in each row."""
    return np.argwhere(condition)


NotDifferentiable("Where")


@front_of(select)
def where(condition: Any, x: Any = None, y: Any = None, name: str | None = None) -> Any:
    """`x` where the condition is true, else `y`; without them, where it is true.

    Parameters
    ----------
    condition : tensor of bool
        With one axis, it chooses whole rows of `x` and `y`. Else all three broadcast.
    x, y : tensor, optional
        Of one dtype. No gradient flows into what is not chosen, and none comes out of
        what computed it: unlike in TensorFlow, an infinite derivative there makes no
        nan, since on the way back from here a gradient of 0 stays 0.

    Returns
    -------
    tensor
        With `x` and `y` their values; without, an int64 matrix with the place of a
        true element in each row.

    Examples
    --------
    >>> import similarflow as sf
    >>> x = sf.constant([3.0, -1.0])
    >>> sf.Session().run([sf.where(x > 0.0, x, [0.0, 0.0]), sf.where(x > 0.0)])
    [array([3., 0.], dtype=float32), array([[0]])]
    """
    if x is None and y is None:
        return where_true(condition, name=name)
    if x is None or y is None:
        raise ValueError("where(condition, x, y): x and y come together, or not at all")
    return select(condition, x, y, name=name)


def _as_indices(indices: Any, x: Any = None) -> Any:
    """Indices; an empty list or array will do, though its dtype is float."""
    found = indices if holds_tensor(indices) else as_array(indices)
    empty = isinstance(found, np.ndarray) and not found.size
    return found.astype(np.int32) if empty else found


def _check_depth(dims: Dims, depth: int | None) -> None:
    if dims or (depth is not None and depth < 0):
        found = f"of shape {show(dims)}" if dims else depth
        raise ValueError(f"depth is one number, 0 or more, not {found}")


def _check_new_axis(axis: int, rank: int | None) -> None:
    if axis < -1 or (rank is not None and axis > rank):
        most = "the rank of the indices" if rank is None else rank
        raise ValueError(f"axis {axis} is out of range, which is [-1, {most}]")


def _infer_one_hot(
    indices: Tensor, depth: Tensor, on_value: Tensor, off_value: Tensor, axis: int = -1
) -> Spec:
    check_index_type(indices)
    check_index_type(depth, "depth")
    dims, dtype = indices.static_shape, common_dtype(on_value, off_value)
    count = (static_ints(depth) or [None])[0]
    _check_depth(depth.static_shape, count)
    _check_new_axis(axis, None if dims is None else len(dims))
    if dims is None:
        return None, dtype
    at = len(dims) if axis == -1 else axis
    return (*dims[:at], count, *dims[at:]), dtype


@op(
    "OneHot", name="one_hot", infer=_infer_one_hot, same=["on_value", "off_value"],
    accepts="any", converters={"indices": _as_indices},
    samples=[
        case([0, 2, -1, 3], 3, 1.0, 0.0),
        case([[0, 2]], 3, 5, -1, axis=0),
        case(1, 2, True, False),
        case(np.zeros([0], np.int64), 2, 1.0, 0.0),
    ],
)  # fmt: skip
def one_hot_of(
    indices: Array, depth: Array, on_value: Array, off_value: Array, axis: int = -1
) -> Array:
    """`on_value` where the place along the new axis is the index; see `one_hot`."""
    found = np.asarray(indices)
    if found.dtype.kind not in "iu" and found.size:
        raise TypeError(f"indices are whole numbers, not {found.dtype.name}")
    _check_depth(np.shape(depth), None if np.ndim(depth) else int(depth))
    _check_new_axis(axis, found.ndim)
    at = found.ndim if axis == -1 else axis
    places = np.arange(int(depth)).reshape(-1, *[1] * (found.ndim - at))
    return np.where(np.expand_dims(found, at) == places, on_value, off_value)


NotDifferentiable("OneHot")


@front_of(one_hot_of)
def one_hot(
    indices: Any, depth: Any, on_value: Any = None, off_value: Any = None,
    axis: Any = None, dtype: Any = None, name: str | None = None,
) -> Tensor:  # fmt: skip
    """For each index a vector of `depth` that is on at the index, and off elsewhere.

    Parameters
    ----------
    indices : tensor of ints
        An index that is not in ``[0, depth)`` gives a vector that is off everywhere.
    depth : int
        The length of the vectors.
    on_value, off_value : scalar, optional
        1 and 0 by default.
    axis : int, optional
        Where the vectors lie in the result; the last axis by default.
    dtype : DType, optional
        That of `on_value` and `off_value`; float32 without them.

    Raises
    ------
    TypeError
        The dtypes of `on_value`, `off_value` and `dtype` differ.

    Examples
    --------
    >>> import similarflow as sf
    >>> sf.Session().run(sf.one_hot([0, 2], 3))
    array([[1., 0., 0.],
           [0., 0., 1.]], dtype=float32)
    """
    given = [v for v in (on_value, off_value) if v is not None]
    known = [_dtype_of(v) for v in given]
    wanted = as_np_dtype(dtype)
    if wanted is None:
        wanted = known[0] if known else np.dtype(np.float32)
    on = 1 if on_value is None else on_value
    off = 0 if off_value is None else off_value
    on, off = (v if hasattr(v, "graph") else as_array(v, wanted) for v in (on, off))
    if not all(agree(_dtype_of(value), wanted) for value in (on, off)):
        raise TypeError(
            f"on_value and off_value are {' and '.join(map(dtype_name, known))}, and "
            f"{dtype_name(wanted)} is needed"
        )
    place = -1 if axis is None else as_axis(axis)
    build = one_hot_of(indices, depth, on, off, axis=place, name=name)
    return build  # type: ignore[no-any-return]


def _dtype_of(value: Any) -> np.dtype[Any] | None:
    if hasattr(value, "as_tensor"):
        value = value.as_tensor()
    known = value if isinstance(value, Tensor) else as_array(value)
    return known.static_dtype if isinstance(known, Tensor) else known.dtype
