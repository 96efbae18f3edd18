"""What can be fed, how values are converted, and what errors say."""

import inspect
import types

import numpy as np
import pytest

import similarflow as sf
from similarflow.runtime.feeds import check_feeds


@pytest.fixture
def sess():
    return sf.Session()


@pytest.fixture
def x():
    return sf.placeholder(sf.float32, [None, 2], name="x")


# Any tensor may be fed


def test_constants_variables_and_interiors_may_be_fed(sess):
    x = sf.placeholder(sf.float32, [], name="x")
    c, v = sf.constant(2.0), sf.Variable(3.0)
    y = x * c
    z = y + v
    assert sess.run(z, {x: 1.0, c: 10.0}) == 13.0
    assert sess.run(z, {x: 1.0, v: 10.0}) == 12.0
    assert sess.run(z, {v.value(): 10.0, "x:0": 1.0}) == 12.0
    assert sess.run([y, z], {y: 10.0}) == [10.0, 13.0]
    assert sess.run(z, {z: 5.0}) == 5.0
    assert sess.run(v) == 3.0


def test_what_a_feed_replaces_is_not_run(sess):
    calls = []

    @sf.operation
    def seen(value):
        calls.append(value)
        return value

    x = sf.placeholder(sf.float32)
    y = seen(x) * 2.0
    assert sess.run(y + 1.0, {y: 3.0}) == 4.0
    assert calls == []
    # But an operation that is fetched itself is run, whatever its output is fed.
    assert sess.run([y, y.op], {y: 3.0, x: 1.0}) == [3.0, None]
    assert calls == [1.0]


def test_own_operations_may_be_fed(sess):
    class Twice(sf.Operation):
        def compute(self, value):
            return 2.0 * value

    class Parts(sf.Operation):
        num_outputs = 2

        def compute(self, value):
            return value, value

    y, parts = Twice(1.0), Parts(1.0)
    assert sess.run(y + 1.0, {y: 5.0}) == 6.0
    assert sess.run(parts, {parts.outputs[0]: 7.0}) == (7.0, 1.0)
    with pytest.raises(TypeError, match="'Parts' is an operation"):
        sess.run(parts, {parts: 7.0})


def test_any_mapping_and_no_feeds_at_all_will_do(sess, x):
    feeds = types.MappingProxyType({x: [[1.0, 2.0]]})
    assert sess.run(x, feeds).tolist() == [[1.0, 2.0]]
    for nothing in (None, {}):
        assert sess.run(sf.constant(1.0), nothing) == 1.0


def test_a_variable_that_is_written_may_be_fed(sess):
    v = sf.Variable(1.0)
    add, new = v.assign_add(1.0), v.assign(7.0)
    read = v * 2.0
    assert sess.run([read, add], {v: 10.0}) == [20.0, 11.0]
    assert sess.run(v) == 11.0
    assert sess.run([read, new], {v: 3.0}) == [6.0, 7.0]
    assert sess.run(v) == 7.0


def test_a_fed_variable_is_fetched_as_it_was_fed(sess):
    v = sf.Variable(1.0)
    assert sess.run([v, v + 1.0], {v: 10.0}) == [10.0, 11.0]
    assert sess.run([v, v.assign(3.0)], {v: 10.0}) == [10.0, 3.0]
    assert sess.run(v) == 3.0


@pytest.mark.parametrize("ordered", [False, True])
def test_feeding_what_a_write_gives_changes_no_variable_s_new_value(sess, ordered):
    v = sf.Variable([1.0])
    add = v.assign_add([1.0])
    with sf.control_dependencies([add]):
        after = sf.identity(v) if ordered else sf.no_op()
    given = np.array([100.0], np.float32)
    sess.run([after, add * 2.0], {add: given})
    given[:] = 0.0
    assert sess.run(v).tolist() == [2.0]


# Conversion


def fed(value, dtype=None, shape=None):
    x = sf.placeholder(dtype, shape)
    return sf.Session().run(sf.identity(x), {x: value})


def test_an_untyped_placeholder_takes_numpy_s_types():
    assert fed(1.5).dtype == np.float64
    assert fed([1, 2]).dtype == np.int64
    assert fed(np.float16(1.0)).dtype == np.float16
    assert fed(True).dtype == bool
    assert fed("é") == "é".encode()
    assert fed(np.array(["a", "b"])).tolist() == [b"a", b"b"]


