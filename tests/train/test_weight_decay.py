"""Weight decay that is no part of the gradient."""

import numpy as np
import pytest

import similarflow as sf


def adam(w, grads, rate, decay, betas=(0.9, 0.999), epsilon=1e-8):
    """The rule in NumPy."""
    m = v = 0.0
    for t, grad in enumerate(grads, 1):
        w = w - decay * w
        m = betas[0] * m + (1 - betas[0]) * grad
        v = betas[1] * v + (1 - betas[1]) * grad**2
        corrected = rate * np.sqrt(1 - betas[1] ** t) / (1 - betas[0] ** t)
        w = w - corrected * m / (np.sqrt(v) + epsilon)
    return w


BETAS = {"beta1": np.float64(0.9), "beta2": np.float64(0.999)}


def test_weights_decay_before_the_step_and_beside_the_gradient():
    w = sf.Variable([4.0, -2.0], dtype=sf.float64)
    g = sf.placeholder(sf.float64, [2])
    optimizer = sf.train.AdamWOptimizer(0.125, 0.25, **BETAS)
    train = optimizer.minimize(sf.reduce_sum(w * g))
    grads = np.random.default_rng(0).normal(size=[20, 2])
    sess = sf.Session()
    for grad in grads:
        sess.run(train, {g: grad})
    want = adam(np.array([4.0, -2.0]), grads, 0.25, 0.125)
    np.testing.assert_allclose(sess.run(w), want, rtol=1e-12)
    assert optimizer.get_slot_names() == ["m", "v"]
    assert train.name == "AdamW"


def test_gradients_are_those_at_the_weights_before_they_decay():
    w = sf.Variable(4.0, dtype=sf.float64)
    train = sf.train.MomentumWOptimizer(0.5, 0.25, 0.0).minimize(w * w)
    sess = sf.Session()
    sess.run(train)
    assert sess.run(w) == 4.0 * 0.5 - 0.25 * 8.0


def test_of_a_table_only_rows_with_a_gradient_decay_and_once_each():
    start = np.array([[4.0], [2.0], [8.0]])
    table = sf.Variable(start)
    optimizer = sf.train.AdamWOptimizer(0.125, 0.25, **BETAS)
    train = optimizer.minimize(sf.reduce_sum(sf.gather(table, [2, 0, 2])))
    sess = sf.Session()
    for _ in range(5):
        sess.run(train)
    found = sess.run(table)
    for i, grad in ((0, 1.0), (2, 2.0)):
        np.testing.assert_allclose(found[i], adam(start[i], [grad] * 5, 0.25, 0.125))
    assert found[1] == start[1]


def test_some_variables_only():
    a, b = sf.Variable(1.0), sf.Variable(1.0)
    optimizer = sf.train.MomentumWOptimizer(0.5, 0.0, 0.5)
    pairs = optimizer.compute_gradients(a * b)
    first = optimizer.minimize(a * b, decay_var_list=[a])
    second = optimizer.apply_gradients(pairs, decay_var_list=[b])
    every = optimizer.minimize(a * b)
    sess = sf.Session()
    found = []
    for train in (first, second, every):
        sess.run(train)
        found.append(sess.run([a, b]))
    assert found == [[0.5, 1.0], [0.5, 0.5], [0.25, 0.25]]


@pytest.mark.parametrize("kind", ["fed", "function"])
def test_the_decay_may_be_a_tensor(kind):
    fed = sf.placeholder(sf.float32, [])
    decay = fed if kind == "fed" else lambda: 0.25
    w = sf.Variable([4.0], dtype=sf.float64)
    table = sf.Variable([[4.0]])
    loss = sf.to_float(sf.reduce_sum(w)) + sf.reduce_sum(sf.gather(table, [0]))
    train = sf.train.MomentumWOptimizer(decay, 1.0, 0.0).minimize(loss)
    sess = sf.Session()
    sess.run(train, {fed: 0.25})
    assert [x.ravel().tolist() for x in sess.run([w, table])] == [[2.0], [2.0]]


def test_any_optimizer_can_be_given_it():
    class AdagradW(sf.train.DecoupledWeightDecayExtension, sf.train.AdagradOptimizer):
        pass

    w = sf.Variable(4.0)
    optimizer = AdagradW(0.5, learning_rate=0.0)
    step = sf.train.get_or_create_global_step()
    train = optimizer.minimize(w * w, step)
    sess = sf.Session()
    sess.run(train)
    assert sess.run([w, step]) == [2.0, 1]


def test_arguments_are_tensorflow_s():
    w = sf.Variable(1.0, name="w")
    optimizer = sf.train.AdamWOptimizer(0.5, 0.1, 0.9, 0.99, 1e-3, True, "Mine")
    optimizer.minimize(w * w)
    assert optimizer.get_slot(w, "m").op.name == "w/Mine"


def test_a_table_that_is_not_named_does_not_decay():
    table, bias = sf.Variable([[4.0], [2.0]]), sf.Variable(1.0)
    optimizer = sf.train.MomentumWOptimizer(0.5, 0.25, 0.0)
    loss = sf.reduce_sum(sf.gather(table, [0])) + bias
    train = optimizer.minimize(loss, decay_var_list=[bias])
    sess = sf.Session()
    sess.run(train)
    assert sess.run(table).tolist() == [[3.75], [2.0]]
    assert sess.run(bias) == 1.0 * 0.5 - 0.25
