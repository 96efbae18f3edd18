"""All that a session can do beyond what ``session.py`` says."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, ExitStack
from typing import TYPE_CHECKING, Any, Self
from weakref import WeakKeyDictionary

import numpy as np

from ..core.convert import as_array
from ..core.extend import extends
from ..core.graph import Graph, sessions
from ..errors import InvalidArgumentError
from .messages import wrong_graph
from .session import Session

_entered: WeakKeyDictionary[Any, list[ExitStack]] = WeakKeyDictionary()


@extends(Session)
class SessionMethods:
    """Further methods of `Session`."""

    if TYPE_CHECKING:
        graph: Graph
        number: int
        lock: Any
        state: dict[Any, Any]
        run: Callable[..., Any]

    closed = False

    def as_default(self) -> AbstractContextManager[Any]:
        """``with sess.as_default():`` makes ``x.eval()`` run here."""
        return sessions.entered(self)

    def close(self) -> None:
        """Done with it. It can still be run, as the first scripts of its kind do."""
        self.closed = True

    def __enter__(self) -> Self:
        stack = ExitStack()
        stack.enter_context(self.graph.as_default())
        stack.enter_context(self.as_default())
        _entered.setdefault(self, []).append(stack)
        return self

    def __exit__(self, *error: Any) -> None:
        _entered[self].pop().__exit__(*error)
        self.close()

    def load(self, variable: Any, value: Any) -> None:
        """Set a variable's value now; `Variable.load` calls it."""
        tensor = variable.as_tensor()
        if variable.graph is not self.graph:
            raise ValueError(wrong_graph(tensor, self.graph))
        what = f" for variable '{variable.op.name}'"
        array = np.array(as_array(value, tensor.static_dtype, what))
        if tensor.static_shape not in (None, array.shape):
            raise InvalidArgumentError(
                None,
                variable.op,
                f"variable '{variable.op.name}' has shape {tensor.static_shape}, the "
                "value "
                f"{array.shape}. Nothing was changed",
            )
        self.graph.state.setdefault("written_by", {})[tensor] = self.number
        with self.lock:
            self.state.update({tensor: array, "initialised": True})

    def make_callable(
        self, fetches: Any, feed_list: Any = None, accept_options: bool = False
    ) -> Callable[..., Any]:
        """A function of the values of `feed_list` that runs `fetches`.

        Examples
        --------
        >>> import similarflow as sf
        >>> x = sf.Placeholder(sf.float32)
        >>> double = sf.Session().make_callable(2.0 * x, [x])
        >>> double(4.0)
        np.float32(8.0)
        """
        keys = list(feed_list or [])

        def call(*values: Any, options: Any = None, run_metadata: Any = None) -> Any:
            if len(values) != len(keys):
                raise ValueError(
                    f"{len(keys)} values are needed, {len(values)} were given"
                )
            return self.run(fetches, dict(zip(keys, values, strict=True)))

        return call


def get_default_session() -> Any:
    """The innermost default session, or None."""
    return sessions.top()
