"""What was not chosen by `where` leaves no nan in the gradient. Numbers are by hand."""

import numpy as np
import pytest

import similarflow as sf
from similarflow.core.operators import BUILDERS
from similarflow.core.registry import DEFINITIONS
from similarflow.core.rules import gradient_registry
from similarflow.ops.shields import keep_zeros
from similarflow.testing import draw_case, iterate_samples


@pytest.mark.parametrize("dims", [(None,), None])
@pytest.mark.parametrize(
    ("build", "value", "first", "second"),
    [
        (
            lambda x: sf.where(x < 0.0, 1.0 / (1.0 - x), sf.log(x + 1.0)),
            [-1.0, 0.0, 1.0],
            [0.25, 1.0, 0.5],
            [0.25, -1.0, -0.25],
        ),
        (lambda x: sf.where(x > 0.0, 0.0 * x, sf.exp(x)), [1e10, 0.0], [0, 1], [0, 1]),
        (
            lambda x: sf.where(x > 0.0, sf.sqrt(x), sf.zeros_like(x)),
            [0.0, 4.0],
            [0.0, 0.25],
            [0.0, -1.0 / 32.0],
        ),
        (
            lambda x: sf.where(
                x > 0.0,
                sf.where(x > 1.0, sf.sqrt(x - 1.0), sf.sqrt(1.0 - x)),
                sf.cast(sf.sqrt(-x), sf.float64) ** 1.0,
            ),
            [-4.0, -0.25, 0.75, 5.0],
            [-0.25, -1.0, -1.0, 0.25],
            [-1.0 / 32.0, -2.0, -2.0, -1.0 / 32.0],
        ),
        (
            lambda x: sf.where(sf.not_equal(x, 0.0), sf.sin(x) / x, sf.ones_like(x)),
            [0.0, np.pi],
            [0.0, -1.0 / np.pi],
            [0.0, 2.0 / np.pi**2],
        ),
        (
            lambda x: sf.log(sf.where(x > 0.0, sf.log(x) * 0.0 + 2.0, 1.0 - x)),
            [0.0, 1.0],
            [-1.0, 0.0],
            [-1.0, 0.0],
        ),
    ],
)
def test_what_is_not_chosen_spoils_no_gradient(build, value, first, second, dims):
    x = sf.placeholder(sf.float64, dims)
    [grad] = sf.gradients(build(x), x)
    [again] = sf.gradients(sf.reduce_sum(grad), x)
    found = sf.Session().run([grad, again], {x: value})
    np.testing.assert_allclose(found, [first, second], atol=1e-15)


def test_rows_and_scalars():
    x = sf.placeholder(sf.float64, [2, 2])
    w = sf.placeholder(sf.float64, [])
    rows = sf.not_equal(x[:, 0], 0.0)
    inner = sf.where(x > 2.0, sf.log(x - 2.0), sf.sqrt(x) * w)
    y = sf.where(rows, inner, x)
    found = sf.Session().run(
        sf.gradients(y, [x, w]), {x: [[0.0, 0.0], [1.0, 4.0]], w: 3.0}
    )
    assert found[0].tolist() == [[1.0, 1.0], [1.5, 0.5]]
    assert found[1] == 1.0


def test_what_is_chosen_may_be_infinite():
    x = sf.constant([0.0, 0.0], sf.float64)
    y = sf.where([True, False], sf.sqrt(x), x)
    assert sf.Session().run(sf.gradients(y, x)[0]).tolist() == [np.inf, 1.0]
    both = sf.reduce_sum(y) + sf.reduce_sum(0.0 * sf.log(x))
    assert np.isnan(sf.Session().run(sf.gradients(both, x)[0])).all()


def test_many_choices_in_a_row():
    counts = []
    for n in (20, 40, 80):
        sf.reset_default_graph()
        x = y = sf.placeholder(sf.float64, [3])
        for i in range(n):
            y = sf.where(y > float(i), sf.log(y - float(i)) + y, y)
        sf.gradients(y, x)
        counts.append(len(sf.get_default_graph().get_operations()))
    assert counts[2] - counts[1] == 2 * (counts[1] - counts[0])  # linear


