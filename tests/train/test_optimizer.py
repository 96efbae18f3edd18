"""Optimizers: what is trained, from which gradients, at which rate, and by whom."""

import inspect

import numpy as np
import pytest

import similarflow as sf
from similarflow import train as train_package


@pytest.fixture
def sess():
    return sf.Session()


def descent(rate=0.5, **given):
    return sf.train.GradientDescentOptimizer(rate, **given)


# What is trained


def test_only_trainable_and_connected_variables_are_trained(sess):
    a, fixed = sf.Variable(1.0), sf.Variable(1.0, trainable=False)
    apart, c = sf.Variable(1.0), sf.constant(2.0)
    train = descent().minimize(a * fixed * c)
    assert sess.run(train) is None
    assert sess.run([a, fixed, apart, c]) == [0.0, 1.0, 1.0, 2.0]
    assert [op.inputs[0] for op in train.control_inputs] == [a.value()]


def test_pairs_name_every_trainable_variable_in_the_order_of_making():
    a, b = sf.Variable(1.0), sf.Variable(1.0)
    sf.Variable(1.0, trainable=False)
    pairs = descent().compute_gradients(b * 2.0)
    assert [v for _, v in pairs] == [a, b]
    assert pairs[0][0] is None
    assert isinstance(pairs[1][0], sf.Tensor)


def test_a_variable_behind_stop_gradient_is_not_connected(sess):
    a, b = sf.Variable(1.0), sf.Variable(1.0)
    train = descent().minimize(a * sf.stop_gradient(b))
    sess.run(train)
    assert sess.run([a, b]) == [0.5, 1.0]


@pytest.mark.parametrize(
    "form",
    [
        lambda a, b: [a],
        lambda a, b: (a,),
        lambda a, b: {a},
        lambda a, b: a,
        lambda a, b: (v for v in (a,)),
        lambda a, b: sf.get_collection("mine"),
        lambda a, b: [[a]],
    ],
    ids=["list", "tuple", "set", "alone", "generator", "collection", "nested"],
)
def test_variables_may_be_listed_in_many_forms(sess, form):
    a, b = sf.Variable(1.0, trainable=False), sf.Variable(1.0)
    sf.add_to_collection("mine", a)
    train = descent().minimize(a * a + b * b, var_list=form(a, b))
    sess.run(train)
    assert sess.run([a, b]) == [0.0, 1.0]


def test_what_is_no_variable_cannot_be_listed():
    a = sf.Variable(1.0)
    y = a * 2.0
    for item in (y, "a", 1.0):
        with pytest.raises(TypeError, match="variable"):
            descent().minimize(y * y, var_list=[item])


def test_a_loss_may_be_a_function_or_an_own_operation(sess):
    a = sf.Variable(1.0)
    sess.run(descent().minimize(lambda: a * 3.0))
    assert sess.run(a) == -0.5

    class Triple(sf.Operation):
        def compute(self, x):
            return 3.0 * x

    @sf.RegisterGradient(Triple)
    def _triple_grad(op, grad):
        return 3.0 * grad

    sess.run(descent().minimize(Triple(a)))
    assert sess.run(a) == -2.0


def test_a_loss_of_many_numbers_counts_as_their_sum(sess):
    a = sf.Variable([1.0, 2.0])
    sess.run(descent().minimize(a * [1.0, 3.0]))
    assert sess.run(a).tolist() == [0.5, 0.5]


def test_the_gradient_of_the_loss_may_be_given(sess):
    a = sf.Variable([1.0, 2.0])
    train = descent().minimize(a * 2.0, grad_loss=[1.0, 10.0])
    sess.run(train)
    assert sess.run(a).tolist() == [0.0, -8.0]


def test_gradients_may_be_changed_before_they_are_applied(sess):
    a, b = sf.Variable(1.0), sf.Variable(1.0)
    optimizer = descent()
    pairs = optimizer.compute_gradients(a * 100.0 + b)
    train = optimizer.apply_gradients((sf.minimum(g, 4.0), v) for g, v in pairs)
    sess.run(train)
    assert sess.run([a, b]) == [-1.0, 0.5]