def test_floats_are_cast_among_floats():
    assert fed(np.float64(0.1), sf.float32) == np.float32(0.1)
    assert fed(np.float32(0.1), sf.float64) == np.float64(np.float32(0.1))
    assert fed([0.1, 1], sf.float16).dtype == np.float16


def test_what_loses_nothing_is_cast():
    assert fed(1.0, sf.int32).dtype == np.int32
    assert fed([True, False], sf.float32).tolist() == [1.0, 0.0]
    assert fed(np.array([1, 0]), sf.bool).dtype == bool
    assert fed(np.int64(2**31 - 1), sf.int32) == 2**31 - 1
    assert fed(3, sf.complex64) == 3 + 0j


@pytest.mark.parametrize(
    ("value", "dtype", "text"),
    [
        (1.7, "int32", r"expected int32 for 'x:0', got 1\.7 .*cannot hold"),
        (2**31, "int32", "got 2147483648"),
        (np.nan, "int64", "got nan"),
        (2, "bool", "expected bool for 'x:0', got 2"),
        (2**24 + 1, "float32", "got 16777217"),
        (1j, "float32", "expected float32 for 'x:0'"),
        ("a", "float32", "expected float32 for 'x:0', got string"),
        (1.0, "string", "expected string for 'x:0', got float"),
        (object(), "float32", "a object is no number or string for 'x:0'"),
    ],
)
def test_what_would_lose_something_is_refused(sess, value, dtype, text):
    x = sf.placeholder(dtype, name="x")
    with pytest.raises(TypeError, match=text):
        sess.run(x, {x: value})


def test_none_and_ragged_lists_are_refused_by_name(sess, x):
    with pytest.raises(ValueError, match="None is no value for 'x:0'"):
        sess.run(x, {x: None})
    with pytest.raises(ValueError, match=r"no array for 'x:0': .*equally long"):
        sess.run(x, {x: [[1.0, 2.0], [3.0]]})


def test_arrays_that_fit_are_taken_as_they_are(x):
    given = np.ones([3, 2], np.float32)
    feeds = check_feeds({x: given}, x.graph)
    assert feeds[x] is given
    assert check_feeds(None, x.graph) == {}


# What errors say


def test_a_wrong_shape_is_told_with_the_placeholder_s_line(sess):
    line = inspect.currentframe().f_lineno + 1
    x = sf.placeholder(sf.float32, [None, 3, 4], name="x")
    with pytest.raises(ValueError, match="takes shape") as caught:
        sess.run(x, {x: np.ones([5, 3])})
    lines = str(caught.value).splitlines()
    assert lines[0] == "'x:0' takes shape (?, 3, 4), and was fed shape (5, 3)"
    assert lines[1].startswith(f"  'x:0' (?, 3, 4) float32, made at {__file__}:{line}:")
    assert len(lines) == 2  # no guess


@pytest.mark.parametrize(
    ("dims", "shape", "guess"),
    [
        ([None, 2], [2], "A batch axis is missing: feed value[None], or [value]"),
        ([1, 2, None], [2, 7], "A batch axis is missing"),
        ([None, 1], [5], "The last axis is missing: feed value[:, None]"),
        ([4, 1], [4], "The last axis is missing"),
        ([None], [3, 1], "The value has one axis too many: feed value[..., 0]"),
        ([5, 2], [2], ""),
        ([None, 2], [3], ""),
        ([None], [3, 2], ""),
        ([None, 2, 2], [3], ""),
        ([], [2], ""),
        ([2], [], ""),
    ],
    ids=str,
)
def test_a_wrong_shape_comes_with_a_guess_where_one_is_likely(sess, dims, shape, guess):
    x = sf.placeholder(sf.float32, dims)
    with pytest.raises(ValueError, match="takes shape") as caught:
        sess.run(x, {x: np.ones(shape)})
    lines = str(caught.value).splitlines()
    assert lines[2].startswith(guess) if guess else len(lines) == 2


@pytest.mark.parametrize("key", [3, np.float32(1.0), ("x", 1), None, 1.5])
def test_a_key_that_is_no_tensor_is_shown(sess, x, key):
    with pytest.raises(TypeError) as caught:
        sess.run(x, {x: [[1.0, 2.0]], key: 1.0})
    text = str(caught.value)
    assert f"a key of feed_dict is {key!r} ({type(key).__name__})" in text
    assert "Does the name still mean the placeholder" in text


def test_an_operation_s_name_is_no_key(sess, x):
    with pytest.raises((TypeError, ValueError), match="'x' is an operation"):
        sess.run(x, {"x": [[1.0, 2.0]]})
    with pytest.raises((KeyError, TypeError, ValueError), match=r"no operation .* 'y'"):
        sess.run(x, {"y:0": 1.0})


