import re
import subprocess
import sys

import numpy as np
import pytest

import similarflow as sf
from similarflow.runtime.compiled.bound import Bound

SHAPE = sf.TensorShape([5, 4])


def regression():
    x = sf.Placeholder(sf.float32, [None, 4], name="x")
    w = sf.Variable(np.ones((4, 2), np.float32), name="w")
    loss = sf.reduce_mean(sf.square(x @ w), name="loss")
    train = sf.train.GradientDescentOptimizer(0.1).minimize(loss)
    return x, w, loss, train


def bound_by(session: sf.Session) -> list[Bound]:
    """All bindings that a session has made."""
    programs = session._programs.values()
    return [b for p in programs for ready in p.ready.values() for b in ready]


def kernels(fetches, feed_dict=None) -> list[str]:
    return [row.kernel for row in sf.runtime.explain(fetches, feed_dict).rows]


def test_each_row_says_what_is_called_and_where_the_result_is():
    x = sf.Placeholder(sf.float32, [2, 3], name="x")
    y = sf.reduce_sum(sf.exp(x * 2.0, name="y"), name="total")
    first, second, third = sf.runtime.explain(y).rows
    assert first == (0, "mul", "Mul", "np.multiply", "(2, 3) float32", "0", "")
    assert second[:6] == (1, "y", "Exp", "np.exp", "(2, 3) float32", "0")
    assert second.why == "in place of mul:0"
    assert third[:6] == (2, "total", "Sum", "np.add.reduce", "() float32", "new")
    assert third.why == "fetched"


def test_totals_are_those_of_the_buffers():
    x = sf.Placeholder(sf.float32, [2, 3])
    found = sf.runtime.explain(sf.reduce_sum(sf.exp(x * 2.0)))
    assert (found.steps, found.buffers) == (3, 1)
    assert (found.bytes, found.bytes_unshared) == (24, 48)
    last = str(found).splitlines()[-1]
    assert last == "3 steps, 1 buffer of 24 bytes; 48 bytes without sharing"


@pytest.mark.parametrize("rows", [5, 50_000])
def test_a_session_takes_just_these_steps(rows: int):
    x, _, loss, train = regression()
    loud = sf.exp(x * 2.0 + 1.0, name="loud")
    fetches = [loss, train, sf.reduce_sum(loud), sf.transpose(x)]
    value = np.ones((rows, 4), np.float32)
    found = sf.runtime.explain(fetches, {x: value})
    session = sf.Session()
    session.run(fetches, {x: value})
    (bound,) = bound_by(session)
    assert found.steps == len(bound.steps)
    taken = {row.step: row.name for row in found.rows if row.step is not None}
    assert all(bound.nodes[i].op.name == name for i, name in taken.items())
    assert max(taken) <= found.steps - 1
    assert found.bytes >= bound.arena.size > 0


def test_shapes_may_be_given_as_arrays_or_as_shapes():
    x, _, loss, train = regression()
    by_shape = sf.runtime.explain([loss, train], {x: SHAPE})
    by_value = sf.runtime.explain([loss, train], {"x:0": np.ones((5, 4))})
    assert str(by_shape) == str(by_value)
    assert by_shape.inputs == ["x:0 (5, 4) float32", "w:0 (4, 2) float32"]
    assert by_shape.unknown == []


def test_without_a_shape_it_says_what_is_not_known():
    _, _, loss, _ = regression()
    found = sf.runtime.explain(loss)
    assert found.unknown == ["x:0"]
    first = found.rows[0]
    assert (first.kernel, first.buffer) == ("as written", "new")
    assert first.why == "the shape of x:0 is not known before the run"
    assert "not known before a run: x:0; put arrays" in str(found)


def test_a_partly_known_shape_is_used_as_far_as_it_goes():
    x = sf.Placeholder(sf.float32, name="x")
    (row,) = sf.runtime.explain(x + 1.0, {x: sf.TensorShape([None, 2])}).rows
    assert row.result == "(?, 2) float32"


def test_the_values_of_a_session_tell_shapes():
    v = sf.Variable(np.ones(3), validate_shape=False, name="v")
    session = sf.Session()
    assert sf.runtime.explain(v * 2.0, session=session).unknown == ["v:0"]
    session.run(v)
    assert sf.runtime.explain(v * 2.0, session=session).inputs == ["v:0 (3,) float64"]


def test_the_default_session_is_used():
    with sf.Graph().as_default():
        x = sf.Placeholder(sf.float32, [2])
        with sf.Session():
            assert kernels(x * 2.0) == ["np.multiply"]
    with pytest.raises(ValueError, match="graph"):
        sf.runtime.explain(x * 2.0)


