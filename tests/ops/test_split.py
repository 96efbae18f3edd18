"""Splits and slices: what the samples do not show, and TensorFlow's numbers."""

import numpy as np
import pytest

import similarflow as sf
from similarflow.ops.split import slice as slice_, split, strided_slice
from similarflow.testing import check_gradients


def run(fetches, feeds=None):
    return sf.Session().run(fetches, feeds)


def static(x):
    return x.static_shape


@pytest.fixture
def x():
    """A matrix with an unknown number of rows."""
    return sf.placeholder(sf.float32, [None, 4], name="x")


# split


def test_split_takes_a_number_or_sizes(x):
    value = np.arange(8.0).reshape(2, 4)
    for sizes, widths in ((2, [2, 2]), ([1, -1], [1, 3]), ((3, 1), [3, 1]), ([4], [4])):
        parts = split(x, sizes, 1)
        assert [static(p) for p in parts] == [(None, n) for n in widths]
        found = run(parts, {x: value})
        assert [p.shape[1] for p in found] == widths
        assert (np.concatenate(found, 1) == value).all()
    assert [p.op.type for p in (split(x, 2, 1)[0], split(x, [2, 2], 1)[0])] == [
        "Split", "SplitV",
    ]  # fmt: skip
    assert [p.name for p in split(x, 2, axis=1, name="halves")] == [
        "halves:0",
        "halves:1",
    ]


def test_split_with_what_only_a_run_knows(x):
    n = sf.placeholder(sf.int32, [])
    sizes = sf.placeholder(sf.int32, [None])
    parts = split(x, [n, -1])
    assert [static(p) for p in parts] == [(None, 4)] * 2
    value = np.ones([5, 4])
    assert [len(p) for p in run(parts, {x: value, n: 2})] == [2, 3]
    with pytest.raises(
        ValueError, match="how many sizes there are is unknown: give num"
    ):
        split(x, sizes)
    parts = split(x, sizes, num=3)
    assert [len(p) for p in run(parts, {x: value, sizes: [1, 1, 3]})] == [1, 1, 3]
    with pytest.raises(sf.errors.InvalidArgumentError, match=r"size 5.*\[1, 1, 1\]"):
        run(parts, {x: value, sizes: [1, 1, 1]})
    with pytest.raises(sf.errors.InvalidArgumentError, match=r"num is 3, .* 2 sizes"):
        run(parts, {x: value, sizes: [1, 4]})
    with pytest.raises(TypeError, match="no value before a run"):
        split(x, n)


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ((3, 1), "axis 1 has size 4, which is no multiple of 3"),
        (([1, 1], 1), r"axis 1 has size 4, and the parts are \(1, 1\)"),
        (([5, -1], 1), r"axis 1 has size 4, and the parts are \(5, -1\)"),
        (([-1, -1], 1), "one part's size may be -1"),
        ((0, 1), "the number of parts is 1 or more"),
        ((2, 2), "axis 2 is out of range for rank 2"),
        (([], 1), "there are 0 sizes"),
    ],
)
def test_split_that_does_not_fit(x, arguments, text):
    with pytest.raises(ValueError, match=text):
        split(x, *arguments)


def test_split_says_what_the_old_order_is(x):
    with pytest.raises(TypeError, match="the tensor comes first"):
        split(1, 2, x)


def test_gradient_of_one_part_only(x):
    loss = sf.reduce_sum(sf.square(split(x, [1, 3], 1)[0]))
    found = run(sf.gradients(loss, x)[0], {x: [[1, 2, 3, 4]]})
    assert found.tolist() == [[2, 0, 0, 0]]


# slice


