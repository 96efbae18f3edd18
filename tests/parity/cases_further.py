"""More of the catalogue: quotients without nan, matrix functions, sparse tensors."""

import numpy as np

from .cases import each, run, static, weights
from .cases_catalogue import BATCH, CUBE, OPEN, PLUS, ROWS, SQUARE, WIDE, M, slopes

ZEROS = np.where(np.abs(M) < 1.0, 0.0, M)
TALL = weights([4, 3]) + np.eye(4, 3)
SECOND = {
    "div_no_nan": (lambda tf, x, y: tf.div_no_nan(x, y), M, ZEROS),
    "reciprocal_no_nan": (lambda tf, x: tf.math.reciprocal_no_nan(x), ZEROS),
    "multiply_no_nan": (lambda tf, x, y: tf.math.multiply_no_nan(x, y), M, ZEROS),
    "xdivy": (lambda tf, x, y: tf.math.xdivy(x, y), ZEROS, M),
    "xlogy": (lambda tf, x, y: tf.math.xlogy(x, y), ZEROS, np.abs(M)),
    "xlog1py": (lambda tf, x, y: tf.math.xlog1py(x, y), ZEROS, np.abs(M)),
    "erfinv": (lambda tf, x: tf.math.erfinv(x), OPEN),
    "ndtri": (lambda tf, x: tf.math.ndtri(x), [0.001, 0.07, 0.3, 0.5, 0.93]),
    "lbeta": (lambda tf, x: tf.lbeta(x), np.abs(M)),
    "polyval": (lambda tf, x: tf.math.polyval([2 * x, x, x * x], x), WIDE),
    "scalar_mul": (lambda tf, x, y: tf.scalar_mul(y[0], x), M, PLUS),
    "cross": (lambda tf, x, y: tf.cross(x, y), M, M[::-1] + 1),
    "where_v2": (lambda tf, x, y: tf.where_v2([True, False, True], x, y), M, M[:1] + 1),
    "ensure_shape": (lambda tf, x: tf.ensure_shape(x, [2, None]) ** 2, M),
    "gather_batch": (
        lambda tf, x: tf.gather(x, [[1, 0, 1], [2, 2, 0]], batch_dims=1) ** 2,
        CUBE,
    ),
    "gather_batch_axis": (
        lambda tf, x: tf.gather(x, [[1, 0], [3, 3]], axis=-1, batch_dims=1) ** 2,
        CUBE,
    ),
    "scatter_update": (
        lambda tf, x, y: tf.tensor_scatter_update(x, [[3], [0]], y) ** 2,
        ROWS,
        M[:, :2],
    ),
    "scatter_add": (
        lambda tf, x, y: tf.tensor_scatter_add(x, [[3], [3]], y) ** 2,
        ROWS,
        M[:, :2],
    ),
    "scatter_sub": (
        lambda tf, x, y: tf.tensor_scatter_sub(x, [[1, 0], [3, 1]], y) ** 2,
        ROWS,
        M[0, :2],
    ),
    "stack_of_one": (lambda tf, x: tf.stack(x) ** 2, M),
    "packed": (lambda tf, x: tf.add(x, [x[0, 0], 2.5, 1]), M),
    "lstsq": (lambda tf, x, y: tf.linalg.lstsq(x, y), TALL, ROWS),
    "lstsq_regularized": (
        lambda tf, x, y: tf.linalg.lstsq(x, y, l2_regularizer=0.5),
        TALL,
        ROWS,
    ),
    "lstsq_wide": (
        lambda tf, x, y: tf.linalg.lstsq(x, y, l2_regularizer=0.25),
        TALL.T.copy(),
        ROWS[:3],
    ),
    "matvec": (lambda tf, x, y: tf.linalg.matvec(x, y, transpose_a=True), SQUARE, M),
    "expm": (lambda tf, x: tf.linalg.expm(x), BATCH / 2),
    "pinv": (lambda tf, x: tf.linalg.pinv(x), TALL),
}


@each(SECOND)
def further(tf, row):
    f, *arrays = row
    return slopes(tf, f, arrays)


def _sparse(tf, values, order=False):
    places = [[0, 1], [1, 0], [1, 2]]
    made = tf.SparseTensor(places[::-1] if order else places, values, [2, 3])
    return made


SPARSE = {
    "transpose": lambda tf, x: tf.sparse_transpose(_sparse(tf, x)),
    "transpose_perm": lambda tf, x: tf.sparse_transpose(_sparse(tf, x), [1, 0]),
    "reorder": lambda tf, x: tf.sparse_reorder(_sparse(tf, x, order=True)),
    "reshape": lambda tf, x: tf.sparse_reshape(_sparse(tf, x), [3, -1]),
    "retain": lambda tf, x: tf.sparse_retain(_sparse(tf, x), [True, False, True]),
    "concat": lambda tf, x: tf.sparse_concat(1, [_sparse(tf, x), _sparse(tf, x * x)]),
    "concat_first": lambda tf, x: tf.sparse_concat(
        axis=-2, sp_inputs=[_sparse(tf, x), tf.sparse_transpose(_sparse(tf, x))],
        expand_nonconcat_dim=True,
    ),
    "add": lambda tf, x: tf.sparse_add(
        _sparse(tf, x), tf.SparseTensor([[0, 1], [0, 2]], x[:2], [2, 3])
    ),
    "add_small": lambda tf, x: tf.sparse_add(
        _sparse(tf, x), tf.SparseTensor([[0, 1], [0, 2]], -x[:2], [2, 3]), 0.1
    ),
}  # fmt: skip


