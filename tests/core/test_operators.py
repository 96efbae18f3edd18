"""Python's operators: both sides, with all that can stand beside a tensor."""

import operator

import numpy as np
import pytest

import similarflow as sf

A = np.array([[7.0, 2.0, 3.0], [1.0, 0.5, 4.0]], np.float32)
B = np.array([2.0, 0.5, -1.5], np.float32)


class Same(sf.Operation):
    def compute(self, x):
        return x


def list_of(value):
    return value.tolist()


FLOWING = {
    "tensor": sf.constant,
    "variable": sf.Variable,
    "own operation": lambda value: Same(sf.constant(value)),
}
BESIDE = {
    **FLOWING,
    "array": np.asarray,
    "list": list_of,
    "tuple": lambda value: tuple(value.tolist()),
    "number": lambda value: float(value.flat[0]),
    "integer": lambda value: int(value.flat[0]),
    "NumPy number": lambda value: value.flat[0],
}
PAIRS = [(x, y) for x in BESIDE for y in BESIDE if x in FLOWING or y in FLOWING]

ARITHMETIC = {
    "add": (operator.add, "Add", "add"),
    "sub": (operator.sub, "Sub", "sub"),
    "mul": (operator.mul, "Mul", "mul"),
    "truediv": (operator.truediv, "RealDiv", "truediv"),
    "floordiv": (operator.floordiv, "FloorDiv", "floordiv"),
    "mod": (operator.mod, "FloorMod", "mod"),
    "pow": (operator.pow, "Pow", "pow"),
}
ORDER = {
    "lt": (operator.lt, "Less", "Greater"),
    "le": (operator.le, "LessEqual", "GreaterEqual"),
    "gt": (operator.gt, "Greater", "Less"),
    "ge": (operator.ge, "GreaterEqual", "LessEqual"),
}
LOGIC = {
    "and": (operator.and_, "LogicalAnd", "and"),
    "or": (operator.or_, "LogicalOr", "or"),
    "xor": (operator.xor, "LogicalXor", "xor"),
}


def value_of(side, value):
    """What NumPy computes with where `value` stands as `side`."""
    if side not in ("number", "integer", "NumPy number"):
        return value
    return value.dtype.type(BESIDE[side](value))


@pytest.mark.parametrize(("left", "right"), PAIRS)
@pytest.mark.parametrize(
    ("function", "type", "name"), ARITHMETIC.values(), ids=ARITHMETIC
)
def test_arithmetic_on_both_sides(function, type, name, left, right):
    y = function(BESIDE[left](A), BESIDE[right](B))
    assert (y.op.type, y.op.name) == (type, name)
    found = sf.Session().run(y)
    want = function(value_of(left, A), value_of(right, B))
    assert found.dtype == np.float32
    np.testing.assert_allclose(found, want, rtol=1e-6)


@pytest.mark.parametrize(("left", "right"), PAIRS)
@pytest.mark.parametrize(("function", "type", "reflected"), ORDER.values(), ids=ORDER)
def test_comparisons_on_both_sides(function, type, reflected, left, right):
    y = function(BESIDE[left](A), BESIDE[right](B))
    assert y.op.type in (type, reflected)
    want = function(value_of(left, A), value_of(right, B))
    np.testing.assert_array_equal(sf.Session().run(y), want)


TRUTHS = np.array([[True, False], [True, True]]), np.array([True, False])
BOOLS = {
    **FLOWING,
    "array": np.asarray,
    "list": list_of,
    "truth": lambda value: bool(value.flat[0]),
    "NumPy truth": lambda value: value.flat[0],
}


@pytest.mark.parametrize("beside", BOOLS)
@pytest.mark.parametrize("flowing", FLOWING)
@pytest.mark.parametrize(("function", "type", "name"), LOGIC.values(), ids=LOGIC)
def test_logic_on_both_sides(function, type, name, flowing, beside):
    x, y = TRUTHS
    other = y.flat[0] if beside in ("truth", "NumPy truth") else y
    for result in (
        function(FLOWING[flowing](x), BOOLS[beside](y)),
        function(BOOLS[beside](y), FLOWING[flowing](x)),
    ):
        assert result.op.type == type
        np.testing.assert_array_equal(sf.Session().run(result), function(x, other))
    assert result.op.name.startswith(name)


