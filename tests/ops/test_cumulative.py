"""Cumulative sums and products: directions, zeros to second order, infinities."""

from typing import Any

import numpy as np
import pytest

import similarflow as sf
from similarflow.ops.cumulative import (
    accumulate_n,
    cumprod,
    cumsum,
    cumsum_product,
    cumulative_logsumexp,
)
from similarflow.testing import check_gradients

INF, NAN = np.inf, np.nan
WAYS = [(e, r) for e in (False, True) for r in (False, True)]
RECORDED = {
    # of [2, -1, 3, 0.5], by exclusive and reverse: sums, products and logsumexps, each
    # with its gradient, weighted with [1, 2, 3, 4]; as TensorFlow 2.21 gave them
    (False, False): [
        [2.0, 1.0, 4.0, 4.5],
        [10.0, 9.0, 7.0, 4.0],
        [2.0, -2.0, -6.0, -3.0],
        [-16.0, 34.0, -10.0, -24.0],
        [2.0, 2.048587351573742, 3.3265626412674703, 3.38409170128869],
        [4.703517127430051, 0.18438726042491502, 4.888473430476625, 0.2236221816684084],
    ],
    (False, True): [
        [4.5, 2.5, 3.5, 0.5],
        [1.0, 3.0, 6.0, 10.0],
        [-3.0, -1.5, 1.5, 0.5],
        [-1.5, 6.0, -0.5, 1.0],
        [3.38409170128869, 3.0956743294143823, 3.0788897342925496, 0.5],
        [0.2505512718671148, 0.045763250520648, 5.271014277866975, 4.432671199745261],
    ],
    (True, False): [
        [0.0, 2.0, 1.0, 4.0],
        [9.0, 7.0, 4.0, 0.0],
        [1.0, 2.0, -2.0, -6.0],
        [-13.0, 30.0, -8.0, 0.0],
        [-INF, 2.0, 2.048587351573742, 3.3265626412674703],
        [5.919274095556268, 0.195129167347858, 2.8855967370958746, 0.0],
    ],
    (True, True): [
        [2.5, 3.5, 0.5, 0.0],
        [0.0, 1.0, 3.0, 6.0],
        [-1.5, 1.5, 0.5, 1.0],
        [0.0, 1.5, 0.5, 6.0],
        [3.0956743294143823, 3.0788897342925496, 0.5, -INF],
        [0.0, 0.016644518609272345, 2.7570435642160267, 3.2263119171747014],
    ],
}


def run(fetches: Any, feeds: Any = None) -> Any:
    with sf.Session() as sess:
        return sess.run(fetches, feeds)


def double(values: Any) -> Any:
    return sf.constant(np.array(values, np.float64))


@pytest.mark.parametrize("way", WAYS)
def test_recorded(way: tuple[bool, bool]) -> None:
    x, weights = double([2.0, -1.0, 3.0, 0.5]), double([1.0, 2.0, 3.0, 4.0])
    found = []
    for build in (cumsum, cumprod, cumulative_logsumexp):
        y = build(x, 0, *way)
        found += [y, *sf.gradients(y, x, weights)]
    np.testing.assert_allclose(run(found), RECORDED[way], rtol=1e-13)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(
    "x",
    [
        [2.0, 0.0, 3.0, -1.0],
        [0.0, 2.0, 0.0, 3.0],
        [0.0, 0.0, 0.0, 2.0],
        [1.5, -2.0, 0.0],
        [0.0],
    ],
)
def test_products_with_zeros_to_second_order(x: Any, way: tuple[bool, bool]) -> None:
    at = double(x)
    y = cumprod(at, 0, *way)
    check_gradients(y, at)
    check_gradients(y * y, at)


def test_product_gradients_at_a_zero() -> None:
    x = sf.constant([2.0, 0.0, 3.0, 4.0])
    y = cumprod(x)
    first = sf.gradients(y, x)[0]
    assert run(first).tolist() == [1, 2 + 6 + 24, 0, 0]
    second = sf.gradients(first[1], x)[0]
    assert run(second).tolist() == [1 + 3 + 12, 0, 2 + 8, 6]
    third = sf.gradients(second[0], x)[0]
    assert run(third).tolist() == [0, 0, 1 + 4, 3]


@pytest.mark.parametrize("kind", ["target", "source", "between"])
@pytest.mark.parametrize("reverse", [False, True])
def test_carried_sums_are_what_they_say(kind: str, reverse: bool) -> None:
    rng = np.random.default_rng(0)
    x, f = rng.normal(size=(2, 5))
    want = np.zeros(5)
    for i in range(5):
        for j in range(5):
            low, high = min(i, j), max(i, j)
            inner = np.prod(f[low + 1 : high])
            if i == j:
                want[i] += x[j] * (kind != "between")
            elif (j < i) != reverse:
                end = {"target": f[i], "source": f[j], "between": 1.0}[kind]
                want[i] += x[j] * inner * end
    found = run(cumsum_product(double(x), double(f), 0, kind, reverse))
    np.testing.assert_allclose(found, want)