def test_tensorflow_s_further_arguments_are_accepted(sess):
    a = sf.Variable(1.0)
    optimizer = sf.train.GradientDescentOptimizer(0.5, True, "Mine")
    train = optimizer.minimize(a * a, None, [a], 1, None, True, "go", None)
    assert train.name == "go"
    pairs = optimizer.compute_gradients(a * a, [a], 0, 2, True, None)
    assert optimizer.apply_gradients(pairs, None, "again").name == "again"


# What cannot be trained


def test_a_connected_variable_of_whole_numbers_says_what_to_do():
    line = inspect.currentframe().f_lineno + 1
    n = sf.Variable(1, name="n")
    with pytest.raises(
        ValueError, match="int32 variable 'n' cannot be trained"
    ) as caught:
        descent().minimize(sf.square(n), var_list=[n])
    text = str(caught.value)
    assert f"made at {__file__}:{line}: `n = sf.Variable" in text
    assert "1.0, not 1" in text
    assert "trainable=False" in text


def test_a_counter_that_is_trainable_by_mistake_does_no_harm(sess):
    count, w = sf.Variable(0, name="count"), sf.Variable(1.0)
    train = descent().minimize(w * w, global_step=count)
    sess.run(train)
    assert sess.run([count, w]) == [1, 0.0]


def test_nothing_connected_says_which_variables_there_are():
    sf.Variable(1.0, name="a")
    sf.Variable(1.0, name="b")
    with pytest.raises(ValueError, match="no gradients for any variable") as caught:
        descent().minimize(sf.constant(1.0) * 2.0)
    text = str(caught.value)
    assert "(a, b)" in text
    assert "sf.explain_gradient" in text
    assert sf.get_collection(sf.GraphKeys.TRAIN_OP) == []


def test_no_variables_at_all_are_told_as_such():
    for call in (
        lambda: descent().minimize(sf.constant(1.0) * 2.0),
        lambda: descent().apply_gradients([]),
        lambda: descent().minimize(sf.constant(1.0), var_list=[]),
    ):
        with pytest.raises(ValueError, match=r"there are (none|no trainable)"):
            call()


def test_an_operation_without_a_rule_on_the_way_is_an_error():
    class Opaque(sf.Operation):
        def compute(self, x):
            return x

    a = sf.Variable(1.0)
    with pytest.raises(LookupError, match="no gradient is defined for Opaque"):
        descent().minimize(Opaque(a) * 2.0)


def test_an_error_leaves_the_scope_as_it_was():
    class Broken(sf.train.Optimizer):
        def _prepare(self):
            raise ZeroDivisionError

    a = sf.Variable(1.0)
    with pytest.raises(ZeroDivisionError):
        Broken(False, "Broken").minimize(a * a)
    assert sf.constant(1.0, name="c").name == "c:0"


def test_gradients_of_one_s_own_may_be_arrays(sess):
    a = sf.Variable([1.0, 2.0])
    sess.run(descent().apply_gradients([(np.array([1.0, 4.0]), a)]))
    assert sess.run(a).tolist() == [0.5, 0.0]


def test_gradients_that_cannot_belong_to_their_variable_are_refused(sess):
    a = sf.Variable([1.0, 2.0], name="a")
    with pytest.raises(ValueError, match="'a:0'"):
        descent().apply_gradients([(sf.constant([1.0]), a)])
    with pytest.raises(TypeError, match="'a'"):
        descent().apply_gradients([(sf.constant([1, 2]), a)])
    with pytest.raises(TypeError, match="no variable"):
        descent().apply_gradients([(a * 1.0, a * 1.0)])
    with sf.Graph().as_default():
        far = sf.constant([1.0, 2.0])
    with pytest.raises(ValueError, match="two graphs"):
        descent().apply_gradients([(far, a)])
    assert sf.get_collection(sf.GraphKeys.TRAIN_OP) == []


def test_a_gradient_of_unknown_shape_is_checked_when_it_is_there(sess):
    a = sf.Variable([1.0, 2.0])
    grad = sf.placeholder(sf.float32)
    train = descent().apply_gradients([(grad, a)])
    with pytest.raises(sf.errors.InvalidArgumentError):
        sess.run(train, {grad: [1.0]})
    with pytest.raises(sf.errors.InvalidArgumentError):
        sess.run(train, {grad: 1.0})
    sess.run(train, {grad: [2.0, 4.0]})
    assert sess.run(a).tolist() == [0.0, 0.0]


