"""The gradient registry: what a rule may be registered for, and how it is found."""

import numpy as np
import pytest

import similarflow as sf
from similarflow.core import rules
from similarflow.core.graph import OWN_TYPES


@pytest.fixture(autouse=True)
def _rules_are_restored():
    kept = dict(rules._rules), dict(OWN_TYPES)
    yield
    for registry, before in zip((rules._rules, OWN_TYPES), kept, strict=True):
        registry.clear()
        registry.update(before)


class ThirdPower(sf.Operation):
    def compute(self, x):
        return x**3


@sf.operation
def fourth_power(x):
    return x**4


def rule(op, grad):
    return 10.0 * grad


def gradient_of(y, x):
    return sf.Session().run(sf.gradients(y, x)[0])


# ---- what a rule is for


@pytest.mark.parametrize(
    ("of", "key"),
    [
        (ThirdPower, "ThirdPower"),
        ("ThirdPower", "ThirdPower"),
        (fourth_power, "fourth_power"),
        ("fourth_power", "fourth_power"),
        (fourth_power.own, "fourth_power"),
        ("a name of its own", "a name of its own"),
    ],
)
def test_a_rule_is_registered_for_a_class_a_type_or_a_function(of, key):
    assert sf.RegisterGradient(of)(rule) is rule
    assert sf.gradient_registry[key] is rule


@pytest.mark.parametrize("of", ["no_op", sf.no_op, "NoOp"])
def test_a_builder_s_name_means_its_type(of):
    assert "NoOp" not in sf.gradient_registry
    sf.RegisterGradient(of)(rule)
    assert sf.gradient_registry["NoOp"] is rule
    assert "no_op" not in sf.gradient_registry


def test_a_front_s_name_means_the_type_that_it_builds():
    for of in ("truediv", sf.truediv, "RealDiv"):
        with pytest.raises(KeyError, match="RealDiv has its rule already"):
            sf.RegisterGradient(of)


def test_an_own_operation_s_type_comes_before_a_builder_s_name():
    @sf.operation
    def square(x):
        return x * x

    sf.RegisterGradient("square")(rule)
    x = sf.constant(3.0)
    assert gradient_of(square(x), x) == 10.0
    assert gradient_of(sf.square(x), x) == 6.0


def test_what_has_no_name_has_no_rule():
    for of in (3, None):
        with pytest.raises(TypeError):
            sf.RegisterGradient(of)


def test_the_rule_sees_the_operation():
    seen = []

    @sf.RegisterGradient(ThirdPower)
    def _cube_grad(op, grad):
        seen.append((op.inputs, op.outputs, op.output, grad))
        return 3.0 * grad * sf.square(op.inputs[0])

    x = sf.constant([1.0, 2.0])
    y = ThirdPower(x)
    assert gradient_of(y, x).tolist() == [3.0, 12.0]
    [(inputs, outputs, output, grad)] = seen
    assert inputs == (x,)
    assert outputs == (output,) == (y.output,)
    assert isinstance(grad, sf.Tensor)


# ---- replacing a rule


@pytest.mark.parametrize("of", ["Square", "square", sf.square])
def test_a_built_in_rule_is_not_replaced(of):
    before = sf.gradient_registry["Square"]
    with pytest.raises(KeyError, match="Square has its rule already") as error:
        sf.RegisterGradient(of)
    assert 'gradient_override_map({"Square": "that name"})' in str(error.value)
    assert sf.gradient_registry["Square"] is before


@pytest.mark.parametrize("of", ["Square", "square", "matmul"])
def test_a_built_in_rule_is_not_taken_away(of):
    with pytest.raises(KeyError, match="has its rule already"):
        sf.NotDifferentiable(of)
    assert sf.gradient_registry["Square"] is not None
    assert sf.gradient_registry["MatMul"] is not None


def test_one_s_own_rule_may_be_registered_again():
    x = sf.constant(2.0)
    sf.RegisterGradient(ThirdPower)(rule)
    assert gradient_of(ThirdPower(x), x) == 10.0
    sf.RegisterGradient("ThirdPower")(lambda op, grad: -grad)
    assert gradient_of(ThirdPower(x), x) == -1.0
    sf.NotDifferentiable(ThirdPower)
    assert sf.gradients(ThirdPower(x), x) == [None]


