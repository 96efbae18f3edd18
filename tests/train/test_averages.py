"""Moving averages of variables and tensors."""

import numpy as np
import pytest

import similarflow as sf

EMA = sf.train.ExponentialMovingAverage


@pytest.mark.parametrize(
    ("zero_debias", "want"), [(False, [0.2, 0.58]), (True, [2.0, 3.0526315789473695])]
)
def test_the_average_of_a_tensor_starts_with_zero(zero_debias, want):
    p = sf.placeholder(sf.float32, [])
    t = p * 1.0
    ema = EMA(0.9, zero_debias=zero_debias)
    update = ema.apply([t])
    sess = sf.Session()
    sess.run(sf.global_variables_initializer())
    found = []
    for value in (2.0, 4.0):
        sess.run(update, {p: value})
        found.append(float(sess.run(ema.average(t))))
    np.testing.assert_allclose(found, want, rtol=1e-5)


def test_the_average_of_a_variable_starts_with_its_initial_value():
    w = sf.Variable([1.0, 2.0], name="w")
    ema = EMA(0.5)
    update = ema.apply([w])
    average = ema.average(w)
    assert (average.op.name, average.trainable) == ("w/ExponentialMovingAverage", False)
    assert average in sf.global_variables()
    assert sf.trainable_variables() == [w]
    sess = sf.Session()
    sess.run(sf.global_variables_initializer())
    assert sess.run(average).tolist() == [1.0, 2.0]
    w.load([3.0, 2.0], sess)
    assert sess.run(update) is None
    assert sess.run(average).tolist() == [2.0, 2.0]


def test_after_a_training_step_the_new_values_are_averaged():
    w = sf.Variable(4.0)
    train = sf.train.MomentumOptimizer(0.5, 0.0).minimize(w * 2.0)
    ema = EMA(0.5)
    with sf.control_dependencies([train]):
        update = ema.apply()
    sess = sf.Session()
    sess.run(update)
    assert sess.run([w, ema.average(w)]) == [3.0, 3.5]
    sess.run(update)
    assert sess.run([w, ema.average(w)]) == [2.0, 2.75]


def test_early_averages_move_faster_when_updates_are_counted():
    count = sf.Variable(0, trainable=False)
    w = sf.Variable(0.0)
    ema = EMA(0.5, num_updates=count)
    update = ema.apply([w])
    sess = sf.Session()
    found = []
    for n in (0, 2, 100):
        count.load(n, sess)
        w.load(1.0, sess)
        sess.run(ema.average(w).initializer)
        ema.average(w).load(0.0, sess)
        sess.run(update)
        found.append(float(sess.run(ema.average(w))))
    np.testing.assert_allclose(found, [1.0 - 0.1, 1.0 - 3.0 / 12.0, 0.5], rtol=1e-6)


@pytest.mark.parametrize("decay", ["fed", "number"])
def test_decay_and_count_of_several_kinds(decay):
    fed = sf.placeholder(sf.float64, [])
    w = sf.Variable([1.0], dtype=sf.float64)
    ema = EMA(fed if decay == "fed" else 0.75, num_updates=100)
    with sf.control_dependencies([w.assign([3.0])]):
        update = ema.apply([w])
    sess = sf.Session()
    sess.run(update, {fed: 0.75})
    assert sess.run(ema.average(w)).tolist() == [1.5]


def test_averages_are_found_by_what_they_are_of():
    w, other = sf.Variable(1.0), sf.Variable(1.0)
    x = w * 2.0
    ema = EMA(0.5)
    assert ema.average(w) is None
    ema.apply([w, x])
    assert ema.average(w) is ema.average(w.value())
    assert ema.average(x).op.name == f"{x.op.name}/ExponentialMovingAverage"
    assert ema.average(other) is None
    kept = ema.average(w)
    ema.apply([w])
    assert ema.average(w) is kept


def test_names_before_and_after():
    w = sf.Variable(1.0, name="w")
    first, second = EMA(0.5), EMA(0.25)
    with sf.name_scope("inner"):
        assert first.average_name(w) == "w/ExponentialMovingAverage"
        first.apply([w])
        assert first.average_name(w) == "w/ExponentialMovingAverage"
        assert second.average_name(w) == "w/ExponentialMovingAverage_1"
        update = second.apply([w])
    assert second.average_name(w) == "w/ExponentialMovingAverage_1"
    assert update.name == "inner/ExponentialMovingAverage_1"
    assert first.name == "ExponentialMovingAverage"
    assert EMA(0.5, name="Shadow").average_name(w) == "w/Shadow"


def test_a_model_is_restored_with_its_averages():
    w, fixed = sf.Variable(1.0, name="w"), sf.Variable(1.0, trainable=False, name="f")
    count = sf.Variable(0, trainable=False, name="count")
    ema = EMA(0.5)
    ema.apply([w, fixed])
    assert sf.moving_average_variables() == [w, fixed]
    assert ema.variables_to_restore() == {
        "w/ExponentialMovingAverage": w,
        "f/ExponentialMovingAverage": fixed,
        "count": count,
    }
    only = ema.variables_to_restore([w])
    assert only == {
        "w/ExponentialMovingAverage": w,
        "f": fixed,
        "count": count,
        "f/ExponentialMovingAverage": ema.average(fixed),
    }


def test_before_anything_is_averaged_names_are_known_too():
    """A program that only evaluates makes no averages."""
    w = sf.Variable(1.0, name="w")
    assert EMA(0.5).variables_to_restore() == {"w/ExponentialMovingAverage": w}


def test_what_has_no_average():
    n = sf.Variable(1, name="n")
    with pytest.raises(TypeError, match="averages are of floats, and n:0 is int32"):
        EMA(0.5).apply([n])
    with pytest.raises(TypeError, match="not of 'w'"):
        EMA(0.5).apply(["w"])
    assert sf.global_variables() == [n]


def test_nothing_to_average_is_no_error():
    assert sf.Session().run(EMA(0.5).apply([])) is None


def test_a_tensor_of_unknown_shape():
    x = sf.placeholder(sf.float32, [None])
    y = x * 2.0
    ema = EMA(0.5, zero_debias=True)
    update = ema.apply([y])
    sess = sf.Session()
    sess.run(update, {x: [1.0, 2.0]})
    assert sess.run(ema.average(y)).tolist() == [2.0, 4.0]


def test_slots_wait_for_nothing():
    x = sf.placeholder(sf.float32, [])
    mean, w = sf.Variable(0.0, trainable=False), sf.Variable(1.0)
    with sf.control_dependencies([mean.assign(x)]):
        update = EMA(0.5).apply([w])
    sess = sf.Session()
    sess.run(sf.global_variables_initializer())
    sess.run(update, {x: 3.0})
    assert sess.run(mean) == 3.0


def test_an_update_that_fails_changes_nothing():
    x = sf.placeholder(sf.float32, [])
    w = sf.Variable(1.0)
    y = x * 2.0
    ema = EMA(0.5, zero_debias=True)
    update = ema.apply([w, y])
    sess = sf.Session()
    sess.run(sf.global_variables_initializer())
    sess.run(update, {x: 1.0})
    before = sess.run(sf.global_variables())
    with pytest.raises(sf.errors.InvalidArgumentError):
        sess.run(update)
    assert sess.run(sf.global_variables()) == before
