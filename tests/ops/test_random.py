"""Random numbers: what they look like, and when they repeat."""

import numpy as np
import pytest

import similarflow as sf
from similarflow.runtime.randomness import generator_for

MAKERS = {
    "normal": lambda **k: sf.random_normal([50], **k),
    "truncated": lambda **k: sf.truncated_normal([50], **k),
    "uniform": lambda **k: sf.random_uniform([50], **k),
    "integers": lambda **k: sf.random_uniform([50], 0, 1000, sf.int32, **k),
    "shuffle": lambda **k: sf.random_shuffle(np.arange(50), **k),
}
each_maker = pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS)


def same(a, b):
    return bool(np.array_equal(a, b))


def build(make, seed=None, before=0, **given):
    """The operation in a graph of its own, after `before` others."""
    with sf.Graph().as_default() as graph:
        sf.set_random_seed(seed)
        for _ in range(before):
            sf.random_normal([], name="other")
        return make(**given), graph


def draw(made, times=1):
    tensor, graph = made
    with sf.Session(graph=graph) as sess:
        values = [sess.run(tensor) for _ in range(times)]
    return values if times > 1 else values[0]


# When they repeat


@each_maker
def test_without_a_seed_nothing_repeats(make):
    made = build(make)
    first, second = draw(made, 2)
    assert not same(first, second)
    assert not same(first, draw(made))


@each_maker
@pytest.mark.parametrize("seeds", [{"seed": 7}, {"own": 7}, {"seed": 7, "own": 3}])
def test_with_a_seed_sessions_and_graphs_repeat(make, seeds):
    given = {"seed": seeds["own"]} if "own" in seeds else {}
    makers = [lambda m=make: m(**given)] * 3
    first, second, other = (
        build(m, seeds.get("seed"), before=n)
        for m, n in zip(makers, (0, 0, 5), strict=True)
    )
    values = draw(first, 3)
    assert not same(values[0], values[1])
    for again in (draw(first, 3), draw(second, 3), draw(other, 3)):
        assert all(map(same, values, again))


def test_each_seed_and_each_name_has_a_stream_of_its_own():
    with sf.Graph().as_default() as graph:
        plain = [sf.random_normal([9], seed=s) for s in (1, 2, -1)]
        sf.set_random_seed(5)
        seeded = [sf.random_normal([9]) for _ in range(2)]
        seeded += [sf.random_normal([9], seed=1), sf.random_normal([9], seed=87654321)]
        seeded += [sf.random_normal([9], seed=5)]
        sf.set_random_seed(87654321)  # what TensorFlow takes where none is given
        alike = sf.random_normal([9], seed=1)
    with sf.Session(graph=graph) as sess:
        values = sess.run(plain + seeded)
        assert same(sess.run(alike), values[0])
    for i, a in enumerate(values):
        assert not any(same(a, b) for b in values[:i])


def test_two_operations_of_one_seed_draw_alike():
    a, b = sf.random_uniform([3], seed=4), sf.random_uniform([3], seed=4)
    assert same(*sf.Session().run([a, b]))


def test_the_seed_is_that_of_the_time_of_building():
    sf.set_random_seed(1)
    x = sf.random_normal([])
    sf.set_random_seed(2)
    assert x.op.attrs["seed"] == (1, None)
    assert sf.random_normal([], seed=np.int64(3)).op.attrs["seed"] == (2, 3)
    with pytest.raises(TypeError, match="a seed is a whole number"):
        sf.random_normal([], seed="a")


def test_one_draw_in_each_run():
    x = sf.random_normal([])
    y = x + 0.0
    a, b, c = sf.Session().run([x, y, x])
    assert a == b == c


def test_other_runs_change_nothing():
    sf.set_random_seed(3)
    x, y = sf.random_normal([]), sf.random_normal([])
    first, second = sf.Session(), sf.Session()
    second.run([y, y])
    second.run(y)
    assert [first.run(x), first.run(x)] == [second.run(x), second.run(x)]


