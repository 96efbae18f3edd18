"""Lists of tensors. Numbers are TensorFlow's."""

import numpy as np
import pytest

import similarflow as sf
from similarflow.ops.cond import cond
from similarflow.ops.tensor_array import TensorArray
from similarflow.ops.while_loop import while_loop
from similarflow.testing import check_gradients

ROWS = [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]


@pytest.fixture
def sess():
    return sf.Session()


def test_values_and_gradients_are_tensorflows(sess):
    x, w = sf.constant(ROWS), sf.Variable(0.5)
    source = TensorArray(sf.float32, 3).unstack(x)

    def body(i, h, out):
        return i + 1, h * w + source.read(i), out.write(i, h * h)

    _, h, out = while_loop(
        lambda i, h, out: i < 3, body, [0, sf.ones([2]), TensorArray(sf.float32, 3)]
    )
    y = out.stack()
    assert y.static_shape == (3, 2)
    np.testing.assert_allclose(
        sess.run(y), [[1.0, 1.0], [2.25, 6.25], [14.0625, 27.5625]]
    )
    np.testing.assert_allclose(sess.run(h), [6.875, 8.625])
    dx, dw = sess.run(sf.gradients(y, [x, w]))
    np.testing.assert_allclose(dx, [[6.75, 10.25], [7.5, 10.5], [0.0, 0.0]])
    assert dw == 54.5
    dx, dw = sess.run(sf.gradients(h, [x, w]))
    np.testing.assert_allclose(dx, [[0.25, 0.25], [0.5, 0.5], [1.0, 1.0]])
    assert dw == 11.5


def recurrent(x, w):
    source = TensorArray(sf.float64, 4).unstack(x)

    def body(i, h, out):
        h = sf.tanh(h * w + source.read(i))
        return i + 1, h, out.write(i, h * h)

    start = [0, sf.zeros([3], sf.float64), TensorArray(sf.float64, 4)]
    return while_loop(lambda i, h, out: i < 4, body, start)[2]


def in_a_condition(x, w):
    def body(i, out):
        return i + 1, cond(
            sf.equal(i % 2, 0),
            lambda: out.write(i, x[i] * w),
            lambda: out.write(i, sf.exp(x[i]) * out.read(i - 1)),
        )

    start = [0, TensorArray(sf.float64, 0, dynamic_size=True)]
    return while_loop(lambda i, out: i < 4, body, start)[1]


def pieces(x, w):
    array = TensorArray(sf.float64, 3, infer_shape=False)
    return array.split(x * w, [1, 2, 1])


@pytest.mark.parametrize(
    "build",
    [
        lambda x, w: recurrent(x, w).stack(),
        lambda x, w: recurrent(x, w).concat(),
        lambda x, w: in_a_condition(x, w).stack(),
        lambda x, w: in_a_condition(x, w).gather([0, 2, 0]) ** 2,
        lambda x, w: pieces(x, w).concat() * pieces(x, w).read(1)[0],
        lambda x, w: pieces(x, w).read(1) * w,
        lambda x, w: TensorArray(sf.float64, 5).scatter([4, 0, 2, 1], x).gather([2, 4]),
        lambda x, w: TensorArray(sf.float64, 1).write(0, x).read(0) * w,
        lambda x, w: TensorArray(sf.float64, 1).write(0, x).identity().stack() * w,
    ],
)
@pytest.mark.parametrize("dims", [(4, 3), (None, None)])
def test_gradients_to_second_order(build, dims):
    x = sf.placeholder(sf.float64, dims)
    w = sf.Variable(1.5, dtype=sf.float64)
    value = np.random.default_rng(0).normal(size=(4, 3))
    check_gradients(build(x, w), [x, w], {x: value})


def test_sizes(sess):
    n = sf.placeholder(sf.int32, [])
    array = TensorArray(sf.float32, n)
    assert sess.run(array.size(), {n: 3}) == 3
    grown = TensorArray(sf.float32, 0, dynamic_size=True).write(4, 1.0)
    assert sess.run(grown.size()) == 5
    assert grown.dynamic_size
    assert sess.run(TensorArray(sf.float32, 2).split(sf.ones([4]), [4]).size()) == 1


def test_what_is_known_before_a_run():
    array = TensorArray(sf.float32, 3, element_shape=[None, 2])
    assert array.dtype == sf.float32
    assert array.element_shape.as_list() == [None, 2]
    assert array.stack().static_shape == (3, None, 2)
    array.write(0, sf.ones([5, 2]))
    assert array.element_shape.as_list() == [5, 2]
    assert array.read(1).static_shape == (5, 2)
    assert array.handle is array.flow
    assert array.graph is sf.get_default_graph()


