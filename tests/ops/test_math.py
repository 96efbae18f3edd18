"""Element by element: zeros, ties, integers, casts, tensors without a dtype."""

from typing import Any

import numpy as np
import pytest

import similarflow as sf
from similarflow.ops.logic import cast_like
from similarflow.ops.roots import multiply_no_nan
from similarflow.testing import check_gradients

INF, NAN = np.inf, np.nan


def run(fetches: Any, feeds: Any = None) -> Any:
    with sf.Session() as sess:
        return sess.run(fetches, feeds)


def gradients(build: Any, *values: Any, dtype: Any = sf.float64) -> list[Any]:
    """The gradients of ``build(*values)`` by each value."""
    xs = [sf.placeholder(dtype, np.shape(v)) for v in values]
    return run(sf.gradients(build(*xs), xs), dict(zip(xs, values, strict=True)))


def test_pow_gradients_at_zero() -> None:
    x, y = [0.0, 0.0, 2.0, 3.0, 0.0, 0.0], [2.0, 1.0, 3.0, 0.0, 1.5, 0.0]
    by_x, by_y = gradients(sf.pow, x, y)
    np.testing.assert_allclose(by_x, [0, 1, 12, 0, 0, 0])
    np.testing.assert_allclose(by_y, [0, 0, 8 * np.log(2), np.log(3), 0, 0])


def test_pow_of_negative_numbers_gives_the_exponent_no_gradient() -> None:
    by_x, by_y = gradients(sf.pow, [-2.0, -1.0, -2.0], [2.0, 3.0, -1.0])
    np.testing.assert_allclose(by_x, [-4, 3, -0.25])
    np.testing.assert_array_equal(by_y, [0, 0, 0])


@pytest.mark.parametrize("exponent", [0, 1, 2, 3])
def test_pow_second_order_at_zero(exponent: int) -> None:
    x = sf.constant([0.0, 2.0], sf.float64)
    first = sf.gradients(x**exponent, x)[0]
    second = sf.gradients(first, x)[0]
    n = exponent
    want = [2.0 if n == 2 else 0.0, n * (n - 1) * 2.0 ** (n - 2)]
    np.testing.assert_allclose(run(second), want)


def test_pow_mixed_second_order_at_exponent_zero() -> None:
    x, y = sf.constant(2.0), sf.constant(0.0)
    by_x = sf.gradients(sf.pow(x, y), x)[0]
    assert run(sf.gradients(by_x, y)[0]) == 0.5  # 1 / x


def test_pow_by_a_number_needs_no_logarithm() -> None:
    x = sf.constant([1.0, 2.0])
    graph = sf.get_default_graph()
    sf.gradients(x**2, x)
    assert "Log" not in {op.type for op in graph.get_operations()}


def test_pow_of_whole_numbers() -> None:
    assert run(sf.pow(sf.constant([2, -3]), [10, 3])).tolist() == [1024, -27]
    with pytest.raises(sf.errors.InvalidArgumentError, match="negative integer powers"):
        run(sf.pow(sf.constant([2]), -1))


def test_multiply_no_nan() -> None:
    x, y = [INF, NAN, 2.0, INF], [0.0, 0.0, 3.0, 1.0]
    np.testing.assert_array_equal(run(multiply_no_nan(x, y)), [0, 0, 6, INF])


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
@pytest.mark.parametrize(
    "f",
    [
        lambda x: x**2,
        lambda x: 2**x,
        lambda x: 1 - 2 / (3 * x),
        lambda x: sf.sigmoid(x) + sf.tanh(x) * sf.exp(x),
        lambda x: sf.log(x) + sf.log1p(x) + sf.expm1(x) + sf.sqrt(x),
        lambda x: sf.maximum(x, 1) + sf.minimum(1.5, x),
        lambda x: sf.squared_difference(x, 0.5) + sf.abs(-x) + x % 2,
    ],
)
def test_numbers_take_the_dtype_that_is_fed(f: Any, dtype: Any) -> None:
    """Without a dtype as with one: the values and gradients keep that of the feed."""
    free, typed = sf.Placeholder(), sf.placeholder(dtype)
    value = np.array([0.5, 1.25], dtype)
    for x in (free, typed):
        y = f(x)
        grad = sf.gradients(y, x)[0]
        second = sf.gradients(grad, x)[0]
        found = [t for t in (y, grad, second) if t is not None]
        for got in run(found, {x: value}):
            assert got.dtype == dtype
    both = run([f(free), f(typed)], {free: value, typed: value})
    np.testing.assert_array_equal(*both)


def test_known_values() -> None:
    """As TensorFlow 2.21 gave them, in float32."""
    y = sf.sigmoid([-20.0, -1.0, 0.5])
    want = [2.0611537e-9, 0.26894143, 0.62245935]
    np.testing.assert_allclose(run(y), want, rtol=1e-6)
    tiny = sf.constant([1e-10, -1e-5])
    np.testing.assert_allclose(run(sf.log1p(tiny)), [1e-10, -1.000005e-5], rtol=1e-6)
    np.testing.assert_allclose(run(sf.expm1(tiny)), [1e-10, -9.99995e-6], rtol=1e-6)


