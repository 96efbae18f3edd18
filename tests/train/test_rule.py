"""What all optimizers have in common: learning, rates, failing, going on elsewhere."""

import numpy as np
import pytest

import similarflow as sf

T = sf.train
MAKERS = {
    "momentum": lambda rate=0.125: T.MomentumOptimizer(rate, 0.5),
    "nesterov": lambda rate=0.125: T.MomentumOptimizer(rate, 0.5, use_nesterov=True),
    "sgd": lambda rate=0.125: T.SGDOptimizer(rate, 0.5, 0.01),
    "adagrad": lambda rate=0.5: T.AdagradOptimizer(rate),
    "adagrad_da": lambda rate=0.5: T.AdagradDAOptimizer(
        rate, T.get_or_create_global_step()
    ),
    "adadelta": lambda rate=1.0: T.AdadeltaOptimizer(rate, epsilon=2.0**-10),
    "rmsprop": lambda rate=0.0625: T.RMSPropOptimizer(rate),
    "centered": lambda rate=0.0625: T.RMSPropOptimizer(
        rate, epsilon=0.01, centered=True
    ),
    "adam": lambda rate=0.125: T.AdamOptimizer(rate),
    "lazy_adam": lambda rate=0.125: T.LazyAdamOptimizer(rate),
    "adamw": lambda rate=0.125: T.AdamWOptimizer(2.0**-10, rate),
    "momentumw": lambda rate=0.125: T.MomentumWOptimizer(2.0**-10, rate, 0.5),
    "ftrl": lambda rate=0.5: T.FtrlOptimizer(rate),
    "ftrl_shrinkage": lambda rate=0.5: T.FtrlOptimizer(
        rate, l2_shrinkage_regularization_strength=2.0**-10
    ),
    "proximal": lambda rate=0.125: T.ProximalGradientDescentOptimizer(rate),
    "proximal_adagrad": lambda rate=0.5: T.ProximalAdagradOptimizer(rate),
}
every = pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS)


def initialised(graph=None):
    sess = sf.Session(graph=graph)
    with sess.graph.as_default():
        sess.run(sf.global_variables_initializer())
    return sess


def everything(sess):
    return {v.op.name: sess.run(v) for v in sf.global_variables()}


def same(one, other):
    return one.keys() == other.keys() and all(
        np.array_equal(one[k], other[k]) and one[k].dtype == other[k].dtype for k in one
    )


# Learning


@every
def test_a_quadratic_finds_its_minimum(make):
    w = sf.Variable([3.0, -2.0])
    loss = sf.reduce_sum(sf.square(w - [1.0, 0.5]))
    train = make().minimize(loss, T.get_or_create_global_step())
    sess = sf.Session()
    for _ in range(200):
        sess.run(train)
    np.testing.assert_allclose(sess.run(w), [1.0, 0.5], atol=0.02)


@every
@pytest.mark.parametrize("rows", [slice(None), [1]])
def test_a_variable_whose_shape_is_left_open(make, rows):
    found = []
    for validate_shape in (True, False):
        sf.reset_default_graph()
        w = sf.Variable([[3.0], [-2.0]], validate_shape=validate_shape)
        part = sf.gather(w, rows) if isinstance(rows, list) else w
        train = make().minimize(sf.reduce_sum(part * part))
        for sess in (sf.Session(), initialised()):
            sess.run(train)
            found.append(sess.run([train, w])[1])
    assert all(np.array_equal(f, found[0]) for f in found)
    assert not np.array_equal(found[0], [[3.0], [-2.0]])


@every
def test_a_perceptron_learns_exclusive_or(make):
    rng = np.random.default_rng(3)
    x = np.array([[0, 0], [0, 1], [1, 0], [1, 1]], np.float32)
    y = np.array([[0.0], [1.0], [1.0], [0.0]], np.float32)
    w1 = sf.Variable(rng.normal(size=[2, 8]).astype(np.float32))
    w2 = sf.Variable(rng.normal(size=[8, 1]).astype(np.float32))
    b1, b2 = sf.Variable(sf.zeros([8])), sf.Variable(sf.zeros([1]))
    out = sf.tanh(x @ w1 + b1) @ w2 + b2
    loss = sf.reduce_mean(sf.square(out - y))
    train = make().minimize(loss, T.get_or_create_global_step())
    sess = sf.Session()
    before = sess.run(loss)
    for _ in range(300):
        sess.run(train)
    assert sess.run(loss) < 0.05 < before