def test_places_that_were_not_written(sess):
    assert sess.run(TensorArray(sf.float32, 3).write(1, 2.0).stack()).tolist() == [
        0,
        2,
        0,
    ]
    for use in (lambda a: a.stack(), lambda a: a.read(0), lambda a: a.gather([0])):
        with pytest.raises(
            sf.errors.InvalidArgumentError, match="has not been written"
        ):
            sess.run(use(TensorArray(sf.float32, 3)))


def test_places_of_a_shape_that_only_the_run_tells(sess):
    x = sf.Placeholder(sf.float32)
    array = TensorArray(sf.float32, 2).write(0, x)
    assert sess.run([array.read(1), array.concat()], {x: [3.0]})[0].tolist() == [0.0]
    assert sess.run(array.stack(), {x: [3.0]}).tolist() == [[3.0], [0.0]]
    uneven = TensorArray(sf.float32, 2, infer_shape=False).write(0, x)
    with pytest.raises(sf.errors.InvalidArgumentError, match="has not been written"):
        sess.run(uneven.read(1), {x: [3.0]})


def test_elements_have_the_shape_that_they_must_have_in_the_run_too(sess):
    x, free = sf.Placeholder(sf.float32), {"infer_shape": False}
    told = TensorArray(sf.float32, 2, element_shape=[2]).write(0, x)
    mixed = TensorArray(sf.float32, 2).write(0, x).write(1, sf.ones([2]))
    for array in (told, mixed):
        assert sess.run(array.read(0), {x: [1.0, 2.0]}).tolist() == [1.0, 2.0]
        with pytest.raises(sf.errors.InvalidArgumentError, match="have one shape"):
            sess.run(array.read(0), {x: [1.0]})
    array = TensorArray(sf.float32, 2, element_shape=[None], **free).write(0, x)
    assert sess.run(array.write(1, sf.ones([2])).read(0), {x: [1.0]}) == [1.0]
    with pytest.raises(ValueError, match="have one shape"):
        TensorArray(sf.float32, 2, element_shape=[2], **free).write(0, 1.0)


def test_an_element_can_be_read_again(sess):
    array = TensorArray(sf.float32, 1, clear_after_read=True).write(0, 2.0)
    first = array.read(0)
    with sf.control_dependencies([first]):
        assert sess.run([first, array.read(0)]) == [2.0, 2.0]


@pytest.mark.parametrize(
    ("text", "use"),
    [
        ("tried to write to place 3 of", lambda a: a.write(3, 1.0)),
        ("tried to write to place -1 of", lambda a: a.write(-1, 1.0)),
        ("has been written already", lambda a: a.write(0, 1.0).write(0, 2.0)),
        ("tried to read place 7 of", lambda a: a.write(0, 1.0).read(7)),
        ("2 elements cannot go to 1", lambda a: a.scatter([0], [1.0, 2.0])),
        ("the lengths add up to 3", lambda a: a.split([1.0, 2.0], [1, 2])),
    ],
)
def test_mistakes_of_a_run(sess, text, use):
    result = use(TensorArray(sf.float32, 3))
    with pytest.raises(sf.errors.InvalidArgumentError, match=text):
        sess.run(getattr(result, "flow", result))


@pytest.mark.parametrize(
    ("error", "text", "use"),
    [
        (ValueError, "needs a size", lambda: TensorArray(sf.float32)),
        (TypeError, "needs the dtype", lambda: TensorArray(None, 3)),
        (TypeError, "holds float32, and the value is int32",
         lambda: TensorArray(sf.float32, 3).write(0, sf.constant(1))),
        (ValueError, "have one shape",
         lambda: TensorArray(sf.float32, 3).write(0, [1.0]).write(1, 1.0)),
        (ValueError, "has no parts", lambda: TensorArray(sf.float32, 3).unstack(1.0)),
        (ValueError, "has no rows", lambda: TensorArray(sf.float32, 3).split(1.0, [1])),
    ],
)  # fmt: skip
def test_mistakes_of_building(error, text, use):
    with pytest.raises(error, match=text):
        use()


def test_elements_of_several_shapes(sess):
    array = TensorArray(sf.int32, 2, infer_shape=False).write(0, [1, 2]).write(1, [3])
    assert sess.run(array.concat()).tolist() == [1, 2, 3]
    assert sess.run(array.read(1)).tolist() == [3]
    with pytest.raises(sf.errors.InvalidArgumentError, match="cannot be stacked"):
        sess.run(array.stack())


