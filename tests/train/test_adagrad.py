"""Adagrad, its proximal form, and dual averaging."""

import numpy as np
import pytest

import similarflow as sf


def test_the_first_steps_by_hand():
    w = sf.Variable([1.0, 1.0], dtype=sf.float64, name="w")
    optimizer = sf.train.AdagradOptimizer(0.5, initial_accumulator_value=0.25)
    train = optimizer.minimize(sf.reduce_sum(w * [2.0, 0.0]))
    sess = sf.Session()
    slot = optimizer.get_slot(w, "accumulator")
    assert sess.run(slot).tolist() == [0.25, 0.25]
    sess.run(train)
    assert sess.run(slot).tolist() == [4.25, 0.25]
    np.testing.assert_allclose(sess.run(w), [1.0 - 0.5 * 2.0 / np.sqrt(4.25), 1.0])
    assert (optimizer.get_slot_names(), slot.op.name) == (["accumulator"], "w/Adagrad")


def test_the_first_value_keeps_its_digits():
    w = sf.Variable(np.zeros(3))
    optimizer = sf.train.AdagradOptimizer(0.5)
    optimizer.minimize(sf.reduce_sum(w))
    slot = optimizer.get_slot(w, "accumulator")
    assert sf.Session().run(slot).tolist() == [0.1] * 3


@pytest.mark.parametrize("value", [0.0, -1.0])
def test_the_first_value_must_be_positive(value):
    for make in (
        lambda: sf.train.AdagradOptimizer(0.1, value),
        lambda: sf.train.ProximalAdagradOptimizer(0.1, value),
        lambda: sf.train.AdagradDAOptimizer(0.1, None, value),
    ):
        with pytest.raises(ValueError, match=f"accumulator_value is {value}, and must"):
            make()


def test_rows_are_slowed_down_each_by_its_own_gradients():
    table = sf.Variable(np.zeros([3, 1]))
    optimizer = sf.train.AdagradOptimizer(1.0, 1.0)
    train = optimizer.minimize(sf.reduce_sum(sf.gather(table, [2, 0, 2])))
    sess = sf.Session()
    sess.run(train)
    slot = optimizer.get_slot(table, "accumulator")
    assert sess.run(slot).ravel().tolist() == [2.0, 1.0, 5.0]  # 2 squared, not 1 + 1
    want = [-1.0 / np.sqrt(2.0), 0.0, -2.0 / np.sqrt(5.0)]
    np.testing.assert_allclose(sess.run(table).ravel(), want)


def test_the_proximal_form_without_penalties_is_adagrad():
    start, found = np.array([1.0, -2.0, 0.25]), []
    for make in (sf.train.ProximalAdagradOptimizer, sf.train.AdagradOptimizer):
        w = sf.Variable(start)
        train = make(0.5).minimize(sf.reduce_sum(w**2))
        sess = sf.Session()
        sess.run(sf.global_variables_initializer())
        for _ in range(10):
            sess.run(train)
        found.append(sess.run(w))
    np.testing.assert_allclose(*found, rtol=1e-12)


def test_dual_averaging_forgets_where_it_started():
    step = sf.train.get_or_create_global_step()
    w = sf.Variable([5.0, 5.0], name="w")
    optimizer = sf.train.AdagradDAOptimizer(0.5, step)
    train = optimizer.minimize(sf.reduce_sum(w * [1.0, 0.0]), step)
    sess = sf.Session()
    sess.run(train)
    assert sess.run(w).tolist() == [np.float32(-0.5 / np.sqrt(np.float32(1.1))), 0.0]
    assert optimizer.get_slot_names() == [
        "gradient_accumulator", "gradient_squared_accumulator",
    ]  # fmt: skip
    assert [v.op.name for v in optimizer.variables()] == [
        "w/AdagradDA",
        "w/AdagradDA_1",
    ]
    assert sess.run(step) == 1
