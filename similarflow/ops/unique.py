"""Which values there are: unique, unique_with_counts, setdiff1d."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..core.convert import Array
from ..core.graph import Spec, Tensor
from ..core.registry import op
from ..core.rules import NotDifferentiable
from ..core.samples import case
from .fronts import front_of
from .known import show
from .order import INT32, as_index_dtype


class Unique(NamedTuple):
    """What `unique` gives."""

    y: Any
    idx: Any


class UniqueWithCounts(NamedTuple):
    """What `unique_with_counts` gives."""

    y: Any
    idx: Any
    count: Any


class ListDiff(NamedTuple):
    """What `setdiff1d` gives."""

    out: Any
    idx: Any


def _need_vector(label: str, dims: Any) -> None:
    if dims is not None and len(dims) != 1:
        raise ValueError(f"{label} is a vector, not a tensor of shape {show(dims)}")


def _infer_counted(x: Tensor, out_idx: Any = INT32) -> list[Spec]:
    _need_vector("x", x.static_shape)
    found = ((None,), x.static_dtype), (x.static_shape, out_idx)
    return [*found, ((None,), out_idx)]


def _infer_unique(x: Tensor, out_idx: Any = INT32) -> list[Spec]:
    return _infer_counted(x, out_idx)[:2]


def _uniques(x: Array, out_idx: Any) -> tuple[Array, Array, Array]:
    """The different values, for each element which one, and how many there are."""
    _need_vector("x", np.shape(x))
    _, first, inverse, counts = np.unique(
        x, return_index=True, return_inverse=True, return_counts=True, equal_nan=False
    )
    order = np.argsort(first)  # by the place where each is met first
    rank = np.empty(order.size, out_idx)
    rank[order] = np.arange(order.size)
    return np.asarray(x)[first[order]], rank[inverse], counts[order].astype(out_idx)


UNIQUE: dict[str, Any] = {
    "accepts": "any",
    "converters": {"out_idx": as_index_dtype},
    "samples": [
        case([3, 1, 3, 2, 1]), case([2.0, np.nan, -0.0, 0.0, np.nan]),
        case(np.array(["b", "a", "b"], object), out_idx=np.int64),
        case(np.zeros([0], np.int64)), case([True, True]),
    ],
}  # fmt: skip


@op("Unique", infer=_infer_unique, **UNIQUE)
def different(x: Array, out_idx: Any = INT32) -> Any:
    """The different values of a vector; see `unique`."""
    return _uniques(x, out_idx)[:2]


@op("UniqueWithCounts", infer=_infer_counted, **UNIQUE)
def different_with_counts(x: Array, out_idx: Any = INT32) -> Any:
    """The different values of a vector, counted; see `unique_with_counts`."""
    return _uniques(x, out_idx)


@front_of(different)
def unique(x: Any, out_idx: Any = INT32, name: str | None = None) -> Unique:
    """The different values of a vector, in the order in which they are met.

    Parameters
    ----------
    x : vector
        Of any dtype. One nan is not equal to another.
    out_idx : DType
        int32 or int64.

    Returns
    -------
    Unique
        `y`, the values, and `idx`: ``x[i]`` is ``y[idx[i]]``. No gradient flows.

    Examples
    --------
    >>> import similarflow as sf
    >>> found = sf.Session().run(sf.unique([3, 1, 3]))
    >>> found.y, found.idx
    (array([3, 1], dtype=int32), array([0, 1, 0], dtype=int32))
    """
    return Unique(*different(x, out_idx, name=name))


@front_of(different_with_counts)
def unique_with_counts(
    x: Any, out_idx: Any = INT32, name: str | None = None
) -> UniqueWithCounts:
    """As `unique`, and with `count`: how often each value is there.

    Examples
    --------
    >>> import similarflow as sf
    >>> sf.Session().run(sf.unique_with_counts([3, 1, 3]).count)
    array([2, 1], dtype=int32)
    """
    return UniqueWithCounts(*different_with_counts(x, out_idx, name=name))


def _infer_difference(x: Tensor, y: Tensor, index_dtype: Any = INT32) -> list[Spec]:
    _need_vector("x", x.static_shape)
    _need_vector("y", y.static_shape)
    return [((None,), x.static_dtype), ((None,), index_dtype)]


@op("ListDiff", infer=_infer_difference, accepts="any",
    converters={"index_dtype": as_index_dtype}, samples=[
        case([1, 2, 3, 4, 2], [1, 3]), case([0.5, np.nan], [0.5], index_dtype=np.int64),
        case(np.array(["a", "b"], object), np.array(["a"], object)),
        case(np.zeros([0], np.int64), np.array([1])),
    ])  # fmt: skip
def only_in_first(x: Array, y: Array, index_dtype: Any = INT32) -> Any:
    """What is in `x` and not in `y`; see `setdiff1d`."""
    _need_vector("x", np.shape(x))
    _need_vector("y", np.shape(y))
    places = np.flatnonzero(~np.isin(x, y))
    return np.asarray(x)[places], places.astype(index_dtype)


@front_of(only_in_first)
def setdiff1d(
    x: Any, y: Any, index_dtype: Any = INT32, name: str | None = None
) -> ListDiff:
    """The elements of `x` that are not in `y`, in their order, repeated ones too.

    Parameters
    ----------
    x, y : vectors
        Of one dtype.
    index_dtype : DType
        int32 or int64.

    Returns
    -------
    ListDiff
        `out`, the elements, and `idx`, where in `x` they are. No gradient flows.

    Examples
    --------
    >>> import similarflow as sf
    >>> found = sf.Session().run(sf.setdiff1d([1, 2, 3, 2], [1, 3]))
    >>> found.out, found.idx
    (array([2, 2], dtype=int32), array([1, 3], dtype=int32))
    """
    return ListDiff(*only_in_first(x, y, index_dtype, name=name))


for _type in ("Unique", "UniqueWithCounts", "ListDiff"):
    NotDifferentiable(_type)
