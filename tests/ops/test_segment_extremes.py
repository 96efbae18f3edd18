"""Extremes and products of segments: what the samples do not show."""

import numpy as np
import pytest

import similarflow as sf
from similarflow.ops.segment_extremes import (
    segment_max,
    segment_min,
    segment_prod,
    unsorted_segment_max,
    unsorted_segment_min,
    unsorted_segment_prod,
)
from similarflow.testing import check_gradients

DATA = [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]
WEIGHTS = np.array([[1, 2], [3, 4], [5, 6]], np.float32)


def run(fetches, feeds=None):
    return sf.Session().run(fetches, feeds)


SORTED = [
    (segment_max, [[3, 4], [0, 0], [5, 6]], [[0, 0], [1, 2], [5, 6]]),
    (segment_min, [[1, 2], [0, 0], [5, 6]], [[1, 2], [0, 0], [5, 6]]),
    (segment_prod, [[3, 8], [1, 1], [5, 6]], [[3, 8], [1, 4], [5, 6]]),
]


@pytest.mark.parametrize(("build", "wanted", "grads"), SORTED)
def test_sorted_segments_equal_tensorflows(build, wanted, grads):
    x = sf.constant(DATA)
    y = build(x, [0, 0, 2])
    found, back = run([y, sf.gradients(y * WEIGHTS, x)[0]])
    assert (found.tolist(), back.tolist()) == (wanted, grads)
    with pytest.raises(
        sf.errors.InvalidArgumentError, match=r"segment_ids\[1\] = 0 com"
    ):
        run(build(x, [1, 0, 2]))


F32 = np.finfo(np.float32)
TIES = [[1.0, 2.0], [0.0, 4.0], [1.0, 0.0]]
UNSORTED = [
    (unsorted_segment_max, F32.min, [1, 2], [[1.5, 4], [0, 0], [1.5, 0]]),
    (unsorted_segment_min, F32.max, [1, 0], [[1.5, 0], [0, 0], [1.5, 4]]),
    (unsorted_segment_prod, 1, [1, 0], [[3, 0], [0, 0], [3, 8]]),
]


@pytest.mark.parametrize(("build", "empty", "second", "grads"), UNSORTED)
def test_unsorted_segments_equal_tensorflows(build, empty, second, grads):
    x = sf.constant(TIES)
    y = build(x, [1, -1, 1], 3)
    assert y.static_shape == (3, 2)
    found, back = run([y, sf.gradients(y * WEIGHTS, x)[0]])
    assert found.tolist() == [[empty] * 2, second, [empty] * 2]
    assert back.tolist() == grads
    with pytest.raises(
        sf.errors.InvalidArgumentError, match=r"segment_ids\[0\] = 3 is"
    ):
        run(build(x, [3, 0, 0], 3))


def test_integers_without_a_row():
    assert run(unsorted_segment_max([1, 2], [0, 0], 2)).tolist() == [2, -(2**31)]
    assert run(unsorted_segment_min([1, 2], [0, 0], 2)).tolist() == [1, 2**31 - 1]
    assert run(segment_max(np.zeros([0, 2]), np.zeros([0], np.int32))).shape == (0, 2)


@pytest.mark.parametrize("row", [unsorted[0] for unsorted in UNSORTED])
def test_numbers_with_several_axes(row):
    x, ids = sf.placeholder(sf.float64), sf.placeholder(sf.int64)
    y = row(x, ids, 2)
    feeds = {
        x: np.random.default_rng(0).normal(size=[2, 3, 2]),
        ids: [[0, 1, -1], [0, 0, 1]],
    }
    assert check_gradients(y * y, x, feeds) < 1e-4
    assert check_gradients(row(x, ids, 1), x, {x: 2.0, ids: 0}) < 1e-6


def test_products_with_zeros_have_gradients_of_any_order():
    x = sf.constant([0.0, 2.0, 3.0, 0.0, 0.0, 5.0], sf.float64)
    y = segment_prod(x, [0, 0, 0, 1, 1, 1])
    first = sf.gradients(y, x)[0]
    assert run(first).tolist() == [6, 0, 0, 0, 0, 0]
    assert run(sf.gradients(first[0], x)[0]).tolist() == [0, 3, 2, 0, 0, 0]
    assert run(sf.gradients(first[3], x)[0]).tolist() == [0, 0, 0, 0, 5, 0]
    assert check_gradients(y, x) < 1e-5


def test_nan_shows():
    x = sf.placeholder(sf.float32, [3])
    y = segment_max(x, [0, 0, 1])
    value, grad = run([y, sf.gradients(y, x)[0]], {x: [np.nan, 1.0, 2.0]})
    assert np.isnan(value[0])
    assert value[1] == 2
    assert np.isnan(grad[:2]).all()
    assert grad[2] == 1
