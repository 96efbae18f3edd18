"""How often each whole number occurs."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core.convert import Array, as_np_dtype, fits
from ..core.graph import Spec, Tensor, convert_to_tensor, graph_of
from ..core.registry import op
from ..core.rules import NotDifferentiable
from ..core.samples import case, integers, normal
from .elementary import ones_like
from .fronts import front_of
from .gather import check_index_type
from .known import as_ints, show
from .scatter import check_natural


def _as_length(length: Any, x: Any = None) -> int | None:
    return None if length is None else as_ints(length)[0]


def _infer_counts(arr: Tensor, weights: Tensor, **lengths: Any) -> Spec:
    check_index_type(arr, "arr")
    _check_weights(arr.static_shape, weights.static_shape)
    return (None,), weights.static_dtype


def _check_weights(numbers: Any, weights: Any) -> None:
    if not fits(numbers, weights):
        raise ValueError(
            f"there is a weight for each number: arr has shape {show(numbers)}, and "
            f"weights have {show(weights)}"
        )


@op("Bincount", infer=_infer_counts, same=["weights"],
    converters={"minlength": _as_length, "maxlength": _as_length}, samples=[
        case(integers(0, 5, 2, 3), normal(2, 3)), case([1, 1, 3], [2, 3, 4]),
        case(integers(0, 9, 8), normal(8), minlength=6, maxlength=7),
        case(np.zeros(0, np.int32), normal(0), minlength=2),
    ])  # fmt: skip
def counts_of(
    arr: Array, weights: Array, *, minlength: Any = None, maxlength: Any = None
) -> Array:
    """The operation of `bincount`."""
    numbers, parts = check_natural(arr, "arr").ravel(), np.asarray(weights)
    _check_weights(np.shape(arr), parts.shape)
    size = max(int(numbers.max()) + 1 if numbers.size else 0, minlength or 0)
    size = size if maxlength is None else min(size, maxlength)
    counted = numbers < size
    totals = np.zeros(size, parts.dtype)
    np.add.at(totals, numbers[counted], parts.ravel()[counted])
    return totals


NotDifferentiable("Bincount")


@front_of(counts_of)
def bincount(
    arr: Any, weights: Any = None, minlength: Any = None, maxlength: Any = None,
    dtype: Any = np.int32, name: str | None = None,
) -> Tensor:  # fmt: skip
    """How often each number from 0 on occurs, as a vector. No gradient flows.

    Parameters
    ----------
    arr : tensor of ints
        Of any shape; none is negative.
    weights : tensor, optional
        What each occurrence counts, instead of 1; of the shape of `arr`.
    minlength, maxlength : int, optional
        The least length of the result, and the most: larger numbers are left out.
    dtype : DType
        Of the result; with `weights` theirs is.

    Raises
    ------
    ValueError
        A number is negative, or the shapes differ.

    Examples
    --------
    >>> import similarflow as sf
    >>> sf.Session().run(sf.math.bincount([1, 1, 3, 0]))
    array([1, 2, 0, 1], dtype=int32)
    """
    with graph_of([arr, weights]).as_default():
        numbers = convert_to_tensor(arr)
        if weights is None:
            weights = ones_like(numbers, as_np_dtype(dtype))
        counts: Tensor = counts_of(
            numbers, weights, minlength=minlength, maxlength=maxlength,
            name=name or "bincount",
        )  # fmt: skip
    return counts
