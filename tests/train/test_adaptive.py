"""Adadelta, RMSProp and Adam."""

import numpy as np
import pytest

import similarflow as sf


def trajectory(optimizer, start=1.0, count=3):
    w = sf.Variable(start, dtype=sf.float64)
    train = optimizer.minimize(sf.square(w))
    sess, found = sf.Session(), []
    for _ in range(count):
        sess.run(train)
        found.append(float(sess.run(w)))
    return found


# Published values


def test_adam_s_epsilon_is_epsilon_hat():
    found = trajectory(sf.train.AdamOptimizer(0.1, beta2=0.99, epsilon=0.1))
    want = [0.9333333333333332, 0.8603176865405413, 0.7845528434173197]
    np.testing.assert_allclose(found, want, rtol=1e-6)


def test_adam_is_exact_where_its_numbers_are():
    numbers = {"beta1": np.float64(0.9), "beta2": np.float64(0.99)}
    found = trajectory(sf.train.AdamOptimizer(0.1, epsilon=0.1, **numbers))
    want = [0.9333333333333332, 0.8603176865405413, 0.7845528434173197]
    np.testing.assert_allclose(found, want, rtol=1e-14)


def test_centered_rmsprop_divides_by_the_deviation():
    optimizer = sf.train.RMSPropOptimizer(0.1, decay=0.9, epsilon=1e-3, centered=True)
    want = [0.821896500699384, 0.678963838729594, 0.5590747222896245]
    np.testing.assert_allclose(trajectory(optimizer), want, rtol=1e-12)


@pytest.mark.parametrize("sparse", [False, True])
def test_a_variance_that_cancels_stays_finite(sparse):
    w = sf.Variable([[1.0]])
    used = sf.gather(w, [0]) if sparse else w
    optimizer = sf.train.RMSPropOptimizer(1e-3, decay=0.9, epsilon=1e-10, centered=True)
    train = optimizer.minimize(used * 12345.678)
    sess = sf.Session()
    for _ in range(400):
        sess.run(train)
    assert np.isfinite(sess.run([w, *optimizer.variables()])).all()


# What is kept


def test_the_mean_square_starts_with_ones():
    w = sf.Variable([1.0, 2.0], name="w")
    optimizer = sf.train.RMSPropOptimizer(0.5, centered=True)
    optimizer.minimize(sf.reduce_sum(w))
    names = {n: optimizer.get_slot(w, n).op.name for n in optimizer.get_slot_names()}
    assert names == {"mg": "w/RMSProp_1", "momentum": "w/RMSProp_2", "rms": "w/RMSProp"}
    assert sf.Session().run(optimizer.get_slot(w, "rms")).tolist() == [1.0, 1.0]
    plain = sf.train.RMSPropOptimizer(0.5)
    plain.minimize(sf.reduce_sum(w))
    assert plain.get_slot_names() == ["momentum", "rms"]


def test_adam_s_powers_are_variables():
    with sf.name_scope("outer"):
        w = sf.Variable([1.0, 2.0], dtype=sf.float64, name="w")
        optimizer = sf.train.AdamOptimizer(0.5, 0.5, np.float64(0.75))
        train = optimizer.minimize(sf.reduce_sum(w))
    assert [v.op.name for v in sf.global_variables()] == [
        "outer/w", "outer/beta1_power", "outer/beta2_power",
        "outer/w/Adam", "outer/w/Adam_1",
    ]  # fmt: skip
    powers = sf.global_variables()[1:3]
    assert [v.dtype for v in powers] == [sf.float32, sf.float64]
    assert not any(v.trainable for v in powers)
    sess = sf.Session()
    assert sess.run(powers) == [0.5, 0.75]
    for _ in range(2):
        sess.run(train)
    assert sess.run(powers) == [0.125, 0.421875]
    assert set(optimizer.variables()) == set(sf.global_variables()[1:])
    assert optimizer.get_slot_names() == ["m", "v"]


def test_two_adams_have_their_own_powers():
    w = sf.Variable(1.0, name="w")
    first, second = sf.train.AdamOptimizer(0.1), sf.train.AdamOptimizer(0.1)
    for optimizer in (first, second, first):
        optimizer.minimize(w * 1.0)
    names = [[v.op.name for v in o.variables()] for o in (first, second)]
    assert [sorted(n) for n in names] == [
        ["beta1_power", "beta2_power", "w/Adam", "w/Adam_1"],
        ["beta1_power_1", "beta2_power_1", "w/Adam_2", "w/Adam_3"],
    ]


def test_the_powers_are_raised_after_the_updates():
    w = sf.Variable(1.0)
    train = sf.train.AdamOptimizer().minimize(w * w)
    update, *powers = train.control_inputs
    assert update.type == "ApplyAdam"
    assert [op.type for op in powers] == ["Assign", "Assign"]
    for op in powers:
        product = op.inputs[1].op
        before = [product, *(t.op for t in product.inputs)]
        assert update in [c for o in before for c in o.control_inputs]


