"""Patches of images: what the samples do not show, and TensorFlow's numbers."""

import numpy as np
import pytest

import similarflow as sf
from similarflow.ops.patches import extract_image_patches

IMAGE = np.arange(25.0).reshape(1, 5, 5, 1)
ONE = [1, 1, 1, 1]


def run(fetches, feeds=None):
    return sf.Session().run(fetches, feeds)


PATCHES = {
    "valid": (
        ([1, 3, 3, 1], [1, 2, 2, 1], ONE, "VALID"), (0, 1, 0),
        (1, 2, 2, 9), [10, 11, 12, 15, 16, 17, 20, 21, 22],
    ),
    "same": (
        ([1, 2, 2, 1], [1, 3, 3, 1], ONE, "SAME"), (0, 1, 1),
        (1, 2, 2, 4), [18, 19, 23, 24],
    ),
    "rates": (
        ([1, 2, 2, 1], ONE, [1, 3, 2, 1], "VALID"), (0, 1, 2),
        (1, 2, 3, 4), [7, 9, 22, 24],
    ),
    "rates_same": (
        ([1, 3, 2, 1], [1, 2, 2, 1], [1, 2, 2, 1], "SAME"), (0, 0, 1),
        (1, 3, 3, 6), [0, 0, 1, 3, 11, 13],
    ),
}  # fmt: skip


@pytest.mark.parametrize(
    ("window", "at", "dims", "wanted"), PATCHES.values(), ids=PATCHES
)
def test_patches_equal_tensorflows(window, at, dims, wanted):
    y = extract_image_patches(IMAGE, *window)
    assert (y.op.type, y.static_shape) == ("ExtractImagePatches", dims)
    found = run(y)
    assert found.shape == dims
    assert found[at].tolist() == wanted


GRADS = [
    (
        ([1, 3, 3, 1], [1, 2, 2, 1], ONE, "VALID"),
        [[0, 2, 8, 6, 8], [10, 12, 28, 16, 18], [40, 44, 96, 52, 56],
         [30, 32, 68, 36, 38], [40, 42, 88, 46, 48]],
    ),
    (
        ([1, 3, 2, 1], [1, 2, 2, 1], [1, 2, 2, 1], "SAME"),
        [[0, 8, 0, 24, 0], [0] * 5, [0, 132, 0, 156, 0], [0] * 5,
         [0, 168, 0, 184, 0]],
    ),
]  # fmt: skip


@pytest.mark.parametrize(("window", "wanted"), GRADS)
def test_gradients_equal_tensorflows(window, wanted):
    x = sf.constant(IMAGE)
    y = extract_image_patches(x, *window)
    assert run(sf.gradients(y * y, x)[0])[0, :, :, 0].tolist() == wanted


def test_sizes_that_only_a_run_knows():
    x = sf.placeholder(sf.float32, [None, None, 4, 3])
    y = extract_image_patches(x, [1, 2, 2, 1], ONE, ONE, "SAME")
    assert y.static_shape == (None, None, 4, 12)
    assert run(y, {x: np.ones([1, 2, 4, 3])}).shape == (1, 2, 4, 12)
    u = sf.placeholder(sf.float32)
    z = extract_image_patches(
        u, sizes=[1, 6, 6, 1], strides=ONE, rates=ONE, padding="VALID"
    )
    assert z.static_shape == (None,) * 4
    found, grad = run([z, sf.gradients(z, u)[0]], {u: IMAGE})
    assert found.shape == (1, 0, 0, 36)
    assert (grad == np.zeros_like(IMAGE)).all()


def test_arguments_are_checked():
    with pytest.raises(TypeError, match="needs the argument 'rates'"):
        extract_image_patches(IMAGE, ONE, ONE)
    with pytest.raises(ValueError, match=r"\[1, height, width, 1\] is needed"):
        extract_image_patches(IMAGE, [2, 3, 3, 1], ONE, ONE, "VALID")
    with pytest.raises(ValueError, match="padding is one of"):
        extract_image_patches(IMAGE, ONE, ONE, ONE, "valid")
    with pytest.raises(ValueError, match="images have four axes"):
        extract_image_patches(IMAGE[0], ONE, ONE, ONE, "VALID")
    u = sf.placeholder(sf.float32)
    with pytest.raises(sf.errors.InvalidArgumentError, match="images have four axes"):
        run(extract_image_patches(u, ONE, ONE, ONE, "VALID"), {u: IMAGE[0]})