@every
def test_an_embedding_learns_the_rows_that_are_used(make):
    table = sf.Variable(np.full([50, 3], 0.5, np.float32))
    picked = sf.gather(table, [7, 3, 7])
    loss = sf.reduce_sum(sf.square(picked - [[1.0], [-1.0], [1.0]]))
    optimizer = make()
    train = optimizer.minimize(loss, T.get_or_create_global_step())
    sess = sf.Session()
    for _ in range(100):
        sess.run(train)
    value = sess.run(table)
    np.testing.assert_allclose(value[[7, 3]], [[1.0] * 3, [-1.0] * 3], atol=0.05)
    assert (np.delete(value, [7, 3], 0) == 0.5).all()
    types = {op.type for op in sf.get_default_graph().get_operations()}
    assert not types & {"UnsortedSegmentSum", "IndexedSlicesToTensor"}


@every
@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_values_and_slots_keep_their_dtype(make, dtype):
    w = sf.Variable(1.0, dtype=dtype)
    table = sf.Variable(np.ones([3, 2], dtype))
    loss = w * w + sf.reduce_sum(sf.gather(table, [1, 1]))
    optimizer = make()
    train = optimizer.minimize(loss, T.get_or_create_global_step())
    sess = sf.Session()
    for _ in range(2):
        sess.run(train)
    for name in [None, *optimizer.get_slot_names()]:
        for v in (w, table):
            slot = v if name is None else optimizer.get_slot(v, name)
            value = sess.run(slot)
            assert (value.dtype, value.shape) == (dtype, tuple(v.shape.as_list()))
            assert np.isfinite(value).all()


# Rates


@every
@pytest.mark.parametrize("kind", ["fed", "variable", "function", "float64", "numpy"])
def test_rates_of_every_kind_make_the_same_steps(make, kind):
    fed = sf.placeholder(sf.float32, [])
    rates = {
        "fed": fed,
        "variable": sf.Variable(0.25, trainable=False),
        "function": lambda: sf.constant(0.25),
        "float64": sf.constant(np.float64(0.25)),
        "numpy": np.float32(0.25),
    }
    found = []
    for rate in (0.25, rates[kind]):
        a = sf.Variable([1.0, -2.0])
        b = sf.Variable([1.0, 2.0], dtype=sf.float64)
        table = sf.Variable([[1.0], [2.0]])
        loss = sf.reduce_sum(a * a) + sf.reduce_sum(sf.gather(table, [1]))
        loss += sf.to_float(sf.reduce_sum(b * b))
        train = make(rate).minimize(loss, T.get_or_create_global_step())
        sess = initialised()
        for _ in range(3):
            sess.run(train, {fed: 0.25})
        found.append(sess.run([a, b, table]))
    for one, other in zip(*found, strict=True):
        np.testing.assert_array_equal(one, other)


@every
def test_a_fed_rate_of_zero_moves_nothing(make):
    rate = sf.placeholder(sf.float32, [])
    w = sf.Variable([1.0, -2.0])
    optimizer = make(rate)
    if isinstance(optimizer, T.FtrlOptimizer | T.AdagradDAOptimizer):
        pytest.skip("its weights are no sums of steps")
    if isinstance(optimizer, T.DecoupledWeightDecayExtension):
        pytest.skip("weights decay all the same")
    train = optimizer.minimize(sf.reduce_sum(w * w))
    sess = initialised()
    sess.run(train, {rate: 0.0})
    assert sess.run(w).tolist() == [1.0, -2.0]
    count = len(sf.get_default_graph().get_operations())
    sess.run(train, {rate: 0.5})
    assert sess.run(w).tolist() != [1.0, -2.0]
    assert len(sf.get_default_graph().get_operations()) == count


def test_a_rate_is_one_number():
    w = sf.Variable([1.0, 2.0])
    with pytest.raises(ValueError, match="lr is one number"):
        T.MomentumOptimizer(sf.constant([0.1, 0.2]), 0.5).minimize(sf.reduce_sum(w))
    with pytest.raises(ValueError, match="epsilon is one number"):
        T.AdamOptimizer(epsilon=[0.1, 0.2]).minimize(sf.reduce_sum(w))


def test_a_schedule_is_read_at_each_step():
    step = T.get_or_create_global_step()
    rate = T.piecewise_constant(step, [1], [1.0, 0.25])
    w = sf.Variable(0.0)
    train = T.MomentumOptimizer(rate, 0.0).minimize(-w, step)
    sess, found = sf.Session(), []
    for _ in range(4):
        sess.run(train)
        found.append(float(sess.run(w)))
    assert found == [1.0, 2.0, 2.25, 2.5]


# Failing, and going on


class Picky(sf.Operation):
    def compute(self, x):
        if x < 0:
            raise ArithmeticError("no")
        return x


