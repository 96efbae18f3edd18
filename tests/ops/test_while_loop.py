"""Loops: values, gradients, state changes, messages. Numbers are TensorFlow's."""

import threading
from collections import namedtuple
from types import MappingProxyType

import numpy as np
import pytest

import similarflow as sf
from similarflow.ops.cond import cond
from similarflow.ops.while_loop import while_loop
from similarflow.testing import check_gradients


@pytest.fixture
def sess():
    return sf.Session()


def test_values_and_gradients_are_tensorflows(sess):
    x, n = sf.placeholder(sf.float32, []), sf.placeholder(sf.int32, [])
    w = sf.Variable(0.8)
    _, y = while_loop(
        lambda i, a: i < n, lambda i, a: (i + 1, sf.tanh(a * w + x)), [0, x]
    )
    table = [y, *sf.gradients(y, [x, w])]
    expected = {
        0: [0.3, 1.0, 0.0],
        1: [0.49298799, 1.3625331, 0.22708885],
        5: [0.68640405, 0.97617066, 0.60718513],
    }
    for count, numbers in expected.items():
        found = sess.run(table, {x: 0.3, n: count})
        np.testing.assert_allclose(found, numbers, rtol=1e-6)


@pytest.mark.parametrize("count", [0, 1, 3])
def test_gradients_of_gradients(count):
    x, n = sf.placeholder(sf.float64, []), sf.placeholder(sf.int32, [])
    w = sf.Variable(2.0, dtype=sf.float64)
    _, y = while_loop(
        lambda i, a: i < n, lambda i, a: (i + 1, a * sf.tanh(x * w) + w), [0, x]
    )
    feeds = {x: 1.3, n: count}
    check_gradients(y, [x, w], feeds)
    check_gradients(sf.gradients(y, w)[0], [x, w], feeds)


def test_a_power_by_hand(sess):
    x, n = sf.placeholder(sf.float64, []), sf.placeholder(sf.int32, [])
    w = sf.Variable(2.0, dtype=sf.float64)
    _, y = while_loop(
        lambda i, a: i < n, lambda i, a: (i + 1, a * x * w), [sf.constant(0), x]
    )
    table = [y, *sf.gradients(y, [x, w])]
    assert sess.run(table, {x: 3.0, n: 3}) == [648, 864, 972]  # x^4 w^3
    assert sess.run(table, {x: 3.0, n: 0}) == [3, 1, 0]


def test_nested_loops_and_conditions():
    v = sf.placeholder(sf.float64, [None])
    w = sf.Variable(1.1, dtype=sf.float64)

    def body(i, a):
        _, b = while_loop(
            lambda j, b: j < i + 1,
            lambda j, b: (j + 1, b * w * sf.tanh(a) + v),
            [0, a],
        )
        return i + 1, cond(sf.equal(i % 2, 0), lambda: b, lambda: b * a)

    _, y = while_loop(lambda i, a: i < 3, body, [0, v])
    assert y.static_shape == (None,)
    check_gradients(y, [v, w], {v: [0.5, -0.3]})


def test_a_nested_loop_as_tensorflow(sess):
    x = sf.constant(1.5)

    def body(i, a):
        _, b = while_loop(lambda j, b: j < i, lambda j, b: (j + 1, b * a), [0, x])
        return i + 1, cond(b > 3.0, lambda: b / 2.0, lambda: a + b)

    _, y = while_loop(lambda i, a: i < 4, body, [0, x])
    np.testing.assert_allclose(
        sess.run([y, *sf.gradients(y, x)]), [41.052551, 437.89389], rtol=1e-5
    )


def test_values_that_change_places(sess):
    x = sf.constant(2.0)
    _, a, b = while_loop(
        lambda i, a, b: i < 3, lambda i, a, b: (i + 1, b, a * x), [0, x, 3.0]
    )
    assert sess.run([a, b, *sf.gradients(a, x)]) == [6.0, 8.0, 3.0]


def test_one_tensor_as_two_results():
    x = sf.constant([0.3, -0.2], sf.float64)

    def body(i, a, b):
        both = sf.tanh(a * b + x)
        return i + 1, both, both

    _, a, b = while_loop(lambda i, a, b: i < 3, body, [0, x, x])
    check_gradients(a * 2.0 + b * b, x)


def test_a_variable_that_passes_unchanged():
    x = sf.constant([0.3, -0.2], sf.float64)
    _, a, b = while_loop(
        lambda i, a, b: i < 3, lambda i, a, b: (i + 1, a, a * b), [0, x, x]
    )
    check_gradients(a + b, x)


