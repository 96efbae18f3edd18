"""The README's Python runs and prints what it says.

All ```python blocks run from top to bottom in one namespace. Where a ```text block is
the next block, with only a blank line between, the printed lines are compared with it.
"""

import contextlib
import io
import re
from pathlib import Path
from typing import Any

README = Path(__file__).parents[1] / "README.md"
BLOCK = re.compile(
    r"^```python\n(?P<code>.*?)^```\n(?:\n?^```text\n(?P<output>.*?)^```\n)?",
    re.MULTILINE | re.DOTALL,
)


def test_python_runs_and_prints_what_stands_below() -> None:
    text = README.read_text(encoding="utf-8")
    namespace: dict[str, Any] = {"__name__": "readme"}
    compared = 0
    for block in BLOCK.finditer(text):
        lines_above = text.count("\n", 0, block.start("code"))
        code = "\n" * lines_above + block["code"]  # errors show the README's lines
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile(code, str(README), "exec"), namespace)
        if block["output"] is not None:
            assert printed.getvalue().splitlines() == block["output"].splitlines()
            compared += 1
    assert compared >= 3


def test_the_command_that_passes_the_tests_is_marked() -> None:
    text = README.read_text(encoding="utf-8")
    found = re.findall(
        r"^<!-- test-command -->\n```bash\n(.*?)^```\n", text, re.M | re.S
    )
    assert len(found) == 1
    assert found[0].count("\n") == 1
    assert "pytest" in found[0]
