"""Random graphs: the compiled engine gives what the simple one gives, run by run."""

import numpy as np
import pytest

import similarflow as sf
from similarflow.runtime.compiled import regions

from .compare import assert_same, outcome

GRAPHS = 200
SIZES = [0, 1, 1, 2, 2, 3, 3, 4, 5]


class Builder:
    """Adds random operations to the default graph; it knows all shapes."""

    def __init__(self, seed):
        self.rng = np.random.default_rng(seed)
        self.tensors = []  # pairs of a tensor and its shape; all of float32
        self.effects = []
        self.feeds = {}
        self.variables = []
        for _ in range(self.below(3) + 1):
            self.add(*self.placeholder())
        for _ in range(self.below(3)):
            shape = self.shape()
            v = sf.Variable(self.numbers(shape))
            self.variables.append((v, shape))
            self.add(v.as_tensor(), shape)
        for _ in range(self.below(56) + 5):
            kind = self.pick(KINDS)
            with sf.control_dependencies(self.some(self.effects, 0.05)):
                kind(self)

    def below(self, n):
        return int(self.rng.integers(n))

    def pick(self, items):
        return items[self.below(len(items))]

    def some(self, items, share):
        return [x for x in items if self.rng.random() < share]

    def shape(self):
        return tuple(self.pick(SIZES) for _ in range(self.below(4)))

    def numbers(self, shape):
        drawn = self.rng.normal(size=shape).astype(np.float32)
        special = np.array([0.0, -0.0, 1.0, -1.0], np.float32)
        return np.where(self.rng.random(shape) < 0.1, self.pick(special), drawn)

    def placeholder(self):
        shape = self.shape()
        known = self.pick([shape, None, [None] * len(shape)])
        x = sf.placeholder(sf.float32, known)
        self.feeds[x] = shape
        return x, shape

    def add(self, tensor, shape):
        self.tensors.append((tensor, tuple(shape)))

    def one(self):
        """A tensor, more often one of the last."""
        if self.rng.random() < 0.5:
            return self.pick(self.tensors[-4:])
        return self.pick(self.tensors)

    def alike(self, shape):
        """Another tensor of that shape, or numbers."""
        found = [t for t, s in self.tensors if s == shape]
        use = found and self.rng.random() < 0.8
        return self.pick(found) if use else self.numbers(shape)

    def feed(self):
        return {x: self.numbers(shape) for x, shape in self.feeds.items()}


def coarse(x):
    """Quarters from -8 to 8: their sums and products are exact in any order."""
    return sf.round(sf.clip_by_value(x, -8.0, 8.0) * 4.0) * 0.25


UNARY = [
    sf.negative, sf.square, sf.abs, sf.tanh, sf.sigmoid, sf.nn.relu, sf.floor, sf.sign,
    sf.identity, sf.stop_gradient, sf.zeros_like, sf.ones_like, sf.nn.softplus,
    lambda x: sf.exp(sf.minimum(x, 3.0)), lambda x: sf.sqrt(sf.abs(x)),
    lambda x: x * 1.0, lambda x: 1.0 * x, lambda x: x - 0.0, lambda x: x / 1.0,
    lambda x: x + 0.0, lambda x: x * 0.0, lambda x: 0.0 - x, lambda x: x * -1.0,
    lambda x: sf.cast(sf.cast(x, sf.float64) * 0.5, sf.float32),
    lambda x: sf.cast(sf.cast(x, sf.int32), sf.float32), lambda x: sf.cast(x, x.dtype),
    lambda x: sf.clip_by_value(x, -1.0, 1.0), lambda x: sf.log1p(sf.abs(x)),
    lambda x: x / (1.0 + sf.square(x)), lambda x: sf.cast(x > 0.5, sf.float32),
]  # fmt: skip
BINARY = [
    sf.add, sf.subtract, sf.multiply, sf.maximum, sf.minimum, sf.squared_difference,
    lambda x, y: x / (1.0 + sf.abs(y)), lambda x, y: sf.where(x > y, x, y),
    lambda x, y: sf.where(sf.equal(x, y), x + 1.0, sf.zeros_like(y)),
    lambda x, y: sf.add_n([x, y, x]), lambda x, y: x * y + x,
]  # fmt: skip


def unary(b):
    x, shape = b.one()
    b.add(b.pick(UNARY)(x), shape)


