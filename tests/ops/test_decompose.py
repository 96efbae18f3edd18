"""Inverses, solutions and decompositions: values, gradients, shapes, errors."""

from typing import Any

import numpy as np
import pytest

import similarflow as sf
from similarflow.ops.adjoint import matrix_transpose
from similarflow.ops.decompose import qr, self_adjoint_eig, self_adjoint_eigvals, svd
from similarflow.ops.inverse import (
    log_matrix_determinant,
    matrix_determinant,
    matrix_inverse,
    slogdet,
)
from similarflow.ops.solve import (
    cholesky,
    cholesky_solve,
    logdet,
    matrix_solve,
    matrix_triangular_solve,
)
from similarflow.testing import check_gradients

SYMMETRIC = np.array([[4.0, 1.0, 0.5], [1.0, 3.0, -1.0], [0.5, -1.0, 2.0]])
SQUARE = np.array([[2.0, 1.0, 0.0], [0.5, 3.0, 1.0], [1.0, -1.0, 2.0]])
TALL = np.array([[1.0, 2.0], [3.0, 4.0], [5.0, 7.0]])
WEIGHTS = np.arange(9.0).reshape(3, 3) / 10
SINGULAR = [[1.0, 2.0], [2.0, 4.0]]
SIZES = [(2, 3, 3), (1, 1), (2, 1, 2, 2), (0, 2, 2), (0, 0)]


def run(fetches: Any, feeds: Any = None) -> Any:
    with sf.Session() as sess:
        return sess.run(fetches, feeds)


def drawn(*shape: int) -> Any:
    """Random matrices; square ones are far from singular."""
    x = np.random.default_rng(7).normal(size=shape)
    return x + 3 * np.eye(shape[-1]) if shape[-1] == shape[-2] else x


def gram(x: Any) -> Any:
    """A positive definite matrix, as a tensor."""
    return x @ matrix_transpose(x) + np.eye(x.static_shape[-2])


def as_symmetric(x: Any) -> Any:
    return x + np.swapaxes(x, -1, -2)


# Inverses, determinants, systems


@pytest.mark.parametrize("shape", SIZES)
def test_values_of_square_matrices_are_numpy_s(shape: tuple[int, ...]) -> None:
    a, b = drawn(*shape), drawn(*shape[:-1], 3)
    got = run([matrix_inverse(a), matrix_inverse(a, adjoint=True)])
    np.testing.assert_allclose(got[0], np.linalg.inv(a))
    np.testing.assert_allclose(got[1], np.swapaxes(np.linalg.inv(a), -1, -2))
    np.testing.assert_allclose(run(matrix_determinant(a)), np.linalg.det(a))
    for got, want in zip(
        run(log_matrix_determinant(a)), np.linalg.slogdet(a), strict=True
    ):
        np.testing.assert_allclose(got, want)
    np.testing.assert_allclose(run(matrix_solve(a, b)), np.linalg.solve(a, b))
    turned = np.swapaxes(a, -1, -2)
    got = run(matrix_solve(a, b, adjoint=True))
    np.testing.assert_allclose(got, np.linalg.solve(turned, b))
    for lower in (True, False):
        triangle = np.tril(a) if lower else np.triu(a)
        got = run(matrix_triangular_solve(a, b, lower))
        np.testing.assert_allclose(triangle @ got, b, atol=1e-12)
        got = run(matrix_triangular_solve(a, b, lower, adjoint=True))
        np.testing.assert_allclose(np.swapaxes(triangle, -1, -2) @ got, b, atol=1e-12)


def test_values_are_tensorflow_s() -> None:
    """The numbers are those of TensorFlow, given the same matrices."""
    inverse = [[7, -2, 1], [0, 4, -2], [-3.5, 3, 5.5]]
    np.testing.assert_allclose(
        run(matrix_inverse(SQUARE)), np.divide(inverse, 14), atol=1e-15
    )
    assert run(matrix_determinant(SQUARE)) == pytest.approx(14)
    assert run(slogdet(SQUARE).log_abs_determinant) == pytest.approx(2.639057329615259)
    np.testing.assert_allclose(
        run(matrix_solve(SQUARE, TALL, adjoint=True)),
        [[-0.75, -0.75], [1.7857142857, 2.3571428571], [1.6071428571, 2.3214285714]],
    )
    np.testing.assert_allclose(
        run(matrix_triangular_solve(SQUARE, TALL)),
        [[0.5, 1], [0.9166666667, 1.1666666667], [2.7083333333, 3.5833333333]],
    )
    np.testing.assert_allclose(
        run(matrix_triangular_solve(SQUARE, TALL, lower=False, adjoint=True)),
        [[0.5, 1], [0.8333333333, 1], [2.0833333333, 3]],
    )
    np.testing.assert_allclose(
        run(cholesky(SYMMETRIC)),
        [[2, 0, 0], [0.5, 1.6583123952, 0], [0.25, -0.6784005253, 1.215431087]],
    )
    np.testing.assert_allclose(
        run(self_adjoint_eigvals(SYMMETRIC)), [1.0595504398, 3.3175444386, 4.6229051216]
    )
    np.testing.assert_allclose(
        run(svd(TALL, compute_uv=False)), [10.191428257097225, 0.36713768594389984]
    )


