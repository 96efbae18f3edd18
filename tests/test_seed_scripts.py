"""Scripts in the manner of the first define-then-run toys work as they are.

Their habits: placeholders without dtype or shape, no initializer, nested lists as
feeds, float64 variables, and a session that is used after its ``with`` block.
"""

import numpy as np
import pytest

import similarflow as sf


def test_line_with_operators_and_column_feeds() -> None:
    rng = np.random.default_rng(3)
    inputs = np.linspace(-1, 1, 100)
    targets = 3 * inputs + 0.5 * rng.standard_normal(100)
    x, y = sf.Placeholder(), sf.Placeholder()
    w = sf.Variable([[1.0]])
    b = sf.Variable(0.0)
    loss = sf.reduce_sum(sf.square(sf.add(x * w + b, sf.negative(y))))
    train_op = sf.train.GradientDescentOptimizer(learning_rate=0.005).minimize(loss)
    feed_dict = {x: inputs.reshape(-1, 1), y: targets.reshape(-1, 1)}

    with sf.Session() as sess:
        losses = []
        for _ in range(60):
            losses.append(sess.run(loss, feed_dict))
            assert sess.run(train_op, feed_dict) is None
        w_value = sess.run(w, feed_dict=feed_dict)
        b_value = sess.run(b, feed_dict=feed_dict)

    slope, intercept = np.polyfit(inputs, targets, 1)
    assert losses == sorted(losses, reverse=True)
    assert w_value.shape == (1, 1)
    assert w_value.item() == pytest.approx(slope, abs=1e-3)
    assert float(b_value) == pytest.approx(intercept, abs=1e-3)
    assert f"{b_value:.1f}" == f"{float(b_value):.1f}"  # it formats as a number


def test_the_two_spellings_of_the_line_are_one() -> None:
    x = sf.Placeholder()
    w, b = sf.Variable([[2.0]]), sf.Variable(-1.0)
    with_operators = x * w + b
    with_functions = sf.add(sf.matmul(x, w), b)
    column = [[1.0], [2.0], [4.0]]
    with sf.Session() as sess:
        one, other = sess.run([with_operators, with_functions], {x: column})
    assert one.tolist() == other.tolist() == [[1.0], [3.0], [7.0]]


def test_flat_arrays_may_be_fed_to_the_line_too() -> None:
    x, y = sf.Placeholder(), sf.Placeholder()
    w, b = sf.Variable(1.0), sf.Variable(0.0)
    loss = sf.reduce_sum(sf.square(x * w + b - y))
    train_op = sf.train.GradientDescentOptimizer(0.01).minimize(loss)
    inputs = np.linspace(-1, 1, 20)
    feed_dict = {x: inputs, y: 3 * inputs - 1}
    with sf.Session() as sess:
        for _ in range(200):
            sess.run(train_op, feed_dict)
        assert sess.run([w, b]) == pytest.approx([3.0, -1.0], abs=1e-3)


def clouds(rng: np.random.Generator, *centers: tuple[float, float]) -> np.ndarray:
    return np.concatenate([c + 0.2 * rng.standard_normal((25, 2)) for c in centers])


def cross_entropy(y: sf.Tensor, p: sf.Tensor) -> sf.Tensor:
    return sf.negative(sf.reduce_sum(sf.reduce_sum(sf.multiply(y, sf.log(p)), axis=1)))


def test_perceptron_with_softmax_and_labels_as_lists() -> None:
    rng = np.random.default_rng(1)
    red, blue = clouds(rng, (-1, -1)), clouds(rng, (1, 1))
    X, y = sf.Placeholder(), sf.Placeholder()
    W = sf.Variable(rng.standard_normal((2, 2)))
    b = sf.Variable(rng.standard_normal(2))
    p = sf.softmax(sf.add(sf.matmul(X, W), b))
    loss = cross_entropy(y, p)
    train_op = sf.train.GradientDescentOptimizer(learning_rate=0.05).minimize(loss)
    feed_dict = {
        X: np.concatenate((blue, red)),
        y: [[1, 0]] * len(blue) + [[0, 1]] * len(red),
    }
    with sf.Session() as sess:
        before = sess.run(loss, feed_dict)
        for _ in range(100):
            sess.run(train_op, feed_dict)
        assert sess.run(loss, feed_dict) < 0.02 * before
        W_value, b_value = sess.run(W), sess.run(b)

    assert W_value.dtype == b_value.dtype == np.float64
    border = -W_value[0][0] / W_value[1][0] * np.zeros(1) - b_value[0] / W_value[1][0]
    assert abs(border[0]) < 1  # the line passes between the clouds


def test_multi_layer_perceptron_is_asked_after_its_session() -> None:
    rng = np.random.default_rng(5)
    red, blue = clouds(rng, (0, 0), (1, 1)), clouds(rng, (0, 1), (1, 0))
    X, y = sf.Placeholder(), sf.Placeholder()
    W_hidden = sf.Variable(rng.standard_normal((2, 6)))
    b_hidden = sf.Variable(rng.standard_normal(6))
    p_hidden = sf.sigmoid(sf.add(sf.matmul(X, W_hidden), b_hidden))
    W_output = sf.Variable(rng.standard_normal((6, 2)))
    b_output = sf.Variable(rng.random(2))
    p_output = sf.softmax(sf.add(sf.matmul(p_hidden, W_output), b_output))
    train_op = sf.train.GradientDescentOptimizer(learning_rate=0.1).minimize(
        cross_entropy(y, p_output)
    )
    feed_dict = {
        X: np.concatenate((blue, red)),
        y: [[1, 0]] * len(blue) + [[0, 1]] * len(red),
    }
    with sf.Session() as sess:
        for _ in range(800):
            sess.run(train_op, feed_dict)

    # The block is left, and the session still knows what it learnt.
    answers = [
        sess.run(p_output, feed_dict={X: [[a, b]]})[0].argmax()
        for a in (0, 1)
        for b in (0, 1)
    ]
    assert answers == [1, 0, 0, 1]


