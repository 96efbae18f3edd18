import sys

import numpy as np
import pytest

import similarflow as sf
from similarflow.runtime.compiled.profile import Profile

ENGINES = ["compiled", "simple"]
REST = "(rest)"


def scoped():
    x = sf.Placeholder(sf.float32, [None, 4], name="x")
    with sf.name_scope("layer"):
        y = sf.exp(x * 2.0, name="y")
        with sf.name_scope("inner"):
            z = sf.multiply(y, 3.0, name="z")
    return x, sf.reduce_sum(z, name="total")


def named(found: Profile):
    return {row.name: row for row in found.rows}


def figures(text: str, column: str) -> list[float]:
    """The numbers of a column of a table, from where its title ends."""
    _, head, *lines = text.splitlines()
    end = head.index(column) + len(column)
    cells = [line[:end].replace(" %", "").split()[-1] for line in lines]
    return [float(cell.replace(",", "")) for cell in cells]


@pytest.mark.parametrize("engine", ENGINES)
def test_each_operation_has_a_row(engine: str):
    x, total = scoped()
    feeds = {x: np.ones((5, 4), np.float32)}
    found = sf.profile(sf.Session(engine=engine), total, feeds, runs=3)
    rows = named(found)
    assert (found.engine, found.runs) == (engine, 3)
    assert rows.keys() == {"layer/mul", "layer/y", "layer/inner/z", "total", REST}
    told = {name: (r.type, r.scope, r.calls, r.bytes) for name, r in rows.items()}
    assert told["layer/y"] == ("Exp", "layer", 3, 3 * 80)
    assert told["layer/inner/z"] == ("Mul", "layer/inner", 3, 3 * 80)
    assert told["total"] == ("Sum", "", 3, 3 * 4)
    assert told[REST] == ("", "", 0, 0)


@pytest.mark.parametrize("engine", ENGINES)
def test_figures_add_up_to_the_run(engine: str):
    x, total = scoped()
    feeds = {x: np.ones((5, 4), np.float32)}
    found = sf.profile(sf.Session(engine=engine), total, feeds, runs=3)
    for rows in (found.rows, found.by_type, found.by_scope):
        assert sum(row.nanoseconds for row in rows) == found.nanoseconds
        assert abs(sum(row.share for row in rows) - 1.0) < 1e-9
        assert all(row.nanoseconds >= 0 for row in rows)
        times = [row.nanoseconds for row in rows]
        assert times == sorted(times, reverse=True)
        assert sum(row.bytes for row in rows) == 3 * (80 + 80 + 80 + 4)
        assert sum(row.calls for row in rows) == 3 * 4
    assert found.preparing == 0 if engine == "simple" else found.preparing > 0


def test_types_and_scopes_are_added_up():
    x, total = scoped()
    feeds = {x: np.ones((5, 4), np.float32)}
    found = sf.profile(sf.Session(), total, feeds, runs=2)
    rows = named(found)
    types = {row.name: row for row in found.by_type}
    assert types.keys() == {"Mul", "Exp", "Sum", REST}
    both = rows["layer/mul"].nanoseconds + rows["layer/inner/z"].nanoseconds
    assert types["Mul"][1:5] == ("Mul", "", 4, both)
    scopes = {row.name: row for row in found.by_scope}
    assert scopes.keys() == {"", "layer", "layer/inner", REST}
    assert scopes["layer"].calls == 4
    assert scopes["layer/inner"].scope == "layer/inner"


@pytest.mark.parametrize("by", ["operation", "type", "scope"])
def test_what_is_printed_adds_up_digit_by_digit(by: str):
    x, total = scoped()
    found = sf.profile(sf.Session(), total, {x: np.ones((5, 4))}, runs=7)
    text = found.table(by)
    whole = float(text.splitlines()[0].split()[-2].replace(",", ""))
    assert text.startswith("7 runs on the compiled engine: ")
    assert round(sum(figures(text, "ms")), 3) == whole
    assert round(sum(figures(text, "share")), 1) == 100.0
    assert sum(figures(text, "bytes written")) == sum(r.bytes for r in found.rows)


