"""A function of arrays as an operation of one's own."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .graph import Operation


def operation(
    function: Callable[..., Any] | None = None,
    *,
    num_outputs: int = 1,
    pure: bool = False,
) -> Callable[..., Any]:
    """Decorator: make a function of arrays an operation; its type is its name.

    Positional arguments are inputs; keyword arguments are attributes (plain data).

    Parameters
    ----------
    num_outputs : int
        How many values the function returns.
    pure : bool
        The same inputs always give the same result, and nothing else happens, so that
        equal calls may be computed once.

    Examples
    --------
    >>> import similarflow as sf
    >>> @sf.operation
    ... def cube(x):
    ...     return x**3
    >>> @sf.RegisterGradient("cube")
    ... def _cube_grad(op, grad):
    ...     return grad * 3.0 * op.inputs[0] ** 2
    >>> x = sf.Placeholder(sf.float32)
    >>> y = cube(x)
    >>> with sf.Session() as sess:
    ...     sess.run([y, sf.gradients(y, x)[0]], {x: 2.0})
    [np.float32(8.0), np.float32(12.0)]
    """
    if function is not None and not hasattr(function, "__name__"):
        raise TypeError(f"the type is the function's name, and {function!r} has none")
    if function is None:
        return lambda f: operation(f, num_outputs=num_outputs, pure=pure)
    kernel = function

    def compute(self: Operation, *values: Any) -> Any:
        return kernel(*values, **self.attrs)

    members = {
        "compute": compute, "num_outputs": num_outputs, "pure": pure,
        "__doc__": kernel.__doc__, "__module__": kernel.__module__,
    }  # fmt: skip
    own = type(kernel.__name__, (Operation,), members)

    def build(*inputs: Any, name: str | None = None, **attrs: Any) -> Any:
        for key, value in attrs.items():
            if hasattr(value, "graph"):
                raise TypeError(
                    f"{kernel.__name__}: the tensor for {key!r} must be a positional "
                    "argument; keywords are plain data"
                )
        op = own(*inputs, name=name)
        op.attrs = {k: _kept(value) for k, value in attrs.items()}
        return op.outputs[0] if num_outputs == 1 else list(op.outputs)

    build.__name__ = build.__qualname__ = kernel.__name__
    build.__module__, build.__doc__ = kernel.__module__, kernel.__doc__
    vars(build)["own"] = own
    return build


def _kept(value: Any) -> Any:
    """An attribute as it is now: the array that was given may change later."""
    return value.copy() if isinstance(value, np.ndarray) else value