def test_gradients_are_tensorflow_s() -> None:
    """The numbers are those of TensorFlow; squares, where a sign is arbitrary."""
    a, m, r = (sf.constant(v) for v in (SYMMETRIC, SQUARE, TALL))
    got = run(sf.gradients(cholesky(a) * WEIGHTS, a)[0])
    want = [
        [0.00562430893657931, -0.03371711349542465, 0.02243975549821477],
        [-0.03371711349542465, 0.26202330009887237, 0.34569030776565235],
        [0.02243975549821477, 0.34569030776565235, 0.32910134048297696],
    ]
    np.testing.assert_allclose(got, want)
    e, v = self_adjoint_eig(a)
    got = run(sf.gradients([sf.square(v) * WEIGHTS, e * WEIGHTS[2]], a)[0])
    want = [
        [0.759762898024678, 0, 0],
        [0.12708423580839584, 0.6984883120481922, 0],
        [0.04086679862707604, -0.09080372496500122, 0.6417487899271308],
    ]
    np.testing.assert_allclose(got, want)
    x = matrix_triangular_solve(m, r)
    grad_m, grad_r = run(sf.gradients(x * WEIGHTS[:, :2], [m, r]))
    want = [[0.2875, 0, 0], [-0.35, -0.475, 0], [-0.5, -0.6833333333, -2.0666666667]]
    np.testing.assert_allclose(grad_m, want)
    np.testing.assert_allclose(grad_r, [[-0.2, -0.1875], [0.2, 0.25], [0.3, 0.35]])
    want = [
        [0.07653061224489778, -0.06428571428571418],
        [0.22959183673469352, -0.19285714285714262],
        [-0.15306122448979564, 0.12857142857142836],
    ]
    for factor in (svd(r)[1], qr(r).q):
        got = run(sf.gradients(sf.square(factor) * WEIGHTS[:, :2], r)[0])
        np.testing.assert_allclose(got, want, rtol=1e-9)


def test_triangular_solve_broadcasts_batches() -> None:
    m, rhs = sf.constant(drawn(2, 1, 3, 3)), sf.constant(drawn(4, 3, 2))
    x = matrix_triangular_solve(m, rhs)
    assert x.shape.as_list() == [2, 4, 3, 2]
    np.testing.assert_allclose(
        np.tril(drawn(2, 1, 3, 3)) @ run(x), np.broadcast_to(run(rhs), (2, 4, 3, 2))
    )
    check_gradients(x, [m, rhs])


def test_triangular_solve_takes_integers_from_an_untyped_placeholder() -> None:
    m = sf.placeholder(None)
    got = run(matrix_triangular_solve(m, m), {m: np.array([[2, 0], [1, 4]])})
    np.testing.assert_allclose(got, np.eye(2), atol=1e-15)


def test_gradient_of_a_determinant_is_its_cofactors() -> None:
    x = sf.constant([[1.0, 2.0], [3.0, 5.0]], sf.float64)
    grad = sf.gradients(matrix_determinant(x), x)[0]
    np.testing.assert_allclose(run(grad), [[5, -3], [-2, 1]])


# Decompositions


@pytest.mark.parametrize("shape", SIZES)
def test_cholesky_of_batches(shape: tuple[int, ...]) -> None:
    x = sf.constant(drawn(*shape))
    factor = cholesky(gram(x))
    np.testing.assert_allclose(run(factor), np.linalg.cholesky(run(gram(x))))
    check_gradients(factor, x)


def test_cholesky_reads_the_lower_triangle() -> None:
    assert run(cholesky([[4.0, 9.0], [2.0, 5.0]])).tolist() == [[2, 0], [1, 2]]


