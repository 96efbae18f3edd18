"""Every operation's samples: the compiled engine gives what the simple one gives."""

import itertools

import numpy as np
import pytest

import similarflow as sf
from similarflow.runtime.compiled import engine, regions

from .compare import (
    SAMPLES,
    assert_same,
    both,
    build_sample,
    draw,
    feeds_of,
    outcome,
    sessions,
    with_gradients,
)

SIGNS = {"FloorMod-0", "TruncateMod-0", "SoftmaxCrossEntropyWithLogits"}
BINDING = {
    "BroadcastTo-0", "Reshape-0", "BiasAddGrad-0", "SparseDenseCwiseGather-0",
    "OneHotLike-0", "SparseSoftmaxCrossEntropyWithLogits-0",
}  # fmt: skip
CLIPPED = {"SplitLike-0", "PadGrad-0", "MirrorPadGrad-0"}
"""Kernels behind gradients, which clip what no forward operation gives them."""
LEFT_OUT = {*CLIPPED, *SIGNS, *BINDING}


def is_in(name, names):
    return name in names or name.rsplit("-", 1)[0] in names


PARAMS = [
    pytest.param(d, c, id=name) for name, d, c in SAMPLES if not is_in(name, SIGNS)
]
FEW = [
    pytest.param(d, c, id=name)
    for name, d, c in SAMPLES
    if name.endswith("-0") and not is_in(name, LEFT_OUT)
]
each_sample = pytest.mark.parametrize(("definition", "case"), PARAMS)
each_operation = pytest.mark.parametrize(("definition", "case"), FEW)
ULPS = 64
"""Of the largest number, where the memory of a feed is in another order.

Buffers are in C's order, so that NumPy adds up along other axes first, and BLAS is told
of other strides: sums and products round differently.
"""


PRODUCTS = {"MatMul", "BatchMatMulV2", "Einsum", "Tensordot"}


def room():
    """For the rounding of matrix products, of which NumPy and BLAS have several."""
    ops = sf.get_default_graph().get_operations()
    return 4 if any(op.type in PRODUCTS for op in ops) else 0


def arrays(values):
    return [v for v in values if isinstance(v, np.ndarray)]


@pytest.mark.parametrize(
    ("kind", "definition", "case"),
    [
        pytest.param(kind, *p.values, id=f"{p.id}-{kind}")
        for kind, params in (("known", PARAMS), ("unknown", PARAMS), ("untyped", FEW))
        for p in params
    ],
)
def test_a_sample_gives_the_same_in_each_of_several_runs(kind, definition, case):
    dtype = np.float32 if kind == "unknown" else np.float64
    args, attrs = draw(definition, case, dtype)
    outputs, tensors = build_sample(definition, args, attrs, kind)
    fetches = with_gradients(outputs, tensors, feeds_of(args))
    simple, compiled = sf.Session(engine="simple"), sf.Session(engine="compiled")
    for seed in (0, 1, 0):
        feeds = dict(
            zip(tensors, feeds_of(draw(definition, case, dtype, seed)[0]), strict=True)
        )
        before = [np.array(v) for v in feeds.values()]
        for value in arrays(feeds.values()):
            value.flags.writeable = False
        wanted = outcome(simple, fetches, feeds)
        result = outcome(compiled, fetches, feeds)
        assert_same(result, wanted, room())
        assert_same([np.array(v) for v in feeds.values()], before)
        if isinstance(result, list):
            owned = [*arrays(result), *arrays(feeds.values())]
            for x, y in itertools.combinations(owned, 2):
                assert not np.shares_memory(x, y)
            for value in arrays(result):
                value[...] = b"" if value.dtype == object else value.dtype.type(1)


