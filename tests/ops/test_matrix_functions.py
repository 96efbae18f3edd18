"""Exponentials, pseudo-inverses, least squares."""

import numpy as np
import pytest

import similarflow as sf
from similarflow.testing import check_gradients

RNG = np.random.default_rng(0)
ANY, OTHER = RNG.normal(size=(2, 2, 3, 3))


@pytest.fixture
def sess():
    return sf.Session()


@pytest.mark.parametrize("scale", [0.0, 1e-8, 0.3, 7.0, 60.0])
def test_exponentials_of_symmetric_matrices(sess, scale):
    x = scale * (ANY + ANY.swapaxes(-1, -2)) / 4
    values, vectors = np.linalg.eigh(x)
    want = (vectors * np.exp(values)[:, None]) @ vectors.swapaxes(-1, -2)
    got = sess.run(sf.linalg.expm(x))
    np.testing.assert_allclose(got, want, rtol=1e-10, atol=1e-12 * np.abs(want).max())


def test_turning(sess):
    x = np.float32([[0.0, 1.0], [-1.0, 0.0]]) * np.float32(0.5)
    got = sess.run(sf.linalg.expm(x))
    c, s = np.cos(0.5), np.sin(0.5)
    np.testing.assert_allclose(got, [[c, s], [-s, c]], rtol=1e-6)
    assert got.dtype == np.float32


@pytest.mark.parametrize("name", ["expm", "pinv"])
def test_gradients_of_complex_matrices(name):
    a, b = sf.constant(ANY[0, :2]), sf.constant(ANY[1, :2])
    if name == "expm":
        a, b = a[:, :2], b[:, :2]
    z = sf.complex(a, b)
    y = getattr(sf.linalg, name)(z)
    loss = sf.reduce_sum(sf.real(y * (0.3 + 0.7j)))
    assert check_gradients(loss, [a, b]) < 1e-5


def test_least_squares(sess):
    a, b = RNG.normal(size=(5, 3)), RNG.normal(size=(5, 2))
    want = np.linalg.lstsq(a, b, rcond=None)[0]
    x = sf.placeholder(sf.float64)
    for y in (
        sf.matrix_solve_ls(a, b),
        sf.matrix_solve_ls(a, b, fast=False),
        sf.linalg.lstsq(x, b),
    ):
        np.testing.assert_allclose(sess.run(y, {x: a}), want, rtol=1e-9)
    wide = np.linalg.lstsq(a.T, b[:3], rcond=None)[0]
    np.testing.assert_allclose(sess.run(sf.matrix_solve_ls(a.T, b[:3])), wide)
    with pytest.raises(
        ValueError, match=r"sizes of the matrix must be known(.|\n)*made"
    ):
        sf.matrix_solve_ls(x, b, 0.5)


def test_a_regularizer_has_a_gradient():
    a, b = sf.constant(ANY[0]), sf.constant(OTHER[0])
    weight = sf.constant(0.3, sf.float64)
    y = sf.matrix_solve_ls(a, b, weight)
    assert check_gradients(y, [a, b, weight]) < 1.0


def test_what_is_cut_off(sess):
    x = np.diag([1.0, 1e-3, 0.0])
    assert sess.run(sf.linalg.pinv(x, 1e-2)).diagonal().tolist() == [1, 0, 0]
    np.testing.assert_allclose(sess.run(sf.linalg.pinv(x)).diagonal(), [1, 1000, 0])
    with pytest.raises(TypeError, match="rcond is one number"):
        sf.linalg.pinv(x, sf.constant(0.1))
    with pytest.raises(ValueError, match="rank 2 or more"):
        sf.linalg.pinv([1.0])
    with pytest.raises(ValueError, match="square"):
        sf.linalg.expm([[1.0, 2.0]])


def test_matrices_and_vectors(sess):
    x, v = ANY, OTHER[0, :2]
    for options, turned in [
        ({}, x),
        ({"transpose_a": True}, x.swapaxes(-1, -2)),
        ({"adjoint_a": True}, x.swapaxes(-1, -2)),
    ]:
        got = sess.run(sf.linalg.matvec(x, v, **options))
        np.testing.assert_allclose(got, np.einsum("bij,bj->bi", turned, v))
