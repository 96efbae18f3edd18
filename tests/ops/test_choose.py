"""Passing on and choosing: what the operations' samples do not show."""

import numpy as np
import pytest

import similarflow as sf


def run(fetches, feeds=None):
    return sf.Session().run(fetches, feeds)


def static(x):
    return x.static_shape


@pytest.fixture
def x():
    """A matrix with an unknown number of rows."""
    return sf.placeholder(sf.float32, [None, 3], name="x")


def test_identity_and_stop_gradient(x):
    y = sf.stop_gradient(x) * x
    assert run(sf.gradients(y, x), {x: [[1, 2, 3]]})[0].tolist() == [[1, 2, 3]]
    assert sf.identity([1, 2]).static_dtype == np.int32


def test_placeholder_with_default(x):
    y = sf.placeholder_with_default(x[0], [None])
    assert static(y) == (None,)
    assert run(y, {y: [1.0]}).tolist() == [1.0]
    assert run(y, {x: [[1, 2, 3]]}).tolist() == [1, 2, 3]
    with pytest.raises(ValueError, match=r"\(3,\) and \(2,\) differ"):
        sf.placeholder_with_default([1.0, 2.0], [3])
    u = sf.placeholder(sf.float32)
    with pytest.raises(sf.errors.InvalidArgumentError, match="differ"):
        run(sf.placeholder_with_default(u, [2]), {u: [1.0]})


def test_where_chooses_rows_by_a_condition_with_one_axis(x):
    c = sf.placeholder(sf.bool, [None])
    y = sf.where(c, x, -x)
    assert static(y) == (None, 3)
    assert static(sf.where([True, False], x, x)) == (2, 3)
    value = np.ones([2, 3])
    found = run(y, {c: [True, False], x: value})
    assert found.tolist() == [[1, 1, 1], [-1, -1, -1]]
    with pytest.raises(sf.errors.InvalidArgumentError, match=r"rows: it has 3 elem"):
        run(y, {c: [True] * 3, x: value})
    with pytest.raises(ValueError, match="rows: it has 2 elements"):
        sf.where([True, False], sf.zeros([3, 1]), sf.zeros([3, 1]))


def test_where_sums_the_gradients_of_what_was_broadcast(x):
    w = sf.constant(2.0)
    y = sf.where(x > 0.0, x * 1.0, w)
    found = run(sf.gradients(y, [x, w]), {x: [[1, -1, -2]]})
    assert found[0].tolist() == [[1, 0, 0]]
    assert found[1] == 2.0


def test_where_of_unknown_rank():
    c, u = sf.placeholder(sf.bool), sf.placeholder(sf.float32)
    y = sf.where(c, u, -u)
    assert static(y) is None
    grad = sf.gradients(y, u)[0]
    for mask, value in (([True, False], [[1.0], [2.0]]), (True, [3.0]), (False, 4.0)):
        rows = np.reshape(
            mask, np.shape(mask) + (1,) * (np.ndim(value) - np.ndim(mask))
        )
        found = run([y, grad], {c: mask, u: value})
        assert (found[0] == np.where(rows, value, np.negative(value))).all()
        assert (found[1] == np.where(rows, 1.0, -1.0)).all()


def test_where_refuses_half_a_choice_and_no_conditions():
    with pytest.raises(ValueError, match="come together"):
        sf.where([True], 1.0)
    with pytest.raises(TypeError, match=r"a condition is bool.*x > 0"):
        sf.where([1.0], 1.0, 2.0)
    c = sf.Placeholder()
    with pytest.raises(sf.errors.InvalidArgumentError, match="a condition is bool"):
        run(sf.where(c, 1.0, 2.0), {c: 1.0})


def test_one_hot_dtypes():
    kinds = [
        sf.one_hot([1], 3),
        sf.one_hot([1], 3, on_value=5),
        sf.one_hot([1], 3, off_value=1),
        sf.one_hot([1], 3, dtype=sf.int64),
        sf.one_hot([1], 2, "a", "b"),
        sf.one_hot([1], 3, on_value=sf.constant(2.0, sf.float64)),
    ]
    names = [t.dtype.name for t in kinds]
    assert names == ["float32", "int32", "int32", "int64", "string", "float64"]
    assert run(kinds[4]).tolist() == [[b"b", b"a"]]
    with pytest.raises(TypeError, match="float64 is needed"):
        sf.one_hot([1], 3, on_value=sf.constant(2.0), dtype=sf.float64)
    with pytest.raises(TypeError, match="cannot hold"):
        sf.one_hot([1], 3, on_value=2.5, dtype=sf.int32)


def test_one_hot_of_unknown_sizes_and_places():
    i, n = sf.placeholder(sf.int64, [None]), sf.placeholder(sf.int32, [])
    y = sf.one_hot(i, n, axis=0)
    assert static(y) == (None, None)
    assert run(y, {i: [2, -1, 7], n: 3}).tolist() == [[0] * 3, [0] * 3, [1, 0, 0]]
    with pytest.raises(TypeError, match="indices are whole numbers"):
        sf.one_hot([1.0], 3)
    with pytest.raises(ValueError, match="axis 2 is out of range"):
        sf.one_hot([1], 3, axis=2)
    for depth in (-1, [1], sf.placeholder(sf.int32, [None])):
        with pytest.raises(ValueError, match="depth is one number"):
            sf.one_hot([1], depth)
    free = sf.placeholder(sf.int32)
    for depth in (-1, [1], []):
        with pytest.raises(sf.errors.InvalidArgumentError, match="depth is one number"):
            run(sf.one_hot([1], free), {free: depth})
    with pytest.raises(ValueError, match="axis -2 is out of range"):
        sf.one_hot(free, 3, axis=-2)
    with pytest.raises(sf.errors.InvalidArgumentError, match="axis 2 is out of range"):
        run(sf.one_hot(free, 3, axis=2), {free: [1]})


def test_one_hot_of_nothing():
    for nothing in ([], np.zeros([0])):
        assert run(sf.one_hot(nothing, 3)).shape == (0, 3)
    assert run(sf.one_hot([sf.constant(1), 0], 2)).tolist() == [[0, 1], [1, 0]]


def test_places_of_a_one_hot_are_whole_numbers_when_fed_too():
    x = sf.Placeholder()
    y = sf.one_hot(x, 3)
    with pytest.raises(sf.errors.InvalidArgumentError, match="not float64"):
        sf.Session().run(y, {x: [1.0, 2.0]})
    assert sf.Session().run(y, {x: []}).shape == (0, 3)
