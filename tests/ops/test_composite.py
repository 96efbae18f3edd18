"""Errors of functions that build from several operations name the user's line."""

import inspect

import numpy as np
import pytest

import similarflow as sf

BOTH = [sf.TensorShape([]), sf.TensorShape([None, 2])]
ONE = np.float32([1.0, 2.0])
WRONG = [
    ("cond", lambda x: sf.cond(x > 0.0, lambda: (x, x), lambda: x)),
    ("cond", lambda x: sf.cond(x > 0.0, lambda: x, lambda: 1)),
    ("cond", lambda x: sf.cond(x > 0.0, lambda: None, lambda: x)),
    ("cond", lambda x: sf.cond(x, lambda: x, lambda: x)),
    ("cond", lambda x: sf.cond(x > 0.0, x, lambda: x)),
    ("case", lambda x: sf.case([(x > 0.0, lambda: x)], default=lambda: 1)),
    ("case", lambda x: sf.case([(x > 0.0, x)])),
    ("switch_case", lambda x: sf.switch_case(0, {1: lambda: x})),
    ("while_loop", lambda x: sf.while_loop(lambda i: i < 3, lambda i: (i, i), [0])),
    ("while_loop", lambda x: sf.while_loop(lambda i: i < 3, lambda i: None, [0])),
    ("while_loop", lambda x: sf.while_loop(lambda i: i < 3, lambda i: x, [0])),
    ("while_loop", lambda x: sf.while_loop(lambda i: i, lambda i: i, [0])),
    ("while_loop", lambda x: sf.while_loop(lambda i: i < 3, lambda i: i, [])),
    ("while_loop", lambda x: sf.while_loop(lambda *a: x > 0.0, lambda *a: a,
                                               [x, x], shape_invariants=BOTH)),
    ("map_fn", lambda x: sf.map_fn(lambda e: (e, e), ONE)),
    ("map_fn", lambda x: sf.map_fn(lambda e: e > 0.0, ONE)),
    ("map_fn", lambda x: sf.map_fn(lambda e: e, x)),
    ("scan", lambda x: sf.scan(lambda s, e: (s, e), ONE)),
    ("foldl", lambda x: sf.foldl(lambda s, e: sf.stack([s, e]), ONE)),
    ("foldr", lambda x: sf.foldr(lambda s, e: e > 0.0, ONE)),
    ("TensorArray", lambda x: sf.TensorArray(sf.float32)),
    ("TensorArray.write", lambda x: sf.TensorArray(sf.int32, 2).write(0, x)),
    ("TensorArray.unstack", lambda x: sf.TensorArray(sf.float32, 2).unstack(x)),
    ("TensorArray.split", lambda x: sf.TensorArray(sf.float32, 2).split(x, [1])),
    ("TensorArray.read", lambda x: sf.TensorArray(sf.float32, 2).read(0.5)),
]  # fmt: skip


EARLY = [  # arguments that cannot become inputs or attributes
    ("maximum", lambda x: sf.maximum([1, 2], [1.5, 2.0])),
    ("add", lambda x: sf.constant(1) + 1.5),
    ("add", lambda x: sf.while_loop(lambda i: i < 3, lambda i: i + 1.5, [0])),
    ("abs", lambda x: sf.abs(None)),
    ("matmul", lambda x: sf.matmul(x)),
    ("matrix_diag", lambda x: sf.matrix_diag([[1.0, 2.0]], k=(1, 0))),
    ("reduce_sum", lambda x: sf.reduce_sum(x, axis="a")),
    ("truediv", lambda x: sf.truediv(sf.constant(1), 2.5)),
    ("strided_slice", lambda x: sf.strided_slice([1, 2], [0], [2], [0])),
    ("clip_by_norm", lambda x: sf.clip_by_norm(None, 1.0)),
    ("norm", lambda x: sf.norm(x, ord="none")),
    ("zeros", lambda x: sf.zeros("abc")),
]


@pytest.mark.parametrize(("name", "build"), WRONG + EARLY)
def test_the_users_line_and_the_function_are_named(name, build):
    with pytest.raises((TypeError, ValueError)) as raised:
        build(sf.constant(1.0))
    line = build.__code__.co_firstlineno
    assert f"\nin {name}, made at {__file__}:{line}: `" in str(raised.value)
    assert str(raised.value).count(f"\nin {name}, ") == 1


def test_errors_of_the_users_functions_come_through_as_they_are():
    error = ValueError("mine")

    def body(i):
        raise error

    with pytest.raises(ValueError, match=r"^mine$") as raised:
        sf.while_loop(lambda i: i < 3, body, [0])
    assert raised.value is error


def test_of_functions_in_one_another_the_innermost_names_its_line():
    def branch():
        return sf.map_fn(lambda e: e > 0.0, ONE)

    with pytest.raises(TypeError) as raised:
        sf.cond(sf.constant(1.0) > 0.0, branch, branch)
    line = branch.__code__.co_firstlineno + 1
    assert str(raised.value).count("\nin ") == 1
    assert f"\nin map_fn, made at {__file__}:{line}: `" in str(raised.value)


def test_arguments_and_documentation_stay_as_they_are():
    assert list(inspect.signature(sf.cond).parameters)[:3] == [
        "pred", "true_fn", "false_fn",
    ]  # fmt: skip
    assert sf.cond.__doc__.startswith("What `true_fn` returns")
