"""The wider catalogue: special functions, norms, places, matrices, segments.

Values with first derivatives, and second ones where TensorFlow has them, in float64.
"""

import numpy as np

from .cases import each, run, static, weights

WIDE = [-2.5, -1.0, -0.25, 0.0, 0.5, 1.5, 3.0]
OPEN = [-0.9, -0.5, 0.0, 0.25, 0.75]
PLUS = [0.1, 0.5, 1.0, 2.5, 9.0]
SIDES = [-7.5, -2.5, -1.5, -0.5, 0.5, 1.5, 2.5, 7.25]
EMPTY = np.zeros([0, 3])
M = weights([2, 3])
CUBE = weights([2, 3, 4])
ROWS = weights([4, 2], 2)
SQUARE = weights([3, 3]) + 4 * np.eye(3)
BATCH = weights([2, 2, 2]) + 3 * np.eye(2)
INTS = np.array([-7, -6, -1, 0, 1, 6, 7])
BY = np.array([2, -4, 3, -5, -2, 4, -3])


def slopes(tf, f, arrays, second=True, known=True):
    """What `f` returns, and derivatives of a weighted sum of it."""
    shapes = [np.shape(a) if known else [None] * np.ndim(a) for a in arrays]
    xs = [tf.placeholder(tf.float64, shape) for shape in shapes]
    ys = f(tf, *xs)
    ys = list(ys) if isinstance(ys, list | tuple) else [ys]
    feed = dict(zip(xs, arrays, strict=True))
    values = run(tf, ys, feed)
    sums = [
        tf.reduce_sum(y * tf.constant(weights(v.shape, i + 1), tf.float64))
        for i, (y, v) in enumerate(zip(ys, values, strict=True))
    ]
    zero = tf.UnconnectedGradients.ZERO
    first = tf.gradients(tf.add_n(sums), xs, unconnected_gradients=zero)
    first = [tf.convert_to_tensor(d) for d in first]
    wanted = {"first": first}
    if second:
        parts = [
            tf.reduce_sum(d * tf.constant(weights(np.shape(a), 3), tf.float64))
            for d, a in zip(first, arrays, strict=True)
        ]
        total = tf.add_n(parts)
        wanted["second"] = tf.gradients(total, xs, unconnected_gradients=zero)
    shapes = [static(y) for y in ys]
    return {"static": shapes, "values": values} | run(tf, wanted, feed)


ELEMENTS = {
    "sin": WIDE,
    "cos": WIDE,
    "tan": WIDE,
    "asin": OPEN,
    "acos": OPEN,
    "atan": WIDE,
    "sinh": WIDE,
    "cosh": WIDE,
    "asinh": WIDE,
    "acosh": [1.5, 2.0, 9.0],
    "atanh": OPEN,
    "erf": WIDE,
    "erfc": WIDE,
    "lgamma": [*PLUS, -0.5, -2.25],
    "digamma": [*PLUS, -0.5, -2.25],
    "rsqrt": PLUS,
    "reciprocal": PLUS,
    "expm1": WIDE,
    "log1p": PLUS,
    "floor": SIDES,
    "ceil": SIDES,
    "round": SIDES,
    "rint": SIDES,
    "sign": SIDES,
}


@each({key: (key, x) for key, x in ELEMENTS.items()})
def catalogue_element(tf, row):
    name, x = row
    f = getattr(tf, name)
    return {
        "vector": slopes(tf, lambda tf, x: f(x), [x]),
        "scalar": slopes(tf, lambda tf, x: f(x), [x[0]]),
        "empty": slopes(tf, lambda tf, x: f(x), [EMPTY]),
        "single": single(tf, f, x),
    }


def single(tf, f, x):
    x = tf.constant(x, tf.float32)
    y = f(x)
    return run(tf, [y, tf.convert_to_tensor(tf.gradients([y, x * 0.0], x)[0])])


