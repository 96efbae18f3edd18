"""Strings."""

import numpy as np
import pytest

import similarflow as sf


def run(fetches, feeds=None):
    return sf.Session().run(fetches, feeds)


def test_scalars_are_joined_with_every_element():
    y = sf.string_join(["a", [["b"], ["c"]], "d"], separator="--")
    assert y.static_shape == (2, 1)
    assert run(y).tolist() == [[b"a--b--d"], [b"a--c--d"]]
    assert run(sf.string_join(["ä", b"\xff"])) == "ä".encode() + b"\xff"
    assert run(sf.string_join([["a"]], name="one")).tolist() == [b"a"]


def test_shapes_that_only_the_run_knows():
    x, y = sf.placeholder(sf.string), sf.Placeholder()
    joined = sf.string_join([x, y], "|")
    assert joined.static_shape is None
    assert run(joined, {x: ["a", "b"], y: "c"}).tolist() == [b"a|c", b"b|c"]
    assert run(joined, {x: "a", y: "c"}) == b"a|c"
    assert run(joined, {x: np.zeros([0], object), y: "c"}).shape == (0,)
    with pytest.raises(sf.errors.InvalidArgumentError, match=r"\(1,\) and \(2,\)"):
        run(joined, {x: ["a"], y: ["b", "c"]})


def test_what_cannot_be_joined():
    with pytest.raises(ValueError, match=r"\(1,\) and \(2,\) cannot be joined"):
        sf.string_join([["a"], ["b", "c"]])
    with pytest.raises(TypeError, match="string"):
        sf.string_join(["a", 1])
    with pytest.raises(TypeError, match=r"joins strings, and .* int32"):
        sf.string_join([sf.constant(1), sf.constant(2)])
    with pytest.raises(ValueError, match="at least one"):
        sf.string_join([])


def test_no_strings_at_all() -> None:
    s = sf.placeholder(sf.string, [None])
    for found in (run(s, {s: []}), run(sf.constant([], sf.string))):
        assert (found.dtype, found.shape) == (np.dtype(object), (0,))
    with pytest.raises(TypeError, match="expected string"):
        run(s, {s: [1.0]})
