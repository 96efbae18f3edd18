"""Optimisers: whole trajectories, steps, pairs, what is trained and what is not."""

import numpy as np

from .cases import case, each, static, weights

STEPS = 20


def _trajectory(tf, loss, variables, train, feed=None):
    """The loss and, at the end, the variables of 20 steps, each read after its step."""
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        losses = [sess.run(loss, feed)]
        for _ in range(STEPS):
            sess.run(train, feed)
            losses.append(sess.run(loss, feed))
        return {"losses": np.array(losses), "variables": sess.run(variables)}


@each({"float32": "float32", "float64": "float64"})
def train_linear_regression(tf, dtype):
    inputs = np.linspace(-1.0, 1.0, 11)
    x = tf.placeholder(dtype, [None])
    y = tf.placeholder(dtype, [None])
    w = tf.Variable(0.0, dtype=dtype, name="w")
    b = tf.Variable(0.0, dtype=dtype, name="b")
    loss = tf.reduce_mean(tf.square(x * w + b - y))
    train = tf.train.GradientDescentOptimizer(0.25).minimize(loss)
    feed = {x: inputs, y: 2.0 * inputs + 0.5}
    return _trajectory(tf, loss, [w, b], train, feed)


@each({"float32": "float32", "float64": "float64"})
def train_perceptron(tf, dtype):
    """Two layers on exclusive or, with softmax cross entropy and a weight penalty."""
    inputs = [[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]]
    x = tf.placeholder(dtype, [None, 2])
    labels = tf.placeholder(dtype, [None, 2])
    with tf.variable_scope("hidden"):
        start = tf.constant(weights([2, 4]), dtype)
        w1 = tf.get_variable("w", initializer=start)
        b1 = tf.get_variable("b", [4], dtype, initializer=tf.zeros_initializer())
        h = tf.nn.sigmoid(tf.matmul(x, w1) + b1)
    with tf.variable_scope("out"):
        start = tf.constant(weights([4, 2], 3), dtype)
        w2 = tf.get_variable("w", initializer=start)
        b2 = tf.get_variable("b", [2], dtype, initializer=tf.zeros_initializer())
        logits = tf.matmul(h, w2) + b2
    each = tf.nn.softmax_cross_entropy_with_logits_v2(labels=labels, logits=logits)
    penalty = sum(tf.reduce_sum(tf.square(w)) for w in (w1, w2))
    loss = tf.reduce_mean(each) + 0.01 * penalty
    train = tf.train.GradientDescentOptimizer(0.5).minimize(loss)
    feed = {x: inputs, labels: [[1, 0], [0, 1], [0, 1], [1, 0]]}
    return _trajectory(tf, loss, [w1, b1, w2, b2], train, feed)


@each({"float32": "float32", "float64": "float64"})
def train_relu_classes(tf, dtype):
    """Rectified units, classes as integers, logistic loss on a second output."""
    points = weights([6, 3])
    x = tf.constant(points, dtype)
    w = tf.Variable(weights([3, 4], 2) / 2.0, dtype=dtype)
    v = tf.Variable(weights([4, 3], 5) / 2.0, dtype=dtype)
    logits = tf.matmul(tf.nn.relu(tf.matmul(x, w)), v)
    classes = tf.constant([0, 1, 2, 0, 1, 2])
    f = tf.nn.sparse_softmax_cross_entropy_with_logits
    loss = tf.reduce_sum(f(labels=classes, logits=logits))
    targets = tf.constant([0.0, 1.0, 1.0, 0.0, 1.0, 0.0], dtype)
    g = tf.nn.sigmoid_cross_entropy_with_logits
    loss += tf.reduce_mean(g(labels=targets, logits=logits[:, 0]))
    train = tf.train.GradientDescentOptimizer(0.0625).minimize(loss)
    return _trajectory(tf, loss, [w, v], train)


@case
def train_embedding(tf):
    """A gathered table: sparse gradients, with an index that comes twice."""
    table = tf.Variable(weights([4, 2]), dtype=tf.float64)
    picked = tf.gather(table, [2, 0, 2])
    loss = tf.reduce_sum(tf.square(picked - 1.0))
    train = tf.train.GradientDescentOptimizer(0.125).minimize(loss)
    return _trajectory(tf, loss, [table], train)


@case
def train_rate_by_placeholder(tf):
    rate = tf.placeholder(tf.float32, [])
    v = tf.Variable(1.0)
    train = tf.train.GradientDescentOptimizer(rate).minimize(v * v)
    found = []
    with tf.Session() as sess:
        sess.run(v.initializer)
        for r in (0.1, 0.25, 0.0):
            sess.run(train, {rate: r})
            found.append(sess.run(v))
    return {"values": found}


@case
def train_rate_by_variable(tf):
    rate = tf.Variable(0.1, trainable=False)
    v = tf.Variable(1.0)
    train = tf.train.GradientDescentOptimizer(learning_rate=rate).minimize(v * v)
    found = []
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        for _ in range(3):
            sess.run(train)
            found.append(sess.run(v))
            sess.run(rate.assign(rate * 0.5))
    return {"values": found}


