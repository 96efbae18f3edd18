"""Follow the regularised leader."""

import numpy as np
import pytest

import similarflow as sf


def test_small_weights_become_exactly_zero():
    w = sf.Variable(np.zeros(4))
    loss = sf.reduce_sum(sf.square(w - [2.0, -1.0, 0.01, -0.01]))
    optimizer = sf.train.FtrlOptimizer(0.5, l1_regularization_strength=2.0)
    train = optimizer.minimize(loss)
    sess = sf.Session()
    for _ in range(50):
        sess.run(train)
    value = sess.run(w)
    assert value[2:].tolist() == [0.0, 0.0]
    np.testing.assert_allclose(value[:2], [2.0, -1.0], atol=0.1)


def test_weights_without_a_gradient_are_zero_even_where_nothing_was_gathered():
    w = sf.Variable([1.0, 2.0], dtype=sf.float64)
    optimizer = sf.train.FtrlOptimizer(0.5, initial_accumulator_value=0.0)
    train = optimizer.minimize(sf.reduce_sum(w * [0.0, 1.0]))
    sess = sf.Session()
    sess.run(train)
    assert sess.run(w).tolist() == [0.0, 1.5]


def test_types_and_names():
    w = sf.Variable([1.0], name="w")
    table = sf.Variable([[1.0]], name="table")
    loss = sf.reduce_sum(w) + sf.reduce_sum(sf.gather(table, [0]))
    plain = sf.train.FtrlOptimizer(0.5)
    train = plain.minimize(loss)
    assert [op.type for op in train.control_inputs] == ["ApplyFtrl", "SparseApplyFtrl"]
    assert [v.op.name for v in plain.variables()] == [
        "w/Ftrl", "table/Ftrl", "w/Ftrl_1", "table/Ftrl_1",
    ]  # fmt: skip
    named = sf.train.FtrlOptimizer(
        0.5, accum_name="A", linear_name="L", l2_shrinkage_regularization_strength=0.5
    )
    train = named.minimize(loss)
    types = [op.type for op in train.control_inputs]
    assert types == ["ApplyFtrlV2", "SparseApplyFtrlV2"]
    assert named.get_slot(w, "accum").op.name == "w/A"
    assert named.get_slot(w, "linear").op.name == "w/L"
    assert named.get_slot_names() == ["accum", "linear"]


@pytest.mark.parametrize(
    ("argument", "value"),
    [
        ("learning_rate_power", 0.5),
        ("initial_accumulator_value", -1.0),
        ("l1_regularization_strength", -1.0),
        ("l2_regularization_strength", -1.0),
        ("l2_shrinkage_regularization_strength", -1.0),
    ],
)
def test_signs_are_checked(argument, value):
    with pytest.raises(ValueError, match=f"{argument} is -.*must not be negative"):
        sf.train.FtrlOptimizer(0.1, **{argument: value})


def test_penalties_may_be_fed():
    l1 = sf.placeholder(sf.float32, [])
    w = sf.Variable([1.0])
    optimizer = sf.train.FtrlOptimizer(0.5, l1_regularization_strength=l1)
    train = optimizer.minimize(sf.reduce_sum(w * 0.5))
    sess = sf.Session()
    sess.run(train, {l1: 100.0})
    assert sess.run(w) == [0.0]
    sess.run(train, {l1: 0.0})
    assert sess.run(w) < 0.0
