"""Sessions: how variables start, what is the default, who owns results."""

import gc
import inspect
import warnings
import weakref

import numpy as np
import pytest

import similarflow as sf
from similarflow.core.graph import sessions
from similarflow.runtime import session as simple


@pytest.fixture
def sess():
    return sf.Session()


def counted(value):
    """An initial value whose computation is counted, and the count."""
    calls = []

    @sf.operation
    def made(x):
        calls.append(1)
        return x

    return (lambda: sf.identity(made(value))), calls


# Variables that start by themselves


def test_a_variable_starts_with_its_initial_value(sess):
    v = sf.Variable([1.0, 2.0])
    assert sess.run(v * 2.0).tolist() == [2.0, 4.0]


def test_initial_values_start_in_the_order_in_which_they_depend(sess):
    a = sf.Variable(3.0)
    b = sf.Variable(a * 2.0)
    c = sf.Variable(b.initialized_value() + a)
    d = sf.Variable(c)
    assert sess.run(d) == 9.0
    assert sess.run([a, b, c]) == [3.0, 6.0, 9.0]


def test_what_a_later_one_needs_starts_with_the_values_of_now(sess):
    a = sf.Variable(3.0)
    b = sf.Variable(a * 2.0)
    sess.run(a.assign(10.0))
    assert sess.run(b) == 20.0


def test_only_what_a_run_needs_is_started(sess):
    value, calls = counted(1.0)
    v, w = sf.Variable(value, validate_shape=False), sf.Variable(2.0)
    sess.run(w)
    assert calls == []
    sess.run(v)
    sess.run(v)
    assert calls == [1]


def test_a_variable_starts_once():
    v = sf.Variable(sf.random_normal([3]))
    first, second = sf.Session(), sf.Session()
    assert first.run(v).tolist() == first.run(v).tolist()
    assert first.run(v).tolist() != second.run(v).tolist()


def test_feeds_reach_initial_values(sess):
    x = sf.placeholder(sf.float32, [])
    v = sf.Variable(x * 2.0, name="v")
    with pytest.raises(sf.errors.InvalidArgumentError, match="feed a value"):
        sess.run(v)
    assert sess.run(v, {x: 4.0}) == 8.0
    assert sess.run(v) == 8.0


def test_a_fed_variable_needs_no_start(sess):
    value, calls = counted(1.0)
    v = sf.Variable(value, validate_shape=False)
    assert sess.run(v + 1.0, {v: 5.0}) == 6.0
    assert calls == []


def test_an_assignment_that_does_not_read_starts_nothing(sess):
    value, calls = counted(1.0)
    v = sf.Variable(value, validate_shape=False)
    w = sf.Variable(2.0)
    assert sess.run(v.assign(5.0)) == 5.0
    assert calls == []
    assert sess.run(w) == 2.0  # an assignment is no initialisation


def test_an_initial_value_may_change_another_variable(sess):
    w = sf.Variable(1.0)
    v = sf.Variable(w.assign_add(2.0))
    assert sess.run(v) == 3.0


# From the first explicit initialisation on


def test_after_an_initializer_an_uninitialised_read_says_what_to_do(sess):
    v = sf.Variable(1.0, name="v")
    line = inspect.currentframe().f_lineno + 1
    w = sf.Variable([2.0], name="w")
    sf.Variable(3.0, name="other")
    sess.run(v.initializer)
    with pytest.raises(sf.errors.FailedPreconditionError) as caught:
        sess.run(v + w)
    text = str(caught.value)
    assert text.startswith("variable 'w' is uninitialized")
    assert "sf.global_variables_initializer()" in text
    assert f"{__file__}:{line}: `w = sf.Variable" in text
    assert "'w:0' (1,) float32" in text
    assert text.endswith("Also without a value: other")
    assert caught.value.op is w.op
    assert isinstance(caught.value, RuntimeError)


def test_without_others_none_are_listed(sess):
    v, w = sf.Variable(1.0), sf.Variable(2.0)
    sess.run(v.initializer)
    with pytest.raises(sf.errors.FailedPreconditionError) as caught:
        sess.run(w)
    assert "Also" not in str(caught.value)


def test_of_many_others_eight_are_listed(sess):
    v, *rest = [sf.Variable(1.0, name="n") for _ in range(12)]
    sess.run(v.initializer)
    with pytest.raises(sf.errors.FailedPreconditionError, match=r"n_2, .*, n_9$"):
        sess.run(rest[0])


