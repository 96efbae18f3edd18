"""What Python's and NumPy's functions do with a tensor."""

import copy
import math
import pickle

import numpy as np
import pytest

import similarflow as sf
from similarflow.core.protocols import FUNCTIONS, UFUNCS

X = np.array([[0.5, -1.5, 2.0], [1.0, 0.25, -0.75]])
Y = np.array([[1.5, -0.5, 2.0], [2.0, 0.5, 0.75]])
N = np.array([[7, -7, 3]])
TRUTHS = np.array([[True, False, True], [False, False, True]])


class Same(sf.Operation):
    def infer(self, x):
        return [(x.static_shape, x.static_dtype)]

    def compute(self, x):
        return x


FLOWING = {
    "tensor": sf.constant,
    "variable": sf.Variable,
    "own operation": lambda x: Same(sf.constant(x)),
}


def check(function, *arrays):
    """The function builds the graph, and gives what NumPy gives."""
    want = function(*arrays)
    for make in FLOWING.values():
        built = function(*map(make, arrays))
        assert isinstance(built, sf.Tensor)
        found = sf.Session().run(built)
        np.testing.assert_allclose(found, want, rtol=1e-12)
        assert (found.shape, found.dtype) == (want.shape, want.dtype)
        assert built.shape.as_list() == list(want.shape)


# ---- functions that build the graph


@pytest.mark.parametrize("name", sorted(UFUNCS.keys() - {"equal", "not_equal"}))
def test_numpy_s_elementwise_functions_build_the_graph(name):
    function = getattr(np, name)
    if name.startswith(("logical", "bitwise")) or name == "invert":
        arrays = [TRUTHS, TRUTHS[:1]]
    elif name == "matmul":
        arrays = [X, Y.T]
    elif name in ("sqrt", "log", "log1p", "power"):
        arrays = [np.abs(X), Y]
    elif name in ("arcsin", "arccos", "arctanh"):
        arrays = [np.tanh(X)]
    elif name == "arccosh":
        arrays = [1.0 + np.abs(X)]
    else:
        arrays = [X, Y[0]]
    check(function, *arrays[: function.nin])
    if function.nin == 2:
        left = function(arrays[0], sf.constant(arrays[1]))
        right = function(sf.constant(arrays[0]), arrays[1])
        for found in sf.Session().run([left, right]):
            np.testing.assert_allclose(found, function(*arrays))


def test_whole_numbers_stay_whole():
    for name in ("add", "subtract", "multiply", "floor_divide", "remainder", "maximum"):
        check(getattr(np, name), N, np.array([2, 2, -2]))
    check(np.divide, N, np.array([2, 2, -2]))
    check(np.power, np.abs(N), np.array([2, 0, 1]))
    for name in ("absolute", "negative", "sign", "square"):
        check(getattr(np, name), N)


@pytest.mark.parametrize(
    ("name", "function"),
    [
        ("amax", lambda x: np.amax(x)),
        ("max", lambda x: np.max(x, 1)),
        ("amin", lambda x: np.amin(x, axis=0, keepdims=True)),
        ("min", lambda x: np.min(x, axis=(0, 1), keepdims=True)),
        ("prod", lambda x: np.prod(x, -1)),
        ("sum", lambda x: np.sum(x)),
        ("sum", lambda x: np.sum(x, axis=(1, 0))),
        ("sum", lambda x: np.sum(x, 1, keepdims=True)),
        ("argmax", lambda x: np.argmax(x, 1)),
        ("argmin", lambda x: np.argmin(x, axis=-2)),
        ("concatenate", lambda x: np.concatenate([x, x])),
        ("concatenate", lambda x: np.concatenate((x, X, x), axis=-1)),
        ("stack", lambda x: np.stack([x, x])),
        ("stack", lambda x: np.stack((X, x), axis=-1)),
        ("expand_dims", lambda x: np.expand_dims(x, 1)),
        ("squeeze", lambda x: np.squeeze(np.expand_dims(x, 0))),
        ("squeeze", lambda x: np.squeeze(np.expand_dims(x, 2), axis=2)),
        ("reshape", lambda x: np.reshape(x, (3, -1))),
        ("reshape", lambda x: np.reshape(x, -1)),
        ("transpose", lambda x: np.transpose(x)),
        ("transpose", lambda x: np.transpose(x, (1, 0))),
        ("ones_like", lambda x: np.ones_like(x)),
        ("zeros_like", lambda x: np.zeros_like(x)),
        ("where", lambda x: np.where(np.greater(x, 0.0), x, 0.0)),
        ("where", lambda x: np.where(np.greater(x, 0.0), X, -x)),
    ],
)
def test_numpy_s_other_functions_build_the_graph(name, function):
    assert name in FUNCTIONS
    check(function, X)


