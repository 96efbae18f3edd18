"""Conditions: values, gradients, state changes, messages. Numbers are TensorFlow's."""

import numpy as np
import pytest

import similarflow as sf
from similarflow.ops.case import case, switch_case
from similarflow.ops.cond import cond
from similarflow.testing import check_gradients


@pytest.fixture
def p():
    return sf.placeholder(sf.bool, [], name="p")


@pytest.fixture
def sess():
    return sf.Session()


def test_values_and_gradients_are_tensorflows(p, sess):
    x, w = sf.constant([0.5, -1.5]), sf.Variable(2.0)
    y = cond(
        p,
        lambda: sf.reduce_sum(w * x * sf.tanh(x)),
        lambda: sf.reduce_sum(sf.exp(x) * w * w),
    )
    table = [y, *sf.gradients(y, [x, w])]
    value, dx, dw = sess.run(table, {p: True})
    np.testing.assert_allclose(value, 3.1775622, rtol=1e-5)
    np.testing.assert_allclose(dx, [1.710682, -2.352416], rtol=1e-5)
    np.testing.assert_allclose(dw, 1.5887811, rtol=1e-5)
    value, dx, dw = sess.run(table, {p: False})
    np.testing.assert_allclose(value, 7.4874058, rtol=1e-5)
    np.testing.assert_allclose(dx, [6.5948849, 0.8925207], rtol=1e-5)
    np.testing.assert_allclose(dw, 7.4874058, rtol=1e-5)


@pytest.mark.parametrize("taken", [True, False])
def test_gradients_of_gradients(p, taken):
    x = sf.placeholder(sf.float64, [None])
    w = sf.Variable(1.5, dtype=sf.float64)
    y = cond(p, lambda: w * x * sf.exp(x), lambda: sf.tanh(x * w) * w)
    feeds = {x: [0.3, -0.7], p: taken}
    check_gradients(y, [x, w], feeds)
    check_gradients(sf.gradients(y, x)[0], [x, w], feeds)


@pytest.mark.parametrize("first", [0.4, -0.4])
@pytest.mark.parametrize("taken", [True, False])
def test_nested_conditions(p, taken, first):
    x = sf.placeholder(sf.float64, [None])
    w = sf.Variable(1.5, dtype=sf.float64)

    def inner():
        return cond(x[0] > 0.0, lambda: x * w, lambda: sf.exp(x) * w)

    y = cond(p, lambda: inner() * x, lambda: x)
    check_gradients(y, [x, w], {x: [first, 2.0], p: taken})


def test_a_tensor_that_one_branch_ignores_has_gradient_zero(p, sess):
    x, z = sf.constant([1.0, 2.0]), sf.constant(3.0)
    y = cond(p, lambda: x * z, lambda: x)
    gx, gz = sf.gradients(y, [x, z])
    assert sess.run([gx, gz], {p: False})[1] == 0.0
    assert sess.run(gz, {p: True}) == 3.0
    unused = sf.constant(1.0)
    assert sf.gradients(y, unused) == [None]


def test_gradients_to_integers_and_conditions_are_none(p):
    x = sf.constant(2.0)
    y = cond(x > 1.0, lambda: sf.constant(1.0), lambda: sf.constant(2.0))
    assert sf.gradients(y, x) == [None]


def test_only_the_branch_that_is_taken_runs(p, sess):
    calls = []

    @sf.operation
    def noted(value):
        calls.append(float(value))
        return value

    y = cond(p, lambda: noted(sf.constant(1.0)), lambda: noted(sf.constant(2.0)) * 3.0)
    assert sess.run(y, {p: True}) == 1.0
    assert sess.run(y, {p: False}) == 6.0
    assert calls == [1.0, 2.0]


def test_what_is_built_outside_always_runs(p):
    a, b = sf.Variable(0.0), sf.Variable(0.0)
    out_a, out_b = sf.assign_add(a, 1.0), sf.assign_add(b, 1.0)
    outside = cond(p, lambda: sf.identity(out_a), lambda: sf.identity(out_b))
    inside = cond(p, lambda: sf.assign_add(a, 10.0), lambda: sf.assign_add(b, 10.0))
    with sf.Session() as s:
        s.run(sf.global_variables_initializer())
        s.run(outside, {p: True})
        assert s.run([a, b]) == [1.0, 1.0]
        assert s.run(inside, {p: True}) == 11.0
        assert s.run([a, b]) == [11.0, 1.0]
        assert s.run([inside, a, b], {p: False}) == [11.0, 11.0, 11.0]


