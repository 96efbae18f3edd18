"""What is known of a tensor's value when the graph is built."""

import numpy as np
import pytest

import similarflow as sf
from similarflow.ops.known import (
    as_axis,
    as_ints,
    merge_dims,
    show,
    static_dims,
    static_ints,
)


@pytest.fixture
def x():
    return sf.placeholder(sf.float32, [None, 3, 4])


def scalar():
    return sf.placeholder(sf.int32, [])


FOLLOWED = {
    "constant": (lambda x: sf.constant([1, -1]), (1, -1)),
    "scalar": (lambda x: sf.constant(7), (7,)),
    "weak": (lambda x: sf.Constant(7, weak=True), (7,)),
    "shape": (sf.shape, (None, 3, 4)),
    "piece": (lambda x: sf.shape(x)[-1], (4,)),
    "pieces": (lambda x: sf.shape(x)[1:], (3, 4)),
    "rank": (sf.rank, (3,)),
    "unknown_rank": (lambda x: sf.rank(sf.placeholder(sf.float32)), (None,)),
    "size": (lambda x: sf.size(x[0]), (12,)),
    "unknown_size": (sf.size, (None,)),
    "stack": (lambda x: sf.stack([scalar(), 2]), (None, 2)),
    "concat": (lambda x: sf.concat([sf.shape(x)[1:], [5]], 0), (3, 4, 5)),
    "identity": (lambda x: sf.identity(sf.shape(x)), (None, 3, 4)),
    "cast": (lambda x: sf.cast(sf.shape(x), sf.int64), (None, 3, 4)),
    "product": (lambda x: sf.reduce_prod(sf.shape(x)[1:]), (12,)),
    "unknown_product": (lambda x: sf.reduce_prod(sf.shape(x)), (None,)),
    "product_of_matrix": (
        lambda x: sf.reduce_prod(sf.placeholder(sf.int32, [None, 2])),
        (None,),
    ),
    "products": (
        lambda x: sf.reduce_prod(sf.placeholder(sf.int32, [3, 2]), 1),
        (None,) * 3,
    ),
    "arithmetic": (lambda x: (sf.shape(x)[1] * 3 - 1) // 2 + 1, (5,)),
    "vectors": (lambda x: sf.add(sf.shape(x), [1, 1, 1]), (None, 4, 5)),
    "spread": (lambda x: sf.rank(x) - 1 - sf.constant([0, 1]), (2, 1)),
    "spread_unknown": (lambda x: scalar() * sf.constant([0, 1]), (None, None)),
    "by_zero": (lambda x: sf.shape(x)[1] // 0, (None,)),
    "placeholder": (lambda x: sf.placeholder(sf.int32, [2]), (None, None)),
}
UNKNOWN = {
    "no_rank": lambda x: sf.shape(sf.placeholder(sf.float32)),
    "no_rank_piece": lambda x: sf.shape(sf.placeholder(sf.float32))[1:],
    "matrix": lambda x: sf.constant([[1]]),
    "long": lambda x: sf.constant(np.arange(100)),
    "joined": lambda x: sf.concat([sf.placeholder(sf.int32), [1]], 0),
    "range": lambda x: sf.range(scalar()),
    "no_rank_spread": lambda x: sf.shape(sf.placeholder(sf.float32)) * 2,
}


@pytest.mark.parametrize(("build", "want"), FOLLOWED.values(), ids=FOLLOWED)
def test_sizes_are_followed(x, build, want):
    tensor = build(x)
    assert static_dims(tensor) == want
    assert static_ints(tensor) == (None if None in want else want)


@pytest.mark.parametrize("build", UNKNOWN.values(), ids=UNKNOWN)
def test_what_is_not_known(x, build):
    assert static_dims(build(x)) is None
    assert static_ints(build(x)) is None


def test_floats_are_no_sizes(x):
    half = sf.cast(sf.shape(x), sf.float32) * 0.5
    assert static_dims(sf.cast(half, sf.int32)) == (None, None, None)


def test_axes():
    assert as_axis(None) is None
    assert [as_axis(a) for a in (1, np.int64(-1), np.array(2))] == [1, -1, 2]
    assert as_axis(sf.constant(-2)) == -2
    assert as_ints([0, np.int32(1)]) == as_ints(sf.constant([0, 1])) == (0, 1)
    one = sf.constant(1)
    assert as_ints([one, 0, sf.rank(sf.zeros([2, 3]))]) == (1, 0, 2)
    for axis in ([0], [0, 1], 1.5, "a", [one], sf.constant([0, 1]), sf.constant([0])):
        with pytest.raises(TypeError, match="whole number"):
            as_axis(axis)
    for ints in (sf.constant([[0]]), sf.constant(1.0), [sf.constant([0])], [[0]]):
        with pytest.raises(TypeError, match="whole number"):
            as_ints(ints)


def test_shapes_that_are_merged():
    assert merge_dims(None, (2, None)) == merge_dims((2, None), None) == (2, None)
    assert merge_dims((2, None), (None, 3)) == (2, 3)
    for other in ((3, None), (2,)):
        with pytest.raises(ValueError, match=r"\(2, \?\) and"):
            merge_dims((2, None), other)
    assert show(None) == "of unknown rank"


def test_what_is_known_of_equal_shapes():
    p, q = (sf.placeholder(sf.float32, dims) for dims in ([None, 3], [2, None]))
    free = sf.placeholder(sf.float32)
    assert sf.add_n([free, p, q]).shape == [2, 3]
    with pytest.raises(ValueError, match=r"inputs\[2\] has shape \(3,\).* \(2,\)"):
        sf.add_n([free, sf.zeros([2]), sf.zeros([3])])


def test_an_axis_may_be_a_size_of_a_tensor():
    x = sf.placeholder(sf.float32, [None, 1])
    y = sf.placeholder(sf.float32, [2, 3])
    assert sf.expand_dims(y, sf.shape(x)[1]).static_shape == (2, 1, 3)
