"""Printing, asserting, checking, and calling Python functions."""

import numpy as np
import pytest

import similarflow as sf
from similarflow.ops import asserts
from similarflow.ops.cond import cond
from similarflow.ops.effects import (
    Assert,
    Print,
    add_check_numerics_ops,
    check_numerics,
    identity_n,
    summary,
)
from similarflow.ops.py_func import py_func
from similarflow.ops.while_loop import while_loop


def run(fetches, feeds=None):
    return sf.Session().run(fetches, feeds)


def first_line(error):
    return str(error.value).splitlines()[0]


# The text of values: what TensorFlow prints


@pytest.mark.parametrize(
    ("value", "limit", "text"),
    [
        (np.array([1.5, 2, 3, 4, 1 / 3], np.float32), None, "[1.5 2 3...]"),
        (np.array([[1, 2], [3, 4]]), None, "[[1 2][3...]...]"),
        (np.array([[1, 2], [3, 4]]), 2, "[[1 2]...]"),
        (np.array([True, False, True, True]), None, "[1 0 1...]"),
        (np.float32(1 / 3), None, "[0.333333343]"),
        (np.float64(1 / 3), None, "[0.33333333333333331]"),
        (np.float32(0.1), None, "[0.1]"),
        (np.float32(1e-7), None, "[1e-07]"),
        (np.float64(1e20), None, "[1e+20]"),
        (np.array([np.nan, np.inf, -np.inf], np.float32), None, "[nan inf -inf]"),
        (np.array([b"a", b"b"], object), 2, "[a b]"),
        (b"text", None, "[text]"),
        (np.zeros([0, 3]), None, "[]"),
        (np.arange(24).reshape(2, 3, 4), 5, "[[[0 1 2 3][4...]]...]"),
        (
            np.arange(24).reshape(2, 3, 4),
            -1,
            "[[[0 1 2 3][4 5 6 7][8 9 10 11]]"
            "[[12 13 14 15][16 17 18 19][20 21 22 23]]]",
        ),
    ],
)
def test_summary(value, limit, text):
    assert summary(value, limit) == text


# Print


def test_print_writes_to_stderr_when_it_is_computed(capsys):
    x = sf.placeholder(sf.float32, [None])
    y = Print(x, [x, "s", [[1, 2], [3, 4]]], "x is ")
    sess = sf.Session()
    sess.run(x, {x: [1.0]})
    assert capsys.readouterr().err == ""
    np.testing.assert_array_equal(sess.run(2.0 * y, {x: [1, 2, 3, 4]}), [2, 4, 6, 8])
    captured = capsys.readouterr()
    assert captured.err == "x is [1 2 3...][s][[1 2][3...]...]\n"
    assert captured.out == ""
    sess.run([y, y + 1.0, y * 2.0], {x: [1.0]})
    assert capsys.readouterr().err.count("x is") == 1
    assert (y.op.type, y.op.name) == ("Print", "Print")
    assert y.shape.as_list() == [None]


def test_print_the_first_times_only(capsys):
    y = Print(1.0, [2], first_n=2)
    never = Print(1.0, [3], first_n=0)
    for _ in range(3):
        run([y, never])
    assert capsys.readouterr().err == "[2]\n[2]\n"


def test_print_passes_the_gradient(capsys):
    x = sf.constant([1.0, 2.0])
    y = Print(x * x, [x])
    np.testing.assert_array_equal(run(sf.gradients(y, x)[0]), [2.0, 4.0])
    with pytest.raises(TypeError, match=r"data is a list of tensors.*\[x\]"):
        Print(x, x)


def test_print_in_a_variable_update_runs_once(capsys):
    w = sf.Variable(1.0)
    step = sf.assign_add(w, Print(w * 2.0, [w], "w "))
    with sf.Session() as sess:
        assert sess.run(step) == 3.0
        assert sess.run(step) == 9.0
    assert capsys.readouterr().err == "w [1]\nw [3]\n"


# Assert


