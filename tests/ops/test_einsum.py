"""einsum: equations of all kinds against NumPy, gradients, and what does not fit."""

from typing import Any

import numpy as np
import pytest

import similarflow as sf
from similarflow.ops.einsum import einsum
from similarflow.testing import check_gradients

A = np.arange(6.0).reshape(2, 3) - 2
B = np.arange(12.0).reshape(3, 4) / 4 - 1
EQUATIONS: list[tuple[str, list[tuple[int, ...]]]] = [
    ("ij,jk->ik", [(2, 3), (3, 4)]),
    ("ij,jk", [(2, 3), (3, 4)]),
    (" i j , j k -> k i ", [(2, 3), (3, 4)]),
    ("ba", [(2, 3)]),
    ("bA", [(2, 3)]),
    ("AB,ab->Ab", [(2, 3), (2, 3)]),
    ("ij->", [(2, 3)]),
    ("ij->i", [(2, 3)]),
    ("i,i", [(3,), (3,)]),
    ("i,j", [(3,), (2,)]),
    ("ij,ij->ij", [(2, 3), (2, 3)]),
    ("ij,kl->ik", [(2, 3), (3, 4)]),
    ("ij,ij,ij->i", [(2, 3), (2, 3), (2, 3)]),
    ("bi,ij,bj->b", [(4, 2), (2, 3), (4, 3)]),
    ("ij,jk,kl,lm->im", [(2, 3), (3, 4), (4, 2), (2, 3)]),
    ("ii", [(3, 3)]),
    ("ii->i", [(3, 3)]),
    ("iij->ji", [(3, 3, 2)]),
    ("iii->i", [(2, 2, 2)]),
    ("ijij->", [(2, 3, 2, 3)]),
    ("ijij->ji", [(2, 3, 2, 3)]),
    ("ii,i->i", [(3, 3), (3,)]),
    ("ii,jj->ij", [(2, 2), (3, 3)]),
    ("...ij,...jk->...ik", [(2, 3), (3, 4)]),
    ("...ij,...jk->...ik", [(5, 1, 2, 3), (4, 3, 2)]),
    ("...ij,...jk", [(5, 2, 3), (5, 3, 2)]),
    ("...ii->...i", [(2, 4, 3, 3)]),
    ("i...->...", [(3, 2)]),
    ("i...->i...", [(3, 1)]),
    ("...->...", [(2, 3)]),
    ("i...,...j->...ij", [(2, 3), (3, 4)]),
    ("...,...->...", [(2, 1), (3,)]),
    ("...,->...", [(2, 3), ()]),
    ("", [()]),
    (",", [(), ()]),
    ("ij,jk->ik", [(0, 3), (3, 2)]),
    ("ij,jk->ik", [(2, 0), (0, 3)]),
    ("...i,...i->...", [(2, 0, 3), (1, 3)]),
]


def run(fetches: Any, feeds: Any = None) -> Any:
    with sf.Session() as sess:
        return sess.run(fetches, feeds)


def draw(shapes: Any) -> list[Any]:
    rng = np.random.default_rng(0)
    return [rng.normal(size=shape) for shape in shapes]


@pytest.mark.parametrize(("equation", "shapes"), EQUATIONS)
def test_as_numpy(equation: str, shapes: Any) -> None:
    inputs = draw(shapes)
    want = np.einsum(equation, *inputs)
    result = einsum(equation, *inputs)
    assert result.shape.as_list() == list(want.shape)
    value = run(result)
    assert np.shape(value) == want.shape
    np.testing.assert_allclose(value, want, atol=1e-13)


@pytest.mark.parametrize(("equation", "shapes"), EQUATIONS)
@pytest.mark.parametrize("known", [True, False])
def test_gradients(equation: str, shapes: Any, known: bool) -> None:
    inputs = draw(shapes)
    xs = [sf.placeholder(sf.float64, v.shape if known else None) for v in inputs]
    y = einsum(equation, *xs)
    check_gradients(y * y, xs, dict(zip(xs, inputs, strict=True)))


def test_one_input_twice() -> None:
    x = sf.constant(A)
    y = einsum("ij,kj->ik", x, x)
    np.testing.assert_allclose(run(sf.gradients(y, x)[0]), [2 * A.sum(0)] * 2)


