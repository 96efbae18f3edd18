"""Element by element: arithmetic, powers, comparisons, logic; and matrix products."""

import functools

import numpy as np

from .cases import both_dtypes, case, derivatives, each, run, static, weights

SIGNED = [-2.5, -1.0, -0.25, -0.0, 0.0, 0.5, 1.0, 3.0]
POSITIVE = [0.1, 0.5, 1.0, 2.0, 9.0]
HUGE = [-800.0, -100.0, -20.0, 0.0, 2.0, 100.0, 800.0]

UNARY = {
    "negative": (lambda tf, x: tf.negative(x), SIGNED),
    "square": (lambda tf, x: tf.square(x), SIGNED),
    "sqrt": (lambda tf, x: tf.sqrt(x), POSITIVE),
    "exp": (lambda tf, x: tf.exp(x), SIGNED),
    "exp_small": (lambda tf, x: tf.exp(x), [-60.0, -61.0, -59.0]),
    "exp_large": (lambda tf, x: tf.exp(x), [60.0, 61.0, 59.0]),
    "exp_huge": (lambda tf, x: tf.exp(x), [-800.0, 800.0]),
    "log": (lambda tf, x: tf.log(x), POSITIVE),
    "log_zero": (lambda tf, x: tf.log(x), [0.0, 1.0]),
    "sigmoid": (lambda tf, x: tf.sigmoid(x), SIGNED),
    "sigmoid_huge": (lambda tf, x: tf.nn.sigmoid(x), HUGE),
    "tanh": (lambda tf, x: tf.tanh(x), SIGNED),
    "tanh_huge": (lambda tf, x: tf.nn.tanh(x), HUGE),
    "relu": (lambda tf, x: tf.nn.relu(x), SIGNED),
    "abs": (lambda tf, x: tf.abs(x), SIGNED),
    "identity": (lambda tf, x: tf.identity(x), SIGNED),
    "stop_gradient": (lambda tf, x: x * tf.stop_gradient(x), SIGNED),
    "softmax": (lambda tf, x: tf.nn.softmax(x), [[0.0, 1.0, -2.0], [3.0, 3.0, 3.0]]),
    "softmax_vector": (lambda tf, x: tf.nn.softmax(x), SIGNED),
    "softmax_axis": (
        lambda tf, x: tf.nn.softmax(x, axis=0),
        [[0.0, 1.0, -2.0], [3.0, 3.0, 3.0]],
    ),
    "softmax_huge": (
        lambda tf, x: tf.nn.softmax(x),
        [[800.0, -800.0, 799.0], [-800.0, -801.0, -802.0]],
    ),
    "log_softmax": (
        lambda tf, x: tf.nn.log_softmax(x),
        [[0.0, 1.0, -2.0], [3.0, 3.0, 3.0]],
    ),
    "log_softmax_axis": (
        lambda tf, x: tf.nn.log_softmax(x, axis=1),
        weights([2, 3, 2]),
    ),
    "log_softmax_huge": (
        lambda tf, x: tf.nn.log_softmax(x),
        [[800.0, -800.0, 799.0], [-800.0, -801.0, -802.0]],
    ),
}


@each(UNARY)
def unary(tf, row):
    f, x = row
    return both_dtypes(tf, functools.partial(f, tf), x)


@case
def unary_sqrt_zero(tf):
    return both_dtypes(tf, tf.sqrt, [0.0, 4.0], second=False)


