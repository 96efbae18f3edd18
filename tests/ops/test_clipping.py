"""Clipping: recorded values and gradients, slices, lists with None, odd norms."""

from typing import Any

import numpy as np
import pytest

import similarflow as sf
from similarflow.ops.clipping import (
    clip_by_average_norm,
    clip_by_global_norm,
    clip_by_norm,
    clip_by_value,
    global_norm,
    l2_normalize,
)
from similarflow.testing import check_gradients

INF, NAN = np.inf, np.nan
M = np.array([[1.0, -2.0, 0.5], [3.0, 4.0, -1.0]])


def run(fetches: Any, feeds: Any = None) -> Any:
    with sf.Session() as sess:
        return sess.run(fetches, feeds)


def close(found: Any, want: Any, rtol: float = 1e-13, atol: float = 1e-14) -> None:
    for value, wanted in zip(found, want, strict=True):
        np.testing.assert_allclose(value, wanted, rtol=rtol, atol=atol)


def test_values_and_gradients_at_the_bounds() -> None:
    """As TensorFlow 2.21 gave them: a bound itself counts as inside."""
    x = sf.constant([-3.0, -1.0, 0.0, 2.0, 5.0, NAN])
    low, high = sf.constant(-1.0), sf.constant(2.0)
    y = clip_by_value(x, low, high)
    found = run([y, *sf.gradients(y, [x, low, high])])
    np.testing.assert_array_equal(found[0], [-1, -1, 0, 2, 2, NAN])
    assert found[1].tolist() == [0, 1, 1, 1, 0, 0]
    assert found[2:] == [2, 1]  # 1 each, and that of nan


def test_clipped_dtypes_and_shapes() -> None:
    assert run(clip_by_value([1, 5], 0, 3)).tolist() == [1, 3]
    assert run(clip_by_value(M, [0.0, 0.0, 0.0], 1.0)).max() == 1
    with pytest.raises(TypeError, match=r"0\.5"):
        clip_by_value(sf.constant([1, 5]), 0.5, 3)
    with pytest.raises(ValueError, match="larger than t"):
        clip_by_value(sf.constant([1.0, 2.0]), [[0.0], [0.0]], 3.0)
    free = sf.Placeholder()
    assert run(clip_by_value(free, -1, 1), {free: np.float32([5])}).dtype == np.float32


def test_clipped_names() -> None:
    x = sf.constant(1.0)
    y = clip_by_value(x, 0.0, 2.0)
    assert y.name == "clip_by_value:0"
    assert [t.name for t in y.op.inputs] == [
        "clip_by_value/Minimum:0",
        "clip_by_value/y:0",
    ]
    assert clip_by_norm(x, 1.0, name="small").name == "small:0"
    assert clip_by_average_norm(x, 1.0).name == "clip_by_average_norm:0"
    assert l2_normalize(x).name == "l2_normalize:0"


def slices() -> Any:
    return sf.IndexedSlices(sf.constant(M), sf.constant([0, 2]), sf.constant([4, 3]))


@pytest.mark.parametrize(
    "clip",
    [
        lambda t: clip_by_value(t, -1.0, 1.0),
        lambda t: clip_by_norm(t, 2.0),
        lambda t: clip_by_average_norm(t, 0.5),
    ],
)
def test_slices_stay_slices(clip: Any) -> None:
    found = clip(slices())
    assert isinstance(found, sf.IndexedSlices)
    values, indices, shape = run(found)
    np.testing.assert_array_equal(values, run(clip(sf.constant(M))))
    assert indices.tolist() == [0, 2]
    assert shape.tolist() == [4, 3]


def test_recorded_clips_by_norm() -> None:
    """As TensorFlow 2.21 gave them: of all, and of the rows."""
    x = sf.constant(M)
    y, z = clip_by_norm(x, 2.0), clip_by_norm(x, 3.0, axes=[1])
    found = run([y, z, sf.gradients(z, x, x * x)[0], sf.gradients(y, x, x)[0]])
    want = [
        [
            [0.35777087639996635, -0.7155417527999327, 0.17888543819998318],
            [1.073312629199899, 1.4310835055998654, -0.35777087639996635],
        ],
        [
            [1.0, -2.0, 0.5],
            [1.7650452162436565, 2.3533936216582085, -0.5883484054145521],
        ],
        [
            [1.0, 4.0, 0.25],
            [-0.8146362536509191, 1.2672119501236487, 2.6249390395418484],
        ],
        np.zeros((2, 3)),
    ]
    close(found, want)


