"""`custom_gradient`: arguments, variables, several outputs."""

import functools

import numpy as np
import pytest

import similarflow as sf
from similarflow.testing import check_gradients


def run(fetches, feed=None):
    return sf.Session().run(fetches, feed)


@sf.custom_gradient
def log1pexp(x):
    """``log(1 + exp(x))``, with a slope that does not overflow."""
    e = sf.exp(x)
    return sf.log(1.0 + e), lambda dy: dy * (1.0 - 1.0 / (1.0 + e))


@sf.custom_gradient
def both(x, y):
    def grad(of_sum, of_product):
        return of_sum + of_product * y, of_sum + of_product * x

    return [x + y, x * y], grad


def test_it_gives_the_slope_that_the_function_says():
    x = sf.constant([-1.0, 0.5, 2.0], sf.float64)
    check_gradients(log1pexp(x), x)
    large = sf.constant(100.0)
    assert run(sf.gradients(log1pexp(large), large)) == [1.0]
    assert (log1pexp.__name__, log1pexp.__doc__[:10]) == ("log1pexp", "``log(1 + ")


def test_several_arguments_and_outputs():
    x, y = sf.constant([1.0, 2.0], sf.float64), sf.constant([3.0, -4.0], sf.float64)
    total, product = both(x, y)
    assert [v.tolist() for v in run([total, product])] == [[4.0, -2.0], [3.0, -8.0]]
    check_gradients(total * product, [x, y])
    check_gradients(sf.square(product), [x, y])


def test_arguments_convert_to_tensors_and_keywords_are_passed_on():
    @sf.custom_gradient
    def scaled(x, factor=1.0):
        return x * factor, lambda dy: 10.0 * dy

    v = sf.Variable(2.0)
    y = scaled(v, factor=3.0)
    assert run([y, sf.gradients(y, v)[0]]) == [6.0, 10.0]
    assert run(scaled(4.0)) == 4.0


def test_an_argument_may_be_returned_as_it_is():
    @sf.custom_gradient
    def reversed_gradient(x):
        return x, lambda dy: -dy

    x = sf.constant(2.0)
    y = reversed_gradient(x)
    assert run([y, sf.gradients(y * 3.0, x)[0]]) == [2.0, -3.0]


def test_no_gradient_may_flow():
    @sf.custom_gradient
    def first_only(x, y):
        return x * y, lambda dy: (dy, None)

    x, y = sf.constant(2.0), sf.constant(3.0)
    grads = sf.gradients(first_only(x, y), [x, y])
    assert grads[1] is None
    assert run(grads[0]) == 1.0


def with_variables(grad_of):
    """``w * x + b``, where the function reads the variables w and b."""
    w, b = sf.Variable(3.0, name="w"), sf.Variable(1.0, name="b")
    frozen = sf.Variable(0.0, trainable=False)

    @sf.custom_gradient
    def line(x):
        return w * x + b + frozen, grad_of

    return line, w, b


def test_the_variables_that_it_reads_get_gradients_too():
    seen = []

    def grad(dy, variables=None):
        seen.append(variables)
        return 10.0 * dy, [100.0 * dy if v.op.name == "w" else dy for v in variables]

    line, w, b = with_variables(grad)
    x = sf.constant(2.0)
    y = line(x)
    assert run([y, *sf.gradients(y, [x, w, b])]) == [7.0, 10.0, 100.0, 1.0]
    assert [set(vs) for vs in seen] == [{w, b}]


def test_several_arguments_and_a_variable():
    w = sf.Variable(3.0)

    @sf.custom_gradient
    def f(x, y):
        def grad(dy, **kwargs):
            return [dy, 2.0 * dy], [5.0 * dy for _ in kwargs["variables"]]

        return w * x * y, grad

    x, y = sf.constant(2.0), sf.constant(4.0)
    assert run(sf.gradients(f(x, y), [x, y, w])) == [1.0, 2.0, 5.0]


def test_a_gradient_that_knows_no_variables_is_refused():
    line, _, _ = with_variables(lambda dy: dy)
    with pytest.raises(
        TypeError, match="line reads the variables w, b, so its gradient"
    ):
        line(sf.constant(2.0))


def test_a_local_name_is_no_argument():
    def grad(dy):
        variables = [dy]
        return variables[0]

    line, _, _ = with_variables(grad)
    with pytest.raises(TypeError, match="must take `variables`"):
        line(sf.constant(2.0))


def test_any_callable_may_be_the_gradient():
    def grad(scale, dy, variables):
        return scale * dy, [scale * dy for _ in variables]

    line, w, _ = with_variables(functools.partial(grad, 4.0))
    x = sf.constant(2.0)
    assert run(sf.gradients(line(x), [x, w])) == [4.0, 4.0]


def test_a_variable_that_is_an_argument_is_not_one_that_is_read():
    @sf.custom_gradient
    def doubled(x):
        return 2.0 * x, lambda dy: 20.0 * dy

    v = sf.Variable(3.0)
    assert run(sf.gradients(doubled(v), v)) == [20.0]


def test_too_few_gradients_are_an_error():
    @sf.custom_gradient
    def f(x, y):
        return x + y, lambda dy: dy

    x, y = sf.constant(1.0), sf.constant(2.0)
    with pytest.raises(ValueError, match=r"f gave 1 gradients .* are 2"):
        sf.gradients(f(x, y), x)


def test_values_without_a_gradient_pass_through():
    @sf.custom_gradient
    def with_count(x):
        return [2.0 * x, sf.size(x)], lambda dy, of_count: 2.0 * dy

    x = sf.constant([1.0, 2.0])
    y, n = with_count(x)
    assert n.dtype == sf.int32
    assert run(sf.gradients(y, x))[0].tolist() == [2.0, 2.0]
    assert run(n) == 2


def test_a_callable_object_may_be_decorated():
    class Doubled:
        def __call__(self, x):
            return 2.0 * x, lambda dy: 7.0 * dy

    x = sf.constant(np.float64(1.5))
    y = sf.custom_gradient(Doubled())(x)
    assert run([y, sf.gradients(y, x)[0]]) == [3.0, 7.0]


def test_a_function_without_a_gradient_is_told_what_to_return() -> None:
    @sf.custom_gradient
    def lonely(x):
        return x * 2.0

    with pytest.raises(TypeError, match=r"lonely returns .* \(y, grad\)"):
        lonely(sf.constant(1.0))


@pytest.mark.parametrize("count", [0, 2])
def test_one_gradient_for_each_argument(count: int) -> None:
    @sf.custom_gradient
    def twice(x):
        return x * 2.0, lambda dy: [dy] * count

    x = sf.constant(1.0, name="x")
    with pytest.raises(ValueError, match=f"twice gave {count} gradients .* are 1: x"):
        sf.gradients(twice(x), x)


def test_one_gradient_for_each_variable() -> None:
    w = sf.Variable(2.0, name="w")

    @sf.custom_gradient
    def scaled(x):
        return x * w, lambda dy, variables: ([dy], [])

    x = sf.constant(1.0)
    with pytest.raises(ValueError, match="0 gradients for the variables it reads"):
        sf.gradients(scaled(x), w)
