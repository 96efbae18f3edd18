"""Operations of one's own: classes and decorated functions."""

from functools import partial

import numpy as np
import pytest

import similarflow as sf
from similarflow.core.graph import OWN_TYPES


class Cube(sf.Operation):
    """``x**3``."""

    def compute(self, x):
        return x**3


@sf.RegisterGradient(Cube)
def _cube_grad(op, grad):
    return grad * 3.0 * op.inputs[0] ** 2


class MinMax(sf.Operation):
    num_outputs = 2

    def compute(self, x):
        return x.min(), x.max()


@sf.operation
def stretched(x, factor=1.0):
    """``x``, stretched."""
    return x * factor


@sf.RegisterGradient("stretched")
def _stretched_grad(op, grad):
    return grad * op.attrs["factor"]


def run(fetches, feed=None):
    return sf.Session().run(fetches, feed)


def failing(result):
    """An operation whose compute returns `result`, or raises it."""

    @sf.operation
    def returns(x):
        if isinstance(result, BaseException):
            raise result
        return result(x) if callable(result) else result

    return returns(sf.constant([1.0, 2.0]), name="mine")


# ---- two ways to make one


def test_a_class_with_compute_is_an_operation():
    x = sf.constant([1.0, 2.0])
    y = Cube(x)
    assert isinstance(y, sf.Operation)
    assert (y.type, y.name, y.inputs) == ("Cube", "Cube", (x,))
    assert Cube(x).name == "Cube_1"
    assert Cube(x, name="mine").name == "mine"
    assert OWN_TYPES["Cube"] is Cube
    assert run(y).tolist() == [1.0, 8.0]
    assert y.compute(np.array([3.0])).tolist() == [27.0]


def test_a_decorated_function_is_an_operation():
    x = sf.constant([1.0, 2.0])
    y = stretched(x, factor=3.0)
    assert isinstance(y, sf.Tensor)
    assert (y.op.type, y.op.name) == ("stretched", "stretched")
    assert y.op.attrs == {"factor": 3.0}
    assert y.op.get_attr("factor") == 3.0
    assert stretched(x, name="mine").op.name == "mine"
    assert (stretched.__name__, stretched.__doc__) == ("stretched", "``x``, stretched.")
    assert stretched.__module__ == stretched.own.__module__ == __name__
    assert isinstance(y.op, stretched.own)
    assert run([y, stretched(x)])[0].tolist() == [3.0, 6.0]


def test_a_class_can_be_derived_from_another_and_have_an_init():
    class Power(Cube):
        def __init__(self, x, by, name=None):
            self.by = by
            super().__init__(x, name=name)

        def compute(self, x):
            return x**self.by

    y = Power([2.0, 3.0], 4)
    assert (y.type, y.by) == ("Power", 4)
    assert run(y).tolist() == [16.0, 81.0]


def test_what_is_pure_says_so():
    @sf.operation(pure=True)
    def pure(x):
        return x

    assert pure(1.0).op.pure
    assert not stretched(1.0).op.pure
    assert not Cube(1.0).pure


def test_inputs_may_be_anything_that_converts():
    @sf.operation
    def total(*values):
        return sum(values)

    x = sf.constant(1.0)
    assert (
        run(total(x, sf.Variable(2.0), 3.0, np.float64(4), Cube(x), stretched(x))) == 12
    )
    assert run(total([x, 5.0], np.ones(2))).tolist() == [2.0, 6.0]
    assert run(total()) == 0


def test_a_tensor_as_a_keyword_is_refused():
    for value in (sf.constant(2.0), sf.Variable(2.0), Cube(1.0)):
        with pytest.raises(
            TypeError, match="the tensor for 'factor' must be a position"
        ):
            stretched(1.0, factor=value)


def test_a_class_without_compute_is_refused():
    class Idle(sf.Operation):
        pass

    for make in (Idle, sf.Operation):
        with pytest.raises(
            TypeError, match=f"{make.__name__} computes nothing: give the"
        ):
            make(sf.constant(1.0))
    assert len(sf.get_default_graph().nodes) <= 2


# ---- it stands for its output


