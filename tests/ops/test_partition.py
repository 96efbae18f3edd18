"""Masks, permutations, partitions and stitches: what the samples do not show."""

import numpy as np
import pytest

import similarflow as sf
from similarflow.ops.partition import (
    boolean_mask,
    dynamic_partition,
    dynamic_stitch,
    invert_permutation,
)
from similarflow.testing import check_gradients


def run(fetches, feeds=None):
    return sf.Session().run(fetches, feeds)


def static(x):
    return x.static_shape


# Masks


def test_mask_and_its_gradient():
    x, m = sf.placeholder(sf.float32, [3, 2]), sf.placeholder(sf.bool, [3])
    y = boolean_mask(x, m)
    assert static(y) == (None, 2)
    assert y.op.name.startswith("boolean_mask/")
    grad = sf.gradients(sf.reduce_sum(y * y), x)[0]
    assert isinstance(grad, sf.Tensor)  # dense, as TensorFlow's
    value = [[1, 2], [3, 4], [5, 6]]
    found, back = run([y, grad], {x: value, m: [True, False, True]})
    assert found.tolist() == [[1, 2], [5, 6]]
    assert back.tolist() == [[2, 4], [0, 0], [10, 12]]
    found, back = run([y, grad], {x: value, m: [False] * 3})
    assert found.shape == (0, 2)
    assert (back == 0).all()


CUBE = np.arange(12.0).reshape(2, 3, 2)
COVERED = {
    "rows": ([True, False], None, [[[0, 1], [2, 3], [4, 5]]]),
    "two": ([[True, False, False], [True, True, False]], 0, [[0, 1], [6, 7], [8, 9]]),
    "axis": ([False, True, False], 1, [[[2, 3]], [[8, 9]]]),
    "last": ([False, True], -1, [[[1], [3], [5]], [[7], [9], [11]]]),
    "numbers": ([0, 1], 2, [[[1], [3], [5]], [[7], [9], [11]]]),
    "all": (CUBE > 7, None, [8, 9, 10, 11]),
}


@pytest.mark.parametrize(("mask", "axis", "wanted"), COVERED.values(), ids=COVERED)
@pytest.mark.parametrize("known", [True, False])
def test_masks_cover_axes(mask, axis, wanted, known):
    x = sf.placeholder(sf.float64, CUBE.shape if known else [None] * 3)
    m = sf.placeholder(sf.bool, np.shape(mask) if known else [None] * np.ndim(mask))
    y = boolean_mask(x, m, axis=axis)
    feeds = {x: CUBE, m: np.array(mask, bool)}
    assert run(y, feeds).tolist() == wanted
    assert y.get_shape().is_compatible_with(np.shape(wanted))
    assert check_gradients(y, x, feeds) < 1e-6


def test_masks_that_do_not_fit():
    x = sf.placeholder(sf.float32, [None, 2])
    u, m = sf.placeholder(sf.float32), sf.placeholder(sf.bool, [None])
    with pytest.raises(ValueError, match="known rank, 1 or more"):
        boolean_mask(x, True)
    with pytest.raises(ValueError, match="known rank, 1 or more"):
        boolean_mask(x, sf.placeholder(sf.bool))
    text = r"mask has shape \(3,\), and what it covers .* axis 1 on has \(2,\)"
    with pytest.raises(ValueError, match=text):
        boolean_mask(x, [True, False, True], axis=1)
    with pytest.raises(sf.errors.InvalidArgumentError, match=text):
        run(boolean_mask(u, m, axis=1), {u: np.ones([1, 2]), m: [True, False, True]})
    with pytest.raises(ValueError, match="does not fit shape"):
        boolean_mask(x, [[True]], axis=1)
    y = boolean_mask(u, m)
    assert static(y) is None
    assert run(y, {u: [1, 2], m: [False, True]}).tolist() == [2]


# Permutations


def test_invert_permutation_names_what_is_wrong():
    x = sf.placeholder(sf.int64)
    y = invert_permutation(x)
    assert (static(y), y.static_dtype) == ((None,), np.int64)
    assert run(y, {x: [2, 0, 1]}).tolist() == [1, 2, 0]
    with pytest.raises(sf.errors.InvalidArgumentError, match=r"x\[2\] = 3 is not in"):
        run(y, {x: [2, 0, 3]})
    with pytest.raises(
        sf.errors.InvalidArgumentError, match=r"x\[0\] = 2 is there again"
    ):
        run(y, {x: [2, 0, 2]})
    with pytest.raises(ValueError, match="differ"):
        invert_permutation([[0]])
    with pytest.raises(TypeError, match="integer"):
        invert_permutation([0.0])