def test_str_is_the_table_of_operations():
    x, total = scoped()
    found = sf.profile(sf.Session(), total, {x: np.ones((5, 4))}, runs=1)
    assert str(found) == repr(found) == found.table("operation")
    assert str(found).startswith("1 run on the compiled engine: ")
    with pytest.raises(ValueError, match="by operation, type, scope, not 'name'"):
        found.table("name")


def test_a_long_table_adds_up_what_it_does_not_show():
    x = y = sf.Placeholder(sf.float32, [3], name="x")
    for _ in range(60):
        y = sf.tanh(y)
    found = sf.profile(sf.Session(), y, {x: np.ones(3)}, runs=2)
    lines = str(found).splitlines()
    assert len(found.rows) == 61
    assert len(lines) < 36
    assert any(line.startswith(REST) for line in lines)
    assert sum(" more)" in line for line in lines) == 1
    assert sum(figures(str(found), "bytes written")) == 2 * 60 * 12
    assert sum(figures(str(found), "calls")) == 2 * 60


@pytest.mark.parametrize("engine", ENGINES)
def test_these_are_runs_as_any_other(engine: str):
    w = sf.Variable(0.0, name="w")
    noise = sf.random_normal([], seed=3)
    session, other = sf.Session(engine=engine), sf.Session(engine=engine)
    for each in (session, other):
        each.run(sf.global_variables_initializer())
    step = sf.assign_add(w, noise)
    found = sf.profile(session, step, runs=4)
    expected = [other.run(step) for _ in range(4)][-1]
    assert session.run(w) == expected
    assert session.run(noise) == other.run(noise)
    assert named(found)["AssignAdd"].calls == 4


def test_what_starts_a_variable_is_part_of_the_first_run():
    w = sf.Variable(sf.ones([3]) * sf.random_uniform([3]), name="w")
    found = sf.profile(sf.Session(), w * 2.0, runs=5)
    rows = {row.type: row.calls for row in found.rows}
    assert rows["RandomUniform"] == 1


@pytest.mark.parametrize("engine", ENGINES)
def test_the_session_is_as_before_but_for_its_values(engine: str):
    x, total = scoped()
    session = sf.Session(engine=engine)
    before = {*vars(session)}
    sf.profile(session, total, {x: np.ones((5, 4))}, runs=2)
    assert {*vars(session)} == before
    assert "execute" not in vars(session)
    assert session.run(total, {x: np.ones((5, 4))}) > 0.0
    assert not session._calls or engine == "compiled"


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("fetches", ["total:0", ("total:0",), {"a": ["total:0"]}, []])
def test_any_fetches_and_feeds(engine: str, fetches):
    scoped()
    feeds = {"x:0": [[1, 2, 3, 4]]}
    found = sf.profile(sf.Session(engine=engine), fetches, feeds, runs=2)
    count = 4 if fetches else 0
    assert sum(row.calls for row in found.rows) == 2 * count


@pytest.mark.parametrize("engine", ENGINES)
def test_a_failed_run_raises_as_usual_and_changes_nothing(engine: str):
    x = sf.Placeholder(sf.float64, name="x")
    w = sf.Variable(1.0, dtype=sf.float64, name="w")
    bad = sf.matmul(sf.exp(x), sf.ones([2, 2], sf.float64), name="bad")
    fetches = [sf.assign_add(w, 1.0), bad]
    session = sf.Session(engine=engine)
    with pytest.raises(sf.errors.InvalidArgumentError) as usual:
        session.run(fetches, {x: np.ones((2, 3))})
    with pytest.raises(sf.errors.InvalidArgumentError) as caught:
        sf.profile(session, fetches, {x: np.ones((2, 3))})
    assert caught.value.op is bad.op
    assert str(caught.value) == str(usual.value)
    assert session.run(w) == 1.0


