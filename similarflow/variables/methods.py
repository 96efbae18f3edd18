"""All that a variable can do beyond what ``variable.py`` says."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ..core.extend import extends
from ..core.graph import Graph, Operation, Tensor
from ..core.operators import BUILDERS
from ..core.static import Flowing, default_session
from .variable import Variable


def _rows_by(builder: str) -> Callable[..., Tensor]:
    """The method that hands a change of some rows to a function of the same name."""

    def change(
        self: Any, sparse_delta: Any, use_locking: bool = False, name: str | None = None
    ) -> Tensor:
        if not hasattr(sparse_delta, "joined"):
            raise TypeError(
                f"{builder} of a variable takes rows and their numbers together, not "
                f"{sparse_delta!r:.60}: sf.IndexedSlices(values, indices)"
            )
        rows, numbers = sparse_delta.values, sparse_delta.indices
        result: Tensor = BUILDERS[builder](self, numbers, rows, name=name)
        return result

    return _named(change, builder)


def _places_by(builder: str) -> Callable[..., Tensor]:
    """The method that hands a change at some places to a function of the same name."""

    def change(
        self: Any, indices: Any, updates: Any, name: str | None = None
    ) -> Tensor:
        result: Tensor = BUILDERS[builder](self, indices, updates, name=name)
        return result

    return _named(change, builder)


def _named(method: Callable[..., Tensor], builder: str) -> Callable[..., Tensor]:
    method.__name__ = builder
    method.__doc__ = f"See `sf.{builder}`."
    return method


@extends(Variable)
class VariableMethods(Flowing):
    """Further methods of `Variable`. Those that change it return the new value."""

    __slots__ = ()
    if TYPE_CHECKING:
        op: Operation
        graph: Graph
        initial_value: Tensor

    @property
    def initializer(self) -> Operation:
        """The operation that gives the variable its initial value."""
        found: Operation | None = self.graph.state.get(("initializer", self))
        if found is None:
            graph = self.graph
            outer, graph.finalized = graph.finalized, False
            try:
                with graph.as_default(), graph.waiting_for(()):
                    new = BUILDERS["assign"](
                        self,
                        self.initial_value,
                        initializer=True,
                        name=f"{self.op.name}/Assign/",
                    )
            finally:
                graph.finalized = outer
            found = graph.state["initializer", self] = new.op
        return found

    @property
    def value(self) -> Callable[[], Tensor]:
        """``w.value()`` is the tensor through which the variable is read."""
        return self.as_tensor

    @value.setter
    def value(self, new: Any) -> None:
        name = self.op.name
        raise AttributeError(
            f"the value of variable '{name}' belongs to a session. Write "
            f"sess.run({name}.assign(new)) or {name}.load(new, sess)"
        )

    def read_value(self) -> Tensor:
        """The value as it is once what is built around it allows to read it."""
        result: Tensor = BUILDERS["identity"](self, name="read")
        return result

    def initialized_value(self) -> Tensor:
        """The value, for another variable's initial value: this one starts first."""
        return self.as_tensor()

    def assign(
        self, value: Any, use_locking: bool = False, name: str | None = None,
        read_value: bool = True,
    ) -> Tensor:  # fmt: skip
        """Replace the value, when run."""
        result: Tensor = BUILDERS["assign"](self, value, name=name)
        return result

    def assign_add(
        self, delta: Any, use_locking: bool = False, name: str | None = None,
        read_value: bool = True,
    ) -> Tensor:  # fmt: skip
        """Add to the value, when run."""
        result: Tensor = BUILDERS["assign_add"](self, delta, name=name)
        return result

    def count_up_to(self, limit: int) -> Tensor:
        """Count up, when run; gives the number before. See `sf.count_up_to`."""
        result: Tensor = BUILDERS["count_up_to"](self, limit)
        return result

    def assign_sub(
        self, delta: Any, use_locking: bool = False, name: str | None = None,
        read_value: bool = True,
    ) -> Tensor:  # fmt: skip
        """Subtract from the value, when run."""
        result: Tensor = BUILDERS["assign_sub"](self, delta, name=name)
        return result

    scatter_add, scatter_sub = _rows_by("scatter_add"), _rows_by("scatter_sub")
    scatter_mul, scatter_div = _rows_by("scatter_mul"), _rows_by("scatter_div")
    scatter_min, scatter_max = _rows_by("scatter_min"), _rows_by("scatter_max")
    scatter_update = _rows_by("scatter_update")
    batch_scatter_update = _rows_by("batch_scatter_update")
    scatter_nd_add = _places_by("scatter_nd_add")
    scatter_nd_sub = _places_by("scatter_nd_sub")
    scatter_nd_update = _places_by("scatter_nd_update")

    def eval(self, session: Any = None) -> Any:  # type: ignore[override]
        """The value, in `session` or the default session."""
        return default_session(session, "eval").run(self)

    def load(self, value: Any, session: Any = None) -> None:
        """Set the value now, in `session` or the default session.

        Raises
        ------
        ValueError
            Another shape than the variable's, or no session.
        """
        default_session(session, "load").load(self, value)

    @property
    def device(self) -> str:
        """The device asked for; recorded, without effect."""
        return self.op.device
