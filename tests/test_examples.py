"""The examples, run as a reader runs them: they learn, print it and draw it."""

import os
import re
import struct
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).parents[1]
EXAMPLES = ROOT / "examples"
NAMES = ["linear_regression", "perceptron", "multi_layer_perceptron", "digits"]
QUICK = {
    "linear_regression": ["--steps", "1"],
    "perceptron": ["--steps", "1"],
    "multi_layer_perceptron": ["--steps", "1"],
    "digits": ["--epochs", "1", "--hidden", "8"],
}


def run(
    name: str, *arguments: object, cwd: Path, status: int = 0, **environment: str
) -> str:
    """What the example prints; without a terminal, and with no input to wait for."""
    path = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))
    result = subprocess.run(
        [sys.executable, EXAMPLES / f"{name}.py", *map(str, arguments)],
        cwd=cwd,
        env={**os.environ, "PYTHONPATH": path, **environment},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert result.returncode == status, result.stdout + result.stderr
    return result.stdout + result.stderr


def number(pattern: str, output: str) -> float:
    found = re.search(pattern + r"\s*([-\d.]+)", output)
    assert found, output
    return float(found[1])


def assert_picture(file: Path) -> None:
    """A PNG, large enough to read, with something on it."""
    data = file.read_bytes()
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    width, height = struct.unpack(">II", data[16:24])
    assert 800 <= width <= 4000
    assert 500 <= height <= 3000
    assert len(data) > 25_000  # an empty one of this size has about 10,000


def test_linear_regression_finds_the_line(tmp_path: Path) -> None:
    output = run("linear_regression", "--save", tmp_path / "line.png", cwd=tmp_path)
    # The best line through the same points, by least squares.
    x = np.linspace(-1.0, 1.0, 100)
    y = 3.0 * x + 0.5 + np.random.default_rng(0).normal(scale=0.5, size=100)
    slope, intercept = np.polyfit(x, y, 1)
    assert number("w =", output) == pytest.approx(slope, abs=0.05)
    assert number("b =", output) == pytest.approx(intercept, abs=0.01)
    assert number(r"step +0  loss", output) > 2.5
    assert number(r", loss =", output) < 0.3
    assert_picture(tmp_path / "line.png")


def test_perceptron_separates_the_clouds(tmp_path: Path) -> None:
    output = run("perceptron", "--save", tmp_path / "clouds.png", cwd=tmp_path)
    assert number("step +0  loss", output) == pytest.approx(np.log(2), abs=1e-4)
    assert number("step 100  loss", output) < 0.1
    assert number("accuracy =", output) >= 0.95
    assert_picture(tmp_path / "clouds.png")


def test_multi_layer_perceptron_learns_exclusive_or(tmp_path: Path) -> None:
    output = run("multi_layer_perceptron", "--save", "xor.png", cwd=tmp_path)
    assert number("step 600  loss", output) < 0.15
    assert number("accuracy =", output) >= 0.95  # one straight line reaches 0.75
    assert_picture(tmp_path / "xor.png")


def test_digits_are_read(tmp_path: Path) -> None:
    file = tmp_path / "new" / "digits.png"  # the folder is made
    output = run("digits", "--save", file, cwd=tmp_path)
    assert "1438 digits to learn from, 359 held out" in output
    assert number("digits rightly:", output) >= 97.0
    progress = re.findall(r"^epoch +(\d+)/40  loss ([\d.]+)  held out", output, re.M)
    assert [int(epoch) for epoch, _ in progress] == [1, *range(5, 41, 5)]
    assert float(progress[-1][1]) < float(progress[0][1]) / 5
    assert "\r" not in output
    assert_picture(file)


@pytest.mark.parametrize("name", NAMES)
def test_without_a_window_it_says_how_to_get_the_plot(
    name: str, tmp_path: Path
) -> None:
    output = run(name, *QUICK[name], cwd=tmp_path, MPLBACKEND="Agg")
    assert "No window to show the plot in; --save FILE writes it" in output
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", NAMES)
def test_without_matplotlib_it_trains_and_says_how_to_get_the_plot(
    name: str, tmp_path: Path
) -> None:
    broken = tmp_path / "matplotlib.py"
    broken.write_text("raise ImportError('No module named matplotlib')")
    path = os.pathsep.join([str(tmp_path), str(ROOT)])
    output = run(name, *QUICK[name], cwd=tmp_path, PYTHONPATH=path)
    assert re.search("accuracy =|rightly:|w =", output)
    assert 'pip install -e ".[plot]"' in output
    assert "Traceback" not in output
    run(name, *QUICK[name], "--save", "x", cwd=tmp_path, PYTHONPATH=path, status=1)


def test_the_same_seed_gives_the_same_result(tmp_path: Path) -> None:
    first, second = (
        re.sub(
            r"[\d.]+ s$", "", run("digits", *QUICK["digits"], cwd=tmp_path), flags=re.M
        )
        for _ in range(2)
    )
    assert first == second
