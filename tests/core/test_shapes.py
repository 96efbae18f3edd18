"""Dimension and TensorShape as TensorFlow 1 has them; expected values are TensorFlow's.

What differs on purpose: whole floats are sizes (so they are in TensorFlow 1.15), a
negative number may be added to a dimension, and steps may slice an unknown rank.
"""

import copy
import operator
import pickle
import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import similarflow as sf
from similarflow.core.convert import as_dims
from similarflow.core.shapes import (
    Dimension,
    TensorShape,
    as_shape,
    dimension_at_index,
    dimension_value,
    unknown_shape,
)

D, S = Dimension, TensorShape
UNKNOWN = D(None)

ARITHMETIC = [operator.add, operator.sub, operator.mul, operator.floordiv, operator.mod]
ORDER = [operator.lt, operator.le, operator.gt, operator.ge]
COMPARISONS = [operator.eq, operator.ne, *ORDER]


def is_dimension(found: Any, value: int | None) -> bool:
    return type(found) is Dimension and found.value == value


def dims(shape: Any) -> list[int | None] | None:
    assert type(shape) is TensorShape
    return None if shape.ndims is None else shape.as_list()


class TestDimension:
    @pytest.mark.parametrize(
        ("given", "value"),
        [
            (3, 3),
            (0, 0),
            (None, None),
            (D(3), 3),
            (UNKNOWN, None),
            (np.int64(3), 3),
            (np.uint8(3), 3),
            (np.array(3), 3),
            (True, 1),
            (3.0, 3),
            (np.float32(3), 3),
            (10**12, 10**12),
        ],
    )
    def test_value(self, given: Any, value: int | None) -> None:
        found = D(given).value
        assert found == value
        assert type(found) is (int if value is not None else type(None))

    @pytest.mark.parametrize(
        "given",
        [3.5, float("nan"), "3", b"3", "a", [3], (), {}, object(), np.array([3, 4])],
    )
    def test_no_size(self, given: Any) -> None:
        message = re.escape(f"a size is an integer or None, not {given!r}")
        with pytest.raises(TypeError, match=message):
            D(given)

    @pytest.mark.parametrize("given", [-1, np.int32(-2), -3.0])
    def test_negative(self, given: Any) -> None:
        with pytest.raises(ValueError, match=f"0 or more .* not {int(given)}"):
            D(given)

    def test_text(self) -> None:
        assert (str(D(3)), repr(D(3))) == ("3", "Dimension(3)")
        assert (str(UNKNOWN), repr(UNKNOWN)) == ("?", "Dimension(None)")

    def test_it_is_read_only(self) -> None:
        with pytest.raises(AttributeError):
            D(3).value = 4

    def test_integer(self) -> None:
        d = D(3)
        assert (int(d), operator.index(d), float(d)) == (3, 3, 3.0)
        assert list(range(d)) == [0, 1, 2]
        assert "abcd"[d] == "d"
        assert [4] * d == d * [4] == [4, 4, 4]
        assert "a" * d == "aaa"
        assert np.zeros([d, 2]).shape == (3, 2)
        assert np.zeros(d).shape == (3,)

    @pytest.mark.parametrize("function", [int, operator.index, range, float])
    def test_unknown_is_no_integer(self, function: Callable[[Any], Any]) -> None:
        with pytest.raises(TypeError, match=r"no number; sf\.shape"):
            function(UNKNOWN)

    def test_truth(self) -> None:
        assert [bool(D(v)) for v in (3, 0, None)] == [True, False, False]

    def test_it_has_no_hash(self) -> None:
        with pytest.raises(TypeError, match="unhashable"):
            hash(D(3))

    def test_copies(self) -> None:
        for d in (D(3), UNKNOWN):
            assert is_dimension(pickle.loads(pickle.dumps(d)), d.value)  # noqa: S301
            assert is_dimension(copy.copy(d), d.value)
            assert is_dimension(copy.deepcopy(d), d.value)

    OPERATORS = (
        operator.add,
        operator.sub,
        operator.mul,
        operator.floordiv,
        operator.mod,
    )

    @pytest.mark.parametrize("function", ARITHMETIC)
    @pytest.mark.parametrize(("x", "y"), [(7, 2), (7, 7), (7, 1), (12, 5)])
    def test_arithmetic(self, function: Callable[..., Any], x: int, y: int) -> None:
        expected = function(x, y)
        for a, b in ((D(x), D(y)), (D(x), y), (x, D(y)), (np.int64(x), D(y))):
            assert is_dimension(function(a, b), expected)
        assert is_dimension(function(D(x), np.int32(y)), expected)
        assert is_dimension(function(D(x), float(y)), expected)

    @pytest.mark.parametrize("function", ARITHMETIC)
    def test_arithmetic_with_unknown(self, function: Callable[..., Any]) -> None:
        for a, b in (
            (D(3), None),
            (None, D(3)),
            (D(3), UNKNOWN),
            (UNKNOWN, D(3)),
            (UNKNOWN, 3),
            (3, UNKNOWN),
            (UNKNOWN, UNKNOWN),
            (UNKNOWN, None),
        ):
            assert is_dimension(function(a, b), None)

    @pytest.mark.parametrize("function", ARITHMETIC)
    @pytest.mark.parametrize("other", [1.5, object(), {}, (1.0,)])
    def test_arithmetic_with_others(
        self, function: Callable[..., Any], other: Any
    ) -> None:
        if isinstance(other, tuple) and function is operator.mul:
            assert D(2) * other == other * D(2) == (1.0, 1.0)
            return
        with pytest.raises(TypeError):
            function(D(3), other)
        with pytest.raises(TypeError):
            function(other, D(3))

    def test_negative_results(self) -> None:
        for compute in (
            lambda: D(3) - 4,
            lambda: 3 - D(4),
            lambda: D(3) * -1,
            lambda: D(7) % -4,
            lambda: D(3) + -5,
        ):
            with pytest.raises(ValueError, match="a size is 0 or more"):
                compute()
        assert is_dimension(D(3) + -1, 2)
        assert is_dimension(-1 + D(3), 2)

    def test_division_by_zero(self) -> None:
        for function in (operator.floordiv, operator.mod):
            with pytest.raises(ZeroDivisionError):
                function(D(7), 0)

    @pytest.mark.parametrize(
        ("x", "y"), [(D(7), 2), (7, D(2)), (D(7), D(2)), (D(7), None), (D(7), 2.0)]
    )
    def test_true_division(self, x: Any, y: Any) -> None:
        message = re.escape(f"{x!r} / {y!r}: sizes are whole numbers, so write //")
        with pytest.raises(TypeError, match=message):
            x / y

    def test_no_other_operators(self) -> None:
        for compute in (
            lambda: -D(3),
            lambda: abs(D(3)),
            lambda: D(3) ** 2,
            lambda: divmod(D(7), 2),
            lambda: D(3) & 1,
        ):
            with pytest.raises(TypeError):
                compute()

    @pytest.mark.parametrize("function", COMPARISONS)
    @pytest.mark.parametrize(("x", "y"), [(3, 4), (3, 3), (4, 3)])
    def test_comparison(self, function: Callable[..., Any], x: int, y: int) -> None:
        expected = function(x, y)
        assert function(D(x), D(y)) is expected
        assert function(D(x), y) is expected
        assert function(x, D(y)) is expected
        assert function(D(x), np.int64(y)) is expected
        assert bool(function(np.int64(x), D(y))) is expected
        assert function(D(x), float(y)) is expected

    @pytest.mark.parametrize("function", COMPARISONS)
    def test_comparison_with_unknown(self, function: Callable[..., Any]) -> None:
        for a, b in (
            (D(3), None),
            (None, D(3)),
            (D(3), UNKNOWN),
            (UNKNOWN, 3),
            (UNKNOWN, None),
            (UNKNOWN, UNKNOWN),
        ):
            assert function(a, b) is None

    @pytest.mark.parametrize("other", ["3", "a", 3.5, [3], (3,), object(), {}, 12.99])
    def test_comparison_with_others(self, other: Any) -> None:
        for d in (D(3), UNKNOWN):
            assert (d == other) is False
            assert (d != other) is True
            for function in ORDER:
                with pytest.raises(TypeError, match="not supported between"):
                    function(d, other)

    def test_membership(self) -> None:
        assert D(3) in [1, 3]
        assert [3, D(3)].index(3) == 0
        assert max(D(3), D(4)) == 4
        assert is_dimension(sum([D(3), D(4)]), 7)
        assert is_dimension(np.prod([D(3), D(4)]), 12)

    def test_compatible(self) -> None:
        pairs = [(3, 3), (3, 4), (3, None), (None, 3), (None, None)]
        found = [D(x).is_compatible_with(y) for x, y in pairs]
        assert found == [True, False, True, True, True]
        assert found == [D(x).is_compatible_with(D(y)) for x, y in pairs]
        D(3).assert_is_compatible_with(3)
        D(3).assert_is_compatible_with(None)
        with pytest.raises(ValueError, match="dimensions 3 and 4 are incompatible"):
            D(3).assert_is_compatible_with(4)
        with pytest.raises(TypeError, match="a size is an integer"):
            D(3).is_compatible_with("a")

    def test_merge(self) -> None:
        pairs = [(3, 3), (3, None), (None, 3), (None, None)]
        for wrap in (lambda size: size, D):
            found = [D(x).merge_with(wrap(y)) for x, y in pairs]
            assert [type(d) for d in found] == [Dimension] * 4
            assert [d.value for d in found] == [3, 3, 3, None]
            with pytest.raises(ValueError, match="dimensions 3 and 4 are incompatible"):
                D(3).merge_with(wrap(4))


