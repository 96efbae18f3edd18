"""Complex numbers: their parts, linear algebra, and gradients by way of both parts."""

import numpy as np
import pytest

import similarflow as sf
from similarflow.testing import check_gradients

RNG = np.random.default_rng(3)
A, B = RNG.normal(size=(2, 2, 3, 3))  # the parts of two matrices
M = A + 1j * B
Z = np.array([1 + 2j, 0, -3j, -4])


def run(fetches):
    return sf.Session().run(fetches)


def hermitian(z):
    return sf.matmul(z, z, adjoint_b=True) + 0.5 * np.eye(3)


def lengths(z):
    return sf.square(sf.abs(z))


def projections(v):
    """What does not depend on how far each column is turned."""
    return sf.einsum("bij,bkj->bikj", v, sf.conj(v))


def of_svd(z):
    s, u, v = sf.svd(z)
    turned = sf.expand_dims(sf.cast(s * [1.0, 2.0, 4.0], u.dtype), -2)
    return sf.matmul(u * turned, v, adjoint_b=True)


GRADED = {
    "real": sf.real,
    "imag": sf.imag,
    "abs": sf.abs,
    "sign": sf.sign,
    "angle": sf.angle,
    "complex": lambda z: sf.complex(sf.imag(z), sf.abs(z)),
    "norm": sf.norm,
    "norm_inf": lambda z: sf.norm(z, np.inf, axis=1),
    "norm_3": lambda z: sf.norm(z, 3, axis=1),
    "norm_of_map": lambda z: sf.norm(z, 2, axis=[1, 2]),
    "squared_difference": lambda z: sf.squared_difference(z, 1j * z + 2.0) * z,
    "trace": lambda z: sf.trace(z) * sf.trace(z),
    "adjoint": lambda z: sf.linalg.adjoint(z) * z,
    "inverse": sf.matrix_inverse,
    "inverse_adjoint": lambda z: sf.matrix_inverse(z, adjoint=True),
    "determinant": sf.matrix_determinant,
    "slogdet_sign": lambda z: sf.linalg.slogdet(z).sign,
    "slogdet": lambda z: sf.linalg.slogdet(z)[1] * sf.linalg.slogdet(z)[0],
    "solve": lambda z: sf.matrix_solve(z, z[..., :2] * 1j),
    "solve_adjoint": lambda z: sf.matrix_solve(z, z[..., :2], adjoint=True),
    "triangular": lambda z: sf.matrix_triangular_solve(z, z),
    "triangular_upper": lambda z: sf.matrix_triangular_solve(z, z, False, True),
    "cholesky": lambda z: sf.cholesky(hermitian(z)),
    "cholesky_solve": lambda z: sf.cholesky_solve(sf.cholesky(hermitian(z)), z),
    "logdet": lambda z: sf.linalg.logdet(hermitian(z)),
    "qr_q": lambda z: sf.qr(z).q,
    "qr_r": lambda z: sf.qr(z).r,
    "qr_tall": lambda z: sf.qr(z[..., :2])[0] * 2.0,
    "qr_wide": lambda z: sf.qr(z[:, :2]).r,
    "svd_values": lambda z: sf.svd(z, compute_uv=False),
    "svd": of_svd,
    "svd_u": lambda z: projections(sf.svd(z)[1]),
    "svd_v": lambda z: projections(sf.svd(z)[2]),
    "svd_tall": lambda z: projections(sf.svd(z[..., :2])[1]),
    "svd_wide": lambda z: projections(sf.svd(z[:, :2])[2]),
    "eigenvalues": lambda z: sf.self_adjoint_eigvals(hermitian(z)),
    "eig_values": lambda z: sf.self_adjoint_eig(hermitian(z))[0],
    "eig_vectors": lambda z: projections(sf.self_adjoint_eig(hermitian(z))[1]),
    "eig_triangle": lambda z: sf.self_adjoint_eigvals(z),
    "matmul": lambda z: sf.matmul(z, z, adjoint_a=True),
    "einsum": lambda z: sf.einsum("bij,bkj,bkl->bil", z, sf.conj(z), z),
    "tensordot": lambda z: sf.tensordot(z, z * 1j, [[0, 2], [0, 1]]),
    "band": lambda z: sf.matrix_band_part(z, 1, 0) * z,
    "diagonals": lambda z: sf.matrix_set_diag(z, sf.matrix_diag_part(z) ** 2.0),
}


@pytest.mark.parametrize("name", GRADED)
def test_gradients_are_those_by_both_parts(name):
    a, b = sf.constant(A), sf.constant(B)
    y = GRADED[name](sf.complex(a, b))
    weights = RNG.normal(size=[2, *np.shape(run(y))])
    loss = sf.reduce_sum(sf.real(y) * weights[0] + sf.imag(y) * weights[1])
    assert check_gradients(loss, [a, b], rtol=1e-4) < 1e-2


def test_the_parts_of_complex_numbers():
    x = sf.constant([1.0, -2.0])
    assert run(sf.complex(x, 3.0)).tolist() == [1 + 3j, -2 + 3j]
    assert sf.complex(x, 3.0).dtype == sf.complex64
    assert sf.complex(np.float64(1), np.float64(2)).dtype == sf.complex128
    assert [run(f(Z)).tolist() for f in (sf.real, sf.imag)] == [
        [1, 0, 0, -4], [2, 0, -3, 0],
    ]  # fmt: skip
    assert sf.real(x) is x
    assert run([sf.imag(x), sf.real([1, 2])])[1].tolist() == [1, 2]
    np.testing.assert_allclose(run(sf.angle(x)), [0, np.pi], rtol=1e-6)
    np.testing.assert_allclose(run(sf.angle(Z)), np.angle(Z))
    for part in (sf.real, sf.imag, sf.abs, sf.angle):
        assert part(sf.constant(Z)).dtype == sf.float64
        assert part(np.complex64(Z)).dtype == sf.float32
    with pytest.raises(TypeError, match="float32 or float64"):
        sf.complex(np.float16(1), np.float16(2))
    with pytest.raises(TypeError, match="complex does not take int32"):
        sf.complex(1, 2)


