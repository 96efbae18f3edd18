"""Calls: what is fed and fetched in the compiled engine, and how errors are told."""

import collections
import gc
import weakref

import numpy as np
import pytest

import similarflow as sf
from similarflow.runtime.compiled import engine

from .compare import assert_same, both, outcome

Pair = collections.namedtuple("Pair", "first second")


# make_callable


def test_a_callable_gives_what_run_gives():
    x, y = sf.placeholder(sf.float32, [2]), sf.placeholder(sf.float32)
    v = sf.Variable([1.0, 2.0])
    fetches = {"sum": x + y, "parts": [x * v, (v, y)], "done": v.assign_add(x).op}
    simple, compiled = sf.Session(engine="simple"), sf.Session()
    calls = [s.make_callable(fetches, [x, y]) for s in (simple, compiled)]
    for s in (simple, compiled):
        s.run(v.initializer)
    for given in ([1.0, 2.0], np.ones(2), np.ones(2, np.float32), (3, 4)):
        for other in (2, 0.5, np.float64(3), [1.0, 2.0], np.ones((3, 1), np.float32)):
            wanted, result = (call(given, other) for call in calls)
            assert list(result) == list(wanted)
            assert_same([*result.values()], [*wanted.values()])


def test_a_callable_without_feeds_and_one_in_which_no_feed_is_used():
    x = sf.placeholder(sf.float32)
    v = sf.Variable(1.0)
    sess = sf.Session()
    add = sess.make_callable(v.assign_add(1.0))
    unused = sess.make_callable(v, [x])
    assert [add(), add(), unused(5.0), unused([1, 2]), add()] == [2, 3, 3, 3, 4]


def test_a_callable_takes_names_and_tensors_in_any_order():
    x, y = sf.placeholder(sf.float32, [], "x"), sf.placeholder(sf.float32, [], "y")
    z = sf.subtract(x, y, name="z")
    sess = sf.Session()
    for feeds, wanted in (([x, y], 1.0), ([y, x], -1.0), (["x:0", "y:0"], 1.0)):
        call = sess.make_callable("z:0", feeds)
        assert [call(3.0, 2.0) for _ in range(3)] == [wanted] * 3
    inner = sess.make_callable(sf.square(z), [z])
    assert [inner(np.float32(3)), inner(4)] == [9.0, 16.0]


def test_a_callable_says_how_many_values_it_takes():
    x = sf.placeholder(sf.float32)
    texts = []
    for name in ("simple", "compiled"):
        call = sf.Session(engine=name).make_callable(x, [x])
        for values in ((), (1.0, 2.0)):
            with pytest.raises(ValueError, match="1 values are needed") as error:
                call(*values)
            texts.append(str(error.value))
        assert call(1.0) == 1.0
    assert texts[:2] == texts[2:]


def test_callables_of_two_sessions_have_values_of_their_own():
    v = sf.Variable(0.0)
    add = v.assign_add(1.0)
    calls = [sf.Session().make_callable(add) for _ in range(2)]
    calls[0]()
    with pytest.warns(UserWarning, match="values belong to a session"):
        first = calls[1]()
    assert [first, calls[0](), calls[0](), calls[1]()] == [1, 2, 3, 2]


# Fetches


def test_results_have_the_form_of_the_fetches():
    x = sf.placeholder(sf.float32, [2], "x")
    y = sf.multiply(x, 2.0, name="y")
    v = sf.Variable(3.0)

    @sf.operation
    def twice(value):
        return value * 2

    own = twice(y)
    slices = sf.IndexedSlices(y, sf.constant([0, 1]), sf.constant([4]))
    forms = [
        y, "y:0", "y", v, own, [y], (y,), [y, v], (y, v), Pair(y, v), {"a": y, "b": v},
        [y, [v, (y,)]], {"a": [y, y], "b": Pair(v, {"c": y})}, [], (), {}, [y, y, y],
        [x, y.op, y], collections.OrderedDict(b=y, a=v), slices, [slices, y],
    ]  # fmt: skip
    simple, compiled = sf.Session(engine="simple"), sf.Session()
    for form in forms:
        for numbers in ([1.0, 2.0], np.float32([3, 4]), np.float32([5, 6])):
            wanted = simple.run(form, {x: numbers})
            result = compiled.run(form, {x: numbers})
            assert type(result) is type(wanted)
            assert repr(result) == repr(wanted)


def test_what_is_fetched_twice_is_two_arrays():
    x = sf.placeholder(sf.float32, [2])
    y = x + 1.0
    sess = sf.Session()
    for _ in range(3):
        first, second, same = sess.run([y, y, sf.identity(y)], {x: [1.0, 2.0]})
        first[0] = 9.0
        assert second.tolist() == same.tolist() == [2.0, 3.0]


# Feeds


