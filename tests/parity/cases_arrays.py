"""Shapes and places: reshape, join, pick, slice, fill, cast, choose."""

import functools

import numpy as np

from .cases import both_dtypes, case, derivatives, each, run, static, weights

M = weights([2, 3])
CUBE = weights([2, 3, 4])
ONE = {
    "reshape": (lambda tf, x: tf.reshape(x, [3, 2]), M),
    "reshape_rest": (lambda tf, x: tf.reshape(x, [2, -1, 2]), CUBE),
    "reshape_flat": (lambda tf, x: tf.reshape(x, (-1,)), M),
    "reshape_dynamic": (lambda tf, x: tf.reshape(x, [tf.shape(x)[1], -1]), CUBE),
    "reshape_scalar": (lambda tf, x: tf.reshape(x, []), [[2.5]]),
    "transpose": (lambda tf, x: tf.transpose(x), CUBE),
    "transpose_perm": (lambda tf, x: tf.transpose(x, [1, 2, 0]), CUBE),
    "concat_self": (lambda tf, x: tf.concat([x, x, x], 1), M),
    "gather": (lambda tf, x: tf.gather(x, [1, 0, 1, 1]), M),
    "gather_axis": (lambda tf, x: tf.gather(x, [2, 0, 2], axis=1), CUBE),
    "gather_last": (lambda tf, x: tf.gather(x, [3, 3], axis=-1), CUBE),
    "gather_table": (lambda tf, x: tf.gather(x, [[0, 1], [1, 1]]), M),
    "gather_table_axis": (lambda tf, x: tf.gather(x, [[0, 1], [1, 1]], axis=1), M),
    "gather_one": (lambda tf, x: tf.gather(x, 1), M),
    "expand_dims": (lambda tf, x: tf.expand_dims(x, 0), M),
    "expand_dims_last": (lambda tf, x: tf.expand_dims(x, -1), M),
    "squeeze": (lambda tf, x: tf.squeeze(x), weights([1, 3, 1])),
    "squeeze_axis": (lambda tf, x: tf.squeeze(x, [0]), weights([1, 3, 1])),
    "squeeze_last": (lambda tf, x: tf.squeeze(x, -1), weights([1, 3, 1])),
    "zeros_like": (lambda tf, x: x * x + tf.zeros_like(x), M),
    "ones_like": (lambda tf, x: x * x + tf.ones_like(x), M),
    "cast_there_and_back": (
        lambda tf, x: tf.cast(tf.cast(x, tf.float32), x.dtype) * x,
        M,
    ),
}


@each(ONE)
def array(tf, row):
    f, x = row
    return both_dtypes(tf, functools.partial(f, tf), x)


TWO = {
    "concat": (lambda tf, x, y: tf.concat([x, y], 0), M, weights([1, 3], 2)),
    "concat_last": (lambda tf, x, y: tf.concat([x, y, x], -1), M, weights([2, 1], 2)),
    "concat_empty": (lambda tf, x, y: tf.concat([x, y], 0), M, np.zeros([0, 3])),
    "stack": (lambda tf, x, y: tf.stack([x, y]), M, weights([2, 3], 2)),
    "stack_axis": (lambda tf, x, y: tf.stack([x, y, x], axis=1), M, M + 1),
    "stack_last": (lambda tf, x, y: tf.stack([x, y], axis=-1), M, M + 1),
    "where": (
        lambda tf, x, y: tf.where([[True, False, True], [False] * 3], x, y),
        M,
        M + 1,
    ),
    "where_vector": (lambda tf, x, y: tf.where([True, False], x, y), M, M + 1),
    "where_compare": (lambda tf, x, y: tf.where(x > y, x * y, y), M, M[::-1]),
}


@each(TWO)
def arrays(tf, row):
    f, x, y = row
    return both_dtypes(tf, functools.partial(f, tf), x, y)


