"""What can be fetched, in what form it comes back, and what errors say."""

import collections
import inspect

import numpy as np
import pytest

import similarflow as sf
from similarflow.runtime.fetches import parse_fetches

Pair = collections.namedtuple("Pair", "left right")


class Row(list):
    """A list of one's own."""


@pytest.fixture
def sess():
    return sf.Session()


@pytest.fixture
def x():
    return sf.constant(1.0, name="x")


def test_nests_of_every_kind_come_back_as_they_are(sess, x):
    y = x + 1.0
    fetches = {
        "list": [x, (y, [x])],
        "named": Pair(x, {"deep": y}),
        3: Row([y]),
        "empty": [[], (), {}],
    }
    found = sess.run(fetches)
    assert found == {
        "list": [1.0, (2.0, [1.0])],
        "named": Pair(1.0, {"deep": 2.0}),
        3: [2.0],
        "empty": [[], (), {}],
    }
    assert type(found["named"]) is Pair
    assert type(found[3]) is Row
    assert type(found["list"][1]) is tuple


def test_an_empty_nest_runs_nothing(sess):
    assert sess.run([]) == []
    assert sess.run({}) == {}


def test_dicts_keep_class_order_and_default(sess, x):
    ordered = collections.OrderedDict([("z", x), ("a", x + 1.0)])
    default = collections.defaultdict(list, x=x)
    found, other = sess.run([ordered, default])
    assert type(found) is collections.OrderedDict
    assert list(found.items()) == [("z", 1.0), ("a", 2.0)]
    assert type(other) is collections.defaultdict
    assert other == {"x": 1.0}
    assert other["missing"] == []
    assert "missing" not in default  # what was asked for is as it was
    assert ordered["z"] is x


def test_what_is_asked_for_twice_is_given_twice(sess, x):
    fetch = [x + 1.0]
    assert sess.run([*fetch, *fetch, {"again": fetch}]) == [2.0, 2.0, {"again": [2.0]}]


def test_a_table_of_gradients_comes_back_with_its_numbers(sess):
    w = sf.Variable([1.0, 2.0])
    n = sf.constant([3, 4])
    loss = sf.reduce_sum(w * sf.to_float(n))
    table = sf.compute_gradients(loss)
    found = sess.run(table)
    assert type(found) is sf.GradientTable
    assert found[w].tolist() == [3.0, 4.0]
    assert found[loss] == 1.0
    with pytest.raises(KeyError, match="was not reached"):
        found[sf.constant(1.0)]


def test_none_in_a_table_of_gradients_stays_none(sess, x):
    class Opaque(sf.Operation):
        def compute(self, value):
            return value

    w = sf.Variable(2.0)
    table = sf.compute_gradients(Opaque(w) * 3.0)
    assert table[w] is None
    found = sess.run(table)
    assert found[w] is None
    with pytest.raises(TypeError, match=r"fetches\['g'\] is None"):
        sess.run({"g": table[w]})


def test_slices_come_back_as_their_parts(sess):
    table = sf.Variable(np.ones([3, 2], np.float32))
    grad = sf.gradients(sf.gather(table, [2, 0]), table)[0]
    found, bare = sess.run([grad, sf.IndexedSlices(grad.values, grad.indices)])
    assert type(found) is type(bare) is sf.IndexedSlicesValue
    assert found.values.tolist() == [[1.0, 1.0], [1.0, 1.0]]
    assert found.indices.tolist() == [2, 0]
    assert found.dense_shape.tolist() == [3, 2]
    assert bare.dense_shape is None


def test_a_variable_gives_its_value(sess):
    v = sf.Variable(1.0, name="v")
    assert sess.run([v, v.value(), "v:0"]) == [1.0, 1.0, 1.0]


def test_a_variable_s_operation_gives_none(sess):
    v = sf.Variable(1.0, name="v")
    assert sess.run([v.op, "v"]) == [None, None]


def test_a_built_in_operation_gives_none_and_is_run(sess, x):
    v = sf.Variable(1.0)
    assert sess.run([v.assign(5.0).op, sf.no_op(), (x + 1.0).op]) == [None, None, None]
    assert sess.run(v) == 5.0