def test_adding_to_an_uninitialised_variable_is_an_error_and_replacing_it_is_not(sess):
    v, w = sf.Variable(1.0), sf.Variable(2.0)
    sess.run(v.initializer)
    with pytest.raises(sf.errors.FailedPreconditionError):
        sess.run(w.assign_add(1.0))
    sess.run(w.assign(7.0))
    assert sess.run(w.assign_add(1.0)) == 8.0


def test_loading_a_value_counts_as_explicit(sess):
    v, w = sf.Variable(1.0), sf.Variable(2.0)
    v.load(4.0, sess)
    assert sess.run(v) == 4.0
    with pytest.raises(sf.errors.FailedPreconditionError):
        sess.run(w)


def test_what_started_before_keeps_its_value(sess):
    v, w = sf.Variable(1.0), sf.Variable(2.0)
    sess.run(w)
    sess.run(v.initializer)
    assert sess.run(w) == 2.0


def test_an_initializer_that_failed_does_not_count(sess):
    x = sf.placeholder(sf.float32, [])
    v, w = sf.Variable(sf.gather([1.0], sf.cast(x, sf.int32))), sf.Variable(2.0)
    with pytest.raises(sf.errors.InvalidArgumentError):
        sess.run(v.initializer, {x: 5.0})
    assert sess.run(w) == 2.0


def test_an_initializer_gives_the_initial_value_again(sess):
    v = sf.Variable(1.0)
    sess.run(v.assign(5.0))
    sess.run(v.initializer)
    assert sess.run(v) == 1.0


# Values belong to a session


def changed_elsewhere():
    v = sf.Variable(1.0)
    sf.Session().run(v.assign(2.0))  # this session is gone at once
    gc.collect()
    return v


def test_a_start_warns_once_when_another_session_changed_a_variable():
    v, w = changed_elsewhere(), changed_elsewhere()
    sess = sf.Session()
    with pytest.warns(UserWarning, match="another session has changed them"):
        assert sess.run(v) == 1.0
    sess.run([v, w])


@pytest.mark.parametrize("run", [lambda v, s: s.run(v), lambda v, s: v.eval(s)])
def test_the_warning_points_at_the_user_s_line(run):
    v = changed_elsewhere()
    with pytest.warns(UserWarning, match="belong to a session") as caught:
        run(v, sf.Session())
    assert caught[0].filename == __file__


def test_a_warning_that_raises_leaves_the_variable_started():
    v, sess = changed_elsewhere(), sf.Session()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(UserWarning):
            sess.run(v)
        assert sess.run(v) == 1.0


def test_loading_elsewhere_warns_too():
    v = sf.Variable(1.0)
    v.load(3.0, sf.Session())
    with pytest.warns(UserWarning, match="another session"):
        sf.Session().run(v)


def test_what_was_only_initialised_elsewhere_warns_of_nothing():
    v, w = sf.Variable(1.0), sf.Variable(2.0)
    other = sf.Session()
    other.run(v.initializer)
    other.run(v)
    sf.Session().run([v, w])


def test_one_s_own_changes_warn_of_nothing(sess):
    v, w = sf.Variable(1.0), sf.Variable(2.0)
    sess.run(v.assign(2.0))
    sess.run([v, w])


def test_the_variables_of_two_sessions_are_apart():
    v = sf.Variable(1.0)
    first, second = sf.Session(), sf.Session()
    second.run(v)
    first.run(v.assign_add(10.0))
    assert [first.run(v), second.run(v)] == [11.0, 1.0]


# Defaults


def test_with_sets_the_default_session_and_graph_also_when_it_raises():
    outer = sf.get_default_graph()
    sess = sf.Session(graph=sf.Graph())
    with sess as entered:
        assert entered is sess
        assert sf.get_default_session() is sess
        assert sf.get_default_graph() is sess.graph
    with pytest.raises(ZeroDivisionError), sess:
        raise ZeroDivisionError
    assert sf.get_default_session() is None
    assert sf.get_default_graph() is outer


def test_with_blocks_can_be_nested_and_entered_again():
    a, b = sf.Session(graph=sf.Graph()), sf.Session(graph=sf.Graph())
    with a, b, a:
        assert sf.get_default_session() is a
        assert sf.get_default_graph() is a.graph
    with b, a:
        with b:
            assert sf.get_default_session() is b
        assert sf.get_default_session() is a
        assert sf.get_default_graph() is a.graph
    assert sf.get_default_session() is None


def test_as_default_sets_the_session_alone():
    sess = sf.Session(graph=sf.Graph())
    with sess.as_default() as entered:
        assert entered is sess
        assert sf.get_default_session() is sess
        assert sf.get_default_graph() is not sess.graph
    assert sf.get_default_session() is None