def test_shapes_that_grow(sess):
    v = sf.placeholder(sf.float64, [None])
    _, y = while_loop(
        lambda i, a: i < 3,
        lambda i, a: (i + 1, sf.concat([a, a * a], 0)),
        [0, v],
        shape_invariants=[sf.TensorShape([]), sf.TensorShape([None])],
    )
    assert y.static_shape == (None,)
    assert sess.run(y, {v: [2.0]}).tolist() == [2, 4, 4, 16, 4, 16, 16, 256]
    check_gradients(y, v, {v: [0.5, -1.1]})


def test_ranks_that_are_not_known():
    v = sf.placeholder(sf.float64)
    _, y = while_loop(
        lambda i, a: i < 2, lambda i, a: (i + 1, sf.expand_dims(a * a, 0)), [0, v],
        shape_invariants=[None, None],
    )  # fmt: skip
    assert y.static_shape is None
    check_gradients(y, v, {v: [0.5, -1.1]})


@pytest.mark.parametrize("most", [7, np.int64(7)])
def test_most_iterations(sess, most):
    i = while_loop(lambda i: True, lambda i: i + 1, [0], maximum_iterations=most)
    assert sess.run(i) == 7
    i = while_loop(lambda i: i < 3, lambda i: i + 1, [0], maximum_iterations=most)
    assert sess.run(i) == 3


def test_most_iterations_as_a_tensor(sess):
    most, x = sf.placeholder(sf.int32, []), sf.constant(2.0)
    y = while_loop(lambda a: True, lambda a: a * x, [x], maximum_iterations=most)
    assert sess.run([y, *sf.gradients(y, x)], {most: 3}) == [16.0, 32.0]


def test_structures(sess):
    Pair = namedtuple("Pair", "left right")
    start = [0, {"b": Pair(1.0, [2.0]), "a": (3.0,)}]

    def body(i, d):
        left, right = d["b"]
        assert isinstance(d["b"], Pair)
        return [i + 1, {"a": (d["a"][0] * 2.0,), "b": Pair(left + 1.0, [right[0]])}]

    i, d = while_loop(lambda i, d: i < 3, body, start)
    assert isinstance(d["b"], Pair)
    assert sess.run([i, d]) == [3, {"b": Pair(4.0, [2.0]), "a": (24.0,)}]


def test_forms_of_the_result():
    args = (lambda i: i < 3, lambda i: i + 1, [0])
    assert isinstance(while_loop(*args), sf.Tensor)
    kept = while_loop(*args, return_same_structure=True)
    assert isinstance(kept, list)
    pair = while_loop(lambda i, j: i < 3, lambda i, j: (i + 1, j), [0, 1])
    assert isinstance(pair, tuple)


def test_integers_have_no_gradient():
    n, w = sf.constant(3), sf.constant(2.0)
    i, y = while_loop(lambda i, a: i < n, lambda i, a: (i + 1, a * w), [0, w])
    assert sf.gradients(y, n) == [None]
    assert sf.gradients(i, w) == [None]
    assert sf.gradients(y, w)[0] is not None


def test_back_prop_off():
    w = sf.constant(2.0)
    y = while_loop(lambda a: a < 9.0, lambda a: a * w, [w], back_prop=False)
    assert sf.gradients(y, w) == [None]


def test_slices_become_dense(sess):
    table = sf.Variable([[1.0, 2.0], [3.0, 4.0]])

    def body(i, s):
        return i + 1, s + sf.gather(table, i % 2) * sf.cast(i, sf.float32)

    _, s = while_loop(lambda i, s: i < 4, body, [0, sf.zeros([2])])
    (grad,) = sf.gradients(s, table)
    np.testing.assert_array_equal(sess.run(s), [14.0, 20.0])
    np.testing.assert_array_equal(sess.run(grad), [[2.0, 2.0], [4.0, 4.0]])


def test_gradients_in_the_body(sess):
    w = sf.Variable(3.0)

    def body(i, a):
        (grad,) = sf.gradients(a * w * w, w)
        return i + 1, a + grad

    _, y = while_loop(lambda i, a: i < 2, body, [0, 1.0])
    assert sess.run(y) == 49.0  # a * (1 + 2 w), twice
    assert sess.run(sf.gradients(y, w)[0]) == 28.0  # 2 (1 + 2 w) 2


def test_training_in_a_loop(sess):
    w = sf.Variable([1.0, 2.0])
    optimizer = sf.train.GradientDescentOptimizer(0.1)

    def body(i):
        with sf.control_dependencies([optimizer.minimize(sf.reduce_sum(w * w))]):
            return i + 1

    steps = while_loop(lambda i: i < 5, body, [0])
    assert sess.run(steps) == 5
    np.testing.assert_allclose(sess.run(w), np.array([1.0, 2.0]) * 0.8**5, rtol=1e-5)


