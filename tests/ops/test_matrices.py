"""Diagonals and bands: what the samples do not show, and TensorFlow's numbers."""

import numpy as np
import pytest

import similarflow as sf
from similarflow.ops.adjoint import matrix_transpose
from similarflow.ops.diagonals import (
    matrix_diag,
    matrix_diag_part,
    matrix_set_diag,
    trace,
)
from similarflow.ops.matrices import (
    diag,
    diag_part,
    matrix_band_part,
)
from similarflow.testing import check_gradients


def run(fetches, feeds=None):
    return sf.Session().run(fetches, feeds)


def static(x):
    return x.static_shape


WIDE = [[1, 2, 3], [4, 5, 6]]


def test_diag_doubles_the_rank():
    y = diag([[1, 2]])
    assert static(y) == (1, 2, 1, 2)
    assert run(y).tolist() == [[[[1, 0]], [[0, 2]]]]
    assert run(diag_part(y)).tolist() == [[1, 2]]
    x = sf.placeholder(sf.float32, [None, 3, 2, None])
    assert static(diag_part(x)) == (2, 3)
    with pytest.raises(ValueError, match="not a scalar"):
        diag(1)
    u = sf.placeholder(sf.float32)
    with pytest.raises(sf.errors.InvalidArgumentError, match="not a scalar"):
        run(diag(u), {u: 1.0})
    for shape in ([2, 3], [2], []):
        with pytest.raises(ValueError, match="two equal halves"):
            diag_part(sf.zeros(shape))
        with pytest.raises(sf.errors.InvalidArgumentError, match="two equal halves"):
            run(diag_part(u), {u: np.zeros(shape)})


SIZES = [
    ({}, [[1, 0], [0, 2]]),
    ({"k": 1}, [[0, 1, 0], [0, 0, 2], [0, 0, 0]]),
    ({"num_rows": 3}, [[1, 0], [0, 2], [0, 0]]),
    ({"num_cols": 4}, [[1, 0, 0, 0], [0, 2, 0, 0]]),
    (
        {"k": -1, "num_rows": 3, "num_cols": 5, "padding_value": 9},
        [[9, 9, 9, 9, 9], [1, 9, 9, 9, 9], [9, 2, 9, 9, 9]],
    ),
]


@pytest.mark.parametrize(("options", "wanted"), SIZES)
def test_matrix_diag_makes_matrices_of_any_size(options, wanted):
    y = matrix_diag([1, 2], **options)
    assert run(y).tolist() == wanted
    assert static(y) == np.shape(wanted)
    assert y.op.name == "diag"
    part = matrix_diag_part(y, k=options.get("k", 0))
    assert run(part).tolist() == [1, 2]


def test_diagonals_beside_the_main_one():
    parts = [matrix_diag_part(WIDE, k=k) for k in (-1, 0, 1, 2)]
    assert [p.tolist() for p in run(parts)] == [[4], [1, 5], [2, 6], [3]]
    assert run(matrix_set_diag(WIDE, [9], k=-1)).tolist() == [[1, 2, 3], [9, 5, 6]]
    assert run(matrix_set_diag(WIDE, [9, 8])).tolist() == [[9, 2, 3], [4, 8, 6]]
    x = sf.placeholder(sf.float64, [None, 3, None])
    assert static(matrix_diag_part(x)) == (None, None)
    assert static(matrix_set_diag(x, sf.zeros([2, 3], sf.float64))) == (2, 3, None)
    assert static(matrix_diag(sf.placeholder(sf.float32, [4, None]))) == (4, None, None)


def test_diagonals_that_are_not_there():
    u = sf.placeholder(sf.float32)
    value = {u: np.zeros([2, 3], np.float32)}
    for k in (3, -2):
        text = rf"matrices of shape \(2, 3\) have no diagonal {k}"
        with pytest.raises(ValueError, match=text):
            matrix_diag_part(WIDE, k=k)
        with pytest.raises(sf.errors.InvalidArgumentError, match=text):
            run(matrix_diag_part(u, k=k), value)
    text = r"diagonal 0 of shape \(2, 3\) has shape \(2,\), and shape \(3,\) is given"
    with pytest.raises(ValueError, match=text):
        matrix_set_diag(WIDE, [9, 8, 7])
    with pytest.raises(sf.errors.InvalidArgumentError, match=text):
        run(matrix_set_diag(u, [9.0, 8.0, 7.0]), value)
    with pytest.raises(ValueError, match="has 1 entries, and 2 are given"):
        matrix_diag([1, 2], num_rows=1)
    with pytest.raises(ValueError, match="not a scalar"):
        matrix_diag(1)
    for build in (matrix_diag_part, matrix_transpose, trace):
        with pytest.raises(ValueError, match="rank 2 or more"):
            build([1])
        with pytest.raises(sf.errors.InvalidArgumentError, match="rank 2 or more"):
            run(build(u), {u: [1]})


