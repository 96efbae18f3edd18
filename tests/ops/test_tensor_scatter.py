"""Tensors with other values at some places; numbers of TensorFlow's are in parity."""

import numpy as np
import pytest

import similarflow as sf

BUILDS = [sf.tensor_scatter_update, sf.tensor_scatter_add, sf.tensor_scatter_sub]


@pytest.fixture
def sess():
    return sf.Session()


def test_what_was_there_stays_as_it_is(sess):
    x = np.array([1.0, 2.0, 3.0])
    given = sf.placeholder(sf.float64)
    for build, first in zip(BUILDS, [10, 11, -9], strict=True):
        y = build(given, [[0]], [10.0])
        assert sess.run(y, {given: x}).tolist() == [first, 2, 3]
    assert x.tolist() == [1, 2, 3]
    words = sf.tensor_scatter_update(["a", "b"], [[1]], ["c"])
    assert sess.run(words).tolist() == [b"a", b"c"]
    assert sf.tensor_scatter_nd_add is sf.tensor_scatter_add


@pytest.mark.parametrize("known", [True, False])
@pytest.mark.parametrize("build", BUILDS)
def test_mistakes(sess, build, known):
    x = sf.placeholder(sf.float32, [3] if known else None)
    for indices, updates, text in [
        ([[3]], [1.0], r"indices\[0\] = \[3\] is no place"),
        ([[0], [1]], [1.0], "updates have shape"),
        ([[0, 1]], [1.0], "hold 2 numbers each"),
    ]:
        with pytest.raises(ValueError, match=text):
            sess.run(build(x, indices, updates), {x: [1.0, 2.0, 3.0]})
