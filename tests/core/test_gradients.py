"""Reverse mode: what the walk back visits, in which order, and what it builds."""

import re

import numpy as np
import pytest

import similarflow as sf
from similarflow.core.gradients import GradientTable, walk_back
from similarflow.testing import check_gradients

X = np.array([[0.5, -1.5, 2.0], [1.0, 0.25, -0.75]])


class NoRule(sf.Operation):
    def compute(self, x):
        return 5.0 * x


class Double(sf.Operation):
    def compute(self, x):
        return 2.0 * x


@sf.RegisterGradient(Double)
def _double_grad(op, grad):
    return 2.0 * grad


class Parts(sf.Operation):
    """The sum and the difference of two."""

    num_outputs = 2

    def infer(self, x, y):
        return [(x.static_shape, x.static_dtype)] * 2

    def compute(self, x, y):
        return x + y, x - y


@sf.RegisterGradient(Parts)
def _parts_grad(op, of_sum, of_difference):
    return of_sum + of_difference, of_sum - of_difference


class Counted(sf.Operation):
    """Passes its input on, and counts how often its rule is asked."""

    asked = 0

    def infer(self, x):
        return [(x.static_shape, x.static_dtype)]

    def compute(self, x):
        return x


@sf.RegisterGradient(Counted)
def _counted_grad(op, grad):
    Counted.asked += 1
    return grad


def run(fetches, feed=None):
    return sf.Session().run(fetches, feed)


def derivative(y, x, feed=None):
    return run(sf.gradients(y, x)[0], feed)


def events(loss, wanted=None, stops=()):
    """The walk back from `loss`, with what was pending at each step."""
    table = GradientTable()
    wanted = wanted and set(wanted)
    walk = walk_back(table, [loss], wanted, [None], set(stops), "gradients")
    return [(e, {op.name: n for op, n in e.pending.items()}) for e in walk], table


# ---- what the first toys got wrong


def test_ways_of_unequal_length():
    x = sf.constant(3.0)
    assert derivative(x + sf.square(sf.square(x)), x) == 1.0 + 4.0 * 27.0
    long = x
    for _ in range(5):
        long = 2.0 * long
    assert derivative(x * long + sf.square(x) + long, x) == 64.0 * 3.0 + 6.0 + 32.0


def test_a_node_may_be_an_input_twice():
    a = sf.constant(X[:, :2], name="a")
    check_gradients(sf.matmul(a, a), a)
    x = sf.constant(3.0)
    assert derivative(x * x, x) == 6.0
    assert derivative(x - x, x) == 0.0
    assert derivative(sf.add_n([x, x, x]), x) == 3.0
    assert derivative(sf.add_n([x, x]) * x + x / x, x) == 12.0


@pytest.mark.parametrize("known", [True, False])
@pytest.mark.parametrize(
    ("left", "right"),
    [((2, 3), (3,)), ((2, 1), (1, 3)), ((), (2, 3)), ((2, 3), (4, 1, 1)), ((1,), ())],
)
def test_broadcast_axes_are_summed_away(left, right, known):
    x = sf.placeholder(sf.float64, left if known else None)
    y = sf.placeholder(sf.float64, right if known else None)
    feed = {x: np.linspace(1.0, 2.0, 6)[: np.prod(left, dtype=int)].reshape(left)}
    feed[y] = np.linspace(0.5, 1.5, 6)[: np.prod(right, dtype=int)].reshape(right)
    for z in (x * y, x + y, x - y, x / y, sf.squared_difference(x, y)):
        for grad, node in zip(sf.gradients(z, [x, y]), (x, y), strict=True):
            assert run(grad, feed).shape == feed[node].shape
        check_gradients(z, [x, y], feed)


