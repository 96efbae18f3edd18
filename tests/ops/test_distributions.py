"""Gamma, Poisson and multinomial numbers, and random crops."""

import numpy as np
import pytest

import similarflow as sf
from similarflow.ops.distributions import (
    multinomial,
    random_crop,
    random_gamma,
    random_poisson,
)

IMAGE = np.arange(400).reshape(20, 20)
MAKERS = {
    "gamma": lambda **k: random_gamma([50], 2.0, **k),
    "scaled gamma": lambda **k: random_gamma([50], 2.0, 3.0, **k),
    "poisson": lambda **k: random_poisson(9.0, [50], **k),
    "multinomial": lambda **k: multinomial(np.zeros([1, 9]), 50, **k),
    "crop": lambda **k: random_crop(IMAGE, [2, 2], **k),
}


def run(fetches, feeds=None):
    return sf.Session().run(fetches, feeds)


def draw(make, times=3, seed=None, others=0, **given):
    """Values of the operation in a graph of its own, after `others` others."""
    with sf.Graph().as_default() as graph:
        sf.set_random_seed(seed)
        for _ in range(others):
            sf.random_normal([], name="other")
        x = make(**given)
    with sf.Session(graph=graph) as sess:
        return [sess.run(x).tolist() for _ in range(times)]


# When they repeat


@pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS)
def test_numbers_repeat_with_a_seed_only(make):
    assert draw(make, 5) != draw(make, 5)
    for given in ({"seed": 7}, {"own": 7}, {"seed": 7, "own": 3}):
        own = given.pop("own", None)
        first, again = (
            draw(lambda own=own: make(seed=own), others=n, **given) for n in (0, 4)
        )
        assert first == again
        assert first[0] != first[1]


# Gamma


def test_gamma_has_the_moments_of_its_distribution():
    alpha, beta = np.array([0.5, 1.0, 4.0]), np.array([[1.0], [2.0]])
    x = random_gamma([20000], alpha, beta, sf.float64, seed=1)
    assert x.shape.as_list() == [20000, 2, 3]
    value = run(x)
    assert value.dtype == np.float64
    np.testing.assert_allclose(value.mean(0), alpha / beta, rtol=0.05)
    np.testing.assert_allclose(value.var(0), alpha / beta**2, rtol=0.1)


@pytest.mark.parametrize("dtype", [sf.float16, sf.float32, sf.float64])
def test_gamma_is_above_zero_and_of_its_dtype(dtype):
    for beta in (None, 2.0):
        value = run(random_gamma([3], [0.0, 1e-6, 1.0], beta, dtype, seed=1))
        assert value.shape == (3, 3)
        assert value.dtype == dtype.as_numpy_dtype
        assert (value > 0).all()


def test_gradients_flow_into_the_rate_of_gamma():
    beta = sf.constant([1.0, 2.0])
    x = random_gamma([4], 3.0, beta, seed=1)
    value, grad = run([x, sf.gradients(x, beta)[0]])
    np.testing.assert_allclose(grad, -(value / [1.0, 2.0]).sum(0), rtol=1e-5)
    alpha = sf.constant(2.0)
    assert sf.gradients(random_gamma([4], alpha), alpha) == [None]


def test_what_gamma_does_not_take():
    with pytest.raises(TypeError, match="random_gamma draws floats, not int32"):
        random_gamma([1], 1.0, dtype=sf.int32)
    with pytest.raises(sf.errors.InvalidArgumentError, match="alpha is 0 or more"):
        run(random_gamma([1], [1.0, -1.0]))
    with pytest.raises(ValueError, match="a size is 0 or more"):
        random_gamma([-1], 1.0)


# Poisson


def test_poisson_has_the_moments_of_its_distribution():
    rates = np.array([0.0, 0.5, 20.0])
    x = random_poisson(rates, [20000], seed=1)
    assert x.shape.as_list() == [20000, 3]
    value = run(x)
    assert value.dtype == np.float32
    np.testing.assert_array_equal(value, np.round(value))
    np.testing.assert_allclose(value.mean(0), rates, rtol=0.05)
    np.testing.assert_allclose(value.var(0), rates, rtol=0.05)


def test_shape_and_dtype_of_poisson():
    n = sf.placeholder(sf.int32, [None])
    lam = sf.placeholder(sf.float64, [2])
    x = random_poisson(lam, n, sf.int64)
    assert x.shape.dims is None
    value = run(x, {n: [3, 1], lam: [1.0, 2.0]})
    assert (value.shape, value.dtype) == ((3, 1, 2), np.int64)
    assert run(random_poisson(2, [3])).dtype == np.float32
    assert run(random_poisson(2.0, [])).shape == ()


def test_what_poisson_does_not_take():
    with pytest.raises(TypeError, match="floats, int32 or int64, not uint8"):
        random_poisson(1.0, [1], sf.uint8)
    for rate in (-1.0, np.nan, np.inf):
        with pytest.raises(sf.errors.InvalidArgumentError, match="a rate is a finite"):
            run(random_poisson([1.0, rate], [2]))


