"""Tensors made of a few numbers: range, linspace, meshgrid, eye."""

from __future__ import annotations

import builtins
from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np

from ..core.casting import dtype_name
from ..core.convert import STRING, Array, as_array, as_np_dtype
from ..core.graph import Constant, Operation, Spec, Tensor
from ..core.infer import broadcast_dims, common_dtype
from ..core.operators import BUILDERS
from ..core.registry import op
from ..core.rules import NotDifferentiable, RegisterGradient
from ..core.samples import case, normal
from .elementary import ones_like, reduce_sum
from .fronts import front_of
from .gather import check_index_type
from .known import RULES, Parts, _parts, show, static_ints
from .logic import cast
from .reshape import reshape_like
from .shape import (
    FLOAT32,
    NO_SIZES,
    as_shape_input,
    filled_dims,
    new_shape,
    sizes_of,
    zeros_like,
)

NUMBERS = tuple([np.dtype(t) for t in (np.int32, np.int64, np.float32, np.float64)])
"""What `range` counts in; of several the last one counts."""


def _need_scalars(**tensors: Tensor) -> None:
    for label, x in tensors.items():
        if x.static_shape:
            shape = show(x.static_shape)
            raise ValueError(f"{label} is one number, not a tensor of shape {shape}")


# range


def _count(start: Any, limit: Any, delta: Any) -> int:
    """How many numbers there are; ValueError if `delta` leads away from `limit`."""
    if delta == 0 or not 0 <= (limit - start) * np.sign(delta) < np.inf:
        raise ValueError(
            f"range from {start} to {limit} in steps of {delta}: a step is not 0, and "
            "leads to the limit"
        )
    if all(isinstance(n, int) for n in (start, limit, delta)):
        return len(builtins.range(start, limit, delta))
    return int(np.ceil(abs((limit - start) / delta)))


def _infer_range(start: Tensor, limit: Tensor, delta: Tensor) -> Spec:
    _need_scalars(start=start, limit=limit, delta=delta)
    dtype, count = common_dtype(start, limit, delta), None
    known = [_known_number(x) for x in (start, limit, delta)]
    if None not in known and dtype is not None:
        count = _count(*known)
    return (count,), dtype


def _known_number(x: Tensor) -> Any:
    if isinstance(x, Constant):
        return _number(x.value)
    found = static_ints(x)
    return found[0] if found else None


def _number(x: Any) -> Any:
    """An int, or a float that keeps its precision."""
    value = np.asarray(x)[()]
    return value.item() if value.dtype.kind in "iu" else value


@op("Range", name="range", infer=_infer_range, accepts="real", samples=[
    case(0, 5, 2), case(3, -1, -1), case(0.0, 1.0, 0.25), case(2, 2, 1),
])  # fmt: skip
def numbers_between(start: Array, limit: Array, delta: Array) -> Array:
    """Numbers from `start` on, in steps of `delta`, before `limit`; see `range`."""
    dtype = np.result_type(start, limit, delta)
    first, end, step = (_number(np.asarray(x, dtype)) for x in (start, limit, delta))
    places = np.arange(_count(first, end, step)).astype(dtype)
    return np.asarray(first + places * step, dtype)


NotDifferentiable("Range")


@front_of(numbers_between)
def range(
    start: Any, limit: Any = None, delta: Any = 1, dtype: Any = None,
    name: str | None = "range",
) -> Tensor:  # fmt: skip
    """Numbers from `start` on, in steps of `delta`, before `limit`.

    Parameters
    ----------
    start, limit : number, or scalar tensor
        With one of them, the numbers go from 0 to that.
    delta : number, or scalar tensor
        The step; negative ones count down.
    dtype : DType, optional
        By default that of the three which holds most, of int32, int64, float32 and
        float64 in this order.

    Raises
    ------
    ValueError
        A step is 0, or leads away from the limit.

    Examples
    --------
    >>> import similarflow as sf
    >>> sf.Session().run([sf.range(3), sf.range(3, 0, -1), sf.range(0.0, 1.0, 0.5)])
    [array([0, 1, 2], dtype=int32), array([3, 2, 1], dtype=int32), array([0. , 0.5], dtype=float32)]
    """  # noqa: E501
    first, end = (0, start) if limit is None else (start, limit)
    given = [
        x.as_tensor() if hasattr(x, "as_tensor") else x for x in (first, end, delta)
    ]
    dtypes = [
        x.static_dtype if isinstance(x, Tensor) else as_array(x).dtype for x in given
    ]
    wanted = as_np_dtype(dtype)
    odd = [d for d in (wanted, *dtypes) if d is not None and d not in NUMBERS]
    if odd:
        raise TypeError(
            f"range counts in {', '.join(map(dtype_name, NUMBERS))}, not in "
            f"{dtype_name(odd[0])}. Use sf.cast"
        )
    known = [d for d in dtypes if d is not None]
    if wanted is None and len(known) == len(dtypes):
        wanted = max(known, key=NUMBERS.index)
    if wanted is not None:
        given = [
            cast(x, wanted) if isinstance(x, Tensor) else as_array(x).astype(wanted)
            for x in given
        ]
    return numbers_between(*given, name=name)  # type: ignore[no-any-return]


