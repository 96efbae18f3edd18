"""Loops over the elements of tensors. Numbers are TensorFlow's."""

import numpy as np
import pytest

import similarflow as sf
from similarflow.ops.cond import cond
from similarflow.ops.functional import foldl, foldr, map_fn, scan
from similarflow.testing import check_gradients

ROWS = [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]


@pytest.fixture
def sess():
    return sf.Session()


def step(a, row):
    return a * 0.5 + row


@pytest.mark.parametrize(
    ("build", "value", "dx", "dw"),
    [
        (
            lambda x, w: scan(lambda a, r: a * w + r, x),
            [[1.0, 2.0], [3.5, 5.0], [6.75, 8.5]],
            [[1.75, 1.75], [1.5, 1.5], [1.0, 1.0]],
            13.0,
        ),
        (
            lambda x, w: scan(
                lambda a, r: a * w + r, x, initializer=sf.zeros([2]), reverse=True
            ),
            [[3.75, 5.5], [5.5, 7.0], [5.0, 6.0]],
            [[1.0, 1.0], [1.5, 1.5], [1.75, 1.75]],
            29.0,
        ),
        (
            lambda x, w: map_fn(lambda r: sf.reduce_sum(r * r) * w, x),
            [2.5, 12.5, 30.5],
            ROWS,
            91.0,
        ),
        (
            lambda x, w: foldl(lambda a, r: a * w + r, x),
            [6.75, 8.5],
            [[0.25, 0.25], [0.5, 0.5], [1.0, 1.0]],
            10.0,
        ),
        (
            lambda x, w: foldr(lambda a, r: a * w + r, x),
            [3.75, 5.5],
            [[1.0, 1.0], [0.5, 0.5], [0.25, 0.25]],
            18.0,
        ),
    ],
)
def test_values_and_gradients_are_tensorflows(sess, build, value, dx, dw):
    x, w = sf.constant(ROWS), sf.Variable(0.5)
    y = build(x, w)
    found = sess.run([y, *sf.gradients(y, [x, w])])
    for number, expected in zip(found, [value, dx, dw], strict=True):
        np.testing.assert_allclose(number, expected, rtol=1e-6)


@pytest.mark.parametrize(
    "build",
    [
        lambda x, w: map_fn(lambda r: sf.tanh(r * w) * sf.reduce_sum(r), x),
        lambda x, w: scan(lambda a, r: sf.tanh(a * w + r), x),
        lambda x, w: scan(lambda a, r: sf.tanh(a * w + r), x, reverse=True),
        lambda x, w: scan(lambda a, r: sf.tanh(a * w + r), x, initializer=x[1] * w),
        lambda x, w: foldl(lambda a, r: sf.tanh(a * w + r), x),
        lambda x, w: foldr(lambda a, r: sf.tanh(a * w + r), x, initializer=x[0]),
        lambda x, w: map_fn(lambda p: p[0] * p[1], (x, sf.exp(x)), dtype=sf.float64),
        lambda x, w: map_fn(
            lambda r: map_fn(
                lambda e: cond(e > 0.0, lambda: e * e * w, lambda: sf.exp(e)), r
            ),
            x,
        ),
        lambda x, w: map_fn(lambda r: scan(lambda a, e: a * e * w, r), x),
    ],
)
@pytest.mark.parametrize("dims", [(4, 3), (None, None), None])
def test_gradients_to_second_order(build, dims):
    x = sf.placeholder(sf.float64, dims)
    w = sf.Variable(1.5, dtype=sf.float64)
    value = np.random.default_rng(0).normal(size=(4, 3))
    check_gradients(build(x, w), [x, w], {x: value})


def test_static_shapes():
    x = sf.placeholder(sf.float32, [None, 3])
    assert map_fn(lambda r: r * 2.0, x).static_shape == (None, 3)
    assert map_fn(lambda r: r[0], sf.zeros([4, 3])).static_shape == (4,)
    assert scan(step, x).static_shape == (None, 3)
    assert scan(step, sf.zeros([4, 3])).static_shape == (4, 3)
    assert foldl(step, x).static_shape == (3,)


def test_structures(sess):
    x = sf.constant(ROWS)
    y = map_fn(lambda r: (r, sf.argmax(r, 0)), x, dtype=(sf.float32, sf.int64))
    values, places = sess.run(y)
    np.testing.assert_array_equal(values, ROWS)
    assert places.dtype == np.int64
    np.testing.assert_array_equal(places, [1, 1, 1])
    sums, counts = sess.run(
        scan(lambda s, r: (s[0] + r, s[1] + 1), x, initializer=(sf.zeros([2]), 0))
    )
    np.testing.assert_array_equal(sums, np.cumsum(ROWS, 0))
    np.testing.assert_array_equal(counts, [1, 2, 3])
    found = sess.run(map_fn(lambda d: {"a": d["a"] * 2.0}, {"a": x}))
    np.testing.assert_array_equal(found["a"], np.array(ROWS) * 2)


