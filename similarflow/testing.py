"""Checks: that gradients are right, that operations do what they declare."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from .core.graph import Tensor, convert_to_tensor
from .core.registry import Definition
from .core.samples import Case, Draw
from .core.tf_gradients import gradients
from .ops.elementary import reduce_sum
from .runtime.session import Session

__all__ = ["check_gradients", "draw_case"]


def check_gradients(
    y: Any,
    xs: Any,
    feed_dict: Mapping[Any, Any] | None = None,
    *,
    order: int = 2,
    session: Session | None = None,
    rtol: float | None = None,
    atol: float | None = None,
    seed: int = 0,
) -> float:
    """Compare the gradients of `y` with finite differences, to second order.

    Each y is weighted with random numbers; for the second order, so is each gradient.
    Differences are central: ``(f(x + h) - f(x - h)) / 2h``.

    Parameters
    ----------
    y : tensor
        What to differentiate.
    xs : tensor, variable, or list of them
        Of dtype float64, or the check is a rough one. They are fed.
    feed_dict : dict, optional
        Values for placeholders, and for `xs`; what is missing is computed.
    order : int
        1 or 2.
    rtol, atol : float, optional
        Tolerances; by default 1e-5 and 1e-7 for float64, 2e-2 for float32.

    Returns
    -------
    float
        The largest difference.

    Raises
    ------
    AssertionError
        A gradient is wrong; it says of which x, where, and both numbers.
    TypeError
        An x holds no floats.

    Examples
    --------
    >>> import similarflow as sf
    >>> x = sf.constant([0.5, -2.0], sf.float64)
    >>> sf.testing.check_gradients(sf.tanh(x) * x, x) < 1e-6
    True
    """
    y = convert_to_tensor(y)
    xs = [convert_to_tensor(x) for x in (xs if isinstance(xs, list | tuple) else [xs])]
    session = session or Session(graph=y.graph)
    with y.graph.as_default():
        feeds = {convert_to_tensor(k): v for k, v in (feed_dict or {}).items()}
        for x in xs:
            if x not in feeds:
                feeds[x] = session.run(x, feed_dict)
            if x.static_dtype is not None and x.static_dtype.kind not in "fc":
                raise TypeError(
                    f"'{x.name}' is {x.dtype.name}, and only floats have slopes"
                )
            if x.static_dtype is None and np.asarray(feeds[x]).dtype.kind in "iu":
                feeds[x] = np.asarray(feeds[x], np.float64)
        rng = np.random.default_rng(seed)
        targets, worst = [y], 0.0
        for n in range(1, order + 1):
            total, grads = _weighted(targets, xs, session, feeds, rng)
            if total is None:
                break
            known = [(g, x) for g, x in zip(grads, xs, strict=True) if g is not None]
            label = f"{'first' if n == 1 else 'second'}-order gradient of '{y.name}'"
            for x, grad in zip(xs, grads, strict=True):
                found = _compare(label, total, x, grad, session, feeds, rtol, atol)
                worst = max(worst, found)
            targets = [g for g, _ in known]
    return worst


def _weighted(
    targets: Sequence[Tensor], xs: Sequence[Tensor], session: Session,
    feeds: Mapping[Any, Any], rng: np.random.Generator,
) -> tuple[Tensor | None, list[Any]]:  # fmt: skip
    """A weighted sum of all numbers in `targets`, and its gradients."""
    total: Tensor | None = None
    for target, value in zip(targets, session.run(list(targets), feeds), strict=True):
        value = np.asarray(value)
        if value.dtype.kind == "f":
            weights = rng.uniform(0.5, 1.5, value.shape).astype(value.dtype)
            part = reduce_sum(target * weights)
            total = part if total is None else total + part
    if total is None:
        return None, []
    grads = gradients(total, list(xs))
    return total, [None if g is None else convert_to_tensor(g) for g in grads]


def _compare(
    label: str, total: Tensor, x: Tensor, grad: Any, session: Session,
    feeds: Mapping[Any, Any], rtol: float | None, atol: float | None,
) -> float:  # fmt: skip
    at = np.asarray(feeds[x], dtype=x.static_dtype)
    if at.dtype.kind != "f":
        at = at.astype(np.float64)
    fine = at.dtype == np.float64
    rtol = rtol if rtol is not None else (1e-5 if fine else 2e-2)
    atol = atol if atol is not None else (1e-7 if fine else 2e-2)
    given = np.zeros_like(at) if grad is None else np.asarray(session.run(grad, feeds))
    if given.shape != at.shape:
        raise AssertionError(
            f"{label} by '{x.name}' has shape {given.shape}, not {at.shape}"
        )
    worst = 0.0
    for i in np.ndindex(at.shape):
        h = (1e-5 if fine else 1e-2) * max(1.0, abs(float(at[i])))
        values = []
        for sign in (1, -1):
            moved = at.copy()
            moved[i] += sign * h
            values.append(float(session.run(total, {**feeds, x: moved})))
        numeric = (values[0] - values[1]) / (2 * h)
        scale = max(
            abs(numeric), 1.0, 1e-3 * max(abs(v) for v in values) if fine else 0.0
        )
        difference = abs(float(given[i]) - numeric)
        if not difference <= atol * scale + rtol * abs(numeric):
            raise AssertionError(
                f"{label} by '{x.name}' at {list(i)}: the rules give {given[i]!r}, "
                f"differences give {numeric:.8g}"
            )
        worst = max(worst, difference)
    return worst


def draw_case(
    definition: Definition, case: Case, dtype: Any = np.float64, seed: int = 0
) -> tuple[list[Any], dict[str, Any]]:
    """The arguments of a sample: inputs as arrays, and the attributes.

    Floats are drawn as `dtype`; a list of inputs stays a list.
    """
    rng = np.random.default_rng(seed)

    def draw(value: Any) -> Any:
        if isinstance(value, Draw):
            if value.kind == "integers":
                return rng.integers(
                    int(value.low), int(value.high), value.shape, dtype=np.int32
                )
            low, high = value.low, value.high
            drawn = rng.normal(size=value.shape) if value.kind == "normal" else None
            return np.asarray(
                rng.uniform(low, high, value.shape) if drawn is None else drawn,
                dtype=dtype,
            )
        array = np.asarray(value)
        return array.astype(dtype) if array.dtype == np.float64 else value

    order = [n for n in definition.order if n != "name"]
    named = {**dict(zip(order, case.args, strict=False)), **case.attrs}
    inputs: list[Any] = []
    for key in definition.inputs:
        value = named.pop(key)
        inputs.append([draw(v) for v in value] if definition.variadic else draw(value))
    return inputs, named


def iterate_samples(
    definitions: Iterable[Definition],
) -> Iterable[tuple[Definition, Case]]:
    """Every sample of every operation."""
    return ((d, case) for d in definitions for case in d.samples)