# Multinomial


def test_classes_come_as_often_as_their_probabilities_say():
    logits = np.array([[1000.0, 1001.0, 999.0], [0.0, -np.inf, 0.0]])
    x = multinomial(logits, 20000, seed=1)
    assert x.shape.as_list() == [2, 20000]
    value = run(x)
    assert value.dtype == np.int64
    shares = np.array([np.bincount(row, minlength=3) / 20000 for row in value])
    wanted = np.exp(logits - logits.max(1, keepdims=True))
    wanted /= wanted.sum(1, keepdims=True)
    np.testing.assert_allclose(shares, wanted, atol=0.01)
    assert shares[1, 1] == 0.0


@pytest.mark.parametrize("odd", [-np.inf, np.inf, np.nan])
def test_a_class_without_a_finite_logit_is_never_drawn(odd):
    value = run(multinomial([[odd, 0.0, odd]], 100))
    assert set(value[0].tolist()) == {1}
    with pytest.raises(sf.errors.InvalidArgumentError, match="no finite number"):
        run(multinomial([[0.0, 0.0], [odd, odd]], 2))


def test_shape_and_dtype_of_multinomial():
    logits = sf.placeholder(sf.float32, [None, 3])
    n = sf.placeholder(sf.int32, [])
    x = multinomial(logits, n, output_dtype=sf.int32)
    assert x.shape.as_list() == [None, None]
    value = run(x, {logits: np.zeros([4, 3]), n: 5})
    assert (value.shape, value.dtype) == ((4, 5), np.int32)
    assert run(x, {logits: np.zeros([0, 3]), n: 5}).shape == (0, 5)
    assert run(x, {logits: np.zeros([2, 3]), n: 0}).shape == (2, 0)
    assert sf.gradients(x, logits) == [None]


def test_what_multinomial_does_not_take():
    with pytest.raises(ValueError, match=r"a matrix.*not of shape \(1,\)"):
        multinomial([1.0], 2)
    with pytest.raises(ValueError, match="num_samples is 0 or more, not -1"):
        multinomial([[1.0]], -1)
    with pytest.raises(ValueError, match="num_samples is one number"):
        multinomial([[1.0]], [1, 2])
    with pytest.raises(TypeError, match="num_samples is a whole number"):
        multinomial([[1.0]], 1.5)
    with pytest.raises(TypeError, match="does not take int32"):
        multinomial([[1, 2]], 1)
    with pytest.raises(TypeError, match="int32 or int64, not float32"):
        multinomial([[1.0]], 1, output_dtype=sf.float32)
    x, n = sf.placeholder(sf.float32), sf.placeholder(sf.int32)
    y = multinomial(x, n)
    with pytest.raises(sf.errors.InvalidArgumentError, match="logits are a matrix"):
        run(y, {x: [1.0], n: 1})
    with pytest.raises(sf.errors.InvalidArgumentError, match="num_samples is 0 or m"):
        run(y, {x: [[1.0]], n: -1})
    with pytest.raises(sf.errors.InvalidArgumentError, match="no class to draw"):
        run(y, {x: np.zeros([1, 0]), n: 1})


# Crops


def test_a_crop_is_a_part_at_any_place():
    x = np.arange(12).reshape(3, 4)
    y = random_crop(x, [2, 4], seed=1)
    assert y.shape.as_list() == [2, 4]
    assert y.op.name == "random_crop"
    with sf.Session() as sess:
        values = [sess.run(y) for _ in range(20)]
    assert {v[0, 0].item() for v in values} == {0, 4}
    for v in values:
        np.testing.assert_array_equal(v, x[v[0, 0] // 4 :][:2])


def test_a_crop_of_a_size_known_in_the_run():
    x = sf.placeholder(sf.float32, [None, None, 3])
    n = sf.placeholder(sf.int32, [])
    y = random_crop(x, [n, 2, 3])
    assert y.shape.as_list() == [None, 2, 3]
    assert run(y, {x: np.zeros([5, 6, 3]), n: 4}).shape == (4, 2, 3)
    assert run(random_crop(3.0, [])) == 3.0


def test_gradients_flow_into_the_part():
    x = sf.constant(np.zeros([5, 5]))
    y = random_crop(x, [2, 3])
    grad = run(sf.gradients(y, x)[0])
    assert grad.shape == (5, 5)
    assert grad.sum() == 6.0
    assert set(grad.ravel().tolist()) == {0.0, 1.0}


def test_a_crop_that_does_not_fit():
    for size in ([7, 3], [-1, 3], [2], [2, 2, 2]):
        with pytest.raises(ValueError, match="cannot be taken from shape"):
            random_crop(np.zeros([5, 6]), size)
    x = sf.placeholder(sf.float32)
    with pytest.raises(sf.errors.InvalidArgumentError, match="cannot be taken from"):
        run(random_crop(x, [3, 3]), {x: np.zeros([2, 5])})
