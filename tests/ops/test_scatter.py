"""Coordinates: what the samples do not show, and TensorFlow's numbers."""

import numpy as np
import pytest

import similarflow as sf
from similarflow.ops.scatter import (
    batch_gather,
    gather_nd,
    scatter_nd,
    scatter_nd_add,
    scatter_nd_sub,
    scatter_nd_update,
)
from similarflow.testing import check_gradients


def run(fetches, feeds=None):
    return sf.Session().run(fetches, feeds)


def static(x):
    return x.static_shape


@pytest.mark.parametrize(
    ("indices", "text"),
    [
        ([[0, 1], [1, 2]], r"indices\[1\] = \[1, 2\] is no place in shape \(2, 2\)"),
        ([[-1, 0]], r"indices\[0\] = \[-1, 0\] is no place in shape \(2, 2\)"),
        ([[[0], [2]]], r"indices\[0, 1\] = \[2\] is no place in shape \(2,\)"),
        ([2], r"indices = \[2\] is no place in shape \(2,\)"),
    ],
)
def test_places_that_are_out_of_range_are_named(indices, text):
    x = sf.constant([[1.0, 2.0], [3.0, 4.0]])
    with pytest.raises(sf.errors.InvalidArgumentError, match=text):
        run(gather_nd(x, indices))
    u = sf.placeholder(sf.float32)
    picked = np.ones(np.shape(indices)[:-1] + (2,) * (2 - np.shape(indices)[-1]))
    with pytest.raises(sf.errors.InvalidArgumentError, match=text):
        run(scatter_nd(indices, u, [2, 2]), {u: picked})
    w = sf.Variable([[1.0, 2.0], [3.0, 4.0]])
    for write in (scatter_nd_add, scatter_nd_sub, scatter_nd_update):
        with pytest.raises(sf.errors.InvalidArgumentError, match=text):
            run(write(w, indices, picked.astype(np.float32)))


def test_gather_nd_of_batches():
    x = sf.constant(np.arange(12.0).reshape(2, 3, 2))
    y = gather_nd(x, [[2], [0]], batch_dims=1)
    assert static(y) == (2, 2)
    assert run(y).tolist() == [[4, 5], [6, 7]]
    z = batch_gather(x, [[0, 2], [1, 1]])
    assert static(z) == (2, 2, 2)
    assert run(z).tolist() == [[[0, 1], [4, 5]], [[8, 9], [8, 9]]]
    assert run(batch_gather(["a", "b"], [1, 1])).tolist() == [b"b", b"b"]
    assert check_gradients(y * y, x) < 1e-5
    assert check_gradients(z * z, x) < 1e-5
    with pytest.raises(ValueError, match="known rank"):
        batch_gather(x, sf.placeholder(sf.int32))
    with pytest.raises(ValueError, match="batch_dims is 2, and indices have rank 2"):
        gather_nd(x, [[2], [0]], batch_dims=2)
    i = sf.placeholder(sf.int32, [None, None])
    y = gather_nd(x, i, batch_dims=1)
    assert static(y) is None
    assert run(y, {i: [[2, 0], [0, 1]]}).tolist() == [4, 7]
    with pytest.raises(
        sf.errors.InvalidArgumentError, match=r"indices\[1\] = \[1, 3, 1\]"
    ):
        run(y, {i: [[2, 0], [3, 1]]})


def test_what_is_known_of_gather_nd():
    x = sf.placeholder(sf.float32, [None, 3, 4])
    assert static(gather_nd(x, sf.placeholder(sf.int32, [7, 2]))) == (7, 4)
    assert static(gather_nd(x, sf.placeholder(sf.int32, [7, None]))) is None
    assert static(gather_nd(x, sf.placeholder(sf.int32))) is None
    with pytest.raises(ValueError, match=r"hold 4 numbers each, and .* has 3 axes"):
        gather_nd(x, [[0, 0, 0, 0]])
    with pytest.raises(ValueError, match="indices need an axis"):
        gather_nd(x, 1)
    with pytest.raises(TypeError, match="indices are whole numbers"):
        gather_nd(x, [[0.5]])
    i = sf.Placeholder()
    with pytest.raises(
        sf.errors.InvalidArgumentError, match="whole numbers, not float64"
    ):
        run(gather_nd(x, i), {x: np.ones([1, 3, 4]), i: [[0.5]]})
    assert run(gather_nd(x, i), {x: np.ones([1, 3, 4]), i: np.zeros([0, 2])}).shape == (
        0,
        4,
    )