def test_assert_fails_when_it_is_run():
    x = sf.placeholder(sf.float32, [None])
    check = Assert(sf.reduce_all(x > 0.0), [x, "hello"], summarize=2)
    assert isinstance(check, sf.Operation)
    assert (check.type, check.outputs) == ("Assert", ())
    with sf.control_dependencies([check]):
        y = sf.identity(x)
    assert run(check, {x: [1.0]}) is None
    np.testing.assert_array_equal(run(y, {x: [1.0]}), [1.0])
    for fetch in (check, y):
        with pytest.raises(sf.errors.InvalidArgumentError) as error:
            run(fetch, {x: [-1.0, 2.0, 3.0]})
        assert first_line(error) == "assertion failed: [-1 2...] [hello]"
        assert error.value.op is check
        assert "test_effects.py" in str(error.value)


def test_a_failed_assertion_changes_no_variable():
    w = sf.Variable(1.0)
    with sf.control_dependencies([Assert(w < 2.0, [w])]):
        step = sf.assign_add(w, 1.0)
    with sf.Session() as sess:
        assert sess.run(step) == 2.0
        with pytest.raises(sf.errors.InvalidArgumentError, match="failed: \\[2\\]"):
            sess.run(step)
        assert sess.run(w) == 2.0


def test_a_constant_false_fails_only_in_a_run():
    check = Assert(False, ["bad"])
    with pytest.raises(ValueError, match=r"assertion failed: \[bad\]"):
        run(check)


def test_what_assert_does_not_take():
    with pytest.raises(TypeError, match="a condition is bool, not int32"):
        Assert(sf.constant(3), [1])
    with pytest.raises(ValueError, match=r"not of shape \(2,\).*reduce_all"):
        Assert([True, False], [1])
    with pytest.raises(TypeError, match="data is a list"):
        Assert(True, "text")
    c = sf.placeholder(sf.bool)
    with pytest.raises(sf.errors.InvalidArgumentError, match="one truth value"):
        run(Assert(c, []), {c: [True]})


# check_numerics


@pytest.mark.parametrize(
    ("value", "kinds"),
    [
        ([1.0, np.nan], "NaN"),
        ([np.inf], "Inf"),
        ([-np.inf], "Inf"),
        ([np.nan, np.inf], "Inf and NaN"),
    ],
)
def test_check_numerics_names_tensor_and_kind(value, kinds):
    x = sf.placeholder(sf.float32, name="x")
    y = check_numerics(x, "my words")
    assert (y.op.type, y.op.name) == ("CheckNumerics", "CheckNumerics")
    np.testing.assert_array_equal(run(y, {x: [1.0]}), [1.0])
    with pytest.raises(sf.errors.InvalidArgumentError) as error:
        run(y, {x: value})
    assert first_line(error) == f"my words : 'x:0' has {kinds} values"


def test_check_numerics_checks_the_gradient_too():
    x = sf.constant([1.0, 0.0])
    y = check_numerics(sf.identity(x), "my words")
    np.testing.assert_array_equal(run(sf.gradients(y * 3.0, x)[0]), [3.0, 3.0])
    grad = sf.gradients(sf.sqrt(y), x)[0]
    with pytest.raises(sf.errors.InvalidArgumentError, match=r"words.*gradient.*Inf"):
        run(grad)
    with pytest.raises(TypeError, match="does not take int32"):
        check_numerics(1, "a")


def test_checking_all_of_a_graph_names_the_first():
    x = sf.placeholder(sf.float32, [], name="x")
    root = sf.sqrt(x, name="root")
    sf.cast(root + 1.0, sf.int32)
    check = add_check_numerics_ops()
    assert run(check, {x: 1.0}) is None
    with pytest.raises(sf.errors.InvalidArgumentError, match=r"^root:0 : 'root:0'"):
        run(check, {x: -1.0})


