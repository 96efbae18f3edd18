"""Finding nodes by name, and what is said when there is none."""

import pytest

import similarflow as sf


class Same(sf.Operation):
    def compute(self, x):
        return x


@pytest.fixture
def graph():
    g = sf.get_default_graph()
    x = sf.placeholder(sf.float32, name="net/Input")
    sf.square(x, name="net/square")
    Same(x, name="own")
    sf.Variable(1.0, name="w")
    sf.no_op(name="done")
    return g


def test_nodes_are_found(graph):
    op = graph.get_operation_by_name("net/square")
    assert graph.get_tensor_by_name("net/square:0") is op.outputs[0]
    assert graph.as_graph_element(b"net/square") is op
    assert graph.as_graph_element(b"net/square:0") is op.outputs[0]


def test_what_stands_for_a_tensor_is_found(graph):
    [w] = graph.variables
    assert graph.as_graph_element(w) is w.as_tensor()
    assert graph.as_graph_element(w, allow_tensor=False) is w.op
    own = graph.get_operation_by_name("own")
    assert graph.as_graph_element(own) is own
    assert graph.as_graph_element(own.output) is own.output


def test_the_message_suggests_names_that_are_alike(graph):
    for name in ("Square", "SQUARE", "other/square", "square:0", "net2/square:0"):
        with pytest.raises(KeyError, match="There are: net/square"):
            graph.as_graph_element(name)
    with pytest.raises(KeyError) as error:
        graph.get_operation_by_name("entirely_different")
    assert "no operation in this graph is called 'entirely_different'." in str(
        error.value
    )
    assert "There are" not in str(error.value)


def test_five_suggestions_are_enough():
    for _ in range(9):
        sf.constant(1.0, name="c")
    with pytest.raises(KeyError, match=r"There are: c, c_1, c_2, c_3, c_4['\"]"):
        sf.get_default_graph().get_tensor_by_name("C:0")


@pytest.mark.parametrize(
    "name", ["net/square:", "net/square:a", "net/square:-1", "w:0:0"]
)
def test_an_index_is_a_number(graph, name):
    with pytest.raises(
        ValueError, match="behind ':' the index of an output is expected"
    ):
        graph.as_graph_element(name)


def test_an_output_that_is_not_there(graph):
    with pytest.raises(
        KeyError, match="'net/square' has 1 outputs, so there is no 'net/"
    ):
        graph.get_tensor_by_name("net/square:1")
    with pytest.raises(KeyError, match="'done' has 0 outputs"):
        graph.get_tensor_by_name("done:0")


def test_a_tensor_is_no_operation_and_the_other_way_round(graph):
    with pytest.raises(ValueError, match="an operation's name has no ':'"):
        graph.get_operation_by_name("w:0")
    with pytest.raises(ValueError, match="ends in the output's index: 'net/square:0'"):
        graph.get_tensor_by_name("net/square")
    with pytest.raises(ValueError, match="is an operation"):
        graph.as_graph_element(
            graph.nodes["done"], allow_tensor=True, allow_operation=False
        )


@pytest.mark.parametrize("item", [3, None, 1.5, object(), ["w"], sf.Graph])
def test_other_things_are_refused(graph, item):
    with pytest.raises(TypeError, match="is no tensor, operation or name"):
        graph.as_graph_element(item)


def test_an_element_of_another_graph_is_refused(graph):
    with sf.Graph().as_default() as other:
        x, v = sf.constant(1.0), sf.Variable(1.0)
        own = Same(x)
    for item in (x, x.op, v, own):
        with pytest.raises(ValueError, match="is not an element of this graph"):
            graph.as_graph_element(item)
        assert other.as_graph_element(item) is not None
    with pytest.raises(ValueError, match="is not an element of this graph"):
        other.as_graph_element(graph.variables[0])


def test_everything_may_be_fed_and_fetched(graph):
    for item in graph.get_operations():
        assert graph.is_fetchable(item)
        assert all(graph.is_feedable(t) for t in item.outputs)


def test_what_an_operation_does_not_have_is_named():
    with pytest.raises(AttributeError, match=r"Operation has no attribute 'shape'$"):
        sf.constant(1.0).op.shape  # noqa: B018
    assert getattr(sf.constant(1.0).op, "shape", None) is None
