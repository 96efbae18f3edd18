"""Diagonals of matrices, which are in the last two axes of a tensor: one, or a band.

A band of several diagonals is a matrix with one of them in each row, from the highest
to the lowest. The shorter ones are padded, before or behind, as `align` says.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..core.convert import Array
from ..core.graph import Dims, Operation, Spec, Tensor
from ..core.infer import common_dtype
from ..core.operators import BUILDERS
from ..core.registry import op
from ..core.rules import RegisterGradient
from ..core.samples import case, normal
from .elementary import reduce_sum
from .known import as_ints, merge_dims, show
from .matrices import need_matrix
from .shape import zeros_like

Band = tuple[int, int]
"""The lowest and the highest diagonal."""
ALIGNS = ("RIGHT_LEFT", "LEFT_RIGHT", "LEFT_LEFT", "RIGHT_RIGHT")


def _as_band(k: Any, x: Any = None) -> Band:
    found = as_ints(k)
    if len(found) not in (1, 2) or found[0] > found[-1]:
        raise ValueError(
            f"k is one diagonal, or the lowest and the highest of a band, not {k!r}"
        )
    return found[0], found[-1]


def _as_align(align: Any, x: Any = None) -> str:
    if align not in ALIGNS:
        raise ValueError(f"align is one of {', '.join(ALIGNS)}, not {align!r}")
    return str(align)


def _as_number(number: Any, x: Any = None) -> int:
    return as_ints(number)[0]


BAND = {"k": _as_band, "align": _as_align}
SIZES = {**BAND, "num_rows": _as_number, "num_cols": _as_number}


def _length(rows: int, columns: int, k: Band) -> int:
    """The length of the longest diagonal of a band; 0 if there is none."""
    return max(min(rows + min(k[1], 0), columns - max(k[0], 0)), 0)


def _places(rows: int, columns: int, k: Band, align: str) -> tuple[Any, Any]:
    """Where the entries are in the diagonals, and where in the matrix, as indices."""
    above, below = align.split("_")
    length = _length(rows, columns, k)
    found = [np.zeros([4, 0], np.int64)]
    for m, d in enumerate(range(k[1], k[0] - 1, -1)):
        n = np.arange(_length(rows, columns, (d, d)))
        left = (d >= 0 and above == "LEFT") or (d <= 0 and below == "LEFT")
        shift = 0 if left else length - n.size
        found.append(np.stack([0 * n + m, n + shift, n + max(-d, 0), n + max(d, 0)]))
    row, column, i, j = np.concatenate(found, 1)
    in_band = (..., column) if k[0] == k[1] else (..., row, column)
    return in_band, (..., i, j)


def _matrix_sizes(n: int, k: Band, num_rows: int, num_cols: int) -> tuple[int, int]:
    """Rows and columns of a matrix whose longest diagonal in `k` has `n` entries."""
    least = n - min(k[1], 0), n + max(k[0], 0)
    if num_rows < 0 and num_cols < 0:
        return max(least), max(least)
    rows = least[0] if num_rows < 0 else num_rows
    columns = least[1] if num_cols < 0 else num_cols
    if _length(rows, columns, k) != n:
        raise ValueError(
            f"{_named(k)} of a matrix with {rows} rows and {columns} columns has "
            f"{_length(rows, columns, k)} entries, and {n} are given"
        )
    return rows, columns


def _named(k: Band) -> str:
    return f"diagonal {k[0]}" if k[0] == k[1] else f"the band {k[0]} to {k[1]}"


def _batch_of(dims: Sequence[int | None], k: Band) -> Any:
    """The sizes before a diagonal, or before a band of the right height."""
    count = k[1] - k[0] + 1
    if len(dims) < 1 + (count > 1):
        rank = "2 or more for a band" if count > 1 else "1 or more, not a scalar"
        raise ValueError(f"matrix_diag needs a tensor of rank {rank}")
    if count == 1:
        return dims[:-1]
    if dims[-2] not in (None, count):
        raise ValueError(
            f"{_named(k)} has {count} diagonals, and {dims[-2]} are given in shape "
            f"{show(tuple(dims))}"
        )
    return dims[:-2]


def _infer_matrix_diag(
    diagonal: Tensor, k: Band = (0, 0), num_rows: int = -1, num_cols: int = -1,
    padding_value: Any = 0, align: str = ALIGNS[0],
) -> Spec:  # fmt: skip
    dims = diagonal.static_shape
    if dims is None:
        return None, diagonal.static_dtype
    batch = _batch_of(dims, k)
    sizes: Any = tuple([n if n >= 0 else None for n in (num_rows, num_cols)])
    if dims[-1] is not None:
        sizes = _matrix_sizes(dims[-1], k, num_rows, num_cols)
    return (*batch, *sizes), diagonal.static_dtype


@op("MatrixDiag", name="diag", infer=_infer_matrix_diag, converters=SIZES, samples=[
    case(normal(2, 3)), case(normal(2), k=1), case(normal(2), k=-1, num_cols=4),
    case(normal(2, 2), num_rows=3, padding_value=7), case(normal(0)), case([1, 2]),
    case(normal(2, 3, 3), k=(-1, 1)), case(normal(2, 2), k=(1, 2), align="LEFT_LEFT"),
    case(normal(2, 3), k=(-2, -1), num_cols=3, align="RIGHT_RIGHT"),
])  # fmt: skip
def matrix_diag(
    diagonal: Array, *, k: Any = (0, 0), num_rows: int = -1, num_cols: int = -1,
    padding_value: Any = 0, align: Any = "RIGHT_LEFT",
) -> Array:  # fmt: skip
    """Matrices with the rows of a tensor as their diagonals, and zeros elsewhere.

    Parameters
    ----------
    diagonal : tensor
        Its last axis becomes the two axes of a matrix; for a band the last two do.
    k : int, or pair of int
        Which diagonal: 0 is the main one, 1 that above it, -1 that below. Two are the
        lowest and the highest of a band. By default the main one.
    num_rows, num_cols : int
        How large a matrix is; as small as can be by default.
    padding_value : scalar
        What stands elsewhere.
    align : str
        Which end of the shorter diagonals of a band fits, of those above and of those
        below the main one: "RIGHT_LEFT", "LEFT_RIGHT", "LEFT_LEFT", "RIGHT_RIGHT".

    Examples
    --------
    >>> import similarflow as sf
    >>> sf.Session().run(sf.matrix_diag([1, 2], k=1))
    array([[0, 1, 0],
           [0, 0, 2],
           [0, 0, 0]], dtype=int32)
    >>> sf.Session().run(sf.matrix_diag([[0, 1], [2, 3], [4, 0]], k=(-1, 1)))
    array([[2, 1],
           [4, 3]], dtype=int32)
    """
    dims = np.shape(diagonal)
    batch = _batch_of(dims, k)
    sizes = _matrix_sizes(dims[-1], k, num_rows, num_cols)
    whole = np.full((*batch, *sizes), padding_value, np.result_type(diagonal))
    in_band, in_matrix = _places(*sizes, k, align)
    whole[in_matrix] = np.asarray(diagonal)[in_band]
    return whole


@RegisterGradient("MatrixDiag")
def _matrix_diag_grad(op: Operation, grad: Tensor) -> Any:
    return matrix_diag_part(grad, k=op.attrs["k"], align=op.attrs["align"])


def _diagonal_dims(dims: Dims, k: Band) -> Dims:
    """The shape of a diagonal or band of matrices; ValueError if they have none."""
    need_matrix(dims)
    if dims is None:
        return None
    rows, columns = dims[-2:]
    for d in k:
        if d and (d >= (columns or d + 1) or -d >= (rows or 1 - d)):
            raise ValueError(f"matrices of shape {show(dims)} have no diagonal {d}")
    known = None if rows is None or columns is None else _length(rows, columns, k)
    count = k[1] - k[0] + 1
    return (*dims[:-2], *([count] if count > 1 else []), known)


def _infer_diagonal(
    input: Tensor, k: Band = (0, 0), padding_value: Any = 0, align: str = ALIGNS[0]
) -> Spec:
    return _diagonal_dims(input.static_shape, k), input.static_dtype


@op("MatrixDiagPart", name="diag_part", infer=_infer_diagonal, converters=BAND,
    samples=[
        case(normal(3, 3)), case(normal(2, 2, 3), k=1), case(normal(3, 2), k=-1),
        case(normal(2, 0, 3)), case(normal(2, 3, 4), k=(-1, 2)),
        case(normal(3, 2), k=(-2, -1), align="RIGHT_RIGHT", padding_value=7),
    ])  # fmt: skip
def matrix_diag_part(
    input: Array, *, k: Any = (0, 0), padding_value: Any = 0, align: Any = "RIGHT_LEFT"
) -> Array:
    """The diagonals of matrices, which are in the last two axes.

    Parameters
    ----------
    input : tensor
        Of rank 2 or more.
    k : int, or pair of int
        Which diagonal, or the lowest and the highest of a band; see `matrix_diag`.
    padding_value : scalar
        What shorter diagonals of a band are padded with.
    align : str
        Where it stands; see `matrix_diag`.

    Examples
    --------
    >>> import similarflow as sf
    >>> x = [[1, 2, 3], [4, 5, 6]]
    >>> sf.Session().run(sf.matrix_diag_part(x, k=1))
    array([2, 6], dtype=int32)
    >>> sf.Session().run(sf.matrix_diag_part(x, k=(-1, 0)))
    array([[1, 5],
           [4, 0]], dtype=int32)
    """
    dims = np.shape(input)
    wanted: Any = _diagonal_dims(dims, k)
    part = np.full(wanted, padding_value, np.result_type(input))
    in_band, in_matrix = _places(dims[-2], dims[-1], k, align)
    part[in_band] = np.asarray(input)[in_matrix]
    return part


@RegisterGradient("MatrixDiagPart")
def _matrix_diag_part_grad(op: Operation, grad: Tensor) -> Any:
    k, align = op.attrs["k"], op.attrs["align"]
    return matrix_set_diag(zeros_like(op.inputs[0]), grad, k=k, align=align)


def _set_dims(dims: Dims, diagonal: Dims, k: Band) -> Dims:
    wanted = _diagonal_dims(dims, k)
    if dims is None or diagonal is None:
        return dims
    try:
        merged = merge_dims(wanted, diagonal) or ()
    except ValueError:
        raise ValueError(
            f"{_named(k)} of shape {show(dims)} has shape {show(wanted)}, and shape "
            f"{show(diagonal)} is given"
        ) from None
    return (*merged[: len(dims) - 2], *dims[-2:])


def _infer_set_diag(
    input: Tensor, diagonal: Tensor, k: Band = (0, 0), align: str = ALIGNS[0]
) -> Spec:
    dims = _set_dims(input.static_shape, diagonal.static_shape, k)
    return dims, common_dtype(input, diagonal)


@op("MatrixSetDiag", name="set_diag", infer=_infer_set_diag, converters=BAND, samples=[
    case(normal(2, 3), normal(2)), case(normal(2, 3, 2), normal(2, 1), k=1),
    case(normal(3, 2), normal(2), k=-1), case(normal(0, 2), normal(0)),
    case(normal(2, 3, 4), normal(2, 3, 3), k=(-1, 1)),
    case(normal(3, 4), normal(2, 3), k=(1, 2), align="LEFT_RIGHT"),
])  # fmt: skip
def matrix_set_diag(
    input: Array, diagonal: Array, *, k: Any = (0, 0), align: Any = "RIGHT_LEFT"
) -> Array:
    """Matrices with other numbers on a diagonal or band; see `matrix_diag_part`.

    Examples
    --------
    >>> import similarflow as sf
    >>> sf.Session().run(sf.matrix_set_diag([[1, 2], [3, 4]], [8, 9]))
    array([[8, 2],
           [3, 9]], dtype=int32)
    """
    dims = np.shape(input)
    _set_dims(dims, np.shape(diagonal), k)
    whole = np.array(input, np.result_type(input, diagonal))
    in_band, in_matrix = _places(dims[-2], dims[-1], k, align)
    whole[in_matrix] = np.asarray(diagonal)[in_band]
    return whole


@RegisterGradient("MatrixSetDiag")
def _matrix_set_diag_grad(op: Operation, grad: Tensor) -> Any:
    band = {"k": op.attrs["k"], "align": op.attrs["align"]}
    elsewhere = matrix_set_diag(grad, zeros_like(op.inputs[1]), **band)
    return elsewhere, matrix_diag_part(grad, **band)


def trace(x: Any, name: str | None = None) -> Tensor:
    """The sums of the diagonals of matrices, which are in the last two axes.

    Examples
    --------
    >>> import similarflow as sf
    >>> int(sf.Session().run(sf.trace([[1, 2], [3, 4]])))
    5
    """
    total: Tensor = reduce_sum(matrix_diag_part(x), -1, name=name or "Trace")
    return total


BUILDERS["trace"] = trace
