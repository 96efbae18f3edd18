"""Small problems to train, for TensorFlow (to record) and similarflow (to compare).

`tf` is the module that does it. All rates are exact in binary, since TensorFlow rounds
Python numbers to float32 first; `F` keeps float64 where its sparse operations need it.
"""

import math

import numpy as np

STEPS = 20
F = np.float64

OPTIMIZERS = {
    "momentum": lambda t: t.MomentumOptimizer(0.0625, 0.875),
    "nesterov": lambda t: t.MomentumOptimizer(0.0625, 0.875, use_nesterov=True),
    "adagrad": lambda t: t.AdagradOptimizer(0.5),
    "adagrad_start": lambda t: t.AdagradOptimizer(0.5, 2.0),
    "adadelta": lambda t: t.AdadeltaOptimizer(1.0, 0.9375, 2.0**-10),
    "rmsprop": lambda t: t.RMSPropOptimizer(0.0625, 0.875, 0.5, 2.0**-10),
    "rmsprop_plain": lambda t: t.RMSPropOptimizer(0.0625, 0.875, epsilon=2.0**-20),
    "rmsprop_centered": lambda t: t.RMSPropOptimizer(
        0.03125, 0.875, 0.5, 2.0**-4, centered=True
    ),
    "adam": lambda t: t.AdamOptimizer(0.125, epsilon=2.0**-10),
    "adam_betas": lambda t: t.AdamOptimizer(0.125, F(0.8), F(0.95), 2.0**-3),
    "ftrl": lambda t: t.FtrlOptimizer(0.5),
    "ftrl_power": lambda t: t.FtrlOptimizer(
        0.5, -0.75, 0.5, 0.125, 0.25, accum_name="A", linear_name="L"
    ),
    "ftrl_constant_rate": lambda t: t.FtrlOptimizer(0.0625, 0.0, 0.0, 0.125),
    "ftrl_shrinkage": lambda t: t.FtrlOptimizer(
        0.5, -0.5, 0.25, 0.0625, 0.125, l2_shrinkage_regularization_strength=0.125
    ),
    "proximal": lambda t: t.ProximalGradientDescentOptimizer(F(0.0625), F(0.0), F(0.0)),
    "proximal_penalties": lambda t: t.ProximalGradientDescentOptimizer(
        F(0.0625), F(1.0), F(0.25)
    ),
    "proximal_adagrad": lambda t: t.ProximalAdagradOptimizer(
        F(0.5), 0.5, F(0.5), F(0.25)
    ),
    "adagrad_da": lambda t: t.AdagradDAOptimizer(
        F(0.5), t.get_or_create_global_step(), 0.5, F(0.0), F(0.125)
    ),
    "adagrad_da_l1": lambda t: t.AdagradDAOptimizer(
        F(0.5), t.get_or_create_global_step(), 0.5, F(0.25), F(0.125)
    ),
}


def dense(tf):
    """Two variables that depend on each other, each element at its own speed."""
    w = tf.Variable([1.0, -2.0, 0.5], dtype=tf.float64, name="w")
    b = tf.Variable(0.25, dtype=tf.float64, name="b")
    loss = tf.reduce_sum(tf.square(w * [0.5, 1.0, 2.0] - [1.0, 0.25, -1.5] + b))
    return loss, [w, b]


def sparse(tf):
    """A table of which a step reads rows 2 (twice) and 0."""
    start = [[1.0, -2.0], [3.0, 0.5], [-0.5, 1.5], [0.25, -0.75]]
    table = tf.Variable(start, dtype=tf.float64, name="table")
    errors = tf.gather(table, [2, 0, 2]) - [[1.0, 0.25], [0.5, -1.0], [-1.5, 2.0]]
    return tf.reduce_sum(tf.square(errors)), [table]


def train(tf, optimizer, problem):
    """The loss at each of the steps; in the end all values, by name."""
    tf.reset_default_graph()
    loss, variables = problem(tf)
    made = OPTIMIZERS[optimizer](tf.train)
    step = made.minimize(loss, tf.train.get_or_create_global_step())
    names = made.get_slot_names()
    slots = [[made.get_slot(v, name) for name in names] for v in variables]
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        losses = [float(sess.run([loss, step])[0]) for _ in range(STEPS)]
        values = {v.op.name: sess.run(v).tolist() for v in tf.global_variables()}
    return {
        "losses": losses,
        "values": values,
        "slots": {n: [s[i].op.name for s in slots] for i, n in enumerate(names)},
        "kept": sorted(v.op.name for v in made.variables()),
        "dtypes": sorted(f"{v.op.name} {v.dtype.name[:7]}" for v in made.variables()),
    }