def test_checking_all_of_a_graph_writes_no_variable():
    w = sf.Variable(1.0, name="w")
    sf.assign_add(w, w * 2.0)
    assert w.initializer is not None
    check = add_check_numerics_ops()
    with sf.Session() as sess:
        sess.run(check)
        assert sess.run(w) == 1.0
        sess.run(w.assign(np.inf))
        with pytest.raises(sf.errors.InvalidArgumentError, match="mul:0' has Inf"):
            sess.run(check)


def test_effects_in_loops_and_branches(capsys):
    def body(i):
        with sf.control_dependencies([Assert(i < 3, [i])]):
            return Print(i + py_func(lambda n: np.int32(n * 0 + 1), [i], sf.int32), [i])

    n = sf.placeholder(sf.int32, [])
    end = while_loop(lambda i: i < n, body, [0], shape_invariants=[None])
    assert run(end, {n: 3}) == 3
    assert capsys.readouterr().err == "[0]\n[1]\n[2]\n"
    with pytest.raises(sf.errors.InvalidArgumentError, match=r"failed: \[3\]"):
        run(end, {n: 9})
    capsys.readouterr()
    taken = cond(n > 0, lambda: Print(1.0, ["yes"]), lambda: Print(2.0, ["no"]))
    assert run(taken, {n: 0}) == 2.0
    assert capsys.readouterr().err == "[no]\n"


def test_identity_n():
    x, c = sf.constant([1.0, 2.0]), sf.constant([True])
    y, d = identity_n([x, c])
    assert (y.op.type, y.name, d.name) == ("IdentityN", "IdentityN:0", "IdentityN:1")
    assert y.shape.as_list() == [2]
    assert d.dtype == sf.bool
    np.testing.assert_array_equal(run(sf.gradients(y * y, x)[0]), [2.0, 4.0])
    with pytest.raises(ValueError, match="at least one"):
        identity_n([])


# py_func


def test_py_func_gets_and_gives_arrays():
    x = sf.placeholder(sf.float32, [None])
    seen = []

    def total(a, b):
        seen.append((type(a), type(b)))
        return np.float32(a.sum() * b)

    y = py_func(total, [x, 2.0], sf.float32)
    assert (y.op.type, y.op.name, y.shape.dims) == ("PyFunc", "PyFunc", None)
    assert run(y + 1.0, {x: [1.0, 2.0]}) == 7.0
    assert seen == [(np.ndarray, np.float32)]
    assert sf.gradients(y, x) == [None]
    assert py_func(total, [x, 2.0], sf.float32, stateful=False).op.type == (
        "PyFuncStateless"
    )


def test_py_func_with_several_results_and_with_none():
    x = sf.constant([3, 1, 2])
    low, high = py_func(lambda a: [a.min(), a.max()], [x], [sf.int32, sf.int32])
    assert run([low, high]) == [1, 3]
    (only,) = py_func(lambda a: a, [x], [sf.int32])
    assert run(only).tolist() == [3, 1, 2]
    seen = []
    effect = py_func(lambda a: seen.append(a.tolist()), [x], [])
    assert isinstance(effect, sf.Operation)
    assert run(effect) is None
    assert seen == [[3, 1, 2]]
    text = py_func(lambda a: a + b"!", [sf.constant("q")], sf.string)
    assert run(text) == b"q!"
    assert run(py_func(lambda: 0.5, [], sf.float32)) == np.float32(0.5)


@pytest.mark.parametrize(
    ("function", "dtypes", "says"),
    [
        (lambda a: np.float64(2), sf.float32, "returned float64, and Tout says float3"),
        (lambda a: (a, a), [sf.float32], "returned 2 values, and Tout has 1"),
        (lambda a: a, [sf.float32] * 2, "returned 1 values, and Tout has 2"),
        (lambda a: a, [], "returned 1 values, and Tout has 0"),
        (lambda a: None, sf.float32, "returned no float32"),
        (lambda a: "text", sf.float32, "returned no float32"),
        (lambda a: 1.5, sf.int32, "returned no int32"),
    ],
)
def test_py_func_checks_what_is_returned(function, dtypes, says):
    y = py_func(function, [sf.constant([1.0])], dtypes)
    with pytest.raises(sf.errors.InvalidArgumentError, match=says) as error:
        run(y)
    assert "PyFunc" in "".join(error.value.__notes__)


