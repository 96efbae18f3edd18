"""What an installed similarflow looks like from the outside."""

import subprocess
import sys
from importlib import metadata, resources

import pytest

import similarflow as sf

THIRD_PARTY = """
import sys
import numpy, numpy.random
before = set(sys.modules)
import similarflow
new = {name.partition(".")[0] for name in set(sys.modules) - before}
print(*sorted(new - sys.stdlib_module_names - {"numpy", "similarflow"}))
"""


def test_version_is_that_of_the_installed_package() -> None:
    try:
        installed = metadata.version("similarflow")
    except metadata.PackageNotFoundError:
        pytest.skip("similarflow is not installed")
    assert sf.__version__ == installed


def test_types_ship() -> None:
    assert resources.files("similarflow").joinpath("py.typed").is_file()


def test_import_needs_numpy_only() -> None:
    command = [sys.executable, "-c", THIRD_PARTY]
    result = subprocess.run(command, capture_output=True, text=True, check=True)
    assert result.stdout.split() == []


def test_all_is_sorted_and_unique() -> None:
    assert list(sf.__all__) == sorted(set(sf.__all__))


def test_all_names_exist() -> None:
    assert [name for name in sf.__all__ if not hasattr(sf, name)] == []
