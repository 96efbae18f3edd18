"""tf.gradients and its arguments, sparse gradients, rules of one's own."""

import numpy as np

from .cases import case, each, run, static


@case
def gradients_of_several(tf):
    x, y = tf.constant([1.0, 2.0]), tf.constant([3.0, 4.0])
    a, b = x * y, tf.square(x)
    one = tf.gradients(a, x)
    both = tf.gradients([a, b], [x, y])
    weighted = tf.gradients([a, b], [x, y], grad_ys=[[10.0, 20.0], None])
    tensor = tf.gradients(a, y, grad_ys=tf.constant([1.0, -1.0]))
    single = tf.gradients(tf.reduce_sum(a), [x])
    kinds = [type(g).__name__ for g in (one, both)]
    return {"kinds": kinds, "values": run(tf, [one, both, weighted, tensor, single])}


@case
def gradients_of_itself(tf):
    x = tf.constant([1.0, 2.0])
    y = x * 3.0
    return {"values": run(tf, [tf.gradients(x, x), tf.gradients(y, [y, x])])}


@case
def gradients_of_variables(tf):
    v, w = tf.Variable([1.0, 2.0]), tf.get_variable("w", initializer=3.0)
    y = tf.reduce_sum(v * v * w)
    values = tf.gradients(y, [v, w])
    return {"values": run(tf, values), "static": [static(g) for g in values]}


@case
def gradients_unconnected(tf):
    x, y = tf.constant([1.0, 2.0]), tf.constant(3.0)
    z = x * 2.0
    integer = tf.constant([1, 2])
    zero = tf.gradients(z, [x, y], unconnected_gradients=tf.UnconnectedGradients.ZERO)
    text = tf.gradients(z, y, unconnected_gradients="zero")
    found = {
        "none": tf.gradients(z, [y]),
        "explicit": tf.gradients(z, y, unconnected_gradients="none"),
        "stopped": tf.gradients(tf.stop_gradient(z), x),
        "argmax": tf.gradients(tf.argmax(z), x),
        "integer": tf.gradients(tf.cast(integer, tf.float32), integer),
        "compare": tf.gradients(tf.cast(z > 1.0, tf.float32), x),
        "shape": tf.gradients(tf.cast(tf.shape(z), tf.float32), x),
    }
    return found | {"zero": run(tf, [zero, text])}


@case
def gradients_only_of_what_is_asked(tf):
    """An operation without a rule beside the path does no harm."""
    x, y = tf.constant([1.0, 2.0]), tf.constant([3.0, 4.0])
    index = tf.argmax(y)
    z = tf.gather(x * y, index)
    return {"value": run(tf, tf.gradients(z, x)[0])}


@case
def gradients_stop(tf):
    a = tf.constant(2.0)
    b = 3.0 * a
    c = b + a
    return {
        "both": run(tf, tf.gradients(c, [a, b])),
        "stop": run(tf, tf.gradients(c, [a, b], stop_gradients=[a, b])),
        "stop_b": run(tf, tf.gradients(c, a, stop_gradients=b)[0]),
        "stop_all": tf.gradients(b * 2.0, a, stop_gradients=[b]),
    }


@case
def gradients_repeated_inputs(tf):
    x = tf.constant([[1.0, 2.0], [3.0, 4.0]])
    ys = [
        x * x,
        x - x,
        tf.matmul(x, x),
        tf.concat([x, x], 0),
        tf.stack([x, x * x]),
        tf.add_n([x, x, x]),
        tf.where(x > 2.0, x, x * x),
    ]
    return {"values": run(tf, [tf.gradients(y, x)[0] for y in ys])}


@case
def gradients_diamond(tf):
    """Paths of unequal length: a rule runs once, after all that depends on it."""
    x = tf.constant(0.75, tf.float64)
    y = tf.square(x)
    z = y + tf.square(y) * x + tf.exp(tf.square(tf.square(y)))
    first = tf.gradients(z, x)[0]
    second = tf.gradients(first, x)[0]
    third = tf.gradients(second, x)[0]
    return {"values": run(tf, [z, first, second, third])}


@case
def gradients_doublings(tf):
    x = tf.constant(1.0)
    y = x
    for _ in range(40):
        y = y + y
    return {"value": run(tf, tf.gradients(y, x)[0])}


@case
def gradients_hessian_vector(tf):
    x = tf.constant([1.0, 2.0, 3.0], tf.float64)
    v = tf.constant([0.5, -1.0, 2.0], tf.float64)
    y = tf.reduce_sum(tf.exp(x) * tf.reduce_prod(x))
    g = tf.gradients(y, x)[0]
    return {"value": run(tf, tf.gradients(tf.reduce_sum(g * v), x)[0])}


@case
def gradients_of_untouched_dtypes(tf):
    found = {}
    for dtype in ("float16", "float32", "float64"):
        x = tf.constant([0.5, 2.0], dtype)
        y = 2 * x / (1 + x) - tf.reduce_mean(x)
        g = tf.gradients(y, x)[0]
        found[dtype] = [y.dtype.name, g.dtype.name, run(tf, g)]
    return found