# linspace


def _infer_linspace(start: Tensor, stop: Tensor, num: Tensor) -> Spec:
    check_index_type(num, "num")
    _need_scalars(start=start, stop=stop, num=num)
    count = static_ints(num)
    if count is not None and count[0] < 0:
        raise ValueError(f"num is 0 or more, not {count[0]}")
    return (None if count is None else count[0],), common_dtype(start, stop)


@op("LinSpace", infer=_infer_linspace, same=["start", "stop"], accepts="plain",
    samples=[
        case(normal(), normal(), 4), case(1.0, -1.0, 3), case(normal(), normal(), 1),
        case(0.0, 1.0, 0),
    ])  # fmt: skip
def linspace(start: Array, stop: Array, num: Array) -> Array:
    """`num` numbers from `start` to `stop`, evenly spaced; both ends are among them.

    Parameters
    ----------
    start, stop : float, or scalar tensor
        The ends. One number alone is `start`.
    num : int, or scalar tensor
        How many numbers.

    Examples
    --------
    >>> import similarflow as sf
    >>> sf.Session().run(sf.linspace(0.0, 1.0, 5))
    array([0.  , 0.25, 0.5 , 0.75, 1.  ], dtype=float32)
    """
    dtype, count = np.result_type(start, stop), int(num)
    if count < 0:
        raise ValueError(f"num is 0 or more, not {count}")
    first, last = np.asarray(start, dtype)[()], np.asarray(stop, dtype)[()]
    step = (last - first) / dtype.type(max(count - 1, 1))
    numbers = np.asarray(first + step * np.arange(count, dtype=dtype), dtype)
    if count > 1:
        numbers[-1] = last  # rounding shall not miss it
    return numbers


@RegisterGradient("LinSpace")
def _linspace_grad(op: Operation, grad: Tensor) -> Any:
    start, _, num = op.inputs
    share = linspace(zeros_like(start), ones_like(start), num)
    return reduce_sum(grad * (1.0 - share)), reduce_sum(grad * share), None


BUILDERS["lin_space"] = lin_space = linspace

# meshgrid


def _grid_axes(count: int, indexing: str) -> list[int]:
    """The axis of the grid along which each input changes."""
    axes = list(builtins.range(count))
    return [1, 0, *axes[2:]] if indexing == "xy" and count > 1 else axes


def _infer_meshgrid(*args: Tensor, indexing: str = "xy") -> list[Spec]:
    sizes: list[int | None] = []
    for x in args:
        dims = x.static_shape
        known = [n for n in dims or () if n is not None]
        sizes.append(None if dims is None or len(known) < len(dims) else prod(known))
    grid = tuple([sizes[i] for i in _grid_axes(len(args), indexing)])
    return [(grid, common_dtype(*args))] * len(args)


@op("Meshgrid", name="meshgrid", infer=_infer_meshgrid, accepts="any", samples=[
    case([normal(2), normal(3)]), case([normal(3)]),
    case([normal(2), normal(3), normal(2)], indexing="ij"),
    case([normal(), normal(2, 2)]), case([normal(0), normal(2)]),
])  # fmt: skip
def grid_of(*args: Array, indexing: str = "xy") -> Any:
    """A grid's coordinates; see `meshgrid`."""
    order: Any = indexing
    grids = np.meshgrid(*map(np.ravel, args), indexing=order)
    return grids if len(grids) > 1 else grids[0]


@RegisterGradient("Meshgrid")
def _meshgrid_grad(op: Operation, *grads: Tensor) -> Any:
    own = _grid_axes(len(grads), op.attrs["indexing"])
    others = [[a for a in own if a != axis] for axis in own]
    return [
        reshape_like(reduce_sum(grad, axes), x)
        for grad, axes, x in zip(grads, others, op.inputs, strict=True)
    ]


@front_of(grid_of)
def meshgrid(*args: Any, indexing: str = "xy", name: str | None = None) -> list[Tensor]:
    """The coordinates of the points of a grid, from those along each axis.

    Parameters
    ----------
    *args : vectors
        Of one dtype: the coordinates along each axis.
    indexing : str
        "xy": the first one changes along the rows, the second one down the columns;
        "ij": each changes along the axis of its number.

    Returns
    -------
    list of tensors
        For each axis the coordinates of all points.

    Examples
    --------
    >>> import similarflow as sf
    >>> sf.Session().run(sf.meshgrid([1, 2], [3, 4]))
    [array([[1, 2],
           [1, 2]], dtype=int32), array([[3, 3],
           [4, 4]], dtype=int32)]
    """
    if indexing not in ("xy", "ij"):
        raise ValueError(f"indexing is 'xy' or 'ij', not {indexing!r}")
    grids: list[Tensor] = []
    if args:
        grids = grid_of(list(args), indexing=indexing, name=name)
    return grids


