"""Slices: what ``x[1, ..., ::2]`` builds."""

from __future__ import annotations

import operator
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from ..core.casting import dtype_name
from ..core.convert import Array
from ..core.graph import Dims, Operation, Spec, Tensor, convert_to_tensor
from ..core.operators import BUILDERS
from ..core.registry import op
from ..core.rules import RegisterGradient
from ..core.samples import case, normal
from .fronts import front_of
from .known import show, static_dims

Index = tuple[Any, ...]
"""Of ints, slices, None and ``...``, as NumPy takes them; an `At` for a tensor."""


class At(NamedTuple):
    """A number that only a run knows: element `place` of the second input."""

    place: int


def _infer_slice(x: Tensor, at: Tensor | None = None, *, index: Index = ()) -> Spec:
    return _sliced_dims(x.static_shape, _known(index, at)), x.static_dtype


@op(
    "StridedSlice", name="strided_slice", infer=_infer_slice, accepts="any",
    samples=[
        case(normal(3, 4), index=(1, ...)),
        case(normal(3, 4), index=(slice(None, None, -2), slice(1, 3))),
        case(normal(2, 3, 4), index=(..., None, -1)),
        case(normal(3), index=(slice(2, 2), ...)),
        case(normal(), index=(None, ...)),
        case(normal(0, 2), index=(slice(None), 1)),
    ],
)  # fmt: skip
def pick_slice(x: Array, *, index: Any = ()) -> Array:
    """``x[index]``; see `slice_index`."""
    picked: Array = np.asarray(x)[index]
    return picked


@RegisterGradient("StridedSlice")
def _pick_slice_grad(op: Operation, grad: Tensor) -> Any:
    return put_slice(grad, op.inputs[0], index=op.attrs["index"])


@op(
    "DynamicSlice", name="strided_slice", infer=_infer_slice, same=["x"], accepts="any",
    samples=[
        case(normal(3, 4), [1], index=(At(0), ...)),
        case(normal(3, 4), [1, -2], index=(slice(At(0), 3), slice(None, None, At(1)))),
        case(normal(2, 3), 2, index=(..., slice(None, At(0)))),
    ],
)  # fmt: skip
def pick_slice_at(x: Array, at: Array, *, index: Any = ()) -> Array:
    """``x[index]``, where `at` holds the numbers in `index` that only a run knows."""
    picked: Array = np.asarray(x)[_known(index, at)]
    return picked


@RegisterGradient("DynamicSlice")
def _pick_slice_at_grad(op: Operation, grad: Tensor) -> Any:
    x, at = op.inputs
    return put_slice_at(grad, x, at, index=op.attrs["index"]), None


def _infer_put(
    grad: Tensor, like: Tensor, at: Tensor | None = None, *, index: Index = ()
) -> Spec:
    return like.static_shape, grad.static_dtype


@op(
    "StridedSliceGrad", infer=_infer_put, same=["grad"], accepts="any",
    samples=[
        case(normal(4), normal(3, 4), index=(1, ...)),
        case(normal(2, 2), normal(3, 4), index=(slice(None, None, -2), slice(1, 3))),
        case(normal(0), normal(3), index=(slice(2, 2), ...)),
    ],
)  # fmt: skip
def put_slice(grad: Array, like: Array, *, index: Any = ()) -> Array:
    """Zeros of the shape of `like`, with `grad` at `index`: a slice, backward."""
    result = np.zeros(np.shape(like), np.result_type(grad))
    result[index] = grad
    return result


@RegisterGradient("StridedSliceGrad")
def _put_slice_grad(op: Operation, grad: Tensor) -> Any:
    return pick_slice(grad, index=op.attrs["index"]), None


@op(
    "DynamicSliceGrad", infer=_infer_put, same=["grad"], accepts="any",
    samples=[case(normal(4), normal(3, 4), [1], index=(At(0), ...))],
)  # fmt: skip
def put_slice_at(grad: Array, like: Array, at: Array, *, index: Any = ()) -> Array:
    """As `put_slice`; `at` holds the numbers in `index` that only a run knows."""
    result = np.zeros(np.shape(like), np.result_type(grad))
    result[_known(index, at)] = grad
    return result


@RegisterGradient("DynamicSliceGrad")
def _put_slice_at_grad(op: Operation, grad: Tensor) -> Any:
    return pick_slice_at(grad, op.inputs[2], index=op.attrs["index"]), None, None


@front_of(pick_slice)
def slice_index(x: Any, index: Any, name: str | None = None) -> Tensor:
    """``x[index]``: the part of a tensor that an index picks, as in NumPy.

    Parameters
    ----------
    x : tensor
        Of any shape and dtype.
    index : int, slice, ``...``, None, scalar integer tensor, or tuple of them
        An int picks one place of an axis and drops the axis, a slice picks several,
        None adds an axis of size 1, ``...`` stands for all axes that are not named.
        Numbers in slices may be tensors too.

    Raises
    ------
    TypeError
        A list, a mask or a float is in the index.
    ValueError
        An int is out of range, there are more parts than axes, or a step is 0.

    Examples
    --------
    >>> import similarflow as sf
    >>> x = sf.constant([[1, 2, 3], [4, 5, 6]])
    >>> sf.Session().run([x[0], x[:, ::2], x[..., -1]])
    [array([1, 2, 3], dtype=int32), array([[1, 3],
           [4, 6]], dtype=int32), array([3, 6], dtype=int32)]
    """
    tensors: list[Any] = []
    parts = index if isinstance(index, tuple) else (index,)
    spec = tuple([_part(part, tensors) for part in parts])
    ellipses = sum(part is Ellipsis for part in spec)
    if ellipses > 1:
        raise ValueError("an index can hold `...` once only")
    if not ellipses:  # so that the result is an array, never a NumPy scalar
        spec = (*spec, Ellipsis)
    result: Tensor
    if not tensors:
        result = pick_slice(x, index=spec, name=name)
        return result
    at = tensors[0] if len(tensors) == 1 else BUILDERS["stack"](_of_one_dtype(tensors))
    result = pick_slice_at(x, at, index=spec, name=name)
    return result