def test_a_condition_is_broadcast_as_in_numpy():
    square = np.arange(9.0).reshape(3, 3)
    for condition in (TRUTHS[0], TRUTHS[:1], TRUTHS[:1].T[:3], np.True_):
        check(lambda x, c=condition: np.where(sf_like(c, x), x, -x), square)


def sf_like(condition, x):
    """The condition as what `x` is: an array or a tensor."""
    return condition if isinstance(x, np.ndarray) else sf.constant(condition)


def test_an_array_or_a_number_of_numpy_stands_on_the_left():
    x = sf.constant([1.0, 2.0])
    results = [
        np.array([1.0, 2.0]) * x,
        np.float64(3.0) - x,
        np.float32(3.0) / x,
        np.int64(2) ** x,
        np.ones([2, 2]) @ sf.convert_to_tensor([x]).T,
        np.array([True, False]) & (x > 1.0),
        np.True_ | (x > 1.0),
        np.array([2.0, 2.0]) > x,
    ]
    want = [[1, 4], [2, 1], [3, 1.5], [2, 4], [[3], [3]], [0, 0], [1, 1], [1, 0]]
    found = sf.Session().run(results)
    assert [v.tolist() for v in found] == want
    assert [v.dtype for v in found[:5]] == [np.float32] * 5


def test_operators_of_arrays_have_the_names_of_operators():
    x = sf.constant([1.0])
    names = [(np.ones(1) * x).op.name, (np.ones(1) + x).op.name, np.tanh(x).op.name]
    assert names == ["mul", "add", "Tanh"]


def test_equality_is_identity_for_numpy_too():
    x, y = sf.constant(1.0), sf.constant(1.0)
    assert np.equal(x, x) is True
    assert np.equal(x, y) is np.equal(x, 1.0) is np.equal(1.0, x) is False
    assert np.not_equal(x, y) is np.not_equal(np.ones(2), x) is True
    assert np.not_equal(x, x) is False
    assert (np.ones(2) == x) is False
    assert (np.float32(1.0) != x) is True


# ---- functions that need a number