def test_the_table_of_all_gradients_can_be_run(sess):
    x = sf.constant(ROWS)
    y = TensorArray(sf.float32, 3).unstack(x).read(1)
    table = sess.run(sf.compute_gradients(sf.reduce_sum(y * y)))
    np.testing.assert_array_equal(table[x], [[0, 0], [6, 8], [0, 0]])


def test_strings(sess):
    array = TensorArray(sf.string, 2).write(0, "a").write(1, "b")
    assert sess.run(array.stack()).tolist() == [b"a", b"b"]


def test_many_elements(sess):
    n = 1000
    x = sf.placeholder(sf.float64, [n])
    source = TensorArray(sf.float64, n).unstack(x)
    _, out = while_loop(
        lambda i, out: i < n,
        lambda i, out: (i + 1, out.write(i, source.read(i) * 2.0)),
        [0, TensorArray(sf.float64, n)],
    )
    y, grad = sess.run([out.stack(), sf.gradients(out.stack(), x)[0]], {x: np.ones(n)})
    assert (y == 2.0).all()
    assert (grad == 2.0).all()
    assert sess.run(out.close()) is None


@pytest.mark.parametrize(
    "join",
    [
        lambda array, x: array.unstack(x).stack(),
        lambda array, x: array.split(x, sf.zeros([0], sf.int32)).concat(),
    ],
)
def test_no_elements_of_a_shape_known_only_in_the_run(sess, join):
    x = sf.placeholder(sf.float32)
    y = join(TensorArray(sf.float32, 0, dynamic_size=True), x)
    [grad] = sf.gradients(sf.reduce_sum(y * y), x)
    found = sess.run([y, grad], {x: np.zeros((0, 3))})
    assert [f.shape for f in found] == [(0, 3), (0, 3)]


def test_two_lists_made_of_one_differ(sess):
    x = sf.constant(ROWS)
    one = TensorArray(sf.float32, 3).write(0, x[0])
    left, right = one.write(1, x[1]), one.write(1, x[2])
    after = left.write(2, x[2])
    y = (
        one.stack()
        + 10.0 * left.stack()
        + 100.0 * right.stack()
        + 1000.0 * after.stack()
    )
    rows = np.array(ROWS)
    want = [1111 * rows[0], 1010 * rows[1] + 100 * rows[2], 1000 * rows[2]]
    np.testing.assert_allclose(sess.run(y), want)
    [grad] = sess.run(sf.gradients(y, x))
    np.testing.assert_allclose(grad, [[1111] * 2, [1010] * 2, [1100] * 2])
    with pytest.raises(sf.errors.InvalidArgumentError, match="written already"):
        sess.run(left.write(1, x[0]).flow)
    np.testing.assert_allclose(sess.run(y), want)  # as before the failed run


def test_scalars_are_not_concatenated(sess):
    x = sf.placeholder(sf.float32)
    y = TensorArray(sf.float32, 2).write(0, x).write(1, x).concat()
    with pytest.raises(sf.errors.InvalidArgumentError, match="no axis; stack them"):
        sess.run(y, {x: 1.0})


def test_the_gradient_of_a_concatenation_passes_what_was_never_written(sess):
    x = sf.constant([2.0, 3.0])
    y = TensorArray(sf.float32, 3, element_shape=[2]).write(1, x * x).concat()
    assert sess.run(y).tolist() == [0.0, 0.0, 4.0, 9.0, 0.0, 0.0]
    factors = [9.0, 9.0, 1.0, 10.0, 9.0, 9.0]
    assert sess.run(sf.gradients(y, x, [factors])[0]).tolist() == [4.0, 60.0]


def test_a_list_of_an_iteration_is_there_for_its_gradient(sess):
    x = sf.placeholder(sf.float32, [])

    def body(i, s):
        both = TensorArray(sf.float32, 2, clear_after_read=False)
        both = both.write(0, x * s).write(1, s)
        _, total = while_loop(
            lambda j, z: j < 2, lambda j, z: (j + 1, z + both.read(j) ** 2.0), [0, 0.0]
        )
        return i + 1, total

    _, y = while_loop(lambda i, s: i < 2, body, [0, 1.0])
    # (x**2 + 1)**3
    assert sess.run([y, *sf.gradients(y, x)], {x: 3.0}) == [1000.0, 1800.0]
