"""The same programs for similarflow and for TensorFlow 1's sessions."""

from __future__ import annotations

import os
from collections.abc import Callable
from importlib import import_module
from itertools import cycle
from typing import Any, NamedTuple

from . import Made
from .data import Spec
from .timing import once, seconds


def load(peer: str) -> Any:
    """The library: similarflow, or TensorFlow as it was in version 1."""
    if peer.startswith("similarflow"):
        return import_module("similarflow")
    tf = import_module("tensorflow.compat.v1")
    tf.disable_v2_behavior()
    tf.logging.set_verbosity(tf.logging.ERROR)
    return tf


class Model(NamedTuple):
    """A graph: what a step fetches and feeds, and what is compared."""

    fetches: Any
    feeds: list[Any] = []  # noqa: RUF012  (a default that nobody changes)
    batches: list[tuple[Any, ...]] = [()]  # noqa: RUF012
    values: Any = None


class Programs:
    """Builds the workloads' graphs with a library."""

    def __init__(self, tf: Any) -> None:
        self.tf = tf

    def variables(self, arrays: list[Any]) -> list[Any]:
        """A variable for each array."""
        return [self.tf.Variable(a) for a in arrays]

    def trained(self, s: Spec, loss: Any, feeds: list[Any], batches: Any) -> Model:
        """A model with a training step."""
        train, adam = self.tf.train, getattr(s, "adam", False)
        rule = train.AdamOptimizer if adam else train.GradientDescentOptimizer
        return Model(rule(s.rate).minimize(loss), feeds, batches, loss)

    def regression(self, s: Spec) -> Model:
        """One weight and one bias."""
        tf = self.tf
        x, y = (tf.placeholder(tf.float32, [None, 1]) for _ in "xy")
        w, b = self.variables([s.w, s.b])
        loss = tf.reduce_sum(tf.square(tf.matmul(x, w) + b - y))
        return self.trained(s, loss, [x, y], [(s.x, s.y)])

    def xor(self, s: Spec) -> Model:
        """As written in a lesson: softmax, log and sum by themselves."""
        tf = self.tf
        x, y = (tf.placeholder(tf.float32, [None, 2]) for _ in "xy")
        w1, b1, w2, b2 = self.variables(s.weights)
        hidden = tf.sigmoid(tf.matmul(x, w1) + b1)
        p = tf.nn.softmax(tf.matmul(hidden, w2) + b2)
        loss = -tf.reduce_sum(tf.reduce_sum(y * tf.log(p), axis=1))
        return self.trained(s, loss, [x, y], [(s.x, s.y)])

    def classified(self, s: Spec, x: Any, logits: Any) -> Model:
        """A model for numbered classes."""
        tf = self.tf
        y = tf.placeholder(tf.int64, [None])
        losses = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=y, logits=logits)
        return self.trained(s, tf.reduce_mean(losses), [x, y], [(s.x, s.y)])

    def mlp(self, s: Spec) -> Model:
        """Two ReLU layers and a linear one."""
        tf = self.tf
        x = tf.placeholder(tf.float32, [None, s.x.shape[1]])
        w1, b1, w2, b2, w3, b3 = self.variables(s.weights)
        hidden = tf.nn.relu(tf.matmul(x, w1) + b1)
        hidden = tf.nn.relu(tf.matmul(hidden, w2) + b2)
        return self.classified(s, x, tf.matmul(hidden, w3) + b3)

    def lstm(self, s: Spec) -> Model:
        """A recurrent network, unrolled."""
        tf = self.tf
        x = tf.placeholder(tf.float32, s.x.shape)
        w, b, last, bias = self.variables(s.weights)
        h = c = tf.zeros([len(s.x), s.units])
        for now in tf.unstack(x, axis=1):
            gates = tf.matmul(tf.concat([now, h], 1), w) + b
            i, f, new, o = tf.split(gates, 4, axis=1)
            c = tf.sigmoid(f) * c + tf.sigmoid(i) * tf.tanh(new)
            h = tf.sigmoid(o) * tf.tanh(c)
        return self.classified(s, x, tf.matmul(h, last) + bias)

    def skipgram(self, s: Spec) -> Model:
        """Word vectors with negative samples; all gradients are sparse."""
        tf = self.tf
        feeds = [tf.placeholder(tf.int64, [None]) for _ in range(3)]
        centres, targets, negatives = feeds
        words, outs, biases = self.variables([s.embeddings, s.weights, s.biases])
        look = tf.nn.embedding_lookup
        v = look(words, centres)
        near = tf.reduce_sum(v * look(outs, targets), axis=1) + look(biases, targets)
        far = tf.matmul(v, look(outs, negatives), transpose_b=True)
        far = far + look(biases, negatives)
        losses = tf.nn.softplus(-near) + tf.reduce_sum(tf.nn.softplus(far), axis=1)
        batches = list(zip(s.centres, s.targets, s.negatives, strict=True))
        return self.trained(s, tf.reduce_mean(losses), feeds, batches)

    def expression(self, s: Spec) -> tuple[Any, list[Any]]:
        """The element-by-element expression and its variables."""
        tf = self.tf
        a, b, c, d, e = inputs = self.variables(s.inputs)
        return tf.tanh(a * b + c) * tf.sigmoid(d) - e, inputs

    def elementwise_forward(self, s: Spec) -> Model:
        """The caller gets an array."""
        z, _ = self.expression(s)
        return Model(z, values=z[:: s.every])

    def elementwise_gradient(self, s: Spec) -> Model:
        """The caller gets five arrays."""
        z, inputs = self.expression(s)
        grads = self.tf.gradients(z, inputs)
        return Model(grads, values=[g[:: s.every] for g in grads])

    def elementwise_forward_op(self, s: Spec) -> Model:
        """Computed, but not handed to the caller."""
        model = self.elementwise_forward(s)
        return model._replace(fetches=model.fetches.op)

    def elementwise_gradient_op(self, s: Spec) -> Model:
        """Computed, but not handed to the caller."""
        model = self.elementwise_gradient(s)
        return model._replace(fetches=[g.op for g in model.fetches])

    mlp_sgd = mlp_adam = mlp


