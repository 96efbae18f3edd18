"""Sums and products of all entries so far, along an axis; the sum of a list."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..core.convert import Array, agree, as_dims, as_np_dtype
from ..core.graph import Operation, Spec, Tensor, convert_to_tensor
from ..core.infer import common_dtype, reduced_dims
from ..core.registry import op
from ..core.rules import RegisterGradient
from ..core.samples import case, integers, normal
from .choose import identity, where
from .composite import composite
from .elementary import add_n
from .known import as_axis, merge_dims
from .logic import not_equal
from .math import exp
from .reducing import as_flag, narrowed, wide


def _infer_along(x: Tensor, axis: int | None = 0, **attrs: Any) -> Spec:
    if axis is None:
        raise ValueError("axis is one whole number, 0 for the first, and not None")
    reduced_dims(x.static_shape, (axis,), False)  # refuses an axis out of range
    return x.static_shape, x.static_dtype


ALONG: dict[str, Any] = {
    "infer": _infer_along,
    "converters": {"axis": as_axis, "exclusive": as_flag, "reverse": as_flag},
}
RUNS = (
    case(normal(4)),
    case(normal(2, 3), 1),
    case(normal(2, 3), axis=0, exclusive=True),
    case(normal(2, 3, 2), axis=-2, reverse=True),
    case(normal(3), exclusive=True, reverse=True),
    case(normal(1, 2), 0, True),
    case(normal(0, 2)),
    case(normal(2, 0), 0, True, True),
)
WHOLE = (case(integers(-9, 9, 2, 3), 1), case(integers(-9, 9, 3), exclusive=True))


def _along(
    x: Array, axis: int, exclusive: bool, reverse: bool,
    run: Callable[[Array], Array], start: float,
) -> Array:  # fmt: skip
    """`run`, which goes along the first axis, along any, in both directions.

    With `exclusive` the results begin with `start` and end before the last. Those of
    half precision are computed in single.
    """
    reduced_dims(np.shape(x), (axis,), False)  # refuses a number
    first = np.moveaxis(np.asarray(x, wide(x)), axis, 0)
    first = first[::-1] if reverse else first
    result = run(first)
    if exclusive and len(first):
        before = np.full_like(result[:1], start)
        result = np.concatenate([before, result[:-1]])
    return narrowed(np.moveaxis(result[::-1] if reverse else result, 0, axis), x)


@op("Cumsum", samples=[*RUNS, *WHOLE], **ALONG)
def cumsum(
    x: Array, axis: int = 0, exclusive: bool = False, reverse: bool = False
) -> Array:
    """The sums of all entries up to each one, along an axis; keeps the dtype.

    Parameters
    ----------
    x : tensor
        Numbers, of rank 1 or more.
    axis : int
        The first axis by default.
    exclusive : bool
        Each sum ends before its entry, so that the first is 0.
    reverse : bool
        The sums start at the other end.
    name : str, optional
        The operation's name.

    Examples
    --------
    >>> import similarflow as sf
    >>> x = sf.constant([1, 2, 3])
    >>> sf.Session().run([sf.cumsum(x), sf.cumsum(x, exclusive=True)])
    [array([1, 3, 6], dtype=int32), array([0, 1, 3], dtype=int32)]
    """
    return _along(x, axis, exclusive, reverse, lambda x: x.cumsum(0, dtype=x.dtype), 0)


@RegisterGradient("Cumsum")
def _cumsum_grad(op: Operation, grad: Tensor) -> Any:
    back = {**op.attrs, "reverse": not op.attrs["reverse"]}
    return cumsum(grad, **back)


@op("Cumprod", **ALONG, samples=[
    *RUNS, *WHOLE, case([2.0, 0.0, 3.0, 0.0, 0.5]),
    case([2.0, 0.0, 3.0, 0.0], exclusive=True, reverse=True),
])  # fmt: skip
def cumprod(
    x: Array, axis: int = 0, exclusive: bool = False, reverse: bool = False
) -> Array:
    """The products of all entries up to each one; the arguments are those of `cumsum`.

    The gradients are right where entries are 0, too, to any order; TensorFlow's are not
    (it divides the products by the entries).

    Examples
    --------
    >>> import similarflow as sf
    >>> x = sf.constant([2.0, 0.0, 3.0])
    >>> y = sf.cumprod(x)
    >>> sf.Session().run([y, sf.gradients(y, x)[0]])
    [array([2., 0., 0.], dtype=float32), array([1., 8., 0.], dtype=float32)]
    """
    return _along(x, axis, exclusive, reverse, lambda x: x.cumprod(0, dtype=x.dtype), 1)


@RegisterGradient("Cumprod")
def _cumprod_grad(op: Operation, grad: Tensor) -> Any:
    x = op.inputs[0]
    axis, exclusive, reverse = (op.attrs[k] for k in ("axis", "exclusive", "reverse"))
    # entry k is in all products i from k on: those before it times those behind it
    before = cumprod(x, axis=axis, exclusive=True, reverse=reverse)
    kind = "between" if exclusive else "source"
    behind = cumsum_product(grad, x, axis=axis, kind=kind, reverse=not reverse)
    return before * behind


def _infer_pair(x: Tensor, factors: Tensor, axis: int, **attrs: Any) -> Spec:
    reduced_dims(x.static_shape, (axis,), False)
    dims = merge_dims(x.static_shape, factors.static_shape)
    return dims, common_dtype(x, factors)


ADJOINT = {"target": "source", "source": "target", "between": "between"}


@op("CumsumProduct", infer=_infer_pair, samples=[
    case(normal(4), normal(4), 0, "target"),
    case(normal(2, 3), normal(2, 3), 1, "source"),
    case(normal(4), [2.0, 0.0, 0.0, 3.0], 0, "between", True),
    case(normal(3, 2), normal(3, 2), 0, "target", True),
    case(normal(2, 4), normal(2, 4), -1, "source", True),
    case(normal(0, 2), normal(0, 2), 0, "between"),
    case(normal(1, 2), normal(1, 2), 0, "between"),
])  # fmt: skip
def cumsum_product(
    x: Array, factors: Array, axis: int = 0, kind: str = "target", reverse: bool = False
) -> Array:
    """Sums so far, where an entry is multiplied by a factor at each step it is carried.

    ``y[i]`` is the sum over all ``j`` up to ``i`` of ``x[j]``, times the factors from
    ``j`` to ``i``: without that at ``j`` if `kind` is "target", without that at ``i``
    if it is "source", without both if it is "between" (then ``j`` ends before ``i``).
    With all factors 1 these are cumsum, cumsum, and the exclusive cumsum. The three,
    forward and reverse, are closed under differentiation.
    """
    first, rates = (np.moveaxis(a, axis, 0) for a in (x, factors))
    if reverse:
        first, rates = first[::-1], rates[::-1]
    y = np.array(first, wide(x, factors))
    if kind == "between":
        y[1:], y[:1] = first[:-1], 0
    shift = 0 if kind == "target" else 1
    for i in range(1, len(y)):
        y[i] += rates[i - shift] * y[i - 1]
    return narrowed(np.moveaxis(y[::-1] if reverse else y, 0, axis), x, factors)


@RegisterGradient("CumsumProduct")
def _cumsum_product_grad(op: Operation, grad: Tensor) -> Any:
    x, factors = op.inputs
    axis, kind, reverse = (op.attrs[k] for k in ("axis", "kind", "reverse"))

    def ahead(kind: str) -> Tensor:
        result: Tensor = cumsum_product(x, factors, axis, kind, reverse)
        return result

    def back(kind: str) -> Tensor:
        result: Tensor = cumsum_product(grad, factors, axis, kind, not reverse)
        return result

    # a factor carries what is summed before it to the sums behind it
    into = ahead("source" if kind == "source" else "between")
    out = back("source" if kind == "target" else "between")
    return back(ADJOINT[kind]), into * out


@op("CumulativeLogsumexp", accepts="plain", **ALONG, samples=[
    *RUNS[:2], *RUNS[3:4], *RUNS[6:7], case([1000.0, 0.0, -1000.0, 1000.0]),
])  # fmt: skip
def cumulative_logsumexp(
    x: Array, axis: int = 0, exclusive: bool = False, reverse: bool = False
) -> Array:
    """``log(cumsum(exp(x)))``, which overflows for no `x`; arguments as of `cumsum`.

    The logarithm of an empty sum is -inf.

    Examples
    --------
    >>> import similarflow as sf
    >>> sf.Session().run(sf.math.cumulative_logsumexp([1000.0, 1000.0])).round(3)
    array([1000.   , 1000.693], dtype=float32)
    """
    return _along(x, axis, exclusive, reverse, np.logaddexp.accumulate, -np.inf)


@RegisterGradient("CumulativeLogsumexp")
def _cumulative_logsumexp_grad(op: Operation, grad: Tensor) -> Any:
    x = op.inputs[0]
    axis, exclusive, reverse = (op.attrs[k] for k in ("axis", "exclusive", "reverse"))
    whole = cumulative_logsumexp(x, axis, False, reverse)
    before = cumulative_logsumexp(x, axis, True, reverse)
    # exp(x[j] - y[i]) is the share of x[j] in whole[j], times the shares of the sums
    # before in the sums from there to i, which are 1 at most
    kind = "between" if exclusive else "source"
    kept = _share(before, whole)
    behind = cumsum_product(grad, kept, axis, kind, not reverse)
    return _share(x, whole) * behind


def _share(part: Tensor, whole: Tensor) -> Tensor:
    """``exp(part - whole)``; 0 where the whole is nothing, with the logarithm -inf."""
    share: Tensor = exp(where(not_equal(whole, -np.inf), part - whole, -np.inf))
    return share


@composite
def accumulate_n(
    inputs: Any, shape: Any = None, tensor_dtype: Any = None, name: str | None = None
) -> Tensor:
    """The sum of a list of tensors of one shape, the same as `add_n`.

    Parameters
    ----------
    inputs : list of tensors
        At least one.
    shape, tensor_dtype : optional
        What the tensors must have.
    name : str, optional
        The operation's name.

    Raises
    ------
    ValueError
        The list is empty, or the shapes differ.
    TypeError
        The dtypes differ.
    """
    if not isinstance(inputs, list | tuple) or not inputs:
        raise ValueError(f"accumulate_n takes a list of tensors, not {inputs!r}")
    tensors = [convert_to_tensor(x) for x in inputs]
    dims, dtype = as_dims(shape), as_np_dtype(tensor_dtype)
    for x in tensors:
        merge_dims(dims, x.static_shape)
        if not agree(dtype, x.static_dtype):
            raise TypeError(f"tensor_dtype is {dtype}, and {x!r} has another")
    if len(tensors) == 1 and name is None:
        return tensors[0]
    result: Tensor = (
        add_n(tensors, name=name) if len(tensors) > 1 else identity(tensors[0], name)
    )
    return result
