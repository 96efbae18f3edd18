"""What reductions share: how axes are read, and in which precision entries add up."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..core.convert import Array, as_result
from ..core.infer import reduced_dims
from .known import as_ints


def as_axes(axis: Any, x: Any = None) -> tuple[int, ...] | None:
    """Axes to reduce as a tuple of ints; None for all of them."""
    return None if axis is None else as_ints(axis)


def as_flag(flag: Any, x: Any = None) -> bool:
    """True or False; None, which older scripts pass on, is False."""
    return bool(flag)


REDUCTION: dict[str, Any] = {
    "converters": {"axis": as_axes, "keepdims": as_flag},
    "aliases": {"reduction_indices": "axis", "keep_dims": "keepdims"},
}
"""How every reduction reads its arguments, also under their older names."""


def wide(*arrays: Array) -> np.dtype[Any]:
    """The dtype to add up in: single for half precision, which soon loses digits."""
    dtype = np.result_type(*arrays)
    return np.dtype(np.float32) if dtype == np.float16 else dtype


def narrowed(result: Array, *arrays: Array) -> Array:
    """What was computed in the dtype `wide` gave, rounded once to that of `arrays`."""
    half = np.result_type(*arrays) == np.float16
    return np.asarray(result, np.float16) if half else result


def reduced(
    function: Callable[..., Any], x: Array, axis: Any, keepdims: bool, **how: Any
) -> Array:
    """``function(x, axis)``, such as np.max, for axes that `x` has.

    A number has none, but NumPy takes 0 and -1 for it.
    """
    reduced_dims(np.shape(x), axis, keepdims)
    return as_result(function(x, axis, keepdims=keepdims, **how))  # type: ignore[no-any-return]


def total(x: Array, axis: Any = None, keepdims: bool = False) -> Array:
    """The sum over `axis` in the dtype of `x`."""
    sums = reduced(np.sum, x, axis, keepdims, dtype=wide(x))
    return narrowed(sums, x)
