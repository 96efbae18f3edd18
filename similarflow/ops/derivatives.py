"""Second derivatives and whole Jacobians, made from gradients of gradients."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np

from ..core.convert import fits
from ..core.graph import Dims, Tensor, convert_to_tensor
from ..core.tf_gradients import gradients
from .composite import composite
from .join import stack
from .logic import cast_like
from .reshape import reshape
from .shape import zeros_like


@composite
def hessians(
    ys: Any,
    xs: Any,
    name: str = "hessians",
    colocate_gradients_with_ops: bool = False,
    gate_gradients: bool = False,
    aggregation_method: Any = None,
) -> list[Any]:
    """The matrices of second derivatives of the sum of `ys`, one for each of `xs`.

    A gradient is built for each number in x: right for small xs. For large ones, see
    `hessian_vector_product`.

    Parameters
    ----------
    ys, xs : tensor, variable, or list of them
        What to differentiate, and with respect to what. Of each x the shape must be
        known before a run.
    name : str
        The name of the operations.
    colocate_gradients_with_ops, gate_gradients, aggregation_method
        Hints of TensorFlow's, which change nothing.

    Returns
    -------
    list
        For each x a tensor of shape ``x.shape + x.shape``: at ``[i, j]`` the derivative
        by ``x[i]`` and ``x[j]``. None for an x that no y depends on.

    Raises
    ------
    ValueError
        The shape of an x is not known before a run.

    Examples
    --------
    >>> import similarflow as sf
    >>> x = sf.constant([1.0, 2.0])
    >>> sf.Session().run(sf.hessians(x[0] ** 2 * x[1], x))
    [array([[4., 2.],
           [2., 0.]], dtype=float32)]
    """
    xs = [convert_to_tensor(x) for x in (xs if isinstance(xs, list | tuple) else [xs])]
    for x in xs:
        _known_dims(x, "x")
    firsts = gradients(ys, xs, name=name)
    return [
        None if first is None else _square(_as_tensor_of(first, x), x, name)
        for first, x in zip(firsts, xs, strict=True)
    ]


@composite
def jacobian(y: Any, x: Any, name: str = "jacobian") -> Any:
    """The derivatives of every number in `y` with respect to every number in `x`.

    A gradient is built for each number in `y`.

    Parameters
    ----------
    y : tensor
        What to differentiate. Its shape must be known before a run.
    x : tensor or variable
        With respect to what.
    name : str
        The name of the operations.

    Returns
    -------
    tensor or None
        Of shape ``y.shape + x.shape``: at ``[i, j]`` the derivative of ``y[i]`` by
        ``x[j]``. None if `y` does not depend on `x`.

    Raises
    ------
    ValueError
        The shape of `y` is not known before a run.

    Examples
    --------
    >>> import similarflow as sf
    >>> x = sf.constant([1.0, 2.0])
    >>> sf.Session().run(sf.jacobian(sf.stack([x[0] * x[1], x[0], x[1] ** 2]), x))
    array([[2., 1.],
           [1., 0.],
           [0., 4.]], dtype=float32)
    """
    y, x = convert_to_tensor(y), convert_to_tensor(x)
    _known_dims(y, "y")
    return _rows(y, x, name)


@composite
def hessian_vector_product(y: Any, x: Any, v: Any, name: str = "hvp") -> Any:
    """The Hessian of the sum of `y` times `v`, without the Hessian.

    It is the gradient of the product of the gradient and `v`, so it costs about as
    much as two gradients, however large `x` is.

    Parameters
    ----------
    y : tensor
        What to differentiate twice.
    x : tensor or variable
        With respect to what.
    v : tensor
        A direction, of the shape of `x`.
    name : str
        The name of the operations.

    Returns
    -------
    tensor or None
        Of the shape of `x`. None if `y` does not depend on `x`.

    Examples
    --------
    >>> import similarflow as sf
    >>> x = sf.constant([1.0, 2.0])
    >>> y = x[0] ** 2 * x[1]
    >>> sf.Session().run(sf.hessian_vector_product(y, x, [1.0, 10.0]))
    array([24.,  2.], dtype=float32)
    """
    x = convert_to_tensor(x)
    v = _direction(v, x)
    first = gradients(y, x, name=name)[0]
    if first is None:
        return None
    first = _as_tensor_of(first, x)
    return _or_zeros(gradients(first, x, v, name=name)[0], x)


@composite
def jacobian_vector_product(y: Any, x: Any, v: Any, name: str = "jvp") -> Any:
    """The Jacobian times `v`, without the Jacobian: how `y` changes as `x` goes by `v`.

    This is what forward mode gives. Reverse mode gets there in two steps: the gradient
    of `x` is linear in the factor u for `y`, it is ``u @ J``. The gradient of that with
    respect to u, with the factor `v`, is ``J @ v``.

    Parameters
    ----------
    y : tensor
        What to differentiate.
    x : tensor or variable
        With respect to what.
    v : tensor
        A direction, of the shape of `x`.
    name : str
        The name of the operations.

    Returns
    -------
    tensor or None
        Of the shape of `y`. None if `y` does not depend on `x`.

    Examples
    --------
    >>> import similarflow as sf
    >>> x = sf.constant([1.0, 2.0])
    >>> y = sf.stack([x[0] * x[1], x[0], x[1] ** 2])
    >>> sf.Session().run(sf.jacobian_vector_product(y, x, [1.0, 10.0]))
    array([12.,  1., 40.], dtype=float32)
    """
    y, x = convert_to_tensor(y), convert_to_tensor(x)
    v = _direction(v, x)
    factor = zeros_like(y)  # any number does: what follows is linear in it
    back = gradients(y, x, factor, name=name)[0]
    if back is None:
        return None
    back = _as_tensor_of(back, x)
    return _or_zeros(gradients(back, factor, v, name=name)[0], y)


def _square(first: Tensor, x: Tensor, name: str) -> Any:
    """The Jacobian of the gradient `first`; zeros if that is constant."""
    second = _rows(first, x, name)
    return _zeros(_known_dims(x, "x") * 2, x) if second is None else second


def _rows(y: Tensor, x: Tensor, name: str) -> Any:
    """The gradient of each number in `y`, stacked to ``y.shape + x.shape``."""
    dims = _known_dims(y, "y")
    if 0 in dims:
        return _zeros((*dims, *_known_dims(x, "x")), x)
    found: list[Any] = []
    for place in product(*map(range, dims)):
        seed = np.zeros(dims)
        seed[place] = 1.0
        factor = cast_like(seed, y)
        found += gradients(y, x, factor, name=name)
        if found[0] is None:
            return None  # y as a whole does not depend on x
    rows = [convert_to_tensor(row) for row in found]
    for size in reversed(dims):
        starts = range(0, len(rows), size)
        rows = [stack(rows[i : i + size]) for i in starts]
    return rows[0]


def _zeros(dims: tuple[int, ...], x: Tensor) -> Any:
    return cast_like(np.zeros(dims, np.float32), x)


def _known_dims(tensor: Tensor, label: str) -> tuple[int, ...]:
    """The shape, which must be known before a run."""
    dims: Dims = tensor.static_shape
    if dims is None or None in dims:
        raise ValueError(
            f"the shape of {label}, {tensor!r}, must be known before a run: a gradient "
            "is built for each number in it. Give the placeholder a shape, or call "
            "set_shape; products with a vector need no shape"
        )
    return tuple([n for n in dims if n is not None])


def _direction(v: Any, x: Tensor) -> Tensor:
    """`v` as a tensor, which has the shape of `x` as far as that is known."""
    v = convert_to_tensor(v, x.static_dtype)
    direction: Tensor = v
    if not fits(direction.static_shape, x.static_shape):
        raise ValueError(
            f"v has the shape of x, {x.static_shape}, and {direction.static_shape} "
            "is given"
        )
    return direction


def _as_tensor_of(grad: Any, x: Tensor) -> Tensor:
    """A gradient as a tensor that knows its shape, even if it came as slices."""
    tensor: Tensor = convert_to_tensor(grad)
    if tensor.static_shape is None or None in tensor.static_shape:
        dims = x.static_shape
        if dims is not None and None not in dims:
            tensor = reshape(tensor, np.array(dims, np.int32))
    return tensor


def _or_zeros(grad: Any, x: Tensor) -> Any:
    return zeros_like(x) if grad is None else convert_to_tensor(grad)
