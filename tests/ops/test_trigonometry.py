"""Trigonometry: recorded values, the ends of the domains, huge and tiny numbers."""

from typing import Any

import numpy as np
import pytest

import similarflow as sf
from similarflow.ops import trigonometry
from similarflow.ops.trigonometry import (
    acos,
    acosh,
    asin,
    asinh,
    atan,
    atan2,
    atanh,
    hypot,
)
from similarflow.testing import check_gradients

INF, NAN = np.inf, np.nan
RECORDED: dict[str, Any] = {  # arguments, values and gradients of TensorFlow 2.21
    "sin": [
        [-2.0, 0.3, 5.0],
        [-0.9092974268256817, 0.29552020666133955, -0.9589242746631385],
        [-0.4161468365471424, 0.955336489125606, 0.28366218546322625],
    ],
    "cos": [
        [-2.0, 0.3, 5.0],
        [-0.4161468365471424, 0.955336489125606, 0.28366218546322625],
        [0.9092974268256817, -0.29552020666133955, 0.9589242746631385],
    ],
    "tan": [
        [-2.0, 0.3, 5.0],
        [2.185039863261519, 0.30933624960962325, -3.380515006246586],
        [5.774399204041917, 1.095688915322547, 12.427881707458354],
    ],
    "asin": [
        [-0.9, 0.3, 0.7],
        [-1.1197695149986342, 0.3046926540153975, 0.775397496610753],
        [2.294157338705618, 1.0482848367219182, 1.4002800840280099],
    ],
    "acos": [
        [-0.9, 0.3, 0.7],
        [2.6905658417935308, 1.2661036727794992, 0.7953988301841436],
        [-2.294157338705618, -1.0482848367219182, -1.4002800840280099],
    ],
    "atan": [
        [-2.0, 0.3, 5.0],
        [-1.1071487177940904, 0.2914567944778671, 1.373400766945016],
        [0.2, 0.9174311926605504, 0.038461538461538464],
    ],
    "sinh": [
        [-2.0, 0.3, 5.0],
        [-3.626860407847019, 0.3045202934471426, 74.20321057778875],
        [3.7621956910836314, 1.0453385141288605, 74.20994852478785],
    ],
    "cosh": [
        [-2.0, 0.3, 5.0],
        [3.7621956910836314, 1.0453385141288605, 74.20994852478785],
        [-3.626860407847019, 0.3045202934471426, 74.20321057778875],
    ],
    "asinh": [
        [-2.0, 0.3, 5.0],
        [-1.4436354751788103, 0.29567304756342244, 2.3124383412727525],
        [0.4472135954999579, 0.9578262852211513, 0.19611613513818407],
    ],
    "acosh": [
        [1.1, 2.0, 5.0],
        [0.4435682543851154, 1.3169578969248166, 2.2924316695611777],
        [2.182178902359923, 0.5773502691896258, 0.20412414523193148],
    ],
    "atanh": [
        [-0.9, 0.3, 0.7],
        [-1.4722194895832204, 0.30951960420311175, 0.8673005276940531],
        [5.263157894736843, 1.0989010989010988, 1.9607843137254901],
    ],
}


def run(fetches: Any, feeds: Any = None) -> Any:
    with sf.Session() as sess:
        return sess.run(fetches, feeds)


def with_gradients(build: Any, *values: Any, dtype: Any = np.float64) -> list[Any]:
    """The value of ``build(*values)``, and its gradients by each value."""
    xs = [sf.constant(np.array(v, dtype)) for v in values]
    y = build(*xs)
    return run([y, *sf.gradients(y, xs)])  # type: ignore[no-any-return]


@pytest.mark.parametrize("name", RECORDED)
def test_recorded_values(name: str) -> None:
    at, values, slopes = RECORDED[name]
    found = with_gradients(getattr(trigonometry, name), at)
    np.testing.assert_allclose(found, [values, slopes], rtol=1e-14)


@pytest.mark.parametrize("name", RECORDED)
@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_dtype_of_the_feed_is_kept(name: str, dtype: Any) -> None:
    free = sf.Placeholder()
    y = getattr(trigonometry, name)(free)
    first = sf.gradients(y, free)[0]
    second = sf.gradients(first, free)[0]
    for value in run([y, first, second], {free: np.array(RECORDED[name][0], dtype)}):
        assert value.dtype == dtype


