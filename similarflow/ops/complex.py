"""Absolute values and signs, and the parts that complex numbers are made of.

The gradient of a real loss by ``z = a + ib`` is ``dL/da + i dL/db``: it points uphill.
"""

from __future__ import annotations

from collections.abc import Callable
from math import pi
from typing import Any

import numpy as np

from ..core.convert import Array
from ..core.graph import Operation, Spec, Tensor, convert_to_tensor, graph_of
from ..core.infer import broadcast_dims, elementwise
from ..core.registry import op
from ..core.rules import RegisterGradient
from ..core.samples import ONE, case, normal
from .fronts import front_of
from .logic import cast, equal, tensor_or_value
from .shape import zeros_like

PARTS = (
    case(np.array([1 + 2j, -3j, -0.5, 2 - 1j], np.complex64)),
    case(np.array([[3 - 4j]], np.complex64)),
    case(np.zeros([0, 2], np.complex64)),
)
WIDER: dict[Any, Any] = {
    np.dtype("f4"): np.dtype("c8"), np.dtype("f8"): np.dtype("c16")
}  # fmt: skip
"""The complex dtype of each dtype of parts."""
NARROWER = {both: part for part, both in WIDER.items()}


def is_complex(x: Any) -> bool:
    """Whether a tensor, or what becomes one, is known to hold complex numbers."""
    if isinstance(x, Tensor):
        return x.static_dtype is not None and x.static_dtype.kind == "c"
    if isinstance(x, list | tuple):  # it may hold tensors
        return any(is_complex(item) for item in x)
    return np.iscomplexobj(x)


def _infer_part(x: Tensor) -> Spec:
    dtype = x.static_dtype
    if dtype is not None and dtype not in NARROWER:
        raise TypeError(f"complex numbers are needed, not {dtype.name}")
    return x.static_shape, None if dtype is None else NARROWER[dtype]


PART: dict[str, Any] = {
    "infer": _infer_part, "samples": PARTS, "elementwise": True, "holomorphic": False,
}  # fmt: skip


def _has_parts(x: Tensor) -> bool:
    """Whether it is complex, or may be: only a run tells the dtype."""
    return x.static_dtype is None or x.static_dtype.kind == "c"


# Made of two parts


def _infer_complex(real: Tensor, imag: Tensor) -> Spec:
    dims = broadcast_dims(real.static_shape, imag.static_shape)
    if real.static_dtype is None or imag.static_dtype is None:
        return dims, None
    if real.static_dtype not in WIDER:
        raise TypeError(
            "parts of complex numbers are float32 or float64, not "
            f"{real.static_dtype.name}. Write sf.cast(x, sf.float32)"
        )
    return dims, WIDER[real.static_dtype]


@op("Complex", infer=_infer_complex, accepts="plain", broadcasts=True,
    elementwise=True, holomorphic=False, samples=[
        case(normal(2, 3), normal(2, 3)), case(normal(2, 1), normal(3)),
        case(normal(), normal(0, 2)),
    ])  # fmt: skip
def complex(real: Array, imag: Array) -> Array:
    """``real + i imag``, element by element with broadcasting.

    Parameters
    ----------
    real, imag : tensor
        Both float32, which makes complex64; or both float64, which makes complex128.

    Examples
    --------
    >>> import similarflow as sf
    >>> sf.Session().run(sf.complex([1.0, 2.0], [3.0, -4.0]))
    array([1.+3.j, 2.-4.j], dtype=complex64)
    """
    dtype = np.result_type(real, imag)
    made: Array = np.zeros(
        np.broadcast_shapes(np.shape(real), np.shape(imag)), WIDER[dtype]
    )
    made.real, made.imag = real, imag  # adding would lose a negative zero
    return made


@RegisterGradient("Complex")
def _complex_grad(op: Operation, grad: Tensor) -> Any:
    return real(grad), imag(grad)


# The parts


@op("Real", **PART)
def real_part(x: Array) -> Array:
    """The operation of `real`."""
    return np.array(np.real(x))


@RegisterGradient("Real")
def _real_grad(op: Operation, grad: Tensor) -> Any:
    return complex(grad, zeros_like(grad))


@front_of(real_part)
def real(input: Any, name: str | None = None) -> Tensor:
    """The real parts, element by element; real numbers are returned as they are.

    Examples
    --------
    >>> import similarflow as sf
    >>> sf.Session().run(sf.real([1.0 + 2.0j, 3.0]))
    array([1., 3.])
    """
    x = convert_to_tensor(input)
    part: Tensor = real_part(x, name=name) if _has_parts(x) else x
    return part


@op("Imag", **PART)
def imag_part(x: Array) -> Array:
    """The operation of `imag`."""
    return np.array(np.imag(x))


@RegisterGradient("Imag")
def _imag_grad(op: Operation, grad: Tensor) -> Any:
    return complex(zeros_like(grad), grad)


@front_of(imag_part)
def imag(input: Any, name: str | None = None) -> Tensor:
    """The imaginary parts, element by element; zeros for real numbers.

    Examples
    --------
    >>> import similarflow as sf
    >>> sf.Session().run(sf.imag([1.0 + 2.0j, 3.0]))
    array([2., 0.])
    """
    x = convert_to_tensor(input)
    part: Tensor = (imag_part if _has_parts(x) else zeros_like)(x, name=name)
    return part