@each_operation
def test_a_sample_gives_the_same_unbound(definition, case, monkeypatch):
    """What is run for further shapes, when many are bound already."""
    monkeypatch.setattr(engine, "BINDINGS", 0)
    args, attrs = draw(definition, case)
    outputs, tensors = build_sample(definition, args, attrs)
    fetches = with_gradients(outputs, tensors, feeds_of(args))
    feeds = dict(zip(tensors, feeds_of(args), strict=True))
    wanted = outcome(sf.Session(engine="simple"), fetches, feeds)
    assert_same(outcome(sf.Session(), fetches, feeds), wanted, room())


SHAPES = [(), (1,), (0,), (1, 1), (3, 0), (4, 5), (2, 3, 2)]


@each_operation
def test_other_shapes_give_the_same_or_the_same_error(definition, case):
    args, attrs = draw(definition, case, np.float32)
    outputs, tensors = build_sample(definition, args, attrs, "unknown")
    values = feeds_of(args)
    fetches = with_gradients(outputs, tensors, values)
    if definition.random or not values:
        pytest.skip("takes no numbers")
    simple, compiled = sf.Session(engine="simple"), sf.Session()
    for shape in [*SHAPES, SHAPES[0], np.shape(values[0])]:
        feeds = {
            x: np.resize(v, shape) if v.dtype.kind == "f" else v
            for x, v in zip(tensors, values, strict=True)
        }
        wanted = outcome(simple, fetches, feeds)
        assert_same(outcome(compiled, fetches, feeds), wanted, room())


def reversed_axes(value):
    """The same in Fortran's order."""
    return value.T.copy().T


def backwards(value):
    return value[::-1].copy()[::-1]


def strided(value):
    wide = np.zeros((*value.shape, 2), value.dtype)
    wide[..., 1] = value
    return wide[..., 1]


def spread(value):
    """One number in all places, which memory holds once."""
    first = value.reshape(-1)[:1].reshape(()) if value.size else value.dtype.type(1)
    return np.broadcast_to(first, value.shape)


@each_operation
def test_feeds_of_any_layout(definition, case):
    args, attrs = draw(definition, case)
    values = feeds_of(args)
    outputs, tensors = build_sample(definition, args, attrs)
    fetches = with_gradients(outputs, tensors, values)
    if not any(np.ndim(v) for v in values):
        pytest.skip("takes no arrays")
    simple, compiled = sf.Session(engine="simple"), sf.Session()
    for layout in (reversed_axes, backwards, strided, spread, np.array):
        feeds = {
            x: layout(v) if isinstance(v, np.ndarray) and v.ndim else v
            for x, v in zip(tensors, values, strict=True)
        }
        before = [np.array(v) for v in feeds.values()]
        wanted = outcome(simple, fetches, feeds)
        result = outcome(compiled, fetches, feeds)
        assert_same(result, wanted, room() if layout is np.array else ULPS)
        assert_same([np.array(v) for v in feeds.values()], before)
        if isinstance(result, list):
            for x, y in itertools.product(arrays(result), arrays(feeds.values())):
                assert not np.shares_memory(x, y)


def test_a_result_belongs_to_the_caller():
    x = sf.placeholder(sf.float32, [3])
    v = sf.Variable([1.0, 2.0, 3.0])
    y = x * v
    fetches = [x, v, y, sf.identity(y), sf.reshape(y, [3, 1]), y[::-1], v.assign(y)]
    sess = sf.Session()
    feed = np.ones(3, np.float32)
    first = sess.run(fetches, {x: feed})
    for a, b in itertools.combinations([feed, *first], 2):
        assert not np.shares_memory(a, b)
    for value in first:
        value[...] = 77.0
    assert feed.tolist() == [1.0] * 3
    assert sess.run(v).tolist() == [1.0, 2.0, 3.0]
    second = sess.run(fetches, {x: feed})
    assert [np.ravel(r).tolist() for r in second] == [
        [1.0] * 3, *[[1.0, 2.0, 3.0]] * 4, [3.0, 2.0, 1.0], [1.0, 2.0, 3.0],
    ]  # fmt: skip
    kept = [np.array(r) for r in second]
    sess.run(fetches, {x: feed * 9})
    assert_same(second, kept)