def test_clip_by_norm_above_and_below() -> None:
    x = sf.placeholder(sf.float64, [2])
    y = clip_by_norm(x, 1.0)
    g = sf.gradients(y, x, sf.constant([1.0, 0.0], sf.float64))[0]
    with sf.Session() as sess:
        close(sess.run([y, g], {x: [3.0, 4.0]}), [[0.6, 0.8], [0.128, -0.096]])
        inside = [0.1, 0.7]  # what is small enough is left as it is
        assert sess.run(y, {x: inside}).tolist() == inside
        assert sess.run(g, {x: inside}).tolist() == [1, 0]
        assert sess.run(g, {x: [0.0, 0.0]}).tolist() == [1, 0]
    check_gradients(y, x, {x: [3.0, 4.0]})


def test_clip_by_norm_of_huge_and_tiny_numbers() -> None:
    x = sf.constant(np.float32([[3e30, 4e30], [3e-30, 4e-30]]))
    found = run(clip_by_norm(x, 0.5, axes=[1]))
    np.testing.assert_allclose(found, [[0.3, 0.4], [3e-30, 4e-30]], rtol=1e-6)


def test_clip_norm_is_one_number() -> None:
    limit = sf.placeholder(sf.float32, [])
    y = clip_by_norm(sf.constant([3.0, 4.0]), limit)
    np.testing.assert_allclose(run(y, {limit: 2.5}), [1.5, 2.0])
    with pytest.raises(ValueError, match="larger than t"):
        clip_by_norm(sf.constant([3.0, 4.0]), [[1.0], [2.0]])
    with pytest.raises(TypeError, match="int32"):
        clip_by_norm([3, 4], 1.0)


def test_recorded_clips_by_average_norm() -> None:
    """As TensorFlow 2.21 gave them, in float32."""
    x = sf.constant(M, sf.float32)
    y, z = clip_by_average_norm(x, 0.5), clip_by_average_norm(x, 5.0)
    want = [
        [
            [0.5366563200950623, -1.0733126401901245, 0.26832816004753113],
            [1.609968900680542, 2.146625280380249, -0.5366563200950623],
        ],
        [
            [-0.8908496499061584, 5.0016374588012695, -0.5795888900756836],
            [0.547389030456543, 2.8764772415161133, 1.9641623497009277],
        ],
        M,
    ]
    close(run([y, sf.gradients(y, x, x * x)[0], z]), want, rtol=1e-5)
    assert run(clip_by_average_norm([0.0, 0.0], 1.0)).tolist() == [0, 0]


def test_recorded_clips_by_global_norm() -> None:
    """As TensorFlow 2.21 gave them."""
    x, w = sf.constant(M), sf.constant([1.0, -5.0], sf.float64)
    (a, b), size = clip_by_global_norm([x, w], 3.0)
    want = [
        [
            [0.39649116027305387, -0.7929823205461077, 0.19824558013652693],
            [1.1894734808191616, 1.5859646410922155, -0.39649116027305387],
        ],
        [0.39649116027305387, -1.9824558013652693],
        7.566372975210778,
        [
            [-0.3592660076709985, 3.0974789769803204, -0.2787557939037627],
            [1.3011489386253277, 3.3208298925926525, 1.152248328217106],
        ],
        [-0.3592660076709985, 1.7963300383549925],
    ]
    slopes = sf.gradients([a, b], [x, w], [x * x, w])
    close(run([a, b, size, *slopes]), want)


def test_global_norm_of_slices_and_none() -> None:
    x = slices()
    clipped, size = clip_by_global_norm([x, None, sf.constant(12.0, sf.float64)], 1.0)
    assert clipped[1] is None
    assert isinstance(clipped[0], sf.IndexedSlices)
    assert run(size) == pytest.approx((5.5901699437494745**2 + 144) ** 0.5)
    np.testing.assert_allclose(run(clipped[0]).values * run(size), M)
    assert run(global_norm([x, None])) == run(global_norm([M]))


def test_what_is_small_is_left_as_it_is() -> None:
    x = sf.constant([0.3, -0.1])
    (y,), _ = clip_by_global_norm([x], 49.0)
    assert run(y).tolist() == run(x).tolist()


def test_global_norm_that_is_known() -> None:
    for known in (sf.constant(10.0, sf.float64), 10.0):
        (y,), size = clip_by_global_norm(
            [sf.constant([3.0, 4.0], sf.float64)], 2, known
        )
        assert run(size) == 10
        np.testing.assert_allclose(run(y), [0.6, 0.8])


