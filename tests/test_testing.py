"""The checks themselves: they find what is wrong, and accept what is right."""

import numpy as np
import pytest

import similarflow as sf
from similarflow.core.samples import case, integers, normal, uniform
from similarflow.testing import check_gradients, draw_case, iterate_samples

X = np.array([[0.5, -1.5], [2.0, 0.75]])


def with_rule(rule):
    """``x**3`` with a rule of one's own."""

    @sf.operation
    def checked_cube(x):
        return x**3

    sf.RegisterGradient("checked_cube")(rule)
    return checked_cube


def right(op, grad):
    return 3.0 * grad * sf.square(op.inputs[0])


def wrong(op, grad):
    return 2.0 * grad * sf.square(op.inputs[0])


def blind_to_x(op, grad):
    return 3.0 * grad * sf.square(sf.stop_gradient(op.inputs[0]))


def blind_to_grad(op, grad):
    return 3.0 * sf.stop_gradient(grad) * sf.square(op.inputs[0])


def wrong_at_one_place(op, grad):
    right_one = 3.0 * grad * sf.square(op.inputs[0])
    return right_one + sf.constant([[0.0, 0.0], [0.001, 0.0]], sf.float64)


def silent(op, grad):
    return None


# ---- what is right


@pytest.mark.parametrize("value", [X, X[0], X[0, 0], np.zeros([0, 2])])
def test_a_right_rule_is_accepted(value):
    x = sf.constant(value)
    assert check_gradients(with_rule(right)(x), x) < 1e-5


def test_several_xs_a_variable_and_a_placeholder():
    x, w = sf.placeholder(sf.float64, [2, 2]), sf.Variable(X)
    other = sf.placeholder(sf.float64, [])
    y = sf.exp(x * w) / other
    feed = {x: X / 2, other: 2.0}
    assert 0 < check_gradients(y, [x, w], feed) < 1e-5
    assert check_gradients(y, other, feed) < 1e-5
    assert check_gradients(y, w, {x: X, w: X[::-1], other: 3.0}) < 1e-4


def test_an_unconnected_x_and_what_is_flat():
    x, other = sf.constant(X), sf.constant([1.0, 2.0], sf.float64)
    assert check_gradients(x * 2.0, [x, other]) < 1e-8
    assert check_gradients(sf.stop_gradient(other) + 0.0 * other, x) == 0.0
    assert check_gradients(sf.argmax(x, 0), x) == 0.0


def test_float32_is_checked_roughly():
    x = sf.constant(X, sf.float32)
    assert check_gradients(with_rule(right)(x), x) < 0.05
    with pytest.raises(AssertionError):
        check_gradients(with_rule(wrong)(x), x)


def test_an_untyped_x_is_checked():
    x = sf.Placeholder()
    for value in (X, X.tolist(), 2, X.astype(np.float32)):
        check_gradients(with_rule(right)(x), x, {x: value})
        with pytest.raises(AssertionError):
            check_gradients(with_rule(wrong)(x), x, {x: value})


def test_a_session_s_values_count():
    w = sf.Variable(X)
    sess = sf.Session()
    sess.run(sf.assign(w, 2.0 * X))
    check_gradients(sf.square(w) * w, w, session=sess)
    assert sess.run(w).tolist() == (2.0 * X).tolist()


def test_another_graph_than_the_default_one():
    with sf.Graph().as_default():
        x = sf.constant(X)
        y = sf.tanh(x)
    check_gradients(y, x)
    assert sf.get_default_graph().get_operations() == []


# ---- what is wrong


@pytest.mark.parametrize("rule", [wrong, silent, wrong_at_one_place])
@pytest.mark.parametrize("order", [1, 2])
def test_a_wrong_first_order_is_found(rule, order):
    x = sf.constant(X, name="x")
    with pytest.raises(AssertionError, match=r"first-order gradient of .* by 'x:0' at"):
        check_gradients(with_rule(rule)(x), x, order=order)


@pytest.mark.parametrize("rule", [blind_to_x, blind_to_grad])
def test_a_wrong_second_order_is_found(rule):
    x = sf.constant(X, name="x")
    y = sf.square(with_rule(rule)(x))
    check_gradients(y, x, order=1)
    with pytest.raises(
        AssertionError, match=r"second-order gradient of .* by 'x:0' at"
    ):
        check_gradients(y, x)