def test_one_output_is_normalised_everywhere():
    x = sf.constant(2.0)
    y = Cube(x, name="y")
    assert run(y) == run(y.output) == run(y.outputs[0]) == run("y:0") == 8.0
    assert run([y, {"y": y}, (y,)]) == [8.0, {"y": 8.0}, (8.0,)]
    assert run([y + 1.0, 1.0 - y, -y, sf.square(y), Cube(y)]) == [9, -7, -8, 64, 512]
    for key in (y, y.output, "y:0"):
        assert run(y * 2.0, {key: 5.0}) == 10.0
        assert run(y, {key: 5.0}) == 5.0
    assert run(sf.gradients(y * 2.0, [x, y])) == [24.0, 2.0]
    table = sf.compute_gradients(y)
    assert run(table[y]) == 1.0
    assert run([table])[0][y] == 1.0


def test_it_has_the_shape_and_dtype_that_it_infers():
    class Typed(Cube):
        def infer(self, x):
            return [(x.static_shape, x.static_dtype)]

    x = sf.placeholder(sf.float32, [None, 2])
    typed, opaque = Typed(x), Cube(x)
    assert (typed.output.shape.as_list(), typed.output.dtype) == ([None, 2], sf.float32)
    assert (opaque.output.shape.dims, opaque.output.dtype) == (None, None)


def test_several_outputs_are_fetched_as_a_tuple():
    x = sf.constant([3.0, 1.0, 2.0])
    both = MinMax(x)
    assert run(both) == (1.0, 3.0)
    low, high = both.outputs
    assert run([both, high - low]) == [(1.0, 3.0), 2.0]
    assert run(high, {low: 0.0}) == 3.0
    assert run(both, {low: 0.0}) == (0.0, 3.0)


