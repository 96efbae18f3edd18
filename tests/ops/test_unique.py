"""Different values: what the samples do not show, and TensorFlow's numbers."""

import numpy as np
import pytest

import similarflow as sf
from similarflow.ops.unique import setdiff1d, unique, unique_with_counts


def run(fetches, feeds=None):
    return sf.Session().run(fetches, feeds)


def test_unique_equals_tensorflows():
    found = run(unique([3, 1, 3, 2, 1]))
    assert type(found).__name__ == "Unique"
    assert [found.y.tolist(), found.idx.tolist()] == [[3, 1, 2], [0, 1, 0, 2, 1]]
    y, idx = run(unique([3.0, np.nan, np.nan, -0.0, 0.0]))
    assert idx.tolist() == [0, 1, 2, 3, 3]
    assert np.isnan(y[1:3]).all()
    assert np.signbit(y[3])
    y, idx = run(unique(["b", "a", "b"], sf.int64))
    assert (y.tolist(), idx.tolist(), idx.dtype) == ([b"b", b"a"], [0, 1, 0], np.int64)
    y, idx, count = run(unique_with_counts([3, 1, 3, 2, 1], out_idx=sf.int64))
    assert (y.tolist(), count.tolist()) == ([3, 1, 2], [2, 2, 1])
    assert idx.dtype == count.dtype == np.int64


def test_setdiff1d_equals_tensorflows():
    found = run(setdiff1d([1, 2, 3, 4, 5, 6, 2], [1, 3, 5]))
    assert type(found).__name__ == "ListDiff"
    assert [found.out.tolist(), found.idx.tolist()] == [[2, 4, 6, 2], [1, 3, 5, 6]]
    out, idx = run(setdiff1d(["b", "a"], ["a"], sf.int64))
    assert (out.tolist(), idx.dtype) == ([b"b"], np.int64)


def test_static_shapes_and_vectors_only():
    x = sf.placeholder(sf.float32, [4])
    assert [t.static_shape for t in unique_with_counts(x)] == [(None,), (4,), (None,)]
    assert [t.static_shape for t in setdiff1d(x, x)] == [(None,), (None,)]
    u = sf.placeholder(sf.float32)
    for build in (unique, unique_with_counts, lambda y: setdiff1d(y, [1.0])):
        with pytest.raises(ValueError, match=r"x is a vector, .* \(1, 1\)"):
            build([[1.0]])
        with pytest.raises(sf.errors.InvalidArgumentError, match="x is a vector"):
            run(build(u)[0], {u: [[1.0]]})
    with pytest.raises(TypeError, match=r"sf\.int32 or sf\.int64"):
        unique(x, sf.int8)
    assert sf.gradients(unique(x).y, x) == [None]
