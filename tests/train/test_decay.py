"""Learning rates that fall."""

import math

import numpy as np
import pytest

import similarflow as sf

T = sf.train


def at(rate, step, times):
    sess = sf.Session()
    return [float(sess.run(rate, {step: n})) for n in times]


@pytest.fixture
def step():
    return sf.placeholder(sf.int32, [])


def test_rates_at_their_edges(step):
    stairs = T.exponential_decay(0.1, step, 10, 0.5, staircase=True)
    smooth = T.exponential_decay(0.1, step, 10, 0.5)
    pieces = T.piecewise_constant(step, [10, 20], [1.0, 0.5, 0.25])
    line = T.polynomial_decay(1.0, step, 10, end_learning_rate=0.1)
    sess = sf.Session()
    times = (0, 9, 10, 11, 20, 21)
    found = [sess.run([stairs, smooth, pieces, line], {step: n}) for n in times]
    want = [
        [0.1, 0.1, 1.0, 1.0],
        [0.1, 0.05358867312681466, 1.0, 0.19],
        [0.05, 0.05, 1.0, 0.1],
        [0.05, 0.04665164957684037, 0.5, 0.1],
        [0.025, 0.025, 0.5, 0.1],
        [0.025, 0.023325824788420185, 0.25, 0.1],
    ]
    np.testing.assert_allclose(found, want, rtol=1e-6)


MAKERS = {
    "exponential": lambda rate, s: T.exponential_decay(rate, s, 10, 0.5),
    "natural": lambda rate, s: T.natural_exp_decay(rate, s, 10, 0.5),
    "inverse": lambda rate, s: T.inverse_time_decay(rate, s, 10, 0.5),
    "polynomial": lambda rate, s: T.polynomial_decay(rate, s, 10),
    "cycle": lambda rate, s: T.polynomial_decay(rate, s, 10, cycle=True),
    "cosine": lambda rate, s: T.cosine_decay(rate, s, 10),
    "restarts": lambda rate, s: T.cosine_decay_restarts(rate, s, 10),
    "linear_cosine": lambda rate, s: T.linear_cosine_decay(rate, s, 10),
}
every = pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS)


@every
def test_the_step_may_be_anything_that_counts(make):
    rate = make(0.5, 7)
    fed = sf.placeholder(sf.int64, [])
    sess = sf.Session()
    want = sess.run(rate)
    assert want.dtype == np.float32
    for given in (
        np.int64(7),
        7.0,
        sf.constant(7),
        sf.Variable(7, trainable=False),
        sf.Variable(7.0, trainable=False),
        fed,
    ):
        assert sess.run(make(0.5, given), {fed: 7}) == want


@every
def test_the_dtype_is_that_of_the_first_rate(make, step):
    for given, dtype in (
        (1, "float32"),
        (1.0, "float32"),
        (np.float64(1.0), "float64"),
        (sf.constant(1.0, sf.float64), "float64"),
        (sf.Variable(1.0, trainable=False), "float32"),
    ):
        rate = make(given, step)
        assert (rate.dtype.name, rate.shape.as_list()) == (dtype, [])
        found = sf.Session().run(rate, {step: 3})
        assert found.dtype == dtype
        assert 0.0 < found < 1.0


@every
def test_a_rate_without_a_step_says_what_to_do(make):
    with pytest.raises(ValueError, match="needs global_step: step = sf"):
        make(0.1, None)


@every
def test_all_ends_in_one_named_tensor(make, step):
    with sf.name_scope("outer"):
        first, second = make(0.1, step), make(0.1, step)
    assert first.name.startswith("outer/")
    assert second.name == first.name.replace(":0", "_1:0")
    assert sf.constant(0, name="x").name == "x:0"


def test_a_name_of_one_s_own(step):
    assert T.exponential_decay(0.1, step, 10, 0.5, name="mine").name == "mine:0"
    assert T.cosine_decay(0.1, step, 10, name="mine").name == "mine_1:0"
    assert T.piecewise_constant(step, [1], [1.0, 2.0], "p").name == "p:0"


def test_numbers_may_be_tensors(step):
    n, base = sf.placeholder(sf.int32, []), sf.placeholder(sf.float64, [])
    rate = T.exponential_decay(1.0, step, n, base, True)
    feed = {step: 9, n: 4, base: 0.5}
    assert sf.Session().run(rate, feed) == 0.25
    assert rate.dtype == sf.float32


# Cosines in float64, by their formulas


def wave(part):
    return 0.5 * (1.0 + math.cos(math.pi * part))