UNKNOWN = {
    "reshape": (lambda tf, x: tf.reshape(x, [-1, 2]), M, [None, None]),
    "reshape_like": (
        lambda tf, x: tf.reshape(x, tf.shape(tf.transpose(x))),
        M,
        [None, 3],
    ),
    "transpose": (lambda tf, x: tf.transpose(x), CUBE, None),
    "transpose_perm": (lambda tf, x: tf.transpose(x, [2, 0, 1]), CUBE, [None, 3, None]),
    "concat": (lambda tf, x: tf.concat([x, x[:1]], 0), M, [None, 3]),
    "stack": (lambda tf, x: tf.stack([x, 2 * x], 1), M, [None, None]),
    "gather": (lambda tf, x: tf.gather(x, [1, 1, 0]), M, [None, 3]),
    "gather_axis": (lambda tf, x: tf.gather(x, [1, 1, 0], axis=1), M, [None, None]),
    "expand_dims": (lambda tf, x: tf.expand_dims(x, 1), M, [None, 3]),
    "squeeze": (lambda tf, x: tf.squeeze(x), weights([1, 3, 1]), [None, 3, 1]),
    "squeeze_axis": (lambda tf, x: tf.squeeze(x, 0), weights([1, 3]), [None, None]),
    "slice": (lambda tf, x: x[1:, ..., -1], CUBE, [None, None, None]),
    "slice_unknown_rank": (lambda tf, x: x[::-1], M, None),
    "zeros_like": (lambda tf, x: x * x + tf.zeros_like(x), M, [None, None]),
    "ones_like": (lambda tf, x: x * x + tf.ones_like(x), M, None),
    "where": (lambda tf, x: tf.where(x > 0, x * x, -x), M, [None, 3]),
    "softmax": (lambda tf, x: tf.nn.softmax(x), M, [None, None]),
    "log_softmax": (lambda tf, x: tf.nn.log_softmax(x), M, None),
}


@each(UNKNOWN)
def array_unknown(tf, row):
    f, x, shape = row
    f = functools.partial(f, tf)
    return derivatives(tf, f, [x], "float64", shapes=[shape])


SLICES = {
    "int": lambda tf, x: x[1],
    "negative": lambda tf, x: x[-1, -2],
    "range": lambda tf, x: x[:, 1:3],
    "from": lambda tf, x: x[0, -2:],
    "step": lambda tf, x: x[:, ::2, 1::2],
    "reverse": lambda tf, x: x[::-1, :, ::-2],
    "reverse_range": lambda tf, x: x[0, 2:0:-1, 3],
    "ellipsis": lambda tf, x: x[..., 0],
    "ellipsis_middle": lambda tf, x: x[1, ..., 1:4:2],
    "newaxis": lambda tf, x: x[:, tf.newaxis, 1],
    "newaxis_last": lambda tf, x: x[..., tf.newaxis],
    "newaxis_none": lambda tf, x: x[None, 0],
    "empty": lambda tf, x: x[1:1],
    "beyond": lambda tf, x: x[:, 1:100, -100:2],
    "whole": lambda tf, x: x[:],
    "everything": lambda tf, x: x[...],
    "element": lambda tf, x: x[1, 2, 3],
    "tensor": lambda tf, x: x[tf.constant(1), :, tf.constant(-1)],
    "tensor_range": lambda tf, x: x[:, tf.constant(1) : tf.shape(x)[1]],
    "numpy": lambda tf, x: x[np.int64(1), np.array(2)],
    "twice": lambda tf, x: x[1][0] * x[0, 0],
}


@each(SLICES)
def slicing(tf, f):
    return derivatives(tf, functools.partial(f, tf), [CUBE], "float64")


@case
def slicing_static_shapes(tf):
    x = tf.placeholder(tf.float32, [None, 6, 4])
    i = tf.placeholder(tf.int32, [])
    tensors = [
        x[0],
        x[1:],
        x[:, 1:-1],
        x[:, ::-2],
        x[..., i],
        x[:, i:],
        x[:, i:5],
        x[:2],
        x[tf.newaxis, ..., 0],
        x[:, 5:2],
    ]
    return {"static": [static(t) for t in tensors]}