def test_an_element_twice(sess):
    x = sf.constant([1.0, 2.0])
    y = map_fn(lambda e: (e, e), x, dtype=(sf.float32, sf.float32))
    total = sf.reduce_sum(y[0]) + 2.0 * sf.reduce_sum(y[1])
    np.testing.assert_array_equal(sess.run(sf.gradients(total, x)[0]), [3.0, 3.0])


def test_no_elements(sess):
    x = sf.placeholder(sf.float32, [None, 3])
    y = map_fn(lambda r: r * 2.0, x)
    z = foldl(step, x, initializer=sf.ones([3]))
    empty = {x: np.zeros([0, 3])}
    assert sess.run(y, empty).shape == (0, 3)
    assert sess.run(sf.gradients(y, x)[0], empty).shape == (0, 3)
    np.testing.assert_array_equal(sess.run(z, empty), [1.0, 1.0, 1.0])


def test_strings_and_integers(sess):
    loud = map_fn(lambda s: sf.add(s, "!"), sf.constant(["a", "b"]))
    assert sess.run(loud).tolist() == [b"a!", b"b!"]
    lengths = map_fn(lambda n: n * n, np.array([1, 2, 3]))
    assert sess.run(lengths).tolist() == [1, 4, 9]


def test_back_prop_off():
    x = sf.constant(ROWS)
    for y in (
        map_fn(lambda r: r * 2.0, x, back_prop=False),
        foldl(step, x, initializer=sf.zeros([2]), back_prop=False),
    ):
        assert sf.gradients(y, x) == [None]


def test_state_changes_for_each_element(sess):
    v = sf.Variable(0.0)

    def add(e):
        with sf.control_dependencies([sf.assign_add(v, e)]):
            return v.read_value()

    y = map_fn(add, sf.constant([1.0, 2.0, 4.0]))
    assert sess.run(y).tolist() == [1.0, 3.0, 7.0]
    assert sess.run(v) == 7.0


@pytest.mark.parametrize(
    ("error", "text", "build"),
    [
        (TypeError, "fn must be callable", lambda: map_fn(3, ROWS)),
        (ValueError, "is a scalar", lambda: map_fn(lambda e: e, [1.0, 2.0])),
        (ValueError, "is a scalar", lambda: foldl(step, sf.constant(1.0))),
        (ValueError, "as many elements",
         lambda: map_fn(lambda p: p, (np.ones(2), np.ones(3)))),
        (ValueError, "structure",
         lambda: map_fn(lambda p: p[0], (np.ones(2), np.ones(2)))),
        (TypeError, "Give dtype=sf.int32",
         lambda: map_fn(lambda e: sf.cast(e, sf.int32), np.ones(2))),
        (ValueError, "changes the shape",
         lambda: scan(lambda a, e: sf.concat([a, a], 0), sf.constant(ROWS))),
        (TypeError, "structure",
         lambda: scan(lambda a, e: (a, a), np.ones(2), initializer=[0.0, 0.0])),
        (ValueError, "elems is empty", lambda: map_fn(lambda e: e, ())),
    ],
)  # fmt: skip
def test_messages(error, text, build):
    with pytest.raises(error, match=text):
        build()


def test_results_of_several_shapes(sess):
    x = sf.placeholder(sf.int32, [None])
    y = map_fn(lambda n: sf.zeros(sf.reshape(n, [1])), x, dtype=sf.float32)
    assert sess.run(y, {x: [2, 2]}).shape == (2, 2)
    with pytest.raises(sf.errors.InvalidArgumentError, match="one shape"):
        sess.run(y, {x: [2, 3]})


def test_elements_that_differ_in_number(sess):
    x, y = sf.placeholder(sf.float32, [None]), sf.placeholder(sf.float32, [None])
    z = map_fn(lambda p: p[0] + p[1], (x, y), dtype=sf.float32)
    with pytest.raises(sf.errors.InvalidArgumentError, match="as many elements"):
        sess.run(z, {x: [1.0, 2.0], y: [1.0]})


@pytest.mark.parametrize("fold", [foldl, foldr, scan])
def test_nothing_to_start_from_is_told(fold):
    with pytest.raises(ValueError, match="give an initializer"):
        fold(lambda a, x: a + x, sf.zeros([0]))


