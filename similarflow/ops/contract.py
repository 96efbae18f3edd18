"""Products summed over common axes, and tensordot; `einsum` stands on them, too.

Both are one idea. Each axis of an operand has a label; the result is the sum over all
values of the labels of the products of the operands' entries. If the operands may have
labels that the result lacks (summed over), the result labels that they lack (spread),
and both a label twice (the diagonal), then exchanging the result with an operand gives
that operand's gradient: what is summed over is spread backward, and a diagonal is put
back where it came from.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from math import prod
from typing import Any

import numpy as np

from ..core.convert import Array
from ..core.graph import Dims, Operation, Spec, Tensor
from ..core.infer import common_dtype, taken
from ..core.registry import op
from ..core.rules import RegisterGradient
from ..core.samples import case, integers, normal
from .known import as_ints, show

Label = Hashable
"""What names an axis."""
Labels = list[Label]

# ---- arrays with labelled axes


def contract(
    operands: Sequence[Array], labels: Sequence[Labels], out: Labels,
    shape: Sequence[int] = (),
) -> Array:  # fmt: skip
    """The sum of the products of `operands`, with axes labelled `out`.

    `shape` is that of the result; it is needed if `out` has labels of its own.
    """
    dtype = np.result_type(*operands)
    parts = [
        _reduced(np.asarray(x, dtype), names, set(names) & _others(labels, i, out))
        for i, (x, names) in enumerate(zip(operands, labels, strict=True))
    ]
    while len(parts) > 1:
        i, j = _cheapest(parts, out)
        rest = [p for k, p in enumerate(parts) if k not in (i, j)]
        keep = {n for _, names in rest for n in names} | set(out)
        parts = [*rest, _pair(parts[i], parts[j], keep)]
    return _spread(*parts[0], out, shape)


Part = tuple[Array, Labels]
"""An array and the labels of its axes, each once."""


def _others(labels: Sequence[Labels], i: int, out: Labels) -> set[Label]:
    """The labels beside those of operand `i`."""
    others = [n for k, names in enumerate(labels) if k != i for n in names]
    return {*others, *out}


def _reduced(x: Array, names: Labels, keep: set[Label]) -> Part:
    """The diagonal where a label repeats, and the sum over labels not in `keep`."""
    kept = [n for n in dict.fromkeys(names) if n in keep]
    if kept != names:
        number = {n: k for k, n in enumerate(dict.fromkeys(names))}
        x = np.einsum(x, [number[n] for n in names], [number[n] for n in kept])
    return x, kept


def _sizes(*parts: Part) -> dict[Label, int]:
    return {
        n: size for x, names in parts for n, size in zip(names, x.shape, strict=True)
    }


def _cheapest(parts: list[Part], out: Labels) -> tuple[int, int]:
    """Which two to multiply next: those whose product adds the fewest numbers."""
    best: tuple[float, tuple[int, int]] = (np.inf, (0, 1))
    for j in range(1, len(parts) if len(parts) > 2 else 1):
        for i in range(j):
            rest = [names for k, (_, names) in enumerate(parts) if k not in (i, j)]
            keep = {n for names in rest for n in names} | set(out)
            sizes = _sizes(parts[i], parts[j])
            made = prod(size for n, size in sizes.items() if n in keep)
            added = made - parts[i][0].size - parts[j][0].size
            best = min(best, (added, (i, j)))
    return best[1]


def _pair(a: Part, b: Part, keep: set[Label]) -> Part:
    """The product of two, summed over the labels of both that are not in `keep`."""
    (x, names), (y, others) = a, b
    sizes = _sizes(a, b)
    both = [n for n in names if n in others]
    batch, inner = [n for n in both if n in keep], [n for n in both if n not in keep]
    rows = [n for n in names if n not in both]
    columns = [n for n in others if n not in both]

    def arranged(x: Array, names: Labels, *groups: Labels) -> Array:
        order = [names.index(n) for group in groups for n in group]
        shape = [prod(sizes[n] for n in group) for group in groups]
        return np.transpose(x, order).reshape(shape)

    if inner:
        left = arranged(x, names, batch, rows, inner)  # (batch, rows, inner)
        right = arranged(y, others, batch, inner, columns)
        product = np.matmul(left, right)
    else:
        left = arranged(x, names, batch, rows, [])
        right = arranged(y, others, batch, [], columns)
        product = np.multiply(left, right)
    found = [*batch, *rows, *columns]
    return product.reshape([sizes[n] for n in found]), found


def _spread(x: Array, names: Labels, out: Labels, shape: Any) -> Array:
    """`x` with its axes in the order of `out`; spread and on diagonals as that asks."""
    once = list(dict.fromkeys(out))
    x = np.transpose(x, [names.index(n) for n in once if n in names])
    if len(names) < len(once):
        sizes = dict(zip(out, shape, strict=True))
        x = np.expand_dims(x, [k for k, n in enumerate(once) if n not in names])
        x = np.broadcast_to(x, [sizes[n] for n in once])
    if len(once) < len(out):
        sizes = dict(zip(once, x.shape, strict=True))
        whole = np.zeros([sizes[n] for n in out], x.dtype)
        view = np.einsum(whole, [once.index(n) for n in out], [*range(len(once))])
        view[...] = x
        x = whole
    return x


# ---- tensordot

Axes = tuple[tuple[int, ...], tuple[int, ...]] | int
"""The axes of both to sum over; or how many, the last of `a` and the first of `b`."""


def _as_pair(axes: Any, x: Any = None) -> Axes:
    axes = taken(axes) if hasattr(axes, "graph") else axes
    if not isinstance(axes, list | tuple) and np.ndim(axes) == 0:
        (count,) = as_ints(axes)
        if count < 0:
            raise ValueError(f"axes of tensordot is 0 or more, not {count}")
        return count
    if len(axes) != 2:
        raise ValueError(
            "axes of tensordot is a number, or a list of two: the axes of a and those "
            f"of b; not {axes!r}"
        )
    first, second = (as_ints(a) for a in axes)
    if len(first) != len(second):
        raise ValueError(
            f"axes of tensordot are as many of a as of b, not {first} and {second}"
        )
    return first, second


def _paired(a: Dims, b: Dims, axes: Axes) -> tuple[list[int], list[int]]:
    """The axes to sum over, counted from the front.

    Raises
    ------
    ValueError
        There is no such axis, or one is there twice, or two have different sizes.
    """
    a, b = a or (), b or ()
    if isinstance(axes, int):
        if axes > min(len(a), len(b)):
            raise ValueError(
                f"axes is {axes}, which is more than the shapes have: a is {show(a)}, "
                f"b is {show(b)}"
            )
        axes = tuple(range(len(a) - axes, len(a))), tuple(range(axes))
    pairs = []
    for label, dims, chosen in (("a", a, axes[0]), ("b", b, axes[1])):
        odd = [n for n in chosen if not -len(dims) <= n < len(dims)]
        found = [n % len(dims) for n in chosen if not odd]
        if odd or len(set(found)) != len(found):
            raise ValueError(
                f"axes {list(chosen)} do not fit {label}, which has the shape "
                f"{show(dims)}: each is from {-len(dims)} to {len(dims) - 1}, and once"
            )
        pairs.append(found)
    for i, j in zip(*pairs, strict=True):
        if a[i] != b[j] and None not in (a[i], b[j]):
            raise ValueError(
                f"axis {i} of a, {show(a)}, has size {a[i]}, and axis {j} of b, "
                f"{show(b)}, has size {b[j]}"
            )
    return pairs[0], pairs[1]


def _pair_labels(
    rank_a: int, rank_b: int, pairs: tuple[list[int], list[int]]
) -> tuple[Labels, Labels, Labels]:
    """The labels of both operands and of the result."""
    first: Labels = [*range(rank_a)]
    second: Labels = [*range(rank_a, rank_a + rank_b)]
    for i, j in zip(*pairs, strict=True):
        second[j] = first[i]
    out = [n for n in (*first, *second) if not (n in first and n in second)]
    return first, second, out


def _infer_tensordot(a: Tensor, b: Tensor, axes: Axes) -> Spec:
    dtype = common_dtype(a, b)
    x, y = a.static_shape, b.static_shape
    if x is None or y is None:
        return None, dtype
    pairs = _paired(x, y, axes)
    left = [n for i, n in enumerate(x) if i not in pairs[0]]
    return (*left, *[n for j, n in enumerate(y) if j not in pairs[1]]), dtype


PAIR: dict[str, Any] = {"attrs": ["axes"], "converters": {"axes": _as_pair}}


@op("Tensordot", infer=_infer_tensordot, **PAIR, samples=[
    case(normal(2, 3), normal(3, 4), 1),
    case(normal(2, 3), normal(4, 2), [[0], [1]]),
    case(normal(2, 3, 4), normal(4, 5, 2), axes=[[-1, 0], [0, -1]]),
    case(normal(2, 3), normal(2), axes=0),
    case(normal(2, 3), normal(2, 3), 2),
    case(normal(), normal(), 0),
    case(normal(2, 0), normal(0, 3), [1, 0]),
    case(integers(-9, 9, 2, 3), integers(-9, 9, 3), 1),
])  # fmt: skip
def tensordot(a: Array, b: Array, axes: Any) -> Array:
    """The sum of products over axes of `a` and `b`; their other axes are the result's.

    Parameters
    ----------
    a, b : tensor
        Numbers of one dtype.
    axes : int, or two lists of int
        The axes of `a` and, in the same order, those of `b`. A number N means the last
        N of `a` and the first N of `b`: 0 is the outer product, 1 that of matrices.
    name : str, optional
        The operation's name.

    Raises
    ------
    ValueError
        There is no such axis, or two that are summed over have different sizes.

    Examples
    --------
    >>> import similarflow as sf
    >>> x = sf.constant([[1.0, 2.0], [3.0, 4.0]])
    >>> sf.Session().run([sf.tensordot(x, x, 1), sf.tensordot(x, x, [[0, 1], [0, 1]])])
    [array([[ 7., 10.],
           [15., 22.]], dtype=float32), np.float32(30.0)]
    """
    pairs = _paired(np.shape(a), np.shape(b), axes)
    first, second, out = _pair_labels(np.ndim(a), np.ndim(b), pairs)
    return contract([a, b], [first, second], out)


@RegisterGradient("Tensordot")
def _tensordot_grad(op: Operation, grad: Tensor) -> Any:
    a, b = op.inputs
    axes = op.attrs["axes"]
    return tensordot_a(grad, b, a, axes), tensordot_b(grad, a, b, axes)


def _infer_last(*inputs: Tensor, **attrs: Any) -> Spec:
    return inputs[-1].static_shape, common_dtype(*inputs)


@op("TensordotGradA", infer=_infer_last, **PAIR, samples=[
    case(normal(2, 4), normal(3, 4), normal(2, 3), 1),
    case(normal(3, 5), normal(4, 5, 2), normal(2, 3, 4), [[2, 0], [0, 2]]),
])  # fmt: skip
def tensordot_a(grad: Array, b: Array, like: Array, axes: Any) -> Array:
    """The gradient of `a`, whose shape is that of `like`, in ``tensordot(a, b)``."""
    pairs = _paired(np.shape(like), np.shape(b), axes)
    first, second, out = _pair_labels(np.ndim(like), np.ndim(b), pairs)
    return contract([grad, b], [out, second], first)


@RegisterGradient("TensordotGradA")
def _tensordot_a_grad(op: Operation, grad: Tensor) -> Any:
    upstream, b, _ = op.inputs
    axes = op.attrs["axes"]
    return tensordot(grad, b, axes), tensordot_b(upstream, grad, b, axes), None


@op("TensordotGradB", infer=_infer_last, **PAIR, samples=[
    case(normal(2, 4), normal(2, 3), normal(3, 4), 1),
    case(normal(3, 5), normal(2, 3, 4), normal(4, 5, 2), [[2, 0], [0, 2]]),
])  # fmt: skip
def tensordot_b(grad: Array, a: Array, like: Array, axes: Any) -> Array:
    """The gradient of `b`, whose shape is that of `like`, in ``tensordot(a, b)``."""
    pairs = _paired(np.shape(a), np.shape(like), axes)
    first, second, out = _pair_labels(np.ndim(a), np.ndim(like), pairs)
    return contract([grad, a], [out, first], second)


@RegisterGradient("TensordotGradB")
def _tensordot_b_grad(op: Operation, grad: Tensor) -> Any:
    upstream, a, _ = op.inputs
    axes = op.attrs["axes"]
    return tensordot(a, grad, axes), tensordot_a(upstream, grad, a, axes), None
