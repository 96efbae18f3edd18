"""Values kept within bounds, tensors kept to a norm, one by one or all together."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from numbers import Real
from typing import Any

from ..core.constant import constant
from ..core.convert import fits
from ..core.graph import Tensor, convert_to_tensor, graph_of
from .choose import where
from .composite import composite
from .elementary import multiply
from .indexed_slices import IndexedSlices
from .known import show
from .logic import cast_like
from .math import maximum, minimum, real_div
from .norms import norm_of_all, reduce_euclidean_norm
from .roots import sqrt
from .rounding import is_finite
from .shape import size


def _clipped(
    t: Any, bounds: Sequence[Any], clip: Callable[[Tensor, str], Tensor], name: str
) -> Any:
    """``clip(values, scope)`` of a tensor, or of the values of slices."""
    if isinstance(t, IndexedSlices):
        values = _clipped(t.values, bounds, clip, name)
        return IndexedSlices(values, t.indices, t.dense_shape)
    graph = graph_of([t, *bounds])
    with graph.as_default(), graph.name_scope(name) as scope:
        tensor = convert_to_tensor(t, name="t")
        result = clip(tensor, scope)
        if not fits(tensor.static_shape, result.static_shape):
            raise ValueError(
                f"the bounds make {show(result.static_shape)} of the shape of t, "
                f"{show(tensor.static_shape)}: they are larger than t"
            )
    return result


@composite
def clip_by_value(
    t: Any, clip_value_min: Any, clip_value_max: Any, name: str | None = None
) -> Any:
    """`t` with what is below the one bound and above the other set to that bound.

    The gradient of `t` passes where it lies between the bounds or on one of them;
    elsewhere it goes to the bound.

    Parameters
    ----------
    t : tensor or IndexedSlices
        Numbers; of slices the values are clipped.
    clip_value_min, clip_value_max : tensor
        The bounds: numbers, or tensors that broadcast to the shape of `t`.
    name : str, optional
        The operation's name.

    Raises
    ------
    ValueError
        A bound has more elements than `t`.

    Examples
    --------
    >>> import similarflow as sf
    >>> sf.Session().run(sf.clip_by_value([-3.0, 0.5, 3.0], -1.0, 1.0))
    array([-1. ,  0.5,  1. ], dtype=float32)
    """

    def clip(x: Tensor, scope: str) -> Any:
        return maximum(minimum(x, clip_value_max), clip_value_min, name=scope)

    bounds = [clip_value_min, clip_value_max]
    return _clipped(t, bounds, clip, name or "clip_by_value")


@composite
def clip_by_norm(
    t: Any, clip_norm: Any, axes: Any = None, name: str | None = None
) -> Any:
    """`t`, scaled down to the Euclidean norm `clip_norm` if its own is larger.

    Parameters
    ----------
    t : tensor or IndexedSlices
        Floats; of slices the values are clipped.
    clip_norm : float or scalar tensor
        The largest norm, above 0.
    axes : list of int, optional
        The axes of the norm; all of `t` is one vector by default.
    name : str, optional
        The operation's name.

    Examples
    --------
    >>> import similarflow as sf
    >>> sf.Session().run(sf.clip_by_norm([[3.0, 4.0], [0.3, 0.4]], 1.0, axes=[1]))
    array([[0.6, 0.8],
           [0.3, 0.4]], dtype=float32)
    """

    def clip(x: Tensor, scope: str) -> Any:
        length = reduce_euclidean_norm(x, axes, keepdims=True)
        return multiply(x, _factor(length, clip_norm), name=scope)

    return _clipped(t, [clip_norm], clip, name or "clip_by_norm")


def _factor(length: Tensor, clip_norm: Any) -> Any:
    """What brings `length` down to `clip_norm`: exactly 1 if it is not above that."""
    return real_div(clip_norm, maximum(length, clip_norm))


@composite
def clip_by_average_norm(t: Any, clip_norm: Any, name: str | None = None) -> Any:
    """`t`, scaled down so that its Euclidean norm is `clip_norm` per element at most.

    Parameters
    ----------
    t : tensor or IndexedSlices
        Floats; of slices the values are clipped.
    clip_norm : float or scalar tensor
        The largest norm divided by the number of elements, above 0.
    name : str, optional
        The operation's name.
    """

    def clip(x: Tensor, scope: str) -> Any:
        length = reduce_euclidean_norm(x)
        return multiply(
            x, _factor(length / cast_like(size(x), length), clip_norm), name=scope
        )

    return _clipped(t, [clip_norm], clip, name or "clip_by_average_norm")


def _values_of(t_list: Any) -> list[Any]:
    """The tensors in a list; of slices the values; None stays."""
    if not isinstance(t_list, Sequence) or isinstance(t_list, str):
        raise TypeError(f"a list of tensors is expected, not {t_list!r}")
    return [
        t if t is None else t.values if isinstance(t, IndexedSlices)
        else convert_to_tensor(t)
        for t in t_list
    ]  # fmt: skip


@composite
def global_norm(t_list: Any, name: str | None = None) -> Tensor:
    """The Euclidean norm of all numbers in a list of tensors together.

    Parameters
    ----------
    t_list : list of tensors, IndexedSlices (whose values count) and None
        Floats of one dtype. The norm of nothing is 0.
    name : str, optional
        The operation's name.

    Examples
    --------
    >>> import similarflow as sf
    >>> float(sf.Session().run(sf.global_norm([[3.0, 4.0], None, 12.0])))
    13.0
    """
    values = [v for v in _values_of(t_list) if v is not None]
    graph = graph_of(values)
    with graph.as_default(), graph.name_scope(name or "global_norm"):
        if not values:
            return constant(0.0, name="global_norm")
        result: Tensor = norm_of_all(values, name="global_norm")
    return result


@composite
def clip_by_global_norm(
    t_list: Any, clip_norm: Any, use_norm: Any = None, name: str | None = None
) -> tuple[list[Any], Tensor]:
    """The tensors of a list, all scaled down alike if their global norm is too large.

    If that norm is inf or nan, all results are nan.

    Parameters
    ----------
    t_list : list of tensors, IndexedSlices and None
        Floats of one dtype, such as gradients; None stays None.
    clip_norm : float or scalar tensor
        The largest global norm, above 0.
    use_norm : scalar tensor, optional
        The global norm, if it is known already.
    name : str, optional
        The operation's name.

    Returns
    -------
    list, tensor
        The clipped tensors, and the global norm before.

    Examples
    --------
    >>> import similarflow as sf
    >>> clipped, norm = sf.clip_by_global_norm([[3.0, 4.0], 12.0], 6.5)
    >>> sf.Session().run([*clipped, norm])
    [array([1.5, 2. ], dtype=float32), np.float32(6.0), np.float32(13.0)]
    """
    values = _values_of(t_list)
    known = [v for v in values if v is not None]
    length = global_norm(values, name) if use_norm is None else use_norm
    graph = graph_of([*known, clip_norm, length])
    with graph.as_default(), graph.name_scope(name or "clip_by_global_norm") as scope:
        dtype = known[0].static_dtype if known else None
        length = convert_to_tensor(length, None if use_norm is None else dtype)
        factor = where(is_finite(length), _factor(length, clip_norm), math.nan)
        clipped: list[Any] = []
        for i, (t, value) in enumerate(zip(t_list, values, strict=True)):
            if value is not None:
                value = multiply(value, factor, name=f"{scope.split('/')[-2]}/_{i}")
            if isinstance(t, IndexedSlices):
                value = IndexedSlices(value, t.indices, t.dense_shape)
            clipped.append(value)
    return clipped, length


@composite
def l2_normalize(
    x: Any,
    axis: Any = None,
    epsilon: Any = 1e-12,
    name: str | None = None,
    dim: Any = None,
) -> Tensor:
    """`x` divided by its Euclidean norm along `axis`; not by less than sqrt(epsilon).

    Where all is 0, so is the result; its gradient there is that of a division by
    ``sqrt(epsilon)``, a million.

    Parameters
    ----------
    x : tensor
        Floats.
    axis : int or list of int, optional
        All of `x` by default; `dim` is its older name.
    epsilon : float
        The smallest sum of squares to divide by.
    name : str, optional
        The operation's name.

    Examples
    --------
    >>> import similarflow as sf
    >>> sf.Session().run(sf.nn.l2_normalize([[3.0, 4.0], [0.0, 0.0]], 1))
    array([[0.6, 0.8],
           [0. , 0. ]], dtype=float32)
    """
    if axis is not None and dim is not None:
        raise ValueError("axis and dim are the same; give one of them")
    axis = dim if axis is None else axis
    graph = graph_of([x])
    with graph.as_default(), graph.name_scope(name or "l2_normalize") as scope:
        x = convert_to_tensor(x, name="x")
        least = math.sqrt(epsilon) if isinstance(epsilon, Real) else sqrt(epsilon)
        length = maximum(reduce_euclidean_norm(x, axis, keepdims=True), least)
        result: Tensor = real_div(x, length, name=scope)
    return result
