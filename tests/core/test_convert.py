"""From what a user writes to arrays and tensors: dtypes, and what may be cast."""

import numpy as np
import pytest

import similarflow as sf
from similarflow.core.casting import dtype_name, lossless
from similarflow.core.convert import as_array, as_np_dtype, fits

FLOATS = (np.float16, np.float32, np.float64)


class Same(sf.Operation):
    def compute(self, x):
        return x


class Pair(sf.Operation):
    num_outputs = 2

    def compute(self, x):
        return x, x


# ---- which dtype a value gets


@pytest.mark.parametrize(
    ("value", "dtype"),
    [
        (1.5, np.float32),
        (1, np.int32),
        (2**31 - 1, np.int32),
        (2**31, np.int64),
        ([1, -(2**40)], np.int64),
        (2**63, np.uint64),
        (True, np.bool_),
        ([1, 2.5], np.float32),
        ([True, 2], np.int32),
        (1j, np.complex128),
        ([], np.float32),
        (np.float64(1.5), np.float64),
        (np.int64(1), np.int64),
        (np.float16([1.5]), np.float16),
        ([np.array([1.5]), [2.5]], np.float64),
        ([[np.array(1)]], np.int64),
        (b"a", np.object_),
        ("a", np.object_),
    ],
)
def test_a_value_gets_the_dtype_that_suits_it(value, dtype):
    assert as_array(value).dtype == dtype


@pytest.mark.parametrize("value", [1.5, [1.5, 2], 3, [3, 4], 2**40])
def test_a_value_may_keep_the_dtype_that_numpy_gives_it(value):
    assert as_array(value, narrow=False).dtype == np.asarray(value).dtype


def test_a_float_goes_to_its_dtype_without_a_detour():
    for value in (0.1, [0.1]):
        assert np.ravel(as_array(value, np.dtype(np.float64)))[0] == 0.1
        assert np.ravel(as_array(value, np.dtype(np.float16)))[0] == np.float16(0.1)


def test_strings_become_bytes():
    for value in ("ä", b"\xc3\xa4", np.str_("ä"), np.array("ä"), np.array(b"\xc3\xa4")):
        assert as_array(value)[()] == "ä".encode()
    array = as_array([["a", b"b"], [np.str_("c"), np.bytes_(b"d")]])
    assert array.tolist() == [[b"a", b"b"], [b"c", b"d"]]
    assert {type(item) for item in array.flat} == {bytes}
    assert as_array(np.array(["ab", "c"])).tolist() == [b"ab", b"c"]
    assert as_array(np.array([], "U3")).shape == (0,)


def test_objects_are_left_as_they_were():
    given = np.array(["a", "b"], object)
    assert as_array(given).tolist() == [b"a", b"b"]
    assert given.tolist() == ["a", "b"]


def test_sizes_are_whole_numbers():
    shape = sf.TensorShape([2, 3])
    for value in (shape, [shape[0], 3], shape.as_list(), tuple(shape.dims)):
        array = as_array(value)
        assert (array.tolist(), array.dtype) == ([2, 3], np.int32)
    assert as_array(sf.Dimension(2**40)).dtype == np.int64
    assert as_array([shape, shape]).tolist() == [[2, 3], [2, 3]]
    for unknown in (sf.Dimension(None), sf.TensorShape([None, 3])):
        with pytest.raises(TypeError, match="an unknown dimension is no number"):
            as_array(unknown)


def test_the_byte_order_does_not_change_the_dtype():
    for name in ("f4", "f8", "i2", "u8", "c8"):
        array = as_array(np.array([1, 2], f">{name}"))
        assert array.dtype == np.dtype(name)
        assert array.tolist() == [1, 2]
        x = sf.Placeholder()
        value = sf.Session().run(x * 2, {x: np.array([1, 2], f">{name}")})
        assert (value.dtype, value.tolist()) == (np.dtype(name), [2, 4])


def test_truth_values_among_objects_stay_truth_values():
    assert as_array(np.array([True, False], object)).dtype == np.bool_


# ---- what may be cast


@pytest.mark.parametrize(
    ("value", "dtype", "want"),
    [
        ([1.0, -2.0], np.int32, [1, -2]),
        ([1, 2], np.float32, [1.0, 2.0]),
        ([0, 1], np.bool_, [False, True]),
        ([True, False], np.int8, [1, 0]),
        (2**40, np.int64, 2**40),
        (2**40, np.float32, 2**40),
        (255, np.uint8, 255),
        ([], np.int32, []),
        (1.5, np.complex64, 1.5),
        (np.complex128(1 + 2j), np.complex64, 1 + 2j),
        (np.complex64(2), np.float32, 2.0),
    ],
)
def test_a_cast_that_keeps_every_value(value, dtype, want):
    array = as_array(value, np.dtype(dtype))
    assert array.dtype == dtype
    assert array.tolist() == want


