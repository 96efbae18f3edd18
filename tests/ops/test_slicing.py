"""``x[...]``: indices of every kind, and those that are refused."""

import numpy as np
import pytest

import similarflow as sf

CUBE = np.arange(24.0).reshape(2, 3, 4)
INDICES = {
    "int": 1,
    "numpy_int": np.int64(-1),
    "array_of_no_axis": np.array(1),
    "ints": (0, -1, 2),
    "slices": (slice(None), slice(1, 3), slice(None, None, 2)),
    "backwards": (slice(None, None, -1), slice(2, 0, -1)),
    "beyond": (slice(-9, 9), slice(5, 7)),
    "ellipsis": (..., 1),
    "ellipsis_inside": (1, ..., slice(1, 2)),
    "newaxis": (None, 0, ..., None),
    "nothing": (),
    "everything": ...,
}


def run(fetches, feeds=None):
    return sf.Session().run(fetches, feeds)


@pytest.mark.parametrize("index", INDICES.values(), ids=INDICES)
@pytest.mark.parametrize("shape", [[2, 3, 4], [None, 3, None], None])
def test_an_index_means_what_it_means_in_numpy(index, shape):
    x = sf.placeholder(sf.float64, shape)
    y = x[index]
    want = CUBE[index]
    assert (run(y, {x: CUBE}) == want).all()
    assert y.get_shape().is_compatible_with(want.shape)
    if shape and None not in shape:
        assert y.static_shape == want.shape


def test_tensors_and_variables_as_numbers():
    x = sf.placeholder(sf.float64, [None, 3, 4])
    i, j = sf.placeholder(sf.int32), sf.Variable(3, dtype=sf.int64)
    fetches = [x[i], x[:, i:j], x[..., ::i], x[0, i, j - 1], x[: sf.shape(x)[1] - 1]]
    assert [f.op.name for f in fetches[:2]] == ["strided_slice", "strided_slice_1"]
    assert fetches[0].static_shape == (3, 4)
    assert fetches[1].static_shape == (None, None, 4)
    assert fetches[3].static_shape == ()
    found = run(fetches, {x: CUBE, i: 1})
    want = [CUBE[1], CUBE[:, 1:3], CUBE, CUBE[0, 1, 2], CUBE[:2]]
    for value, wanted in zip(found, want, strict=True):
        assert (value == wanted).all()
    grad = sf.gradients(fetches[1], x)[0]
    marked = np.zeros_like(CUBE)
    marked[:, 1:3] = 1
    assert (run(grad, {x: CUBE, i: 1}) == marked).all()


def test_what_is_known_of_a_number_makes_the_static_shape():
    x = sf.placeholder(sf.float64, [None, 6])
    assert x[:, sf.constant(1) : sf.shape(x)[1]].static_shape == (None, 5)
    assert x[1:].static_shape == (None, 6)
    assert x[:, 5:2].static_shape == (None, 0)


def test_a_constant_that_is_an_index_can_be_fed():
    i = sf.constant(0)
    y = sf.constant([1.0, 2.0])[i]
    assert run(y, {i: 1}) == 2.0


def test_an_int_out_of_range_names_index_and_size():
    x, u = sf.constant([1.0, 2.0, 3.0]), sf.placeholder(sf.float32)
    for index in (5, -4):
        text = f"index {index} is out of range for axis 0 with size 3"
        with pytest.raises(ValueError, match=text):
            x[index]
        with pytest.raises(sf.errors.InvalidArgumentError, match=f"index {index}.*3"):
            run(u[index], {u: [1.0, 2.0, 3.0]})
    i = sf.placeholder(sf.int32, [])
    with pytest.raises(sf.errors.InvalidArgumentError, match=r"index 3.*size 3"):
        run(x[i], {i: 3})


REFUSED = {
    "list": ([0, 1], r"sf.gather\(x, indices\)"),
    "array": (np.array([0, 1]), "sf.gather"),
    "vector": (lambda: sf.constant([0, 1]), "sf.gather"),
    "mask": (np.array([True, False]), r"sf.boolean_mask\(x, mask\)"),
    "mask_list": ([True, False], r"sf.boolean_mask\(x, mask\)"),
    "mask_tensor": (lambda: sf.constant([True, False]), r"sf.boolean_mask\(x, mask\)"),
    "truth": (True, r"sf.boolean_mask\(x, mask\)"),
    "float": (1.0, "ints, slices.*not 1.0"),
    "float_tensor": (lambda: sf.constant(1.0), "no integer"),
    "text": ("a", "not 'a' \\(str\\)"),
    "float_bound": (slice(0.5, None), "not 0.5"),
}


@pytest.mark.parametrize(("index", "text"), REFUSED.values(), ids=REFUSED)
def test_what_is_no_index(index, text):
    x = sf.constant([1.0, 2.0])
    with pytest.raises(TypeError, match=text):
        x[index() if callable(index) else index]


def test_impossible_indices():
    x = sf.constant([[1.0]])
    with pytest.raises(ValueError, match="names 3 axes"):
        x[0, 0, 0]
    with pytest.raises(ValueError, match="once only"):
        x[..., ...]
    with pytest.raises(ValueError, match="cannot be 0"):
        x[::0]
    i = sf.placeholder(sf.int32, [])
    with pytest.raises(sf.errors.InvalidArgumentError, match="zero"):
        run(x[::i], {i: 0})


def test_strings_and_scalars_come_out_as_such():
    x = sf.constant(["a", "bc"])
    assert run(x[1]) == b"bc"
    assert run(sf.stack([x[1], x[0]])).tolist() == [b"bc", b"a"]
    assert run(sf.constant(2.0)[None]).tolist() == [2.0]
