"""Quantiles against the standard library, which gives them in float64."""

from statistics import NormalDist

import numpy as np
import pytest

import similarflow as sf


@pytest.fixture
def sess():
    return sf.Session()


def test_quantiles_are_exact(sess):
    p = np.concatenate(
        [np.linspace(1e-3, 1 - 1e-3, 500), 10.0 ** -np.arange(1, 300, 7)]
    )
    want = [NormalDist().inv_cdf(v) for v in p]
    np.testing.assert_allclose(sess.run(sf.math.ndtri(p)), want, rtol=2e-15, atol=1e-15)


def test_erfinv_undoes_erf(sess):
    x = np.array([-3.5, -1.0, -0.1, -1e-12, 0.0, 1e-300, 0.3, 0.8, 2.0])
    np.testing.assert_allclose(sess.run(sf.math.erfinv(sf.erf(x))), x, rtol=1e-11)


def test_the_ends(sess):
    x = sf.placeholder(sf.float32)
    got = sess.run(sf.math.erfinv(x), {x: [-1.0, 1.0, 1.5, np.nan]})
    np.testing.assert_array_equal(got, [-np.inf, np.inf, np.nan, np.nan])
    assert got.dtype == np.float32
    got = sess.run(sf.math.ndtri(x), {x: [0.0, 1.0, -0.5, 2.0]})
    np.testing.assert_array_equal(got, [-np.inf, np.inf, np.nan, np.nan])
