"""A graph as a table."""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING, Any

from .casting import dtype_name

if TYPE_CHECKING:
    from .graph import Dims, Operation


class GraphSummary:
    """The method of `Graph` that prints it."""

    nodes: dict[str, Operation]
    variables: list[Any]

    def summary(self) -> str:
        """A table of all nodes: name, type, shape, dtype, inputs; then the parameters.

        Examples
        --------
        >>> import similarflow as sf
        >>> with sf.Graph().as_default() as graph:
        ...     x = sf.Placeholder(sf.float32, [None, 2], name="x")
        ...     y = sf.matmul(x, sf.Variable([[1.0], [2.0]], name="w"), name="y")
        >>> print(graph.summary())
        name             type         shape   dtype    inputs
        x                Placeholder  (?, 2)  float32
        w/initial_value  Const        (2, 1)  float32
        w                VariableV2   (2, 1)  float32
        y                MatMul       (?, 1)  float32  x:0, w:0
        4 nodes, 1 variable, 2 parameters
        """
        rows = [("name", "type", "shape", "dtype", "inputs")]
        for op in self.nodes.values():
            outputs = op.outputs
            rows.append(
                (
                    op.name,
                    op.type,
                    ", ".join(_dims(t.static_shape) for t in outputs),
                    ", ".join(dtype_name(t.static_dtype) for t in outputs),
                    ", ".join(t.name for t in op.inputs),
                )
            )
        widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
        lines = [
            "  ".join(
                cell.ljust(n) for cell, n in zip(row, widths, strict=True)
            ).rstrip()
            for row in rows
        ]
        sizes = [v.as_tensor().static_shape for v in self.variables]
        known = [prod(s) for s in sizes if s is not None and None not in s]
        some = (
            ""
            if len(known) == len(sizes)
            else f", {len(sizes) - len(known)} of unknown size"
        )
        many = "" if len(sizes) == 1 else "s"
        parameters = f"{sum(known):,} parameters{some}"
        lines.append(
            f"{len(self.nodes)} nodes, {len(sizes)} variable{many}, {parameters}"
        )
        return "\n".join(lines)


def _dims(dims: Dims) -> str:
    return "?" if dims is None else str(dims).replace("None", "?")