def test_a_size_that_the_run_tells_may_be_broadcast_or_not():
    x = sf.placeholder(sf.float32, [None, 3])
    b = sf.placeholder(sf.float32, [None])
    grad = sf.gradients(x + b, b)[0]
    sess = sf.Session()
    assert sess.run(grad, {x: np.ones([4, 3]), b: [1.0]}).tolist() == [12.0]
    assert sess.run(grad, {x: np.ones([4, 3]), b: [1, 2, 3]}).tolist() == [4.0] * 3


def test_no_needless_operation_is_built_where_shapes_are_known():
    x, y = sf.placeholder(sf.float32, [2, 3]), sf.placeholder(sf.float32, [2, 3])
    sf.gradients(x * y, [x, y])
    assert "SumLike" not in {op.type for op in sf.get_default_graph().operations}


def test_a_diamond_of_forty_layers():
    x = y = sf.constant(1.0)
    for _ in range(40):
        y = y + y
    assert derivative(y, x) == 2.0**40
    assert len(sf.get_default_graph().operations) < 200


def check_chain(length):
    x = y = sf.Variable(1.0)
    for _ in range(length):
        y = -y
    grad = sf.gradients(y, x)[0]
    table = sf.compute_gradients(y)
    assert run([y, grad, table[x]]) == [1.0, 1.0, 1.0]
    assert len(table) == length + 1


def test_a_long_chain_does_not_recurse():
    check_chain(20_000)


@pytest.mark.slow
def test_a_very_long_chain_does_not_recurse():
    check_chain(100_000)


def test_a_wide_sum_is_one_operation():
    x = sf.constant(1.0)
    y = sf.add_n([x * float(i) for i in range(300)])
    grad = sf.gradients(y, x)[0]
    assert grad.op.type == "AddN"
    assert run(grad) == sum(range(300))


def test_side_consumers_are_not_visited():
    x = sf.constant(2.0)
    y = sf.square(x, name="y")
    NoRule(x)
    Counted(y)
    steps, _ = events(y * 3.0, [x])
    assert [e.op.name for e, _ in steps] == ["mul", "y", "Const"]
    assert derivative(y * 3.0, x) == 12.0


def test_a_sum_does_not_write_into_what_it_adds():
    x = sf.constant([1.0, 2.0])
    first, second = x * 3.0, x * 4.0
    table = sf.compute_gradients(first + second + x)
    parts = [table[first], table[second], table[x]]
    for _ in range(2):
        assert [g.tolist() for g in run(parts)] == [[1, 1], [1, 1], [8, 8]]
    value = run(table)
    value[first][:] = 0.0
    assert value[second].tolist() == [1, 1]


# ---- the table


def test_the_table_holds_every_float_that_was_reached():
    w, x = sf.Variable([1.0, 2.0], name="w"), sf.Placeholder(sf.float32, [2], name="x")
    y = Double(w * x)
    loss = sf.reduce_sum(y)
    table = sf.compute_gradients(loss)
    assert set(table) == {loss, y, y.inputs[0], w, x}
    values = run(table, {x: [3.0, 4.0]})
    assert isinstance(values, GradientTable)
    assert values[loss] == 1.0
    assert values[y].tolist() == [1.0, 1.0]
    assert values[w].tolist() == [6.0, 8.0]
    assert values[x].tolist() == [2.0, 4.0]


def test_keys_are_what_stands_for_the_same_tensor():
    w = sf.Variable(2.0)
    y = Double(w)
    table = sf.compute_gradients(y)
    assert table[w] is table[w.value()] is table[w.as_tensor()]
    assert table[y] is table[y.output]
    for key in (w.value(), y.output):
        assert key in table
        assert table.get(key) is table[key]


def test_a_key_that_was_not_reached_is_named():
    table = sf.compute_gradients(sf.constant(1.0) * 2.0)
    for key in (sf.Variable(1.0, name="w"), sf.constant(1.0, name="c")):
        with pytest.raises(
            KeyError, match=f"'{key.name}'.* was not reached on the way"
        ):
            table[key]
        assert table.get(key) is None