def test_slopes_where_there_is_a_kink_or_a_pole() -> None:
    np.testing.assert_array_equal(gradients(sf.abs, [-2.0, 0.0, 3.0])[0], [-1, 0, 1])
    assert gradients(sf.sqrt, 0.0) == [INF]
    assert gradients(sf.log, 0.0) == [INF]


def test_the_sign_has_no_slope() -> None:
    x = sf.constant([1.0, -2.0])
    assert [g.tolist() for g in run(sf.gradients(sf.sign(x), x))] == [[0.0, 0.0]]
    np.testing.assert_array_equal(run(sf.sign([NAN, -3.0, 0.0])), [NAN, -1, 0])


@pytest.mark.parametrize("name", ["maximum", "minimum"])
def test_extremes_give_ties_to_x(name: str) -> None:
    f = getattr(sf, name)
    by_x, by_y = gradients(f, [1.0, 2.0], [1.0, 2.0])
    assert by_x.tolist() == [1, 1]
    assert by_y.tolist() == [0, 0]
    assert gradients(lambda x: f(x, x), [1.0, -2.0])[0].tolist() == [1, 1]


def test_extremes_pass_nan_on_and_keep_inf_out() -> None:
    np.testing.assert_array_equal(run(sf.maximum([NAN, 1.0], [1.0, NAN])), [NAN, NAN])
    x, y = sf.constant([1.0, 2.0]), sf.constant([2.0, 1.0])
    g = sf.gradients(sf.maximum(x, y), [x, y], grad_ys=sf.constant([INF, INF]))
    np.testing.assert_array_equal(run(g), [[0, INF], [INF, 0]])


@pytest.mark.parametrize(
    ("dtype", "wide"),
    [
        ("int8", "float32"),
        ("uint16", "float32"),
        ("int32", "float64"),
        ("int64", "float64"),
        ("float16", "float16"),
        ("float32", "float32"),
    ],
)
def test_true_division_of_each_dtype(dtype: str, wide: str) -> None:
    x = sf.constant([7, 2], dtype)
    for y in (x / 2, sf.truediv(x, x), sf.divide(2, x)):
        assert y.dtype.name == wide
    assert run(x / 2).tolist() == [3.5, 1.0]


def test_true_division_of_plain_numbers() -> None:
    names = [sf.truediv(1, 2).name, sf.divide(1.0, 2.0).name, sf.div(1.0, 2.0).name]
    assert names == ["truediv:0", "truediv_1:0", "div:0"]
    quotients = [sf.truediv(7, 2), sf.truediv(7.0, 2), sf.truediv(1.0, 0.0)]
    assert run(quotients) == [3.5, 3.5, INF]


def test_true_division_names_its_casts() -> None:
    y = sf.truediv(sf.constant(3, name="x"), 2, name="half")
    assert y.name == "half:0"
    assert [x.name for x in y.op.inputs] == ["half/Cast:0", "half/Cast_1:0"]


def test_true_division_needs_one_dtype() -> None:
    with pytest.raises(TypeError, match=r"int32.*float32|float32.*int32"):
        sf.truediv(sf.constant(1), sf.constant(2.0))
    with pytest.raises(TypeError, match=r"2\.5"):
        sf.truediv(sf.constant(1), 2.5)


def test_old_division_rounds_whole_numbers_down() -> None:
    whole, real = sf.div(sf.constant([-7, 7]), 2), sf.div(sf.constant(-7.0), 2.0)
    assert whole.dtype == sf.int32
    assert run(whole).tolist() == [-4, 3]
    assert run(real) == -3.5
    assert run(sf.div(7, 2)) == 3


