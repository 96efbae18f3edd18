"""``tf.gradients``: the gradients for a list of xs."""

from __future__ import annotations

from enum import Enum
from typing import Any

from .gradients import compute_gradients
from .graph import Tensor, convert_to_tensor
from .operators import BUILDERS


class UnconnectedGradients(Enum):
    """What `gradients` gives where nothing connects y and x."""

    NONE = "none"
    ZERO = "zero"


def gradients(
    ys: Any,
    xs: Any,
    grad_ys: Any = None,
    name: str = "gradients",
    colocate_gradients_with_ops: bool = False,
    gate_gradients: bool = False,
    aggregation_method: Any = None,
    stop_gradients: Any = None,
    unconnected_gradients: Any = UnconnectedGradients.NONE,
) -> list[Any]:
    """The gradients of the sum of `ys` with respect to each of `xs`, as tensors.

    Parameters
    ----------
    ys, xs : tensor, variable, or list of them
        What to differentiate, and with respect to what.
    grad_ys : tensor or list, optional
        A factor for each y, of its shape; ones by default.
    stop_gradients : tensor or list, optional
        Tensors that count as constants.
    unconnected_gradients : str
        "none" gives None for an x that no y depends on, "zero" gives zeros.

    Returns
    -------
    list
        For each x a tensor of its shape, an IndexedSlices, or None.

    Raises
    ------
    LookupError
        An operation between has no gradient rule.

    Examples
    --------
    >>> import similarflow as sf
    >>> x = sf.constant([1.0, 2.0])
    >>> sf.Session().run(sf.gradients(x * x, x))
    [array([2., 4.], dtype=float32)]
    """
    ys = _as_list(ys)
    xs = [convert_to_tensor(x) for x in _as_list(xs)]
    seeds = None if grad_ys is None else _as_list(grad_ys)
    if seeds is not None and len(seeds) != len(ys):
        raise ValueError(f"{len(ys)} ys need as many grad_ys, got {len(seeds)}")
    zero = UnconnectedGradients(unconnected_gradients) is UnconnectedGradients.ZERO
    stops = [] if stop_gradients is None else _as_list(stop_gradients)
    table = compute_gradients(ys, xs, seeds, stops, name or "gradients")
    return [_or_zero(table.get(x.node), x, zero) for x in xs]


def _or_zero(grad: Any, x: Tensor, zero: bool) -> Any:
    return BUILDERS["zeros_like"](x) if grad is None and zero else grad


def _as_list(items: Any) -> list[Any]:
    return list(items) if isinstance(items, list | tuple) else [items]
