"""The handwritten digits of UCI, small enough to train on in seconds."""

from __future__ import annotations

import gzip
import zlib
from importlib import resources
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

__all__ = ["Digits", "load_digits"]

_ROWS, _SIDE, _CLASSES, _INK = 1797, 8, 10, 16


class Digits(NamedTuple):
    """Images and, in the same order, what was written."""

    images: NDArray[np.float32]
    labels: NDArray[Any]


def load_digits(
    *, flatten: bool = True, normalize: bool = True, one_hot: bool = False
) -> Digits:
    """1,797 digits written by 13 people, as grey images of 8 x 8 pixels.

    The order is the source's, in which neighbours are often by one writer: shuffle
    before you split.

    Parameters
    ----------
    flatten : bool
        Images as rows of 64 pixels; if False, as 8 x 8.
    normalize : bool
        Pixels from 0 (paper) to 1 (ink); if False, 0 to 16 as in the source.
    one_hot : bool
        Labels as rows of ten, 1 at the digit and 0 elsewhere.

    Returns
    -------
    Digits
        ``images``, (1797, 64) or (1797, 8, 8), float32, and ``labels``, (1797,) int64,
        or (1797, 10) float32 with `one_hot`. The arrays are the caller's own.

    Raises
    ------
    ValueError
        The file in the package is damaged.

    Notes
    -----
    The test part of *Optical Recognition of Handwritten Digits* by E. Alpaydin and
    C. Kaynak, 1998, UCI Machine Learning Repository, doi:10.24432/C50P49, unchanged;
    licensed under CC BY 4.0, https://creativecommons.org/licenses/by/4.0/. A pixel
    counts the inked ones among 4 x 4 pixels of the scan.

    Examples
    --------
    >>> import similarflow as sf
    >>> images, labels = sf.datasets.load_digits()
    >>> images.shape, labels[:5]
    ((1797, 64), array([0, 1, 2, 3, 4]))
    >>> for row in sf.datasets.load_digits(flatten=False).images[0]:
    ...     print("".join(" .:-=+*#@"[int(8 * pixel)] for pixel in row).rstrip())
      :*=
      *#+#:
     .#. +=
     :*  ==
     :=  ==
     :+  *-
     .#:+*
      -*+
    """
    packed = resources.files(__package__).joinpath("digits.csv.gz").read_bytes()
    table = _parse(packed)
    images = table[:, :-1].astype(np.float32)
    labels: NDArray[Any] = table[:, -1].copy()
    if normalize:
        images /= np.float32(_INK)
    if not flatten:
        images = images.reshape(_ROWS, _SIDE, _SIDE)
    if one_hot:
        labels = np.eye(_CLASSES, dtype=np.float32)[labels]
    return Digits(images, labels)


def _parse(packed: bytes) -> NDArray[np.int64]:
    """The checked table: a row for each digit, 64 pixels and then its label."""
    try:
        lines = gzip.decompress(packed).decode("ascii").splitlines()
        if not lines:
            raise ValueError("it is empty")
        table = np.loadtxt(lines, np.int64, delimiter=",", ndmin=2)
    except (OSError, EOFError, zlib.error, ValueError) as error:
        raise ValueError(_damaged(str(error))) from error
    if table.shape != (_ROWS, _SIDE**2 + 1):
        raise ValueError(_damaged(f"a table of {table.shape}, not {(_ROWS, 65)}"))
    for what, part, highest in [
        ("pixels", table[:, :-1], _INK),
        ("labels", table[:, -1], _CLASSES - 1),
    ]:
        if part.min() < 0 or part.max() > highest:
            found = f"{part.min()} to {part.max()}"
            raise ValueError(_damaged(f"{what} from {found}, not 0 to {highest}"))
    return table


def _damaged(why: str) -> str:
    return f"the file of the digits is damaged ({why}). Install similarflow again"
