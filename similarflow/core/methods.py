"""All that `Graph`, `Tensor` and `Operation` can do beyond what ``graph.py`` says."""

from __future__ import annotations

from .collections import GraphCollections
from .extend import extends
from .graph import Graph, Operation, Tensor
from .lookup import GraphLookup, OperationLookup
from .operators import Operators
from .protocols import PythonProtocols
from .scopes import GraphScopes
from .static import TensorMethods as _TensorMethods
from .summary import GraphSummary


@extends(Graph)
class GraphMethods(GraphScopes, GraphCollections, GraphLookup, GraphSummary):
    """The methods of `Graph` from the files beside it."""


@extends(Tensor)
class TensorMethods(_TensorMethods):
    """The methods of `Tensor` from the files beside it."""

    __slots__ = ()


@extends(Operation)
class OperationMethods(OperationLookup):
    """The methods of `Operation` from the files beside it."""

    __slots__ = ()


extends(Operators)(PythonProtocols)