def test_slice_knows_sizes_through_shape_arithmetic(x):
    n = sf.shape(x)[0]
    y = slice_(x, [n // 2, 1], [-1, 2])
    assert static(y) == (None, 2)
    assert run(y, {x: np.arange(12.0).reshape(3, 4)}).tolist() == [[5, 6], [9, 10]]
    assert static(slice_(x, [0, 1], [2, -1])) == (2, 3)
    assert static(sf.zeros(slice_(sf.shape(x), [1], [1]))) == (4,)
    assert static(slice_(sf.placeholder(sf.float32), [0, 0], [1, n])) == (1, None)
    assert slice_(x, [0, 0], [1, 1], "first").op.name == "first"


@pytest.mark.parametrize(
    ("begin", "size", "text"),
    [
        ([0, 3], [1, 2], "axis 1 has size 4, and a slice of size 2 that begins at 3"),
        ([0, -1], [1, 1], "begins at -1"),
        ([0, 0], [1, -2], "each is 0 or more, or -1 for the rest"),
        ([0, 5], [1, -1], "begins at 5"),
        ([0], [1, 1], "one number for each axis"),
    ],
)
def test_slice_beyond_the_tensor(x, begin, size, text):
    with pytest.raises(ValueError, match=text):
        slice_(x, begin, size)
    y = sf.placeholder(sf.float32)
    first, sizes = sf.placeholder(sf.int32, [None]), sf.placeholder(sf.int64)
    feeds = {y: np.ones([2, 4]), first: begin, sizes: size}
    with pytest.raises(sf.errors.InvalidArgumentError, match=text):
        run(slice_(y, first, sizes), feeds)


def test_slice_needs_whole_numbers(x):
    with pytest.raises(TypeError, match=r"holds 0\.5"):
        slice_(x, [0.5, 0], [1, 1])


# strided_slice

CUBE = np.arange(24.0).reshape(2, 3, 4)
MASKS = {
    "plain": (([0, 1], [2, 3]), {}, CUBE[0:2, 1:3]),
    "masks": (
        ([0, 0, 1], [0, 0, 3], [1, 1, 2]),
        {"begin_mask": 1, "end_mask": 1, "ellipsis_mask": 2},
        [[[1], [5], [9]], [[13], [17], [21]]],
    ),
    "shrink": (([1, -1], [2, 0]), {"shrink_axis_mask": 3}, [20, 21, 22, 23]),
    "new_axis": (([0, 0], [1, 1]), {"new_axis_mask": 1}, CUBE[None, :1]),
    "backward": (([-1], [0], [-1]), {"end_mask": 1}, CUBE[::-1]),
    "first_mask_counts": (
        ([0, 0], [1, 1]),
        {"ellipsis_mask": 1, "new_axis_mask": 1, "shrink_axis_mask": 1},
        CUBE[..., :1],
    ),
    "new_axis_before_shrink": (
        ([0, 0], [1, 1]), {"new_axis_mask": 1, "shrink_axis_mask": 1}, CUBE[None, :1],
    ),
    "nothing": (([], []), {}, CUBE),
}  # fmt: skip


@pytest.mark.parametrize(("numbers", "masks", "wanted"), MASKS.values(), ids=MASKS)
@pytest.mark.parametrize("known", [True, False])
def test_masks(numbers, masks, wanted, known):
    y, feeds = sf.constant(CUBE), {}
    if not known:
        tensors = [sf.placeholder(sf.int32, [len(n)]) for n in numbers]
        feeds = dict(zip(tensors, numbers, strict=True))
        numbers = tensors
    picked = strided_slice(y, *numbers, **masks)
    assert np.array_equal(run(picked, feeds), wanted)
    if known:
        assert static(picked) == np.shape(wanted)
    assert check_gradients(picked, y, feeds) < 1e-6


def test_strided_slice_refuses():
    y = sf.constant(CUBE)
    with pytest.raises(ValueError, match="index 2 is out of range for axis 0"):
        strided_slice(y, [2], [3], shrink_axis_mask=1)
    with pytest.raises(ValueError, match="a stride of -1"):
        strided_slice(y, [1], [0], [-1], shrink_axis_mask=1)
    with pytest.raises(ValueError, match="a stride of 0"):
        strided_slice(y, [1], [0], [0])
    with pytest.raises(ValueError, match=r"one known length, not of \(1,\), \(2,\)"):
        strided_slice(y, [0], [1, 2])
    with pytest.raises(ValueError, match="one known length"):
        strided_slice(y, sf.placeholder(sf.int32, [None]), [1])
    with pytest.raises(ValueError, match="several bits"):
        strided_slice(y, [0, 0], [1, 1], ellipsis_mask=3)
    with pytest.raises(ValueError, match="names 4 axes"):
        strided_slice(y, [0] * 4, [1] * 4)


def test_a_long_chain_of_slices_is_followed_a_few_steps_only():
    y = sf.shape(sf.placeholder(sf.float32, [2, None]))
    for _ in range(2000):
        y = slice_(y, [0], [2])
    assert static(y) == (2,)
    assert static(sf.zeros(y)) == (None, None)


@pytest.mark.parametrize(
    ("begin", "dims", "want"),
    [
        (lambda: sf.placeholder(sf.int32, [1]), [None, 3], (None,)),
        (lambda: [1], [None, 3], (3,)),
        (lambda: [0], None, (None,)),
    ],
)
def test_a_slice_of_a_shape_is_a_shape(begin, dims, want):
    x = sf.placeholder(sf.float32, dims)
    part = slice_(sf.shape(x), begin(), [1])
    assert sf.reshape(x, part).static_shape == want


def test_a_slice_has_a_third_derivative():
    x = sf.constant([1.0, 2.0, 3.0])
    y = slice_(x, [1], [2]) ** 3.0
    for _ in range(3):
        y = sf.gradients(y, x)[0]
    assert sf.Session().run(y).tolist() == [0.0, 6.0, 6.0]
