"""JAX: a whole training step is compiled, and the weights are donated to it."""

from __future__ import annotations

from functools import partial
from itertools import cycle
from typing import Any

import jax
import numpy as np
from jax import lax, numpy as jnp

from . import Made
from .data import Spec
from .timing import once, seconds


def _descend(rate: float, state: Any, grads: Any) -> Any:
    return jax.tree.map(lambda w, g: w - rate * g, state, grads)


def _adam(rate: float, state: Any, grads: Any) -> Any:
    weights, means, squares, done = state
    done = done + 1
    means = jax.tree.map(lambda m, g: 0.9 * m + 0.1 * g, means, grads)
    squares = jax.tree.map(lambda v, g: 0.999 * v + 0.001 * g * g, squares, grads)
    rate = rate * jnp.sqrt(1 - 0.999**done) / (1 - 0.9**done)
    weights = jax.tree.map(
        lambda w, m, v: w - rate * m / (jnp.sqrt(v) + 1e-8), weights, means, squares
    )
    return weights, means, squares, done


class Trained:
    """Steps of a loss over batches."""

    def __init__(self, s: Spec, loss: Any, arrays: list[Any], batches: Any) -> None:
        self.adam = getattr(s, "adam", False)
        weights = [jnp.array(a) for a in arrays]
        self.state: Any = weights
        if self.adam:
            zeros = [[jnp.zeros_like(w) for w in weights] for _ in range(2)]
            self.state = (weights, *zeros, jnp.float32(0))
        rule = partial(_adam if self.adam else _descend, s.rate)

        def step(state: Any, *batch: Any) -> Any:
            weights = state[0] if self.adam else state
            return rule(state, jax.grad(loss)(weights, *batch))

        self.compiled = jax.jit(step, donate_argnums=0)
        self.loss, self.batches = jax.jit(loss), batches
        self.turns = cycle(batches)

    def made(self) -> Made:
        """Steps run behind; `sync` waits for them."""

        def step() -> None:
            self.state = self.compiled(self.state, *next(self.turns))

        def value() -> Any:
            weights = self.state[0] if self.adam else self.state
            return float(self.loss(weights, *self.batches[0]))

        return Made(step, value, lambda: jax.block_until_ready(self.state))


def regression(s: Spec) -> Made:
    """One weight and one bias."""

    def loss(weights: Any, x: Any, y: Any) -> Any:
        return jnp.sum(jnp.square(x @ weights[0] + weights[1] - y))

    return Trained(s, loss, [s.w, s.b], [(s.x, s.y)]).made()


def xor(s: Spec) -> Made:
    """As written in a lesson: softmax, log and sum by themselves."""

    def loss(weights: Any, x: Any, y: Any) -> Any:
        w1, b1, w2, b2 = weights
        p = jax.nn.softmax(jax.nn.sigmoid(x @ w1 + b1) @ w2 + b2, axis=1)
        return -jnp.sum(jnp.sum(y * jnp.log(p), axis=1))

    return Trained(s, loss, s.weights, [(s.x, s.y)]).made()


def _cross_entropy(logits: Any, y: Any) -> Any:
    own = jnp.take_along_axis(logits, y[:, None], 1)[:, 0]
    return jnp.mean(jax.nn.logsumexp(logits, axis=1) - own)


def mlp(s: Spec) -> Made:
    """Two ReLU layers and a linear one."""

    def loss(weights: Any, x: Any, y: Any) -> Any:
        w1, b1, w2, b2, w3, b3 = weights
        hidden = jax.nn.relu(x @ w1 + b1)
        hidden = jax.nn.relu(hidden @ w2 + b2)
        return _cross_entropy(hidden @ w3 + b3, y)

    return Trained(s, loss, s.weights, [(s.x, s.y.astype(np.int32))]).made()


def lstm(s: Spec) -> Made:
    """A recurrent network as a scan: unrolled, it compiles for minutes."""

    def loss(weights: Any, x: Any, y: Any) -> Any:
        w, b, last, bias = weights

        def cell(state: Any, now: Any) -> Any:
            h, c = state
            gates = jnp.concatenate([now, h], 1) @ w + b
            i, f, new, o = jnp.split(gates, 4, axis=1)
            c = jax.nn.sigmoid(f) * c + jax.nn.sigmoid(i) * jnp.tanh(new)
            return (jax.nn.sigmoid(o) * jnp.tanh(c), c), None

        none = jnp.zeros((len(x), s.units), jnp.float32)
        (h, _), _ = lax.scan(cell, (none, none), jnp.swapaxes(x, 0, 1))
        return _cross_entropy(h @ last + bias, y)

    return Trained(s, loss, s.weights, [(s.x, s.y.astype(np.int32))]).made()


