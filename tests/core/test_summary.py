"""The table of a graph."""

import similarflow as sf


class MinMax(sf.Operation):
    num_outputs = 2

    def compute(self, x):
        return x.min(), x.max()


def test_an_empty_graph():
    assert sf.Graph().summary().splitlines() == [
        "name  type  shape  dtype  inputs",
        "0 nodes, 0 variables, 0 parameters",
    ]


def test_every_node_has_a_line():
    x = sf.placeholder(sf.float32, [None, 2], name="x")
    sf.add(x, 1.0, name="layer/sum")
    sf.no_op(name="done")
    assert x.graph.summary().splitlines() == [
        "name         type         shape   dtype    inputs",
        "x            Placeholder  (?, 2)  float32",
        "layer/sum/y  Const        ()      float32",
        "layer/sum    Add          (?, 2)  float32  x:0, layer/sum/y:0",
        "done         NoOp",
        "4 nodes, 0 variables, 0 parameters",
    ]


def test_what_is_unknown_and_what_has_several_outputs():
    x = sf.placeholder(name="x")
    MinMax(x)
    sf.constant("a", name="s")
    assert x.graph.summary().splitlines()[1:] == [
        "x       Placeholder  ?      untyped",
        "MinMax  MinMax       ?, ?   untyped, untyped  x:0",
        "s       Const        ()     string",
        "3 nodes, 0 variables, 0 parameters",
    ]


def test_parameters_are_counted():
    sf.Variable(sf.zeros([1000, 2]))
    assert sf.get_default_graph().summary().endswith("1 variable, 2,000 parameters")
    sf.Variable(1.0)
    sf.Variable(sf.placeholder(sf.float32, [None]), validate_shape=False)
    sf.Variable([], trainable=False)
    assert (
        sf.get_default_graph()
        .summary()
        .endswith("4 variables, 2,001 parameters, 1 of unknown size")
    )
