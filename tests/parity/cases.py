"""Small programs in TensorFlow 1's style, and what they need in common.

A case is a function of the module `tf` (tensorflow.compat.v1 or similarflow) that
returns a dict of plain values. The cases stand in the modules ``cases_*`` beside this
one; `load_cases` collects them. `record` runs them on TensorFlow, `test_parity` on
similarflow.

What similarflow does differently on purpose is left out:

- a variable has no ``/read`` operation and no ``/initial_value`` constant;
- axes, permutations, slice bounds, depths and shapes may be attributes, so whether
  they appear as constants (``Sum/reduction_indices``, and the ``Const`` of a full
  reduction) is not compared, nor is any numbering that depends on it;
- operation types are compared without their version (``AddV2`` is ``Add``);
- variables start without an initialiser, sessions run after `close`, 1.7 is no feed
  for int32, placeholders may have no dtype, a gradient may be registered again;
- a gradient that is known to be zero may be None, so second derivatives are taken
  with `UnconnectedGradients.ZERO`.
"""

import functools
import importlib
import math
import re

import numpy as np

TOPICS = ("math", "reduce", "arrays", "losses", "names", "graph", "static", "run")
TOPICS += ("gradients", "train", "errors", "catalogue", "flow", "edges", "further")
CASES = {}


def load_cases():
    """Every case by its name, in the order of the topics."""
    for topic in TOPICS:
        importlib.import_module(f"{__package__}.cases_{topic}")
    return CASES


def case(function):
    """Register `function(tf)` as a case under its own name."""
    return _register(function.__name__, function)


def each(rows):
    """Register a case for each row: ``function(tf, row)``, named by the row's key."""

    def decorate(function):
        for key, row in rows.items():
            bound = functools.partial(_with_row, function, row)
            _register(f"{function.__name__}_{key}", bound)
        return function

    return decorate


def _with_row(function, row, tf):
    return function(tf, row)


def _register(name, function):
    if name in CASES:
        raise ValueError(f"two cases are called {name}")
    CASES[name] = function
    return function


def plain(value):
    """`value` in terms of JSON; arrays carry dtype and shape."""
    if isinstance(value, dict):
        return {str(k): plain(v) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [plain(v) for v in value]
    if isinstance(value, np.ndarray | np.generic):
        array = np.asarray(value)
        shape = ",".join(map(str, array.shape))
        values = [plain(_short(v)) for v in array.reshape(-1)]
        return {"array": f"{array.dtype.name}[{shape}]", "values": values}
    if isinstance(value, bytes):
        return repr(value)
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    if value is None or isinstance(value, bool | int | float | str):
        return value
    raise TypeError(f"a case returned a {type(value).__name__}")


def _short(x):
    """A NumPy scalar as a Python one; a float32 by its shortest decimal form."""
    if isinstance(x, np.floating):
        return float(str(x))
    return x.item() if isinstance(x, np.generic) else x


def run(tf, fetches, feed_dict=None):
    """`fetches` from a new session in which all variables are initialised."""
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        return sess.run(fetches, feed_dict)


def weights(shape, shift=0):
    """Fixed numbers between -1.6 and 1.9, no two neighbours equal, none zero."""
    n = int(np.prod(shape))
    return (((np.arange(n) + shift) * 5) % 8 - 3.2).reshape(shape) / 2.0


def static(tensor):
    """The static shape as a list, or None for an unknown rank."""
    shape = tensor.get_shape()
    return None if shape.ndims is None else shape.as_list()


def kind(tensor_or_op):
    """The operation's type without a version number: AddV2 is Add."""
    return re.sub(r"V\d$", "", getattr(tensor_or_op, "op", tensor_or_op).type)


def outcome(call, *accepted):
    """`accepted` as one string if `call` raises one of these classes.

    Otherwise the name of the class it raised, or "no error". Base classes count.
    """
    try:
        call()
    except Exception as error:
        names = {c.__name__ for c in type(error).__mro__}
        return "|".join(accepted) if names & set(accepted) else type(error).__name__
    return "no error"


def derivatives(tf, f, arrays, dtype, shapes=None, second=True):
    """Value, first and second derivatives of ``f(*arrays)``.

    The first are those of ``sum(g * y)``; the second those of a weighted sum of the
    first, with regard to the inputs and to ``g``.
    """
    arrays = [np.asarray(a, dtype) for a in arrays]
    shapes = [a.shape for a in arrays] if shapes is None else shapes
    xs = [tf.placeholder(dtype, s) for s in shapes]
    y = f(*xs)
    g = tf.placeholder(y.dtype, y.get_shape())
    zero = tf.UnconnectedGradients.ZERO
    first = tf.gradients(y, xs, grad_ys=g, unconnected_gradients=zero)
    first = [tf.convert_to_tensor(d) for d in first]
    wanted = {"first": first}
    if second:
        parts = [
            tf.reduce_sum(d * tf.constant(weights(a.shape, 3), dtype))
            for d, a in zip(first, arrays, strict=True)
        ]
        total = tf.add_n(parts)
        wanted["second"] = tf.gradients(total, [*xs, g], unconnected_gradients=zero)
    feed = dict(zip(xs, arrays, strict=True))
    with tf.Session() as sess:
        value = sess.run(y, feed)
        feed[g] = weights(value.shape)
        found = sess.run(wanted, feed)
    facts = [y.dtype.name, static(y), *(static(x) for x in xs)]
    return {"static": facts, "y": value} | found


def both_dtypes(tf, f, *arrays, second=True):
    """`derivatives` in float64 and in float32."""
    return {
        dtype: derivatives(tf, f, arrays, dtype, second=second)
        for dtype in ("float64", "float32")
    }
