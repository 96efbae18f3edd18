"""Steps of optimizers: each moves a variable, and its slots with it, in one operation.

A rule is written once, as the kernel of the dense operation: the old values, the
gradient and some numbers in, the new values out. The sparse operation beside it takes
the gradient of some rows, and applies the same kernel to those rows alone.

Here: momentum, and steps with a proximal operator. More are in ``training_adaptive``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod
from typing import Any

import numpy as np

from ..core.convert import Array, in_dtype
from ..core.graph import Tensor
from ..core.infer import same_as_input
from ..core.registry import Builder, op
from .gather import add_rows, check_index_type, check_indices

Kernel = Callable[..., Any]
_NO_NUMBERS = frozenset({"grad", "indices", "global_step"})


def update(type: str, count: int) -> Callable[[Kernel], Builder]:
    """As `op`, for a kernel that changes its first `count` inputs, which are variables.

    All other inputs but the gradient and its indices are single numbers.
    """

    def declare(kernel: Kernel) -> Builder:
        code = kernel.__code__
        names = code.co_varnames[: code.co_argcount]

        def infer(*inputs: Tensor, **attrs: Any) -> Any:
            for name, x in zip(names[count:], inputs[count:], strict=False):
                if name == "indices":
                    check_index_type(x)
                elif name != "grad" and x.static_shape:
                    raise ValueError(f"{name} is one number, not of shape {x.shape}")
            specs = [same_as_input(x) for x in inputs[:count]]
            return specs if count > 1 else specs[0]

        same = [name for name in names if name not in _NO_NUMBERS]
        return op(type, infer=infer, same=same, accepts="plain", writes=count)(kernel)

    return declare


def new_values(var: Array, *values: Any) -> Any:
    """What a kernel gives: arrays of the variable's dtype; one alone is no list."""
    arrays = [in_dtype(x, var.dtype) for x in values]
    return arrays if len(arrays) > 1 else arrays[0]


def add_up(grad: Array, indices: Array, var: Array) -> tuple[Array, Array]:
    """Row numbers without repetition, and for each the sum of its rows of `grad`.

    Raises
    ------
    ValueError
        An index is not in ``[0, rows)``, or the shapes do not fit.
    """
    places = check_indices(indices, len(var))
    wanted = (*places.shape, *var.shape[1:])
    if places.ndim != 1 or np.shape(grad) != wanted:
        raise ValueError(
            f"a sparse gradient has a vector of indices, and a row for each: those of "
            f"shape {places.shape} into a variable of shape {var.shape} need "
            f"{wanted}, and the gradient has {np.shape(grad)}"
        )
    rows = np.asarray(grad, var.dtype)
    unique, inverse = np.unique(places, return_inverse=True)
    if unique.size == places.size:
        return places, rows
    total = np.zeros((unique.size, prod(var.shape[1:])), var.dtype)
    add_rows(total, inverse, rows.reshape(places.size, total.shape[1]))
    return unique, total.reshape(unique.size, *var.shape[1:])


def on_rows(
    dense: Builder, variables: Sequence[Array], grad: Array, indices: Array,
    **given: Any,
) -> Any:  # fmt: skip
    """The kernel of `dense` on the rows that `indices` name; all others are kept."""
    definition = vars(dense)["definition"]
    places, rows = add_up(grad, indices, variables[0])
    names = definition.inputs[: len(variables)]
    old = {name: x[places] for name, x in zip(names, variables, strict=True)}
    changed = definition.kernel(**old, grad=rows, **given)
    changed = changed if isinstance(changed, list) else [changed]
    new = [np.array(x) for x in variables]
    for x, part in zip(new, changed, strict=True):
        x[places] = part
    return new if len(new) > 1 else new[0]


# Momentum


@update("ApplyMomentum", 2)
def apply_momentum(
    var: Array, accum: Array, lr: Array, grad: Array, momentum: Array,
    use_locking: Any = False, use_nesterov: bool = False,
) -> Any:  # fmt: skip
    """``accum = momentum * accum + grad``, then ``var - lr * accum``.

    Nesterov's form steps by ``lr * (grad + momentum * accum)``, with the new `accum`.
    """
    accum = momentum * accum + grad
    ahead = grad + momentum * accum if use_nesterov else accum
    return new_values(var, var - lr * ahead, accum)