def test_adam_s_numbers_may_be_tensors_and_functions():
    beta1, rate = sf.placeholder(sf.float32, []), sf.Variable(0.5, trainable=False)
    u = sf.Variable([1.0, 2.0])
    optimizer = sf.train.AdamOptimizer(
        lambda: rate, beta1=beta1, beta2=lambda: 0.75, epsilon=lambda: 1.0
    )
    train = optimizer.minimize(sf.reduce_sum(u * u))
    sess = sf.Session()
    for _ in range(2):
        sess.run(train, {beta1: 0.5})
    # as TensorFlow's
    np.testing.assert_allclose(sess.run(u), [0.49310827, 1.3211929], rtol=1e-6)
    assert sess.run(optimizer.variables()[2:]) == [0.125, 0.421875]


def test_the_first_step_is_as_long_as_the_rate_whatever_the_gradient():
    for scale in (1e-3, 1.0, 1e5):
        w = sf.Variable(0.0, dtype=sf.float64)
        train = sf.train.AdamOptimizer(0.25, epsilon=1e-12).minimize(-scale * w)
        sess = sf.Session()
        sess.run(sf.global_variables_initializer())
        sess.run(train)
        np.testing.assert_allclose(sess.run(w), 0.25, rtol=1e-6)


# Gradients of some rows


def test_adam_moves_rows_on_and_the_lazy_one_lets_them_rest():
    row = sf.placeholder(sf.int32, [None])
    found = []
    for make in (sf.train.AdamOptimizer, sf.train.LazyAdamOptimizer):
        table = sf.Variable(np.zeros([3, 1]))
        optimizer = make(0.5)
        train = optimizer.minimize(sf.reduce_sum(sf.gather(table, row)))
        sess = sf.Session()
        sess.run(sf.global_variables_initializer())
        values = []
        for r in ([0, 0], [1]):
            sess.run(train, {row: r})
            state = [table, *(optimizer.get_slot(table, n) for n in ("m", "v"))]
            values.append(np.array(sess.run(state))[..., 0])
        found.append(values)
    (eager, eager_then), (lazy, lazy_then) = found
    np.testing.assert_allclose(eager, lazy, rtol=1e-12)
    assert (eager_then[0, 0] < eager[0, 0]).all()  # by what it had gathered
    assert (lazy_then[:, 0] == lazy[:, 0]).all()
    assert (eager_then[:, 2] == [0.0, 0.0, 0.0]).all()
    np.testing.assert_allclose(eager_then[:, 1], lazy_then[:, 1], rtol=1e-12)


@pytest.mark.parametrize("name", ["Adam", "RMSProp", "Adadelta"])
def test_what_has_no_gradient_is_kept_in_float16_too(name):
    w = sf.Variable([1.0, 2.0], dtype=sf.float16)
    make = getattr(sf.train, f"{name}Optimizer")
    numbers = {} if name == "Adam" else {"epsilon": 1e-12}
    train = make(0.5, **numbers).minimize(sf.reduce_sum(w * [0.0, 1.0]))
    sess = sf.Session()
    for _ in range(200):
        sess.run(train)
    value = sess.run(w)
    assert value[0] == 1.0
    assert value[1] < 2.0


@pytest.mark.parametrize(
    "make",
    [
        lambda: sf.train.AdamOptimizer(0.1),
        lambda: sf.train.LazyAdamOptimizer(0.1),
        lambda: sf.train.AdamWOptimizer(0.01, 0.1),
        lambda: sf.train.SGDOptimizer(0.1, momentum=0.9, decay=0.1),
        lambda: sf.train.MomentumOptimizer(0.1, 0.9),
    ],
)
def test_it_trains_inside_branches_and_loops_as_outside(make) -> None:
    v, u = sf.Variable(4.0), sf.Variable(4.0)
    p = sf.placeholder(sf.bool, [])
    inside, outside = make(), make()
    plain = outside.minimize(sf.square(u))
    step = sf.cond(p, lambda: inside.minimize(sf.square(v)), lambda: sf.no_op())

    def body(i):
        with sf.control_dependencies([inside.minimize(sf.square(v))]):
            return i + 1

    steps = sf.while_loop(lambda i: i < 3, body, [0])
    with sf.Session() as sess:
        sess.run(sf.global_variables_initializer())
        sess.run(step, {p: False})
        assert sess.run(v) == 4.0
        sess.run(step, {p: True})
        sess.run(steps)
        for _ in range(4):
            sess.run(plain)
        np.testing.assert_allclose(*sess.run([v, u]), rtol=1e-5)
