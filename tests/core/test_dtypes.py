"""DType as TensorFlow's users know it; the tables were recorded from TensorFlow."""

import copy
import inspect
import pickle
import re
from typing import Any

import numpy as np
import pytest

from similarflow.core import dtypes
from similarflow.core.convert import as_np_dtype
from similarflow.core.dtypes import DType, as_dtype, dtype_of

DOUBLE = 1.7976931348623157e308
# name: number, size, kind, lowest, highest, limits
FACTS: dict[str, tuple[Any, ...]] = {
    "float32": (1, 4, "floating", -3.4028235e38, 3.4028235e38, (0, 1)),
    "float64": (2, 8, "floating", -DOUBLE, DOUBLE, (0, 1)),
    "int32": (3, 4, "integer", -2147483648, 2147483647, (0, 2147483647)),
    "uint8": (4, 1, "unsigned", 0, 255, (0, 255)),
    "int16": (5, 2, "integer", -32768, 32767, (0, 32767)),
    "int8": (6, 1, "integer", -128, 127, (0, 127)),
    "string": (7, 0, "", None, None, None),
    "complex64": (8, 8, "complex", None, None, None),
    "int64": (9, 8, "integer", -(2**63), 2**63 - 1, (0, 2**63 - 1)),
    "bool": (10, 1, "bool", None, None, (0, True)),
    "uint16": (17, 2, "unsigned", 0, 65535, (0, 65535)),
    "complex128": (18, 16, "complex", None, None, None),
    # TensorFlow knows no limits for float16; here they are those of every float.
    "float16": (19, 2, "floating", -65504.0, 65504.0, (0, 1)),
    "uint32": (22, 4, "unsigned", 0, 4294967295, (0, 4294967295)),
    "uint64": (23, 8, "unsigned", 0, 2**64 - 1, (0, 2**64 - 1)),
}
ALL = [getattr(dtypes, name) for name in FACTS]

# Things that mean no dtype, to TensorFlow neither except the first two.
NONSENSE: list[Any] = [
    True,
    np.array([1.0]),
    None,
    "nonsense",
    "",
    "f4",
    "int",
    "str",
    "object",
    0,
    999,
    -1,
    1.5,
    int,
    str,
    bytes,
    complex,
    list,
    type,
    [1],
    {},
    object(),
    np.floating,
    np.generic,
    np.void,
    np.longdouble,
    np.datetime64,
    np.dtype("datetime64[s]"),
    np.dtype([("a", np.float32)]),
]


@pytest.mark.parametrize("name", FACTS)
def test_facts(name: str) -> None:
    number, size, kind, low, high, limits = FACTS[name]
    d = getattr(dtypes, name)
    assert isinstance(d, DType)
    assert d.name == name
    assert d.as_datatype_enum == int(d) == hash(d) == number
    assert d.size == size
    kinds = [k for k in ("floating", "bool", "complex", "unsigned") if _is(d, k)]
    assert kinds == ([kind] if kind not in ("integer", "") else [])
    assert d.is_integer is (kind in ("integer", "unsigned"))
    assert d.is_numpy_compatible is True
    assert d.base_dtype is d
    if low is not None:
        assert (d.min, d.max) == (d.as_numpy_dtype(low), d.as_numpy_dtype(high))
        scalar = d.as_numpy_dtype if kind == "floating" else int
        assert type(d.min) is type(d.max) is scalar
    else:
        with pytest.raises(TypeError, match=f"{name} has no min"):
            _ = d.min
        with pytest.raises(TypeError, match=f"{name} has no max"):
            _ = d.max
    if limits is not None:
        assert d.limits == limits
    else:
        with pytest.raises(ValueError, match=f"{name} has no limits"):
            _ = d.limits


def _is(d: DType, kind: str) -> bool:
    found = getattr(d, f"is_{kind}")
    assert isinstance(found, bool)
    return found


