"""Quotients and products that are 0 where others are nan; numbers are in parity."""

import numpy as np
import pytest

import similarflow as sf

INF, NAN = np.inf, np.nan


@pytest.fixture
def sess():
    return sf.Session()


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.complex64])
def test_values_where_it_counts(sess, dtype):
    x, y = sf.Placeholder(), sf.Placeholder()
    feeds = {x: np.array([0, 0, 2], dtype), y: np.array([0, NAN, 4], dtype)}
    found = sess.run([sf.math.xdivy(x, y), sf.math.xlogy(x, y)], feeds)
    np.testing.assert_allclose(found, [[0, 0, 0.5], [0, 0, 2 * np.log(4)]], rtol=1e-3)
    assert all(f.dtype == dtype for f in found)
    quotient = sess.run(sf.div_no_nan(y, x), feeds)
    np.testing.assert_allclose(quotient, [0, 0, 2])
    assert quotient.dtype == dtype


def test_slopes_at_zero(sess):
    x, y = sf.constant([0.0, 2.0], sf.float64), sf.constant([0.0, 0.5], sf.float64)
    for build, by_x, by_y in [
        (sf.div_no_nan, [0, 2], [0, -8]),
        (sf.math.xdivy, [0, 2], [0, -8]),
        (sf.math.xlogy, [0, np.log(0.5)], [0, 4]),
        (sf.math.xlog1py, [0, np.log(1.5)], [0, 2 / 1.5]),
    ]:
        np.testing.assert_allclose(
            sess.run(sf.gradients(build(x, y), [x, y])), [by_x, by_y]
        )


def test_whole_numbers_are_not_taken():
    with pytest.raises(TypeError, match=r"div_no_nan does not take int32"):
        sf.div_no_nan(1, 2)
