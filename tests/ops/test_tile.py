"""Tiles, repeats and rolls: what the samples do not show."""

import numpy as np
import pytest

import similarflow as sf
from similarflow.ops.tile import repeat, roll, tile
from similarflow.testing import check_gradients


def run(fetches, feeds=None):
    return sf.Session().run(fetches, feeds)


def static(x):
    return x.static_shape


@pytest.fixture
def x():
    """A matrix with an unknown number of rows."""
    return sf.placeholder(sf.float32, [None, 2], name="x")


def test_tile_knows_what_shape_arithmetic_tells(x):
    n = sf.shape(x)[1]
    assert static(tile(x, [2, n])) == (None, 4)
    assert static(tile(sf.zeros([3, 2]), [sf.placeholder(sf.int32, []), 3])) == (
        None,
        6,
    )
    assert static(tile(x, sf.placeholder(sf.int32))) == (None, None)
    assert static(tile(sf.placeholder(sf.float32), [1, 2])) == (None, None)
    assert run(tile(["a", "b"], [2])).tolist() == [b"a", b"b", b"a", b"b"]


def test_tile_needs_one_number_for_each_axis(x):
    with pytest.raises(ValueError, match=r"multiples are \(2,\), and shape \(\?, 2\)"):
        tile(x, [2])
    with pytest.raises(ValueError, match="0 or more"):
        tile(x, [1, -1])
    times = sf.placeholder(sf.int32, [None])
    with pytest.raises(sf.errors.InvalidArgumentError, match="0 or more"):
        run(tile(x, times), {x: np.ones([1, 2]), times: [1, -1]})


REPEATS = {
    "all": (([[1, 2], [3, 4]], 2), [1, 1, 2, 2, 3, 3, 4, 4]),
    "rows": (([[1, 2], [3, 4]], [1, 2], 0), [[1, 2], [3, 4], [3, 4]]),
    "columns": (([[1, 2], [3, 4]], [3], -1), [[1, 1, 1, 2, 2, 2], [3, 3, 3, 4, 4, 4]]),
    "scalar": ((3, 4), [3, 3, 3, 3]),
    "none": (([1, 2], [0, 1]), [2]),
    "words": ((["a", "b"], 2), [b"a", b"a", b"b", b"b"]),
}


@pytest.mark.parametrize(("arguments", "wanted"), REPEATS.values(), ids=REPEATS)
def test_repeat(arguments, wanted):
    y = repeat(*arguments)
    assert run(y).tolist() == wanted
    assert static(y) == np.shape(wanted)


def test_repeat_as_often_as_a_run_says(x):
    times = sf.placeholder(sf.int32, [None])
    y = repeat(x, times, axis=0)
    assert static(y) == (None, 2)
    feeds = {x: [[1, 2], [3, 4]], times: [2, 0]}
    assert run(y, feeds).tolist() == [[1, 2], [1, 2]]
    grad = run(sf.convert_to_tensor(sf.gradients(y, x)[0]), feeds)
    assert grad.tolist() == [[2, 2], [0, 0]]
    for wrong in ([1, 1, 1], [1, -1]):
        with pytest.raises(
            sf.errors.InvalidArgumentError, match=f"repeats are.*{wrong[1]}"
        ):
            run(y, {**feeds, times: wrong})
    with pytest.raises(ValueError, match="repeats are"):
        repeat([1, 2], [1, -1])
    z = sf.constant([[0.5, 1.5], [2.5, 3.5]], sf.float64)
    assert check_gradients(repeat(z, [1, 3], axis=1), z) < 1e-6


def test_roll_of_several_axes(x):
    y = sf.constant(np.arange(12.0).reshape(3, 4))
    found = run(roll(y, [1, -1], [0, 1]))
    assert found.tolist() == [[9, 10, 11, 8], [1, 2, 3, 0], [5, 6, 7, 4]]
    n = sf.placeholder(sf.int64, [])
    assert run(roll(x, n, 0), {x: [[1, 2], [3, 4]], n: 3}).tolist() == [[3, 4], [1, 2]]
    with pytest.raises(ValueError, match=r"shift has shape \(2,\), and axis is \(0,\)"):
        roll(x, [1, 1], [0])
    with pytest.raises(ValueError, match="axis 0 is out of range for rank 0"):
        roll(1, 1, 0)
    with pytest.raises(TypeError, match="shift are whole numbers"):
        roll(x, 0.5, 0)


def test_each_axis_has_a_shift():
    for shift, axis in ((1, [0, 1]), ([1, 2], 0)):
        with pytest.raises(ValueError, match="shift has shape"):
            roll([[1, 2]], shift, axis)
    shift = sf.placeholder(sf.int32)
    y = roll([[1, 2]], shift, [0, 1])
    assert run(y, {shift: [0, 1]}).tolist() == [[2, 1]]
    with pytest.raises(sf.errors.InvalidArgumentError, match="shift has shape"):
        run(y, {shift: [1]})