def test_a_constant_that_is_fetched_belongs_to_the_caller():
    c = sf.constant([1.0, 2.0])
    shape = sf.shape(c)
    sess = sf.Session()
    for _ in range(2):
        results = sess.run([c, c + 1.0, shape, sf.zeros([2]), sf.ones_like(c)])
        assert [r.tolist() for r in results] == [[1, 2], [2, 3], [2], [0, 0], [1, 1]]
        for value in results:
            value[...] = 9


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("turned", [*itertools.product([False, True], repeat=2)])
def test_products_of_many_sizes(dtype, turned):
    """Not to the last bit: BLAS has other loops for vectors, and rounds otherwise."""
    rng = np.random.default_rng(0)
    a, b = sf.placeholder(dtype), sf.placeholder(dtype)
    y = sf.matmul(a, b, *turned)
    simple, compiled = sf.Session(engine="simple"), sf.Session()
    for m, k, n in itertools.product([0, 1, 2, 17], [0, 1, 3, 33], [0, 1, 5]):
        x = rng.normal(size=(k, m) if turned[0] else (m, k)).astype(dtype)
        z = rng.normal(size=(n, k) if turned[1] else (k, n)).astype(dtype)
        for feeds in ({a: x, b: z}, {a: x[::-1], b: z.T.copy().T}):
            assert_same(compiled.run(y, feeds), simple.run(y, feeds), ulps=4)


@pytest.mark.parametrize(
    "size", [regions.SMALLEST, regions.SHARED + 3, 3 * regions.BLOCK]
)
@pytest.mark.parametrize("rank", [1, 2])
def test_large_arrays(size, rank):
    """They are taken block by block, and by two threads."""
    rng = np.random.default_rng(0)
    x, y = sf.placeholder(sf.float32), sf.placeholder(sf.float32)
    a = sf.tanh(x * 2.0 + y) - y
    b = sf.where(a > 0.0, a, sf.exp(a) - 1.0) * sf.nn.relu(x)
    c = sf.sigmoid(b) + sf.cast(sf.cast(x, sf.float64) * 0.1, sf.float32)
    shape = (size,) if rank == 1 else (size // 3, 3)
    v = sf.Variable(np.zeros(shape, np.float32))
    fetches = [c, v.assign_add(c * 0.5 - a), sf.reduce_max(b), a[:5], c[::2]]
    simple, compiled = sessions()
    one = np.float32(0.5)
    for other in (rng.normal(size=shape), one, np.full(shape, 2.0), one):
        feeds = {x: rng.normal(size=shape), y: other}
        for fetch in (fetches, fetches[:1], fetches[1:2], fetches[::-1]):
            assert_same(compiled.run(fetch, feeds), simple.run(fetch, feeds))


def test_large_arrays_of_any_layout():
    n = 300
    assert n * n > regions.SMALLEST
    x = sf.placeholder(sf.float32, [n, n])
    y = (sf.tanh(x) * 2.0 + x) * (x - 1.0)
    fetches = [y, sf.transpose(y) * 2.0 + y - 1.0]
    value = np.random.default_rng(0).normal(size=(n, n)).astype(np.float32)
    layouts = [reversed_axes, backwards, strided, spread, np.array]
    both(fetches, *[{x: layout(value)} for layout in layouts])


def test_half_precision_that_lies_apart():
    x = sf.placeholder(sf.float16, [None])
    value = np.linspace(-3.0, 3.0, 140_006).astype(np.float16)[::2]
    both([sf.tan(sf.cos(x) + x), sf.expm1(x) * x], {x: value}, {x: value})


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int16])
def test_labels_of_few_bits_and_many_classes(dtype):
    logits = sf.placeholder(sf.float32, [3, 300])
    labels = sf.placeholder(dtype, [3])
    loss = sf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits)
    [grad] = sf.gradients(loss, logits)
    rng = np.random.default_rng(0)
    feed = {logits: rng.normal(size=(3, 300)).astype("f"), labels: [0, 4, 2]}
    both([grad], feed, feed)
