"""Writes of rows, in the arrays that variables have: equal to the simple engine."""

import subprocess
import sys

import numpy as np
import pytest

import similarflow as sf
from similarflow.runtime.compiled import finals

N = 20_000  # large enough for rows to be written in place


def variable():
    return sf.Variable(np.zeros(N, np.float32))


def in_order(*steps):
    """Writes of one variable, each after the one before."""
    v, last = variable(), []
    for step in steps:
        with sf.control_dependencies(last):
            last = [step(v)]
    return v, last[0]


def add(v):
    return sf.scatter_add(v, [0, 5], [1.0, 2.0])


def move(v):
    return v.assign_add(np.ones(N, np.float32))


def double(v):
    return sf.scatter_mul(v, [5, 6], [2.0, 2.0])


def runs(build, feeds=None, count=3):
    """The variable after each run, on both engines."""
    found = []
    for engine in ("simple", "compiled"):
        sf.reset_default_graph()
        v, op = build()
        sess = sf.Session(engine=engine)
        sess.run(sf.global_variables_initializer())
        values = []
        for _ in range(count):
            sess.run(op, None if feeds is None else feeds(v))
            values.append(sess.run(v))
        found.append(values)
    return found


@pytest.mark.parametrize(
    "steps",
    [(move, add), (add, move), (add, add), (add, double, add), (double, move, add)],
)
def test_several_writes_of_one_variable(steps):
    def build():
        v, last = in_order(*steps)
        return v, last.op

    simple, compiled = runs(build)
    assert np.array_equal(simple, compiled)


def test_two_optimizers_on_one_table():
    def build():
        table = sf.Variable(np.zeros((1000, 16), np.float32))
        sgd = sf.train.GradientDescentOptimizer(0.1)
        first = sgd.minimize(sf.reduce_sum(sf.gather(table, [1, 2])))
        momentum = sf.train.MomentumOptimizer(0.1, 0.9)
        second = momentum.minimize(sf.reduce_sum(sf.gather(table, [2, 5])))
        return table, [first, second]

    simple, compiled = runs(build)
    assert np.array_equal(simple, compiled)


def test_a_variable_that_is_fed_is_no_variable():
    def build():
        v = variable()
        return v, sf.scatter_add(v, [1], [5.0]).op

    def feeds(v):
        return {v: np.full(N, 7.0, np.float32)}

    simple, compiled = runs(build, feeds)
    assert np.array_equal(simple, compiled)
    assert compiled[0][:3].tolist() == [7.0, 12.0, 7.0]


@pytest.fixture
def copies(monkeypatch):
    """The addresses of variables' arrays, before and after the last phase."""
    seen = []
    make = finals.Finals.make

    def watched(self, state, changes, arrays):
        before = [x.ctypes.data for x in arrays]
        make(self, state, changes, arrays)
        seen.append(before == [state[v].ctypes.data for v in self.variables])

    monkeypatch.setattr(finals.Finals, "make", watched)
    return seen


@pytest.mark.parametrize("indices", [np.array([1, 3], np.int32), [1, 3], (1, 3)])
def test_rows_are_written_in_place_however_indices_are_fed(copies, indices):
    v, i = variable(), sf.placeholder(sf.int32, [2])
    op = sf.scatter_add(v, i, sf.random_uniform([2], seed=3)).op
    sess = sf.Session()
    sess.run(sf.global_variables_initializer())
    for _ in range(4):
        sess.run(op, {i: indices})
    assert copies[1:] == [True] * 3
    assert (sess.run(v)[[1, 3]] > 0.0).all()


def test_a_reader_s_array_is_left_alone(copies):
    v = variable()
    sess = sf.Session()
    sess.run(sf.global_variables_initializer())
    op = sf.scatter_add(v, [1], [1.0]).op
    sess.run(op)
    held = sess.state[v.as_tensor()]
    sess.run(op)
    assert copies[-1] is False
    assert held[1] == 1.0
    assert sess.run(v)[1] == 2.0


def test_the_value_that_was_read_is_the_one_that_changes():
    """A run inside the run writes the variable: what it wrote is replaced."""

    def build():
        v = variable()
        count = sf.Variable(0.0)
        other = v.assign(np.full(N, 5.0, np.float32))

        def inside(x):
            sf.get_default_session().run(other.op)
            return x

        with sf.control_dependencies([count.assign_add(1.0)]):
            waits = sf.py_func(inside, [count.read_value()], sf.float32)
        with sf.control_dependencies([waits]):
            return v, sf.scatter_add(v, [0, 9], [1.0, 2.0]).op

    found = []
    for engine in ("simple", "compiled"):
        sf.reset_default_graph()
        v, op = build()
        with sf.Session(engine=engine) as sess:
            sess.run(sf.global_variables_initializer())
            sess.run([op])
            sess.run([op])
            found.append(sess.run(v))
    assert np.array_equal(*found)


def test_optimizers_that_come_later_write_in_place_too():
    program = """
import similarflow as sf
sf.Session()
v = sf.Variable([[0.0] * 16] * 1000)
loss = sf.reduce_sum(sf.gather(v, [1, 2]))
step = sf.train.MomentumOptimizer(0.1, 0.9).minimize(loss)
print(sf.runtime.explain(step))
"""
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert "as written, on rows" in done.stdout
