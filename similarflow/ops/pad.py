"""Padding: with zeros, with a value, with the mirror image of what is inside."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..core.convert import STRING, Array
from ..core.graph import Constant, Dims, Operation, Spec, Tensor
from ..core.infer import common_dtype
from ..core.registry import op
from ..core.rules import RegisterGradient
from ..core.samples import case, normal
from .elementary import reduce_sum
from .fronts import front_of
from .gather import check_index_type
from .known import show, static_dims

Pairs = list[tuple[int | None, int | None]] | None
"""How much is added before and after each axis; None for what a run decides."""
MODES = ("CONSTANT", "REFLECT", "SYMMETRIC")
NONE = np.zeros([0, 2], np.int32)  # the paddings of a scalar


def static_pairs(x: Tensor, what: str) -> Pairs:
    """What is known of a matrix with two columns of integers.

    Raises
    ------
    TypeError
        They are no integers.
    ValueError
        It is no such matrix.
    """
    check_index_type(x, what)
    dims = x.static_shape
    if dims is None:
        return None
    if len(dims) != 2 or dims[1] not in (2, None):
        raise ValueError(
            f"{what} has shape {show(dims)}, and a row of two numbers is needed for "
            "each axis: [[before, after], ...]"
        )
    rows: list[Dims] = [(None, None)] * (dims[0] or 0)
    if isinstance(x, Constant):
        rows = [tuple(row) for row in np.asarray(x.value).tolist()]
    elif x.op.type == "Pack" and x.op.attrs["axis"] in (0, -2):
        rows = [static_dims(row) or (None, None) for row in x.op.inputs]
    elif dims[0] is None:
        return None
    return [(row[0], row[1]) for row in rows if row is not None]


def as_pairs(x: Array, rank: int, what: str) -> list[tuple[int, int]]:
    """The value of such a matrix; raises ValueError unless it has `rank` rows."""
    if np.shape(x) != (rank, 2):
        raise ValueError(f"{what} has shape {np.shape(x)}, and ({rank}, 2) is needed")
    return [(int(before), int(after)) for before, after in np.asarray(x).tolist()]


def _check_padding(axis: int, pair: Sequence[int | None], most: int | None) -> None:
    for n in pair:
        if n is not None and (n < 0 or (most is not None and n > most)):
            limit = "0 or more" if most is None else f"from 0 to {most} for its size"
            raise ValueError(
                f"the padding of axis {axis} is {list(pair)}, and it can be {limit}"
            )


def _padded_dims(dims: Dims, pairs: Pairs, mode: str = "CONSTANT") -> Dims:
    if pairs is None:
        return None if dims is None else (None,) * len(dims)
    if dims is None:
        dims = (None,) * len(pairs)
    if len(dims) != len(pairs):
        raise ValueError(
            f"paddings has {len(pairs)} rows, and shape {show(dims)} needs one for "
            "each axis"
        )
    padded: list[int | None] = []
    for axis, (size, pair) in enumerate(zip(dims, pairs, strict=True)):
        most = None if mode == "CONSTANT" or size is None else size
        if most and mode == "REFLECT":  # an empty axis has no edge to leave out
            most -= 1
        _check_padding(axis, pair, most)
        known = [n for n in (size, *pair) if n is not None]
        padded.append(sum(known) if len(known) == 3 else None)
    return tuple(padded)


def _infer_pad(tensor: Tensor, paddings: Tensor) -> Spec:
    pairs = static_pairs(paddings, "paddings")
    return _padded_dims(tensor.static_shape, pairs), tensor.static_dtype


def _padded(x: Array, paddings: Array, value: Any) -> Array:
    pairs = as_pairs(paddings, np.ndim(x), "paddings")
    dims: Any = _padded_dims(np.shape(x), list(pairs))
    whole = np.full(dims, value, np.result_type(x))
    whole[(*_inside(pairs, np.shape(x)), ...)] = x  # "..." takes a string out of x
    return whole


def _inside(pairs: Sequence[tuple[int, int]], dims: Sequence[int]) -> tuple[Any, ...]:
    """Where what was padded lies in the result."""
    return tuple([slice(b, b + n) for (b, _), n in zip(pairs, dims, strict=True)])


@op("Pad", infer=_infer_pad, same=["tensor"], accepts="any", samples=[
    case(normal(2, 3), [[1, 0], [0, 2]]), case(normal(3), [[0, 0]]),
    case(normal(), NONE), case(normal(0, 2), np.array([[1, 1], [0, 1]])),
    case([True], [[1, 1]]),
])  # fmt: skip
def pad_zeros(tensor: Array, paddings: Array) -> Array:
    """`tensor` with zeros around it; see `pad`."""
    return _padded(tensor, paddings, b"" if np.result_type(tensor) == STRING else 0)


@RegisterGradient("Pad")
def _pad_zeros_grad(op: Operation, grad: Tensor) -> Any:
    return unpad(grad, *op.inputs), None


def _infer_unpad(grad: Tensor, like: Tensor, paddings: Tensor) -> Spec:
    return like.static_shape, grad.static_dtype


@op("PadGrad", infer=_infer_unpad, same=["grad"], samples=[
    case(normal(3, 5), normal(2, 3), [[1, 0], [0, 2]]), case(normal(), normal(), NONE),
])  # fmt: skip
def unpad(grad: Array, like: Array, paddings: Array) -> Array:
    """The inner part of `grad`, of the shape of `like`: a padding, backward."""
    pairs = as_pairs(paddings, np.ndim(like), "paddings")
    return np.asarray(np.asarray(grad)[_inside(pairs, np.shape(like))])


@RegisterGradient("PadGrad")
def _unpad_grad(op: Operation, grad: Tensor) -> Any:
    return pad_zeros(grad, op.inputs[2]), None, None


def _infer_pad_with(tensor: Tensor, paddings: Tensor, constant_values: Tensor) -> Spec:
    if constant_values.static_shape:
        given = show(constant_values.static_shape)
        raise ValueError(f"constant_values is one value, not of shape {given}")
    dims, _ = _infer_pad(tensor, paddings)
    return dims, common_dtype(tensor, constant_values)


@op("PadV2", infer=_infer_pad_with, same=["tensor", "constant_values"], accepts="any",
    samples=[
        case(normal(2, 3), [[1, 0], [0, 2]], normal()), case(normal(), NONE, normal()),
        case(normal(0, 2), [[1, 1], [0, 1]], normal()),
        case(np.array(["a"], object), [[0, 1]], "b"),
    ])  # fmt: skip
def pad_with(tensor: Array, paddings: Array, constant_values: Array) -> Array:
    """`tensor` with one value around it; see `pad`."""
    if np.ndim(constant_values):
        given = np.shape(constant_values)
        raise ValueError(f"constant_values is one value, not of shape {given}")
    dtype = np.result_type(tensor, constant_values)
    return _padded(np.asarray(tensor, dtype), paddings, np.asarray(constant_values)[()])


@RegisterGradient("PadV2")
def _pad_with_grad(op: Operation, grad: Tensor) -> Any:
    x, paddings, _ = op.inputs
    inner = unpad(grad, x, paddings)
    return inner, None, reduce_sum(grad - pad_zeros(inner, paddings))


def _infer_mirror(tensor: Tensor, paddings: Tensor, mode: str) -> Spec:
    pairs = static_pairs(paddings, "paddings")
    return _padded_dims(tensor.static_shape, pairs, mode), tensor.static_dtype


@op("MirrorPad", infer=_infer_mirror, attrs=["mode"], same=["tensor"], accepts="any",
    samples=[
        case(normal(2, 3), [[1, 0], [0, 2]], mode="REFLECT"),
        case(normal(2, 3), [[2, 1], [0, 3]], mode="SYMMETRIC"),
        case(normal(4), [[3, 3]], mode="REFLECT"),
        case(normal(1), [[0, 1]], mode="SYMMETRIC"),
        case(normal(), NONE, mode="REFLECT"),
        case(normal(0, 2), [[0, 0], [1, 1]], mode="REFLECT"),
    ])  # fmt: skip
def pad_mirrored(tensor: Array, paddings: Array, mode: Any) -> Array:
    """`tensor` with its mirror image around it; see `pad`."""
    pairs = as_pairs(paddings, np.ndim(tensor), "paddings")
    _padded_dims(np.shape(tensor), list(pairs), mode)
    kind: Any = mode.lower()
    for axis, pair in enumerate(pairs):
        if pair != (0, 0):
            places = np.pad(np.arange(np.shape(tensor)[axis]), pair, kind)
            tensor = np.take(tensor, places, axis)
    return tensor


@RegisterGradient("MirrorPad")
def _pad_mirrored_grad(op: Operation, grad: Tensor) -> Any:
    return fold_back(grad, *op.inputs, **op.attrs), None


def _infer_fold(grad: Tensor, like: Tensor, paddings: Tensor, mode: str) -> Spec:
    return like.static_shape, grad.static_dtype


@op("MirrorPadGrad", infer=_infer_fold, attrs=["mode"], same=["grad"], samples=[
    case(normal(3, 5), normal(2, 3), [[1, 0], [0, 2]], mode="REFLECT"),
    case(normal(5, 6), normal(2, 3), [[2, 1], [0, 3]], mode="SYMMETRIC"),
    case(normal(0, 4), normal(0, 2), [[0, 0], [1, 1]], mode="REFLECT"),
])  # fmt: skip
def fold_back(grad: Array, like: Array, paddings: Array, mode: Any) -> Array:
    """`grad` with its borders folded in and added: mirror padding, backward."""
    edge = int(mode == "REFLECT")  # which is not repeated then
    for axis, pair in enumerate(as_pairs(paddings, np.ndim(like), "paddings")):
        size, (before, after) = np.shape(like)[axis], pair
        rows = np.moveaxis(grad, axis, 0)
        inner = np.array(rows[before : before + size])
        inner[edge : edge + before] += rows[:before][::-1]
        inner[size - edge - after : size - edge] += rows[before + size :][::-1]
        grad = np.moveaxis(inner, 0, axis)
    return grad


@RegisterGradient("MirrorPadGrad")
def _fold_back_grad(op: Operation, grad: Tensor) -> Any:
    return pad_mirrored(grad, op.inputs[2], **op.attrs), None, None


@front_of(pad_zeros)
@front_of(pad_with)
@front_of(pad_mirrored)
def pad(
    tensor: Any, paddings: Any, mode: str = "CONSTANT", name: str | None = None,
    constant_values: Any = 0,
) -> Tensor:  # fmt: skip
    """A tensor with a border around it.

    Parameters
    ----------
    tensor : tensor
        Of any shape and dtype.
    paddings : matrix of ints, or tensor
        For each axis a row: how much is added before, and how much after.
    mode : str
        What is in the border: "CONSTANT" for `constant_values`, "REFLECT" for the
        mirror image without the edge itself, "SYMMETRIC" for that with the edge.
    constant_values : scalar
        Of the tensor's dtype. Its gradient is that of the border, added up.

    Raises
    ------
    ValueError
        A padding is negative; or longer than there is something to mirror.

    Examples
    --------
    >>> import similarflow as sf
    >>> sess, x = sf.Session(), sf.constant([1, 2, 3])
    >>> sess.run([sf.pad(x, [[1, 1]]), sf.pad(x, [[0, 2]], "REFLECT")])
    [array([0, 1, 2, 3, 0], dtype=int32), array([1, 2, 3, 2, 1], dtype=int32)]
    """
    kind = mode.upper()
    if kind not in MODES:
        raise ValueError(f"mode is one of {', '.join(MODES)}, not {mode!r}")
    result: Tensor
    if kind != "CONSTANT":
        result = pad_mirrored(tensor, paddings, kind, name=name)
    elif not hasattr(constant_values, "graph") and np.all(constant_values == 0):
        result = pad_zeros(tensor, paddings, name=name)
    else:
        result = pad_with(tensor, paddings, constant_values, name=name)
    return result
