"""Finding nodes by name, and what an operation tells of itself."""

from __future__ import annotations

import linecache
from typing import TYPE_CHECKING, Any

from .static import default_session

if TYPE_CHECKING:
    from types import CodeType

    from .graph import Operation, Tensor


class GraphLookup:
    """The methods of `Graph` that find its nodes."""

    nodes: dict[str, Any]
    finalized: bool
    outers: tuple[Any, ...]

    def get_operation_by_name(self, name: str) -> Operation:
        """The operation called `name`.

        Raises
        ------
        KeyError
            There is none; the message names those that are spelled alike.
        """
        return self.as_graph_element(name, allow_tensor=False)  # type: ignore[return-value]

    def get_tensor_by_name(self, name: str) -> Tensor:
        """The tensor called `name`: an operation's name, ":" and the output's index.

        Raises
        ------
        KeyError
            There is none.
        ValueError
            `name` is that of an operation.
        """
        return self.as_graph_element(name, allow_operation=False)  # type: ignore[return-value]

    def as_graph_element(
        self, obj: Any, allow_tensor: bool = True, allow_operation: bool = True
    ) -> Tensor | Operation:
        """The tensor or operation that `obj` is, names or stands for.

        Raises
        ------
        KeyError
            No node has that name.
        ValueError
            It is of another graph, or of the kind that is not allowed.
        TypeError
            It is nothing of that kind.
        """
        if isinstance(obj, bytes):
            obj = obj.decode()
        found: Any = self._named(obj) if isinstance(obj, str) else obj
        owned = not hasattr(found, "value_index") and hasattr(found, "node")
        if owned and found.node is found:
            found = found.as_tensor() if allow_tensor else found.op
        if not hasattr(found, "graph") or not (
            hasattr(found, "op") or hasattr(found, "outputs")
        ):
            raise TypeError(
                f"{obj!r} ({type(obj).__name__}) is no tensor, operation or name"
            )
        if found.graph is not self and found.graph not in self.outers:
            raise ValueError(f"{found!r} is not an element of this graph")
        is_tensor = hasattr(found, "value_index")
        if is_tensor and not allow_tensor:
            raise ValueError(f"{obj!r} is a tensor; an operation's name has no ':'")
        if not is_tensor and not allow_operation:
            raise ValueError(
                f"{obj!r} is an operation; a tensor's name ends in the output's index: "
                f"'{found.name}:0'"
            )
        return found  # type: ignore[no-any-return]

    def _named(self, name: str) -> Any:
        op_name, colon, index = name.partition(":")
        op = self.nodes.get(op_name)
        if op is None and self.outers:  # a branch or body sees what is around it
            return self.outers[0].as_graph_element(name)
        if op is None:
            alike = [
                n for n in self.nodes if op_name.split("/")[-1].lower() in n.lower()
            ]
            hint = f" There are: {', '.join(alike[:5])}" if alike else ""
            raise KeyError(f"no operation in this graph is called {op_name!r}.{hint}")
        if not colon:
            return op
        if not index.isdigit():
            raise ValueError(f"{name!r}: behind ':' the index of an output is expected")
        if int(index) >= len(op.outputs):
            raise KeyError(
                f"{op_name!r} has {len(op.outputs)} outputs, so there is no {name!r}"
            )
        return op.outputs[int(index)]

    def finalize(self) -> None:
        """Let no operation be added any more: what a loop adds by mistake, raises."""
        self.finalized = True

    def is_feedable(self, tensor: Any) -> bool:
        """Whether `tensor` may be fed: any may."""
        return True

    def is_fetchable(self, tensor_or_op: Any) -> bool:
        """Whether it may be fetched: anything of the graph may."""
        return True


class OperationLookup:
    """Further methods of `Operation`."""

    __slots__ = ()
    if TYPE_CHECKING:
        attrs: dict[str, Any]
        outputs: tuple[Tensor, ...]
        place: tuple[CodeType, int]
        name: str
        type: str

    def __getattr__(self, name: str) -> Any:
        own = type(self).__name__
        hint = ""
        if name in ("definition", "owner", "graph", "outputs", "name"):
            hint = f": does {own}.__init__ call super().__init__(*inputs)?"
        raise AttributeError(f"{own} has no attribute {name!r}{hint}")

    def values(self) -> tuple[Tensor, ...]:
        """The output tensors."""
        return self.outputs

    def get_attr(self, name: str) -> Any:
        """An attribute by name.

        Raises
        ------
        ValueError
            There is none of that name.
        """
        if name not in self.attrs:
            raise ValueError(f"{self.type} '{self.name}' has no attribute {name!r}")
        return self.attrs[name]

    @property
    def source(self) -> tuple[str, int, str]:
        """The user's line that made it: file name, line number, text."""
        return source_of(self.place)

    def run(self, feed_dict: Any = None, session: Any = None) -> None:
        """Run the operation, in `session` or the default session."""
        default_session(session, "run").run(self, feed_dict)


def source_of(place: tuple[CodeType, int]) -> tuple[str, int, str]:
    """File name, line number and text of an instruction."""
    code, instruction = place
    line = code.co_firstlineno
    for start, stop, number in code.co_lines():
        if start <= instruction < stop and number is not None:
            line = number
    return code.co_filename, line, linecache.getline(code.co_filename, line).strip()
