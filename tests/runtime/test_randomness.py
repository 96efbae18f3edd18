"""Random streams: which seeds and names make which, and how sessions count draws."""

import numpy as np
import pytest

import similarflow as sf
from similarflow.runtime.randomness import DEFAULT_GRAPH_SEED, generator_for


def noise(seed=None, own=None, name="noise", scope=None, before=0):
    """Random numbers in a graph of their own."""
    with sf.Graph().as_default() as graph:
        sf.set_random_seed(seed)
        for _ in range(before):
            sf.random_uniform([3], name="other")
        with graph.name_scope(scope):
            return sf.random_normal([4], seed=own, name=name)


def drawn(tensor, times=1):
    sess = sf.Session(graph=tensor.graph)
    return [sess.run(tensor).tolist() for _ in range(times)]


# Keys


def test_a_graph_seed_and_a_name_make_a_stream():
    first = drawn(noise(5), 3)
    assert first == drawn(noise(5), 3)
    assert first == drawn(noise(5, before=4), 3)
    others = [noise(6), noise(5, name="noise2"), noise(5, scope="s")]
    assert all(drawn(other, 3) != first for other in others)


def test_the_whole_name_counts():
    assert drawn(noise(5, scope="s")) == drawn(noise(5, name="s/noise"))


def test_an_own_seed_makes_the_name_unimportant():
    assert drawn(noise(own=3)) == drawn(noise(own=3, name="another", before=2))
    assert drawn(noise(5, own=3)) == drawn(noise(5, own=3, name="another"))
    assert drawn(noise(5, own=3)) != drawn(noise(6, own=3))
    assert drawn(noise(own=3)) == drawn(noise(DEFAULT_GRAPH_SEED, own=3))


@pytest.mark.parametrize("seed", [0, -1, 2**31 - 1, 2**63, 2**64 - 1, -(2**63)])
def test_seeds_of_any_size_are_taken(seed):
    assert drawn(noise(seed)) == drawn(noise(seed)) != drawn(noise(seed + 1))
    assert (
        drawn(noise(own=seed)) == drawn(noise(own=seed)) != drawn(noise(own=seed + 1))
    )


def test_names_and_own_seeds_have_different_halves_of_all_keys():
    streams = [drawn(noise(1, own=n)) for n in range(50)]
    streams += [drawn(noise(1, name=f"n{n}")) for n in range(50)]
    assert len({str(s) for s in streams}) == 100


def test_without_a_seed_sessions_differ():
    x = noise()
    assert drawn(x) != drawn(x)
    assert drawn(x) != drawn(noise())


def test_a_copy_of_the_state_goes_on_with_the_same_numbers():
    x = noise()
    sess, copy = sf.Session(graph=x.graph), sf.Session(graph=x.graph)
    sess.run(x)
    copy.state.update(sess.state)
    assert sess.run(x).tolist() == copy.run(x).tolist()


def test_each_draw_has_a_block_of_its_own():
    x = noise(1)
    first = generator_for(x.op, {}, {}).standard_normal(100_000)
    second = generator_for(x.op, {x.op: 1}, {}).standard_normal(1000)
    assert not np.isin(second, first).any()


def test_a_second_draw_in_a_run_goes_on_from_the_first():
    x = noise(1)
    changes = {}
    first, second = (generator_for(x.op, {x.op: 5}, changes) for _ in range(2))
    assert changes == {x.op: 7}
    fresh = generator_for(x.op, {x.op: 6}, {})
    assert fresh.standard_normal() == second.standard_normal()
    assert fresh.standard_normal() != first.standard_normal()


# Sessions


def test_sessions_go_through_the_same_numbers():
    x = noise(2)
    first, second = drawn(x, 4), drawn(x, 4)
    assert first == second
    assert len({str(values) for values in first}) == 4


def test_unrelated_operations_and_runs_change_nothing():
    sf.set_random_seed(4)
    x, y = sf.random_normal([3], name="x"), sf.random_normal([3], name="y")
    v = sf.Variable(sf.random_normal([3]))
    alone, busy = sf.Session(), sf.Session()
    busy.run([y, v])
    want = [alone.run(x).tolist() for _ in range(3)]
    got = []
    for _ in range(3):
        got.append(busy.run([y, x])[1].tolist())
        busy.run([v.initializer, y])
        sf.random_normal([3])
    assert got == want


