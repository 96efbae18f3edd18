"""Functions that are a few operations each; numbers of TensorFlow's are in parity."""

import numpy as np
import pytest

import similarflow as sf


@pytest.fixture
def sess():
    return sf.Session()


@pytest.mark.parametrize("known", [True, False])
def test_choosing_as_numpy_does(sess, known):
    c = sf.placeholder(sf.bool, [2] if known else None)
    x = np.arange(6.0).reshape(3, 2)
    y = sf.where_v2(c, x, -x)
    mask = np.array([True, False])
    np.testing.assert_array_equal(sess.run(y, {c: mask}), np.where(mask, x, -x))
    both = sf.where_v2(c, 1.0, [[2.0], [3.0]])
    np.testing.assert_array_equal(sess.run(both, {c: mask}), [[1, 2], [1, 3]])
    assert sess.run(sf.where_v2([False, True])).tolist() == [[1]]


def test_slices_times_a_number(sess):
    x = sf.IndexedSlices(sf.constant([[1.0, 2.0]]), sf.constant([3]))
    y = sf.scalar_mul(2.0, x)
    assert isinstance(y, sf.IndexedSlices)
    assert sess.run(y.values).tolist() == [[2, 4]]
    with pytest.raises(ValueError, match=r"one number.*\(2,\).*\n*in scalar_mul"):
        sf.scalar_mul([1.0, 2.0], [1.0, 2.0])


def test_vectors_of_three(sess):
    free = sf.placeholder(sf.float32)
    with pytest.raises(ValueError, match="3 numbers in the last axis"):
        sf.cross([1.0, 2.0], [1.0, 2.0])
    with pytest.raises(sf.errors.InvalidArgumentError, match="3 numbers in the last"):
        sess.run(sf.cross(free, free), {free: [1.0]})


def test_polynomials(sess):
    x = sf.constant([1.0, 2.0])
    assert sess.run(sf.math.polyval([], x)).tolist() == [0, 0]
    assert sess.run(sf.math.polyval([3], x)).tolist() == [3, 3]
    with pytest.raises(ValueError, match="coeffs is a list"):
        sf.math.polyval(x, x)


def test_confusion(sess):
    labels = sf.placeholder(sf.int32, [None])
    y = sf.confusion_matrix(labels, [0, 1], num_classes=2)
    assert y.static_shape == (2, 2)
    assert sess.run(y, {labels: [1, 1]}).tolist() == [[0, 0], [1, 1]]
    with pytest.raises(sf.errors.InvalidArgumentError, match="is no place in shape"):
        sess.run(y, {labels: [2, 0]})
    with pytest.raises(TypeError, match="whole numbers, not float32"):
        sf.confusion_matrix([0.5], [1])


@pytest.mark.parametrize("condition", [True, [[True], [False]], [[True, False]]])
def test_a_condition_of_any_rank_broadcasts_as_in_numpy(condition):
    x = np.array([[1, 2], [3, 4]])
    found = sf.Session().run(sf.where_v2(condition, x, 0))
    np.testing.assert_array_equal(found, np.where(condition, x, 0))