def test_writes_are_seen_in_the_next_iteration_and_the_test(sess):
    v = sf.Variable(1.0)

    def body(i):
        with sf.control_dependencies([sf.assign(v, v * 2.0)]):
            return i + 1

    i = while_loop(lambda i: v < 10.0, body, [0])
    assert sess.run([i, v]) == [4, 16.0]
    assert sess.run([i, v]) == [0, 16.0]


def test_a_gradient_through_a_variable_that_the_loop_writes(sess):
    v, x = sf.Variable(1.0), sf.constant(2.0)

    def body(i, a):
        product = a * v
        with sf.control_dependencies([product, sf.assign_add(v, 1.0)]):
            return i + 1, sf.identity(product)

    _, y = while_loop(lambda i, a: i < 3, body, [0, x])
    assert sess.run([y, *sf.gradients(y, x)]) == [12.0, 6.0]  # 1 * 2 * 3


def test_a_failing_loop_changes_nothing(sess):
    v, n = sf.Variable(0.0), sf.placeholder(sf.int32, [])

    def body(i, a):
        with sf.control_dependencies([sf.assign_add(v, 1.0)]):
            return i + 1, sf.gather([1.0, 2.0], i)

    _, y = while_loop(lambda i, a: i < n, body, [0, 0.0])
    with pytest.raises(sf.errors.InvalidArgumentError) as raised:
        sess.run(y, {n: 3})
    text = str(raised.value)
    assert "indices = 2 is not in [0, 2)" in text
    assert "sf.gather([1.0, 2.0], i)" in text
    assert "inside While 'while'" in text
    assert sess.run(v) == 0.0
    assert sess.run(y, {n: 2}) == 2.0
    assert sess.run(v) == 2.0


def test_random_numbers_differ_between_iterations():
    sf.set_random_seed(1)

    def body(i, a):
        return i + 1, sf.concat([a, sf.random_uniform([1])], 0)

    _, y = while_loop(
        lambda i, a: i < 4, body, [0, sf.zeros([0])], shape_invariants=[[], [None]]
    )
    first = sf.Session()
    a, b = first.run(y), first.run(y)
    assert len({*a, *b}) == 8
    np.testing.assert_array_equal(sf.Session().run(y), a)


def test_strings(sess):
    _, s = while_loop(
        lambda i, s: i < 3,
        lambda i, s: (i + 1, sf.add(s, "b")),
        [0, sf.constant("a")],
    )
    assert sess.run(s) == b"abbb"


def test_own_operations_in_the_body(sess):
    @sf.operation
    def twice(x):
        return x * 2

    @sf.RegisterGradient("twice")
    def _twice_grad(op, grad):
        return grad * 2.0

    x = sf.constant(1.0)
    y = while_loop(lambda a: a < 10.0, lambda a: twice(a), [x], shape_invariants=[None])
    assert sess.run([y, *sf.gradients(y, x)]) == [16.0, 16.0]


def test_ten_thousand_iterations(sess):
    x, w = sf.constant(1.0, sf.float64), sf.Variable(1.0, dtype=sf.float64)
    _, y = while_loop(lambda i, a: i < 10_000, lambda i, a: (i + 1, a * w + x), [0, x])
    assert sess.run([y, *sf.gradients(y, [x, w])]) == [10_001.0, 10_001.0, 50_005_000.0]


