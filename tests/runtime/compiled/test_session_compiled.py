"""Sessions of the compiled engine: failures, interrupts, threads, many plans."""

import itertools
import os
import random
import signal
import sys
import threading
import time

import numpy as np
import pytest

import similarflow as sf
from similarflow.runtime.compiled import engine, regions

from .compare import assert_same, both, in_threads, outcome, sessions


@pytest.fixture
def _quick_switches():
    """Let threads take turns far more often than usual."""
    usual = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    yield
    sys.setswitchinterval(usual)


quick_switches = pytest.mark.usefixtures("_quick_switches")


def test_the_default_engine_is_the_compiled_one():
    x = sf.constant(1.0)
    assert sf.Session().engine == "compiled"
    with pytest.raises(ValueError, match="there are 'compiled', 'simple'"):
        sf.Session(engine="fast")
    with sf.Session(engine="simple") as sess:
        assert sess.engine == "simple"
        assert x.eval() == 1.0


# Failures and interrupts


class Boom(Exception):
    """An exception of the user's."""


@sf.operation
def maybe(value, switch=None):
    """Its input; raises what `switch` holds."""
    if switch:
        raise switch.pop()
    return value


class Model:
    """Variables of several kinds, writes of them, and a fetch that fails on demand."""

    def __init__(self):
        sf.set_random_seed(5)
        self.switch = []
        self.i = sf.placeholder(sf.int32, [])
        self.x = sf.placeholder(sf.float32, [3])
        self.v = sf.Variable([1.0, 2.0, 3.0])
        self.w = sf.Variable(0)
        self.m = sf.Variable(np.eye(3, dtype=np.float32))
        noise = sf.random_normal([3])
        product = sf.matmul(self.m, sf.reshape(self.v + noise, [3, 1]))
        self.new = sf.tanh(sf.reshape(product, [3]) * self.x)
        writes = [self.v.assign(self.new), self.w.assign_add(1)]
        writes.append(self.m.assign_sub(self.m * sf.reshape(self.new, [3, 1])))
        with sf.control_dependencies(writes[:1]):
            self.after = sf.reduce_sum(self.v * 1.0)
        self.checks = {
            "kernel": sf.gather(self.new, self.i),
            "own": maybe(self.new, switch=self.switch),
            "python": sf.py_func(self.python, [self.after], sf.float32),
            "late": sf.gather(sf.reshape(self.after, [1]), self.i),
        }
        self.writes = writes
        self.all = [self.v, self.w, self.m]

    def python(self, value):
        if self.switch:
            raise self.switch.pop()
        return value

    def fetches(self, kind):
        return [self.new, *self.writes, self.checks[kind], self.after]


KINDS = ["kernel", "own", "python", "late"]
ERRORS = {
    "own": [Boom, KeyboardInterrupt, SystemExit, MemoryError, StopIteration],
    "python": [Boom, KeyboardInterrupt, SystemExit, StopIteration],
    "kernel": [None],
    "late": [None],
}


@pytest.mark.parametrize("kind", KINDS)
def test_a_failure_changes_nothing_and_the_session_runs_on(kind):
    model = Model()
    fetches = model.fetches(kind)
    simple, compiled = sessions()
    feeds = {model.x: np.float32([1, 2, 3]), model.i: np.array(0, np.int32)}
    bad = {**feeds, model.i: np.array(99, np.int32)}
    for error in ERRORS[kind] * 2:
        for failed in (True, False, False, True):
            texts = []
            for sess in (simple, compiled):
                if not failed:
                    continue
                model.switch[:] = [error("boom")] if error else []
                before = dict(sess.state)
                with pytest.raises(BaseException) as raised:  # noqa: PT011
                    sess.run(fetches, feeds if error else bad)
                texts.append((type(raised.value), str(raised.value)))
                assert before.keys() == sess.state.keys()
                assert all(before[key] is sess.state[key] for key in before)
                assert not model.switch
            assert texts[:1] == texts[1:]
            assert_same(compiled.run(fetches, feeds), simple.run(fetches, feeds))
            assert_same(compiled.run(model.all), simple.run(model.all))


class Alarm(BaseException):
    """What the signal raises."""