def test_strings_are_joined() -> None:
    graph = sf.Graph()
    with graph.as_default():
        x = sf.placeholder(name="x", shape=[], dtype=sf.string)
        y = sf.placeholder(name="y", shape=[], dtype=sf.string)
        z = sf.string_join([x, y], name="join", separator=" ")
    with sf.Session(graph=graph) as sess:
        result = sess.run(fetches=z, feed_dict={x: "good", y: "morning"})
    assert result == b"good morning"  # bytes, as in TensorFlow
    assert z.op.name == "join"


def test_own_operation_class_with_a_rule_on_arrays() -> None:
    class sine(sf.Operation):
        def __init__(self, x: object) -> None:
            super().__init__(x)

        def compute(self, x_value: np.ndarray) -> np.ndarray:
            return np.sin(x_value)

    @sf.RegisterGradient("sine", on_values=True)
    def _sine_gradient(op: sf.Operation, grad: np.ndarray) -> np.ndarray:
        x = op.inputs[0]
        return grad * np.cos(x)

    x = sf.Placeholder()
    loss = sf.reduce_sum(sine(x) * 2.0)
    table = sf.compute_gradients(loss)
    at = np.array([0.0, 0.5, 3.0])
    with sf.Session() as sess:
        numbers = sess.run(table, {x: at})
    np.testing.assert_allclose(numbers[x], 2 * np.cos(at))
    assert numbers[loss] == 1


def test_table_of_gradients_holds_every_node_on_the_way() -> None:
    w, c = sf.Variable([[1.0, 2.0]]), sf.Constant([[3.0], [4.0]])
    product = sf.matmul(w, c)
    loss = sf.reduce_sum(sf.square(product))
    table = sf.compute_gradients(loss)
    assert {loss, product, w, c} <= set(table)
    with sf.Session() as sess:
        numbers = sess.run(table)
    assert numbers[loss] == 1
    assert numbers[product].tolist() == [[22.0]]
    assert numbers[w].tolist() == [[66.0, 88.0]]
    assert numbers[c].tolist() == [[22.0], [44.0]]


def test_constants_are_not_trained() -> None:
    w, c = sf.Variable(1.0), sf.Constant(2.0)
    train_op = sf.train.GradientDescentOptimizer(0.1).minimize(sf.square(w * c))
    with sf.Session() as sess:
        sess.run(train_op)
        assert sess.run(c) == 2.0
        assert sess.run(w) == pytest.approx(0.2)


class Descent:
    """An optimizer of the first toys: it differentiates while the graph runs."""

    def __init__(self, learning_rate: float) -> None:
        self.learning_rate = learning_rate

    def minimize(self, loss: sf.Tensor) -> sf.Operation:
        class MinimizationOperation(sf.Operation):
            def compute(self) -> None:
                sf.compute_gradients(loss)

        return MinimizationOperation()


def test_optimizer_that_differentiates_in_compute_is_told_the_recipe() -> None:
    w = sf.Variable([4.0, -2.0], name="w")
    loss = sf.reduce_sum(sf.square(w))
    train_op = Descent(0.25).minimize(loss)
    with sf.Session() as sess, pytest.raises(RuntimeError) as caught:
        sess.run(train_op)
    recipe = [line for line in str(caught.value).splitlines() if line.startswith(" ")]
    assert len(recipe) == 3

    # What the error says to write works.
    namespace = {"sf": sf, "loss": loss, "rate": 0.25}
    exec("\n".join(line.strip() for line in recipe), namespace)
    with sf.Session() as sess:
        sess.run(namespace["train_op"])
        assert sess.run(w).tolist() == [2.0, -1.0]


def test_value_of_a_variable_is_set_through_a_session() -> None:
    w = sf.Variable(1.0, name="w")
    with pytest.raises(AttributeError, match=r"w\.assign\(new\).* or w\.load"):
        w.value = 5.0  # type: ignore[misc, assignment]
    with sf.Session() as sess:
        w.load(5.0, sess)
        assert sess.run(w) == 5.0
        assert sess.run(w.assign(7.0)) == 7.0
        assert sess.run(w) == 7.0


def test_star_of_two_matrices_names_the_matrix_product() -> None:
    x = sf.constant(np.ones((4, 3)))
    w = sf.Variable(np.ones((3, 2)))
    with pytest.raises(ValueError, match="@"):
        x * w


def test_graph_lists_its_nodes_by_kind() -> None:
    with sf.Graph() as graph:
        x = sf.Placeholder()
        w = sf.Variable(1.0)
        c = sf.Constant(2.0)
        y = x * w + c
    assert graph.placeholders == [x]
    assert graph.variables == [w]
    assert c in graph.constants
    assert [op.type for op in graph.operations] == ["Mul", "Add"]
    assert y.op is graph.operations[-1]
    assert sf.get_default_graph() is not graph
