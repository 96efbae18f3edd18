"""``@op``: what a declaration says, and how a call's arguments are understood."""

import numpy as np
import pytest

import similarflow as sf
from similarflow.core.operators import BUILDERS
from similarflow.core.registry import DEFINITIONS, op
from similarflow.core.samples import case, integers, normal, uniform


@pytest.fixture(autouse=True)
def _registries_are_restored():
    kept = dict(DEFINITIONS), dict(BUILDERS)
    yield
    for registry, before in zip((DEFINITIONS, BUILDERS), kept, strict=True):
        registry.clear()
        registry.update(before)


@pytest.fixture
def scaled():
    @op(
        "Scaled",
        name="scaled_by",
        infer=lambda x, y, **attrs: (x.static_shape, x.static_dtype),
        converters={"times": lambda times, x: int(times)},
        aliases={"old_times": "times"},
    )
    def scaled(x, y, factor=1.0, times=1, *, offset=0.0):
        """``x * y``, scaled."""
        return x * y * factor**times + offset

    return scaled


def infer_all(*values, **attrs):
    return [(v.static_shape, v.static_dtype) for v in values]


# ---- a declaration


def test_a_declaration_is_all_that_an_operation_needs(scaled):
    definition = DEFINITIONS["Scaled"]
    assert scaled.definition is definition
    assert BUILDERS["scaled"] is scaled
    assert (scaled.__name__, scaled.__doc__) == ("scaled", "``x * y``, scaled.")
    assert scaled.__module__ == __name__
    assert definition.inputs == ("x", "y")
    assert definition.attrs == {"factor": 1.0, "times": 1, "offset": 0.0}
    assert definition.order == ("x", "y", "factor", "times", "name", "offset")
    y = scaled(sf.constant([1.0, 2.0]), 3.0, 2.0, offset=1.0)
    assert (y.op.type, y.op.name, y.op.definition) == (
        "Scaled",
        "scaled_by",
        definition,
    )
    assert y.op.attrs == {"factor": 2.0, "times": 1, "offset": 1.0}
    assert sf.Session().run(y).tolist() == [7.0, 13.0]


def test_an_operation_is_named_after_its_type_by_default():
    @op("OnceMore", infer=lambda x: (x.static_shape, x.static_dtype))
    def once_more(x):
        return x

    assert once_more(1.0).op.name == "OnceMore"


def test_as_many_results_as_the_shape_rule_tells():
    @op("Two", infer=lambda x: infer_all(x, x))
    def two(x):
        return x, -x

    @op("OneInAList", infer=infer_all)
    def one_in_a_list(x):
        return x

    @op("Nothing", infer=lambda x: [])
    def nothing(x):
        return ()

    a, b = two(2.0)
    assert (a.name, b.name) == ("Two:0", "Two:1")
    (c,) = one_in_a_list(3.0)
    done = nothing(c)
    assert isinstance(done, sf.Operation)
    assert sf.Session().run([a, b, c, done]) == [2.0, -2.0, 3.0, None]


def test_an_operation_on_a_list_takes_any_number():
    @op("Largest", infer=lambda *values, low: infer_all(*values)[0])
    def largest(*values, low=0.0):
        return max(*values, low)

    results = [
        largest([1.0, 2.0, 3.0]),
        largest((sf.constant(1.0), 5.0), low=9.0),
        largest([1.0, 4.0], 8.0, "named"),
        largest(values=[1.0, 4.0]),
    ]
    assert sf.Session().run(results) == [3.0, 9.0, 8.0, 4.0]
    assert results[2].op.name == "named"
    assert [x.op.name for x in results[0].op.inputs] == [
        "Largest/values_0",
        "Largest/values_1",
        "Largest/values_2",
    ]


def test_a_random_kernel_s_generator_is_no_argument():
    @op("Noise", infer=lambda x, seed: (x.static_shape, x.static_dtype), random=True)
    def noise(rng, x, seed=(None, 7)):
        return x + rng.normal(size=np.shape(x))

    assert DEFINITIONS["Noise"].inputs == ("x",)
    x = noise(np.zeros(3))
    assert sf.Session().run(x).shape == (3,)


def test_attributes_may_have_no_default():
    @op("Raised", infer=lambda x, by: (x.static_shape, x.static_dtype), attrs=["by"])
    def raised(x, by):
        return x + by

    assert sf.Session().run([raised(1.0, 2.0), raised(by=3.0, x=1.0)]) == [3.0, 4.0]
    assert raised(1.0, 2.0).op.attrs == {"by": 2.0}


def test_samples_are_described_and_not_drawn():
    args, attrs = case(normal(2, 3), uniform(-1.0, 1.0), axis=1)
    assert attrs == {"axis": 1}
    assert args[0] == ("normal", (2, 3), 0.0, 1.0)
    assert args[1] == ("uniform", (), -1.0, 1.0)
    assert integers(0, 5, 2) == ("integers", (2,), 0, 5)


# ---- a call's arguments