class TestMakingShapes:
    @pytest.mark.parametrize(
        ("given", "expected"),
        [
            (None, None),
            ([], []),
            ((), []),
            ([2], [2]),
            ([None, 3], [None, 3]),
            ((1, 2), [1, 2]),
            (3, [3]),
            (0, [0]),
            (D(3), [3]),
            (UNKNOWN, [None]),
            ([D(3), None, UNKNOWN], [3, None, None]),
            (S([1, None]), [1, None]),
            (S(None), None),
            (range(3), [0, 1, 2]),
            (iter([1, 2]), [1, 2]),
            (np.array([1, 2]), [1, 2]),
            (np.array(3), [3]),
            (np.int64(3), [3]),
            (np.zeros((2, 0)).shape, [2, 0]),
            ([np.int32(4), True], [4, 1]),
            ([2.0, 28 * 28 / 4], [2, 196]),
        ],
    )
    def test_known(self, given: Any, expected: list[int | None] | None) -> None:
        found = dims(S(given))
        assert found == expected
        assert all(type(size) in (int, type(None)) for size in found or ())

    @pytest.mark.parametrize(
        "given",
        [
            "abc",
            "12",
            ["a"],
            [1.5],
            2.5,
            [[1, 2]],
            [None, "a"],
            object(),
            {(): 1},
        ],
    )
    def test_no_shape(self, given: Any) -> None:
        for make in (S, as_shape, S([2]).merge_with, S([2]).is_compatible_with):
            with pytest.raises(TypeError, match="a size is an integer or None, not"):
                make(given)

    @pytest.mark.parametrize("given", [[-1, 2], -1, np.array([2, -1])])
    def test_negative(self, given: Any) -> None:
        with pytest.raises(ValueError, match=r"a size is 0 or more .* not -1"):
            S(given)

    def test_matrix_is_no_shape(self) -> None:
        with pytest.raises(TypeError, match="a size is an integer or None"):
            S(np.array([[1, 2], [3, 4]]))

    def test_argument(self) -> None:
        assert dims(S(dims=[1])) == [1]
        with pytest.raises(TypeError, match="dims"):
            S()

    @pytest.mark.parametrize("given", [None, (), (2, None)])
    def test_from_dims(self, given: Any) -> None:
        found = S.from_dims(given)
        assert found == S(given)
        assert dims(found) == (None if given is None else list(given))

    def test_as_shape(self) -> None:
        shape = S([1])
        assert as_shape(shape) is shape
        assert [dims(as_shape(v)) for v in (None, [1, None], 2)] == [
            None,
            [1, None],
            [2],
        ]

    def test_unknown_shape(self) -> None:
        assert dims(unknown_shape()) is None
        assert [dims(unknown_shape(n)) for n in (None, 2, 0)] == [
            None,
            [None, None],
            [],
        ]
        assert dims(unknown_shape(ndims=1)) == [None]

    @pytest.mark.parametrize("given", [None, [], [2, None], (3,)])
    def test_conversion_within_the_library(self, given: Any) -> None:
        assert as_dims(S(given)) == (None if given is None else tuple(given))
        assert as_dims([D(3), UNKNOWN, 4]) == (3, None, 4)