def test_nothing_is_run_or_changed():
    ran = []
    x = sf.Placeholder(sf.float32, [2])
    w = sf.Variable([1.0, 2.0], name="w")
    y = sf.py_func(lambda a: ran.append(a) or a, [x], sf.float32)
    session = sf.Session()
    state, nodes = dict(session.state), len(session.graph.get_operations())
    found = sf.runtime.explain(
        [sf.assign_add(w, y), sf.random_normal([2])], {x: [1, 2]}
    )
    nodes_then = len(session.graph.get_operations())
    sf.runtime.explain([w, y], session=session)
    assert len(session.graph.get_operations()) == nodes_then > nodes
    assert not ran
    assert session.state == state == {}
    assert not session._programs
    assert not session._plans
    assert found.rows


def test_what_the_user_wrote_and_a_write_waits_for_comes_first():
    x = sf.Placeholder(sf.float32, [2])
    w = sf.Variable([1.0, 2.0], name="w")
    y = sf.py_func(lambda a: a, [x], sf.float32, name="mine")
    found = sf.runtime.explain(sf.assign_add(w, y))
    assert found.early == ["mine"]
    assert "computed first, as written: mine" in str(found)


def test_reasons_for_kernels_as_they_are_written():
    k = sf.Placeholder(sf.float32, [2, 3], name="k")
    loop = sf.while_loop(lambda i: i < 3, lambda i: i + 1, [0])
    own = sf.py_func(lambda a: a, [k], sf.float32, name="own")
    fetches = [
        sf.random_normal([2]), own, loop, sf.Print(k, [k]),
        sf.matrix_band_part(k, 0, 1), sf.string_join(["a", "b"], name="join"),
    ]  # fmt: skip
    rows = {row.type: row for row in sf.runtime.explain(fetches).rows}
    assert {row.kernel for row in rows.values()} == {"as written"}
    assert rows["RandomStandardNormal"].why.startswith("draws random numbers")
    assert rows["PyFunc"].why.startswith("an operation of your own")
    assert rows["While"].why.startswith("runs sub-graphs")
    assert rows["Print"].why.startswith("has an effect")
    assert rows["MatrixBandPart"].why.startswith("its kernel is no list of ufuncs")
    assert "holds objects" in rows["StringJoin"].why


def test_views_cost_nothing():
    x = sf.Placeholder(sf.float32, [2, 3], name="x")
    found = sf.runtime.explain(sf.exp(sf.reshape(x * 2.0, [6])) + 1.0)
    view = found.rows[1]
    assert (view.step, view.kernel, view.buffer) == (None, "view", "view of 0")
    assert re.search(r"^ +-  Reshape", str(found), re.MULTILINE)
    (of_input, _) = sf.runtime.explain(sf.reshape(x, [6]) + 1.0).rows
    assert (of_input.kernel, of_input.buffer) == ("view", "view of x:0")


def test_views_without_elements_take_no_buffer():
    x = sf.Placeholder(sf.float32, [0, 3], name="x")
    found = sf.runtime.explain(sf.exp(sf.reshape(x * 2.0, [3, 0])))
    assert found.rows[1].buffer == "view of mul:0"
    assert found.bytes == found.bytes_unshared == 0


def test_new_values_of_variables_are_told():
    x, _, _, train = regression()
    last = sf.runtime.explain(train, {x: SHAPE}).rows[-1]
    assert (last.type, last.buffer) == ("ApplyGradientDescent", "new")
    assert last.why == "new value of w"


def test_large_variables_have_two_arrays_that_take_turns():
    w = sf.Variable(np.ones(10_000), name="w")
    train = sf.train.GradientDescentOptimizer(0.1).minimize(sf.reduce_sum(w * w))
    last = sf.runtime.explain(train).rows[-1]
    assert last.why == "new value of w; takes turns with the old value"


def test_a_variable_that_is_only_written_is_not_called_unknown():
    w = sf.Variable(np.ones(3), name="w")
    (row,) = sf.runtime.explain(sf.assign(w, w.initial_value)).rows
    assert "nothing" not in row.why


def test_one_call_for_a_region_names_all_that_it_does():
    x = sf.Placeholder(sf.float32, [200_000], name="x")
    y = sf.reduce_sum(sf.exp(sf.add(x * 2.0, 1.0, name="plus"), name="e"))
    first = sf.runtime.explain(y).rows[0]
    assert first.kernel == "np.multiply, np.add, np.exp"
    assert first.why == "block by block, with plus, e"


def test_what_is_known_needs_no_step():
    found = sf.runtime.explain(sf.add(sf.constant(1.0), 2.0, name="three"))
    assert (found.rows, found.steps, found.bytes) == ([], 0, 0)
    assert found.notes == ["fold: 1 operation needs no run (three)"]
    assert "nothing to compute" in str(found)


def repetitive():
    """Something for each pass to do."""
    x = sf.Placeholder(sf.float32, [3], name="x")
    same = sf.identity(x, name="same")
    once, again = sf.exp(same, name="once"), sf.exp(x, name="again")
    three = sf.add(sf.constant(1.0), 2.0, name="three")
    return sf.add(once * three, again, name="y")