def test_an_own_operation_of_one_output_gives_its_value(sess):
    class Twice(sf.Operation):
        def compute(self, value):
            return 2.0 * value

    y = Twice(3.0)
    assert sess.run([y, y.output, "Twice:0", "Twice"]) == [6.0, 6.0, 6.0, 6.0]


def test_an_own_operation_of_several_outputs_gives_a_tuple(sess):
    class Parts(sf.Operation):
        num_outputs = 2

        def compute(self, value):
            return [value + 1.0, value - 1.0]

    y = Parts(3.0)
    found = sess.run([y, y.outputs[1]])
    assert found == [(4.0, 2.0), 2.0]
    assert type(found[0]) is tuple


def test_an_own_operation_without_outputs_is_run_and_gives_none(sess):
    seen = []

    class Report(sf.Operation):
        num_outputs = 0

        def compute(self, value):
            seen.append(value)
            return ()

    assert sess.run(Report(3.0)) is None
    assert seen == [3.0]


def test_names_stand_for_tensors_and_operations(sess, x):
    y = sf.add(x, 1.0, name="s/y")
    assert sess.run(["x:0", "s/y:0", "s/y"]) == [1.0, 2.0, None]
    assert sess.run(np.str_("x:0")) == 1.0
    assert y.op.name == "s/y"
    with pytest.raises((KeyError, ValueError), match=r"no operation .* 'z'"):
        sess.run("z:0")


@pytest.mark.parametrize(
    ("item", "kind", "guess"),
    [
        (None, "NoneType", "Is it a gradient that is None"),
        (np.ones(2), "ndarray", "overwritten by its own value"),
        (np.float32(1.0), "float32", "overwritten by its own value"),
        (1.5, "float", "overwritten by its own value"),
        (3, "int", "overwritten by its own value"),
        ({1, 2}, "set", "Fetch tensors, variables, operations, their names"),
        (len, "builtin_function_or_method", "Fetch tensors, variables"),
        (sf.Operation, "type", "Fetch tensors, variables"),
    ],
    ids=lambda value: getattr(value, "__name__", None) or str(value)[:20],
)
def test_what_cannot_be_fetched_is_told_with_its_place(sess, x, item, kind, guess):
    with pytest.raises(TypeError) as caught:
        sess.run([x, {"a": (x, item)}])
    text = str(caught.value)
    assert text.startswith("fetches[1]['a'][1] is ")
    assert f"({kind})" in text
    assert guess in text


def test_an_optimizer_cannot_be_fetched(sess):
    optimizer = sf.train.GradientDescentOptimizer(0.1)
    with pytest.raises(TypeError, match="the operation that its minimize"):
        sess.run(optimizer)


def test_a_long_array_is_shown_shortly(sess):
    with pytest.raises(TypeError) as caught:
        sess.run(np.arange(10000.0))
    assert str(caught.value).startswith("fetches is array([")
    assert len(str(caught.value)) < 250


def test_a_tensor_of_another_graph_is_told_with_both_graphs(sess, x):
    with sf.Graph().as_default():
        line = inspect.currentframe().f_lineno + 1
        other = sf.constant(2.0, name="far") * 3.0
    for fetch in (other, other.op, [x, [other]]):
        with pytest.raises(ValueError, match=r"'mul.*not an element of") as caught:
            sess.run(fetch)
        text = str(caught.value)
        assert f"{__file__}:{line}: `other = " in text
        assert "its graph has 3 nodes, the session's 1\n" in text
        assert "sf.Session(graph=...)" in text


def test_a_graph_that_was_reset_is_what_the_error_asks_about(x):
    sf.reset_default_graph()
    with pytest.raises(ValueError, match="reset_default_graph"):
        sf.Session().run(x)


def test_parsing_collects_each_fetch_in_its_order(x):
    found = []
    unpack = parse_fetches([x, {"op": x.op}, x], x.graph, found)
    assert found == [x, x.op, x]
    assert unpack([1, 2, 3]) == [1, {"op": 2}, 3]
