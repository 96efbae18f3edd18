"""Every registered operation, on its own samples: declared and computed agree."""

import pkgutil
from importlib import import_module
from typing import Any

import numpy as np
import pytest

import similarflow as sf
from similarflow import ops
from similarflow.core.operators import BUILDERS
from similarflow.core.registry import DEFINITIONS, Definition
from similarflow.core.samples import Case
from similarflow.testing import check_gradients, draw_case, iterate_samples

for _module in pkgutil.iter_modules(ops.__path__):  # some load when first used
    import_module(f"{ops.__name__}.{_module.name}")
SAMPLES = [
    pytest.param(definition, case, id=f"{definition.type}-{i}")
    for definition in DEFINITIONS.values()
    for i, (_, case) in enumerate(iterate_samples([definition]))
]


def build(
    definition: Definition, case: Case, kind: str = "known", dtype: Any = np.float64
) -> tuple[Any, list[Any], dict[Any, Any]]:
    """The result of the builder on placeholders, those, and their feeds."""
    inputs, attrs = draw_case(definition, case, dtype)
    feeds: dict[Any, Any] = {}

    def placeholder(value: Any) -> Any:
        if not isinstance(value, np.ndarray | np.generic):
            return value
        shapes = {"known": value.shape, "partly": (None,) * value.ndim}
        untyped = kind == "untyped" and value.dtype.kind == "f"
        x = sf.placeholder(None if untyped else value.dtype, shapes.get(kind))
        feeds[x] = value
        return x

    args = [
        [placeholder(v) for v in x] if isinstance(x, list) else placeholder(x)
        for x in inputs
    ]
    named = dict(zip(definition.inputs, args, strict=True))
    return BUILDERS[definition.kernel.__name__](**named, **attrs), list(feeds), feeds


def outputs(result: Any) -> list[Any]:
    return list(result) if isinstance(result, list) else [result]


def fits(dims: Any, shape: tuple[int, ...]) -> bool:
    return dims is None or (
        len(dims) == len(shape)
        and all(n in (None, m) for n, m in zip(dims, shape, strict=True))
    )


@pytest.mark.parametrize("kind", ["known", "partly", "unknown", "untyped"])
@pytest.mark.parametrize(("definition", "case"), SAMPLES)
def test_declared_shape_and_dtype_hold(
    definition: Definition, case: Case, kind: str
) -> None:
    known, _, known_feeds = build(definition, case)
    result, _, feeds = build(definition, case, kind)
    with sf.Session() as sess:
        wanted = [np.asarray(v) for v in sess.run(outputs(known), known_feeds)]
        values = [np.asarray(v) for v in sess.run(outputs(result), feeds)]
    for tensor, value, want in zip(outputs(result), values, wanted, strict=True):
        assert fits(tensor.static_shape, value.shape)
        assert tensor.static_dtype in (None, value.dtype)
        if not definition.random:
            np.testing.assert_array_equal(value, want)
        if kind == "known" and not {"Where"} & {definition.type}:
            assert tensor.static_dtype == value.dtype


@pytest.mark.parametrize(("definition", "case"), SAMPLES)
def test_float32_stays_float32(definition: Definition, case: Case) -> None:
    wide, _, wide_feeds = build(definition, case)
    result, _, feeds = build(definition, case, dtype=np.float32)
    with sf.Session() as sess:
        values = [np.asarray(v) for v in sess.run(outputs(result), feeds)]
        wanted = [np.asarray(v) for v in sess.run(outputs(wide), wide_feeds)]
    for tensor, value, want in zip(outputs(result), values, wanted, strict=True):
        assert value.dtype == tensor.static_dtype
        assert value.dtype != np.float64 or want.dtype != np.float64 or not feeds
        if value.dtype.kind == "f" and not definition.random:
            np.testing.assert_allclose(value, want, rtol=2e-4, atol=1e-5)


@pytest.mark.parametrize(("definition", "case"), SAMPLES)
def test_inputs_are_left_alone(definition: Definition, case: Case) -> None:
    if definition.random or definition.writes:
        pytest.skip("needs a session's generator or variables")
    result, tensors, feeds = build(definition, case)
    before = {x: np.array(v) for x, v in feeds.items()}
    for value in feeds.values():
        if isinstance(value, np.ndarray):
            value.flags.writeable = False
    with sf.Session() as sess:
        for value in sess.run(outputs(result), feeds):
            if isinstance(value, np.ndarray):
                value[...] = value.dtype.type(0) if value.dtype != object else b""
    for x in tensors:
        np.testing.assert_array_equal(feeds[x], before[x])


@pytest.mark.parametrize("kind", ["known", "unknown"])
@pytest.mark.parametrize(("definition", "case"), SAMPLES)
def test_gradients_to_second_order(
    definition: Definition, case: Case, kind: str
) -> None:
    result, tensors, feeds = build(definition, case, kind)
    xs = [x for x in tensors if x.static_dtype == np.float64]
    floats = [y for y in outputs(result) if y.static_dtype == np.float64]
    rule = sf.gradient_registry.get(definition.type)
    if rule is None or not xs or not floats:
        assert definition.type in sf.gradient_registry or not xs or not floats
        return
    for y in floats:
        assert check_gradients(y, xs, feeds) < 1.0


def test_every_operation_says_what_its_gradient_is() -> None:
    rules = sf.gradient_registry
    silent = [t for t, d in DEFINITIONS.items() if t not in rules and not d.writes]
    assert set(silent) <= {"NoOp"}


def test_every_operation_has_samples() -> None:
    """But those that write, ask or call, have no output, or whose value is a list."""
    without = {
        t
        for t, d in DEFINITIONS.items()
        if not (d.samples or d.writes or d.calls or d.asks)
        and not t.startswith("TensorArray")
    }
    assert without <= {"NoOp", "CustomGradient", "Assert"}
