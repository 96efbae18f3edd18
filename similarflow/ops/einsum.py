"""einsum: sums of products that an equation describes."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..core.convert import Array
from ..core.graph import Operation, Spec, Tensor
from ..core.infer import common_dtype
from ..core.registry import op
from ..core.rules import RegisterGradient
from ..core.samples import case, integers, normal
from .contract import Label, Labels, contract
from .fronts import front_of
from .known import show

_TERM = re.compile(r"[A-Za-z]*(\.\.\.)?[A-Za-z]*")


def parse_equation(equation: Any) -> tuple[list[str], str]:
    """The terms of an equation and its result; that one is made if it is not written.

    Raises
    ------
    ValueError
        The equation is none.
    """
    if not isinstance(equation, str):
        raise TypeError(f"an equation is a text such as 'ij,jk->ik', not {equation!r}")
    left, arrow, out = equation.replace(" ", "").partition("->")
    terms = left.split(",")
    for term in (*terms, out):
        if not _TERM.fullmatch(term):
            raise ValueError(
                f"{term!r} in the equation {equation!r} is not made of letters, one "
                "for each axis, and at most one '...'"
            )
    letters = "".join(terms).replace(".", "")
    if not arrow:
        once = sorted(n for n in set(letters) if letters.count(n) == 1)
        out = "..." * ("..." in left) + "".join(once)
    for n in out.replace(".", ""):
        if n not in letters:
            raise ValueError(f"label {n!r} of the result is in no input: {equation!r}")
        if out.count(n) > 1:
            raise ValueError(f"label {n!r} is twice in the result: {equation!r}")
    return terms, out


def _labels(term: str, shape: Sequence[Any], which: str) -> Labels:
    """The label of each axis; ``...`` stands for axes -1, -2, ... from its end.

    Raises
    ------
    ValueError
        The term has not as many labels as the shape has axes.
    """
    before, dots, after = term.partition("...")
    hidden = len(shape) - len(before) - len(after)
    if hidden < 0 or (hidden and not dots):
        raise ValueError(
            f"{which} has the shape {show(tuple(shape))} of rank {len(shape)}, and its "
            f"term {term!r} labels {len(before + after)} axes"
        )
    return [*before, *range(-hidden, 0), *after]


def _known_sizes(
    terms: Sequence[str], shapes: Sequence[Sequence[int | None]]
) -> dict[Label, Any]:
    """The size of each label, as far as it is known; under ``...`` 1 broadcasts.

    Raises
    ------
    ValueError
        A label has two sizes.
    """
    sizes: dict[Label, Any] = {}
    for i, (term, dims) in enumerate(zip(terms, shapes, strict=True)):
        for n, size in zip(_labels(term, dims, f"input {i}"), dims, strict=True):
            known = sizes.setdefault(n, size)
            hidden = isinstance(n, int)
            if hidden and 1 in (known, size):
                sizes[n] = known if size == 1 else size
            elif known is None:
                sizes[n] = size
            elif size not in (None, known):
                label = f"axis {n} under '...'" if hidden else f"label {n!r}"
                raise ValueError(
                    f"{label} has size {size} in input {i}, and {known} before"
                )
    return sizes


def _plain(term: str, shape: Sequence[int], which: str) -> tuple[Labels, list[int]]:
    """Labels and sizes, without axes of size 1 under ``...``: they broadcast."""
    pairs = zip(_labels(term, shape, which), shape, strict=True)
    kept = [(n, size) for n, size in pairs if not (isinstance(n, int) and size == 1)]
    return [n for n, _ in kept], [size for _, size in kept]


def _result_labels(out: str, sizes: dict[Label, Any]) -> Labels:
    """The labels of the result, of which ``...`` may stand for some."""
    hidden = [n for n in sizes if isinstance(n, int)]
    if hidden and "..." not in out:
        raise ValueError(
            f"an input has axes under '...', and the result {out!r} has no '...'"
        )
    before, _, after = out.partition("...")
    return [*before, *sorted(hidden), *after]


def _einsum(inputs: Sequence[Array], equation: str, like: Any = None) -> Array:
    """The kernel of both operations; `like` has the shape of the result."""
    left, _, out = equation.partition("->")
    terms = left.split(",")
    dtype = np.result_type(*inputs)  # a Python number beside arrays has none of its own
    arrays = [np.asarray(x, dtype) for x in inputs]
    sizes = _known_sizes(terms, [x.shape for x in arrays])
    if like is None:
        shape = tuple(sizes[n] for n in _result_labels(out, sizes))
    else:
        shape = np.shape(like)
    plain = [_plain(t, x.shape, "an input") for t, x in zip(terms, arrays, strict=True)]
    operands = [x.reshape(s) for x, (_, s) in zip(arrays, plain, strict=True)]
    result = contract(
        operands, [n for n, _ in plain], *_plain(out, shape, "the result")
    )
    return result.reshape(shape)


def _infer_einsum(*inputs: Tensor, equation: str) -> Spec:
    left, _, out = equation.partition("->")
    terms, shapes = left.split(","), [x.static_shape for x in inputs]
    ranked = [(t, s) for t, s in zip(terms, shapes, strict=True) if s is not None]
    sizes = _known_sizes([t for t, _ in ranked], [s for _, s in ranked])
    dtype = common_dtype(*inputs)
    hides = any("..." in t for t, s in zip(terms, shapes, strict=True) if s is None)
    if hides and "..." in out:
        return None, dtype
    return tuple(sizes.get(n) for n in _result_labels(out, sizes)), dtype


@op("Einsum", infer=_infer_einsum, samples=[
    case([normal(2, 3), normal(3, 4)], equation="ij,jk->ik"),
    case([normal(2, 3, 4), normal(4, 2, 3)], equation="bij,jbi->bj"),
    case([normal(2, 3), normal(3, 4), normal(4, 2)], equation="ij,jk,kl->il"),
    case([normal(3, 3)], equation="ii->"),
    case([normal(2, 3, 2)], equation="iji->ji"),
    case([normal(2, 3)], equation="ij->j"),
    case([normal(2), normal(3)], equation="i,j->ji"),
    case([normal(5, 1, 2, 3), normal(4, 3, 2)], equation="...ij,...jk->...ik"),
    case([normal(3, 2, 4), normal(2, 1, 3, 5)], equation="i...,...ij->j..."),
    case([normal(), normal(2, 3)], equation=",ij->ij"),
    case([normal(0, 3), normal(3, 2)], equation="ij,jk->ik"),
    case([normal(2, 0), normal(0, 3)], equation="ij,jk->ik"),
    case([integers(-9, 9, 2, 3), integers(-9, 9, 3)], equation="ij,j->i"),
])  # fmt: skip
def einsum_in_run(*inputs: Array, equation: str) -> Array:
    """The operation of `einsum`, with the whole equation."""
    return _einsum(inputs, equation)


def _infer_last(*inputs: Tensor, **attrs: Any) -> Spec:
    return inputs[-1].static_shape, common_dtype(*inputs)


@op("EinsumLike", infer=_infer_last, samples=[
    case([normal(2, 4), normal(3, 4), normal(2, 3)], equation="ik,jk->ij"),
    case([normal(), normal(3, 3)], equation="->ii"),
    case([normal(3, 2), normal(2, 3, 2)], equation="ji->iji"),
    case([normal(3), normal(2, 3)], equation="j->ij"),
    case([normal(5, 4, 2, 2), normal(4, 3, 2), normal(5, 1, 2, 3)],
         equation="...ik,...jk->...ij"),
])  # fmt: skip
def einsum_like(*inputs: Array, equation: str) -> Array:
    """An einsum whose result has the shape of the last of `inputs`: one backward.

    Labels that only the result has are spread along; where it has one twice, all beside
    the diagonal is 0.
    """
    return _einsum(inputs[:-1], equation, inputs[-1])


@RegisterGradient("Einsum")
@RegisterGradient("EinsumLike")
def _einsum_grad(op: Operation, grad: Tensor) -> Any:
    left, _, out = op.attrs["equation"].partition("->")
    terms = left.split(",")
    operands = list(op.inputs[: len(terms)])
    grads: list[Any] = [None] * len(op.inputs)
    for i, x in enumerate(operands):  # the result and operand i change places
        others = [*operands[:i], grad, *operands[i + 1 :]]
        left = ",".join([*terms[:i], out, *terms[i + 1 :]])
        grads[i] = einsum_like([*others, x], equation=f"{left}->{terms[i]}")
    return grads


@front_of(einsum_in_run)
def einsum(
    equation: str,
    *inputs: Any,
    name: str | None = None,
    optimize: Any = None,
    greedy: Any = None,
) -> Tensor:
    """The sums of products that an equation describes: "ij,jk->ik" is a matrix product.

    Each input has a term with a letter for each of its axes. Entries are multiplied
    where equal letters have equal values; a letter that the result lacks is summed
    over. A letter twice in one term takes the diagonal, and ``...`` stands for further
    axes, which broadcast.

    Parameters
    ----------
    equation : str
        The terms and ``->`` with that of the result. Without it the result has
        ``...`` and then, in their order, the letters that occur once.
    *inputs : tensor
        Numbers of one dtype, one tensor for each term.
    name : str, optional
        The operation's name.
    optimize, greedy : optional
        Taken as in TensorFlow, without effect: of several inputs those are multiplied
        first whose product is the smallest.

    Raises
    ------
    ValueError
        The equation is none, or the inputs do not fit it.

    Examples
    --------
    >>> import similarflow as sf
    >>> x = sf.constant([[1.0, 2.0], [3.0, 4.0]])
    >>> sf.Session().run([sf.einsum("ij,jk->ik", x, x), sf.einsum("ii", x)])
    [array([[ 7., 10.],
           [15., 22.]], dtype=float32), np.float32(5.0)]
    """
    terms, out = parse_equation(equation)
    if len(terms) != len(inputs):
        raise ValueError(
            f"the equation {equation!r} has {len(terms)} terms, and {len(inputs)} "
            "inputs are given"
        )
    whole = f"{','.join(terms)}->{out}"
    result: Tensor = einsum_in_run(list(inputs), equation=whole, name=name or "einsum")
    return result