def test_threads_share_a_loop(sess):
    x, n = sf.placeholder(sf.float64, []), sf.placeholder(sf.int32, [])
    _, y = while_loop(lambda i, a: i < n, lambda i, a: (i + 1, a * x), [0, x])
    table = [y, *sf.gradients(y, x)]
    results = {}

    def work(k):
        results[k] = [sess.run(table, {x: 2.0, n: k}) for _ in range(5)]

    threads = [threading.Thread(target=work, args=(k,)) for k in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert {k: r[-1] for k, r in results.items()} == {
        k: [2.0 ** (k + 1), (k + 1) * 2.0**k] for k in range(6)
    }


def test_no_recursion_over_the_body(sess):
    def body(i, a):
        for _ in range(3000):
            a = a + 1.0
        return i + 1, a

    x = sf.constant(0.0)
    _, y = while_loop(lambda i, a: i < 2, body, [0, x])
    assert sess.run([y, *sf.gradients(y, x)]) == [6000.0, 1.0]


def test_a_variable_made_inside(sess):
    def body(i, a):
        w = sf.get_variable("w", [], initializer=sf.constant_initializer(2.0))
        return i + 1, a * w

    x = sf.constant(1.0)
    _, y = while_loop(lambda i, a: i < 3, body, [0, x])
    (w,) = sf.trainable_variables()
    assert w.name == "w:0"
    assert sess.run([y, *sf.gradients(y, w)]) == [8.0, 12.0]


def test_a_finalized_graph(sess):
    sf.get_default_graph().finalize()
    with pytest.raises(RuntimeError, match="finalized"):
        while_loop(lambda i: i < 3, lambda i: i + 1, [0])


ONE = np.ones([1, 2], np.float32)


@pytest.mark.parametrize(
    ("error", "text", "cond_", "body", "start"),
    [
        (TypeError, "cond must be callable", 3, lambda i: i, [0]),
        (TypeError, "body must be callable", lambda i: True, 3, [0]),
        (ValueError, "needs loop_vars", lambda: True, lambda: 1, []),
        (ValueError, "loop_vars is a list", lambda i: True, lambda i: i, 0),
        (TypeError, "cond must return a bool", lambda i: i, lambda i: i, [0]),
        (ValueError, "must return a scalar", lambda i: i < [1], lambda i: i, [0]),
        (ValueError, "as many values", lambda i, j: True, lambda i, j: i, [0, 1]),
        (ValueError, "returned None", lambda i: True, lambda i: None, [0]),
        (TypeError, "dtype must not", lambda i: True, lambda i: i * 0.5, [ONE > 0]),
        (ValueError, "shape_invariants", lambda i: True, lambda i: sf.tile2(i), [ONE]),
    ],
)
def test_messages(monkeypatch, error, text, cond_, body, start):
    monkeypatch.setattr(sf, "tile2", lambda x: sf.concat([x, x], 0), raising=False)
    if text == "dtype must not":
        body = lambda i: sf.cast(i, sf.float32)  # noqa: E731
    with pytest.raises(error, match=text):
        while_loop(cond_, body, start)


def test_invariants_must_hold_from_the_start():
    with pytest.raises(ValueError, match="does not hold for the start"):
        while_loop(lambda i: True, lambda i: i, [ONE], shape_invariants=[[2, None]])
    with pytest.raises(ValueError, match="has 2 parts, and loop_vars 1"):
        while_loop(lambda i: True, lambda i: i, [ONE], shape_invariants=[[], []])


def test_numbers_take_the_dtype_of_the_variable(sess):
    y = while_loop(lambda a: a < 1.0, lambda a: 2, [sf.constant(0.0)])
    assert sess.run(y) == 2.0
    with pytest.raises(TypeError, match=r"1\.5"):
        while_loop(lambda i: i < 1, lambda i: 1.5, [0])


@pytest.mark.parametrize("make", [dict, MappingProxyType])
def test_a_dict_alone_is_carried_as_it_is(sess, make):
    start = make({"i": 0, "x": sf.ones([1])})
    shapes = make({"i": sf.TensorShape([]), "x": sf.TensorShape([None])})

    def body(d):
        return make({"i": d["i"] + 1, "x": sf.concat([d["x"], d["x"] * 2.0], 0)})

    found = while_loop(lambda d: d["i"] < 2, body, start, shape_invariants=shapes)
    assert sess.run(found["x"]).tolist() == [1.0, 2.0, 2.0, 4.0]
    assert found["x"].static_shape == (None,)


@pytest.mark.parametrize("shapes", [{"j": []}, {}, {"i": [], "j": []}, [[]]])
def test_a_dict_needs_a_shape_for_each_key(shapes):
    said = r"shape_invariants has .* where loop_vars has a dict with the keys \['i'\]"
    with pytest.raises(ValueError, match=said):
        while_loop(
            lambda d: d["i"] < 2, lambda d: {"i": d["i"] + 1}, {"i": 0},
            shape_invariants=shapes,
        )  # fmt: skip


def test_the_limit_is_a_whole_number():
    for limit, kind in ((2.0, TypeError), ([2], ValueError)):
        with pytest.raises(kind, match="maximum_iterations"):
            while_loop(lambda i: i < 3, lambda i: i + 1, [0], maximum_iterations=limit)


def test_the_condition_may_write_what_the_body_reads(sess):
    v = sf.Variable(0)
    y = while_loop(lambda i: sf.assign_add(v, 1) < 5, lambda i: i + v, [0])
    assert sess.run(y) == 1 + 2 + 3 + 4
    assert sess.run(v) == 5


@pytest.mark.parametrize("wrong", [[2, 3], 1.5])
def test_most_iterations_are_one_whole_number_also_if_fed(wrong):
    limit = sf.placeholder()
    y = sf.while_loop(lambda i: True, lambda i: i + 1, [0], maximum_iterations=limit)
    with pytest.raises(sf.errors.InvalidArgumentError, match="one whole number"):
        sf.Session().run(y, {limit: wrong})
    assert sf.Session().run(y, {limit: 2}) == 2
