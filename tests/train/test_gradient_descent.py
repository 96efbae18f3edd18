"""Gradient descent against the same steps in NumPy, to the last bit."""

import numpy as np
import pytest

import similarflow as sf

STEPS = 50


def train(sess, step, variables, feed=None):
    """The variables after each step."""
    values = []
    for _ in range(STEPS):
        sess.run(step, feed)
        values.append(sess.run(variables))
    return values


def same(found, want):
    return all(
        np.array_equal(a, b) and np.result_type(a) == np.result_type(b)
        for row, other in zip(found, want, strict=True)
        for a, b in zip(row, other, strict=True)
    )


def test_a_line():
    x = np.linspace(-1.0, 1.0, 7)
    y = 3.0 * x - 0.25
    rate = 0.03
    w, b = sf.Variable(np.float64(0.5)), sf.Variable(np.float64(0.0))
    px, py = sf.placeholder(sf.float64, [7]), sf.placeholder(sf.float64, [7])
    loss = sf.reduce_sum(sf.square(px * w + b - py))
    step = sf.train.GradientDescentOptimizer(rate).minimize(loss)
    found = train(sf.Session(), step, [w, b], {px: x, py: y})

    want, wn, bn = [], np.float64(0.5), np.float64(0.0)
    for _ in range(STEPS):
        grad = 1.0 * (2.0 * (x * wn + bn - y))
        wn, bn = wn - rate * np.sum(grad * x), bn - rate * np.sum(grad)
        want.append([wn, bn])
    assert same(found, want)


@pytest.mark.parametrize("fed", [False, True])
def test_a_layer_of_weights(fed):
    rng = np.random.default_rng(1)
    x, y = rng.standard_normal([5, 3]), rng.standard_normal([5, 2])
    start = rng.standard_normal([3, 2])
    w = sf.Variable(start)
    rate = sf.placeholder(sf.float64, []) if fed else 0.1
    loss = sf.reduce_sum(sf.square(x @ w - y))
    step = sf.train.GradientDescentOptimizer(rate).minimize(loss)
    found = train(sf.Session(), step, [w], {rate: 0.1} if fed else None)

    want, wn = [], start
    for _ in range(STEPS):
        wn = wn - 0.1 * (x.T @ (2.0 * (x @ wn - y)))
        want.append([wn])
    np.testing.assert_allclose(found[-1][0], want[-1][0], rtol=1e-12)
    assert same(found[:1], want[:1])


def test_some_rows_of_a_table():
    rng = np.random.default_rng(2)
    start = rng.standard_normal([4, 2])
    table = sf.Variable(start)
    loss = sf.reduce_sum(sf.square(sf.gather(table, [2, 0, 2]) - 1.0))
    step = sf.train.GradientDescentOptimizer(0.125).minimize(loss)
    found = train(sf.Session(), step, [table])

    want, values = [], start
    for _ in range(STEPS):
        values = values.copy()
        rows = 2.0 * (values[[2, 0, 2]] - 1.0) * 0.125
        for i, row in zip([2, 0, 2], rows, strict=True):
            values[i] -= row
        want.append([values])
    assert same(found, want)


def test_two_variables_that_depend_on_each_other():
    a, b = sf.Variable(np.float64(1.0)), sf.Variable(np.float64(0.7))
    step = sf.train.GradientDescentOptimizer(0.1).minimize(a * b + sf.square(a))
    found = train(sf.Session(), step, [a, b])

    want, an, bn = [], np.float64(1.0), np.float64(0.7)
    for _ in range(STEPS):
        an, bn = an - 0.1 * (bn + 2.0 * an), bn - 0.1 * an
        want.append([an, bn])
    assert same(found, want)


def test_float32_stays_float32():
    w = sf.Variable(1.0)
    step = sf.train.GradientDescentOptimizer(0.1).minimize(sf.square(w))
    found = train(sf.Session(), step, [w])

    want, wn, rate = [], np.float32(1.0), np.float32(0.1)
    for _ in range(STEPS):
        wn = wn - rate * (np.float32(2.0) * wn)
        want.append([wn])
    assert same(found, want)


def test_the_learning_rate_is_one_number():
    loss = sf.Variable(1.0) * 2.0
    optimizer = sf.train.GradientDescentOptimizer([0.1, 0.2])
    said = r"the learning rate is one number, not of shape \(2,\)"
    with pytest.raises(ValueError, match=said):
        optimizer.minimize(loss)