@pytest.mark.parametrize("have", FLOATS)
@pytest.mark.parametrize("want", FLOATS)
def test_floats_are_cast_among_floats(have, want):
    with np.errstate(over="ignore"):
        given = np.array([0.1, 6e4, np.nan, -np.inf]).astype(have) ** 3
    array = as_array(given, np.dtype(want))
    assert array.dtype == want
    assert array[0] == pytest.approx(0.001, rel=1e-2)
    assert np.isnan(array[2])
    assert array[3] == -np.inf


@pytest.mark.parametrize(
    ("value", "dtype", "lost"),
    [
        (1.7, np.int32, r"1\.7"),
        (np.float32(1.5), np.int64, r"1\.5"),
        (2**40, np.int32, str(2**40)),
        (-1, np.uint8, "-1"),
        (-1, np.uint64, "-1"),
        (np.int8(-1), np.uint8, "-1"),
        (np.uint8(200), np.int8, "200"),
        (256, np.uint8, "256"),
        (float("nan"), np.int32, "nan"),
        (float("inf"), np.int32, "inf"),
        (1e10, np.int32, r"10000000000\.0"),
        (2.0**31, np.int32, r"2147483648\.0"),
        (np.float32(2**31), np.int32, r"2147483648\.0"),
        (2.0**63, np.int64, r"9\.2\d*e\+18"),
        (2**24 + 1, np.float32, str(2**24 + 1)),
        (2**53 + 1, np.float64, str(2**53 + 1)),
        (2**63 - 1, np.float64, str(2**63 - 1)),
        (2**64 - 1, np.float32, str(2**64 - 1)),
        (2, np.bool_, "2"),
        (0.5, np.bool_, r"0\.5"),
        (1 + 1j, np.float32, r"\(1\+1j\)"),
        ([1.0, 2.5, 3.5], np.int32, r"2\.5"),
        ([[1], [300]], np.int8, "300"),
    ],
)
def test_a_cast_that_would_lose_a_value_is_refused_and_says_which(value, dtype, lost):
    name = np.dtype(dtype).name
    with pytest.raises(TypeError, match=f"expected {name} for 'x', got {lost} .*") as e:
        as_array(value, np.dtype(dtype), " for 'x'")
    assert f"which {name} cannot hold. Give {name} values, or use sf.cast" in str(
        e.value
    )


@pytest.mark.parametrize(
    ("value", "dtype"), [("a", np.float32), (["1"], np.int32), (b"", np.bool_)]
)
def test_strings_are_no_numbers(value, dtype):
    name = np.dtype(dtype).name
    with pytest.raises(TypeError, match=f"expected {name}, got string"):
        as_array(value, np.dtype(dtype))
    with pytest.raises(TypeError, match="expected string, got "):
        as_array(np.zeros(2, dtype), np.dtype(object))


def test_a_cast_leaves_the_array_alone():
    given = np.array([1.0, 2.0])
    assert lossless(given, np.dtype(np.int32)).tolist() == [1, 2]
    assert given.dtype == np.float64
    assert as_array(given) is given


# ---- what is no value


@pytest.mark.parametrize("value", [[[1, 2], [3]], [[1], 2], [["a"], ["b", "c"]]])
def test_ragged_lists_are_refused(value):
    with pytest.raises(ValueError, match=r"no array for 'x': .*rows equally long"):
        as_array(value, what=" for 'x'")


@pytest.mark.parametrize("value", [None, [1.0, None], [[None]], ["a", None]])
def test_none_is_no_value(value):
    with pytest.raises(ValueError, match="None is no value for 'x'"):
        as_array(value, what=" for 'x'")


@pytest.mark.parametrize(
    "value", [object(), [1, object()], {"a": 1}, {1}, [1, "a"], len]
)
def test_other_things_are_no_values(value):
    with pytest.raises(TypeError, match="is no number or string for 'x'"):
        as_array(value, what=" for 'x'")


@pytest.mark.parametrize(
    "value", [np.datetime64("2020-01-01"), np.zeros(2, [("a", "i4"), ("b", "f4")])]
)
def test_a_dtype_that_tensors_do_not_have_is_refused(value):
    with pytest.raises(TypeError):
        sf.constant(value)
    x = sf.Placeholder()
    with pytest.raises(TypeError):
        sf.Session().run(x, {x: value})


@pytest.mark.parametrize("value", [2**64, -(2**63) - 1, [1, 2**70]])
def test_whole_numbers_that_no_dtype_holds_are_refused(value):
    for dtype in (None, sf.int64):
        with pytest.raises((TypeError, ValueError)):
            sf.constant(value, dtype)


# ---- names of dtypes, shapes that fit


def test_a_dtype_may_be_written_in_many_ways():
    for dtype in (sf.float32, "float32", np.float32, np.dtype("float32"), float):
        assert as_np_dtype(dtype) == np.dtype(np.float32)
    assert as_np_dtype(None) is None
    for dtype in (sf.string, "string", np.dtype("U3"), np.str_, object):
        assert as_np_dtype(dtype) == np.dtype(object)
    for wrong in ("nonsense", int, 1.5, [1]):
        with pytest.raises(TypeError, match="is no dtype"):
            as_np_dtype(wrong)
    assert [dtype_name(d) for d in (None, np.dtype(object), np.dtype("i8"))] == [
        "untyped",
        "string",
        "int64",
    ]


