"""Running the user's own operations: nothing of theirs can harm the rest."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core.convert import as_array, fits
from ..core.graph import Operation, Tensor
from ..core.messages import line_of
from .call import compute_calling


def compute_own(op: Operation, args: list[Any], generator: Any = None) -> list[Any]:
    """The outputs of an own operation, or of one that runs sub-graphs.

    An own operation gets read-only inputs. Its exceptions come through as they are,
    with a note that names the operation.
    """
    if op.definition is not None:
        return compute_calling(op, args, generator)
    where = f"in {op.type} '{op.name}', made at {line_of(op)}"
    try:
        result = op.compute(*[_read_only(a) for a in args])
    except Exception as error:
        error.add_note(where)
        raise
    if len(op.outputs) == 1:
        if isinstance(result, tuple):
            raise TypeError(
                f"compute returned a tuple of {len(result)}, and the operation has one "
                f"output: return one array, or set num_outputs = {len(result)}\n{where}"
            )
        result = [result]
    elif not isinstance(result, list | tuple) or len(result) != len(op.outputs):
        raise ValueError(
            f"compute must return {len(op.outputs)} values in a list or tuple, "
            f"returned {type(result).__name__}\n{where}"
        )
    pairs = zip(result, op.outputs, strict=True)
    return [_as_value(value, tensor, where) for value, tensor in pairs]


def _read_only(value: Any) -> Any:
    if not isinstance(value, np.ndarray):
        return value
    view = value.view()
    view.flags.writeable = False
    return view


def _as_value(value: Any, tensor: Tensor, where: str) -> Any:
    if value is None:
        raise TypeError(f"compute returned None, and must return the value\n{where}")
    if hasattr(value, "graph"):
        raise TypeError(
            f"compute returned the tensor {value!r}, and must return numbers: it gets "
            f"and returns arrays, use NumPy in it\n{where}"
        )
    what = f" from {tensor.op.type} '{tensor.op.name}'"
    array = np.array(as_array(value, tensor.static_dtype, what, narrow=False))
    if not fits(tensor.static_shape, array.shape):
        raise ValueError(
            f"compute returned shape {array.shape}, and infer said "
            f"{tensor.static_shape}\n{where}"
        )
    return array
