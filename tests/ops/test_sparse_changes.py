"""Sparse tensors made of others; numbers of TensorFlow's are in parity."""

import numpy as np
import pytest

import similarflow as sf
from similarflow.testing import check_gradients

PLACES, DENSE = [[0, 1], [1, 0], [1, 2]], np.array([[0, 5.0, 0], [7, 0, 9]])


@pytest.fixture
def sess():
    return sf.Session()


def sparse(values=(5.0, 7.0, 9.0)):
    return sf.SparseTensor(PLACES, values, [2, 3])


MADE = [
    (lambda x: sf.sparse_transpose(x), DENSE.T),
    (lambda x: sf.sparse_reshape(x, [3, -1]), DENSE.reshape(3, 2)),
    (lambda x: sf.sparse_retain(x, [True, False, True]), DENSE * (DENSE != 7)),
    (lambda x: sf.sparse_concat(0, [x, x]), np.concatenate([DENSE, DENSE])),
    (lambda x: sf.sparse_concat(-1, [x, x, x]), np.concatenate([DENSE] * 3, 1)),
    (lambda x: sf.sparse_add(x, sf.sparse_reorder(x)), 2 * DENSE),
    (lambda x: sf.sparse_add(x, x, 15), 2 * DENSE * (DENSE > 7)),
]


@pytest.mark.parametrize("fed", [False, True])
@pytest.mark.parametrize(("build", "want"), MADE)
def test_values_and_gradients(sess, build, want, fed):
    values = sf.constant([5.0, 7.0, 9.0], sf.float64)
    x = sf.sparse_placeholder(sf.float64, [2, 3]) if fed else sparse(values)
    feeds = {x: (PLACES, [5.0, 7.0, 9.0], [2, 3])} if fed else {}
    y = sf.sparse_tensor_to_dense(build(x))  # checks that the places are in order
    np.testing.assert_array_equal(sess.run(y, feeds), want)
    if not fed:
        check_gradients(y * y, [values])


def test_sums(sess):
    x = sparse()
    for axis, keepdims in [(None, False), (0, False), ([-1], True), ([0, 1], True)]:
        got = sess.run(sf.sparse_reduce_sum(x, axis, keepdims))
        over = tuple(axis) if isinstance(axis, list) else axis
        np.testing.assert_array_equal(got, DENSE.sum(over, keepdims=keepdims))
    dense = sf.sparse_add(np.ones([2, 3], np.float32), x)
    np.testing.assert_array_equal(sess.run(dense), DENSE + 1)


def test_other_sizes_may_differ_if_one_says_so(sess):
    x, y = sparse(), sf.SparseTensor([[0, 0]], [1.0], [1, 1])
    wide = sf.sparse_concat(0, [x, y], expand_nonconcat_dim=True)
    want = [*DENSE.tolist(), [1, 0, 0]]
    assert sess.run(sf.sparse_tensor_to_dense(wide)).tolist() == want
    with pytest.raises(sf.errors.InvalidArgumentError, match="expand_nonconcat_dim"):
        sess.run(sf.sparse_concat(0, [x, y]).values)


@pytest.mark.parametrize(
    ("build", "text"),
    [
        (lambda x: sf.sparse_reshape(x, [4, 2]).indices, "the 6 elements of shape"),
        (lambda x: sf.sparse_concat(2, [x, x]).indices, "axis 2 is out of range"),
        (lambda x: sf.sparse_concat(0, []), "at least one"),
        (lambda x: sf.sparse_add(x, sf.sparse_transpose(x)).indices, "of one shape"),
        (lambda x: sf.sparse_retain(x.values, [True]), "a SparseTensor is needed"),
    ],
)
def test_mistakes(sess, build, text):
    with pytest.raises((ValueError, TypeError), match=text):
        sess.run(build(sparse()))


def test_axes_are_not_turned_around_when_their_number_is_unknown(sess):
    dims = sf.placeholder(sf.int64)
    x = sf.SparseTensor(PLACES, [5.0, 7.0, 9.0], dims)
    with pytest.raises(ValueError, match="give perm"):
        sf.sparse_transpose(x)
    turned = sf.sparse_tensor_to_dense(sf.sparse_transpose(x, [1, 0]))
    np.testing.assert_array_equal(sess.run(turned, {dims: [2, 3]}), DENSE.T)
