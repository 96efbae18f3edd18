"""Padding: what the samples do not show."""

import numpy as np
import pytest

import similarflow as sf
from similarflow.ops.pad import pad
from similarflow.testing import check_gradients


def run(fetches, feeds=None):
    return sf.Session().run(fetches, feeds)


def static(x):
    return x.static_shape


@pytest.fixture
def x():
    """A matrix with an unknown number of rows."""
    return sf.placeholder(sf.float32, [None, 3], name="x")


def test_modes_in_any_case_and_their_types():
    y = sf.constant([1.0, 2.0, 3.0])
    kinds = [
        pad(y, [[1, 1]]),
        pad(y, [[1, 1]], constant_values=9),
        pad(y, [[2, 1]], "reflect"),
        pad(y, [[3, 3]], mode="SYMMETRIC"),
        pad(y, [[1, 0]], constant_values=sf.constant(7.0), name="border"),
    ]
    assert [t.op.name for t in kinds] == [
        "Pad", "PadV2", "MirrorPad", "MirrorPad_1", "border",
    ]  # fmt: skip
    assert [v.tolist() for v in run(kinds)] == [
        [0, 1, 2, 3, 0], [9, 1, 2, 3, 9], [3, 2, 1, 2, 3, 2],
        [3, 2, 1, 1, 2, 3, 3, 2, 1], [7, 1, 2, 3],
    ]  # fmt: skip


def test_words_and_truth_values():
    assert run(pad(["a"], [[1, 0]])).tolist() == [b"", b"a"]
    assert run(pad(["a"], [[0, 1]], constant_values="b")).tolist() == [b"a", b"b"]
    assert run(pad([True], [[1, 0]])).tolist() == [False, True]


def test_what_is_known_of_paddings(x):
    n, some = sf.placeholder(sf.int32, []), sf.placeholder(sf.int32)
    u = sf.placeholder(sf.float32)
    y = pad(x, [[0, 5 - sf.shape(x)[0]], [1, 1]])
    assert static(y) == (None, 5)
    assert run(y, {x: np.ones([2, 3])}).shape == (5, 5)
    assert static(pad(sf.zeros([2, 3]), [[0, n], [1, 1]])) == (None, 5)
    assert static(pad(x, some)) == (None, None)
    assert static(pad(u, sf.placeholder(sf.int64, [2, 2]))) == (None, None)
    assert static(pad(u, some)) is None
    assert run(pad(u, some), {u: [1.0], some: [[0, 1]]}).tolist() == [1, 0]


@pytest.mark.parametrize(
    ("paddings", "mode", "text"),
    [
        ([[0, 0], [-1, 0]], "CONSTANT", r"padding of axis 1 is \[-1, 0\].* 0 or more"),
        ([[0, 0], [3, 0]], "REFLECT", r"padding of axis 1 is \[3, 0\].* from 0 to 2"),
        ([[0, 0], [1, 4]], "SYMMETRIC", r"padding of axis 1 is \[1, 4\].* from 0 to 3"),
        ([[0, 0]], "CONSTANT", "1 rows, and shape .*needs one for each axis"),
        ([0, 1], "CONSTANT", "a row of two numbers is needed"),
        ([[0, 0], [1, 1]], "EDGE", "mode is one of CONSTANT, REFLECT, SYMMETRIC"),
    ],
)
def test_paddings_that_are_not_possible(x, paddings, mode, text):
    with pytest.raises(ValueError, match=text):
        pad(x, paddings, mode)
    if np.shape(paddings) == (2, 2) and mode != "EDGE":
        given = sf.placeholder(sf.int32)
        with pytest.raises(sf.errors.InvalidArgumentError, match=text):
            run(pad(x, given, mode), {x: np.ones([2, 3]), given: paddings})


def test_kinds_that_do_not_fit(x):
    with pytest.raises(TypeError, match="paddings are whole numbers"):
        pad(x, [[0.5, 0.0], [0.0, 0.0]])
    with pytest.raises(TypeError, match=r"cannot hold|int32"):
        pad([1, 2], [[1, 0]], constant_values=1.5)
    with pytest.raises(ValueError, match="one value"):
        pad(x, [[0, 0], [1, 1]], constant_values=[1.0])
    given, u = sf.placeholder(sf.int32), sf.placeholder(sf.float32)
    with pytest.raises(sf.errors.InvalidArgumentError, match=r"\(1, 2\) is needed"):
        run(pad(u, given), {u: [1.0], given: [[1, 0], [1, 0]]})


def test_gradients_equal_tensorflows():
    y = sf.constant([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
    weights = np.arange(1.0, 21.0, dtype=np.float32).reshape(4, 5)
    wanted = {
        "REFLECT": [[24, 78, 28], [14, 48, 18]],
        "SYMMETRIC": [[16, 11, 28], [56, 31, 68]],
    }
    for mode, grads in wanted.items():
        padded = pad(y, [[1, 1], [1, 1]], mode)
        assert run(sf.gradients(padded * weights, y)[0]).tolist() == grads, mode


def test_gradient_of_the_border_is_its_sum():
    y, c = sf.constant([[1.0, 2.0]], sf.float64), sf.constant(3.0, sf.float64)
    padded = pad(y, [[1, 0], [0, 2]], constant_values=c)
    assert check_gradients(padded * padded, [y, c]) < 1e-5
    assert run(sf.gradients(padded, c)[0]) == 6.0


def test_a_string_without_axes():
    nothing = np.zeros([0, 2], np.int32)
    for x in (sf.constant("a"), sf.constant(["a", "b"])[0]):
        assert run(pad(x, nothing)) == b"a"
        assert run(pad(x, nothing, constant_values="c")) == b"a"