def test_global_norm_of_nothing_and_of_zeros() -> None:
    assert run(global_norm([])) == 0
    clipped, size = clip_by_global_norm([None], 2.0)
    assert clipped == [None]
    assert run(size) == 0
    x = sf.constant([0.0, 0.0])
    (y,), size = clip_by_global_norm([x], 2.0)
    assert run([y, *sf.gradients(y, x)])[1].tolist() == [1, 1]
    assert run(sf.gradients(size, x)[0]).tolist() == [0, 0]


def test_global_norm_that_is_not_finite() -> None:
    for odd in (INF, NAN):
        (x, y), _ = clip_by_global_norm([[3.0, odd], 12.0], 6.5)
        assert np.isnan([*run(x), run(y)]).all()


def test_global_norm_of_tiny_and_huge_numbers() -> None:
    for unit in (1e-30, 1e30):
        values = [sf.constant(np.float32(n * unit)) for n in (3, 4, 12)]
        assert run(global_norm(values)) == pytest.approx(13 * unit, rel=1e-6)


def test_gradient_of_a_global_norm_that_is_infinite() -> None:
    """As in TensorFlow: 0 for what is finite, also beside what is not."""
    xs = [sf.constant([[1.0, INF], [3.0, 4.0]]), sf.constant([1.0, 2.0])]
    first, second = run(sf.gradients(global_norm(xs), xs))
    np.testing.assert_array_equal(first, [[0, NAN], [0, 0]])
    np.testing.assert_array_equal(second, [0, 0])


def test_global_norm_takes_lists() -> None:
    x = sf.constant([1.0, 2.0])
    for build in (global_norm, lambda t: clip_by_global_norm(t, 1.0)):
        with pytest.raises(TypeError, match="a list of tensors is expected"):
            build(x)
    with pytest.raises(TypeError, match="int32"):
        global_norm([[1, 2]])


def test_global_norm_names() -> None:
    (x,), size = clip_by_global_norm([[3.0, 4.0]], 1.0)
    assert size.name == "global_norm/global_norm:0"
    assert x.name == "clip_by_global_norm/clip_by_global_norm/_0:0"


def test_recorded_l2_normalize() -> None:
    """As TensorFlow 2.21 gave it."""
    x = sf.constant(M)
    y, z = l2_normalize(x, 1), l2_normalize(x)
    want = [
        [
            [0.4364357804719848, -0.8728715609439696, 0.2182178902359924],
            [0.5883484054145521, 0.7844645405527362, -0.19611613513818404],
        ],
        [
            [1.0079588263281554, 0.6026970301755978, 0.3948704680460815],
            [-0.2715454178836394, 0.4224039833745499, 0.8749796798472828],
        ],
        M / 5.5901699437494745,
    ]
    close(run([y, sf.gradients(y, x, x * x)[0], z]), want)


def test_l2_normalize_at_zero_and_close_to_it() -> None:
    x = sf.placeholder(sf.float64, [2])
    y = l2_normalize(x, axis=0, epsilon=1e-12)
    g = sf.gradients(y, x)[0]
    with sf.Session() as sess:
        close(sess.run([y, g], {x: [0.0, 0.0]}), [[0, 0], [1e6, 1e6]])
        close(sess.run([y, g], {x: [3.0, 4.0]}), [[0.6, 0.8], [0.032, -0.024]])
        close(sess.run([y], {x: [3e-7, 0.0]}), [[0.3, 0]])


def test_l2_normalize_takes_dim_and_tensors() -> None:
    x = sf.constant([[3.0, 4.0], [0.0, 0.0]])
    close(run([l2_normalize(x, dim=1)]), [[[0.6, 0.8], [0, 0]]], rtol=1e-6)
    close(run([l2_normalize(x, [0, 1], sf.constant(100.0))]), [run(x) / 10], rtol=1e-6)
    with pytest.raises(ValueError, match="give one of them"):
        l2_normalize(x, axis=1, dim=1)
    with pytest.raises(TypeError, match="int32"):
        l2_normalize([3, 4])


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_dtype_of_the_feed_is_kept(dtype: Any) -> None:
    free = sf.Placeholder()
    value = np.array([0.5, 2.0, -3.0], dtype)
    for build in (
        lambda x: clip_by_value(x, -1, 1.0),
        lambda x: clip_by_norm(x, 1.0),
        lambda x: clip_by_average_norm(x, 0.5),
        lambda x: clip_by_global_norm([x], 1.0)[0][0],
        l2_normalize,
    ):
        y = build(free)
        for found in run([y, sf.gradients(y, free)[0]], {free: value}):
            assert found.dtype == dtype
