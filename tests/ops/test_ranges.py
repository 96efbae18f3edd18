"""Ranges and grids: what the samples do not show, and TensorFlow's numbers."""

import numpy as np
import pytest

import similarflow as sf
from similarflow.ops.ranges import (
    broadcast_dynamic_shape,
    eye,
    lin_space,
    linspace,
    meshgrid,
    range as range_,
)
from similarflow.testing import check_gradients


def run(fetches, feeds=None):
    return sf.Session().run(fetches, feeds)


def static(x):
    return x.static_shape


RANGES = {
    "limit": ((5,), {}, [0, 1, 2, 3, 4], sf.int32),
    "steps": ((3, 18, 3), {}, [3, 6, 9, 12, 15], sf.int32),
    "down": ((3, 1, -0.5), {}, [3, 2.5, 2, 1.5], sf.float32),
    "keyword": ((5,), {"delta": 2}, [0, 2, 4], sf.int32),
    "named": ((), {"start": 2, "limit": 5}, [2, 3, 4], sf.int32),
    "empty": ((3, 3), {}, [], sf.int32),
    "thirds": ((0.0, 1.0, 1 / 3), {}, [0, 1 / 3, 2 / 3], sf.float32),
    "tenths": ((0.0, 0.3, 0.1), {}, [0, 0.1, 0.2], sf.float32),
    "dtype": ((3,), {"dtype": sf.float32}, [0, 1, 2], sf.float32),
    "wide": ((0.0, 2.0, 0.5), {"dtype": sf.float64}, [0, 0.5, 1, 1.5], sf.float64),
    "numpy": ((np.int64(3),), {}, [0, 1, 2], sf.int64),
    "numpy_float": ((np.float64(3),), {}, [0, 1, 2], sf.float64),
}


@pytest.mark.parametrize(
    ("args", "named", "wanted", "dtype"), RANGES.values(), ids=RANGES
)
def test_ranges_equal_tensorflows(args, named, wanted, dtype):
    y = range_(*args, **named)
    assert (y.dtype, static(y)) == (dtype, (len(wanted),))
    np.testing.assert_allclose(run(y), wanted, rtol=1e-6)
    assert (y.op.type, y.op.name) == ("Range", "range")


def test_ranges_of_tensors_take_the_dtype_that_holds_most():
    mixed = [
        range_(0, sf.constant(3.0)),
        range_(sf.constant(0, sf.int64), 3),
        range_(sf.constant(0, sf.int64), 3.0),
        range_(sf.constant(3.0), dtype=sf.int32),
    ]
    assert [y.dtype.name for y in mixed] == ["float32", "int64", "float32", "int32"]
    assert [v.tolist() for v in run(mixed)] == [[0, 1, 2]] * 4
    x = sf.placeholder(sf.float32, [None, 4])
    assert static(range_(sf.shape(x)[1])) == (4,)
    assert static(range_(x.shape[1])) == (4,)
    y = range_(sf.shape(x)[0])
    assert static(y) == (None,)
    assert run(y, {x: np.ones([3, 4])}).tolist() == [0, 1, 2]
    assert static(sf.zeros(range_(2, 5))) == (2, 3, 4)
    u = sf.Placeholder()
    z = range_(u)
    assert (z.dtype, run(z, {u: np.float64(2)}).dtype) == (None, np.float64)


def test_ranges_that_lead_nowhere():
    n = sf.placeholder(sf.int32, [])
    for start, limit, delta in ((3, 1, 1), (3, 5, -1), (3, 5, 0)):
        text = f"range from {start} to {limit} in steps of {delta}: a step is not 0"
        with pytest.raises(ValueError, match=text):
            range_(start, limit, delta)
        with pytest.raises(sf.errors.InvalidArgumentError, match=text):
            run(range_(n, limit, delta), {n: start})
    with pytest.raises(ValueError, match="range from"):
        range_(0.0, float("inf"))
    with pytest.raises(ValueError, match="limit is one number"):
        range_([1, 2])
    with pytest.raises(TypeError, match=r"range counts in int32, .*, not in uint8"):
        range_(sf.constant(3, sf.uint8))


