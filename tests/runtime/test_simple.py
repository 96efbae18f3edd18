"""The simple engine: one step after the other."""

import warnings

import numpy as np
import pytest

import similarflow as sf
from similarflow.core.graph import running
from similarflow.runtime.plan import make_plan
from similarflow.runtime.simple import compute, execute


def no_generator(op):
    raise AssertionError("nothing random is computed")


def steps_for(*fetches, fed=()):
    return make_plan(sf.get_default_graph(), fetches, fed).steps


def test_steps_read_their_inputs_and_write_their_outputs():
    x = sf.placeholder(sf.float32, [])
    y = sf.square(x)
    z = y + x
    values = {x: np.float32(3.0)}
    execute(x.graph, steps_for(z), values, no_generator)
    assert values == {x: 3.0, y: 9.0, z: 12.0}


def test_an_output_that_is_fed_keeps_the_feed():
    x = sf.placeholder(sf.float32, [])
    y = sf.square(x)
    with sf.control_dependencies([y]):
        z = sf.negative(x)
    values = {x: np.float32(3.0), y: np.float32(50.0)}
    execute(x.graph, steps_for(z, y, fed=[y]), values, no_generator)
    assert values == {x: 3.0, y: 50.0, z: -3.0, None: 9.0}


def test_every_output_of_an_operation_is_written():
    x = sf.placeholder(sf.float32, [2])
    a, b = sf.unstack(x)
    values = {x: np.array([1.0, 2.0], np.float32)}
    execute(x.graph, steps_for(a), values, no_generator)
    assert [values[a], values[b]] == [1.0, 2.0]


def test_an_operation_without_outputs_gives_none():
    assert list(compute(sf.no_op(), [], no_generator)) == []


def test_one_output_and_several():
    x = sf.constant([1.0, 2.0])
    double = x * 2.0
    parts = sf.unstack(x)[0].op
    assert [v.tolist() for v in compute(double.op, [x.value, 2.0], no_generator)] == [
        [2.0, 4.0]
    ]
    assert [float(v) for v in compute(parts, [x.value], no_generator)] == [1.0, 2.0]


def test_a_random_operation_gets_its_generator_first():
    x = sf.random_normal([2])
    asked = []

    def generator(op):
        asked.append(op)
        return np.random.default_rng(0)

    [value] = compute(x.op, [np.array([2])], generator)
    assert asked == [x.op]
    assert (
        value.tolist()
        == np.random.default_rng(0).standard_normal(2, np.float32).tolist()
    )


def test_infinities_and_nan_are_results_without_a_warning():
    x = sf.constant([0.0, -1.0])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = sf.Session().run([1.0 / x, sf.log(x), sf.exp(x * -1000.0)])
    assert found[0].tolist() == [np.inf, -1.0]
    assert found[1][0] == -np.inf
    assert np.isnan(found[1][1])
    assert found[2][1] == np.inf


def test_own_operations_see_numpy_s_usual_settings_again_after_a_run():
    before = np.geterr()
    sf.Session().run(sf.constant(1.0) / 0.0)
    assert np.geterr() == before


@pytest.mark.parametrize("fails", [False, True])
def test_the_graph_is_running_while_it_runs_and_not_after(fails):
    seen = []

    @sf.operation
    def look(value):
        seen.append(running.top())
        if fails:
            raise ZeroDivisionError
        return value

    y = look(1.0)
    if fails:
        with pytest.raises(ZeroDivisionError):
            sf.Session().run(y)
    else:
        sf.Session().run(y)
    assert seen == [y.graph]
    assert running.items == []


def test_graphs_may_run_inside_each_other():
    with sf.Graph().as_default() as inner_graph:
        inner = sf.constant(2.0) * 3.0
    seen = []

    @sf.operation
    def run_inner(value):
        result = sf.Session(graph=inner_graph).run(inner)
        seen.append(running.top())
        return value + result

    y = run_inner(1.0)
    assert sf.Session().run(y) == 7.0
    assert seen == [y.graph]