@pytest.mark.parametrize(
    ("raised", "caught"),
    [
        (ValueError, sf.errors.InvalidArgumentError),
        (TypeError, sf.errors.InvalidArgumentError),
        (StopIteration, sf.errors.OutOfRangeError),
        (NotImplementedError, sf.errors.UnimplementedError),
        (MemoryError, sf.errors.ResourceExhaustedError),
        (KeyError, sf.errors.UnknownError),
        (sf.errors.AbortedError, sf.errors.AbortedError),
    ],
)
def test_py_func_turns_exceptions_into_errors(raised, caught):
    def fails(a):
        raise raised(None, None, "boom") if raised is caught else raised("boom")

    y = py_func(fails, [1.0], sf.float32)
    with pytest.raises(caught, match="boom"):
        run(y)


def test_py_func_with_a_gradient_of_ones_own():
    @sf.RegisterGradient("CubeOfPyFunc")
    def _cube_grad(op, grad):
        return grad * 3.0 * op.inputs[0] ** 2

    x = sf.constant([2.0])
    graph = sf.get_default_graph()
    with graph.gradient_override_map({"PyFunc": "CubeOfPyFunc"}):
        y = py_func(lambda a: a**3, [x], sf.float32)
    y.set_shape([1])
    np.testing.assert_array_equal(run(sf.gradients(y, x)[0]), [12.0])


def test_what_py_func_does_not_take():
    with pytest.raises(TypeError, match="func must be callable"):
        py_func(3, [1.0], sf.float32)
    with pytest.raises(TypeError, match="inp is a list"):
        py_func(abs, sf.constant(1.0), sf.float32)
    with pytest.raises(TypeError, match="dtype of each result"):
        py_func(abs, [1.0], [sf.float32, None])


# assert_*

PAIRS = {
    "assert_equal": ([1, 2], [1, 2], [1, 3]),
    "assert_none_equal": ([1, 2], [0, 3], [0, 2]),
    "assert_less": ([1, 2], [2, 3], [2, 2]),
    "assert_less_equal": ([1, 2], [1, 3], [1, 1]),
    "assert_greater": ([1, 2], [0, 1], [0, 2]),
    "assert_greater_equal": ([1, 2], [1, 1], [1, 3]),
}
SIGNS = {
    "assert_positive": ([1, 2], [0, 1]),
    "assert_negative": ([-1, -2], [0, -1]),
    "assert_non_negative": ([0, 1], [-1, 1]),
    "assert_non_positive": ([0, -1], [1, -1]),
}


@pytest.mark.parametrize("kind", PAIRS)
def test_comparisons_of_all_elements(kind):
    x, good, bad = PAIRS[kind]
    check = getattr(asserts, kind)
    a, b = sf.placeholder(sf.int32, name="a"), sf.placeholder(sf.int32, name="b")
    made = check(a, b, message="words")
    assert made.name.startswith(f"{kind}/")
    assert run(made, {a: x, b: good}) is None
    assert run(made, {a: np.zeros([0], int), b: np.zeros([0], int)}) is None
    with pytest.raises(sf.errors.InvalidArgumentError) as error:
        run(made, {a: x, b: bad})
    line = first_line(error)
    assert line.startswith(f"assertion failed: [words] [{kind}: x ")
    assert line.endswith(f"[x ('a:0') =] [1 2] [y ('b:0') =] [{bad[0]} {bad[1]}]")
    assert check(x, good).type == "NoOp"
    with pytest.raises(sf.errors.InvalidArgumentError, match=f"(?s)^words.*{kind}"):
        check(x, bad, message="words")
    made = check(a, b, data=["mine", a], summarize=1)
    with pytest.raises(ValueError, match=r"failed: \[mine\] \[1\.\.\.\]"):
        run(made, {a: x, b: bad})