@case
def train_step_counter(tf):
    v = tf.Variable(1.0)
    step = tf.Variable(0, name="step", trainable=False)
    train = tf.train.GradientDescentOptimizer(0.1).minimize(v * v, global_step=step)
    own = tf.train.get_or_create_global_step()
    again = [tf.train.get_global_step(), tf.train.get_or_create_global_step()]
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        values = [sess.run(train) for _ in range(3)]
        values += sess.run([step, v, own])
        values.append(tf.train.global_step(sess, step))
    facts = [own.name, own.dtype.base_dtype.name, static(own), own.trainable]
    return {"values": values, "same": [s is own for s in again], "facts": facts}


@case
def train_pairs(tf):
    a, b = tf.Variable([1.0, 2.0], name="a"), tf.Variable(3.0, name="b")
    c = tf.Variable(4.0, name="c")
    loss = tf.reduce_sum(a * a) * b
    optimizer = tf.train.GradientDescentOptimizer(0.1)
    pairs = optimizer.compute_gradients(loss)
    clipped = [(tf.minimum(g, 2.5), v) for g, v in pairs if g is not None]
    train = optimizer.apply_gradients(clipped)
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        gradients = sess.run([g for g, _ in pairs if g is not None])
        sess.run(train)
        values = sess.run([a, b, c])
    missing = [v.name for g, v in pairs if g is None]
    same = [v is w for (_, v), w in zip(pairs, (a, b, c), strict=True)]
    return {"gradients": gradients, "values": values, "missing": missing, "same": same}


@case
def train_pairs_with_none(tf):
    a, b = tf.Variable(1.0), tf.Variable(2.0)
    optimizer = tf.train.GradientDescentOptimizer(0.5)
    step = tf.train.create_global_step()
    train = optimizer.apply_gradients([(None, a), (tf.constant(1.0), b)], step)
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        sess.run(train)
        return {"values": sess.run([a, b, step])}


@case
def train_some_variables(tf):
    a = tf.get_variable("one/a", initializer=1.0)
    b = tf.get_variable("two/b", initializer=1.0)
    c = tf.Variable(1.0, trainable=False)
    loss = a * b * c
    optimizer = tf.train.GradientDescentOptimizer(0.1)
    only = optimizer.minimize(loss, var_list=tf.trainable_variables("two"))
    listed = optimizer.minimize(loss, var_list=[c])
    every = optimizer.minimize(loss)
    found = []
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        for train in (only, listed, every):
            sess.run(train)
            found.append(sess.run([a, b, c]))
    return {"values": found}


@case
def train_with_given_gradient(tf):
    v = tf.Variable([1.0, 2.0])
    optimizer = tf.train.GradientDescentOptimizer(0.1)
    pairs = optimizer.compute_gradients(v * v, [v], grad_loss=tf.constant([1.0, 10.0]))
    train = optimizer.apply_gradients(pairs)
    with tf.Session() as sess:
        sess.run(v.initializer)
        sess.run(train)
        return {"value": sess.run(v)}


@case
def train_reads_before_it_writes(tf):
    """Both steps use the gradients at the old point."""
    a, b = tf.Variable(2.0), tf.Variable(3.0)
    train = tf.train.GradientDescentOptimizer(0.1).minimize(a * b)
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        sess.run(train)
        return {"values": sess.run([a, b])}


@case
def train_two_losses_and_a_group(tf):
    a, b = tf.Variable(2.0), tf.Variable(3.0)
    optimizer = tf.train.GradientDescentOptimizer(0.1)
    first = optimizer.minimize(a * a, var_list=[a])
    second = optimizer.minimize(b * b, var_list=[b])
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        nothing = sess.run(tf.group(first, second))
        return {"run": nothing, "values": sess.run([a, b])}


@case
def train_update_operations_first(tf):
    v, mean = tf.Variable(1.0), tf.Variable(0.0, trainable=False)
    tf.add_to_collection(tf.GraphKeys.UPDATE_OPS, mean.assign_add(5.0))
    with tf.control_dependencies(tf.get_collection(tf.GraphKeys.UPDATE_OPS)):
        train = tf.train.GradientDescentOptimizer(0.1).minimize(v * v)
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        sess.run([train])
        return {"values": sess.run([v, mean])}


@case
def train_collections(tf):
    v = tf.Variable(1.0)
    step = tf.train.get_or_create_global_step()
    train = tf.train.GradientDescentOptimizer(0.1).minimize(v * v, step)
    listed = tf.get_collection(tf.GraphKeys.TRAIN_OP)
    steps = tf.get_collection(tf.GraphKeys.GLOBAL_STEP)
    return {"train": listed[0] is train, "step": steps[0] is step, "count": len(listed)}


@case
def train_slots(tf):
    v = tf.Variable(1.0)
    optimizer = tf.train.GradientDescentOptimizer(0.1)
    optimizer.minimize(v * v)
    found = [optimizer.get_slot_names(), optimizer.get_slot(v, "momentum")]
    return {"slots": [*found, len(optimizer.variables()), len(tf.global_variables())]}