def twice(b):
    """The same operation again: what `merge` looks for."""
    x, shape = b.one()
    f = b.pick(UNARY)
    b.add(f(x), shape)
    b.add(f(x) + f(x), shape)


def binary(b):
    x, shape = b.one()
    b.add(b.pick(BINARY)(x, b.alike(shape)), shape)


def broadcasting(b):
    x, shape = b.one()
    other = tuple(n if b.rng.random() < 0.6 else 1 for n in shape)[b.below(2) :]
    y = b.alike(other)
    f = b.pick([sf.add, sf.subtract, sf.multiply, sf.maximum, sf.minimum])
    b.add(f(x, y) if b.rng.random() < 0.5 else f(y, x), shape)


def product(b):
    x, shape = b.one()
    if len(shape) < 2:
        return
    n = b.pick(SIZES)
    turned = bool(b.below(2))
    y = b.alike((n, shape[-1]) if turned else (shape[-1], n))
    b.add(sf.matmul(coarse(x), coarse(y), transpose_b=turned), (*shape[:-1], n))


def reduction(b):
    x, shape = b.one()
    if not shape:
        return
    f = b.pick([sf.reduce_sum, sf.reduce_mean, sf.reduce_max, sf.reduce_min])
    axes = sorted({b.below(len(shape)) for _ in range(b.below(2) + 1)})
    axes = axes if b.rng.random() < 0.8 else [*range(len(shape))]
    keep = bool(b.below(2))
    if not all(shape[a] for a in axes) and f is not sf.reduce_sum:
        return
    kept = [1 if i in axes else n for i, n in enumerate(shape)]
    shape = kept if keep else [n for i, n in enumerate(kept) if i not in axes]
    b.add(f(coarse(x) if len(axes) > 1 else x, axes, keep), shape)


def softmax(b):
    x, shape = b.one()
    if shape and shape[-1]:
        b.add(b.pick([sf.nn.softmax, sf.nn.log_softmax])(x), shape)


def reshape(b):
    x, shape = b.one()
    kind = b.below(4)
    if kind == 0:
        new = [int(np.prod(shape))]
    elif kind == 1:
        new = list(b.rng.permutation(shape)) if shape else [1]
    elif kind == 2:
        new = [1, *shape]
    else:
        new = [n for n in shape if n != 1]
    new = [int(n) for n in new]
    y = sf.reshape(x, new)
    b.add(y if b.below(2) else sf.reshape(sf.reshape(x, [-1]), new), new)


def transpose(b):
    x, shape = b.one()
    perm = [int(i) for i in b.rng.permutation(len(shape))]
    b.add(sf.transpose(x, perm), [shape[i] for i in perm])


def slicing(b):
    x, shape = b.one()
    if not shape:
        return
    n = shape[0]
    kind = b.below(4)
    if kind == 0:
        b.add(x[::-1], shape)
    elif kind == 1:
        b.add(x[1:], (max(n - 1, 0), *shape[1:]))
    elif kind == 2 and n:
        b.add(x[n - 1], shape[1:])
    elif n:
        index = b.rng.integers(0, n, 3).astype(np.int32)
        b.add(sf.gather(x, index), (3, *shape[1:]))


def joining(b):
    x, shape = b.one()
    y = b.alike(shape)
    if not shape or b.below(3) == 0:
        b.add(sf.stack([x, y, x]), (3, *shape))
        return
    axis = b.below(len(shape))
    longer = [n * 2 if i == axis else n for i, n in enumerate(shape)]
    both = sf.concat([x, y], axis)
    b.add(both, longer)
    for part in sf.split(both, 2, axis)[: b.below(3)]:
        b.add(part, shape)


def constant(b):
    shape = b.shape()
    numbers = b.numbers(shape)
    y = sf.constant(numbers)
    b.add(y, shape)
    b.add(b.pick([sf.tanh, sf.negative, sf.square])(y) * 2.0, shape)


def shapes(b):
    """What is computed from shapes alone."""
    x, shape = b.one()
    size = sf.cast(sf.size(x), sf.float32)
    b.add(size, ())
    b.add(sf.fill(sf.shape(x), 0.5) * (x + size), shape)


def random(b):
    shape = b.shape()
    f = b.pick([sf.random_normal, sf.random_uniform])
    b.add(f(shape, seed=b.below(5)), shape)


