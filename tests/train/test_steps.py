"""The global step."""

import numpy as np
import pytest

import similarflow as sf


def test_a_global_step_counts_from_zero_and_is_not_trained():
    step = sf.train.create_global_step()
    assert (step.name, step.dtype, step.trainable) == ("global_step:0", sf.int64, False)
    assert step.shape.as_list() == []
    assert sf.Session().run(step) == 0
    assert sf.global_variables() == [step]
    assert sf.trainable_variables() == []
    assert sf.get_collection(sf.GraphKeys.GLOBAL_STEP) == [step]


def test_it_is_found_and_made_once():
    assert sf.train.get_global_step() is None
    step = sf.train.get_or_create_global_step()
    assert sf.train.get_or_create_global_step() is step
    assert sf.train.get_global_step() is step
    with pytest.raises(ValueError, match=r"exists; sf\.train\.get_global_step"):
        sf.train.create_global_step()


def test_it_may_be_that_of_another_graph():
    graph = sf.Graph()
    step = sf.train.get_or_create_global_step(graph)
    assert step.graph is graph
    assert sf.train.get_global_step(graph) is step
    assert sf.train.get_global_step() is None
    assert sf.train.create_global_step().graph is sf.get_default_graph()
    with pytest.raises(ValueError, match="already exists"):
        sf.train.create_global_step(graph)


def test_name_scopes_have_no_say():
    with sf.name_scope("s"), sf.control_dependencies([sf.no_op()]):
        step = sf.train.create_global_step()
    assert step.op.name == "global_step"
    assert step.op.control_inputs == ()


def test_one_of_the_user_s_is_found_by_its_collection():
    step = sf.Variable(3, name="mine", trainable=False)
    sf.add_to_collection(sf.GraphKeys.GLOBAL_STEP, step)
    assert sf.train.get_or_create_global_step() is step
    sf.add_to_collection(sf.GraphKeys.GLOBAL_STEP, sf.Variable(0, trainable=False))
    with pytest.raises(TypeError, match="2 global steps"):
        sf.train.get_global_step()


def test_one_of_the_user_s_is_found_by_its_name():
    step = sf.Variable(0, name="global_step", trainable=False)
    found = sf.train.get_global_step()
    assert found is not None
    assert sf.convert_to_tensor(found) is step.value()
    train = sf.train.GradientDescentOptimizer(0.1).minimize(
        sf.square(sf.Variable(1.0)), sf.train.get_or_create_global_step()
    )
    sess = sf.Session()
    sess.run(train)
    assert sess.run(step) == 1


def test_the_steps_of_a_session_are_a_python_int():
    step = sf.train.create_global_step()
    w = sf.Variable(1.0)
    train = sf.train.GradientDescentOptimizer(0.1).minimize(w * w, step)
    first, second = sf.Session(), sf.Session()
    first.run(sf.global_variables_initializer())
    second.run(sf.global_variables_initializer())
    assert [first.run(train) for _ in range(3)] == [None] * 3
    counts = [sf.train.global_step(s, step) for s in (first, second)]
    assert counts == [3, 0]
    assert type(counts[0]) is int
    step.load(np.int64(2**40), first)
    assert sf.train.global_step(first, step) == 2**40
