"""Sums and means of segments: what the samples do not show; TensorFlow's numbers."""

import numpy as np
import pytest

import similarflow as sf
from similarflow.ops.segment import (
    segment_mean,
    segment_sum,
    sparse_segment_mean,
    sparse_segment_sqrt_n,
    sparse_segment_sum,
    unsorted_segment_mean,
    unsorted_segment_sqrt_n,
    unsorted_segment_sum,
)
from similarflow.testing import check_gradients

DATA = [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]
WEIGHTS = np.array([[1, 2], [3, 4], [5, 6]], np.float32)
ROOT = np.sqrt(np.float32(2))


def run(fetches, feeds=None):
    return sf.Session().run(fetches, feeds)


def static(x):
    return x.static_shape


def test_sorted_segments_equal_tensorflows():
    x = sf.constant(DATA)
    for build, first, grads in (
        (segment_sum, [4, 6], [[1, 2], [1, 2], [5, 6]]),
        (segment_mean, [2, 3], [[0.5, 1], [0.5, 1], [5, 6]]),
    ):
        y = build(x, [0, 0, 2])
        found, back = run([y, sf.gradients(y * WEIGHTS, x)[0]])
        assert found.tolist() == [first, [0, 0], [5, 6]]
        assert back.tolist() == grads
        assert static(y) == (None, 2)
    assert run(segment_mean([1, 2, -1, -2], [0, 0, 1, 1])).tolist() == [1, -1]


@pytest.mark.parametrize("build", [segment_sum, segment_mean])
def test_numbers_that_are_no_segments_are_named(build):
    ids = sf.placeholder(sf.int32, [None])
    y = build(DATA, ids)
    for wrong, text in (
        ([0, 2, 1], r"segment_ids\[2\] = 1 comes behind 2.*unsorted_segment_"),
        ([-1, 0, 0], r"segment_ids\[0\] = -1 is negative"),
        ([0, 1], r"shape of data, \(3, 2\), must begin with .* \(2,\)"),
    ):
        with pytest.raises(sf.errors.InvalidArgumentError, match=text):
            run(y, {ids: wrong})
    with pytest.raises(ValueError, match="segment_ids is a vector"):
        build(DATA, [[0, 1], [1, 1], [1, 1]])
    with pytest.raises(ValueError, match="must begin with"):
        build(DATA, [0, 1])
    with pytest.raises(TypeError, match="segment_ids are whole numbers"):
        build(DATA, [0.0, 1.0, 2.0])


UNSORTED = [
    (unsorted_segment_sum, [[0, 0], [6, 8], [0, 0]], [[3, 4], [0, 0], [3, 4]]),
    (unsorted_segment_mean, [[0, 0], [3, 4], [0, 0]], [[1.5, 2], [0, 0], [1.5, 2]]),
    (
        unsorted_segment_sqrt_n,
        [[0, 0], [6 / ROOT, 8 / ROOT], [0, 0]],
        [[3 / ROOT, 4 / ROOT], [0, 0], [3 / ROOT, 4 / ROOT]],
    ),
]


@pytest.mark.parametrize(("build", "wanted", "grads"), UNSORTED)
def test_rows_with_negative_numbers_are_left_out(build, wanted, grads):
    x = sf.constant(DATA)
    y = build(x, [1, -1, 1], 3)
    assert static(y) == (3, 2)
    found, back = run([y, sf.gradients(y * WEIGHTS, x)[0]])
    np.testing.assert_allclose(found, wanted, rtol=1e-6)
    np.testing.assert_allclose(back, grads, rtol=1e-6)
    assert run(build(x, [-1, -1, -1], 0)).shape == (0, 2)
    assert run(build(3.0, 1, 2)).tolist() == [0, 3]
    n = sf.placeholder(sf.int64, [])
    with pytest.raises(
        sf.errors.InvalidArgumentError,
        match=r"segment_ids\[1\] = 3 is not below num_segments, 3",
    ):
        run(build(x, [0, 3, 0], n), {n: 3})


def test_numbers_with_several_axes():
    x = sf.placeholder(sf.float64)
    ids = sf.placeholder(sf.int32)
    feeds = {x: DATA, ids: [[0, 1], [1, 1], [-1, 0]]}
    y = unsorted_segment_sum(x, ids, 2)
    z = unsorted_segment_mean(x, ids, 2)
    assert static(y) is None
    assert [v.tolist() for v in run([y, z], feeds)] == [[7, 9], [3.5, 3]]
    assert check_gradients(y * y, x, feeds) < 1e-5
    assert check_gradients(z * z, x, feeds) < 1e-5
    with pytest.raises(ValueError, match="num_segments is one number, 0 or more"):
        unsorted_segment_sum(x, ids, -1)
    with pytest.raises(TypeError, match="num_segments are whole numbers"):
        unsorted_segment_sum(x, ids, 2.0)


def test_means_of_integers_are_fractions():
    y = unsorted_segment_mean([1, 2, 4], [0, 0, 2], 3)
    assert (y.dtype, run(y).tolist()) == (sf.float64, [1.5, 0, 4])
    assert y.op.name == "UnsortedSegmentMean"


SPARSE = [
    (sparse_segment_sum, [[6, 8], [0, 0], [3, 4]], [1, 0, 2]),
    (sparse_segment_mean, [[3, 4], [0, 0], [3, 4]], [0.5, 0, 1.5]),
    (
        sparse_segment_sqrt_n,
        [[6 / ROOT, 8 / ROOT], [0, 0], [3, 4]],
        [1 / ROOT, 0, 1 + 1 / ROOT],
    ),
]


@pytest.mark.parametrize(("build", "wanted", "grads"), SPARSE)
def test_picked_rows_equal_tensorflows(build, wanted, grads):
    x = sf.constant(DATA)
    np.testing.assert_allclose(run(build(x, [0, 2, 1], [0, 0, 2])), wanted, rtol=1e-6)
    y = build(x, [0, 2], [0, 0], num_segments=3)
    assert static(y) == (3, 2)
    np.testing.assert_allclose(run(y), [wanted[0], [0, 0], [0, 0]], rtol=1e-6)
    grad = sf.gradients(build(x, [0, 2, 2], [0, 0, 2]), x)[0]
    assert isinstance(grad, sf.Tensor)
    np.testing.assert_allclose(run(grad), np.transpose([grads] * 2), rtol=1e-6)
    with pytest.raises(sf.errors.InvalidArgumentError, match=r"indices\[1\] = 3"):
        run(build(x, [0, 3], [0, 0]))
    for wrong in ([0, 3], [-1, 0]):
        with pytest.raises(sf.errors.InvalidArgumentError, match="segment_ids"):
            run(build(x, [0, 2], wrong, num_segments=3))


def test_numbers_of_segments_are_whole_when_fed_too():
    ids = sf.Placeholder()
    with pytest.raises(sf.errors.InvalidArgumentError, match="not float64"):
        run(unsorted_segment_sum([1.0, 2.0], ids, 3), {ids: [0.5, 1.0]})
    empty = unsorted_segment_sum(np.zeros(0), ids, 3)
    assert run(empty, {ids: []}).tolist() == [0.0, 0.0, 0.0]
