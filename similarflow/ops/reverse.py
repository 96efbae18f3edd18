"""Turning axes round, and sequences of different lengths: reverse, sequence_mask."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core.convert import Array, as_np_dtype
from ..core.graph import Dims, Operation, Spec, Tensor, convert_to_tensor
from ..core.operators import BUILDERS
from ..core.registry import op
from ..core.rules import NotDifferentiable, RegisterGradient
from ..core.samples import case, normal
from .fronts import front_of
from .gather import check_index_type
from .known import as_axis, as_ints, show, static_ints
from .split import check_axis

BOOL = np.dtype(bool)


def _as_reversed(axis: Any, x: Any = None) -> tuple[int, ...]:
    """Axes to turn round; TensorFlow's list of truth values was before its 1.0."""
    given = axis if isinstance(axis, list | tuple | np.ndarray) else []
    if any(isinstance(a, bool | np.bool_) for a in given):
        raise TypeError(f"axis is a list of numbers, such as [0, 1], not {axis!r}")
    return as_ints(axis)


def _infer_reverse(tensor: Tensor, axis: tuple[int, ...]) -> Spec:
    dims = tensor.static_shape
    if dims is not None:
        _check_once(axis, len(dims))
    return dims, tensor.static_dtype


def _check_once(axis: tuple[int, ...], rank: int) -> None:
    axes = [check_axis(a, rank) for a in axis]
    if len(set(axes)) < len(axes):
        raise ValueError(f"axis {list(axis)} names an axis of rank {rank} twice")


@op("ReverseV2", infer=_infer_reverse, attrs=["axis"], accepts="any",
    converters={"axis": _as_reversed}, samples=[
        case(normal(2, 3), [0]), case(normal(2, 3, 2), [-1, 0]), case(normal(2, 3), []),
        case(normal(0, 2), [0]), case(normal(), []), case([True, False], [0]),
    ])  # fmt: skip
def reverse(tensor: Array, axis: Any) -> Array:
    """The elements in the opposite order along axes.

    Parameters
    ----------
    tensor : tensor
        Of any shape and dtype.
    axis : list of int
        The axes to turn round.

    Raises
    ------
    ValueError
        There is no such axis, or one is named twice.

    Examples
    --------
    >>> import similarflow as sf
    >>> sf.Session().run(sf.reverse([[1, 2], [3, 4]], [1]))
    array([[2, 1],
           [4, 3]], dtype=int32)
    """
    _check_once(axis, np.ndim(tensor))
    return np.flip(tensor, axis)


@RegisterGradient("ReverseV2")
def _reverse_grad(op: Operation, grad: Tensor) -> Any:
    return reverse(grad, op.attrs["axis"])


BUILDERS["reverse_v2"] = reverse


def _check_axes(dims: Dims, lengths: Dims, seq: int, batch: int) -> None:
    if lengths is not None and len(lengths) != 1:
        raise ValueError(f"seq_lengths is a vector, not of shape {show(lengths)}")
    if dims is None:
        return
    seq_at, batch_at = check_axis(seq, len(dims)), check_axis(batch, len(dims))
    if seq_at == batch_at:
        raise ValueError(f"seq_axis and batch_axis are the same axis, {seq}")
    rows, count = dims[batch_at], None if lengths is None else lengths[0]
    if None not in (rows, count) and rows != count:
        raise ValueError(
            f"seq_lengths has {count} numbers, and axis {batch} of shape {show(dims)} "
            f"has size {rows}"
        )


def _infer_sequence(
    input: Tensor, seq_lengths: Tensor, seq_dim: int, batch_dim: int = 0
) -> Spec:
    check_index_type(seq_lengths, "seq_lengths")
    lengths, dims = seq_lengths.static_shape, input.static_shape
    _check_axes(dims, lengths, seq_dim, batch_dim)
    if dims is not None and lengths is not None and dims[batch_dim] is None:
        at = batch_dim % len(dims)
        dims = (*dims[:at], lengths[0], *dims[at + 1 :])
    return dims, input.static_dtype


@op("ReverseSequence", infer=_infer_sequence, attrs=["seq_dim"], same=["input"],
    accepts="any", samples=[
        case(normal(2, 3), [2, 3], 1), case(normal(3, 2, 2), [1, 3], 0, 1),
        case(normal(2, 3), np.array([0, 1]), -1),
        case(normal(0, 3), np.zeros([0], np.int32), 1),
    ])  # fmt: skip
def reverse_starts(
    input: Array, seq_lengths: Array, seq_dim: Any, batch_dim: Any = 0
) -> Array:
    """The first elements of each sequence turned round; see `reverse_sequence`."""
    lengths = np.asarray(seq_lengths)
    _check_axes(np.shape(input), lengths.shape, seq_dim, batch_dim)
    steps = np.shape(input)[seq_dim]
    bad = np.flatnonzero((lengths < 0) | (lengths > steps))
    if bad.size:
        raise ValueError(
            f"seq_lengths[{bad[0]}] = {lengths[bad[0]]} is not in [0, {steps}], the "
            f"sizes that axis {seq_dim} of shape {np.shape(input)} allows"
        )
    step = np.arange(steps)
    turned = np.where(step < lengths[:, None], lengths[:, None] - 1 - step, step)
    rows = np.moveaxis(input, (batch_dim, seq_dim), (0, 1))  # (batch, steps, ...)
    picked = rows[np.arange(len(rows))[:, None], turned]
    return np.moveaxis(picked, (0, 1), (batch_dim, seq_dim))


