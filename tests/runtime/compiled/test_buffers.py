"""Buffers: shared only by values that are not alive at once; nobody else's is used."""

import itertools

import numpy as np
import pytest

import similarflow as sf
from similarflow.core.operators import BUILDERS
from similarflow.runtime.compiled.program import Value

from .compare import assert_same, both, in_threads, sessions
from .test_random_graphs import Builder

FOREVER = 1 << 60


def bind(fetches, feeds):
    """What the engine makes of a call with these feeds."""
    sess = sf.Session()
    call = sess.call(fetches, list(feeds))
    values = [np.asarray(v, x.static_dtype) for x, v in feeds.items()]
    sess.run(call.plan.reads)
    known = {**dict(zip(feeds, values, strict=True)), **sess.state}
    inputs = [known.get(x) for x in call.compiled.program.inputs]  # None: a run tells
    return call.compiled.take(("test",), inputs)[1]


def written_by(emit):
    if emit.kind == "late":
        return [*emit.node.outputs]
    return [v for v in (emit.out, *getattr(emit, "outs", ())) if v is not None]


def lives(bound):
    """For each value the call that makes it, and the last one that may look at it."""
    ends = dict.fromkeys((*bound.results_of, *bound.writes_of), FOREVER)
    starts = {}
    for i in reversed(range(len(bound.emits))):
        emit = bound.emits[i]
        outs = written_by(emit)
        starts |= dict.fromkeys(outs, i)
        views = emit.kind in ("alias", "late")  # what they give may be a view
        until = max([i, *[ends.get(v, i) for v in outs]]) if views else i
        for x in emit.args:
            if isinstance(x, Value) and x not in outs:
                ends[x] = max(ends.get(x, 0), until)
    return starts, ends


def memory(array):
    while isinstance(array.base, np.ndarray):
        array = array.base
    return id(array)


def check_buffers(bound):
    """No two values that are alive at once have one buffer; gives how many share."""
    starts, ends = lives(bound)
    aliases = {e.out for e in bound.emits if e.kind == "alias"}
    owners = {}
    for value, array in bound.arrays.items():
        if value not in aliases and array.size:
            owners.setdefault(memory(array), []).append(value)
    shared = 0
    for values in owners.values():
        values.sort(key=lambda v: starts[v])
        for a, b in itertools.pairwise(values):
            shared += 1
            end, emit = ends.get(a, starts[a]), bound.emits[starts[b]]
            if end == starts[b]:  # it is written over what it reads
                assert emit.inplace
                assert a in emit.args[:-1]
                assert a.spec == b.spec
            else:
                assert end < starts[b], (a, b)
    return shared


@pytest.fixture(autouse=True)
def _values_of_ends(monkeypatch):
    """Let a binding tell which values its results and writes are."""
    from similarflow.runtime.compiled.bound import Bound

    ends = Bound._ends

    def noted(self, values):
        name = "writes_of" if hasattr(self, "results_of") else "results_of"
        setattr(self, name, [v for v in values if v is not None])
        return ends(self, values)

    monkeypatch.setattr(Bound, "_ends", noted)


def test_no_buffer_is_shared_by_values_that_live_at_once():
    shared = 0
    for seed in range(2000, 2060):
        sf.reset_default_graph()
        b = Builder(seed)
        for fetches in (
            [t for t, _ in b.tensors],
            [t for t, _ in b.tensors[-3:]],
            b.effects,
        ):
            shared += check_buffers(bind(fetches, b.feed()))
    assert shared > 100


def test_gradients_share_buffers_safely():
    x = sf.placeholder(sf.float32, [8, 8])
    w = [sf.Variable(np.eye(8, dtype=np.float32)) for _ in range(5)]
    y = x
    for v in w:
        y = sf.nn.relu(sf.matmul(y, v) + sf.tanh(y)) * 0.5
    loss = sf.reduce_mean(sf.square(y - sf.transpose(y)))
    grads = sf.gradients(loss, w)
    steps = [v.assign_sub(g * 0.1) for v, g in zip(w, grads, strict=True)]
    for fetches in ([loss], grads, [loss, *steps], [*steps, y]):
        assert check_buffers(bind(fetches, {x: np.ones((8, 8))})) > 0


