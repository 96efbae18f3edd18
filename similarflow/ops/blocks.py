"""Images cut in blocks and patches: space_to_depth, space_to_batch, patches."""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np

from ..core.convert import Array
from ..core.graph import Dims, Operation, Spec, Tensor
from ..core.operators import BUILDERS
from ..core.registry import op
from ..core.rules import RegisterGradient
from ..core.samples import case, integers, normal
from .composite import composite
from .gather import check_index_type
from .known import as_ints, show, static_dims
from .pad import Pairs, as_pairs, static_pairs
from .shape import as_shape_input

FORMATS = ("NHWC", "NCHW")


def _need_images(dims: Dims) -> None:
    if dims is not None and len(dims) != 4:
        raise ValueError(
            f"images have four axes, and shape {show(dims)} has {len(dims)}"
        )


def _exact(size: int | None, parts: int, what: str) -> int | None:
    """`size` divided; raises ValueError unless nothing is left over."""
    if size is None:
        return None
    if size % parts:
        raise ValueError(f"{what} has size {size}, which is no multiple of {parts}")
    return size // parts


# Blocks to channels and back


def _as_block(block_size: Any, x: Any = None) -> int:
    size = as_ints(block_size)[0]
    if size < 2:
        raise ValueError(f"block_size is 2 or more, not {size}")
    return size


def _as_format(data_format: Any, x: Any = None) -> str:
    if data_format not in FORMATS:
        raise ValueError(f"data_format is one of {FORMATS}, not {data_format!r}")
    return str(data_format)


BLOCK: dict[str, Any] = {
    "attrs": ["block_size"],
    "accepts": "any",
    "converters": {"block_size": _as_block, "data_format": _as_format},
}


def _times(size: int | None, factor: int) -> int | None:
    return None if size is None else size * factor


def _depth_dims(dims: Dims, block: int, data_format: str) -> Dims:
    """The shape when blocks have become channels."""
    _need_images(dims)
    if dims is None:
        return None
    at = 1 if data_format == "NHWC" else 2
    h, w = (_exact(dims[a], block, f"axis {a}") for a in (at, at + 1))
    c = _times(dims[3 if at == 1 else 1], block * block)
    return (dims[0], h, w, c) if at == 1 else (dims[0], c, h, w)


def _space_dims(dims: Dims, block: int, data_format: str) -> Dims:
    """The shape when channels have become blocks."""
    _need_images(dims)
    if dims is None:
        return None
    channels = 3 if data_format == "NHWC" else 1
    c = _exact(dims[channels], block * block, f"axis {channels}")
    at = 1 if channels == 3 else 2
    h, w = (_times(dims[a], block) for a in (at, at + 1))
    return (dims[0], h, w, c) if at == 1 else (dims[0], c, h, w)


def _infer_depth(input: Tensor, block_size: int, *, data_format: str = "NHWC") -> Spec:
    return _depth_dims(input.static_shape, block_size, data_format), input.static_dtype


def _infer_space(input: Tensor, block_size: int, *, data_format: str = "NHWC") -> Spec:
    return _space_dims(input.static_shape, block_size, data_format), input.static_dtype


