"""Passes: what each removes, what it must leave, and that results stay the same."""

import itertools

import numpy as np
import pytest

import similarflow as sf
from similarflow.runtime.compiled import passes
from similarflow.runtime.compiled.passes import fold, improve, merge, prune, simplify
from similarflow.runtime.compiled.program import program_of, specialised

from .compare import assert_same, both, outcome, sessions
from .test_random_graphs import Builder

NAMES = list(dict.fromkeys(p.__name__ for p in passes.PASSES))


def program_for(fetches, fed=(), specs=None):
    """The program of a run, not yet improved; for inputs of these specs, if given."""
    fetches = fetches if isinstance(fetches, list) else [fetches]
    found = [f.as_tensor() if hasattr(f, "as_tensor") else f for f in fetches]
    plan = sf.Session().plan(found, dict.fromkeys(fed))
    program = program_of(plan, [*fed], found)
    return program if specs is None else specialised(program, specs)


def left(rewrites, fetches, fed=()):
    """The types of operations that passes leave."""
    program = improve(program_for(fetches, fed), list(rewrites))
    return [node.type for node in program.nodes]


@pytest.fixture
def x():
    return sf.placeholder(sf.float32, [2, 3], "x")


# simplify

NOTHING = {
    "identity": lambda x: sf.identity(x),
    "stop_gradient": lambda x: sf.stop_gradient(x),
    "times one": lambda x: x * 1.0,
    "one times": lambda x: 1.0 * x,
    "by one": lambda x: x / 1.0,
    "minus zero": lambda x: x - 0.0,
    "cast": lambda x: sf.cast(x, sf.float32),
    "reshape": lambda x: sf.reshape(x, [2, 3]),
    "of one": lambda x: sf.add_n([x]),
    "times ones": lambda x: x * np.ones((), np.float32),
    "several": lambda x: sf.identity(sf.stop_gradient(sf.identity(x) * 1.0) - 0.0),
}
SOMETHING = {
    "plus zero": lambda x: x + 0.0,
    "zero plus": lambda x: 0.0 + x,
    "minus -0.0": lambda x: x - (-0.0),
    "zero minus": lambda x: 0.0 - x,
    "times zero": lambda x: x * 0.0,
    "times minus one": lambda x: x * -1.0,
    "by minus one": lambda x: x / -1.0,
    "one by": lambda x: 1.0 / x,
    "nearly one": lambda x: x * np.nextafter(np.float32(1), np.float32(2)),
    "other dtype": lambda x: sf.cast(x, sf.float64),
    "other shape": lambda x: sf.reshape(x, [3, 2]),
    "broadcast": lambda x: x * np.ones((4, 1, 1), np.float32),
    "ones and another": lambda x: x * np.float32([1, 1, 2]),
    "sum of two": lambda x: sf.add_n([x, x]),
}
SPECIAL = np.float32([[0.0, -0.0, np.nan], [np.inf, -np.inf, 1e-45]])


@pytest.mark.parametrize("kind", NOTHING)
def test_simplify_leaves_out_what_gives_its_input(x, kind):
    y = NOTHING[kind](x)
    assert left([simplify], y, [x]) == []
    assert left([simplify, prune], [sf.tanh(y)], [x]) == ["Tanh"]
    both([y, sf.tanh(y), y], {x: SPECIAL}, {x: np.ones((2, 3))})


@pytest.mark.parametrize("kind", SOMETHING)
def test_simplify_keeps_what_is_not_the_same(x, kind):
    y = SOMETHING[kind](x)
    assert len(left([simplify], y, [x])) == 1
    assert len(left(passes.PASSES, y, [x])) == 1
    both([y, sf.tanh(y)], {x: SPECIAL}, {x: np.ones((2, 3))})