LATE = [
    (lambda x: map_fn(lambda r: r * r, x), (3,)),
    (lambda x: map_fn(lambda r: sf.tensordot(r, r, 0), x), (3, 3)),
    (lambda x: map_fn(lambda r: map_fn(lambda v: v * v, r), x), (3,)),
    (lambda x: scan(lambda a, r: a * r, x, sf.reduce_sum(x, 0)), (3,)),
    (lambda x: foldr(lambda a, r: a * r, x, sf.reduce_sum(x, 0)), None),
]
STARTING = [
    (lambda x: scan(lambda a, r: a * r, x), (3,)),
    (lambda x: foldl(lambda a, r: a * r, x), None),
    (lambda x: foldr(lambda a, r: a * r, x), None),
]


@pytest.mark.parametrize("dims", [None, [None, None], [None, 3]])
@pytest.mark.parametrize(
    ("build", "element", "rows"),
    [(*late, n) for late in LATE for n in (0, 1, 2)]
    + [(*start, n) for start in STARTING for n in (1, 2)],
)
def test_few_elements_of_a_shape_known_only_in_the_run(
    sess, build, element, rows, dims
):
    x = sf.placeholder(sf.float64, dims)
    y = build(x)
    [first] = sf.gradients(sf.reduce_sum(y), x)
    [second] = sf.gradients(sf.reduce_sum(first * first), x)
    found = sess.run([y, first, second], {x: np.arange(rows * 3.0).reshape(rows, 3)})
    want = (3,) if element is None else (rows, *element)
    assert [np.shape(f) for f in found] == [want, (rows, 3), (rows, 3)]


@pytest.mark.parametrize(("build", "element"), STARTING)
def test_nothing_to_start_from_in_the_run(sess, build, element):
    x = sf.placeholder(sf.float64)
    with pytest.raises(sf.errors.InvalidArgumentError, match="give an initializer"):
        sess.run(build(x), {x: np.zeros((0, 3))})


@pytest.mark.parametrize("rows", [3, 0])
@pytest.mark.parametrize(
    "inner",
    [
        lambda x: cond(sf.reduce_sum(x) > 0.0, lambda: x * 2.0, lambda: x - 1.0),
        lambda x: map_fn(lambda y: y * 2.0, x),
        lambda x: sf.matmul(x[None], sf.constant([[2.0, 0.0], [0.0, 2.0]]))[0],
    ],
)
def test_what_is_inside_tells_the_shape_also_of_nothing(sess, inner, rows):
    x = sf.placeholder(sf.float32)
    found = sess.run(map_fn(inner, x), {x: np.ones([rows, 2], np.float32)})
    assert found.dtype == np.float32
    assert found.tolist() == [[2.0, 2.0]] * rows


@pytest.mark.parametrize("rows", [3, 0])
def test_a_loop_inside_may_grow_and_has_a_gradient(sess, rows):
    x = sf.placeholder(sf.float32)

    def inner(row):
        grown = sf.while_loop(
            lambda i, y: i < 2, lambda i, y: (i + 1, sf.concat([y, y * y], 0)),
            [0, row], shape_invariants=[sf.TensorShape([]), sf.TensorShape(None)],
        )[1]  # fmt: skip
        return grown, sf.gradients(grown, row)[0]

    grown, inside = map_fn(inner, x, dtype=(sf.float32, sf.float32))
    feed = {x: np.full([rows, 2], 2.0, np.float32)}
    outside = sf.gradients(grown, x)[0]
    grown, inside, outside = sess.run([grown, inside, outside], feed)
    assert grown.size == rows * 8
    assert grown.tolist() == [[2.0, 2.0, 4.0, 4.0, 4.0, 4.0, 16.0, 16.0]] * rows
    # x + 2 x**2 + x**4
    assert inside.tolist() == outside.tolist() == [[41.0, 41.0]] * rows


def test_of_nothing_no_mistake_of_an_iteration_is_told(sess):
    x = sf.placeholder(sf.float32)
    y = map_fn(lambda m: sf.matmul(m, sf.ones([3, 3])), x)
    assert sess.run(y, {x: np.ones([0, 3, 2], np.float32)}).size == 0
    with pytest.raises(sf.errors.InvalidArgumentError, match="inner sizes differ"):
        sess.run(y, {x: np.ones([1, 3, 2], np.float32)})


@pytest.mark.parametrize("rows", [2, 0])
def test_a_loop_inside_over_what_has_no_known_shape(sess, rows):
    x = sf.placeholder(sf.float32)

    def inner(row):
        return map_fn(lambda y: y * 2.0, sf.py_func(lambda a: a, [row], sf.float32))

    found = sess.run(map_fn(inner, x), {x: np.ones([rows, 2], np.float32)})
    assert found.tolist() == [[2.0, 2.0]] * rows


def test_without_a_dtype_the_results_tell_it(sess):
    x = sf.Placeholder()
    y = map_fn(lambda row: row * 2, x)
    for value in ([1, 2], [1.5, 2.5], [[1j]]):
        found = sess.run(y, {x: np.array(value)})
        np.testing.assert_array_equal(found, np.array(value) * 2, strict=True)
