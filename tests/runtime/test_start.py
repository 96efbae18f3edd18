"""Variables without a value: only who reads one needs it."""

import pytest

import similarflow as sf

NO_VALUE = sf.errors.FailedPreconditionError


@pytest.fixture
def p():
    return sf.Placeholder(sf.bool, [], name="p")


@pytest.fixture
def w():
    return sf.Variable(1.0, name="w")


@pytest.fixture
def v():
    return sf.Variable(2.0, name="v")


@pytest.fixture
def sess(w):
    """Where `w` has a value, and no variable starts by itself."""
    sess = sf.Session()
    sess.run(w.initializer)
    return sess


def loop(p, w, v):
    def body(i, a):
        return i + 1, sf.cond(p, lambda: a + w, lambda: a + v)

    return sf.while_loop(lambda i, a: i < 3, body, [0, 0.0])[1]


def gradient(p, w, v):
    return sf.gradients(sf.cond(p, lambda: w * w, lambda: v * w), w)[0]


def nested(p, w, v):
    inner = lambda: sf.cond(p, lambda: v, lambda: v * w)  # noqa: E731
    return sf.cond(p, lambda: w, inner)


@pytest.mark.parametrize(
    ("build", "taken", "other"),
    [
        (lambda p, w, v: sf.cond(p, lambda: w * 2.0, lambda: v * 3.0), 2.0, 6.0),
        (lambda p, w, v: sf.cond(p, lambda: w, lambda: v), 1.0, 2.0),
        (loop, 3.0, 6.0),
        (nested, 1.0, 2.0),
        (gradient, 2.0, 2.0),
        (lambda p, w, v: sf.map_fn(
            lambda e: sf.cond(p, lambda: e * w, lambda: e * v), sf.ones([1]))[0],
            1.0, 2.0),
        (lambda p, w, v: sf.while_loop(
            lambda i, a: i < 0, lambda i, a: (i, a + v), [0, w])[1], 1.0, 1.0),
    ],
)  # fmt: skip
def test_a_branch_that_is_not_taken_needs_no_variable(
    sess, p, w, v, build, taken, other
):
    y = build(p, w, v)
    assert sess.run(y, {p: True}) == taken
    if taken != 1.0 or other != 1.0:
        with pytest.raises(NO_VALUE, match="'v' is uninitialized") as raised:
            sess.run(y, {p: False})
        assert raised.value.op is v.op
        assert "\ninside " in str(raised.value)
    sess.run(v.initializer)
    assert sess.run(y, {p: False}) == other


@pytest.mark.parametrize(
    "build",
    [
        lambda p, w, v: sf.cond(v > 1.0, lambda: w * 2.0, lambda: w),
        lambda p, w, v: sf.cond(p, lambda: w * 2.0, lambda: w) + v,
        lambda p, w, v: sf.while_loop(lambda a: a < w, lambda a: a + w, [v]),
    ],
)
def test_who_reads_it_in_any_case_says_so_at_once(sess, p, w, v, build):
    with pytest.raises(NO_VALUE, match="'v' is uninitialized"):
        sess.run(build(p, w, v), {p: True})


def test_a_branch_may_give_the_first_value(sess, p, w, v):
    y = sf.cond(p, lambda: w * 2.0, lambda: sf.assign(v, 5.0) * 1.0)
    assert sess.run(y, {p: True}) == 2.0
    for fetch in (v, [y, v]):
        with pytest.raises(NO_VALUE, match="'v' is uninitialized"):
            sess.run(fetch, {p: True})
    assert sess.run([y, v], {p: False}) == [5.0, 5.0]
    assert sess.run([y, v], {p: True}) == [2.0, 5.0]


def test_who_waits_for_a_branch_that_did_not_write_finds_no_value(sess, p, w, v):
    done = sf.cond(p, lambda: sf.assign(v, 3.0), lambda: w * 1.0)
    with sf.control_dependencies([done]):
        y = v + 10.0
    with pytest.raises(NO_VALUE, match="'v' is uninitialized"):
        sess.run(y, {p: False})
    assert sess.run(y, {p: True}) == 13.0


def test_writing_in_a_loop_is_no_read(sess, p, w, v):
    def body(i):
        done = sf.cond(p, lambda: sf.assign(v, 3.0), lambda: w * 1.0)
        with sf.control_dependencies([done]):
            return i + 1

    count = sf.while_loop(lambda i: i < 2, body, [0])
    assert sess.run(count, {p: False}) == 2
    with pytest.raises(NO_VALUE):
        sess.run(v)
    assert sess.run([count, v], {p: True}) == [2, 3.0]
