"""Cross entropies on logits: values, both derivatives, extreme logits."""

import numpy as np

from .cases import both_dtypes, case, derivatives, each, run, static, weights

LOGITS = weights([3, 4])
LABELS = np.array([[0.1, 0.2, 0.3, 0.4], [1.0, 0.0, 0.0, 0.0], [0.25] * 4])
HUGE = [[800.0, -800.0, 0.0, 5.0], [-800.0, 0.0, 1.0, 2.0], [800.0, 800.0, 0.0, 1.0]]


@each({"plain": LOGITS, "huge": HUGE})
def softmax_cross_entropy(tf, logits):
    def loss(x):
        labels = tf.constant(LABELS, x.dtype)
        return tf.nn.softmax_cross_entropy_with_logits(labels=labels, logits=x)

    return both_dtypes(tf, loss, logits)


@each({"plain": LOGITS, "huge": HUGE})
def softmax_cross_entropy_v2(tf, logits):
    def loss(x):
        labels = tf.constant(LABELS, x.dtype)
        return tf.nn.softmax_cross_entropy_with_logits_v2(labels=labels, logits=x)

    return both_dtypes(tf, loss, logits)


@case
def softmax_cross_entropy_labels(tf):
    """The old function stops at the labels, the new one differentiates them."""
    labels, logits = tf.constant(LABELS), tf.constant(LOGITS)
    old = tf.nn.softmax_cross_entropy_with_logits(labels=labels, logits=logits)
    new = tf.nn.softmax_cross_entropy_with_logits_v2(labels=labels, logits=logits)
    gradient = tf.gradients(new, labels)[0]
    return {"old": tf.gradients(old, labels)[0], "new": run(tf, gradient)}


@case
def softmax_cross_entropy_cube(tf):
    def loss(x):
        labels = tf.constant(LABELS.reshape(3, 1, 4), x.dtype)
        return tf.nn.softmax_cross_entropy_with_logits_v2(labels=labels, logits=x)

    return both_dtypes(tf, loss, LOGITS.reshape(3, 1, 4))


@case
def softmax_cross_entropy_unknown_batch(tf):
    def loss(x):
        labels = tf.placeholder_with_default(LABELS, [None, 4])
        return tf.nn.softmax_cross_entropy_with_logits_v2(labels=labels, logits=x)

    return derivatives(tf, loss, [LOGITS], "float64", shapes=[[None, 4]])


@each({"plain": LOGITS, "huge": HUGE})
def sparse_softmax_cross_entropy(tf, logits):
    def loss(x):
        labels = tf.constant([3, 0, 1])
        return tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=x)

    return both_dtypes(tf, loss, logits)


@case
def sparse_softmax_cross_entropy_ranks(tf):
    f = tf.nn.sparse_softmax_cross_entropy_with_logits
    cube = tf.constant(LOGITS.reshape(3, 2, 2))
    tensors = [
        f(labels=np.array(2), logits=tf.constant(LOGITS[0])),
        f(labels=tf.constant([[0, 1], [1, 1], [0, 0]], tf.int64), logits=cube),
    ]
    return {"values": run(tf, tensors), "static": [static(t) for t in tensors]}


@each({"plain": [-1.5, 0.0, 2.0, 0.5], "huge": [-800.0, 800.0, -100.0, 100.0]})
def sigmoid_cross_entropy(tf, logits):
    def loss(x, z):
        return tf.nn.sigmoid_cross_entropy_with_logits(labels=z, logits=x)

    return both_dtypes(tf, loss, logits, [0.0, 1.0, 0.25, 1.0])