@pytest.mark.parametrize("make", FLOWING.values(), ids=FLOWING)
def test_one_operand(make):
    x = make(-A)
    results = [-x, abs(x), ~make(TRUTHS[0]), x[1], make(A)[0, 1:]]
    types = ["Neg", "Abs", "LogicalNot", "StridedSlice", "StridedSlice"]
    assert [y.op.type for y in results] == types
    found = sf.Session().run(results)
    for value, want in zip(found, [A, A, ~TRUTHS[0], -A[1], A[0, 1:]], strict=True):
        np.testing.assert_array_equal(value, want)


@pytest.mark.parametrize("beside", [*FLOWING, "array", "list"])
@pytest.mark.parametrize("flowing", FLOWING)
def test_the_matrix_product_on_both_sides(flowing, beside):
    for x, y, want in (
        (FLOWING[flowing](A), BESIDE[beside](A.T), A @ A.T),
        (BESIDE[beside](A.T), FLOWING[flowing](A), A.T @ A),
    ):
        z = x @ y
        assert z.op.type == "MatMul"
        np.testing.assert_allclose(sf.Session().run(z), want)
    assert [op.name for op in z.graph.operations if op.type == "MatMul"] == [
        "matmul",
        "matmul_1",
    ]


@pytest.mark.parametrize("function", [operator.add, operator.pow, operator.truediv])
@pytest.mark.parametrize("other", [np.array([2.0, 3.0, 4.0]), np.float64(2), 2, 2.0])
def test_what_stands_beside_a_typed_tensor_takes_its_dtype(function, other):
    x = sf.constant(B)
    for y in (function(x, other), function(other, x)):
        assert y.dtype == sf.float32
        assert {t.dtype for t in y.op.inputs} == {sf.float32}


def test_a_number_that_the_dtype_cannot_hold_is_refused():
    n = sf.constant([1, 2])
    for build in (lambda: n * 1.5, lambda: 1.5 + n, lambda: np.array([1.5, 1]) - n):
        with pytest.raises(TypeError, match=r"expected int32 for '.*', got 1\.5"):
            build()
    assert sf.Session().run(n * 2.0).tolist() == [2, 4]


def test_strings_are_joined_from_both_sides():
    s = sf.constant(["b", "c"])
    found = sf.Session().run(["a" + s, s + b"d", np.array(["x", "y"]) + s])
    assert [x.tolist() for x in found] == [
        [b"ab", b"ac"],
        [b"bd", b"cd"],
        [b"xb", b"yc"],
    ]


def test_equality_is_identity():
    x, v, own = sf.constant(1.0), sf.Variable(1.0), Same(sf.constant(1.0))
    for node in (x, v, own):
        assert node == node
        assert (node != node) is False
        assert (node == 1.0) is False
        assert len({node, node}) == 1
    assert x in [v, own, x]


def test_assigning_in_place_builds_anew():
    x = first = sf.constant(2.0)
    x += 1.0
    x *= x
    assert x is not first
    assert sf.Session().run([first, x]) == [2.0, 9.0]


def test_a_product_that_does_not_fit_points_at_the_matrix_product():
    x, y = sf.Placeholder(sf.float32, [None, 3]), sf.Placeholder(sf.float32, [3, 2])
    with pytest.raises(ValueError, match=r"write x @ y \(\* is element by element\)"):
        x * y
    for other in (lambda: y * x, lambda: x + y):
        with pytest.raises(ValueError, match="do not broadcast") as error:
            other()
        assert "@" not in str(error.value).splitlines()[-1]


@pytest.mark.parametrize("other", [None, object(), "a", {}, lambda: 1])
def test_what_is_no_value_is_refused(other):
    x = sf.constant(1.0)
    for build in (lambda: x + other, lambda: other * x):
        with pytest.raises((TypeError, ValueError)):
            build()


def test_a_variable_of_whole_numbers_beside_floats_is_told_how_it_becomes_one():
    steps, rate = sf.Variable(1, name="steps"), sf.constant(0.5)
    said = r"sf\.Variable\(1\.0\) instead of sf\.Variable\(1\), or sf\.cast\(steps, "
    for build in (lambda: steps * rate, lambda: rate * steps):
        with pytest.raises(TypeError, match=said):
            build()