# Learning rates


@pytest.mark.parametrize(
    "rate",
    [
        0.5,
        np.float64(0.5),
        np.float32(0.5),
        lambda: 0.5,
        lambda: sf.constant(0.5),
        lambda: sf.Variable(0.5, trainable=False),
    ],
    ids=["float", "float64", "float32", "function", "tensor", "variable"],
)
@pytest.mark.parametrize("dtype", ["float32", "float64", "float16"])
def test_rates_of_every_kind_serve_variables_of_every_float_type(sess, rate, dtype):
    a = sf.Variable(1.0, dtype=dtype)
    table = sf.Variable(np.ones([3, 1], dtype))
    loss = a * a + sf.reduce_sum(sf.gather(table, [1]))
    train = descent(rate).minimize(loss)
    sess.run(train)
    found, rows = sess.run([a, table])
    assert found.dtype == rows.dtype == dtype
    assert (found, rows.ravel().tolist()) == (0.0, [1.0, 0.5, 1.0])


def test_a_rate_that_is_a_tensor_is_read_at_each_step(sess):
    rate = sf.placeholder(sf.float32, [])
    own = sf.Variable(1.0, trainable=False)
    a, b = sf.Variable(np.float64(1.0)), sf.Variable(1.0)
    train = sf.group(descent(rate).minimize(a * 2.0), descent(own).minimize(b * 2.0))
    sess.run(train, {rate: 0.5})
    assert sess.run([a, b]) == [0.0, -1.0]
    sess.run(own.assign(0.25))
    sess.run(train, {rate: 2.0})
    assert sess.run([a, b]) == [-4.0, -1.5]
    with pytest.raises(sf.errors.InvalidArgumentError, match="feed a value"):
        sess.run(train)


def test_a_rate_that_follows_the_step_counts_from_the_step_before(sess):
    step = sf.Variable(0, trainable=False)
    a = sf.Variable(0.0)
    rate = 1.0 / (1.0 + sf.to_float(step))
    train = descent(rate).minimize(-a, global_step=step)
    found = []
    for _ in range(3):
        sess.run(train)
        found.append(float(sess.run(a)))
    assert found == [1.0, 1.5, np.float32(1.5) + np.float32(1 / 3)]


# The step's counter


@pytest.mark.parametrize("start", [0, np.int64(5), 0.0])
def test_a_step_is_counted_in_the_counter_s_own_type(sess, start):
    step, a = sf.Variable(start, trainable=False), sf.Variable(1.0)
    train = descent().minimize(a * a, global_step=step)
    for _ in range(3):
        assert sess.run(train) is None
    assert sess.run(step) == start + 3
    assert sess.run(step).dtype == step.dtype.as_numpy_dtype


def waits_for(op):
    """The control inputs of `op` and of what it takes."""
    found = [c for o in (op, *(t.op for t in op.inputs)) for c in o.control_inputs]
    return list(dict.fromkeys(found))


def test_the_counter_is_raised_after_the_updates(sess):
    step, a = sf.Variable(0, trainable=False), sf.Variable(1.0)
    train = descent().minimize(a * a, global_step=step)
    [update] = waits_for(train)
    assert update.type == "NoOp"
    assert [op.type for op in update.control_inputs] == ["ApplyGradientDescent"]


# Sparse gradients


def test_sparse_gradients_touch_only_the_gathered_rows(sess):
    table = sf.Variable(np.full([5, 2], np.nan, np.float32))
    fill = sf.scatter_update(table, [1, 3], [[1.0, 1.0], [2.0, 2.0]])
    loss = sf.reduce_sum(sf.gather(table, [3, 1, 3]) * [[1.0], [2.0], [10.0]])
    train = descent().minimize(loss)
    sess.run(fill)
    sess.run(train)
    value = sess.run(table)
    assert value[1].tolist() == [0.0, 0.0]
    assert value[3].tolist() == [2.0 - 5.5] * 2  # both of its rows count
    assert np.isnan(value[[0, 2, 4]]).all()
    [update] = train.control_inputs
    assert update.type == "ScatterSub"