# Partitions


def test_partition_by_what_a_run_says():
    x = sf.placeholder(sf.float32, [None, 2])
    i = sf.placeholder(sf.int32, [None])
    parts = dynamic_partition(x, i, 2)
    assert [static(p) for p in parts] == [(None, 2)] * 2
    feeds = {x: [[1, 2], [3, 4], [5, 6]], i: [1, 1, 1]}
    assert [p.tolist() for p in run(parts, feeds)] == [[], [[1, 2], [3, 4], [5, 6]]]
    grad = sf.gradients(sf.reduce_sum(sf.square(parts[1])), x)[0]
    found = run(grad, {**feeds, i: [1, 0, 1]})
    assert found.tolist() == [[2, 4], [0, 0], [10, 12]]
    with pytest.raises(
        sf.errors.InvalidArgumentError, match=r"partitions\[1\] = 2 is not in \[0, 2\)"
    ):
        run(parts, {**feeds, i: [0, 2, 1]})
    with pytest.raises(sf.errors.InvalidArgumentError, match="must begin with"):
        run(parts, {**feeds, i: [0, 1]})
    with pytest.raises(ValueError, match="must begin with"):
        dynamic_partition(sf.zeros([3]), [0, 1], 2)
    with pytest.raises(ValueError, match="num_partitions is 1 or more"):
        dynamic_partition(x, i, 0)
    words = dynamic_partition(["a", "b"], [1, 0], sf.constant(2))
    assert [p.tolist() for p in run(words)] == [[b"b"], [b"a"]]


def test_stitch_undoes_a_partition():
    x, i = sf.placeholder(sf.float64, [None, 2]), sf.placeholder(sf.int32, [None])
    places = sf.cast(sf.where(sf.equal(i, i))[:, 0], sf.int32)
    parts, where = dynamic_partition(x, i, 3), dynamic_partition(places, i, 3)
    y = dynamic_stitch(where, parts)
    assert static(y) == (None, 2)
    feeds = {x: np.arange(8.0).reshape(4, 2), i: [2, 0, 2, 1]}
    assert (run(y, feeds) == feeds[x]).all()
    assert check_gradients(y * y, x, feeds) < 1e-5


def test_stitch_equals_tensorflows():
    indices = [6, [4, 1], [[5, 2], [0, 3]]]
    data = [
        [61, 62],
        [[41, 42], [11, 12]],
        [[[51, 52], [21, 22]], [[1, 2], [31, 32]]],
    ]
    y = dynamic_stitch(indices, data)
    assert static(y) == (7, 2)
    assert run(y).tolist() == [[10 * i + 1, 10 * i + 2] for i in range(7)]
    assert run(dynamic_stitch([[0, 3]], [[1.0, 4.0]])).tolist() == [1, 0, 0, 4]


def test_of_rows_for_one_place_the_last_counts_and_has_the_gradient():
    a, b = sf.constant([1.0, 3.0]), sf.constant([2.0])
    y = dynamic_stitch([[0, 1], [1]], [a, b])
    found, *grads = run([y, *sf.gradients(y * [1.0, 10.0], [a, b])])
    assert found.tolist() == [1, 2]
    assert [g.tolist() for g in grads] == [[1, 0], [10]]


def test_stitches_that_do_not_fit():
    with pytest.raises(
        sf.errors.InvalidArgumentError, match=r"indices\[1\] = -1 is neg"
    ):
        run(dynamic_stitch([[0, -1]], [[1.0, 3.0]]))
    with pytest.raises(ValueError, match="2 lists of indices and 1 of data"):
        dynamic_stitch([[0], [1]], [[1.0]])
    with pytest.raises(ValueError, match="must begin with that of indices"):
        dynamic_stitch([[0, 1]], [[1.0]])
    with pytest.raises(ValueError, match="differ"):
        dynamic_stitch([[0], [1]], [[1.0], [[2.0]]])
    with pytest.raises(TypeError, match="data are of one dtype, not float32, int32"):
        dynamic_stitch([[0], [1]], [sf.constant([1.0]), sf.constant([2])])


def test_the_second_of_two_equal_places_is_told_of_the_first():
    with pytest.raises(sf.errors.InvalidArgumentError, match=r"x\[1\] = 2 is there"):
        sf.Session().run(sf.invert_permutation([0, 2, 2]))