def test_a_graph_built_again_draws_the_same_initial_values():
    values = []
    for before in (0, 3):
        sf.reset_default_graph()
        sf.set_random_seed(1)
        for _ in range(before):
            sf.random_normal([1])
        w = sf.get_variable("w", [2, 2])
        v = sf.Variable(sf.random_normal([2], name="start"), name="v")
        values.append(sf.Session().run([w, v]))
    assert all((a == b).all() for a, b in zip(*values, strict=True))


def test_explicit_and_implicit_initialisation_draw_the_same():
    sf.set_random_seed(1)
    w, v = sf.get_variable("w", [3]), sf.get_variable("v", [3])
    explicit, implicit = sf.Session(), sf.Session()
    explicit.run(sf.global_variables_initializer())
    assert (explicit.run(w) == implicit.run(w)).all()
    assert (explicit.run(v) == implicit.run(v)).all()


def test_a_start_draws_before_the_run_that_needs_it():
    sf.set_random_seed(1)
    x = sf.random_normal([3])
    v = sf.Variable(x)
    explicit, implicit = sf.Session(), sf.Session()
    explicit.run(v.initializer)
    for _ in range(2):
        want, got = explicit.run([x, v]), implicit.run([x, v])
        assert [a.tolist() for a in want] == [a.tolist() for a in got]


def test_a_failed_run_gives_its_numbers_back():
    sf.set_random_seed(9)
    x = sf.random_normal([2])
    i = sf.placeholder(sf.int32)
    bad = sf.gather([1.0], i)
    failing, other = sf.Session(), sf.Session()
    for _ in range(3):
        with pytest.raises(sf.errors.InvalidArgumentError):
            failing.run([x, bad], {i: 3})
    assert failing.run(x).tolist() == other.run(x).tolist()


def test_a_failed_run_without_a_seed_leaves_no_trace():
    x = sf.random_normal([2])
    i = sf.placeholder(sf.int32)
    sess = sf.Session()
    with pytest.raises(sf.errors.InvalidArgumentError):
        sess.run([x, sf.gather([1.0], i)], {i: 3})
    assert sess.state == {}


def test_what_is_fed_is_not_drawn():
    sf.set_random_seed(9)
    x = sf.random_normal([2])
    y = x + 0.0
    first, second = sf.Session(), sf.Session()
    first.run(y, {x: [1.0, 2.0]})
    assert first.run(y).tolist() == second.run(y).tolist()


# Statistics


@pytest.fixture(params=[1, 2, 3])
def many(request):
    """Many numbers of each kind, some from one draw, some from many."""
    sf.set_random_seed(request.param)
    tensors = [
        sf.random_normal([500]),
        sf.truncated_normal([500]),
        sf.random_uniform([500]),
        sf.random_uniform([500], 0, 10, sf.int32),
    ]
    sess = sf.Session()
    return [
        np.stack(rows)
        for rows in zip(*(sess.run(tensors) for _ in range(100)), strict=True)
    ]


def test_numbers_of_many_draws_are_of_their_distribution(many):
    normal, truncated, uniform, integers = (np.float64(rows) for rows in many)
    n = normal.size
    assert abs(normal.mean()) < 5 / n**0.5
    assert abs(normal.std() - 1.0) < 5 / (2 * n) ** 0.5
    assert abs((np.abs(normal) < 1.0).mean() - 0.6827) < 5 * 0.47 / n**0.5
    assert np.abs(truncated).max() <= 2.0
    assert abs(truncated.std() - 0.8796) < 0.01
    assert abs(uniform.mean() - 0.5) < 5 * 0.2887 / n**0.5
    assert abs(uniform.std() - 0.2887) < 0.005
    assert 0.0 <= uniform.min() < 1e-3
    assert 1.0 - 1e-3 < uniform.max() < 1.0
    counts = np.bincount(np.int64(integers).ravel(), minlength=10)
    assert len(counts) == 10
    assert np.abs(counts / n - 0.1).max() < 5 * 0.3 / n**0.5


def test_draws_and_operations_do_not_follow_each_other(many):
    normal, _, uniform, _ = (np.float64(rows) for rows in many)
    for a, b in (
        (normal[:-1], normal[1:]),
        (normal[:, :-1], normal[:, 1:]),
        (normal, uniform),
    ):
        assert abs(np.corrcoef(a.ravel(), b.ravel())[0, 1]) < 5 / a.size**0.5