def test_nothing_flows_back_through_an_operation_without_a_rule():
    w = sf.Variable(2.0)
    x = w * 3.0
    y = NoRule(x)
    table = sf.compute_gradients(y * 2.0)
    assert table[y] is not None
    assert table[x] is table[w] is None
    values = run(table)
    assert values[y] == 2.0
    assert values[x] is values[w] is None


def test_whole_numbers_have_no_gradient():
    x = sf.constant([1.0, 2.0])
    n = sf.constant([1, 0])
    y = sf.gather(x, n) * sf.cast(n, sf.float32)
    table = sf.compute_gradients(y)
    assert n not in table
    assert table[x] is not None
    assert sf.gradients(y, [n, x])[0] is None
    assert sf.gradients(sf.cast(x, sf.int32), x) == [None]
    assert dict(sf.compute_gradients(n + 1)) == {}


def test_a_loss_of_several_adds_up():
    x = sf.constant(3.0)
    y = x * x
    table = sf.compute_gradients([y, y * 2.0, y])
    assert run(table[x]) == 24.0
    assert run(table[y]) == 4.0


def test_a_loss_that_leads_to_another_one():
    x = sf.constant(3.0)
    y = x * x
    z = y * y
    assert run(sf.gradients([z, y], [x, y])) == [4 * 27.0 + 6.0, 2 * 9.0 + 1.0]


# ---- only where it is asked for


def test_with_xs_an_operation_without_a_rule_between_is_an_error():
    x = sf.constant(2.0)
    y = NoRule(x, name="blind") * 2.0
    for build in (sf.gradients, sf.compute_gradients):
        with pytest.raises(LookupError) as error:
            build(y, [x])
        text = str(error.value)
        assert text.startswith("no gradient is defined for NoRule 'blind', made at ")
        assert 'y = NoRule(x, name="blind") * 2.0' in text
        assert '@sf.RegisterGradient("NoRule")' in text


def test_an_operation_without_a_rule_beside_the_way_does_no_harm():
    x, other = sf.constant(2.0), sf.constant(3.0)
    y = x * NoRule(other)
    assert derivative(y, x) == 15.0
    with pytest.raises(LookupError):
        sf.gradients(y, other)


def test_only_what_leads_to_xs_is_built():
    x, other = sf.constant(2.0), sf.constant(3.0)
    y = Counted(x) * Counted(Counted(other))
    Counted.asked = 0
    assert derivative(y, x) == 3.0
    assert Counted.asked == 1
    assert dict(sf.compute_gradients(y, [])) == {}
    assert Counted.asked == 1


def test_xs_may_lead_to_each_other():
    x = sf.constant(2.0)
    y = x * x
    z = y * 3.0
    assert run(sf.gradients(z, [z, y, x, x])) == [1.0, 3.0, 12.0, 12.0]


def test_stopped_tensors_count_as_constants():
    x = sf.constant(2.0)
    y = x * x
    z = y * x
    assert run(sf.compute_gradients(z, stop_gradients=[y])[x]) == 4.0
    assert run(sf.gradients(z, [x, y], stop_gradients=y)) == [4.0, 2.0]
    assert sf.gradients(y * 2.0, x, stop_gradients=[y]) == [None]
    w = sf.Variable(3.0)
    assert run(sf.gradients(w * x, [w, x], stop_gradients=[w])) == [2.0, 3.0]


# ---- what the gradient starts with


def test_a_factor_for_each_y():
    x = sf.constant([1.0, 2.0])
    y = x * 3.0
    given = [[10.0, 20.0], sf.constant([1.0, -1.0]), sf.Variable([2.0, 0.0]), None]
    for factor, want in zip(given, [[30, 60], [3, -3], [6, 0], [3, 3]], strict=True):
        assert run(sf.gradients(y, x, [factor])[0]).tolist() == want
    assert run(sf.compute_gradients(y, grad_ys=[[2.0, 3.0]])[y]).tolist() == [2.0, 3.0]