def test_a_session_keeps_the_default_graph_of_its_making():
    with sf.Graph().as_default() as graph:
        sess = sf.Session()
    assert sess.graph is graph


def test_eval_and_run_take_the_default_session_or_a_given_one(sess):
    x, v = sf.placeholder(sf.float32, []), sf.Variable(1.0)
    with sess:
        assert (x + v).eval({x: 2.0}) == 3.0
        assert v.assign_add(x).op.run({x: 5.0}) is None
        assert v.eval() == 6.0
        v.load(7.0)
    assert v.eval(session=sess) == 7.0
    v.assign(8.0).op.run(session=sess)
    assert (x + v).eval(feed_dict={x: 1.0}, session=sess) == 9.0


def test_without_a_session_eval_run_and_load_say_how_to_get_one():
    v = sf.Variable(1.0)
    with pytest.raises(
        ValueError, match=r"no session to eval in.*with sf\.Session\(\)"
    ):
        (v + 1.0).eval()
    with pytest.raises(ValueError, match="no session to eval in"):
        v.eval()
    with pytest.raises(ValueError, match="no session to run in"):
        v.initializer.run()
    with pytest.raises(ValueError, match="no session to load in"):
        v.load(1.0)


def test_a_closed_session_still_runs():
    v = sf.Variable(1.0)
    with sf.Session() as sess:
        sess.run(v.assign(2.0))
    assert sess.closed
    sess.close()
    assert sess.run(v) == 2.0


def test_an_interactive_session_is_the_default_until_it_is_closed():
    first = sf.InteractiveSession()
    second = sf.InteractiveSession()
    assert sf.get_default_session() is second
    first.close()
    assert sf.get_default_session() is second
    assert sf.constant(2.0).eval() == 2.0
    second.close()
    second.close()
    assert second.closed
    assert sf.get_default_session() is None


def test_an_interactive_session_can_stand_in_a_with():
    with sf.InteractiveSession() as sess:
        assert sf.get_default_session() is sess
    assert sessions.items == []


def test_an_interactive_session_of_a_graph_makes_it_the_default_one():
    graph = sf.Graph()
    sess = sf.InteractiveSession(graph=graph)
    inside = sf.get_default_graph()
    sess.close()
    assert inside is sess.graph is graph
    assert sf.get_default_graph() is not graph


# Making and calling


def test_tensorflow_s_arguments_are_accepted():
    config = sf.ConfigProto(allow_soft_placement=True)
    sess = sf.Session("", sf.Graph(), config)
    assert sess.config is config
    with sess.graph.as_default():
        x = sf.constant(1.0)
    assert sess.run(x, None, sf.RunOptions(trace_level=3), sf.RunMetadata()) == 1.0
    assert sf.InteractiveSession(config=config).close() is None


def test_an_engine_that_is_unknown_is_named():
    assert sf.Session(engine="simple").run(sf.constant(1.0)) == 1.0
    with pytest.raises(ValueError, match="'fast' is unknown; there are 'compiled', 's"):
        sf.Session(engine="fast")


def test_a_callable_takes_the_values_of_its_feed_list(sess):
    x, y = sf.placeholder(sf.float32, name="x"), sf.placeholder(sf.float32)
    f = sess.make_callable({"sum": x + y}, ["x:0", y], accept_options=True)
    assert f(1.0, 2.0) == {"sum": 3.0}
    assert f(3.0, 4.0, options=sf.RunOptions(), run_metadata=None) == {"sum": 7.0}
    assert sess.make_callable(sf.constant(5.0))() == 5.0
    with pytest.raises(ValueError, match="2 values are needed, 1 were given"):
        f(1.0)


def test_a_callable_may_change_variables(sess):
    v = sf.Variable(1.0)
    f = sess.make_callable(v.assign_add(1.0))
    assert [f(), f()] == [2.0, 3.0]


def test_load_checks_shape_and_dtype_and_takes_a_copy(sess):
    v, n = sf.Variable([1.0, 2.0], name="v"), sf.Variable(1, name="n")
    with pytest.raises(sf.errors.InvalidArgumentError, match=r"'v' has shape \(2,\)"):
        v.load([1.0], sess)
    with pytest.raises(TypeError, match=r"for variable 'n', got 1\.5"):
        n.load(1.5, sess)
    assert sess.run([v, n])[1] == 1  # it still starts: nothing was loaded
    value = np.array([5.0, 6.0], np.float32)
    v.load(value, sess)
    value[:] = 0.0
    assert sess.run(v).tolist() == [5.0, 6.0]