def test_simplify_waits_for_shapes():
    x = sf.placeholder(sf.float32)
    y = x * np.ones((1, 3), np.float32)
    program = program_for(y, [x])
    assert len(improve(program, [simplify]).nodes) == 1
    kind = np.dtype(np.float32)
    for shape, count in (((3,), 1), ((1, 3), 1), ((2, 3), 1), ((5, 1), 1)):
        bound = specialised(program, [(shape, kind)])
        assert len(improve(bound, [simplify]).nodes) == count
    same = program_for(x * 1.0, [x], [((1, 3), kind)])
    assert improve(same, [simplify]).nodes == []
    both([y, x * 1.0], *[{x: np.ones(s)} for s in ((3,), (1, 3), (2, 3), (5, 1), ())])


def test_weak_numbers_take_the_dtype_that_they_meet():
    x = sf.placeholder(None)
    y = [x * 1.0, x * 1, 1.0 * x, x - 0.0, x - 0, x / 1, x + 0, x * 2, x * 2.0]
    kinds = [np.int32, np.float32, np.float64, np.float16, np.uint8, np.complex64]
    both(y, *[{x: np.array([1, 2, 3], kind)} for kind in kinds])
    both(y, *[{x: kind(3)} for kind in kinds])


def test_a_constant_that_is_fed_is_no_constant(x):
    one = sf.constant(1.0)
    y = x * one
    assert left([simplify], y, [x, one]) == ["Mul"]
    both(
        [y, sf.tanh(one)], {x: SPECIAL, one: 2.0}, {x: SPECIAL}, {x: SPECIAL, one: 1.0}
    )


def test_what_is_fed_inside_is_not_looked_through(x):
    y = sf.identity(x)
    z = sf.cast(y * 1.0, sf.float32)
    assert left([simplify, prune], z, [x, y]) == []
    fed = {x: np.zeros((2, 3)), y: np.ones((2, 3))}
    both([x, y, z, sf.tanh(z)], fed, {x: np.zeros((2, 3))}, {z: np.ones((2, 3)), **fed})


# fold


def test_fold_computes_what_is_constant():
    c = sf.constant([1.0, 2.0])
    y = sf.reduce_sum(sf.tanh(c) * 2.0) + sf.cast(sf.size(c), sf.float32)
    assert left([fold], y) == []
    both([y, c])


def test_fold_knows_shapes(x):
    y = [sf.shape(x * 2.0), sf.zeros_like(x), sf.ones_like(sf.tanh(x)), sf.rank(x)]
    assert left([fold, prune], y, [x]) == []
    both(y, {x: np.ones((2, 3))})


def test_fold_leaves_alone_what_changes_or_acts(x):
    v = sf.Variable([1.0, 2.0])
    c = sf.constant([1.0, 2.0])
    noise = sf.random_normal([2])
    acting = {
        "draw": sf.tanh(noise),
        "read": sf.tanh(v),
        "own": own(c),
        "py_func": sf.py_func(np.tanh, [c], sf.float32),
        "print": sf.Print(c, [c]),
        "check": sf.check_numerics(c, "bad"),
        "write": v.assign(c),
        "loop": sf.while_loop(lambda i: i < 3, lambda i: i + 1, [0]),
        "cond": sf.cond(sf.constant(True), lambda: c * 2.0, lambda: c),
    }
    for y in acting.values():
        before = [n.op for n in program_for(y).nodes if not n.pure]
        after = improve(program_for(y))
        assert [n.op for n in after.nodes if not n.pure] == before
        assert after.nodes


@sf.operation
def own(value):
    return value * 2


@sf.operation(pure=True)
def pure_own(value):
    CALLED.append(1)
    return value * 2


CALLED = []


def test_fold_makes_no_large_constants():
    c = sf.constant([1.0, 2.0])
    small, large = sf.tile(c, [4]), sf.tile(c, [1 << 20])
    assert left([fold], small) == []
    assert "Tile" in left([fold], large)
    assert "Tile" in left(passes.PASSES, large)
    both([small, sf.reduce_sum(large)])


