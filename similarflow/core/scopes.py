"""Contexts for building: name scopes, control dependencies, devices, overrides."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from typing import TYPE_CHECKING, Any, Self

from .graph import get_default_graph, graph_of, operation_of
from .lazy import lazy
from .nest import flatten

if TYPE_CHECKING:
    from .graph import Operation

messages = lazy(".messages", __package__)
_VALID_FIRST = re.compile(r"[A-Za-z0-9.][A-Za-z0-9_.\\/>-]*")
_VALID = re.compile(r"[A-Za-z0-9_.\\/>-]*")


_DEVICE = re.compile(r"/(cpu|gpu):", re.IGNORECASE)


def _spelled_out(short: re.Match[str]) -> str:
    """``/cpu:`` as ``/device:CPU:``."""
    return f"/device:{short[1].upper()}:"


class GraphScopes:
    """The methods of `Graph` that change how the next operations are built."""

    scope: str
    controls: tuple[Operation, ...]
    device_name: str
    gradient_overrides: dict[str, str]
    state: dict[Any, Any]
    outers: tuple[Any, ...]
    if TYPE_CHECKING:

        def capture(self, tensor: Any) -> Any:
            """`tensor` as a sub-graph sees it; see `SubGraph`."""
            raise NotImplementedError

        def unique_name(self, name: str, mark_as_used: bool = True) -> str:
            """See `Graph`."""
            raise NotImplementedError

        def waiting_for(self, controls: Any) -> AbstractContextManager[None]:
            """See `Graph`."""
            raise NotImplementedError

        def as_graph_element(
            self, obj: Any, allow_tensor: bool = True, allow_operation: bool = True
        ) -> Any:
            """See `Graph`."""
            raise NotImplementedError

        def as_default(self) -> AbstractContextManager[Any]:
            """See `Graph`."""
            raise NotImplementedError

    def __enter__(self) -> Self:
        self.state.setdefault("entered", []).append(self.as_default())
        self.state["entered"][-1].__enter__()
        return self

    def __exit__(self, *error: Any) -> None:
        self.state["entered"].pop().__exit__(*error)

    @contextmanager
    def name_scope(self, name: str | None) -> Iterator[str]:
        """Prefix the names of what is built inside: "scope/add".

        With a "/" at its end, `name` is the whole prefix, used again as it is; None or
        "" leaves all scopes. Gives the prefix.
        """
        outer = self.scope
        if not name:
            self.scope = ""
        elif name.endswith("/"):
            self.scope = name
        else:
            if not (_VALID if outer else _VALID_FIRST).fullmatch(name):
                raise ValueError(
                    f"{name!r} is no valid scope name: use letters, digits, . _ - /"
                )
            self.scope = self.unique_name(name) + "/"
        try:
            yield self.scope
        finally:
            self.scope = outer

    def get_name_scope(self) -> str:
        """The current prefix of names, without "/" at its end."""
        return self.scope[:-1]

    @contextmanager
    def control_dependencies(self, control_inputs: Any) -> Iterator[None]:
        """Let what is built inside wait for `control_inputs` (tensors or operations).

        None takes away all that was waited for outside.
        """
        ops: list[Operation] = []
        if control_inputs is not None:
            ops += self.controls
            ops += [self._control(item) for item in flatten(control_inputs)]
        with self.waiting_for(ops):
            yield

    def _control(self, item: Any) -> Operation:
        """The operation to wait for; it must be of this graph."""
        if isinstance(item, str):
            item = self.as_graph_element(item)
        op = operation_of(item.values if hasattr(item, "joined") else item)
        if op.graph is not self and op.graph not in self.outers:
            raise ValueError(messages.other_graph(op, self))
        return op

    @contextmanager
    def device(self, device_name_or_function: Any) -> Iterator[None]:
        """Record a device for what is built inside; all runs on the processor."""
        outer = self.device_name
        chosen = device_name_or_function
        self.device_name = (
            _DEVICE.sub(_spelled_out, chosen) if isinstance(chosen, str) else ""
        )
        try:
            yield
        finally:
            self.device_name = outer

    @contextmanager
    def colocate_with(self, op: Any, ignore_existing: bool = False) -> Iterator[None]:
        """Accepted as in TensorFlow; without effect."""
        yield

    @contextmanager
    def gradient_override_map(self, op_type_map: Mapping[str, str]) -> Iterator[None]:
        """Use other gradient rules for what is built inside.

        `op_type_map` goes from an operation type to the name that the rule is
        registered under: ``@sf.RegisterGradient("Half")`` and ``{"Square": "Half"}``.
        """
        outer = self.gradient_overrides
        self.gradient_overrides = {**outer, **op_type_map}
        try:
            yield
        finally:
            self.gradient_overrides = outer


@contextmanager
def name_scope(
    name: Any, default_name: str | None = None, values: Any = None
) -> Iterator[str]:
    """``with sf.name_scope("layer"):`` prefixes the names of what is built inside.

    `default_name` counts where `name` is None. Gives the prefix, "layer/".
    """
    if name is not None and not isinstance(name, str):
        raise TypeError(f"a scope's name is a string, not {name!r}")
    graph = graph_of(values or ())
    with (
        graph.as_default(),
        graph.name_scope(default_name if name is None else name) as scope,
    ):
        yield scope


def control_dependencies(control_inputs: Any) -> Any:
    """What is built inside waits for these; see `Graph.control_dependencies`."""
    return get_default_graph().control_dependencies(control_inputs)


def device(device_name_or_function: Any) -> Any:
    """Accepted and recorded; everything runs on the processor."""
    return get_default_graph().device(device_name_or_function)


def colocate_with(op: Any, ignore_existing: bool = False) -> Any:
    """Accepted as in TensorFlow; without effect."""
    return get_default_graph().colocate_with(op, ignore_existing)
