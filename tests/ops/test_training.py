"""The operations that optimizers are made of, as kernels."""

import numpy as np
import pytest

import similarflow as sf
from similarflow.core.operators import BUILDERS
from similarflow.core.registry import DEFINITIONS
from similarflow.ops import training, training_adaptive

PAIRS = [
    (DEFINITIONS[type.removeprefix("Sparse")], d)
    for type, d in DEFINITIONS.items()
    if type.startswith("SparseApply")
    and type not in ("SparseApplyAdam", "SparseApplyLazyAdam")
] + [(DEFINITIONS["ApplyAdam"], DEFINITIONS["SparseApplyLazyAdam"])]
DENSE = [pytest.param(d, id=d.type) for d, _ in PAIRS]
BOTH = [pytest.param(d, s, id=s.type) for d, s in PAIRS]
NUMBERS = {"lr_power": -0.5, "epsilon": 1e-3, "global_step": 3}


def arguments(definition, shape, dtype, seed=0):
    """Values for all inputs: variables positive, numbers below 1."""
    rng = np.random.default_rng(seed)
    dtype = np.dtype(dtype)
    given = {}
    for i, name in enumerate(definition.inputs):
        if i < definition.writes:
            given[name] = rng.uniform(0.5, 2.0, shape).astype(dtype)
        elif name == "grad":
            given[name] = rng.normal(size=shape).astype(dtype)
        elif name == "global_step":
            given[name] = np.asarray(3)
        elif name != "indices":
            given[name] = np.asarray(NUMBERS.get(name, 0.25), dtype)
    return given


def as_list(result):
    return result if isinstance(result, list) else [result]


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
@pytest.mark.parametrize("shape", [(), (3,), (2, 3), (0, 2)])
@pytest.mark.parametrize("definition", DENSE)
def test_new_values_are_new_arrays_of_the_variable_s_dtype(definition, shape, dtype):
    given = arguments(definition, shape, dtype)
    before = {k: v.copy() for k, v in given.items()}
    for v in given.values():
        v.flags.writeable = False
    found = as_list(definition.kernel(**given))
    assert len(found) == definition.writes
    for x in found:
        assert isinstance(x, np.ndarray)
        assert (x.dtype, x.shape) == (dtype, shape)
        assert np.isfinite(x).all()
        assert not any(np.shares_memory(x, v) for v in given.values())
    for k, v in before.items():
        np.testing.assert_array_equal(given[k], v)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize(("dense", "sparse"), BOTH)
def test_rows_move_as_all_of_a_small_variable_does(dense, sparse, dtype):
    given = arguments(dense, (4, 3), dtype)
    indices = np.array([3, 1, 3])
    rows = np.random.default_rng(1).normal(size=[3, 3]).astype(dtype)
    odd = [0, 2]
    for name in dense.inputs[: dense.writes]:
        given[name][0] = [np.nan, -0.0, np.inf]  # to the last bit
    found = as_list(sparse.kernel(**{**given, "grad": rows, "indices": indices}))

    names = dense.inputs[: dense.writes]
    part = {name: given[name][[1, 3]] for name in names}
    sums = np.stack([rows[1], rows[0] + rows[2]])
    want = as_list(dense.kernel(**{**given, **part, "grad": sums}))
    for name, x, w in zip(names, found, want, strict=True):
        np.testing.assert_array_equal(x[[1, 3]], w)
        assert x[odd].tobytes() == given[name][odd].tobytes()
        assert (x.dtype, x.shape) == (dtype, (4, 3))


@pytest.mark.parametrize("shape", [(4,), (4, 0), (4, 2, 3)])
@pytest.mark.parametrize("index_dtype", ["int32", "int64"])
@pytest.mark.parametrize(("dense", "sparse"), BOTH)
def test_rows_of_every_shape(dense, sparse, shape, index_dtype):
    given = arguments(dense, shape, "float64")
    for indices in ([2, 2, 0], [1], []):
        places = np.array(indices, index_dtype)
        rows = np.ones([len(indices), *shape[1:]])
        found = as_list(sparse.kernel(**{**given, "grad": rows, "indices": places}))
        for name, x in zip(dense.inputs, found, strict=False):
            rest = [i for i in range(4) if i not in indices]
            np.testing.assert_array_equal(x[rest], given[name][rest])
            assert not np.shares_memory(x, given[name])


