"""The same elements in another shape: reshape, expand, squeeze, transpose."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..core.convert import Array
from ..core.graph import Dims, Operation, Spec, Tensor
from ..core.registry import op
from ..core.rules import RegisterGradient
from ..core.samples import case, normal
from .known import as_ints, merge_dims, show
from .shape import NO_SIZES, as_shape_input, new_shape, product, sizes_of


def _reshaped(given: Dims, wanted: Sequence[int | None]) -> tuple[int | None, ...]:
    """`wanted` with its -1 replaced; raises ValueError if the elements do not fit."""
    numbers = [n for n in wanted if n is not None]
    if any(n < -1 for n in numbers) or numbers.count(-1) > 1:
        raise ValueError(
            f"{show(tuple(wanted))} is no shape: one size may be -1, which then "
            "follows from the others; all others are 0 or more"
        )
    dims = [None if n == -1 else n for n in wanted]
    if given is None or None in given:
        return tuple(dims)
    total, rest, unknown = product(given), product(dims), dims.count(None)
    fits = total == rest if not unknown or not rest else total % rest == 0
    if not fits:
        multiple = "a multiple of " if unknown else ""
        raise ValueError(
            f"{total} elements do not fit: shape {show(given)} has {total}, and shape "
            f"{show(tuple(wanted))} needs {multiple}{rest}"
        )
    if unknown == 1 and rest:
        dims[dims.index(None)] = total // rest
    elif unknown == 1 and -1 in numbers:  # no elements: the other sizes decide
        total, rest = (product(n or 1 for n in sizes) for sizes in (given, dims))
        dims[dims.index(None)] = total // rest
    return tuple(dims)


def _infer_reshape(tensor: Tensor, shape: Tensor) -> Spec:
    wanted = sizes_of(shape)
    dims = None if wanted is None else _reshaped(tensor.static_shape, wanted)
    return dims, tensor.static_dtype


@op(
    "Reshape", infer=_infer_reshape, same=["tensor"], accepts="any",
    converters={"shape": as_shape_input},
    samples=[
        case(normal(2, 3), [3, 2]),
        case(normal(2, 3), [-1]),
        case(normal(2, 3, 4), [4, -1, 2]),
        case(normal(), [1, 1]),
        case(normal(1), NO_SIZES),
        case(normal(0, 3), [3, -1]),
        case(normal(2, 3), np.array([6, 1], np.int64)),
    ],
)  # fmt: skip
def reshape(tensor: Array, shape: Array) -> Array:
    """The elements of `tensor`, in their order, in another shape.

    Parameters
    ----------
    tensor : tensor
        Of any shape and dtype.
    shape : list of int, or tensor
        The new shape. One size may be -1: it follows from the others. Sizes that only a
        run knows may be scalar tensors: ``[sf.shape(x)[0], 10]``.

    Raises
    ------
    ValueError
        The elements do not fit.

    Examples
    --------
    >>> import similarflow as sf
    >>> x = sf.constant([[1, 2, 3], [4, 5, 6]])
    >>> sf.Session().run(sf.reshape(x, [3, -1]))
    array([[1, 2],
           [3, 4],
           [5, 6]], dtype=int32)
    """
    dims = new_shape(shape)
    try:
        return np.reshape(tensor, dims)
    except ValueError:  # it does not fit, or NumPy does not see how
        return np.reshape(tensor, _reshaped(np.shape(tensor), dims))


@RegisterGradient("Reshape")
def _reshape_grad(op: Operation, grad: Tensor) -> Any:
    return reshape_like(grad, op.inputs[0]), None


def _infer_like(x: Tensor, like: Tensor) -> Spec:
    return like.static_shape, x.static_dtype


@op(
    "ReshapeLike", infer=_infer_like, same=["x"], accepts="any",
    samples=[
        case(normal(2, 3), normal(3, 2)),
        case(normal(1), normal()),
        case(normal(0, 2), normal(3, 0)),
    ],
)  # fmt: skip
def reshape_like(x: Array, like: Array) -> Array:
    """The elements of `x` in the shape of `like`: a change of shape, backward."""
    return np.reshape(x, np.shape(like))


@RegisterGradient("ReshapeLike")
def _reshape_like_grad(op: Operation, grad: Tensor) -> Any:
    return reshape_like(grad, op.inputs[0]), None


def _as_place(axis: Any, x: Any = None) -> int | None:
    """One axis, also in a list of its own."""
    if axis is None:
        return None
    found = as_ints(axis)
    if len(found) != 1:
        raise TypeError(f"expand_dims takes one axis, a whole number, not {axis!r}")
    return found[0]


def _infer_expand_dims(input: Tensor, axis: int | None = None) -> Spec:
    if axis is None:
        raise TypeError("expand_dims needs an axis: where the new one shall stand")
    dims = input.static_shape
    if dims is not None:
        if not -len(dims) - 1 <= axis <= len(dims):
            raise ValueError(
                f"axis {axis} is out of range: beside {len(dims)} axes, a new one can "
                f"stand at {-len(dims) - 1} to {len(dims)}"
            )
        at = axis % (len(dims) + 1)
        dims = (*dims[:at], 1, *dims[at:])
    return dims, input.static_dtype


@op(
    "ExpandDims", infer=_infer_expand_dims, accepts="any",
    converters={"axis": _as_place}, aliases={"dim": "axis"},
    samples=[
        case(normal(2, 3), 0),
        case(normal(2, 3), axis=-1),
        case(normal(), 0),
        case(normal(0, 2), -2),
    ],
)  # fmt: skip
def expand_dims(input: Array, axis: Any = None) -> Array:
    """One more axis, of size 1, at the place `axis`.

    Parameters
    ----------
    input : tensor
        Of any shape and dtype.
    axis : int
        Where the new axis stands in the result; -1 is the end. `dim` is its older name.

    Raises
    ------
    ValueError
        `axis` is not in ``[-rank - 1, rank]``.
    """
    return np.expand_dims(input, axis)


@RegisterGradient("ExpandDims")
def _expand_dims_grad(op: Operation, grad: Tensor) -> Any:
    return reshape_like(grad, op.inputs[0])


def _as_squeezed(axis: Any, x: Any = None) -> tuple[int, ...] | None:
    return None if axis is None else as_ints(axis) or None  # an empty list is all


def _squeezed(dims: Sequence[int | None], axis: Sequence[int]) -> set[int]:
    """`axis` counted from the front; raises ValueError unless all have size 1."""
    for a in axis:
        if not -len(dims) <= a < len(dims):
            raise ValueError(f"axis {a} is out of range for rank {len(dims)}")
        if dims[a] not in (1, None):
            raise ValueError(
                f"axis {a} has size {dims[a]}, and only axes of size 1 can be squeezed "
                f"out of shape {show(tuple(dims))}"
            )
    return {a % len(dims) for a in axis}


def _infer_squeeze(input: Tensor, axis: tuple[int, ...] | None = None) -> Spec:
    dims = input.static_shape
    if dims is None or (axis is None and None in dims):
        return None, input.static_dtype
    gone = (
        {i for i, n in enumerate(dims) if n == 1} if axis is None
        else _squeezed(dims, axis)
    )  # fmt: skip
    left = tuple(n for i, n in enumerate(dims) if i not in gone)
    return left, input.static_dtype


@op(
    "Squeeze", infer=_infer_squeeze, accepts="any",
    converters={"axis": _as_squeezed}, aliases={"squeeze_dims": "axis"},
    samples=[
        case(normal(1, 3, 1)),
        case(normal(1, 3, 1), 0),
        case(normal(1, 3, 1), axis=[-1, 0]),
        case(normal()),
        case(normal(1, 0)),
    ],
)  # fmt: skip
def squeeze(input: Array, axis: Any = None) -> Array:
    """Without axes of size 1: all of them, or those in `axis`.

    Parameters
    ----------
    input : tensor
        Of any shape and dtype.
    axis : int or list of int, optional
        `squeeze_dims` is its older name.

    Raises
    ------
    ValueError
        An axis of `axis` has another size than 1.
    """
    gone = None if axis is None else tuple(_squeezed(np.shape(input), axis))
    return np.squeeze(input, gone)


@RegisterGradient("Squeeze")
def _squeeze_grad(op: Operation, grad: Tensor) -> Any:
    return reshape_like(grad, op.inputs[0])


def _as_perm(perm: Any, x: Any = None) -> tuple[int, ...] | None:
    return None if perm is None else as_ints(perm)


def _check_perm(perm: Sequence[int], rank: int) -> list[int]:
    """`perm` counted from the front; ValueError unless it holds each axis once."""
    axes = [a % rank if -rank <= a < rank else a for a in perm]
    if sorted(axes) != list(range(rank)):
        raise ValueError(
            f"perm is {list(perm)}, and it must hold each axis of a tensor of rank "
            f"{rank} once: {list(range(rank))} in some order"
        )
    return axes


def _infer_transpose(
    a: Tensor, perm: tuple[int, ...] | None = None, conjugate: bool = False
) -> Spec:
    dims = a.static_shape
    if dims is None:
        return None if perm is None else (None,) * len(perm), a.static_dtype
    order = range(len(dims))[::-1] if perm is None else _check_perm(perm, len(dims))
    return tuple([dims[i] for i in order]), a.static_dtype


@op(
    "Transpose", name="transpose", infer=_infer_transpose, accepts="any",
    converters={"perm": _as_perm},
    samples=[
        case(normal(2, 3)),
        case(normal(2, 3, 4), [1, 2, 0]),
        case(normal(2, 3, 4), perm=[0, -1, 1]),
        case(normal()),
        case(normal(0, 2)),
    ],
)  # fmt: skip
def transpose(a: Array, perm: Any = None, *, conjugate: bool = False) -> Array:
    """The axes of `a` in another order.

    Parameters
    ----------
    a : tensor
        Of any shape and dtype.
    perm : list of int, optional
        Axis ``i`` of the result is axis ``perm[i]`` of `a`; by default the last axis
        comes first.
    conjugate : bool
        Give the complex conjugate as well; other numbers are their own.

    Raises
    ------
    ValueError
        `perm` does not hold each axis once.

    Examples
    --------
    >>> import similarflow as sf
    >>> sf.Session().run(sf.transpose([[1, 2, 3], [4, 5, 6]]))
    array([[1, 4],
           [2, 5],
           [3, 6]], dtype=int32)
    """
    if perm is not None:
        _check_perm(perm, np.ndim(a))
    moved = np.transpose(a, perm)
    return np.conjugate(moved) if conjugate and np.iscomplexobj(moved) else moved


@RegisterGradient("Transpose")
def _transpose_grad(op: Operation, grad: Tensor) -> Any:
    perm, conjugate = op.attrs["perm"], op.attrs["conjugate"]
    if perm is not None:
        perm = np.argsort([a % len(perm) for a in perm])
    return transpose(grad, perm, conjugate=conjugate)


def _infer_ensured(x: Tensor, like: Tensor) -> Spec:
    return merge_dims(x.static_shape, like.static_shape), x.static_dtype


@op(
    "EnsureShapeLike", infer=_infer_ensured, same=["x"], accepts="any",
    samples=[case(normal(2, 3), normal(2, 3)), case(normal(), normal())],
)  # fmt: skip
def ensure_shape_like(x: Array, like: Array) -> Array:
    """`x`, if it has the shape of `like`.

    Raises
    ------
    ValueError
        It has another one, when run.
    """
    if np.shape(x) != np.shape(like):
        raise ValueError(f"shape {np.shape(x)} is not the shape {np.shape(like)}")
    return x


@RegisterGradient("EnsureShapeLike")
def _ensure_shape_like_grad(op: Operation, grad: Tensor) -> Any:
    return grad, None