def test_load_takes_any_shape_for_a_variable_that_may_have_any(sess):
    v = sf.Variable([1.0], validate_shape=False)
    v.load([[1.0, 2.0]], sess)
    assert sess.run(v).shape == (1, 2)


def test_load_refuses_a_variable_of_another_graph(sess):
    with sf.Graph().as_default():
        v = sf.Variable(1.0)
    with pytest.raises(ValueError, match="graph"):
        v.load(2.0, sess)


# What comes out is the caller's own


def apart(*arrays):
    pairs = [(a, b) for i, a in enumerate(arrays) for b in arrays[:i]]
    return not any(np.shares_memory(a, b) for a, b in pairs)


def test_a_result_never_aliases_a_variable(sess):
    v = sf.Variable([1.0, 2.0])
    new = v.assign_add([1.0, 1.0])
    for fetch in (v, v.value(), sf.identity(v), new, sf.reshape(v, [2, 1])):
        value = sess.run(fetch)
        before = sess.run(v).tolist()
        value[...] = 99.0
        assert sess.run(v).tolist() == before


def test_a_result_never_aliases_a_feed(sess):
    x = sf.placeholder(sf.float32, [2, 2])
    given = np.array([[1.0, 2.0], [3.0, 4.0]], np.float32)
    fetches = [x, x, sf.identity(x), sf.transpose(x), sf.reshape(x, [4]), x[0]]
    values = sess.run(fetches, {x: given})
    assert apart(given, *values)
    for value in values:
        value[...] = 0.0
    assert given.tolist() == [[1.0, 2.0], [3.0, 4.0]]


def test_a_result_never_aliases_a_constant(sess):
    c = sf.constant([1.0, 2.0])
    value = sess.run(c)
    value[:] = 9.0
    assert sess.run(c).tolist() == c.value.tolist() == [1.0, 2.0]


def test_results_of_one_run_are_apart(sess):
    x = sf.constant([1.0, 2.0]) * 2.0
    y = sf.broadcast_to(x, [3, 2])
    values = sess.run([x, x, {"again": x, "rows": y}])
    named = values.pop()
    assert apart(*values, named["again"], named["rows"])
    named["rows"][0, 0] = 7.0  # rows that were one in memory are not any more
    assert named["rows"][1, 0] == 2.0


def test_a_result_of_an_own_operation_is_not_what_it_keeps(sess):
    kept = np.array([1.0, 2.0])

    @sf.operation
    def same(x):
        return kept

    value = sess.run(same(1.0))
    value[:] = 0.0
    assert kept.tolist() == [1.0, 2.0]


def test_feeds_are_never_changed(sess):
    x, v = sf.placeholder(sf.float32, [2]), sf.Variable([1.0, 2.0])
    given = np.array([5.0, 6.0], np.float32)
    given.flags.writeable = False
    sess.run([v.assign(x), x * 2.0], {x: given})
    sess.run([v.assign_add(x), sf.scatter_add(v, [0, 1], x)], {x: given})
    assert given.tolist() == [5.0, 6.0]


def test_feeds_are_never_kept(sess):
    x, v = sf.placeholder(sf.float32, [3]), sf.Variable([1.0, 2.0, 3.0])
    given = np.ones(3, np.float32)
    gone = weakref.ref(given)
    result = sess.run([x, v.assign(x), x + v], {x: given})
    del given
    gc.collect()
    assert gone() is None
    assert result[0].tolist() == [1.0, 1.0, 1.0]


def test_what_has_no_dimensions_comes_out_as_a_numpy_scalar(sess):
    x, u = sf.placeholder(sf.float32, []), sf.Placeholder()
    fetches = [x, u, x * 2.0, u * 2, sf.Variable(1), sf.constant(True)]
    values = sess.run(fetches, {x: 1, u: np.array(2.0)})
    kinds = [np.float32, np.float64, np.float32, np.float64, np.int32, np.bool_]
    assert [type(value) for value in values] == kinds
    assert values == [1.0, 2.0, 2.0, 4.0, 1, True]


def test_strings_come_out_as_bytes(sess):
    x = sf.placeholder(sf.string)
    fetches = [x, sf.identity(x), sf.constant("é"), sf.Variable(["a", "b"])]
    one, same, accent, row = sess.run(fetches, {x: "ab"})
    assert one == same == b"ab"
    assert accent == "é".encode()
    assert row.dtype == object
    assert row.tolist() == [b"a", b"b"]


def test_the_simple_session_alone_has_one_engine():
    with pytest.raises(ValueError, match="'turbo' is unknown; there is 'simple'"):
        simple.Session(engine="turbo")