def test_a_chain_needs_two_buffers():
    x = sf.placeholder(sf.float32, [1000])
    y = x
    for i in range(1000):
        y = [sf.tanh, sf.sin, sf.negative][i % 3](y)
    bound = bind([sf.reduce_sum(y)], {x: np.ones(1000)})
    assert len(bound.emits) >= 1000
    assert bound.arena.size <= 2 * 4000 + 64
    check_buffers(bound)


def test_a_chain_of_products_and_one_with_several_readers_need_few_buffers():
    x = sf.placeholder(sf.float32, [16, 16])
    y, z = x, x
    for _ in range(200):
        y = sf.matmul(y, x)
        z = sf.tanh(z) * sf.sigmoid(z) + sf.transpose(z)
    for fetch in (y, z):
        bound = bind([sf.reduce_sum(fetch)], {x: np.eye(16)})
        assert bound.arena.size <= 8 * 16 * 16 * 4
        check_buffers(bound)


def test_what_is_needed_at_the_end_keeps_its_buffer():
    x = sf.placeholder(sf.float32, [10])
    first = sf.tanh(x)
    view = sf.reshape(first, [2, 5])
    y = first
    for _ in range(50):
        y = sf.sin(y) + 1.0
    both([view, y], {x: np.arange(10)}, {x: np.ones(10)})
    both([y + first, sf.reduce_sum(view)], {x: np.arange(10)}, {x: np.ones(10)})
    check_buffers(bind([view, y], {x: np.ones(10)}))


def test_views_of_views_keep_what_they_look_at():
    x = sf.placeholder(sf.float32, [2, 3])
    a = x * 2.0
    v = sf.expand_dims(sf.transpose(sf.reshape(a, [3, 2])), 0)
    part = sf.split(sf.squeeze(v), 2)[1]
    others = [sf.tanh(x + float(i)) * 3.0 for i in range(6)]
    y = sf.reduce_sum(sf.add_n(others)) + part
    feeds = [{x: np.arange(6).reshape(2, 3)}, {x: np.ones((2, 3))}]
    both([y], *feeds)
    both([part, y, v], *feeds)
    check_buffers(bind([y], feeds[0]))


def test_runs_at_once_have_buffers_of_their_own():
    x = sf.placeholder(sf.float32, [4])
    sess = sf.Session()
    call = sess.call([x * 2.0 + 1.0], [x])
    taken = [
        call.compiled.take(("test",), [np.ones(4, np.float32)])[1] for _ in range(3)
    ]
    arrays = [a for bound in taken for a in bound.arrays.values()]
    for i, a in enumerate(arrays):
        assert not any(np.shares_memory(a, b) for b in arrays[:i])


# Variables whose old values are written over: large ones

COUNT = 20_000


@pytest.fixture(params=["assign_add", "assign", "descent", "two", "rows"])
def large(request):
    """A variable, a step that adds to it, and what is fed for that."""
    x = sf.placeholder(sf.float32, [COUNT])
    v = sf.Variable(np.zeros(COUNT, np.float32))
    steps = {
        "assign_add": lambda: v.assign_add(x),
        "assign": lambda: v.assign(v * 1.0 + x),
        "descent": lambda: BUILDERS["apply_gradient_descent"](v, -1.0, x * 1.0),
        "two": lambda: v.assign_sub(sf.reshape(sf.reshape(x, [2, -1]) * -1.0, [-1])),
    }
    steps["rows"] = lambda: sf.scatter_add(v, np.arange(COUNT), x)
    return v, steps[request.param](), x