def test_what_is_made_from_cholesky() -> None:
    """The logarithm is TensorFlow's."""
    x, rhs = sf.constant(SYMMETRIC), sf.constant(TALL)
    assert run(logdet(x)) == pytest.approx(2.7880929087757464)
    np.testing.assert_allclose(
        run(sf.gradients(logdet(x), x)[0]), np.linalg.inv(SYMMETRIC)
    )
    solved = cholesky_solve(cholesky(x), rhs)
    np.testing.assert_allclose(run(solved), np.linalg.solve(SYMMETRIC, TALL))
    check_gradients(solved, rhs)


@pytest.mark.parametrize("shape", SIZES)
def test_eigenvalues_and_vectors(shape: tuple[int, ...]) -> None:
    a = as_symmetric(drawn(*shape))
    e, v = run(self_adjoint_eig(a))
    np.testing.assert_allclose(a @ v, v * e[..., None, :], atol=1e-12)
    np.testing.assert_allclose(
        np.swapaxes(v, -1, -2) @ v,
        np.broadcast_to(np.eye(shape[-1]), shape),
        atol=1e-12,
    )
    np.testing.assert_allclose(run(self_adjoint_eigvals(a)), np.linalg.eigvalsh(a))


def test_equal_eigenvalues_have_finite_gradients() -> None:
    x = sf.constant(np.eye(3))
    e, v = self_adjoint_eig(x)
    grads = run(sf.gradients(e, x) + sf.gradients(v, x))
    np.testing.assert_allclose(grads[0], np.eye(3), atol=1e-12)
    assert np.all(np.isfinite(grads[1]))


@pytest.mark.parametrize("full", [False, True])
@pytest.mark.parametrize("shape", [(2, 3, 2), (2, 4), (1, 3), (3, 1), (1, 1), (3, 3)])
def test_svd_and_qr_give_the_matrix_back(shape: tuple[int, ...], full: bool) -> None:
    a, k = drawn(*shape), min(shape[-2:])
    s, u, v = svd(a, full_matrices=full)
    q, r = qr(a, full_matrices=full)
    values = run([s, u, v, q, r])
    for tensor, value in zip((s, u, v, q, r), values, strict=True):
        assert tensor.shape.as_list() == list(value.shape)
    s, u, v, q, r = values
    assert u.shape[-1] == (shape[-2] if full else k)
    assert v.shape[-1] == (shape[-1] if full else k)
    np.testing.assert_allclose(
        (u[..., :k] * s[..., None, :]) @ np.swapaxes(v[..., :k], -1, -2), a, atol=1e-12
    )
    np.testing.assert_allclose(run(svd(a, compute_uv=False)), s)
    np.testing.assert_allclose(q @ r, a, atol=1e-12)
    np.testing.assert_allclose(
        np.swapaxes(q, -1, -2) @ q,
        np.broadcast_to(np.eye(q.shape[-1]), (*shape[:-2], q.shape[-1], q.shape[-1])),
        atol=1e-12,
    )
    np.testing.assert_allclose(r, np.triu(r), atol=1e-12)


@pytest.mark.parametrize("known", [True, False])
@pytest.mark.parametrize("shape", [(2, 3, 2), (2, 4), (1, 3), (3, 1), (1, 1), (3, 3)])
def test_gradients_of_svd_and_qr(shape: tuple[int, ...], known: bool) -> None:
    x = sf.placeholder(sf.float64, shape if known else None)
    s, u, v = svd(x)
    for y in (s, u, v, svd(x, compute_uv=False), *qr(x)):
        check_gradients(y, x, {x: drawn(*shape)})


def test_gradient_through_a_product_of_svd_is_that_of_the_matrix() -> None:
    x = sf.constant(TALL)
    s, u, v = svd(x)
    same = sf.matmul(u * s, v, transpose_b=True)
    got = run(sf.gradients(same * WEIGHTS[:, :2], x)[0])
    np.testing.assert_allclose(got, WEIGHTS[:, :2], atol=1e-12)


def test_sum_of_singular_values_of_a_matrix_without_full_rank() -> None:
    x = sf.constant(SINGULAR, sf.float64)
    grad = run(sf.gradients(svd(x)[0][0], x)[0])
    np.testing.assert_allclose(grad, np.divide(SINGULAR, 5), atol=1e-12)


@pytest.mark.parametrize("build", [svd, qr])
def test_full_matrices_have_no_gradient(build: Any) -> None:
    x = sf.constant(TALL)
    with pytest.raises(NotImplementedError, match="full_matrices=False"):
        sf.gradients(build(x, full_matrices=True)[0], x)
    x = sf.constant(SQUARE)
    check_gradients(build(x, full_matrices=True)[1], x)


def test_full_matrices_of_unknown_shape_fail_in_the_run() -> None:
    for build in (svd, qr):
        for value in (TALL, TALL[:, :1]):
            x = sf.placeholder(sf.float64)
            grad = sf.gradients(build(x, full_matrices=True)[0], x)[0]
            with pytest.raises(sf.errors.InvalidArgumentError):
                run(grad, {x: value})