@every
def test_a_step_that_fails_changes_nothing(make):
    x = sf.placeholder(sf.float32, [])
    row = sf.placeholder(sf.int32, [None])
    w, table = sf.Variable([1.0, 2.0]), sf.Variable([[1.0], [2.0]])
    loss = sf.reduce_sum(w * w) * x + sf.reduce_sum(sf.gather(table, row))
    step = T.get_or_create_global_step()
    train = make().minimize(loss, step)
    sess = initialised()
    sess.run(train, {x: 1.0, row: [0]})
    before = everything(sess)
    with pytest.raises(sf.errors.InvalidArgumentError):
        sess.run(train, {x: 1.0, row: [0, 2]})
    with pytest.raises(sf.errors.InvalidArgumentError):
        sess.run(train, {row: [0]})
    with sf.control_dependencies([train]):
        after = Picky(x)
    with pytest.raises(ArithmeticError):
        sess.run([train, after], {x: -1.0, row: [1]})
    assert same(everything(sess), before)
    sess.run(train, {x: 1.0, row: [1]})
    assert not same(everything(sess), before)


@every
def test_training_goes_on_in_another_session(make):
    rng = np.random.default_rng(5)
    w = sf.Variable(rng.normal(size=[3, 2]))
    table = sf.Variable(rng.normal(size=[4, 2]))
    x = sf.placeholder(sf.float64, [None, 3])
    row = sf.placeholder(sf.int64, [None])
    loss = sf.reduce_sum(sf.square(x @ w)) + sf.reduce_sum(
        sf.square(sf.gather(table, row) - 1.0)
    )
    train = make().minimize(loss, T.get_or_create_global_step())
    feeds = [
        {x: rng.normal(size=[2, 3]), row: rng.integers(0, 4, [3])} for _ in range(10)
    ]
    first, second = initialised(), initialised()
    for feed in feeds[:5]:
        first.run(train, feed)
    for v in sf.global_variables():
        v.load(first.run(v), second)
    for feed in feeds[5:]:
        first.run(train, feed)
        second.run(train, feed)
    assert same(everything(first), everything(second))


@every
def test_one_optimizer_serves_two_graphs(make):
    values = []
    optimizer = None
    for _ in range(2):
        with sf.Graph().as_default() as graph:
            if optimizer is None:
                optimizer = make()
            if isinstance(optimizer, T.AdagradDAOptimizer):
                pytest.skip("its step belongs to a graph")
            w = sf.Variable([1.0, -2.0], name="w")
            train = optimizer.minimize(sf.reduce_sum(w * w))
            sess = initialised(graph)
            for _ in range(3):
                sess.run(train)
            values.append(everything(sess))
    assert same(*values)


@every
def test_two_steps_of_one_optimizer_share_slots(make):
    w = sf.Variable([1.0, -2.0], name="w")
    optimizer = make()
    step = T.get_or_create_global_step()
    optimizer.minimize(sf.reduce_sum(w * w), step)
    kept = [v.op.name for v in optimizer.variables()]
    optimizer.minimize(sf.reduce_sum(w), step)
    assert [v.op.name for v in optimizer.variables()] == kept
    assert sf.trainable_variables() == [w]
    assert all(v in sf.global_variables() for v in optimizer.variables())


@every
def test_what_is_made_waits_for_nothing_and_asks_no_scope(make):
    x = sf.placeholder(sf.float32, [])
    mean = sf.Variable(0.0, trainable=False)
    with sf.variable_scope("layer", initializer=sf.constant_initializer(7.0)):
        w = sf.get_variable("w", [2])
        with sf.control_dependencies([mean.assign(x)]):
            optimizer = make()
            train = optimizer.minimize(
                sf.reduce_sum(w * w), T.get_or_create_global_step()
            )
    sess = initialised()
    sess.run(train, {x: 3.0})
    assert sess.run(mean) == 3.0
    for name in optimizer.get_slot_names():
        assert optimizer.get_slot(w, name).op.name.startswith("layer/w/")


def test_an_optimizer_of_one_s_own_is_a_short_class():
    class Heavy(T.MomentumOptimizer):
        def __init__(self, learning_rate, name="Heavy"):
            super().__init__(learning_rate, 0.75, name=name)

    w = sf.Variable([1.0], name="w")
    optimizer = Heavy(0.5)
    train = optimizer.minimize(sf.reduce_sum(w))
    [update] = train.control_inputs
    assert update.name == "Heavy/update_w/ApplyMomentum"
    assert optimizer.get_slot(w, "momentum").op.name == "w/Heavy"
