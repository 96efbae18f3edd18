"""Reductions: axes, nothing to reduce, ties, zeros, sizes that only a run tells."""

from typing import Any

import numpy as np
import pytest

import similarflow as sf
from similarflow.ops.reduce import product_of_others
from similarflow.testing import check_gradients

INF, NAN = np.inf, np.nan
REDUCTIONS = ("mean", "max", "min", "prod")


def run(fetches: Any, feeds: Any = None) -> Any:
    with sf.Session() as sess:
        return sess.run(fetches, feeds)


def reduced(name: str, *args: Any, **kwargs: Any) -> Any:
    return getattr(sf, f"reduce_{name}")(*args, **kwargs)


@pytest.mark.parametrize("name", REDUCTIONS)
@pytest.mark.parametrize(
    "given",
    [{}, {"axis": 1}, {"axis": -1}, {"axis": [0, 2]}, {"axis": []}, {"axis": (1,)}],
)
@pytest.mark.parametrize("keepdims", [False, True])
def test_value_and_gradients(name: str, given: Any, keepdims: bool) -> None:
    value = np.random.default_rng(0).uniform(0.5, 1.5, (2, 3, 2))
    axis = given.get("axis")
    want = getattr(np, name)(
        value, axis if axis is None else tuple(np.atleast_1d(np.int64(axis))),
        keepdims=keepdims,
    )  # fmt: skip
    for shape in ([2, 3, 2], [None, 3, None], None):
        x = sf.placeholder(sf.float64, shape)
        y = reduced(name, x, keepdims=keepdims, **given)
        np.testing.assert_allclose(run(y, {x: value}), want)
        check_gradients(y, x, {x: value})


@pytest.mark.parametrize("name", REDUCTIONS)
def test_untyped_keeps_the_dtype_that_is_fed(name: str) -> None:
    x = sf.Placeholder()
    y = reduced(name, x, 0)
    grad = sf.gradients(y, x)[0]
    second = sf.gradients(grad * grad, x)[0]
    for dtype in (np.float16, np.float32, np.float64):
        got = run([y, grad], {x: np.array([[1, 2], [3, 4]], dtype)})
        assert [v.dtype for v in got] == [dtype, dtype]
        if second is not None:
            assert run(second, {x: np.ones((2, 2), dtype)}).dtype == dtype


def test_older_names_of_the_arguments() -> None:
    x = sf.constant([[1.0, 2.0], [3.0, 4.0]])
    assert run(sf.reduce_mean(x, reduction_indices=[1])).tolist() == [1.5, 3.5]
    assert run(sf.reduce_max(x, 1, keep_dims=True)).tolist() == [[2], [4]]
    assert run(sf.reduce_min(x, 1, True, "low")).tolist() == [[1], [3]]
    assert sf.reduce_min(x, keepdims=None, name="least").name == "least:0"
    assert sf.reduce_prod(x, sf.constant([0, 1])).shape == []
    with pytest.raises(TypeError, match="twice"):
        sf.reduce_mean(x, axis=1, reduction_indices=1)


EVERY = {
    **{n: getattr(sf, f"reduce_{n}") for n in ("sum", *REDUCTIONS, "logsumexp")},
    "euclidean_norm": sf.math.reduce_euclidean_norm,
    "std": sf.math.reduce_std,
    "norm": lambda x, axis, **kwargs: sf.norm(x, 1, axis, **kwargs),
    "count": sf.count_nonzero,
    "all": lambda x, *args, **kwargs: sf.reduce_all(x > 1.0, *args, **kwargs),
    "any": lambda x, *args, **kwargs: sf.reduce_any(x > 1.0, *args, **kwargs),
}


@pytest.mark.parametrize("build", EVERY.values(), ids=EVERY)
def test_axes_are_read_alike(build: Any) -> None:
    x = sf.constant(np.arange(6, dtype=np.float32).reshape(2, 3))
    want = run(build(x, 1))
    one = sf.constant(1)
    for axis in (sf.rank(x) - 1, one, [one], [np.int64(1)], np.array([-1]), (1,)):
        y = build(x, axis=axis)
        assert y.shape == [2]
        np.testing.assert_array_equal(run(y), want)
    for keepdims, dims in ((np.True_, [2, 1]), (1, [2, 1]), (None, [2])):
        y = build(x, axis=1, keepdims=keepdims)
        assert (y.shape, list(run(y).shape)) == (dims, dims)
    with pytest.raises(TypeError, match=r"whole numbers are needed, not 1\.0"):
        build(x, axis=1.0)
    with pytest.raises(TypeError, match="no value before a run"):
        build(x, axis=sf.placeholder(sf.int32))


