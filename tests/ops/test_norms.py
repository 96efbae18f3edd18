"""Norms and other sizes: recorded values, zeros, tiny and huge numbers, axes."""

from typing import Any

import numpy as np
import pytest

import similarflow as sf
from similarflow.ops.norms import (
    count_nonzero,
    norm,
    reduce_euclidean_norm,
    reduce_logsumexp,
    reduce_std,
    reduce_variance,
)
from similarflow.testing import check_gradients

INF, NAN = np.inf, np.nan
WEIGHTS = np.array([1.0, 2.0])
M = np.array([[1.0, -2.0, 0.5], [3.0, 4.0, -1.0]])
RECORDED: dict[Any, Any] = {
    # of M, and of its rows, with the gradient of the latter, weighted with 1 and 2; as
    # TensorFlow 2.21 gave them
    "euclidean": [
        5.5901699437494745,
        [2.29128784747792, 5.0990195135927845],
        [
            [0.4364357804719848, -0.8728715609439696, 0.2182178902359924],
            [1.1766968108291043, 1.5689290811054724, -0.3922322702763681],
        ],
    ],
    1: [11.5, [3.5, 8.0], [[1.0, -1.0, 1.0], [2.0, 2.0, -2.0]]],
    3: [
        4.658929924313379,
        [2.089669598190616, 4.514357435474001],
        [
            [0.22900488747294417, -0.9160195498917767, 0.057251221868236044],
            [0.8832438460709999, 1.570211281904, -0.098138205119],
        ],
    ],
    0.5: [
        61.6754384373777,
        [9.742640687119284, 22.392304845413268],
        [
            [3.1213203435596424, -2.2071067811865475, 4.414213562373095],
            [5.464101615137754, 4.732050807568878, -9.464101615137755],
        ],
    ],
    INF: [4.0, [2.0, 4.0], [[0.0, -1.0, 0.0], [0.0, 2.0, 0.0]]],
}


def run(fetches: Any, feeds: Any = None) -> Any:
    with sf.Session() as sess:
        return sess.run(fetches, feeds)


def gradient(build: Any, value: Any, dtype: Any = np.float64) -> Any:
    x = sf.constant(np.array(value, dtype))
    return run(sf.gradients(build(x), x)[0])


@pytest.mark.parametrize("order", RECORDED)
def test_recorded_norms(order: Any) -> None:
    x = sf.constant(M)
    rows = norm(x, order, axis=1)
    found = run([norm(x, order), rows, sf.gradients(rows, x, WEIGHTS)[0]])
    for value, want in zip(found, RECORDED[order], strict=True):
        np.testing.assert_allclose(value, want, rtol=1e-13)


@pytest.mark.parametrize(
    ("order", "straight", "turned"),
    [
        ("euclidean", 5.5901699437494745, 5.5901699437494745),
        ("fro", 5.5901699437494745, 5.5901699437494745),
        (1, 6.0, 8.0),
        (INF, 8.0, 6.0),
    ],
)
def test_recorded_norms_of_matrices(order: Any, straight: float, turned: float) -> None:
    """As TensorFlow 2.21 gave them, for rows and columns, and columns and rows."""
    assert run(norm(M, order, axis=[0, 1])) == pytest.approx(straight, rel=1e-14)
    assert run(norm(M, order, axis=(-1, 0))) == pytest.approx(turned, rel=1e-14)
    batch = sf.constant(np.stack([M, 2 * M]))
    kept = run(norm(batch, order, axis=[1, 2], keepdims=True))
    np.testing.assert_allclose(kept, [[[straight]], [[2 * straight]]], rtol=1e-14)
    check_gradients(norm(batch, order, axis=[-2, -1]), batch)


def test_largest_singular_value() -> None:
    x = sf.constant(np.stack([M, 2 * M]))
    found = run(norm(x, 2, axis=[1, 2]))
    np.testing.assert_allclose(found, [5.2314131831212665, 10.462826366242533])
    assert run(norm(x, 2, axis=[0, -1], keepdims=True)).shape == (1, 2, 1)
    with pytest.raises(ValueError, match="known rank"):
        norm(sf.placeholder(sf.float32), 2, axis=[0, 1])


def test_two_is_euclidean() -> None:
    assert norm(M, 2).op.type == norm(M, 2.0, axis=0).op.type == "EuclideanNorm"


@pytest.mark.parametrize("order", ["euclidean", 1, 3, 1.5, 0.5, INF])
def test_no_slope_at_zero(order: Any) -> None:
    found = gradient(lambda x: norm(x, order, axis=1), [[3.0, 4.0], [0.0, 0.0]])
    assert np.isfinite(found).all()
    assert found[0, 1] > 0
    assert found[1].tolist() == [0, 0]
    x = sf.constant([0.0, 0.0])
    first = sf.gradients(norm(x, order), x)[0]
    second = sf.gradients(first, x)[0]
    assert second is None or run(second).tolist() == [0, 0]


