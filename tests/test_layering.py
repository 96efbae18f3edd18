"""The package's layers: each row may import itself and the rows above, no other.

The files are read, not imported, so that imports inside functions count as well.
Imports under ``if TYPE_CHECKING:`` do not: they never run.
"""

import ast
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
from importlib.util import resolve_name
from pathlib import Path
from typing import NamedTuple

import pytest

PACKAGE = Path(__file__).parents[1] / "similarflow"

ROWS = """
_version
errors
core
ops
variables
runtime
train nn math linalg layers losses metrics data datasets image
summary interop show distributed testing
compat
__init__ __main__
"""
ROW_OF = {name: i for i, row in enumerate(ROWS.split("\n")) for name in row.split()}

NEVER_RUN = {"TYPE_CHECKING", "typing.TYPE_CHECKING"}
FUNCTIONS = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda


class Import(NamedTuple):
    source: str  # "core.graph"; "" is the package itself
    target: str
    line: int
    deferred: bool  # inside a function


def find_modules(package: Path) -> dict[str, Path]:
    """Dotted name within the package, "" for its ``__init__``, to file."""
    modules = {}
    for path in sorted(package.rglob("*.py")):
        parts = path.relative_to(package).with_suffix("").parts
        modules[".".join(parts).removesuffix("__init__").rstrip(".")] = path
    return modules


def find_imports(package: Path) -> list[Import]:
    """Every import of one module of the package by another."""
    modules = find_modules(package)
    found = []
    for source, path in modules.items():
        home = source if path.name == "__init__.py" else source.rpartition(".")[0]
        home = f"{package.name}.{home}".rstrip(".")
        tree = ast.parse(path.read_text(encoding="utf-8"), str(path))
        for node, deferred in walk(tree, deferred=False):
            for name in imported_names(node, home):
                root, _, target = name.partition(".")
                if root != package.name:
                    continue
                while target and target not in modules:  # a name in a module
                    target = target.rpartition(".")[0]
                if target != source:
                    later = deferred or is_lazy(node)
                    found.append(Import(source, target, node.lineno, later))
    return found


