"""Neural network operations: ``sf.nn.relu(x)``."""

from .ops.math import sigmoid, tanh
from .ops.nn import (
    bias_add,
    l2_loss,
    log_softmax,
    relu,
    sigmoid_cross_entropy_with_logits,
    softmax,
    softmax_cross_entropy_with_logits,
    softmax_cross_entropy_with_logits_v2,
    softplus,
    sparse_softmax_cross_entropy_with_logits,
)

__all__ = [
    "bias_add",
    "l2_loss",
    "log_softmax",
    "relu",
    "sigmoid",
    "sigmoid_cross_entropy_with_logits",
    "softmax",
    "softmax_cross_entropy_with_logits",
    "softmax_cross_entropy_with_logits_v2",
    "softplus",
    "sparse_softmax_cross_entropy_with_logits",
    "tanh",
]
