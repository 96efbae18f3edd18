"""Which module knows a peer, and what is too much for it."""

from __future__ import annotations

from importlib import import_module
from typing import Any

MODULES = {
    "numpy": "by_hand",
    "numpy_threads": "by_hand",
    "similarflow": "sessions",
    "similarflow_callable": "sessions",
    "tensorflow": "sessions",
    "tensorflow_callable": "sessions",
    "torch": "eager",
    "jax": "jitted",
}
LONGEST_CHAIN = {"tensorflow": 10_000, "tensorflow_callable": 1_000, "jax": 1_000}
"""Longer chains take a peer minutes to build or to compile."""


def known(workload: str, peer: str) -> bool:
    """Whether the peer takes part in a workload."""
    name, _, size = workload.partition(":")
    if name == "chain":
        longest = LONGEST_CHAIN.get(peer, 1 << 60)
        return peer != "numpy_threads" and int(size) <= longest
    return name.startswith("elementwise") or peer != "numpy_threads"


def load(peer: str) -> Any:
    """The module that knows the peer."""
    return import_module(f"{__package__}.{MODULES[peer]}")


def version(peer: str) -> str:
    """The name and version of what is measured."""
    return load(peer).version(peer)