def test_floor_and_rest() -> None:
    assert sf.floordiv(1, 2).name == "floordiv:0"
    x, y = np.array([7, -7, 7, -7]), np.array([2, 2, -2, -2])
    for dtype in ("int32", "float32"):
        a, b = sf.constant(x, dtype), sf.constant(y, dtype)
        assert run(a // b).tolist() == [3, -4, -4, 3]
        assert run(a % b).tolist() == [1, 1, -1, -1]
    np.testing.assert_array_equal(run(sf.constant([1.0, -1.0]) // 0.0), [INF, -INF])
    assert np.isnan(run(sf.constant([1.0, -1.0]) % 0.0)).all()


@pytest.mark.parametrize("f", [lambda x, y: x // y, lambda x, y: x % y])
def test_whole_numbers_are_not_divided_by_zero(f: Any) -> None:
    x = sf.placeholder(sf.int32, [])
    with pytest.raises(sf.errors.InvalidArgumentError, match="division by zero"):
        run(f(sf.constant([7, 8]), x), {x: 0})


def test_gradient_of_the_rest() -> None:
    by_x, by_y = gradients(sf.mod, [7.5, -7.5], [2.0, 2.0])
    assert by_x.tolist() == [1, 1]
    assert by_y.tolist() == [-3, 4]
    x = sf.constant(7.5)
    assert sf.gradients(x // 2.0, x) == [None]


def test_comparisons_are_bool_and_stop_the_gradient() -> None:
    x = sf.constant([1.0, 2.0, NAN])
    found = [x < 2.0, x <= 2.0, x > 1.0, x >= 1.0, sf.equal(x, x), sf.not_equal(x, x)]
    assert all(t.dtype == sf.bool for t in found)
    assert [v.tolist() for v in run(found)] == [
        [True, False, False], [True, True, False], [False, True, False],
        [True, True, False], [True, True, False], [False, False, True],
    ]  # fmt: skip
    assert sf.gradients(sf.cast(x > 1.0, sf.float32), x) == [None]


def test_equality_of_strings_and_truth_values() -> None:
    words = sf.constant(["a", "b"])
    assert run([sf.equal(words, "a"), sf.not_equal("a", words)])[0].dtype == bool
    assert run(sf.equal(words, "a")).tolist() == [True, False]
    assert run(sf.not_equal([True, False], True)).tolist() == [False, True]
    assert run(sf.equal(sf.constant("a"), "b")) == np.False_


def test_order_is_of_numbers() -> None:
    with pytest.raises(TypeError, match="bool"):
        sf.less(True, False)
    with pytest.raises(ValueError, match="broadcast"):
        sf.equal(sf.constant([1.0, 2.0, 3.0]), [1.0, 2.0])


def test_logic_takes_truth_values_only() -> None:
    x = sf.constant([True, False])
    found = run([x & True, x | True, x ^ True, ~x, sf.logical_xor(x, x)])
    assert [v.tolist() for v in found] == [
        [True, False], [True, True], [False, True], [False, True], [False, False]
    ]  # fmt: skip
    with pytest.raises(TypeError, match="logical_and does not take int32"):
        sf.logical_and(1, 0)


def test_cast_is_the_very_tensor_when_the_dtype_fits() -> None:
    x, v = sf.constant([1.0]), sf.Variable([1.0])
    assert sf.cast(x, sf.float32) is x
    assert sf.cast(x, "float32") is x
    assert sf.cast(v, sf.float32) is sf.convert_to_tensor(v)
    assert sf.cast([1.0], tf_dtype := sf.float32).dtype == tf_dtype
    free = sf.Placeholder()
    for dtype in (np.float32, np.float64):
        y = sf.cast(free, dtype)
        assert y is not free
        assert run(y, {free: np.array([1], np.int64)}).dtype == dtype


def test_cast_cuts_and_names() -> None:
    y = sf.cast([-1.7, 1.7, 0.3], sf.int32)
    assert y.name == "Cast:0"
    assert y.op.inputs[0].name == "Cast/x:0"
    assert run(y).tolist() == [-1, 1, 0]
    assert run(sf.cast([0.3, 0.0, NAN], sf.bool)).tolist() == [True, False, True]
    assert run(sf.cast([True, False], sf.float32)).tolist() == [1, 0]
    assert run(sf.cast(sf.constant([1 + 2j]), sf.float32)).tolist() == [1]


def test_cast_refuses_strings_and_no_dtype() -> None:
    with pytest.raises(TypeError, match="strings"):
        sf.cast(["1"], sf.int32)
    with pytest.raises(TypeError, match="strings"):
        sf.cast([1], sf.string)
    with pytest.raises(TypeError, match="needs a dtype"):
        sf.cast([1], None)
    free = sf.Placeholder()
    with pytest.raises(sf.errors.InvalidArgumentError, match="strings"):
        run(sf.cast(free, sf.int32), {free: "1"})


def test_gradient_of_a_cast_is_cast_back() -> None:
    x, whole = sf.constant([1.0, 2.0]), sf.constant([1, 2])
    g = sf.gradients(sf.square(sf.cast(x, sf.float64)), x)[0]
    assert g.dtype == sf.float32
    assert run(g).tolist() == [2, 4]
    assert sf.gradients(sf.cast(whole, sf.float32), whole) == [None]
    assert sf.gradients(sf.cast(sf.cast(x, sf.int32), sf.float32), x) == [None]
    free = sf.Placeholder()
    g = sf.gradients(sf.square(sf.cast(free, sf.float64)), free)[0]
    assert run(g, {free: np.float32([3])}).dtype == np.float32


def test_cast_like_is_a_cast_when_the_dtypes_are_known() -> None:
    x, whole, free = sf.constant([1.5]), sf.constant([1]), sf.Placeholder()
    assert cast_like(x, x) is x
    assert cast_like(x, whole).op.type == "Cast"
    assert run(cast_like(x, free), {free: np.int8(1)}).dtype == np.int8


def test_gradients_with_sizes_that_only_a_run_tells() -> None:
    rng = np.random.default_rng(0)
    x = sf.placeholder(sf.float64)
    y = sf.placeholder(sf.float64, [None, None])
    feeds = {x: rng.uniform(0.5, 1.5, 3), y: rng.uniform(0.5, 1.5, (2, 1))}
    for z in (x / y, x**y, sf.maximum(x, y), sf.squared_difference(x, y), x % y):
        check_gradients(z, [x, y], feeds)