def test_results_outlive_later_steps(large):
    v, step, x = large
    sess = sf.Session()
    one = np.ones(COUNT, np.float32)
    kept, held = [], []
    for i in range(1, 9):
        result, after = sess.run([step, v], {x: one})
        kept += [(result, i), (after, i), (sess.run(v), i), (sess.run(v * 1.0), i)]
        if i % 3 == 0:
            held.append((sess.state[v.as_tensor()], i))
        sess.run(step.op, {x: one * 0})
    for value, number in (*kept, *held):
        assert (value == number).all()
    assert (one == 1).all()


def test_a_view_of_an_old_value_keeps_it(large):
    v, step, x = large
    seen = []

    def look(value):
        seen.append(value[::2])
        return np.float32(0)

    sess = sf.Session()
    for i in range(8):
        sess.run([sf.py_func(look, [v], sf.float32)] if i % 2 else v.op)
        sess.run(step.op, {x: np.ones(COUNT, np.float32)})
    for n, value in enumerate(seen):
        assert (value == 2 * n + 1).all()


def test_steps_that_fail_leave_the_value_whole(large):
    v, step, x = large
    i = sf.placeholder(sf.int32, [])
    fetches = [step.op, sf.gather(step, i)]
    sess = sf.Session()
    one = np.ones(COUNT, np.float32)
    count = 0
    for index in (0, 5, COUNT, 1, COUNT + 1, COUNT, 2, 0, COUNT, 3):
        try:
            sess.run(fetches, {x: one, i: index})
            count += 1
        except sf.errors.InvalidArgumentError:
            assert index >= COUNT
        assert (sess.run(v) == count).all()
        assert (sess.state[v.as_tensor()] == count).all()


def test_several_large_variables_and_what_is_fed_and_loaded(large):
    v, step, x = large
    w = sf.Variable(np.zeros(COUNT, np.float32))
    swap = sf.group(v.assign(w), w.assign(v))
    both_up = sf.group(step, w.assign_add(x * 2.0))
    simple, compiled = sessions()
    feed = np.arange(COUNT, dtype=np.float32)
    for i in range(12):
        for sess in (simple, compiled):
            sess.run(both_up, {x: feed})
            if i % 3 == 1:
                sess.run(swap)
            if i % 5 == 4:
                v.load(feed, sess)
        assert_same(compiled.run([v, w]), simple.run([v, w]))
    assert (feed == np.arange(COUNT)).all()


def test_readers_see_whole_values_while_others_write(large):
    v, step, x = large
    total = sf.stack([sf.reduce_min(v), sf.reduce_max(v)])
    whole = v * 1.0
    sess = sf.Session()
    one = np.ones(COUNT, np.float32)
    sess.run(v)

    def work(i):
        found = []
        for _ in range(60):
            if i == 0:
                sess.run(step.op, {x: one})
            elif i == 1:
                low, high = sess.run(total)
                assert low == high
            else:
                value = sess.run(v if i == 2 else whole)
                found.append(value)
        return [(value[0], value) for value in found]

    for found in in_threads(4, work):
        for number, value in found:
            assert (value == number).all()
    assert (sess.run(v) == 60).all()


def test_a_write_takes_a_value_of_its_own():
    x = sf.placeholder(sf.float32, [2, 3])
    v, w = (sf.Variable(np.zeros((3, 2), np.float32)) for _ in range(2))
    a = x * 2.0
    values = [sf.reshape(x, [3, 2]), sf.transpose(x), sf.reshape(a, [3, 2])]
    others = [v * 1.0, w, sf.identity(v), sf.constant(np.ones((3, 2), np.float32))]
    simple, compiled = sessions()
    for value in [*values, *others]:
        step = sf.group(v.assign(value), w.assign(sf.identity(value)))
        for i in range(3):
            for sess in (simple, compiled):
                feed = np.full((2, 3), i + 1, np.float32)
                sess.run(step, {x: feed})
                feed[...] = 77.0
                sess.run(a, {x: feed})
            assert_same(compiled.run([v, w]), simple.run([v, w]))
            first, second = (compiled.state[y.as_tensor()] for y in (v, w))
            assert not np.shares_memory(first, second)