@op("SpaceToDepth", infer=_infer_depth, **BLOCK, samples=[
    case(normal(2, 4, 2, 3), 2), case(normal(1, 2, 2, 4), 2, data_format="NCHW"),
    case(normal(0, 3, 3, 1), 3), case(integers(0, 9, 1, 2, 2, 1), 2),
])  # fmt: skip
def space_to_depth(
    input: Array, block_size: Any, *, data_format: str = "NHWC"
) -> Array:
    """Blocks of an image laid into its channels; `depth_to_space` undoes it.

    Parameters
    ----------
    input : tensor
        Images, whose height and width are multiples of `block_size`.
    block_size : int
        Height and width of a block.
    data_format : str
        "NHWC", or "NCHW" where the channels come before height and width.

    Examples
    --------
    >>> import similarflow as sf
    >>> sf.Session().run(sf.space_to_depth([[[[1], [2]], [[3], [4]]]], 2))
    array([[[[1, 2, 3, 4]]]], dtype=int32)
    """
    dims: Any = _depth_dims(np.shape(input), block_size, data_format)
    b = block_size
    if data_format == "NHWC":
        n, h, w, c = np.shape(input)
        apart = np.reshape(input, (n, h // b, b, w // b, b, c))
        return apart.transpose(0, 1, 3, 2, 4, 5).reshape(dims)  # (n, h/b, w/b, b*b*c)
    n, c, h, w = np.shape(input)
    apart = np.reshape(input, (n, c, h // b, b, w // b, b))
    return apart.transpose(0, 3, 5, 1, 2, 4).reshape(dims)  # (n, b*b*c, h/b, w/b)


@RegisterGradient("SpaceToDepth")
def _space_to_depth_grad(op: Operation, grad: Tensor) -> Any:
    return depth_to_space(grad, **op.attrs)


@op("DepthToSpace", infer=_infer_space, **BLOCK, samples=[
    case(normal(2, 2, 1, 8), 2), case(normal(1, 4, 2, 2), 2, data_format="NCHW"),
    case(normal(0, 1, 1, 9), 3),
])  # fmt: skip
def depth_to_space(
    input: Array, block_size: Any, *, data_format: str = "NHWC"
) -> Array:
    """Channels of an image laid out as blocks; `space_to_depth` undoes it.

    Examples
    --------
    >>> import similarflow as sf
    >>> sf.Session().run(sf.depth_to_space([[[[1, 2, 3, 4]]]], 2))
    array([[[[1],
             [2]],
    <BLANKLINE>
            [[3],
             [4]]]], dtype=int32)
    """
    dims: Any = _space_dims(np.shape(input), block_size, data_format)
    b = block_size
    if data_format == "NHWC":
        n, h, w, c = np.shape(input)
        apart = np.reshape(input, (n, h, w, b, b, c // (b * b)))
        return apart.transpose(0, 1, 3, 2, 4, 5).reshape(dims)  # (n, h*b, w*b, c/b/b)
    n, c, h, w = np.shape(input)
    apart = np.reshape(input, (n, b, b, c // (b * b), h, w))
    return apart.transpose(0, 3, 4, 1, 5, 2).reshape(dims)  # (n, c/b/b, h*b, w*b)


@RegisterGradient("DepthToSpace")
def _depth_to_space_grad(op: Operation, grad: Tensor) -> Any:
    return space_to_depth(grad, **op.attrs)


# Blocks to batches and back


def _batch_dims(dims: Dims, block: Dims, paddings: Pairs) -> Dims:
    """The shape when the places of blocks have become batches."""
    if dims is None or block is None:
        return None
    _check_blocks(dims, block)
    pairs = paddings or [(None, None)] * len(block)
    sizes: list[int | None] = []
    for i, (b, pair) in enumerate(zip(block, pairs, strict=True)):
        known = [n for n in (dims[i + 1], b, *pair) if n is not None]
        if any(n is not None and n < 0 for n in pair):
            raise ValueError(f"paddings are 0 or more, not {list(pair)}")
        what = f"axis {i + 1} with its paddings"
        whole = sum(known) - (b or 0)
        sizes.append(_exact(whole, b or 1, what) if len(known) == 4 else None)
    count = None if None in block else prod(b for b in block if b is not None)
    batch = None if count is None else _times(dims[0], count)
    return (batch, *sizes, *dims[len(block) + 1 :])


def _check_blocks(dims: Any, block: Any) -> None:
    if len(dims) <= len(block):
        raise ValueError(
            f"shape {show(dims)} needs an axis for the batch, and one for each of "
            f"block_shape, {show(block)}"
        )
    if any(b is not None and b < 1 for b in block):
        raise ValueError(f"block_shape is 1 or more, not {show(block)}")


def _unbatched_dims(dims: Dims, block: Dims, crops: Pairs) -> Dims:
    """The shape when batches have become the places of blocks."""
    if dims is None or block is None:
        return None
    _check_blocks(dims, block)
    pairs = crops or [(None, None)] * len(block)
    sizes: list[int | None] = []
    for i, (b, pair) in enumerate(zip(block, pairs, strict=True)):
        known = [n for n in (dims[i + 1], b, *pair) if n is not None]
        size = None
        if len(known) == 4:
            size = known[0] * known[1] - known[2] - known[3]
        if any(n is not None and n < 0 for n in (size, *pair)):
            raise ValueError(
                f"crops of {list(pair)} are not possible for axis {i + 1} of shape "
                f"{show(dims)} in blocks of {show(block)}"
            )
        sizes.append(size)
    count = None if None in block else prod(b for b in block if b is not None)
    batch = None if count is None else _exact(dims[0], count, "axis 0")
    return (batch, *sizes, *dims[len(block) + 1 :])


def _infer_to_batch(input: Tensor, block_shape: Tensor, paddings: Tensor) -> Spec:
    block, pairs = _blocks_of(block_shape, paddings, "paddings")
    return _batch_dims(input.static_shape, block, pairs), input.static_dtype


def _infer_from_batch(input: Tensor, block_shape: Tensor, crops: Tensor) -> Spec:
    block, pairs = _blocks_of(block_shape, crops, "crops")
    return _unbatched_dims(input.static_shape, block, pairs), input.static_dtype


def _blocks_of(block_shape: Tensor, edges: Tensor, what: str) -> tuple[Dims, Pairs]:
    check_index_type(block_shape, "block_shape")
    block, pairs = static_dims(block_shape), static_pairs(edges, what)
    if block is not None and pairs is not None and len(block) != len(pairs):
        raise ValueError(
            f"block_shape has {len(block)} numbers, and {what} has {len(pairs)} rows"
        )
    return block, pairs


BATCH: dict[str, Any] = {
    "same": ["input"],
    "accepts": "any",
    "converters": {"block_shape": as_shape_input},
}
NO_BLOCKS = np.zeros([0], np.int32)
NO_EDGES = np.zeros([0, 2], np.int32)


@op("SpaceToBatchND", infer=_infer_to_batch, **BATCH, samples=[
    case(normal(1, 4, 2, 1), [2, 2], [[0, 0], [0, 0]]),
    case(normal(2, 3), np.array([2]), np.array([[2, 1]])),
    case(normal(1, 2, 2), [3], [[0, 1]]), case(normal(0, 2, 1), [2], [[0, 0]]),
    case(normal(2, 2), NO_BLOCKS, NO_EDGES),
])  # fmt: skip
def space_to_batch_nd(input: Array, block_shape: Array, paddings: Array) -> Array:
    """Each place of a block becomes a batch of its own; `batch_to_space_nd` undoes it.

    Parameters
    ----------
    input : tensor
        Of shape ``(batch, sizes, rest)``.
    block_shape : list of int, or tensor
        How large a block is along each axis of the sizes.
    paddings : matrix of ints, or tensor
        For each of these axes how many zeros are added before, and how many after.

    Examples
    --------
    >>> import similarflow as sf
    >>> sf.Session().run(sf.space_to_batch_nd([[1, 2, 3]], [2], [[0, 1]]))
    array([[1, 3],
           [2, 0]], dtype=int32)
    """
    block = np.ravel(block_shape).tolist()
    pairs = as_pairs(paddings, len(block), "paddings")
    dims: Any = _batch_dims(np.shape(input), tuple(block), list(pairs))
    rest = np.ndim(input) - len(block) - 1
    zero: Any = {"constant_values": b""} if np.asarray(input).dtype.kind == "O" else {}
    whole = np.pad(input, [(0, 0), *pairs, *[(0, 0)] * rest], **zero)
    split = [n for s, b in zip(dims[1:], block, strict=False) for n in (s, b)]
    apart = whole.reshape(whole.shape[0], *split, *dims[len(block) + 1 :])
    # (batch, size, block, size, block, rest) -> (block, block, batch, size, size, rest)
    inner = list(range(2, 2 * len(block) + 1, 2))
    outer = [i for i in range(apart.ndim) if i not in inner]
    return apart.transpose(*inner, *outer).reshape(dims)


@RegisterGradient("SpaceToBatchND")
def _space_to_batch_nd_grad(op: Operation, grad: Tensor) -> Any:
    return batch_to_space_nd(grad, *op.inputs[1:]), None, None


@op("BatchToSpaceND", infer=_infer_from_batch, **BATCH, samples=[
    case(normal(4, 2, 1, 2), [2, 2], [[0, 0], [0, 1]]),
    case(normal(4, 3), np.array([2]), np.array([[2, 1]])),
    case(normal(0, 2), [2], [[0, 0]]), case(normal(2, 2), NO_BLOCKS, NO_EDGES),
])  # fmt: skip
def batch_to_space_nd(input: Array, block_shape: Array, crops: Array) -> Array:
    """Batches become the places of blocks; `space_to_batch_nd` undoes it.

    Parameters
    ----------
    input : tensor
        Of shape ``(batch, sizes, rest)``.
    block_shape : list of int, or tensor
        How large a block is along each axis of the sizes.
    crops : matrix of ints, or tensor
        For each of these axes how much is cut off before, and how much after.

    Examples
    --------
    >>> import similarflow as sf
    >>> sf.Session().run(sf.batch_to_space_nd([[1, 3], [2, 0]], [2], [[0, 1]]))
    array([[1, 2, 3]], dtype=int32)
    """
    block = np.ravel(block_shape).tolist()
    pairs = as_pairs(crops, len(block), "crops")
    dims: Any = _unbatched_dims(np.shape(input), tuple(block), list(pairs))
    apart = np.reshape(input, (*block, dims[0], *np.shape(input)[1:]))
    # (block, block, batch, size, size, rest) -> (batch, size, block, size, block, rest)
    n = len(block)
    order = [n, *[a for i in range(n) for a in (n + 1 + i, i)]]
    moved = apart.transpose(*order, *range(2 * n + 1, apart.ndim))
    sizes = [s * b for s, b in zip(np.shape(input)[1:], block, strict=False)]
    whole = moved.reshape(dims[0], *sizes, *dims[n + 1 :])
    inside = [slice(b, s - a) for s, (b, a) in zip(sizes, pairs, strict=True)]
    return whole[(slice(None), *inside)]


@RegisterGradient("BatchToSpaceND")
def _batch_to_space_nd_grad(op: Operation, grad: Tensor) -> Any:
    return space_to_batch_nd(grad, *op.inputs[1:]), None, None


@composite
def space_to_batch(
    input: Any, paddings: Any, block_size: Any = None, name: str | None = None,
    block_shape: Any = None,
) -> Tensor:  # fmt: skip
    """As `space_to_batch_nd`, with square blocks of one size."""
    block = _square(block_size, block_shape)
    return space_to_batch_nd(input, block, paddings, name=name)  # type: ignore[no-any-return]


@composite
def batch_to_space(
    input: Any, crops: Any, block_size: Any = None, name: str | None = None,
    block_shape: Any = None,
) -> Tensor:  # fmt: skip
    """As `batch_to_space_nd`, with square blocks of one size."""
    block = _square(block_size, block_shape)
    return batch_to_space_nd(input, block, crops, name=name)  # type: ignore[no-any-return]


def _square(block_size: Any, block_shape: Any) -> Any:
    given = block_size if block_shape is None else block_shape
    if given is None or (block_size is not None and block_shape is not None):
        raise TypeError("one of block_size and its newer name block_shape is needed")
    return given if np.ndim(given) else as_ints(given) * 2


BUILDERS.update(space_to_batch=space_to_batch, batch_to_space=batch_to_space)
