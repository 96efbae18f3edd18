"""Sparse tensors and embeddings."""

import numpy as np
import pytest

import similarflow as sf
from similarflow.ops.embedding import embedding_lookup
from similarflow.ops.sparse import (
    SparseTensor,
    SparseTensorValue,
    sparse_placeholder,
    sparse_tensor_to_dense,
    sparse_to_dense,
)
from similarflow.ops.sparse_products import sparse_tensor_dense_matmul
from similarflow.testing import check_gradients


def run(fetches, feed=None):
    return sf.Session().run(fetches, feed)


def test_a_sparse_tensor_is_fetched_and_fed_as_its_parts() -> None:
    x = SparseTensor([[0, 1], [1, 0]], [5.0, 7.0], [2, 2])
    found = run(x)
    assert isinstance(found, SparseTensorValue)
    assert [part.dtype.name for part in found] == ["int64", "float32", "int64"]
    assert run(sparse_tensor_to_dense(x)).tolist() == [[0, 5], [7, 0]]
    value = ([[0, 0], [1, 1]], [3, 4], [2, 2])
    fed = run(sparse_tensor_to_dense(x, -1), {x: value})
    assert fed.tolist() == [[3, -1], [-1, 4]]
    assert x.shape.as_list() == [2, 2]
    assert x.dtype == sf.float32
    assert SparseTensor.from_value(x) is x


def test_a_placeholder_s_shape_may_be_known() -> None:
    free, half, known = (
        sparse_placeholder(sf.float32, shape) for shape in (None, [None, 3], [2, 3])
    )
    assert free.shape.ndims is None
    assert half.shape.as_list() == [None, None]
    assert known.shape.as_list() == [2, 3]
    value = SparseTensorValue([[1, 2]], [4.0], [2, 3])
    for p in (free, half, known):
        dense = run(sparse_tensor_to_dense(p), {p: value})
        assert dense.tolist() == [[0, 0, 0], [0, 0, 4]]
    assert free.values.name == "SparsePlaceholder/values:0"


@pytest.mark.parametrize("value", [3.0, [1, 2], ([[0]], [1.0])])
def test_it_is_fed_a_value_for_each_part(value) -> None:
    p = sparse_placeholder(sf.float32)
    with pytest.raises(TypeError, match="'SparsePlaceholder/indices:0'"):
        run(p.values, {p: value})


@pytest.mark.parametrize(
    "parts",
    [
        ([[0, 1]], [1.0, 2.0], [2, 2]),
        ([[0, 1]], [1.0], [2, 2, 2]),
        ([0, 1], [1.0, 2.0], [2]),
        ([[0]], [[1.0]], [2]),
    ],
)
def test_parts_that_do_not_fit_are_refused(parts) -> None:
    with pytest.raises(ValueError, match="a SparseTensor"):
        SparseTensor(*parts)


def test_a_sparse_tensor_is_no_tensor() -> None:
    x = SparseTensor([[0]], [1.0], [2])
    with pytest.raises(TypeError):
        sf.square(x)
    with pytest.raises(TypeError, match="a SparseTensor is needed"):
        sparse_tensor_to_dense(sf.constant(1.0))


def test_places_are_filled() -> None:
    assert run(sparse_to_dense([1, 3], [5], 7)).tolist() == [0, 7, 0, 7, 0]
    assert run(sparse_to_dense(2, [3], 1.5, 0.5)).tolist() == [0.5, 0.5, 1.5]
    words = run(sparse_to_dense([[0, 1]], [1, 2], ["a"], "-"))
    assert words.tolist() == [[b"-", b"a"]]
    assert run(sparse_to_dense([1], [2], ["a"])).tolist() == [b"", b"a"]
    late = sparse_to_dense([2, 0], [3], [1, 2], validate_indices=False)
    assert run(late).tolist() == [2, 0, 1]


@pytest.mark.parametrize(
    ("indices", "values", "told"),
    [
        ([3, 1], 7, r"indices\[1\] = \[1\] repeats"),
        ([1, 1], 7, r"indices\[1\] = \[1\] repeats"),
        ([1, 5], 7, r"indices\[1\] = \[5\] is no place"),
        ([-1], 7, r"indices\[0\] = \[-1\] is no place"),
        ([0, 1], [1, 2, 3], "there are 2 indices"),
        ([[0, 1]], [1], "2 numbers"),
    ],
)
def test_places_that_are_wrong_are_told(indices, values, told) -> None:
    at = sf.placeholder(sf.int64)
    with pytest.raises(sf.errors.InvalidArgumentError, match=told):
        run(sparse_to_dense(at, [5], values), {at: indices})


