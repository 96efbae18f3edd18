"""Initialisers: values, fans, variances, dtypes and seeds."""

import numpy as np
import pytest

import similarflow as sf
from similarflow.variables.initializers import Initializer, fans

RANDOM = {
    "normal": lambda **k: sf.random_normal_initializer(**k),
    "truncated": lambda **k: sf.truncated_normal_initializer(**k),
    "uniform": lambda **k: sf.random_uniform_initializer(-1.0, 1.0, **k),
    "scaling": lambda **k: sf.variance_scaling_initializer(**k),
    "glorot_uniform": lambda **k: sf.glorot_uniform_initializer(**k),
    "glorot_normal": lambda **k: sf.glorot_normal_initializer(**k),
}
each_random = pytest.mark.parametrize("make", RANDOM.values(), ids=RANDOM)


def run(tensor):
    return sf.Session(graph=tensor.graph).run(tensor)


# Fixed values


@pytest.mark.parametrize(
    ("make", "value"), [(sf.zeros_initializer, 0), (sf.ones_initializer, 1)]
)
def test_zeros_and_ones(make, value):
    found = run(make()([2, 3]))
    assert found.dtype == np.float32
    assert found.tolist() == [[value] * 3] * 2
    assert run(make(sf.int32)([2])).dtype == np.int32
    assert run(make(sf.int32)([2], dtype=sf.float64)).dtype == np.float64
    assert run(make()([])) == value


def test_bools_and_strings_have_zeros():
    assert run(sf.zeros_initializer()([2], sf.bool)).tolist() == [False, False]
    assert run(sf.zeros_initializer(sf.string)([2])).tolist() == [b"", b""]


def test_a_constant_is_spread_or_given_its_shape():
    assert run(sf.constant_initializer(3)([2, 2])).tolist() == [[3.0, 3.0]] * 2
    assert run(sf.constant_initializer([5.0])([2])).tolist() == [5.0, 5.0]
    assert run(sf.constant_initializer([1, 2, 3, 4])([2, 2])).tolist() == [
        [1, 2],
        [3, 4],
    ]
    array = np.arange(6).reshape(2, 3)
    assert run(sf.constant_initializer(array)([3, 2])).tolist() == [
        [0, 1],
        [2, 3],
        [4, 5],
    ]
    assert run(sf.constant_initializer()([1])).tolist() == [0.0]
    assert run(sf.constant_initializer(7, sf.int64)([])).dtype == np.int64
    with pytest.raises(TypeError, match=r"1\.5"):
        sf.constant_initializer(1.5, sf.int32)([2])


def test_more_constants_than_places_are_an_error():
    with pytest.raises(ValueError, match=r"3 values (were given|do not fit)"):
        sf.constant_initializer([1, 2, 3])([2])


def test_of_fewer_constants_the_last_is_repeated():
    assert run(sf.constant_initializer([1, 2])([2, 2])).tolist() == [[1, 2], [2, 2]]


def test_shapes_of_every_kind():
    zeros = sf.zeros_initializer()
    for shape in ([2, 3], (2, 3), sf.TensorShape([2, 3]), [sf.Dimension(2), 3]):
        assert zeros(shape).static_shape == (2, 3)
    assert zeros(()).static_shape == zeros([]).static_shape == ()


def test_the_base_class_leaves_the_value_to_a_subclass():
    with pytest.raises(NotImplementedError):
        Initializer()([2])

    class Range(Initializer):
        def make(self, shape, dtype):
            return sf.constant(np.arange(shape[0]), dtype)

    assert run(Range()([3], partition_info=None)).tolist() == [0.0, 1.0, 2.0]
    v = sf.get_variable("v", [2], sf.int64, initializer=Range)
    assert sf.Session().run(v).tolist() == [0, 1]


# Random values


@each_random
def test_seeds_make_numbers_repeat(make):
    def numbers(**given):
        with sf.Graph().as_default():
            return run(make(**given)([4, 5])).tolist()

    assert numbers(seed=3) == numbers(seed=3) != numbers(seed=4)
    assert numbers() != numbers()


@each_random
def test_two_initialisers_of_one_object_and_one_seed_are_alike(make):
    initializer = make(seed=3)
    first, second = sf.Session().run([initializer([3]), initializer([3])])
    assert first.tolist() == second.tolist()