def test_gradient_of_rows_is_sparse_and_that_of_elements_dense():
    x = sf.constant([[1.0, 2.0], [3.0, 4.0]])
    rows = sf.gradients(gather_nd(x, [[1], [1]]), x)[0]
    assert isinstance(rows, sf.IndexedSlices)
    assert run(sf.convert_to_tensor(rows)).tolist() == [[0, 0], [2, 2]]
    elements = sf.gradients(gather_nd(x, [[1, 0], [1, 0]]), x)[0]
    assert not isinstance(elements, sf.IndexedSlices)
    assert run(elements).tolist() == [[0, 0], [2, 0]]


def test_scatter_nd_adds_what_meets():
    assert run(scatter_nd([[1], [1]], [5.0, 6.0], [3])).tolist() == [0, 11, 0]
    assert run(scatter_nd([[1]], [True], [2])).tolist() == [False, True]
    n = sf.placeholder(sf.int32, [])
    y = scatter_nd([[1]], [[1, 2]], [n, 2])
    assert static(y) == (None, 2)
    assert run(y, {n: 3}).tolist() == [[0, 0], [1, 2], [0, 0]]
    assert static(scatter_nd([[1]], [1], sf.placeholder(sf.int64))) is None
    with pytest.raises(TypeError, match="no strings"):
        scatter_nd([[1]], ["a"], [2])
    text = r"updates have shape \(3,\); indices of shape \(2, 1\) .* take shape \(2,\)"
    with pytest.raises(ValueError, match=text):
        scatter_nd([[1], [2]], [5, 6, 7], [5])
    u = sf.placeholder(sf.float32)
    with pytest.raises(sf.errors.InvalidArgumentError, match=text):
        run(scatter_nd([[1], [2]], u, [5]), {u: [5, 6, 7]})
    with pytest.raises(ValueError, match="0 or more"):
        scatter_nd([[1]], [5], [-1])


def test_variables():
    w = sf.Variable([[1.0, 2.0], [3.0, 4.0]])
    new = [
        scatter_nd_update(w, [[0], [0]], [[9.0, 8.0], [5.0, 6.0]]),
        scatter_nd_add(w, [[0, 1], [0, 1]], [1.0, 1.0]),
        scatter_nd_sub(w, [[1]], [[1.0, 1.0]]),
    ]
    assert [t.op.type for t in new] == [
        "ScatterNdUpdate", "ScatterNdAdd", "ScatterNdSub",
    ]  # fmt: skip
    assert static(new[0]) == (2, 2)
    with sf.Session() as sess:
        assert sess.run(new[0]).tolist() == [[5, 6], [3, 4]]  # of two the last counts
        assert sess.run(new[1]).tolist() == [[5, 8], [3, 4]]
        assert sess.run(new[2]).tolist() == [[5, 8], [2, 3]]
        assert sess.run(w).tolist() == [[5, 8], [2, 3]]
        before = sess.run(w)
        with pytest.raises(sf.errors.InvalidArgumentError):
            sess.run(scatter_nd_add(w, [[0], [9]], [[1.0, 1.0], [1.0, 1.0]]))
        assert (sess.run(w) == before).all()
    with pytest.raises(ValueError, match=r"take shape \(1, 2\)"):
        scatter_nd_add(w, [[0]], 1.0)
    with pytest.raises(TypeError, match="only a variable can be assigned to"):
        scatter_nd_add(sf.constant([1.0]), [[0]], [1.0])
    names = sf.Variable(["a", "b"])
    assert run(scatter_nd_update(names, [[1]], ["c"])).tolist() == [b"a", b"c"]


def test_batches_from_the_end_need_a_known_rank():
    x, places = sf.constant([[1, 2], [3, 4]]), sf.placeholder(sf.int32)
    picked = sf.gather(x, [[1], [0]], batch_dims=-1)
    assert run(picked).tolist() == [[2], [3]]
    with pytest.raises(ValueError, match="indices of a known rank"):
        sf.gather(x, places, batch_dims=-1)
    with pytest.raises(ValueError, match="beyond the rank of indices"):
        sf.gather(x, [0, 1], batch_dims=-2)
    with pytest.raises(ValueError, match="needs a known rank"):
        sf.batch_scatter_update(sf.Variable([[1, 2]]), places, [[3]])
