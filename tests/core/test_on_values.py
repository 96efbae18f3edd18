"""Gradient rules that take and return arrays."""

import numpy as np
import pytest

import similarflow as sf
from similarflow.core import rules
from similarflow.testing import check_gradients


@pytest.fixture(autouse=True)
def _rules_are_restored():
    kept = dict(rules._rules)
    yield
    rules._rules.clear()
    rules._rules.update(kept)


class Sine(sf.Operation):
    def compute(self, x):
        return np.sin(x)


@sf.RegisterGradient(Sine, on_values=True)
def _sine_grad(op, grad):
    """The slope of a sine."""
    return grad * np.cos(op.inputs[0])


@sf.operation(num_outputs=2)
def polar(x, y):
    return np.hypot(x, y), np.arctan2(y, x)


@sf.RegisterGradient("polar", on_values=True)
def _polar_grad(op, of_radius, of_angle):
    (x, y), (radius, _) = op.inputs, op.outputs
    return (
        of_radius * x / radius - of_angle * y / radius**2,
        of_radius * y / radius + of_angle * x / radius**2,
    )


@sf.operation
def power(x, y, scale=1.0):
    return scale * x**y


def run(fetches, feed=None):
    return sf.Session().run(fetches, feed)


def test_a_rule_on_values():
    x = sf.constant([0.5, 1.0], sf.float64)
    check_gradients(Sine(x), x, order=1)
    check_gradients(Sine(2.0 * Sine(x)) + x, x, order=1)


def test_a_rule_on_values_of_several_outputs():
    x, y = sf.constant([1.0, 2.0], sf.float64), sf.constant([0.5, -1.0], sf.float64)
    radius, angle = polar(x, y)
    check_gradients(radius * angle, [x, y], order=1)
    check_gradients(angle, [x, y], order=1)


def test_the_rule_keeps_its_name_and_text():
    rule = sf.gradient_registry["Sine"]
    assert (rule.__name__, rule.__doc__) == ("_sine_grad", "The slope of a sine.")

    class Callable:
        def __call__(self, op, grad):
            return grad

    sf.RegisterGradient(Sine, on_values=True)(Callable())
    assert sf.gradient_registry["Sine"].__name__ == "rule"


def test_the_rule_sees_arrays_and_the_operation_s_fields():
    seen = {}

    @sf.RegisterGradient("power", on_values=True)
    def _power_grad(op, grad):
        seen.update(vars(op), type=op.type, name=op.name, attrs=op.attrs, grad=grad)
        assert op.output is op.outputs[0]
        return grad, None

    x = sf.constant([1.0, 2.0])
    y = power(x, 3.0, scale=2.0, name="mine")
    run(sf.gradients(y, x))
    assert (seen["type"], seen["name"]) == ("power", "mine")
    assert seen["attrs"] == {"scale": 2.0}
    assert [v.tolist() for v in seen["inputs"]] == [[1.0, 2.0], 3.0]
    assert seen["output"].tolist() == [2.0, 16.0]
    assert seen["grad"].tolist() == [1.0, 1.0]


def test_arrays_are_read_only():
    @sf.RegisterGradient("power", on_values=True)
    def _power_grad(op, grad):
        grad *= 2.0
        return grad, grad

    x = sf.constant([1.0, 2.0])
    with pytest.raises(ValueError, match="read-only"):
        run(sf.gradients(power(x, 3.0), x))


def test_none_means_zeros():
    sf.RegisterGradient("power", on_values=True)(lambda op, grad: (None, grad))
    x, y = sf.constant([1.0, 2.0]), sf.constant([3.0, 4.0])
    found = run(sf.gradients(power(x, y), [x, y]))
    assert [g.tolist() for g in found] == [[0.0, 0.0], [1.0, 1.0]]
    sf.RegisterGradient(Sine, on_values=True)(lambda op, grad: None)
    assert run(sf.gradients(Sine(x), x))[0].tolist() == [0.0, 0.0]


def test_a_wrong_number_of_gradients_is_an_error():
    for rule in (lambda op, grad: grad, lambda op, grad: [grad] * 3):
        sf.RegisterGradient("power", on_values=True)(rule)
        x = sf.constant([1.0, 2.0])
        grad = sf.gradients(power(x, 3.0, name="mine"), x)
        with pytest.raises(
            ValueError, match=r"rule of power returned . gradients for 2"
        ):
            run(grad)


def test_a_wrong_shape_is_an_error():
    """What is easily forgotten: to sum over the axes that were broadcast."""
    sf.RegisterGradient("power", on_values=True)(lambda op, grad: (grad, grad))
    x, y = sf.constant([1.0, 2.0]), sf.Variable(3.0)
    grads = sf.gradients(power(x, y, name="mine"), [x, y])
    with pytest.raises(ValueError, match=r"power.*\(2,\).*\(\)"):
        run(grads)


def test_the_gradient_s_shape_is_known_before_the_run():
    x = sf.placeholder(sf.float32, [None, 3])
    grad = sf.gradients(Sine(x), x)[0]
    assert grad.shape.as_list() == [None, 3]
    assert run(grad, {x: np.zeros([2, 3])}).tolist() == [[1.0] * 3] * 2


def test_outputs_of_whole_numbers_get_no_gradient():
    class Sorted(sf.Operation):
        num_outputs = 2

        def infer(self, x):
            return [
                (x.static_shape, x.static_dtype),
                (x.static_shape, np.dtype("int64")),
            ]

        def compute(self, x):
            order = np.argsort(x)
            return x[order], order

    @sf.RegisterGradient(Sorted, on_values=True)
    def _sorted_grad(op, grad, of_order):
        result = np.zeros_like(grad)
        result[op.outputs[1]] = grad
        return result

    x = sf.constant([3.0, 1.0, 2.0])
    y, _ = Sorted(x).outputs
    found = run(sf.gradients(y * [1.0, 10.0, 100.0], x))
    assert found[0].tolist() == [100.0, 1.0, 10.0]


def test_there_is_a_first_order_only():
    x = sf.constant([1.0, 2.0])
    first = sf.gradients(Sine(x), x)[0]
    with pytest.raises(
        LookupError, match="the rule of Sine works on values, so there is"
    ):
        sf.gradients(first, x)


def test_another_rule_on_values_for_a_part_of_a_graph():
    sf.RegisterGradient("OnValuesTwice", on_values=True)(lambda op, grad: 2.0 * grad)
    x = sf.constant([1.0, 2.0])
    with sf.get_default_graph().gradient_override_map({"Square": "OnValuesTwice"}):
        y = sf.square(x)
    assert run(sf.gradients(y, x))[0].tolist() == [2.0, 2.0]


def test_it_trains():
    w = sf.Variable([2.0])
    loss = sf.reduce_sum(Sine(w))
    step = sf.train.GradientDescentOptimizer(0.5).minimize(loss)
    sess = sf.Session()
    for _ in range(60):
        sess.run(step)
    assert sess.run(loss) == pytest.approx(-1.0)