@pytest.mark.parametrize("kind", SIGNS)
@pytest.mark.parametrize("dtype", [sf.int32, sf.float64, None])
def test_signs_of_all_elements(kind, dtype):
    good, bad = SIGNS[kind]
    check = getattr(asserts, kind)
    a = sf.placeholder(dtype, name="a")
    made = check(a)
    assert run(made, {a: good}) is None
    with pytest.raises(sf.errors.InvalidArgumentError, match=r"x \('a:0'\) ="):
        run(made, {a: bad})
    assert check(good).type == "NoOp"
    with pytest.raises(sf.errors.InvalidArgumentError, match=kind):
        check(bad)


def test_a_constant_that_was_checked_cannot_be_fed():
    c = sf.constant([1, 2])
    asserts.assert_positive(c)
    with pytest.raises(ValueError, match="cannot be fed"):
        run(c + 1, {c: [-1, 1]})


def test_nearness():
    x = sf.placeholder(sf.float32, name="x")
    assert run(asserts.assert_near(x, 1.0, rtol=0.2), {x: 1.1}) is None
    assert run(asserts.assert_near(x, 1.0), {x: 1.0000001}) is None
    for value in (1.1, np.nan):
        with pytest.raises(sf.errors.InvalidArgumentError, match="further apart"):
            run(asserts.assert_near(x, 1.0), {x: value})


def test_ranks():
    known, unknown = sf.ones([2, 3]), sf.placeholder(sf.float32, name="x")
    n = sf.placeholder(sf.int32, [])
    for made in (
        asserts.assert_rank(known, 2),
        asserts.assert_rank_at_least(known, 1),
        asserts.assert_rank_in(known, [1, 2]),
    ):
        assert made.type == "NoOp"
    for build, right, wrong in (
        (asserts.assert_rank, 1, 2),
        (asserts.assert_rank_at_least, 1, 3),
        (asserts.assert_rank_in, [1, 3], [0, 2]),
    ):
        with pytest.raises(ValueError, match=r"^words: .* has rank 2, shape"):
            build(known, 3 if build is not asserts.assert_rank_in else [3], None, None,
                  "words")  # fmt: skip
        assert run(build(unknown, right), {unknown: [1.0, 2.0]}) is None
        with pytest.raises(sf.errors.InvalidArgumentError, match="'x:0' must have ran"):
            run(build(unknown, wrong), {unknown: [1.0]})
    made = asserts.assert_rank(known, n)
    assert run(made, {n: 2}) is None
    with pytest.raises(sf.errors.InvalidArgumentError, match="assert_rank"):
        run(made, {n: 1})


def test_dtypes_and_scalars():
    x = sf.placeholder(sf.float32, name="x")
    assert asserts.assert_type(x, sf.float32).type == "NoOp"
    assert asserts.assert_integer(3).type == "NoOp"
    with pytest.raises(TypeError, match="words: 'x:0' is float32, and must be int32"):
        asserts.assert_type(x, sf.int32, "words")
    with pytest.raises(TypeError, match="'x:0' is float32, and must hold whole"):
        asserts.assert_integer(x)
    scalar = sf.constant(1.0)
    assert asserts.assert_scalar(scalar) is scalar
    with pytest.raises(ValueError, match="must be a scalar, and its shape is of unkno"):
        asserts.assert_scalar(x)


def test_an_error_in_a_function_names_the_operation_and_the_line() -> None:
    def bad(a):
        raise ValueError("mine")

    outcomes = [bad, lambda a: (a, a), lambda a: np.float64(1.0)]
    for function in outcomes:
        y = sf.py_func(function, [sf.constant(1.0)], sf.float32, name="my")
        with pytest.raises(sf.errors.InvalidArgumentError, match=r"in PyFunc 'my") as e:
            sf.Session().run(y)
        assert "test_effects.py" in str(e.value)
