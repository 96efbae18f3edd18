"""Modules that few runs need, loaded when they are first used."""

from __future__ import annotations

from importlib import import_module
from typing import Any


class lazy:
    """Stands for a module: ``messages = lazy(".messages", __package__)``."""

    def __init__(self, name: str, package: str | None) -> None:
        self._where = name, package

    def __getattr__(self, name: str) -> Any:
        return getattr(import_module(*self._where), name)