@pytest.mark.parametrize("name", FACTS)
def test_text(name: str) -> None:
    d = getattr(dtypes, name)
    assert repr(d) == f"tf.{name}"
    assert str(d) == f"{d}" == f"<dtype: '{name}'>"
    assert f"{d!s} {d!r}" == f"<dtype: '{name}'> tf.{name}"


def test_other_names() -> None:
    assert dtypes.half is dtypes.float16
    assert dtypes.double is dtypes.float64


def test_real_dtype() -> None:
    assert dtypes.complex64.real_dtype is dtypes.float32
    assert dtypes.complex128.real_dtype is dtypes.float64
    assert as_dtype("complex64_ref").real_dtype is dtypes.float32
    others = [d for d in ALL if not d.is_complex]
    assert [d.real_dtype for d in others] == others


@pytest.mark.parametrize("d", ALL, ids=repr)
def test_numpy_takes_it(d: DType) -> None:
    expected = np.dtype(object if d.name == "string" else d.name)
    assert np.dtype(d) == expected
    assert np.zeros(2, d).dtype == expected
    assert np.array([1]).astype(d).dtype == expected
    assert np.dtype(d.as_numpy_dtype) == expected
    assert as_np_dtype(d) == expected
    assert isinstance(d.as_numpy_dtype, type)


def test_as_numpy_dtype_is_the_scalar_type() -> None:
    assert dtypes.float32.as_numpy_dtype is np.float32
    assert dtypes.bool.as_numpy_dtype is np.bool_
    assert dtypes.string.as_numpy_dtype is object
    assert dtypes.float32.as_numpy_dtype(3).dtype == np.float32


@pytest.mark.parametrize("d", ALL, ids=repr)
def test_equals_what_means_it(d: DType) -> None:
    numpy = np.dtype(object if d.name == "string" else d.name)
    for same in (d, d.name, d.as_numpy_dtype, numpy, numpy.type, d.as_datatype_enum):
        assert d == same
        assert same == d
        assert (d != same) is False
    others = [other for other in ALL if other is not d]
    for other in others:
        for different in (other, other.name, other.as_numpy_dtype, other.dtype):
            assert d != different
            assert (d == different) is False


EQUAL = [
    ("float32", "float"),
    ("float32", float),
    ("float32", 1),
    ("float32", np.dtype(">f4")),
    ("bool", bool),
    ("string", object),
    ("string", np.str_),
    ("string", np.bytes_),
    ("string", np.dtype("S3")),
    ("string", np.dtype("U3")),
    ("int64", np.longlong),
    ("uint64", np.ulonglong),
    ("int32", np.intc),
]


@pytest.mark.parametrize(("name", "value"), EQUAL, ids=str)
def test_equals_other_spellings(name: str, value: Any) -> None:
    d = getattr(dtypes, name)
    assert d == value
    assert as_dtype(value) is d


@pytest.mark.parametrize("value", NONSENSE, ids=repr)
def test_nonsense(value: Any) -> None:
    for d in ALL:
        assert (d == value) is False
        assert (d != value) is True
    with pytest.raises(TypeError, match=re.escape(f"{value!r} is no dtype")):
        as_dtype(value)


def test_errors_say_what_to_write() -> None:
    for value, hint in (
        (int, "sf.int32 or sf.int64"),
        ("int", "sf.int32 or sf.int64"),
        (str, "sf.string"),
        (bytes, "sf.string"),
        ("complex", "sf.complex64 or sf.complex128"),
        ("flaot32", "sf.float32, 'float32' or np.float32"),
    ):
        with pytest.raises(TypeError, match=re.escape(hint)):
            as_dtype(value)


@pytest.mark.parametrize("name", FACTS)
def test_as_dtype(name: str) -> None:
    d = getattr(dtypes, name)
    number = FACTS[name][0]
    values = (d, name, number, np.int64(number), d.as_numpy_dtype, d.dtype)
    assert [as_dtype(value) for value in values] == [d] * 6
    assert all(as_dtype(value) is d for value in values)
    assert as_dtype(type_value=name) is d


