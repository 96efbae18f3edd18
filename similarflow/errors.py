"""The exceptions that TensorFlow 1's users catch, each also one of Python's own.

``except ValueError`` and ``except sf.errors.InvalidArgumentError`` both catch an
operation that refuses its inputs.
"""

from __future__ import annotations

from typing import Any


class OpError(Exception):
    """An operation failed. ``.op`` is the operation, ``.message`` the text."""

    error_code = 2

    def __init__(
        self, node_def: Any, op: Any, message: str, error_code: Any = None
    ) -> None:
        Exception.__init__(self, message)
        self.node_def = node_def
        self.op = op
        self.message = message
        if error_code is not None:
            self.error_code = error_code

    def __str__(self) -> str:
        return self.message

    def __reduce__(self) -> Any:
        return type(self), (None, None, self.message, self.error_code)


class CancelledError(OpError):
    """The operation was cancelled."""

    error_code = 1


class UnknownError(OpError, RuntimeError):
    """Something failed in a way that has no better name."""

    error_code = 2


class InvalidArgumentError(OpError, ValueError):
    """An operation got inputs that it cannot take."""

    error_code = 3


class DeadlineExceededError(OpError, TimeoutError):
    """It took too long."""

    error_code = 4


class NotFoundError(OpError, FileNotFoundError):
    """A file or another thing was not found."""

    error_code = 5


class AlreadyExistsError(OpError, FileExistsError):
    """What should be made is there already."""

    error_code = 6


class PermissionDeniedError(OpError, PermissionError):
    """It is not allowed."""

    error_code = 7


class ResourceExhaustedError(OpError, MemoryError):
    """Memory or another resource is used up."""

    error_code = 8


class FailedPreconditionError(OpError, RuntimeError):
    """Something must be done first, such as initialising a variable."""

    error_code = 9


class AbortedError(OpError):
    """It was given up, and may be tried again."""

    error_code = 10


class OutOfRangeError(OpError, IndexError):
    """The end of the input has been reached."""

    error_code = 11


class UnimplementedError(OpError, NotImplementedError):
    """The operation does not exist for these inputs."""

    error_code = 12


class InternalError(OpError, RuntimeError):
    """A rule that the library relies on was broken."""

    error_code = 13


class UnavailableError(OpError, ConnectionError):
    """It cannot be reached now."""

    error_code = 14


class DataLossError(OpError, OSError):
    """Data are damaged."""

    error_code = 15


class UnauthenticatedError(OpError):
    """Credentials are missing."""

    error_code = 16