@pytest.mark.parametrize("order", [1.5, 1.0, 0.5])
def test_no_slope_of_an_entry_that_is_zero(order: float) -> None:
    assert gradient(lambda x: norm(x, order), [0.0, 2.0]).tolist() == [0, 1]


@pytest.mark.parametrize("order", ["euclidean", 1, 3, 40, 0.5, INF])
@pytest.mark.parametrize("unit", [1e-38, 3e-30, 1.0, 1e30])
def test_tiny_and_huge_numbers(order: Any, unit: float) -> None:
    x = np.float32([3, 4])
    want, slope = norm(x, order), gradient(lambda x: norm(x, order), x, np.float32)
    scaled = x * np.float32(unit)
    found = norm(scaled, order)
    ratio = np.divide(*run([found, want]))
    assert ratio == pytest.approx(unit, rel=1e-5)
    got = gradient(lambda x: norm(x, order), scaled, np.float32)
    np.testing.assert_allclose(got, slope, rtol=1e-5)


def test_norms_at_the_ends_of_what_floats_can_be() -> None:
    for unit in (1e-300, 1e-200, 1e200, 1e307):
        want = pytest.approx(5 * unit, rel=1e-15)
        assert run(norm(np.array([3 * unit, 4 * unit]))) == want
    assert run(norm(np.array([5e-324, 0.0]))) == 5e-324
    assert run(norm(np.float32([2e38, 2e38]))) == np.float32(2**0.5 * 2e38)
    assert run(norm(np.float64([1, 2, 3]), 1e4)) == pytest.approx(3)


def test_infinity_and_nan_show() -> None:
    for order in ("euclidean", 1, 3, 0.5, INF):
        assert run(norm([1.0, -INF], order)) == INF
        assert np.isnan(run(norm([1.0, NAN], order)))


@pytest.mark.parametrize("order", ["euclidean", 3, 0.5, INF])
def test_nan_shows_in_gradients(order: Any) -> None:
    assert np.isnan(gradient(lambda x: norm(x, order), [1.0, NAN])[1])


def test_half_precision_does_not_overflow() -> None:
    x = np.full(70000, 0.125, np.float16)
    assert run(norm(x)) == np.float16(0.125 * 70000**0.5)
    assert run(norm(x[:3], 3)).dtype == np.float16


@pytest.mark.parametrize("order", ["euclidean", 1, 3, INF])
def test_norm_of_nothing(order: Any) -> None:
    assert run(norm(np.zeros([0]), order)) == 0
    assert run(norm(np.zeros([2, 0]), order, axis=1)).tolist() == [0, 0]
    assert run(norm(np.zeros([2, 0]), order, axis=0)).shape == (0,)
    assert run(norm(-3.0, order)) == 3
    if order != 3:
        assert run(norm(np.zeros([2, 0]), order, axis=[0, 1])) == 0


def test_norm_names_and_older_arguments() -> None:
    x = sf.constant([[3.0, 4.0]])
    assert norm(x).name == "norm:0"
    assert norm(x, name="length").name == "length:0"
    assert run(norm(x, axis=1, keep_dims=True)).tolist() == [[5]]
    with pytest.raises(ValueError, match="give one of them"):
        norm(x, keepdims=True, keep_dims=True)


@pytest.mark.parametrize(
    ("order", "axis", "text"),
    [
        ("fro", None, "'fro' is no norm of vectors"),
        ("nuc", 0, "'nuc' is no norm of vectors"),
        (0, None, "0 is no norm of vectors"),
        (-INF, 1, "-inf is no norm of vectors"),
        (3, [0, 1], "3 is no norm of matrices"),
        ("euclidean", [0, 0], "two different axes"),
        ("euclidean", [0, 1, 2], "two different axes"),
        ("euclidean", 2, "axis 2 is out of range for rank 2"),
    ],
)
def test_norms_that_do_not_exist(order: Any, axis: Any, text: str) -> None:
    with pytest.raises(ValueError, match=text):
        norm(M, order, axis)


def test_norms_are_of_floats() -> None:
    with pytest.raises(TypeError, match="int32"):
        norm([3, 4])


@pytest.mark.parametrize("order", ["euclidean", 1, 3, INF])
def test_norms_with_sizes_that_only_a_run_tells(order: Any) -> None:
    x = sf.placeholder(sf.float64)
    check_gradients(norm(x, order, axis=-1), x, {x: M})
    check_gradients(norm(x, order, axis=0, keepdims=True), x, {x: M})
    free = sf.Placeholder()
    y = norm(free, order)
    for value in run([y, sf.gradients(y, free)[0]], {free: np.float32([1, 2])}):
        assert value.dtype == np.float32


