"""Element by element: powers and logarithms, quotients, the larger and the smaller."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core.convert import Array, as_array
from ..core.graph import Constant, Operation, Tensor, convert_to_tensor, graph_of
from ..core.infer import broadcast, elementwise
from ..core.registry import op
from ..core.rules import NotDifferentiable, RegisterGradient
from ..core.samples import ONE, PAIRS, case, integers, normal, uniform
from .choose import where
from .complex import conj, is_complex
from .elementary import square
from .fronts import front_of
from .logic import WHOLE, cast, cast_like, not_equal, tensor_or_value
from .roots import POSITIVE, multiply_no_nan

QUOTIENTS = (
    case(normal(2, 3), uniform(0.5, 2.0, 2, 3)),
    case(normal(2, 1), uniform(-2.0, -0.5, 3)),
    case(normal(), uniform(0.5, 2.0, 2, 0)),
)

# ---- exponentials, logarithms and their kin


@op("Exp", infer=elementwise, accepts="float", samples=ONE)
def exp(x: Array) -> Array:
    """``e**x``, element by element."""
    return np.exp(x)


@RegisterGradient("Exp")
def _exp_grad(op: Operation, grad: Tensor) -> Any:
    return grad * op.outputs[0]


@op("Expm1", infer=elementwise, accepts="float", samples=ONE)
def expm1(x: Array) -> Array:
    """``e**x - 1``, element by element; accurate for small `x`."""
    return np.expm1(x)


@RegisterGradient("Expm1")
def _expm1_grad(op: Operation, grad: Tensor) -> Any:
    return grad * exp(op.inputs[0])


@op("Log", infer=elementwise, accepts="float", samples=POSITIVE)
def log(x: Array) -> Array:
    """The natural logarithm, element by element; -inf at 0 and nan below."""
    return np.log(x)


@RegisterGradient("Log")
def _log_grad(op: Operation, grad: Tensor) -> Any:
    return grad / op.inputs[0]


@op("Log1p", infer=elementwise, accepts="float", samples=POSITIVE)
def log1p(x: Array) -> Array:
    """``log(1 + x)``, element by element; accurate for small `x`."""
    return np.log1p(x)


@RegisterGradient("Log1p")
def _log1p_grad(op: Operation, grad: Tensor) -> Any:
    return grad / (1.0 + op.inputs[0])


@op(
    "Sigmoid", infer=elementwise, accepts="float",
    samples=[*ONE, case([-800.0, -20.0, 0.0, 20.0, 800.0])],
)  # fmt: skip
def sigmoid(x: Array) -> Array:
    """The logistic function ``1 / (1 + exp(-x))``, element by element.

    Examples
    --------
    >>> import similarflow as sf
    >>> sf.Session().run(sf.sigmoid([-800.0, 0.0, 800.0]))
    array([0. , 0.5, 1. ], dtype=float32)
    """
    # exp gets no positive number, so it cannot overflow; and unlike tanh(x/2)/2 + 1/2
    # this keeps its digits where the result is close to 0
    if np.iscomplexobj(x):
        right = np.real(x) > 0
        small = np.exp(np.where(right, np.negative(x), x))
        y: Array = np.where(right, np.ones_like(small), small) / (1 + small)
    else:
        y = np.exp(np.minimum(x, 0)) / (1 + np.exp(-np.abs(x)))
    return y


@RegisterGradient("Sigmoid")
def _sigmoid_grad(op: Operation, grad: Tensor) -> Any:
    y = op.outputs[0]
    return grad * y * (1.0 - y)


@op(
    "Tanh", infer=elementwise, accepts="float",
    samples=[*ONE, case([-800.0, 0.0, 800.0])],
)  # fmt: skip
def tanh(x: Array) -> Array:
    """The hyperbolic tangent, element by element."""
    return np.tanh(x)


@RegisterGradient("Tanh")
def _tanh_grad(op: Operation, grad: Tensor) -> Any:
    return grad * (1.0 - square(op.outputs[0]))


# ---- powers


@op("Pow", infer=broadcast, broadcasts=True, samples=[
    case(uniform(0.5, 2.0, 2, 3), normal(2, 3)),
    case(uniform(0.5, 2.0, 2, 1), normal(3)),
    case(uniform(0.5, 2.0, 2, 3), 2.0),
    case(uniform(0.5, 2.0), normal(2, 0)),
])  # fmt: skip
def pow(x: Array, y: Array) -> Array:
    """``x**y``, element by element with broadcasting.

    The gradients are ``y * x**(y - 1)``, which is 0 where `y` is 0, and
    ``x**y * log(x)``, which counts as 0 where `x` has no logarithm.

    Raises
    ------
    ValueError
        An integer to a negative integer power, when run.

    Examples
    --------
    >>> import similarflow as sf
    >>> sf.Session().run(sf.pow([1.0, 2.0, 3.0], 2.0))
    array([1., 4., 9.], dtype=float32)
    """
    return np.asarray(np.power(x, y))


@RegisterGradient("Pow")
def _pow_grad(op: Operation, grad: Tensor) -> Any:
    z = op.outputs[0]
    x, y = (cast_like(t, z) for t in op.inputs)  # a Python number joins z's dtype
    slope = multiply_no_nan(x ** (y - 1.0), y)
    grad_x = multiply_no_nan(slope, grad)  # at x = y = 0, x**(y - 1) is inf
    exponent = op.inputs[1]
    if isinstance(exponent, Constant) and exponent.op.name == f"{op.name}/y":
        return grad_x, None  # the 2 of `x ** 2` is nobody's to ask for
    is_complex = x.static_dtype is not None and x.static_dtype.kind == "c"
    has_log = not_equal(x, 0.0) if is_complex else x > 0.0
    base = where(has_log, x, 1.0)
    return grad_x, multiply_no_nan(multiply_no_nan(z, log(base)), grad)


@op("SquaredDifference", infer=broadcast, broadcasts=True, holomorphic=False,
    samples=PAIRS)  # fmt: skip
def squared_difference(x: Array, y: Array) -> Array:
    """``(x - y)**2``, element by element with broadcasting.

    Of complex numbers it is the square of the distance, ``conj(x - y) * (x - y)``.
    """
    difference = np.subtract(x, y)
    return np.conjugate(difference) * difference


@RegisterGradient("SquaredDifference")
def _squared_difference_grad(op: Operation, grad: Tensor) -> Any:
    x, y = op.inputs
    if is_complex(x):
        grad = 0.5 * (grad + conj(grad))  # the distance is real
    grad_x = grad * (2.0 * (x - y))
    return grad_x, -grad_x


# ---- quotients


@op("RealDiv", infer=broadcast, broadcasts=True, samples=QUOTIENTS)
def real_div(x: Array, y: Array) -> Array:
    """``x / y``, the operation of `truediv`."""
    return np.true_divide(x, y)


@RegisterGradient("RealDiv")
def _truediv_grad(op: Operation, grad: Tensor) -> Any:
    grad_x = grad / op.inputs[1]
    return grad_x, -grad_x * op.outputs[0]


@front_of(real_div)
def truediv(x: Any, y: Any, name: str | None = None) -> Tensor:
    """``x / y``, element by element with broadcasting, as Python 3 divides.

    Integers become floats first: those of 8 and 16 bits float32, others float64.
    Division by zero gives inf, -inf or nan.

    Examples
    --------
    >>> import similarflow as sf
    >>> sf.Session().run(sf.truediv([7, -7], 2))
    array([ 3.5, -3.5])
    """
    name = name or "truediv"
    pair = [tensor_or_value(x), tensor_or_value(y)]
    dtypes = [t.static_dtype for t in pair if isinstance(t, Tensor)]
    dtype = dtypes[0] if dtypes else as_array(x).dtype
    if dtype is not None and dtype.kind in "iu" and all(d == dtype for d in dtypes):
        graph = graph_of(pair)
        scope = graph.unique_name(name)
        name = f"{scope}/"
        wide = np.float32 if dtype.itemsize <= 2 else np.float64
        for i, (label, cast_name) in enumerate([("x", "Cast"), ("y", "Cast_1")]):
            whole = convert_to_tensor(pair[i], dtype, f"{scope}/{label}/", graph=graph)
            pair[i] = cast(whole, wide, f"{scope}/{cast_name}/")
    result: Tensor = real_div(*pair, name=name)
    return result


def divide(x: Any, y: Any, name: str | None = None) -> Tensor:
    """``x / y``, the same as `truediv`."""
    return truediv(x, y, name)


def div(x: Any, y: Any, name: str | None = None) -> Tensor:
    """``x / y`` as Python 2 divided: integers as `floordiv`, floats as `truediv`."""
    tensors = [t for t in map(tensor_or_value, (x, y)) if isinstance(t, Tensor)]
    dtype = tensors[0].static_dtype if tensors else as_array(x).dtype
    whole = dtype is not None and dtype.kind in "iu"
    quotient: Tensor = (floordiv if whole else truediv)(x, y, name=name or "div")
    return quotient


def _check_divisor(x: Array, y: Array) -> bool:
    """Whether both are integers; then no divisor may be 0."""
    whole = np.result_type(x, y).kind in "iu"
    if whole and not np.all(y):
        raise ZeroDivisionError("division by zero: a divisor of the integers is 0")
    return whole


@op(
    "FloorDiv", name="floordiv", infer=broadcast, accepts="real",
    samples=[*QUOTIENTS, *WHOLE],
)  # fmt: skip
def floordiv(x: Array, y: Array) -> Array:
    """The largest whole number up to ``x / y``; keeps the dtype. No gradient flows.

    Raises
    ------
    ZeroDivisionError
        An integer is divided by zero, when run. Floats give inf or nan.

    Examples
    --------
    >>> import similarflow as sf
    >>> sf.Session().run(sf.floordiv([7, -7], 2))
    array([ 3, -4], dtype=int32)
    """
    whole = _check_divisor(x, y)
    return np.floor_divide(x, y) if whole else np.floor(np.true_divide(x, y))


NotDifferentiable("FloorDiv")


@op(
    "FloorMod", infer=broadcast, broadcasts=True, accepts="real",
    samples=[*QUOTIENTS, *WHOLE],
)  # fmt: skip
def mod(x: Array, y: Array) -> Array:
    """The rest of `floordiv`, ``x - floor(x / y) * y``; it has the sign of `y`.

    Raises
    ------
    ZeroDivisionError
        An integer is divided by zero, when run. Floats give nan.
    """
    _check_divisor(x, y)
    return np.mod(x, y)


floormod = mod
"""The name that TensorFlow's later versions have for `mod`."""


