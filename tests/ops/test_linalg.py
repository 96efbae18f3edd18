"""The matrix product: shapes, errors, gradients of all combinations of flags."""

from itertools import product
from typing import Any

import numpy as np
import pytest

import similarflow as sf
from similarflow.testing import check_gradients

FLAGS = list(product([False, True], repeat=2))


def run(fetches: Any, feeds: Any = None) -> Any:
    with sf.Session() as sess:
        return sess.run(fetches, feeds)


def turned(x: Any, flag: bool) -> Any:
    return np.swapaxes(x, -1, -2) if flag else x


@pytest.mark.parametrize(("transpose_a", "transpose_b"), FLAGS)
@pytest.mark.parametrize(
    ("batch_a", "batch_b"),
    [((), ()), ((2,), (2,)), ((2,), ()), ((), (3,)), ((2, 1), (3,)), ((1,), (2,))],
)
@pytest.mark.parametrize("known", ["all", "rank", "nothing"])
def test_value_and_gradients(
    transpose_a: bool, transpose_b: bool, batch_a: Any, batch_b: Any, known: str
) -> None:
    rng = np.random.default_rng(0)
    left, right = rng.normal(size=(*batch_a, 2, 3)), rng.normal(size=(*batch_b, 3, 2))
    values = turned(left, transpose_a), turned(right, transpose_b)
    a, b = (
        sf.placeholder(
            sf.float64,
            {"all": v.shape, "rank": (None,) * v.ndim, "nothing": None}[known],
        )
        for v in values
    )
    c = sf.matmul(a, b, transpose_a, transpose_b)
    feeds = dict(zip((a, b), values, strict=True))
    np.testing.assert_allclose(run(c, feeds), left @ right)
    if known == "all":
        assert c.shape.as_list() == list((left @ right).shape)
    check_gradients(c, [a, b], feeds)
    for x, grad in zip((a, b), run(sf.gradients(c, [a, b]), feeds), strict=True):
        assert grad.shape == feeds[x].shape


def test_one_matrix_on_both_sides() -> None:
    a = sf.constant([[1.0, 2.0], [3.0, 4.0]])
    g = sf.gradients(sf.matmul(a, a), a)[0]
    np.testing.assert_allclose(run(g), [[7, 11], [9, 13]])
    g = sf.gradients(sf.matmul(a, a, transpose_b=True), a)[0]
    np.testing.assert_allclose(run(g), [[8, 12], [8, 12]])


@pytest.mark.parametrize("flag", ["adjoint_a", "adjoint_b"])
def test_adjoint(flag: str) -> None:
    z = np.array([[1 + 2j, 3], [4, 5 - 1j]])
    want = z.conj().T @ z if flag == "adjoint_a" else z @ z.conj().T
    np.testing.assert_allclose(run(sf.matmul(z, z, **{flag: True})), want)
    x = np.random.default_rng(0).normal(size=(2, 2, 2))
    transpose = flag.replace("adjoint", "transpose")
    both = run([sf.matmul(x, x, **{f: True}) for f in (flag, transpose)])
    np.testing.assert_array_equal(*both)


def test_names_types_and_hints() -> None:
    a, b = sf.placeholder(sf.float32, [2, 3]), sf.placeholder(sf.float32, [4, 3, 5])
    made = [
        sf.matmul(a, np.ones((3, 1))),
        sf.matmul(a, b),
        a @ b,
        sf.matmul(sf.Placeholder(), a, a_is_sparse=True, b_is_sparse=False),
        sf.matmul([a, a], b[:2], name="mine"),
    ]
    assert [t.op.name for t in made] == [
        "MatMul",
        "MatMul_1",
        "matmul_2",
        "MatMul_3",
        "mine",
    ]
    batch = "BatchMatMulV2"
    assert [t.op.type for t in made] == ["MatMul", batch, batch, "MatMul", batch]
    assert [x.name for x in made[0].op.inputs] == [a.name, "MatMul/b:0"]
    assert made[0].dtype == sf.float32


