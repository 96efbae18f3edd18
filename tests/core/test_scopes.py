"""Contexts for building: that they end as they began, and what they refuse."""

import pytest

import similarflow as sf


@pytest.mark.parametrize(
    ("enter", "state"),
    [
        (lambda g: g.name_scope("s"), lambda g: g.scope),
        (lambda g: g.name_scope(None), lambda g: g.scope),
        (lambda g: sf.name_scope("s"), lambda g: g.scope),
        (lambda g: g.control_dependencies([sf.no_op()]), lambda g: g.controls),
        (lambda g: sf.control_dependencies(None), lambda g: g.controls),
        (lambda g: g.device("/cpu:0"), lambda g: g.device_name),
        (lambda g: sf.device("/gpu:1"), lambda g: g.device_name),
        (lambda g: g.colocate_with(sf.no_op()), lambda g: g.scope),
        (lambda g: g.gradient_override_map({"A": "B"}), lambda g: g.gradient_overrides),
        (lambda g: sf.name_scope("s"), lambda g: sf.get_default_graph()),
    ],
)
def test_an_exception_restores_what_was_before(enter, state):
    g = sf.get_default_graph()
    with (
        g.name_scope("outer"),
        g.device("/device:CPU:7"),
        g.control_dependencies([sf.no_op(name="first")]),
    ):
        before = state(g)
        with pytest.raises(KeyError), enter(g):
            raise KeyError
        assert state(g) == before
        x = sf.constant(1.0)
    assert (x.op.name, x.device) == ("outer/Const", "/device:CPU:7")
    assert [op.name for op in x.op.control_inputs] == ["outer/first"]
    assert (g.scope, g.device_name, g.controls) == ("", "", ())


# ---- names


def test_the_current_scope_can_be_asked_for():
    g = sf.get_default_graph()
    assert g.get_name_scope() == ""
    with g.name_scope("a"), sf.name_scope("b") as scope:
        assert scope == "a/b/"
        assert g.get_name_scope() == "a/b"
        with g.name_scope(""):
            assert g.get_name_scope() == ""


def test_a_scope_enters_the_graph_of_its_values():
    with sf.Graph().as_default() as g:
        x = sf.constant(1.0)
    with sf.name_scope("s", values=[1.0, x]):
        assert sf.constant(2.0).graph is g
        assert sf.constant(2.0).op.name == "s/Const_1"
    assert sf.get_default_graph() is not g


@pytest.mark.parametrize("name", ["a b", "-a", "_a", "ä", "a:0"])
def test_a_bad_scope_name_is_refused(name):
    with pytest.raises(ValueError, match="is no valid scope name"):
        sf.name_scope(name).__enter__()
    assert sf.get_default_graph().scope == ""


def test_an_inner_scope_may_begin_with_an_underscore():
    with sf.name_scope("a"), sf.name_scope("_b") as scope:
        assert scope == "a/_b/"


def test_a_scope_that_is_no_text_is_refused():
    for name in (sf.constant(1.0), 3):
        with pytest.raises(TypeError, match="a scope's name is a string, not"):
            sf.name_scope(name).__enter__()


def test_a_default_name_counts_where_there_is_none():
    with sf.name_scope(None, "layer") as first, sf.name_scope(None) as none:
        assert (first, none) == ("layer/", "")
    with sf.name_scope("mine", "layer") as scope:
        assert scope == "mine/"


# ---- control dependencies


def test_one_thing_may_be_waited_for_without_a_list():
    v = sf.Variable(1.0)
    for item in (v.assign(2.0), v.assign(2.0).op):
        with sf.control_dependencies(item):
            assert sf.no_op().control_inputs == (getattr(item, "op", item),)
    with sf.control_dependencies([v, v]):
        assert sf.no_op().control_inputs == (v.op,)
    with sf.control_dependencies([]):
        assert sf.no_op().control_inputs == ()


def test_only_operations_are_waited_for():
    for wrong in (1.0, [None]):
        with pytest.raises(TypeError, match="an operation or a tensor is expected"):
            sf.control_dependencies(wrong).__enter__()
    with pytest.raises(KeyError, match="no operation in this graph is called 'a'"):
        sf.control_dependencies("a").__enter__()


# ---- devices


@pytest.mark.parametrize(
    ("given", "recorded"),
    [
        ("/cpu:0", "/device:CPU:0"),
        ("/GPU:1", "/device:GPU:1"),
        ("/job:worker/task:3/gpu:0", "/job:worker/task:3/device:GPU:0"),
        ("/device:CPU:0", "/device:CPU:0"),
        (None, ""),
        (lambda op: "/cpu:0", ""),
    ],
)
def test_a_device_is_recorded_and_has_no_effect(given, recorded):
    with sf.device("/device:CPU:9"), sf.device(given):
        x, v = sf.constant(2.0), sf.Variable(3.0)
        y = x * v
    assert [n.device for n in (x, v, y, y.op)] == [recorded] * 4
    assert sf.Session().run(y) == 6.0


def test_colocation_is_accepted():
    x = sf.constant(1.0)
    with sf.colocate_with(x), x.graph.colocate_with(x.op, ignore_existing=True):
        assert sf.square(x).op.name == "Square"


def test_what_is_waited_for_is_of_the_same_graph():
    with sf.Graph().as_default():
        other = sf.no_op(name="other")
    said = r"'other' is of another graph.*\n.*Build both in one graph"
    with pytest.raises(ValueError, match=said), sf.control_dependencies([other]):
        pass