A, B = weights([2, 3]), weights([2, 3], 5)
ROW, COLUMN = weights([3], 1), weights([2, 1], 4)
BINARY = {
    "add": (lambda tf, x, y: tf.add(x, y), A, B),
    "add_row": (lambda tf, x, y: x + y, A, ROW),
    "add_scalar": (lambda tf, x, y: x + y, np.float64(2.0), A),
    "subtract": (lambda tf, x, y: tf.subtract(x, y), COLUMN, ROW),
    "multiply": (lambda tf, x, y: tf.multiply(x, y), A, B),
    "multiply_outer": (lambda tf, x, y: x * y, COLUMN, ROW),
    "divide": (lambda tf, x, y: tf.divide(x, y), A, B),
    "truediv": (lambda tf, x, y: tf.truediv(x, y), A, COLUMN),
    "truediv_operator": (lambda tf, x, y: x / y, np.float64(2.0), ROW),
    "pow": (lambda tf, x, y: tf.pow(x, y), abs(A), B),
    "pow_operator": (lambda tf, x, y: x**y, abs(COLUMN), ROW),
    "pow_base_zero": (lambda tf, x, y: x**y, [0.0, 0.0, 0.0], [3.0, 2.0, 4.0]),
    "maximum": (lambda tf, x, y: tf.maximum(x, y), A, B),
    "maximum_ties": (
        lambda tf, x, y: tf.maximum(x, y),
        [0.0, 1.0, 2.0, -0.0],
        [0.0, 1.0, 1.0, 0.0],
    ),
    "minimum": (lambda tf, x, y: tf.minimum(x, y), A, ROW),
    "minimum_ties": (
        lambda tf, x, y: tf.minimum(x, y),
        [0.0, 1.0, 2.0, -0.0],
        [0.0, 1.0, 1.0, 0.0],
    ),
    "same_twice": (lambda tf, x, y: x * x * y + x / x, A, B),
    "unequal_paths": (lambda tf, x, y: x + tf.square(tf.square(x * y)), A, ROW),
    "matmul": (lambda tf, x, y: tf.matmul(x, y), A, weights([3, 4])),
    "matmul_operator": (lambda tf, x, y: x @ y, A, weights([3, 1], 2)),
    "matmul_transpose_a": (
        lambda tf, x, y: tf.matmul(x, y, transpose_a=True),
        A,
        weights([2, 4]),
    ),
    "matmul_transpose_b": (lambda tf, x, y: tf.matmul(x, y, transpose_b=True), A, B),
    "matmul_transpose_both": (
        lambda tf, x, y: tf.matmul(x, y, True, True),
        A,
        weights([4, 2]),
    ),
    "matmul_adjoint": (
        lambda tf, x, y: tf.matmul(x, y, adjoint_a=True, transpose_b=True),
        A,
        weights([4, 2]),
    ),
    "matmul_batch": (
        lambda tf, x, y: tf.matmul(x, y),
        weights([2, 2, 3]),
        weights([2, 3, 2], 1),
    ),
    "matmul_batch_transpose": (
        lambda tf, x, y: tf.matmul(x, y, transpose_a=True, adjoint_b=True),
        weights([2, 3, 2]),
        weights([2, 4, 3], 1),
    ),
    "matmul_batch_broadcast": (
        lambda tf, x, y: tf.matmul(x, y),
        weights([2, 1, 2, 3]),
        weights([3, 3, 1], 1),
    ),
    "matmul_empty": (
        lambda tf, x, y: tf.matmul(x, y),
        np.zeros([2, 0]),
        np.zeros([0, 3]),
    ),
    "add_n": (lambda tf, x, y: tf.add_n([x, y, x]), A, B),
}


@each(BINARY)
def binary(tf, row):
    f, x, y = row
    return both_dtypes(tf, functools.partial(f, tf), x, y)


EXPONENTS = {"two": 2.0, "three": 3.0, "minus_one": -1.0, "minus_two": -2, "half": 0.5}


@each(EXPONENTS)
def pow_constant(tf, exponent):
    x = [0.5, 1.0, 3.0] if exponent == 0.5 else [-2.0, -1.0, 3.0]
    return both_dtypes(tf, lambda x: x**exponent, x)


@case
def pow_constant_at_zero(tf):
    """Whole exponents from 2; the second derivatives of x**1 and x**0 are left out.

    TensorFlow has nan for them, and for the first derivative of x**0.
    """
    return {str(e): both_dtypes(tf, lambda x, e=e: x**e, [0.0, 1.0]) for e in (2, 3, 4)}


@case
def pow_negative_base(tf):
    """Where the logarithm of the base is not real, the exponent has derivative 0."""
    x, y = [-2.0, -1.0, 0.0, 3.0], [2.0, 3.0, 2.0, -1.0]
    return both_dtypes(tf, tf.pow, x, y, second=False)


UNKNOWN = {
    "add": (lambda tf, x, y: x + y, A, ROW),
    "subtract": (lambda tf, x, y: x - y, ROW, COLUMN),
    "multiply": (lambda tf, x, y: x * y, COLUMN, ROW),
    "divide": (lambda tf, x, y: x / y, ROW, A),
    "pow": (lambda tf, x, y: x**y, abs(ROW), A),
    "maximum": (lambda tf, x, y: tf.maximum(x, y), A, COLUMN),
    "matmul": (lambda tf, x, y: tf.matmul(x, y), A, weights([3, 2])),
}


@each(UNKNOWN)
def unknown_rank(tf, row):
    f, x, y = row
    f = functools.partial(f, tf)
    return derivatives(tf, f, [x, y], "float64", shapes=[None, None])


@each(UNKNOWN)
def unknown_sizes(tf, row):
    f, x, y = row
    f = functools.partial(f, tf)
    shapes = [[None] * np.ndim(x), [None] * np.ndim(y)]
    return derivatives(tf, f, [x, y], "float64", shapes=shapes)