@pytest.mark.parametrize("adjoint_a", [False, True])
@pytest.mark.parametrize("adjoint_b", [False, True])
@pytest.mark.parametrize("known", [False, True])
def test_a_product_with_a_dense_matrix(adjoint_a, adjoint_b, known) -> None:
    rng = np.random.default_rng(0)
    a = rng.standard_normal((3, 4)) * (rng.random((3, 4)) > 0.5)
    b = rng.standard_normal((3 if adjoint_a else 4, 2))
    want = (a.T if adjoint_a else a) @ b
    b = b.T if adjoint_b else b
    places = np.argwhere(a)
    parts = (places, a[tuple(places.T)], a.shape)
    sparse = SparseTensor(*parts) if known else sparse_placeholder(sf.float64)
    dense = sf.constant(b) if known else sf.placeholder(sf.float64)
    feed = {} if known else {sparse: parts, dense: b}
    product = sparse_tensor_dense_matmul(sparse, dense, adjoint_a, adjoint_b)
    np.testing.assert_allclose(run(product, feed), want)
    xs = [sparse.values, dense]
    if not known:
        feed = dict(zip([*sparse.components, dense], [*parts, b], strict=True))
    assert check_gradients(product, xs, feed) < 1e-6


def test_values_for_one_place_add_up_in_a_product() -> None:
    a = SparseTensor([[0, 0], [0, 0]], [1.0, 2.0], [1, 1])
    assert run(sparse_tensor_dense_matmul(a, [[10.0]])).tolist() == [[30.0]]


def test_a_product_that_does_not_fit_is_refused() -> None:
    a = SparseTensor([[0, 1]], [1.0], [2, 2])
    with pytest.raises(ValueError, match="2 columns, and b 3 rows"):
        sparse_tensor_dense_matmul(a, np.ones((3, 1)))
    with pytest.raises(ValueError, match="a matrix is needed"):
        sparse_tensor_dense_matmul(a, [1.0, 2.0])
    outside = SparseTensor([[5, 0]], [1.0], [2, 2])
    with pytest.raises(sf.errors.InvalidArgumentError, match="outside of its shape"):
        run(sparse_tensor_dense_matmul(outside, np.ones((2, 1))))


# ---- embeddings

TABLE = np.arange(14.0).reshape(7, 2)
IDS = np.array([[0, 6, 3], [2, 2, 5]])


@pytest.mark.parametrize("strategy", ["mod", "div"])
@pytest.mark.parametrize("count", [1, 2, 3, 7])
def test_rows_of_a_table_in_parts(strategy, count) -> None:
    if strategy == "mod":
        parts = [TABLE[i::count] for i in range(count)]
    else:
        parts = np.array_split(TABLE, count)
    tables = [sf.constant(part) for part in parts]
    found = embedding_lookup(tables, IDS, strategy)
    assert found.shape.as_list() == [2, 3, 2]
    np.testing.assert_array_equal(run(found), TABLE[IDS])
    assert check_gradients(found, tables) < 1e-6


def test_the_gradient_of_a_lookup_is_sparse() -> None:
    table = sf.Variable(TABLE)
    [grad] = sf.gradients(embedding_lookup(table, [4, 4]), table)
    assert isinstance(grad, sf.IndexedSlices)
    sess = sf.Session()
    train = sf.train.GradientDescentOptimizer(1.0).apply_gradients([(grad, table)])
    sess.run(train)
    want = TABLE.copy()
    want[4] -= 2.0
    np.testing.assert_array_equal(sess.run(table), want)


def test_long_rows_are_scaled_down() -> None:
    table = sf.constant([[3.0, 4.0], [0.3, 0.4]])
    found = run(embedding_lookup(table, [0, 1], max_norm=1))
    np.testing.assert_allclose(found, [[0.6, 0.8], [0.3, 0.4]], rtol=1e-6)


def test_ids_that_no_table_has() -> None:
    table = sf.constant(TABLE)
    with pytest.raises(sf.errors.InvalidArgumentError, match=r"indices\[0\] = 7"):
        run(embedding_lookup(table, [7]))
    with pytest.raises(sf.errors.InvalidArgumentError):
        run(embedding_lookup([table, table], [-1], "div"))
    with pytest.raises(ValueError, match="'mod' or 'div'"):
        embedding_lookup(table, [0], "row")
    with pytest.raises(ValueError, match="one part or more"):
        embedding_lookup([], [0])


def _sparse(values, dtype=np.float32):
    return SparseTensor([[0, 0], [1, 1], [1, 2]], np.array(values, dtype), [2, 3])


