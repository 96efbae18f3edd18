"""``docs/operations.md`` is what the operations say of themselves."""

import runpy
from pathlib import Path

DOCS = Path(__file__).parents[1] / "docs"


def test_the_page_is_up_to_date() -> None:
    made = runpy.run_path(str(DOCS / "make_operations.py"))["page"]()
    written = (DOCS / "operations.md").read_text(encoding="utf-8")
    assert written == made, "run python docs/make_operations.py"