@pytest.mark.parametrize("build", EVERY.values(), ids=EVERY)
def test_axis_out_of_range(build: Any) -> None:
    x, free = sf.constant([[1.0]]), sf.placeholder(sf.float32)
    with pytest.raises(ValueError, match=r"axis 2 .*rank 2"):
        build(x, 2)
    with pytest.raises(ValueError, match="twice"):
        build(x, [0, -2])
    for axis in (0, -1):  # which NumPy takes for a number
        with pytest.raises(sf.errors.InvalidArgumentError, match=f"{axis} .* rank 0"):
            run(build(free, axis), {free: 1.0})


def test_truth_values_are_not_averaged() -> None:
    for name in REDUCTIONS:
        with pytest.raises(TypeError, match="bool"):
            reduced(name, [True, False])
    for name in ("all", "any"):
        with pytest.raises(TypeError, match="float32"):
            reduced(name, [1.0])


def test_mean_of_whole_numbers_is_cut() -> None:
    cases = [([1, 0, 0, 1, 1], 0), ([-1, -2], -1), ([7, 8], 7), ([-7, -7], -7)]
    for values, want in cases:
        y = sf.reduce_mean(sf.constant(values))
        assert y.dtype == sf.int32
        assert run(y) == want
    assert run(sf.reduce_mean(sf.constant([250, 250], sf.uint8))) == 250


def test_mean_of_half_precision_does_not_overflow() -> None:
    assert run(sf.reduce_mean(sf.constant([60000, 60000], sf.float16))) == 60000


@pytest.mark.parametrize("name", ["sum", "mean", "prod"])
def test_half_precision_is_rounded_once(name: str) -> None:
    value = np.linspace(0.99, 1.01, 2998).reshape(1499, 2).astype(np.float16)
    y = reduced(name, sf.constant(value), 0)
    assert y.dtype == sf.float16
    np.testing.assert_allclose(
        run(y), run(reduced(name, value.astype(np.float64), 0)), rtol=6e-4
    )


def test_half_precision_backward_is_rounded_once() -> None:
    """Where a row was spread over 3000 others, whose gradients are 0.1 each."""
    x, row = sf.constant(np.full((3000, 2), 0.1, np.float16)), sf.zeros([2], sf.float16)
    assert run(sf.gradients(x + row, row, x)[0]).tolist() == [300.0] * 2


def test_nothing_to_reduce() -> None:
    x = sf.placeholder(sf.float32, [None, 2])
    found = run([reduced(n, x, 0) for n in REDUCTIONS], {x: np.zeros((0, 2))})
    np.testing.assert_array_equal(found, [[NAN] * 2, [-INF] * 2, [INF] * 2, [1, 1]])
    whole = sf.constant(np.zeros(0, np.int32))
    lowest, highest = np.iinfo(np.int32).min, np.iinfo(np.int32).max
    assert run([reduced(n, whole) for n in REDUCTIONS]) == [0, lowest, highest, 1]
    for name in REDUCTIONS:
        grad = sf.gradients(reduced(name, x, 0), x)[0]
        assert run(grad, {x: np.zeros((0, 2))}).shape == (0, 2)


@pytest.mark.parametrize("shape", [[2, 3], [None, None], None])
def test_ties_share_the_gradient(shape: Any) -> None:
    x = sf.placeholder(sf.float32, shape)
    value = [[0.6, 0.6, 0.3], [1.0, 1.0, 1.0]]
    rows = run(sf.gradients(sf.reduce_max(x, 1), x)[0], {x: value})
    np.testing.assert_allclose(rows, [[0.5, 0.5, 0], [1 / 3] * 3])
    rows = run(sf.gradients(sf.reduce_max(x, [1], keepdims=True), x)[0], {x: value})
    np.testing.assert_allclose(rows, [[0.5, 0.5, 0], [1 / 3] * 3])
    least = run(sf.gradients(sf.reduce_min(x), x)[0], {x: value})
    np.testing.assert_array_equal(least, [[0, 0, 1], [0, 0, 0]])


def test_extremes_pass_nan_on() -> None:
    assert np.isnan(run([sf.reduce_max([1.0, NAN]), sf.reduce_min([NAN, 1.0])])).all()


@pytest.mark.parametrize("build", [sf.reduce_max, sf.reduce_min])
def test_second_order_of_extremes_of_nothing_and_of_nan(build: Any) -> None:
    x, grad = sf.placeholder(sf.float32, [None, 2]), sf.constant([1.0, 2.0])
    by_x = sf.gradients(build(x, 0), x, grad)[0]
    by_grad = sf.gradients(by_x, grad)[0]
    assert run(by_grad, {x: np.zeros((0, 2))}).tolist() == [0, 0]
    found = run([by_x, by_grad], {x: [[NAN, 3.0], [1.0, 3.0]]})
    np.testing.assert_array_equal(found[0], [[NAN, 1], [NAN, 1]])
    np.testing.assert_array_equal(found[1], [NAN, 1])


