"""Roots and reciprocals where their slope is infinite; numbers of TensorFlow 2.21."""

import numpy as np
import pytest

import similarflow as sf

INF, NAN = np.inf, np.nan
RECORDED = {  # for [0, 4]: slopes of y[1], curvatures of y[1], slopes themselves
    "sqrt": ([0, 0.25], [NAN, -0.03125], [INF, 0.25]),
    "rsqrt": ([0, -0.0625], [NAN, 0.0234375], [-INF, -0.0625]),
    "reciprocal": ([0, -0.0625], [NAN, 0.03125], [-INF, -0.0625]),
}


@pytest.fixture
def sess():
    return sf.Session()


@pytest.mark.parametrize("dtype", ["float32", "float64", "complex64", "complex128"])
@pytest.mark.parametrize("name", RECORDED)
def test_no_gradient_goes_on_where_none_arrives(sess, name, dtype):
    """Also in the second order, where TensorFlow has nan for the first element."""
    x = sf.constant([0.0, 4.0], dtype)
    one = sf.constant(1.0, dtype)
    first = sf.gradients(getattr(sf, name)(x)[1], x, one)[0]
    second = sf.gradients(first[1], x, one)[0]
    third = sf.gradients(second[1], x, one)[0]
    slopes, curvatures, _ = RECORDED[name]
    got = sess.run([first, second, third])
    np.testing.assert_allclose(got[0], slopes, rtol=1e-6)
    np.testing.assert_allclose(got[1], np.nan_to_num(curvatures), rtol=1e-6)
    assert got[2][0] == 0


@pytest.mark.parametrize("name", RECORDED)
def test_slopes_by_what_arrives(sess, name):
    x, u = sf.constant([0.0, 4.0], sf.float64), sf.constant([0.0, 1.0], sf.float64)
    grad = sf.gradients(getattr(sf, name)(x), x, u)[0]
    slopes, _, by_u = RECORDED[name]
    np.testing.assert_allclose(sess.run(sf.gradients(grad, u)[0]), by_u)
    np.testing.assert_allclose(sess.run(sf.gradients(grad[1], u)[0]), [0, slopes[1]])


def test_a_length_of_zero_that_was_not_asked_for(sess):
    x = sf.placeholder(sf.float64)
    lengths = sf.sqrt(sf.reduce_sum(x * x, 1))
    [grad] = sf.gradients(lengths[0], x)
    got = sess.run(grad, {x: [[3.0, 4.0], [0.0, 0.0]]})
    np.testing.assert_allclose(got, [[0.6, 0.8], [0.0, 0.0]])


def test_values_without_a_dtype(sess):
    x = sf.Placeholder()
    y = sf.sqrt(x) + sf.rsqrt(x) + sf.reciprocal(x)
    grads = [y, *sf.gradients(y, x)]
    for got in sess.run(grads, {x: np.float16([4.0])}):
        assert got.dtype == np.float16


def test_products_that_are_no_nan(sess):
    y = sf.math.multiply_no_nan([INF, NAN, 2.0], [0.0, 0.0, 3.0])
    np.testing.assert_array_equal(sess.run(y), [0, 0, 6])
