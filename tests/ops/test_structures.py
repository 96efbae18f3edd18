"""Nests taken apart and rebuilt."""

from collections import OrderedDict, namedtuple

import pytest

from similarflow.ops.structures import check_same, leaves, map_leaves, rebuild, show

Pair = namedtuple("Pair", "left right")


def test_leaves_and_back():
    nest = [1, {"b": 2, "a": (3, Pair(4, [5]))}, ()]
    assert leaves(nest) == [1, 3, 4, 5, 2]
    new = rebuild(nest, [10, 30, 40, 50, 20])
    assert new == [10, {"b": 20, "a": (30, Pair(40, [50]))}, ()]
    assert isinstance(new[1]["a"][1], Pair)
    assert list(new[1]) == ["b", "a"]
    assert leaves(3) == [3]
    assert rebuild(3, [4]) == 4
    assert isinstance(rebuild(OrderedDict(a=1), [2]), OrderedDict)
    assert leaves({1: "x", "a": "y"}) == ["x", "y"]
    assert map_leaves(lambda a, b: a + b, [1, (2,)], [3, (4,)]) == [4, (6,)]


def test_texts():
    assert (
        show([1, {"a": (2,)}, Pair(1, 2)]) == "[value, {'a': (value,)}, (value, value)]"
    )


@pytest.mark.parametrize(
    ("error", "first", "second"),
    [
        (ValueError, [1], 1),
        (TypeError, [1], (1,)),
        (TypeError, [1], {"a": 1}),
        (ValueError, [1], [1, 2]),
        (ValueError, {"a": 1}, {"b": 1}),
        (TypeError, {"a": [1]}, {"a": (1,)}),
    ],
)
def test_differences(error, first, second):
    with pytest.raises(error, match="these differ in structure"):
        check_same(first, second, "these")
    check_same(first, first, "these")
