"""Inverses and determinants of square matrices.

Matrices are in the last two axes of a tensor, batches of them before.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..core.convert import Array
from ..core.graph import Dims, Operation, Spec, Tensor
from ..core.registry import op
from ..core.rules import RegisterGradient
from ..core.samples import case, normal, uniform
from .complex import complex, conj, imag, is_complex, real
from .known import show
from .linalg import matmul
from .reshape import expand_dims

ONE_MATRIX = [[2.0, 1.0, 0.0], [0.5, 3.0, 1.0], [1.0, -1.0, 2.0]]
TWO_MATRICES = [[[2.0, 1.0], [-0.5, 1.5]], [[1.0, 3.0], [2.0, 0.5]]]
SQUARES = (
    case(ONE_MATRIX),
    case(TWO_MATRICES),
    case(uniform(0.5, 2.0, 1, 1)),
    case(uniform(0.5, 2.0, 2, 1, 1, 1)),
    case(normal(0, 0)),
    case(normal(0, 2, 2)),
)
MATRICES: dict[str, Any] = {"accepts": "float", "holomorphic": False}
"""Their rules are written for complex numbers: transposes are conjugated."""

# Shapes and errors


def square_dims(dims: Dims, what: str = "the input") -> Dims:
    """`dims` with what is known of the rows known of the columns, and conversely."""
    if dims is None:
        return None
    if len(dims) < 2:
        raise ValueError(f"{what} needs rank 2 or more, and has shape {show(dims)}")
    rows, columns = dims[-2:]
    if rows is not None and columns is not None and rows != columns:
        raise ValueError(
            f"{what} is square, with as many rows as columns, and has shape "
            f"{show(dims)}"
        )
    size = columns if rows is None else rows
    return (*dims[:-2], size, size)


def need_wide(x: Tensor) -> None:
    """LAPACK, which does the work, has no half precision."""
    if x.static_dtype == np.float16:
        raise TypeError(
            "matrices of float16 are not decomposed. Write sf.cast(x, sf.float32)"
        )


def infer_square(input: Tensor, **attrs: Any) -> Spec:
    """The shape rule of what makes a matrix of the same size."""
    need_wide(input)
    return square_dims(input.static_shape), input.static_dtype


def _infer_determinant(input: Tensor) -> Spec:
    dims, dtype = infer_square(input)
    return None if dims is None else dims[:-2], dtype


def _infer_log_determinant(input: Tensor) -> list[Spec]:
    return [_infer_determinant(input)] * 2


def singular(matrix: Array, what: str) -> ValueError:
    """What to say of a batch in which at least one matrix has no inverse."""
    flat = np.reshape(matrix, (-1, *np.shape(matrix)[-2:]))
    signs = np.linalg.slogdet(flat)[0] if len(flat) else np.ones(0)
    places = np.argwhere(np.reshape(signs == 0, np.shape(matrix)[:-2]))
    return ValueError(f"{which_matrix(places)} is singular: it has no {what}")


def which_matrix(places: Array) -> str:
    """``the matrix``, or the first of a batch: ``the matrix [1, 0]``."""
    if not len(places) or not places.shape[1]:
        return "the matrix"
    return f"the matrix {places[0].tolist()} of the batch"


# The operations


@op("MatrixInverse", infer=infer_square, **MATRICES, samples=[
    *SQUARES, case(TWO_MATRICES, adjoint=True),
])  # fmt: skip
def matrix_inverse(input: Array, adjoint: bool = False) -> Array:
    """The inverses of square matrices.

    `matrix_solve` is faster and more accurate where an inverse is only multiplied by.
    The gradient is ``-inv.H @ grad @ inv.H``, with the adjoint `.H`.

    Parameters
    ----------
    input : tensor
        Square matrices in the last two axes.
    adjoint : bool
        Invert the adjoints: the transposes, conjugated if they are complex.

    Raises
    ------
    ValueError
        A matrix is not square, when built if that is known then; or it is singular,
        when run.

    Notes
    -----
    A matrix is found to be singular if elimination leaves an exact 0. If rounding
    leaves a small number instead, the inverse holds very large ones.

    Examples
    --------
    >>> import similarflow as sf
    >>> sf.Session().run(sf.matrix_inverse([[2.0, 0.0], [0.0, 4.0]]))
    array([[0.5 , 0.  ],
           [0.  , 0.25]], dtype=float32)
    """
    square_dims(np.shape(input))
    try:
        inverse: Array = np.linalg.inv(input)
    except np.linalg.LinAlgError:
        raise singular(input, "inverse") from None
    return adjoint_of(inverse) if adjoint else inverse


def adjoint_of(x: Array) -> Array:
    """The conjugate transposes of matrices."""
    turned = np.swapaxes(x, -1, -2)
    return np.conj(turned) if turned.dtype.kind == "c" else turned


@RegisterGradient("MatrixInverse")
def _matrix_inverse_grad(op: Operation, grad: Tensor) -> Any:
    inverse = op.outputs[0]
    if op.attrs["adjoint"]:
        return -matmul(matmul(inverse, grad, adjoint_b=True), inverse)
    product = matmul(inverse, grad, adjoint_a=True)
    return -matmul(product, inverse, adjoint_b=True)


@op("MatrixDeterminant", infer=_infer_determinant, **MATRICES, samples=SQUARES)
def matrix_determinant(input: Array) -> Array:
    """The determinants of square matrices; that of an empty one is 1.

    The gradient is ``grad * det * inv.T`` (Jacobi's formula), conjugated if it is
    complex, and a singular matrix has none here.

    Parameters
    ----------
    input : tensor
        Square matrices in the last two axes.

    Examples
    --------
    >>> import similarflow as sf
    >>> float(sf.Session().run(sf.matrix_determinant([[2.0, 1.0], [0.0, 4.0]])))
    8.0
    """
    square_dims(np.shape(input))
    return np.asarray(np.linalg.det(input))


@RegisterGradient("MatrixDeterminant")
def _matrix_determinant_grad(op: Operation, grad: Tensor) -> Any:
    det = op.outputs[0]
    factor = _as_factor(grad * (conj(det) if is_complex(det) else det))
    return factor * matrix_inverse(op.inputs[0], adjoint=True)


def _as_factor(number: Any) -> Tensor:
    """A number for each matrix, to be multiplied by it."""
    factor: Tensor = expand_dims(expand_dims(number, -1), -1)
    return factor


@op("LogMatrixDeterminant", infer=_infer_log_determinant, **MATRICES,
    samples=SQUARES)  # fmt: skip
def log_matrix_determinant(input: Array) -> Any:
    """The signs of determinants, and the logarithms of their absolute values.

    A determinant of a large matrix overflows or is rounded to 0 long before its
    logarithm does. The gradient of the logarithm is ``grad * inv.T``; that of the sign
    is 0. Of complex matrices the sign is ``det / abs(det)``, and the logarithm is
    complex, too.

    Parameters
    ----------
    input : tensor
        Square matrices in the last two axes.

    Returns
    -------
    list of two tensors
        The sign, and the logarithm; 0 and -inf for a singular matrix.

    Examples
    --------
    >>> import similarflow as sf
    >>> sign, log_abs = sf.log_matrix_determinant([[0.0, 1.0], [1.0, 0.0]])
    >>> [float(v) for v in sf.Session().run([sign, log_abs])]
    [-1.0, 0.0]
    """
    square_dims(np.shape(input))
    sign, log_abs = np.linalg.slogdet(input)
    return np.asarray(sign), np.asarray(log_abs, np.result_type(sign))


@RegisterGradient("LogMatrixDeterminant")
def _log_matrix_determinant_grad(op: Operation, grad_sign: Any, grad: Any) -> Any:
    sign = op.outputs[0]
    if is_complex(sign):  # the logarithm is real, and the sign turns
        grad = complex(real(grad), imag(conj(sign) * grad_sign))
    return _as_factor(grad) * matrix_inverse(op.inputs[0], adjoint=True)


class LogMatrixDeterminant(NamedTuple):
    """What `slogdet` returns."""

    sign: Tensor
    log_abs_determinant: Tensor


def slogdet(input: Any, name: str | None = None) -> LogMatrixDeterminant:
    """`log_matrix_determinant`, as a named tuple.

    Examples
    --------
    >>> import similarflow as sf
    >>> float(sf.Session().run(sf.linalg.slogdet([[-1.0]]).sign))
    -1.0
    """
    return LogMatrixDeterminant(*log_matrix_determinant(input, name=name))