def test_linspace_equals_tensorflows():
    assert lin_space is linspace
    found = run([linspace(0.0, 1.0, 4), linspace(5.0, 7.0, 1), linspace(1.0, 0.0, 3)])
    np.testing.assert_allclose(found[0], [0, 0.33333334, 0.6666667, 1], rtol=1e-7)
    assert [found[1].tolist(), found[2].tolist()] == [[5], [1, 0.5, 0]]
    n = sf.placeholder(sf.int32, [])
    stop = sf.constant(0.3, sf.float64)
    y = linspace(0.1, stop, n)
    assert (static(y), y.dtype) == ((None,), sf.float64)
    assert run(y, {n: 7})[-1] == 0.3  # whatever rounding does on the way
    assert check_gradients(y, stop, {n: 3}) < 1e-6
    with pytest.raises(TypeError, match="linspace does not take int32"):
        linspace(0, 10, 5)
    with pytest.raises(ValueError, match="start is one number"):
        linspace([0.0, 1.0], 1.0, 5)
    with pytest.raises(ValueError, match="num is 0 or more"):
        linspace(0.0, 1.0, -1)
    with pytest.raises(sf.errors.InvalidArgumentError, match="num is 0 or more"):
        run(y, {n: -1})


def test_meshgrid_equals_tensorflows():
    x, y = [1, 2], [3, 4, 5]
    assert [g.tolist() for g in run(meshgrid(x, y))] == [
        [[1, 2], [1, 2], [1, 2]],
        [[3, 3], [4, 4], [5, 5]],
    ]
    assert [g.tolist() for g in run(meshgrid(x, y, indexing="ij"))] == [
        [[1, 1, 1], [2, 2, 2]],
        [[3, 4, 5], [3, 4, 5]],
    ]
    assert [g.shape for g in run(meshgrid(x, [3], [4, 5]))] == [(1, 2, 2)] * 3
    assert run(meshgrid(1, [2, 3]))[0].tolist() == [[1], [1]]
    assert run(meshgrid(["a"], ["b", "c"]))[1].tolist() == [[b"b"], [b"c"]]
    assert meshgrid() == []
    u = sf.placeholder(sf.int32, [None])
    assert [static(g) for g in meshgrid(u, x)] == [(2, None)] * 2
    with pytest.raises(ValueError, match="'xy' or 'ij', not 'zz'"):
        meshgrid(x, indexing="zz")
    with pytest.raises(TypeError, match="sparse"):
        meshgrid(x, sparse=True)


def test_eye_equals_tensorflows():
    assert (
        run(eye(2, 3, batch_shape=[2], dtype=sf.int32)).tolist()
        == [[[1, 0, 0], [0, 1, 0]]] * 2
    )
    assert run(eye(2, dtype=sf.bool)).tolist() == [[True, False], [False, True]]
    x = sf.placeholder(sf.float32, [None, 3])
    y = eye(sf.shape(x)[0], x.shape[1], batch_shape=[sf.shape(x)[1]], name="unit")
    assert (static(y), y.dtype, y.op.name) == ((3, None, 3), sf.float32, "unit")
    assert run(y, {x: np.ones([2, 3])}).shape == (3, 2, 3)
    assert static(eye(0)) == (0, 0)
    assert static(eye(2, batch_shape=sf.placeholder(sf.int32))) is None
    with pytest.raises(ValueError, match="num_rows is 0 or more, not -1"):
        eye(-1)
    with pytest.raises(TypeError, match="num_columns are whole numbers"):
        eye(2, 2.5)
    with pytest.raises(ValueError, match="num_rows is one number"):
        eye([2])
    with pytest.raises(TypeError, match="no strings"):
        eye(2, dtype=sf.string)


def test_shapes_that_broadcast():
    x = sf.placeholder(sf.float32, [None, 3])
    y = broadcast_dynamic_shape(sf.shape(x), [2, 1])
    assert static(y) == (2,)
    assert static(sf.zeros(y)) == (2, 3)
    assert run(y, {x: np.ones([1, 3])}).tolist() == [2, 3]
    assert run(broadcast_dynamic_shape([2], [5, 1])).tolist() == [5, 2]
    assert static(broadcast_dynamic_shape(sf.placeholder(sf.int32), [2])) == (None,)
    with pytest.raises(ValueError, match=r"shapes \(2,\) and \(3,\) do not broadcast"):
        broadcast_dynamic_shape([2], [3])
    with pytest.raises(sf.errors.InvalidArgumentError, match="do not broadcast"):
        run(y, {x: np.ones([5, 3])})