BANDS = {
    (1, 0): [[0, 0, 0, 0], [4, 5, 0, 0], [0, 9, 10, 0]],
    (0, -1): [[0, 1, 2, 3], [0, 5, 6, 7], [0, 0, 10, 11]],
    (-5, 0): [[0, 0, 0, 0], [4, 5, 0, 0], [8, 9, 10, 0]],
    (3, 4): [[0, 1, 2, 3], [4, 5, 6, 7], [8, 9, 10, 11]],
    (0, 0): [[0, 0, 0, 0], [0, 5, 0, 0], [0, 0, 10, 0]],
}


@pytest.mark.parametrize(("band", "wanted"), BANDS.items())
def test_bands_equal_tensorflows(band, wanted):
    x = np.arange(12).reshape(3, 4)
    assert run(matrix_band_part(x, *band)).tolist() == wanted
    lower, upper = sf.placeholder(sf.int64), sf.placeholder(sf.int64, [])
    y = matrix_band_part(x, lower, upper)
    assert run(y, dict(zip((lower, upper), band, strict=True))).tolist() == wanted


def test_bands_that_are_too_wide():
    x = sf.zeros([3, 4])
    n = sf.placeholder(sf.int32)
    text = r"num_lower is 4; it is at most 3 for shape \(3, 4\)"
    with pytest.raises(ValueError, match=text):
        matrix_band_part(x, 4, 0)
    with pytest.raises(sf.errors.InvalidArgumentError, match=text):
        run(matrix_band_part(x, n, 0), {n: 4})
    with pytest.raises(TypeError, match="num_upper are whole numbers"):
        matrix_band_part(x, 0, 0.5)
    assert run(matrix_band_part([[True, True]], 0, 0)).tolist() == [[True, False]]


def test_trace_and_transpose_of_batches():
    x = sf.constant(np.arange(12.0).reshape(2, 2, 3))
    assert run(trace(x)).tolist() == [4, 16]
    assert trace(x).op.name == "Trace_1"
    assert check_gradients(trace(x * x), x) < 1e-5
    y = matrix_transpose(x)
    assert static(y) == (2, 3, 2)
    assert (run(y) == np.arange(12.0).reshape(2, 2, 3).swapaxes(1, 2)).all()
    u = sf.placeholder(sf.float32)
    assert static(matrix_transpose(u)) is None
    assert run(matrix_transpose(u), {u: WIDE}).tolist() == np.transpose(WIDE).tolist()
    z = matrix_transpose([[1 + 2j, 3j]], conjugate=True)
    assert run(z).tolist() == [[1 - 2j], [-3j]]
    assert static(matrix_transpose(x, "turned")) == (2, 3, 2)


TABLE = np.arange(1, 13).reshape(3, 4)
BANDS = {  # TensorFlow's
    "RIGHT_LEFT": [[0, 3, 8], [2, 7, 12], [1, 6, 11], [5, 10, 0]],
    "LEFT_RIGHT": [[3, 8, 0], [2, 7, 12], [1, 6, 11], [0, 5, 10]],
    "LEFT_LEFT": [[3, 8, 0], [2, 7, 12], [1, 6, 11], [5, 10, 0]],
    "RIGHT_RIGHT": [[0, 3, 8], [2, 7, 12], [1, 6, 11], [0, 5, 10]],
}


@pytest.mark.parametrize("align", BANDS)
def test_a_band_is_taken_and_put_back(align):
    band = run(matrix_diag_part(TABLE, k=(-1, 2), align=align))
    assert band.tolist() == BANDS[align]
    padded = run(matrix_diag_part(TABLE, k=(-1, 2), align=align, padding_value=9))
    assert padded.tolist() == [[n or 9 for n in row] for row in BANDS[align]]
    inside = run(matrix_band_part(TABLE, 1, 2))
    whole = matrix_diag(band, k=(-1, 2), align=align, num_rows=3, num_cols=4)
    assert run(whole).tolist() == inside.tolist()
    changed = run(matrix_set_diag(0 * TABLE - 1, band, k=(-1, 2), align=align))
    assert changed.tolist() == np.where(inside, TABLE, -1).tolist()


def test_a_band_fits_its_matrix():
    with pytest.raises(ValueError, match="3 diagonals, and 2 are given"):
        matrix_diag([[1, 2], [3, 4]], k=(-1, 1))
    with pytest.raises(ValueError, match="the band 0 to 1 of a matrix with 4 rows"):
        matrix_diag([[1, 2], [3, 4]], k=(0, 1), num_rows=4, num_cols=4)
    with pytest.raises(ValueError, match="have no diagonal 4"):
        matrix_diag_part(TABLE, k=(1, 4))
    with pytest.raises(ValueError, match="the band 0 to 1 of shape"):
        matrix_set_diag(TABLE, [[1, 2], [3, 4]], k=(0, 1))
    with pytest.raises(ValueError, match="align is one of RIGHT_LEFT"):
        matrix_diag_part(TABLE, k=(0, 1), align="LEFT")
    with pytest.raises(ValueError, match="the lowest and the highest"):
        matrix_diag_part(TABLE, k=(1, 0))
    x = sf.placeholder(sf.float32, [None, None, None])
    assert matrix_diag_part(x, k=(0, 2)).static_shape == (None, 3, None)
    assert matrix_diag(x, k=(0, 2)).static_shape == (None, None, None)
