"""The compiled engine: programs of plans, bound to shapes, and what a run does."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any

import numpy as np

from ...core.graph import Operation, Spec, Tensor
from ..plan import Plan
from ..simple import compute
from . import makers  # noqa: F401  (they register themselves)
from .binding import Bound, collect
from .passes import improve
from .program import Node, program_of, specialised

BINDINGS = 8
"""For so many combinations of shapes a plan is bound; further ones run unbound."""
Signature = tuple[Any, ...]


class Compiled:
    """What the compiled engine makes of a plan; one for all runs of it."""

    def __init__(
        self, plan: Plan, fed: Sequence[Tensor], fetched: Sequence[Any]
    ) -> None:
        self.program = improve(program_of(plan, fed, fetched))
        self.ready: dict[Signature, list[Bound]] = {}
        """For each signature the bindings that no run uses now."""

    def take(self, signature: Signature, inputs: Sequence[Any]
             ) -> tuple[list[Bound], Bound]:  # fmt: skip
        """A binding for these inputs, and the list to return it to."""
        ready = self.ready.get(signature)
        if ready is None:
            if len(self.ready) >= BINDINGS:
                return [], self._bind([(None, None)] * len(inputs))
            ready = self.ready[signature] = []
        try:
            return ready, ready.pop()
        except IndexError:
            pass  # other runs have all that there are
        return ready, self._bind([_spec(x) for x in inputs])

    def _bind(self, specs: Sequence[Spec]) -> Bound:
        with np.errstate(all="ignore"):
            draws = Draws()
            program = improve(specialised(self.program, specs))
            return Bound(collect(program, partial(as_written, draws)), draws)


class Draws:
    """Where the random operations of a run get their generators from."""

    generator: Any = None

    @contextmanager
    def drawing(self, generator: Any) -> Iterator[None]:
        """During a run."""
        self.generator = generator
        try:
            yield
        finally:
            self.generator = None


def as_written(draws: Draws, node: Node) -> Callable[..., Any]:
    """What computes a node as the simple engine does."""
    if not node.plain:
        return partial(_compute, draws, node.op, len(node.outputs) == 1)
    kernel: Callable[..., Any] = node.op.definition.kernel  # type: ignore[union-attr]
    return partial(kernel, **node.attrs) if node.attrs else kernel


def _compute(draws: Draws, op: Operation, alone: bool, *args: Any) -> Any:
    outputs = compute(op, list(args), draws.generator)
    return outputs[0] if alone else outputs


def _spec(x: Any) -> Spec:
    known = isinstance(x, np.ndarray | np.generic)
    return (x.shape, x.dtype) if known else (None, None)
