"""What can be fetched: tensors, variables, operations, names, and nests of them."""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from typing import Any

from ..core.graph import Graph, Operation, Tensor
from ..core.lazy import lazy

messages = lazy(".messages", __package__)
Unpack = Callable[[list[Any]], Any]


def parse_fetches(
    item: Any, graph: Graph, found: list[Any], path: str = "fetches"
) -> Unpack:
    """Add the tensors and operations in `item` to `found`.

    Returns
    -------
    function
        From the values of all that was found to a result in the form of `item`.

    Raises
    ------
    TypeError
        Something in it cannot be fetched; the message says where.
    ValueError
        A tensor is of another graph.
    """
    if isinstance(item, dict):
        parts = {
            key: parse_fetches(sub, graph, found, f"{path}[{key!r}]")
            for key, sub in item.items()
            if sub is not None or not hasattr(item, "optional")
        }
        return lambda values: _refill(
            item, {k: part(values) for k, part in parts.items()}
        )
    if (
        isinstance(item, Operation)
        and item.definition is None
        and len(item.outputs) > 1
    ):
        item = item.outputs  # an own operation with several outputs
    if isinstance(item, list | tuple):
        subs = [
            parse_fetches(s, graph, found, f"{path}[{i}]") for i, s in enumerate(item)
        ]
        make = getattr(item, "_make", type(item))  # a namedtuple has _make
        return lambda values: make([sub(values) for sub in subs])
    if hasattr(item, "fetch_as"):  # something made of tensors, as IndexedSlices
        inner = parse_fetches(list(item.components), graph, found, path)
        return lambda values: item.fetch_as(*inner(values))
    index = len(found)
    found.append(_element(item, path, graph))
    return lambda values: values[index]


def _refill(like: dict[Any, Any], values: dict[Any, Any]) -> dict[Any, Any]:
    """A dict of the same class and order as `like`, with other values."""
    result = copy(like)
    result.update(values)
    return result


def _element(item: Any, path: str, graph: Graph) -> Tensor | Operation:
    if isinstance(item, type):
        raise TypeError(messages.bad_fetch(item, path))
    if isinstance(item, str):
        try:
            item = graph.as_graph_element(item)
        except KeyError as error:
            raise ValueError(f"{path} is {item!r}: {error.args[0]}") from None
    if not isinstance(item, Operation) or item.owner is item:
        item = item.as_tensor() if hasattr(item, "as_tensor") else item
    if not isinstance(item, Tensor | Operation):
        raise TypeError(messages.bad_fetch(item, path))
    if item.graph is not graph:
        raise ValueError(messages.wrong_graph(item, graph))
    return item
