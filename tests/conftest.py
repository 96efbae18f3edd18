"""Shared by the tests and by the docstring examples of the package."""

import os

import pytest

os.environ["MPLBACKEND"] = "Agg"  # no test opens a window; subprocesses inherit it


@pytest.fixture(autouse=True)
def _fresh_default_graph() -> None:
    import similarflow as sf

    sf.reset_default_graph()