# Those in float32 are what TensorFlow refuses in float64.
SCHEDULES = {
    "exponential": lambda t, s: t.exponential_decay(F(0.1), s, 10, 0.5),
    "staircase": lambda t, s: t.exponential_decay(F(0.1), s, 10, 0.5, staircase=True),
    "natural": lambda t, s: t.natural_exp_decay(F(0.1), s, 10, 0.5),
    "natural_staircase": lambda t, s: t.natural_exp_decay(F(0.1), s, 10, 0.5, True),
    "inverse": lambda t, s: t.inverse_time_decay(F(0.1), s, 10, 0.5),
    "inverse_staircase": lambda t, s: t.inverse_time_decay(F(0.1), s, 10, 0.5, True),
    "polynomial": lambda t, s: t.polynomial_decay(F(1.0), s, 10, F(0.1)),
    "polynomial_power": lambda t, s: t.polynomial_decay(
        F(1.0), s, 16, 0.125, power=2.0
    ),
    "polynomial_cycle": lambda t, s: t.polynomial_decay(
        1.0, s, 10, 0.125, 0.5, cycle=True
    ),
    "piecewise": lambda t, s: t.piecewise_constant(s, [3, 10], [F(1), F(0.5), F(0.25)]),
    "cosine": lambda t, s: t.cosine_decay(0.1, s, 20),
    "cosine_alpha": lambda t, s: t.cosine_decay(0.1, s, 20, alpha=0.125),
    "restarts": lambda t, s: t.cosine_decay_restarts(0.1, s, 10),
    "restarts_alike": lambda t, s: t.cosine_decay_restarts(0.1, s, 10, t_mul=1.0),
    "restarts_lower": lambda t, s: t.cosine_decay_restarts(
        0.1, s, 7, t_mul=1.5, m_mul=0.75, alpha=0.125
    ),
    "linear_cosine": lambda t, s: t.linear_cosine_decay(0.1, s, 20, beta=0.125),
    "linear_cosine_periods": lambda t, s: t.linear_cosine_decay(
        0.1, s, 20, num_periods=2.0, alpha=0.25, beta=0.125
    ),
}
TIMES = [0, 1, 3, 4, 5, 9, 10, 11, 15, 19, 20, 21, 30, 31, 35, 50, 70, 71, 100]


def follow(tf, schedule):
    """The rate at several steps, and what it is."""
    tf.reset_default_graph()
    step = tf.placeholder(tf.int64, [])
    rate = SCHEDULES[schedule](tf.train, step)
    with tf.Session() as sess:
        values = [float(sess.run(rate, {step: n})) for n in TIMES]
    return {"values": values, "dtype": rate.dtype.name, "name": rate.op.name}


AVERAGES = {
    "plain": lambda t, n: t.ExponentialMovingAverage(0.875),
    "counted": lambda t, n: t.ExponentialMovingAverage(0.875, n),
    "debiased": lambda t, n: t.ExponentialMovingAverage(0.875, zero_debias=True),
    "named": lambda t, n: t.ExponentialMovingAverage(0.5, n, True, "Shadow"),
}


def average(tf, kind):
    """The averages of two variables and a tensor while they change."""
    tf.reset_default_graph()
    count = tf.Variable(0, trainable=False, name="count")
    with tf.name_scope("scope"):
        w = tf.Variable([1.0, -2.0], dtype=tf.float64, name="w")
    x = tf.placeholder(tf.float64, [])
    fixed = tf.get_variable("fixed", initializer=0.5, trainable=False)
    y = tf.multiply(tf.constant([0.5, -2.0], tf.float64), x, name="y")
    made = AVERAGES[kind](tf.train, count)
    before = [made.average(w), made.average_name(w), made.name]
    with tf.control_dependencies([w.assign_add([x, 1.0]), count.assign_add(1)]):
        update = made.apply([w, y])
    more = made.apply([fixed])
    found = [w, fixed, y]
    averages = [made.average(v) for v in found]
    values = []
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer(), {x: 2.0})
        for n in range(6):
            sess.run([update, more], {x: math.sqrt(n)})
            values.append([v.tolist() for v in sess.run(averages)])
    restore = made.variables_to_restore()
    watched = tf.get_collection(tf.GraphKeys.MOVING_AVERAGE_VARIABLES)
    return {
        "before": before,
        "values": values,
        "names": [made.average_name(v) for v in found],
        "dtypes": [v.dtype.name[:7] for v in averages],
        "update": [update.name, update.type],
        "all": [[v.op.name, v.trainable] for v in tf.global_variables()],
        "restore": {k: restore[k].op.name for k in sorted(restore)},
        "watched": [v.op.name for v in watched],
    }


def iterate():
    """The key of each problem and a function of the module that solves it."""
    for optimizer in OPTIMIZERS:
        for problem in (dense, sparse):
            key = f"{optimizer}/{problem.__name__}"
            yield key, lambda tf, o=optimizer, p=problem: train(tf, o, p)
    for schedule in SCHEDULES:
        yield f"schedule/{schedule}", lambda tf, s=schedule: follow(tf, s)
    for kind in AVERAGES:
        yield f"average/{kind}", lambda tf, k=kind: average(tf, k)
