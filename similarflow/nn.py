"""Neural network operations: ``sf.nn.relu(x)``."""

from .ops.blocks import depth_to_space, space_to_batch, space_to_depth
from .ops.clipping import l2_normalize
from .ops.cross_entropy import (
    sigmoid_cross_entropy_with_logits,
    softmax_cross_entropy_with_logits,
    softmax_cross_entropy_with_logits_v2,
    sparse_softmax_cross_entropy_with_logits,
)
from .ops.embedding import embedding_lookup
from .ops.math import sigmoid, tanh
from .ops.nn import bias_add, l2_loss, relu, softplus
from .ops.order import in_top_k, top_k
from .ops.rounding import log_sigmoid
from .ops.softmax import log_softmax, softmax

__all__ = [
    "bias_add",
    "depth_to_space",
    "embedding_lookup",
    "in_top_k",
    "l2_loss",
    "l2_normalize",
    "log_sigmoid",
    "log_softmax",
    "relu",
    "sigmoid",
    "sigmoid_cross_entropy_with_logits",
    "softmax",
    "softmax_cross_entropy_with_logits",
    "softmax_cross_entropy_with_logits_v2",
    "softplus",
    "space_to_batch",
    "space_to_depth",
    "sparse_softmax_cross_entropy_with_logits",
    "tanh",
    "top_k",
]
