"""Graphs, operations and tensors: what building adds, and where it came from."""

import threading

import numpy as np
import pytest

import similarflow as sf
from similarflow.core.extend import extends
from similarflow.core.graph import graph_of, operation_of


class Halves(sf.Operation):
    num_outputs = 2

    def compute(self, x):
        n = len(x) // 2
        return x[:n], x[n:]


class Same(sf.Operation):
    def compute(self, x):
        return x


# ---- what building adds


def test_a_linear_model_has_two_operations():
    x = sf.Placeholder(name="x")
    w, b = sf.Variable([[1.0]], name="w"), sf.Variable(0.0, name="b")
    y = x * w + b
    graph = sf.get_default_graph()
    assert [op.type for op in graph.operations] == ["Mul", "Add"]
    assert graph.operations[0].inputs == (x, w.as_tensor())
    assert y.op is graph.operations[1]
    assert graph.placeholders == [x]
    assert graph.variables == [w, b]
    assert [c.name for c in graph.constants] == [
        "w/initial_value:0",
        "b/initial_value:0",
    ]


def test_all_operations_are_listed_in_the_order_of_their_numbers():
    y = sf.square(sf.constant(2.0)) + 1.0
    ops = y.graph.get_operations()
    assert [op.name for op in ops] == ["Const", "Square", "add/y", "add"]
    assert [op.number for op in ops] == [0, 1, 2, 3]
    ops.clear()
    assert len(y.graph.get_operations()) == 4


def test_an_operation_knows_what_it_is():
    x = sf.constant([[1.0, 2.0]])
    y = sf.reduce_sum(x, 1, keepdims=True, name="total")
    op = y.op
    assert (op.type, op.name, op.inputs) == ("Sum", "total", (x,))
    assert op.attrs == {"axis": (1,), "keepdims": True}
    assert (op.outputs, op.output, op.values()) == ((y,), y, (y,))
    assert op.control_inputs == ()
    assert op.graph is y.graph is sf.get_default_graph()
    assert repr(op) == "<Operation 'total' type=Sum>"


def test_a_tensor_names_its_output():
    a, b = Halves(sf.constant([1.0, 2.0]), name="parts").outputs
    assert (a.name, b.name) == ("parts:0", "parts:1")
    assert (a.value_index, b.value_index) == (0, 1)
    assert a.op is b.op


def test_what_the_user_holds_of_a_tensor():
    w, own = sf.Variable(1.0), Same(sf.constant(1.0))
    several = Halves(sf.constant([1.0, 2.0]))
    x = w * 2.0
    assert x.node is x
    assert x.as_tensor() is x
    assert w.as_tensor().node is w
    assert own.output.node is own
    assert several.outputs[0].node is several.outputs[0]


def test_an_attribute_is_found_by_name():
    op = sf.reduce_sum([1.0], keepdims=True).op
    assert op.get_attr("keepdims") is True
    with pytest.raises(ValueError, match="Sum 'Sum' has no attribute 'axes'"):
        op.get_attr("axes")


def test_an_operation_computes_on_arrays():
    x = sf.Placeholder()
    assert sf.multiply(x, x).op.compute(2.0, np.array([3.0, 4.0])).tolist() == [6, 8]
    assert sf.reduce_sum(x, 0).op.compute(np.ones([2, 3])).tolist() == [2, 2, 2]


@pytest.mark.parametrize("node", [sf.Placeholder, lambda: sf.constant(1.0)])
def test_a_source_has_a_value_and_computes_none(node):
    with pytest.raises(TypeError, match="has a value and computes none"):
        node().op.compute()


# ---- placeholders and constants


def test_a_placeholder_says_what_may_be_fed():
    x = sf.Placeholder("float64", [None, 3], name="x")
    assert repr(x) == "<Placeholder 'x:0' shape=(?, 3) dtype=float64>"
    assert repr(sf.Placeholder()) == (
        "<Placeholder 'Placeholder:0' shape=<unknown> dtype=untyped>"
    )
    assert (x.dtype, x.shape.as_list(), x.ndim) == (sf.float64, [None, 3], 2)
    untyped = sf.Placeholder()
    assert (untyped.dtype, untyped.shape.dims, untyped.ndim) == (None, None, None)
    assert isinstance(x, sf.Tensor)


def test_a_constant_keeps_a_copy_that_nobody_can_write():
    given = np.array([1.0, 2.0])
    c = sf.Constant(given, name="c")
    given[0] = 9.0
    assert c.value.tolist() == [1.0, 2.0]
    with pytest.raises(ValueError, match="read-only"):
        c.value[0] = 9.0
    assert repr(c) == "<Constant 'c:0' shape=(2,) dtype=float64>"


def test_a_static_shape_can_be_completed():
    x = sf.Placeholder(sf.float32, [None, 3])
    x.set_shape([2, None])
    assert x.get_shape().as_list() == x.shape.as_list() == [2, 3]
    with pytest.raises(ValueError, match="incompatible"):
        x.set_shape([2, 4])
    y = sf.Placeholder()
    y.set_shape(None)
    assert y.shape.dims is None
    y.set_shape(5)
    assert y.shape.as_list() == [5]


