"""Tensors with a diagonal, and bands of matrices; see also `diagonals`."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core.convert import STRING, Array
from ..core.graph import Dims, Operation, Spec, Tensor
from ..core.registry import op
from ..core.rules import RegisterGradient
from ..core.samples import case, normal
from .gather import check_index_type
from .known import merge_dims, show, static_ints


def need_matrix(dims: Dims, what: str = "the input") -> None:
    """Raise ValueError unless `dims` has the two axes of a matrix."""
    if dims is not None and len(dims) < 2:
        raise ValueError(f"{what} needs rank 2 or more, and has shape {show(dims)}")


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


# Bands


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
    need_matrix(dims)
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
    need_matrix(dims)
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
