"""Shapes that are made sure of, places by their numbers, what is a tensor."""

import numpy as np
import pytest

import similarflow as sf


@pytest.fixture
def sess():
    return sf.Session()


def test_a_shape_is_known_and_checked(sess):
    x = sf.placeholder(sf.float32)
    y = sf.ensure_shape(x, [None, 2])
    assert y.static_shape == (None, 2)
    assert sess.run(y, {x: [[1.0, 2.0]]}).tolist() == [[1, 2]]
    wrong = r"the shape must be \(\?, 2\), and is \(3,\)"
    with pytest.raises(sf.errors.InvalidArgumentError, match=wrong):
        sess.run(y, {x: [1.0, 2.0, 3.0]})
    with pytest.raises(ValueError, match=wrong):
        sf.ensure_shape([1.0, 2.0, 3.0], [None, 2])
    assert sess.run(sf.gradients(y * y, x)[0], {x: [[1.0, 2.0]]}).tolist() == [[2, 4]]


def test_what_is_a_tensor():
    x = sf.constant([1.0])
    sparse = sf.SparseTensor([[0]], [1.0], [1])
    slices = sf.IndexedSlices(x, [0])
    assert all(map(sf.is_tensor, [x, sf.Variable(1), sf.Placeholder(), sparse, slices]))
    others = [1.0, [x], np.ones(2), None, x.op, sf.get_default_graph()]
    assert not any(map(sf.is_tensor, others))


def test_places_by_their_numbers(sess):
    i = sf.placeholder(sf.int64)
    y = sf.unravel_index(i, np.array([2, 3], np.int64))
    assert sess.run(y, {i: [0, 5]}).tolist() == [[0, 1], [0, 2]]
    assert sess.run(y, {i: 4}).tolist() == [1, 1]
    with pytest.raises(
        sf.errors.InvalidArgumentError, match="index 6 is out of bounds"
    ):
        sess.run(y, {i: 6})
    with pytest.raises(TypeError, match="unravel_index"):
        sf.unravel_index([0.5], [2])


def test_many_shapes(sess):
    x = sf.placeholder(sf.float32)
    first, second = sf.shape_n([x, [1, 2]], sf.int64)
    assert first.dtype == second.dtype == sf.int64
    assert sess.run(first, {x: np.ones([2, 1])}).tolist() == [2, 1]
