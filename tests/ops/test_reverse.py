"""Reverses and sequences: what the samples do not show."""

import numpy as np
import pytest

import similarflow as sf
from similarflow.ops.reverse import reverse, reverse_sequence, sequence_mask
from similarflow.testing import check_gradients


def run(fetches, feeds=None):
    return sf.Session().run(fetches, feeds)


def static(x):
    return x.static_shape


ROWS = [[1, 2, 3], [4, 5, 6]]


def test_reverse_takes_any_kind_of_axes():
    for axis in ([1], (-1,), np.array([1]), sf.constant([1])):
        assert run(reverse(ROWS, axis)).tolist() == [[3, 2, 1], [6, 5, 4]]
    x = sf.placeholder(sf.float32)
    assert static(reverse(x, [0])) is None
    for axis in ([0, -2], [2]):
        with pytest.raises(ValueError, match="rank 2"):
            reverse(ROWS, axis)
        with pytest.raises(sf.errors.InvalidArgumentError, match="rank 2"):
            run(reverse(x, axis), {x: ROWS})
    with pytest.raises(TypeError, match=r"a list of numbers, .*not \[True, False\]"):
        reverse(ROWS, [True, False])


def test_reverse_sequence_equals_tensorflows():
    x = sf.placeholder(sf.float32, [2, 3])
    y = reverse_sequence(x, [2, 0], seq_axis=1, batch_axis=0)
    grad = sf.gradients(y * [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], x)[0]
    found = run([y, grad], {x: ROWS})
    assert [v.tolist() for v in found] == [
        [[2, 1, 3], [4, 5, 6]],
        [[2, 1, 3], [4, 5, 6]],
    ]
    turned = reverse_sequence(ROWS, [2, 1, 0], seq_dim=0, batch_dim=1)
    assert run(turned).tolist() == [[4, 2, 3], [1, 5, 6]]


def test_lengths_that_only_a_run_knows():
    x = sf.placeholder(sf.float64, [None, None, 2])
    n = sf.placeholder(sf.int64, [2])
    y = reverse_sequence(x, n, 1)
    assert static(y) == (2, None, 2)
    value = np.arange(12.0).reshape(2, 3, 2)
    feeds = {x: value, n: [3, 1]}
    assert (run(y, feeds) == [value[0, ::-1], value[1]]).all()
    assert check_gradients(y, x, feeds) < 1e-6
    for lengths, text in (
        ([2, 4], r"seq_lengths\[1\] = 4 is not in \[0, 3\]"),
        ([-1, 4], r"seq_lengths\[0\] = -1 is not in \[0, 3\]"),
    ):
        with pytest.raises(sf.errors.InvalidArgumentError, match=text):
            run(y, {x: value, n: lengths})


def test_sequences_that_do_not_fit():
    with pytest.raises(ValueError, match="are the same axis, 0"):
        reverse_sequence(ROWS, [2, 1], 0, 0)
    with pytest.raises(ValueError, match=r"has 3 numbers, and axis 0 .* has size 2"):
        reverse_sequence(ROWS, [2, 1, 1], 1)
    with pytest.raises(ValueError, match="seq_lengths is a vector"):
        reverse_sequence(ROWS, 2, 1)
    with pytest.raises(TypeError, match="needs seq_axis"):
        reverse_sequence(ROWS, [2, 1])
    with pytest.raises(ValueError, match="seq_axis and seq_dim are two names"):
        reverse_sequence(ROWS, [2, 1], seq_axis=1, seq_dim=1)


def test_sequence_mask_equals_tensorflows():
    masks = [
        sequence_mask([1, 3, 2]),
        sequence_mask([[1, 3], [2, 0]], 2, sf.float32),
        sequence_mask(2, 3),
        sequence_mask(np.zeros([0], np.int32)),
        sequence_mask([-1, -2]),
        sequence_mask([1.5, 2.0], 3),
        sequence_mask([0, 2, 5], 3, name="lengths"),
    ]
    found = [m.astype(int).tolist() for m in run(masks)]
    assert found == [
        [[1, 0, 0], [1, 1, 1], [1, 1, 0]],
        [[[1, 0], [1, 1]], [[1, 1], [0, 0]]],
        [1, 1, 0],
        [],
        [[], []],
        [[1, 0, 0], [1, 1, 0]],
        [[0, 0, 0], [1, 1, 0], [1, 1, 1]],
    ]
    assert [masks[1].dtype, masks[0].dtype] == [sf.float32, sf.bool]
    assert masks[-1].op.name == "lengths"


def test_what_is_known_of_a_mask():
    n = sf.placeholder(sf.int32, [None])
    assert static(sequence_mask(n, 7)) == (None, 7)
    y = sequence_mask(n, dtype=None)
    assert (static(y), y.dtype) == ((None, None), sf.bool)
    assert run(y, {n: [2, 0]}).tolist() == [[True, True], [False, False]]
    assert static(sequence_mask(sf.placeholder(sf.int64))) is None
    with pytest.raises(ValueError, match="maxlen is one number"):
        sequence_mask(n, [1, 2])
    with pytest.raises(TypeError, match="not of strings"):
        sequence_mask(n, 2, sf.string)
