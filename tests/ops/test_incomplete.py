"""The incomplete gamma and beta functions, and counts of whole numbers."""

import numpy as np
import pytest

import similarflow as sf
from similarflow.testing import check_gradients

A = [0.5, 1, 2, 10, 100, 0, 1, -1, 1, np.inf, 1]
X = [0.1, 1, 3, 8, 120, 1, 0, 1, -1, 1, np.inf]


def run(fetches, feeds=None):
    return sf.Session().run(fetches, feeds)


def test_gamma_is_tensorflow_s():
    a, x = sf.constant(np.float64(A)), sf.constant(np.float64(X))
    lower = [0.34527915, 0.63212056, 0.80085173, 0.28337574, 0.97213626, np.nan, 0,
             np.nan, np.nan, 0, 1]  # fmt: skip
    np.testing.assert_allclose(run(sf.igamma(a, x)), lower, rtol=3e-8)
    np.testing.assert_allclose(run(sf.igammac(a, x)), 1 - np.array(lower), rtol=3e-7)
    of_a = [-0.8229361, -0.43172971, -0.19742542, -0.11260572, -0.00621319]
    of_x = [1.61434226, 0.36787944, 0.14936121, 0.12407692, 0.00567025]
    for build, sign in ((sf.igamma, 1), (sf.igammac, -1)):
        u, v = sf.constant(np.float64(A[:5])), sf.constant(np.float64(X[:5]))
        found = run(sf.gradients(build(u, v), [u, v]))
        np.testing.assert_allclose(found, sign * np.array([of_a, of_x]), rtol=2e-6)


EXACT = [  # by mpmath with 40 digits: a, x, lower, upper
    (0.001, 0.002, 0.994375664625567447, 0.00562433537443255349),
    (0.5, 0.1, 0.34527915398142298, 0.65472084601857702),
    (0.3, 5.0, 0.999348681249281548, 0.00065131875071845155),
    (3.0, 0.7, 0.0341415841257084885, 0.965858415874291512),
    (2.5, 2.5, 0.58411981300449208, 0.41588018699550792),
    (10.0, 12.0, 0.757607838329487651, 0.242392161670512349),
    (30.0, 10.0, 2.50995120152790782e-7, 0.999999749004879847),
    (100.0, 101.0, 0.552896293434511246, 0.447103706565488754),
    (1000.0, 950.0, 0.0550546862307380345, 0.944945313769261966),
    (10000.0, 10100.0, 0.841348750447179622, 0.158651249552820378),
    (1e-06, 0.5, 0.999999440226111844, 5.59773888155634534e-7),
    (20.0, 80.0, 0.999999999999999721, 2.79057215004208641e-16),
]


@pytest.mark.parametrize(("a", "x", "lower", "upper"), EXACT)
def test_gamma_has_all_its_digits(a, x, lower, upper):
    """In the tails as many as the rounding of the exponent leaves."""
    x = sf.constant(np.float64(x))
    for found, wanted in zip(run([sf.igamma(np.float64(a), x),
                                  sf.igammac(np.float64(a), x)]),
                             (lower, upper), strict=True):  # fmt: skip
        ulps = 20 + 2 * abs(np.log(wanted))
        np.testing.assert_allclose(found, wanted, rtol=ulps * 2.3e-16)


@pytest.mark.parametrize("points", [(0.3, 0.4), (2.5, 7.0), (9.0, 4.0), (60.0, 55.0)])
def test_gradients_of_gamma_by_both(points):
    a, x = (sf.constant(np.float64(p)) for p in points)
    assert check_gradients(sf.igamma(a, x), [a, x], order=1) < 1e-6
    assert check_gradients(sf.igammac(a, x), [a, x], order=1) < 1e-6