@op("Angle", **PART)
def angle_of(x: Array) -> Array:
    """The operation of `angle`."""
    return np.array(np.angle(x))


@RegisterGradient("Angle")
def _angle_grad(op: Operation, grad: Tensor) -> Any:
    unit, length = sign(op.inputs[0]), abs(op.inputs[0])
    return complex(-imag(unit) * grad / length, real(unit) * grad / length)


@front_of(angle_of)
def angle(input: Any, name: str | None = None) -> Tensor:
    """The angles to the positive real axis, element by element: from -pi to pi.

    Of real numbers it is 0, or pi for negative ones. It has no gradient at 0: nan.

    Examples
    --------
    >>> import similarflow as sf
    >>> sf.Session().run(sf.angle([2.0j, -1.0]) / np.pi)
    array([0.5, 1. ])
    """
    x = convert_to_tensor(input)
    if _has_parts(x):
        found: Tensor = angle_of(x, name=name)
        return found
    with graph_of([x]).as_default():
        return cast(x < 0, x.static_dtype) * pi


@op("Conj", infer=elementwise, samples=[*ONE, case([1.0 + 2.0j, 3.0])])
def conj(x: Array) -> Array:
    """The complex conjugate, element by element; real numbers stay as they are.

    Examples
    --------
    >>> import similarflow as sf
    >>> sf.Session().run(sf.conj([1.0 + 2.0j, 3.0 - 1.0j]))
    array([1.-2.j, 3.+1.j])
    """
    return np.conjugate(x)


@RegisterGradient("Conj")
def _conj_grad(op: Operation, grad: Tensor) -> Any:
    return conj(grad)


# Size and direction


@op("Abs", infer=elementwise, accepts="real", samples=ONE)
def abs_of_real(x: Array) -> Array:
    """The operation of `abs` for real numbers."""
    return np.abs(x)


@RegisterGradient("Abs")
def _abs_grad(op: Operation, grad: Tensor) -> Any:
    return grad * sign(op.inputs[0])


@op("ComplexAbs", name="Abs", **PART)
def abs_of_complex(x: Array) -> Array:
    """The operation of `abs` for complex numbers."""
    return np.abs(x)


@RegisterGradient("ComplexAbs")
def _complex_abs_grad(op: Operation, grad: Tensor) -> Any:
    return complex(grad, zeros_like(grad)) * sign(op.inputs[0])


@front_of(abs_of_real)
def abs(x: Any, name: str | None = None) -> Tensor:
    """The absolute value, element by element; its gradient at 0 is 0.

    Of complex numbers it is the length, which is real.

    Examples
    --------
    >>> import similarflow as sf
    >>> sf.Session().run([sf.abs([1, -2]), sf.abs([3.0 - 4.0j])])
    [array([1, 2], dtype=int32), array([5.])]
    """
    x = tensor_or_value(x)
    size: Tensor = (abs_of_complex if is_complex(x) else abs_of_real)(x, name=name)
    return size


@op("Sign", infer=elementwise, holomorphic=False, samples=[*ONE, *PARTS])
def sign(x: Array) -> Array:
    """-1, 0 or 1, element by element; nan stays nan. Its gradient is 0.

    Of a complex number it is ``x / abs(x)``, on the unit circle, or 0.

    Examples
    --------
    >>> import similarflow as sf
    >>> sf.Session().run([sf.sign([7, -2]), sf.sign([0.0, 3.0 + 4.0j])])
    [array([ 1, -1], dtype=int32), array([0. +0.j , 0.6+0.8j])]
    """
    if np.result_type(x).kind != "c":
        return np.sign(x)
    length = np.abs(x)
    return x / np.where(length == 0, np.ones_like(length), length)


@RegisterGradient("Sign")
def _sign_grad(op: Operation, grad: Tensor) -> Any:
    x, y = op.inputs[0], op.outputs[0]
    if not is_complex(x):
        return zeros_like(x)
    length = abs(x)
    turn = imag(conj(y) * grad) / (length + cast(equal(y, 0.0), length.static_dtype))
    return y * complex(zeros_like(turn), turn)


# Gradients


def conjugated(op: Operation, rule: Callable[..., Any], *grads: Any) -> Any:
    """What `rule` makes of `grads`, with complex gradients conjugated around it.

    The gradient of ``x * y`` is ``grad * conj(y)``: the conjugate of what a rule gives
    that is written as for real numbers.
    """
    if op.definition is None or not op.definition.holomorphic:
        return rule(*grads)
    if not any(map(is_complex, (*op.inputs, *op.outputs))):
        return rule(*grads)
    result = rule(*map(_conjugate, grads))
    found = result if isinstance(result, list | tuple) else [result]
    return [*map(_conjugate, found)]


def _conjugate(grad: Any) -> Any:
    """The conjugate of a complex gradient; others as they are."""
    if grad is None:
        return None
    if hasattr(grad, "joined"):
        return grad.with_values(_conjugate(grad.values))
    tensor = convert_to_tensor(grad)
    return conj(tensor) if is_complex(tensor) else grad
