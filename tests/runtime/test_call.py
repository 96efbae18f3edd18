"""Running sub-graphs inside a step."""

import pytest

import similarflow as sf
from similarflow.ops.cond import cond
from similarflow.ops.while_loop import while_loop


def test_a_plan_of_a_body_is_made_once():
    y = while_loop(lambda a: a < 9.0, lambda a: a * 2.0, [sf.constant(1.0)])
    loop = y.op.attrs["loop"]
    first, second = sf.Session(), sf.Session()
    assert first.run(y) == second.run(y) == first.run(y) == 16.0
    assert len(loop.body.plans) == len(loop.test.plans) == 1


def test_an_error_says_where_through_all_levels():
    i = sf.placeholder(sf.int32, [])

    def body(n, a):
        return n + 1, cond(n > 0, lambda: sf.gather([1.0, 2.0], i), lambda: a)

    _, y = while_loop(lambda n, a: n < 3, body, [0, 0.0])
    with pytest.raises(sf.errors.InvalidArgumentError) as raised:
        sf.Session().run(y, {i: 9})
    lines = str(raised.value).splitlines()
    assert lines[0] == "indices = 9 is not in [0, 2)"
    assert lines[1].startswith("in GatherV2 'while/cond/GatherV2', made at ")
    assert lines[-2].startswith("inside If 'while/cond', made at ")
    assert lines[-1].startswith("inside While 'while', made at ")


def test_what_draws_inside_is_taken_back_by_a_failing_run():
    sf.set_random_seed(5)
    i = sf.placeholder(sf.int32, [])

    def body(n, a):
        drawn = sf.random_uniform([])
        with sf.control_dependencies([drawn]):
            return n + 1, a + drawn + sf.gather([0.0, 0.0], n * i)

    _, y = while_loop(lambda n, a: n < 3, body, [0, 0.0])
    one, other = sf.Session(), sf.Session()
    with pytest.raises(sf.errors.InvalidArgumentError):
        one.run(y, {i: 2})
    assert one.run(y, {i: 0}) == other.run(y, {i: 0})
    assert one.run(y, {i: 0}) == other.run(y, {i: 0})


def test_a_kernel_that_fails_itself_is_named():
    x = sf.placeholder(sf.bool)
    y = cond(x, lambda: 1.0, lambda: 2.0)
    with pytest.raises(sf.errors.InvalidArgumentError, match="in If 'cond', made at"):
        sf.Session().run(y, {x: [True, False]})