def test_recorded() -> None:
    """As TensorFlow 2.21 gave them."""
    x, y = sf.constant(A), sf.constant(B)
    z = einsum("ij,jk->ki", x, y)
    found = run([z, *sf.gradients(z * z, [x, y])])
    want: list[Any] = [
        [[2.0, 2.0], [1.25, 3.5], [0.5, 5.0], [-0.25, 6.5]],
        [[-6.25, 0.75, 7.75], [-17.5, 16.5, 50.5]],
        [[-4.0, 2.0, 8.0, 14.0], [4.0, 11.5, 19.0, 26.5], [12.0, 21.0, 30.0, 39.0]],
    ]
    for value, wanted in zip(found, want, strict=True):
        np.testing.assert_allclose(value, wanted)
    x = sf.constant(np.arange(9.0).reshape(3, 3))
    z, w = einsum("ii->i", x), einsum("ii", x)
    found = run([z, w, *sf.gradients(z * z, x), *sf.gradients(w * w, x)])
    want = [[0, 4, 8], 12, np.diag([0, 8, 16]), np.diag([24, 24, 24])]
    for value, wanted in zip(found, want, strict=True):
        np.testing.assert_array_equal(value, wanted)


def test_what_is_known_of_the_shape() -> None:
    x, free = sf.placeholder(sf.float32, [None, 3]), sf.placeholder(sf.float32)
    assert einsum("ij,jk->ik", x, sf.ones([3, 4])).shape.as_list() == [None, 4]
    assert einsum("ij,ik->jk", free, x).shape.as_list() == [None, 3]
    assert einsum("...j,j->...", x, sf.ones([3])).shape.as_list() == [None]
    assert einsum("...j,j->...", free, sf.ones([3])).shape.dims is None
    assert einsum("...j->j", free).shape.as_list() == [None]
    spread = einsum("...,...->...", x, sf.placeholder(sf.float32, [5, 2, None]))
    assert spread.shape.as_list() == [5, 2, 3]
    one = einsum("...,...->...", x, sf.ones([1, 1]))
    assert one.shape.as_list() == [None, 3]


def test_dtypes_and_names() -> None:
    whole = einsum("ij,j->i", [[1, 2]], [3, 4])
    assert whole.dtype == sf.int32
    assert run(whole).tolist() == [11]
    assert whole.name == "einsum:0"
    assert whole.op.attrs["equation"] == "ij,j->i"
    named = einsum("i->", [1.0], name="total", optimize="greedy")
    assert named.name == "total:0"
    free = sf.Placeholder()
    y = einsum("i,->i", free, 2.0)
    slope = sf.gradients(y, free)[0]
    for dtype in (np.float16, np.float32):
        for value in run([y, slope], {free: np.array([1, 2], dtype)}):
            assert value.dtype == dtype
    with pytest.raises(TypeError, match="float64"):
        einsum("ij,jk", sf.constant(A), sf.constant(np.float32(B)))


@pytest.mark.parametrize(
    ("equation", "text"),
    [
        ("ij,jk->ikk", "label 'k' is twice in the result"),
        ("ij,jk->iz", "label 'z' of the result is in no input"),
        ("ij", "has 1 terms, and 2 inputs"),
        ("i1,jk->ik", "'i1' in the equation"),
        ("ij,jk->i->k", "'i->k' in the equation"),
        ("..ij,jk->ik", r"'\.\.ij' in the equation"),
        ("...i...,jk->ik", "in the equation"),
        ("ijk,jk->ij", r"input 0 has the shape \(2, 3\) of rank 2.*labels 3 axes"),
        ("i,jk->ij", r"input 0 has the shape \(2, 3\) of rank 2.*labels 1 axes"),
        ("ij,ik->jk", "label 'i' has size 3 in input 1, and 2 before"),
        ("ii,jk->ij", "label 'i' has size 3 in input 0, and 2 before"),
        ("...i,j...->ij", r"axis -1 under '...' has size 4 in input 1, and 2 before"),
        ("...i,jk->ij", "the result 'ij' has no '...'"),
    ],
)
def test_equations_that_do_not_fit(equation: str, text: str) -> None:
    with pytest.raises(ValueError, match=text):
        einsum(equation, sf.constant(A), sf.constant(B))


def test_equations_that_do_not_fit_in_a_run() -> None:
    x = sf.placeholder(sf.float64)
    for equation, value in (("ij,jk->ik", [[1.0]]), ("i,ij->j", [[1.0]])):
        with pytest.raises(sf.errors.InvalidArgumentError, match="input"):
            run(einsum(equation, x, B), {x: value})
    with pytest.raises(sf.errors.InvalidArgumentError, match=r"has no '\.\.\.'"):
        run(einsum("...i,ij->j", x, B), {x: A})


def test_other_arguments() -> None:
    with pytest.raises(TypeError, match="an equation is a text"):
        einsum(sf.constant(A), "ij->ji")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="foo"):
        einsum("ij->ji", sf.constant(A), foo=1)  # type: ignore[call-arg]
