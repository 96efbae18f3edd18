"""The session for prompts and notebooks."""

from __future__ import annotations

from contextlib import ExitStack
from typing import Any

from ..core.graph import Graph, sessions
from .compiled.session import Session


class InteractiveSession(Session):
    """A session that is the default one from now on, for prompts and notebooks.

    Examples
    --------
    >>> import similarflow as sf
    >>> sess = sf.InteractiveSession()
    >>> (sf.constant(2.0) * 3.0).eval()
    np.float32(6.0)
    >>> sess.close()
    """

    def __init__(
        self, target: str = "", graph: Graph | None = None, config: Any = None
    ) -> None:
        super().__init__(target, graph, config)
        self._made = ExitStack()
        if graph is not None:
            self._made.enter_context(graph.as_default())
        sessions.items.append(self)

    def close(self) -> None:
        """Be the default session no more."""
        super().close()
        sessions.leave(self)
        self._made.close()