def test_what_would_fail_when_folded_fails_in_the_run():
    c = sf.constant([1.0, 2.0])
    i = sf.constant(1) + 4
    y = sf.gather(c, i) * 2.0
    assert "GatherV2" in left(passes.PASSES, y)
    simple, compiled = sf.Session(engine="simple"), sf.Session()
    wanted = outcome(simple, y)
    assert isinstance(wanted, tuple)
    assert_same(outcome(compiled, y), wanted)
    assert_same(outcome(compiled, y, {i: 1}), outcome(simple, y, {i: 1}))


def test_a_fed_value_inside_what_is_constant():
    c = sf.constant([1.0, 2.0])
    y = sf.tanh(c)
    z = y * 2.0 + 1.0
    assert left([fold], z) == []
    assert len(left([fold], z, [y])) == 2
    assert left([fold], z, [z]) == []
    both(z, {}, {y: [5.0, 6.0]}, {c: [0.0, 0.0]}, {z: [1.0, 1.0]}, {})


# merge


def test_merge_computes_the_same_once(x):
    y = sf.tanh(x + 1.0) * sf.tanh(x + 1.0)
    assert left([merge], y, [x]) == ["Add", "Tanh", "Mul"]
    z = [sf.reduce_sum(x, 1), sf.reduce_sum(x, [1]), sf.reduce_sum(x, [1], False)]
    assert left([merge], z, [x]) == ["Sum"]
    both([y, *z], {x: SPECIAL}, {x: np.ones((2, 3))})


DIFFERENT = {
    "axis": lambda x: (sf.reduce_sum(x, 0), sf.reduce_sum(x, 1)),
    "keepdims": lambda x: (sf.reduce_sum(x, 1), sf.reduce_sum(x, 1, True)),
    "dtype": lambda x: (sf.cast(x, sf.float64), sf.cast(x, sf.int32)),
    "sides": lambda x: (x - 1.0, 1.0 - x),
    "number": lambda x: (x * 2.0, x * 3.0),
    "sign of zero": lambda x: (x * 0.0, x * -0.0),
    "sign of added zero": lambda x: (x + 0.0, x + -0.0),
    "bits": lambda x: (x * 0.1, x * np.nextafter(np.float32(0.1), np.float32(1))),
    "shape of a number": lambda x: (x * 2.0, x * np.full((1, 1, 1), 2, np.float32)),
    "kind of a number": lambda x: (sf.fill([2], 0.0), sf.fill([2], 0)),
    "false and zero": lambda x: (
        sf.one_hot([0], 2, 1, 0),
        sf.one_hot([0], 2, True, False),
    ),
    "transposed": lambda x: (sf.matmul(x, x, True), sf.matmul(x, x, False, True)),
    "begin": lambda x: (x[0:], x[1:]),
    "steps": lambda x: (x[::1], x[::-1]),
    "mode": lambda x: (
        sf.pad(x, [[1, 1], [0, 0]]),
        sf.pad(x, [[1, 1], [0, 0]], "REFLECT"),
    ),
    "padding": lambda x: (
        sf.pad(x, [[1, 1], [0, 0]], constant_values=1.0),
        sf.pad(x, [[1, 1], [0, 0]], constant_values=2.0),
    ),
    "outputs": lambda x: (*sf.split(x, 3, 1), *sf.split(x, 3, 1)),
    "less": lambda x: (sf.cast(x < 1.0, sf.int32), sf.cast(x <= 1.0, sf.int32)),
}


@pytest.mark.parametrize("kind", DIFFERENT)
def test_merge_tells_what_is_different(x, kind):
    ys = list(DIFFERENT[kind](x))
    both([*ys, *[sf.identity(y) for y in ys]], {x: np.ones((2, 3))}, {x: SPECIAL})
    if kind != "outputs":
        (first, second), both_of = ys, left([merge], ys, [x])
        assert len(both_of) > len(left([merge], [first], [x]))
        assert len(both_of) > len(left([merge], [second], [x]))


