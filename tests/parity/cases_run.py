"""Sessions: what can be fetched and fed, and what comes back."""

import collections

import numpy as np

from .cases import case, each, run

Pair = collections.namedtuple("Pair", "left right")


def _type(value):
    return type(value).__name__


@case
def fetch_structures(tf):
    x, y = tf.constant(1.0), tf.constant([2, 3])
    v = tf.Variable([1.0])
    nothing = tf.no_op()
    fetches = {
        "tuple": (x, [y, (x,)], nothing),
        "dict": {"a": x, "b": {"c": y}},
        "named": Pair(x, [y, y]),
        "variable": [v, v.op.name + ":0", "Const:0"],
        "empty": [[], (), {}],
        "twice": [x, x],
        "operation": nothing,
        "ordered": collections.OrderedDict([("z", x), ("a", y)]),
    }
    found = run(tf, fetches)
    types = {key: _type(value) for key, value in found.items()}
    inner = [_type(found["tuple"][1]), _type(found["tuple"][1][1])]
    fields = [found["named"].left, found["named"].right]
    order = list(found["ordered"])
    return {"types": types, "inner": inner, "fields": fields, "order": order} | found


@case
def fetch_value_types(tf):
    fetches = [
        tf.constant(1.0),
        tf.constant(1),
        tf.constant(True),
        tf.constant("a"),
        tf.constant([1.0]),
        tf.constant(1.0, tf.float64),
        tf.reduce_sum([1.0, 2.0]),
        tf.constant(["a"]),
        tf.Variable(1.0),
    ]
    found = run(tf, fetches)
    return {"types": [_type(value) for value in found], "values": found}


@case
def fetch_alone(tf):
    x = tf.constant(2.0)
    values = [run(tf, x), run(tf, [x]), run(tf, (x,)), run(tf, "Const:0")]
    return {"values": values, "operation": run(tf, x.op), "name": run(tf, "Const")}


@case
def fetch_indexed_slices(tf):
    params = tf.placeholder(tf.float32, [3, 2])
    g = tf.gradients(tf.gather(params, [2, 0, 2]), params)[0]
    found = run(tf, [g, params], {params: np.zeros([3, 2])})
    slices = found[0]
    return {
        "class": [isinstance(g, tf.IndexedSlices), _type(slices)],
        "values": slices.values,
        "indices": slices.indices,
        "dense_shape": slices.dense_shape.tolist(),
    }


FEEDS = {
    "list": ("float32", [[1, 2], [3, 4]]),
    "floats": ("float32", [[1.5, 2.5]]),
    "tuple": ("float64", ((1.5, 2.5),)),
    "float64": ("float32", np.array([[0.1, 0.2]])),
    "float32": ("float64", np.array([[0.1, 0.2]], np.float32)),
    "integers": ("float32", np.array([[1, 2]])),
    "int64": ("int32", np.array([[1, 2]])),
    "int32": ("int64", np.array([[1, 2]], np.int32)),
    "booleans": ("bool", [[True, False]]),
    "python_integers": ("int64", [[1, 2]]),
    "not_contiguous": ("float32", np.arange(6.0).reshape(3, 2)[::2]),
    "transposed": ("float32", np.arange(6.0).reshape(2, 3).T),
    "empty": ("float32", np.zeros([0, 2])),
    "rows": ("float32", [np.array([1.0, 2.0]), np.array([3.0, 4.0])]),
    "numpy_strings": ("string", np.array([["a", "bc"]])),
    "strings": ("string", [["a", "bc"]]),
    "bytes": ("string", np.array([[b"a", b"bc"]], object)),
}


@each(FEEDS)
def feed(tf, row):
    dtype, value = row
    x = tf.placeholder(dtype, [None, 2])
    y = tf.identity(x)
    # A fetched string feed comes back from TensorFlow as it was given, not as bytes.
    fetches = [y] if dtype == "string" else [x, y]
    return {"found": run(tf, fetches, {x: value})}


@case
def feed_scalars(tf):
    x = tf.placeholder(tf.float32, [])
    i = tf.placeholder(tf.int32)
    s = tf.placeholder(tf.string)
    values = [1, 2.5, np.float64(0.5), np.array(3), np.int64(4), True]
    found = [run(tf, x * 2.0, {x: value}) for value in values]
    found += [run(tf, i + 1, {i: value}) for value in (1, np.int64(2), np.array([3]))]
    return {"found": found, "string": run(tf, tf.string_join([s, "!"]), {s: "hi"})}


