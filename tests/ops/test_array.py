"""Shapes, joins and picks: what the operations' samples do not show."""

import numpy as np
import pytest

import similarflow as sf
from similarflow.ops.gather import unsorted_segment_sum
from similarflow.ops.join import unstack


def run(fetches, feeds=None):
    return sf.Session().run(fetches, feeds)


def static(x):
    return x.static_shape


@pytest.fixture
def x():
    """A matrix with an unknown number of rows."""
    return sf.placeholder(sf.float32, [None, 3], name="x")


# Shapes


def test_known_shape_size_and_rank_are_constants_and_need_no_feed():
    x = sf.placeholder(sf.float32, [2, 3])
    assert run(sf.size(x)) == 6
    assert sf.shape(x).op.type == sf.size(x).op.type == sf.rank(x).op.type == "Const"
    assert run(sf.shape(x)).tolist() == [2, 3]
    assert sf.shape(x, out_type=sf.int64).static_dtype == np.int64
    assert sf.shape(x).op.name == "Shape_3"


def test_unknown_shape_size_and_rank_are_found_in_the_run(x):
    y = sf.placeholder(sf.float32)
    assert [sf.shape(x).op.type, sf.size(x).op.type] == ["Shape", "Size"]
    assert (sf.rank(x).op.type, sf.rank(y).op.type) == ("Const", "Rank")
    found = run([sf.shape(x), sf.size(x), sf.rank(y)], {x: np.ones([4, 3]), y: 1.0})
    assert [np.array(v).tolist() for v in found] == [[4, 3], 12, 0]


def test_constants_join_the_graph_of_what_they_describe():
    with sf.Graph().as_default() as other:
        x = sf.placeholder(sf.float32, [2])
    assert sf.shape(x).graph is sf.size(x).graph is sf.rank(x).graph is other


