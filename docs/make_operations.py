"""Write ``docs/operations.md``: every operation, its samples and how it is checked.

Run it after an operation was added: ``python docs/make_operations.py``. A test holds
the page to what this gives.
"""

from __future__ import annotations

import pkgutil
import re
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import numpy as np

import similarflow as sf
from similarflow import ops
from similarflow.core.operators import BUILDERS
from similarflow.core.registry import DEFINITIONS, Definition
from similarflow.testing import draw_case, iterate_samples

HERE = Path(__file__).parent
HEAD = """# Operations

Made by `docs/make_operations.py`. *Samples* are the cases on which
`tests/ops/test_samples.py` checks shape, dtype and gradient; *order* is the highest
order to which the gradient is compared with finite differences there (0: no gradient
flows, or the type is checked by tests of its own); *TF* says whether recorded numbers
of TensorFlow's are among the tests.

| operation | function | samples | order | TF |
|---|---|---|---|---|
"""


def orders(definition: Definition) -> Iterator[int]:
    """For each sample, the order to which its gradient is checked."""
    has_rule = sf.gradient_registry.get(definition.type) is not None
    for _, case in iterate_samples([definition]):
        inputs, attrs = draw_case(definition, case, np.float64)
        with sf.Graph().as_default():
            arrays = [x for v in inputs for x in (v if isinstance(v, list) else [v])]
            named = dict(zip(definition.inputs, inputs, strict=True))
            made = BUILDERS[definition.kernel.__name__](**named, **attrs)
            results = made if isinstance(made, list) else [made]
            floats = any(np.asarray(x).dtype == np.float64 for x in arrays)
            flows = any(y.static_dtype == np.float64 for y in results)
        yield 2 if has_rule and floats and flows else 0


def compared_with_tensorflow() -> set[str]:
    """The names of TensorFlow's that the recorded cases use."""
    cases = sorted((HERE.parent / "tests").glob("**/cases_*.py"))
    text = "\n".join(case.read_text(encoding="utf-8") for case in cases)
    return set(re.findall(r"\btf\.(?:[a-z]+\.)*(\w+)", text))


def page() -> str:
    """The text of the page."""
    for module in pkgutil.iter_modules(ops.__path__):
        import_module(f"{ops.__name__}.{module.name}")
    compared = compared_with_tensorflow()
    rows = []
    for type, definition in sorted(DEFINITIONS.items()):
        found = list(orders(definition))
        known = {definition.title, definition.kernel.__name__} & compared
        rows.append(
            f"| {type} | `{definition.title}` | {len(found) or ''} "
            f"| {max(found, default=0)} | {'yes' if known else ''} |\n"
        )
    twice = sum(" | 2 | " in row for row in rows)
    tail = f"\n{len(rows)} operations, {twice} of them with a second-order check.\n"
    return HEAD + "".join(rows) + tail


if __name__ == "__main__":
    (HERE / "operations.md").write_text(page(), encoding="utf-8")