# The identity


def _as_eye_dtype(dtype: Any, x: Any = None) -> np.dtype[Any]:
    found = as_np_dtype(dtype)
    if found == STRING:
        raise TypeError("there are no strings 0 and 1 for an identity matrix")
    return FLOAT32 if found is None else found


def _infer_eye(
    num_rows: Tensor, num_columns: Tensor, batch_shape: Tensor, dtype: Any = FLOAT32
) -> Spec:
    sizes: list[int | None] = []
    _need_scalars(num_rows=num_rows, num_columns=num_columns)
    for label, number in (("num_rows", num_rows), ("num_columns", num_columns)):
        check_index_type(number, label)
        size = (static_ints(number) or (None,))[0]
        if size is not None and size < 0:
            raise ValueError(f"{label} is 0 or more, not {size}")
        sizes.append(size)
    batch = filled_dims(batch_shape)
    return None if batch is None else (*batch, *sizes), dtype


@op("Eye", name="eye", infer=_infer_eye, same=[],
    converters={"dtype": _as_eye_dtype, "batch_shape": as_shape_input}, samples=[
        case(2, 2, NO_SIZES), case(2, 3, [2], dtype=np.int32), case(0, 2, NO_SIZES),
        case(2, 1, [1, 0], dtype=bool),
    ])  # fmt: skip
def identity_matrix(
    num_rows: Array, num_columns: Array, batch_shape: Array, dtype: Any = FLOAT32
) -> Array:
    """Ones on the diagonal; see `eye`."""
    one = np.eye(int(num_rows), int(num_columns), dtype=dtype)
    return np.broadcast_to(one, (*new_shape(batch_shape), *one.shape))


NotDifferentiable("Eye")


@front_of(identity_matrix)
def eye(
    num_rows: Any, num_columns: Any = None, batch_shape: Any = None,
    dtype: Any = FLOAT32, name: str | None = None,
) -> Tensor:  # fmt: skip
    """The identity matrix: ones on the diagonal, zeros elsewhere.

    Parameters
    ----------
    num_rows, num_columns : int, or scalar tensor
        As many columns as rows by default.
    batch_shape : list of int, or tensor, optional
        How many such matrices there are, as a shape that comes before.
    dtype : DType
        Of numbers or truth values.

    Examples
    --------
    >>> import similarflow as sf
    >>> sf.Session().run(sf.eye(2, 3))
    array([[1., 0., 0.],
           [0., 1., 0.]], dtype=float32)
    """
    columns = num_rows if num_columns is None else num_columns
    batch = NO_SIZES if batch_shape is None else batch_shape
    return identity_matrix(num_rows, columns, batch, dtype, name=name)  # type: ignore[no-any-return]


# Shapes


def _infer_args(shape_x: Tensor, shape_y: Tensor) -> Spec:
    sizes = sizes_of(shape_x), sizes_of(shape_y)
    broadcast_dims(*sizes)
    lengths = [len(s) for s in sizes if s is not None]
    return (max(lengths) if len(lengths) == 2 else None,), common_dtype(
        shape_x, shape_y
    )


@op("BroadcastArgs", infer=_infer_args, accepts="int",
    converters={"shape_x": as_shape_input, "shape_y": as_shape_input}, samples=[
        case([2, 1], [3]), case(NO_SIZES, [2, 0]), case([1], [4]),
    ])  # fmt: skip
def broadcast_dynamic_shape(shape_x: Array, shape_y: Array) -> Array:
    """The shape that two shapes broadcast to, found when it is run.

    Examples
    --------
    >>> import similarflow as sf
    >>> sf.Session().run(sf.broadcast_dynamic_shape([2, 1], [3]))
    array([2, 3], dtype=int32)
    """
    x, y = new_shape(shape_x), new_shape(shape_y)
    try:
        found: Sequence[int] = np.broadcast_shapes(x, y)
    except ValueError:
        raise ValueError(f"shapes {x} and {y} do not broadcast") from None
    return np.array(found, np.result_type(shape_x, shape_y))


NotDifferentiable("BroadcastArgs")


def _of_args(op: Operation, depth: int) -> Parts:
    x, y = (_parts(shape, depth) for shape in op.inputs)
    if x is None or y is None:
        return None
    return list(broadcast_dims(tuple(x), tuple(y)) or ())


RULES["BroadcastArgs"] = _of_args
