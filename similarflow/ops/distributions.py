"""Random numbers of further distributions, and random parts of a tensor."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core.casting import dtype_name
from ..core.convert import Array, as_np_dtype
from ..core.graph import Dims, Spec, Tensor, convert_to_tensor, graph_of
from ..core.registry import op
from ..core.rules import NotDifferentiable
from ..core.samples import case, normal, uniform
from .elementary import add
from .fronts import front_of
from .known import show, static_dims, static_ints
from .math import divide, maximum
from .random import FLOAT32, NO_SEEDS, _float_dtype, _seeds
from .shape import NO_SIZES, as_shape_input, filled_dims, new_shape, zeros_like
from .split import slice as part_of

INT64 = np.dtype(np.int64)


def _joined(x: Dims, y: Dims) -> Dims:
    return None if x is None or y is None else (*x, *y)


def _infer_gamma(shape: Tensor, alpha: Tensor, seed: Any = NO_SEEDS) -> Spec:
    return _joined(filled_dims(shape), alpha.static_shape), alpha.static_dtype


@op(
    "RandomGamma", infer=_infer_gamma, same=["alpha"], accepts="plain", random=True,
    converters={"shape": as_shape_input},
    samples=[
        case([2, 3], uniform(0.5, 3.0)),
        case([4], uniform(0.5, 3.0, 2, 1)),
        case(NO_SIZES, uniform(0.5, 3.0, 2)),
        case([0], uniform(0.5, 3.0)),
    ],
)  # fmt: skip
def draw_gamma(
    rng: np.random.Generator, shape: Array, alpha: Array, seed: Any = NO_SEEDS
) -> Array:
    """Gamma distributed numbers for each shape parameter; see `random_gamma`."""
    parameters, dtype = np.asarray(alpha), np.result_type(alpha)
    if np.any(parameters < 0):
        raise ValueError(f"alpha is 0 or more, and {np.min(parameters)} is among them")
    dims = (*new_shape(shape), *parameters.shape)
    drawn = rng.standard_gamma(parameters.astype(np.float64), dims)
    # The smallest would be rounded to 0, whose logarithm is no number.
    result: Array = np.maximum(np.asarray(drawn, dtype), np.finfo(dtype).tiny)
    return result


NotDifferentiable("RandomGamma")


@front_of(draw_gamma)
def random_gamma(
    shape: Any, alpha: Any, beta: Any = None, dtype: Any = FLOAT32, seed: Any = None,
    name: str | None = None,
) -> Tensor:  # fmt: skip
    """Gamma distributed random numbers, of mean ``alpha / beta``.

    Parameters
    ----------
    shape : list of int, or tensor
        How many to draw for each pair of parameters.
    alpha : float, array_like or tensor
        The shape parameter, 0 or more.
    beta : float, array_like or tensor, optional
        The rate, 1 by default; broadcasts with `alpha`.
    dtype : DType
        A float type, which `alpha` and `beta` must have if they are tensors.
    seed : int, optional
        Makes the numbers repeat from session to session.

    Returns
    -------
    tensor
        Of shape `shape` followed by that of the parameters, all above 0. Gradients
        flow into `beta`, but not into `alpha`, where TensorFlow has an estimate.

    Raises
    ------
    TypeError
        `dtype` is no float type.
    InvalidArgumentError
        In a run: an `alpha` is negative.

    Examples
    --------
    >>> import similarflow as sf
    >>> x = sf.random_gamma([1000], [1.0, 5.0], seed=1)
    >>> means = sf.Session().run(x).mean(0)
    >>> means.shape, bool(abs(means[0] - 1) < 0.2), bool(abs(means[1] - 5) < 0.5)
    ((2,), True, True)
    """
    kind = _float_dtype(dtype, "random_gamma")
    seeds = _seeds(seed, shape, alpha, beta)
    graph = graph_of((shape, alpha, beta))
    whole = graph.unique_name(name or "random_gamma")
    alpha = convert_to_tensor(alpha, kind, f"{whole}/alpha/", graph)
    result: Tensor
    if beta is None:
        result = draw_gamma(shape, alpha, seed=seeds, name=f"{whole}/")
        return result
    beta = convert_to_tensor(beta, kind, f"{whole}/beta/", graph)
    with graph.as_default(), graph.name_scope(f"{whole}/"):
        spread = add(alpha, zeros_like(beta))
        drawn = draw_gamma(shape, spread, seed=seeds, name="RandomGamma")
        least = np.asarray(np.finfo(kind).tiny, kind)
        result = maximum(divide(drawn, beta), least, name=f"{whole}/")
    return result


# Counts


def _infer_poisson(
    shape: Tensor, rate: Tensor, dtype: Any = FLOAT32, seed: Any = NO_SEEDS
) -> Spec:
    return _joined(filled_dims(shape), rate.static_shape), dtype


@op(
    "RandomPoissonV2", infer=_infer_poisson, same=["rate"], accepts="real",
    random=True, converters={"shape": as_shape_input},
    samples=[
        case([2, 3], uniform(0.5, 3.0)),
        case([4], uniform(0.5, 3.0, 2, 1), dtype=np.dtype(np.int32)),
        case(NO_SIZES, uniform(0.5, 3.0, 2), dtype=np.dtype(np.float16)),
        case([0], 2),
    ],
)  # fmt: skip
def draw_poisson(
    rng: np.random.Generator, shape: Array, rate: Array, dtype: Any = FLOAT32,
    seed: Any = NO_SEEDS,
) -> Array:  # fmt: skip
    """Poisson distributed counts for each rate; see `random_poisson`."""
    rates = np.asarray(rate, np.float64)
    if not np.all(np.isfinite(rates) & (rates >= 0)):
        raise ValueError("a rate is a finite number, 0 or more")
    drawn = rng.poisson(rates, (*new_shape(shape), *rates.shape))
    return np.asarray(drawn).astype(dtype)


NotDifferentiable("RandomPoissonV2")


@front_of(draw_poisson)
def random_poisson(
    lam: Any, shape: Any, dtype: Any = FLOAT32, seed: Any = None,
    name: str | None = None,
) -> Tensor:  # fmt: skip
    """Poisson distributed counts, of mean `lam`.

    Parameters
    ----------
    lam : float, array_like or tensor
        The rate, 0 or more.
    shape : list of int, or tensor
        How many to draw for each rate.
    dtype : DType
        Of the result: a float type, int32 or int64.
    seed : int, optional
        Makes the numbers repeat from session to session.

    Returns
    -------
    tensor
        Of shape `shape` followed by that of `lam`. No gradient flows.

    Raises
    ------
    TypeError
        `dtype` is no type for counts.
    InvalidArgumentError
        In a run: a rate is negative, inf or nan.

    Examples
    --------
    >>> import similarflow as sf
    >>> drawn = sf.random_poisson([0.0, 4.0], [1000], sf.int32, seed=1)
    >>> counts = sf.Session().run(drawn)
    >>> counts.shape, bool(abs(counts.mean(0)[1] - 4) < 0.5), int(counts.max(0)[0])
    ((1000, 2), True, 0)
    """
    kind = as_np_dtype(dtype)
    kind = FLOAT32 if kind is None else kind
    if kind.kind != "f" and kind not in (np.dtype(np.int32), INT64):
        raise TypeError(
            f"random_poisson draws floats, int32 or int64, not {dtype_name(kind)}"
        )
    seeds, name = _seeds(seed, lam, shape), name or "random_poisson"
    drawn: Tensor = draw_poisson(shape, lam, kind, seed=seeds, name=name)
    return drawn


# Classes


def _infer_multinomial(
    logits: Tensor, num_samples: Tensor, dtype: Any = INT64, seed: Any = NO_SEEDS
) -> Spec:
    dims, counts = logits.static_shape, static_ints(num_samples)
    if dims is not None and len(dims) != 2:
        raise ValueError(_no_matrix(show(dims)))
    if num_samples.static_shape not in (None, ()):
        raise ValueError("num_samples is one number")
    kind = num_samples.static_dtype
    if kind is not None and kind.kind not in "iu":
        raise TypeError(f"num_samples is a whole number, not {dtype_name(kind)}")
    if counts is not None and counts[0] < 0:
        raise ValueError(f"num_samples is 0 or more, not {counts[0]}")
    return (None if dims is None else dims[0], counts[0] if counts else None), dtype


def _no_matrix(shape: Any) -> str:
    return f"logits are a matrix, a row for each draw, and not of shape {shape}"


@op(
    "Multinomial", infer=_infer_multinomial, same=["logits"], accepts="plain",
    random=True,
    samples=[
        case(normal(2, 3), 4),
        case(normal(1, 1), 2, dtype=np.dtype(np.int32)),
        case(normal(0, 3), 2),
        case(normal(2, 3), 0),
    ],
)  # fmt: skip
def draw_multinomial(
    rng: np.random.Generator, logits: Array, num_samples: Array, dtype: Any = INT64,
    seed: Any = NO_SEEDS,
) -> Array:  # fmt: skip
    """Numbers of classes, for each row of logits; see `multinomial`."""
    rows, count = np.asarray(logits, np.float64), int(num_samples)
    if rows.ndim != 2:
        raise ValueError(_no_matrix(rows.shape))
    if count < 0:
        raise ValueError(f"num_samples is 0 or more, not {count}")
    rows = np.where(np.isfinite(rows), rows, -np.inf)
    largest = np.max(rows, 1, keepdims=True, initial=-np.inf)
    if np.any(np.isinf(largest)):
        raise ValueError("a row of logits has no finite number, so no class to draw")
    ends = np.cumsum(np.exp(rows - largest), 1)
    drawn = rng.random((len(rows), count))
    found = np.empty(drawn.shape, dtype)
    for row, end in enumerate(ends):
        last = np.searchsorted(end, end[-1])  # of probability above 0
        places = np.searchsorted(end, drawn[row] * end[-1], "right")
        found[row] = np.minimum(places, last)
    return found


NotDifferentiable("Multinomial")


@front_of(draw_multinomial)
def multinomial(
    logits: Any, num_samples: Any, seed: Any = None, name: str | None = None,
    output_dtype: Any = None,
) -> Tensor:  # fmt: skip
    """Classes drawn at random, with probability ``softmax(logits)``.

    Parameters
    ----------
    logits : tensor of floats
        Shape ``(batch, classes)``: logarithms of probabilities, up to a constant in
        each row. A class whose logit is not finite is never drawn.
    num_samples : int, or scalar tensor
        How many to draw for each row.
    seed : int, optional
        Makes the numbers repeat from session to session.
    output_dtype : DType, optional
        int64, or int32.

    Returns
    -------
    tensor
        Numbers of classes, shape ``(batch, num_samples)``. No gradient flows.

    Raises
    ------
    ValueError
        `logits` are no matrix.
    InvalidArgumentError
        In a run: so too, or a row has no finite logit (TensorFlow gives a number that
        is no class).

    Examples
    --------
    >>> import similarflow as sf
    >>> logits = sf.log([[0.0, 0.25, 0.75]])
    >>> drawn = sf.Session().run(sf.multinomial(logits, 1000, seed=1))
    >>> drawn.shape, sorted(set(drawn[0].tolist()))
    ((1, 1000), [1, 2])
    """
    kind = as_np_dtype(output_dtype)
    kind = INT64 if kind is None else kind
    if kind not in (np.dtype(np.int32), INT64):
        raise TypeError(f"multinomial gives int32 or int64, not {dtype_name(kind)}")
    seeds, name = _seeds(seed, logits, num_samples), name or "multinomial"
    drawn: Tensor = draw_multinomial(logits, num_samples, kind, seed=seeds, name=name)
    return drawn


# Parts of a tensor


def _infer_corner(value: Tensor, size: Tensor, seed: Any = NO_SEEDS) -> Spec:
    dims, sizes = value.static_shape, static_dims(size)
    if dims is not None and sizes is not None:
        _check_part(dims, sizes)
    found = sizes if sizes is not None else dims
    return (None if found is None else len(found),), np.dtype(np.int32)


def _check_part(dims: tuple[int | None, ...], sizes: tuple[int | None, ...]) -> None:
    pairs = zip(dims, sizes, strict=False)
    if len(dims) != len(sizes) or any(
        n is not None and (n < 0 or (m is not None and n > m)) for m, n in pairs
    ):
        raise ValueError(
            f"a part of shape {show(sizes)} cannot be taken from shape {show(dims)}"
        )


@op(
    "RandomCropOffset", infer=_infer_corner, same=[], accepts="any", random=True,
    converters={"size": as_shape_input},
    samples=[
        case(normal(5, 6), [2, 3]),
        case(normal(), NO_SIZES),
        case([True, False], [2]),
    ],
)  # fmt: skip
def draw_corner(
    rng: np.random.Generator, value: Array, size: Array, seed: Any = NO_SEEDS
) -> Array:
    """Where a part of the given size begins; see `random_crop`."""
    dims, sizes = np.shape(value), new_shape(size)
    _check_part(dims, sizes)
    room = np.array(dims, np.int64) - np.array(sizes, np.int64) + 1
    return np.asarray(rng.integers(0, room), np.int32)


NotDifferentiable("RandomCropOffset")


@front_of(draw_corner)
def random_crop(
    value: Any, size: Any, seed: Any = None, name: str | None = None
) -> Tensor:
    """A part of a tensor, at a place drawn anew in every run.

    Parameters
    ----------
    value : tensor
        Of any dtype.
    size : list of int, or tensor
        The shape of the part, a size for each axis. An axis that shall stay whole has
        its own size here.
    seed : int, optional
        Makes the places repeat from session to session.

    Returns
    -------
    tensor
        Of shape `size`; gradients flow back into that part.

    Raises
    ------
    ValueError
        The part does not fit, as far as that is known.
    InvalidArgumentError
        In a run: the part does not fit.

    Examples
    --------
    >>> import similarflow as sf
    >>> image = sf.constant([[1, 2, 3], [4, 5, 6], [7, 8, 9]])
    >>> part = sf.Session().run(sf.random_crop(image, [2, 2], seed=1))
    >>> part.shape, int(part[0, 1] - part[0, 0]), int(part[1, 0] - part[0, 0])
    ((2, 2), 1, 3)
    """
    seeds = _seeds(seed, value, size)
    graph = graph_of((value, size))
    whole = graph.unique_name(name or "random_crop")
    x = convert_to_tensor(value, None, f"{whole}/value/", graph)
    sizes = convert_to_tensor(as_shape_input(size), None, f"{whole}/size/", graph)
    begin = draw_corner(x, sizes, seed=seeds, name=f"{whole}/offset/")
    result: Tensor = part_of(x, begin, sizes, name=f"{whole}/")
    return result
