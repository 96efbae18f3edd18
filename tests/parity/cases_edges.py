"""Edge cases of the wider catalogue: ties, zeros, infinities, nothing at all."""

import numpy as np

from .cases import each, run, weights


def graded(tf, f, *arrays):
    """What `f` returns, and the derivatives of its sum."""
    xs = [tf.constant(a, tf.float64) for a in arrays]
    y = f(*xs)
    zero = tf.UnconnectedGradients.ZERO
    found = tf.gradients(y, xs, unconnected_gradients=zero)
    return [y, *(tf.convert_to_tensor(g) for g in found)]


Z = [[0.0, 0.0], [1.0, 0.0]]
EDGES = {
    "product_zeros": lambda tf: graded(tf, lambda x: tf.reduce_prod(x), [0.0, 0, 2]),
    "product_zero": lambda tf: graded(tf, lambda x: tf.reduce_prod(x), [0.0, 3, 2]),
    "abs_zero": lambda tf: graded(tf, tf.abs, [0.0, -0.0]),
    "max_ties": lambda tf: graded(
        tf, lambda x: tf.reduce_max(x, 1), [[1.0, 1, 0], [2, 2, 2]]
    ),
    "segment_max_ties": lambda tf: graded(
        tf, lambda x: tf.segment_max(x, [0, 0, 1]), [1.0, 1, 3]
    ),
    "segment_prod_zero": lambda tf: graded(
        tf, lambda x: tf.segment_prod(x, [0, 0, 1]), [0.0, 2, 3]
    ),
    "segments_absent": lambda tf: [
        tf.unsorted_segment_max(np.float64([1.0, 2]), [0, 0], 3),
        tf.unsorted_segment_mean(np.float64([1.0, 2]), [0, 0], 3),
        tf.unsorted_segment_prod([3, 2], [0, 0], 2),
        tf.unsorted_segment_min([3, 2], [0, 0], 2),
        tf.segment_max([3, 2], [0, 2]),
        tf.segment_prod([3, 2], [0, 2]),
    ],
    "lgamma_poles": lambda tf: [
        tf.lgamma([0.0, -1.0, -2.0]),
        tf.digamma([0.0, -1.0, 0.5]),
        tf.digamma(np.float64([np.inf, -np.inf, np.nan])),
    ],
    "polygamma_poles": lambda tf: [
        tf.polygamma(
            np.float64([0.0, 1.0, 2.0, 0.5, -1.0]),
            np.float64([2.0, 0.0, -0.5, 1.0, 1.0]),
        )
    ],
    "atan2_corners": lambda tf: [
        tf.atan2(
            np.float64([0.0, -0.0, 0.0, -0.0, 1, np.inf, -np.inf]),
            np.float64([0.0, 0.0, -0.0, -0.0, -np.inf, np.inf, -np.inf]),
        )
    ],
    "round_halves": lambda tf: [
        tf.round(np.float64([0.49999999999999994, 4503599627370497.5, -0.4])),
        tf.rint(np.float64([2.5, 3.5, -0.5])),
        tf.round([3, 4]),
    ],
    "mod_infinite": lambda tf: [
        tf.mod(
            np.float64([5.0, -5, 5, -5, 0, -0.0]),
            np.float64([np.inf, np.inf, -np.inf, -np.inf, 3, 3]),
        ),
        tf.floordiv(np.float64([5.0, -5]), np.float64([np.inf, np.inf])),
        tf.truncatemod(np.float64([-5.5, 5.5]), np.float64([2.0, -2.0])),
    ],
    "clip_swapped": lambda tf: graded(
        tf, lambda x: tf.clip_by_value(x, 1.0, -1.0), [-2.0, 0, 2]
    ),
    "clip_nan": lambda tf: [
        tf.clip_by_value(np.float64([np.nan, 1]), 0.0, 2.0),
        tf.clip_by_norm(np.float64([0.0, 0.0]), 1.0),
        tf.clip_by_norm(np.float64([np.inf, 1.0]), 1.0),
        tf.clip_by_norm(np.float64([np.nan, 1.0]), 1.0),
    ],
    "clip_by_global_norm": lambda tf: (
        tf.clip_by_global_norm([np.float64([np.inf, 1.0]), np.float64([1.0])], 1.0)[0]
        + tf.clip_by_global_norm([np.float64([0.0])], 1.0)[0]
    ),
    "clip_bounds": lambda tf: graded(
        tf, lambda x, a, b: tf.clip_by_value(x, a, b), [-2.0, 0, 2, 1, -1], -1.0, 1.0
    ),
    "clip_bounds_row": lambda tf: graded(
        tf,
        lambda x, a, b: tf.clip_by_value(x, a, b),
        [[-2.0, 0, 2], [1, -1, 5]],
        [-1.0, -1, -1],
        1.0,
    ),
    "gather_nd_batch": lambda tf: [
        tf.gather_nd(np.float64([[1.0, 2], [3, 4]]), [[1], [0]], batch_dims=1)
    ],
    "gather_nd_whole": lambda tf: [
        tf.gather_nd(np.float64([[1.0, 2], [3, 4]]), np.zeros([2, 0], np.int32))
    ],
    "scatter_nd_nothing": lambda tf: [
        tf.scatter_nd(np.zeros([0, 1], np.int32), np.zeros([0, 2]), [3, 2])
    ],
    "top_k_ties": lambda tf: [*tf.nn.top_k(np.float64([1.0, np.inf, -np.inf, 1.0]), 4)],
    "reduce_empty": lambda tf: [
        tf.reduce_max(np.zeros([0, 2]), 0),
        tf.reduce_min(np.zeros([0, 2], np.int32), 0),
        tf.reduce_mean(np.zeros([0, 2]), 0),
        tf.reduce_prod(np.zeros([0]), 0),
    ],
    "mean_whole": lambda tf: [tf.reduce_mean([1, 2, 4]), tf.reduce_mean([-1, -2, -4])],
    "cast": lambda tf: [
        tf.cast(np.float64([1.9, -1.9, 300.0]), tf.int32),
        tf.cast([300, -1], tf.uint8),
        tf.cast(np.float64([0.0, 0.5, -0.0]), tf.bool),
    ],
    "sign_nan": lambda tf: [tf.sign(np.float64([np.nan, 0.0, -0.0]))],
    "sequence_mask_none": lambda tf: [tf.sequence_mask(np.zeros([0], np.int32), 2)],
    "linspace_digits": lambda tf: [
        tf.linspace(0.0, 1.0, 11),
        tf.linspace(np.float64(0.0), np.float64(1.0), 7),
    ],
    "range_floats": lambda tf: [
        tf.range(0.0, 1.0, 0.1),
        tf.range(np.float64(0.0), np.float64(0.3), np.float64(0.1)),
        tf.range(1.0, -0.5, -0.5),
    ],
    "reverse_sequence_zero": lambda tf: [
        tf.reverse_sequence(
            np.float64([[1.0, 2, 3], [4, 5, 6]]), [0, 3], seq_axis=1, batch_axis=0
        )
    ],
    "band_whole": lambda tf: [
        tf.matrix_band_part(np.float64(np.ones([3, 3])), -1, -1),
        tf.matrix_band_part(np.float64(np.ones([3, 4])), 3, 4),
    ],
    "tile_scalar": lambda tf: [tf.tile(np.float64(3.0), np.zeros([0], np.int32))],
    "einsum_diagonal": lambda tf: graded(
        tf, lambda x: tf.einsum("ii->i", x), [[1.0, 2], [3, 4]]
    ),
    "einsum_trace": lambda tf: graded(
        tf, lambda x: tf.einsum("ii", x), [[1.0, 2], [3, 4]]
    ),
    "einsum_three": lambda tf: graded(
        tf, lambda x, y, z: tf.einsum("ij,jk,kl->il", x, y, z), Z, Z, Z
    ),
    "einsum_ellipsis": lambda tf: graded(
        tf,
        lambda x, y: tf.einsum("...ij,jk->...ik", x, y),
        weights([2, 2, 2]),
        weights([2, 3]),
    ),
    "tensordot_full": lambda tf: graded(tf, lambda x, y: tf.tensordot(x, y, 2), Z, Z),
    "svd_singular": lambda tf: [
        tf.svd(np.float64(Z), compute_uv=False),
        tf.svd(np.zeros([0, 2]), compute_uv=False),
    ],
    "determinant_singular": lambda tf: [
        tf.matrix_determinant(np.float64(Z)),
        *tf.linalg.slogdet(np.float64(Z)),
    ],
    "embedding_uneven": lambda tf: [
        tf.nn.embedding_lookup(
            [np.float64([[0.0], [1.0], [2.0]]), np.float64([[3.0], [4.0]])],
            [0, 1, 2, 3, 4],
            "div",
        ),
        tf.nn.embedding_lookup(
            [np.float64([[0.0], [1.0], [2.0]]), np.float64([[3.0], [4.0]])],
            [0, 1, 2, 3, 4],
            "mod",
        ),
    ],
    "sparse_matmul_twice": lambda tf: graded(
        tf,
        lambda v, y: tf.sparse_tensor_dense_matmul(
            tf.SparseTensor([[0, 1], [0, 1]], v, [2, 2]), y
        ),
        [1.0, 2.0],
        Z,
    ),
    "while_zero": lambda tf: [tf.while_loop(lambda i: i < 3, lambda i: i + 1, [0])],
    "map_fn_empty": lambda tf: [
        tf.map_fn(lambda r: r * 2, np.float64(np.zeros([0, 2])))
    ],
    "map_fn_dtype": lambda tf: [
        tf.map_fn(
            lambda r: tf.cast(r, tf.int32), np.float64([1.0, 2.0]), dtype=tf.int32
        )
    ],
    "softplus": lambda tf: graded(
        tf, tf.nn.softplus, [-800.0, -40.0, 0.0, 40.0, 800.0]
    ),
    "logsumexp_infinite": lambda tf: graded(
        tf, lambda x: tf.reduce_logsumexp(x, 1), [[1.0, np.inf], [-np.inf, 0.0]]
    ),
    "variance_one": lambda tf: [
        tf.math.reduce_variance(np.float64([5.0])),
        tf.math.reduce_std(np.float64([5.0, 5.0])),
    ],
    "depth_to_space_scalar": lambda tf: [
        tf.depth_to_space(np.float64(weights([1, 1, 1, 8])), 2)
    ],
    "patches": lambda tf: graded(
        tf,
        lambda x: tf.extract_image_patches(
            x, [1, 2, 2, 1], [1, 1, 2, 1], [1, 1, 1, 1], "SAME"
        ),
        weights([1, 3, 3, 2]),
    ),
    "patches_valid": lambda tf: graded(
        tf,
        lambda x: tf.extract_image_patches(
            x, [1, 2, 2, 1], [1, 1, 1, 1], [1, 2, 1, 1], "VALID"
        ),
        weights([1, 4, 3, 1]),
    ),
    "brackets": lambda tf: [
        tf.constant([1.0, 2, 3, 4])[::-1],
        tf.constant([1.0, 2, 3, 4])[-1:0:-2],
        tf.constant([1.0, 2, 3, 4])[5:],
        tf.constant([1.0, 2, 3])[..., tf.newaxis],
    ],
    "strided_slice_beyond": lambda tf: [
        tf.strided_slice([1, 2, 3, 4], [-9], [9], [3]),
        tf.strided_slice([1, 2, 3, 4], [3], [-9], [-2]),
        tf.strided_slice([[1, 2], [3, 4]], [1, 0], [2, 2], shrink_axis_mask=1),
    ],
    "repeat_none": lambda tf: [tf.repeat([1, 2], 0), tf.repeat([[1, 2]], [3], axis=0)],
    "searchsorted_rows": lambda tf: [tf.searchsorted([[1, 2], [3, 4]], [[2], [3]])],
    "meshgrid_one": lambda tf: tf.meshgrid([1, 2]),
    "triangular_solve_half": lambda tf: graded(
        tf,
        lambda a, b: tf.matrix_triangular_solve(a, b),
        [[2.0, 9.0], [1.0, 4.0]],
        [[1.0], [2.0]],
    ),
    "cholesky_half": lambda tf: graded(tf, tf.cholesky, [[4.0, 9.0], [1.0, 3.0]]),
    "eigenvalues_half": lambda tf: graded(
        tf, tf.self_adjoint_eigvals, [[4.0, 9.0], [1.0, 3.0]]
    ),
    "log_sigmoid": lambda tf: graded(tf, tf.log_sigmoid, [-800.0, 0.0, 800.0]),
    "cross_entropy_huge": lambda tf: graded(
        tf,
        lambda x: tf.nn.sparse_softmax_cross_entropy_with_logits(
            labels=[0, 1], logits=x
        ),
        [[800.0, -800], [1, 2]],
    ),
}


@each(EDGES)
def catalogue_edge(tf, f):
    return {"values": run(tf, f(tf))}
