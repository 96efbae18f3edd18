"""How large a tensor is: norms, and what is scaled or clipped by them.

Sums of squares are taken of numbers scaled by a power of 2, so that those of tiny ones
do not vanish and those of huge ones do not overflow. A norm's slope at 0 counts as 0.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from numbers import Real
from typing import Any

import numpy as np

from ..core.convert import Array, as_np_dtype
from ..core.graph import Operation, Spec, Tensor, convert_to_tensor, graph_of
from ..core.infer import common_dtype, reduced_dims, reduction
from ..core.operators import BUILDERS
from ..core.registry import op
from ..core.rules import NotDifferentiable, RegisterGradient
from ..core.samples import case, integers, normal, uniform
from .choose import identity, where
from .complex import abs, is_complex, sign
from .composite import composite
from .elementary import broadcast_like, ones_like, reduce_sum, square
from .known import as_ints
from .logic import cast, greater, not_equal
from .math import exp, maximum, pow, real_div
from .reduce import INT64, reduce_max, reduce_mean
from .reducing import REDUCTION, narrowed, reduced, wide
from .reshape import expand_dims, transpose
from .roots import multiply_no_nan, sqrt

REDUCED = (
    case(normal(2, 3)),
    case(normal(2, 3, 4), axis=[0, -1]),
    case(normal(2, 3), axis=1, keepdims=True),
    case(uniform(0.5, 2.0, 2, 3), axis=[]),
    case(normal(2, 0), axis=0),
    case(normal(0, 3), axis=0),
    case(uniform(0.5, 2.0)),
)


def _spread(x: Any, op: Operation) -> Tensor:
    """What belongs to the result of the reduction `op`, in the shape of its input."""
    axis, keepdims = op.attrs["axis"], op.attrs["keepdims"]
    spread: Tensor = broadcast_like(x, op.inputs[0], axis=axis, keepdims=keepdims)
    return spread


# ---- log-sum-exp


@op("ReduceLogSumExp", infer=reduction, accepts="plain", **REDUCTION, samples=[
    *REDUCED[:4], *REDUCED[6:], case(normal(2, 0), axis=0), case([1000.0, 999.0, -1e3]),
])  # fmt: skip
def reduce_logsumexp(
    input_tensor: Array, axis: Any = None, keepdims: bool = False
) -> Array:
    """``log(sum(exp(x)))`` over `axis`, which overflows for no `x`.

    Where all of `x` is -inf, so is the result, and the gradient is 0; TensorFlow's is
    nan. The logarithm of an empty sum is -inf.

    Examples
    --------
    >>> import similarflow as sf
    >>> round(float(sf.Session().run(sf.reduce_logsumexp([1000.0, 1000.0]))), 3)
    1000.693
    """
    x = np.asarray(input_tensor, wide(input_tensor))
    largest = reduced(np.max, x, axis, True, initial=-np.inf)
    shift = np.where(np.isfinite(largest), largest, np.zeros_like(largest))
    total = reduced(np.sum, np.exp(x - shift), axis, keepdims)
    return narrowed(np.log(total) + np.reshape(shift, np.shape(total)), input_tensor)


@RegisterGradient("ReduceLogSumExp")
def _reduce_logsumexp_grad(op: Operation, grad: Tensor) -> Any:
    x, y = op.inputs[0], _spread(op.outputs[0], op)
    part = exp(where(not_equal(y, -np.inf), x - y, -np.inf))
    total = _spread(reduce_sum(part, op.attrs["axis"], op.attrs["keepdims"]), op)
    share = part / where(greater(total, 0.0), total, 1.0)  # y is rounded, so not 1
    return _spread(grad, op) * share


# ---- norms


def _p_norm(x: Array, p: float, axis: Any, keepdims: bool) -> Array:
    dtype, kind = np.result_type(x), wide(x)
    x = np.asarray(x, kind)
    largest = reduced(np.max, np.abs(x), axis, True, initial=0)
    largest = np.where(np.isfinite(largest) & (largest > 0), largest, kind.type(1))
    if p == 2:  # a power of 2 as the unit, so that scaling rounds nothing
        exponent = np.frexp(largest)[1]
        squares = np.square(np.ldexp(x, -exponent))
        root = np.ldexp(np.sqrt(np.sum(squares, axis, keepdims=True)), exponent)
    else:
        powers = np.power(np.abs(x) / largest, kind.type(p))
        root = np.power(np.sum(powers, axis, keepdims=True), kind.type(1 / p)) * largest
    gone: Any = axis if axis is not None else tuple(range(x.ndim))
    return np.asarray(root if keepdims else np.squeeze(root, gone), dtype)


@op("EuclideanNorm", infer=reduction, accepts="plain", samples=REDUCED, **REDUCTION)
def reduce_euclidean_norm(
    input_tensor: Array, axis: Any = None, keepdims: bool = False
) -> Array:
    """The square root of the sum of the squares over `axis`.

    Its gradient where all is 0 counts as 0 (TensorFlow's is nan), and it is also right
    where the squares of the numbers would be 0 or overflow.

    Examples
    --------
    >>> import similarflow as sf
    >>> x = sf.constant([[3e-30, 4e-30], [3e30, 4e30]])
    >>> sf.Session().run(sf.math.reduce_euclidean_norm(x, axis=1))
    array([5.e-30, 5.e+30], dtype=float32)
    """
    return _p_norm(input_tensor, 2, axis, keepdims)


@RegisterGradient("EuclideanNorm")
def _reduce_euclidean_norm_grad(op: Operation, grad: Tensor) -> Any:
    return _spread(grad, op) * _over(op.inputs[0], _spread(op.outputs[0], op))


def _over(x: Any, norm: Tensor) -> Tensor:
    """`x` divided by a norm; 0 where that is 0."""
    some = not_equal(norm, 0.0)
    quotient: Tensor = where(some, x / where(some, norm, 1.0), 0.0)
    return quotient


@op(
    "PNorm", infer=lambda x, p, axis, keepdims: reduction(x, axis, keepdims),
    attrs=["p"], accepts="plain", **REDUCTION,
    samples=[
        case(normal(2, 3), 3.0),
        case(normal(2, 3, 4), 1.5, axis=[0, -1]),
        case(normal(2, 3), 0.5, axis=1, keepdims=True),
        case(normal(0, 3), 3.0, axis=0),
        case(uniform(0.5, 2.0), 4.0),
    ],
)  # fmt: skip
def p_norm(x: Array, p: float, axis: Any = None, keepdims: bool = False) -> Array:
    """``sum(|x|**p)**(1/p)`` over `axis`, for a p above 0."""
    return _p_norm(x, p, axis, keepdims)


@RegisterGradient("PNorm")
def _p_norm_grad(op: Operation, grad: Tensor) -> Any:
    x, p = op.inputs[0], op.attrs["p"]
    slope = pow(_over(abs(x), _spread(op.outputs[0], op)), p - 1.0)
    # for a p below 1 that is inf where x is 0; there it counts as 0, too
    return _spread(grad, op) * multiply_no_nan(slope, sign(x))


def _infer_global_norm(*inputs: Tensor) -> Spec:
    return (), common_dtype(*inputs)


@op("GlobalNorm", infer=_infer_global_norm, accepts="plain", samples=[
    case([normal(2, 3), normal(4)]), case([uniform(0.5, 2.0)]),
    case([normal(0, 2), normal(1, 2), normal(3)]),
])  # fmt: skip
def norm_of_all(*inputs: Array) -> Array:
    """The Euclidean norm of all numbers in `inputs` together; see `global_norm`."""
    lengths = [_p_norm(np.asarray(x, wide(x)), 2, None, False) for x in inputs]
    return narrowed(_p_norm(np.stack(lengths), 2, None, False), *inputs)


@RegisterGradient("GlobalNorm")
def _norm_of_all_grad(op: Operation, grad: Tensor) -> Any:
    # not by way of each tensor's norm: beside an inf there it would be nan
    return [grad * _over(x, op.outputs[0]) for x in op.inputs]


@composite
def norm(
    tensor: Any,
    ord: Any = "euclidean",
    axis: Any = None,
    keepdims: Any = None,
    name: str | None = None,
    keep_dims: Any = None,
) -> Tensor:
    """The norm of vectors or matrices.

    The gradient where all is 0 counts as 0 (TensorFlow's is nan), and the norm is also
    right where the squares of the numbers would be 0 or overflow.

    Parameters
    ----------
    tensor : tensor
        Floats, or complex numbers; of these the Euclidean norm is complex, too.
    ord : str or number
        "euclidean" (or 2), 1, inf, or any p above 0: ``sum(|x|**p)**(1/p)``. Of
        matrices "euclidean" or "fro", 1 (the largest sum of a column), inf (of a row),
        or 2 (the largest singular value).
    axis : int or pair of ints, optional
        The axis of the vectors, or the axes of the rows and columns of matrices. By
        default the whole tensor is one vector.
    keepdims : bool, optional
        Keep the axes, with size 1; `keep_dims` is its older name.
    name : str, optional
        The operation's name.

    Raises
    ------
    ValueError
        There is no such norm, or no such axis.

    Examples
    --------
    >>> import similarflow as sf
    >>> x = sf.constant([[3.0, -4.0], [0.0, 0.0]])
    >>> sf.Session().run([sf.norm(x, axis=1), sf.norm(x, ord=1, axis=1)])
    [array([5., 0.], dtype=float32), array([7., 0.], dtype=float32)]
    >>> sf.Session().run(sf.gradients(sf.norm(x, axis=1), x)[0])
    array([[ 0.6, -0.8],
           [ 0. ,  0. ]], dtype=float32)
    """
    if keepdims is not None and keep_dims is not None:
        raise ValueError("keepdims and keep_dims are the same; give one of them")
    keep = bool(keep_dims if keepdims is None else keepdims)
    axes = None if axis is None else as_ints(axis)
    if axes is not None and (len(set(axes)) != len(axes) or len(axes) not in (1, 2)):
        raise ValueError(
            f"axis of norm is None, one axis, or two different axes, not {axis!r}"
        )
    order = _as_order(ord, of_matrix=axes is not None and len(axes) == 2)
    graph = graph_of([tensor])
    with graph.as_default(), graph.name_scope(name or "norm") as scope:
        z = convert_to_tensor(tensor, name="tensor")
        x = abs(z) if is_complex(z) and order != 2 else z
        if order == "euclidean":
            result = reduce_euclidean_norm(x, axes, keep, name=scope)
            result = cast(result, z.static_dtype) if x is not z else result
        elif axes is not None and len(axes) == 2:
            result = _matrix_norm(x, order, axes, keep, scope)
        elif order == 1:
            result = reduce_sum(abs(x), axes, keep, name=scope)
        elif order == math.inf:  # that of nothing is 0, its largest number -inf
            result = maximum(reduce_max(abs(x), axes, keep), 0.0, name=scope)
        else:
            result = p_norm(x, order, axes, keep, name=scope)
    return result  # type: ignore[no-any-return]


def _matrix_norm(
    x: Tensor, order: float, axes: Sequence[int], keepdims: bool, name: str
) -> Any:
    """The norm of a matrix as a linear map, for vectors with the norm of that order."""
    if order == 2:
        return _largest_singular_value(x, axes, keepdims, name)
    inner, outer = axes if order == 1 else axes[::-1]
    sums = reduce_sum(abs(x), inner, keepdims=True)
    largest = maximum(reduce_max(sums, outer, keepdims=True), 0.0)
    return reduce_sum(largest, axes, keepdims, name=name)  # if they are two axes


def _largest_singular_value(
    x: Tensor, axes: Sequence[int], keepdims: bool, name: str
) -> Any:
    if x.static_shape is None:
        raise ValueError("norm with ord=2 of matrices needs a tensor of known rank")
    rank = len(x.static_shape)
    last = [a % rank for a in axes]
    perm = [i for i in range(rank) if i not in last] + last
    values = BUILDERS["svd"](transpose(x, perm), compute_uv=False)
    result = reduce_max(values, -1)
    for a in sorted(last) if keepdims else ():
        result = expand_dims(result, a)
    return identity(result, name)


def _as_order(order: Any, of_matrix: bool) -> Any:
    """Which norm is meant: "euclidean" or a number."""
    if order == "euclidean" or (of_matrix and order == "fro"):
        return "euclidean"
    if isinstance(order, Real) and not isinstance(order, bool):
        number = float(order)
        if of_matrix and number in (1, 2, math.inf):
            return number
        if not of_matrix and number > 0:
            return "euclidean" if number == 2 else number
    known = (
        "'euclidean', 'fro', 1, 2 and inf" if of_matrix
        else "'euclidean', inf and any number above 0"
    )  # fmt: skip
    kind = "matrices" if of_matrix else "vectors"
    raise ValueError(f"{order!r} is no norm of {kind}; ord can be {known}")


# ---- spread


@composite
def reduce_variance(
    input_tensor: Any, axis: Any = None, keepdims: bool = False, name: str | None = None
) -> Tensor:
    """The mean over `axis` of the squared distance from the mean; of floats.

    Examples
    --------
    >>> import similarflow as sf
    >>> round(float(sf.Session().run(sf.math.reduce_variance([1.0, 2.0, 6.0]))), 3)
    4.667
    """
    graph = graph_of([input_tensor])
    with graph.as_default(), graph.name_scope(name or "reduce_variance") as scope:
        apart = _from_mean(input_tensor, axis)
        result: Tensor = reduce_mean(square(apart), axis, keepdims, name=scope)
    return result


@composite
def reduce_std(
    input_tensor: Any, axis: Any = None, keepdims: bool = False, name: str | None = None
) -> Tensor:
    """The square root of `reduce_variance`, with gradient 0 where all is the same.

    TensorFlow's gradient is nan there.
    """
    graph = graph_of([input_tensor])
    with graph.as_default(), graph.name_scope(name or "reduce_std") as scope:
        apart = _from_mean(input_tensor, axis)
        length = reduce_euclidean_norm(apart, axis, keepdims)
        count = reduce_sum(ones_like(apart), axis, keepdims)
        result: Tensor = real_div(length, sqrt(count), name=scope)
    return result


def _from_mean(x: Any, axis: Any) -> Any:
    x = convert_to_tensor(x, name="x")
    if x.static_dtype is not None and x.static_dtype.kind != "f":
        raise TypeError(
            f"a variance is of floats, not {x.static_dtype.name}: use sf.cast"
        )
    return x - reduce_mean(x, axis, keepdims=True)


def _as_count_dtype(dtype: Any, x: Any = None) -> np.dtype[Any]:
    return as_np_dtype(dtype) or INT64


def _infer_count(x: Tensor, axis: Any, keepdims: bool, dtype: Any) -> Spec:
    return reduced_dims(x.static_shape, axis, keepdims), dtype


@op(
    "CountNonzero", name="count_nonzero", infer=_infer_count, accepts="any",
    converters={**REDUCTION["converters"], "dtype": _as_count_dtype},
    aliases={**REDUCTION["aliases"], "input": "input_tensor"},
    samples=[
        case(integers(0, 2, 3, 4)),
        case(integers(0, 2, 3, 4), axis=1, keepdims=True, dtype="int32"),
        case([[True, False], [True, True]], [0]),
        case([0.0, float("nan"), 1e-30]),
        case(normal(0, 3), 0),
    ],
)  # fmt: skip
def count_nonzero(
    input_tensor: Array, axis: Any = None, keepdims: bool = False, dtype: Any = INT64
) -> Array:
    """How many entries over `axis` are not 0 (nor False, nor the empty string).

    Parameters
    ----------
    input_tensor : tensor
        Of any dtype; `input` is its newer name.
    axis : int or list of int, optional
        All axes by default.
    keepdims : bool, optional
        Keep the axes, with size 1.
    dtype : DType, optional
        That of the result, int64 by default.
    name : str, optional
        The operation's name.

    Examples
    --------
    >>> import similarflow as sf
    >>> sf.Session().run(sf.count_nonzero([[0, 1, 2], [0, 0, 3]], axis=1))
    array([2, 1])
    """
    some = np.asarray(input_tensor).astype(bool)
    return reduced(np.sum, some, axis, keepdims, dtype=dtype)


NotDifferentiable("CountNonzero")