@pytest.mark.parametrize("name", [*RECORDED, "atan2", "hypot"])
def test_whole_numbers_are_refused(name: str) -> None:
    build = getattr(trigonometry, name)
    whole = sf.constant([1, 2])
    with pytest.raises(TypeError, match=f"{name} does not take int32"):
        build(whole) if name in RECORDED else build(whole, whole)


def test_slopes_at_the_ends() -> None:
    assert with_gradients(asin, [-1.0, 1.0])[1].tolist() == [INF, INF]
    assert with_gradients(acos, [-1.0, 1.0])[1].tolist() == [-INF, -INF]
    assert with_gradients(acosh, 1.0) == [0, INF]
    value, slope = with_gradients(atanh, [-1.0, 1.0])
    assert value.tolist() == [-INF, INF]
    assert slope.tolist() == [INF, INF]


def test_nothing_beyond_the_ends() -> None:
    for build in (asin, acos):
        assert np.isnan(with_gradients(build, [-1.5, 1.5])).all()
    assert np.isnan(with_gradients(acosh, [-3.0, 0.5])).all()
    assert np.isnan(with_gradients(atanh, [-1.5, 1.5])[0]).all()


@pytest.mark.parametrize(
    ("build", "at", "slope"),
    [
        (asin, 1 - 1e-12, 707114.60252564540),
        (acos, 1 - 1e-12, -707114.60252564540),
        (atanh, 1 - 1e-12, 500011061105.00142),
        (acosh, 1 + 1e-12, 707075.35217958560),
    ],
)
def test_slopes_close_to_the_ends(build: Any, at: float, slope: float) -> None:
    """Those of the very float, computed with 40 digits."""
    assert with_gradients(build, at)[1] == pytest.approx(slope, rel=1e-14)


@pytest.mark.parametrize("build", [asinh, acosh, atan])
def test_slopes_far_out(build: Any) -> None:
    value, slope = with_gradients(build, [1e18, 1e30, 3e38], dtype=np.float32)
    assert np.isfinite(value).all()
    want = [0, 0, 0] if build is atan else [1e-18, 1e-30, 1 / np.float32(3e38)]
    np.testing.assert_allclose(slope, want, rtol=1e-6, atol=1e-35)


def test_angles_of_points() -> None:
    """As TensorFlow 2.21 gave them, with the gradients by both coordinates."""
    found = with_gradients(atan2, [1.0, -2.0, 3.0], [0.5, -1.0, -2.0])
    want = [
        [1.1071487177940904, -2.0344439357957027, 2.1587989303424644],
        [0.4, -0.2, -0.15384615384615385],
        [-0.8, 0.4, -0.23076923076923078],
    ]
    np.testing.assert_allclose(found, want, rtol=1e-14)
    signs = run(atan2([0.0, -0.0, 0.0, -0.0], [1.0, 1.0, -1.0, -1.0]))
    np.testing.assert_allclose(signs, [0, 0, np.pi, -np.pi], rtol=1e-6)


def test_angles_of_tiny_and_huge_points() -> None:
    for unit in (1e-30, 1.0, 1e30):
        angle, by_y, by_x = with_gradients(atan2, 3 * unit, 4 * unit, dtype=np.float32)
        assert angle == pytest.approx(0.6435011, rel=1e-6)
        assert by_y * unit == pytest.approx(0.16, rel=1e-6)
        assert by_x * unit == pytest.approx(-0.12, rel=1e-6)


def test_the_origin_has_no_slope_and_nan_shows() -> None:
    for build in (atan2, hypot):
        assert with_gradients(build, [0.0], [0.0]) == [0, 0, 0]
        assert np.isnan(with_gradients(build, [NAN], [1.0])).all()


def test_hypot() -> None:
    found = with_gradients(hypot, [3e-30, 3e30], [4e-30, 4e30], dtype=np.float32)
    np.testing.assert_allclose(found, [[5e-30, 5e30], [0.6] * 2, [0.8] * 2], rtol=1e-6)


def test_angles_with_sizes_that_only_a_run_tells() -> None:
    y, x = sf.placeholder(sf.float64), sf.placeholder(sf.float64, [None, None])
    feeds = {y: [0.5, -1.0, 2.0], x: [[1.5], [-0.5]]}
    check_gradients(atan2(y, x), [y, x], feeds)
    check_gradients(atan2(y, 2), [y], feeds)
    free = sf.Placeholder()
    assert run(atan2(free, 1.0), {free: np.float32([1])}).dtype == np.float32
