"""Strings: arrays of bytes objects."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core.casting import dtype_name
from ..core.convert import STRING, Array, agree
from ..core.graph import Dims, Spec, Tensor
from ..core.registry import op
from ..core.rules import NotDifferentiable
from ..core.samples import case
from .known import merge_dims, show


def _infer_string_join(*inputs: Tensor, separator: Any = "") -> Spec:
    if not inputs:
        raise ValueError("string_join needs at least one tensor")
    for x in inputs:
        if not agree(x.static_dtype, STRING):
            raise TypeError(
                f"string_join joins strings, and '{x.name}' is "
                f"{dtype_name(x.static_dtype)}"
            )
    shapes = [x.static_shape for x in inputs if x.static_shape != ()]
    dims: Dims = None if shapes else ()
    for shape in shapes:
        dims = _joined_dims(dims, shape)
    return dims, STRING


def _joined_dims(x: Dims, y: Dims) -> Dims:
    try:
        return merge_dims(x, y)
    except ValueError:
        raise ValueError(
            f"shapes {show(x)} and {show(y)} cannot be joined: all but scalars must "
            "have one shape"
        ) from None


@op(
    "StringJoin", infer=_infer_string_join, accepts="any",
    samples=[
        case([["a", "b"]]),
        case([["a", "b"], "c", ["d", "e"]], separator="-"),
        case(["x", [["a"], ["b"]]]),
    ],
)  # fmt: skip
def string_join(*inputs: Array, separator: Any = "") -> Array:
    """The strings joined, element by element; scalars go with every element.

    Parameters
    ----------
    inputs : list of tensors
        Strings of one shape, or scalars.
    separator : str
        What stands between them.

    Raises
    ------
    ValueError
        The shapes differ.

    Examples
    --------
    >>> import similarflow as sf
    >>> sf.Session().run(sf.string_join([["a", "b"], "1"], separator="_"))
    array([b'a_1', b'b_1'], dtype=object)
    """
    shapes = [np.shape(x) for x in inputs if np.ndim(x)]
    for shape in shapes:
        _joined_dims(shapes[0], shape)
    dims = shapes[0] if shapes else ()
    between = separator.encode() if isinstance(separator, str) else bytes(separator)
    spread = [np.broadcast_to(np.asarray(x, STRING), dims) for x in inputs]
    result = np.empty(dims, STRING)
    for i, row in enumerate(zip(*[x.flat for x in spread], strict=True)):
        result.flat[i] = between.join(row)
    return result


NotDifferentiable("StringJoin")