@pytest.mark.parametrize(
    ("use", "said"),
    [
        (float, "float()"),
        (int, "int()"),
        (complex, "complex()"),
        (math.sqrt, "float()"),
        (range, "an index or range()"),
        (lambda x: [1, 2][x], "an index or range()"),
        (round, "round()"),
        (lambda x: round(x, 2), "round()"),
        (lambda x: f"{x:.3f}", "the format '.3f'"),
        (bool, "`if`, `while`, `and`, `or`, `not`"),
        (lambda x: 1 if x else 2, "sf.where to choose between values"),
        (lambda x: not x, "`not` needs a number"),
        (lambda x: 0 < x < 1, "`and`"),
        (lambda x: max(x, 1.0), "`if`"),
        (len, "x.shape[0], or sf.shape(x)[0] if it is unknown"),
        (iter, "iteration and unpacking needs a number"),
        (list, "or use x[i], or sf.unstack(x) for all parts"),
        (lambda x: [*x], "iteration"),
        (lambda x: 1.0 in x, "sf.reduce_any(sf.equal(x, item))"),
        (np.asarray, "a NumPy array of it"),
        (lambda x: np.array(x, np.float32), "a NumPy array of it"),
        (lambda x: np.array([x, x]), "a NumPy array of it"),
        (np.signbit, "the function of sf that does what np.signbit does"),
        (lambda x: np.add(x, 1.0, out=np.zeros(2)), "np.add(out=)"),
        (
            lambda x: np.add(np.ones(2), x, where=True, dtype=float),
            "np.add(where, dtype=",
        ),
        (lambda x: np.add.reduce(x), "np.add.reduce("),
        (lambda x: np.multiply.outer(x, [1.0]), "np.multiply.outer("),
        (lambda x: np.add.at(np.ones(2), [0], x), "np.add.at("),
        (lambda x: np.maximum.accumulate(x), "np.maximum.accumulate("),
        (np.sort, "np.sort with these arguments"),
        (np.median, "the function of sf that does what np.median does"),
        (np.shape, "np.shape with these arguments"),
        (lambda x: np.sum(x, dtype=np.float64), "np.sum with these arguments"),
        (lambda x: np.argmax(x), "np.argmax with these arguments"),
        (lambda x: np.where(x > 0.0), "np.where with these arguments"),
        (lambda x: np.sum(x, 0, None, None), "np.sum with these arguments"),
    ],
)
@pytest.mark.parametrize("make", FLOWING.values(), ids=FLOWING)
def test_what_needs_a_number_raises_and_says_what_to_do(make, use, said):
    with pytest.raises(TypeError) as error:
        use(make([1.0, 2.0]))
    text = str(error.value)
    assert said in text
    assert "has none before it is run: a tensor is symbolic" in text
    assert "Use sess.run(x) (or x.eval()) to get its value" in text


def test_an_array_in_place_is_left_alone():
    array = np.ones(2)
    with pytest.raises(TypeError, match=r"np\.add\(out=\) needs a number"):
        array += sf.constant([1.0, 2.0])
    assert array.tolist() == [1.0, 1.0]


def test_a_wrong_argument_keeps_its_own_message():
    x = sf.constant([1.0, 2.0])
    with pytest.raises(TypeError, match=r"integer|whole"):
        np.sum(x, axis="a")
    with pytest.raises(ValueError, match="axis 3 is out of range"):
        np.max(x, axis=3)


@pytest.mark.parametrize(
    ("function", "value", "dtype", "want"),
    [
        (np.sum, [200, 100], np.uint8, np.uint64(300)),
        (np.sum, [True, True], bool, np.int64(2)),
        (np.prod, [2**20, 2**20], np.int32, np.int64(2**40)),
    ],
)
def test_sums_and_products_of_whole_numbers_widen_as_in_numpy(
    function, value, dtype, want
):
    found = sf.Session().run(function(sf.constant(value, dtype)))
    assert found == want
    assert found.dtype == want.dtype == function(np.array(value, dtype)).dtype


@pytest.mark.parametrize("make", FLOWING.values(), ids=FLOWING)
def test_a_copy_would_be_of_no_graph(make):
    x = make([1.0, 2.0])
    assert copy.copy(x) is x
    for use in (copy.deepcopy, pickle.dumps):
        with pytest.raises(TypeError, match="cannot be copied or pickled"):
            use(x)


@pytest.mark.parametrize("make", FLOWING.values(), ids=FLOWING)
def test_nothing_is_changed_in_place(make):
    x = make([1.0, 2.0])
    with pytest.raises(TypeError, match=r"cannot be changed in place.*v\.assign"):
        x[0] = 3.0


def test_without_a_format_a_tensor_is_told_as_it_is():
    x = sf.constant(1.0, name="one")
    assert f"{x}" == str(x) == "<Constant 'one:0' shape=() dtype=float32>"
