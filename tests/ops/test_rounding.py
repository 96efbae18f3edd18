"""Rounding, cut quotients, reciprocals, nan and infinity."""

from typing import Any

import numpy as np
import pytest

import similarflow as sf
from similarflow.ops.roots import reciprocal, rsqrt
from similarflow.ops.rounding import (
    ceil,
    floor,
    floor_div,
    is_finite,
    is_inf,
    is_nan,
    log_sigmoid,
    realdiv,
    rint,
    round,
    truncatediv,
    truncatemod,
)

INF, NAN = np.inf, np.nan


def run(fetches: Any, feeds: Any = None) -> Any:
    with sf.Session() as sess:
        return sess.run(fetches, feeds)


def with_gradients(build: Any, *values: Any) -> list[Any]:
    """The value of ``build(*values)``, and its gradients by each value."""
    xs = [sf.constant(np.array(v, np.float64)) for v in values]
    y = build(*xs)
    return run([y, *sf.gradients(y, xs)])  # type: ignore[no-any-return]


def test_to_whole_numbers() -> None:
    x = sf.constant([-1.5, -0.5, 0.5, 1.5, 2.5, -2.7, NAN, INF])
    found = run([round(x), rint(x), floor(x), ceil(x)])
    even = [-2, -0.0, 0, 2, 2, -3, NAN, INF]
    want = [
        even,
        even,
        [-2, -1, 0, 1, 2, -3, NAN, INF],
        [-1, -0.0, 1, 2, 3, -2, NAN, INF],
    ]
    np.testing.assert_array_equal(found, want)
    assert all(v.dtype == np.float32 for v in found)


def test_rounding_stops_the_gradient() -> None:
    x = sf.constant([0.4, 1.6])
    for build in (round, rint, floor, ceil):
        assert sf.gradients(build(x), x) == [None]


def test_whole_numbers_are_rounded_already() -> None:
    x = sf.constant([1, 2])
    assert round(x) is x
    free = sf.Placeholder()
    assert run(round(free), {free: np.int8([1, 2])}).tolist() == [1, 2]
    for build in (floor, ceil, rint):
        with pytest.raises(TypeError, match="does not take int32"):
            build(x)


@pytest.mark.parametrize("dtype", ["int8", "int32", "int64", "float32", "float64"])
def test_cut_quotients(dtype: str) -> None:
    """As TensorFlow 2.21 gave them."""
    x = sf.constant(np.array([7, -7, 7, -7, 6, -6], dtype))
    y = sf.constant(np.array([2, 2, -2, -2, -3, 3], dtype))
    quotient, rest = run([truncatediv(x, y), truncatemod(x, y)])
    assert quotient.tolist() == [3, -3, -3, 3, -2, -2]
    assert rest.tolist() == [1, -1, 1, -1, 0, 0]
    assert quotient.dtype == rest.dtype == dtype


def test_cut_quotients_of_the_largest_numbers() -> None:
    low, high = np.iinfo(np.int64).min, np.iinfo(np.int64).max
    x, y = np.array([low, low, low + 1, high]), np.array([1, 3, 2, 7])
    quotient, rest = run([truncatediv(x, y), truncatemod(x, y)])
    assert quotient.tolist() == [low, -(2**63 // 3), -(high // 2), high // 7]
    assert (quotient * y + rest).tolist() == x.tolist()
    few, many = np.array([[250, 7], [7, 250]], np.uint8)
    assert run(truncatediv(few, many)).tolist() == [35, 0]


@pytest.mark.parametrize("build", [truncatediv, truncatemod, floor_div])
def test_whole_numbers_are_not_divided_by_zero(build: Any) -> None:
    y = sf.placeholder(sf.int32, [])
    with pytest.raises(sf.errors.InvalidArgumentError, match="division by zero"):
        run(build(sf.constant([7, 8]), y), {y: 0})


def test_cut_quotients_of_floats_by_zero() -> None:
    x = sf.constant([1.0, -1.0, 0.0])
    np.testing.assert_array_equal(run(truncatediv(x, 0.0)), [INF, -INF, NAN])
    assert np.isnan(run(truncatemod(x, 0.0))).all()


def test_gradients_of_cut_quotients() -> None:
    x = sf.constant([7.5, -7.5])
    assert sf.gradients(truncatediv(x, 2.0), x) == [None]
    _, by_x, by_y = with_gradients(truncatemod, [7.5, -7.5], [2.0, 2.0])
    assert by_x.tolist() == [1, 1]
    assert by_y.tolist() == [-3, 3]


def test_other_names_of_division() -> None:
    y = floor_div(sf.constant([-7, 7]), 2)
    assert run(y).tolist() == [-4, 3]
    assert (y.op.type, y.name) == ("FloorDiv", "FloorDiv:0")
    z = realdiv(sf.constant([-7.0, 7.0]), 2.0)
    assert run(z).tolist() == [-3.5, 3.5]
    assert (z.op.type, z.name) == ("RealDiv", "RealDiv:0")


def test_reciprocals_at_zero_and_below() -> None:
    found = with_gradients(reciprocal, [0.0, 2.0, -4.0])
    np.testing.assert_array_equal(found, [[INF, 0.5, -0.25], [-INF, -0.25, -0.0625]])
    found = with_gradients(rsqrt, [0.0, 4.0, -4.0])
    np.testing.assert_array_equal(found, [[INF, 0.5, NAN], [-INF, -0.0625, NAN]])


def test_log_sigmoid() -> None:
    """As TensorFlow 2.21 gave it, also its gradient, without overflow."""
    y, slope = with_gradients(log_sigmoid, [-800.0, -1.0, 0.0, 1.0, 800.0])
    want = [-800.0, -1.313261687518223, -0.6931471805599453, -0.31326168751822286, 0.0]
    np.testing.assert_allclose(y, want, rtol=1e-14)
    want = [1.0, 0.7310585786300049, 0.5, 0.2689414213699951, 0.0]
    np.testing.assert_allclose(slope, want, rtol=1e-14)
    assert log_sigmoid(1.0).name == "LogSigmoid_1:0"
    assert log_sigmoid(1.0, name="loss").name == "loss:0"


def test_nan_and_infinity() -> None:
    x = sf.constant([1.0, NAN, INF, -INF])
    found = run([is_nan(x), is_inf(x), is_finite(x)])
    assert [v.tolist() for v in found] == [
        [False, True, False, False],
        [False, False, True, True],
        [True, False, False, False],
    ]
    assert sf.gradients(sf.cast(is_nan(x), sf.float32), x) == [None]
    for build in (is_nan, is_inf, is_finite):
        assert build(x).dtype == sf.bool
        with pytest.raises(TypeError, match="does not take int32"):
            build(sf.constant([1]))


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_dtype_of_the_feed_is_kept(dtype: Any) -> None:
    free = sf.Placeholder()
    value = np.array([0.5, 1.25], dtype)
    for build in (
        round, rint, floor, ceil, reciprocal, rsqrt, log_sigmoid,
        lambda x: truncatediv(x, 0.5), lambda x: truncatemod(1, x),
    ):  # fmt: skip
        y = build(free)
        grad = sf.gradients(y, free)[0]
        for found in run([y] if grad is None else [y, grad], {free: value}):
            assert found.dtype == dtype
