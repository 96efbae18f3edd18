"""The digits that come with the package: what they hold, and damage is noticed."""

import gzip
from importlib import resources

import numpy as np
import pytest

import similarflow as sf
from similarflow.datasets import digits

PACKED = resources.files("similarflow.datasets").joinpath("digits.csv.gz").read_bytes()


def repack(text: str) -> bytes:
    return gzip.compress(text.encode("ascii"))


def test_by_default_rows_of_pixels_from_0_to_1() -> None:
    images, labels = sf.datasets.load_digits()
    assert images.shape == (1797, 64)
    assert images.dtype == np.float32
    assert (images.min(), images.max()) == (0.0, 1.0)
    assert labels.shape == (1797,)
    assert labels.dtype == np.int64


def test_every_digit_is_there_about_equally_often() -> None:
    labels = sf.datasets.load_digits().labels
    counts = np.bincount(labels)
    assert counts.tolist() == [178, 182, 177, 183, 181, 182, 181, 179, 174, 180]
    assert labels[:10].tolist() == list(range(10))


def test_pixels_are_those_of_the_source() -> None:
    images = sf.datasets.load_digits(normalize=False).images
    assert images.dtype == np.float32
    assert images[0, :8].tolist() == [0, 0, 5, 13, 9, 1, 0, 0]
    assert images.max() == 16.0
    assert images.sum() == 561718
    assert np.array_equal(images / 16, sf.datasets.load_digits().images)


def test_images_are_8_by_8_when_not_flat() -> None:
    images = sf.datasets.load_digits(flatten=False).images
    assert images.shape == (1797, 8, 8)
    assert np.array_equal(images.reshape(-1, 64), sf.datasets.load_digits().images)


def test_one_hot_labels() -> None:
    labels = sf.datasets.load_digits(one_hot=True).labels
    assert labels.shape == (1797, 10)
    assert labels.dtype == np.float32
    assert np.all(labels.sum(axis=1) == 1)
    assert np.array_equal(labels.argmax(axis=1), sf.datasets.load_digits().labels)


def test_each_call_gives_arrays_of_its_own() -> None:
    first = sf.datasets.load_digits()
    first.images[:] = 7
    first.labels[:] = 7
    second = sf.datasets.load_digits()
    assert second.images.max() == 1.0
    assert second.labels[0] == 0


def test_arguments_are_named() -> None:
    with pytest.raises(TypeError):
        sf.datasets.load_digits(True)  # type: ignore[misc]


@pytest.mark.parametrize(
    ("packed", "why"),
    [
        (b"", "empty"),
        (b"no gzip", "gzipped"),
        (PACKED[:-20], "ended"),
        (PACKED[:500] + b"\0" * 50 + PACKED[550:], ""),
        (gzip.compress(b"\xff,1\n"), "ascii"),
        (repack("1,2,ink\n"), "ink"),
        (repack("1,2,3\n1,2\n"), "columns"),
        (repack("1,2,3\n"), r"\(1, 3\), not \(1797, 65\)"),
        (repack((",".join(["0"] * 65) + "\n") * 1796), r"\(1796, 65\)"),
        (repack((",".join(["17"] * 64 + ["0"]) + "\n") * 1797), "pixels from 17 to 17"),
        (repack((",".join(["-1"] * 64 + ["0"]) + "\n") * 1797), "pixels from -1"),
        (repack((",".join(["0"] * 64 + ["10"]) + "\n") * 1797), "labels from 10 to 10"),
    ],
)
def test_damage_is_a_value_error(packed: bytes, why: str) -> None:
    with pytest.raises(ValueError, match=f"the digits is damaged .*{why}"):
        digits._parse(packed)
