"""Steps with a rate of its own for each element, from the gradients so far."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core.convert import Array
from .training import add_up, new_values, on_rows, update


def _not_zero(epsilon: Array) -> Array:
    """`epsilon`, or the least number of its dtype if it was too small for that.

    A float16 cannot hold 1e-8, and what never had a gradient would become 0 / 0.
    """
    zero: Array = np.zeros_like(epsilon)
    larger: Array = np.maximum(epsilon, np.nextafter(zero, zero + 1))
    return larger


# Adagrad


@update("ApplyAdagrad", 2)
def apply_adagrad(
    var: Array, accum: Array, lr: Array, grad: Array, use_locking: Any = False
) -> Any:
    """``accum = accum + grad^2``, then ``var - lr * grad / sqrt(accum)``."""
    accum = accum + np.square(grad)
    return new_values(var, var - lr * grad / np.sqrt(accum), accum)


@update("SparseApplyAdagrad", 2)
def sparse_apply_adagrad(
    var: Array, accum: Array, lr: Array, grad: Array, indices: Array,
    use_locking: Any = False,
) -> Any:  # fmt: skip
    """`apply_adagrad` on some rows."""
    return on_rows(apply_adagrad, [var, accum], grad, indices, lr=lr)


@update("ApplyAdagradDA", 3)
def apply_adagrad_da(
    var: Array, gradient_accumulator: Array, gradient_squared_accumulator: Array,
    grad: Array, lr: Array, l1: Array, l2: Array, global_step: Array,
    use_locking: Any = False,
) -> Any:  # fmt: skip
    """Dual averaging: the best point for all gradients so far and the penalties."""
    total = gradient_accumulator + grad
    squares = gradient_squared_accumulator + np.square(grad)
    step = np.asarray(global_step, var.dtype)
    beyond = total - np.clip(total, -l1 * step, l1 * step)
    new = -lr * beyond / (l2 * step * lr + np.sqrt(squares))
    return new_values(var, new, total, squares)


@update("SparseApplyAdagradDA", 3)
def sparse_apply_adagrad_da(
    var: Array, gradient_accumulator: Array, gradient_squared_accumulator: Array,
    grad: Array, indices: Array, lr: Array, l1: Array, l2: Array, global_step: Array,
    use_locking: Any = False,
) -> Any:  # fmt: skip
    """`apply_adagrad_da` on some rows."""
    variables = [var, gradient_accumulator, gradient_squared_accumulator]
    return on_rows(
        apply_adagrad_da, variables, grad, indices,
        lr=lr, l1=l1, l2=l2, global_step=global_step,
    )  # fmt: skip


@update("ApplyAdadelta", 3)
def apply_adadelta(
    var: Array, accum: Array, accum_update: Array, lr: Array, rho: Array,
    epsilon: Array, grad: Array, use_locking: Any = False,
) -> Any:  # fmt: skip
    """A step as large as the steps so far, relative to the gradients so far."""
    epsilon = _not_zero(epsilon)
    accum = rho * accum + (1 - rho) * np.square(grad)
    step = np.sqrt(accum_update + epsilon) / np.sqrt(accum + epsilon) * grad
    accum_update = rho * accum_update + (1 - rho) * np.square(step)
    return new_values(var, var - lr * step, accum, accum_update)


@update("SparseApplyAdadelta", 3)
def sparse_apply_adadelta(
    var: Array, accum: Array, accum_update: Array, lr: Array, rho: Array,
    epsilon: Array, grad: Array, indices: Array, use_locking: Any = False,
) -> Any:  # fmt: skip
    """`apply_adadelta` on some rows."""
    return on_rows(
        apply_adadelta, [var, accum, accum_update], grad, indices,
        lr=lr, rho=rho, epsilon=epsilon,
    )  # fmt: skip


# RMSProp


@update("ApplyRMSProp", 3)
def apply_rms_prop(
    var: Array, ms: Array, mom: Array, lr: Array, rho: Array, momentum: Array,
    epsilon: Array, grad: Array, use_locking: Any = False,
) -> Any:  # fmt: skip
    """A step relative to the mean square `ms` of the gradients, with momentum."""
    ms = ms + (1 - rho) * (np.square(grad) - ms)
    mom = momentum * mom + lr * grad / np.sqrt(ms + _not_zero(epsilon))
    return new_values(var, var - mom, ms, mom)


@update("SparseApplyRMSProp", 3)
def sparse_apply_rms_prop(
    var: Array, ms: Array, mom: Array, lr: Array, rho: Array, momentum: Array,
    epsilon: Array, grad: Array, indices: Array, use_locking: Any = False,
) -> Any:  # fmt: skip
    """`apply_rms_prop` on some rows."""
    return on_rows(
        apply_rms_prop, [var, ms, mom], grad, indices,
        lr=lr, rho=rho, momentum=momentum, epsilon=epsilon,
    )  # fmt: skip


@update("ApplyCenteredRMSProp", 4)
def apply_centered_rms_prop(
    var: Array, mg: Array, ms: Array, mom: Array, lr: Array, rho: Array,
    momentum: Array, epsilon: Array, grad: Array, use_locking: Any = False,
) -> Any:  # fmt: skip
    """As `apply_rms_prop`, relative to the variance: `mg` is the mean gradient."""
    mg = mg + (1 - rho) * (grad - mg)
    ms = ms + (1 - rho) * (np.square(grad) - ms)
    # A variance is never negative, but the difference of two large numbers may be.
    variance = np.maximum(ms - np.square(mg), 0)
    mom = momentum * mom + lr * grad / np.sqrt(variance + _not_zero(epsilon))
    return new_values(var, var - mom, mg, ms, mom)


@update("SparseApplyCenteredRMSProp", 4)
def sparse_apply_centered_rms_prop(
    var: Array, mg: Array, ms: Array, mom: Array, lr: Array, rho: Array,
    momentum: Array, epsilon: Array, grad: Array, indices: Array,
    use_locking: Any = False,
) -> Any:  # fmt: skip
    """`apply_centered_rms_prop` on some rows."""
    return on_rows(
        apply_centered_rms_prop, [var, mg, ms, mom], grad, indices,
        lr=lr, rho=rho, momentum=momentum, epsilon=epsilon,
    )  # fmt: skip


# Adam


@update("ApplyAdam", 3)
def apply_adam(
    var: Array, m: Array, v: Array, beta1_power: Array, beta2_power: Array, lr: Array,
    beta1: Array, beta2: Array, epsilon: Array, grad: Array, use_locking: Any = False,
) -> Any:  # fmt: skip
    """A step along the mean gradient `m`, relative to the mean square `v`.

    Kingma and Ba 2014, arXiv:1412.6980, in the form before section 2.1: the correction
    of the bias is part of the rate, and `epsilon` is what they call epsilon-hat.
    """
    m = m + (1 - beta1) * (grad - m)
    v = v + (1 - beta2) * (np.square(grad) - v)
    rate = lr * np.sqrt(1 - beta2_power) / (1 - beta1_power)
    return new_values(var, var - rate * m / (np.sqrt(v) + _not_zero(epsilon)), m, v)


@update("SparseApplyAdam", 3)
def sparse_apply_adam(
    var: Array, m: Array, v: Array, beta1_power: Array, beta2_power: Array, lr: Array,
    beta1: Array, beta2: Array, epsilon: Array, grad: Array, indices: Array,
    use_locking: Any = False,
) -> Any:  # fmt: skip
    """`apply_adam` where the gradient is zero outside some rows.

    Rows without a gradient go on by the means of earlier ones. What never had a
    gradient is not moved.
    """
    places, rows = add_up(grad, indices, var)
    m, v = beta1 * m, beta2 * v  # new arrays: what follows changes no input
    m[places] += (1 - beta1) * rows
    v[places] += (1 - beta2) * np.square(rows)
    rate = lr * np.sqrt(1 - beta2_power) / (1 - beta1_power)
    return new_values(var, var - rate * m / (np.sqrt(v) + _not_zero(epsilon)), m, v)


@update("SparseApplyLazyAdam", 3)
def sparse_apply_lazy_adam(
    var: Array, m: Array, v: Array, beta1_power: Array, beta2_power: Array, lr: Array,
    beta1: Array, beta2: Array, epsilon: Array, grad: Array, indices: Array,
    use_locking: Any = False,
) -> Any:  # fmt: skip
    """`apply_adam` on some rows; all others rest."""
    return on_rows(
        apply_adam, [var, m, v], grad, indices,
        beta1_power=beta1_power, beta2_power=beta2_power, lr=lr, beta1=beta1,
        beta2=beta2, epsilon=epsilon,
    )  # fmt: skip


# Ftrl


def _follow_the_leader(
    var: Array, accum: Array, linear: Array, grad: Array, lr: Array, l1: Array,
    l2: Array, l2_shrinkage: Any, lr_power: Array,
) -> Any:  # fmt: skip
    """One step of FTRL-Proximal: McMahan et al. 2013, "Ad click prediction"."""
    squares = accum + np.square(grad)
    # How far the two rates, before and after, are apart.
    sigma = (np.power(squares, -lr_power) - np.power(accum, -lr_power)) / lr
    linear = linear + grad + 2 * l2_shrinkage * var - sigma * var
    quadratic = np.power(squares, -lr_power) / lr + 2 * l2
    beyond = np.clip(linear, -l1, l1) - linear
    # Without any gradient so far, nothing is beyond, and nothing is to divide by.
    new = beyond / np.where(quadratic == 0, 1, quadratic)
    return new_values(var, new, squares, linear)


@update("ApplyFtrl", 3)
def apply_ftrl(
    var: Array, accum: Array, linear: Array, grad: Array, lr: Array, l1: Array,
    l2: Array, lr_power: Array, use_locking: Any = False,
) -> Any:  # fmt: skip
    """Follow the regularised leader: the best point for all gradients so far."""
    return _follow_the_leader(var, accum, linear, grad, lr, l1, l2, 0, lr_power)


@update("SparseApplyFtrl", 3)
def sparse_apply_ftrl(
    var: Array, accum: Array, linear: Array, grad: Array, indices: Array, lr: Array,
    l1: Array, l2: Array, lr_power: Array, use_locking: Any = False,
) -> Any:  # fmt: skip
    """`apply_ftrl` on some rows."""
    return on_rows(
        apply_ftrl, [var, accum, linear], grad, indices,
        lr=lr, l1=l1, l2=l2, lr_power=lr_power,
    )  # fmt: skip


@update("ApplyFtrlV2", 3)
def apply_ftrl_v2(
    var: Array, accum: Array, linear: Array, grad: Array, lr: Array, l1: Array,
    l2: Array, l2_shrinkage: Array, lr_power: Array, use_locking: Any = False,
) -> Any:  # fmt: skip
    """`apply_ftrl`, and a penalty on the present value beside that on the next."""
    return _follow_the_leader(
        var, accum, linear, grad, lr, l1, l2, l2_shrinkage, lr_power
    )


@update("SparseApplyFtrlV2", 3)
def sparse_apply_ftrl_v2(
    var: Array, accum: Array, linear: Array, grad: Array, indices: Array, lr: Array,
    l1: Array, l2: Array, l2_shrinkage: Array, lr_power: Array,
    use_locking: Any = False,
) -> Any:  # fmt: skip
    """`apply_ftrl_v2` on some rows."""
    return on_rows(
        apply_ftrl_v2, [var, accum, linear], grad, indices,
        lr=lr, l1=l1, l2=l2, l2_shrinkage=l2_shrinkage, lr_power=lr_power,
    )  # fmt: skip
