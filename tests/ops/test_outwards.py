"""Gradients built inside branches and loops, of tensors outside. As TensorFlow's."""

import numpy as np
import pytest

import similarflow as sf


@pytest.fixture
def sess():
    return sf.Session()


def in_branch(x, build):
    return sf.cond(x > 1.0, build, lambda: x)


def in_nested_branch(x, build):
    return in_branch(x, lambda: in_branch(x, build))


def in_loop(x, build):
    return sf.while_loop(lambda i, a: i < 1, lambda i, a: (i + 1, build()), [0, x])[1]


def in_map(x, build):
    return sf.map_fn(lambda e: build(), sf.stack([x]))[0]


PLACES = pytest.mark.parametrize(
    "place", [in_branch, in_nested_branch, in_loop, in_map]
)


@PLACES
def test_a_gradient_goes_on_outside(sess, place):
    x = sf.constant(2.0)
    y = x * x
    g = place(x, lambda: sf.gradients(y * y, x)[0])  # d x^4 = 4 x^3
    again = sf.gradients(g, x)[0]
    assert sess.run([g, again, sf.gradients(again, x)[0]]) == [32.0, 48.0, 48.0]


@PLACES
def test_direct_and_indirect_ways_add_up(sess, place):
    w = sf.Variable(2.0)
    y = w * w
    g = place(w * 1.0, lambda: sf.gradients(sf.square(y * 3.0 + w), w)[0])
    assert sess.run(g) == 364.0


@pytest.mark.parametrize(
    ("between", "slope"),
    [
        (lambda x: sf.cond(x > 1.0, lambda: x * x * x, lambda: x), 12.0),
        (lambda x: sf.while_loop(
            lambda i, a: i < 2, lambda i, a: (i + 1, a * x), [0, x])[1], 12.0),
        (lambda x: sf.reduce_sum(
            sf.map_fn(lambda e: e * x * x, sf.constant([1.0, 2.0]))), 12.0),
        (lambda x: sf.TensorArray(sf.float32, 1).write(0, x * x).stack()[0], 4.0),
    ],
)  # fmt: skip
def test_what_is_outside_may_be_control_flow_itself(sess, between, slope):
    x = sf.constant(2.0)
    y = between(x)
    assert sess.run(in_branch(x, lambda: sf.gradients(y * 5.0, x)[0])) == 5 * slope


def test_inner_and_outer_tensors_and_all_of_them(sess):
    x = sf.constant(2.0)
    y = x * x

    def build():
        z = y * 3.0
        table = sf.compute_gradients(z * z)
        return [*sf.gradients(z * z, [z, y, x]), table[z], table[y], table[x]]

    found = sess.run(sf.cond(x > 1.0, build, lambda: [x] * 6))
    assert found == [24.0, 72.0, 288.0] * 2


def test_grad_ys_unconnected_and_stopped(sess):
    x, other = sf.constant(2.0), sf.constant(1.0)
    y = x * x
    given = in_branch(x, lambda: sf.gradients([y * x, y], x, grad_ys=[2.0, 3.0])[0])
    stopped = in_branch(x, lambda: sf.gradients(y * x, x, stop_gradients=y)[0])
    none = []
    sf.cond(x > 1.0, lambda: none.extend(sf.gradients(y, other)) or x, lambda: x)
    assert none == [None]
    assert sess.run([given, stopped]) == [36.0, 4.0]


def test_no_rule_is_needed_where_nothing_wanted_is(sess):
    class Opaque(sf.Operation):
        def compute(self, x):
            return x

    x = sf.constant(2.0)
    y, dead = x * x, Opaque(sf.constant(3.0))
    g = in_branch(x, lambda: sf.gradients(y * dead, x)[0])
    assert sess.run(g) == 12.0
    lost = Opaque(y)
    with pytest.raises(LookupError, match="no gradient is defined for Opaque"):
        in_branch(x, lambda: sf.gradients(lost * 2.0, x)[0])


@pytest.mark.parametrize("scale", [1.0, 0.5])
def test_minimize_in_a_branch_a_loss_from_outside(sess, scale):
    w = sf.Variable(1.0)
    loss = sf.square(w - 3.0)
    step = sf.train.GradientDescentOptimizer(0.1)
    taken = sf.Placeholder(sf.bool, [])
    train = sf.cond(taken, lambda: step.minimize(loss * scale), sf.no_op)
    sess.run(train, {taken: False})
    assert sess.run(w) == 1.0
    sess.run(train, {taken: True})
    np.testing.assert_allclose(sess.run(w), 1.0 + 0.4 * scale)


def test_slices_stay_slices(sess):
    w = sf.Variable([1.0, 2.0, 3.0])
    x = sf.constant(2.0)
    kinds = []

    def build():
        (grad,) = sf.gradients(sf.gather(w, [0, 2]) * x, w)
        kinds.append(type(grad))
        return sf.convert_to_tensor(grad)

    g = sf.cond(x > 1.0, build, lambda: w * 1.0)
    assert kinds == [sf.IndexedSlices]
    assert sess.run(g).tolist() == [2.0, 0.0, 2.0]


def test_a_rule_may_ask_for_gradients_itself(sess):
    @sf.RegisterGradient("TwiceSquare")
    def _twice_grad(op, grad):
        x = op.inputs[0]
        return grad * sf.gradients(2.0 * x * x, x)[0]

    x = sf.constant(2.0)
    names = {"Square": "TwiceSquare"}
    with sf.get_default_graph().gradient_override_map(names):
        y = in_branch(x, lambda: sf.square(x * x))
    assert sess.run(sf.gradients(y, x)) == [64.0]  # 4 x^2 * 2 x


def test_the_explanation_goes_on_outside():
    x = sf.Placeholder(sf.float32, [], name="x")
    y, odd = x * x, sf.cast(sf.argmax(sf.stack([x, x])), sf.float32, name="odd")
    told = []

    def build():
        told.append(sf.explain_gradient(y * 2.0, x))
        told.append(sf.explain_gradient(odd * 2.0, x))
        return x

    sf.cond(x > 0.0, build, lambda: x)
    assert told[0].startswith("the gradient flows from 'cond/mul:0' to 'x:0'")
    assert "Cast 'odd' goes through int64" in told[1]