def test_as_dtype_of_names() -> None:
    names = {"half": "float16", "float": "float32", "double": "float64"}
    for name, meant in names.items():
        assert as_dtype(name) is getattr(dtypes, meant)
        assert as_dtype(f"{name}_ref") is as_dtype(f"{meant}_ref")
    assert as_dtype(np.str_("int8")) is dtypes.int8


@pytest.mark.parametrize("name", FACTS)
def test_ref(name: str) -> None:
    d, ref = getattr(dtypes, name), as_dtype(f"{name}_ref")
    assert (ref.name, int(ref), repr(ref)) == (
        f"{name}_ref",
        int(d) + 100,
        f"tf.{ref.name}",
    )
    assert str(ref) == f"<dtype: '{name}_ref'>"
    assert ref.base_dtype is d
    assert as_dtype(int(ref)) is ref
    assert ref != d
    assert d != ref
    assert d != ref.name
    assert (d._is_ref_dtype, ref._is_ref_dtype) == (False, True)
    assert (ref.as_numpy_dtype, ref.size) == (d.as_numpy_dtype, d.size)
    assert ref.is_floating is d.is_floating
    assert np.dtype(ref) == np.dtype(d)
    assert d.is_compatible_with(ref)
    assert not ref.is_compatible_with(d)
    assert ref.is_compatible_with(ref)


def test_is_compatible_with() -> None:
    d = dtypes.float32
    assert [d.is_compatible_with(v) for v in (d, "float32", np.float32, float, 1)] == [
        True
    ] * 5
    assert not any(d.is_compatible_with(v) for v in (dtypes.float64, np.int32, "bool"))
    for value in ("nonsense", None):
        with pytest.raises(TypeError, match="is no dtype"):
            d.is_compatible_with(value)


def test_one_object_for_each_type() -> None:
    for d in (*ALL, as_dtype("float32_ref")):
        assert pickle.loads(pickle.dumps(d)) is d  # noqa: S301
        assert copy.copy(d) is copy.deepcopy(d) is DType(int(d)) is DType(d.name) is d
        assert copy.deepcopy({"dtype": [d]})["dtype"][0] is d
    assert len({*ALL, *ALL}) == len(FACTS)
    with pytest.raises(TypeError, match="is no dtype"):
        DType("nonsense")


def test_it_converts_nothing() -> None:
    with pytest.raises(TypeError, match=r"write sf\.cast\(x, sf\.float32\)"):
        dtypes.float32(3)
    with pytest.raises(TypeError, match=r"sf\.string is a dtype"):
        as_dtype("string_ref")("a", name="b")


def test_it_has_no_order() -> None:
    with pytest.raises(TypeError, match="not supported between instances"):
        _ = dtypes.float32 < dtypes.float64
    assert bool(dtypes.float32)


@pytest.mark.parametrize("d", ALL, ids=repr)
def test_dtype_of(d: DType) -> None:
    assert dtype_of(d.dtype) is d


def test_dtype_of_others() -> None:
    assert dtype_of(None) is None
    for dtype, d in (
        (np.dtype(">f4"), dtypes.float32),
        (np.dtype(np.longlong), dtypes.int64),
        (np.dtype("S5"), dtypes.string),
        (np.dtype("U5"), dtypes.string),
    ):
        assert dtype_of(dtype) is d
    with pytest.raises(TypeError, match=re.escape("dtype('<M8[D]') is no dtype")):
        dtype_of(np.dtype("datetime64[D]"))


def test_every_public_member_is_documented() -> None:
    for name, member in inspect.getmembers(DType):
        if not name.startswith("_") and name not in DType.__slots__:
            assert member.__doc__, name
    told = str(inspect.getdoc(DType))  # Python 3.13 takes the indentation away
    assert all(f"\n{name} : " in told for name in DType.__slots__)
