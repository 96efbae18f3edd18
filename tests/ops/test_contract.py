"""tensordot: all forms of its axes, shapes that only a run tells, what does not fit."""

from typing import Any

import numpy as np
import pytest

import similarflow as sf
from similarflow.ops.contract import contract, tensordot
from similarflow.testing import check_gradients

A = np.arange(6.0).reshape(2, 3) - 2
B = np.arange(12.0).reshape(3, 4) / 4 - 1


def run(fetches: Any, feeds: Any = None) -> Any:
    with sf.Session() as sess:
        return sess.run(fetches, feeds)


def test_recorded() -> None:
    """As TensorFlow 2.21 gave it."""
    x, y = sf.constant(A), sf.constant(B)
    z = tensordot(x, y, [[1], [0]])
    found = run([z, *sf.gradients(z * z, [x, y])])
    want = [
        [[2.0, 1.25, 0.5, -0.25], [2.0, 3.5, 5.0, 6.5]],
        [[-6.25, 0.75, 7.75], [-17.5, 16.5, 50.5]],
        [[-4.0, 2.0, 8.0, 14.0], [4.0, 11.5, 19.0, 26.5], [12.0, 21.0, 30.0, 39.0]],
    ]
    for value, wanted in zip(found, want, strict=True):
        np.testing.assert_allclose(value, wanted)


@pytest.mark.parametrize(
    "axes",
    [1, [1, 0], (1, 0), [[1], [0]], ([-1], [-2]), np.array([[1], [0]]), np.int64(1)],
)
def test_forms_of_axes(axes: Any) -> None:
    np.testing.assert_allclose(run(tensordot(A, B, axes)), A @ B)


def test_axes_as_tensors() -> None:
    for axes in (sf.constant(1), sf.constant([1, 0]), sf.constant([[1], [0]])):
        np.testing.assert_allclose(run(tensordot(A, B, axes)), A @ B)
    with pytest.raises(TypeError, match="before a run"):
        tensordot(A, B, sf.placeholder(sf.int32, [2, 1]))


@pytest.mark.parametrize(
    ("shapes", "axes"),
    [
        (((2, 3, 4), (4, 5, 2)), [[2, 0], [0, 2]]),
        (((2, 3, 4), (3, 4, 5)), 2),
        (((2, 3), (4,)), 0),
        (((2, 3), (2, 3)), [[0, 1], [0, 1]]),
        (((2, 3), (3, 2)), [[0, 1], [1, 0]]),
        (((), ()), 0),
        (((3,), (3,)), 1),
        (((2, 0), (0, 3)), 1),
        (((0, 3), (3, 2)), 1),
        (((2, 2, 3), (3, 2, 2)), [[], []]),
    ],
)
def test_as_numpy(shapes: Any, axes: Any) -> None:
    rng = np.random.default_rng(0)
    x, y = (rng.normal(size=shape) for shape in shapes)
    z = tensordot(x, y, axes)
    want = np.tensordot(x, y, axes)
    assert z.shape.as_list() == list(want.shape)
    np.testing.assert_allclose(run(z), want, atol=1e-14)
    a, b = sf.placeholder(sf.float64), sf.placeholder(sf.float64)
    feeds = {a: x, b: y}
    check_gradients(tensordot(a, b, axes), [a, b], feeds)


def test_shapes_that_are_partly_known() -> None:
    x, y = sf.placeholder(sf.float32, [None, 3]), sf.placeholder(sf.float32, [3, None])
    assert tensordot(x, y, 1).shape.as_list() == [None, None]
    assert tensordot(x, y, [[0], [1]]).shape.as_list() == [3, 3]
    assert tensordot(x, sf.placeholder(sf.float32), 1).shape.dims is None


def test_dtypes() -> None:
    whole = tensordot(sf.constant([[1, 2]]), [3, 4], 1)
    assert whole.dtype == sf.int32
    assert run(whole).tolist() == [11]
    free, other = sf.Placeholder(), sf.Placeholder()
    y = tensordot(free, other, 1)
    slope = sf.gradients(y, free)[0]
    value = np.float32([1, 2])
    assert [v.dtype for v in run([y, slope], {free: value, other: value})] == [
        value.dtype
    ] * 2
    with pytest.raises(TypeError, match="float64"):
        tensordot(sf.constant(A), sf.constant(np.float32(B)), 1)


@pytest.mark.parametrize(
    ("axes", "text"),
    [
        (-1, "0 or more, not -1"),
        (3, "axes is 3, which is more"),
        (2, "axis 0 of a, .2, 3., has size 2, and axis 0 of b, .3, 4., has size 3"),
        ([[0], [0]], "has size 2, and axis 0 of b"),
        ([[0, 1], [0]], "as many of a as of b"),
        ([[2], [0]], r"axes \[2\] do not fit a"),
        ([[1, 1], [0, 1]], r"axes \[1, 1\] do not fit a"),
        ([[1], [-3]], r"axes \[-3\] do not fit b"),
        ([[1], [0], [1]], "a list of two"),
    ],
)
def test_axes_that_do_not_fit(axes: Any, text: str) -> None:
    with pytest.raises(ValueError, match=text):
        tensordot(A, B, axes)


def test_sizes_that_do_not_fit_in_a_run() -> None:
    x = sf.placeholder(sf.float64)
    with pytest.raises(sf.errors.InvalidArgumentError, match="has size 2"):
        run(tensordot(x, B, 1), {x: [[1.0, 2.0]]})


def test_many_operands_are_multiplied_in_a_cheap_order() -> None:
    """The other order would make a matrix of 10**12 numbers."""
    x, y, z = np.ones((10**6, 1)), np.ones((10**6, 1)), np.ones(10**6)
    result = contract([x, y, z], [["i", "r"], ["j", "r"], ["j"]], ["r"])
    assert result.tolist() == [1e12]