def test_the_transpose_is_an_attribute():
    x = sf.constant([[1, 2, 3]])
    assert x.T.shape.as_list() == [3, 1]
    assert sf.Session().run([x.T, sf.Variable([[1], [2]]).T])[1].tolist() == [[1, 2]]


# ---- names


@pytest.mark.parametrize("name", ["a b", "/a", "a:0", "-a", "ä", "a\n"])
def test_a_bad_name_is_refused(name):
    with pytest.raises(ValueError, match="is not a valid name: it starts with"):
        sf.constant(1.0, name=name)
    assert sf.get_default_graph().get_operations() == []


@pytest.mark.parametrize(
    "build",
    [
        lambda: sf.constant(1.0, name=3),
        lambda: sf.add(1.0, 2.0, sf.constant(3.0)),
        lambda: sf.add_n(1.0, 2.0),
    ],
)
def test_a_name_is_a_text(build):
    with pytest.raises(TypeError, match="name"):
        build()


def test_a_name_that_was_left_free_by_counting_is_not_given_twice():
    names = [sf.constant(1.0, name=n).op.name for n in ("a_1", "a", "a", "a", "A")]
    assert names == ["a_1", "a", "a_2", "a_3", "A_4"]


def test_a_whole_name_that_is_taken_is_counted_on():
    names = [sf.constant(1.0, name="s/a/").op.name for _ in range(3)]
    assert names == ["s/a", "s/a_1", "s/a_2"]


# ---- default graphs


def test_with_graph_makes_it_the_default():
    outer = sf.get_default_graph()
    with sf.Graph() as g:
        assert sf.get_default_graph() is g
        with g, sf.Graph() as inner:
            assert sf.constant(1.0).graph is inner
        assert sf.constant(1.0).graph is g
    assert sf.get_default_graph() is outer


def test_an_exception_leaves_the_default_graph_as_it_was():
    outer = sf.get_default_graph()
    for enter in (lambda g: g, sf.Graph.as_default):
        with pytest.raises(KeyError), enter(sf.Graph()):
            raise KeyError
        assert sf.get_default_graph() is outer


def test_resetting_gives_an_empty_graph():
    x = sf.constant(1.0)
    sf.reset_default_graph()
    assert sf.get_default_graph() is not x.graph
    assert sf.get_default_graph().get_operations() == []


def test_resetting_inside_a_block_is_refused():
    with sf.Graph() as g:
        with pytest.raises(RuntimeError, match="would lose that graph"):
            sf.reset_default_graph()
        assert sf.get_default_graph() is g


def test_resetting_inside_the_first_block_of_all_is_refused():
    found = []

    def first_of_its_thread():
        with sf.Graph() as g:
            try:
                sf.reset_default_graph()
            except RuntimeError as error:
                found.append(str(error))
            found.append(sf.get_default_graph() is g)

    thread = threading.Thread(target=first_of_its_thread)
    thread.start()
    thread.join()
    assert len(found) == 2
    assert "would lose that graph" in found[0]
    assert found[1]


# ---- what must not be mixed


def test_operations_join_the_graph_of_their_inputs():
    with sf.Graph() as g:
        x, v = sf.constant([1.0]), sf.Variable(2.0)
    for y in (x + 1.0, sf.add_n([x, [2.0]]), sf.stack([1.0, v]), Same(x), sf.square(v)):
        assert y.graph is g
    assert sf.get_default_graph().get_operations() == []


def test_two_graphs_in_one_operation_are_refused():
    with sf.Graph().as_default():
        x = sf.constant(1.0, name="mine")
    y = sf.constant(1.0, name="yours")
    for build in (lambda: x + y, lambda: sf.add_n([x, y]), lambda: Same(x, y)):
        with pytest.raises(ValueError, match="are of two graphs") as error:
            build()
        text = str(error.value)
        assert "'mine' in graph" in text
        assert "(1 nodes), made at" in text
        assert "x = sf.constant(1.0" in text
        assert "reset_default_graph" in text
    with pytest.raises(ValueError, match="two graphs"):
        graph_of([x, y])


def test_the_default_graph_is_the_graph_of_numbers():
    assert graph_of([1.0, [2.0], None]) is sf.get_default_graph()


def test_what_comes_from_an_operation():
    x, v, own = sf.constant(1.0), sf.Variable(1.0), Same(sf.constant(1.0))
    assert operation_of(x) is x.op
    assert operation_of(v) is v.op
    assert operation_of(own) is own
    assert operation_of(x.op) is x.op
    with pytest.raises(TypeError, match=r"an operation or a tensor is expected, not 1"):
        operation_of(1.0)


