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
