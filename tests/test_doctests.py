"""The examples in docstrings run and print what they say."""

import doctest
import pkgutil
from importlib import import_module

import pytest

import similarflow

MODULES = ["similarflow"] + [
    info.name
    for info in pkgutil.walk_packages(similarflow.__path__, "similarflow.")
    if not info.name.endswith("__main__")
]


@pytest.mark.parametrize("name", MODULES)
def test_docstrings(name: str) -> None:
    flags = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
    result = doctest.testmod(import_module(name), optionflags=flags)
    assert result.failed == 0


def test_there_are_examples() -> None:
    finder = doctest.DocTestFinder()
    found = [t for m in MODULES for t in finder.find(import_module(m)) if t.examples]
    assert len(found) > 15
