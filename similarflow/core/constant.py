"""TensorFlow's forms of a constant and of the conversion to a tensor."""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np

from . import graph as _graph
from .convert import STRING, as_array, as_dims, as_np_dtype
from .graph import Constant, Tensor


def constant(
    value: Any, dtype: Any = None, shape: Any = None, name: str = "Const",
    verify_shape: bool = False,
) -> Constant:  # fmt: skip
    """A tensor with a fixed value.

    Parameters
    ----------
    value : array_like
    dtype : DType, optional
        By default float32 for Python floats, int32 for ints, an array's own.
    shape : list of int, optional
        The value is given this shape; the last one is repeated if there are too few, 0
        if there is none.
    verify_shape : bool
        Refuse a value whose shape is not `shape`.

    Raises
    ------
    ValueError
        More values than `shape` holds.

    Examples
    --------
    >>> import similarflow as sf
    >>> sf.Session().run(sf.constant(0.5, shape=[2, 2]))
    array([[0.5, 0.5],
           [0.5, 0.5]], dtype=float32)
    """
    array = as_array(value, as_np_dtype(dtype), f" for {name!r}")
    dims = as_dims(shape)
    if dims is None or dims == array.shape:
        return Constant(array, name=name)
    if verify_shape:
        raise TypeError(f"{name}: the value has shape {array.shape}, not {dims}")
    size = prod(n or 0 for n in dims)
    if array.size > size:
        raise ValueError(
            f"{name}: {array.size} values do not fit the {size} of shape {dims}"
        )
    empty = np.full(1, b"" if array.dtype == STRING else 0, array.dtype)
    last = array.ravel()[-1:] if array.size else empty
    filled = np.concatenate([array.ravel(), np.repeat(last, size - array.size)])
    return Constant(filled.reshape(tuple(n or 0 for n in dims)), name=name)


def convert_to_tensor(
    value: Any, dtype: Any = None, name: str | None = None, preferred_dtype: Any = None,
    dtype_hint: Any = None,
) -> Tensor:  # fmt: skip
    """`value` (number, string, list, array, variable, own operation) as a tensor.

    Parameters
    ----------
    value : array_like, tensor, or a list that holds tensors
    dtype : DType, optional
        By default float32 for Python floats, int32 for ints, an array's own.
    preferred_dtype, dtype_hint : DType, optional
        Taken if `dtype` is not given and the value fits it.

    Raises
    ------
    ValueError
        A tensor of another dtype.
    TypeError
        A value that `dtype` cannot hold without loss.

    Examples
    --------
    >>> import similarflow as sf
    >>> sf.convert_to_tensor([[1, 2]]).dtype
    tf.int32
    """
    hint = preferred_dtype if preferred_dtype is not None else dtype_hint
    if dtype is None and hint is not None and not hasattr(value, "as_tensor"):
        try:
            return _graph.convert_to_tensor(value, hint, name)
        except (TypeError, ValueError):
            pass  # it does not fit, so its own dtype counts
    return _graph.convert_to_tensor(value, dtype, name)