@each_random
@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_dtypes_are_the_initialiser_s_or_asked_for(make, dtype):
    assert make(dtype=dtype)([2, 3]).static_dtype == dtype
    tensor = make()([2, 3], dtype=sf.as_dtype(dtype))
    assert tensor.static_dtype == run(tensor).dtype == dtype
    assert tensor.static_shape == (2, 3)


def test_arguments_are_the_parameters_of_the_distribution():
    normal = run(sf.random_normal_initializer(5.0, 0.1, 1)([2000]))
    assert abs(normal.mean() - 5.0) < 0.02
    assert abs(normal.std() - 0.1) < 0.01
    truncated = run(sf.truncated_normal_initializer(5.0, 0.1, seed=1)([2000]))
    assert 4.8 <= truncated.min() < truncated.max() <= 5.2
    uniform = run(sf.random_uniform_initializer(2.0, 3.0, 1)([2000]))
    assert 2.0 <= uniform.min() < 2.01
    assert 2.99 < uniform.max() < 3.0
    whole = run(sf.random_uniform_initializer(2, 5, 1, sf.int32)([200]))
    assert set(whole.tolist()) == {2, 3, 4}
    assert run(sf.random_uniform_initializer(seed=1)([200])).min() >= 0.0


@pytest.mark.parametrize(
    ("shape", "fan_in", "fan_out"),
    [
        ([], 1, 1),
        ([7], 7, 7),
        ([3, 5], 3, 5),
        ([2, 2, 3, 5], 12, 20),
        ([4, 3, 5], 12, 20),
    ],
    ids=str,
)
def test_fans_count_inputs_and_outputs(shape, fan_in, fan_out):
    assert fans(shape) == (fan_in, fan_out)


KINDS = ["normal", "truncated_normal", "untruncated_normal", "uniform"]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    ("mode", "n"), [("fan_in", 200), ("fan_out", 800), ("fan_avg", 500)]
)
def test_the_variance_is_the_scale_by_the_fan(kind, mode, n):
    make = sf.variance_scaling_initializer(3.0, mode, kind, seed=1)
    values = run(make([200, 800], sf.float64))
    assert values.var() == pytest.approx(3.0 / n, rel=0.02)
    assert abs(values.mean()) < 5 * (3.0 / n / values.size) ** 0.5


def test_distributions_have_their_ends():
    def largest(kind):
        make = sf.variance_scaling_initializer(1.0, "fan_in", kind, seed=1)
        return float(np.abs(run(make([100, 1000]))).max())

    assert largest("uniform") == pytest.approx((3.0 / 100) ** 0.5, rel=1e-3)
    cut = 2.0 * 0.1 / 0.87962566103423978
    assert largest("normal") == largest("truncated_normal")
    assert largest("normal") == pytest.approx(cut, rel=1e-3)
    assert largest("untruncated_normal") > 1.5 * cut


def test_glorot_s_kinds_average_the_fans():
    uniform = run(sf.glorot_uniform_initializer(1)([200, 800]))
    normal = run(sf.glorot_normal_initializer(1)([200, 800]))
    assert uniform.var() == pytest.approx(2.0 / 1000, rel=0.02)
    assert normal.var() == pytest.approx(2.0 / 1000, rel=0.02)
    assert np.abs(uniform).max() <= (6.0 / 1000) ** 0.5


def test_a_window_counts_in_the_fans():
    make = sf.variance_scaling_initializer(1.0, "fan_in", "untruncated_normal", seed=1)
    assert run(make([5, 5, 4, 300])).var() == pytest.approx(1 / 100, rel=0.05)


def test_nothing_is_divided_by_less_than_one():
    make = sf.variance_scaling_initializer(1.0, "fan_avg", "uniform", seed=1)
    assert abs(run(make([0, 1])).size) == 0
    assert np.abs(run(make([]))) <= 3.0**0.5


def test_wrong_arguments_of_scaling_are_named():
    for scale in (0.0, -1.0):
        with pytest.raises(ValueError, match="scale must be positive, not"):
            sf.variance_scaling_initializer(scale)
    with pytest.raises(
        ValueError, match="mode is fan_in, fan_out or fan_avg, not 'in'"
    ):
        sf.variance_scaling_initializer(mode="in")
    with pytest.raises(ValueError, match=r"distribution is one of .*, not 'gauss'"):
        sf.variance_scaling_initializer(distribution="gauss")