def test_feeds_of_every_form_give_the_same():
    x, n = sf.placeholder(sf.float32, [None, 2]), sf.placeholder(sf.int32)
    free, flag = sf.placeholder(None), sf.placeholder(sf.bool, [])
    y = [x * 2.0, n + 1, free * 2, sf.logical_not(flag), sf.reduce_sum(x, 0)]
    big = np.dtype(np.float32).newbyteorder(">")
    feeds = [
        {x: value, n: number, free: other, flag: truth}
        for value, number, other, truth in [
            ([[1, 2]], 3, 4, True),
            ([[1.5, 2]], [3], 4.5, np.bool_(False)),
            (np.ones((3, 2)), np.int64(7), np.arange(3), 1 > 0),
            (np.ones((3, 2), np.float32), np.int32(7), np.float16(2), np.array(True)),
            (np.ones((3, 2), np.float32), np.array(7, np.int32), [1j], np.array(False)),
            (np.ones((0, 2), np.float32), [], [[]], True),
            (np.ones((1, 2), big), np.uint8(7), np.array([1, 2], ">i4"), False),
            (np.ones((2, 2), np.float16), np.array([1], np.int8), [True], True),
            (np.asfortranarray(np.ones((2, 2), np.float32)), 2, "a" == "a", True),
            (np.ma.masked_array(np.ones((2, 2), np.float32)), 2, 1, True),
        ]
    ]
    both(y, *feeds, *feeds)


BAD = {
    "shape": [[1.0, 2.0, 3.0]],
    "rank": 1.0,
    "text": "a",
    "none": None,
    "ragged": [[1.0], [1.0, 2.0]],
    "complex": [[1j, 2.0]],
    "objects": np.array([[object(), 1.0]]),
    "nothing": np.ones((2, 3), np.float32),
}


@pytest.mark.parametrize("kind", BAD)
def test_a_wrong_feed_says_the_same_in_both_engines(kind):
    x, y = sf.placeholder(sf.float32, [None, 2]), sf.placeholder(sf.int32, [])
    good = np.ones((1, 2), np.float32)
    fetch = x * 2.0 + sf.cast(y, sf.float32)
    simple, compiled = sf.Session(engine="simple"), sf.Session()
    call = compiled.make_callable(fetch, [x, y])
    one = np.array(1, np.int32)
    for _ in range(2):
        for feeds in ({x: good, y: one}, {x: BAD[kind], y: one}, {x: good, y: 1.5}):
            wanted = outcome(simple, fetch, feeds)
            assert_same(outcome(compiled, fetch, feeds), wanted)
            try:
                result = call(*feeds.values())
            except Exception as error:
                result = type(error).__name__, str(error)
            assert_same(result, wanted)
    assert isinstance(wanted, tuple)


def test_wrong_keys_and_values_say_the_same_in_both_engines():
    x = sf.placeholder(sf.float32, [], "x")
    y = x * 2.0
    with sf.Graph().as_default():
        other = sf.placeholder(sf.float32, [])
    simple, compiled = sf.Session(engine="simple"), sf.Session()
    for feeds in (
        {}, {other: 1.0}, {y: x}, {x: y}, {"nix:0": 1.0}, {"x:0": 3.0},
        {x: 1, "x:0": 2},
        {3: 1.0}, {None: 1.0}, [x], [(x, 1.0)], x, {sf.float32: 1}, {y: [1.0, 2.0]},
        {y: 5.0}, {y: 5.0, x: 2.0}, {x: [[x]]}, {y.op: 1.0},
    ):  # fmt: skip
        for _ in range(2):
            wanted = outcome(simple, y, feeds)
            assert_same(outcome(compiled, y, feeds), wanted)


@pytest.mark.parametrize(
    "fetch", [None, 3.0, "nix", "nix:0", sf.float32, [None], np.ones(2)]
)
def test_a_wrong_fetch_says_the_same_in_both_engines(fetch):
    x = sf.constant(1.0)
    simple, compiled = sf.Session(engine="simple"), sf.Session()
    assert compiled.run(x) == 1.0
    for form in (fetch, [x, fetch], {"a": fetch}):
        wanted = outcome(simple, form)
        assert isinstance(wanted, tuple)
        assert_same(outcome(compiled, form), wanted)


def test_strings_are_fed_as_they_are_in_the_simple_engine():
    x = sf.placeholder(sf.string, [2])
    feeds = [["a", "b"], [b"a", b"b"], np.array(["a", "ä"])]
    both([x, x + "!"], *[{x: value} for value in feeds * 2])


