"""The table of gradients, by what they belong to."""

from __future__ import annotations

from typing import Any


class GradientTable(dict[Any, Any]):
    """Gradients by what they belong to: tensors, variables, own operations."""

    optional = True  # running it skips what is None

    def __contains__(self, key: Any) -> bool:
        return super().__contains__(getattr(key, "node", key))

    def __missing__(self, key: Any) -> Any:
        if key not in self:
            raise KeyError(f"{key!r} was not reached on the way back from the loss")
        return self[key.node]

    def get(self, key: Any, default: Any = None) -> Any:
        """The gradient of `key`; `default` if it was not reached."""
        return self[key] if key in self else default  # noqa: SIM401 - this is `get`
