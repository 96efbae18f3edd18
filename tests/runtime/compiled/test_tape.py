"""Tapes: what is recorded of a kernel gives the kernel's numbers, in place or not."""

import itertools

import numpy as np
import pytest

import similarflow as sf
from similarflow.core.registry import DEFINITIONS
from similarflow.runtime.compiled.tape import Ref, record

from .compare import SAMPLES, both, build_sample, draw, feeds_of, is_same_float


def replay(tape, inputs):
    """Take the calls of a tape into new arrays; gives the outputs, checks the form."""
    results = []
    for call in tape.calls:
        args = [
            (results[x.place] if x.place >= 0 else inputs[-1 - x.place])
            if isinstance(x, Ref) else x
            for x in call.args
        ]  # fmt: skip
        out = np.empty(call.dims, call.dtype)
        out.fill(b"?" if out.dtype == object else 77)
        call.f(*args, out)
        results.append(out)
    return [results[i] for i in tape.outputs]


def spec(x):
    return np.shape(x), np.asarray(x).dtype


def of_kernel(type, *inputs, **attrs):
    definition = DEFINITIONS[type]
    attrs = {**definition.attrs, **attrs}
    return record(lambda *args: definition.kernel(*args, **attrs), [*map(spec, inputs)])


TAPED = [
    "Add", "Sub", "Mul", "Neg", "Square", "RealDiv", "Maximum", "Minimum", "Exp",
    "Tanh", "Sigmoid", "Relu", "Sqrt", "SquaredDifference", "Sum", "Greater", "Log",
    "Abs",
]  # fmt: skip
UNTAPED = ["Transpose", "ConcatV2", "GatherV2", "Reshape", "CumSum", "Where", "TopKV2"]