@pytest.fixture
def alarm():
    """A function that lets `Alarm` be raised in so many seconds."""
    if not hasattr(signal, "setitimer"):
        pytest.skip("needs signal.setitimer")

    def ring(number, frame):
        raise Alarm

    usual = signal.signal(signal.SIGALRM, ring)
    yield lambda seconds: signal.setitimer(signal.ITIMER_REAL, seconds)
    signal.setitimer(signal.ITIMER_REAL, 0)
    signal.signal(signal.SIGALRM, usual)


def interrupted(alarm, seconds, run):
    """Run until it is done or interrupted; whether it was."""
    try:
        try:
            alarm(seconds)
            run()
        finally:
            alarm(0)
    except Alarm:
        return True
    return False


@pytest.mark.parametrize("ordered", [False, True])
def test_an_interrupted_run_changes_all_or_nothing(alarm, ordered):
    rng = random.Random(0)
    vs = [sf.Variable(np.zeros(n, np.float32)) for n in (1, 3, 20_000, 5)]
    n = sf.Variable(0)
    writes = []
    for v in vs:
        with sf.control_dependencies(writes[-1:] if ordered else []):
            new = v
            for _ in range(20):
                new = (new + 1.0) - 0.5
            writes.append(v.assign(new * 1.0 - 9.0).op)
    for rows in (10_000, 30_000):  # writes into the arrays that are there
        vs.append(sf.Variable(np.zeros(rows, np.float32)))
        writes.append(sf.scatter_add(vs[-1], np.arange(rows), np.ones(rows)).op)
    noise = sf.random_uniform([], seed=1)
    step = sf.group(*writes, n.assign_add(1))
    sess = sf.Session()
    call = sess.make_callable([step, noise])
    start = time.perf_counter()
    for _ in range(20):
        call()
    usual = (time.perf_counter() - start) / 20
    done, stopped = 20, 0
    for _ in range(400):
        was = interrupted(alarm, rng.uniform(1e-6, 1.2 * usual), call)
        stopped += was
        count = int(sess.state[n.as_tensor()])
        assert count in ((done, done + 1) if was else (done + 1,))
        assert all(
            (sess.state[v.as_tensor()] == count).all() for v in vs
        )  # held by none
        done = count
    assert stopped
    call()
    assert sess.run(n) == done + 1


def test_an_interrupt_in_a_long_run_leaves_the_call_usable(alarm):
    x = sf.placeholder(sf.float32, [64, 64])
    y = x
    for _ in range(400):
        y = sf.tanh(sf.matmul(y, x) * 0.1)
    v = sf.Variable(0.0)
    fetches = [y, v.assign_add(sf.reduce_sum(y))]
    sess = sf.Session()
    call = sess.make_callable(fetches, [x])
    value = np.random.default_rng(0).normal(size=(64, 64)).astype(np.float32)
    first = call(value)
    assert sum(interrupted(alarm, 1e-3 * n, lambda: call(value)) for n in (1, 2, 0.5))
    sess.run(v.initializer)
    assert_same(call(value), first)


# Threads


@quick_switches
def test_a_call_that_only_reads_runs_in_many_threads_at_once():
    x = sf.placeholder(sf.float32, [None, 8])
    v = sf.Variable(np.linspace(-1, 1, 64, dtype=np.float32).reshape(8, 8))
    y = x
    for _ in range(6):
        y = sf.tanh(sf.matmul(y, v) + y[:, ::-1] * 0.5 - sf.reduce_sum(y, 1, True))
    fetches = [y, sf.reduce_sum(y), sf.nn.softmax(y)]
    sess = sf.Session()
    call = sess.make_callable(fetches, [x])
    simple = sf.Session(engine="simple")
    feeds = [
        np.random.default_rng(i).normal(size=(1 + i % 3, 8)).astype(np.float32)
        for i in range(8)
    ]
    wanted = [simple.run(fetches, {x: value}) for value in feeds]

    def work(i):
        kept = [call(feeds[i]) for _ in range(30)]
        return kept + [sess.run(fetches, {x: feeds[i]}) for _ in range(10)]

    for results, want in zip(in_threads(8, work), wanted, strict=True):
        for result in results:
            assert_same(result, want, ulps=64)
            assert_same(result, results[0])