@pytest.mark.parametrize(
    "call",
    [
        lambda f: f(2.0, 3.0, 5.0, 2, "n", 1.0),
        lambda f: f(2.0, 3.0, 5.0, "2", "n", offset=1.0),
        lambda f: f(2.0, 3.0, 5.0, old_times=2.0, name="n", offset=1.0),
        lambda f: f(offset=1.0, name="n", times=2, factor=5.0, y=3.0, x=2.0),
        lambda f: f(2.0, y=3.0, factor=5.0, times=np.int64(2), name="n", offset=1.0),
    ],
)
def test_arguments_by_position_name_and_older_name(scaled, call):
    y = call(scaled)
    assert y.op.name == "n"
    assert y.op.attrs == {"factor": 5.0, "times": 2, "offset": 1.0}
    assert type(y.op.attrs["times"]) is int
    assert sf.Session().run(y) == 151.0


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda f: f(1, 2, wrong=3),
            r"no argument 'wrong', it has x, y, factor, times",
        ),
        (lambda f: f(1), r"scaled\(\) needs the argument 'y'"),
        (lambda f: f(y=1), r"scaled\(\) needs the argument 'x'"),
        (lambda f: f(), r"scaled\(\) needs the argument 'x'"),
        (lambda f: f(1, 2, x=3), r"scaled\(\) got the argument 'x' twice"),
        (lambda f: f(1, 2, 3, factor=4), r"got the argument 'factor' twice"),
        (lambda f: f(1, 2, times=3, old_times=4), r"got the argument 'times' twice"),
        (lambda f: f(1, 2, 3, 4, "n", name="m"), r"got the argument 'name' twice"),
        (lambda f: f(1, 2, 3, 4, "n", 6, 7), r"takes 6 arguments, 7 were given"),
    ],
)
def test_arguments_that_make_no_call(scaled, call, message):
    with pytest.raises(TypeError, match=message):
        call(scaled)
    assert sf.get_default_graph().get_operations() == []


def test_a_value_may_have_its_converter_too():
    @op(
        "Picked",
        infer=lambda x, i: (None, x.static_dtype),
        same=["x"],
        converters={"i": lambda i, x: np.asarray(i, np.int32)},
    )
    def picked(x, i):
        return x[i]

    assert sf.Session().run(picked([1.0, 2.0], 1.0)) == 2.0


# ---- dtypes


def test_numbers_and_arrays_take_the_dtype_of_the_tensor_beside_them(scaled):
    for dtype in (sf.float16, sf.float64, sf.int8):
        x = sf.Placeholder(dtype)
        for y in (2, np.int64(2), [2.0], np.array([2.0])):
            for result in (scaled(x, y), scaled(y, x)):
                assert {t.dtype for t in result.op.inputs} == {dtype}


def test_a_value_that_does_not_fit_says_where_it_stands(scaled):
    with pytest.raises(TypeError, match=r"expected int32 for 'n/y', got 1\.5"):
        scaled(sf.constant(1), 1.5, name="n")


def test_two_dtypes_are_an_error_that_shows_both(scaled):
    x, y = (
        sf.Placeholder(sf.float32, [2], name="x"),
        sf.Placeholder(sf.float64, name="y"),
    )
    with pytest.raises(TypeError) as error:
        scaled(x, y)
    lines = str(error.value).splitlines()
    assert lines[0] == (
        "scaled: dtypes differ, y is float64 beside float32. Write "
        "sf.cast(x, sf.float32)"
    )
    assert lines[1] == "in Scaled 'scaled_by', given"
    assert lines[2].startswith(f"  x: 'x:0' (2,) float32, made at {__file__}:")
    assert lines[3].startswith("  y: 'y:0' of unknown shape float64, made at ")


def test_a_dtype_that_the_operation_does_not_take():
    @op("Flipped", infer=lambda x: (x.static_shape, x.static_dtype), accepts="bool")
    def flipped(x):
        return ~x

    for wrong, kind in [(1, "int32"), ("a", "string"), (1.5, "float32")]:
        with pytest.raises(TypeError, match=f"does not take {kind}, it takes: bool"):
            flipped(wrong)
    with pytest.raises(TypeError, match="multiply does not take string, it takes: int"):
        sf.constant("a") * sf.constant("b")
    with pytest.raises(TypeError, match="subtract does not take bool"):
        sf.constant(True) - 1.0


def test_an_input_of_a_list_is_called_by_its_place():
    values = [sf.constant(1.0), sf.constant(2.0), sf.constant(3)]
    with pytest.raises(
        TypeError, match=r"inputs\[2\] is int32 beside float32"
    ) as error:
        sf.add_n(values)
    assert "  inputs[1]: 'Const_1:0' () float32, made at" in str(error.value)


def test_only_the_inputs_that_share_a_dtype_must_agree():
    @op("Shifted", infer=lambda x, n: (x.static_shape, x.static_dtype), same=["x"])
    def shifted(x, n):
        return np.roll(x, n)

    y = shifted(sf.constant([1.0, 2.0, 3.0]), 1)
    assert [t.dtype for t in y.op.inputs] == [sf.float32, sf.int32]
    assert sf.Session().run(y).tolist() == [3.0, 1.0, 2.0]
    assert shifted([1.0], sf.constant("any")).dtype == sf.float32


