"""Random numbers, drawn anew in every run.

With a seed the numbers repeat: those of an operation follow from the graph's seed
(`set_random_seed`) together with its own seed or else its name.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from ..core.casting import dtype_name
from ..core.convert import Array, as_array, as_np_dtype
from ..core.graph import Spec, Tensor, convert_to_tensor, graph_of
from ..core.infer import same_as_input
from ..core.nest import holds_tensor
from ..core.registry import op
from ..core.rules import NotDifferentiable
from ..core.samples import case, normal
from .elementary import add, multiply, subtract
from .fronts import front_of
from .logic import cast
from .shape import NO_SIZES, as_shape_input, filled_dims, new_shape

FLOAT32 = np.dtype(np.float32)
NO_SEEDS = (None, None)
CUT = 2.0  # standard deviations


def _seeds(seed: Any, *args: Any) -> tuple[int | None, int | None]:
    """The graph's seed, as it is now, and the operation's own."""
    try:
        own = None if seed is None else operator.index(seed)
    except TypeError:
        raise TypeError(f"a seed is a whole number or None, not {seed!r}") from None
    return graph_of(args).seed, own


def _infer_drawn(shape: Tensor, dtype: Any = FLOAT32, **attrs: Any) -> Spec:
    return filled_dims(shape), dtype


def _drawn_dtype(dtype: np.dtype[Any]) -> Any:
    """What NumPy can draw: float32 for float16, which it cannot."""
    return np.float64 if dtype.itemsize > FLOAT32.itemsize else np.float32


DRAWN: dict[str, Any] = {
    "infer": _infer_drawn,
    "same": [],
    "random": True,
    "converters": {"shape": as_shape_input},
}
SHAPES = (
    case([2, 3]),
    case(NO_SIZES),
    case([0, 2]),
    case([3], dtype=np.dtype(np.float64)),
    case([3], dtype=np.dtype(np.float16)),
)


@op("RandomStandardNormal", samples=SHAPES, **DRAWN)
def draw_normal(
    rng: np.random.Generator, shape: Array, dtype: Any = FLOAT32,
    mean: float = 0.0, stddev: float = 1.0, seed: Any = NO_SEEDS,
) -> Array:  # fmt: skip
    """Normally distributed numbers; see `random_normal`."""
    drawn = rng.standard_normal(new_shape(shape), _drawn_dtype(dtype))
    return np.asarray(mean + stddev * drawn, dtype)


NotDifferentiable("RandomStandardNormal")


@op("TruncatedNormal", samples=SHAPES, **DRAWN)
def draw_truncated_normal(
    rng: np.random.Generator, shape: Array, dtype: Any = FLOAT32,
    mean: float = 0.0, stddev: float = 1.0, seed: Any = NO_SEEDS,
) -> Array:  # fmt: skip
    """Normally distributed numbers without the rare ones; see `truncated_normal`."""
    dims, kind = new_shape(shape), _drawn_dtype(dtype)
    drawn = rng.standard_normal(int(np.prod(dims)), kind)
    again = np.flatnonzero(np.abs(drawn) > CUT)
    while again.size:
        drawn[again] = rng.standard_normal(again.size, kind)
        again = again[np.abs(drawn[again]) > CUT]
    return np.asarray(mean + stddev * drawn.reshape(dims), dtype)


NotDifferentiable("TruncatedNormal")


@op("RandomUniform", samples=SHAPES, **DRAWN)
def draw_uniform(
    rng: np.random.Generator, shape: Array, dtype: Any = FLOAT32,
    minval: float = 0.0, maxval: float = 1.0, seed: Any = NO_SEEDS,
) -> Array:  # fmt: skip
    """Numbers that are equally likely everywhere; see `random_uniform`."""
    drawn = rng.random(new_shape(shape), _drawn_dtype(dtype))
    result = np.asarray(minval + (maxval - minval) * drawn, dtype)
    if minval == maxval:
        return result
    # Rounding can reach the end, which does not belong to the range.
    low, high = (np.asarray(v, dtype) for v in (minval, maxval))
    last = np.nextafter(high, low)
    return np.clip(result, np.minimum(low, last), np.maximum(low, last))


NotDifferentiable("RandomUniform")


def _infer_uniform_int(
    shape: Tensor, minval: Tensor, maxval: Tensor, seed: Any = NO_SEEDS
) -> Spec:
    return filled_dims(shape), minval.static_dtype


@op(
    "RandomUniformInt", infer=_infer_uniform_int, same=["minval", "maxval"],
    accepts="int", random=True, converters={"shape": as_shape_input},
    samples=[
        case([2, 3], -3, 4),
        case(NO_SIZES, 0, 1),
        case([0], np.int64(0), np.int64(2**40)),
    ],
)  # fmt: skip
def draw_uniform_int(
    rng: np.random.Generator, shape: Array, minval: Array, maxval: Array,
    seed: Any = NO_SEEDS,
) -> Array:  # fmt: skip
    """Whole numbers from `minval` up to, without, `maxval`."""
    if np.any(np.greater_equal(minval, maxval)):
        raise ValueError(f"minval must be below maxval: [{minval}, {maxval}) is empty")
    dtype = np.result_type(minval)
    return np.asarray(rng.integers(minval, maxval, new_shape(shape), dtype), dtype)


NotDifferentiable("RandomUniformInt")


@front_of(draw_normal)
def random_normal(
    shape: Any, mean: Any = 0.0, stddev: Any = 1.0, dtype: Any = FLOAT32,
    seed: Any = None, name: str | None = None,
) -> Tensor:  # fmt: skip
    """Normally distributed random numbers.

    Parameters
    ----------
    shape : list of int, or tensor
        The shape of the result.
    mean, stddev : float, or tensor
        With tensors, gradients flow into them.
    dtype : DType
        A float type.
    seed : int, optional
        Makes the numbers repeat from session to session.

    Examples
    --------
    >>> import similarflow as sf
    >>> x = sf.random_normal([2, 3], seed=1)
    >>> first, second = sf.Session(), sf.Session()
    >>> bool((first.run(x) == second.run(x)).all())
    True
    >>> bool((first.run(x) == second.run(x)).all())
    True
    """
    of = (shape, mean, stddev, dtype, seed)
    return _scaled(draw_normal, "RandomStandardNormal", of, name or "random_normal")


@front_of(draw_truncated_normal)
def truncated_normal(
    shape: Any, mean: Any = 0.0, stddev: Any = 1.0, dtype: Any = FLOAT32,
    seed: Any = None, name: str | None = None,
) -> Tensor:  # fmt: skip
    """Normally distributed random numbers, none beyond two standard deviations.

    What is further from the mean is drawn again. Arguments as in `random_normal`.
    """
    of = (shape, mean, stddev, dtype, seed)
    return _scaled(
        draw_truncated_normal, "TruncatedNormal", of, name or "truncated_normal"
    )


def _scaled(
    build: Callable[..., Any], base: str, of: tuple[Any, ...], name: str
) -> Tensor:
    """``mean + stddev * numbers``: one operation, or three if these are tensors."""
    shape, mean, stddev, dtype, seed = of
    kind = _float_dtype(dtype, name)
    seeds = _seeds(seed, shape, mean, stddev)
    result: Tensor
    if _is_number(mean) and _is_number(stddev):
        result = build(shape, kind, float(mean), float(stddev), seed=seeds, name=name)
        return result
    whole = graph_of((shape, mean, stddev)).unique_name(name)
    mean, stddev = _as_kind(mean, kind), _as_kind(stddev, kind)
    drawn = build(shape, kind, seed=seeds, name=f"{whole}/{base}/")
    result = add(multiply(drawn, stddev, name=f"{whole}/mul/"), mean, name=f"{whole}/")
    return result


@front_of(draw_uniform)
def random_uniform(
    shape: Any, minval: Any = 0, maxval: Any = None, dtype: Any = FLOAT32,
    seed: Any = None, name: str | None = None,
) -> Tensor:  # fmt: skip
    """Random numbers, equally likely from `minval` up to, without, `maxval`.

    Parameters
    ----------
    shape : list of int, or tensor
        The shape of the result.
    minval, maxval : number, or tensor
        0 and 1 by default; whole numbers need a `maxval`.
    dtype : DType
        A float or integer type.
    seed : int, optional
        Makes the numbers repeat from session to session.

    Raises
    ------
    ValueError
        Whole numbers without a `maxval`, or none in the range.

    Examples
    --------
    >>> import similarflow as sf
    >>> dice = sf.random_uniform([100], 1, 7, sf.int32)
    >>> sorted(set(sf.Session().run(dice).tolist()))
    [1, 2, 3, 4, 5, 6]
    """
    name, kind = name or "random_uniform", as_np_dtype(dtype)
    if kind is None or kind.kind not in "iu":
        return _uniform_floats(shape, minval, maxval, dtype, seed, name)
    if maxval is None:
        raise ValueError(f"{name}: whole numbers need a maxval, which they stay below")
    seeds = _seeds(seed, shape, minval, maxval)
    low, high = _as_kind(minval, kind), _as_kind(maxval, kind)
    drawn = draw_uniform_int(shape, low, high, seed=seeds, name=name)
    return drawn  # type: ignore[no-any-return]


def _uniform_floats(
    shape: Any, minval: Any, maxval: Any, dtype: Any, seed: Any, name: str
) -> Tensor:
    kind, maxval = _float_dtype(dtype, name), 1.0 if maxval is None else maxval
    seeds = _seeds(seed, shape, minval, maxval)
    result: Tensor
    if _is_number(minval) and _is_number(maxval):
        ends = float(minval), float(maxval)
        result = draw_uniform(shape, kind, *ends, seed=seeds, name=name)
        return result
    whole = graph_of((shape, minval, maxval)).unique_name(name)
    drawn = draw_uniform(shape, kind, seed=seeds, name=f"{whole}/RandomUniform/")
    low, high = _as_kind(minval, kind), _as_kind(maxval, kind)
    width = subtract(high, low, name=f"{whole}/sub/")
    result = add(multiply(drawn, width, name=f"{whole}/mul/"), low, name=f"{whole}/")
    return result


def _as_kind(value: Any, kind: np.dtype[Any]) -> Any:
    """A bound or a mean in the dtype that is drawn; raises for a tensor of another."""
    if not holds_tensor(value):
        return as_array(value, kind)
    tensor = convert_to_tensor(value, kind)
    return cast(tensor, kind) if tensor.static_dtype is None else tensor


def _is_number(value: Any) -> bool:
    return not holds_tensor(value) and np.ndim(value) == 0


def _float_dtype(dtype: Any, name: str) -> np.dtype[Any]:
    found = as_np_dtype(dtype)
    found = FLOAT32 if found is None else found
    if found.kind != "f":
        raise TypeError(f"{name} draws floats, not {dtype_name(found)}")
    return found


@op(
    "RandomShuffle", infer=same_as_input, accepts="any", random=True,
    samples=[case(normal(4, 2)), case(normal(3)), case(normal()), case(normal(0, 2))],
)  # fmt: skip
def shuffle_rows(rng: np.random.Generator, value: Array, seed: Any = NO_SEEDS) -> Array:
    """The rows in random order; see `random_shuffle`."""
    rows = np.asarray(value)
    return rows[rng.permutation(len(rows))] if rows.ndim else rows


NotDifferentiable("RandomShuffle")


@front_of(shuffle_rows)
def random_shuffle(value: Any, seed: Any = None, name: str | None = None) -> Tensor:
    """The rows of a tensor (its parts along the first axis) in random order.

    A row goes as a whole. As in TensorFlow no gradient flows back; where one shall,
    shuffle the numbers of the rows and use `gather`.
    """
    shuffled: Tensor = shuffle_rows(value, seed=_seeds(seed, value), name=name)
    return shuffled