@pytest.mark.parametrize(
    ("a", "b", "flags", "want"),
    [
        ([None, 3], [3, 4], {}, [None, 4]),
        ([2, None], [None, 4], {}, [2, 4]),
        ([3, None], [4, 3], {"transpose_a": True, "transpose_b": True}, [None, 4]),
        ([3, 2], [3, 4], {"adjoint_a": True}, [2, 4]),
        ([None, 2, 3], [None, 3, 4], {}, [None, 2, 4]),
        ([5, 1, 2, 3], [7, 3, 4], {}, [5, 7, 2, 4]),
        (None, [3, 4], {}, None),
    ],
)
def test_static_shape(a: Any, b: Any, flags: Any, want: Any) -> None:
    c = sf.matmul(sf.placeholder(sf.float32, a), sf.placeholder(sf.float32, b), **flags)
    assert (None if c.shape.ndims is None else c.shape.as_list()) == want


@pytest.mark.parametrize(
    ("a", "b", "flags", "words"),
    [
        ([2], [2, 1], {}, [r"\(2,\)", r"\(2, 1\)", "rank 2", r"expand_dims\(a, 0\)"]),
        ([2, 3], [3], {}, [r"\(2, 3\)", r"\(3,\)", r"expand_dims\(b, 1\)"]),
        ([2, 3], [], {}, [r"\(2, 3\)", r"\(\)", r"\*"]),
        ([None, 784], [500, 10], {}, ["784 and 500", r"\(\?, 784\)", r"\(500, 10\)"]),
        ([3, 2], [3, 4], {}, ["transpose_a=True they would fit"]),
        ([2, 3], [4, 3], {}, ["transpose_b=True they would fit"]),
        ([2, 3], [4, 2], {}, ["b before a, they would fit"]),
        ([5, 2, 3], [5, 4, 7], {}, ["3 and 4", "as many columns as b has rows"]),
        ([2, 3], [4, 3], {"adjoint_b": True, "transpose_a": True}, ["a=False"]),
        ([2, 3], [3, 4], {"adjoint_b": True}, ["adjoint_b=True", "transpose_b=False"]),
        ([2, 2, 3], [3, 3, 2], {}, [r"\(2,\) and \(3,\)", "broadcast"]),
        ([2, 2], [2, 2], {"transpose_a": True, "adjoint_a": True}, ["choose one"]),
    ],
)
def test_what_does_not_fit_is_refused(a: Any, b: Any, flags: Any, words: Any) -> None:
    x, y = sf.placeholder(sf.float32, a), sf.placeholder(sf.float32, b)
    with pytest.raises(ValueError, match="MatMul") as caught:
        sf.matmul(x, y, **flags)
    for word in words:
        assert caught.match(word)
    if "choose one" in words:
        return
    free = sf.placeholder(sf.float32), sf.placeholder(sf.float32)
    sizes = [[n or 6 for n in shape] for shape in (a, b)]
    feeds = {t: np.zeros(size) for t, size in zip(free, sizes, strict=True)}
    with pytest.raises(sf.errors.InvalidArgumentError) as caught:
        run(sf.matmul(*free, **flags), feeds)
    for word in words:
        assert caught.match(word.replace(r"\?", "6"))


def test_dtypes() -> None:
    assert run(sf.matmul([[1, 2]], [[3], [4]])).tolist() == [[11]]
    with pytest.raises(TypeError, match=r"float64.*float32"):
        sf.matmul(sf.constant([[1.0]]), sf.constant([[1.0]], sf.float64))
    with pytest.raises(TypeError, match="bool"):
        sf.matmul([[True]], [[False]])


def test_untyped_keeps_the_dtype_that_is_fed() -> None:
    x = sf.Placeholder()
    w = sf.Placeholder()
    c = x @ w
    for dtype in (np.float32, np.float64):
        feeds = {x: np.ones((2, 3), dtype), w: np.ones((3, 1), dtype)}
        assert [v.dtype for v in run([c, *sf.gradients(c, [x, w])], feeds)] == [
            dtype
        ] * 3


def test_gradients_of_matrices_are_not_summed_for_nothing() -> None:
    x, w = sf.placeholder(sf.float32, [None, 3]), sf.placeholder(sf.float32, [3, 2])
    sf.gradients(sf.matmul(x, w), [x, w])
    types = [op.type for op in sf.get_default_graph().get_operations()]
    assert "SumLike" not in types
