"""Initialisers: objects that make an initial value from a shape and a dtype."""

from __future__ import annotations

from math import prod, sqrt
from typing import Any

import numpy as np

from ..core.constant import constant
from ..core.convert import as_dims, as_np_dtype
from ..core.graph import Tensor, convert_to_tensor
from ..core.operators import BUILDERS

FLOAT32 = np.dtype(np.float32)


class Initializer:
    """Base class: call it with a shape to get the initial value as a tensor."""

    dtype: Any = FLOAT32

    def __call__(
        self, shape: Any, dtype: Any = None, partition_info: Any = None
    ) -> Tensor:
        """A tensor of `shape`, of `dtype` or else the initialiser's own."""
        result: Tensor = self.make(
            list(as_dims(shape) or ()), as_np_dtype(dtype or self.dtype)
        )
        return result

    def make(self, shape: list[Any], dtype: Any) -> Any:
        """What the initialiser gives; a subclass says it."""
        raise NotImplementedError


class Zeros(Initializer):
    """Zeros."""

    def __init__(self, dtype: Any = FLOAT32) -> None:
        self.dtype = dtype

    def make(self, shape: list[Any], dtype: Any) -> Any:
        """Zeros of `shape`."""
        return BUILDERS["zeros"](shape, dtype)


class Ones(Initializer):
    """Ones."""

    def __init__(self, dtype: Any = FLOAT32) -> None:
        self.dtype = dtype

    def make(self, shape: list[Any], dtype: Any) -> Any:
        """Ones of `shape`."""
        return BUILDERS["ones"](shape, dtype)


class Constant(Initializer):
    """One value everywhere, or an array that is given its shape."""

    def __init__(
        self, value: Any = 0, dtype: Any = FLOAT32, verify_shape: bool = False
    ) -> None:
        self.value = value
        self.dtype = dtype

    def make(self, shape: list[Any], dtype: Any) -> Any:
        """The value, spread or reshaped to `shape`."""
        array = np.asarray(self.value)
        if array.size == 1:
            return convert_to_tensor(np.broadcast_to(array.reshape(()), shape), dtype)
        return constant(array, dtype, shape)


class _Random(Initializer):
    builder = ""

    def __init__(self, low: Any, high: Any, seed: int | None, dtype: Any) -> None:
        self.low, self.high, self.seed, self.dtype = low, high, seed, dtype

    def make(self, shape: list[Any], dtype: Any) -> Any:
        """Random numbers of `shape`."""
        return BUILDERS[self.builder](shape, self.low, self.high, dtype, self.seed)


class RandomNormal(_Random):
    """Normally distributed numbers."""

    builder = "random_normal"

    def __init__(
        self, mean: float = 0.0, stddev: float = 1.0, seed: int | None = None,
        dtype: Any = FLOAT32,
    ) -> None:  # fmt: skip
        super().__init__(mean, stddev, seed, dtype)


class TruncatedNormal(_Random):
    """Normally distributed numbers, none beyond two standard deviations."""

    builder = "truncated_normal"

    def __init__(
        self, mean: float = 0.0, stddev: float = 1.0, seed: int | None = None,
        dtype: Any = FLOAT32,
    ) -> None:  # fmt: skip
        super().__init__(mean, stddev, seed, dtype)


class RandomUniform(_Random):
    """Numbers between `minval` and `maxval`."""

    builder = "random_uniform"

    def __init__(
        self, minval: Any = 0, maxval: Any = None, seed: int | None = None,
        dtype: Any = FLOAT32,
    ) -> None:  # fmt: skip
        super().__init__(minval, maxval, seed, dtype)


class VarianceScaling(Initializer):
    """Random numbers whose variance fits the number of inputs and outputs.

    The variance is ``scale / n``, where n counts the inputs ("fan_in"), the outputs
    ("fan_out") or the mean of both ("fan_avg"); of He et al. 2015, arXiv:1502.01852.
    `distribution` is "truncated_normal" (or "normal"), "untruncated_normal", "uniform".
    """

    def __init__(
        self, scale: float = 1.0, mode: str = "fan_in",
        distribution: str = "truncated_normal",
        seed: int | None = None, dtype: Any = FLOAT32,
    ) -> None:  # fmt: skip
        if scale <= 0:
            raise ValueError(f"scale must be positive, not {scale}")
        if mode not in ("fan_in", "fan_out", "fan_avg"):
            raise ValueError(f"mode is fan_in, fan_out or fan_avg, not {mode!r}")
        kinds = ("normal", "uniform", "truncated_normal", "untruncated_normal")
        if distribution not in kinds:
            raise ValueError(
                f"distribution is one of {', '.join(kinds)}, not {distribution!r}"
            )
        self.scale, self.mode, self.distribution = scale, mode, distribution
        self.seed, self.dtype = seed, dtype

    def make(self, shape: list[Any], dtype: Any) -> Any:
        """Random numbers of `shape`."""
        fan_in, fan_out = fans(shape)
        n = {"fan_in": fan_in, "fan_out": fan_out, "fan_avg": (fan_in + fan_out) / 2}[
            self.mode
        ]
        variance = self.scale / max(1.0, n)
        if self.distribution == "uniform":
            limit = sqrt(3.0 * variance)
            return BUILDERS["random_uniform"](shape, -limit, limit, dtype, self.seed)
        if self.distribution == "untruncated_normal":
            return BUILDERS["random_normal"](
                shape, 0.0, sqrt(variance), dtype, self.seed
            )
        # Cutting at two standard deviations leaves 0.8796 of one.
        stddev = sqrt(variance) / 0.87962566103423978
        return BUILDERS["truncated_normal"](shape, 0.0, stddev, dtype, self.seed)


class GlorotUniform(VarianceScaling):
    """Uniform, with variance 2 / (inputs + outputs): Glorot and Bengio 2010."""

    def __init__(self, seed: int | None = None, dtype: Any = FLOAT32) -> None:
        super().__init__(1.0, "fan_avg", "uniform", seed, dtype)


class GlorotNormal(VarianceScaling):
    """Normal, with variance 2 / (inputs + outputs): Glorot and Bengio 2010."""

    def __init__(self, seed: int | None = None, dtype: Any = FLOAT32) -> None:
        super().__init__(1.0, "fan_avg", "truncated_normal", seed, dtype)


def fans(shape: list[Any]) -> tuple[float, float]:
    """The numbers of inputs and outputs of a weight of this shape."""
    if not shape:
        return 1.0, 1.0
    if len(shape) == 1:
        return float(shape[0]), float(shape[0])
    window = float(prod(shape[:-2]))
    return window * shape[-2], window * shape[-1]