def test_writes_in_branches_are_ordered_with_others(p, sess):
    v = sf.Variable(1.0)
    double = cond(p, lambda: sf.assign(v, v * 2.0), lambda: sf.identity(v))
    with sf.control_dependencies([double]):
        more = sf.assign_add(v, 1.0)
    with sf.control_dependencies([more]):
        read = cond(p, lambda: v * 1.0, lambda: v * 0.0)
    assert sess.run([read, v], {p: True}) == [3.0, 3.0]
    assert sess.run([read, v], {p: False}) == [0.0, 4.0]


def test_reads_in_a_branch_come_after_writes_they_wait_for(p, sess):
    v = sf.Variable(1.0)

    def branch():
        before = v * 1.0
        with sf.control_dependencies([sf.assign_add(v, 5.0)]):
            return before, v.read_value()

    y = cond(p, branch, lambda: (v + 0.0, v + 0.0))
    assert sess.run(y, {p: True}) == (1.0, 6.0)
    assert sess.run(y, {p: False}) == (6.0, 6.0)


def test_waiting_for_something_outside_in_a_branch(p, sess):
    v = sf.Variable(0.0)
    add = sf.assign_add(v, 1.0)

    def branch():
        with sf.control_dependencies([add]):
            return v.read_value() * 10.0

    y = cond(p, branch, lambda: sf.constant(-1.0))
    assert sess.run(y, {p: True}) == 10.0
    assert sess.run(y, {p: False}) == -1.0
    assert sess.run(v) == 2.0  # it is outside, so it runs in any case


def test_a_failing_branch_changes_nothing(p, sess):
    v, i = sf.Variable(0.0), sf.placeholder(sf.int32, [])

    def branch():
        with sf.control_dependencies([sf.assign_add(v, 1.0)]):
            return sf.gather([1.0, 2.0], i)

    y = cond(p, branch, lambda: sf.constant(0.0))
    with pytest.raises(sf.errors.InvalidArgumentError) as raised:
        sess.run(y, {p: True, i: 5})
    text = str(raised.value)
    assert "indices = 5 is not in [0, 2)" in text
    assert "sf.gather([1.0, 2.0], i)" in text  # the user's own line
    assert "inside If 'cond'" in text
    assert raised.value.op.type == "GatherV2"
    assert sess.run(v) == 0.0
    sess.run(y, {p: True, i: 1})
    assert sess.run(v) == 1.0


def test_errors_of_own_operations_come_through(p, sess):
    @sf.operation
    def broken(value):
        raise KeyError("mine")

    y = cond(p, lambda: broken(sf.constant(1.0)), lambda: sf.constant(1.0))
    with pytest.raises(KeyError, match="mine") as raised:
        sess.run(y, {p: True})
    notes = raised.value.__notes__
    assert "in broken 'cond/broken'" in notes[0]
    assert "inside If 'cond'" in notes[1]


def test_structures_of_results(p, sess):
    x = sf.constant([1.0, 2.0])
    y = cond(
        p,
        lambda: {"a": x, "b": (1, [x[0]])},
        lambda: {"b": (2, [x[1]]), "a": x * 2.0},
    )
    found = sess.run(y, {p: False})
    np.testing.assert_array_equal(found["a"], [2.0, 4.0])
    assert found["b"] == (2, [2.0])


def test_a_list_of_one_is_unpacked_unless_strict(p):
    assert isinstance(cond(p, lambda: [1.0], lambda: [2.0]), sf.Tensor)
    kept = cond(p, lambda: [1.0], lambda: [2.0], strict=True)
    assert isinstance(kept, list)
    assert len(kept) == 1


def test_operations_as_results(p, sess):
    v = sf.Variable(0.0)
    y = cond(p, lambda: sf.group(sf.assign(v, 3.0)), sf.no_op)
    assert y.static_dtype == np.dtype(bool)
    assert not sess.run(y, {p: False})
    assert sess.run(v) == 0.0
    assert sess.run(y, {p: True})
    assert sess.run(v) == 3.0