LIMITS = [np.nan, np.inf, -np.inf, 0.0, -0.0, 1.0, -1.0]
KINDS = ["is_nan", "is_inf", "is_finite", "floor", "ceil", "rint", "round", "atan"]
KINDS += ["sinh", "cosh", "asinh", "atanh", "acosh", "erfc", "lgamma"]
KINDS += ["asin", "acos", "sin", "cos", "tan", "rsqrt", "reciprocal", "expm1", "log1p"]


@each({key: key for key in KINDS})
def catalogue_limit(tf, name):
    f = getattr(tf, name)
    return {t: run(tf, f(tf.constant(LIMITS, t))) for t in ("float32", "float64")}


DIVISIONS = ["floordiv", "truncatediv", "floormod", "truncatemod", "mod", "floor_div"]


@each({key: key for key in DIVISIONS})
def catalogue_division(tf, name):
    f = getattr(tf, name)
    found = {t: run(tf, f(*pair(tf, INTS, BY, t))) for t in ("int32", "int64")}
    if name != "truncatediv":
        found["float64"] = run(tf, f(*pair(tf, INTS / 2, BY / 4, "float64")))
        found["float32"] = run(tf, f(*pair(tf, INTS / 2, BY / 4, "float32")))
    return found


def pair(tf, x, y, dtype):
    return tf.constant(x, dtype), tf.constant(y, dtype)


