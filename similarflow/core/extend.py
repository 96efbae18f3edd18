"""Classes whose methods stand in more than one file.

What a graph *is* takes few lines; what TensorFlow 1's users ask of it takes many.
The few stand in the class itself, the many in files beside it, which add them here.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

M = TypeVar("M", bound=type)


class _Empty:
    x: int  # for what annotations leave in a class, which depends on Python's version


_OF_EVERY_CLASS = {*vars(_Empty), "__slots__"}


def extends(cls: type) -> Callable[[M], M]:
    """Class decorator: give `cls` the methods of the decorated class and its bases."""

    def add(methods: M) -> M:
        own = {*vars(cls)}
        for base in reversed(methods.__mro__[:-1]):
            for name, value in vars(base).items():
                if name not in _OF_EVERY_CLASS:
                    if name in own:
                        raise TypeError(f"{cls.__name__} has its own {name}")
                    setattr(cls, name, value)
        return methods

    return add
