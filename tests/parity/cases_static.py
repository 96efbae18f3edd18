"""What is known before a run: shapes, dtypes, conversions of plain values."""

import numpy as np

from .cases import case, each, outcome, run, static

SHAPES = {
    "full": [2, 3],
    "part": [None, 3],
    "unknown_sizes": [None, None],
    "unknown_rank": None,
    "scalar": [],
    "vector": [5],
    "zero": [0, 2],
    "number": 4,
}


@each(SHAPES)
def shape_facts(tf, given):
    s = tf.TensorShape(given)
    known = s.ndims is not None
    return {
        "text": str(s),
        "ndims": s.ndims,
        "defined": [s.is_fully_defined(), bool(s)],
        "size": s.num_elements(),
        "list": s.as_list() if known else None,
        "length": len(s) if known else None,
        "placeholder": str(tf.placeholder(tf.float32, given).shape),
    }


@case
def shape_items(tf):
    s = tf.TensorShape([None, 3, 4])
    unknown = tf.TensorShape(None)
    return {
        "values": [s[0].value, s[1].value, s[-1].value, [d.value for d in s]],
        "slices": [s[1:].as_list(), s[:-1].as_list(), s[::2].as_list()],
        "dims": [d.value for d in s.dims],
        "unknown": [unknown[0].value, unknown.dims, str(unknown[1:])],
        "int": [int(s[1]), s[2] == 4, s[1] == 3, s.as_list()[1:] == [3, 4]],
        "range": list(range(s[1])),
    }


@case
def shape_comparisons(tf):
    shape = tf.TensorShape
    return {
        "equal": [
            shape([2, 3]) == shape([2, 3]),
            shape([2, 3]) == [2, 3],
            shape([2, 3]) == (2, 3),
            shape([2, 3]) == shape([2, 4]),
            shape([2, 3]) != shape([2, 3]),
            shape([2]) == shape([2, 1]),
            shape(None) == shape([2]),
        ],
        "compatible": [
            shape([None, 3]).is_compatible_with([2, 3]),
            shape([None, 3]).is_compatible_with([2, 4]),
            shape(None).is_compatible_with([2]),
            shape([2]).is_compatible_with([2, 1]),
        ],
    }


@case
def shape_arithmetic(tf):
    a, b = tf.TensorShape([None, 3]), tf.TensorShape([2, None])
    unknown = tf.TensorShape(None)
    return {
        "merge": [str(a.merge_with(b)), str(unknown.merge_with(a))],
        "concatenate": [str(a.concatenate(b)), str(a.concatenate([5]))],
        "unknown": [str(unknown.concatenate(a)), str(a.concatenate(unknown))],
        "rank": [str(unknown.with_rank(2)), str(a.with_rank(2))],
        "at_least": [str(a.with_rank_at_least(1)), str(a.with_rank_at_most(3))],
        "sum": str(tf.TensorShape([1]).concatenate([2]).concatenate([3])),
    }