def test_two_gathers_of_one_table_add_up(sess):
    table = sf.Variable([[1.0], [2.0]])
    loss = sf.reduce_sum(sf.gather(table, [0])) + sf.reduce_sum(
        3.0 * sf.gather(table, [0, 1])
    )
    pairs = descent().compute_gradients(loss)
    assert isinstance(pairs[0][0], sf.IndexedSlices)
    sess.run(descent().apply_gradients(pairs))
    assert sess.run(table).tolist() == [[-1.0], [0.5]]


def test_a_gather_beside_a_dense_use_becomes_dense(sess):
    table = sf.Variable([[1.0], [2.0]])
    loss = sf.reduce_sum(sf.gather(table, [0])) + sf.reduce_sum(table)
    train = descent().minimize(loss)
    assert train.control_inputs[0].type == "ApplyGradientDescent"
    sess.run(train)
    assert sess.run(table).tolist() == [[0.0], [1.5]]


# An optimizer of one's own


class Momentum(sf.train.Optimizer):
    """All that a subclass can say."""

    def __init__(self, rate, momentum, name="Momentum"):
        super().__init__(False, name)
        self.rate, self.momentum = rate, momentum
        self.log = []

    def _prepare(self):
        self.log.append("prepare")
        self.rate_tensor = sf.constant(self.rate, name="rate")

    def _create_slots(self, var_list):
        self.log.append([v.op.name for v in var_list])
        for v in var_list:
            self._zeros_slot(v, "velocity", "Momentum")
            self._get_or_make_slot(v, sf.constant(0, sf.int64), "steps", "Steps")

    def _apply_dense(self, grad, var):
        velocity = self.get_slot(var, "velocity")
        rate = sf.cast(self.rate_tensor, var.dtype)
        new = velocity.assign(self.momentum * velocity + grad)
        count = self.get_slot(var, "steps").assign_add(1)
        return sf.group(var.assign_sub(rate * new), count)

    def _finish(self, update_ops, name_scope):
        self.log.append(len(update_ops))
        return super()._finish(update_ops, name_scope)


def test_an_optimizer_of_one_s_own_keeps_slots(sess):
    a, b = (
        sf.Variable(1.0, name="a"),
        sf.Variable([[1.0, 2.0]], name="b", dtype="float64"),
    )
    optimizer = Momentum(0.5, 0.5)
    loss = a * 2.0 + sf.to_float(sf.reduce_sum(b * [[1.0, 3.0]]))
    train = optimizer.minimize(loss)
    assert optimizer.log == [["a", "b"], "prepare", 2]
    velocities = [optimizer.get_slot(v, "velocity") for v in (a, b)]
    assert [v.op.name for v in velocities] == ["a/Momentum", "b/Momentum"]
    assert [v.dtype.name for v in velocities] == ["float32", "float64"]
    assert [v.trainable for v in velocities] == [False, False]
    for _ in range(2):
        sess.run(train)
    assert sess.run([a, velocities[0]]) == [1.0 - 0.5 * (2.0 + 3.0), 3.0]
    assert sess.run(b).tolist() == [[1.0 - 0.5 * 2.5, 2.0 - 0.5 * 7.5]]
    assert sess.run(optimizer.get_slot(b, "steps")) == 2


def test_slots_can_be_listed_and_asked_for():
    a, b = sf.Variable(1.0, name="a"), sf.Variable(1.0, name="b")
    optimizer = Momentum(0.5, 0.5)
    assert (optimizer.get_slot_names(), optimizer.variables()) == ([], [])
    optimizer.minimize(a * b)
    optimizer.minimize(a * b * 2.0)  # the slots are those of before
    assert optimizer.get_slot_names() == ["steps", "velocity"]
    assert [v.op.name for v in optimizer.variables()] == [
        "a/Momentum", "b/Momentum", "a/Steps", "b/Steps",
    ]  # fmt: skip
    assert optimizer.get_slot(a, "other") is None
    assert optimizer.get_slot(sf.Variable(1.0), "velocity") is None
    assert sf.trainable_variables() == [a, b, sf.trainable_variables()[2]]
    assert Momentum(0.5, 0.5).get_slot(a, "velocity") is None