def skipgram(s: Spec) -> Made:
    """Word vectors: the gradients of the rows that were taken are scattered."""
    rate, soft = s.rate, jax.nn.softplus

    def taken(v: Any, u: Any, b: Any) -> Any:
        n = len(v)
        near = jnp.sum(v * u[:n], 1) + b[:n]
        return jnp.mean(soft(-near) + jnp.sum(soft(v @ u[n:].T + b[n:]), 1))

    def rows(state: Any, centres: Any, both: Any) -> Any:
        words, outs, biases = state
        return words[centres], outs[both], biases[both]

    @partial(jax.jit, donate_argnums=0)
    def compiled(state: Any, *batch: Any) -> Any:
        # one look and one update for each table, or JAX copies it
        centres, both = batch
        words, outs, biases = state
        grads = jax.grad(taken, range(3))(*rows(state, *batch))
        gv, gu, gb = (-rate * g for g in grads)
        return words.at[centres].add(gv), outs.at[both].add(gu), biases.at[both].add(gb)

    value = jax.jit(lambda state, *batch: taken(*rows(state, *batch)))
    both = np.concatenate([s.targets, s.negatives], axis=1)
    indices = [i.astype(np.int32) for i in (s.centres, both)]
    batches = list(zip(*indices, strict=True))
    box = [tuple(jnp.array(a) for a in (s.embeddings, s.weights, s.biases))]
    turns = cycle(batches)

    def step() -> None:
        box[0] = compiled(box[0], *next(turns))

    return Made(
        step,
        lambda: float(value(box[0], *batches[0])),
        lambda: jax.block_until_ready(box[0]),
    )


def _expression(a: Any, b: Any, c: Any, d: Any, e: Any) -> Any:
    return jnp.tanh(a * b + c) * jax.nn.sigmoid(d) - e


def forward(s: Spec) -> Made:
    """An element-by-element expression."""
    inputs, compiled = [jnp.array(a) for a in s.inputs], jax.jit(_expression)

    def step() -> Any:
        return compiled(*inputs).block_until_ready()

    return Made(step, lambda: np.asarray(step())[:: s.every])


def gradient(s: Spec) -> Made:
    """Its gradient by all five inputs."""
    inputs = [jnp.array(a) for a in s.inputs]
    compiled = jax.jit(jax.grad(lambda *v: _expression(*v).sum(), range(5)))

    def step() -> Any:
        return jax.block_until_ready(compiled(*inputs))

    return Made(step, lambda: [np.asarray(g)[:: s.every] for g in step()])


def chain(s: Spec) -> dict[str, float]:
    """Seconds for each operation to trace, to run first and to run."""
    x, factor = jnp.array(s.x), jnp.array(s.factor)

    def whole(x: Any, factor: Any) -> Any:
        y = x
        for _ in range(s.count // 2):
            y = (y + s.add) * factor
        return y

    found = {}
    functions = {"": whole, "gradient ": jax.grad(lambda *v: whole(*v).sum())}
    for name, function in functions.items():
        traced, found[f"{name}build"] = once(
            lambda f=function: jax.jit(f).lower(x, factor), s.count
        )
        compiled, first = once(traced.compile, s.count)

        def run(call: Any = compiled) -> Any:
            return call(x, factor).block_until_ready()

        _, begun = once(run, s.count)
        found[f"{name}first run"] = first + begun
        found[f"{name}run"] = seconds(run, s.count)
    return found


WORKLOADS = {
    "regression": regression, "xor": xor, "mlp_sgd": mlp, "mlp_adam": mlp,
    "lstm": lstm, "skipgram": skipgram, "chain": chain,
    "elementwise_forward": forward, "elementwise_gradient": gradient,
    "elementwise_forward_op": forward, "elementwise_gradient_op": gradient,
}  # fmt: skip


def workload(name: str, peer: str) -> Any:
    """The function that makes a workload."""
    return WORKLOADS[name]


def version(_: str) -> str:
    """What is measured."""
    return f"JAX {jax.__version__}"