def test_factors_must_fit():
    x = sf.constant([1.0, 2.0])
    with pytest.raises(ValueError, match="2 ys need as many grad_ys, got 1"):
        sf.gradients([x, x * 2.0], x, [1.0])
    with pytest.raises(ValueError, match="zip"):
        sf.compute_gradients([x, x * 2.0], grad_ys=[None])
    with pytest.raises(ValueError, match="float64 was given, and float32 is needed"):
        sf.gradients(x, x, sf.constant([1.0, 2.0], sf.float64))


def test_nothing_to_differentiate_is_an_error_that_says_so():
    x = sf.constant(1.0)
    for build in (lambda: sf.compute_gradients([]), lambda: sf.gradients([], x)):
        with pytest.raises(ValueError):  # noqa: PT011
            build()


def test_unconnected_gradients_may_be_zeros():
    x, y = sf.constant([1.0, 2.0]), sf.constant(3.0)
    kind = sf.UnconnectedGradients.ZERO
    for zero in (kind, "zero"):
        found = sf.gradients(y * 2.0, [x, y], unconnected_gradients=zero)
        assert [np.asarray(v).tolist() for v in run(found)] == [[0.0, 0.0], 2.0]
    with pytest.raises(ValueError, match="nought"):
        sf.gradients(y, x, unconnected_gradients="nought")


# ---- the steps of the walk


def test_each_rule_runs_once_when_nothing_is_pending():
    x = sf.constant(2.0, name="x")
    a = sf.square(x, name="a")
    b = sf.square(a, name="b")
    y = sf.add(x, b, name="y")
    steps, table = events(y)
    assert [e.op.name for e, _ in steps] == ["y", "b", "a", "x"]
    assert [pending["x"] for _, pending in steps] == [1, 1, 0, 0]
    assert [e.ran_rule for e, _ in steps] == [True, True, True, False]
    assert run(table[x]) == 1.0 + 4.0 * 8.0


def test_every_step_shows_what_waits():
    x = sf.constant(2.0)
    y = sf.square(x) * sf.exp(x)
    walk = walk_back(GradientTable(), [y], None, [None], set(), "gradients")
    waiting = [[op.type for op in e.queue] for e in walk]
    assert waiting == [["Square", "Exp"], ["Exp"], ["Const"], []]


def test_every_step_tells_what_it_added():
    x = sf.constant(2.0)
    graph = x.graph
    y = sf.square(x) * 3.0
    before = len(graph.nodes)
    steps, _ = events(y)
    numbers = [n for e, _ in steps for n in e.added]
    assert numbers == list(range(before + 1, len(graph.nodes)))  # the first is the seed
    ops = graph.get_operations()
    for e, _ in steps:
        assert {ops[n].forward for n in e.added} <= {e.op}
        assert all(
            ops[n].name.startswith(f"gradients/{e.op.name}_grad") for n in e.added
        )


def test_pending_counts_every_use():
    x = sf.constant(2.0)
    y = x * x + x
    steps, _ = events(y)
    assert [(e.op.type, pending["Const"]) for e, pending in steps] == [
        ("Add", 2),
        ("Mul", 0),
        ("Const", 0),
    ]


def test_a_rule_that_gets_no_gradient_is_not_run():
    x = sf.constant(2.0)
    steps, table = events(NoRule(Double(x)).output)
    assert [(e.op.type, e.ran_rule) for e, _ in steps] == [
        ("NoRule", True),
        ("Double", False),
        ("Const", False),
    ]
    assert table[x] is None


def test_gradient_operations_know_what_they_are_the_gradient_of():
    x = sf.constant(2.0)
    y = sf.square(x)
    z = y * 3.0
    dy, dx = sf.gradients(z, [y, x])
    assert (dy.op.forward, dx.op.forward) == (z.op, y.op)
    assert y.op.forward is None
    second = sf.gradients(dx, x)[0]
    assert second.op.forward is not None
    assert sf.square(x).op.forward is None