def test_beta_is_tensorflow_s():
    a, b = [0.5, 2, 5, 1, 50, 0, 1, 1], [0.5, 3, 2, 1, 60, 1, 0, 1]
    x = sf.constant(np.float64([0.1, 0.5, 0.9, 0.3, 0.4, 0.5, 0.5, 1.5]))
    wanted = [0.20483276, 0.6875, 0.885735, 0.3, 0.12470686, *[np.nan] * 3]
    found = run(sf.betainc(np.float64(a), np.float64(b), x))
    np.testing.assert_allclose(found, wanted, rtol=3e-8)
    assert run(sf.betainc(2.0, 3.0, [0.0, 1.0])).tolist() == [0, 1]
    x = sf.constant(np.float64([0.1, 0.5, 0.9]))
    y = sf.betainc(np.float64(a[:3]), np.float64(b[:3]), x)
    np.testing.assert_allclose(run(sf.gradients(y, x)[0]), [1.06103295, 1.5, 1.9683])


BETA = [  # by mpmath with 40 digits: a, b, x, value
    (0.5, 0.5, 0.1, 0.204832764699133458),
    (2.0, 3.0, 0.5, 0.6875),
    (0.1, 0.2, 0.9, 0.780488032002446695),
    (50.0, 60.0, 0.4, 0.12470685834310036),
    (300.0, 2.0, 0.99, 0.196163576285143026),
    (13.7, 0.014, 0.94, 0.00426436362195484621),
    (1000.0, 1200.0, 0.46, 0.696626195944040406),
    (5.0, 0.5, 0.01, 2.47125780863954462e-11),
]


@pytest.mark.parametrize(("a", "b", "x", "wanted"), BETA)
def test_beta_has_all_its_digits(a, b, x, wanted):
    found = run(sf.betainc(np.float64(a), np.float64(b), sf.constant(np.float64(x))))
    ulps = 20 + 2 * abs(np.log(wanted))
    np.testing.assert_allclose(found, wanted, rtol=ulps * 2.3e-16)


def test_shapes_and_dtypes():
    x = sf.placeholder(sf.float32, [None, 3])
    assert sf.igamma(sf.ones([3]), x).static_shape == (None, 3)
    assert sf.betainc(2.0, 3.0, [0.5]).dtype == sf.float32
    with pytest.raises(TypeError, match="igamma does not take int32"):
        sf.igamma(1, 2)


def test_numbers_are_counted_as_in_tensorflow():
    numbers = [1, 1, 3, 0]
    cases = [
        (sf.math.bincount(numbers), [1, 2, 0, 1]),
        (sf.bincount(numbers, minlength=6), [1, 2, 0, 1, 0, 0]),
        (sf.bincount(numbers, maxlength=2), [1, 2]),
        (sf.bincount(numbers, minlength=6, maxlength=2), [1, 2]),
        (sf.bincount(numbers, [0.5, 0.25, 1.0, 2.0]), [2, 0.75, 0, 1]),
        (sf.bincount([[1, 1], [3, 0]]), [1, 2, 0, 1]),
        (sf.bincount(np.zeros(0, np.int32)), []),
    ]
    for made, wanted in cases:
        assert run(made).tolist() == wanted
        assert made.static_dtype == run(made).dtype
    assert sf.bincount(numbers).dtype == sf.int32
    assert sf.bincount(numbers, dtype=sf.float32).dtype == sf.float32
    with pytest.raises(sf.errors.InvalidArgumentError, match=r"arr\[1\] = -1 is neg"):
        run(sf.bincount([1, -1]))
    with pytest.raises(ValueError, match="a weight for each number"):
        sf.bincount(numbers, [1.0])
    with pytest.raises(TypeError, match="whole numbers"):
        sf.bincount([1.5])


def test_beta_of_numbers_that_are_too_large_is_no_wrong_number():
    large = np.array([1e12, 1e8, 2.0])
    found = run(sf.betainc(large, large, np.array([0.5, 0.5, 0.5])))
    assert np.isnan(found[0])
    np.testing.assert_allclose(found[1:], 0.5, rtol=1e-12)
