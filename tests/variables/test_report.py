"""Asking which variables have a value."""

import numpy as np
import pytest

import similarflow as sf
from similarflow.ops.cond import cond
from similarflow.variables.report import (
    is_variable_initialized,
    report_uninitialized_variables,
)


def names(value):
    assert value.dtype == object
    return [name.decode() for name in value]


def test_asking_starts_nothing():
    v, w = sf.Variable(1.0, name="v"), sf.Variable(2.0, name="w")
    missing, there = report_uninitialized_variables(), is_variable_initialized(v)
    assert missing.name == "report_uninitialized_variables:0"
    assert (missing.dtype, missing.shape.as_list()) == (sf.string, [None])
    assert (there.op.type, there.dtype) == ("IsVariableInitialized", sf.bool)
    with sf.Session() as sess:
        for _ in range(2):
            assert names(sess.run(missing)) == ["v", "w"]
            assert not sess.run(there)
        assert sess.run(v) == 1.0
        assert names(sess.run(missing)) == ["w"]
        assert sess.run(there)
        sess.run(w.initializer)
        assert names(sess.run(missing)) == []
    with sf.Session() as sess:
        assert names(sess.run(missing)) == ["v", "w"]


def test_local_variables_and_a_list_of_ones_own():
    v = sf.Variable(1.0, name="v")
    sf.get_local_variable("local", [], initializer=sf.zeros_initializer())
    with sf.Session() as sess:
        assert names(sess.run(report_uninitialized_variables())) == ["v", "local"]
        assert names(sess.run(report_uninitialized_variables([v]))) == ["v"]
        assert names(sess.run(report_uninitialized_variables([]))) == []


def test_initialising_what_is_missing():
    v, w = sf.Variable(1.0, name="v"), sf.Variable(2.0, name="w")
    missing = report_uninitialized_variables()
    with sf.Session() as sess:
        sess.run(v.initializer)
        sess.run(v.assign(5.0))
        wanted = set(names(sess.run(missing)))
        todo = [x for x in (v, w) if x.op.name in wanted]
        sess.run(sf.variables_initializer(todo))
        assert sess.run([v, w]) == [5.0, 2.0]


def test_asking_inside_a_branch_is_of_the_time_before_the_run():
    w = sf.Variable(1.0)
    asked = cond(sf.constant(True), lambda: is_variable_initialized(w), lambda: True)
    with sf.Session() as sess:
        _, there = sess.run([w.initializer, asked])
        assert not there
        assert sess.run(asked)
        assert isinstance(sess.run(asked), np.bool_)


def test_variables_are_asserted_to_have_a_value() -> None:
    assert sf.assert_variables_initialized() is None
    v, w = sf.Variable(1.0, name="v"), sf.Variable(2.0, name="w")
    check, one = sf.assert_variables_initialized(), sf.assert_variables_initialized([v])
    sess = sf.Session()
    with pytest.raises(sf.errors.FailedPreconditionError, match="uninitialized: v, w"):
        sess.run(check)
    sess.run(v.initializer)
    assert sess.run(one) is None
    with pytest.raises(sf.errors.FailedPreconditionError, match="uninitialized: w"):
        sess.run(check)
    sess.run(sf.global_variables_initializer())
    assert sess.run([check, w]) == [None, 2.0]
