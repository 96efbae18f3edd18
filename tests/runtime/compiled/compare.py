"""What the tests of the compiled engine share: both engines on one graph, compared."""

import threading

import numpy as np

import similarflow as sf
from similarflow.core.operators import BUILDERS
from similarflow.core.registry import DEFINITIONS
from similarflow.testing import draw_case, iterate_samples

PATIENCE = 60  # seconds after which a thread counts as stuck
SAMPLES = [
    (f"{definition.type}-{i}", definition, case)
    for definition in DEFINITIONS.values()
    for i, (_, case) in enumerate(iterate_samples([definition]))
]


def outcome(session, fetches, feeds=None):
    """What a run gives: values, or the kind and the text of its error."""
    try:
        return session.run(fetches, feeds)
    except Exception as error:
        return type(error).__name__, str(error)


def sessions():
    """One of each engine, in which the variables have their initial values."""
    made = sf.Session(engine="simple"), sf.Session(engine="compiled")
    assert [s.engine for s in made] == ["simple", "compiled"]
    if sf.global_variables():
        init = sf.global_variables_initializer()
        for session in made:
            session.run(init)
    return made


def both(fetches, *feeds):
    """Run in both engines, once for each of `feeds`; fails where they differ."""
    simple, compiled = sessions()
    results = []
    for feed in feeds or ({},):
        wanted = outcome(simple, fetches, feed)
        assert_same(outcome(compiled, fetches, feed), wanted)
        results.append(wanted)
    return results


def assert_same(value, wanted, ulps=0, path="result"):
    """Both are the same to the last bit, or within `ulps` of the largest number."""
    assert type(value) is type(wanted), (path, value, wanted)
    if isinstance(wanted, list | tuple):
        assert len(value) == len(wanted), (path, value, wanted)
        for i, (x, y) in enumerate(zip(value, wanted, strict=True)):
            assert_same(x, y, ulps, f"{path}[{i}]")
    elif isinstance(wanted, np.ndarray | np.generic):
        assert value.dtype == wanted.dtype, (path, value, wanted)
        assert value.shape == wanted.shape, (path, value, wanted)
        if wanted.dtype.kind not in "fc":
            assert np.array_equal(value, wanted), (path, value, wanted)
        elif ulps:
            _assert_near(value, wanted, ulps, path)
        else:
            assert is_same_float(value, wanted), (path, value, wanted)
    else:
        assert value == wanted, (path, value, wanted)


def is_same_float(x, y):
    """Whether bits are equal, but for those of nan."""
    if x.dtype.kind == "c":
        return is_same_float(x.real, y.real) and is_same_float(x.imag, y.imag)
    numbers = ~np.isnan(y)
    signs = np.signbit(x)[numbers] == np.signbit(y)[numbers]
    return bool(np.array_equal(x, y, equal_nan=True) and signs.all())


def _assert_near(x, y, ulps, path):
    finite = np.isfinite(y)
    assert np.array_equal(np.isfinite(x), finite), (path, x, y)
    assert np.array_equal(x[~finite], y[~finite], equal_nan=True), (path, x, y)
    largest = np.abs(y[finite]).max(initial=0.0)
    room = ulps * np.finfo(y.dtype).eps * max(float(largest), 1.0)
    assert np.abs(x[finite] - y[finite]).max(initial=0.0) <= room, (path, x, y)


def draw(definition, case, dtype=np.float64, seed=0):
    """The arguments of a sample by name, arrays where it has floats, and attributes."""
    inputs, attrs = draw_case(definition, case, dtype, seed)
    if definition.random:
        attrs["seed"] = (3, 7)
    return dict(zip(definition.inputs, inputs, strict=True)), attrs


def feeds_of(args):
    """The arrays among arguments, in their order."""
    flat = [v for x in args.values() for v in (x if isinstance(x, list) else [x])]
    return [v for v in flat if isinstance(v, np.ndarray | np.generic)]


def build_sample(definition, args, attrs, kind="known"):
    """The outputs of the builder, and the placeholders that stand for its arrays."""
    tensors = []

    def placeholder(value):
        if not isinstance(value, np.ndarray | np.generic):
            return value
        untyped = kind == "untyped" and value.dtype.kind == "f"
        shape = value.shape if kind == "known" else None
        tensors.append(sf.placeholder(None if untyped else value.dtype, shape))
        return tensors[-1]

    given = {
        name: [placeholder(v) for v in x] if isinstance(x, list) else placeholder(x)
        for name, x in args.items()
    }
    result = BUILDERS[definition.kernel.__name__](**given, **attrs)
    return list(result) if isinstance(result, list) else [result], tensors


def with_gradients(outputs, tensors, feeds):
    """The outputs, and the first gradients of those that have them."""

    def has_slope(x, value=None):
        dtype = getattr(value, "dtype", x.static_dtype)
        return dtype is None or dtype.kind == "f"

    ys = [y for y in outputs if isinstance(y, sf.Tensor) and has_slope(y)]
    xs = [x for x, v in zip(tensors, feeds, strict=True) if has_slope(x, v)]
    found = []
    if ys and xs and all(y.op.type in sf.gradient_registry for y in ys):
        weighted = [y * (1.0 + 0.5 * i) for i, y in enumerate(ys)]
        try:
            found = sf.gradients(weighted, xs)
        except (LookupError, NotImplementedError):  # it has none on purpose
            found = []
    return [*outputs, *[sf.convert_to_tensor(g) for g in found if g is not None]]


def in_threads(count, work):
    """``work(i)`` in so many threads at once; what they return, in order."""
    results, errors = [None] * count, []
    start = threading.Barrier(count)

    def run(i):
        try:
            start.wait(PATIENCE)
            results[i] = work(i)
        except BaseException as error:
            errors.append(error)

    threads = [
        threading.Thread(target=run, args=(i,), daemon=True) for i in range(count)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(PATIENCE)
    assert not any(thread.is_alive() for thread in threads), "a thread is stuck"
    if errors:
        raise errors[0]
    return results
