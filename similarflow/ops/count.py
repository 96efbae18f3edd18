"""Counting in a variable."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core.convert import Array, as_array
from ..core.graph import Spec, Tensor, graph_of
from ..core.infer import same_as_input
from ..core.registry import op
from ..core.rules import NotDifferentiable
from .fronts import front_of
from .state import as_reference


def _infer_count(ref: Tensor, limit: int) -> Spec:
    if ref.static_shape not in (None, ()):
        raise ValueError(f"a counter is one number, not of shape {ref.shape}")
    return same_as_input(ref)


@op(
    "CountUpTo", infer=_infer_count, attrs=["limit"], accepts="int", writes=1,
    converters={"ref": as_reference},
)  # fmt: skip
def next_count(ref: Array, limit: Any) -> Array:
    """The next number; `StopIteration` at the limit."""
    if ref >= limit:
        raise StopIteration(f"the counter is at {ref}, and its limit is {limit}")
    return as_array(ref + 1, np.result_type(ref))


NotDifferentiable("CountUpTo")


@front_of(next_count)
def count_up_to(ref: Any, limit: int, name: str | None = None) -> Tensor:
    """Count a variable up, when run; gives the number before that.

    Parameters
    ----------
    ref : variable
        One whole number.
    limit : int
        The variable does not go beyond it.

    Raises
    ------
    OutOfRangeError
        When run: the variable is at the limit; it stays there.

    Examples
    --------
    >>> import similarflow as sf
    >>> n = sf.Variable(0)
    >>> count = sf.count_up_to(n, 2)
    >>> with sf.Session() as sess:
    ...     print(*[sess.run(count) for _ in range(2)], sess.run(n))
    0 1 2
    """
    with graph_of([ref]).as_default():
        counted: Tensor = next_count(ref, limit, name=name) - 1
    return counted