@case
def feed_intermediates(tf):
    x = tf.placeholder(tf.float32, name="x")
    y = x * 2.0
    z = y + 1.0
    c = tf.constant(5.0)
    v = tf.Variable(1.0)
    found = [
        run(tf, z, {y: 10.0}),
        run(tf, [y, z], {y: 10.0}),
        run(tf, z, {"mul:0": 20.0}),
        run(tf, [x, z], {x: 1.0, y: 7.0}),
        run(tf, c + 1.0, {c: 50.0}),
        run(tf, [z, z], {z: 3.0}),
    ]
    with tf.Session() as sess:
        sess.run(v.initializer)
        found.append(sess.run(tf.convert_to_tensor(v) + 1.0))
    return {"found": found}


@case
def feed_cuts_what_is_behind(tf):
    """What a feed replaces is not run, so it needs no feeds of its own."""
    x = tf.placeholder(tf.float32)
    v = tf.Variable(1.0)
    with tf.control_dependencies([v.assign_add(1.0)]):
        y = tf.identity(x)
    z = y * 3.0
    with tf.Session() as sess:
        sess.run(v.initializer)
        return {"z": sess.run(z, {y: 2.0}), "v": sess.run(v)}


@case
def feed_defaults(tf):
    x = tf.placeholder_with_default([1.0, 2.0], [None])
    y = tf.placeholder_with_default(3, [])
    z = x * tf.cast(y, tf.float32)
    found = [run(tf, z), run(tf, z, {x: [5.0]}), run(tf, z, {x: [1.0, 1.0, 1.0], y: 2})]
    g = tf.gradients(z, [x])[0]
    facts = [x.dtype.name, x.get_shape().as_list(), y.dtype.name]
    return {"found": found, "gradient": run(tf, g), "facts": facts}


@case
def session_as_default(tf):
    x = tf.constant(2.0)
    v = tf.Variable(3.0)
    before = tf.get_default_session()
    with tf.Session() as sess:
        inside = tf.get_default_session() is sess
        v.initializer.run()
        found = [x.eval(), v.eval(), (x * 2.0).eval({x: 5.0})]
        v.assign(9.0).op.run()
        found.append(v.eval())
    after = tf.get_default_session()
    other = tf.Session()
    with other.as_default():
        found.append(x.eval())
    found.append(x.eval(session=other))
    other.close()
    return {"before": before, "inside": inside, "after": after, "found": found}


@case
def session_of_a_graph(tf):
    g = tf.Graph()
    with g.as_default():
        x = tf.constant(1.0)
    with tf.Session(graph=g) as sess:
        same = [sess.graph is g, tf.get_default_graph() is g]
        y = tf.constant(2.0)
        return {"same": [*same, y.graph is g], "found": sess.run([x, y])}


@case
def session_interactive(tf):
    x = tf.constant(2.0)
    sess = tf.InteractiveSession()
    found = [x.eval(), (x * x).eval(), tf.get_default_session() is sess]
    sess.close()
    return {"found": found, "after": tf.get_default_session()}


@case
def session_sees_later_operations(tf):
    x = tf.constant(2.0)
    with tf.Session() as sess:
        found = [sess.run(x)]
        y = x + 1.0
        found.append(sess.run(y))
        v = tf.Variable(5.0)
        sess.run(v.initializer)
        found.append(sess.run(v + y))
    return {"found": found}


@case
def session_results_are_copies(tf):
    v = tf.Variable([1.0, 2.0])
    x = tf.placeholder(tf.float32, [2])
    given = np.array([1.0, 2.0], np.float32)
    with tf.Session() as sess:
        sess.run(v.initializer)
        first = sess.run(v)
        first[:] = 7.0
        same = sess.run(tf.identity(x), {x: given})
        same[:] = 9.0
        return {"v": sess.run(v), "given": given}


@case
def session_config(tf):
    config = tf.ConfigProto(allow_soft_placement=True, log_device_placement=False)
    config.gpu_options.allow_growth = True
    with tf.Session(config=config) as sess:
        return {"value": sess.run(tf.constant(1.0))}


@case
def session_partial_side_effects(tf):
    """Only what a fetch needs is run."""
    v, w = tf.Variable(1.0), tf.Variable(1.0)
    change, other = v.assign(2.0), w.assign(2.0)
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        sess.run(change)
        first = sess.run([v, w])
        sess.run([other, change])
        return {"first": first, "second": sess.run([v, w])}


@case
def make_callable(tf):
    x = tf.placeholder(tf.float32)
    y = x + 1.0
    with tf.Session() as sess:
        f = sess.make_callable([y, x], [x])
        return {"found": [f(1.0), f(2.5)]}
