"""Momentum, its kin, and steps that shrink."""

import numpy as np
import pytest

import similarflow as sf


def steps(sess, train, fetch, count):
    found = []
    for _ in range(count):
        sess.run(train)
        found.append(sess.run(fetch))
    return found


def test_nesterov_s_rule():
    w = sf.Variable(1.0, dtype=sf.float64)
    optimizer = sf.train.MomentumOptimizer(0.1, 0.9, use_nesterov=True)
    train = optimizer.minimize(sf.square(w))
    found = steps(sf.Session(), train, w, 3)
    np.testing.assert_allclose(found, [0.62, 0.2224, -0.108352], rtol=1e-12)


def test_a_step_is_one_operation_that_writes_variable_and_slot():
    w = sf.Variable([1.0, 2.0], name="w")
    table = sf.Variable([[1.0], [2.0]], name="table")
    loss = sf.reduce_sum(w) + sf.reduce_sum(sf.gather(table, [1]))
    optimizer = sf.train.MomentumOptimizer(0.5, 0.5)
    train = optimizer.minimize(loss)
    dense, sparse = train.control_inputs
    assert dense.name == "Momentum/update_w/ApplyMomentum"
    assert sparse.name == "Momentum/update_table/SparseApplyMomentum"
    for op, v in ((dense, w), (sparse, table)):
        slot = optimizer.get_slot(v, "momentum")
        assert op.inputs[:2] == (v.value(), slot.value())
        assert [t.static_shape for t in op.outputs] == [v.value().static_shape] * 2
        assert op.definition.writes == 2
    sess = sf.Session()
    after = sess.run([*dense.outputs, train])
    assert [x.tolist() for x in after[:2]] == [[0.5, 1.5], [1.0, 1.0]]
    assert sess.run(w).tolist() == [0.5, 1.5]


def test_arguments_are_tensorflow_s():
    w = sf.Variable(1.0)
    optimizer = sf.train.MomentumOptimizer(0.5, 0.25, True, "Mine", True)
    train = optimizer.minimize(w * 2.0)
    assert train.name == "Mine"
    sess = sf.Session()
    sess.run(train)
    assert sess.run(w) == 1.0 - 0.5 * (2.0 + 0.25 * 2.0)
    assert optimizer.get_slot_names() == ["momentum"]
    assert sf.train.MomentumOptimizer(0.5, 0.5).get_name() == "Momentum"


def test_a_fed_momentum():
    momentum = sf.placeholder(sf.float32, [])
    w = sf.Variable(0.0, dtype=sf.float64)
    train = sf.train.MomentumOptimizer(1.0, momentum).minimize(w)
    sess = sf.Session()
    for m in (0.5, 0.5, 0.0):
        sess.run(train, {momentum: m})
    assert sess.run(w) == -(1.0 + 1.5 + 1.0)


def test_two_optimizers_keep_their_slots_apart():
    w = sf.Variable(1.0, name="w")
    first, second = (sf.train.MomentumOptimizer(0.1, 0.9) for _ in range(2))
    first.minimize(w * 1.0)
    second.minimize(w * 1.0)
    slots = [o.get_slot(w, "momentum").op.name for o in (first, second)]
    assert slots == ["w/Momentum", "w/Momentum_1"]


# SGD


class Seed:
    """The rule in NumPy."""

    def __init__(self, rate, momentum, decay):
        self.rate, self.momentum, self.decay, self.v = rate, momentum, decay, 0.0

    def step(self, w, grad):
        self.v = self.momentum * self.v - self.rate * grad
        self.rate /= 1 + self.decay
        return w + self.v


@pytest.mark.parametrize("momentum", [0.0, 0.9])
@pytest.mark.parametrize("decay", [0.0, 0.05])
def test_sgd_s_rule(momentum, decay):
    start, goal = np.array([3.0, -2.0]), np.array([1.0, 0.5])
    w = sf.Variable(start)
    optimizer = sf.train.SGDOptimizer(0.05, momentum, decay)
    train = optimizer.minimize(sf.reduce_sum(sf.square(w - goal)))
    found = steps(sf.Session(), train, w, 30)

    seed, values, want = Seed(0.05, momentum, decay), start, []
    for _ in range(30):
        values = seed.step(values, 2.0 * (values - goal))
        want.append(values)
    np.testing.assert_allclose(found, want, rtol=1e-12)


def test_sgd_s_rule_on_rows():
    start = np.arange(6.0).reshape(3, 2)
    table = sf.Variable(start)
    picked = sf.gather(table, [2, 0, 2])
    train = sf.train.SGDOptimizer(0.05, 0.5, 0.1).minimize(sf.reduce_sum(picked**2))
    found = steps(sf.Session(), train, table, 10)[-1]

    once, twice = Seed(0.05, 0.5, 0.1), Seed(0.05, 0.5, 0.1)
    want = start.copy()
    for _ in range(10):
        want[0] = once.step(want[0], 2.0 * want[0])
        want[2] = twice.step(want[2], 4.0 * want[2])
    np.testing.assert_allclose(found, want, rtol=1e-12)
    assert (found[1] == start[1]).all()


def test_sgd_s_arguments_and_what_it_keeps():
    w = sf.Variable(1.0, name="w")
    plain = sf.train.SGDOptimizer()
    sess = sf.Session()
    sess.run(plain.minimize(w))
    assert sess.run(w) == np.float32(1.0 - 0.01)
    assert [v.op.name for v in plain.variables()] == ["w/SGD"]
    slower = sf.train.SGDOptimizer(0.5, decay=1.0)
    train = slower.minimize(w)
    assert [v.op.name for v in slower.variables()] == ["w/SGD_1", "decayed"]
    sess = sf.Session()
    sess.run(sf.global_variables_initializer())
    assert np.diff(steps(sess, train, w, 4)).tolist() == [-0.25, -0.125, -0.0625]


def test_sgd_s_rate_and_decay_may_be_tensors():
    rate, decay = sf.placeholder(sf.float32, []), sf.placeholder(sf.float32, [])
    w = sf.Variable(0.0)
    train = sf.train.SGDOptimizer(rate, 0.0, decay).minimize(w)
    sess = sf.Session()
    for r, d in ((1.0, 1.0), (1.0, 3.0), (2.0, 0.0)):
        sess.run(train, {rate: r, decay: d})
    assert sess.run(w) == -(1.0 + 0.5 + 2.0 * 0.125)


# Proximal gradient descent


def test_small_weights_become_exactly_zero():
    w = sf.Variable([0.3, -0.3, 2.0, -2.0], dtype=sf.float64)
    optimizer = sf.train.ProximalGradientDescentOptimizer(0.5, 1.0, 0.5)
    train = optimizer.minimize(0.0 * sf.reduce_sum(w))
    sess = sf.Session()
    sess.run(train)
    assert sess.run(w).tolist() == [0.0, 0.0, 1.2, -1.2]
    assert train.control_inputs[0].type == "ApplyProximalGradientDescent"
    assert optimizer.variables() == []


def test_without_penalties_it_is_gradient_descent():
    start = np.random.default_rng(0).normal(size=[5])
    found = []
    for make in (
        sf.train.ProximalGradientDescentOptimizer,
        sf.train.GradientDescentOptimizer,
    ):
        w = sf.Variable(start)
        train = make(0.1).minimize(sf.reduce_sum(sf.exp(w)))
        sess = sf.Session()
        sess.run(w.initializer)
        found.append(np.array(steps(sess, train, w, 10)))
    assert (found[0] == found[1]).all()