def test_a_function_with_several_outputs_gives_a_list():
    @sf.operation(num_outputs=2)
    def divided(x, by=2.0):
        return [x // by, x % by]

    quotient, rest = divided(sf.constant(7.0), by=4.0)
    assert run([quotient, rest, quotient.op]) == [1.0, 3.0, (1.0, 3.0)]


def test_an_operation_without_outputs_is_run_for_its_effect():
    seen = []

    class Show(sf.Operation):
        num_outputs = 0

        def compute(self, x):
            seen.append(float(x))
            return ()

    show = Show(sf.constant(2.0))
    with sf.control_dependencies([show]):
        y = sf.identity(3.0)
    assert run(y) == 3.0
    assert not run(show)
    assert seen == [2.0, 2.0]


# ---- while it runs


def test_its_inputs_are_read_only():
    @sf.operation
    def writes(x):
        x += 1.0
        return x

    x, w = sf.placeholder(sf.float32, [2]), sf.Variable([1.0, 2.0])
    given = np.ones(2, np.float32)
    for source, feed in ((x, {x: given}), (w, None), (sf.constant([1.0]), None)):
        with pytest.raises(ValueError, match="read-only"):
            run(writes(source), feed)
    assert given.flags.writeable
    assert given.tolist() == [1.0, 1.0]


def test_what_it_keeps_of_its_inputs_or_outputs_is_not_the_caller_s():
    kept = []

    @sf.operation
    def keeps(x):
        kept.append(x)
        return x

    w = sf.Variable([1.0, 2.0])
    value = run(keeps(w))
    value[:] = 0.0
    assert kept[0].tolist() == [1.0, 2.0]


def test_it_runs_once_for_each_run():
    calls = []

    @sf.operation
    def counted(x):
        calls.append(1)
        return x

    y = counted(sf.constant(1.0))
    sess = sf.Session()
    assert sess.run([y, y + y, y]) == [1.0, 2.0, 1.0]
    assert len(calls) == 1
    sess.run(y)
    assert len(calls) == 2


@pytest.mark.parametrize(
    "error", [KeyError("mine"), ZeroDivisionError(), KeyboardInterrupt(), SystemExit(3)]
)
def test_its_exceptions_come_through_as_they_are(error):
    with pytest.raises(type(error)) as caught:
        run(failing(error))
    assert caught.value is error


def test_its_exceptions_get_a_note_that_names_it():
    with pytest.raises(KeyError) as error:
        run(failing(KeyError("mine")))
    [note] = error.value.__notes__
    assert note.startswith(f"in returns 'mine', made at {__file__}:")
    assert note.endswith('`return returns(sf.constant([1.0, 2.0]), name="mine")`')


@pytest.mark.parametrize(
    ("result", "want", "dtype"),
    [
        ([1.0, 2.5], [1.0, 2.5], np.float64),
        (3, 3, np.int64),
        (True, True, np.bool_),
        (np.float32(1.5), 1.5, np.float32),
        (["a", "b"], [b"a", b"b"], object),
        ("a", b"a", None),
    ],
)
def test_it_may_return_what_converts_to_an_array(result, want, dtype):
    value = run(failing(lambda x: result))
    assert np.asarray(value).tolist() == want
    assert dtype is None or value.dtype == dtype


def test_what_it_infers_holds():
    class Wrong(sf.Operation):
        def infer(self, x):
            return [((), np.dtype(np.int32))]

        def compute(self, x):
            return x

    assert run(Wrong(sf.constant(2.0))).dtype == np.int32
    with pytest.raises(
        TypeError, match=r"expected int32 from Wrong 'Wrong_1', got 2\.5"
    ):
        run(Wrong(sf.constant(2.5)))


def test_none_is_no_result():
    with pytest.raises(
        TypeError, match="compute returned None, and must return the va"
    ):
        run(failing(None))


def test_a_tensor_is_no_result():
    for result in (sf.constant(1.0), sf.Variable(1.0), Cube(1.0)):
        with pytest.raises(
            TypeError, match="must return numbers: it gets and returns arr"
        ):
            run(failing(lambda x, result=result: result))


@pytest.mark.parametrize("result", [1.0, [1.0], (1.0, 2.0, 3.0), np.ones(2), None])
def test_as_many_results_as_outputs(result):
    @sf.operation(num_outputs=2)
    def two(x):
        return result

    with pytest.raises(
        ValueError, match="compute must return 2 values in a list"
    ) as error:
        run(two(1.0)[0])
    assert "in two 'two', made at" in str(error.value)


def test_several_results_are_checked_one_by_one():
    @sf.operation(num_outputs=2)
    def half(x):
        return x, None

    with pytest.raises(TypeError, match="compute returned None"):
        run(half(1.0)[0])


def test_an_attribute_is_no_business_of_the_library():
    @sf.operation
    def same(x, initializer=None):
        return x

    y, late = same(1.0, initializer=True), sf.Variable(1.0)
    sess = sf.Session()
    assert sess.run([y, sf.assign_add(sf.Variable(1.0), 1.0)]) == [1.0, 2.0]
    assert sess.run(late) == 1.0  # nothing was initialised explicitly


@pytest.mark.parametrize("name", ["Const", "Placeholder", "VariableV2", "Mul", "Shape"])
def test_a_class_may_be_called_as_a_built_in_type(name):
    own = type(name, (sf.Operation,), {"compute": lambda self, x: x + 1})
    y = own(sf.constant([1, 2]))
    assert run(y).tolist() == [2, 3]
    assert run(sf.reduce_sum(y)) == 5
    assert run(sf.ones(y)).shape == (2, 3)
    del OWN_TYPES[name]


@pytest.mark.parametrize("pair", [((2,), "float32"), [[2], sf.float32]])
def test_what_one_output_infers_needs_no_list(pair):
    class Typed(Cube):
        def infer(self, x):
            return pair

    y = Typed(sf.constant([1.0, 2.0])).output
    assert (y.shape.as_list(), y.dtype) == ([2], sf.float32)


def test_each_output_has_its_own_shape_and_dtype():
    class Typed(MinMax):
        def infer(self, x):
            return ((), x.static_dtype), (None, x.static_dtype)

    low, high = Typed(sf.constant([1.0, 2.0])).outputs
    assert (low.static_shape, high.static_shape) == ((), None)

    class Short(MinMax):
        def infer(self, x):
            return [((), x.static_dtype)]

    said = "infer of Short told of 1 outputs, and its num_outputs is 2"
    with pytest.raises(ValueError, match=said):
        Short(sf.constant([1.0, 2.0]))


def test_a_function_without_a_name_makes_no_type():
    with pytest.raises(TypeError, match="the type is the function's name"):
        sf.operation(partial(np.multiply, 2.0))


@pytest.mark.parametrize("use", ["graph", "name", "outputs"])
def test_a_class_that_forgets_super_is_told(use):
    class Forgetful(Cube):
        def __init__(self, x):
            self.x = x

    said = rf"Forgetful has no attribute '{use}': does Forgetful.__init__ call super"
    with pytest.raises(AttributeError, match=said):
        getattr(Forgetful(sf.constant(1.0)), use)
