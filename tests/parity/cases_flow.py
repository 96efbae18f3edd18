"""The wider catalogue: control flow with its gradients, and what has none."""

import numpy as np

from .cases import each, run, weights
from .cases_catalogue import BATCH, CUBE, PLUS, ROWS, WIDE, M, slopes

FIRST = {
    "hessian": (
        lambda tf, x: tf.hessians(tf.reduce_sum(x * x * x) * x[0] * x[1], x),
        [1.0, -2.0, 3.0],
    ),
    "global_norm": (lambda tf, x, y: tf.global_norm([x, y]), M, [1.0, 2.0]),
    "clip_by_global_norm": (
        lambda tf, x, y: tf.clip_by_global_norm([x, y], 2.0)[0],
        M,
        [1.0, 2.0],
    ),
    "clip_by_global_norm_wide": (
        lambda tf, x, y: tf.clip_by_global_norm([x, y], 50.0)[0],
        M,
        [1.0, 2.0],
    ),
    "sparse_to_dense": (
        lambda tf, v, d: tf.sparse_to_dense([[0, 2], [1, 0]], [2, 3], v, d),
        [1.0, 2.0],
        -1.0,
    ),
    "cond": (
        lambda tf, x: tf.cond(tf.reduce_sum(x) > 0.0, lambda: x * x, lambda: -x),
        M,
    ),
    "cond_pair": (
        lambda tf, x, y: tf.cond(
            tf.less(x, y), lambda: (x * y, tf.sin(x)), lambda: (y, x)
        ),
        2.0,
        3.0,
    ),
    "while_loop": (
        lambda tf, x: tf.while_loop(
            lambda i, a: i < 4, lambda i, a: (i + 1, a * tf.sin(x) + a), [0, x]
        )[1],
        M,
    ),
    "while_loop_never": (
        lambda tf, x: tf.while_loop(
            lambda i, a: i < 0, lambda i, a: (i + 1, a * a), [0, x]
        )[1],
        M,
    ),
    "while_loop_values": (
        lambda tf, x: tf.while_loop(lambda a: a < 100.0, lambda a: a * a, [x]),
        1.5,
    ),
    "while_loop_cond": (
        lambda tf, x: tf.while_loop(
            lambda i, a: i < 5,
            lambda i, a: (i + 1, tf.cond(a < 3.0, lambda: a * x, lambda: a - x)),
            [0, x],
        )[1],
        1.5,
    ),
    "while_loop_nested": (
        lambda tf, x: tf.while_loop(
            lambda i, a: i < 3,
            lambda i, a: (
                i + 1,
                tf.while_loop(
                    lambda j, b: j < i, lambda j, b: (j + 1, b * x + b), [0, a]
                )[1],
            ),
            [0, x],
        )[1],
        M,
    ),
    "while_loop_many": (
        lambda tf, x, y: tf.while_loop(
            lambda i, a, b: i < 5, lambda i, a, b: (i + 1, b, a * b), [0, x, y]
        )[1:],
        M,
        weights([3], 1) + np.zeros([2, 1]),
    ),
    "while_loop_growing": (
        lambda tf, x: tf.while_loop(
            lambda i, a: i < 2,
            lambda i, a: (i + 1, tf.concat([a, a * x[0]], 0)),
            [0, x],
            shape_invariants=[tf.TensorShape([]), tf.TensorShape([None])],
        )[1],
        [1.5, -2.0],
    ),
    "while_loop_maximum": (
        lambda tf, x: tf.while_loop(
            lambda a: tf.reduce_sum(a) < 1e9,
            lambda a: a * 2.0 + x,
            [x],
            maximum_iterations=3,
        ),
        M,
    ),
    "cond_nested": (
        lambda tf, x: tf.cond(
            x > 1.0,
            lambda: tf.cond(x > 5.0, lambda: x * x, lambda: tf.exp(x)),
            lambda: x,
        ),
        2.0,
    ),
    "cond_outer_value": (
        lambda tf, x, y: tf.cond(x < 0.0, lambda: x * y, lambda: tf.square(y) / x),
        3.0,
        M,
    ),
    "case": (
        lambda tf, x: tf.case(
            [(x < 0.0, lambda: -x), (x < 3.0, lambda: x * x)], default=lambda: x
        ),
        2.0,
    ),
    "map_fn_nested": (
        lambda tf, x: tf.map_fn(
            lambda m: tf.map_fn(lambda r: r * r[0], m), tf.stack([x, x * x])
        ),
        M,
    ),
    "map_fn_cond": (
        lambda tf, x: tf.map_fn(
            lambda v: tf.cond(v > 0.0, lambda: v * v, lambda: tf.exp(v)), x
        ),
        WIDE,
    ),
    "scan_pair": (
        lambda tf, x: tf.scan(
            lambda a, r: (a[0] * r, a[1] + a[0]), x, (tf.ones_like(x[0]), x[0])
        ),
        PLUS,
    ),
    "map_fn_closure": (lambda tf, x, y: tf.map_fn(lambda r: r * y, x), M, ROWS[0, 0]),
    "map_fn": (lambda tf, x: tf.map_fn(lambda r: r * tf.reduce_sum(r), x), M),
    "map_fn_pair": (
        lambda tf, x, y: tf.map_fn(lambda p: p[0] * p[1], (x, y), dtype=tf.float64),
        M,
        [2.0, 3.0],
    ),
    "scan": (lambda tf, x: tf.scan(lambda a, r: a * r + r, x), CUBE),
    "scan_initial": (
        lambda tf, x, y: tf.scan(lambda a, r: a * tf.reduce_sum(r), x, y),
        M,
        2.0,
    ),
    "scan_reverse": (lambda tf, x: tf.scan(lambda a, r: a * r, x, reverse=True), PLUS),
    "foldl": (lambda tf, x: tf.foldl(lambda a, r: a * r - a, x), CUBE),
    "foldl_initial": (lambda tf, x, y: tf.foldl(lambda a, r: a / r, x, y), PLUS, 2.0),
    "foldr": (lambda tf, x: tf.foldr(lambda a, r: a * r - r, x), CUBE),
    "tensor_array": (
        lambda tf, x: (
            tf.TensorArray(tf.float64, 2).write(1, x * x).write(0, tf.sin(x)).stack()
        ),
        M,
    ),
    "tensor_array_unstack": (
        lambda tf, x: tf.TensorArray(tf.float64, 2).unstack(x * x).read(1),
        M,
    ),
    "tensor_array_loop": (
        lambda tf, x: tf.while_loop(
            lambda i, a, t: i < 3,
            lambda i, a, t: (i + 1, a * x, t.write(i, a)),
            [0, x, tf.TensorArray(tf.float64, 3)],
        )[2].stack(),
        M,
    ),
}