def test_a_sparse_tensor_times_and_by_dense_ones() -> None:
    x, row, column = _sparse([1, 2, 3]), [10.0, 20.0, 30.0], [[10.0], [20.0]]
    array, tensor = np.float32(row), sf.constant(row)
    by_row = [x * row, tensor * x, array * x, x * sf.Variable(row)]
    cases = [(made, [10, 40, 90]) for made in by_row]
    cases += [(x * 2.0, [2, 4, 6]), (2.0 * x, [2, 4, 6]), (x * column, [10, 40, 60])]
    for made, wanted in cases:
        found = run(made)
        assert found.values.tolist() == wanted
        assert found.indices.tolist() == [[0, 0], [1, 1], [1, 2]]
        assert made.shape.as_list() == [2, 3]
    np.testing.assert_allclose(run(x / column).values, [0.1, 0.1, 0.15], rtol=1e-6)
    whole = _sparse([1, 2, 3], np.int32)
    assert run(whole / 2).values.tolist() == [0.5, 1, 1.5]
    assert (whole * 2).dtype == sf.int32
    assert (x * 2.0).op.type == "Mul"


def test_what_makes_a_sparse_tensor_dense_is_no_operator() -> None:
    x, y = _sparse([1, 2, 3]), sf.constant(1.0)
    for build in (lambda: x + y, lambda: y + x, lambda: y / x, lambda: x - 1.0):
        with pytest.raises(TypeError, match=r"unsupported operand|no number"):
            build()
    with pytest.raises(TypeError, match="a SparseTensor"):
        x * x


def test_only_the_dense_one_is_broadcast() -> None:
    x = sf.placeholder(sf.float32)
    for shape in ([1, 2, 3], [4], [3, 1]):
        with pytest.raises(ValueError, match="only the dense one is broadcast"):
            _sparse([1, 2, 3]) * np.ones(shape, np.float32)
        with pytest.raises(sf.errors.InvalidArgumentError, match="only the dense one"):
            run((_sparse([1, 2, 3]) * x).values, {x: np.ones(shape)})


def test_gradients_of_sparse_products_are_tensorflow_s() -> None:
    z, p = sf.placeholder(sf.float64, [3]), sf.placeholder(sf.float64)
    x = SparseTensor([[0, 0], [1, 1], [1, 2]], z, [2, 3])
    feed = {z: [1.0, 2.0, 3.0], p: [[10.0], [20.0]]}
    of_z, of_p = run(sf.gradients((x * p).values, [z, p]), feed)
    assert (of_z.tolist(), of_p.tolist()) == ([10, 20, 20], [[1], [5]])
    of_z, of_p = run(sf.gradients((x / p).values, [z, p]), feed)
    np.testing.assert_allclose(of_z, [0.1, 0.05, 0.05])
    np.testing.assert_allclose(of_p, [[-0.01], [-0.0125]])
    assert check_gradients((x / p).values, [z, p], feed) < 1e-6


def test_a_place_outside_is_named_with_its_value() -> None:
    x = SparseTensor([[0, 0], [1, 5]], [1.0, 2.5], [2, 3])
    match = r"indices\[1\] = \[1, 5\] of the sparse tensor, where 2\.5 stands, is .*3\)"
    with pytest.raises(sf.errors.InvalidArgumentError, match=match):
        run(sparse_tensor_dense_matmul(x, np.ones([3, 2], np.float32)))
    with pytest.raises(sf.errors.InvalidArgumentError, match=r"= \[1, 5\] of the sp"):
        run((x * 2.0).values)


@pytest.mark.parametrize("flags", [(False, False), (True, False), (False, True)])
def test_a_complex_product_is_that_of_matrices(flags) -> None:
    rng = np.random.default_rng(0)
    places = [[0, 1], [1, 2], [0, 0]]
    values = rng.normal(size=3) + 1j * rng.normal(size=3)
    dense = np.zeros([2, 3], complex)
    dense[tuple(np.transpose(places))] = values
    other = rng.normal(size=[3, 2]) * (1 + 2j)
    x = SparseTensor(places, values, [2, 3])
    if flags[0]:
        dense, other = dense.conj().T, other[:2]
    given = other.conj().T if flags[1] else other
    y = sparse_tensor_dense_matmul(x, given, *flags)
    np.testing.assert_allclose(run(y), dense @ other)


def test_rows_are_clipped_where_ranks_are_known():
    ids = sf.placeholder(sf.int64)
    with pytest.raises(ValueError, match="max_norm needs the rank"):
        embedding_lookup(sf.Variable([[3.0, 4.0]]), ids, max_norm=1.0)


@pytest.mark.parametrize("kind", [SparseTensorValue, lambda *parts: parts])
def test_a_value_becomes_a_sparse_tensor(kind):
    x = SparseTensor.from_value(kind([[1]], [5.0], [2]))
    assert SparseTensor.from_value(x) is x
    assert x.get_shape() == [2]
    assert run(sparse_tensor_to_dense(x)).tolist() == [0, 5]


def test_places_are_no_cubes():
    with pytest.raises(ValueError, match=r"rank 2 at most, not shape \(1, 1, 1\)"):
        sparse_to_dense([[[0]]], [3], 1.0)
