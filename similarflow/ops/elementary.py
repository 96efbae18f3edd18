"""A dozen operations: enough to train a linear model, and the pattern of all others.

Each stands in one place: under ``@op`` its kernel (pure NumPy), with its shape rule and
its samples; below that its gradient rule, which takes and returns tensors.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core import infer
from ..core.convert import Array, as_np_dtype, in_dtype
from ..core.graph import Operation, Spec, Tensor, graph_of, operation_of
from ..core.nest import flatten
from ..core.registry import op
from ..core.rules import NotDifferentiable, RegisterGradient
from ..core.samples import ONE, PAIRS, case, normal
from .known import all_alike
from .reducing import REDUCTION, total


@op("Add", infer=infer.broadcast, broadcasts=True, accepts="addable", samples=PAIRS)
def add(x: Array, y: Array) -> Array:
    """``x + y``, element by element with broadcasting; strings are joined."""
    return np.add(x, y)


@RegisterGradient("Add")
def _add_grad(op: Operation, grad: Tensor) -> Any:
    return grad, grad


@op("Sub", infer=infer.broadcast, broadcasts=True, samples=PAIRS)
def subtract(x: Array, y: Array) -> Array:
    """``x - y``, element by element with broadcasting."""
    return np.subtract(x, y)


@RegisterGradient("Sub")
def _subtract_grad(op: Operation, grad: Tensor) -> Any:
    return grad, -grad


@op("Mul", infer=infer.broadcast, broadcasts=True, samples=PAIRS)
def multiply(x: Array, y: Array) -> Array:
    """``x * y``, element by element with broadcasting; ``@`` is the matrix product."""
    return np.multiply(x, y)


@RegisterGradient("Mul")
def _multiply_grad(op: Operation, grad: Tensor) -> Any:
    x, y = op.inputs
    return grad * y, grad * x


@op("Neg", infer=infer.elementwise, samples=ONE)
def negative(x: Array) -> Array:
    """``-x``, element by element."""
    return np.negative(x)


@RegisterGradient("Neg")
def _negative_grad(op: Operation, grad: Tensor) -> Any:
    return -grad


@op("Square", infer=infer.elementwise, samples=ONE)
def square(x: Array) -> Array:
    """``x * x``, element by element."""
    return np.square(x)


@RegisterGradient("Square")
def _square_grad(op: Operation, grad: Tensor) -> Any:
    return grad * (2.0 * op.inputs[0])


@op(
    "Sum", infer=infer.reduction, **REDUCTION,
    samples=[case(normal(2, 3)), case(normal(2, 3, 4), axis=[0, -1]),
             case(normal(2, 3), axis=1, keepdims=True), case(normal(0, 3), axis=0)],
)  # fmt: skip
def reduce_sum(input_tensor: Array, axis: Any = None, keepdims: bool = False) -> Array:
    """The sum over `axis` (an int or a list of them; None for all); keeps the dtype."""
    return total(input_tensor, axis, keepdims)


@RegisterGradient("Sum")
def _reduce_sum_grad(op: Operation, grad: Tensor) -> Any:
    return broadcast_like(grad, op.inputs[0], **op.attrs)


@op("BroadcastLike", infer=infer.like_second, same=["x"], accepts="any", samples=[
    case(normal(3), normal(2, 3)),
    case(normal(2), normal(2, 3), axis=[1], keepdims=False),
])  # fmt: skip
def broadcast_like(x: Array, like: Array, axis: Any = (), keepdims: bool = True) -> Any:
    """`x` spread to the shape of `like`: what a sum over `axis` does backward."""
    if axis and not keepdims:
        x = np.expand_dims(x, tuple(a % np.ndim(like) for a in axis))
    return np.broadcast_to(x, np.shape(like))


@RegisterGradient("BroadcastLike")
def _broadcast_like_grad(op: Operation, grad: Tensor) -> Any:
    axis, keepdims = op.attrs["axis"], op.attrs["keepdims"]
    if axis != () and not keepdims:
        return reduce_sum(grad, axis), None
    return sum_like(grad, op.inputs[0]), None


@op("SumLike", infer=infer.like_second, same=["x"], samples=[
    case(normal(2, 3), normal(3)), case(normal(4, 2, 3), normal(2, 1)),
    case(normal(2, 3), normal()),
])  # fmt: skip
def sum_like(x: Array, like: Array) -> Array:
    """`x` summed to the shape of `like`: what broadcasting does backward."""
    shape = np.shape(like)
    new = np.ndim(x) - len(shape)
    grown = [new + i for i, n in enumerate(shape) if n == 1 and x.shape[new + i] != 1]
    axes = (*range(new), *grown)  # a sum over none would turn -0.0 to 0.0
    return total(x, axes, keepdims=True).reshape(shape) if axes else x


@RegisterGradient("SumLike")
def _sum_like_grad(op: Operation, grad: Tensor) -> Any:
    return broadcast_like(grad, op.inputs[0]), None


def _infer_ones_like(tensor: Tensor, dtype: Any = None, optimize: bool = True) -> Spec:
    if dtype is not None and dtype.kind == "O":
        raise TypeError("strings have zeros (empty ones), and no ones")
    return tensor.static_shape, tensor.static_dtype if dtype is None else dtype


@op("OnesLike", name="ones_like", infer=_infer_ones_like, accepts="value", samples=ONE,
    converters={"dtype": lambda dtype, x: as_np_dtype(dtype)})  # fmt: skip
def ones_like(tensor: Array, dtype: Any = None, *, optimize: bool = True) -> Array:
    """Ones of the shape of `tensor`, and of its dtype unless another one is given."""
    return np.ones_like(tensor, dtype)


NotDifferentiable("OnesLike")


@op("AddN", infer=all_alike, samples=[case([normal(2, 3)] * 3)])
def add_n(*inputs: Array) -> Array:
    """The sum of a list of tensors of one shape."""
    if any(np.shape(x) != np.shape(inputs[0]) for x in inputs):
        raise ValueError("add_n takes tensors of one shape")
    return sum(inputs[1:], start=inputs[0])


@RegisterGradient("AddN")
def _add_n_grad(op: Operation, grad: Tensor) -> Any:
    return [grad] * len(op.inputs)


@op("ApplyGradientDescent", infer=infer.step_of, same=["var", "alpha"], writes=1)
def apply_gradient_descent(var: Array, alpha: Array, delta: Array) -> Array:
    """One step downhill: the variable becomes ``var - alpha * delta``."""
    return in_dtype(var - alpha * delta, var.dtype)  # type: ignore[no-any-return]


def group(*inputs: Any, name: str | None = None) -> Operation:
    """An operation that is done when all `inputs` are; it gives no value."""
    first = [operation_of(x) for x in flatten(*inputs)]
    graph = graph_of(first)
    with graph.as_default(), graph.waiting_for((*graph.controls, *first)):
        return no_op(name=name or "group_deps")  # type: ignore[no-any-return]


@op("NoOp", infer=list)
def no_op() -> tuple[()]:
    """Does nothing; others can wait for it, and it for others."""
    return ()