def test_outer_tensors_and_variables_as_results(p, sess):
    x, v = sf.constant(1.0), sf.Variable(2.0)
    y = cond(p, lambda: x, lambda: v)
    assert sess.run([y, *sf.gradients(y, [x, v])], {p: True}) == [1.0, 1.0, 0.0]
    assert sess.run([y, *sf.gradients(y, [x, v])], {p: False}) == [2.0, 0.0, 1.0]


def test_static_shapes_are_merged(p):
    x = sf.placeholder(sf.float32, [None, 3])
    assert cond(p, lambda: x, lambda: x[:2]).static_shape == (None, 3)
    assert cond(p, lambda: x, lambda: sf.zeros([4])).static_shape is None
    assert cond(p, lambda: x[0], lambda: sf.zeros([3])).static_shape == (3,)


@pytest.mark.parametrize(
    ("error", "text", "build"),
    [
        (TypeError, "true_fn must be callable", lambda p: cond(p, 1.0, lambda: 2.0)),
        (TypeError, "false_fn must be callable", lambda p: cond(p, lambda: 2.0, 1.0)),
        (TypeError, "needs the argument 'true_fn'", lambda p: cond(p)),
        (TypeError, "Python bool", lambda p: cond(True, lambda: 1.0, lambda: 2.0)),
        (TypeError, "pred is int32", lambda p: cond(1, lambda: 1.0, lambda: 2.0)),
        (ValueError, "a scalar", lambda p: cond([True], lambda: 1.0, lambda: 2.0)),
        (TypeError, "float32, and.*int32", lambda p: cond(p, lambda: 1.0, lambda: 1)),
        (ValueError, "returned None", lambda p: cond(p, lambda: None, lambda: None)),
        (TypeError, "structure", lambda p: cond(p, lambda: (1, 2), lambda: [1, 2])),
        (ValueError, "structure", lambda p: cond(p, lambda: [1, 2], lambda: 2)),
        (
            ValueError,
            "structure",
            lambda p: cond(p, lambda: {"a": 1}, lambda: {"b": 1}),
        ),
    ],
)
def test_messages(p, error, text, build):
    with pytest.raises(error, match=text):
        build(p)


def test_older_names_of_the_functions(p, sess):
    y = cond(p, fn1=lambda: 1.0, fn2=lambda: 2.0)
    assert sess.run(y, {p: False}) == 2.0


def test_inner_tensors_stay_inside(p, sess):
    kept = []

    def branch():
        kept.append(sf.constant(2.0) * sf.constant(3.0))
        return kept[0]

    cond(p, branch, lambda: sf.constant(1.0))
    with pytest.raises(ValueError, match="return it from the function"):
        kept[0] + 1.0
    with pytest.raises(ValueError, match="Return it from the function"):
        kept[0] * sf.placeholder(sf.float32)
    with pytest.raises(ValueError, match=r"inside a branch .*\n.*\nReturn it"):
        sess.run(kept[0])


def test_variables_inside_belong_to_the_outer_graph(p):
    x = sf.placeholder(sf.float32, [None, 3])

    def layer():
        with sf.variable_scope("layer"):
            w = sf.get_variable("w", [3, 2], initializer=sf.zeros_initializer())
            b = sf.Variable([1.0, 2.0], name="b")
            return sf.reduce_sum(sf.matmul(x, w) + b)

    with sf.variable_scope("model"):
        y = cond(p, layer, lambda: sf.reduce_sum(x))
    graph = sf.get_default_graph()
    names = [v.name for v in sf.trainable_variables()]
    assert names == ["model/layer/w:0", "model/cond/layer/b:0"]
    assert all(v.graph is graph for v in sf.global_variables())
    train = sf.train.GradientDescentOptimizer(0.1).minimize(y)
    with sf.Session() as s:
        s.run(sf.global_variables_initializer())
        s.run(train, {p: True, x: np.ones((2, 3))})
        w, b = s.run(sf.trainable_variables())
    np.testing.assert_allclose(w, np.full((3, 2), -0.2), rtol=1e-6)
    np.testing.assert_allclose(b, [0.8, 1.8], rtol=1e-6)


