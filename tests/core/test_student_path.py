"""The student's path: from ``x * w + b`` to a trained ``w`` in few files and lines."""

import ast
import re
import subprocess
import sys
import tokenize
from io import BytesIO
from pathlib import Path

import similarflow

PACKAGE = Path(similarflow.__file__).parent
PATH = [
    "core.operators",
    "core.graph",
    "ops.elementary",
    "core.rules",
    "core.gradients",
    "variables.variable",
    "runtime.plan",
    "runtime.simple",
    "runtime.session",
    "train.optimizer",
]
"""What a student reads, in this order."""
SUPPORT = [
    "core.lazy",
    "core.stacks",
    "core.convert",
    "core.samples",
    "core.registry",
    "core.infer",
    "core.traverse",
    "core.table",
    "core.backward",
    "core.nest",
    "ops.known",
    "ops.reducing",
    "runtime.feeds",
    "runtime.fetches",
    "runtime.plain",
    "runtime.start",
    "train.pairs",
]
"""What these files use; a student may take it on trust."""

DEMO = """
import sys
from types import ModuleType

package = ModuleType("similarflow")  # its __init__ is not run
package.__path__ = [{package!r}]
sys.modules["similarflow"] = package

import numpy as np
from similarflow.core.graph import Placeholder
from similarflow.ops.elementary import reduce_sum, square
from similarflow.variables.variable import Variable
from similarflow.runtime.session import Session
from similarflow.train.optimizer import GradientDescentOptimizer

xs = np.linspace(-1.0, 1.0, 50)[:, None]
ys = 3.0 * xs + 1.0
x, y = Placeholder(name="x"), Placeholder(name="y")
w, b = Variable([[0.0]], name="w"), Variable(0.0, name="b")
loss = reduce_sum(square(x * w + b - y))
train = GradientDescentOptimizer(0.01).minimize(loss)
session = Session()
for _ in range(200):
    session.run(train, feed_dict={{x: xs, y: ys}})
slope, offset, rest = session.run([w, b, loss], {{x: xs, y: ys}})
print(slope.item(), offset, rest)
print(*(m for m in sys.modules if m.startswith("similarflow.")))
"""


def code_lines(source: bytes) -> int:
    """How many lines hold code: not blank, no comment, no docstring."""
    lines: set[int] = set()
    silent = {tokenize.COMMENT, tokenize.NL, tokenize.ENCODING, tokenize.INDENT}
    silent |= {tokenize.NEWLINE, tokenize.DEDENT, tokenize.ENDMARKER}
    for token in tokenize.tokenize(BytesIO(source).readline):
        if token.type not in silent:
            lines.update(range(token.start[0], token.end[0] + 1))
    for node in ast.walk(ast.parse(source)):
        match node:  # a docstring of a module, class, function or name
            case ast.Expr(ast.Constant(str())):
                lines.difference_update(range(node.lineno, node.end_lineno + 1))
    return sum(bool(source.splitlines()[n - 1].strip()) for n in lines)


def lines_of(modules: list[str]) -> dict[str, int]:
    files = {m: PACKAGE.joinpath(*m.split(".")).with_suffix(".py") for m in modules}
    return {m: code_lines(file.read_bytes()) for m, file in files.items()}


def modules_of(folder: str) -> list[str]:
    return [f"{folder}.{f.stem}" for f in sorted((PACKAGE / folder).glob("*.py"))]


def table(lines: dict[str, int], most: int) -> str:
    rows = [f"{n:6}  {module}" for module, n in lines.items()]
    return "\n".join([*rows, f"{sum(lines.values()):6}  in all, at most {most}"])


def test_the_demo_runs_on_these_files_alone():
    demo = DEMO.format(package=str(PACKAGE))
    command = [sys.executable, "-W", "error", "-c", demo]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    numbers, modules = done.stdout.splitlines()
    slope, offset, rest = map(float, numbers.split())
    assert abs(slope - 3.0) < 1e-3
    assert abs(offset - 1.0) < 1e-3
    assert 0.0 <= rest < 1e-4
    folders = {m.partition(".")[0] for m in PATH + SUPPORT}
    loaded = {m.removeprefix("similarflow.") for m in modules.split()}
    assert loaded == {*PATH, *SUPPORT, *folders}


def test_the_path_is_short():
    lines = lines_of(PATH)
    assert sum(lines.values()) <= 900, table(lines, 900)


def test_the_readme_lists_the_path_as_it_is():
    readme = (PACKAGE.parent / "README.md").read_text(encoding="utf-8")
    rows = re.findall(r"\(similarflow/(\S+)\.py\) \| (\d+) \|", readme)
    told = {path.replace("/", "."): int(n) for path, n in rows}
    lines = lines_of(PATH)
    assert list(told) == PATH
    off = {m: (n, lines[m]) for m, n in told.items() if abs(n - lines[m]) > 3}
    assert not off, "module: (README, counted)"


def test_core_and_simple_runtime_are_short():
    lines = lines_of(modules_of("core") + modules_of("runtime"))
    assert sum(lines.values()) < 3400, table(lines, 3399)


def test_lines_of_code_are_counted():
    text = b'''"""A module's docstring

over lines."""

import os  # a comment behind code


# a comment
class A:
    """One line."""

    x = """
    a value

    is code"""
    y: int
    """What stands below a name is a docstring too."""

    def f(
        self,
    ):
        """A docstring."""
        # a comment
        return (
            # a comment inside
            "text"

            "more"
        )
'''
    assert code_lines(text) == 13
    assert code_lines(b"") == code_lines(b"\n# only this\n") == 0
    assert code_lines(b"x = 1; y = 2\nif x: pass\n") == 2
