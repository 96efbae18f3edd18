"""What random operations draw from: a stream for each operation and each run.

The stream of an operation follows from its seeds, or from the graph's seed and its
name; so what stands around it changes nothing. Each draw has a block of Philox's
counter of its own, and a session only counts the draws.
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from hashlib import blake2b
from threading import Lock
from typing import Any

import numpy as np

from ..core.graph import Operation

DEFAULT_GRAPH_SEED = 87654321  # TensorFlow's, where only the operation has a seed
WORD = 1 << 64
_claiming = Lock()


def generator_for(
    op: Operation,
    state: Mapping[Any, Any],
    changes: dict[Any, Any],
    claims: dict[Operation, int] | None = None,
    drawn: list[tuple[Operation, int]] | None = None,
) -> np.random.Generator:
    """The generator for the next draw of `op`, and a note in `changes` that it is made.

    Parameters
    ----------
    op : Operation
        Its attribute `seed` is the pair (graph's seed, its own); each may be None.
    state : mapping
        The session's: how often each operation has drawn.
    changes : dict
        What this run will add to `state`, if it succeeds.
    claims : dict, optional
        How far runs that have not ended yet have come: no two draw the same.
    drawn : list, optional
        Is given each draw, for `give_back`.
    """
    claims = {} if claims is None else claims
    with _claiming:
        draw = max(known.get(op, 0) for known in (changes, state, claims))
        if drawn is not None:
            drawn.append((op, draw))
        changes[op] = claims[op] = draw + 1
    key = _key(op)
    if key is None:
        place = ("key", op)
        key = changes.get(place) or state.get(place)
        if key is None:
            key = changes[place] = (secrets.randbits(64), secrets.randbits(64))
    words = np.array(key, np.uint64)
    counter = np.array((0, 0, 0, draw), np.uint64)
    return np.random.Generator(np.random.Philox(key=words, counter=counter))


def give_back(drawn: list[tuple[Operation, int]], claims: dict[Operation, int]) -> None:
    """A run failed: what it drew is there again, unless others drew since."""
    with _claiming:
        for op, draw in reversed(drawn):
            if claims[op] == draw + 1:
                claims[op] = draw


def _key(op: Operation) -> tuple[int, int] | None:
    """The key that the seeds of `op` make; None without a seed."""
    graph_seed, own_seed = op.attrs["seed"]
    if own_seed is not None:
        if graph_seed is None:
            graph_seed = DEFAULT_GRAPH_SEED
        return graph_seed % WORD, own_seed % WORD
    if graph_seed is None:
        return None
    digest = blake2b(op.name.encode(), digest_size=8).digest()
    name = int.from_bytes(digest, "little") | WORD >> 1  # the half without own seeds
    return graph_seed % WORD, name