def test_gradient_operations_have_a_scope():
    x = sf.constant(2.0)
    y = sf.square(x, name="y")
    with sf.name_scope("train"):
        first = sf.gradients(y, x)[0]
    second = sf.gradients(y, x, name="again")[0]
    assert first.op.name.startswith("train/gradients/y_grad/")
    assert second.op.name.startswith("again/y_grad/")
    assert sf.gradients(y, y)[0].op.name == "gradients/ones_like"


def test_an_error_in_a_rule_leaves_the_graph_usable():
    @sf.operation
    def fails(x):
        return x

    @sf.RegisterGradient("fails")
    def _fails_grad(op, grad):
        raise KeyError("mine")

    x = sf.constant(2.0)
    with sf.name_scope("s"):
        with pytest.raises(KeyError, match="mine"):
            sf.gradients(fails(x), x)
        z = sf.square(x)
    assert z.op.name == "s/Square"
    assert z.op.forward is None


# ---- gradients are graph


def test_gradients_of_gradients():
    x = sf.constant(2.0)
    y = x**3.0 * sf.exp(x)
    values = []
    for _ in range(4):
        values.append(y)
        y = sf.gradients(y, x)[0]
    e = np.exp(2.0)
    want = [8 * e, (12 + 8) * e, (12 + 24 + 8) * e, (6 + 36 + 36 + 8) * e]
    np.testing.assert_allclose(run(values), want, rtol=1e-5)


def test_a_gradient_can_be_fed_clipped_and_built_upon():
    x = sf.placeholder(sf.float32, [])
    grad = sf.gradients(x * x, x)[0]
    half = sf.minimum(grad, 1.0) / 2.0
    assert run([grad, half], {x: 3.0}) == [6.0, 0.5]
    assert run(half, {x: 3.0, grad: 0.5}) == 0.25


def test_what_is_fed_inside_counts_in_the_gradient():
    x = sf.constant(2.0)
    y = x * x
    z = y * y
    grad = sf.gradients(z, x)[0]
    assert run([z, grad]) == [16.0, 32.0]
    assert run([z, grad], {y: 10.0}) == [100.0, 80.0]  # 2y dz/dy, and dy/dx as it is


def test_the_gradient_is_that_of_the_value_before_the_update():
    w = sf.Variable(3.0)
    grad = sf.gradients(w * w, w)[0]
    sess = sf.Session()
    assert sess.run([grad, sf.assign_sub(w, grad)]) == [6.0, -3.0]
    assert sess.run(grad) == -6.0


def test_a_gradient_takes_the_dtype_that_the_run_gives():
    x = sf.Placeholder()
    grads = sf.gradients(x * x * 3.0 + 2.0 / x, x)
    for dtype in (np.float16, np.float32, np.float64):
        value = run(grads[0], {x: np.array([1.0, 2.0], dtype)})
        assert value.dtype == dtype
        np.testing.assert_allclose(value, [4.0, 11.5], rtol=1e-3)


# ---- operations with several outputs


def test_an_output_that_is_not_used_has_a_gradient_of_zeros():
    x, y = sf.constant([1.0, 2.0]), sf.constant([3.0, 4.0])
    total, difference = Parts(x, y).outputs
    found = run(sf.gradients(difference * 10.0, [x, y]))
    assert [g.tolist() for g in found] == [[10.0, 10.0], [-10.0, -10.0]]
    found = run(sf.gradients([total, difference], [x, y]))
    assert [g.tolist() for g in found] == [[2.0, 2.0], [0.0, 0.0]]
    check = sf.constant(X)
    check_gradients(sf.square(Parts(check, check * 2.0).outputs[1]), check)


def test_an_output_of_whole_numbers_has_no_gradient():
    class WithCount(sf.Operation):
        num_outputs = 2

        def infer(self, x):
            return [(x.static_shape, x.static_dtype), ((), np.dtype(np.int32))]

        def compute(self, x):
            return 2.0 * x, np.int32(x.size)

    @sf.RegisterGradient(WithCount)
    def _with_count_grad(op, grad, of_count):
        assert of_count is None
        return 2.0 * grad

    x = sf.constant([1.0, 2.0])
    y, n = WithCount(x).outputs
    assert derivative(y * sf.cast(n, sf.float32), x).tolist() == [4.0, 4.0]


