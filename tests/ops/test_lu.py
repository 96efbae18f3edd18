"""Triangular factors."""

import numpy as np
import pytest

import similarflow as sf
from similarflow.testing import check_gradients

ANY = np.random.default_rng(0).normal(size=(2, 3, 4, 4))


@pytest.fixture
def sess():
    return sf.Session()


@pytest.mark.parametrize("dtype", ["float32", "float64", "complex128"])
def test_the_factors_give_the_matrix(sess, dtype):
    x = (ANY + 1j * ANY[::-1]).astype(dtype) if dtype[0] == "c" else ANY.astype(dtype)
    factors, rows = sess.run(sf.linalg.lu(x, output_idx_type=sf.int64))
    assert (factors.dtype, rows.dtype) == (dtype, np.int64)
    low = np.tril(factors, -1) + np.eye(4)
    assert (np.abs(low) <= 1 + 1e-6).all()
    want = np.take_along_axis(x, rows[..., None], -2)
    np.testing.assert_allclose(low @ np.triu(factors), want, atol=1e-5)


def test_recorded_numbers(sess):
    """As TensorFlow 2.21 gave them."""
    x = [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0], [7.0, 8.0, 10.0]]
    factors, rows = sess.run(sf.linalg.lu(x))
    want = [
        [7, 8, 10],
        [0.142857149, 0.857142806, 1.57142854],
        [0.571428597, 0.5, -0.5],
    ]
    np.testing.assert_allclose(factors, want, rtol=1e-5)
    assert rows.tolist() == [2, 0, 1]


def test_gradients_of_complex_matrices():
    a, b = sf.constant(ANY[0, 0, :2, :2]), sf.constant(ANY[1, 0, :2, :2])
    y = sf.linalg.lu(sf.complex(a, b))[0]
    loss = sf.reduce_sum(sf.real(y * (0.3 + 0.7j)))
    assert check_gradients(loss, [a, b]) < 1e-5


def test_a_singular_matrix_is_named(sess):
    x = np.stack([np.eye(2), np.ones([2, 2])])
    with pytest.raises(ValueError, match=r"1.*is singular: no pivot .* column 1"):
        sess.run(sf.linalg.lu(x)[0])
    with pytest.raises(ValueError, match="square"):
        sf.linalg.lu([[1.0, 2.0]])
