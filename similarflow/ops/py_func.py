"""Python functions that are called in a run: ``sf.py_func``."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..core.casting import dtype_name
from ..core.convert import STRING, Array, as_array, as_np_dtype
from ..core.graph import Operation, Spec, Tensor
from ..core.messages import line_of
from ..core.rules import NotDifferentiable
from ..errors import (
    InvalidArgumentError,
    OpError,
    OutOfRangeError,
    ResourceExhaustedError,
    UnimplementedError,
    UnknownError,
)
from .composite import composite

ERRORS: tuple[tuple[Any, type[OpError]], ...] = (
    ((ValueError, TypeError), InvalidArgumentError),
    (StopIteration, OutOfRangeError),
    (MemoryError, ResourceExhaustedError),
    (NotImplementedError, UnimplementedError),
    (Exception, UnknownError),
)
"""What an exception of the function becomes; the first that fits."""


class PyFunc(Operation):
    """An operation that calls a Python function; `py_func` makes it."""

    def __init__(
        self, function: Callable[..., Any], inputs: Sequence[Any],
        dtypes: Sequence[Any], name: str | None,
    ) -> None:  # fmt: skip
        self.function, self.dtypes = function, dtypes
        self.num_outputs = len(dtypes)
        super().__init__(*inputs, name=name)
        self.attrs = {"func": function, "Tout": tuple(dtypes)}

    def infer(self, *inputs: Tensor) -> list[Spec]:
        """The dtypes that were declared; the shapes are unknown."""
        return [(None, dtype) for dtype in self.dtypes]

    def compute(self, *values: Any) -> Any:
        """Call the function and check what it returns."""
        given = [v if np.ndim(v) else np.asarray(v)[()] for v in values]
        label = getattr(self.function, "__name__", repr(self.function))
        try:
            result = self.function(*given)
        except OpError:
            raise
        except Exception as error:
            kind = next(k for raised, k in ERRORS if isinstance(error, raised))
            message = f"{type(error).__name__} in {label}: {error}"
            raise self._failed(message, kind) from error
        parts = list(result) if isinstance(result, list | tuple) else [result]
        if not self.num_outputs and result is None:
            parts = []
        if len(parts) != self.num_outputs:
            raise self._failed(
                f"{label} returned {len(parts)} values, and Tout has {self.num_outputs}"
            )
        pairs = zip(parts, self.dtypes, strict=True)
        arrays = [self._checked(part, dtype, label) for part, dtype in pairs]
        return arrays[0] if len(arrays) == 1 else arrays

    def _checked(self, value: Any, dtype: np.dtype[Any], label: str) -> Array:
        """A returned value; Python's own numbers take the declared dtype."""
        own = isinstance(value, np.ndarray | np.generic)
        try:
            array = as_array(value, None if own else dtype, narrow=False)
        except (TypeError, ValueError) as error:
            message = f"{label} returned no {dtype_name(dtype)}: {error}"
            raise self._failed(message) from error
        if array.dtype != dtype:
            instead = "strings" if dtype == STRING else f"np.{dtype_name(dtype)}(...)"
            raise self._failed(
                f"{label} returned {dtype_name(array.dtype)}, and Tout says "
                f"{dtype_name(dtype)}: return {instead}, or declare what it returns"
            )
        return array

    def _failed(
        self, message: str, kind: type[OpError] = InvalidArgumentError
    ) -> OpError:
        where = f"in {self.type} '{self.name}', made at {line_of(self)}"
        return kind(None, self, f"{message}\n{where}")


class PyFuncStateless(PyFunc):
    """As `PyFunc`, for a function that always gives the same for the same."""

    pure = True


NotDifferentiable("PyFunc")
NotDifferentiable("PyFuncStateless")


@composite
def py_func(
    func: Callable[..., Any], inp: Sequence[Any], Tout: Any, stateful: bool = True,
    name: str | None = None,
) -> Any:  # fmt: skip
    """Call a Python function in the run, with arrays, and give what it returns.

    No gradient flows back. To give it one, register a rule under a name of its own and
    build inside ``graph.gradient_override_map({"PyFunc": name})``.

    Parameters
    ----------
    func : function
        It gets an array for each input (NumPy scalars for shape ``()``, bytes for
        strings), not to be changed, and returns an array, or a list of them.
    inp : list of tensors
    Tout : DType, or list of them
        What it returns. Arrays must have just that dtype; Python numbers take it.
    stateful : bool
        False promises that the same inputs give the same result.

    Returns
    -------
    tensor, or list of tensors
        As `Tout`; of unknown shape: use ``set_shape``. The operation, if `Tout` is an
        empty list.

    Raises
    ------
    InvalidArgumentError
        In a run: `func` raises ValueError or TypeError, or returns another dtype or
        number of values. StopIteration becomes OutOfRangeError, NotImplementedError
        UnimplementedError, MemoryError ResourceExhaustedError, others UnknownError.

    Examples
    --------
    >>> import numpy as np
    >>> import similarflow as sf
    >>> both = sf.py_func(lambda x: (x.min(), x.max()), [[3, 1, 2]], [sf.int32] * 2)
    >>> sf.Session().run(both)
    [np.int32(1), np.int32(3)]
    """
    if not callable(func):
        raise TypeError(f"py_func: func must be callable, not {func!r:.60}")
    if not isinstance(inp, list | tuple):
        raise TypeError(f"py_func: inp is a list of tensors, not {inp!r:.60}")
    several = isinstance(Tout, list | tuple)
    dtypes = [as_np_dtype(dtype) for dtype in (Tout if several else [Tout])]
    if any(dtype is None for dtype in dtypes):
        raise TypeError("py_func: Tout must say the dtype of each result, not None")
    made = (PyFunc if stateful else PyFuncStateless)(func, inp, dtypes, name)
    if several:
        return list(made.outputs) or made
    return made.outputs[0]