def test_the_message_says_where_and_shows_both_numbers():
    x = sf.constant(X, name="x")
    y = with_rule(wrong_at_one_place)(x, name="cube")
    with pytest.raises(AssertionError) as error:
        check_gradients(y, x)
    text = str(error.value)
    assert text.startswith("first-order gradient of 'cube:0' by 'x:0' at [1, 0]: the ")
    rules, differences = text.split("the rules give ")[1].split(", differences give ")
    found = float(rules.removeprefix("np.float64(").rstrip(")"))
    assert found - float(differences) == pytest.approx(0.001, rel=1e-3)


def test_a_gradient_of_another_shape_is_found():
    @sf.operation
    def loose(x):
        return x.sum(axis=0)

    sf.RegisterGradient("loose")(lambda op, grad: grad)
    x = sf.placeholder(sf.float64)
    y = loose(x)
    with pytest.raises(AssertionError, match=r"has shape \(2,\), not \(2, 2\)"):
        check_gradients(y, x, {x: X})


def test_what_is_not_a_number_is_found():
    x = sf.constant(X, name="x")
    y = with_rule(lambda op, grad: grad * float("nan"))(x)
    with pytest.raises(AssertionError, match="nan"):
        check_gradients(y, x)


def test_an_operation_without_a_rule_is_an_error():
    @sf.operation
    def never_ruled(x):
        return x

    x = sf.constant(X)
    with pytest.raises(LookupError, match="never_ruled"):
        check_gradients(never_ruled(x), x)


def test_tolerances_can_be_given():
    x = sf.constant(X)
    y = with_rule(wrong_at_one_place)(x)
    assert check_gradients(y, x, order=1, atol=0.01) == pytest.approx(0.001, rel=1e-3)
    assert check_gradients(y, x, order=1, rtol=1.0) == pytest.approx(0.001, rel=1e-3)
    with pytest.raises(AssertionError):
        check_gradients(sf.exp(x), x, rtol=0.0, atol=0.0)


def test_the_seed_decides_the_weights():
    x = sf.constant(X)
    y = with_rule(right)(x)
    found = [check_gradients(y, x, seed=s) for s in (0, 0, 1)]
    assert found[0] == found[1] != found[2]


# ---- samples


def test_a_sample_is_drawn_as_its_declaration_says():
    definition = sf.reduce_sum.definition
    [x], attrs = draw_case(definition, case(normal(2, 3), 1, keepdims=True))
    assert (x.shape, x.dtype) == ((2, 3), np.float64)
    assert attrs == {"axis": 1, "keepdims": True}
    [again], _ = draw_case(definition, case(normal(2, 3)))
    assert again.tolist() == x.tolist()
    [other], _ = draw_case(definition, case(normal(2, 3)), seed=1)
    assert other.tolist() != x.tolist()
    [low], _ = draw_case(definition, case(uniform(2.0, 3.0, 50)), np.float32)
    assert low.dtype == np.float32
    assert ((low >= 2.0) & (low < 3.0)).all()
    [whole], _ = draw_case(definition, case(integers(-2, 2, 50)), np.float32)
    assert whole.dtype == np.int32
    assert set(whole.tolist()) == {-2, -1, 0, 1}


def test_a_sample_may_be_a_value():
    x, y = draw_case(sf.add.definition, case([1.0, 2.0], 3), np.float32)[0]
    assert (x.tolist(), x.dtype, y) == ([1.0, 2.0], np.float32, 3)
    [values], _ = draw_case(sf.add_n.definition, case([normal(2), [1.0, 2.0]]))
    assert [np.shape(v) for v in values] == [(2,), (2,)]


def test_every_sample_of_every_definition():
    definitions = [sf.add.definition, sf.negative.definition]
    pairs = list(iterate_samples(definitions))
    assert [d for d, _ in pairs] == [
        d for d in definitions for _ in range(len(d.samples))
    ]
    assert pairs[0][1] is definitions[0].samples[0]


def test_what_has_no_slope_is_refused():
    whole, x = sf.constant(3), sf.constant(1.0)
    with pytest.raises(TypeError, match="only floats have slopes"):
        check_gradients(x * 2.0, [x, whole])
