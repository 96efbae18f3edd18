"""Bits taken for other numbers, and casts to the nearest number that fits."""

import numpy as np
import pytest

import similarflow as sf


@pytest.fixture
def sess():
    return sf.Session()


@pytest.mark.parametrize("known", [True, False])
def test_bits_there_and_back(sess, known):
    value = np.array([[1.5, -2.0], [0.0, 1e9]])[::-1]  # not contiguous
    x = sf.placeholder(sf.float64 if known else None, [2, 2] if known else None)
    for dtype in ("int64", "uint8", "int16", "float32"):
        bits = sf.bitcast(x, dtype)
        back = sf.bitcast(bits, sf.float64)
        found, same = sess.run([bits, back], {x: value})
        assert found.dtype == dtype
        np.testing.assert_array_equal(same, value)
        if known:
            assert bits.static_shape == found.shape
            assert back.static_shape == (2, 2)


def test_bits_that_make_no_number():
    with pytest.raises(ValueError, match=r"4 elements make one.*\(2, 3\)"):
        sf.bitcast(np.zeros([2, 3], np.uint8), sf.int32)
    with pytest.raises(TypeError, match="not bool"):
        sf.bitcast([1], sf.bool)
    with pytest.raises(TypeError, match="string none"):
        sf.bitcast(["a"], sf.uint8)


LIMITS = ["int8", "uint8", "int32", "uint32", "int64", "uint64", "float16", "float32"]


@pytest.mark.parametrize("target", LIMITS)
@pytest.mark.parametrize("source", [*LIMITS, "float64"])
def test_saturation_is_exact(sess, source, target):
    ends = np.finfo(source) if source[0] == "f" else np.iinfo(source)
    limits = np.finfo(target) if target[0] == "f" else np.iinfo(target)
    x = np.array([ends.min, 0, 1, 100, ends.max], source)
    got = sess.run(sf.saturate_cast(x, target))
    assert got.dtype == target
    exact = [int(v) for v in x]
    for value, found in zip(exact, got, strict=True):
        want = min(max(value, int(limits.min)), int(limits.max))
        assert abs(int(found) - want) <= abs(want) / 2**10
        assert int(limits.min) <= int(found) <= int(limits.max)


def test_the_gradient_flows_where_nothing_was_cut(sess):
    x = sf.constant([-1e6, 2.0, 1e6])
    y = sf.cast(sf.saturate_cast(x, sf.float16), sf.float32)
    assert sess.run(sf.gradients(y, x)[0]).tolist() == [0, 1, 0]


def test_what_cannot_saturate():
    with pytest.raises(TypeError, match=r"not bool as int32: write sf.cast"):
        sf.saturate_cast([True], sf.int32)
    with pytest.raises(TypeError, match="not untyped"):
        sf.saturate_cast(sf.Placeholder(), sf.int32)