@RegisterGradient("FloorMod")
def _mod_grad(op: Operation, grad: Tensor) -> Any:
    x, y = op.inputs
    return grad, -grad * floordiv(x, y)


# ---- the larger and the smaller


@op(
    "Maximum", infer=broadcast, broadcasts=True, accepts="real",
    samples=[*PAIRS, case(integers(-9, 9, 3), integers(-9, 9, 2, 1))],
)  # fmt: skip
def maximum(x: Array, y: Array) -> Array:
    """The larger of `x` and `y`, element by element; nan if one is nan.

    Where they are equal, the gradient goes to `x` alone.

    Examples
    --------
    >>> import similarflow as sf
    >>> sf.Session().run(sf.maximum([-1.0, 2.0], 0.0))
    array([0., 2.], dtype=float32)
    """
    return np.maximum(x, y)


@RegisterGradient("Maximum")
def _maximum_grad(op: Operation, grad: Tensor) -> Any:
    x, y = op.inputs
    chose_x = x >= y
    return where(chose_x, grad, 0.0), where(chose_x, 0.0, grad)


@op(
    "Minimum", infer=broadcast, broadcasts=True, accepts="real",
    samples=[*PAIRS, case(integers(-9, 9, 3), integers(-9, 9, 2, 1))],
)  # fmt: skip
def minimum(x: Array, y: Array) -> Array:
    """The smaller of `x` and `y`, element by element; nan if one is nan.

    Where they are equal, the gradient goes to `x` alone.
    """
    return np.minimum(x, y)


@RegisterGradient("Minimum")
def _minimum_grad(op: Operation, grad: Tensor) -> Any:
    x, y = op.inputs
    chose_x = x <= y
    return where(chose_x, grad, 0.0), where(chose_x, 0.0, grad)
