"""Reductions: axes, kept dimensions, empty arrays, ties and zeros."""

import functools

import numpy as np

from .cases import both_dtypes, case, derivatives, each, run, static, weights

CUBE = weights([2, 3, 2])
TIES = [[3.0, 1.0, 3.0], [2.0, 2.0, 2.0]]
AXES = {
    "all": {},
    "axis": {"axis": 1},
    "negative": {"axis": -1},
    "list": {"axis": [0, 2]},
    "none": {"axis": []},
    "keepdims": {"axis": [-1, 0], "keepdims": True},
    "keepdims_all": {"keepdims": True},
}
REDUCTIONS = ("sum", "mean", "max", "min", "prod")


def _table():
    return {
        f"{name}_{key}": (f"reduce_{name}", arguments, CUBE)
        for name in REDUCTIONS
        for key, arguments in AXES.items()
    }


ROWS = _table() | {
    "max_ties": ("reduce_max", {"axis": 1}, TIES),
    "max_ties_all": ("reduce_max", {}, TIES),
    "min_ties": ("reduce_min", {"axis": 0}, TIES),
    "sum_scalar": ("reduce_sum", {}, 3.0),
    "mean_scalar": ("reduce_mean", {}, 3.0),
}


def _reduce(tf, row):
    name, arguments, _ = row
    return lambda x: getattr(tf, name)(x, **arguments)


@each(ROWS)
def reduce(tf, row):
    return both_dtypes(tf, _reduce(tf, row), row[2])


ZEROS = {
    "one": [[2.0, 0.0, 3.0], [1.0, 4.0, 5.0]],
    "two": [[2.0, 0.0, 0.0], [0.0, 0.0, 0.0]],
}


@each(ZEROS)
def reduce_prod_zero(tf, x):
    """First derivatives only: TensorFlow's second ones miss terms at a zero."""
    rows = both_dtypes(tf, lambda x: tf.reduce_prod(x, 1), x, second=False)
    whole = both_dtypes(tf, tf.reduce_prod, x[0], second=False)
    return {"rows": rows, "whole": whole}


UNKNOWN = {
    f"{name}_{key}": (f"reduce_{name}", AXES[key], CUBE)
    for name in REDUCTIONS
    for key in ("all", "axis", "keepdims")
}


@each(UNKNOWN)
def reduce_unknown_sizes(tf, row):
    f = _reduce(tf, row)
    return derivatives(tf, f, [row[2]], "float64", shapes=[[None, 3, None]])


@each({name: name for name in ("sum", "mean", "max")})
def reduce_unknown_rank(tf, name):
    f = functools.partial(getattr(tf, f"reduce_{name}"), axis=-1)
    return derivatives(tf, f, [CUBE], "float64", shapes=[None])


@each({name: name for name in ("sum", "max", "min", "prod", "mean")})
def reduce_empty(tf, name):
    f = getattr(tf, f"reduce_{name}")
    x = tf.placeholder(tf.float32, [None, 3])
    fetches = [f(x), f(x, 0), f(x, 1)]
    return {"found": run(tf, fetches, {x: np.zeros([0, 3])})}


@case
def reduce_logic(tf):
    x = tf.placeholder(tf.bool, [None, 2])
    fetches = [
        [f(x), f(x, 0), f(x, axis=1), f(x, axis=[0, 1], keepdims=True)]
        for f in (tf.reduce_all, tf.reduce_any)
    ]
    table = np.array([[True, True], [False, True], [False, False]])
    return {
        "found": run(tf, fetches, {x: table}),
        "empty": run(tf, fetches, {x: table[:0]}),
        "static": [static(t) for t in fetches[0]],
    }


@case
def reduce_integers(tf):
    found = {}
    for dtype in ("int32", "int64"):
        x = tf.constant([[1, 2], [4, 8]], dtype)
        names = ("sum", "mean", "max", "min", "prod")
        found[dtype] = run(tf, [getattr(tf, f"reduce_{n}")(x, 0) for n in names])
    return found


@case
def reduce_python_list(tf):
    fetches = [tf.reduce_sum([1, 2, 3]), tf.reduce_mean([[1.0, 2.0], [3.0, 4.0]], 1)]
    return {"found": run(tf, fetches)}


@case
def reduce_static_shapes(tf):
    x = tf.placeholder(tf.float32, [None, 3, 4])
    y = tf.placeholder(tf.float32)
    fetches = [
        tf.reduce_sum(x),
        tf.reduce_sum(x, 0),
        tf.reduce_sum(x, [1, 2]),
        tf.reduce_sum(x, -1, keepdims=True),
        tf.reduce_sum(y),
        tf.reduce_sum(y, 0),
    ]
    return {"static": [static(t) for t in fetches]}


@case
def argmax(tf):
    x = tf.constant([[1.0, 3.0, 3.0], [2.0, 2.0, -1.0]])
    tensors = [
        tf.argmax(x, 1),
        tf.argmax(x),
        tf.argmax(x, axis=-1, output_type=tf.int32),
        tf.argmax([4, 9, 9]),
    ]
    dtypes = [t.dtype.name for t in tensors]
    gradient = tf.gradients(tf.cast(tensors[0], tf.float32), x)[0]
    return {"values": run(tf, tensors), "dtypes": dtypes, "gradient": gradient}