@quick_switches
def test_a_call_that_writes_runs_in_many_threads():
    x = sf.placeholder(sf.float32, [4])
    v, n = sf.Variable(np.zeros(4, np.float32)), sf.Variable(0)
    step = [v.assign_add(x * 2.0 - x), n.assign_add(1), v - sf.cast(n, sf.float32)]
    sess = sf.Session()
    call = sess.make_callable(step, [x])
    one = np.ones(4, np.float32)

    def work(i):
        found = []
        for _ in range(40):
            new, count, apart = call(one)
            assert apart.tolist() == [0.0] * 4  # both from before the run
            assert new.tolist() == [float(count)] * 4
            found.append(int(count))
        return found

    counts = [*itertools.chain(*in_threads(8, work))]
    assert sorted(counts) == list(range(1, 321))


@quick_switches
def test_a_call_runs_inside_itself():
    x = sf.placeholder(sf.float32, [2])
    depth = threading.local()

    @sf.operation
    def again(value):
        depth.now = getattr(depth, "now", 0) + 1
        try:
            return call(value) if depth.now < 4 else value
        finally:
            depth.now -= 1

    y = again(x * 2.0 + 1.0) - x
    call = sf.Session().make_callable(y, [x])
    wanted = np.float32([1, 2])
    for _ in range(4):
        wanted = wanted * 2 + 1
    results = in_threads(4, lambda i: [call(np.float32([1, 2])) for _ in range(10)])
    # each call takes away what it was given: 1, 3, 7 and 15, and 2, 5, 11 and 23
    less = np.float32([1 + 3 + 7 + 15, 2 + 5 + 11 + 23])
    for result in itertools.chain(*results):
        assert result.tolist() == (wanted - less).tolist()


# What own operations see


def test_an_own_operation_gets_read_only_inputs_and_its_results_are_copied():
    seen = []
    held = np.ones(3, np.float32)

    @sf.operation
    def look(value):
        seen.append(value.flags.writeable)
        return held

    x = sf.placeholder(sf.float32, [3])
    y = look(x + 1.0)
    sess = sf.Session()
    for _ in range(3):
        result = sess.run([y, y + 1.0, sf.identity(y)], {x: np.zeros(3, np.float32)})
        result[0][...] = 5.0
    assert held.tolist() == [1.0] * 3
    assert seen == [False] * 3


def test_own_operations_see_warnings_and_errors_as_in_the_simple_engine():
    @sf.operation
    def state(value):
        return np.array([hash(str(np.geterr())) % 1000, float(value)])

    x = sf.placeholder(sf.float64, [])
    both(state(sf.log(x) / x), *[{x: n} for n in (0.0, 1.0, -1.0)])


def test_numpy_does_not_warn_and_its_settings_stay():
    x = sf.placeholder(sf.float32, [2])
    y = sf.log(x) / sf.zeros([2]) + sf.exp(x * 1000.0)
    sess = sf.Session()
    before = np.geterr()
    with np.errstate(all="raise"):
        for _ in range(3):
            sess.run(y, {x: np.float32([0, -1])})
        with pytest.raises(FloatingPointError):
            np.float32(1) / np.float32(0)
    assert np.geterr() == before


# Many plans, and graphs that grow


def test_many_fetches_of_a_session(monkeypatch):
    monkeypatch.setattr("similarflow.runtime.session.PLANS", 5)
    x = sf.placeholder(sf.float32, [])
    v = sf.Variable(1.0)
    ys = [x * float(n) + v for n in range(12)]
    sess = sf.Session()
    for _ in range(3):
        for n, y in enumerate(ys):
            assert sess.run(y, {x: 2.0}) == 2 * n + 1
            assert sess.run([y, v], {x: 3.0}) == [3 * n + 1, 1]


def test_a_graph_that_grows_between_runs():
    x = sf.placeholder(sf.float32, [])
    v = sf.Variable(2.0)
    y = sf.while_loop(lambda i, y: i < 3, lambda i, y: (i + 1, y * v), [0, x])[1]
    sess = sf.Session()
    assert sess.run(y, {x: 1.0}) == 8.0
    grad = sf.gradients(y, x)[0]
    for _ in range(3):
        assert sess.run(y, {x: 1.0}) == 8.0
        assert sess.run([y, grad], {x: 1.0}) == [8.0, 8.0]


def test_a_fetch_that_is_written_and_one_that_is_read():
    v = sf.Variable([1.0, 2.0])
    double = v.assign(v * 2.0)
    simple, compiled = sessions()
    for fetches in ([v, v + 0.0, double], [double, double.op, v], [v.op, v, v * 1.0]):
        for _ in range(3):
            assert_same(outcome(compiled, fetches), outcome(simple, fetches))