def test_an_operation_is_no_tensor():
    several = Halves(sf.constant([1.0, 2.0]), name="parts")
    with pytest.raises(TypeError, match="its outputs are 'parts:0', 'parts:1': use op"):
        several + 1.0
    with pytest.raises(TypeError, match="run for its effect and has no value"):
        sf.square(sf.no_op())
    with pytest.raises(TypeError, match="Neg 'Neg' is an operation"):
        sf.square(sf.negative(1.0).op)


def test_a_finalized_graph_takes_nothing_in():
    x = sf.constant(1.0)
    x.graph.finalize()
    with pytest.raises(RuntimeError, match="finalized") as error:
        sf.square(x, name="late")
    assert "Square 'late' would be added" in str(error.value)
    assert "test_graph.py" in str(error.value)
    assert [op.name for op in x.graph.get_operations()] == ["Const"]


# ---- where a node comes from


def make_here():
    return sf.constant(1.0)  # this very line


def test_a_node_knows_the_line_that_made_it():
    file, line, text = make_here().op.source
    assert file == __file__
    assert text == "return sf.constant(1.0)  # this very line"
    assert line == make_here.__code__.co_firstlineno + 1


def test_the_line_is_the_user_s_through_all_that_the_library_calls():
    v = sf.Variable(1.0)
    lines = [
        v.initializer.source[2],
        (v * [2.0]).op.inputs[1].op.source[2],
        Same(v).source[2],
        np.tanh(v).op.source[2],
    ]
    assert lines == [
        "v.initializer.source[2],",
        "(v * [2.0]).op.inputs[1].op.source[2],",
        "Same(v).source[2],",
        "np.tanh(v).op.source[2],",
    ]


def test_code_without_a_file_has_a_place_too():
    names = {"sf": sf}
    exec(compile("\n\nx = sf.constant(1.0)", "<typed>", "exec"), names)
    assert names["x"].op.source == ("<typed>", 3, "")


# ---- the order of a computation


def test_the_order_is_inputs_first_and_each_once():
    x = sf.constant(1.0, name="x")
    a = sf.square(x, name="a")
    b = sf.negative(x, name="b")
    c = sf.add(sf.add(a, b, name="sum"), a, name="c")
    sf.square(c, name="beyond")
    for fetch in (c, c.op, [c, a]):
        order = [op.name for op in sf.traverse_postorder(fetch)]
        assert order == ["x", "a", "b", "sum", "c"]
    assert [op.name for op in sf.traverse_postorder(c, {a})] == ["x", "b", "sum", "c"]
    assert [op.name for op in sf.traverse_postorder(c, {a, b})] == ["sum", "c"]
    assert sf.traverse_postorder(a, {a}) == []
    also = {x.op: [sf.no_op(name="first")]}
    assert [op.name for op in sf.traverse_postorder(a, also=also)] == [
        "first",
        "x",
        "a",
    ]


def test_the_order_knows_variables_own_operations_and_control_inputs():
    v = sf.Variable(1.0, name="v")
    with sf.control_dependencies([sf.no_op(name="before")]):
        own = Same(v, name="own")
    assert [op.name for op in sf.traverse_postorder(own)] == ["before", "v", "own"]
    assert [op.name for op in sf.traverse_postorder(v)] == ["v"]


# ---- the rest


def test_a_seed_belongs_to_the_graph():
    sf.set_random_seed(7)
    assert sf.get_default_graph().seed == 7
    assert sf.Graph().seed is None


def test_a_node_runs_in_the_session_that_is_given_or_the_default():
    v = sf.Variable(1.0)
    add = sf.assign_add(v, 1.0)
    with sf.Session() as other, sf.Session() as default:
        for sess in (other, default):
            sess.run(v.initializer)
        add.op.run()
        add.op.run(session=other)
        assert add.eval() == 3.0
        assert (other.run(v), default.run(v)) == (2.0, 3.0)


def test_methods_from_two_files_do_not_hide_each_other():
    class Thing:
        def size(self):
            return 1

    class MoreMethods:
        def size(self):
            return 2

    with pytest.raises(TypeError, match="Thing has its own size"):
        extends(Thing)(MoreMethods)
    assert Thing().size() == 1


class Refusing(sf.Operation):
    def infer(self, x):
        raise ValueError("no")

    def compute(self, x):
        return x


@pytest.mark.parametrize(
    "build",
    [
        lambda: sf.Placeholder("nonsense"),
        lambda: sf.Placeholder(sf.float32, [-1]),
        lambda: sf.constant("a", sf.float32),
        lambda: sf.Variable(sf.Placeholder()),
        lambda: Refusing(sf.constant(1.0)),
        lambda: sf.matmul([[1.0]], [1.0]),
    ],
)
def test_what_fails_to_build_leaves_no_torn_node(build):
    with pytest.raises((TypeError, ValueError)):
        build()
    graph = sf.get_default_graph()
    assert graph.summary().splitlines()[0].startswith("name")
    assert all(op.outputs for op in graph.get_operations())
