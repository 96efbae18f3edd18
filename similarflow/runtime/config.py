"""What TensorFlow's scripts configure: mostly accepted and kept, without effect."""

from __future__ import annotations

from typing import Any


class Options:
    """Settings by name: given as keywords, read and set as attributes."""

    def __init__(self, **settings: Any) -> None:
        for name, value in settings.items():
            setattr(self, name, value)

    def __repr__(self) -> str:
        inside = ", ".join(f"{k}={v!r}" for k, v in vars(self).items())
        return f"{type(self).__name__}({inside})"


class GPUOptions(Options):
    """Accepted as in TensorFlow: everything runs on the processor."""


class ConfigProto(Options):
    """Of ``sf.Session(config=sf.ConfigProto(...))``; accepted as in TensorFlow.

    `intra_op_parallelism_threads` of 1 keeps large arrays in one thread.
    """

    def __init__(self, **settings: Any) -> None:
        self.gpu_options = GPUOptions()
        super().__init__(**settings)


class RunOptions(Options):
    """Accepted as in TensorFlow: ``sess.run(..., options=sf.RunOptions(...))``."""


class RunMetadata(Options):
    """Accepted as in TensorFlow."""