ORDER = {
    "equal": lambda tf, x, y: tf.equal(x, y),
    "not_equal": lambda tf, x, y: tf.not_equal(x, y),
    "less": lambda tf, x, y: [tf.less(x, y), x < y],
    "less_equal": lambda tf, x, y: [tf.less_equal(x, y), x <= y],
    "greater": lambda tf, x, y: [tf.greater(x, y), x > y],
    "greater_equal": lambda tf, x, y: [tf.greater_equal(x, y), x >= y],
}


@each(ORDER)
def order(tf, f):
    x = tf.constant([[1.0], [2.0], [float("nan")]])
    y = tf.constant([1.0, 3.0, float("inf"), float("nan")])
    integers = f(tf, tf.constant([1, 2, 3]), 2)
    return {"floats": run(tf, f(tf, x, y)), "integers": run(tf, integers)}


@case
def equal_strings_and_booleans(tf):
    strings = tf.equal(tf.constant(["a", "b"]), "a")
    booleans = tf.not_equal(tf.constant([True, False]), True)
    return {"strings": run(tf, strings), "booleans": run(tf, booleans)}


@case
def logic(tf):
    x = tf.constant([[True], [False]])
    y = tf.constant([True, False])
    fetches = {
        "and": [tf.logical_and(x, y), x & y],
        "or": [tf.logical_or(x, y), x | y],
        "xor": [tf.logical_xor(x, y), x ^ y],
        "not": [tf.logical_not(y), ~y],
        "python": [x & True, False | x],
    }
    return run(tf, fetches)


WHOLE = {
    "floordiv": lambda tf, x, y: [tf.floordiv(x, y), x // y],
    "mod": lambda tf, x, y: [tf.mod(x, y), x % y, tf.floormod(x, y)],
    "truediv": lambda tf, x, y: [tf.truediv(x, y), x / y, tf.divide(x, y)],
    "minimum": lambda tf, x, y: [tf.minimum(x, y), tf.maximum(x, y)],
    "arithmetic": lambda tf, x, y: [x + y, x - y, x * y, -x, abs(x), tf.square(x)],
}


@each(WHOLE)
def whole_numbers(tf, f):
    x, y = np.array([7, -7, 7, -7, 0]), np.array([2, 2, -2, -2, 3])
    found = {}
    for dtype in ("int32", "int64", "float32", "float64"):
        tensors = f(tf, tf.constant(x, dtype), tf.constant(y, dtype))
        found[dtype] = run(tf, tensors)
    return found


@case
def whole_numbers_pow(tf):
    x = tf.constant([2, -3, 0, 1])
    return {"pow": run(tf, [x ** tf.constant([10, 3, 0, 5]), tf.pow(x, 2), 2**x**2])}


@case
def integers_wrap_around(tf):
    x = tf.constant([2**31 - 1, -(2**31)])
    return {"found": run(tf, [x + 1, x * 2, -x])}


@case
def floor_and_mod_have_no_surprise_gradient(tf):
    x, y = tf.constant([7.5, -7.5]), tf.constant([2.0, 2.0])
    return {"floordiv": tf.gradients(x // y, x)[0], "values": run(tf, [x // y, x % y])}


OPERANDS = {
    "python_float": 2.0,
    "python_int": 3,
    "numpy_float64": np.float64(2.5),
    "numpy_float32": np.float32(2.5),
    "array_float64": np.array([1.5, -2.0, 0.5]),
    "list": [1.5, -2.0, 0.5],
}


@each(OPERANDS)
def operand(tf, other):
    """Beside a float32 tensor, on either side of every operator."""
    x = tf.constant([1.0, 2.0, 4.0])
    pairs = [
        (x + other, other + x),
        (x - other, other - x),
        (x * other, other * x),
        (x / other, other / x),
        (x // other, other // x),
        (x % other, other % x),
        (x**other, other**x),
        (x < other, other < x),
        (x >= other, other >= x),
    ]
    dtypes = [[t.dtype.name for t in pair] for pair in pairs]
    return {"dtypes": dtypes, "values": run(tf, pairs)}


@case
def operand_of_a_variable(tf):
    v = tf.Variable([1.0, 2.0])
    pairs = [v + 1, 1 - v, v * v, np.array([2.0, 4.0]) / v, -v, abs(v), v**2, v[1]]
    return {"values": run(tf, pairs), "dtypes": [p.dtype.name for p in pairs]}


@case
def string_join(tf):
    x = tf.placeholder(tf.string, [])
    y = tf.constant(["b", "c"])
    joined = tf.string_join([x, y], separator="-")
    scalar = tf.string_join([x, "z"])
    values = run(tf, [joined, scalar], {x: "a"})
    return {"values": values, "static": [static(joined), joined.dtype.name]}
