"""Blocks of images: what the samples do not show, and TensorFlow's numbers."""

import numpy as np
import pytest

import similarflow as sf
from similarflow.ops.blocks import (
    batch_to_space,
    batch_to_space_nd,
    depth_to_space,
    space_to_batch,
    space_to_batch_nd,
    space_to_depth,
)


def run(fetches, feeds=None):
    return sf.Session().run(fetches, feeds)


def static(x):
    return x.static_shape


IMAGE = np.arange(16.0).reshape(1, 4, 4, 1)


def test_space_to_depth_equals_tensorflows():
    y = space_to_depth(IMAGE, 2)
    assert (y.op.type, static(y)) == ("SpaceToDepth", (1, 2, 2, 4))
    assert run(y).tolist() == [
        [[[0, 1, 4, 5], [2, 3, 6, 7]], [[8, 9, 12, 13], [10, 11, 14, 15]]]
    ]
    assert run(
        space_to_depth(np.arange(8).reshape(1, 2, 2, 2), 2)
    ).ravel().tolist() == [*range(8)]
    z = depth_to_space(np.arange(16).reshape(1, 2, 1, 8), 2)
    assert static(z) == (1, 4, 2, 2)
    assert run(z).ravel().tolist() == [*range(16)]


def test_channels_first_is_the_same_with_other_axes():
    x = np.random.default_rng(0).normal(size=[2, 4, 6, 8])
    for build in (space_to_depth, depth_to_space):
        last = run(build(x, 2))
        first = run(build(x.transpose(0, 3, 1, 2), 2, data_format="NCHW"))
        assert (first == last.transpose(0, 3, 1, 2)).all()


def test_what_is_known_of_blocks():
    x = sf.placeholder(sf.float32, [None, None, 4, 12])
    assert static(space_to_depth(x, 2)) == (None, None, 2, 48)
    assert static(depth_to_space(x, 2)) == (None, None, 8, 3)
    assert static(space_to_batch(x, [[0, 0], [1, 1]], 2)) == (None, None, 3, 12)
    assert static(batch_to_space(x, [[0, 0], [1, 1]], 2)) == (None, None, 6, 12)
    block = sf.placeholder(sf.int32)
    assert static(space_to_batch_nd(x, block, [[0, 0], [1, 1]])) is None
    pads = sf.placeholder(sf.int32)
    assert static(space_to_batch_nd(x, [2, 2], pads)) == (None, None, None, 12)
    y = sf.zeros([8, 2, 4])
    assert static(batch_to_space_nd(y, [2], [[1, 0]])) == (4, 3, 4)


def test_sizes_that_do_not_fit():
    u = sf.placeholder(sf.float32)
    for build, shape, text in (
        (space_to_depth, [1, 4, 4, 1], "axis 1 has size 4, which is no multiple of 3"),
        (depth_to_space, [1, 2, 1, 8], "axis 3 has size 8, which is no multiple of 9"),
        (space_to_depth, [4, 4, 1], "images have four axes"),
    ):
        with pytest.raises(ValueError, match=text):
            build(sf.zeros(shape), 3)
        with pytest.raises(sf.errors.InvalidArgumentError, match=text):
            run(build(u, 3), {u: np.zeros(shape)})
    with pytest.raises(ValueError, match="block_size is 2 or more"):
        space_to_depth(u, 1)
    with pytest.raises(ValueError, match="data_format is one of"):
        space_to_depth(u, 2, data_format="NCHW_VECT_C")


def test_space_to_batch_equals_tensorflows():
    y = space_to_batch(IMAGE, [[0, 0], [0, 0]], 2)
    assert (y.op.type, static(y)) == ("SpaceToBatchND", (4, 2, 2, 1))
    assert run(y)[..., 0].tolist() == [
        [[0, 2], [8, 10]], [[1, 3], [9, 11]], [[4, 6], [12, 14]], [[5, 7], [13, 15]],
    ]  # fmt: skip
    padded = space_to_batch(np.arange(3).reshape(1, 1, 3, 1), [[1, 0], [0, 1]], 2)
    assert run(padded)[..., 0].tolist() == [[[0, 0]], [[0, 0]], [[0, 2]], [[1, 0]]]
    row = space_to_batch_nd(np.arange(6).reshape(1, 6), [2], [[1, 1]])
    assert run(row).tolist() == [[0, 1, 3, 5], [0, 2, 4, 0]]
    words = space_to_batch_nd([["a", "b", "c"]], [2], [[0, 1]])
    assert run(words).tolist() == [[b"a", b"c"], [b"b", b""]]


def test_batch_to_space_equals_tensorflows():
    y = batch_to_space(np.arange(16).reshape(4, 2, 2, 1), [[0, 1], [1, 0]], 2)
    assert (y.op.type, static(y)) == ("BatchToSpaceND", (1, 3, 3, 1))
    assert run(y)[0, :, :, 0].tolist() == [[4, 1, 5], [12, 9, 13], [6, 3, 7]]
    z = batch_to_space_nd(np.arange(8).reshape(4, 2), [2], [[1, 0]])
    assert run(z).tolist() == [[4, 1, 5], [6, 3, 7]]
    back = space_to_batch(y, [[0, 1], [1, 0]], block_shape=[2, 2])
    assert run(back)[0, :, :, 0].tolist() == [[0, 1], [0, 3]]


def test_batches_that_do_not_fit():
    x = np.arange(8).reshape(4, 2)
    with pytest.raises(
        ValueError, match="axis 0 has size 4, which is no multiple of 3"
    ):
        batch_to_space_nd(x, [3], [[1, 0]])
    with pytest.raises(ValueError, match=r"crops of \[3, 2\] are not possible"):
        batch_to_space_nd(x, [2], [[3, 2]])
    with pytest.raises(ValueError, match="with its paddings has size 3, which is no"):
        space_to_batch_nd(x, [2], [[1, 0]])
    with pytest.raises(ValueError, match=r"paddings are 0 or more, not \[-1, 1\]"):
        space_to_batch_nd(x, [2], [[-1, 1]])
    with pytest.raises(ValueError, match="block_shape is 1 or more"):
        space_to_batch_nd(x, [0], [[0, 0]])
    with pytest.raises(ValueError, match="needs an axis for the batch"):
        space_to_batch_nd(x, [1, 1], [[0, 0], [0, 0]])
    with pytest.raises(ValueError, match="2 numbers, and crops has 1 rows"):
        batch_to_space_nd(x, [1, 1], [[0, 0]])
    with pytest.raises(TypeError, match="one of block_size and its newer name"):
        space_to_batch(x, [[0, 0]])
    pads = sf.placeholder(sf.int32)
    with pytest.raises(sf.errors.InvalidArgumentError, match=r"\(1, 2\) is needed"):
        run(space_to_batch_nd(x, [2], pads), {pads: [[0, 0], [0, 0]]})