NOTES = {
    "simplify": "simplify: 1 operation gives what it gets (same is x:0)",
    "fold": "fold: 1 operation needs no run (three)",
    "merge": "merge: 1 operation was there already (again is once)",
}


def test_notes_say_what_each_pass_did():
    found = sf.runtime.explain(repetitive())
    assert found.notes == list(NOTES.values())
    assert [row.name for row in found.rows] == ["once", "mul", "y"]
    assert "also again" in found.rows[0].why
    for note in found.notes:
        assert f"\n  {note}\n" in str(found)


def test_prune_says_what_nobody_reads():
    x = sf.Placeholder(sf.float32, [None], name="x")
    y = sf.shape(sf.exp(x, name="unread"), name="size") + 1
    feeds = {x: sf.TensorShape([3])}
    found = sf.runtime.explain(y, feeds)
    assert found.notes[-1] == "prune: 1 operation is read by nobody (unread)"
    assert found.rows == []
    with sf.runtime.without("prune"):
        notes = sf.runtime.explain(y, feeds).notes
    assert notes == ["prune: switched off", *found.notes[:-1]]


def test_notes_name_some_of_many():
    x = sf.Placeholder(sf.float32, [3], name="x")
    y = sf.add_n([sf.exp(x, name=f"e{i}") for i in range(8)])
    found = sf.runtime.explain(y)
    named = "e1 is e0, e2 is e0, e3 is e0, e4 is e0, 3 more"
    assert found.notes == [f"merge: 7 operations were there already ({named})"]
    assert found.rows[0].why == "also e1, e2, e3, e4, 3 more"


@pytest.mark.parametrize("name", NOTES)
def test_each_pass_can_be_switched_off(name: str):
    y = repetitive()
    with sf.runtime.without(name):
        found = sf.runtime.explain(y)
    assert f"{name}: switched off" in found.notes
    others = {note for key, note in NOTES.items() if key != name}
    if name != "simplify":  # without it `again` is no repetition
        assert others < {*found.notes}
    names = [row.name for row in found.rows]
    gone = {"simplify": "same", "fold": "three", "merge": "again"}[name]
    assert gone in names
    assert sf.runtime.explain(y).notes == list(NOTES.values())


def test_sessions_compile_without_it_and_stay_so():
    x = sf.Placeholder(sf.float64, [None], name="x")
    y = sf.add(sf.exp(x), sf.exp(x), name="y")
    before, inside = sf.Session(), sf.Session()
    expected = 2.0 * np.exp(np.ones(2))
    with sf.runtime.without("merge", "fold"), sf.runtime.without("simplify"):
        np.testing.assert_array_equal(inside.run(y, {x: np.ones(2)}), expected)
    inside.run(y, {x: np.ones(3)})  # bound outside, from what was compiled inside
    before.run(y, {x: np.ones(2)})
    assert [len(b.steps) for b in bound_by(inside)] == [3, 3]
    assert [len(b.steps) for b in bound_by(before)] == [2]
    (program,) = [p.program for p in inside._programs.values()]
    off = [f"{name}: switched off" for name in ("simplify", "fold", "merge")]
    assert program.notes == off


def test_switching_off_ends_with_an_error():
    y = repetitive()
    with pytest.raises(KeyError), sf.runtime.without("merge"):
        raise KeyError
    assert NOTES["merge"] in sf.runtime.explain(y).notes


def test_an_unknown_pass_is_told():
    with (
        pytest.raises(ValueError, match=r"no pass 'mrge'; give names of simplify, fo"),
        sf.runtime.without("mrge"),
    ):
        pass


def test_values_are_the_same_without_any_pass():
    y = repetitive()
    feeds = {"x:0": [1.0, -2.0, 0.5]}
    with sf.runtime.without("simplify", "fold", "merge", "prune"):
        plain = sf.Session().run(y, feeds)
    np.testing.assert_array_equal(plain, sf.Session().run(y, feeds))


def test_errors_say_what_to_do():
    x = sf.Placeholder(sf.float32, [2, 3], name="x")
    with pytest.raises(ValueError, match=r"takes shape \(2, 3\), and was fed shape"):
        sf.runtime.explain(x, {x: sf.TensorShape([3])})
    with pytest.raises(TypeError, match="keys are tensors"):
        sf.runtime.explain(x, {3: sf.TensorShape([3])})
    with pytest.raises(TypeError, match="feed_dict"):
        sf.runtime.explain(x, 3)
    with pytest.raises(TypeError, match="cannot be run"):
        sf.runtime.explain(3)
    with pytest.raises(AttributeError, match="no attribute 'explian'"):
        sf.runtime.explian(x)  # type: ignore[attr-defined]


def test_importing_similarflow_loads_no_runtime():
    code = (
        "import sys, similarflow as sf\n"
        "print([m for m in sys.modules if m.startswith('similarflow.runtime')])\n"
        "sf.runtime.without\n"
        "print('similarflow.runtime.compiled.explain' in sys.modules)\n"
    )
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["[]", "False"]