def test_the_slot_of_a_variable_of_any_shape_is_made_of_its_value(sess):
    a = sf.Variable([1.0, 2.0], validate_shape=False)
    optimizer = Momentum(0.5, 0.5)
    train = optimizer.minimize(sf.reduce_sum(a * a))
    slot = optimizer.get_slot(a, "velocity")
    assert slot.as_tensor().static_shape is None
    sess.run(train)
    assert sess.run(slot).shape == (2,)
    assert (sess.run(a) < [1.0, 2.0]).all()


def test_sparse_gradients_become_dense_for_an_optimizer_that_says_nothing_of_them(sess):
    table = sf.Variable([[1.0], [2.0]])
    train = Momentum(0.5, 0.5).minimize(sf.reduce_sum(sf.gather(table, [1, 1])))
    sess.run(train)
    assert sess.run(table).tolist() == [[1.0], [1.0]]


def test_an_optimizer_may_take_sparse_gradients_itself(sess):
    class Rows(sf.train.Optimizer):
        def _apply_sparse(self, grad, var):
            return sf.scatter_update(var, grad.indices, 0.0)

    table = sf.Variable([[1.0], [2.0]])
    sess.run(Rows(False, "Rows").minimize(sf.reduce_sum(sf.gather(table, [1]))))
    assert sess.run(table).tolist() == [[1.0], [0.0]]


def test_without_a_rule_the_optimizer_s_class_is_named():
    class Nothing(sf.train.Optimizer):
        pass

    a = sf.Variable(1.0)
    with pytest.raises(NotImplementedError, match="Nothing needs _apply_dense"):
        Nothing(False, "Nothing").minimize(a * a)


def test_slots_wait_for_nothing_that_the_step_waits_for(sess):
    x = sf.placeholder(sf.float32, [])
    mean, a = sf.Variable(0.0, trainable=False), sf.Variable(1.0)
    with sf.control_dependencies([mean.assign(x)]):
        train = Momentum(0.5, 0.5).minimize(a * a)
    sess.run(sf.global_variables_initializer())
    sess.run(train, {x: 3.0})
    assert sess.run([a, mean]) == [0.0, 3.0]


@pytest.mark.parametrize(
    "optimizer", [descent(), Momentum(0.5, 0.5)], ids=["sgd", "slots"]
)
def test_a_step_is_built_into_the_graph_of_its_variables(optimizer):
    with sf.Graph().as_default() as graph:
        a = sf.Variable(1.0)
        loss = a * a
    train = optimizer.minimize(loss)
    assert train.graph is graph
    sess = sf.Session(graph=graph)
    sess.run(train)
    assert sess.run(a) == 0.0
    assert sf.get_default_graph().get_operations() == []


# Names


def test_updates_are_named_after_the_optimizer_and_their_variable():
    with sf.variable_scope("layer"):
        a = sf.get_variable("a", [])
    with sf.name_scope("outer"):
        train = descent(name="Mine").minimize(a * a)
        after = sf.constant(1.0, name="after")
    assert train.name == "outer/Mine"
    [update] = train.control_inputs
    assert update.name == "outer/Mine/update_layer/a/ApplyGradientDescent"
    assert after.name == "outer/after:0"
    assert descent(name="Mine").get_name() == "Mine"
    assert descent().get_name() == "GradientDescent"


def test_with_a_counter_the_group_of_updates_has_its_own_name():
    a, step = sf.Variable(1.0), sf.Variable(0, trainable=False)
    train = descent().minimize(a * a, global_step=step)
    assert (train.name, train.type) == ("GradientDescent", "AssignAdd")
    assert waits_for(train)[0].name == "GradientDescent/update"
    again = descent().minimize(a * a, global_step=step)
    assert again.name == "GradientDescent_1"
    assert sf.get_collection(sf.GraphKeys.TRAIN_OP) == [train, again]


def test_the_package_names_what_it_has():
    for name in train_package.__all__:
        assert getattr(train_package, name) is not None
    assert train_package.__all__ == sorted(train_package.__all__)
    assert sf.train.compute_gradients is sf.compute_gradients
    with pytest.raises(AttributeError, match="no attribute 'NoSuchOptimizer'"):
        _ = sf.train.NoSuchOptimizer


def test_names_are_listed_before_they_are_used():
    assert set(dir(sf.train)) == set(sf.train.__all__)