def test_initializers_asked_for_inside_are_outside(p, sess):
    v = sf.Variable(2.0)
    cond(p, lambda: (v.initializer, v * 1.0)[1], lambda: v * 2.0)
    sess.run(v.initializer)
    assert v.initializer.graph is sf.get_default_graph()


def test_an_initial_value_from_inside_is_refused(p):
    x = sf.constant([1.0])
    with pytest.raises(ValueError, match="Give a function"):
        cond(p, lambda: sf.Variable(x * 2.0) * 1.0, lambda: x)
    y = cond(p, lambda: sf.Variable(lambda: x * 2.0) * 1.0, lambda: x)
    assert sf.Session().run(y, {p: True}) == [2.0]


def test_a_tensor_of_an_unrelated_graph_is_refused(p):
    with sf.Graph().as_default():
        x = sf.constant([1.0])
    with pytest.raises(ValueError, match="are of two graphs"):
        cond(p, lambda: x, lambda: x)


def test_training_in_a_branch(p, sess):
    w = sf.Variable([1.0, 2.0])
    loss = sf.reduce_sum(w * w)
    optimizer = sf.train.GradientDescentOptimizer(0.1)
    step = cond(p, lambda: optimizer.minimize(loss), sf.no_op)
    sess.run(step, {p: False})
    np.testing.assert_array_equal(sess.run(w), [1.0, 2.0])
    sess.run(step, {p: True})
    np.testing.assert_allclose(sess.run(w), [0.8, 1.6], rtol=1e-6)


def test_random_numbers_in_a_branch(p):
    sf.set_random_seed(7)
    y = cond(p, lambda: sf.random_normal([3]), lambda: sf.zeros([3]))
    first, second = sf.Session(), sf.Session()
    a, b = first.run(y, {p: True}), first.run(y, {p: True})
    assert not np.array_equal(a, b)
    np.testing.assert_array_equal(second.run(y, {p: True}), a)
    second.run(y, {p: False})  # draws nothing
    np.testing.assert_array_equal(second.run(y, {p: True}), b)


def test_a_random_branch_and_its_gradient_agree(p, sess):
    x = sf.constant([1.0, 2.0, 3.0])
    y = cond(p, lambda: x * sf.random_normal([3]), lambda: x)
    value, grad = sess.run([y, sf.gradients(y, x)[0]], {p: True})
    np.testing.assert_allclose(value, grad * [1.0, 2.0, 3.0], rtol=1e-6)


def test_slices_become_dense(p, sess):
    table = sf.Variable([[1.0, 2.0], [3.0, 4.0]])
    y = cond(p, lambda: sf.gather(table, [1, 1]), lambda: sf.gather(table, [0, 1]))
    (grad,) = sf.gradients(y, table)
    np.testing.assert_array_equal(sess.run(grad, {p: True}), [[0, 0], [2, 2]])
    np.testing.assert_array_equal(sess.run(grad, {p: False}), [[1, 1], [1, 1]])


def test_a_plan_from_before_the_gradient_still_runs(p, sess):
    x = sf.constant(2.0)
    y = cond(p, lambda: sf.exp(x) * x, lambda: x)
    before = sess.run(y, {p: True})
    (grad,) = sf.gradients(y, x)
    assert sess.run(y, {p: True}) == before
    np.testing.assert_allclose(sess.run(grad, {p: True}), 3 * np.exp(2.0), rtol=1e-6)


def test_untyped_placeholders(p, sess):
    x = sf.Placeholder()
    y = cond(p, lambda: x * 2.0, lambda: x)
    assert y.static_dtype is None
    assert sess.run([y, *sf.gradients(y, x)], {p: True, x: np.float64(3.0)}) == [6, 2]


def test_the_result_and_what_is_captured_can_be_fed(p, sess):
    x = sf.constant(1.0)
    y = cond(p, lambda: x * 2.0, lambda: x * 3.0)
    assert sess.run(y + 1.0, {p: True, x: 10.0}) == 21.0
    assert sess.run(y + 1.0, {p: True, y: 5.0}) == 6.0


# case and switch_case


def test_case_takes_the_first_true_condition(sess):
    x = sf.placeholder(sf.float32, [])
    y = case([(x < 0.0, lambda: -x), (x < 5.0, lambda: x * 2.0)], default=lambda: x)
    assert [sess.run(y, {x: v}) for v in (-3.0, 2.0, 7.0)] == [3.0, 4.0, 7.0]
    assert [sess.run(sf.gradients(y, x)[0], {x: v}) for v in (-3.0, 2.0, 7.0)] == [
        -1.0, 2.0, 1.0,
    ]  # fmt: skip