@each(FIRST)
def catalogue_first(tf, row):
    return slopes(tf, row[0], row[1:], second=False)


def average_norm(tf):
    x = tf.constant(M, tf.float32)
    y = tf.clip_by_average_norm(x, 0.1)
    return [y, *tf.gradients(y * tf.constant(weights([2, 3], 1), tf.float32), x)]


def hessian_of(tf):
    x = tf.constant(M)
    return tf.hessians(tf.reduce_sum(tf.exp(x)) * x[0, 1], x)


SCORES = np.float32([[0.1, 0.7, 0.2], [0.5, 0.5, 0.1], [np.inf, 0.0, 1.0]])
VALUES = {
    "count_nonzero": lambda tf: tf.count_nonzero([[0.0, 2.0, 0.0], [1.0, 3.0, 0.0]]),
    "count_nonzero_axis": lambda tf: [
        tf.count_nonzero([[0, 2, 0], [1, 3, 0]], axis=-1, keepdims=True),
        tf.count_nonzero([[True, False]], axis=0, dtype=tf.int32),
        tf.count_nonzero(tf.zeros([0, 2]), axis=0),
    ],
    "cumsum_int": lambda tf: tf.cumsum([[1, 2], [3, 4]], 1, exclusive=True),
    "gather_nd_all": lambda tf: tf.gather_nd(M, [1, 2]),
    "norm_matrix_two": lambda tf: tf.norm(tf.constant(BATCH), ord=2, axis=[-2, -1]),
    "clip_by_average_norm": average_norm,
    "norm_zero": lambda tf: tf.norm(tf.zeros([2, 3]), axis=1),
    "logsumexp_infinite": lambda tf: [
        tf.reduce_logsumexp([-np.inf, -np.inf]),
        tf.reduce_logsumexp([-np.inf, 1.0]),
        tf.reduce_logsumexp([np.inf, 1.0]),
        tf.reduce_logsumexp(tf.zeros([2, 0]), 1),
    ],
    "clip_int": lambda tf: tf.clip_by_value([-5, 0, 9], -1, 3),
    "sequence_mask": lambda tf: [
        tf.sequence_mask([1, 3, 0]),
        tf.sequence_mask([[1], [2]], 4, tf.float64),
        tf.sequence_mask(2, 3),
        tf.sequence_mask([5, 1], 2, dtype=tf.int32),
    ],
    "meshgrid_three": lambda tf: tf.meshgrid([1, 2], [3], [4, 5]),
    "diag_int": lambda tf: [tf.diag([1, 2]), tf.diag([[1, 2], [3, 4]])],
    "eye": lambda tf: [
        tf.eye(2),
        tf.eye(2, 3, dtype=tf.int32),
        tf.eye(3, 2, batch_shape=[2], dtype=tf.float64),
        tf.eye(0),
    ],
    "range": lambda tf: [
        tf.range(4),
        tf.range(2, 9, 3),
        tf.range(5, 0, -2),
        tf.range(3, 3),
        tf.range(0.0, 1.0, 0.25),
        tf.range(3, dtype=tf.float64),
        tf.range(np.int64(4)),
    ],
    "linspace": lambda tf: [
        tf.linspace(1.0, 2.0, 5),
        tf.linspace(np.float64(3.0), np.float64(-1.0), 3),
        tf.linspace(1.0, 2.0, 1),
    ],
    "unique": lambda tf: [
        *tf.unique([4, 1, 4, 2, 1]),
        *tf.unique(np.float64([0.5, 0.5]), out_idx=tf.int64),
        *tf.unique_with_counts([4, 1, 4, 2, 1]),
        *tf.unique(np.zeros([0], np.int32)),
    ],
    "setdiff1d": lambda tf: list(tf.setdiff1d([1, 2, 3, 4, 5, 2], [3, 5])),
    "top_k": lambda tf: [
        *tf.nn.top_k([[1, 5, 5, 2], [0, 0, 0, 0]], 3),
        *tf.nn.top_k([2.0, 3.0], 0),
        *tf.nn.top_k(np.float64([2.0, 9.0, 3.0])),
    ],
    "in_top_k": lambda tf: [
        tf.nn.in_top_k(SCORES[:2], [1, 0], 1),
        tf.nn.in_top_k(SCORES[:2], [0, 2], 2),
        tf.nn.in_top_k(SCORES[:2], [2, 1], 1),
    ],
    "invert_permutation": lambda tf: tf.invert_permutation([3, 0, 2, 1]),
    "stitch_overlap": lambda tf: tf.dynamic_stitch(
        [[0, 1], 1], [[[1, 2], [3, 4]], [5, 6]]
    ),
    "partition_int": lambda tf: tf.dynamic_partition(
        [[1, 2], [3, 4]], [[0, 2], [2, 0]], 3
    ),
    "scatter_nd_int": lambda tf: tf.scatter_nd([[1], [1], [3]], [5, 6, 7], [5]),
    "pad_int": lambda tf: tf.pad([[1, 2]], [[1, 0], [0, 1]], constant_values=9),
    "pad_empty": lambda tf: tf.pad(tf.zeros([0, 2]), [[1, 1], [0, 0]]),
    "reverse_bool": lambda tf: tf.reverse([[True, False]], [-1]),
    "sparse_to_dense_forms": lambda tf: [
        tf.sparse_to_dense([1, 3], [5], 7, -1),
        tf.sparse_to_dense(2, [4], 1),
        tf.sparse_to_dense([[0, 1], [1, 0]], [2, 2], [True, True], False),
    ],
    "searchsorted": lambda tf: [
        tf.searchsorted([1, 3, 3, 5], [0, 3, 5, 6]),
        tf.searchsorted([1, 3, 3, 5], [0, 3, 5, 6], side="right"),
    ],
    "sort": lambda tf: [
        tf.sort([[3, 1, 2], [9, 8, 7]]),
        tf.sort([[3.0, 1.0], [2.0, 7.0]], axis=0, direction="DESCENDING"),
        tf.argsort([3.0, 1.0, 2.0]),
    ],
    "where_places": lambda tf: tf.where([[True, False], [True, True]]),
    "determinant_empty": lambda tf: tf.matrix_determinant(np.zeros([0, 0])),
    "inverse_empty": lambda tf: tf.matrix_inverse(np.zeros([0, 2, 2])),
    "upper_factor": lambda tf: tf.abs(tf.qr(CUBE)[1]),
    "eigenvalues_batch": lambda tf: tf.self_adjoint_eigvals(BATCH),
    "switch_case": lambda tf: [
        tf.switch_case(tf.constant(i), [lambda: tf.constant(4), lambda: tf.constant(5)])
        for i in (0, 1, 7, -1)
    ],
    "hessian_matrix": hessian_of,
}


@each(VALUES)
def catalogue_values(tf, f):
    return {"values": run(tf, f(tf))}
