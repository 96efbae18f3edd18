"""Hessians, Jacobians and their products with vectors, against numbers by hand."""

from typing import Any

import numpy as np
import pytest

import similarflow as sf
from similarflow.ops.derivatives import (
    hessian_vector_product,
    hessians,
    jacobian,
    jacobian_vector_product,
)


def run(fetches: Any, feeds: Any = None) -> Any:
    with sf.Session() as sess:
        return sess.run(fetches, feeds)


def test_hessian_of_a_number() -> None:
    x = sf.constant(2.0)
    (h,) = hessians(x**3, x)
    assert h.shape.as_list() == []
    assert float(run(h)) == 12.0


def test_hessian_of_a_quadratic_form() -> None:
    a = np.array([[1.0, 2.0], [5.0, 3.0]])
    x = sf.constant([[1.0], [2.0]], sf.float64)
    (h,) = hessians(sf.matmul(x, sf.matmul(a, x), transpose_a=True), x)
    assert h.shape.as_list() == [2, 1, 2, 1]
    np.testing.assert_allclose(run(h).reshape(2, 2), a + a.T)


def test_hessians_of_several() -> None:
    x, y = sf.constant([1.0, 2.0, 3.0]), sf.constant([[2.0, 5.0]])
    hx, hy = run(hessians([x**3, sf.reduce_sum(y) ** 2], [x, y]))
    np.testing.assert_allclose(hx, np.diag([6, 12, 18]))
    np.testing.assert_allclose(hy, np.full((1, 2, 1, 2), 2))


def test_hessian_of_a_variable_and_of_something_linear() -> None:
    w = sf.Variable([1.0, 2.0])
    (h,) = hessians(3.0 * w, w)
    assert h.shape.as_list() == [2, 2]
    with sf.Session() as sess:
        sess.run(sf.global_variables_initializer())
        assert sess.run(h).tolist() == [[0, 0], [0, 0]]


def test_hessian_through_gathered_rows() -> None:
    x = sf.constant([1.0, 2.0, 3.0])
    (h,) = hessians(sf.gather(x, [2, 0, 2]) ** 2, x)
    np.testing.assert_allclose(run(h), np.diag([2, 0, 4]))


def test_hessian_of_nothing() -> None:
    x = sf.constant(np.zeros((0, 2)))
    assert run(hessians(x * x, x))[0].shape == (0, 2, 0, 2)


def test_what_is_not_connected_has_no_derivative() -> None:
    x, y = sf.constant([1.0]), sf.constant([2.0])
    assert hessians(y * y, x) == [None]
    assert jacobian(y * y, x) is None
    assert hessian_vector_product(y * y, x, [1.0]) is None
    assert jacobian_vector_product(y * y, x, [1.0]) is None


def test_jacobian_of_a_product_with_a_matrix() -> None:
    a = np.arange(6.0).reshape(2, 3)
    x = sf.placeholder(sf.float64, [3, None])
    y = sf.matmul(a, x)
    with pytest.raises(ValueError, match="must be known before a run"):
        jacobian(y, x)
    y.set_shape([2, 2])
    got = run(jacobian(y, x), {x: np.ones((3, 2))})
    # d y[i, j] / d x[k, l] is a[i, k] where j = l
    np.testing.assert_allclose(got, np.einsum("ik,jl->ijkl", a, np.eye(2)))


def test_jacobian_shapes() -> None:
    x = sf.constant([1.0, 2.0])
    total = jacobian(sf.reduce_sum(x * x), x)
    assert run(total).tolist() == [2, 4]
    point = sf.constant(3.0)
    assert run(jacobian(sf.stack([point, point**2]), point)).tolist() == [1, 6]
    assert jacobian(x[2:], x).shape.as_list() == [0, 2]
    wide = jacobian(sf.cast(x, sf.float64) * 2.0, x)
    assert wide.dtype == sf.float32
    np.testing.assert_allclose(run(wide), 2 * np.eye(2))


def test_products_are_those_with_the_matrices() -> None:
    rng = np.random.default_rng(0)
    x = sf.placeholder(sf.float64, [3])
    v = sf.placeholder(sf.float64, [3])
    a = rng.normal(size=(2, 3))
    y = sf.tanh(sf.reduce_sum(a * x, 1)) * sf.exp(x[0])
    feeds = {x: rng.normal(size=3), v: rng.normal(size=3)}
    j, h, jv, hv = run(
        [
            jacobian(y, x),
            hessians(y, x)[0],
            jacobian_vector_product(y, x, v),
            hessian_vector_product(y, x, v),
        ],
        feeds,
    )
    np.testing.assert_allclose(h, h.T)
    np.testing.assert_allclose(jv, j @ feeds[v])
    np.testing.assert_allclose(hv, h @ feeds[v])


def test_products_need_no_static_shape() -> None:
    x = sf.placeholder(sf.float64)
    fetches = [
        hessian_vector_product(x**3, x, sf.ones_like(x)),
        jacobian_vector_product(x**3, x, sf.ones_like(x)),
    ]
    hv, jv = run(fetches, {x: [[1.0, 2.0]]})
    assert hv.tolist() == [[6, 12]]
    assert jv.tolist() == [[3, 12]]


def test_products_that_are_zero() -> None:
    x = sf.constant([1.0, 2.0])
    assert run(hessian_vector_product(3.0 * x, x, [1.0, 1.0])).tolist() == [0, 0]
    y = sf.sign(x) + sf.stop_gradient(x)
    assert run(jacobian_vector_product(y, x, [1.0, 1.0])).tolist() == [0, 0]


def test_the_gradient_of_a_product_is_right() -> None:
    x = sf.constant([0.5, -0.25], sf.float64)
    y = sf.exp(x[0] * x[1])
    assert sf.testing.check_gradients(jacobian_vector_product(y, x, [1.0, 3.0]), x) < 1
    assert sf.testing.check_gradients(hessians(y, x)[0], x) < 1


def test_a_direction_of_another_shape() -> None:
    x = sf.constant([1.0, 2.0])
    for build in (hessian_vector_product, jacobian_vector_product):
        with pytest.raises(ValueError, match="v has the shape of x"):
            build(x * x, x, [1.0, 2.0, 3.0])


def test_unknown_shapes_are_refused() -> None:
    x = sf.placeholder(sf.float32, [None])
    with pytest.raises(ValueError, match="must be known before a run"):
        hessians(x * x, x)


def test_a_product_has_the_shape_of_x_though_the_gradient_s_is_unknown():
    x, factor = sf.placeholder(sf.float64, [2]), sf.placeholder(sf.float64)

    @sf.custom_gradient
    def half(x):
        return x, lambda grad: grad * factor * x

    y = sf.hessian_vector_product(half(x), x, [1.0, 10.0])
    assert y.static_shape == (2,)
    assert sf.Session().run(y, {x: [1, 2], factor: [3, 4]}).tolist() == [3, 40]