def test_the_gradients_of_two_outputs_meet_before_the_rule_runs():
    x, y = sf.constant(1.0), sf.constant(2.0)
    total, difference = Parts(x, y).outputs
    steps, _ = events(sf.square(sf.square(total)) + difference)
    assert [e.op.type for e, _ in steps].count("Parts") == 1
    assert derivative(sf.square(total) + difference, x) == 7.0


# ---- what a rule may return


@pytest.fixture
def made():
    """A function that makes ``2 * x + 0 * y`` with the rule that it is given."""

    @sf.operation
    def blend(x, y):
        return 2.0 * x + 0.0 * y

    def make(rule, x=None, y=None):
        sf.RegisterGradient("blend")(rule)
        x = sf.placeholder(sf.float32, [2], name="x") if x is None else x
        y = sf.placeholder(sf.float32, [2], name="y") if y is None else y
        return blend(x, y, name="mine"), x, y

    return make


def test_a_rule_may_return_numbers_arrays_lists_and_none(made):
    for result in (
        lambda op, g: (2.0 * g, None),
        lambda op, g: [g + g, [0.0, 0.0]],
        lambda op, g: (np.float32([2.0, 2.0]), [sf.constant(0.0), 0.0]),
    ):
        z, x, y = made(result)
        dx, dy = sf.gradients(z, [x, y])
        assert run(dx, {x: [1.0, 1.0], y: [1.0, 1.0]}).tolist() == [2.0, 2.0]
        assert dy is None or run(dy).tolist() == [0.0, 0.0]


@pytest.mark.parametrize("result", [lambda op, g: g, lambda op, g: (g, g, g)])
def test_a_gradient_for_each_input_is_needed(made, result):
    z, x, _ = made(result)
    with pytest.raises(
        ValueError, match="the gradient rule of blend returned"
    ) as error:
        sf.gradients(z, x)
    text = str(error.value)
    assert "'mine' has 2 inputs, made at " in text
    assert "Return one for each input, None where no gradient flows" in text


@pytest.mark.parametrize(
    ("result", "shown"),
    [
        (lambda op, g: (sf.constant([1.0, 2.0, 3.0]), None), r"\(3,\) float32"),
        (lambda op, g: (sf.constant(1.0), None), r"\(\) float32"),
        (lambda op, g: (sf.constant([[1.0, 2.0]]), None), r"\(1, 2\) float32"),
        (lambda op, g: (sf.constant([1.0, 2.0], sf.float64), None), r"\(2,\) float64"),
        (lambda op, g: (sf.constant([1, 2]), None), r"\(2,\) int32"),
        (lambda op, g: (np.array([1.0, 2.0]), None), r"\(2,\) float64"),
    ],
)
def test_a_gradient_has_the_shape_and_dtype_of_its_input(made, result, shown):
    z, x, _ = made(result)
    with pytest.raises(ValueError) as error:  # noqa: PT011
        sf.gradients(z, x)
    text = str(error.value)
    assert text.startswith("the gradient rule of blend returned '")
    assert "for the input 'x:0' (2,) float32 of 'mine', made at " in text
    assert text.endswith("A gradient has the shape and dtype of what it belongs to")
    assert re.search(shown, text)


def test_a_replaced_rule_of_a_broadcasting_operation_is_checked_too():
    sf.RegisterGradient("DoublePrecision")(
        lambda op, g: (sf.cast(g, sf.float64), sf.cast(g, sf.float64))
    )
    x = sf.constant([1.0, 2.0])
    with sf.get_default_graph().gradient_override_map({"Mul": "DoublePrecision"}):
        y = sf.multiply(x, 2.0, name="mine")
    with pytest.raises(
        ValueError, match=r"rule of Mul returned .* float64 .* of 'mine'"
    ):
        sf.gradients(y, x)