@case
def gradients_as_feeds(tf):
    x = tf.placeholder(tf.float32, [2])
    y = tf.square(x)
    z = tf.sigmoid(y)
    g = tf.gradients(z, x)[0]
    return {"value": run(tf, g, {x: [1.0, 2.0], y: [0.0, 0.0]})}


@case
def gradients_read_anew_after_an_update(tf):
    v = tf.Variable(2.0)
    g = tf.gradients(v * v * v, v)[0]
    with tf.Session() as sess:
        sess.run(v.initializer)
        first = sess.run(g)
        sess.run(v.assign(3.0))
        return {"values": [first, sess.run(g)]}


SPARSE = {
    "once": lambda tf, p: tf.gather(p, [2, 0, 2]) * 2.0,
    "table": lambda tf, p: tf.square(tf.gather(p, [[0, 1], [1, 3]])),
    "dynamic": lambda tf, p: tf.gather(p, tf.argmax(p)),
}


@each(SPARSE)
def sparse_gradient(tf, f):
    p = tf.Variable(np.arange(8.0).reshape(4, 2))
    g = tf.gradients(f(tf, p), p)[0]
    found = {"sparse": isinstance(g, tf.IndexedSlices), "dtype": g.dtype.name}
    shape = run(tf, g.dense_shape)
    return found | {"parts": run(tf, [g.values, g.indices]), "shape": shape.tolist()}


@case
def sparse_gradient_made_dense(tf):
    p = tf.Variable(np.arange(8.0).reshape(4, 2))
    picked = tf.gather(p, [2, 0, 2])
    dense = tf.gradients(picked, p)[0]
    mixed = tf.gradients(tf.reduce_sum(picked) + tf.reduce_sum(p * p), p)[0]
    twice = tf.gradients(tf.gather(p, [1]) + 2.0 * tf.gather(p, [3, 1]), p)[0]
    other_axis = tf.gradients(tf.gather(p, [1, 1], axis=1), p)[0]
    found = (dense, mixed, twice, other_axis)
    return {
        "sparse": [isinstance(g, tf.IndexedSlices) for g in found],
        "values": run(tf, [tf.convert_to_tensor(g) for g in found]),
    }


@case
def sparse_made_by_hand(tf):
    s = tf.IndexedSlices(
        tf.constant([[1.0, 2.0], [3.0, 4.0]]),
        tf.constant([2, 0]),
        tf.constant([3, 2]),
    )
    facts = [s.dtype.name, s.values.name, s.indices.name, s.dense_shape.name]
    return {"facts": facts, "dense": run(tf, tf.convert_to_tensor(s))}


@case
def custom_gradient(tf):
    @tf.custom_gradient
    def clipped(x):
        y = x * x
        return y, lambda grad: grad * 100.0

    @tf.custom_gradient
    def pair(x, y):
        def grad(da, db):
            return da * 2.0, db * 3.0

        return [x + y, x * y], grad

    x, y = tf.constant([1.0, 2.0]), tf.constant([3.0, 4.0])
    a, b = pair(x, y)
    fetches = {
        "one": [clipped(x), tf.gradients(clipped(x) * 2.0, x)],
        "pair": [a, b, tf.gradients(a + 10.0 * b, [x, y])],
    }
    return run(tf, fetches)


@case
def custom_gradient_second_order(tf):
    @tf.custom_gradient
    def log1pexp(x):
        e = tf.exp(x)

        def grad(dy):
            return dy * (1.0 - 1.0 / (1.0 + e))

        return tf.log(1.0 + e), grad

    x = tf.constant([0.0, 1.0, 100.0])
    y = log1pexp(x[:2])
    g = tf.gradients(y, x)[0]
    big = tf.gradients(log1pexp(x), x)[0]
    return {"values": run(tf, [y, g, tf.gradients(g, x)[0], big])}


@case
def gradient_override(tf):
    @tf.RegisterGradient("ParityTimesTen")
    def _times_ten(op, grad):
        return grad * 10.0 * op.inputs[0] + 0.0 * op.outputs[0]

    g = tf.get_default_graph()
    x = tf.constant([1.0, 2.0])
    with g.gradient_override_map({"Square": "ParityTimesTen"}):
        y = tf.square(x)
        with g.gradient_override_map({"Identity": "ParityTimesTen"}):
            z = tf.identity(x)
    w = tf.square(x)
    return {"values": run(tf, [tf.gradients(t, x)[0] for t in (y, z, w)])}


@case
def gradients_straight_through(tf):
    """A step whose gradient is the identity's, as scripts write it."""
    x = tf.constant([0.3, 0.7, 1.2])
    step = x + tf.stop_gradient(tf.cast(x > 0.5, tf.float32) - x)
    return {"values": run(tf, [step, tf.gradients(step * x, x)[0]])}


@case
def stop_gradient_inside(tf):
    x = tf.constant([1.0, 2.0])
    y = tf.stop_gradient(x * x) * x
    return {"value": run(tf, [y, tf.gradients(y, x)[0]])}