def walk(node: ast.AST, deferred: bool) -> Iterator[tuple[ast.stmt | ast.expr, bool]]:
    """Yield the nodes that may run, and whether they are inside a function."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.If) and ast.unparse(child.test) in NEVER_RUN:
            yield from walk(ast.Module(child.orelse, []), deferred)
            continue
        if isinstance(child, ast.stmt | ast.expr):
            yield child, deferred
        yield from walk(child, deferred or isinstance(child, FUNCTIONS))


def imported_names(node: ast.AST, home: str) -> list[str]:
    """Absolute names of what ``node``, in a module of package ``home``, imports."""
    match node:
        case ast.Import(names):
            return [alias.name for alias in names]
        case ast.ImportFrom(module, names, level):
            base = resolve_name("." * level + (module or ""), home)
            return [f"{base}.{alias.name}" for alias in names]
        case ast.Call(
            ast.Name("import_module" | "lazy") | ast.Attribute(attr="import_module"),
            [ast.Constant(str(name)), *_],
        ):
            return [resolve_name(name, home)]
    return []


def is_lazy(node: ast.AST) -> bool:
    """Whether ``node`` is ``lazy(...)``, which imports when it is first used."""
    return isinstance(node, ast.Call) and ast.unparse(node.func) == "lazy"


def top(module: str) -> str:
    return module.partition(".")[0] or "__init__"


def find_upward(package: Path) -> list[str]:
    """The imports that run up, and the modules that have no row, as messages."""

    def row(module: str) -> int:
        return ROW_OF[top(module)]

    if homeless := {top(name) for name in find_modules(package)} - ROW_OF.keys():
        return [f"in no row: {name}" for name in sorted(homeless)]
    return [
        f"{i.source or '__init__'}, line {i.line}: imports {i.target or '__init__'}"
        for i in find_imports(package)
        if row(i.target) > row(i.source)
    ]


def find_cycle(package: Path) -> list[str]:
    """One cycle of imports that run when the modules are loaded, or []."""
    graph = TopologicalSorter[str]()
    for i in find_imports(package):
        if not i.deferred:
            graph.add(i.source, i.target)
    try:
        graph.prepare()
    except CycleError as error:
        return list(error.args[1])
    return []


def write_package(root: Path, sources: dict[str, str]) -> Path:
    package = root / "similarflow"
    for name in ("__init__", "core/__init__", "core/graph", "ops/__init__", "ops/math"):
        sources.setdefault(f"{name}.py", "")
    for name, source in sources.items():
        path = package / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(source, encoding="utf-8")
    return package


def test_no_import_runs_up() -> None:
    assert len(find_modules(PACKAGE)) > 1
    assert find_imports(PACKAGE)
    assert find_upward(PACKAGE) == []


def test_no_import_cycle() -> None:
    assert find_cycle(PACKAGE) == []


@pytest.mark.parametrize(
    "source",
    [
        "import similarflow.ops.math",
        "import similarflow.ops.math as m",
        "from similarflow import ops",
        "from similarflow import Graph",
        "from similarflow.ops.math import add",
        "from ..ops import math",
        "from .. import ops",
        "from ..ops.math import add, multiply",
        "def f():\n    from similarflow.ops import math",
        "class C:\n    async def f(self):\n        import similarflow.ops",
        "try:\n    import similarflow.ops\nexcept ImportError:\n    pass",
        "from typing import TYPE_CHECKING\n"
        "if TYPE_CHECKING:\n    pass\nelse:\n    import similarflow.ops",
        "import typing\nif not typing.TYPE_CHECKING:\n    import similarflow.ops",
        "import importlib\nimportlib.import_module('similarflow.ops')",
        "from importlib import import_module\nimport_module('..ops', __package__)",
        "from .lazy import lazy\nops = lazy('..ops', __package__)",
    ],
)
def test_upward_import_is_found(tmp_path: Path, source: str) -> None:
    package = write_package(tmp_path, {"core/tensor.py": source})
    (message,) = set(find_upward(package))
    assert message.startswith("core.tensor, line ")


@pytest.mark.parametrize(
    "source",
    [
        "import numpy",
        "import similarflow.core.graph",
        "from similarflow.core import graph",
        "from similarflow._version import __version__",
        "from .. import _version",
        "from . import graph",
        "from .graph import Graph",
        "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from .. import ops",
        "import typing\nif typing.TYPE_CHECKING:\n    import similarflow.ops",
    ],
)
def test_other_imports_are_allowed(tmp_path: Path, source: str) -> None:
    sources = {"core/tensor.py": source, "_version.py": ""}
    package = write_package(tmp_path, sources)
    assert find_upward(package) == []
    assert find_cycle(package) == []


def test_one_row_may_import_itself(tmp_path: Path) -> None:
    sources = {
        "nn.py": "from . import losses",
        "losses.py": "",
        "train/__init__.py": "from ..nn import relu",
        "__main__.py": "import similarflow",
    }
    assert find_upward(write_package(tmp_path, sources)) == []


def test_module_without_a_row_is_found(tmp_path: Path) -> None:
    package = write_package(tmp_path, {"helpers.py": ""})
    assert find_upward(package) == ["in no row: helpers"]


def test_cycle_is_found(tmp_path: Path) -> None:
    sources = {
        "core/tensor.py": "from .graph import Graph",
        "core/graph.py": "import similarflow.core.shapes",
        "core/shapes.py": "from . import tensor",
    }
    cycle = find_cycle(write_package(tmp_path, sources))
    assert set(cycle) == {"core.tensor", "core.graph", "core.shapes"}


def test_deferred_import_makes_no_cycle(tmp_path: Path) -> None:
    sources = {
        "core/tensor.py": "from .graph import Graph",
        "core/graph.py": "def f():\n    from .tensor import Tensor",
        "ops/math.py": "from . import nn",
        "ops/nn.py": "from ..core.lazy import lazy\nmath = lazy('.math', __package__)",
        "core/lazy.py": "",
    }
    assert find_cycle(write_package(tmp_path, sources)) == []
