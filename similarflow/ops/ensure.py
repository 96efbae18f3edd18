"""What a tensor is: its shape made sure of, its places, whether something is one."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core.convert import Array, as_dims, fits
from ..core.graph import Operation, Spec, Tensor
from ..core.registry import op
from ..core.rules import NotDifferentiable, RegisterGradient
from ..core.samples import case, normal
from .composite import composite
from .gather import check_index_type
from .indexed_slices import IndexedSlices
from .known import merge_dims, show, static_ints
from .shape import INT32, shape as shape_of
from .sparse import SparseTensor


def _infer_ensured(x: Tensor, shape: Any) -> Spec:
    try:
        return merge_dims(x.static_shape, shape), x.static_dtype
    except ValueError:
        raise ValueError(_other_shape(x.static_shape, shape)) from None


def _other_shape(given: Any, wanted: Any) -> str:
    return f"the shape must be {show(wanted)}, and is {show(given)}"


@op("EnsureShape", infer=_infer_ensured, attrs=["shape"], accepts="any",
    converters={"shape": lambda shape, x: as_dims(shape)}, samples=[
        case(normal(2, 3), [2, None]), case(normal(), []), case(normal(0, 2), None),
    ])  # fmt: skip
def ensure_shape(x: Array, shape: Any) -> Array:
    """`x`, whose shape is known from here on, and checked in each run.

    Raises
    ------
    ValueError
        The shape is another one.

    Examples
    --------
    >>> import similarflow as sf
    >>> x = sf.ensure_shape(sf.placeholder(sf.float32), [None, 2])
    >>> x.shape.as_list()
    [None, 2]
    """
    if not fits(np.shape(x), shape):
        raise ValueError(_other_shape(np.shape(x), shape))
    return x


@RegisterGradient("EnsureShape")
def _ensure_shape_grad(op: Operation, grad: Tensor) -> Any:
    return grad


def is_tensor(x: Any) -> bool:
    """Whether `x` is a tensor, dense or sparse, or a variable.

    Examples
    --------
    >>> import similarflow as sf
    >>> [sf.is_tensor(x) for x in (sf.constant(1.0), sf.Variable(1.0), 1.0)]
    [True, True, False]
    """
    if isinstance(x, SparseTensor | IndexedSlices):
        return True
    return hasattr(x, "as_tensor") and not isinstance(x, Operation)


@composite
def shape_n(input: Any, out_type: Any = INT32, name: str | None = None) -> list[Tensor]:
    """The shapes of several tensors, a list.

    Examples
    --------
    >>> import similarflow as sf
    >>> sf.Session().run(sf.shape_n([sf.ones([2, 3]), sf.ones([4])]))
    [array([2, 3], dtype=int32), array([4], dtype=int32)]
    """
    return [shape_of(x, name or "ShapeN", out_type) for x in input]


def _infer_unravelled(indices: Tensor, dims: Tensor) -> Spec:
    for tensor, what in ((indices, "indices"), (dims, "dims")):
        check_index_type(tensor, what)
    places, sizes = indices.static_shape, static_ints(dims)
    rank = len(sizes) if sizes else (dims.static_shape or (None,))[0]
    return None if places is None else (rank, *places), indices.static_dtype


@op("UnravelIndex", infer=_infer_unravelled, accepts="int", samples=[
    case([22, 41, 37], [7, 6]), case(5, [2, 3]), case([[0], [3]], [4]),
    case(np.zeros([0], np.int64), np.array([2, 2])),
])  # fmt: skip
def unravel_index(indices: Array, dims: Array) -> Array:
    """The places with numbers `indices` in a tensor of shape `dims`, axis by axis.

    Examples
    --------
    >>> import similarflow as sf
    >>> sf.Session().run(sf.unravel_index([22, 41, 37], [7, 6]))
    array([[3, 6, 6],
           [4, 5, 1]], dtype=int32)
    """
    sizes = tuple(int(n) for n in np.ravel(dims))
    return np.array(np.unravel_index(indices, sizes), np.result_type(indices))


NotDifferentiable("UnravelIndex")