class TestShape:
    @pytest.mark.parametrize(
        ("given", "text", "representation"),
        [
            (None, "<unknown>", "TensorShape(None)"),
            ([], "()", "TensorShape([])"),
            ([2], "(2,)", "TensorShape([Dimension(2)])"),
            ([None], "(?,)", "TensorShape([Dimension(None)])"),
            ([None, 3], "(?, 3)", "TensorShape([Dimension(None), Dimension(3)])"),
        ],
    )
    def test_text(self, given: Any, text: str, representation: str) -> None:
        shape = S(given)
        assert (str(shape), f"{shape}", repr(shape)) == (text, text, representation)

    @pytest.mark.parametrize(
        ("given", "rank", "defined", "size"),
        [
            (None, None, False, None),
            ([], 0, True, 1),
            ([3, 2], 2, True, 6),
            ([0, 3], 2, True, 0),
            ([3, None], 2, False, None),
            ([None, 0], 2, False, None),
        ],
    )
    def test_facts(
        self, given: Any, rank: int | None, defined: bool, size: int | None
    ) -> None:
        shape = S(given)
        assert shape.ndims == shape.rank == rank
        assert shape.is_fully_defined() is defined
        assert shape.num_elements() == size
        assert type(shape.num_elements()) in (int, type(None))
        assert bool(shape) is (rank is not None)

    def test_dims(self) -> None:
        shape = S([2, None])
        found = shape.dims
        assert found is not None
        assert [type(d) for d in found] == [Dimension, Dimension]
        assert [d.value for d in found] == [2, None]
        found.append(D(4))
        assert dims(shape) == [2, None]
        assert S(None).dims is None

    def test_as_list_is_a_new_list(self) -> None:
        shape = S([None, 2])
        shape.as_list().append(3)
        assert shape.as_list() == [None, 2]

    @pytest.mark.parametrize("function", [TensorShape.as_list, len, list, tuple])
    def test_unknown_rank(self, function: Callable[[Any], Any]) -> None:
        with pytest.raises(ValueError, match=r"needs a shape of known rank\. Give"):
            function(S(None))

    def test_sequence(self) -> None:
        shape = S([2, None, 4])
        assert len(shape) == 3
        assert [d.value for d in shape] == [2, None, 4]
        assert all(type(d) is Dimension for d in shape)
        assert [d.value for d in reversed(shape)] == [4, None, 2]
        a, _b, c = shape
        assert (int(a), int(c)) == (2, 4)
        assert 2 in S([2, 3])
        assert D(2) in S([2, 3])
        assert 5 not in S([2, 3])
        assert [d.value for d in sorted(S([3, 2]))] == [2, 3]

    def test_numpy(self) -> None:
        assert np.zeros(S([2, 3])).shape == (2, 3)
        assert is_dimension(np.prod(S([2, 3])), 6)
        assert is_dimension(np.prod(S([2, None])), None)
        assert int(np.prod(S([None, 4, 3])[1:])) == 12

    def test_index(self) -> None:
        shape = S([2, None, 4])
        keys: list[Any] = [0, 1, -1, np.int64(2), D(2), -3]
        found = [shape[key] for key in keys]
        assert all(type(d) is Dimension for d in found)
        assert [d.value for d in found] == [2, None, 4, 4, 4, 2]

    @pytest.mark.parametrize("key", [3, -4])
    def test_index_outside(self, key: int) -> None:
        message = re.escape(f"no dimension {key}: shape (2, ?, 4) has 3")
        with pytest.raises(IndexError, match=message):
            _ = S([2, None, 4])[key]

    @pytest.mark.parametrize("key", ["a", None, 1.0, (0, 1)])
    @pytest.mark.parametrize("given", [None, [2, 3]])
    def test_no_index(self, given: Any, key: Any) -> None:
        with pytest.raises(TypeError, match="integer"):
            _ = S(given)[key]

    def test_slices(self) -> None:
        shape = S([2, None, 4])
        assert dims(shape[1:]) == dims(shape[D(1) :]) == [None, 4]
        assert dims(shape[:-1]) == [2, None]
        assert dims(shape[::2]) == [2, 4]
        assert dims(shape[::-1]) == [4, None, 2]
        assert dims(shape[5:]) == []

    def test_items_of_unknown_rank(self) -> None:
        shape = S(None)
        assert is_dimension(shape[0], None)
        assert is_dimension(shape[-1], None)
        assert is_dimension(shape[100], None)

    @pytest.mark.parametrize(
        ("key", "expected"),
        [
            (slice(1, None), None),
            (slice(1, 3), [None, None]),
            (slice(None, 2), [None, None]),
            (slice(None, D(2)), [None, None]),
            (slice(None), None),
            (slice(None, -1), None),
            (slice(-1, None), None),
            (slice(-2, None), None),
            (slice(-2, 3), None),
            (slice(3, 1), []),
            (slice(1, -1), None),
            (slice(None, None, 2), None),
            (slice(0, 4, 2), None),
        ],
    )
    def test_slices_of_unknown_rank(self, key: slice, expected: Any) -> None:
        assert dims(S(None)[key]) == expected

    EQUAL = (
        ([2, 3], [2, 3]),
        ([2, 3], (2, 3)),
        ([2, 3], S([2, 3])),
        ([2, 3], [D(2), 3]),
        ([2, 3], np.array([2, 3])),
        ([], []),
        ([], ()),
        ([2], 2),
        ([2], D(2)),
        ([None], [None]),
        ([None], S([None])),
        ([None, 2], [None, 2]),
        (None, None),
        (None, S(None)),
    )

    @pytest.mark.parametrize(("given", "other"), EQUAL, ids=repr)
    def test_equal(self, given: Any, other: Any) -> None:
        assert (S(given) == other) is True
        assert (S(given) != other) is False

    DIFFERENT = (
        ([2, 3], [2, 4]),
        ([2, 3], [2]),
        ([2, 3], S([2, 3, 1])),
        ([2, 3], None),
        ([2], S(None)),
        (None, [2]),
        (None, []),
        ([None, 2], [1, 2]),
        ([None], [2]),
        ([2], "a"),
        ([2], "2"),
        ([2], 2.5),
        ([2], [-1]),
        ([2], object()),
        ([2], [[2]]),
        ([2, 3], np.array([2, 4])),
    )

    @pytest.mark.parametrize(("given", "other"), DIFFERENT, ids=repr)
    def test_different(self, given: Any, other: Any) -> None:
        assert (S(given) == other) is False
        assert (S(given) != other) is True

    def test_reflected_equality(self) -> None:
        for other, same in (([2, 3], True), ((2, 3), True), ([2, 4], False)):
            assert (other == S([2, 3])) is same
            assert (other != S([2, 3])) is not same

    def test_hash(self) -> None:
        for given in (None, [], [2, 3], [None, 3]):
            assert hash(S(given)) == hash(None if given is None else tuple(given))
        assert {S([2]): 1}[S([2])] == 1
        assert len({S([2]), S([2]), S([None])}) == 2

    def test_it_has_no_order(self) -> None:
        with pytest.raises(TypeError, match="not supported between"):
            _ = S([2]) < S([3])

    def test_copies(self) -> None:
        for shape in (S([3, None]), S(None), S([])):
            for found in (
                pickle.loads(pickle.dumps(shape)),  # noqa: S301
                copy.copy(shape),
                copy.deepcopy(shape),
            ):
                assert dims(found) == dims(shape)