ONE_HOT = {
    "default": ([1, 0, 2], 3, {}),
    "outside": ([1, -1, 3], 3, {}),
    "values": ([1, 0], 3, {"on_value": 5.0, "off_value": -1.0}),
    "integers": ([1, 0], 3, {"on_value": 5, "off_value": -1}),
    "booleans": ([1, 0], 3, {"on_value": True, "off_value": False}),
    "dtype": ([1, 0], 3, {"dtype": "int64"}),
    "dtype_values": ([1, 0], 2, {"on_value": 2, "dtype": "float64"}),
    "first_axis": ([[1, 0, 2]], 3, {"axis": 0}),
    "middle_axis": ([[1, 0, 2]], 4, {"axis": 1}),
    "last_axis": ([[1, 0, 2]], 3, {"axis": -1}),
    "scalar": (2, 4, {}),
    "int64": (np.array([2, 0]), 3, {}),
}


@each(ONE_HOT)
def one_hot(tf, row):
    indices, depth, arguments = row
    t = tf.one_hot(indices, depth, **arguments)
    return {"static": [t.dtype.name, static(t)], "value": run(tf, t)}


CASTS = {
    "float_to_int": ([1.7, -1.7, 0.0, 2.5], "float32", "int32"),
    "int_to_float": ([1, -2, 2**24 + 1], "int32", "float32"),
    "to_bool": ([0.0, 0.5, -2.0], "float64", "bool"),
    "from_bool": ([True, False], "bool", "float32"),
    "narrow": ([0.1, 1e300, -1e-300], "float64", "float32"),
    "int_narrow": ([2**32 + 5, -1], "int64", "int32"),
    "same": ([1.5], "float32", "float32"),
    "to_unsigned": ([3, 255, 256], "int32", "uint8"),
    "half": ([0.1, 7e4], "float32", "float16"),
}


@each(CASTS)
def cast(tf, row):
    values, before, after = row
    x = tf.constant(values, before)
    y = tf.cast(x, after)
    return {"dtype": y.dtype.name, "same": y is x, "value": run(tf, y)}


@case
def cast_gradient(tf):
    x, i = tf.constant([1.5, -2.5], tf.float64), tf.constant([1, 2])
    y = tf.cast(x, tf.float32)
    g = tf.gradients(y * y, x)[0]
    through_int = tf.gradients(tf.cast(tf.cast(x, tf.int32), tf.float64), x)[0]
    from_int = tf.gradients(tf.cast(i, tf.float32), i)[0]
    shorts = [tf.to_float(i).dtype.name, tf.to_int32(x).dtype.name]
    found = {"through_int": through_int, "from_int": from_int, "shorts": shorts}
    return found | {"dtype": g.dtype.name, "value": run(tf, g)}


FILLS = {
    "zeros": lambda tf: tf.zeros([2, 3]),
    "zeros_scalar": lambda tf: tf.zeros([]),
    "zeros_int": lambda tf: tf.zeros((2,), tf.int32),
    "zeros_string": lambda tf: tf.zeros([2], tf.string),
    "zeros_bool": lambda tf: tf.zeros([2], tf.bool),
    "ones": lambda tf: tf.ones([2, 3], dtype=tf.float64),
    "ones_bool": lambda tf: tf.ones([2], tf.bool),
    "ones_dynamic": lambda tf: tf.ones(tf.shape(tf.constant([[1.0, 2.0]]))),
    "ones_mixed": lambda tf: tf.ones([tf.constant(2), 1]),
    "fill": lambda tf: tf.fill([2, 2], 7),
    "fill_float": lambda tf: tf.fill([3], 7.5),
    "fill_tensor": lambda tf: tf.fill([2, 1], tf.constant(True)),
    "fill_string": lambda tf: tf.fill([2], "ab"),
    "zeros_like": lambda tf: tf.zeros_like([[1, 2], [3, 4]]),
    "zeros_like_dtype": lambda tf: tf.zeros_like([[1.0]], dtype=tf.int64),
    "zeros_like_string": lambda tf: tf.zeros_like(tf.constant(["a"])),
    "ones_like": lambda tf: tf.ones_like(tf.constant([1, 2], tf.int64)),
    "ones_like_dtype": lambda tf: tf.ones_like([1, 2], tf.float64),
    "constant_shape": lambda tf: tf.constant(3, shape=[2, 2]),
    "constant_float_shape": lambda tf: tf.constant(1, tf.float32, [2]),
}


@each(FILLS)
def filled(tf, f):
    t = f(tf)
    return {"static": [t.dtype.name, static(t)], "value": run(tf, t)}