def test_cosine_in_float64(step):
    rate = T.cosine_decay(np.float64(0.1), step, 20, 0.25)
    want = [0.1 * (0.75 * wave(min(n, 20) / 20) + 0.25) for n in (0, 3, 10, 20, 25)]
    np.testing.assert_allclose(at(rate, step, (0, 3, 10, 20, 25)), want, rtol=1e-14)


def test_linear_cosine_in_float64(step):
    rate = T.linear_cosine_decay(np.float64(0.1), step, 20, 1.5, 0.25, 0.125)
    times = (0, 3, 10, 19, 20, 25)
    parts = [min(n, 20) / 20 for n in times]
    want = [0.1 * ((1.25 - p) * wave(3.0 * p) + 0.125) for p in parts]
    np.testing.assert_allclose(at(rate, step, times), want, rtol=1e-13)


@pytest.mark.parametrize("factor", [1.0, 1.25, 1.5, 2.0, 3.0, 10.0])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_restarts_come_on_time(step, factor, dtype):
    """TensorFlow misses some: its rate is 0 at step 10 with a factor of 1.25."""
    first = 64
    rate = T.cosine_decay_restarts(dtype(1.0), step, first, factor, 0.5)
    start, length = 0.0, float(first)
    for period in range(4):
        [there] = at(rate, step, [int(start)])
        assert there == 0.5**period
        [middle] = at(rate, step, [int(start + length / 2)])
        part = (int(start + length / 2) - start) / length
        assert middle == pytest.approx(0.5**period * wave(part), rel=1e-5)
        start, length = start + length, length * factor
        if start != int(start):
            break


def test_restarts_with_a_factor_that_is_fed(step):
    factor = sf.placeholder(sf.float32, [])
    rate = T.cosine_decay_restarts(1.0, step, 10, factor)
    sess = sf.Session()
    found = [float(sess.run(rate, {step: 30, factor: f})) for f in (2.0, 3.0)]
    np.testing.assert_allclose(found, [1.0, 0.25], rtol=1e-6)


# Pieces


def test_a_boundary_belongs_to_the_piece_before_it(step):
    rate = T.piecewise_constant(step, [3, 5], [1, 2, 3])
    assert rate.dtype == sf.int32
    assert at(rate, step, (-1, 3, 4, 5, 6, 99)) == [1, 1, 2, 2, 3, 3]
    alike = T.piecewise_constant(step, [3, 3], [1, 2, 3])
    assert at(alike, step, (3, 4)) == [1, 3]


def test_pieces_without_a_boundary(step):
    assert at(T.piecewise_constant(step, [], [0.5]), step, (0, 9)) == [0.5, 0.5]


def test_pieces_of_tensors(step):
    x = sf.placeholder(sf.float64, [])
    rate = T.piecewise_constant(x, [2, sf.constant(2.5)], [sf.constant([1.0, 2.0])] * 3)
    assert rate.shape.as_list() == [2]
    low = T.piecewise_constant_decay(x, [2.5], [sf.constant(1.0, sf.float64), 0.5])
    assert low.dtype == sf.float64
    assert at(low, x, (2.5, 2.500001)) == [1.0, 0.5]


def test_pieces_and_boundaries_are_counted(step):
    with pytest.raises(ValueError, match="2 boundaries part 3 values, and 2 were"):
        T.piecewise_constant(step, [1, 2], [1.0, 2.0])


def test_a_boundary_between_whole_steps_is_refused(step):
    with pytest.raises(TypeError, match=r"2\.5"):
        T.piecewise_constant(step, [2.5], [1.0, 2.0])


# Noise


def test_noise_is_on_the_line_and_fades(step):
    sf.set_random_seed(1)
    arguments = {"initial_variance": 0.25, "variance_decay": 2.0, "beta": 0.0}
    rate = T.noisy_linear_cosine_decay(1.0, step, 1000, num_periods=0.0, **arguments)
    sess = sf.Session()
    early = [float(sess.run(rate, {step: 0})) for _ in range(400)]
    late = [float(sess.run(rate, {step: 499})) for _ in range(400)]
    assert np.mean(early) == pytest.approx(1.0, abs=0.15)
    assert np.std(early) == pytest.approx(0.5, rel=0.2)
    assert np.std(late) == pytest.approx(0.5 / 500, rel=0.2)
    plain = T.noisy_linear_cosine_decay(1.0, step, 10, initial_variance=0.0)
    want = T.linear_cosine_decay(1.0, step, 10)
    times = (0, 4, 10, 11)
    np.testing.assert_allclose(at(plain, step, times), at(want, step, times), rtol=1e-6)
