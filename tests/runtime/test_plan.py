"""Plans: only what is needed, made once, and not kept without end."""

import pytest

import similarflow as sf
from similarflow.runtime import session as session_module
from similarflow.runtime.plan import make_plan


@pytest.fixture
def sess():
    return sf.Session()


def plan_of(*fetches, fed=()):
    fetches = [f.as_tensor() if hasattr(f, "node") else f for f in fetches]
    return make_plan(sf.get_default_graph(), fetches, fed)


def names(steps):
    return [op.name for op, _, _ in steps]


def logged(log, label):
    @sf.operation
    def note(value):
        log.append(label)
        return value

    return note


# What is in a plan


def test_a_plan_holds_only_what_the_fetches_need_inputs_first():
    x = sf.placeholder(sf.float32, name="x")
    y = sf.square(x, name="y")
    sf.square(y, name="beside")
    z = sf.add(y, x, name="z")
    sf.negative(z, name="behind")
    plan = plan_of(z)
    assert names(plan.steps) == ["y", "z"]
    assert plan.unfed == [x]
    assert plan.fetches == [z]
    assert plan.early == plan.reads == []
    assert plan.writes == {}
    assert not plan.initialises


def test_only_what_is_needed_is_run(sess):
    log = []
    x = sf.constant(1.0)
    a, b, c = (logged(log, label)(x) for label in "abc")
    assert sess.run(b + 1.0) == 2.0
    assert log == ["b"]
    with sf.control_dependencies([c]):
        y = sf.identity(a)
    sess.run(y)
    assert sorted(log[1:]) == ["a", "c"]


def test_each_operation_is_run_once_in_a_run(sess):
    log = []
    y = logged(log, "y")(sf.constant(1.0))
    sess.run([y, y + 1.0, y * y, [y]])
    assert log == ["y"]
    sess.run(y)
    assert log == ["y", "y"]  # and no result outlives its run


def test_the_parts_of_a_plan():
    x, v = sf.placeholder(sf.float32, [], name="x"), sf.Variable(1.0, name="v")
    c = sf.constant(2.0)
    add = sf.assign_add(v, x * c)
    plan = plan_of(v, add, add.op)
    assert plan.graph is x.graph
    assert plan.constants == {None: None, c: c.value}
    assert plan.reads == [v.value()]
    assert plan.unfed == [x]
    assert plan.writes == {v.value(): add}
    assert plan.fetches == [add, add, None]


def test_what_is_fed_is_cut():
    x, v = sf.placeholder(sf.float32, []), sf.Variable(1.0)
    y = sf.add(x, v, name="y")
    z = sf.square(y, name="z")
    plan = plan_of(z, y, fed=[y])
    assert names(plan.steps) == ["z"]
    assert plan.unfed == plan.reads == []
    assert plan.fetches == [z, y]
    assert plan_of(x, v, fed=[x, v.value()]).steps == []


def test_what_must_run_although_its_output_is_fed_writes_it_nowhere():
    x = sf.constant(1.0)
    y = sf.square(x, name="y")
    with sf.control_dependencies([y]):
        z = sf.identity(x, name="z")
    plan = plan_of(z, y, fed=[y])
    assert [(op.name, list(targets)) for op, _, targets in plan.steps] == [
        ("y", [None]),
        ("z", [z]),
    ]


def test_an_assignment_does_not_read_what_it_replaces():
    v = sf.Variable(1.0)
    new = v.assign(2.0)
    plan = plan_of(new)
    assert plan.reads == []
    [(op, sources, targets)] = plan.steps
    assert (op, list(sources), list(targets)) == (new.op, [None, op.inputs[1]], [new])


def test_a_plan_tells_whether_it_initialises():
    v = sf.Variable(1.0)
    assert plan_of(v.initializer).initialises
    assert plan_of(sf.global_variables_initializer()).initialises
    assert not plan_of(v.assign(2.0)).initialises


def test_a_chain_of_many_operations_is_planned_without_recursion(sess):
    y = sf.constant(0.0)
    for _ in range(5000):
        y = y + 1.0
    assert sess.run(y) == 5000.0


# Plans are kept


@pytest.fixture
def made(monkeypatch):
    """The fetches for which plans are made."""
    calls = []

    def counting(graph, fetches, fed):
        calls.append(list(fetches))
        return make_plan(graph, fetches, fed)

    monkeypatch.setattr(session_module, "make_plan", counting)
    return calls


def test_a_plan_is_made_once_for_fetches_and_fed_tensors(sess, made):
    x, y = sf.placeholder(sf.float32), sf.constant(2.0)
    z = x * y
    assert [sess.run(z, {x: n}) for n in (1.0, 2.0, 3.0)] == [2.0, 4.0, 6.0]
    assert made == [[z]]
    sess.run(z, {x: 1.0, y: 5.0})
    assert made == [[z], [z]]
    sess.run([z], {x: 1.0})
    sess.run({"in another form": z}, {x: 1.0})
    assert made == [[z], [z]]
    sess.run([z, z], {x: 1.0})
    sess.run([z, x], {x: 1.0})
    assert made[2:] == [[z, z], [z, x]]


def test_fetches_and_feeds_are_not_mixed_up(sess):
    x, y = sf.constant(1.0), sf.constant(2.0)
    assert sess.run([x], {y: 5.0}) == [1.0]
    assert sess.run([x, y]) == [1.0, 2.0]
    assert sess.run([y], {x: 5.0}) == [2.0]
    assert sess.run([], {x: 5.0, y: 6.0}) == []


def test_the_order_of_feeds_changes_nothing(sess):
    x, y = sf.placeholder(sf.float32), sf.placeholder(sf.float32)
    z = x - y
    assert sess.run(z, {x: 3.0, y: 1.0}) == sess.run(z, {y: 1.0, x: 3.0}) == 2.0


def test_operations_made_later_find_their_plan(sess):
    v = sf.Variable(1.0)
    assert sess.run(v) == 1.0
    add = v.assign_add(1.0)
    assert sess.run(v) == 1.0
    assert sess.run([v, add]) == [2.0, 2.0]


def test_a_session_keeps_so_many_plans_and_no_more(sess, made, monkeypatch):
    monkeypatch.setattr(session_module, "PLANS", 3)
    x = sf.constant(1.0)
    ys = [x + float(n) for n in range(10)]
    assert [sess.run(y) for y in ys] == [n + 1.0 for n in range(10)]
    assert len(sess._plans) <= 3
    assert sess.run(ys[0]) == 1.0
    assert made == [[y] for y in [*ys, ys[0]]]


def test_sessions_have_plans_of_their_own(sess, made):
    x = sf.constant(1.0)
    sess.run(x)
    sf.Session().run(x)
    assert made == [[x], [x]]