@case
def sizes(tf):
    x = tf.placeholder(tf.float32, [None, 3])
    y = tf.placeholder(tf.float32)
    tensors = [
        tf.shape(x),
        tf.shape(x, out_type=tf.int64),
        tf.shape(y),
        tf.size(x),
        tf.size(y, out_type=tf.int64),
        tf.rank(x),
        tf.rank(y),
        tf.shape([[1, 2], [3, 4]]),
        tf.size(5.0),
    ]
    feed = {x: np.zeros([4, 3]), y: np.zeros([2, 0, 1])}
    facts = [[t.dtype.name, static(t)] for t in tensors]
    return {"values": run(tf, tensors, feed), "facts": facts}


@case
def where_true(tf):
    x = tf.constant([[True, False, True], [False, False, True]])
    tensors = [tf.where(x), tf.where([False, False])]
    facts = [[t.dtype.name, static(t)] for t in tensors]
    return {"values": run(tf, tensors), "facts": facts}


@case
def where_numbers(tf):
    tensors = [tf.where([1.5, 0.0, -2.0]), tf.where(tf.constant([[0, 3]]))]
    return {"values": run(tf, tensors)}


@case
def where_kinds(tf):
    c = tf.constant([True, False])
    tensors = [
        tf.where(c, [1, 2], [3, 4]),
        tf.where(c, ["a", "b"], ["c", "d"]),
        tf.where(True, 1.0, 2.0),
        tf.where(True, [1.0, 2.0], [3.0, 4.0]),
    ]
    return {"values": run(tf, tensors), "static": [static(t) for t in tensors]}


@case
def joins_of_plain_values(tf):
    x = tf.constant(5)
    tensors = [
        tf.stack([1, 2, 3]),
        tf.stack([x, 1]),
        tf.stack([[1.0, 2.0], [3.0, 4.0]], axis=1),
        tf.concat([[1, 2], [3]], 0),
        tf.concat([["a"], ["b", "c"]], 0),
        tf.convert_to_tensor([x, 2, x]),
        tf.convert_to_tensor([[x, 1], [2, 3]]),
        tf.gather([10, 20, 30], [2, 0]),
        tf.gather(["a", "b"], 1),
        tf.transpose([[1, 2], [3, 4]]),
        tf.expand_dims([1, 2], 1),
        tf.squeeze([[[7]]]),
        tf.reshape([1, 2, 3, 4], [2, 2]),
    ]
    facts = [[t.dtype.name, static(t)] for t in tensors]
    return {"values": run(tf, tensors), "facts": facts}


@case
def join_static_shapes(tf):
    x = tf.placeholder(tf.float32, [None, 3])
    y = tf.placeholder(tf.float32, [2, None])
    z = tf.placeholder(tf.float32)
    tensors = [
        tf.concat([x, y], 0),
        tf.concat([x, y], 1),
        tf.concat([x, z], 0),
        tf.stack([x, y]),
        tf.stack([x, x], axis=-1),
        tf.gather(x, [[0, 1]]),
        tf.gather(x, tf.placeholder(tf.int32, [None]), axis=1),
        tf.transpose(x),
        tf.transpose(z),
        tf.reshape(x, [-1, 3, 1]),
        tf.reshape(x, [6, -1]),
        tf.reshape(y, [-1]),
        tf.reshape(z, tf.placeholder(tf.int32, [2])),
        tf.reshape(z, tf.placeholder(tf.int32, [None])),
        tf.reshape(x, tf.stack([tf.shape(x)[0], 3])),
        tf.expand_dims(x, 1),
        tf.expand_dims(z, 0),
        tf.squeeze(tf.placeholder(tf.float32, [None, 1])),
        tf.squeeze(tf.placeholder(tf.float32, [None, 1]), 1),
        tf.one_hot(tf.placeholder(tf.int32, [None]), 5),
        tf.zeros(tf.shape(x)),
        tf.fill([tf.shape(x)[0], 2], 0.0),
        tf.zeros_like(x),
        tf.where(x > 0),
        tf.matmul(x, y, transpose_a=True, transpose_b=True),
    ]
    return {"static": [static(t) for t in tensors]}
