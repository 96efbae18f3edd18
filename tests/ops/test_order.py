"""Orders: what the samples do not show, and TensorFlow's numbers."""

import numpy as np
import pytest

import similarflow as sf
from similarflow.ops.order import argsort, in_top_k, searchsorted, sort, top_k
from similarflow.testing import check_gradients

NAN, INF = np.nan, np.inf


def run(fetches, feeds=None):
    return sf.Session().run(fetches, feeds)


def static(x):
    return x.static_shape


# top_k


def test_top_k_gives_values_and_indices():
    values, indices = top = top_k([[1.0, 5.0, 3.0, 5.0], [2.0, 2.0, 2.0, 2.0]], 2)
    assert type(top).__name__ == "TopKV2"
    found = run(top)
    assert found.values.tolist() == [[5, 5], [2, 2]]
    assert found.indices.tolist() == [[1, 3], [0, 1]]  # the first of equal ones
    assert (values.dtype, indices.dtype) == (sf.float32, sf.int32)
    assert values.op.type == "TopKV2"
    assert run(top_k([1, 3, 2])).indices.tolist() == [1]
    lowest, highest = np.iinfo(np.int32).min, np.iinfo(np.int32).max
    assert run(top_k([lowest, 5, highest], 3)).indices.tolist() == [2, 1, 0]
    assert run(top_k([-0.0, 0.0, -0.0], 3)).indices.tolist() == [0, 1, 2]
    assert run(top_k([1.0, NAN, 2.0], 2)).indices.tolist() == [1, 2]
    assert run(top_k([1.0, 2.0], 1, False, "best")).values.tolist() == [2]


def test_top_k_of_unknown_sizes():
    x, k = sf.placeholder(sf.float64, [None, 5]), sf.placeholder(sf.int32, [])
    values, indices = top_k(x, k)
    assert static(values) == static(indices) == (None, None)
    assert static(top_k(x, 2).values) == (None, 2)
    feeds = {x: [[1, 4, 2, 0, 3]], k: 2}
    assert run(indices, feeds).tolist() == [[1, 4]]
    assert check_gradients(values * values, x, feeds) < 1e-5
    u = sf.placeholder(sf.float32)
    with pytest.raises(ValueError, match=r"k is 3, and the last axis .* has 2"):
        top_k([1.0, 2.0], 3)
    with pytest.raises(sf.errors.InvalidArgumentError, match="k is 3"):
        run(top_k(u, 3).values, {u: [1.0, 2.0]})
    with pytest.raises(ValueError, match="k is -1"):
        top_k([1.0], -1)
    with pytest.raises(ValueError, match="not a scalar"):
        top_k(1.0)
    with pytest.raises(TypeError, match="top_k does not take bool"):
        top_k([True])


IN_TOP = [
    ([[10, 9, 8, 8, 8], [0, 0, 0, 0, 0], [1, 2, 3, 4, 5]], [4, 2, 0], 3, [1, 1, 0]),
    ([[0.1, 0.8, 0.1], [0.3, 0.3, 0.4]], [1, 0], 1, [1, 0]),
    ([[0.1, 0.8, 0.1], [0.3, 0.3, 0.4]], [3, -1], 1, [0, 0]),
    ([[NAN, 0.8, 0.1], [0.3, NAN, 0.4], [0.3, 0.5, NAN]], [1, 1, 0], 2, [0, 0, 0]),
    ([[INF, 1.0, 2.0], [1.0, INF, 2.0], [-INF, 1.0, 2.0]], [1, 1, 0], 2, [0, 0, 0]),
    ([[0.1, 0.8, 0.1]], [1], 0, [0]),
    ([[0.1, 0.8, 0.1]], [0], 10, [1]),
]


@pytest.mark.parametrize(("predictions", "targets", "k", "wanted"), IN_TOP)
def test_in_top_k_equals_tensorflows(predictions, targets, k, wanted):
    y = in_top_k(np.array(predictions, np.float32), targets, k)
    assert (y.op.type, y.dtype, static(y)) == ("InTopKV2", sf.bool, (len(wanted),))
    assert run(y).tolist() == [bool(w) for w in wanted]