def _part(part: Any, tensors: list[Any]) -> Any:
    """One part of an index, made ready; tensors in it are moved to `tensors`."""
    if part is None or part is Ellipsis:
        return part
    if isinstance(part, slice):
        bounds = (part.start, part.stop, part.step)
        start, stop, step = (b if b is None else _number(b, tensors) for b in bounds)
        if step == 0 and not isinstance(step, At):
            raise ValueError("the step of a slice cannot be 0")
        return slice(start, stop, step)
    return _number(part, tensors)


def _number(part: Any, tensors: list[Any]) -> Any:
    """An int, or the place of a tensor."""
    if hasattr(part, "graph"):
        tensor = convert_to_tensor(part)
        dtype, shape = tensor.static_dtype, tensor.static_shape
        if dtype is not None and dtype.kind == "b":
            raise TypeError(_refused(part, "where"))
        if shape:
            raise TypeError(_refused(part, "gather"))
        if dtype is not None and dtype.kind not in "iu":
            raise TypeError(f"an index is a whole number; {part!r} is no integer")
        tensors.append(tensor)
        return At(len(tensors) - 1)
    if isinstance(part, list | tuple | np.ndarray) and np.ndim(part):
        is_mask = np.asarray(part).dtype.kind == "b"
        raise TypeError(_refused(part, "where" if is_mask else "gather"))
    if isinstance(part, bool | np.bool_):
        raise TypeError(_refused(part, "where"))
    try:
        return int(operator.index(part))
    except TypeError:
        raise TypeError(
            "an index is made of ints, slices, `...`, None and integer scalars, not "
            f"{part!r} ({type(part).__name__})"
        ) from None


def _refused(part: Any, instead: str) -> str:
    kind = "mask" if instead == "where" else "list"
    call = "boolean_mask(x, mask)" if instead == "where" else "gather(x, indices)"
    return f"x[...] takes no {kind}, as {part!r:.60}. Write sf.{call}"


def _of_one_dtype(tensors: Sequence[Tensor]) -> list[Any]:
    """Index tensors that can be stacked: int32 and int64 are not mixed."""
    dtypes = {dtype_name(t.static_dtype) for t in tensors if t.static_dtype is not None}
    if len(dtypes) < 2:
        return list(tensors)
    return [BUILDERS["cast"](t, np.int64) for t in tensors]


def _known(index: Index, at: Any) -> Index:
    """`index` with the numbers in `at`: an array, or a tensor as far as it is known."""
    if at is None:
        return index
    if isinstance(at, Tensor):
        numbers = static_dims(at)
    else:
        numbers = tuple([operator.index(n) for n in np.ravel(at)])

    def value(part: Any) -> Any:
        if not isinstance(part, At):
            return part
        return At(part.place) if numbers is None else _or(numbers[part.place], part)

    return tuple([
        slice(value(p.start), value(p.stop), value(p.step)) if isinstance(p, slice)
        else value(p)
        for p in index
    ])  # fmt: skip


def _or(number: int | None, part: At) -> int | At:
    return part if number is None else number


def _sliced_dims(dims: Dims, index: Index) -> Dims:
    """The shape of ``x[index]`` for an `x` of shape `dims`; `At` is not known yet."""
    if dims is None:
        return None
    named = sum(part is not None and part is not Ellipsis for part in index)
    if named > len(dims):
        raise ValueError(
            f"the index names {named} axes, and shape {show(dims)} has {len(dims)}"
        )
    return tuple(_sizes(dims, index, len(dims) - named))


def _sizes(
    dims: tuple[int | None, ...], index: Index, rest: int
) -> Iterator[int | None]:
    axis = 0
    for part in index:
        if part is None:
            yield 1
        elif part is Ellipsis:
            yield from dims[axis : axis + rest]
            axis += rest
        elif isinstance(part, slice):
            yield _slice_size(dims[axis], part)
            axis += 1
        else:
            size = dims[axis]
            if size is not None and isinstance(part, int) and not -size <= part < size:
                raise ValueError(
                    f"index {part} is out of range for axis {axis} with size {size}"
                )
            axis += 1


def _slice_size(size: int | None, part: slice) -> int | None:
    """How many places a slice picks from an axis of `size`; None if a run decides."""
    bounds = (part.start, part.stop, part.step)
    if any(isinstance(b, At) for b in bounds):
        return None
    if size is not None:
        return len(range(*part.indices(size)))
    return None