@pytest.mark.parametrize("type", TAPED)
def test_common_kernels_have_a_tape(type):
    x = np.float32([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
    tape = of_kernel(type, *[x] * len(DEFINITIONS[type].inputs))
    assert tape is not None
    assert len(tape.outputs) == 1


@pytest.mark.parametrize("type", [t for t in UNTAPED if t in DEFINITIONS])
def test_what_is_no_list_of_ufuncs_has_no_tape(type):
    x = np.float32([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
    definition = DEFINITIONS[type]
    count = 2 if definition.variadic else len(definition.inputs)
    assert of_kernel(type, *[x] * count) is None


DTYPES = [np.float64, np.float32, np.float16]


@pytest.mark.parametrize(
    ("definition", "case"), [pytest.param(d, c, id=n) for n, d, c in SAMPLES]
)
def test_a_tape_gives_the_numbers_of_its_kernel(definition, case):
    if definition.random or definition.asks or definition.calls or definition.effects:
        pytest.skip("its kernel takes more than arrays")
    for dtype in DTYPES:
        with np.errstate(all="ignore"):
            args, attrs = draw(definition, case, dtype)
        outputs, tensors = build_sample(definition, args, attrs)
        op = getattr(outputs[0], "op", outputs[0])
        if op.definition is None or op.definition.random or not op.inputs:
            return
        feeds = dict(zip(tensors, feeds_of(args), strict=True))
        simple = sf.Session(engine="simple")
        inputs = [np.array(v) for v in simple.run([*op.inputs], feeds)]

        def kernel(*values, op=op):
            return op.compute(*values)

        tape = record(kernel, [*map(spec, inputs)])
        if tape is None:
            return
        before = [np.array(x) for x in inputs]
        for x in inputs:
            x.flags.writeable = False
        with np.errstate(all="ignore"):
            wanted = kernel(*inputs)
            results = replay(tape, inputs)
        wanted = wanted if isinstance(wanted, list | tuple) else [wanted]
        for value, want in zip(results, wanted, strict=True):
            want = np.asarray(want)
            assert (value.shape, value.dtype) == (want.shape, want.dtype)
            floats = want.dtype.kind in "fc"
            assert is_same_float(value, want) if floats else np.array_equal(value, want)
        for x, y in zip(inputs, before, strict=True):
            assert np.array_equal(x, y, equal_nan=x.dtype.kind in "fc")


SPECIAL = [0.0, -0.0, 1.0, -1.0, np.nan, np.inf, -np.inf, 1e-45, -3e38, 2.5]


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int32, np.int64])
def test_choosing_gives_the_bits_of_where(dtype):
    with np.errstate(all="ignore"):
        x = np.array(SPECIAL if np.dtype(dtype).kind == "f" else range(-5, 5), dtype)
    y = x[::-1].copy()
    mask = np.array([True, False] * 5)
    zero = np.zeros((), dtype)
    kernels = [
        lambda m, a, b: np.where(m, a, b),
        lambda m, a, b: np.where(m, a, zero) + np.where(m, zero, b),
        lambda m, a, b: np.where(m, np.where(m, b, a), a),
        lambda m, a, b: np.where(m, a, -zero),
    ]
    for kernel in kernels:
        for args in (
            (mask, x, y),
            (mask, x, x[3:4]),
            (mask[:1], x, y),
            (mask, x[:1], y),
        ):
            tape = record(kernel, [*map(spec, args)])
            if tape is None:
                continue
            with np.errstate(all="ignore"):
                [value], want = replay(tape, args), kernel(*args)
            assert value.dtype == want.dtype
            assert value.tobytes() == want.tobytes()


def test_kernels_that_look_at_values_have_no_tape():
    def branches(x):
        return x + 1 if x.sum() > 0 else x

    def counts(x):
        return np.add(x, len(x))

    def loops(x):
        return np.stack([row * 2 for row in x])

    def keeps(x):
        return x

    def casts(x):
        return x.astype(np.float64)

    def reads(x):
        return x * float(x[0])

    def writes(x):
        x += 1
        return x * 2

    for kernel in (branches, counts, loops, keeps, casts, reads):
        assert record(kernel, [((3,), np.dtype(np.float32))]) is None
    tape = record(writes, [((3,), np.dtype(np.float32))])
    if tape is not None:
        x = np.float32([1, 2, 3])
        assert replay(tape, [x])[0].tolist() == [4.0, 6.0, 8.0]
        assert x.tolist() == [1.0, 2.0, 3.0]


@pytest.mark.parametrize(
    "number", [2, 2.0, True, 2j, np.float64(2), np.float32(2), np.int64(2), np.int8(2)]
)
@pytest.mark.parametrize("dtype", ["?", "u1", "i1", "i4", "i8", "f2", "f4", "f8", "c8"])
def test_dtypes_are_promoted_as_numpy_does(number, dtype):
    x = np.array([0, 1, 3], dtype)
    for f in (np.add, np.multiply, np.true_divide, np.maximum, np.power, np.less):
        for kernel in (
            lambda a, f=f: f(a, number), lambda a, f=f: f(number, a),
            lambda a, f=f: f(f(a, number), a),
        ):  # fmt: skip
            tape = record(kernel, [spec(x)])
            with np.errstate(all="ignore"):
                try:
                    want = kernel(x)
                except (TypeError, ValueError, OverflowError):
                    continue
                if tape is not None:
                    [value] = replay(tape, [x])
                    assert value.dtype == want.dtype
                    assert np.array_equal(
                        value, want, equal_nan=want.dtype.kind in "fc"
                    )


def test_operations_promote_untyped_inputs_as_the_simple_engine():
    x, y = sf.placeholder(None, [2]), sf.placeholder(None, [2])
    fetches = [x + y, x * y - x, sf.maximum(x, y), x / y, sf.square(x) * 2.5, x < y]
    kinds = [np.int8, np.int32, np.float16, np.float32, np.float64]
    both(
        fetches,
        *[
            {x: np.array([1, 2], a), y: np.array([3, 4], b)}
            for a, b in itertools.product(kinds, kinds)
        ],
    )


def test_numbers_are_scalars_in_both_engines():
    x = sf.placeholder(sf.float32, [])
    y = sf.tanh(x) * 2.0
    fetches = [y, y > 0.5, sf.reduce_sum(y), sf.cast(y, sf.int32), sf.maximum(y, x), -x]
    for value in both(fetches, *[{x: n} for n in (0.3, -1.0, np.nan, 1e30)])[0]:
        assert isinstance(value, np.generic)


# In place


def test_calls_in_place_spare_what_is_read_later():
    x = sf.placeholder(sf.float32, [5])
    a = sf.tanh(x)
    b = a * 2.0
    c = sf.exp(b) + a
    d = sf.sigmoid(c) - b * c
    e = sf.where(d > a, d * c, sf.maximum(a, b) - d)
    f = sf.add_n([e, a, e, d, a])
    chain = [a, b, c, d, e, f, f - f * (a + b) / (c * c + 1.0)]
    rng = np.random.default_rng(0)
    for n in range(1, len(chain) + 1):
        for fetches in (chain[-n:], chain[:n], chain[n - 1 :: -1]):
            both(fetches, *[{x: rng.normal(size=5)} for _ in range(3)])


def test_views_of_what_is_overwritten():
    x = sf.placeholder(sf.float32, [4, 4])
    a = x * 2.0
    turned, row, flat = sf.transpose(a), a[1], sf.reshape(a, [-1])
    spread = sf.broadcast_to(row, [4, 4])
    fetches = [
        a * 3.0 + turned,
        (a - turned) * turned,
        sf.reshape(flat * 2.0, [4, 4]) - a,
        spread * a - row,
        sf.matmul(a, turned) - a,
        sf.reverse(a, [0]) + a,
        sf.reshape(turned, [-1]) - flat,
    ]
    rng = np.random.default_rng(0)
    whole = rng.integers(-9, 9, (4, 4))
    for n in range(1, len(fetches) + 1):
        both(fetches[:n], {x: whole}, {x: whole.T})
        both([sf.reduce_sum(y) for y in fetches[-n:]], {x: whole}, {x: whole + 1})


def test_an_argument_given_twice():
    x = sf.placeholder(sf.float32, [3])
    y = x + 1.0
    fetches = [
        y * y,
        y - y,
        sf.maximum(y, y),
        sf.add_n([y, y, y]),
        sf.where(y > y, y, y),
    ]
    for fetch in (*fetches, fetches):
        both(fetch, {x: [1.0, np.inf, np.nan]}, {x: [1.0, 2.0, 3.0]})
