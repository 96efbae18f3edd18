"""Joining tensors and taking them apart: concat, stack, unstack."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core.convert import Array
from ..core.graph import Dims, Operation, Spec, Tensor, convert_to_tensor
from ..core.infer import common_dtype
from ..core.nest import holds_tensor
from ..core.operators import BUILDERS
from ..core.registry import op
from ..core.rules import RegisterGradient
from ..core.samples import case, normal
from .fronts import front_of
from .known import as_axis, merge_dims, show
from .logic import cast


def _axis_of(axis: int, rank: int) -> int:
    if not -rank <= axis < rank:
        raise ValueError(f"axis {axis} is out of range, which is [{-rank}, {rank})")
    return axis % rank


def _as_concat_list(values: Any, x: Any = None) -> Any:
    if isinstance(values, int):
        raise TypeError(
            "concat(values, axis): the list comes first, and the axis second, since "
            "TensorFlow 1.0"
        )
    return [values] if isinstance(values, np.ndarray | range) else values


NO_SCALARS = "scalars cannot be concatenated, they have no axis. Use sf.stack"


def _infer_concat(*values: Tensor, axis: int | None) -> Spec:
    if not values:
        raise ValueError("concat needs at least one tensor: concat([x, y], 0)")
    if axis is None:
        raise TypeError("concat needs an axis: concat([x, y], 0)")
    known = [v.static_shape for v in values if v.static_shape is not None]
    if not all(known):
        raise ValueError(NO_SCALARS)
    if not known:
        return None, common_dtype(*values)
    at = _axis_of(axis, len(known[0]))
    rest: Dims = None
    for dims in known:
        try:
            rest = merge_dims(rest, (*dims[:at], None, *dims[at + 1 :]))
        except ValueError:
            shapes = ", ".join(show(d) for d in known)
            raise ValueError(
                f"shapes {shapes} cannot be concatenated on axis {axis}: all other "
                "sizes must be equal"
            ) from None
    sizes = [dims[at] for dims in known]
    total = None
    if len(sizes) == len(values) and None not in sizes:
        total = sum(n for n in sizes if n is not None)
    assert rest is not None
    return (*rest[:at], total, *rest[at + 1 :]), common_dtype(*values)


@op(
    "ConcatV2", name="concat", infer=_infer_concat, attrs=["axis"], accepts="any",
    converters={"values": _as_concat_list, "axis": as_axis},
    samples=[
        case([normal(2, 3), normal(1, 3)], 0),
        case([normal(2, 1), normal(2, 3), normal(2, 2)], axis=-1),
        case([normal(0, 2), normal(2, 2)], 0),
        case([normal(2)], 0),
        case([[1, 2], [3]], 0),
    ],
)  # fmt: skip
def concat(*values: Array, axis: Any) -> Array:
    """The tensors one after the other, along an axis that they have.

    Parameters
    ----------
    values : list of tensors
        Of one dtype, and of one shape but for the axis.
    axis : int
        The axis along which to join; negative ones count from the end.

    Raises
    ------
    ValueError
        Shapes do not fit, or a scalar is among them; `stack` joins scalars.

    Examples
    --------
    >>> import similarflow as sf
    >>> sf.Session().run(sf.concat([[[1], [2]], [[3], [4]]], axis=1))
    array([[1, 3],
           [2, 4]], dtype=int32)
    """
    if not all(np.ndim(v) for v in values):
        raise ValueError(NO_SCALARS)
    return np.concatenate(values, axis)


@RegisterGradient("ConcatV2")
def _concat_grad(op: Operation, grad: Tensor) -> Any:
    return split_like([grad, *op.inputs], axis=op.attrs["axis"])


def _infer_split_like(*values: Tensor, axis: int) -> list[Spec]:
    return [(v.static_shape, values[0].static_dtype) for v in values[1:]]


@op(
    "SplitLike", infer=_infer_split_like, attrs=["axis"],
    samples=[
        case([normal(3, 3), normal(2, 3), normal(1, 3)], axis=0),
        case([normal(2, 3), normal(2, 0), normal(2, 3)], axis=-1),
        case([normal(2), normal(2)], axis=0),
    ],
)  # fmt: skip
def split_like(*values: Array, axis: Any) -> Any:
    """The first tensor cut into pieces of the sizes of the others: concat, backward."""
    whole, *likes = values
    ends = np.cumsum([np.shape(like)[axis] for like in likes])[:-1]
    pieces = np.split(whole, ends, axis)
    return pieces if len(pieces) > 1 else pieces[0]


@RegisterGradient("SplitLike")
def _split_like_grad(op: Operation, *grads: Tensor) -> Any:
    nothing = [None] * len(grads)
    return [concat(list(grads), op.attrs["axis"]), *nothing]


def _as_part_axis(axis: Any, x: Any = None) -> int:
    return as_axis(axis) or 0


def _infer_stack(*values: Tensor, axis: int = 0) -> Spec:
    dims: Dims = None
    for v in values:
        try:
            dims = merge_dims(dims, v.static_shape)
        except ValueError:
            shapes = ", ".join(show(v.static_shape) for v in values)
            raise ValueError(
                f"shapes {shapes} cannot be stacked: they must be equal. Use sf.concat "
                "to join along an axis that is there"
            ) from None
    if dims is not None:
        at = _axis_of(axis, len(dims) + 1)
        dims = (*dims[:at], len(values), *dims[at:])
    return dims, common_dtype(*values)


@op(
    "Pack", name="stack", infer=_infer_stack, accepts="any",
    converters={"axis": _as_part_axis},
    samples=[
        case([normal(2, 3), normal(2, 3)]),
        case([normal(2, 3), normal(2, 3)], axis=1),
        case([normal(2), normal(2), normal(2)], -1),
        case([normal(), normal()]),
        case([normal(0, 2)], axis=-3),
    ],
)  # fmt: skip
def pack(*values: Array, axis: Any = 0) -> Array:
    """The operation of `stack`."""
    dtype = np.result_type(*values)  # a plain number takes that of its neighbours
    return np.stack([np.asarray(v, dtype) for v in values], axis)


@RegisterGradient("Pack")
def _pack_grad(op: Operation, grad: Tensor) -> Any:
    return unstack(grad, len(op.inputs), op.attrs["axis"])


@front_of(pack)
def stack(values: Any, axis: Any = 0, name: str | None = None) -> Tensor:
    """Tensors of one shape side by side, along a new axis.

    Parameters
    ----------
    values : list of tensors
        Of one shape and dtype. What is a tensor already, or a number, stays as it is.
    axis : int
        Where the new axis stands in the result.

    Raises
    ------
    ValueError
        Shapes differ, or the axis is not in ``[-rank - 1, rank]``.

    Examples
    --------
    >>> import similarflow as sf
    >>> sf.Session().run(sf.stack([[1, 2], [3, 4]], axis=1))
    array([[1, 3],
           [2, 4]], dtype=int32)
    """
    at, parts = _as_part_axis(axis), values
    if isinstance(values, range | np.ndarray) and np.ndim(values):
        parts = list(values)
    if isinstance(parts, list | tuple) and parts:
        result: Tensor = pack(parts, at, name)
    elif at == 0:
        result = convert_to_tensor(values, None, name)
    else:
        raise TypeError(
            f"to stack along axis {at}, values must be a list of tensors, not "
            f"{values!r:.60}. Write [x] for one, or sf.unstack(x) for its parts"
        )
    return result


def packed(values: Any, dtype: Any, name: str) -> Tensor:
    """A list that holds tensors as a tensor, for which a `dtype` may be wanted."""
    result: Tensor = pack([_widened(value, dtype) for value in values], name=name)
    return result


def _widened(value: Any, dtype: Any) -> Any:
    """`value`; in the wanted dtype if it fits that as well as a constant would."""
    if dtype is not None and isinstance(value, list | tuple) and holds_tensor(value):
        return packed(value, dtype, "packed")
    given = value.as_tensor().static_dtype if hasattr(value, "as_tensor") else None
    if given is None or dtype is None:
        return value
    widens = np.can_cast(given, dtype) or (given.kind in "iu" and dtype.kind in "fc")
    return cast(value, dtype) if widens else value


BUILDERS["packed"] = packed


def _infer_unstack(value: Tensor, num: int | None = None, axis: int = 0) -> list[Spec]:
    dims, size = value.static_shape, num
    if dims is not None:
        at = _axis_of(axis, len(dims))
        given = dims[at]
        if given is not None and num not in (None, given):
            raise ValueError(f"num is {num}, and axis {axis} has size {given}")
        size = given if given is not None else num
        dims = (*dims[:at], *dims[at + 1 :])
    if not size:
        raise ValueError(
            f"unstack must know how many parts there are, and axis {axis} has "
            f"{'no part' if size == 0 else 'an unknown size: give num'}"
        )
    return [(dims, value.static_dtype)] * size


@op(
    "Unpack", name="unstack", infer=_infer_unstack, accepts="any",
    converters={"axis": _as_part_axis},
    samples=[
        case(normal(2, 3), num=2),
        case(normal(2, 3), num=3, axis=-1),
        case(normal(1), num=1),
        case(normal(2, 0), num=2),
    ],
)  # fmt: skip
def unstack(value: Array, num: Any = None, axis: Any = 0) -> Any:
    """The parts of a tensor along an axis, as a list; the opposite of `stack`.

    Parameters
    ----------
    value : tensor
        Of rank 1 or more.
    num : int, optional
        How many parts there are, if the static shape does not tell.
    axis : int
        The axis that is taken apart.

    Raises
    ------
    ValueError
        The number of parts is unknown, or not `num`.
    """
    parts = list(np.moveaxis(np.asarray(value), axis, 0))
    if num not in (None, len(parts)):
        raise ValueError(f"num is {num}, and axis {axis} has size {len(parts)}")
    parts = [np.asarray(p, np.result_type(value)) for p in parts]
    return parts if len(parts) > 1 else parts[0]


@RegisterGradient("Unpack")
def _unstack_grad(op: Operation, *grads: Tensor) -> Any:
    return stack(list(grads), op.attrs["axis"])