def test_in_top_k_takes_a_matrix_and_a_vector():
    x, t = sf.placeholder(sf.float32, [None, 10]), sf.placeholder(sf.int64, [None])
    y = in_top_k(x, t, sf.constant(2), name="hits")
    assert (static(y), y.op.name) == ((None,), "hits")
    assert static(in_top_k(sf.placeholder(sf.float32), [1, 2], 1)) == (2,)
    text = r"a number for each of its rows, not of shapes \(1, 3\) and \(2,\)"
    with pytest.raises(ValueError, match=text):
        in_top_k([[0.1, 0.8, 0.1]], [1, 2], 1)
    with pytest.raises(sf.errors.InvalidArgumentError, match="for each of its rows"):
        run(y, {x: np.ones([3, 10]), t: [1]})
    with pytest.raises(TypeError, match="targets are whole numbers"):
        in_top_k([[0.1, 0.8, 0.1]], [1.0], 1)


# sort


def test_sorts_equal_tensorflows():
    assert run(sort([1.0, 5.0, 3.0])).tolist() == [1, 3, 5]
    assert run(sort([[1, 10], [3, 2]], axis=0, direction="DESCENDING")).tolist() == [
        [3, 10], [1, 2],
    ]  # fmt: skip
    assert run(sort(np.array([5, 0, 255], np.uint8))).tolist() == [0, 5, 255]
    lowest = np.iinfo(np.int32).min
    assert run(sort([5, lowest, -1])).tolist() == [lowest, -1, 5]
    assert run(argsort([1.0, 5.0, 3.0, 1.0, 5.0])).tolist() == [0, 3, 2, 1, 4]
    down = argsort([1.0, 5.0, 3.0, 1.0, 5.0], direction="DESCENDING")
    assert (down.dtype, run(down).tolist()) == (sf.int32, [1, 4, 2, 0, 3])
    assert run(argsort([[3, 1], [1, 2]], 0, stable=True)).tolist() == [[1, 0], [0, 1]]
    assert run(argsort([0.0, -0.0, 0.0])).tolist() == [0, 1, 2]
    assert run(argsort([NAN, 1.0, INF])).tolist() == [1, 2, 0]  # nan is largest


def test_sort_of_unknown_rank_and_its_gradient():
    x = sf.placeholder(sf.float64)
    y = sort(x, 0)
    assert static(y) is None
    feeds = {x: [[3, 1], [1, 2], [2, 0]]}
    assert run(y, feeds).tolist() == [[1, 0], [2, 1], [3, 2]]
    weighted = y * [[1.0], [2.0], [3.0]]
    assert run(sf.gradients(weighted, x)[0], feeds).tolist() == [[3, 2], [1, 3], [2, 1]]
    with pytest.raises(sf.errors.InvalidArgumentError, match="axis 0 is out of range"):
        run(y, {x: 1.0})
    with pytest.raises(ValueError, match="axis 1 is out of range for rank 1"):
        sort([1.0], axis=1)
    with pytest.raises(ValueError, match="direction is one of"):
        sort([1.0], direction="descending")


def test_searchsorted_equals_tensorflows():
    assert run(searchsorted([1, 3, 5], [0, 3, 6])).tolist() == [0, 1, 3]
    behind = searchsorted([1, 3, 5], [0, 3, 6], side="right", out_type=sf.int64)
    assert (behind.dtype, run(behind).tolist()) == (sf.int64, [0, 2, 3])
    assert run(searchsorted([[1, 3, 5], [2, 4, 6]], [[3], [3]])).tolist() == [[1], [1]]
    u = sf.placeholder(sf.float32)
    y = searchsorted(u, sf.placeholder_with_default([[1.0]], [None, 1]))
    assert static(y) == (None, 1)
    assert run(y, {u: [[0, 2]]}).tolist() == [[1]]
    with pytest.raises(sf.errors.InvalidArgumentError, match="need the same axes"):
        run(y, {u: [[0, 2], [1, 3]]})
    with pytest.raises(ValueError, match="need the same axes"):
        searchsorted([[1, 3, 5], [2, 4, 6]], [[3]])
    with pytest.raises(ValueError, match="side is 'left' or 'right'"):
        searchsorted([1], [1], side="x")
    with pytest.raises(TypeError, match=r"sf\.int32 or sf\.int64"):
        searchsorted([1], [1], out_type=sf.float32)