def test_merge_leaves_alone_what_acts(x, capfd):
    c = sf.constant(1.0)
    calls = []

    def count(value):
        calls.append(1)
        return np.float32(len(calls))

    twice = [sf.random_normal([3]) for _ in range(2)]
    same = [sf.random_normal([3], seed=1) for _ in range(2)]
    counted = [sf.py_func(count, [c], sf.float32) for _ in range(2)]
    printed = [sf.Print(c, [c], "printed") for _ in range(2)]
    owned = [own(c) for _ in range(2)]
    v = sf.Variable(0.0)
    added = [v.assign_add(c) for _ in range(2)]
    for pair in (twice, same, counted, printed, owned, added):
        ops = [node.op for node in improve(program_for(pair)).nodes]
        assert {y.as_tensor().op for y in pair} <= {*ops}
    sess = sf.Session()
    capfd.readouterr()
    for run in range(1, 4):
        assert sorted(sess.run(counted)) == [2 * run - 1, 2 * run]
        a, b = sess.run(twice)
        assert not np.array_equal(a, b)
        sess.run(printed)
        assert capfd.readouterr().err.count("printed") == 2
        sess.run(added)
        assert sess.run(v) == 2 * run


def test_own_operations_that_are_pure_are_merged():
    c = sf.placeholder(sf.float32, [])
    ys = [pure_own(c), pure_own(c)]
    sess = sf.Session()
    CALLED.clear()
    assert sess.run(ys, {c: 2.0}) == [4.0, 4.0]
    assert sess.run(ys, {c: 3.0}) == [6.0, 6.0]
    assert len(CALLED) == 2  # once for each run: no result outlives it


def test_reads_before_and_after_a_write_are_not_the_same():
    v = sf.Variable([1.0, 2.0])
    before = v * 2.0
    with sf.control_dependencies([before.op]):
        written = v.assign_add([1.0, 1.0])
    with sf.control_dependencies([written.op]):
        after = v * 2.0
    both([before, after, v], *[{}] * 3)


def test_lists_of_tensor_arrays_are_no_numbers():
    a, b = (sf.TensorArray(sf.float32, 2, element_shape=[]) for _ in range(2))
    x = sf.placeholder(sf.float32, [])
    a = a.write(0, x).write(1, x * 2.0)
    b = b.write(1, x).write(0, x + 1.0)
    c = sf.TensorArray(sf.float32, 2, flow=sf.identity(a.flow))
    loop = sf.while_loop(
        lambda i, t: i < 3,
        lambda i, t: (i + 1, t.write(i, x * sf.cast(i, sf.float32))),
        [0, sf.TensorArray(sf.float32, 3)],
    )[1]  # fmt: skip
    chosen = sf.cond(x > 1.0, lambda: a.flow, lambda: b.flow)
    d = sf.TensorArray(sf.float32, 2, flow=chosen)
    fetches = [
        a.stack(),
        b.stack(),
        c.read(1),
        loop.stack(),
        d.stack(),
        a.stack() * 1.0,
    ]
    both([sf.identity(y) for y in fetches], {x: 1.0}, {x: 2.0}, {x: 1.0})


# prune


def test_prune_leaves_out_what_nobody_reads(x):
    y = sf.zeros_like(sf.tanh(x) * 2.0)
    assert left([fold, prune], y, [x]) == []
    assert left([prune], y, [x]) == ["Tanh", "Mul", "ZerosLike"]


