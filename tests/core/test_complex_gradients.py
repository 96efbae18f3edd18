"""Gradients of a real loss by way of complex numbers: against finite differences."""

import numpy as np
import pytest

import similarflow as sf
from similarflow.testing import check_gradients

A, B = np.random.default_rng(4).uniform(0.3, 1.2, (2, 2, 3))
ONE = {
    "negative": lambda z: -z,
    "conj": sf.conj,
    "square": sf.square,
    "exp": sf.exp,
    "expm1": sf.expm1,
    "log": sf.log,
    "log1p": sf.log1p,
    "sqrt": sf.sqrt,
    "rsqrt": sf.rsqrt,
    "reciprocal": sf.reciprocal,
    "tanh": sf.tanh,
    "sin": sf.sin,
    "cos": sf.cos,
    "tan": sf.tan,
    "asin": sf.asin,
    "acos": sf.acos,
    "atan": sf.atan,
    "sinh": sf.sinh,
    "cosh": sf.cosh,
    "asinh": sf.asinh,
    "acosh": sf.acosh,
    "atanh": sf.atanh,
    "sigmoid": sf.sigmoid,
    "reduce_sum": lambda z: sf.reduce_sum(z, 1),
    "reduce_mean": lambda z: sf.reduce_mean(z, 0),
    "reduce_prod": lambda z: sf.reduce_prod(z, 1),
    "cumsum": lambda z: sf.cumsum(z, 1),
    "cumprod": lambda z: sf.cumprod(z, 1),
    "transpose": lambda z: sf.transpose(z, conjugate=True),
    "matrix_transpose": lambda z: sf.matrix_transpose(z, conjugate=True),
    "gather": lambda z: sf.gather(z, [1, 1, 0]),
    "reshape": lambda z: sf.reshape(z, [3, 2]) * 2j,
    "where": lambda z: sf.where(A > 0.7, z * z, sf.exp(z)),
    "stack": lambda z: sf.stack([z, z * 1j]),
}
TWO = {
    "add": lambda z, w: z + w,
    "subtract": lambda z, w: z - w,
    "multiply": lambda z, w: z * w,
    "truediv": lambda z, w: z / w,
    "power": lambda z, w: z**2.0 * w,
    "pow": sf.pow,
    "squared_difference": sf.squared_difference,
    "matmul": lambda z, w: sf.matmul(z, w, transpose_b=True),
    "adjoint_a": lambda z, w: sf.matmul(z, w, adjoint_a=True),
    "adjoint_b": lambda z, w: sf.matmul(z, w, adjoint_b=True),
    "adjoints": lambda z, w: sf.matmul(z, sf.transpose(w), True, adjoint_b=True),
    "batches": lambda z, w: sf.matmul(sf.stack([z, w]), w, adjoint_b=True),
    "einsum": lambda z, w: sf.einsum("ij,kj->ik", z, w),
}


def loss_of(function, *pairs):
    """The real parts of a result, weighted, of complex inputs with these parts."""
    inputs = [
        sf.cast(a, sf.complex128) + 1j * sf.cast(b, sf.complex128) for a, b in pairs
    ]
    y = function(*inputs)
    return sf.reduce_sum(sf.cast(y * (0.3 + 0.7j), sf.float64))


@pytest.mark.parametrize("name", ONE)
def test_of_one_complex_input(name):
    a, b = sf.constant(A), sf.constant(B)
    assert check_gradients(loss_of(ONE[name], (a, b)), [a, b]) < 1e-5


@pytest.mark.parametrize("name", TWO)
def test_of_two_complex_inputs(name):
    parts = [sf.constant(v) for v in (A, B, B + 0.5, A)]
    loss = loss_of(TWO[name], parts[:2], parts[2:])
    assert check_gradients(loss, parts) < 1e-5


def test_a_real_input_and_a_real_loss():
    """As TensorFlow 2.21 gave it, and finite differences."""
    x = sf.constant(np.arange(6.0).reshape(2, 3))
    z = sf.cast(x, sf.complex128) * (1 + 2j)
    product = sf.matmul(z, z, adjoint_b=True)
    grads = sf.gradients(sf.reduce_sum(sf.cast(product, sf.float64)), x)
    assert sf.Session().run(grads)[0].tolist() == [[30, 50, 70]] * 2


