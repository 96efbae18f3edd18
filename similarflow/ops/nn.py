"""Neural networks: activations, biases, a penalty."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core.convert import Array
from ..core.graph import Dims, Operation, Spec, Tensor
from ..core.infer import common_dtype, elementwise
from ..core.registry import op
from ..core.rules import RegisterGradient
from ..core.samples import ONE, case, normal
from .known import show
from .math import sigmoid
from .reducing import narrowed, total, wide
from .shape import zeros_like

# ---- activations


@op("Relu", infer=elementwise, accepts="real", samples=[*ONE, case([-800.0, 800.0])])
def relu(features: Array) -> Array:
    """``max(x, 0)``, element by element; its gradient at 0 is 0.

    Examples
    --------
    >>> import similarflow as sf
    >>> sf.Session().run(sf.nn.relu([-1.0, 0.0, 2.0]))
    array([0., 0., 2.], dtype=float32)
    """
    return np.maximum(features, 0)


@RegisterGradient("Relu")
def _relu_grad(op: Operation, grad: Tensor) -> Any:
    return relu_grad(grad, op.outputs[0])


@op(
    "ReluGrad", infer=elementwise,
    samples=[case(normal(2, 3), normal(2, 3)), case(normal(), normal())],
)  # fmt: skip
def relu_grad(gradients: Array, features: Array) -> Array:
    """`gradients` where `features` are positive, else 0: what `relu` does backward."""
    return np.where(np.greater(features, 0), gradients, np.zeros_like(gradients))


@RegisterGradient("ReluGrad")
def _relu_grad_grad(op: Operation, grad: Tensor) -> Any:
    return relu_grad(grad, op.inputs[1]), zeros_like(op.inputs[1])


@op(
    "Softplus", infer=elementwise, accepts="plain",
    samples=[*ONE, case([-800.0, -20.0, 20.0, 800.0])],
)  # fmt: skip
def softplus(features: Array) -> Array:
    """``log(1 + exp(x))``, element by element: a smooth `relu`."""
    return _log_one_plus_exp(features)


def _log_one_plus_exp(x: Array) -> Array:
    # exp gets no positive number, so it cannot overflow
    return np.maximum(x, 0) + np.log1p(np.exp(-np.abs(x)))


@RegisterGradient("Softplus")
def _softplus_grad(op: Operation, grad: Tensor) -> Any:
    return grad * sigmoid(op.inputs[0])


# ---- biases and weights


def _as_data_format(data_format: Any, x: Any = None) -> str:
    """Where the channels are: "NHWC" behind the other axes, "NCHW" before them."""
    text = "NHWC" if data_format is None else str(data_format)
    if text.startswith("NC"):
        return "NCHW"
    if text.startswith("N") and text.endswith("C"):
        return "NHWC"
    raise ValueError(
        f"data_format is 'NHWC' or 'NCHW' (N...C, NC...), not {data_format!r}"
    )


def _check_bias(x: Dims, b: Dims, data_format: str) -> None:
    """Raise ValueError unless shapes of a value and a bias fit, as far as known."""
    axis, needed = (1, 3) if data_format == "NCHW" else (-1, 2)
    if b is not None and len(b) != 1:
        raise ValueError(
            f"bias has rank 1, a number for each of the channels, not {show(b)}"
        )
    if x is not None and len(x) < needed:
        raise ValueError(
            f"value {show(x)} has rank {len(x)}, and {data_format} needs at least "
            f"{needed}. To add any other shape write value + bias"
        )
    channels = (x[axis], b[0]) if x is not None and b is not None else (None, None)
    if channels[0] != channels[1] and None not in channels:
        raise ValueError(
            f"value {show(x)} has {channels[0]} channels (axis {axis}) and bias "
            f"{show(b)} has {channels[1]}"
        )


def _infer_bias_add(value: Tensor, bias: Tensor, data_format: str) -> Spec:
    _check_bias(value.static_shape, bias.static_shape, data_format)
    return value.static_shape, common_dtype(value, bias)


BIAS: dict[str, Any] = {"converters": {"data_format": _as_data_format}}


@op("BiasAdd", infer=_infer_bias_add, **BIAS, samples=[
    case(normal(2, 3), normal(3)),
    case(normal(2, 2, 2, 3), normal(3), "NHWC"),
    case(normal(2, 3, 2, 2), normal(3), data_format="NCHW"),
    case(normal(0, 3), normal(3)),
])  # fmt: skip
def bias_add(value: Array, bias: Array, data_format: str = "NHWC") -> Array:
    """``value + bias``, one number per channel.

    Parameters
    ----------
    value : tensor
        Rank 2 at least; the channels are the last axis.
    bias : tensor
        Rank 1.
    data_format : str, optional
        "NHWC"; or "NCHW" (also "NC...") for channels in axis 1, with rank 3 at least.
    name : str, optional
        The operation's name.

    Raises
    ------
    ValueError
        The ranks or the numbers of channels do not fit.
    """
    _check_bias(np.shape(value), np.shape(bias), data_format)
    if data_format == "NCHW":
        bias = np.reshape(bias, (-1,) + (1,) * (np.ndim(value) - 2))
    return np.add(value, bias)


def _channel(data_format: str) -> int:
    return 1 if data_format == "NCHW" else -1


@RegisterGradient("BiasAdd")
def _bias_add_grad(op: Operation, grad: Tensor) -> Any:
    return grad, bias_add_grad(grad, **op.attrs)


def _infer_bias_add_grad(out_backprop: Tensor, data_format: str) -> Spec:
    dims = out_backprop.static_shape
    channels = None if dims is None else dims[_channel(data_format)]
    return (channels,), out_backprop.static_dtype


@op("BiasAddGrad", infer=_infer_bias_add_grad, **BIAS, samples=[
    case(normal(2, 3)),
    case(normal(2, 3, 2, 2), "NCHW"),
    case(normal(0, 3)),
])  # fmt: skip
def bias_add_grad(out_backprop: Array, data_format: str = "NHWC") -> Array:
    """The sum over all axes but that of the channels: what `bias_add` does backward."""
    rank = np.ndim(out_backprop)
    others = tuple(i for i in range(rank) if i != _channel(data_format) % rank)
    return total(out_backprop, others)


@RegisterGradient("BiasAddGrad")
def _bias_add_grad_grad(op: Operation, grad: Tensor) -> Any:
    nothing = zeros_like(op.inputs[0])
    return bias_add(nothing, grad, **op.attrs)


def _infer_number(t: Tensor) -> Spec:
    return (), t.static_dtype


@op("L2Loss", infer=_infer_number, accepts="plain", samples=ONE)
def l2_loss(t: Array) -> Array:
    """``sum(t**2) / 2``, one number.

    Examples
    --------
    >>> import similarflow as sf
    >>> float(sf.Session().run(sf.nn.l2_loss([3.0, 4.0])))
    12.5
    """
    return narrowed(np.asarray(0.5 * np.sum(np.square(t, dtype=wide(t)))), t)


@RegisterGradient("L2Loss")
def _l2_loss_grad(op: Operation, grad: Tensor) -> Any:
    return grad * op.inputs[0]