def test_a_tensor_is_no_value(sess, x):
    v = sf.Variable([[1.0, 2.0]], name="v")
    for value in (v, v * 2.0):
        with pytest.raises(TypeError, match=r"'x:0' was fed .*has no value"):
            sess.run(x, {x: value})


def test_a_list_that_holds_tensors_is_no_value_either(sess, x):
    c = sf.constant(1.0)
    with pytest.raises(TypeError, match="'x:0'"):
        sess.run(x, {x: [[c, c]]})


def test_a_tensor_of_another_graph_is_no_key(sess, x):
    with sf.Graph().as_default():
        far = sf.placeholder(sf.float32, name="far")
    with pytest.raises(ValueError, match="'far:0' is not an element of this session's"):
        sess.run(x, {x: [[1.0, 2.0]], far: 1.0})


@pytest.mark.parametrize("second", [[1.0], (), "x", 5, np.ones(2)], ids=repr)
def test_feeds_that_are_no_dict_are_told_what_they_are(sess, x, second):
    with pytest.raises(TypeError) as caught:
        sess.run(x, second)
    kind = type(second).__name__
    assert f"feed_dict, a dict from placeholders to values; got {kind}." in str(
        caught.value
    )
    assert "sess.run([a, b])" in str(caught.value)


# Placeholders that are not fed


def test_every_unfed_placeholder_is_named_at_once_with_its_path(sess):
    x = sf.placeholder(sf.float32, [None, 3], name="x")
    line = inspect.currentframe().f_lineno + 1
    y = sf.placeholder(sf.float32, name="y")
    other = sf.placeholder(sf.float32, name="other")
    h = sf.square(x, name="h")
    total = sf.add(h, y, name="total")
    with pytest.raises(sf.errors.InvalidArgumentError) as caught:
        sess.run([total, other * 2.0], {other: 1.0})
    lines = str(caught.value).splitlines()
    assert lines[0] == (
        "feed a value for the placeholders 'x', 'y': "
        "sess.run(..., feed_dict={x: value})"
    )
    assert lines[1].startswith("  'x:0' (?, 3) float32, made at ")
    assert lines[1].endswith("; needed by h -> total")
    assert f"{__file__}:{line}: `y = sf.placeholder" in lines[2]
    assert lines[2].endswith("; needed by total")
    assert len(lines) == 3
    assert caught.value.op is x.op


def test_one_that_is_fetched_itself_has_no_path(sess, x):
    with pytest.raises(sf.errors.InvalidArgumentError) as caught:
        sess.run(x)
    assert "the placeholder 'x': " in str(caught.value)
    assert "needed by" not in str(caught.value)


def test_a_long_path_and_a_long_list_are_cut(sess):
    xs = [sf.placeholder(sf.float32, name="p") for _ in range(20)]
    y = sf.add_n(xs)
    for _ in range(20):
        y = sf.square(y)
    with pytest.raises(sf.errors.InvalidArgumentError) as caught:
        sess.run(y)
    lines = str(caught.value).splitlines()
    assert lines[0].count("'p") == 20
    assert len(lines) == 9
    assert lines[1].endswith(
        "needed by AddN -> Square -> Square_1 -> Square_2 -> Square_3"
    )


def test_the_path_goes_through_writes_and_own_operations(sess):
    @sf.operation
    def own(value):
        return value

    x = sf.placeholder(sf.float32, [], name="x")
    v = sf.Variable(1.0)
    step = sf.assign(v, own(x), name="step")
    with sf.control_dependencies([step]):
        y = own(v.value())
    with pytest.raises(sf.errors.InvalidArgumentError, match="needed by own -> step"):
        sess.run(y)
    assert sess.run(v) == 1.0


@pytest.mark.parametrize(
    "build",
    [
        lambda x, n: sf.reduce_sum(x, n),
        lambda x, n: sf.argmax(x, n),
        lambda x, n: sf.softmax(x, n),
        lambda x, n: sf.expand_dims(x, n),
        lambda x, n: sf.concat([x, x], n),
        lambda x, n: sf.transpose(x, sf.stack([n, 1 - n])),
    ],
)
def test_an_axis_that_was_used_to_build_is_not_fed(build):
    n = sf.constant(1)
    y = build(sf.constant([[1.0, 2.0], [3.0, 5.0]]), n)
    with pytest.raises(ValueError, match="when the graph was built"):
        sf.Session().run(y, {n: 0})
