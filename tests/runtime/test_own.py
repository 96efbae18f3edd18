"""Own operations: what they get, what they may give, and what is made of it."""

import numpy as np
import pytest

import similarflow as sf
from similarflow.runtime.own import compute_own


@pytest.fixture
def sess():
    return sf.Session()


def gives(value, outputs=1):
    """An own operation that gives `value`."""

    class Given(sf.Operation):
        num_outputs = outputs

        def compute(self):
            return value

    return Given()


class Typed(sf.Operation):
    """It says what it gives."""

    value = 1.5

    def infer(self, *inputs):
        return [((), np.dtype(np.float32))]

    def compute(self):
        return self.value


# What they get


def test_inputs_are_read_only_and_what_they_came_from_is_not(sess):
    flags = []

    @sf.operation
    def write(x):
        flags.append(x.flags.writeable)
        x[0] = 99.0

    x, v = sf.placeholder(sf.float32, [2]), sf.Variable([1.0, 2.0])
    given = np.array([3.0, 4.0], np.float32)
    for source in (x, v, v * 2.0, sf.constant([1.0, 2.0])):
        with pytest.raises(ValueError, match="read-only"):
            sess.run(write(source), {x: given})
    assert flags == [False] * 4
    assert given.flags.writeable
    assert given.tolist() == [3.0, 4.0]
    assert sess.run(v).tolist() == [1.0, 2.0]


def test_scalars_come_as_numpy_scalars_or_arrays(sess):
    @sf.operation
    def both(x, y):
        return x + y

    x = sf.constant(1.0)
    assert sess.run(both(x, x * 2.0)) == 3.0
    assert compute_own(both(x, x).op, [np.float32(1.0), 2.0]) == [3.0]


def test_values_and_attributes_come_in_their_order(sess):
    @sf.operation
    def shown(a, b, *, times=1, text=""):
        return f"{text}{int(a) - int(b)}" * times

    assert sess.run(shown(5, 3, times=2, text="x")) == b"x2x2"


# What they may give


@pytest.mark.parametrize(
    ("value", "dtype"),
    [
        (1.5, "float64"),
        (2, "int64"),
        (True, "bool"),
        (np.float16(1.0), "float16"),
        ([1, 2], "int64"),
        (np.ones(2, np.float32), "float32"),
        (1j, "complex128"),
    ],
)
def test_numbers_are_taken_as_numpy_takes_them(sess, value, dtype):
    found = sess.run(gives(value))
    assert found.dtype == dtype
    assert found.tolist() == np.asarray(value).tolist()


def test_strings_become_bytes(sess):
    assert sess.run(gives("é")) == "é".encode()
    assert sess.run(gives(["a", b"b"])).tolist() == [b"a", b"b"]
    assert sess.run(gives(np.array("abc"))) == b"abc"
    with pytest.raises(TypeError, match="from Given 'Given_3'"):
        sess.run(gives(object()))


def test_what_an_operation_says_of_its_dtype_is_held_to(sess):
    assert sess.run(Typed()).dtype == np.float32
    loose, wrong = Typed(), Typed()
    loose.value, wrong.value = np.float64(0.1), "text"
    assert sess.run(loose) == np.float32(0.1)
    with pytest.raises(TypeError, match="expected float32 from Typed 'Typed_2'"):
        sess.run(wrong)


def test_what_an_operation_says_of_its_shape_is_held_to(sess):
    y = Typed()
    y.value = [1.0, 2.0]
    with pytest.raises(
        ValueError, match=r"shape \(2,\), and infer said \(\)"
    ) as caught:
        sess.run(y)
    assert f"in Typed 'Typed', made at {__file__}:" in str(caught.value)


def test_each_of_several_outputs_is_held_to_its_own(sess):
    class Both(sf.Operation):
        num_outputs = 2

        def infer(self):
            return [((None,), np.dtype(np.float32)), ((), np.dtype(np.int64))]

        def compute(self):
            return self.values

    good, bad = Both(), Both()
    good.values, bad.values = ([1.0], 2.0), ([1.0], 2.5)
    first, second = sess.run(good)
    assert (first.dtype, second.dtype) == (np.float32, np.int64)
    with pytest.raises(TypeError, match=r"expected int64 from Both 'Both_1', got 2\.5"):
        sess.run(bad)


def test_none_is_not_a_value(sess):
    with pytest.raises(TypeError, match="returned None, and must return") as caught:
        sess.run(gives(None))
    assert f"in Given 'Given', made at {__file__}:" in str(caught.value)
    with pytest.raises(TypeError, match="returned None"):
        sess.run(gives([1.0, None], outputs=2))


def test_tensors_are_not_values(sess):
    for tensor in (sf.constant(1.0), sf.Variable(1.0)):
        with pytest.raises(TypeError, match="use NumPy in it") as caught:
            sess.run(gives(tensor))
        assert repr(tensor) in str(caught.value)
        assert "in Given 'Given" in str(caught.value)


def test_several_outputs_come_as_a_list_or_tuple_of_so_many(sess):
    for value in ([1.0, "a"], (1.0, "a")):
        assert sess.run(gives(value, outputs=2)) == (1.0, b"a")
    for value in ([1.0], (1.0, 2.0, 3.0), 1.0, np.ones(2), None):
        kind = type(value).__name__
        text = f"must return 2 values in a list or tuple, returned {kind}\nin Given"
        with pytest.raises(ValueError, match=text):
            sess.run(gives(value, outputs=2))


def test_a_buffer_that_is_used_again_shows_in_no_earlier_result(sess):
    buffer = np.zeros(2)

    @sf.operation
    def count(x):
        buffer[:] += 1.0
        return buffer

    y = count(0.0)
    first, second = sess.run(y), sess.run(y)
    assert first.tolist() == [1.0, 1.0]
    assert second.tolist() == [2.0, 2.0]


def test_a_variable_keeps_nothing_of_a_buffer(sess):
    buffer = np.array([1.0, 2.0], np.float32)
    v = sf.Variable([0.0, 0.0])
    sess.run(v.assign(gives(buffer)))
    buffer[:] = 9.0
    assert sess.run(v).tolist() == [1.0, 2.0]
    w = sf.Variable(gives(buffer), validate_shape=False)
    assert sess.run(w).tolist() == [9.0, 9.0]
    buffer[:] = 0.0
    assert sess.run(w).tolist() == [9.0, 9.0]


def test_one_output_is_no_tuple():
    @sf.operation
    def extremes(x):
        return x.min(), x.max()

    with pytest.raises(TypeError, match=r"a tuple of 2, .* num_outputs = 2"):
        sf.Session().run(extremes(sf.constant([1.0, 5.0])))