def test_a_failed_run_draws_nothing():
    x = sf.random_normal([], seed=1)
    bad = sf.gather([1.0], sf.cast(x * 0.0, sf.int32) + 1)
    first, second = sf.Session(), sf.Session()
    with pytest.raises(sf.errors.InvalidArgumentError):
        first.run([x, bad])
    assert [first.run(x), first.run(x)] == [second.run(x), second.run(x)]


def test_draws_are_counted_in_the_session_and_in_the_run():
    x = sf.random_normal([], seed=1)
    state, changes = {}, {}
    numbers = [generator_for(x.op, state, changes).standard_normal() for _ in range(3)]
    assert (state, changes) == ({}, {x.op: 3})
    later = generator_for(x.op, {x.op: 2}, {}).standard_normal()
    assert later == numbers[2]
    assert len(set(numbers)) == 3


def test_without_a_seed_the_key_is_drawn_once_for_a_session():
    x = sf.random_normal([])
    state, changes = {}, {}
    first = generator_for(x.op, state, changes).standard_normal()
    key = changes["key", x.op]
    state.update(changes)
    second_changes = {}
    second = generator_for(x.op, state, second_changes).standard_normal()
    assert second_changes == {x.op: 2}
    assert state["key", x.op] == key
    assert first != second


def test_a_variable_keeps_what_was_drawn():
    v = sf.Variable(sf.random_normal([3]))
    with sf.Session() as sess:
        sess.run(v.initializer)
        first, second = sess.run(v), sess.run(v)
        sess.run(v.initializer)
        assert same(first, second)
        assert not same(first, sess.run(v))


# What they look like


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_floats_are_of_their_distribution(dtype):
    shape = [200, 100]
    tensors = [
        sf.random_normal(shape, 3.0, 2.0, dtype, seed=1),
        sf.truncated_normal(shape, 3.0, 2.0, dtype, seed=1),
        sf.random_uniform(shape, -1.0, 3.0, dtype, seed=1),
    ]
    assert all(
        t.static_dtype == dtype and t.static_shape == (200, 100) for t in tensors
    )
    values = sf.Session().run(tensors)
    assert all(v.dtype == dtype for v in values)
    normal, truncated, uniform = (v.astype(np.float64) for v in values)
    assert abs(normal.mean() - 3.0) < 0.05
    assert abs(normal.std() - 2.0) < 0.05
    assert np.abs(normal - 3.0).max() > 5.0
    assert np.abs(truncated - 3.0).max() <= 4.0 + 1e-2
    assert abs(truncated.std() - 2.0 * 0.8796) < 0.05
    assert uniform.min() >= -1.0
    assert uniform.max() < 3.0
    assert abs(uniform.mean() - 1.0) < 0.05


def test_the_end_of_a_range_is_never_drawn():
    x = sf.random_uniform([5000], 1.0, 1.001, sf.float16, seed=1)
    assert sf.Session().run(x).max() < np.float16(1.001)
    y = sf.random_uniform([2], 5.0, 5.0)
    assert sf.Session().run(y).tolist() == [5.0, 5.0]


def test_integers_fill_their_range():
    x = sf.random_uniform([1000], -2, 3, sf.int64, seed=1)
    assert x.op.type == "RandomUniformInt"
    assert x.static_dtype == np.int64
    assert set(sf.Session().run(x).tolist()) == {-2, -1, 0, 1, 2}
    with pytest.raises(ValueError, match="need a maxval"):
        sf.random_uniform([2], dtype=sf.int32)
    with pytest.raises(sf.errors.InvalidArgumentError, match=r"\[5, 5\) is empty"):
        sf.Session().run(sf.random_uniform([2], 5, 5, sf.int32))
    with pytest.raises(TypeError, match="cannot hold"):
        sf.random_uniform([2], 0.5, 3, sf.int32)