@pytest.mark.parametrize("engine", ENGINES)
def test_an_own_error_comes_through(engine: str):
    @sf.operation
    def fail(a):
        raise ZeroDivisionError("mine")

    y = fail(sf.constant(1.0))
    with pytest.raises(ZeroDivisionError, match="mine"):
        sf.profile(sf.Session(engine=engine), y)


@pytest.mark.parametrize("engine", ENGINES)
def test_loops_and_own_operations_are_one_row_each(engine: str):
    x = sf.Placeholder(sf.float32, [3], name="x")
    own = sf.py_func(lambda a: a * a, [x], sf.float32, name="own")
    own.set_shape([3])
    _, y = sf.while_loop(
        lambda i, a: i < 4, lambda i, a: (i + 1, a * 2.0), [0, own], name="loop"
    )
    rows = named(sf.profile(sf.Session(engine=engine), y, {x: np.ones(3)}, runs=2))
    assert rows.keys() == {"own", "loop", REST}
    assert rows["own"].bytes == 2 * 12


@pytest.mark.parametrize("engine", ENGINES)
def test_views_write_nothing(engine: str):
    x = sf.Placeholder(sf.float64, [2, 3], name="x")
    y = sf.transpose(sf.reshape(x, [3, 2]), name="y")
    found = sf.profile(sf.Session(engine=engine), y, {x: np.ones((2, 3))}, runs=2)
    assert sum(row.bytes for row in found.rows) == 0


def test_a_region_is_one_row():
    x = sf.Placeholder(sf.float32, [200_000], name="x")
    with sf.name_scope("a"):
        with sf.name_scope("b"):
            y = sf.multiply(x, 2.0, name="y")
        y = sf.exp(sf.add(y, 1.0), name="z")
    value = np.ones(200_000, np.float32)
    rows = named(sf.profile(sf.Session(), sf.reduce_sum(y), {x: value}, runs=2))
    row = rows["a/b/y + 2 more"]
    assert (row.type, row.scope, row.calls) == ("(several)", "a", 2)
    assert row.bytes == 2 * 800_000


def test_wrong_arguments_are_told():
    x, total = scoped()
    session = sf.Session()
    with pytest.raises(TypeError, match="needs a Session first, not <Tensor 'total:0'"):
        sf.profile(total, session)
    with pytest.raises(ValueError, match="runs is 1 or more, not 0"):
        sf.profile(session, total, {x: np.ones((5, 4))}, runs=0)
    with pytest.raises(sf.errors.InvalidArgumentError, match="feed a value"):
        sf.profile(session, total)


def test_plot_saves_a_picture(tmp_path):
    pytest.importorskip("matplotlib")
    x, total = scoped()
    found = sf.profile(sf.Session(), total, {x: np.ones((5, 4))}, runs=2)
    file = tmp_path / "profile.png"
    figure = found.plot(file)
    assert file.read_bytes().startswith(b"\x89PNG")
    (axes,) = figure.axes
    labels = [label.get_text() for label in axes.get_yticklabels()]
    assert set(labels) == {"layer/mul", "layer/y (Exp)", "layer/inner/z (Mul)",
                           "total (Sum)", REST}  # fmt: skip
    total_ms = sum(bar.get_width() for bar in axes.patches)
    assert abs(total_ms - found.nanoseconds / 1e6) < 1e-6


def test_plot_without_a_file_is_the_current_figure():
    pyplot = pytest.importorskip("matplotlib.pyplot")
    x, total = scoped()
    found = sf.profile(sf.Session(), total, {x: np.ones((5, 4))}, runs=2)
    figure = found.plot()
    assert pyplot.gcf() is figure
    pyplot.close(figure)


def test_plot_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    found = sf.profile(sf.Session(), sf.constant(1.0), runs=1)
    with pytest.raises(ImportError, match=r"pip install 'similarflow\[plot\]'"):
        found.plot("picture.png")
