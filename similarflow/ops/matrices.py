"""Diagonals and bands of matrices, in the last two axes of a tensor; the transpose."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core.convert import STRING, Array
from ..core.graph import Dims, Operation, Spec, Tensor
from ..core.infer import common_dtype
from ..core.operators import BUILDERS
from ..core.registry import op
from ..core.rules import RegisterGradient
from ..core.samples import case, normal
from .elementary import reduce_sum
from .gather import check_index_type
from .known import as_ints, merge_dims, show, static_ints
from .shape import zeros_like


def _need_matrix(dims: Dims, what: str = "the input") -> None:
    if dims is not None and len(dims) < 2:
        raise ValueError(f"{what} needs rank 2 or more, and has shape {show(dims)}")


def _as_offset(k: Any, x: Any = None) -> int:
    found = as_ints(k)
    if len(found) != 1:
        raise ValueError(f"k is one diagonal, and {k!r} is a band of several")
    return found[0]


def _as_number(number: Any, x: Any = None) -> int:
    return as_ints(number)[0]


# Tensors with a diagonal


def _infer_diag(diagonal: Tensor) -> Spec:
    dims = diagonal.static_shape
    if dims == ():
        raise ValueError("diag needs a tensor of rank 1 or more, not a scalar")
    return None if dims is None else dims * 2, diagonal.static_dtype


@op("Diag", infer=_infer_diag, samples=[
    case(normal(3)), case(normal(2, 2)), case(normal(0)), case([1, 2]),
])  # fmt: skip
def diag(diagonal: Array) -> Array:
    """A tensor with `diagonal` on its diagonal and zeros elsewhere.

    Of a vector that is a matrix; of rank k the result has rank 2k. `matrix_diag` makes
    a batch of matrices.

    Examples
    --------
    >>> import similarflow as sf
    >>> sf.Session().run(sf.diag([1, 2]))
    array([[1, 0],
           [0, 2]], dtype=int32)
    """
    dims = np.shape(diagonal)
    if not dims:
        raise ValueError("diag needs a tensor of rank 1 or more, not a scalar")
    return np.diag(np.ravel(diagonal)).reshape(dims * 2)


@RegisterGradient("Diag")
def _diag_grad(op: Operation, grad: Tensor) -> Any:
    return diag_part(grad)


def _halved(dims: Dims) -> Dims:
    """The shape of the diagonal of a tensor of shape `dims`."""
    if dims is None:
        return None
    half = len(dims) // 2
    try:
        if dims and len(dims) == 2 * half:
            return merge_dims(dims[:half], dims[half:])
    except ValueError:
        pass
    raise ValueError(
        f"a diagonal needs a shape of two equal halves, as (2, 2), not {show(dims)}"
    )


def _infer_diag_part(input: Tensor) -> Spec:
    return _halved(input.static_shape), input.static_dtype


@op("DiagPart", infer=_infer_diag_part, samples=[
    case(normal(3, 3)), case(normal(2, 1, 2, 1)), case(normal(0, 0)),
])  # fmt: skip
def diag_part(input: Array) -> Array:
    """The diagonal of a tensor whose shape has two equal halves; undoes `diag`.

    Examples
    --------
    >>> import similarflow as sf
    >>> sf.Session().run(sf.diag_part([[1, 2], [3, 4]]))
    array([1, 4], dtype=int32)
    """
    dims: Any = _halved(np.shape(input))
    size = int(np.prod(dims))
    return np.diagonal(np.reshape(input, (size, size))).reshape(dims)


@RegisterGradient("DiagPart")
def _diag_part_grad(op: Operation, grad: Tensor) -> Any:
    return diag(grad)


# Diagonals of batches of matrices


def _length(rows: int, columns: int, k: int) -> int:
    """The length of diagonal `k` of a matrix; 0 if there is none."""
    return max(min(rows + min(k, 0), columns - max(k, 0)), 0)


def _matrix_sizes(n: int, k: int, num_rows: int, num_cols: int) -> tuple[int, int]:
    """Rows and columns of a matrix whose diagonal `k` has `n` entries."""
    if num_rows < 0 and num_cols < 0:
        return n + abs(k), n + abs(k)
    rows = n + max(-k, 0) if num_rows < 0 else num_rows
    columns = n + max(k, 0) if num_cols < 0 else num_cols
    if _length(rows, columns, k) != n:
        raise ValueError(
            f"diagonal {k} of a matrix with {rows} rows and {columns} columns has "
            f"{_length(rows, columns, k)} entries, and {n} are given"
        )
    return rows, columns


def _infer_matrix_diag(
    diagonal: Tensor, k: int = 0, num_rows: int = -1, num_cols: int = -1,
    padding_value: Any = 0,
) -> Spec:  # fmt: skip
    dims = diagonal.static_shape
    if dims is None:
        return None, diagonal.static_dtype
    if not dims:
        raise ValueError("matrix_diag needs a tensor of rank 1 or more, not a scalar")
    sizes: Any = tuple([n if n >= 0 else None for n in (num_rows, num_cols)])
    if dims[-1] is not None:
        sizes = _matrix_sizes(dims[-1], k, num_rows, num_cols)
    return (*dims[:-1], *sizes), diagonal.static_dtype


SIZES = {"k": _as_offset, "num_rows": _as_number, "num_cols": _as_number}


@op("MatrixDiag", name="diag", infer=_infer_matrix_diag, converters=SIZES, samples=[
    case(normal(2, 3)), case(normal(2), k=1), case(normal(2), k=-1, num_cols=4),
    case(normal(2, 2), num_rows=3, padding_value=7), case(normal(0)), case([1, 2]),
])  # fmt: skip
def matrix_diag(
    diagonal: Array, *, k: int = 0, num_rows: int = -1, num_cols: int = -1,
    padding_value: Any = 0,
) -> Array:  # fmt: skip
    """Matrices with the rows of a tensor as their diagonals, and zeros elsewhere.

    Parameters
    ----------
    diagonal : tensor
        Its last axis becomes the two axes of a matrix.
    k : int
        Which diagonal: 0 is the main one, 1 that above it, -1 that below.
    num_rows, num_cols : int
        How large a matrix is; as small as can be by default.
    padding_value : scalar
        What stands elsewhere.

    Examples
    --------
    >>> import similarflow as sf
    >>> sf.Session().run(sf.matrix_diag([1, 2], k=1))
    array([[0, 1, 0],
           [0, 0, 2],
           [0, 0, 0]], dtype=int32)
    """
    *batch, n = np.shape(diagonal)
    sizes = _matrix_sizes(n, k, num_rows, num_cols)
    whole = np.full((*batch, *sizes), padding_value, np.result_type(diagonal))
    whole[_on_diagonal(n, k)] = diagonal
    return whole


def _on_diagonal(n: int, k: int) -> tuple[Any, ...]:
    """The index of the `n` places of diagonal `k`."""
    place = np.arange(n)
    return ..., place + max(-k, 0), place + max(k, 0)


@RegisterGradient("MatrixDiag")
def _matrix_diag_grad(op: Operation, grad: Tensor) -> Any:
    return matrix_diag_part(grad, k=op.attrs["k"])


def _diagonal_dims(dims: Dims, k: int) -> Dims:
    """The shape of diagonals `k` of matrices; ValueError if they have none."""
    _need_matrix(dims)
    if dims is None:
        return None
    rows, columns = dims[-2:]
    if k and (k >= (columns or k + 1) or -k >= (rows or 1 - k)):
        raise ValueError(f"matrices of shape {show(dims)} have no diagonal {k}")
    known = None if rows is None or columns is None else _length(rows, columns, k)
    return (*dims[:-2], known)


def _infer_diagonal(input: Tensor, k: int = 0) -> Spec:
    return _diagonal_dims(input.static_shape, k), input.static_dtype


@op("MatrixDiagPart", name="diag_part", infer=_infer_diagonal,
    converters={"k": _as_offset}, samples=[
        case(normal(3, 3)), case(normal(2, 2, 3), k=1), case(normal(3, 2), k=-1),
        case(normal(2, 0, 3)),
    ])  # fmt: skip
def matrix_diag_part(input: Array, *, k: int = 0) -> Array:
    """The diagonals of matrices, which are in the last two axes.

    Parameters
    ----------
    input : tensor
        Of rank 2 or more.
    k : int
        Which diagonal: 0 is the main one, 1 that above it, -1 that below.

    Examples
    --------
    >>> import similarflow as sf
    >>> sf.Session().run(sf.matrix_diag_part([[1, 2, 3], [4, 5, 6]], k=1))
    array([2, 6], dtype=int32)
    """
    _diagonal_dims(np.shape(input), k)
    return np.diagonal(input, k, -2, -1)


@RegisterGradient("MatrixDiagPart")
def _matrix_diag_part_grad(op: Operation, grad: Tensor) -> Any:
    return matrix_set_diag(zeros_like(op.inputs[0]), grad, k=op.attrs["k"])


def _set_dims(dims: Dims, diagonal: Dims, k: int) -> Dims:
    wanted = _diagonal_dims(dims, k)
    if dims is None or diagonal is None:
        return dims
    try:
        merged = merge_dims(wanted, diagonal) or ()
    except ValueError:
        raise ValueError(
            f"diagonal {k} of shape {show(dims)} has shape {show(wanted)}, and shape "
            f"{show(diagonal)} is given"
        ) from None
    return (*merged[:-1], *dims[-2:])


def _infer_set_diag(input: Tensor, diagonal: Tensor, k: int = 0) -> Spec:
    dims = _set_dims(input.static_shape, diagonal.static_shape, k)
    return dims, common_dtype(input, diagonal)


@op("MatrixSetDiag", name="set_diag", infer=_infer_set_diag,
    converters={"k": _as_offset}, samples=[
        case(normal(2, 3), normal(2)), case(normal(2, 3, 2), normal(2, 1), k=1),
        case(normal(3, 2), normal(2), k=-1), case(normal(0, 2), normal(0)),
    ])  # fmt: skip
def matrix_set_diag(input: Array, diagonal: Array, *, k: int = 0) -> Array:
    """Matrices with other numbers on one diagonal; see `matrix_diag_part`.

    Examples
    --------
    >>> import similarflow as sf
    >>> sf.Session().run(sf.matrix_set_diag([[1, 2], [3, 4]], [8, 9]))
    array([[8, 2],
           [3, 9]], dtype=int32)
    """
    _set_dims(np.shape(input), np.shape(diagonal), k)
    whole = np.array(input, np.result_type(input, diagonal))
    whole[_on_diagonal(np.shape(diagonal)[-1], k)] = diagonal
    return whole


@RegisterGradient("MatrixSetDiag")
def _matrix_set_diag_grad(op: Operation, grad: Tensor) -> Any:
    k = op.attrs["k"]
    elsewhere = matrix_set_diag(grad, zeros_like(op.inputs[1]), k=k)
    return elsewhere, matrix_diag_part(grad, k=k)


def _check_band(dims: Any, lower: int | None, upper: int | None) -> None:
    for label, number, size in (
        ("num_lower", lower, dims[-2]), ("num_upper", upper, dims[-1])
    ):  # fmt: skip
        if number is not None and size is not None and number > size:
            raise ValueError(
                f"{label} is {number}; it is at most {size} for shape {show(dims)}, or "
                "negative for all"
            )


def _infer_band(input: Tensor, num_lower: Tensor, num_upper: Tensor) -> Spec:
    dims, counts = input.static_shape, []
    _need_matrix(dims)
    for label, number in (("num_lower", num_lower), ("num_upper", num_upper)):
        check_index_type(number, label)
        counts.append((static_ints(number) or (None,))[0])
    if dims is not None:
        _check_band(dims, *counts)
    return dims, input.static_dtype


@op("MatrixBandPart", infer=_infer_band, same=["input"], accepts="any", samples=[
    case(normal(3, 4), 1, 0), case(normal(2, 3, 3), 0, -1), case(normal(3, 2), -1, 1),
    case(normal(0, 2), 0, 0), case([[True, True]], 0, 0),
])  # fmt: skip
def matrix_band_part(input: Array, num_lower: Array, num_upper: Array) -> Array:
    """Matrices with zeros outside of a band around the diagonal.

    Parameters
    ----------
    input : tensor
        Of rank 2 or more.
    num_lower, num_upper : int, or scalar tensor
        How many diagonals below and above the main one stay; negative for all.

    Examples
    --------
    >>> import similarflow as sf
    >>> sf.Session().run(sf.matrix_band_part([[1, 2, 3], [4, 5, 6], [7, 8, 9]], 0, 1))
    array([[1, 2, 0],
           [0, 5, 6],
           [0, 0, 9]], dtype=int32)
    """
    dims, dtype = np.shape(input), np.result_type(input)
    _need_matrix(dims)
    lower, upper = int(num_lower), int(num_upper)
    _check_band(dims, lower, upper)
    below = np.arange(dims[-2])[:, None] - np.arange(
        dims[-1]
    )  # rows under the diagonal
    inside = ((lower < 0) | (below <= lower)) & ((upper < 0) | (-below <= upper))
    return np.where(inside, input, np.array(b"" if dtype == STRING else 0, dtype))


@RegisterGradient("MatrixBandPart")
def _matrix_band_part_grad(op: Operation, grad: Tensor) -> Any:
    return matrix_band_part(grad, *op.inputs[1:]), None, None


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


def _infer_turned(a: Tensor, conjugate: bool = False) -> Spec:
    dims = a.static_shape
    _need_matrix(dims)
    turned = None if dims is None else (*dims[:-2], dims[-1], dims[-2])
    return turned, a.static_dtype


@op("MatrixTranspose", name="matrix_transpose", infer=_infer_turned, accepts="any",
    samples=[case(normal(2, 3)), case(normal(2, 0, 3))])  # fmt: skip
def matrix_transpose(a: Array, *, conjugate: bool = False) -> Array:
    """The transposes of matrices, which are in the last two axes.

    Parameters
    ----------
    a : tensor
        Of rank 2 or more.
    conjugate : bool
        Whether complex numbers are conjugated, too.

    Examples
    --------
    >>> import similarflow as sf
    >>> sf.Session().run(sf.matrix_transpose([[[1, 2]], [[3, 4]]])).shape
    (2, 2, 1)
    """
    _need_matrix(np.shape(a))
    moved = np.swapaxes(a, -1, -2)
    return np.conjugate(moved) if conjugate and moved.dtype.kind == "c" else moved


@RegisterGradient("MatrixTranspose")
def _matrix_transpose_grad(op: Operation, grad: Tensor) -> Any:
    return matrix_transpose(grad, conjugate=op.attrs["conjugate"])