def test_adam_on_rows_is_adam_with_zeros_elsewhere():
    dense, sparse = DEFINITIONS["ApplyAdam"], DEFINITIONS["SparseApplyAdam"]
    given = arguments(dense, (4, 3), "float64")
    rows, indices = np.random.default_rng(1).normal(size=[3, 3]), np.array([3, 1, 3])
    found = sparse.kernel(**{**given, "grad": rows, "indices": indices})
    grad = np.zeros([4, 3])
    np.add.at(grad, indices, rows)
    want = dense.kernel(**{**given, "grad": grad})
    for x, w in zip(found, want, strict=True):
        np.testing.assert_allclose(x, w, rtol=1e-12)


@pytest.mark.parametrize(
    ("indices", "place"), [([0, 4], r"\[1\] = 4"), ([-1, 0], "= -1")]
)
@pytest.mark.parametrize(("dense", "sparse"), BOTH)
def test_an_index_out_of_range_is_named(dense, sparse, indices, place):
    given = arguments(dense, (4, 3), "float64")
    with pytest.raises(ValueError, match=place + r" is not in \[0, 4\)"):
        sparse.kernel(
            **{**given, "grad": np.ones([2, 3]), "indices": np.array(indices)}
        )


@pytest.mark.parametrize("shape", [(2,), (3, 3), (2, 1), (2, 3, 1)])
def test_rows_that_do_not_fit_are_refused(shape):
    given = arguments(DEFINITIONS["ApplyMomentum"], (4, 3), "float64")
    rows = {"grad": np.ones(shape), "indices": np.array([0, 1])}
    with pytest.raises(ValueError, match="a vector of indices, and a row for each"):
        DEFINITIONS["SparseApplyMomentum"].kernel(**{**given, **rows})


def test_a_gradient_of_another_float_type_is_cast():
    w, slot = sf.Variable([1.0, 2.0]), sf.Variable([0.0, 0.0])
    grad = sf.constant(np.array([1.0, 1.0]))
    new = training.apply_momentum(w, slot, 0.5, grad, 0.5)
    found = sf.Session().run(new)
    assert [x.dtype for x in found] == [np.float32] * 2
    assert found[0].tolist() == [0.5, 1.5]


def test_what_is_declared():
    for dense, sparse in PAIRS:
        assert dense.writes == sparse.writes > 0
        assert dense.inputs[0] == "var"
        assert set(sparse.inputs) - set(dense.inputs) == {"indices"}
        assert "use_locking" in dense.attrs
    for module in (training, training_adaptive):
        for name, builder in vars(module).items():
            if name.startswith(("apply_", "sparse_apply_")):
                assert BUILDERS[name] is builder


def test_indices_are_integers_and_numbers_single():
    w, slot = sf.Variable([[1.0]]), sf.Variable([[0.0]])
    with pytest.raises(TypeError, match="indices are whole numbers"):
        training.sparse_apply_momentum(w, slot, 0.5, [[1.0]], [0.5], 0.5)
    with pytest.raises(ValueError, match="momentum is one number"):
        training.apply_momentum(w, slot, 0.5, [[1.0]], [0.5])


def test_nesterov_in_numpy():
    w, v, g = np.array([1.0, -2.0]), np.array([0.5, 0.25]), np.array([3.0, 1.0])
    kernel = DEFINITIONS["ApplyMomentum"].kernel
    new, slot = kernel(w, v, 0.1, g, 0.9, use_nesterov=True)
    want = 0.9 * v + g
    np.testing.assert_allclose(slot, want, rtol=1e-15)
    np.testing.assert_allclose(new, w - 0.1 * (g + 0.9 * want), rtol=1e-15)


@pytest.mark.parametrize("l1", [0.0, 0.5])
@pytest.mark.parametrize("l2", [0.0, 2.0])
def test_shrinking_finds_the_best_point(l1, l2):
    x, rate = np.linspace(-2.0, 2.0, 9), 0.5
    y = training.shrink(x, rate, np.float64(l1), np.float64(l2))

    def cost(y):
        return np.square(y - x) / (2 * rate) + l1 * np.abs(y) + l2 * np.square(y) / 2

    for step in (1e-3, -1e-3):
        assert (cost(y) <= cost(y + step)).all()
    if l1 == l2 == 0.0:
        assert (y == x).all()