class TestRank:
    def test_with_rank(self) -> None:
        assert dims(S([2, 3]).with_rank(2)) == [2, 3]
        assert dims(S([2, 3]).with_rank(None)) == [2, 3]
        assert dims(S(None).with_rank(2)) == [None, None]
        assert dims(S(None).with_rank(None)) is None
        for rank in (1, 3):
            message = re.escape(f"shape (2, ?) has rank 2, not {rank}")
            with pytest.raises(ValueError, match=message):
                S([2, None]).with_rank(rank)
            with pytest.raises(ValueError, match=message):
                S([2, None]).assert_has_rank(rank)
        S([2, None]).assert_has_rank(2)
        S(None).assert_has_rank(2)

    def test_with_rank_at_least(self) -> None:
        assert [dims(S([2, 3]).with_rank_at_least(r)) for r in (0, 1, 2)] == [
            [2, 3]
        ] * 3
        assert dims(S(None).with_rank_at_least(2)) is None
        with pytest.raises(ValueError, match=re.escape("(2, 3) has rank 2, below 3")):
            S([2, 3]).with_rank_at_least(3)

    def test_with_rank_at_most(self) -> None:
        for rank in (2, 3):
            assert dims(S([2, 3]).with_rank_at_most(rank)) == [2, 3]
        assert dims(S(None).with_rank_at_most(2)) is None
        with pytest.raises(ValueError, match=re.escape("(2, 3) has rank 2, above 1")):
            S([2, 3]).with_rank_at_most(1)

    def test_assert_same_rank(self) -> None:
        S([2, 3]).assert_same_rank([1, None])
        S([2, 3]).assert_same_rank(None)
        S(None).assert_same_rank([1])
        with pytest.raises(ValueError, match=re.escape("(2, 3) and (?,) differ")):
            S([2, 3]).assert_same_rank([None])

    def test_assert_is_fully_defined(self) -> None:
        S([2, 3]).assert_is_fully_defined()
        S([]).assert_is_fully_defined()
        for given, text in (([2, None], "(2, ?)"), (None, "<unknown>")):
            message = re.escape(f"shape {text} is not fully defined")
            with pytest.raises(ValueError, match=message):
                S(given).assert_is_fully_defined()