def test_case_without_a_true_condition(sess):
    x = sf.placeholder(sf.float32, [])
    y = case({x < 0.0: lambda: -x, x > 5.0: lambda: x}, exclusive=True)
    assert sess.run(y, {x: 6.0}) == 6.0
    with pytest.raises(sf.errors.InvalidArgumentError, match="no condition is true"):
        sess.run(y, {x: 2.0})


def test_exclusive_cases(sess):
    x = sf.placeholder(sf.float32, [])
    pairs = [(x > 0.0, lambda: 1.0), (x > 5.0, lambda: 2.0)]
    y = case(pairs, default=lambda: 3.0, exclusive=True)
    assert sess.run(y, {x: 1.0}) == 1.0
    with pytest.raises(sf.errors.InvalidArgumentError, match="exclusive=True"):
        sess.run(y, {x: 6.0})


@pytest.mark.parametrize(
    ("pairs", "default", "text"),
    [
        (3, None, "a list or a dict"),
        ([3], None, "a pair"),
        ([(True, 1.0)], None, "must be callable"),
        ([(True, lambda: 1.0)], 2.0, "default must be callable"),
    ],
)
def test_messages_of_case(pairs, default, text):
    with pytest.raises(TypeError, match=text):
        case(pairs, default)


def test_switch_case(sess):
    i = sf.placeholder(sf.int32, [])
    x = sf.constant(3.0)
    y = switch_case(i, [lambda: x, lambda: x * x], default=lambda: -x)
    assert [sess.run(y, {i: k}) for k in (0, 1, 2, -5)] == [3.0, 9.0, -3.0, -3.0]
    assert [sess.run(sf.gradients(y, x)[0], {i: k}) for k in (0, 1, 2)] == [1, 6, -1]
    with pytest.raises(ValueError, match="numbers 0, 1, 2"):
        switch_case(i, {0: lambda: x, 3: lambda: x})


def test_names_of_the_graph_around_are_known_inside() -> None:
    sf.constant(3.0, name="outer")

    def branch():
        graph = sf.get_default_graph()
        with graph.control_dependencies(["outer"]):
            return graph.get_tensor_by_name("outer:0") * 2.0

    y = cond(sf.constant(True), branch, lambda: sf.constant(2.0))
    assert sf.Session().run(y) == 6.0


def test_without_conditions_the_default_is_taken(sess):
    assert sess.run(case([], default=lambda: sf.constant(3))) == 3
    assert sess.run(case({}, default=lambda: sf.constant(3))) == 3
    with pytest.raises(ValueError, match=r"needs a pair \(condition, function\)"):
        case([])


def test_branches_of_a_switch_are_functions():
    with pytest.raises(TypeError, match="function 1 must be callable, and 3 is not"):
        switch_case(0, [lambda: sf.constant(1), 3])
    with pytest.raises(TypeError, match="default must be callable"):
        switch_case(0, [lambda: sf.constant(1)], default=5)


def test_no_part_of_a_result_is_none(p):
    def branch():
        return [sf.constant(1), None]

    with pytest.raises(ValueError, match="None among its results"):
        cond(p, branch, branch)


def test_assignments_one_after_the_other_are_those_of_the_variable(p, sess):
    v = sf.Variable(5)
    y = cond(p, lambda: sf.assign_add(sf.assign(v, 1), 10), lambda: sf.constant(0))
    assert sess.run(y, {p: False}) == 0
    assert sess.run(v) == 5
    assert sess.run(y, {p: True}) == 11
    assert sess.run(v) == 11


def test_what_stands_for_a_tensor_in_a_branch_is_that_tensor(p, sess):
    x, q = sf.placeholder(sf.float32, []), sf.placeholder(sf.bool, [])

    def outer():
        y = x * 2.0
        return cond(q, lambda: y.op.inputs[0] * x, lambda: y)

    z = cond(p, outer, lambda: x)
    feed = {p: True, q: True, x: 3.0}
    assert sess.run([z, *sf.gradients(z, x)], feed) == [9.0, 6.0]