SHAPES = {
    "ints": (lambda x: [-1, 1, 3], (None, 1, 3)),
    "tuple": (lambda x: (6, -1), (6, None)),
    "number": (lambda x: -1, (None,)),
    "array": (lambda x: np.array([3, -1]), (3, None)),
    "dimension": (lambda x: [-1, x.shape[1], 1], (None, 3, 1)),
    "shape": (lambda x: sf.TensorShape([2, 3]), (2, 3)),
    "tensor": (lambda x: sf.constant([1, -1]), (1, None)),
    "pieces": (lambda x: [sf.shape(x)[0], 1, sf.shape(x)[1]], (None, 1, 3)),
    "product": (lambda x: [sf.shape(x)[0] * 3], (None,)),
    "computed": (lambda x: [sf.shape(x)[1] * 2 // 3, -1], (2, None)),
    "joined": (lambda x: sf.concat([sf.shape(x), [1]], 0), (None, 3, 1)),
    "placeholder": (lambda x: sf.placeholder_with_default([2, 3], [2]), (None, None)),
    "unknown_rank": (lambda x: sf.placeholder_with_default([6], [None]), None),
}


@pytest.mark.parametrize(("shape", "dims"), SHAPES.values(), ids=SHAPES)
def test_reshape_takes_any_kind_of_shape(x, shape, dims):
    y = sf.reshape(x, shape(x))
    assert static(y) == dims
    value = np.arange(6.0).reshape(2, 3)
    assert run(y, {x: value}).ravel().tolist() == value.ravel().tolist()


def test_reshape_solves_for_a_size_that_only_the_run_gives():
    n = sf.placeholder(sf.int32, [])
    assert static(sf.reshape(sf.zeros([3, 4]), [n, 6])) == (2, 6)
    assert static(sf.reshape(sf.zeros([0, 4]), [0, -1])) == (0, 4)


def test_reshape_that_does_not_fit_names_counts_and_shapes(x):
    text = r"6 elements do not fit: shape \(2, 3\) has 6, and shape \(2, 4\) needs 8"
    with pytest.raises(ValueError, match=text):
        sf.reshape(sf.zeros([2, 3]), [2, 4])
    with pytest.raises(sf.errors.InvalidArgumentError, match=text):
        run(sf.reshape(x, [2, 4]), {x: np.ones([2, 3])})
    with pytest.raises(ValueError, match=r"\(4, -1\) needs a multiple of 4"):
        sf.reshape(sf.zeros([2, 3]), [4, -1])


BAD_SHAPES = {
    "none": ([None, 3], ValueError, r"unknown. Write -1 .* or sf.shape\(x\)\[i\]"),
    "float": ([-1, 6 / 2], TypeError, r"holds 3.0. Divide with //"),
    "float_tensor": (sf.constant, TypeError, "whole numbers, not float32"),
    "matrix": ([[2, 3]], TypeError, "whole number"),
    "two_rests": ([-1, -1], ValueError, "one size may be -1"),
    "negative": ([-2], ValueError, "one size may be -1"),
    "unknown": (sf.TensorShape(None), ValueError, "its rank is unknown"),
}


@pytest.mark.parametrize(
    ("shape", "error", "text"), BAD_SHAPES.values(), ids=BAD_SHAPES
)
def test_no_shapes(x, shape, error, text):
    with pytest.raises(error, match=text):
        sf.reshape(x, shape([1.0, 2.0]) if callable(shape) else shape)


def test_expand_and_squeeze_know_the_older_argument_names(x):
    assert static(sf.expand_dims(x, dim=1)) == (None, 1, 3)
    assert static(sf.expand_dims(x, -1)) == (None, 3, 1)
    assert static(sf.squeeze(sf.zeros([1, 2, 1]), squeeze_dims=[0])) == (2, 1)
    assert static(sf.squeeze(sf.zeros([1, 2, 1]), [])) == (2,)
    assert static(sf.squeeze(x)) is None
    with pytest.raises(ValueError, match="axis 3 is out of range"):
        sf.expand_dims(x, 3)
    with pytest.raises(TypeError, match="needs an axis"):
        sf.expand_dims(x)
    assert static(sf.expand_dims(x, [0])) == (1, None, 3)
    with pytest.raises(TypeError, match="takes one axis"):
        sf.expand_dims(x, [0, 1])


def test_squeeze_takes_an_axis_that_is_named_twice():
    free = sf.placeholder(sf.float32)
    for axis in ([0, 0], [0, -3]):
        assert static(sf.squeeze(sf.zeros([1, 1, 3]), axis)) == (1, 3)
        assert run(sf.squeeze(free, axis), {free: np.ones([1, 1, 3])}).shape == (1, 3)


def test_squeeze_of_another_size(x):
    with pytest.raises(ValueError, match=r"axis 1 has size 3.*\(\?, 3\)"):
        sf.squeeze(x, 1)
    with pytest.raises(sf.errors.InvalidArgumentError, match="axis 0 has size 2"):
        run(sf.squeeze(x, 0), {x: np.ones([2, 3])})


def test_an_axis_may_be_a_constant_but_no_result_of_a_run(x):
    assert static(sf.expand_dims(x, sf.constant(0))) == (1, None, 3)
    assert static(sf.transpose(x, sf.constant([1, 0]))) == (3, None)
    assert static(sf.expand_dims(x, sf.rank(x) - 1)) == (None, 1, 3)
    i = sf.placeholder(sf.int32, [])
    for build in (sf.expand_dims, lambda x, i: sf.concat([x, x], i)):
        with pytest.raises(TypeError, match="no value before a run"):
            build(x, i)
    with pytest.raises(TypeError, match=r"whole numbers are needed, not 0\.5"):
        sf.expand_dims(x, 0.5)


def test_transpose_checks_perm():
    y = sf.placeholder(sf.float32)
    assert static(sf.transpose(y, [0, 2, 1])) == (None, None, None)
    with pytest.raises(ValueError, match="must hold each axis"):
        sf.transpose(sf.zeros([2, 3]), [0, 0])
    with pytest.raises(sf.errors.InvalidArgumentError, match="must hold each axis"):
        run(sf.transpose(y, [0, 1]), {y: 1.0})
    z = sf.transpose(sf.constant([[1 + 2j, 3j]]), conjugate=True)
    assert run(z).tolist() == [[1 - 2j], [-3j]]
    for value in ([[True]], [[b"a"]], [[1]]):
        y = sf.transpose(sf.constant(value), conjugate=True)
        assert run(y).dtype == y.dtype.as_numpy_dtype
        assert run(y).tolist() == value


def test_zeros_and_ones_are_constants_unless_large_or_dynamic(x):
    kinds = [sf.zeros([2, 3]), sf.ones([1000]), sf.zeros(sf.shape(x)), sf.ones([])]
    assert [t.op.type for t in kinds] == ["Const", "Fill", "Fill", "Const"]
    assert [t.op.name for t in kinds] == ["zeros", "ones", "zeros_1", "ones_1"]
    assert [static(t) for t in kinds] == [(2, 3), (1000,), (None, 3), ()]
    assert [i.op.name for i in kinds[1].op.inputs] == ["ones/dims", "ones/value"]
    assert run(sf.zeros([2], sf.string)).tolist() == [b"", b""]
    assert run(sf.zeros(3, bool)).tolist() == [False] * 3
    with pytest.raises(TypeError, match="no ones"):
        sf.ones([1], sf.string)
    for build in (sf.zeros, lambda s: sf.fill(s, 1)):
        with pytest.raises(ValueError, match="0 or more"):
            build([-1, 2])


def test_zeros_and_ones_like_take_a_dtype(x):
    for build, item in ((sf.zeros_like, 0), (sf.ones_like, 1)):
        y = build(x, sf.int64, optimize=False)
        assert (static(y), y.static_dtype) == ((None, 3), np.int64)
        assert run(y, {x: np.ones([1, 3])}).tolist() == [[item] * 3]
        assert y.op.name == build.__name__
    assert run(sf.zeros_like(sf.constant(["a"]))).tolist() == [b""]
    untyped = sf.Placeholder()
    assert run(sf.zeros_like(untyped), {untyped: np.float16(2)}).dtype == np.float16


def test_fill_and_broadcast_to_refuse_what_does_not_fit(x):
    with pytest.raises(ValueError, match="takes one value"):
        sf.fill([2], [1.0, 2.0])
    with pytest.raises(ValueError, match="broadcast"):
        sf.broadcast_to(sf.zeros([2]), [3])
    with pytest.raises(ValueError, match="broadcast"):
        sf.broadcast_to(sf.zeros([2]), [1])
    with pytest.raises(ValueError, match=r"\(\?, 3\) does not broadcast to \(4, 2\)"):
        sf.broadcast_to(x, [4, sf.constant(2)])
    y = sf.placeholder(sf.float32)
    with pytest.raises(sf.errors.InvalidArgumentError, match=r"\(1, 3\).*\(4, 2\)"):
        run(sf.broadcast_to(y, [4, 2]), {y: np.ones([1, 3])})


# Joining


def test_concat_refuses_scalars_and_the_old_order(x):
    y = sf.placeholder(sf.float32)
    with pytest.raises(ValueError, match=r"scalars.*sf.stack"):
        sf.concat([1.0, 2.0], 0)
    with pytest.raises(sf.errors.InvalidArgumentError, match=r"scalars.*sf.stack"):
        run(sf.concat([y, y], 0), {y: 1.0})
    with pytest.raises(TypeError, match="the list comes first"):
        sf.concat(0, [x, x])
    with pytest.raises(TypeError, match="needs an axis"):
        sf.concat([x, x])
    with pytest.raises(ValueError, match="at least one"):
        sf.concat([], 0)


def test_joins_name_the_shapes_that_do_not_fit():
    tensors = [sf.zeros([2, 3]), sf.zeros([2, 4])]
    with pytest.raises(ValueError, match=r"\(2, 3\), \(2, 4\).*on axis 0"):
        sf.concat(tensors, 0)
    with pytest.raises(ValueError, match=r"\(2, 3\), \(2, 4\).*sf.concat"):
        sf.stack(tensors)
    with pytest.raises(ValueError, match="axis 2 is out of range"):
        sf.concat(tensors, 2)
    with pytest.raises(ValueError, match="axis 3 is out of range"):
        sf.stack(tensors[:1], axis=3)
    with pytest.raises(TypeError, match="dtypes differ"):
        sf.concat([sf.zeros([2]), sf.zeros([2], sf.int32)], 0)


def test_what_is_known_of_joins(x):
    y, z = sf.placeholder(sf.float32, [2, None]), sf.placeholder(sf.float32)
    assert static(sf.concat([x, y], 0)) == (None, 3)
    assert static(sf.concat([x, y], 1)) == (2, None)
    assert static(sf.concat([y, z], 0)) == (None, None)
    assert static(sf.concat([z, z], 0)) is None
    assert static(sf.stack([x, y])) == (2, 2, 3)
    assert static(sf.concat(x, 0)) == (None, 3)
    assert sf.concat([x], 0).op.name == "concat_5"


def test_numbers_beside_untyped_tensors_are_weak():
    y = sf.Placeholder()
    value = run(sf.stack([y, 1, 2.5]), {y: np.float32(0.5)})
    assert (value.tolist(), value.dtype) == ([0.5, 1.0, 2.5], np.float32)


def test_stack_of_arrays_and_nested_lists():
    x = sf.constant(5)
    assert run(sf.stack(np.array([[1, 2], [3, 4]]), 1)).tolist() == [[1, 3], [2, 4]]
    assert run(sf.convert_to_tensor([[x, 1], [2, x]])).tolist() == [[5, 1], [2, 5]]


def test_what_stack_takes_beside_lists():
    """As TensorFlow: what is a tensor, or a number, stays as it is."""
    x = sf.constant([1.0, 2.0])
    assert run(sf.stack(range(3))).tolist() == [0, 1, 2]
    assert run(sf.add_n(range(3))) == 3
    assert run(sf.concat(range(3), 0)).tolist() == [0, 1, 2]
    assert run([sf.stack(3.0), sf.stack(True)]) == [3.0, True]
    assert sf.stack(x) is x
    nothing = run(sf.stack([]))
    assert (nothing.shape, nothing.dtype) == ((0,), np.float32)
    with pytest.raises(TypeError, match=r"must be a list of tensors.*\nin stack, made"):
        sf.stack(x, axis=1)
    with pytest.raises(ValueError, match="axis 1 is out of range"):
        sf.stack(range(3), axis=1)


@pytest.mark.parametrize("build", [sf.add_n, lambda x: sf.concat(x, 0)])
def test_nothing_to_join(build):
    with pytest.raises(
        ValueError, match=r"\[x, y\](.|\n)*\nin .*, made at .*test_array"
    ):
        build([])


def test_tensors_in_a_list_get_the_dtype_that_is_wanted():
    x, one = sf.constant([1.0, 2.0]), sf.constant(1)
    y = sf.add(x, [one, 2.5])
    assert run(y).tolist() == [2.0, 4.5]
    assert run(sf.gradients(y, x)[0]).tolist() == [1.0, 1.0]
    wide = sf.add(sf.cast(x, sf.float64), [x[0], one])
    assert (wide.dtype, run(wide).tolist()) == (sf.float64, [2.0, 3.0])
    nested = sf.convert_to_tensor([[one, 1.5], [2, x[1]]], sf.float32)
    assert run(nested).tolist() == [[1.0, 1.5], [2.0, 2.0]]
    with pytest.raises(ValueError, match="int32 is needed"):
        sf.add(sf.constant([1, 2]), [x[0], 2])  # TensorFlow cuts silently


def test_unstack_must_know_how_many_parts_there_are(x):
    assert [static(t) for t in unstack(x, 2)] == [(3,), (3,)]
    assert [static(t) for t in unstack(x, axis=1)] == [(None,)] * 3
    with pytest.raises(ValueError, match="unknown size: give num"):
        unstack(x)
    with pytest.raises(ValueError, match="num is 2, and axis 1 has size 3"):
        unstack(x, 2, 1)
    with pytest.raises(sf.errors.InvalidArgumentError, match=r"num is 2.*size 4"):
        run(unstack(x, 2), {x: np.ones([4, 3])})


def test_gradient_of_some_parts_only(x):
    loss = sf.reduce_sum(sf.square(unstack(x, 2)[1]))
    value = np.arange(6.0).reshape(2, 3)
    found = run(sf.gradients(loss, x), {x: value})[0]
    assert found.tolist() == [[0, 0, 0], [6, 8, 10]]


# Picking


@pytest.mark.parametrize(
    ("indices", "text"),
    [
        ([0, 3], r"indices\[1\] = 3 is not in \[0, 3\)"),
        ([[0, 1], [-1, 5]], r"indices\[1, 0\] = -1 is not in \[0, 3\)"),
        (-2, r"indices = -2 is not in \[0, 3\)"),
    ],
)
def test_gather_names_the_index_that_is_out_of_range(indices, text):
    with pytest.raises(sf.errors.InvalidArgumentError, match=text):
        run(sf.gather([1.0, 2.0, 3.0], indices))
    with pytest.raises(sf.errors.InvalidArgumentError, match=text):
        run(sf.gather([[1.0, 2.0, 3.0]], indices, axis=1))


def test_gather_takes_whole_numbers_only(x):
    for indices in ([1.0], [True]):
        with pytest.raises(TypeError, match="indices are whole numbers"):
            sf.gather(x, indices)
    i = sf.Placeholder()
    with pytest.raises(sf.errors.InvalidArgumentError, match="not float64"):
        run(sf.gather(x, i), {x: np.ones([2, 3]), i: np.array([0.5])})
    assert run(sf.gather(x, i), {x: np.ones([2, 3]), i: []}).shape == (0, 3)


def test_gather_has_validate_indices_and_name_before_axis(x):
    y = sf.gather(x, [0], True, "picked", axis=1)
    assert (y.op.name, static(y)) == ("picked", (None, 1))
    with pytest.raises(ValueError, match="axis 2 is out of range for rank 2"):
        sf.gather(x, [0], axis=2)


def test_gather_in_batches():
    """As TensorFlow 2.21 gave it."""
    p, i = np.arange(24.0).reshape(2, 3, 4), [[1, 0], [2, 2]]
    rows = [[[4, 5, 6, 7], [0, 1, 2, 3]], [[20, 21, 22, 23], [20, 21, 22, 23]]]
    columns = [[[1, 0], [5, 4], [9, 8]], [[14, 14], [18, 18], [22, 22]]]
    for options, want in [
        ({"axis": 1, "batch_dims": 1}, rows),
        ({"batch_dims": 1}, rows),
        ({"axis": 1, "batch_dims": -1}, rows),
        ({"axis": 2, "batch_dims": 1}, columns),
        ({"axis": -1, "batch_dims": 1}, columns),
    ]:
        y = sf.gather(p, i, **options)
        assert static(y) == np.shape(want)
        assert run(y).tolist() == want


@pytest.mark.parametrize("unknown", [False, True])
@pytest.mark.parametrize(
    ("indices", "options", "text"),
    [
        ([[1, 0], [2, 2]], {"axis": 0, "batch_dims": 1}, "batch_dims is 1.*axis, 0"),
        ([[1, 0], [2, 2]], {"batch_dims": 3}, "out of range|rank of indices, 2"),
        ([[1, 0]], {"batch_dims": 1}, r"2.*1|1.*2"),
    ],
)
def test_gather_in_batches_that_do_not_fit(indices, options, text, unknown):
    x = sf.placeholder(sf.float64, None if unknown else [2, 3])
    with pytest.raises(ValueError, match=text):
        run(sf.gather(x, indices, **options), {x: np.ones([2, 3])})


def test_gradient_of_gather_is_sparse_and_adds_up():
    table = sf.Variable(np.ones([4, 2]))
    picked = sf.gather(table, [[2, 0], [2, 2]])
    grad = sf.gradients(picked * [[1.0, 2.0]], table)[0]
    assert isinstance(grad, sf.IndexedSlices)
    assert grad.shape.as_list() == [4, 2]
    assert grad.dtype == sf.float64
    assert [grad.name, grad.op, grad.graph] == [
        grad.values.name, grad.values.op, table.graph,
    ]  # fmt: skip
    with sf.Session() as sess:
        found = sess.run(grad)
        dense = sess.run(sf.convert_to_tensor(grad))
        negative = sess.run(sf.convert_to_tensor(-grad))
    assert type(found).__name__ == "IndexedSlicesValue"
    assert found.indices.tolist() == [2, 0, 2, 2]
    assert found.values.shape == (4, 2)
    assert found.dense_shape.tolist() == [4, 2]
    assert dense.tolist() == [[1, 2], [0, 0], [3, 6], [0, 0]]
    assert (negative == -dense).all()


def test_sparse_gradients_stay_sparse_in_sums_alone():
    table = sf.Variable(np.ones([3, 2]))
    i, j = sf.constant([1]), sf.constant([1, 0], sf.int64)
    both = sf.reduce_sum(sf.gather(table, i)) + sf.reduce_sum(sf.gather(table, j))
    sparse = sf.gradients(both, table)[0]
    mixed = sf.gradients(both + sf.reduce_sum(table), table)[0]
    inner = sf.gradients(sf.gather(table * 2.0, i), table)[0]
    assert isinstance(sparse, sf.IndexedSlices)
    assert not isinstance(mixed, sf.IndexedSlices)
    parts, mixed, inner = run([sparse, mixed, inner])
    assert parts.indices.tolist() == [1, 1, 0]
    assert mixed.tolist() == [[2, 2], [3, 3], [1, 1]]
    assert inner.tolist() == [[0, 0], [2, 2], [0, 0]]


def test_gradient_of_gather_where_no_shape_is_known():
    table, i = sf.placeholder(sf.float32), sf.placeholder(sf.int32)
    grad = sf.gradients(sf.gather(table, i), table)[0]
    for shape, indices in (([3], 1), ([3, 2, 1], [[2, 2]]), ([2, 0], [[0], [1]])):
        feeds = {table: np.ones(shape), i: indices}
        dense = run(sf.convert_to_tensor(grad), feeds)
        want = np.zeros(shape)
        np.add.at(want, indices, 1.0)
        assert (dense == want).all()


def test_slices_by_hand():
    s = sf.IndexedSlices(sf.constant([[1.0], [2.0]]), sf.constant([2, 0]))
    assert (s.dense_shape, s.shape.as_list()) == (None, [None, 1])
    with pytest.raises(ValueError, match="dense_shape"):
        sf.convert_to_tensor(s)
    assert run(s).dense_shape is None
    whole = sf.IndexedSlices(s.values, s.indices, [3, 1])
    doubled = sf.multiply(whole, 2.0)
    assert static(doubled) == (3, 1)
    assert run(doubled).tolist() == [[4.0], [0.0], [2.0]]
    assert "dense_shape" in repr(whole)


def test_segment_sums_check_numbers_and_shapes():
    with pytest.raises(sf.errors.InvalidArgumentError, match=r"segment_ids\[0\] = 2"):
        run(unsorted_segment_sum([1.0], [2], 2))
    with pytest.raises(ValueError, match="differ"):
        unsorted_segment_sum([1.0], [0, 1], 2)
    x = sf.placeholder(sf.float32)
    with pytest.raises(sf.errors.InvalidArgumentError, match=r"shape \(2,\)"):
        run(unsorted_segment_sum(x, [0, 1], 2), {x: [1.0]})


def test_results_are_no_views_of_what_is_fed():
    x = sf.placeholder(sf.float32, [2, 2])
    fed = np.ones([2, 2], np.float32)
    fetches = [sf.identity(x), sf.reshape(x, [4]), sf.transpose(x), x[0], sf.squeeze(x)]
    found = run(fetches, {x: fed})
    for value in found:
        value[...] = 7.0
    assert (fed == 1.0).all()


def test_longer_shapes_than_are_followed_are_unknown():
    n = sf.constant(2)
    for _ in range(50):
        n = n * 1
    assert static(sf.zeros([n])) == (None,)
    assert static(sf.zeros([sf.constant(2) * 3 - 1])) == (5,)


def test_strings_have_no_ones() -> None:
    for build in (
        lambda: sf.ones_like(sf.constant(["a"])),
        lambda: sf.ones_like(sf.constant([1.0]), sf.string),
    ):
        with pytest.raises(TypeError, match="string"):
            build()


def test_half_precision_rows_add_up_in_single():
    x = sf.constant(np.full((1, 2), 0.1, np.float16))
    for axis, want in ((0, [[300, 300]]), (1, [[300, 0]])):
        y = sf.gather(x, np.zeros(3000, np.int32), axis=axis)
        grad = sf.gradients(y, x, sf.fill(sf.shape(y), sf.constant(0.1, sf.float16)))[0]
        found = run(sf.convert_to_tensor(grad))
        assert (found.dtype, found.tolist()) == (np.float16, want)


@pytest.mark.parametrize("axis", [[0, 1], []])
def test_expand_dims_takes_one_axis(axis):
    with pytest.raises(TypeError, match="one axis, a whole number"):
        sf.expand_dims([1.0], axis)


def test_expand_dims_needs_an_axis():
    with pytest.raises(TypeError, match="needs an axis"):
        sf.expand_dims([1.0], None)


@pytest.mark.parametrize("axis", [2, -3])
def test_an_axis_to_squeeze_is_there(axis):
    with pytest.raises(ValueError, match=f"axis {axis} is out of range for rank 2"):
        sf.squeeze([[1.0]], [axis])


def test_a_shape_that_is_fed_holds_whole_numbers():
    shape = sf.Placeholder()
    y = sf.reshape([1.0], shape)
    with pytest.raises(sf.errors.InvalidArgumentError, match="whole numbers"):
        sf.Session().run(y, {shape: [1.0]})
    assert sf.Session().run(y, {shape: []}).shape == ()


def test_a_shape_is_a_vector():
    shape = sf.placeholder(sf.int32, [1, 2])
    with pytest.raises(ValueError, match="a shape is a vector"):
        sf.reshape([1.0, 2.0], shape)


def test_tuple_needs_a_tensor():
    for nothing in ([], [None]):
        with pytest.raises(ValueError, match="at least one tensor"):
            sf.tuple(nothing)


@pytest.mark.parametrize("build", [lambda n: sf.zeros(n), lambda n: sf.fill(n, 1.0)])
def test_a_fed_shape_is_a_vector(build):
    n = sf.placeholder(sf.int32)
    with pytest.raises(sf.errors.InvalidArgumentError, match="a shape is a vector"):
        run(build(n), {n: [[1, 2]]})
    assert run(build(n), {n: [1, 2]}).shape == (1, 2)