def open_session(tf: Any, **options: Any) -> Any:
    """A session with as many threads as the other peers have."""
    threads = int(os.environ["OMP_NUM_THREADS"])
    config = tf.ConfigProto(
        intra_op_parallelism_threads=threads, inter_op_parallelism_threads=threads
    )
    session = tf.Session(config=config, **options)
    session.run(tf.global_variables_initializer())
    return session


def stepper(session: Any, model: Model, called: bool) -> Callable[[], Any]:
    """A step by ``make_callable``, or by ``run``."""
    fetches, feeds = model.fetches, model.feeds
    if called:
        call, one = session.make_callable(fetches, feeds), model.batches[0]
        if len(model.batches) == 1:
            return lambda: call(*one)
        batches = cycle(model.batches)
        return lambda: call(*next(batches))
    fed = [dict(zip(feeds, batch, strict=True)) for batch in model.batches]
    if len(fed) == 1:
        return lambda: session.run(fetches, fed[0])
    turns = cycle(fed)
    return lambda: session.run(fetches, next(turns))


def made(tf: Any, name: str, s: Spec, called: bool = False, **options: Any) -> Made:
    """A workload in a session of its own."""
    tf.reset_default_graph()
    model = getattr(Programs(tf), name)(s)
    session = open_session(tf, **options)
    fed = dict(zip(model.feeds, model.batches[0], strict=True))
    step = stepper(session, model, called)
    return Made(step, lambda: session.run(model.values, fed))


def chain(tf: Any, s: Spec, called: bool) -> dict[str, float]:
    """Seconds for each operation to build, to run first and to run."""
    tf.reset_default_graph()
    n, add, factor = s.count, s.add, tf.Variable(s.factor, trainable=False)
    x = tf.placeholder(tf.float32, [10])

    def build() -> Any:
        y = x
        for _ in range(n // 2):
            y = (y + add) * factor
        return y

    def runner(fetch: Any) -> Callable[[], Any]:
        return stepper(session, Model(fetch, [x], [(s.x,)]), called)

    found = {}
    with open_session(tf) as session:
        y, found["build"] = once(build, n)
        run, made = once(lambda: runner(y), n)
        _, first = once(run, n)
        found["first run"] = made + first
        found["run"] = seconds(run, n)
        (g,), found["gradient build"] = once(lambda: tf.gradients(y, [x]), n)
        run, made = once(lambda: runner(g), n)
        _, first = once(run, n)
        found["gradient first run"] = made + first
        found["gradient run"] = seconds(run, n)
    return found


def workload(name: str, peer: str) -> Any:
    """The function that makes a workload."""
    tf, called = load(peer), peer.endswith("_callable")
    if name == "chain":
        return lambda s: chain(tf, s, called)
    getattr(Programs, name)
    return lambda s: made(tf, name, s, called)


def version(peer: str) -> str:
    """What is measured."""
    name = "similarflow" if peer.startswith("similarflow") else "TensorFlow"
    return f"{name} {load(peer).__version__}"