# Shapes and errors


def test_static_shapes_with_unknowns() -> None:
    x = sf.placeholder(sf.float64, [None, 2, None])
    for y in (matrix_inverse(x), cholesky(x), self_adjoint_eig(x)[1]):
        assert y.shape.as_list() == [None, 2, 2]
    assert self_adjoint_eigvals(x).shape.as_list() == [None, 2]
    assert matrix_determinant(x).shape.as_list() == [None]
    assert [t.shape.as_list() for t in slogdet(x)] == [[None], [None]]
    rhs = sf.placeholder(sf.float64, [5, None, 3])
    assert matrix_solve(x, rhs).shape.as_list() == [5, 2, 3]
    assert matrix_triangular_solve(x, rhs).shape.as_list() == [5, 2, 3]
    assert [t.shape.as_list() for t in svd(x)] == [
        [None, None], [None, 2, None], [None, None, None]
    ]  # fmt: skip
    assert [t.shape.as_list() for t in qr(x, True)] == [[None, 2, 2], [None, 2, None]]


@pytest.mark.parametrize(
    "build", [matrix_inverse, matrix_determinant, cholesky, self_adjoint_eig]
)
def test_what_is_not_square(build: Any) -> None:
    with pytest.raises(ValueError, match="square"):
        build(TALL)
    with pytest.raises(ValueError, match="rank 2"):
        build([1.0, 2.0])
    x = sf.placeholder(sf.float64)
    with pytest.raises(sf.errors.InvalidArgumentError, match="square"):
        run(build(x), {x: TALL})


@pytest.mark.parametrize("build", [matrix_solve, matrix_triangular_solve])
def test_systems_that_do_not_fit(build: Any) -> None:
    with pytest.raises(ValueError, match="as many rows"):
        build(SQUARE, drawn(2, 1))
    with pytest.raises(ValueError, match="expand_dims"):
        build(SQUARE, [1.0, 2.0, 3.0])
    with pytest.raises(ValueError, match="do not go together"):
        build(drawn(2, 3, 3), drawn(4, 3, 1))
    x = sf.placeholder(sf.float64)
    with pytest.raises(sf.errors.InvalidArgumentError, match="as many rows"):
        run(build(SQUARE, x), {x: drawn(2, 1)})


def test_singular_matrices() -> None:
    x = sf.placeholder(sf.float64)
    rhs = sf.ones_like(x)
    batch = np.stack([np.eye(2), np.zeros((2, 2)), np.eye(2)])
    for y, what in (
        (matrix_inverse(x), "is singular: it has no inverse"),
        (matrix_solve(x, rhs), "is singular: it has no single solution"),
        (cholesky(x), "not positive definite"),
        (matrix_triangular_solve(x, rhs), "0 on its diagonal"),
    ):
        with pytest.raises(sf.errors.InvalidArgumentError, match=what):
            run(y, {x: np.zeros((2, 2))})
        with pytest.raises(sf.errors.InvalidArgumentError, match=r"\[1\] of the batch"):
            run(y, {x: batch})
    with pytest.raises(sf.errors.InvalidArgumentError, match="'turned'"):
        run(matrix_inverse(x, name="turned"), {x: SINGULAR})
    with pytest.raises(sf.errors.InvalidArgumentError, match="0 on its diagonal"):
        run(matrix_triangular_solve(x, rhs), {x: [[1.0, 2.0], [2.0, 0.0]]})
    assert float(run(matrix_determinant(SINGULAR))) == 0.0
    assert [float(v) for v in run(log_matrix_determinant(SINGULAR))] == [0.0, -np.inf]


def test_an_indefinite_matrix_has_no_cholesky_factor() -> None:
    with pytest.raises(sf.errors.InvalidArgumentError, match="eigenvalue is -1,"):
        run(cholesky([[1.0, 2.0], [2.0, 1.0]]))


def test_nan_has_no_decomposition() -> None:
    x = np.full((2, 2), np.nan)
    for y in (self_adjoint_eigvals(x), svd(x)[0], qr(x).q, cholesky(x)):
        with pytest.raises(sf.errors.InvalidArgumentError, match="nan or infinity"):
            run(y)


def test_dtypes_that_are_not_taken() -> None:
    with pytest.raises(TypeError, match="float16"):
        matrix_inverse(np.eye(2, dtype=np.float16))
    with pytest.raises(TypeError, match="cast"):
        svd(np.eye(2, dtype=np.int32))