# ---- without a dtype


@pytest.mark.parametrize(
    ("fed", "number", "want"),
    [
        (np.float32, 2.5, np.float32),
        (np.float64, 2.5, np.float64),
        (np.float16, 2, np.float16),
        (np.int8, 2, np.int8),
        (np.int64, 2.5, np.float64),
        (np.complex64, 2.5, np.complex64),
        (np.float32, np.float64(2.5), np.float64),
        (np.float64, np.float32(2.5), np.float64),
        (np.float32, [2.5], np.float32),
        (np.int32, np.array([2.5]), np.float64),
    ],
)
def test_python_numbers_are_weak_beside_an_untyped_tensor(fed, number, want):
    x = sf.Placeholder()
    results = [x * number, number * x]
    for y in results:
        assert y.static_dtype is None
    for value in sf.Session().run(results, {x: np.array([1, 2], fed)}):
        assert value.dtype == want
        assert value.tolist() == (np.array([1, 2]) * np.asarray(number)).tolist()


def test_two_numbers_are_not_weak():
    assert sf.add(1.5, 2).dtype == sf.float32
    with pytest.raises(TypeError, match=r"expected int32 for 'sum/y', got 2\.5"):
        sf.add(1, 2.5, name="sum")


# ---- shape rules


@pytest.mark.parametrize("kind", [ValueError, TypeError])
def test_a_shape_rule_s_error_says_which_operation_and_inputs(kind):
    def refuse(x, y, limit):
        raise kind(f"not below {limit}")

    @op("Checked", infer=refuse)
    def checked(x, y, limit=3):
        return x

    with pytest.raises(kind) as error:
        checked(sf.constant([4.0], name="four"), 5.0)
    lines = str(error.value).splitlines()
    assert lines[:2] == ["not below 3", "in checked (Checked 'Checked'), given"]
    assert lines[2].startswith("  x: 'four:0' (1,) float32, made at ")
    assert lines[3].startswith("  y: 'Checked/y:0' () float32, made at ")
    assert lines[3].endswith(': `checked(sf.constant([4.0], name="four"), 5.0)`')


def test_a_shape_rule_without_inputs_has_none_to_show():
    def refuse():
        raise ValueError("never")

    @op("Never", infer=refuse)
    def never():
        return ()

    with pytest.raises(
        ValueError, match=r"^never\nin never \(Never 'Never'\), made at .*`$"
    ):
        never()


def test_a_long_list_of_inputs_is_cut():
    with pytest.raises(ValueError, match=r"inputs\[20\] has shape") as error:
        sf.add_n([[1.0]] * 20 + [[1.0, 2.0]])
    assert len(str(error.value).splitlines()) == 8


def test_axes_are_whole_numbers():
    x = sf.constant([[1.0, 2.0]])
    for axis in (
        1,
        [1],
        (np.int64(1),),
        np.array([1]),
        sf.constant(1),
        sf.constant([1]),
    ):
        assert sf.reduce_sum(x, axis).op.attrs["axis"] == (1,)
    assert sf.reduce_sum(x).op.attrs["axis"] is None
    assert sf.reduce_sum(x, []).op.attrs["axis"] == ()
    for wrong in (0.7, [0.5], "a", sf.Variable(1), sf.Placeholder(sf.int32, [])):
        with pytest.raises(TypeError):
            sf.reduce_sum(x, wrong)
    with pytest.raises(ValueError, match="axis 2 is out of range for rank 2"):
        sf.reduce_sum(x, 2)


@pytest.mark.parametrize(
    ("items", "dtype"),
    [
        ([1, 2.5], "float32"),
        ([1, 2**40], "int64"),
        ([[1, 2], [3.0, 4]], "float32"),
        ([True, 1], "int32"),
        ([1, 2.5j], "complex128"),
        ([np.float64(1), 2], "float64"),
        ([np.arange(2), [1.5, 2]], "float32"),
        (["a", "b"], "object"),
    ],
)
def test_a_list_has_one_dtype_for_all_its_numbers(items, dtype):
    found = sf.Session().run(sf.stack(items))
    assert found.dtype == dtype
    want = [b"a", b"b"] if dtype == "object" else np.array(items, dtype).tolist()
    assert found.tolist() == want


def test_a_list_has_the_dtype_of_the_tensors_in_it():
    t = sf.constant(1.5)
    rows = [[1, 0], [0, t]]
    want = np.array([[1.0, 0.0], [0.0, 1.5]])
    for built in (sf.convert_to_tensor(rows), sf.stack(rows), rows + sf.constant(0.0)):
        found = sf.Session().run(built)
        assert found.dtype == np.float32
        assert found.tolist() == want.tolist()
    assert sf.Session().run(sf.matmul(rows, [[1.0], [2.0]])).tolist() == [[1], [3]]
    assert sf.Session().run(sf.reduce_sum(rows)) == 2.5


def test_strings_and_numbers_make_no_list():
    with pytest.raises(TypeError, match="got string"):
        sf.stack([1, "a"])