def write(b):
    if not b.variables:
        return
    v, shape = b.pick(b.variables)
    y = sf.tanh(b.alike(shape))
    done = b.pick([sf.assign, sf.assign_add, sf.assign_sub])(v, y)
    b.effects.append(done.op)
    if b.below(2):
        b.add(done, shape)
    with sf.control_dependencies([done.op]):
        b.add(v + 1.0, shape)


def choice(b):
    x, shape = b.one()
    y = b.alike(shape)
    test = sf.reduce_max(sf.abs(sf.reshape(x, [-1])), keepdims=False) > 0.7
    if np.prod(shape):
        z = sf.cond(test, lambda: sf.tanh(x) + y, lambda: sf.identity(y) * 2.0)
        b.add(z, shape)


def loop(b):
    x, shape = b.one()
    count = b.below(4)
    _, y = sf.while_loop(
        lambda i, y: i < count, lambda i, y: (i + 1, sf.tanh(y) * 1.5 - 0.1), [0, x]
    )
    y.set_shape(shape)
    b.add(y, shape)


def own(b):
    x, shape = b.one()
    y = sf.py_func(lambda v: np.asarray(v * 2), [x], sf.float32)
    if b.below(2):
        y.set_shape(shape)
    b.add(y, shape)


KINDS = [
    *[unary] * 8, *[binary] * 6, *[broadcasting] * 3, *[product] * 2, *[reduction] * 2,
    *[reshape] * 2, *[transpose] * 2, *[slicing] * 2, *[joining] * 2, twice, softmax,
    constant, shapes, random, write, choice, loop, own,
]  # fmt: skip
"""With how often they come."""


@pytest.mark.parametrize("seed", range(3000, 3060))
def test_a_random_graph_in_blocks_of_few_elements(seed, monkeypatch):
    monkeypatch.setattr(regions, "SMALLEST", 6)
    monkeypatch.setattr(regions, "BLOCK", 3)
    monkeypatch.setattr(regions, "SHARED", 12)
    compare(Builder(seed))


@pytest.mark.parametrize("seed", range(GRAPHS))
def test_a_random_graph_gives_the_same_in_both_engines(seed):
    compare(Builder(seed))


def compare(b):
    """Run several fetches of a graph, several times, in both engines."""
    simple, compiled = sf.Session(engine="simple"), sf.Session(engine="compiled")
    held = [v for v, _ in b.variables]
    assert_same(compiled.run(held), simple.run(held))  # both start them
    for fetch_set in range(3):
        count = [1, 3, len(b.tensors)][fetch_set]
        chosen = [b.pick(b.tensors) for _ in range(count)]
        fetches = [t for t, _ in chosen] + b.some(b.effects, 0.5)
        inside = [b.pick(b.tensors) for _ in range(b.below(3))]
        inside = [(t, s) for t, s in inside if not isinstance(t, sf.Constant)]
        for run in range(4):
            feeds = b.feed()
            if run >= 2:  # now with something fed that is computed else
                feeds |= {t: b.numbers(s) for t, s in inside}
            wanted = outcome(simple, fetches, feeds)
            assert isinstance(wanted, list), wanted
            for value, (t, shape) in zip(wanted, chosen, strict=False):
                assert np.shape(value) == shape, t
            assert_same(outcome(compiled, fetches, feeds), wanted)
            order = b.rng.permutation(len(fetches))
            again = [fetches[i] for i in order]
            if run == 1:
                assert_same(
                    outcome(compiled, again, feeds), outcome(simple, again, feeds)
                )
    assert_same(compiled.run(held), simple.run(held))


@pytest.mark.parametrize("seed", range(GRAPHS, GRAPHS + 40))
def test_gradients_in_a_random_graph_are_the_same(seed):
    """Nearly: how a sum is rounded follows from the order of axes in memory."""
    b = Builder(seed)
    loss = sf.add_n([sf.reduce_sum(sf.tanh(t)) for t, _ in b.tensors[-3:]])
    xs = [*b.feeds, *[v for v, _ in b.variables]]
    grads = [g for g in sf.gradients(loss, xs) if g is not None]
    simple, compiled = sf.Session(engine="simple"), sf.Session(engine="compiled")
    held = [v for v, _ in b.variables]
    assert_same(compiled.run(held), simple.run(held))
    for _ in range(3):
        feeds = b.feed()
        wanted = outcome(simple, [loss, *grads], feeds)
        assert isinstance(wanted, list), wanted
        assert_same(outcome(compiled, [loss, *grads], feeds), wanted, ulps=256)