def test_a_product_s_gradient_is_the_conjugate_of_the_factor():
    z, w = sf.constant([1 + 2j]), sf.constant([3 - 1j])
    assert sf.Session().run(sf.gradients(z * w, [z, w])) == [[3 + 1j], [1 - 2j]]


def test_rules_of_one_s_own_conjugate_by_themselves():
    @sf.custom_gradient
    def twist(z):
        return z * (1 + 2j), lambda dy: dy * (5 + 6j)

    @sf.RegisterGradient("Twisted")
    def _twisted(op, grad):
        return grad * (5 + 6j)

    z = sf.constant([1.0 + 0j])
    with z.graph.gradient_override_map({"Square": "Twisted"}):
        y = sf.square(z)
    for found in sf.Session().run([sf.gradients(t, z)[0] for t in (twist(z), y)]):
        assert found == [5 + 6j]


def test_rows_of_a_complex_table():
    table = sf.Variable([[1 + 1j], [2 - 1j]])
    y = sf.gather(table, [1, 1]) * (1 + 2j)
    [grad] = sf.gradients(y, table)
    with sf.Session() as sess:
        values = sess.run(grad).values
    assert values.tolist() == [[1 - 2j]] * 2


def test_in_a_branch_and_in_a_loop():
    a, b = sf.constant(A), sf.constant(B)

    def power(z):
        _, z = sf.while_loop(
            lambda i, v: i < 2, lambda i, v: (i + 1, v * v * 1j), [0, z]
        )
        return sf.cond(sf.constant(True), lambda: z * (1 + 2j), lambda: z)

    assert check_gradients(loss_of(power, (a, b)), [a, b]) < 1e-5


Z = np.array([0.5 + 0.3j, -1.2 + 2j, 0.1 - 0.7j])
U = np.array([1 + 0.5j, -0.3j, 0.2])
RECORDED = {  # for Z: values, gradients of U, gradients of those and U; TensorFlow 2.21
    "asinh": [
        [0.4979029428 + 0.2695556414j, -1.5205078931 + 0.9872691521j,
         0.1383324547 - 0.7661351582j],
        [0.8486189632 + 0.5684255568j, -0.108035821 - 0.0784866241j,
         0.2701872251 - 0.0357351182j],
        [-0.5485735927 + 0.0889822475j, -0.0041550483 - 0.0180405837j,
         -0.0365761208 - 0.0615208697j],
    ],
    "sigmoid": [
        [0.6250851412 + 0.070937478j, -0.0412161724 + 0.3260278716j,
         0.5282981485 - 0.1819981959j],
        [0.2305126088 + 0.1374393655j, -0.1058709341 - 0.0190137683j,
         0.0564645116 - 0.0020600848j],
        [-0.0780062477 + 0.0369040255j, 0.0268844605 - 0.030660026j,
         -0.0007891091 - 0.0040872571j],
    ],
}  # fmt: skip


@pytest.mark.parametrize("known", [True, False])
@pytest.mark.parametrize("name", RECORDED)
def test_recorded_numbers(name, known):
    z = sf.constant(Z) if known else sf.Placeholder()
    y = getattr(sf, name)(z)
    with sf.Session() as sess:
        if not known:  # the dtype, and so what to conjugate, is not known
            np.testing.assert_allclose(sess.run(y, {z: Z}), RECORDED[name][0])
            return
        first = sf.gradients(y, z, sf.constant(U))[0]
        second = sf.gradients(first, z, sf.constant(U))[0]
        found = sess.run([y, first, second])
    np.testing.assert_allclose(found, RECORDED[name], rtol=1e-7)


def test_large_complex_numbers_do_not_overflow():
    z = sf.constant([1e200 + 1e200j, -1e200 + 0j])
    y = sf.sigmoid(sf.constant([800.0 + 1j, -800.0 + 1j]))
    [slope] = sf.gradients(sf.asinh(z), z, sf.ones_like(z))
    with sf.Session() as sess:
        np.testing.assert_allclose(sess.run(y), [1, 0])
        np.testing.assert_allclose(sess.run(slope) * 1e200, [0.5 + 0.5j, 1])