@pytest.mark.parametrize("dtype", ["int8", "int32", "uint16", "float16", "complex64"])
def test_dtypes_are_kept(dtype: str) -> None:
    x = np.array([[1, 2], [3, 4]], dtype)
    for build, want in ((cumsum, [[1, 3], [3, 7]]), (cumprod, [[1, 2], [3, 12]])):
        found = run(build(x, -1))
        assert found.dtype == dtype
        assert found.tolist() == want


@pytest.mark.parametrize("build", [cumsum, cumprod, cumulative_logsumexp])
def test_axes_out_of_range(build: Any) -> None:
    with pytest.raises(ValueError, match="axis 2 is out of range for rank 2"):
        build(sf.constant([[1.0]]), axis=2)
    with pytest.raises(ValueError, match="axis 0 is out of range for rank 0"):
        build(sf.constant(1.0))
    x = sf.placeholder(sf.float32)
    with pytest.raises(sf.errors.InvalidArgumentError, match="axis 1 is out of range"):
        run(build(x, 1), {x: [1.0]})
    with pytest.raises(ValueError, match=r"axis is one whole number.* not None"):
        build(x, None)


@pytest.mark.parametrize("build", [cumsum, cumprod, cumulative_logsumexp])
def test_sizes_that_only_a_run_tells(build: Any) -> None:
    x = sf.placeholder(sf.float64)
    y = build(x, axis=sf.constant(-2), reverse=True)
    assert run(y, {x: np.ones((0, 3))}).shape == (0, 3)
    check_gradients(y, x, {x: [[0.5, 1.0], [2.0, -1.0], [0.25, 3.0]]})
    free = sf.Placeholder()
    z = build(free, exclusive=True)
    slope = sf.gradients(z, free)[0]
    for value in run([z, slope], {free: np.float32([1, 2])}):
        assert value.dtype == np.float32


def test_logsumexp_of_large_and_of_no_numbers() -> None:
    x = sf.constant([-INF, -INF, 1000.0, 1000.0, -1000.0])
    for way in WAYS:
        y = cumulative_logsumexp(x, 0, *way)
        slope = sf.gradients(y, x)[0]
        value, slope = run([y, slope])
        assert not np.isnan(value).any()
        assert np.isfinite(slope).all()
        assert slope[:2].tolist() == [0, 0]
    np.testing.assert_array_equal(run(cumulative_logsumexp(x))[:3], [-INF, -INF, 1000])
    y = cumulative_logsumexp(sf.constant([0.0, NAN, 1.0]))
    np.testing.assert_array_equal(np.isnan(run(y)), [False, True, True])


def test_exclusive_logsumexp_to_second_order() -> None:
    x = double([0.5, -1.0, 2.0, 0.25])
    check_gradients(cumulative_logsumexp(x, exclusive=True)[1:], x)
    check_gradients(cumulative_logsumexp(x, exclusive=True, reverse=True)[:-1], x)


def test_long_products_stay_finite() -> None:
    x = sf.constant(np.full(2000, 0.5))
    y = cumprod(x)
    assert run(sf.gradients(y[:50], x)[0])[0] == pytest.approx(2, rel=1e-12)


def test_accumulate_n() -> None:
    x, y = sf.constant([1.0, 2.0]), sf.constant([3.0, 4.0])
    total = accumulate_n([x, y, x], shape=[2], tensor_dtype=sf.float32, name="total")
    assert total.name == "total:0"
    assert run(total).tolist() == [5, 8]
    assert run(sf.gradients(total, [x, y])[0]).tolist() == [2, 2]
    assert accumulate_n([x]) is x
    assert accumulate_n([x], name="same").name == "same:0"


def test_accumulate_n_checks_its_arguments() -> None:
    x = sf.constant([1.0, 2.0])
    for odd in ([], x):
        with pytest.raises(ValueError, match="takes a list of tensors"):
            accumulate_n(odd)
    with pytest.raises(ValueError, match=r"\(3,\) and \(2,\)"):
        accumulate_n([x, x], shape=[3])
    with pytest.raises(TypeError, match="int32"):
        accumulate_n([x, x], tensor_dtype=sf.int32)
    with pytest.raises(ValueError, match="shape"):
        accumulate_n([x, sf.constant([1.0])])


@pytest.mark.parametrize("build", [cumsum, cumprod, cumulative_logsumexp])
def test_half_precision_is_rounded_once(build: Any) -> None:
    value = np.linspace(0.99, 1.01, 2999).astype(np.float16)
    y = build(sf.constant(value))
    assert y.dtype == sf.float16
    want = run(build(value.astype(np.float64)))
    np.testing.assert_allclose(run(y), want.astype(np.float16), rtol=1e-3)


def test_factors_of_half_precision_are_rounded_once() -> None:
    x, rates = np.full(3000, 0.1, np.float16), np.ones(3000, np.float16)
    total = run(cumsum_product(x, rates))[-1]
    assert total.dtype == np.float16
    assert total == 300.0