def test_a_feed_is_not_kept():
    class Array(np.ndarray):
        """Can be referred to weakly."""

    x = sf.placeholder(sf.float32)
    v = sf.Variable([0.0, 0.0, 0.0])
    y = sf.reshape(x, [3])
    done = v.assign(y)
    sess = sf.Session()
    fetches = [[y, x], [sf.reduce_sum(y)], [done], [x, done, sf.square(x)[::-1]]]
    for fetch in fetches:
        for kind in (np.ndarray, Array):
            for _ in range(3):
                value = np.arange(3, dtype=np.float32).view(kind)
                held = weakref.ref(value)
                result = sess.run(fetch, {x: value})
                del value
                gc.collect()
                assert held() is None
                del result


def test_a_feed_of_a_failed_run_is_not_kept():
    x, i = sf.placeholder(sf.float32, [3]), sf.placeholder(sf.int32, [])
    y = sf.gather(x * 2.0, i) + 1.0
    sess = sf.Session()
    for index in (0, 7, 1, 9):
        value = np.ones(3, np.float32)
        held = weakref.ref(value)
        outcome(sess, y, {x: value, i: index})
        del value
        gc.collect()
        assert held() is None


def test_values_of_variables_from_before_are_not_kept():
    v = sf.Variable(np.ones(3, np.float32))
    step, other = v.assign(v * 2.0), sf.reduce_sum(v)
    sess = sf.Session()
    sess.run([step, other])
    held = weakref.ref(sess.state[v.as_tensor()])
    sess.run(step)
    gc.collect()
    assert held() is None


# Shapes


def test_more_shapes_than_are_bound_give_the_same():
    x, y = sf.placeholder(sf.float32), sf.placeholder(sf.float32, [None])
    v = sf.Variable([1.0])
    fetches = [
        sf.tanh(x) * v + 1.0, sf.reduce_sum(x), sf.concat([y, y], 0), x + y[:1],
        sf.where(x > 0.0, x, -x), sf.shape(x), sf.zeros_like(x), sf.matmul(
            sf.reshape(y, [1, -1]), sf.reshape(y, [-1, 1])), v.assign_add([1.0]),
    ]  # fmt: skip
    shapes = [(n, m) for n in range(4) for m in range(1, 6)]
    assert len(shapes) > 2 * engine.BINDINGS
    rng = np.random.default_rng(0)
    feeds = [
        {x: rng.normal(size=(n, m)), y: np.arange(m, dtype=np.float32)}
        for n, m in (*shapes, *shapes[::-1], *shapes[:3])
    ]
    both(fetches, *feeds)


def test_a_shape_that_changes_between_runs():
    x = sf.placeholder(sf.float32, [None])
    total = sf.reduce_sum(x) * 2.0 + sf.cast(sf.size(x), sf.float32)
    sess = sf.Session()
    call = sess.make_callable(total, [x])
    for n in [3, 3, 5, 5, 3, 0, 1, 3]:
        value = np.ones(n, np.float32)
        assert call(value) == sess.run(total, {x: value}) == 3 * n


def test_untyped_feeds_of_many_dtypes():
    x = sf.placeholder(None)
    y = [x * 2, x + 1.5, x / 3, sf.square(x), sf.reduce_sum(x)]
    kinds = [np.float32, np.int32, np.float64, np.int8, np.float16, np.complex64]
    both(y, *[{x: np.array([1, 2, 3], kind)} for kind in kinds * 2])


@pytest.mark.parametrize("shape", [[3], [2, 2], [], [0]])
def test_a_variable_that_changes_its_shape(shape):
    v = sf.Variable([1.0, 2.0], validate_shape=False)
    w = sf.Variable([1.0, 2.0])
    new = sf.placeholder(sf.float32)
    for var in (v, w):
        reads = [var * 2.0, sf.reduce_sum(var), sf.shape(var)]
        change = sf.assign(var, new, validate_shape=False)
        simple, compiled = sf.Session(engine="simple"), sf.Session()
        compiled.run(var)
        simple.run(var)
        for fetch in (reads, reads, change, reads, reads, change, var, reads):
            feeds = {new: np.ones(shape)} if fetch is change else {}
            assert_same(outcome(compiled, fetch, feeds), outcome(simple, fetch, feeds))


def test_a_write_of_another_shape_fails_alike_and_changes_nothing():
    x = sf.placeholder(sf.float32)
    v, w = sf.Variable([1.0, 2.0]), sf.Variable(0.0)
    fetches = [v.assign(x), w.assign_add(1.0)]
    simple, compiled = sf.Session(engine="simple"), sf.Session()
    for s in (simple, compiled):
        s.run([v.initializer, w.initializer])
    for value in ([3.0, 4.0], [1.0, 2.0, 3.0], 5.0, [[1.0, 2.0]], [5.0, 6.0]):
        feeds = {x: np.float32(value)}
        assert_same(outcome(compiled, fetches, feeds), outcome(simple, fetches, feeds))
        assert_same(compiled.run([v, w]), simple.run([v, w]))
    assert compiled.run(w) == 2.0