def test_shapes_that_can_be_those_of_one_value():
    for x, y in [(None, (2,)), ((2,), None), ((None, 2), (3, None)), ((), ())]:
        assert fits(x, y)
    for x, y in [((2,), (3,)), ((), (1,)), ((None, 2), (None,))]:
        assert not fits(x, y)


# ---- tensors


def test_what_stands_for_a_tensor_converts_to_it():
    x, v = sf.constant(1.0), sf.Variable(1.0)
    own = Same(x)
    assert sf.convert_to_tensor(x) is x
    assert sf.convert_to_tensor(v) is v.as_tensor()
    assert sf.convert_to_tensor(own) is own.output
    assert sf.convert_to_tensor(x, sf.float32) is x
    untyped = sf.Placeholder()
    assert sf.convert_to_tensor(untyped, sf.int32) is untyped
    with pytest.raises(TypeError, match="is an operation, and a tensor is needed"):
        sf.convert_to_tensor(Pair(x))


def test_a_tensor_is_not_cast_silently():
    x = sf.Placeholder(sf.float64, [2], name="x")
    with pytest.raises(ValueError, match=r"'x:0' \(2,\) float64 was given, and int32"):
        sf.convert_to_tensor(x, sf.int32)


def test_a_list_that_holds_tensors_is_stacked():
    x, v = sf.constant(1.0), sf.Variable(2.0)
    y = sf.convert_to_tensor([[x, 3], [v, 4.5]], name="table")
    assert (y.op.type, y.op.name) == ("Pack", "table")
    assert sf.Session().run(y).tolist() == [[1.0, 3.0], [2.0, 4.5]]
    assert sf.convert_to_tensor((x, v)).op.name == "packed"
    with pytest.raises(ValueError, match="int32 is needed"):
        sf.convert_to_tensor([x, v], sf.int32)


def test_a_list_joins_the_graph_of_the_tensors_deep_inside():
    with sf.Graph().as_default() as g:
        x = sf.constant(1.0)
    assert sf.convert_to_tensor([[0.0, 1.0], [2.0, x]]).graph is g
    assert sf.get_default_graph().get_operations() == []


def test_a_preferred_dtype_counts_if_the_value_fits_it():
    x = sf.constant(1.0)
    assert sf.convert_to_tensor(1, preferred_dtype=sf.float64).dtype == sf.float64
    assert sf.convert_to_tensor(1, dtype_hint=sf.int64).dtype == sf.int64
    assert sf.convert_to_tensor(1.5, preferred_dtype=sf.int32).dtype == sf.float32
    assert sf.convert_to_tensor("a", preferred_dtype=sf.int32).dtype == sf.string
    assert sf.convert_to_tensor(x, preferred_dtype=sf.int32) is x
    assert sf.convert_to_tensor(1, sf.int64, preferred_dtype=sf.int32).dtype == sf.int64


# ---- constants


def test_a_constant_is_filled_up_with_its_last_value():
    values = [
        sf.constant([1, 2], shape=[2, 2]).value,
        sf.constant(7, sf.float64, [3]).value,
        sf.constant([[1, 2], [3, 4]], shape=[4]).value,
        sf.constant([], shape=[0, 2]).value,
        sf.constant([], shape=[2]).value,
        sf.constant([], sf.string, [1]).value,
    ]
    assert [v.tolist() for v in values] == [
        [[1, 2], [2, 2]],
        [7.0] * 3,
        [1, 2, 3, 4],
        [],
        [0.0, 0.0],
        [b""],
    ]
    assert values[3].shape == (0, 2)
    for value, shape in [([1, 2, 3], [2])]:
        with pytest.raises(
            ValueError, match=f"{len(value)} values do not fit the 2 of"
        ):
            sf.constant(value, shape=shape)


def test_a_constant_s_shape_can_be_checked():
    assert sf.constant([1, 2], shape=[2], verify_shape=True).shape == [2]
    with pytest.raises(TypeError, match=r"c: the value has shape \(2,\), not \(2, 1\)"):
        sf.constant([1, 2], shape=[2, 1], name="c", verify_shape=True)


def test_an_error_names_the_constant():
    with pytest.raises(TypeError, match=r"expected int32 for 'rate', got 0\.5"):
        sf.constant(0.5, sf.int32, name="rate")


def test_whole_numbers_beyond_64_bits_may_be_floats():
    x = sf.constant([[2**80], [1]], sf.float64)
    assert sf.Session().run(x).tolist() == [[2.0**80], [1.0]]


def test_numbers_beyond_a_dtype_are_infinite():
    assert sf.constant(70000.0, sf.float16).value == np.inf
    assert sf.constant([1e300, -1e300]).value.tolist() == [np.inf, -np.inf]
