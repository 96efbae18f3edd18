"""One session in many threads."""

import itertools
import sys
import threading

import numpy as np
import pytest

import similarflow as sf

PATIENCE = 60  # seconds after which a thread counts as stuck


@pytest.fixture(autouse=True)
def _quick_switches():
    """Let threads take turns far more often than usual."""
    usual = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    yield
    sys.setswitchinterval(usual)


def in_threads(count, work):
    """``work(i)`` in so many threads at once; what they return, in order."""
    results, errors = [None] * count, []
    start = threading.Barrier(count)

    def run(i):
        try:
            start.wait(PATIENCE)
            results[i] = work(i)
        except BaseException as error:
            errors.append(error)

    threads = [
        threading.Thread(target=run, args=(i,), daemon=True) for i in range(count)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(PATIENCE)
    assert not any(thread.is_alive() for thread in threads), "a thread is stuck"
    if errors:
        raise errors[0]
    return results


def test_additions_from_many_threads_add_up():
    v = sf.Variable(0.0)
    one = v.assign_add(1.0)
    sess = sf.Session()
    results = in_threads(64, lambda i: [float(sess.run(one)) for _ in range(20)])
    assert sess.run(v) == 64 * 20
    assert sorted(itertools.chain(*results)) == list(range(1, 64 * 20 + 1))


def test_steps_from_many_threads_are_all_taken():
    v = sf.Variable(np.float64(0.0))
    step = sf.Variable(0, trainable=False)
    optimizer = sf.train.GradientDescentOptimizer(0.5)
    train = optimizer.minimize(v * -2.0, global_step=step)
    sess = sf.Session()
    in_threads(16, lambda i: [sess.run(train) for _ in range(20)])
    assert sess.run([v, step]) == [320.0, 320]


def test_reads_see_what_one_run_committed():
    a, b = sf.Variable(0.0), sf.Variable(0.0)
    both = sf.group(a.assign_add(1.0), b.assign_add(1.0))
    apart = a - b
    sess = sf.Session()
    sess.run([a, b])
    done = threading.Event()

    def work(i):
        if i == 0:
            for _ in range(300):
                sess.run(both)
            done.set()
            return []
        seen = []
        while not done.is_set():
            seen += [sess.run(apart), float(np.subtract(*sess.run([a, b])))]
        return seen

    results = in_threads(5, work)
    assert all(difference == 0.0 for seen in results for difference in seen)
    assert sum(map(len, results)) > 0
    assert sess.run([a, b]) == [300.0, 300.0]


def test_a_variable_started_by_many_threads_has_one_value():
    for _ in range(20):
        v = sf.Variable(sf.random_normal([], seed=None))
        w = sf.Variable(v * 2.0)
        sess = sf.Session()
        results = in_threads(
            16, lambda i, s=sess, v=v, w=w: s.run([v, w][:: (-1) ** i])
        )
        values = {tuple(r[:: (-1) ** i]) for i, r in enumerate(results)}
        assert len(values) == 1
        assert values == {tuple(sess.run([v, w]))}
        [(first, second)] = values
        assert second == first * 2


def test_a_variable_whose_start_failed_beside_others_has_one_value_all_the_same():
    v = sf.Variable(sf.random_normal([]))
    started, failed, others = (threading.Event() for _ in range(3))

    @sf.operation
    def fail(value):
        assert started.wait(PATIENCE)
        raise ZeroDivisionError

    @sf.operation
    def hold(value):
        started.set()
        assert others.wait(PATIENCE)
        return value

    fetches = [[v, fail(v)], [v, hold(v)]]
    sess = sf.Session()

    def work(i):
        if i == 0:
            with pytest.raises(ZeroDivisionError):
                sess.run(fetches[0])
            failed.set()
            return None
        if i == 1:
            return float(sess.run(fetches[1])[0])
        assert failed.wait(PATIENCE)
        value = float(sess.run(v))
        others.set()
        return value

    _, held, value = in_threads(3, work)
    assert held == value == sess.run(v)


def test_an_initializer_and_readers_agree_on_one_value():
    for _ in range(20):
        v = sf.Variable(sf.random_normal([]))
        sess = sf.Session()
        init = v.initializer
        in_threads(8, lambda i, s=sess, v=v, init=init: s.run([v, init][i % 2]))
        assert sess.run(v) == sess.run(v)


@sf.operation
def passed(value):
    return value


@pytest.mark.parametrize("wrap", [sf.identity, passed])
def test_each_draw_of_many_threads_is_another_one(wrap):
    x = wrap(sf.random_normal([], seed=1))
    sess, alone = sf.Session(), sf.Session()
    results = in_threads(16, lambda i: [float(sess.run(x)) for _ in range(50)])
    got = sorted(itertools.chain(*results))
    assert got == sorted(float(alone.run(x)) for _ in range(16 * 50))


def test_numbers_that_a_failed_run_drew_are_not_drawn_twice_by_others():
    x = sf.random_normal([], seed=1)
    drawn, others = threading.Event(), threading.Event()

    @sf.operation
    def fail(value):
        drawn.set()
        assert others.wait(PATIENCE)
        raise ZeroDivisionError

    bad = fail(x)
    sess = sf.Session()

    def work(i):
        if i == 0:
            with pytest.raises(ZeroDivisionError):
                sess.run(bad)
            return None
        assert drawn.wait(PATIENCE)
        value = float(sess.run(x))
        others.set()
        return value

    _, value = in_threads(2, work)
    assert len({value, *(float(sess.run(x)) for _ in range(5))}) == 6


def test_many_plans_are_made_at_once(monkeypatch):
    monkeypatch.setattr("similarflow.runtime.session.PLANS", 5)
    x = sf.constant(1.0)
    ys = [x + float(n) for n in range(40)]
    sess = sf.Session()

    def work(i):
        return all(
            sess.run(ys[(7 * i + j) % 40]) == 1.0 + (7 * i + j) % 40 for j in range(200)
        )

    assert all(in_threads(8, work))


def test_threads_have_default_graphs_and_sessions_of_their_own():
    with sf.Session() as sess:
        found = in_threads(
            4, lambda i: (sf.get_default_session(), sf.get_default_graph())
        )
        assert {session for session, _ in found} == {None}
        assert sess.graph not in {graph for _, graph in found}
        assert len({graph for _, graph in found}) == 4


def test_with_blocks_of_one_session_in_many_threads():
    sess = sf.Session()
    x = sf.constant(1.0)

    def work(i):
        for _ in range(50):
            with sess:
                assert sf.get_default_session() is sess
                assert sf.get_default_graph() is sess.graph
                assert x.eval() == 1.0
            assert sf.get_default_session() is None
        return True

    assert all(in_threads(8, work))


# Own operations that wait for other threads


def waiting(run):
    """An own operation that lets another thread ``run()`` and waits for it."""

    @sf.operation
    def wait(value):
        [result] = in_threads(1, lambda i: run())
        return value + np.float32(result)

    return wait


def test_an_own_operation_may_wait_for_a_read_of_its_session():
    v, w = sf.Variable(1.0), sf.Variable(5.0)
    sess = sf.Session()
    wait = waiting(lambda: sess.run(v))
    assert sess.run(w.assign(wait(w))) == 6.0


def test_an_own_operation_may_wait_for_a_write_of_its_session():
    v, w = sf.Variable(1.0), sf.Variable(5.0)
    add = v.assign_add(1.0)
    sess = sf.Session()
    wait = waiting(lambda: sess.run(add))
    assert sess.run([w.assign(wait(w)), wait(0.0)]) == [7.0, 3.0]
    assert sess.run(v) == 3.0


def test_while_an_own_operation_waits_others_go_on():
    gate, inside = threading.Event(), threading.Event()

    @sf.operation
    def hold(value):
        inside.set()
        assert gate.wait(PATIENCE)
        return value

    v = sf.Variable(1.0)
    slow, add = v.assign(hold(sf.constant(10.0))), v.assign_add(1.0)
    sess = sf.Session()

    def work(i):
        if i == 0:
            return float(sess.run(slow))
        assert inside.wait(PATIENCE)
        result = float(sess.run(add))
        gate.set()
        return result

    assert in_threads(2, work) == [10.0, 2.0]
    assert sess.run(v) == 10.0


def test_a_value_loaded_while_a_run_writes_is_not_lost():
    v = sf.Variable(0.0)
    sess = sf.Session()
    sess.run(v)
    loaded = threading.Event()

    def load():
        v.load(100.0, sess)
        loaded.set()

    thread = threading.Thread(target=load, daemon=True)

    @sf.operation
    def start_loading(value):
        thread.start()
        loaded.wait(0.2)
        return value

    with sf.control_dependencies([v.assign_add(1.0)]):
        y = start_loading(0.0)
    sess.run(y)
    thread.join(PATIENCE)
    assert sess.run(v) == 100.0
