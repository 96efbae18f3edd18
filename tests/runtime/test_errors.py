"""The exception tree: TensorFlow's names and codes, and Python's own classes."""

import copy
import pickle

import pytest

import similarflow as sf
from similarflow import errors

TREE = {
    "CancelledError": (1, Exception),
    "UnknownError": (2, RuntimeError),
    "InvalidArgumentError": (3, ValueError),
    "DeadlineExceededError": (4, TimeoutError),
    "NotFoundError": (5, FileNotFoundError),
    "AlreadyExistsError": (6, FileExistsError),
    "PermissionDeniedError": (7, PermissionError),
    "ResourceExhaustedError": (8, MemoryError),
    "FailedPreconditionError": (9, RuntimeError),
    "AbortedError": (10, Exception),
    "OutOfRangeError": (11, IndexError),
    "UnimplementedError": (12, NotImplementedError),
    "InternalError": (13, RuntimeError),
    "UnavailableError": (14, ConnectionError),
    "DataLossError": (15, OSError),
    "UnauthenticatedError": (16, Exception),
}
each_error = pytest.mark.parametrize("name", TREE)


def test_the_tree_is_whole():
    found = {
        name
        for name, value in vars(errors).items()
        if isinstance(value, type) and issubclass(value, errors.OpError)
    }
    assert found == {"OpError", *TREE}
    assert sf.errors is errors


@each_error
def test_an_error_has_its_code_and_is_one_of_python_s(name):
    code, python = TREE[name]
    error = getattr(errors, name)(None, None, "text")
    assert error.error_code == code
    assert isinstance(error, errors.OpError)
    assert isinstance(error, python)


@each_error
def test_an_error_carries_operation_and_message(name):
    op = sf.no_op()
    error = getattr(errors, name)("definition", op, "two\nlines")
    assert (error.node_def, error.op, error.message) == ("definition", op, "two\nlines")
    assert str(error) == "two\nlines"
    assert error.args == ("two\nlines",)
    assert "two" in repr(error)


@each_error
def test_an_error_is_pickled_without_its_operation(name):
    error = getattr(errors, name)(None, sf.no_op(), "text")
    for again in (pickle.loads(pickle.dumps(error)), copy.copy(error)):  # noqa: S301
        assert type(again) is type(error)
        assert (again.message, str(again)) == ("text", "text")
        assert again.error_code == error.error_code
        assert again.op is None


def test_a_code_may_be_given():
    error = errors.OpError(None, None, "text", 8)
    assert error.error_code == 8
    assert errors.OpError(None, None, "text").error_code == 2


def test_a_given_code_is_pickled_too():
    error = errors.OpError(None, None, "text", 8)
    assert pickle.loads(pickle.dumps(error)).error_code == 8  # noqa: S301