def test_an_own_class_may_have_the_name_of_a_built_in_type():
    class Sigmoid(sf.Operation):
        def compute(self, x):
            return 1 / (1 + np.exp(-x))

    @sf.RegisterGradient(Sigmoid)
    def _own_sigmoid_grad(op, grad):
        return 10.0 * grad

    x = sf.constant(0.0)
    assert gradient_of(Sigmoid(x), x) == 10.0
    assert gradient_of(sf.sigmoid(x), x) == 0.25


def test_the_registry_is_there_to_look_at():
    assert callable(sf.gradient_registry["MatMul"])
    assert sf.gradient_registry["ArgMax"] is None
    assert len(sf.gradient_registry) > 30
    with pytest.raises(TypeError):
        sf.gradient_registry["ThirdPower"] = rule
    with pytest.raises(TypeError):
        del sf.gradient_registry["MatMul"]


# ---- no gradient on purpose


def test_not_differentiable_says_it_on_purpose():
    x = sf.constant(2.0)
    with pytest.raises(
        LookupError, match="no gradient is defined for ThirdPower 'ThirdPower'"
    ):
        sf.gradients(ThirdPower(x), x)
    sf.NotDifferentiable(ThirdPower)
    assert sf.gradient_registry["ThirdPower"] is None
    assert sf.gradients(ThirdPower(x) + x * 3.0, x)[0] is not None
    assert gradient_of(ThirdPower(x) + x * 3.0, x) == 3.0


# ---- other rules for a part of a graph


def test_another_rule_for_what_is_built_inside():
    sf.RegisterGradient("TenTimes")(rule)
    x = sf.constant(3.0)
    graph = sf.get_default_graph()
    before = sf.square(x)
    with graph.gradient_override_map({"Square": "TenTimes"}):
        inside = sf.square(x)
        other = sf.negative(x)
    after = sf.square(x)
    assert [y.op.gradient_key for y in (before, inside, other, after)] == [
        "Square",
        "TenTimes",
        "Neg",
        "Square",
    ]
    values = [gradient_of(y, x) for y in (before, inside, other, after)]
    assert values == [6.0, 10.0, -1.0, 6.0]
    assert gradient_of(before + inside + after, x) == 22.0


def test_maps_within_maps_add_up_and_the_inner_one_counts():
    graph = sf.get_default_graph()
    with graph.gradient_override_map({"Square": "A", "Neg": "A"}):
        with graph.gradient_override_map({"Square": "B", "Exp": "B"}):
            keys = [f(1.0).op.gradient_key for f in (sf.square, sf.negative, sf.exp)]
        again = [f(1.0).op.gradient_key for f in (sf.square, sf.negative, sf.exp)]
    assert keys == ["B", "A", "B"]
    assert again == ["A", "A", "Exp"]
    assert graph.gradient_overrides == {}


def test_an_exception_restores_the_map():
    graph = sf.get_default_graph()
    with pytest.raises(KeyError), graph.gradient_override_map({"Square": "A"}):
        raise KeyError
    assert graph.gradient_overrides == {}
    assert sf.square(1.0).op.gradient_key == "Square"


def test_own_operations_can_have_another_rule_too():
    sf.RegisterGradient("TenTimes")(rule)
    sf.RegisterGradient(ThirdPower)(lambda op, grad: -grad)
    x = sf.constant(3.0)
    with sf.get_default_graph().gradient_override_map({"ThirdPower": "TenTimes"}):
        y = ThirdPower(x)
    assert gradient_of(y, x) == 10.0


def test_a_name_without_a_rule_is_an_error_that_names_it():
    x = sf.constant(3.0)
    with sf.get_default_graph().gradient_override_map({"Square": "Nowhere"}):
        y = sf.square(x)
    with pytest.raises(LookupError, match=r'sf.RegisterGradient\("Nowhere"\)'):
        sf.gradients(y, x)