def test_a_rule_may_build_constants_whatever_the_default_graph(made):
    with sf.Graph().as_default() as g:
        z, x, y = made(lambda op, grad: (sf.constant([2.0, 2.0]) * grad, sf.zeros([2])))
    grads = sf.gradients(z, [x, y])
    assert sf.get_default_graph().get_operations() == []
    feed = {x: [1.0, 1.0], y: [1.0, 1.0]}
    found = sf.Session(graph=g).run(grads, feed)
    assert [v.tolist() for v in found] == [[2.0, 2.0], [0.0, 0.0]]


def test_factors_may_be_numbers_whatever_the_default_graph():
    with sf.Graph().as_default() as g:
        x = sf.constant([1.0, 2.0])
        y = x * x
    grads = sf.gradients(y, x, grad_ys=[[1.0, 10.0]])
    assert sf.get_default_graph().get_operations() == []
    assert sf.Session(graph=g).run(grads)[0].tolist() == [2.0, 40.0]


def test_losses_of_two_graphs_are_refused():
    with sf.Graph().as_default():
        other = sf.constant(1.0)
    x = sf.constant(1.0)
    for build in (
        lambda: sf.gradients([x, other], x),
        lambda: sf.gradients(x * 2.0, [x, other]),
    ):
        with pytest.raises(ValueError, match="two graphs"):
            build()


# ---- while the graph runs


def test_an_optimizer_that_builds_gradients_while_it_runs_gets_the_recipe():
    class Descent(sf.Operation):
        def compute(self, loss):
            return sf.compute_gradients(self.inputs[0])

    w = sf.Variable(1.0)
    step = Descent(w * w, name="train")
    with pytest.raises(RuntimeError) as error:
        run(step)
    text = str(error.value)
    assert (
        "compute_gradients adds operations to the graph, and was called inside" in text
    )
    assert "grads = sf.compute_gradients(loss)" in text
    assert "sf.assign_sub(v, rate * grads[v]) for v in sf.trainable_variables()" in text
    assert "train_op = sf.group(*steps)" in text
    assert any("in Descent 'train', made at" in note for note in error.value.__notes__)


def test_the_recipe_works():
    w, rate = sf.Variable(1.0), 0.25
    loss = w * w
    grads = sf.compute_gradients(loss)
    steps = [sf.assign_sub(v, rate * grads[v]) for v in sf.trainable_variables()]
    train_op = sf.group(*steps)
    sess = sf.Session()
    for _ in range(3):
        sess.run(train_op)
    assert sess.run(w) == 0.125


def test_an_operation_may_use_a_graph_of_its_own_while_it_runs():
    class Inner(sf.Operation):
        def compute(self, x):
            with sf.Graph().as_default() as g:
                c = sf.constant(x)
                return sf.Session(graph=g).run(sf.gradients(c * c, c)[0])

    assert run(Inner(sf.constant(3.0))) == 6.0


# ---- sparse gradients


@pytest.fixture
def rows():
    """A table of four rows, and its gradient from three that were gathered."""
    p = sf.Variable(np.arange(8, dtype=np.float32).reshape(4, 2), name="p")
    grad = sf.gradients(sf.gather(p, [2, 0, 2]) * 3.0, p)[0]
    return p, grad


def test_a_gradient_of_gathered_rows_is_sparse(rows):
    p, grad = rows
    assert isinstance(grad, sf.IndexedSlices)
    assert grad.name == grad.values.name
    assert grad.op is grad.values.op
    assert grad.graph is p.graph
    assert grad.device == ""
    assert grad.dtype == sf.float32
    assert grad.shape.as_list() == grad.get_shape().as_list() == [4, 2]
    assert grad.consumers() == grad.values.consumers()
    assert grad.components == (grad.values, grad.indices, grad.dense_shape)
    value = run(grad)
    assert isinstance(value, sf.IndexedSlicesValue)
    assert value.indices.tolist() == [2, 0, 2]
    assert value.values.tolist() == [[3.0, 3.0]] * 3
    assert value.dense_shape.tolist() == [4, 2]
    assert repr(grad).startswith("IndexedSlices(indices=<")