@pytest.mark.parametrize(
    "make", [sf.random_normal, sf.truncated_normal, sf.random_uniform]
)
def test_shapes_of_every_kind(make):
    x = sf.placeholder(sf.float32, [None, 3])
    tensors = [make(sf.shape(x)), make([sf.shape(x)[0], 2]), make([]), make([0, 2])]
    assert [t.static_shape for t in tensors] == [(None, 3), (None, 2), (), (0, 2)]
    found = sf.Session().run(tensors, {x: np.ones([4, 3])})
    assert [np.shape(v) for v in found] == [(4, 3), (4, 2), (), (0, 2)]
    with pytest.raises(ValueError, match="unknown"):
        make([None, 2])


def test_floats_only():
    for make in (sf.random_normal, sf.truncated_normal):
        with pytest.raises(TypeError, match="draws floats, not int32"):
            make([2], dtype=sf.int32)
    with pytest.raises(TypeError, match="draws floats, not bool"):
        sf.random_uniform([2], dtype=sf.bool)


def test_gradients_flow_into_mean_and_deviation():
    mean, deviation = sf.constant(2.0), sf.constant([1.0, 3.0])
    for make in (sf.random_normal, sf.truncated_normal):
        x = make([4, 2], mean, deviation, seed=5)
        assert x.op.name.startswith(make.__name__)
        plain = make([4, 2], seed=5)
        value, unit, grads = sf.Session().run(
            [x, plain, sf.gradients(x, [mean, deviation])]
        )
        np.testing.assert_allclose(value, 2.0 + unit * [1.0, 3.0], rtol=1e-6)
        np.testing.assert_allclose(grads[0], 8.0)
        np.testing.assert_allclose(grads[1], unit.sum(0), rtol=1e-5)


def test_ends_of_a_range_may_be_tensors():
    low, high = sf.constant([0.0, 10.0]), sf.placeholder(sf.float32, [])
    x = sf.random_uniform([100, 2], low, high)
    value = sf.Session().run(x, {high: 20.0})
    assert value[:, 0].min() < 10.0 <= value[:, 1].min()
    n = sf.placeholder(sf.int32, [])
    assert sf.Session().run(sf.random_uniform([], 0, n, sf.int32), {n: 1}) == 0


@pytest.mark.parametrize(
    ("build", "kind"),
    [
        (sf.random_uniform, sf.float64),
        (sf.random_uniform, sf.int64),
        (sf.random_normal, sf.float64),
        (sf.truncated_normal, sf.float64),
    ],
)
def test_tensors_are_of_the_dtype_that_is_drawn(build, kind):
    with pytest.raises(ValueError, match=rf"{kind.name} is needed.*sf\.cast"):
        build([2], sf.constant(0, sf.int32), sf.constant(9, sf.int32), kind)
    free = sf.placeholder()
    for low in (sf.constant(0, kind), free, [sf.constant(0, kind), 1]):
        x = build([2], low, 9, kind)
        value = sf.Session().run(x, {free: np.int16(0)})
        assert x.dtype == value.dtype == kind


def test_shuffle_moves_whole_rows():
    x = np.arange(20).reshape(10, 2)
    y = sf.random_shuffle(x, seed=1)
    assert y.op.name == "RandomShuffle"
    value = sf.Session().run(y)
    assert value.tolist() != x.tolist()
    assert sorted(value.tolist()) == x.tolist()
    assert sf.Session().run(sf.random_shuffle(3.0)) == 3.0


def test_names():
    made = [
        sf.random_normal([1]),
        sf.random_normal([1], sf.constant(0.0)),
        sf.random_uniform([1]),
        sf.random_uniform([1], 0, 2, sf.int32),
        sf.truncated_normal([1], name="t"),
    ]
    names = ["random_normal", "random_normal_1", "random_uniform", "random_uniform_1"]
    assert [x.op.name for x in made] == [*names, "t"]
