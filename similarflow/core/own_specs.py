"""What an own operation's `infer` says, made ready."""

from __future__ import annotations

from typing import Any

from .convert import as_dims, as_np_dtype
from .graph import Operation, Spec


def read(specs: Any, op: Operation) -> list[Spec]:
    """(shape, dtype) of each output, from one pair or a list of pairs.

    Raises
    ------
    ValueError
        There are not as many as the operation has outputs.
    """
    specs = list(specs)
    if len(specs) == 2 and not all(isinstance(s, tuple) and len(s) == 2 for s in specs):
        specs = [tuple(specs)]  # one pair
    if len(specs) != op.num_outputs:
        raise ValueError(
            f"infer of {type(op).__name__} told of {len(specs)} outputs, and its "
            f"num_outputs is {op.num_outputs}: return a list of (shape, dtype) pairs"
        )
    return [(as_dims(shape), as_np_dtype(dtype)) for shape, dtype in specs]
