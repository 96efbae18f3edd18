"""`explain_gradient`: the way of a gradient, or what blocks it."""

import numpy as np
import pytest

import similarflow as sf


class Blind(sf.Operation):
    def compute(self, x):
        return x


class Spy(sf.Operation):
    num_outputs = 2

    def infer(self, x):
        return [(x.static_shape, x.static_dtype), ((), np.dtype("int32"))]

    def compute(self, x):
        return x, np.int32(1)


sf.RegisterGradient(Spy)(lambda op, grad, of_count: grad)


@pytest.fixture
def x():
    return sf.Placeholder(sf.float32, [3], name="x")


def lines(y, x):
    text = sf.explain_gradient(y, x)
    flows = "the gradient flows" in text
    assert flows == (sf.compute_gradients(y).get(x) is not None)
    return text.splitlines()


def test_the_way_is_told_from_the_loss_back(x):
    w = sf.Variable([1.0, 2.0, 3.0], name="w")
    loss = sf.reduce_sum(sf.square(x * w))
    head, *way = lines(loss, w)
    assert head == "the gradient flows from 'Sum:0' to 'w:0'"
    assert [line.split(",")[0] for line in way] == [
        "  Sum 'Sum'",
        "  Square 'Square'",
        "  Mul 'mul'",
    ]
    assert all(f"{__file__}:" in line for line in way)
    assert way[0].endswith(": `loss = sf.reduce_sum(sf.square(x * w))`")


def test_the_shortest_way_counts(x):
    y = x + sf.square(sf.square(x))
    assert len(lines(y, x)) == 2


def test_a_tensor_is_its_own_way(x):
    assert lines(x, x) == ["the gradient flows from 'x:0' to 'x:0'"]


def test_what_is_free_beside_a_blocked_way_counts(x):
    head, *way = lines(Blind(x) + sf.square(x), x)
    assert "flows from" in head
    assert "Square" in way[1]


def test_whole_numbers_block(x):
    n = sf.cast(x, sf.int32, name="n")
    y = sf.square(sf.cast(n, sf.float32, name="f"))
    head, *way = lines(y, x)
    assert head.startswith("no gradient flows from 'Square:0' to 'x:0': Cast 'f' ")
    assert "int32" in head
    assert [line.split(",")[0] for line in way] == ["  Square 'Square'", "  Cast 'f'"]


def test_a_loss_of_whole_numbers_blocks(x):
    assert "int32" in lines(sf.cast(x, sf.int32), x)[0]
    assert "no gradient flows" in lines(sf.argmax(x, 0), x)[0]
    n = sf.Placeholder(sf.int32, name="n")
    assert "int32" in lines(n + 1, n)[0]


def test_an_operation_without_a_rule_blocks(x):
    y = Blind(x, name="blind") * 2.0
    assert lines(y, x)[0].endswith("to 'x:0': Blind 'blind' has no gradient rule")


def test_an_operation_that_lets_nothing_through_blocks(x):
    y = sf.stop_gradient(x * 2.0, name="stop") + 1.0
    head, *way = lines(y, x)
    assert head.endswith("StopGradient 'stop' lets no gradient through")
    assert len(way) == 2


def test_what_blocks_first_is_named(x):
    y = Blind(sf.stop_gradient(x * 2.0))
    assert "Blind 'Blind' has no gradient rule" in lines(y, x)[0]


def test_a_way_through_two_outputs(x):
    y, n = Spy(x).outputs
    assert "flows from" in lines(y * sf.cast(n, sf.float32), x)[0]
    assert "int32" in lines(sf.cast(n, sf.float32), x)[0]
    both = sf.stack([sf.reduce_sum(y), sf.cast(n, sf.float32)])
    assert "flows from" in lines(Blind(both) + sf.reduce_sum(y), x)[0]


def test_the_other_way_round(x):
    y = sf.square(x, name="y")
    assert lines(x, y) == [
        "no gradient flows from 'x:0' to 'y:0': it is the other way round, 'y:0' "
        "depends on 'x:0'"
    ]


def test_what_is_not_connected(x):
    w = sf.Variable(1.0, name="w")
    head, where, hint = lines(sf.square(x), w)
    assert head == (
        "no gradient flows from 'Square:0' to 'w:0': 'Square:0' does not depend on it"
    )
    assert where.startswith(f"  'w:0' () float32, made at {__file__}:")
    assert "Is it the very tensor that the loss was made from?" in hint


def test_a_replaced_rule_counts(x):
    with sf.get_default_graph().gradient_override_map({"Square": "NoSuchRule"}):
        y = sf.square(x)
    assert "Square 'Square' has no gradient rule" in sf.explain_gradient(y, x)
