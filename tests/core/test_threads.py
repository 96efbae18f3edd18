"""Each thread has default graphs and sessions of its own."""

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

import similarflow as sf
from similarflow.core.stacks import DefaultStack


def in_another_thread(function):
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(function).result()


def test_a_thread_starts_with_a_graph_of_its_own():
    mine = sf.get_default_graph()
    theirs, again = in_another_thread(
        lambda: (sf.get_default_graph(), sf.constant(1.0).graph)
    )
    assert theirs is again
    assert theirs is not mine


def test_a_graph_that_one_thread_entered_is_not_another_s_default():
    with sf.Graph().as_default() as g:
        assert in_another_thread(sf.get_default_graph) is not g
        assert sf.get_default_graph() is g


def test_a_thread_can_enter_a_graph_that_it_was_given():
    g = sf.get_default_graph()

    def build():
        with g.as_default():
            return sf.constant(1.0)

    assert in_another_thread(build).graph is g


def test_one_graph_may_be_entered_by_several_threads():
    g = sf.Graph()
    barrier = threading.Barrier(4)

    def enter_and_leave():
        outer = sf.get_default_graph()
        barrier.wait()
        for _ in range(50):
            with g:
                if sf.get_default_graph() is not g:
                    return False
            if sf.get_default_graph() is not outer:
                return False
        return True

    with ThreadPoolExecutor(4) as pool:
        results = [pool.submit(enter_and_leave) for _ in range(4)]
        assert all(r.result() for r in results)


def test_resetting_is_for_one_thread():
    mine = sf.get_default_graph()
    in_another_thread(sf.reset_default_graph)
    assert sf.get_default_graph() is mine


def test_a_default_session_is_for_one_thread():
    x = sf.constant(2.0)
    with sf.Session() as sess:
        assert x.eval() == 2.0
        assert in_another_thread(sf.get_default_session) is None
        with pytest.raises(ValueError, match="no session to eval in"):
            in_another_thread(x.eval)
        assert in_another_thread(lambda: x.eval(session=sess)) == 2.0


def test_threads_that_build_apart_run_apart():
    def train(target):
        with sf.Graph().as_default(), sf.Session() as sess:
            w = sf.Variable(0.0)
            loss = sf.square(w - target)
            step = sf.train.GradientDescentOptimizer(0.25).minimize(loss)
            for _ in range(40):
                sess.run(step)
            return sess.run(w), [op.name for op in sess.graph.operations][:2]

    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(train, [1.0, 2.0, 3.0, 4.0]))
    assert [w for w, _ in found] == [1.0, 2.0, 3.0, 4.0]
    assert all(names == ["sub", "Square"] for _, names in found)


def test_one_thread_s_run_is_not_another_s():
    """While one thread runs a graph, another may build gradients in it."""
    started, done = threading.Event(), threading.Event()

    @sf.operation
    def waits(x):
        started.set()
        assert done.wait(20)
        return x

    x = sf.constant(3.0)
    y, z = waits(x), x * x
    sess = sf.Session()
    with ThreadPoolExecutor(1) as pool:
        result = pool.submit(sess.run, y)
        assert started.wait(20)
        grad = sf.gradients(z, x)[0]
        done.set()
        assert result.result() == 3.0
    assert sess.run(grad) == 6.0


# ---- the stack itself


def test_the_innermost_counts():
    stack = DefaultStack()
    assert stack.top() is None
    with stack.entered("a"), stack.entered("b") as inner:
        assert inner == stack.top() == "b"
    assert stack.top() is None


def test_what_is_left_out_of_order_is_found():
    stack = DefaultStack()
    a, b = object(), object()
    stack.items += [a, b, a, b]
    stack.leave(a)
    assert stack.items == [a, b, b]
    stack.leave(object())
    assert stack.items == [a, b, b]
