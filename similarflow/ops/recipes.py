"""Functions that are a few operations each."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core.casting import dtype_name
from ..core.convert import Array, as_np_dtype
from ..core.graph import Operation, Spec, Tensor, convert_to_tensor
from ..core.registry import op
from ..core.rules import RegisterGradient
from ..core.samples import case, normal
from .choose import where
from .composite import composite
from .elementary import ones_like, reduce_sum
from .indexed_slices import IndexedSlices
from .join import stack
from .known import merge_dims, show
from .logic import cast
from .math import maximum
from .ranges import broadcast_dynamic_shape
from .reduce import reduce_max
from .scatter import scatter_nd
from .shape import broadcast_to, shape, zeros_like
from .special import lgamma


def _infer_cross(a: Tensor, b: Tensor) -> Spec:
    dims = merge_dims(a.static_shape, b.static_shape)
    if dims is not None and (not dims or dims[-1] not in (3, None)):
        raise ValueError(f"vectors have 3 numbers in the last axis, not {show(dims)}")
    dtypes = [t.static_dtype for t in (a, b) if t.static_dtype is not None]
    return dims, dtypes[0] if dtypes else None


@op("Cross", infer=_infer_cross, accepts="real", samples=[
    case(normal(3), normal(3)), case(normal(2, 3), normal(2, 3)),
    case(normal(0, 3), normal(0, 3)),
])  # fmt: skip
def cross(a: Array, b: Array) -> Array:
    """The cross products of vectors of 3 numbers, which are in the last axis.

    Examples
    --------
    >>> import similarflow as sf
    >>> sf.Session().run(sf.cross([1.0, 0.0, 0.0], [0.0, 1.0, 0.0]))
    array([0., 0., 1.], dtype=float32)
    """
    if np.shape(a) != np.shape(b) or np.shape(a)[-1:] != (3,):
        raise ValueError(
            f"two tensors of one shape are needed, with 3 numbers in the last axis: "
            f"{np.shape(a)} and {np.shape(b)} are given"
        )
    return np.cross(a, b)


@RegisterGradient("Cross")
def _cross_grad(op: Operation, grad: Tensor) -> Any:
    a, b = op.inputs
    return cross(b, grad), cross(grad, a)


@composite
def polyval(coeffs: Any, x: Any, name: str | None = None) -> Tensor:
    """The polynomial with `coeffs`, a list from the highest power down, at `x`.

    Examples
    --------
    >>> import similarflow as sf
    >>> print(sf.Session().run(sf.math.polyval([1.0, 2.0, 3.0], 10.0)))
    123.0
    """
    if not isinstance(coeffs, list):
        raise ValueError(f"coeffs is a list of tensors, not {coeffs!r:.60}")
    x = convert_to_tensor(x)
    total = zeros_like(x)
    for i, c in enumerate(coeffs):
        total = total * x + c if i else convert_to_tensor(c, x.static_dtype) + total
    return total  # type: ignore[no-any-return]


@composite
def lbeta(x: Any, name: str | None = None) -> Tensor:
    """The logarithm of the beta function of the last axis of `x`.

    Of z with two numbers it is ``lgamma(z[0]) + lgamma(z[1]) - lgamma(z[0] + z[1])``.

    Examples
    --------
    >>> import similarflow as sf
    >>> print(sf.Session().run(sf.exp(sf.lbeta([1.0, 2.0]))).round(3))
    0.5
    """
    x = convert_to_tensor(x)
    parts = reduce_sum(lgamma(x), -1)
    result: Tensor = parts - lgamma(reduce_sum(x, -1))
    return result


@composite
def scalar_mul(scalar: Any, x: Any, name: str | None = None) -> Any:
    """`x`, a tensor or `IndexedSlices`, times a number.

    Raises
    ------
    ValueError
        `scalar` has an axis.

    Examples
    --------
    >>> import similarflow as sf
    >>> sf.Session().run(sf.scalar_mul(2.0, [1.0, 2.0]))
    array([2., 4.], dtype=float32)
    """
    slices = isinstance(x, IndexedSlices)
    values = x.values if slices else convert_to_tensor(x)
    factor = convert_to_tensor(scalar, values.static_dtype)
    if factor.static_shape not in (None, ()):
        raise ValueError(
            f"scalar is one number, and has shape {show(factor.static_shape)}. Write "
            "scalar * x"
        )
    product = factor * values
    return x.with_values(product) if slices else product


@composite
def where_v2(condition: Any, x: Any = None, y: Any = None, name: Any = None) -> Any:
    """`where`, but a condition with one axis broadcasts as others do, as in NumPy.

    Examples
    --------
    >>> import similarflow as sf
    >>> sf.Session().run(sf.where_v2([True, False], [[1, 2], [3, 4]], 0))
    array([[1, 0],
           [3, 0]], dtype=int32)
    """
    if x is not None and y is not None:
        condition = convert_to_tensor(condition)
        if condition.static_shape is None or len(condition.static_shape) == 1:
            sizes = broadcast_dynamic_shape(shape(x), shape(y))
            sizes = broadcast_dynamic_shape(shape(condition), sizes)
            condition = broadcast_to(condition, sizes)
    return where(condition, x, y, name=name)


@composite
def confusion_matrix(
    labels: Any, predictions: Any, num_classes: Any = None, dtype: Any = np.int32,
    name: str | None = None, weights: Any = None,
) -> Tensor:  # fmt: skip
    """How often a label (the row) was predicted as a class (the column).

    Parameters
    ----------
    labels, predictions : tensor of ints
        Vectors of one length, with numbers of classes.
    num_classes : int, optional
        How many classes there are; by default the largest number given, plus 1.
    dtype : dtype
        Of the counts.
    weights : tensor, optional
        What each pair counts, instead of 1.

    Raises
    ------
    ValueError
        A label or a prediction is not in ``[0, num_classes)``, when run.

    Examples
    --------
    >>> import similarflow as sf
    >>> sf.Session().run(sf.confusion_matrix([1, 2, 1], [1, 2, 0]))
    array([[0, 0, 0],
           [1, 1, 0],
           [0, 0, 1]], dtype=int32)
    """
    given = [convert_to_tensor(x) for x in (labels, predictions)]
    for x in given:
        if x.static_dtype is not None and x.static_dtype.kind not in "iu":
            raise TypeError(
                f"classes are whole numbers, not {dtype_name(x.static_dtype)}"
            )
    pair = [cast(x, np.int64) for x in given]
    if num_classes is None:
        num_classes = maximum(*[reduce_max(x) for x in pair]) + 1
    count = cast(num_classes, np.int64)
    kind = as_np_dtype(dtype)
    values = ones_like(pair[1], kind) if weights is None else cast(weights, kind)
    places = stack(pair, 1)
    return scatter_nd(places, values, stack([count, count]), name=name)  # type: ignore[no-any-return]