@RegisterGradient("ReverseSequence")
def _reverse_starts_grad(op: Operation, grad: Tensor) -> Any:
    return reverse_starts(grad, op.inputs[1], **op.attrs), None


@front_of(reverse_starts)
def reverse_sequence(
    input: Any, seq_lengths: Any, seq_axis: Any = None, batch_axis: Any = None,
    name: str | None = None, seq_dim: Any = None, batch_dim: Any = None,
) -> Tensor:  # fmt: skip
    """The first ``seq_lengths[i]`` elements of sequence ``i`` in the opposite order.

    Parameters
    ----------
    input : tensor
        Sequences side by side.
    seq_lengths : vector of ints
        How long each is; what comes behind stays where it is.
    seq_axis : int
        The axis along which a sequence runs; `seq_dim` is its older name.
    batch_axis : int
        The axis that counts the sequences, 0 by default; `batch_dim` is its older name.

    Raises
    ------
    ValueError
        A length is not possible; it names the sequence.

    Examples
    --------
    >>> import similarflow as sf
    >>> x = sf.constant([[1, 2, 3], [4, 5, 6]])
    >>> sf.Session().run(sf.reverse_sequence(x, [2, 3], seq_axis=1))
    array([[2, 1, 3],
           [6, 5, 4]], dtype=int32)
    """
    axes = []
    for label, new, old in (
        ("seq", seq_axis, seq_dim),
        ("batch", batch_axis, batch_dim),
    ):
        if new is not None and old is not None:
            raise ValueError(
                f"{label}_axis and {label}_dim are two names of one number"
            )
        axes.append(as_axis(new if old is None else old))
    if axes[0] is None:
        raise TypeError("reverse_sequence needs seq_axis, along which a sequence runs")
    build = reverse_starts(input, seq_lengths, axes[0], axes[1] or 0, name=name)
    return build  # type: ignore[no-any-return]


def _as_mask_dtype(dtype: Any, x: Any = None) -> np.dtype[Any]:
    found = as_np_dtype(dtype)
    return BOOL if found is None else found


def _infer_mask(lengths: Tensor, maxlen: Tensor, dtype: Any = BOOL) -> Spec:
    dims, longest = lengths.static_shape, static_ints(maxlen)
    if maxlen.static_shape:
        raise ValueError(
            f"maxlen is one number, not of shape {show(maxlen.static_shape)}"
        )
    if dtype.kind == "O":
        raise TypeError("a mask is of truth values or numbers, not of strings")
    steps = None if longest is None else max(longest[0], 0)
    return None if dims is None else (*dims, steps), dtype


@op("SequenceMask", infer=_infer_mask, same=["lengths"], accepts="real",
    converters={"dtype": _as_mask_dtype}, samples=[
        case([1, 0, 3], 3), case([[2, 5], [0, 1]], 2, dtype=np.int32), case(2, 4),
        case(np.zeros([0], np.int64), 2), case(np.array([2, 1]), np.array(3)),
    ])  # fmt: skip
def mask_up_to(lengths: Array, maxlen: Array, dtype: Any = BOOL) -> Array:
    """True up to a length, and false from there to `maxlen`; see `sequence_mask`."""
    longest = np.asarray(maxlen)
    steps = np.arange(max(longest.item(), 0))
    ends = np.expand_dims(lengths, -1).astype(longest.dtype)  # as TensorFlow cuts them
    return np.asarray(steps < ends, dtype)


NotDifferentiable("SequenceMask")


@front_of(mask_up_to)
def sequence_mask(
    lengths: Any, maxlen: Any = None, dtype: Any = BOOL, name: str | None = None
) -> Tensor:
    """For each length a row that is true so many times, and then false.

    Parameters
    ----------
    lengths : tensor
        Of any shape; the rows are a new last axis.
    maxlen : int, optional
        How long the rows are; as long as the longest by default.
    dtype : DType
        Of the result, bool by default; numbers are 1 and 0.

    Examples
    --------
    >>> import similarflow as sf
    >>> sf.Session().run(sf.sequence_mask([1, 3, 0], dtype=sf.int32))
    array([[1, 0, 0],
           [1, 1, 1],
           [0, 0, 0]], dtype=int32)
    """
    counts = convert_to_tensor(lengths)
    longest = maxlen
    if longest is None:
        longest = BUILDERS["maximum"](BUILDERS["reduce_max"](counts), 0)
    return mask_up_to(counts, longest, dtype, name=name)  # type: ignore[no-any-return]