class TestTwoShapes:
    INCOMPATIBLE = (
        ([2, 3], [2, 4], "shapes (2, 3) and (2, 4) are incompatible: 3 against 4"),
        ([2, 3], [2], "shapes (2, 3) and (2,) are incompatible: rank 2 against 1"),
        ([None, 3], (2, 4), "shapes (?, 3) and (2, 4) are incompatible: 3 against 4"),
        ([], 1, "shapes () and (1,) are incompatible: rank 0 against 1"),
    )

    @pytest.mark.parametrize(("x", "y", "message"), INCOMPATIBLE)
    def test_incompatible(self, x: Any, y: Any, message: str) -> None:
        assert S(x).is_compatible_with(y) is False
        assert S(y).is_compatible_with(S(x)) is False
        with pytest.raises(ValueError, match=re.escape(message)):
            S(x).assert_is_compatible_with(y)
        with pytest.raises(ValueError, match=re.escape(message)):
            S(x).merge_with(y)

    MERGED = (
        ([None, 3], [2, None], [2, 3]),
        ([2, 3], [2, 3], [2, 3]),
        ([None, 3], None, [None, 3]),
        (None, [2, 3], [2, 3]),
        (None, None, None),
        ([], [], []),
        ([None], [None], [None]),
        ([5], 5, [5]),
        ([None], D(4), [4]),
    )

    @pytest.mark.parametrize(("x", "y", "expected"), MERGED)
    def test_merge(self, x: Any, y: Any, expected: Any) -> None:
        assert S(x).is_compatible_with(y) is True
        S(x).assert_is_compatible_with(y)
        assert dims(S(x).merge_with(y)) == expected
        assert dims(S(y).merge_with(S(x))) == expected

    @pytest.mark.parametrize(
        ("x", "y", "expected"),
        [
            ([2, 3], [2, 3], [2, 3]),
            ([2, 3], [2, 4], [2, None]),
            ([2, 3], [2, None], [2, None]),
            ([None, 3], [None, 3], [None, 3]),
            ([2, 3], [2], None),
            ([2, 3], None, None),
            (None, None, None),
            ([], [], []),
        ],
    )
    def test_most_specific_compatible_shape(
        self, x: Any, y: Any, expected: Any
    ) -> None:
        assert dims(S(x).most_specific_compatible_shape(y)) == expected
        assert dims(S(y).most_specific_compatible_shape(S(x))) == expected

    @pytest.mark.parametrize(
        ("x", "y", "expected"),
        [
            ([2, 3], [4], [2, 3, 4]),
            ([2, 3], (None,), [2, 3, None]),
            ([2, 3], S([1]), [2, 3, 1]),
            ([2, 3], D(4), [2, 3, 4]),
            ([2, 3], 5, [2, 3, 5]),
            ([], [], []),
            ([2, 3], None, None),
            ([2, 3], S(None), None),
            (None, [2], None),
        ],
    )
    def test_concatenate(self, x: Any, y: Any, expected: Any) -> None:
        assert dims(S(x).concatenate(y)) == expected
        assert dims(S(x) + y) == expected

    def test_reflected_sum(self) -> None:
        assert dims([4] + S([2, None])) == [4, 2, None]  # noqa: RUF005
        assert dims((1,) + S([2])) == [1, 2]  # noqa: RUF005
        with pytest.raises(TypeError, match="a size is an integer"):
            _ = S([2]) + "a"

    def test_operands_are_left_alone(self) -> None:
        x, y = S([None, 3]), S([2, None])
        x.merge_with(y), x.concatenate(y), x.most_specific_compatible_shape(y)
        assert (str(x), str(y)) == ("(?, 3)", "(2, ?)")


def test_dimension_value() -> None:
    values = [D(3), 3, None, UNKNOWN, "a"]
    assert [dimension_value(v) for v in values] == [3, 3, None, None, "a"]


def test_dimension_at_index() -> None:
    assert is_dimension(dimension_at_index(S([2, 3]), 1), 3)
    assert is_dimension(dimension_at_index(S(None), 1), None)
    with pytest.raises(IndexError, match="no dimension 5"):
        dimension_at_index(S([2, 3]), 5)


@pytest.mark.parametrize("dtype", [sf.float32, np.float32, np.dtype("f4")])
def test_a_dtype_where_a_size_belongs_is_named(dtype):
    with pytest.raises(TypeError, match="an integer or None, not the dtype"):
        sf.TensorShape([2, dtype])