def test_product_gradient_at_zeros() -> None:
    x = sf.constant([[0.0, 2.0, 3.0], [0.0, 0.0, 3.0], [2.0, 3.0, 4.0]])
    g = sf.gradients(sf.reduce_prod(x, 1), x)[0]
    assert run(g).tolist() == [[6, 0, 0], [0, 0, 0], [12, 8, 6]]


def test_product_derivatives_of_every_order_at_zeros() -> None:
    """Of x*y*z by each in turn: once all are differentiated away, 1 remains."""
    x, y, z = (sf.constant(v, sf.float64) for v in (0.0, 0.0, 5.0))
    p = sf.reduce_prod(sf.stack([x, y, z]))
    by_x = sf.gradients(p, x)[0]
    by_xy = sf.gradients(by_x, y)[0]
    by_xyz = sf.gradients(by_xy, z)[0]
    again = sf.gradients(by_x, x)[0]
    assert run([p, by_x, by_xy, by_xyz, again]) == [0, 0, 5, 1, 0]


def test_product_over_several_axes_at_zeros() -> None:
    value = np.random.default_rng(1).integers(0, 3, (2, 3, 2, 2)) * 1.0
    for axis in (None, [1], [0, -1], [2, 0]):
        x = sf.placeholder(sf.float64, [2, None, 2, 2])
        check_gradients(sf.reduce_prod(x, axis), x, {x: value})


def test_products_of_others_by_definition() -> None:
    x = np.random.default_rng(2).normal(size=(3, 5))
    for n in range(1, 6):
        part = x[:, :n]
        want = [[np.prod(np.delete(row, i)) for i in range(n)] for row in part]
        np.testing.assert_allclose(run(product_of_others([part], axis=1)), want)


def test_product_wraps_around() -> None:
    assert run(sf.reduce_prod(sf.constant([100, 100], sf.int8))) == 16
    assert sf.reduce_prod(sf.constant([1, 2], sf.int8)).dtype == sf.int8


def test_all_and_any() -> None:
    x = sf.placeholder(sf.bool, [None, 2])
    value = [[True, True], [False, True]]
    found = run(
        [sf.reduce_all(x, 0), sf.reduce_any(x, 1), sf.reduce_all(x)], {x: value}
    )
    assert [np.asarray(v).tolist() for v in found] == [
        [False, True],
        [True, True],
        False,
    ]
    found = run([sf.reduce_all(x), sf.reduce_any(x)], {x: np.zeros((0, 2), bool)})
    assert found == [True, False]
    free = sf.reduce_any(sf.Placeholder(), 0)
    assert free.dtype == sf.bool


def test_argmax_arguments() -> None:
    x = sf.constant([[1.0, 3.0, 3.0], [2.0, 2.0, -1.0]])
    tensors = [
        sf.argmax(x, 1),
        sf.argmax(x),
        sf.argmin(x, -1, "least"),
        sf.argmax(x, dimension=1, output_type=sf.int32),
        sf.argmax(x, axis=sf.constant(1)),
        sf.argmin(x, None),
    ]
    assert [v.tolist() for v in run(tensors)] == [
        [1, 0], [1, 0, 0], [0, 2], [1, 0], [1, 0], [0, 1, 1]
    ]  # fmt: skip
    assert [t.dtype.name for t in tensors[2:4]] == ["int64", "int32"]
    assert [t.op.name for t in tensors[1:3]] == ["ArgMax_1", "least"]
    assert sf.argmax(sf.placeholder(sf.float32, [None, 3]), 1).shape.as_list() == [None]


def test_argmax_has_no_gradient() -> None:
    x = sf.constant([1.0, 2.0])
    assert sf.gradients(sf.cast(sf.argmax(x), sf.float32) * 2.0, x) == [None]


def test_argmax_refuses() -> None:
    x = sf.constant([[1.0, 3.0]])
    with pytest.raises(ValueError, match=r"axis 2 .*rank 2"):
        sf.argmax(x, 2)
    for axis in ([0], [sf.constant(0)], sf.constant([0])):
        with pytest.raises(TypeError, match="one whole number"):
            sf.argmax(x, axis)
    with pytest.raises(TypeError, match="output_type"):
        sf.argmax(x, 0, output_type=sf.float32)
    free = sf.placeholder(sf.float32)
    with pytest.raises(sf.errors.InvalidArgumentError, match=r"\(0, 3\) is empty"):
        run(sf.argmax(free), {free: np.zeros((0, 3))})
    assert run(sf.argmax(free, 1), {free: np.zeros((0, 3))}).shape == (0,)
    for build in (sf.argmax, sf.argmin):
        with pytest.raises(sf.errors.InvalidArgumentError, match=r"axis 0 .* rank 0"):
            run(build(free), {free: 1.0})


def test_older_names() -> None:
    x = [[1, 3], [2, 0]]
    found = sf.Session().run([sf.arg_max(x, 1), sf.arg_min(x, dimension=1)])
    assert [f.tolist() for f in found] == [[1, 0], [0, 1]]