def test_size_and_direction_are_tensorflow_s():
    z = sf.constant(Z)
    assert (sf.abs(z).op.type, sf.abs(z).op.name) == ("ComplexAbs", "Abs_1")
    np.testing.assert_allclose(run(sf.abs(z)), [5**0.5, 0, 3, 4])
    np.testing.assert_allclose(run(abs(z)), [5**0.5, 0, 3, 4])
    assert run(sf.abs([z[0] * 0.0, 3 - 4j])).tolist() == [0, 5]
    assert run(sf.abs([sf.constant(-1.0), 2.0])).tolist() == [1, 2]
    np.testing.assert_allclose(run(sf.sign(z)), [(1 + 2j) / 5**0.5, 0, -1j, -1])
    found = run(sf.gradients(sf.abs(z), z)[0])
    np.testing.assert_allclose(found, [(1 + 2j) / 5**0.5, 0, -1j, -1])
    assert run(sf.gradients(sf.real(z), z)[0]).tolist() == [1] * 4
    assert run(sf.gradients(sf.imag(z), z)[0]).tolist() == [1j] * 4
    found = run(sf.gradients(sf.angle(z), z)[0])
    np.testing.assert_allclose(found, [-0.4 + 0.2j, np.nan, 1 / 3, -0.25j])
    assert [sf.norm(z, p).dtype.name for p in (2, 1)] == ["complex128", "float64"]
    np.testing.assert_allclose(run([sf.norm(z), sf.norm(z, 1)]), [30**0.5, 7 + 5**0.5])
    square = run(sf.squared_difference(z, [1j, 2, 3, 4]))
    np.testing.assert_allclose(square, [2, 4, 18, 64], rtol=1e-14)


def test_an_untyped_placeholder_may_be_fed_complex_numbers():
    x = sf.Placeholder()
    parts = [sf.real(x), sf.imag(x), sf.abs(x), sf.angle(x)]
    found = sf.Session().run(parts, {x: Z})
    for value, wanted in zip(found, (Z.real, Z.imag, abs(Z), np.angle(Z)), strict=True):
        np.testing.assert_allclose(value, wanted)
    assert sf.Session().run(parts[0], {x: [1.0, 2.0]}).tolist() == [1, 2]


@pytest.mark.parametrize("dtype", [np.complex64, np.complex128])
def test_values_of_linear_algebra_are_numpy_s(dtype):
    m = M.astype(dtype)
    h = m @ m.conj().swapaxes(1, 2) + np.eye(3, dtype=dtype)
    e, v = run(sf.self_adjoint_eig(h))
    s, u, w = run(sf.svd(m))
    q, r = run(sf.qr(m))
    sign, log_abs = run(sf.linalg.slogdet(m))
    turned = m.conj().swapaxes(1, 2)
    for found, wanted in (
        (run(sf.matrix_inverse(m)), np.linalg.inv(m)),
        (run(sf.matrix_inverse(m, adjoint=True)), np.linalg.inv(turned)),
        (run(sf.matrix_determinant(m)), np.linalg.det(m)),
        (run(sf.matrix_solve(m, m[..., :1], adjoint=True)),
         np.linalg.solve(turned, m[..., :1])),
        (run(sf.matrix_triangular_solve(m, m, adjoint=True)),
         np.linalg.solve(np.tril(m).conj().swapaxes(1, 2), m)),
        (run(sf.cholesky(h)), np.linalg.cholesky(h)),
        (v * e[:, None] @ v.conj().swapaxes(1, 2), h),
        (u * s[:, None] @ w.conj().swapaxes(1, 2), m), (q @ r, m),
        (sign * np.exp(log_abs), np.linalg.det(m)),
        (run(sf.trace(m)), np.trace(m, axis1=1, axis2=2)),
        (run(sf.linalg.adjoint(m)), turned),
    ):  # fmt: skip
        tolerance = 1e-4 if dtype == np.complex64 else 1e-10
        np.testing.assert_allclose(found, wanted, rtol=tolerance, atol=tolerance)
    dtypes = [x.dtype.name for x in (e, v, s, u, w, q, r, sign, log_abs)]
    real = "float32" if dtype == np.complex64 else "float64"
    assert dtypes == [real if i == 2 else np.dtype(dtype).name for i in range(9)]
    eigenvalues = sf.self_adjoint_eigvals(h)
    assert run(eigenvalues).dtype == eigenvalues.static_dtype == dtype
    assert sf.svd(m, compute_uv=False).static_dtype == np.dtype(real)
    assert sf.linalg.logdet(h).static_dtype == np.dtype(real)


def test_gradients_of_singular_values_are_tensorflow_s():
    x = sf.constant([[1 + 1j, 2], [3, 4 - 1j]])
    wanted = [[-0.19603562 + 0.72342671j, 0.47630986 - 0.45973117j],
              [0.58676168 - 0.30648744j, 0.74829475 + 0.0427919j]]  # fmt: skip
    for s in (sf.svd(x)[0], sf.svd(x, compute_uv=False)):
        np.testing.assert_allclose(run(sf.gradients(s, x)[0]), wanted, rtol=1e-6)