@each(SPARSE)
def sparse_result(tf, f):
    x = tf.constant([1.5, -2.0, 3.0], tf.float64)
    y = f(tf, x)
    parts = [y.indices, y.values, y.dense_shape]
    values = run(tf, parts)
    scaled = y.values * tf.constant(weights(values[1].shape), tf.float64)
    if f in (SPARSE["concat"], SPARSE["concat_first"]):
        return {"parts": values}  # TensorFlow has no gradient of these
    grad = tf.convert_to_tensor(tf.gradients(scaled, x)[0])
    return {"parts": values, "grad": run(tf, grad)}


SUMS = {
    "all": {}, "first": {"axis": 0}, "last": {"axis": [-1], "keepdims": True},
}  # fmt: skip


@each(SUMS)
def sparse_reduce_sum(tf, row):
    x = tf.constant([1.5, -2.0, 3.0], tf.float64)
    y = tf.sparse_reduce_sum(_sparse(tf, x), **row)
    return {"y": run(tf, y)}


WHOLE = {
    "unravel": lambda tf: tf.unravel_index([22, 41, 37], [7, 6]),
    "unravel_one": lambda tf: tf.unravel_index(5, [2, 3]),
    "bits": lambda tf: tf.bitcast(tf.constant([1.0, -2.5]), tf.int32),
    "bytes": lambda tf: tf.bitcast(tf.constant([[1, 2], [3, 70000]]), type=tf.uint8),
    "joined": lambda tf: tf.bitcast(tf.constant([[1, 2], [3, 4]], tf.int16), tf.int32),
    "saturated": lambda tf: tf.saturate_cast([-5, 100, 300], tf.uint8),
    "saturated_float": lambda tf: tf.saturate_cast([-1e20, 2.7, 1e20], tf.int32),
    "saturated_half": lambda tf: tf.saturate_cast([-1e6, 2.5, 7e4], tf.float16),
    "confusion": lambda tf: tf.confusion_matrix([1, 2, 1], [1, 2, 0], 3),
    "confusion_weights": lambda tf: tf.confusion_matrix(
        [1, 2, 1], [1, 2, 1], 4, tf.float64, weights=[0.5, 2.0, 1.0]
    ),
    "shape_n": lambda tf: tf.stack(tf.shape_n([tf.ones([2, 3]), tf.ones([4, 1])])),
    "stack_range": lambda tf: tf.stack(range(3)),
    "stack_number": lambda tf: tf.stack(3.0),
    "stack_nothing": lambda tf: tf.stack([]),
    "sum_of_range": lambda tf: tf.add_n(range(3)),
    "is_tensor": lambda tf: tf.constant(
        [tf.is_tensor(x) for x in (tf.constant(1), tf.Variable(1), 1, [1.0], None)]
    ),
}


@each(WHOLE)
def whole(tf, f):
    y = f(tf)
    return {"static": static(y), "y": run(tf, y)}


def _complex(tf, f):
    z = tf.constant([0.5 + 0.3j, -1.2 + 2j, 0.1 - 0.7j], tf.complex128)
    u = tf.constant([1 + 0.5j, -0.3j, 0.2], tf.complex128)
    y = f(tf, z)
    first = tf.gradients(y, z, u)[0]
    second = tf.gradients(first, z, u)[0]
    parts = [part(t) for t in (y, first, second) for part in (tf.real, tf.imag)]
    return dict(enumerate(run(tf, parts)))


ANALYTIC = (
    "sigmoid tanh sin cos tan asin acos atan sinh cosh asinh acosh atanh exp expm1 log "
    "log1p sqrt rsqrt reciprocal square"
)
COMPLEX = {
    name: lambda tf, z, name=name: getattr(tf, name)(z) for name in ANALYTIC.split()
}
COMPLEX["pow"] = lambda tf, z: tf.pow(z, z + 1.0)
COMPLEX["div_no_nan"] = lambda tf, z: tf.div_no_nan(z, z + 1.0)


@each(COMPLEX)
def of_complex(tf, f):
    return _complex(tf, f)


ROOTS = {
    "sqrt": lambda tf, x: tf.sqrt(x),
    "rsqrt": lambda tf, x: tf.rsqrt(x),
    "reciprocal": lambda tf, x: tf.reciprocal(x),
}


@each(ROOTS)
def no_gradient_arrives(tf, f):
    """Where none does, none goes on; in the second order TensorFlow has nan there."""
    x = tf.constant([0.0, 4.0], tf.float64)
    first = tf.gradients(f(tf, x)[1], x)[0]
    second = tf.gradients(first[1], x)[0]
    return {"first": run(tf, first), "second": run(tf, second[1])}
