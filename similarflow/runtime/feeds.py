"""What can be fed: a value for any tensor, checked against its dtype and shape."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ..core.convert import Array, as_array, fits
from ..core.graph import Constant, Graph, Tensor
from ..core.lazy import lazy
from ..core.nest import holds_tensor

messages = lazy(".messages", __package__)


def check_feeds(feed_dict: Any, graph: Graph) -> dict[Tensor, Array]:
    """The fed tensors and their values as arrays.

    Raises
    ------
    TypeError
        A key is no tensor, or a value does not fit its dtype.
    ValueError
        A value does not fit its shape, or the tensor is of another graph.
    """
    feeds: dict[Tensor, Array] = {}
    if feed_dict is not None and not isinstance(feed_dict, Mapping):
        raise TypeError(messages.feeds_no_dict(feed_dict))
    for key, value in _parts(feed_dict or {}):
        named = isinstance(key, str)
        tensor = graph.get_tensor_by_name(key) if named else key
        if not hasattr(tensor, "as_tensor"):
            raise TypeError(messages.bad_feed_key(key))
        tensor = tensor.as_tensor()
        if tensor.op.attrs.get("taken") and isinstance(tensor, Constant):
            raise ValueError(messages.taken(tensor))
        if tensor.graph is not graph:
            raise ValueError(messages.wrong_graph(tensor, graph))
        if hasattr(value, "as_tensor"):
            raise TypeError(messages.fed_a_tensor(tensor, value))
        what = f" for '{tensor.name}'"
        try:
            array = as_array(value, tensor.static_dtype, what, narrow=False)
        except TypeError:
            if isinstance(value, list | tuple) and holds_tensor(value):
                raise TypeError(messages.fed_a_tensor(tensor, value)) from None
            raise
        if not fits(tensor.static_shape, array.shape):
            raise ValueError(messages.wrong_feed_shape(tensor, array.shape))
        feeds[tensor] = array
    return feeds


def _parts(feed_dict: Mapping[Any, Any]) -> Iterator[tuple[Any, Any]]:
    """Keys and values; what is made of several tensors is taken apart."""
    for key, value in feed_dict.items():
        if hasattr(key, "components"):
            parts = key.components
            if not isinstance(value, tuple | list) or len(value) != len(parts):
                raise TypeError(messages.wrong_parts(key, value))
            yield from zip(parts, value, strict=True)
        else:
            yield key, value