def test_prune_keeps_what_acts(x):
    calls = []

    def note(value):
        calls.append(1)
        return value

    v = sf.Variable(0.0)
    y = sf.shape(sf.py_func(note, [x], sf.float32))
    with sf.control_dependencies([v.assign_add(1.0), sf.assert_positive(x)]):
        z = sf.zeros_like(x)
    noise = sf.random_normal([2], seed=3)
    size = sf.size(noise)
    simple, compiled = sessions()
    for i in range(3):
        for fetches in ([y], [z], [size], [noise]):
            feeds = {x: np.full((2, 3), 1.0 - (i == 1) * 2)}
            wanted = outcome(simple, fetches, feeds)
            assert_same(outcome(compiled, fetches, feeds), wanted)
        assert_same(compiled.run(v), simple.run(v))
    assert len(calls) == 6


# All together

PROGRAMS = range(1000, 1024)


@pytest.mark.parametrize("seed", PROGRAMS)
def test_any_passes_in_any_order_give_the_same(seed, monkeypatch):
    b = Builder(seed)
    rng = np.random.default_rng(seed)
    fetches = [t for t, _ in b.tensors[-12:]] + b.effects
    feeds = [b.feed() for _ in range(2)]
    simple = sf.Session(engine="simple")
    held = [v for v, _ in b.variables]
    simple.run(held)
    engines = []
    for count in (0, 1, 2, 4, 7):
        chosen = [passes.PASSES[i] for i in rng.integers(0, len(passes.PASSES), count)]
        engines.append((chosen, sf.Session()))
        engines[-1][1].run(held)
    for feed in feeds:
        wanted = outcome(simple, fetches, feed)
        for chosen, compiled in engines:
            with monkeypatch.context() as patch:
                patch.setattr(passes, "PASSES", chosen)
                assert_same(outcome(compiled, fetches, feed), wanted)


SUBSETS = [s for n in range(len(NAMES) + 1) for s in itertools.combinations(NAMES, n)]


@pytest.mark.parametrize("subset", SUBSETS)
def test_every_subset_of_passes_gives_the_same(x, subset, monkeypatch):
    chosen = [p for p in passes.PASSES if p.__name__ in subset]
    monkeypatch.setattr(passes, "PASSES", chosen)
    v = sf.Variable([[1.0], [2.0]])
    y = (sf.tanh(sf.identity(x) * 1.0) - 0.0) * sf.tanh(x)
    z = sf.reduce_mean(sf.cast(y, sf.float32) + sf.constant([1.0, 2.0, 3.0]) * 2.0, 1)
    grads = sf.gradients(z, [x, v.as_tensor()])[:1]
    w = v.assign_sub(sf.reshape(z, [2, 1]) * sf.ones_like(v))
    fetches = [y, z, *grads, w, sf.shape(y), sf.zeros_like(z) + 1.0]
    both(fetches, {x: np.ones((2, 3))}, {x: SPECIAL}, {x: np.ones((2, 3)), y: SPECIAL})


def test_passes_leave_the_program_that_they_are_given(x):
    y = sf.identity(sf.tanh(x) * 1.0) + sf.tanh(x) + 0.0 * sf.zeros_like(x)
    for rewrite in (simplify, merge, prune):
        program = program_for(y, [x])
        before = [(n, n.inputs, n.outputs) for n in program.nodes], [*program.fetches]
        assert rewrite(program) is not program
        after = [(n, n.inputs, n.outputs) for n in program.nodes], [*program.fetches]
        assert after == before


def test_notes_tell_what_was_done(x):
    y = sf.identity(sf.tanh(x)) * sf.tanh(x) + sf.tanh(sf.constant(1.0))
    notes = improve(program_for(y, [x])).notes
    for name in ("simplify", "fold", "merge"):
        assert any(note.startswith(f"{name}: ") for note in notes)
    assert improve(program_for(sf.tanh(x), [x])).notes == []


def test_folding_does_not_warn():
    x = sf.log(sf.constant([0.0, 1.0])) + sf.placeholder(sf.float32, [2], name="x")
    assert sf.Session().run(x, {"x:0": [1.0, 1.0]}).tolist() == [-np.inf, 1.0]
    assert "fold" in str(sf.runtime.explain(x, {"x:0": [1.0, 1.0]}))