@update("SparseApplyMomentum", 2)
def sparse_apply_momentum(
    var: Array, accum: Array, lr: Array, grad: Array, indices: Array, momentum: Array,
    use_locking: Any = False, use_nesterov: bool = False,
) -> Any:  # fmt: skip
    """`apply_momentum` on some rows."""
    return on_rows(
        apply_momentum, [var, accum], grad, indices,
        lr=lr, momentum=momentum, use_nesterov=use_nesterov,
    )  # fmt: skip


@update("ApplyKerasMomentum", 2)
def apply_keras_momentum(
    var: Array, accum: Array, lr: Array, grad: Array, momentum: Array,
    use_locking: Any = False,
) -> Any:  # fmt: skip
    """``accum = momentum * accum - lr * grad``, then ``var + accum``.

    The learning rate is part of what is accumulated, so that a change of it comes
    slowly into effect.
    """
    accum = momentum * accum - lr * grad
    return new_values(var, var + accum, accum)


@update("SparseApplyKerasMomentum", 2)
def sparse_apply_keras_momentum(
    var: Array, accum: Array, lr: Array, grad: Array, indices: Array, momentum: Array,
    use_locking: Any = False,
) -> Any:  # fmt: skip
    """`apply_keras_momentum` on some rows."""
    return on_rows(
        apply_keras_momentum, [var, accum], grad, indices, lr=lr, momentum=momentum
    )


# Proximal steps: downhill on the loss, then straight to the best point for a penalty


def shrink(x: Array, rate: Array, l1: Array, l2: Array) -> Array:
    """The point y with the least ``|y - x|^2 / (2 rate) + l1 |y| + l2 y^2 / 2``."""
    # What is left of x beyond l1 on either side of zero; exactly x when l1 is 0.
    beyond = x - np.clip(x, -rate * l1, rate * l1)
    nearest: Array = beyond / (1 + rate * l2)
    return nearest


@update("ApplyProximalGradientDescent", 1)
def apply_proximal_gradient_descent(
    var: Array, alpha: Array, l1: Array, l2: Array, grad: Array,
    use_locking: Any = False,
) -> Any:  # fmt: skip
    """A step of gradient descent, then shrunk by the penalties `l1` and `l2`."""
    return new_values(var, shrink(var - alpha * grad, alpha, l1, l2))


@update("SparseApplyProximalGradientDescent", 1)
def sparse_apply_proximal_gradient_descent(
    var: Array, alpha: Array, l1: Array, l2: Array, grad: Array, indices: Array,
    use_locking: Any = False,
) -> Any:  # fmt: skip
    """`apply_proximal_gradient_descent` on some rows."""
    return on_rows(
        apply_proximal_gradient_descent, [var], grad, indices, alpha=alpha, l1=l1, l2=l2
    )


@update("ApplyProximalAdagrad", 2)
def apply_proximal_adagrad(
    var: Array, accum: Array, lr: Array, l1: Array, l2: Array, grad: Array,
    use_locking: Any = False,
) -> Any:  # fmt: skip
    """A step of Adagrad, then shrunk by the penalties `l1` and `l2`."""
    accum = accum + np.square(grad)
    rate = lr / np.sqrt(accum)
    return new_values(var, shrink(var - rate * grad, rate, l1, l2), accum)


@update("SparseApplyProximalAdagrad", 2)
def sparse_apply_proximal_adagrad(
    var: Array, accum: Array, lr: Array, l1: Array, l2: Array, grad: Array,
    indices: Array, use_locking: Any = False,
) -> Any:  # fmt: skip
    """`apply_proximal_adagrad` on some rows."""
    return on_rows(
        apply_proximal_adagrad, [var, accum], grad, indices, lr=lr, l1=l1, l2=l2
    )