@pytest.mark.parametrize(
    ("definition", "case"),
    [
        pytest.param(d, c, id=f"{d.type}-{i}")
        for i, (d, c) in enumerate(iterate_samples(DEFINITIONS.values()))
        if d.elementwise and gradient_registry.get(d.type)
    ],
)
def test_rules_element_by_element_give_the_shape_of_the_result(definition, case):
    inputs, attrs = draw_case(definition, case, np.float64)
    named = dict(zip(definition.inputs, map(sf.constant, inputs), strict=True))
    y = BUILDERS[definition.kernel.__name__](**named, **attrs)
    grads = gradient_registry.get(definition.type)(
        y.op, sf.placeholder(y.dtype, y.shape)
    )
    grads = grads if isinstance(grads, list | tuple) else [grads]
    assert {g.static_shape for g in grads if g is not None} <= {y.static_shape}


X = [-1.5, -0.5, 0.0, 0.5, 2.0]
LOG = [[1.0, 1.0, 1.0, 2.0, 0.5], [0.0, 0.0, 0.0, -4.0, -0.25]]
XLOG = [[-3.0, -1.0, 0.0, np.log(0.5) + 1.0, np.log(2.0) + 1.0], [2.0] * 4 + [0.5]]


@pytest.mark.parametrize("dims", [[5], [None], None])
@pytest.mark.parametrize(
    "move",
    [
        lambda v: sf.reshape(sf.reshape(v, [5, 1]), [5]),
        lambda v: sf.transpose(v[None, :])[:, 0],
        lambda v: sf.concat([v, v], 0)[:5],
        lambda v: sf.gather(v, [0, 1, 2, 3, 4]),
        lambda v: sf.reverse(sf.reverse(v, [0]), [0]),
        lambda v: sf.reduce_sum(sf.stack([v, 0.0 * sf.ones_like(v)]), 0),
        lambda v: sf.matmul(v[None, :], sf.eye(5, dtype=sf.float64))[0],
        lambda v: sf.map_fn(lambda e: e, v),
        lambda v: sf.cond(sf.constant(True), lambda: v, lambda: 2.0 * v),
    ],
)
def test_zeros_stay_through_what_moves_them(move, dims):
    x = sf.placeholder(sf.float64, dims)
    [first] = sf.gradients(sf.where(x > 0.0, move(sf.log(x)), x), x)
    [second] = sf.gradients(first, x)
    found = sf.Session().run([first, second], {x: X})
    np.testing.assert_allclose(found, LOG)


@pytest.mark.parametrize(
    "build",
    [
        lambda x: sf.cond(
            x[4] > 0.0, lambda: sf.where(x > 0.0, sf.log(x) * x, x * x), lambda: x
        ),
        lambda x: sf.map_fn(lambda e: sf.where(e > 0.0, sf.log(e) * e, e * e), x),
        lambda x: sf.while_loop(
            lambda i, a: i < 1,
            lambda i, a: (i + 1, sf.where(a > 0.0, sf.log(a) * a, a * a)),
            [0, x],
        )[1],
    ],
)
def test_choices_inside_branches_and_loops(build):
    x = sf.placeholder(sf.float64, [5])
    [first] = sf.gradients(build(x), x)
    [second] = sf.gradients(first, x)
    found = sf.Session().run([first, second], {x: X})
    np.testing.assert_allclose(found, [XLOG[0], [2.0] * 3 + [2.0, 0.5]])


def test_a_choice_behind_a_branch():
    x = sf.placeholder(sf.float64)
    log = sf.cond(x[4] > 0.0, lambda: sf.log(x), lambda: x)
    [first] = sf.gradients(sf.where(x > 0.0, log * log, x * x), x)
    [second] = sf.gradients(first, x)
    found = sf.Session().run([first, second], {x: X})
    logs = np.log([0.5, 2.0])
    np.testing.assert_allclose(found[0][:3], [-3.0, -1.0, 0.0])
    np.testing.assert_allclose(found[0][3:], 2.0 * logs / [0.5, 2.0])
    np.testing.assert_allclose(found[1][3:], 2.0 * (1.0 - logs) / [0.25, 4.0])


def test_rows_of_a_table_that_are_not_chosen():
    v = sf.constant([[0.0], [2.0], [1.0]], sf.float64)
    i = [0, 2, 0]
    chosen = sf.gather(v, i) > 0.0
    y = sf.where(chosen, sf.gather(sf.log(v), i), sf.gather(v, i))
    [grad] = sf.gradients(y, v)
    assert sf.Session().run(sf.convert_to_tensor(grad)).tolist() == [
        [2.0],
        [0.0],
        [1.0],
    ]


def test_zeros_are_kept_beside_what_is_not_finite():
    x = sf.constant([np.nan, np.inf, 1.0])
    found = sf.Session().run(keep_zeros(x, [0.0, 1.0, 2.0]))
    assert found.tolist() == [0.0, np.inf, 1.0]
