"""Patches of images: what a window sees as it moves over them."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core.convert import Array
from ..core.graph import Dims, Operation, Spec, Tensor
from ..core.registry import op
from ..core.rules import RegisterGradient
from ..core.samples import case, integers, normal
from .fronts import front_of
from .known import as_ints, show

PADDINGS = ("SAME", "VALID")


def _as_window(sizes: Any, x: Any = None) -> tuple[int, int]:
    """Height and width of ``[1, height, width, 1]``."""
    found = as_ints(sizes)
    if len(found) != 4 or found[0] != 1 or found[3] != 1 or min(found) < 1:
        raise ValueError(f"[1, height, width, 1] is needed, and {list(found)} is given")
    return found[1], found[2]


def _as_padding(padding: Any, x: Any = None) -> str:
    if padding not in PADDINGS:
        raise ValueError(f"padding is one of {PADDINGS}, not {padding!r}")
    return str(padding)


def _steps(
    size: int, window: int, stride: int, rate: int, padding: str
) -> tuple[int, int]:
    """How many patches there are along an axis, and the padding before the first."""
    reach = (window - 1) * rate + 1  # with the gaps that `rate` leaves
    if padding == "VALID":
        return max((size - reach) // stride + 1, 0), 0
    count = -(-size // stride)
    return count, max((count - 1) * stride + reach - size, 0) // 2


def _grid(dims: Any, sizes: Any, strides: Any, rates: Any, padding: str) -> Any:
    """For height and width: number of patches, padding before, size with padding."""
    found = []
    axes = zip(dims[1:3], sizes, strides, rates, strict=True)
    for size, window, stride, rate in axes:
        count, before = _steps(size, window, stride, rate, padding)
        reach = (count - 1) * stride + (window - 1) * rate + 1
        found.append((count, before, max(reach, before + size)))
    return found


def _views(counts: Any, sizes: Any, strides: Any, rates: Any) -> Any:
    """Each place of the window, and which rows and columns it sees in all patches."""
    for place in np.ndindex(*sizes) if all(counts) else ():
        starts = [p * rate for p, rate in zip(place, rates, strict=True)]
        yield place, tuple([
            slice(first, first + (count - 1) * stride + 1, stride)
            for first, count, stride in zip(starts, counts, strides, strict=True)
        ])  # fmt: skip


def _need_images(dims: Dims) -> None:
    if dims is not None and len(dims) != 4:
        raise ValueError(
            f"images have four axes, and shape {show(dims)} has {len(dims)}"
        )


def _infer_patches(
    images: Tensor, sizes: Any, strides: Any, rates: Any, padding: str
) -> Spec:
    dims = images.static_shape
    _need_images(dims)
    if dims is None:
        return (None,) * 4, images.static_dtype
    axes = zip(dims[1:3], sizes, strides, rates, strict=True)
    counts = [
        None if size is None else _steps(size, window, stride, rate, padding)[0]
        for size, window, stride, rate in axes
    ]
    depth = None if dims[3] is None else sizes[0] * sizes[1] * dims[3]
    return (dims[0], *counts, depth), images.static_dtype


PATCHES: dict[str, Any] = {"attrs": ["sizes", "strides", "rates", "padding"]}


@op("ExtractImagePatches", infer=_infer_patches, **PATCHES, samples=[
    case(normal(2, 4, 5, 2), (2, 3), (1, 2), (1, 1), "VALID"),
    case(normal(1, 4, 3, 1), (3, 2), (2, 2), (2, 1), "SAME"),
    case(normal(1, 2, 2, 1), (3, 3), (1, 1), (1, 1), "VALID"),
    case(normal(0, 3, 3, 1), (2, 2), (1, 1), (1, 1), "SAME"),
    case(integers(0, 9, 1, 3, 3, 2), (2, 2), (1, 1), (1, 1), "VALID"),
])  # fmt: skip
def patches_of(
    images: Array, sizes: Any, strides: Any, rates: Any, padding: Any
) -> Any:
    """The patches that a window sees; see `extract_image_patches`."""
    dims = np.shape(images)
    _need_images(dims)
    (rows, top, height), (columns, left, width) = _grid(
        dims, sizes, strides, rates, padding
    )
    whole = np.zeros((dims[0], height, width, dims[3]), np.result_type(images))
    whole[:, top : top + dims[1], left : left + dims[2]] = images
    found = np.zeros((dims[0], rows, columns, *sizes, dims[3]), whole.dtype)
    for (i, j), seen in _views((rows, columns), sizes, strides, rates):
        found[:, :, :, i, j] = whole[(slice(None), *seen)]
    return found.reshape(dims[0], rows, columns, sizes[0] * sizes[1] * dims[3])


@RegisterGradient("ExtractImagePatches")
def _patches_of_grad(op: Operation, grad: Tensor) -> Any:
    return put_patches(grad, op.inputs[0], **op.attrs)


def _infer_put(grad: Tensor, like: Tensor, **attrs: Any) -> Spec:
    return like.static_shape, grad.static_dtype


@op("ExtractImagePatchesGrad", infer=_infer_put, same=["grad"], **PATCHES, samples=[
    case(normal(1, 2, 2, 12), normal(1, 3, 4, 2), (2, 3), (1, 1), (1, 1), "VALID"),
    case(normal(1, 2, 2, 6), normal(1, 4, 3, 1), (3, 2), (2, 2), (2, 1), "SAME"),
])  # fmt: skip
def put_patches(
    grad: Array, like: Array, sizes: Any, strides: Any, rates: Any, padding: Any
) -> Array:
    """Patches added up where they were seen: their extraction, backward."""
    dims = np.shape(like)
    (rows, top, height), (columns, left, width) = _grid(
        dims, sizes, strides, rates, padding
    )
    whole = np.zeros((dims[0], height, width, dims[3]), np.result_type(grad))
    apart = np.reshape(grad, (dims[0], rows, columns, *sizes, dims[3]))
    for (i, j), seen in _views((rows, columns), sizes, strides, rates):
        whole[(slice(None), *seen)] += apart[:, :, :, i, j]
    return whole[:, top : top + dims[1], left : left + dims[2]]


@RegisterGradient("ExtractImagePatchesGrad")
def _put_patches_grad(op: Operation, grad: Tensor) -> Any:
    return patches_of(grad, **op.attrs), None


@front_of(patches_of)
def extract_image_patches(
    images: Any, ksizes: Any = None, strides: Any = None, rates: Any = None,
    padding: Any = None, name: str | None = None, sizes: Any = None,
) -> Tensor:  # fmt: skip
    """What a window sees at each of its places, laid into the channels.

    Parameters
    ----------
    images : tensor
        Of shape ``(batch, height, width, channels)``.
    ksizes : list of int
        The window: ``[1, height, width, 1]``; `sizes` is its newer name.
    strides : list of int
        How far the window moves: ``[1, rows, columns, 1]``.
    rates : list of int
        The window takes each row and column of so many: ``[1, rows, columns, 1]``.
    padding : str
        "VALID": the window stays inside; "SAME": the image has zeros around it.

    Returns
    -------
    tensor
        Of shape ``(batch, rows, columns, window height * window width * channels)``.

    Examples
    --------
    >>> import similarflow as sf
    >>> image = sf.reshape([1.0, 2.0, 3.0, 4.0, 5.0, 6.0], [1, 2, 3, 1])
    >>> one = [1, 1, 1, 1]
    >>> patches = sf.extract_image_patches(image, [1, 2, 2, 1], one, one, "VALID")
    >>> sf.Session().run(patches)
    array([[[[1., 2., 4., 5.],
             [2., 3., 5., 6.]]]], dtype=float32)
    """
    given = {
        "ksizes": sizes if ksizes is None else ksizes,
        "strides": strides,
        "rates": rates,
        "padding": padding,
    }
    missing = [key for key, value in given.items() if value is None]
    if missing:
        raise TypeError(f"extract_image_patches() needs the argument {missing[0]!r}")
    windows = [_as_window(given[key]) for key in ("ksizes", "strides", "rates")]
    return patches_of(images, *windows, _as_padding(padding), name=name)  # type: ignore[no-any-return]
