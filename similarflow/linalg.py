"""Linear algebra: ``sf.linalg.norm(x)``."""

from .ops.contract import (
    tensordot,
)
from .ops.einsum import (
    einsum,
)
from .ops.linalg import (
    matmul,
)
from .ops.norms import (
    norm,
)
from .ops.reshape import (
    transpose,
)

__all__ = [
    "einsum",
    "matmul",
    "norm",
    "tensordot",
    "transpose",
]