DIFFERENTIABLE = {
    "atan2": (lambda tf, y, x: tf.atan2(y, x), M, weights([3], 1)),
    "atan2_scalar": (lambda tf, y, x: tf.atan2(y, x), M, -2.0),
    "mod": (lambda tf, x, y: tf.mod(x, y), M, weights([3], 2)),
    "floordiv": (lambda tf, x, y: tf.floordiv(x, y), M, weights([3], 2)),
    "polygamma": (lambda tf, x: tf.polygamma(np.float64(2.0), x), PLUS),
    "polygamma_one": (lambda tf, x: tf.polygamma(np.float64(1.0), x), PLUS),
    "zeta": (lambda tf, q: tf.zeta(np.float64(3.0), q), PLUS),
    "zeta_many": (lambda tf, q: tf.zeta(tf.constant([[2.0], [4.5]], q.dtype), q), PLUS),
    "cumsum": (lambda tf, x: tf.cumsum(x), CUBE),
    "cumsum_last": (lambda tf, x: tf.cumsum(x, axis=-1), CUBE),
    "cumsum_exclusive": (lambda tf, x: tf.cumsum(x, 1, exclusive=True), CUBE),
    "cumsum_reverse": (lambda tf, x: tf.cumsum(x, -2, reverse=True), CUBE),
    "cumsum_both": (lambda tf, x: tf.cumsum(x * x, 1, True, True), CUBE),
    "cumsum_empty": (lambda tf, x: tf.cumsum(x), EMPTY),
    "cumprod": (lambda tf, x: tf.cumprod(x), CUBE),
    "cumprod_last": (lambda tf, x: tf.cumprod(x, axis=-1), CUBE),
    "cumprod_exclusive": (lambda tf, x: tf.cumprod(x, 1, exclusive=True), CUBE),
    "cumprod_reverse": (lambda tf, x: tf.cumprod(x, -2, reverse=True), CUBE),
    "cumprod_both": (lambda tf, x: tf.cumprod(x, 1, True, True), CUBE),
    "cumprod_one": (lambda tf, x: tf.cumprod(x, exclusive=True), [3.0]),
    "clip": (lambda tf, x: tf.clip_by_value(x * x, 0.5, 2.0), M),
    "clip_edges": (lambda tf, x: tf.clip_by_value(x, -1.0, 1.0), [-2, -0.5, 0.5, 2.0]),
    "clip_by_norm": (lambda tf, x: tf.clip_by_norm(x, 1.5), M),
    "clip_by_norm_axes": (lambda tf, x: tf.clip_by_norm(x, 1.5, axes=[1]), M),
    "clip_by_norm_wide": (lambda tf, x: tf.clip_by_norm(x, 99.0), M),
    "norm": (lambda tf, x: tf.norm(x), CUBE),
    "norm_axis": (lambda tf, x: tf.norm(x, axis=-1, keepdims=True), CUBE),
    "norm_one": (lambda tf, x: tf.norm(x, ord=1, axis=1), CUBE),
    "norm_inf": (lambda tf, x: tf.norm(x, ord=np.inf, axis=0), CUBE),
    "norm_three": (lambda tf, x: tf.norm(x, ord=3, axis=2), CUBE),
    "norm_matrix": (lambda tf, x: tf.norm(x, ord="fro", axis=[-2, -1]), CUBE),
    "norm_matrix_one": (lambda tf, x: tf.norm(x, ord=1, axis=[0, 1]), CUBE),
    "logsumexp": (lambda tf, x: tf.reduce_logsumexp(x), CUBE),
    "logsumexp_axis": (lambda tf, x: tf.reduce_logsumexp(x, [0, -1]), CUBE),
    "logsumexp_keep": (lambda tf, x: tf.reduce_logsumexp(x, 1, keepdims=True), CUBE),
    "logsumexp_huge": (lambda tf, x: tf.reduce_logsumexp(x, -1), [[900.0, 899.0]]),
    "logsumexp_scalar": (lambda tf, x: tf.reduce_logsumexp(x), 2.5),
    "tensordot": (lambda tf, x, y: tf.tensordot(x, y, 1), CUBE, weights([4, 2])),
    "tensordot_outer": (lambda tf, x, y: tf.tensordot(x, y, 0), M, weights([2])),
    "tensordot_axes": (
        lambda tf, x, y: tf.tensordot(x, y, [[0, 2], [1, 0]]),
        CUBE,
        weights([4, 2, 3], 1),
    ),
    "tensordot_negative": (
        lambda tf, x, y: tf.tensordot(x, y, [[-1], [-2]]),
        CUBE,
        weights([4, 2], 1),
    ),
    "einsum": (lambda tf, x, y: tf.einsum("ij,jk->ki", x, y), M, weights([3, 2])),
    "einsum_batch": (
        lambda tf, x, y: tf.einsum("bij,bj->bi", x, y),
        CUBE,
        weights([2, 4], 1),
    ),
    "einsum_implicit": (lambda tf, x, y: tf.einsum("ij,jk", x, y), M, SQUARE),
    "einsum_sum": (lambda tf, x: tf.einsum("abc->b", x), CUBE),
    "einsum_ellipsis": (lambda tf, x: tf.einsum("...ij->...ji", x), CUBE),
    "einsum_outer": (lambda tf, x, y: tf.einsum("i,j->ij", x, y), [1.0, 2.0], [3.0]),
    "split": (lambda tf, x: tf.split(x * x, 2, axis=2), CUBE),
    "split_sizes": (lambda tf, x: tf.split(x * x, [1, 0, 2], axis=-2), CUBE),
    "split_rest": (lambda tf, x: tf.split(x, [1, -1], 2), CUBE),
    "slice": (lambda tf, x: tf.slice(x * x, [0, 1, 1], [1, -1, 2]), CUBE),
    "slice_empty": (lambda tf, x: tf.slice(x, [0, 1], [2, 0]), M),
    "strided_slice": (
        lambda tf, x: tf.strided_slice(x, [0, 2, 0], [2, 0, 4], [1, -1, 2]),
        CUBE,
    ),
    "strided_slice_masks": (
        lambda tf, x: tf.strided_slice(
            x * x, [1, 9, 1], [9, 2, 3], begin_mask=2, end_mask=1, shrink_axis_mask=4
        ),
        CUBE,
    ),
    "strided_slice_ellipsis": (
        lambda tf, x: tf.strided_slice(
            x, [0, 0, 1], [0, 0, 3], ellipsis_mask=1, new_axis_mask=2
        ),
        CUBE,
    ),
    "tile": (lambda tf, x: tf.tile(x * x, [2, 3]), M),
    "tile_none": (lambda tf, x: tf.tile(x, [0, 2]), M),
    "pad": (lambda tf, x: tf.pad(x * x, [[1, 0], [0, 2]]), M),
    "pad_value": (lambda tf, x: tf.pad(x, [[0, 1], [2, 0]], constant_values=7), M),
    "pad_reflect": (lambda tf, x: tf.pad(x, [[1, 1], [2, 0]], "REFLECT"), M),
    "pad_symmetric": (lambda tf, x: tf.pad(x, [[2, 1], [0, 3]], "SYMMETRIC"), M),
    "gather_nd": (lambda tf, x: tf.gather_nd(x * x, [[0, 1], [1, 2], [0, 1]]), CUBE),
    "gather_nd_rows": (lambda tf, x: tf.gather_nd(x, [[[1]], [[0]]]), M),
    "scatter_nd": (lambda tf, x: tf.scatter_nd([[2], [0], [2]], x, [4]), [1.0, 2, 3]),
    "scatter_nd_rows": (lambda tf, x: tf.scatter_nd([[3], [1]], x * x, [4, 3]), M),
    "reverse": (lambda tf, x: tf.reverse(x * x, [0, -1]), CUBE),
    "reverse_none": (lambda tf, x: tf.reverse(x, np.zeros([0], np.int32)), M),
    "reverse_sequence": (
        lambda tf, x: tf.reverse_sequence(x, [3, 2], seq_axis=1, batch_axis=0),
        CUBE,
    ),
    "boolean_mask": (lambda tf, x: tf.boolean_mask(x, [[True, False, True]] * 2), CUBE),
    "boolean_mask_axis": (
        lambda tf, x: tf.boolean_mask(x * x, [False, True, True], axis=1),
        CUBE,
    ),
    "boolean_mask_none": (lambda tf, x: tf.boolean_mask(x, [False, False]), M),
    "meshgrid": (lambda tf, x, y: tf.meshgrid(x, y), [1.0, 2.0], [3.0, 4.0, 5.0]),
    "meshgrid_ij": (
        lambda tf, x, y: tf.meshgrid(x, y, indexing="ij"),
        [1.0, 2.0],
        [3.0, 4.0, 5.0],
    ),
    "diag": (lambda tf, x: tf.diag(x * x), [1.0, 2.0, -3.0]),
    "diag_part": (lambda tf, x: tf.diag_part(x * x), SQUARE),
    "matrix_diag": (lambda tf, x: tf.matrix_diag(x), M),
    "matrix_diag_part": (lambda tf, x: tf.matrix_diag_part(x), CUBE),
    "matrix_set_diag": (
        lambda tf, x, y: tf.matrix_set_diag(x * x, y),
        CUBE,
        weights([2, 3]),
    ),
    "matrix_band_part": (lambda tf, x: tf.matrix_band_part(x * x, 1, 0), CUBE),
    "matrix_band_upper": (lambda tf, x: tf.matrix_band_part(x, 0, -1), CUBE),
    "trace": (lambda tf, x: tf.trace(x * x), CUBE),
    "roll": (lambda tf, x: tf.roll(x * x, [1, -2], [0, 2]), CUBE),
    "top_k": (lambda tf, x: tf.nn.top_k(x * x, 2)[0], [[1.0, -3.0, 2.0], [0.5, 4, 3]]),
    "partition": (lambda tf, x: tf.dynamic_partition(x, [1, 0], 3), M),
    "partition_flat": (
        lambda tf, x: tf.dynamic_partition(x * x, [1, 0, 1, 1], 2),
        PLUS[:4],
    ),
    "stitch": (
        lambda tf, x, y: tf.dynamic_stitch([[0, 2], [1, 3, 4]], [x, y]),
        [1.0, 2.0],
        [3.0, 4.0, 5.0],
    ),
    "inverse": (lambda tf, x: tf.matrix_inverse(x), SQUARE),
    "inverse_adjoint": (lambda tf, x: tf.matrix_inverse(x, adjoint=True), BATCH),
    "determinant": (lambda tf, x: tf.matrix_determinant(x), BATCH),
    "slogdet": (lambda tf, x: tf.linalg.slogdet(x)[1], BATCH),
    "solve": (lambda tf, x, y: tf.matrix_solve(x, y), SQUARE, weights([3, 2])),
    "solve_adjoint": (
        lambda tf, x, y: tf.matrix_solve(x, y, adjoint=True),
        BATCH,
        weights([2, 2, 1]),
    ),
    "triangular_solve": (
        lambda tf, x, y: tf.matrix_triangular_solve(x, y),
        SQUARE,
        weights([3, 2]),
    ),
    "triangular_solve_upper": (
        lambda tf, x, y: tf.matrix_triangular_solve(x, y, lower=False, adjoint=True),
        BATCH,
        weights([2, 2, 1]),
    ),
    "cholesky": (
        lambda tf, x: tf.cholesky(tf.matmul(x, x, transpose_b=True)),
        SQUARE,
    ),
    "qr": (lambda tf, x: [y * y for y in tf.qr(x)], SQUARE),
    "singular_values": (lambda tf, x: tf.svd(x, compute_uv=False), SQUARE),
    "singular_values_wide": (lambda tf, x: tf.svd(x, compute_uv=False), M),
    "eigenvalues": (
        lambda tf, x: tf.self_adjoint_eigvals(x + tf.matrix_transpose(x)),
        SQUARE,
    ),
    "inverse_size_one": (lambda tf, x: tf.matrix_inverse(x), [[2.0]]),
    "embedding_mod": (
        lambda tf, x, y: tf.nn.embedding_lookup([x, y], [0, 3, 2, 0, 1], "mod"),
        M,
        M + 1,
    ),
    "embedding_div": (
        lambda tf, x, y: tf.nn.embedding_lookup([x, y], [[0, 3], [2, 0]], "div"),
        M,
        M + 1,
    ),
    "embedding_one": (lambda tf, x: tf.nn.embedding_lookup(x * x, [1, 1]), M),
    "sparse_matmul": (
        lambda tf, v, y: tf.sparse_tensor_dense_matmul(
            tf.SparseTensor([[0, 1], [1, 0], [1, 2]], v, [2, 3]), y
        ),
        [1.0, -2.0, 3.0],
        weights([3, 2]),
    ),
    "sparse_matmul_adjoint": (
        lambda tf, v, y: tf.sparse_tensor_dense_matmul(
            tf.SparseTensor([[0, 1], [1, 0], [1, 2]], v, [2, 3]), y, adjoint_a=True
        ),
        [1.0, -2.0, 3.0],
        weights([2, 2]),
    ),
    "segment_sum": (lambda tf, x: tf.segment_sum(x * x, [0, 0, 2, 2]), ROWS),
    "unsorted_segment_sum": (
        lambda tf, x: tf.unsorted_segment_sum(x * x, [3, 0, 0, 1], 4),
        ROWS,
    ),
    "segment_mean": (lambda tf, x: tf.segment_mean(x * x, [0, 0, 2, 2]), ROWS),
    "unsorted_segment_mean": (
        lambda tf, x: tf.unsorted_segment_mean(x * x, [3, 0, 0, 1], 4),
        ROWS,
    ),
    "segment_prod": (lambda tf, x: tf.segment_prod(x * x, [0, 0, 2, 2]), ROWS),
    "unsorted_segment_prod": (
        lambda tf, x: tf.unsorted_segment_prod(x * x, [3, 0, 0, 1], 4),
        ROWS,
    ),
    "segment_max": (lambda tf, x: tf.segment_max(x * x, [0, 0, 2, 2]), ROWS),
    "segment_min": (lambda tf, x: tf.segment_min(x * x, [0, 0, 2, 2]), ROWS),
    "unsorted_segment_max": (
        lambda tf, x: tf.unsorted_segment_max(x, [1, 0, 0, 1], 2),
        ROWS,
    ),
    "unsorted_segment_min": (
        lambda tf, x: tf.unsorted_segment_min(x, [1, 0, 0, 1], 2),
        ROWS,
    ),
    "unsorted_segment_sqrt_n": (
        lambda tf, x: tf.unsorted_segment_sqrt_n(x * x, [1, 0, 0, 0], 3),
        ROWS,
    ),
    "unsorted_segment_negative": (
        lambda tf, x: tf.unsorted_segment_sum(x, [1, -1, 0, -1], 2),
        ROWS,
    ),
    "unsorted_segment_table": (
        lambda tf, x: tf.unsorted_segment_sum(x, [[0, 2, 0], [1, 1, 2]], 3),
        CUBE,
    ),
    "sparse_segment_sum": (
        lambda tf, x: tf.sparse_segment_sum(x * x, [3, 0, 1, 0], [0, 0, 2, 2]),
        ROWS,
    ),
    "sparse_segment_mean": (
        lambda tf, x: tf.sparse_segment_mean(x * x, [3, 0, 1, 0], [0, 0, 2, 2]),
        ROWS,
    ),
    "sparse_segment_sqrt_n": (
        lambda tf, x: tf.sparse_segment_sqrt_n(x * x, [3, 0, 1, 0], [0, 0, 2, 2]),
        ROWS,
    ),
    "space_to_batch": (
        lambda tf, x: tf.space_to_batch_nd(x * x, [2, 2], [[0, 0], [1, 0]]),
        weights([1, 4, 3, 2]),
    ),
    "batch_to_space": (
        lambda tf, x: tf.batch_to_space_nd(x * x, [2, 2], [[0, 1], [0, 0]]),
        weights([4, 2, 1, 2]),
    ),
    "space_to_depth": (
        lambda tf, x: tf.space_to_depth(x * x, 2),
        weights([1, 4, 2, 3]),
    ),
    "depth_to_space": (
        lambda tf, x: tf.depth_to_space(x * x, 2),
        weights([2, 1, 2, 8]),
    ),
    "cumulative_logsumexp": (
        lambda tf, x: tf.math.cumulative_logsumexp(x, axis=1),
        M,
    ),
    "variance": (lambda tf, x: tf.math.reduce_variance(x, 1), CUBE),
    "deviation": (lambda tf, x: tf.math.reduce_std(x, [0, -1], keepdims=True), CUBE),
    "euclidean": (lambda tf, x: tf.math.reduce_euclidean_norm(x, -1), CUBE),
    "l2_normalize": (lambda tf, x: tf.nn.l2_normalize(x, 1), CUBE),
    "repeat": (lambda tf, x: tf.repeat(x * x, [2, 0, 1], axis=1), M),
    "repeat_flat": (lambda tf, x: tf.repeat(x * x, 2), M),
    "sort": (lambda tf, x: tf.sort(x, axis=-1, direction="DESCENDING"), PLUS[::-1]),
    "batch_gather": (lambda tf, x: tf.batch_gather(x * x, [[2, 0], [1, 1]]), CUBE),
    "unstack": (lambda tf, x: tf.unstack(x * x, axis=-2), CUBE),
    "accumulate_n": (lambda tf, x, y: tf.accumulate_n([x, y, x]), M, M + 1),
    "cholesky_solve": (
        lambda tf, x, y: tf.cholesky_solve(x, y),
        SQUARE,
        weights([3, 2]),
    ),
    "log_determinant": (
        lambda tf, x: tf.linalg.logdet(tf.matmul(x, x, transpose_a=True)),
        BATCH,
    ),
    "inverse_batch_empty": (lambda tf, x: tf.matrix_inverse(x), np.zeros([0, 2, 2])),
    "boolean_mask_table": (lambda tf, x: tf.boolean_mask(x, x > 0.0), M),
    "where_gather": (lambda tf, x: tf.gather_nd(x, tf.where(x > 0.0)), M),
    "add_n": (
        lambda tf, x, y: tf.add_n([x * y, tf.squared_difference(x, y)]),
        M,
        M + 1,
    ),
}


@each(DIFFERENTIABLE)
def catalogue(tf, row):
    return slopes(tf, row[0], row[1:])


# These need a static shape in TensorFlow, or have another one there.
FIXED = {"qr", "tile_none", "unstack"}


@each({key: row for key, row in DIFFERENTIABLE.items() if key not in FIXED})
def catalogue_unknown(tf, row):
    return slopes(tf, row[0], row[1:], second=False, known=False)