@case
def dimensions(tf):
    d, u, v = tf.Dimension(7), tf.Dimension(None), tf.Dimension(None)
    results = [d + 2, 2 + d, d - 3, 10 - d, d * 2, 2 * d, d // 2, d % 4, d + u, u * d]
    return {
        "values": [r.value for r in results],
        "text": [str(d), str(u), repr(d), repr(u)],
        "equal": [d == 7, d == u, u == v, d != 7, d != u],
        "order": [d < 8, d <= 7, d > 7, d >= 7, d < u],
        "compatible": [d.is_compatible_with(u), d.is_compatible_with(8)],
        "merge": [d.merge_with(u).value, u.merge_with(u).value],
        "int": [int(d), [0] * d if hasattr(d, "__index__") else None],
    }


@case
def set_shape(tf):
    x = tf.placeholder(tf.float32)
    before = static(x)
    x.set_shape([None, 3])
    first = static(x)
    x.set_shape([2, None])
    y = x + 1.0
    return {"shapes": [before, first, static(x), static(y)], "shape": str(x.shape)}


@case
def set_shape_is_not_checked_at_a_run(tf):
    x = tf.placeholder(tf.float32, [None])
    y = tf.where(x > 0)
    y.set_shape([2, 1])
    return {"static": static(y), "value": run(tf, y, {x: [1.0, 0.0, 2.0]})}


BROADCASTS = {
    "same": ([2, 3], [2, 3]),
    "scalar": ([2, 3], []),
    "row": ([2, 3], [3]),
    "one": ([2, 1], [1, 3]),
    "unknown_size": ([None, 3], [2, 3]),
    "unknown_and_one": ([None, 3], [1, 3]),
    "unknown_both": ([None, 3], [None, 1]),
    "unknown_rank": ([2, 3], None),
    "rank_grows": ([None], [4, 2, 1]),
}


@each(BROADCASTS)
def broadcast_shape(tf, row):
    x, y = (tf.placeholder(tf.float32, s) for s in row)
    tensors = [x + y, y * x, tf.maximum(x, y), x < y, x**y]
    return {"shapes": [static(t) for t in tensors]}


@case
def broadcast_shape_functions(tf):
    f = tf.broadcast_static_shape
    shape = tf.TensorShape
    found = [f(shape([2, 1]), shape([3])), f(shape([None, 1]), shape([2]))]
    return {"found": [str(s) for s in found]}


MATMULS = {
    "known": ([2, 3], [3, 4], {}),
    "unknown_batch": ([None, 3], [3, 4], {}),
    "unknown_inner": ([2, None], [None, 4], {}),
    "unknown_rank": (None, [3, 4], {}),
    "transposed": ([3, None], [4, 3], {"transpose_a": True, "transpose_b": True}),
    "batched": ([None, 2, 3], [None, 3, 4], {}),
    "batch_broadcast": ([5, 1, 2, 3], [7, 3, 4], {}),
}


@each(MATMULS)
def matmul_shape(tf, row):
    a, b, arguments = row
    x, y = tf.placeholder(tf.float32, a), tf.placeholder(tf.float32, b)
    return {"shape": static(tf.matmul(x, y, **arguments))}


CONVERSIONS = {
    "float": 1.5,
    "int": 3,
    "big_int": 2**40,
    "bool": True,
    "str": "ab",
    "bytes": b"ab",
    "floats": [1.0, 2.0],
    "ints": [[1, 2], [3, 4]],
    "mixed_numbers": [1, 2.5],
    "bools": [True, False],
    "strings": ["a", "bcd"],
    "empty": [],
    "empty_rows": [[], []],
    "tuple": (1, 2),
    "array_float64": np.array([1.0, 2.0]),
    "array_float32": np.array([1.0], np.float32),
    "array_int64": np.array([1, 2]),
    "array_int8": np.array([1], np.int8),
    "array_bool": np.array([True]),
    "array_str": np.array(["a", "b"]),
    "array_empty": np.zeros([0, 3]),
    "scalar_float64": np.float64(1.5),
    "scalar_float32": np.float32(1.5),
    "scalar_int64": np.int64(3),
    "scalar_bool": np.bool_(True),
    "list_of_float64": [np.float64(1.0), np.float64(2.0)],
    "list_of_int64": [np.int64(1), np.int64(2)],
    "list_of_big_int64": [np.int64(2**40), 1],
    "complex": 1 + 2j,
    "unicode": "ä",
}


@each(CONVERSIONS)
def conversion(tf, value):
    tensors = [tf.convert_to_tensor(value), tf.constant(value)]
    facts = [[t.dtype.name, static(t)] for t in tensors]
    value = run(tf, tensors[0])
    if tensors[0].dtype == tf.complex64 or tensors[0].dtype == tf.complex128:
        value = [value.real, value.imag]
    return {"facts": facts, "value": value}


@case
def conversion_to_a_dtype(tf):
    tensors = [
        tf.convert_to_tensor(1, tf.float32),
        tf.convert_to_tensor([1, 2], "float64"),
        tf.convert_to_tensor(np.array([1.0, 2.0]), dtype=tf.float32),
        tf.constant(np.array([1, 2]), tf.float32),
        tf.constant([1, 2], np.float64),
        tf.constant(3, tf.int64),
        tf.constant([], tf.int32),
        tf.convert_to_tensor(1, preferred_dtype=tf.float64),
        tf.convert_to_tensor(1.5, preferred_dtype=tf.int32),
    ]
    x = tf.constant(1.0)
    same = [tf.convert_to_tensor(x) is x, tf.convert_to_tensor(x, tf.float32) is x]
    dtypes = [t.dtype.name for t in tensors]
    return {"dtypes": dtypes, "same": same, "values": run(tf, tensors)}


NAMES = "float16 float32 float64 int8 int16 int32 int64 uint8 bool string complex64"


@each({name: name for name in NAMES.split()})
def dtype_facts(tf, name):
    d = getattr(tf, name)
    found = {
        "text": [d.name, str(d)],
        "same": [d is tf.as_dtype(name), hash(d) == hash(tf.as_dtype(name))],
        "kind": [d.is_floating, d.is_integer, d.is_bool, d.is_complex, d.is_unsigned],
        "numpy": np.dtype(d.as_numpy_dtype).name,
        "base": d.base_dtype is d,
        "compatible": [d.is_compatible_with(name), d.is_compatible_with(tf.float32)],
    }
    if name not in ("string", "bool", "complex64"):
        # As text: the largest int64 is no float, and float32's is not 3.4e38 exactly.
        found["limits"] = [str(d.as_numpy_dtype(v).item()) for v in (d.min, d.max)]
    if name != "string":
        found["size"] = d.size
    return found


@case
def dtype_equality(tf):
    others = ["float32", np.float32, np.dtype("float32"), tf.as_dtype("float32")]
    others += [tf.float64, "nonsense", None]
    pairs = [(tf.int64, int), (tf.bool, bool), (tf.string, "string")]
    return {
        "equal": [[tf.float32 == other, tf.float32 != other] for other in others],
        "python": [left == right for left, right in pairs],
        "same": [tf.double is tf.float64, tf.half is tf.float16],
        "from": [
            tf.as_dtype(v).name
            for v in (np.int32, "int64", np.dtype("float64"), float, bool, tf.string)
        ],
        "sets": len({tf.float32, tf.as_dtype("float32"), tf.float64}),
    }


DTYPES = {
    "comparison": lambda tf, x: x > 1.0,
    "argmax": lambda tf, x: tf.argmax(x, 0),
    "shape": lambda tf, x: tf.shape(x),
    "cast": lambda tf, x: tf.cast(x, "int64"),
    "mean": lambda tf, x: tf.reduce_mean(x),
    "one_hot": lambda tf, x: tf.one_hot([1], 2),
    "where": lambda tf, x: tf.where(x > 0),
    "softmax": lambda tf, x: tf.nn.softmax(x),
    "python_number": lambda tf, x: 2 * x - 1,
    "gather": lambda tf, x: tf.gather(x, [0]),
    "division_of_integers": lambda tf, x: tf.constant(1) / tf.constant(2),
    "division_of_long": lambda tf, x: tf.constant(1, tf.int64) / 2,
    "floor_division": lambda tf, x: tf.constant(1) // tf.constant(2),
    "truediv_small": lambda tf, x: tf.constant(1, tf.int8) / tf.constant(2, tf.int8),
    "zeros_like": lambda tf, x: tf.zeros_like(x),
    "integer_mean": lambda tf, x: tf.reduce_mean([1, 2]),
}


@each(DTYPES)
def dtype_of(tf, f):
    x = tf.placeholder(tf.float64, [2, 2])
    return {"dtype": f(tf, x).dtype.name}


@case
def dtype_of_placeholders(tf):
    given = [tf.float32, "float64", np.int32, float, tf.string, np.dtype("int64"), bool]
    return {"dtypes": [tf.placeholder(d).dtype.name for d in given]}


@case
def truth_and_length(tf):
    x = tf.constant([1.0, 2.0])
    return {
        "bool": outcome(lambda: bool(x), "TypeError"),
        "len": outcome(lambda: len(x), "TypeError"),
        "iter": outcome(lambda: list(x), "TypeError"),
        "float": outcome(lambda: float(tf.constant(1.0)), "TypeError"),
        "int": outcome(lambda: int(tf.constant(1)), "TypeError"),
        "in": outcome(lambda: 1.0 in x, "TypeError"),
    }