def test_recorded_logsumexp() -> None:
    """As TensorFlow 2.21 gave it."""
    x = sf.constant(M)
    rows = reduce_logsumexp(x, 1)
    found = run([reduce_logsumexp(x), rows, *sf.gradients(rows, x, WEIGHTS)])
    want = [
        4.376434839435808,
        [1.5045969023422834, 4.318175429247454],
        [
            [0.6037488961486258, 0.030058887569574023, 0.3661922162818002],
            [0.5352463082997246, 1.4549503136009296, 0.009803378099345844],
        ],
    ]
    for value, wanted in zip(found, want, strict=True):
        np.testing.assert_allclose(value, wanted, rtol=1e-14)


def test_logsumexp_of_infinities() -> None:
    x = sf.constant([[-INF, -INF], [-INF, 0.0]])
    y = reduce_logsumexp(x, axis=1)
    assert run(y).tolist() == [-INF, 0]
    assert run(sf.gradients(y, x)[0]).tolist() == [[0, 0], [0, 1]]
    assert run(reduce_logsumexp([[INF, 0.0], [INF, -INF]], 1)).tolist() == [INF, INF]
    assert run(reduce_logsumexp(np.zeros([0]))) == -INF
    assert run(reduce_logsumexp(np.zeros([2, 0]), 1)).tolist() == [-INF, -INF]
    assert np.isnan(gradient(reduce_logsumexp, [NAN, 1.0])).all()


def test_logsumexp_takes_older_arguments() -> None:
    y = reduce_logsumexp(M, reduction_indices=[0, 1], keep_dims=True)
    assert y.shape.as_list() == [1, 1]
    free = sf.Placeholder()
    value = run(reduce_logsumexp(free), {free: np.float32([1e4, 1e4])})
    assert value == np.float32(10000.693)
    assert value.dtype == np.float32


def test_recorded_variance() -> None:
    """As TensorFlow 2.21 gave it."""
    x = sf.constant(M)
    variance, deviation = reduce_variance(x, 1), reduce_std(x, 1)
    found = run([
        variance, sf.gradients(variance, x)[0], deviation, sf.gradients(deviation, x)[0]
    ])  # fmt: skip
    want = [
        [1.7222222222222223, 4.666666666666667],
        [
            [0.7777777777777778, -1.222222222222222, 0.44444444444444436],
            [0.6666666666666666, 1.3333333333333333, -2.0],
        ],
        [1.3123346456686351, 2.160246899469287],
        [
            [0.2963336296671112, -0.46566713233403184, 0.16933350266692065],
            [0.1543033499620919, 0.3086066999241838, -0.4629100498862757],
        ],
    ]
    for value, wanted in zip(found, want, strict=True):
        np.testing.assert_allclose(value, wanted, rtol=1e-13)


def test_variance_of_equal_and_of_no_numbers() -> None:
    assert gradient(reduce_std, [2.0, 2.0, 2.0]).tolist() == [0, 0, 0]
    assert np.isnan(run([reduce_std(np.zeros(0)), reduce_variance(np.zeros(0))])).all()
    for build in (reduce_std, reduce_variance):
        assert run(build(M, keepdims=True)).shape == (1, 1)
        with pytest.raises(TypeError, match="int32"):
            build([1, 2])
        x = sf.placeholder(sf.float64)
        check_gradients(build(x, [0]), x, {x: M})


def test_counts() -> None:
    assert run(count_nonzero(["a", "", "b"])) == 2
    assert run(count_nonzero([NAN, 0.0, 1e-40])) == 2
    counts = count_nonzero([[0, 1], [2, 0], [1, 1]], 1, True, sf.int32)
    assert counts.dtype == sf.int32
    assert run(counts).tolist() == [[1], [1], [2]]
    assert run(count_nonzero(input=[True, False], reduction_indices=0)) == 1
    assert count_nonzero(M).dtype == sf.int64
    x = sf.constant(M)
    assert sf.gradients(sf.cast(count_nonzero(x), sf.float64), x) == [None]


def test_euclidean_norm_of_axes() -> None:
    x = sf.constant(np.stack([M, 2 * M]))
    found = run(reduce_euclidean_norm(x, [1, 2], keepdims=True))
    np.testing.assert_allclose(found.ravel(), [5.5901699437494745, 11.180339887498949])


@pytest.mark.parametrize("size", [1e3, 1e5, 1e6, 1e8])
def test_the_gradient_of_logsumexp_keeps_its_digits(size: float) -> None:
    x = sf.constant([size, size])
    [grad] = sf.gradients(sf.reduce_logsumexp(x), x)
    assert sf.Session().run(grad).tolist() == [0.5, 0.5]


def test_half_precision_is_rounded_once() -> None:
    value = np.linspace(0.5, 1.5, 6000).reshape(3000, 2).astype(np.float16)
    for build in (reduce_logsumexp, reduce_euclidean_norm, sf.norm):
        y = build(sf.constant(value), axis=0)
        assert y.dtype == sf.float16
        want = run(build(value.astype(np.float64), axis=0))
        np.testing.assert_array_equal(run(y), want.astype(np.float16))
