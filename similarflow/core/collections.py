"""Collections: lists that a graph keeps by key, such as its trainable variables."""

from __future__ import annotations

import re
from typing import Any

from .graph import get_default_graph


class GraphKeys:
    """The standard keys of collections."""

    GLOBAL_VARIABLES = "variables"
    VARIABLES = "variables"
    LOCAL_VARIABLES = "local_variables"
    MODEL_VARIABLES = "model_variables"
    TRAINABLE_VARIABLES = "trainable_variables"
    SUMMARIES = "summaries"
    QUEUE_RUNNERS = "queue_runners"
    TABLE_INITIALIZERS = "table_initializer"
    ASSET_FILEPATHS = "asset_filepaths"
    MOVING_AVERAGE_VARIABLES = "moving_average_variables"
    REGULARIZATION_LOSSES = "regularization_losses"
    CONCATENATED_VARIABLES = "concatenated_variables"
    SAVERS = "savers"
    WEIGHTS = "weights"
    BIASES = "biases"
    ACTIVATIONS = "activations"
    UPDATE_OPS = "update_ops"
    LOSSES = "losses"
    SAVEABLE_OBJECTS = "saveable_objects"
    RESOURCES = "resources"
    LOCAL_RESOURCES = "local_resources"
    TRAIN_OP = "train_op"
    GLOBAL_STEP = "global_step"
    INIT_OP = "init_op"
    LOCAL_INIT_OP = "local_init_op"
    READY_OP = "ready_op"
    READY_FOR_LOCAL_INIT_OP = "ready_for_local_init_op"
    SUMMARY_OP = "summary_op"
    EVAL_STEP = "eval_step"
    METRIC_VARIABLES = "metric_variables"
    COND_CONTEXT = "cond_context"
    WHILE_CONTEXT = "while_context"


class GraphCollections:
    """The methods of `Graph` about collections."""

    collections: dict[Any, list[Any]]

    def add_to_collection(self, name: Any, value: Any) -> None:
        """Append `value` to the collection `name`."""
        self.collections.setdefault(name, []).append(value)

    def add_to_collections(self, names: Any, value: Any) -> None:
        """Append `value` to several collections, once to each."""
        for name in dict.fromkeys([names] if isinstance(names, str) else names or ()):
            self.add_to_collection(name, value)

    def get_collection_ref(self, name: Any) -> list[Any]:
        """The collection itself: what is done to the list, is done to it."""
        return self.collections.setdefault(name, [])

    def get_collection(self, name: Any, scope: str | None = None) -> list[Any]:
        """A copy of the collection; with `scope`, the items whose name it begins."""
        items = list(self.collections.get(name, ()))
        if scope is None:
            return items
        match = re.compile(scope).match
        return [item for item in items if hasattr(item, "name") and match(item.name)]

    def get_all_collection_keys(self) -> list[Any]:
        """The keys of all collections that are not empty."""
        return [key for key, items in self.collections.items() if items]

    def clear_collection(self, name: Any) -> None:
        """Forget the collection `name`."""
        self.collections.pop(name, None)


def add_to_collection(name: Any, value: Any) -> None:
    """Append to a collection of the default graph."""
    get_default_graph().add_to_collection(name, value)


def add_to_collections(names: Any, value: Any) -> None:
    """Append to several collections of the default graph."""
    get_default_graph().add_to_collections(names, value)


def get_collection(key: Any, scope: str | None = None) -> list[Any]:
    """A copy of a collection of the default graph."""
    return get_default_graph().get_collection(key, scope)


def get_collection_ref(key: Any) -> list[Any]:
    """A collection of the default graph itself."""
    return get_default_graph().get_collection_ref(key)