# Errors of kernels


def failing():
    """Fetches that fail for the number 0, 1 or 2 in `n`, by what fails."""
    n = sf.placeholder(sf.int32, [], "n")
    x = sf.cast(sf.fill(sf.stack([n + 2]), 1.5), sf.float32)  # (n + 2,)
    known = sf.constant([1.0, 2.0, 3.0])
    twice = (x * 2.0 + 1.0) * 0.5
    return n, {
        "gather": sf.gather(known * 2.0, n + 2) + 1.0,
        "gather_nd": sf.gather_nd(known, sf.stack([n * 3])),
        "add": sf.tanh(twice + known),
        "matmul": sf.matmul(sf.reshape(twice, [1, -1]), sf.ones([2, 1])),
        "reshape": sf.reshape(twice, [3, 1]) * 2.0,
        "concat": sf.concat([sf.reshape(twice, [1, -1]), [[1.0, 2.0]]], 0),
        "stack": sf.stack([twice, known]),
        "pow": sf.pow(n + 2, -n) + 1,
        "pow in place": sf.pow(sf.square(n + 1) + 1, 1 - n),
        "split": sf.split(twice, 3)[0],
        "squeeze": sf.squeeze(sf.reshape(twice, [1, -1]), [1]),
        "scatter": sf.scatter_nd([[n]], [1.0], [1]),
        "one size": sf.add_n([twice, known]),
        "segment": sf.segment_sum(known, sf.stack([1 - n, 0, 0])),
        "slice": sf.slice(known, [0], sf.stack([n + 2])),
        "tile": sf.tile(known, sf.stack([-n])),
        "check": sf.check_numerics(sf.cast(1 - n, sf.float32) / 0.0, "bad") + 1.0,
        "inverse": sf.matrix_inverse(sf.cast(sf.fill([2, 2], n), sf.float32)),
        "cholesky": sf.cholesky(sf.cast(sf.fill([2, 2], -n), sf.float32)),
        "where": sf.where(twice > 0.0, twice, known),
        "pad": sf.pad(known, [[0, 1], [0, 0]][:1]) + sf.pad(twice, [[0, 1]]),
        "unstack": sf.reshape(sf.unstack(sf.reshape(twice, [-1]), 2), [2]),
        "cond": sf.cond(n > 0, lambda: sf.gather(known, n + 2), lambda: 1.0),
        "loop": sf.while_loop(
            lambda i, y: i < 3, lambda i, y: (i + 1, sf.gather(known, i + n)), [n, 0.0]
        ),
        "own": raising(twice, n),
        "caused": from_another(twice),
        "python": sf.py_func(raise_type, [n], sf.float32) + 1.0,
        "assert": guarded(n, twice),
    }  # fmt: skip


@sf.operation
def raising(value, n):
    if n > 0:
        raise LookupError(f"{n} is too much")
    return value


@sf.operation
def from_another(value):
    raise ValueError(f"no {value[0]}") from KeyError("the cause")


def raise_type(n):
    if n == 1:
        raise TypeError("one")
    return np.float32(n) if n == 0 else None


def guarded(n, value):
    with sf.control_dependencies([sf.assert_less(n, 1, [n, value])]):
        return value * 2.0


KINDS = list(failing()[1])
sf.reset_default_graph()


@pytest.mark.parametrize("kind", KINDS)
def test_errors_of_kernels_say_the_same(kind):
    n, found = failing()
    fetches = found[kind]
    simple, compiled = sf.Session(engine="simple"), sf.Session()
    failed = []
    for number in (0, 1, 2, 0, 2):
        wanted = outcome(simple, fetches, {n: number})
        assert_same(outcome(compiled, fetches, {n: number}), wanted)
        failed.append(isinstance(wanted, tuple) and isinstance(wanted[0], str))
    assert any(failed)


@pytest.mark.parametrize("kind", KINDS)
def test_errors_of_kernels_tell_the_operation(kind):
    n, found = failing()
    seen = []
    for name in ("simple", "compiled"):
        sess = sf.Session(engine=name)
        for number in (0, 1, 2):
            try:
                sess.run(found[kind], {n: number})
            except sf.errors.OpError as error:
                seen.append((name, number, error.op, error.message))
            except Exception as error:
                seen.append((name, number, error.__notes__, str(error)))
    simple, compiled = (
        [s[1:] for s in seen if s[0] == e] for e in ("simple", "compiled")
    )
    assert compiled == simple
    assert simple


def test_a_session_goes_on_after_an_error_of_each_kind():
    n, found = failing()
    sess = sf.Session()
    fine = sf.square(n) + 1
    for fetches in found.values():
        for number in (0, 1, 2):
            outcome(sess, [fetches, fine], {n: number})
            assert sess.run(fine, {n: number}) == number**2 + 1