def test_a_sparse_gradient_becomes_dense_where_a_tensor_is_needed(rows):
    p, grad = rows
    want = [[3.0, 3.0], [0.0, 0.0], [6.0, 6.0], [0.0, 0.0]]
    dense = sf.convert_to_tensor(grad)
    assert dense.shape.as_list() == [4, 2]
    assert run(dense).tolist() == want
    assert run(grad.as_tensor() * 2.0).tolist() == (2 * np.array(want)).tolist()
    assert run(p - p + grad).tolist() == want
    assert run(sf.convert_to_tensor(-grad)).tolist() == (-np.array(want)).tolist()


def test_sparse_gradients_are_joined_and_mixed_ones_added():
    p = sf.Variable([1.0, 2.0, 3.0])
    some = sf.gather(p, [0, 1]), sf.gather(p, sf.constant([1], sf.int64))
    joined = sf.gradients(some, p)[0]
    assert isinstance(joined, sf.IndexedSlices)
    assert run(joined).indices.tolist() == [0, 1, 1]
    assert run(joined).indices.dtype == np.int64
    mixed = sf.gradients([*some, p * 10.0], p)[0]
    assert isinstance(mixed, sf.Tensor)
    assert run(mixed).tolist() == [11.0, 12.0, 10.0]


def test_a_sparse_gradient_goes_on_through_other_rules():
    p = sf.Variable([1.0, 2.0, 3.0])
    grad = sf.gradients(sf.gather(sf.square(p), [0, 2, 2]), p)[0]
    assert isinstance(grad, sf.Tensor)
    assert run(grad).tolist() == [2.0, 0.0, 12.0]


def test_slices_made_by_hand():
    rows = sf.placeholder(sf.float32, [None, 2])
    unknown = sf.IndexedSlices(rows, [0, 1])
    assert unknown.shape.as_list() == [None, 2]
    assert unknown.dense_shape is None
    assert unknown.components == (rows, unknown.indices)
    assert run(unknown, {rows: [[1, 2], [3, 4]]}).dense_shape is None
    with pytest.raises(ValueError, match="has no dense_shape"):
        sf.convert_to_tensor(unknown)
    assert sf.IndexedSlices(sf.Placeholder(), [0]).shape.dims is None
    joined = unknown.joined([unknown, unknown])
    assert joined.dense_shape is None
    size = sf.placeholder(sf.int32, [2])
    fed = sf.IndexedSlices(rows, [0, 2], size)
    assert fed.shape.as_list() == [None, None]
    found = run(sf.convert_to_tensor(fed), {rows: [[1, 2], [3, 4]], size: [3, 2]})
    assert found.tolist() == [[1, 2], [0, 0], [3, 4]]
    unranked = sf.IndexedSlices(sf.Placeholder(), [1], [2])
    assert sf.convert_to_tensor(unranked).shape.as_list() == [2]


def test_grad_ys_have_the_shapes_of_ys():
    x = sf.constant([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
    for y, seed in (
        (sf.reduce_sum(x * x), [1.0, 2.0, 3.0]),
        (sf.reduce_mean(x, 1), [1.0]),
        (x * 2.0, 1.0),
        (x * 2.0, [1.0, 2.0, 3.0]),
    ):
        with pytest.raises(ValueError, match="grad_ys have the shapes of ys"):
            sf.gradients(y, x, grad_ys=[seed])
    free = sf.placeholder(sf.float32)
    [grad] = sf.gradients(x * 2.0, x, grad_ys=[free])
    with pytest.raises(sf.errors.InvalidArgumentError):
        run(grad, {free: 1.0})
    assert run(grad, {free: np.ones((2, 3))}).tolist() == [[2.0] * 3] * 2
