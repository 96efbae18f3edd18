"""Writes of some rows: the variable keeps its array, and only those rows change.

The new rows are computed with all else. They are put into the variable in the end, by
calls that cannot fail: see `Finals`.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from functools import partial
from math import prod
from typing import Any

import numpy as np

from ...ops.gather import check_indices
from .binding import KINDS, Binder, maker
from .buffers import LARGE
from .program import Node, Value

WHOLE = frozenset({"SparseApplyAdam"})
"""Steps that move all rows, also those without a gradient."""


def _in_rows(node: Node) -> bool:
    """Whether a kernel does to each row what the indices say, apart from others."""
    known = node.op.definition
    if known is None or not known.writes or node.type in WHOLE or "Nd" in node.type:
        return False
    named = node.type.startswith(("Scatter", "SparseApply"))
    return named and "indices" in known.inputs


def rows_in_place(b: Binder, node: Node) -> bool:
    """Bind it so, if nobody reads what the variables are after it in the same run."""
    known = node.op.definition
    if known is None:
        return False
    pairs = zip(node.inputs, node.outputs, strict=False)
    if not all(b.is_final(old, new) for old, new in pairs):
        return False
    variables, rest = node.inputs[: known.writes], node.inputs[known.writes :]
    if any(v.size < LARGE or not v.dims for v in variables):
        return False
    if len({v.dims[0] for v in variables}) > 1:
        return False
    at = known.inputs.index("indices") - known.writes
    made = [Value(f"rows of {v.name}") for v in (variables[0], *variables)]
    kernel = _changed(node.kernel, len(variables), at)
    b.late(kernel, [*variables, *rest], made)
    for variable, out, new in zip(variables, node.outputs, made[1:], strict=True):
        b.final(operator.setitem, variable, out, made[0], new)
    return True


KINDS.append((_in_rows, rows_in_place))


def _changed(kernel: Callable[..., Any], count: int, at: int) -> Callable[..., Any]:
    """From variables and what else `kernel` takes: places, and the new rows there."""

    def rows(*args: Any) -> list[Any]:
        variables, rest = args[:count], [*args[count:]]
        indices = check_indices(rest[at], len(variables[0]))
        places, inverse = np.unique(indices, return_inverse=True)
        rest[at] = inverse.reshape(np.shape(indices))
        new = kernel(*[v[places] for v in variables], *rest)
        return [places, *(new if isinstance(new, list | tuple) else [new])]

    return rows


ADDING: dict[str, Any] = {"ScatterAdd": np.add.at, "ScatterSub": np.subtract.at}


@maker(*ADDING)
def added_rows(b: Binder, node: Node) -> bool:
    """Add to the flat variable, element by element, which is faster than row by row."""
    (variable, indices, updates), (out,) = node.inputs, node.outputs
    row = variable.dims[1:]
    plain = updates.dims == (*indices.dims, *row) and updates.dtype == variable.dtype
    if not plain or variable.size < LARGE or not updates.size:
        return rows_in_place(b, node)
    if not b.is_final(variable, out):
        return False
    count = prod(updates.dims)
    places, flat = b.temp((count,), np.intp), b.temp((count,), updates.dtype)
    b.emit(partial(_places, variable.dims[0], np.arange(prod(row))), indices, places)
    b.alias(flat, _flat, updates)
    b.final(ADDING[node.type], variable, out, places, flat, flat=True)
    return True


def _places(rows: int, lane: Any, indices: Any, out: Any) -> None:
    """Where each element of the rows is in the flat variable."""
    found = check_indices(indices, rows).reshape(-1, 1)
    whole = out.reshape(found.size, lane.size)
    np.multiply(found, lane.size, out=whole, casting="unsafe")
    np.add(whole, lane, whole)


def _flat(x: Any) -> Any:
    return x.reshape(-1)
