"""Embeddings: rows of one large table, or of one that is cut into parts."""

from __future__ import annotations

from typing import Any

from ..core.graph import Tensor, convert_to_tensor, graph_of
from .choose import where
from .clipping import clip_by_norm
from .composite import composite
from .elementary import add_n
from .gather import gather
from .join import concat
from .logic import cast
from .math import floordiv, maximum, mod
from .partition import dynamic_partition, dynamic_stitch
from .ranges import range as count_up
from .reshape import reshape
from .shape import shape, size


@composite
def embedding_lookup(
    params: Any, ids: Any, partition_strategy: str = "mod", name: str | None = None,
    validate_indices: bool = True, max_norm: float | None = None,
) -> Tensor:  # fmt: skip
    """The rows of a table that `ids` name; the gradient is sparse (`IndexedSlices`).

    Parameters
    ----------
    params : variable or tensor, or list of them
        The table; a list holds it in parts, each with some of its rows.
    ids : tensor of ints
        Of any shape, which the result has in place of the rows' axis.
    partition_strategy : str
        How rows are spread over several parts: "mod" (row i is in part ``i % count``)
        or "div" (the first part holds the first rows; the first parts hold one row
        more if they cannot be equal).
    validate_indices : bool
        Accepted as in TensorFlow; ids are always checked.
    max_norm : float, optional
        A longer row is scaled down to this length.

    Raises
    ------
    ValueError
        There is no such strategy, or no part.
    InvalidArgumentError
        When run: an id is out of range.

    Examples
    --------
    >>> import similarflow as sf
    >>> table = sf.Variable([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    >>> with sf.Session() as sess:
    ...     print(sess.run(sf.nn.embedding_lookup(table, [2, 0])))
    [[5. 6.]
     [1. 2.]]
    """
    parts = list(params) if isinstance(params, list | tuple) else [params]
    if not parts:
        raise ValueError("a table of embeddings has one part or more; none is given")
    if partition_strategy not in ("mod", "div"):
        raise ValueError(
            f"partition_strategy is 'mod' or 'div', not {partition_strategy!r}"
        )
    graph = graph_of([ids, *parts])
    with graph.as_default(), graph.name_scope(name or "embedding_lookup"):
        places = convert_to_tensor(ids, name="ids")
        if len(parts) == 1:
            return _clipped(gather(parts[0], places), places, max_norm)
        flat = reshape(places, [-1])
        part, row = _placed(flat, parts, partition_strategy)
        rows = dynamic_partition(row, part, len(parts))
        origins = dynamic_partition(count_up(size(flat)), part, len(parts))
        found = [gather(p, r) for p, r in zip(parts, rows, strict=True)]
        joined = dynamic_stitch(origins, found)
        row_shape = shape(convert_to_tensor(parts[0]))[1:]
        whole = reshape(joined, concat([shape(places), row_shape], 0))
        return _clipped(whole, places, max_norm)


def _placed(ids: Tensor, parts: list[Any], strategy: str) -> tuple[Tensor, Tensor]:
    """In which part each id is, and its row there."""
    count = len(parts)
    if strategy == "mod":
        return mod(ids, count), floordiv(ids, count)
    dtype = ids.dtype
    total = add_n([cast(shape(convert_to_tensor(p))[0], dtype) for p in parts])
    rows, longer = floordiv(total, count), mod(total, count)  # `longer` have one more
    least = maximum(rows, 1)
    part = maximum(floordiv(ids, rows + 1), floordiv(ids - longer, least))
    row = where(part < longer, mod(ids, rows + 1), mod(ids - longer, least))
    return part, row


def _clipped(rows: Tensor, ids: Tensor, max_norm: Any) -> Tensor:
    if max_norm is None:
        return rows
    if ids.static_shape is None or rows.static_shape is None:
        raise ValueError("max_norm needs the rank of the ids and of the table")
    axes = [*range(len(ids.static_shape), len(rows.static_shape))]
    clipped: Tensor = clip_by_norm(rows, max_norm, axes)
    return clipped