def test_training_gives_the_same():
    rng = np.random.default_rng(0)
    x, y = sf.placeholder(sf.float32, [None, 4]), sf.placeholder(sf.float32, [None, 1])
    w1, b1 = (
        sf.Variable(rng.normal(size=(4, 5)), dtype=sf.float32),
        sf.Variable([0.0] * 5),
    )
    w2 = sf.Variable(rng.normal(size=(5, 1)), dtype=sf.float32)
    loss = sf.reduce_mean(sf.square(sf.matmul(sf.tanh(sf.matmul(x, w1) + b1), w2) - y))
    steps = [
        sf.train.GradientDescentOptimizer(0.05).minimize(loss),
        sf.train.MomentumOptimizer(0.01, 0.9).minimize(loss),
        sf.train.AdamOptimizer(0.01).minimize(loss),
    ]
    simple, compiled = sessions()
    for i in range(40):
        n = [8, 8, 3][i % 3]
        feeds = {x: rng.normal(size=(n, 4)), y: rng.normal(size=(n, 1))}
        fetches = [loss, steps[i % len(steps)]]
        assert_same(compiled.run(fetches, feeds), simple.run(fetches, feeds), ulps=4096)
    held = sf.global_variables()
    assert_same(compiled.run(held), simple.run(held), ulps=4096)


def test_a_fetched_operation_runs_in_full():
    """Its result is written, though nobody gets it: explain tells the whole buffer."""
    x = sf.placeholder(sf.float32, [1 << 17], name="x")
    y = sf.tanh(x * x) + x
    found = sf.runtime.explain(y.op, {x: np.ones(1 << 17, np.float32)})
    assert found.bytes >= 4 << 17
    assert sf.Session().run(y.op, {x: np.ones(1 << 17, np.float32)}) is None


@pytest.mark.parametrize("count", [0, 1, 2, 8])
def test_the_config_says_how_many_threads_share_large_arrays(monkeypatch, count):
    monkeypatch.setattr(regions, "_cores", lambda: 4)
    used, pool = [], regions._pool(0)
    monkeypatch.setattr(regions, "_pool", lambda process: used.append(1) or pool)
    x = sf.placeholder(sf.float32, [regions.SHARED])
    config = sf.ConfigProto(intra_op_parallelism_threads=count)
    value = np.linspace(-1.0, 1.0, regions.SHARED, dtype=np.float32)
    found = sf.Session(config=config).run(sf.tanh(x * x), {x: value})
    assert np.array_equal(found, np.tanh(value * value))
    assert bool(used) == (count != 1)


def test_a_handler_may_run_the_session_that_is_running():
    v = sf.Variable(np.zeros(20_000, np.float32))
    write, read = sf.scatter_add(v, [1], [1.0]).op, v * 1.0
    sess, seen = sf.Session(), []
    sess.run(sf.global_variables_initializer())
    sess.run([read, write])
    old = signal.signal(signal.SIGALRM, lambda *_: seen.append(sess.run(read)[1]))
    signal.setitimer(signal.ITIMER_REAL, 0.002, 0.002)
    try:
        for _ in range(1500):
            sess.run(write)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, old)
    assert sess.run(v)[1] == 1501.0
    assert seen == sorted(seen)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_forked_process_has_a_second_thread_of_its_own():
    x = sf.placeholder(sf.float32, [regions.SHARED])
    y, sess = (x * 2.0 + 1.0) * x, sf.Session()
    value = np.ones(regions.SHARED, np.float32)
    sess.run(y, {x: value})
    child = os.fork()
    if not child:
        found = sess.run(y, {x: value})
        os._exit(0 if (found == 3.0).all() else 1)
    for _ in range(200):
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            break
        time.sleep(0.05)
    else:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
    assert done == child
    assert status == 0


def test_shapes_that_come_once_are_not_remembered_for_ever(monkeypatch):
    monkeypatch.setattr(engine, "REMEMBERED", 5)
    x = sf.placeholder(sf.float32, [None])
    y, sess = x * 2.0, sf.Session()
    for n in range(40):
        assert sess.run(y, {x: np.ones(n, np.float32)}).shape == (n,)
    (call,) = sess._calls.values()
    assert len(call.compiled._once) <= 5
