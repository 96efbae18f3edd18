"""The compiled engine: programs of plans, bound to shapes, and what a run does."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from typing import Any, TypeVar

import numpy as np

from ...core.graph import Operation, Spec, Tensor
from ..plan import Plan
from ..simple import compute
from . import makers, rows  # noqa: F401  (they register themselves)
from .binding import collect
from .bound import Bound
from .passes import improve
from .program import Node, Program, program_of, specialised
from .regions import THREADS

Signature = tuple[Any, ...]
BINDINGS = 8
"""For so many combinations of shapes a plan is bound; others must come twice."""
REMEMBERED = 4096
"""So many combinations that came once are remembered."""
BYTES = 1 << 28
"""Above this size of all its buffers, a plan gives up those used least recently."""


class Compiled:
    """What the compiled engine makes of a plan; one for all runs of it."""

    def __init__(self, program: Program, threads: int = THREADS) -> None:
        self.program, self.threads = program, threads
        self.ready: dict[Signature, list[Bound]] = {}
        """For each signature the bindings that no run uses now, the latest last."""
        self._unbound: list[Bound] = []  # for shapes that may come only once
        self._once: set[Signature] = set()
        self._sizes: dict[Signature, int] = {}
        self._lock = threading.Lock()

    def take(self, signature: Signature, inputs: Sequence[Any]
             ) -> tuple[list[Bound], Bound]:  # fmt: skip
        """A binding for these inputs, and the list to return it to."""
        with self._lock:
            ready = self._list_of(signature)
        if ready:
            with suppress(IndexError):  # other runs may have been faster
                return ready, ready.pop()
        if ready is self._unbound:
            return ready, self._bind([(None, None)] * len(inputs))
        bound = self._bind([_spec(x) for x in inputs])
        with self._lock:
            self._count(signature, bound.size)
        return ready, bound

    def _list_of(self, signature: Signature) -> list[Bound]:
        """Where the bindings for a signature are, or are to be."""
        ready = self.ready.pop(signature, None)
        if ready is None:
            if len(self.ready) >= BINDINGS:
                if signature not in self._once:
                    if len(self._once) >= REMEMBERED:
                        self._once.clear()
                    self._once.add(signature)
                    return self._unbound
                self._give_up(next(iter(self.ready)))
            ready = []
        self.ready[signature] = ready
        return ready

    def _count(self, signature: Signature, size: int) -> None:
        """Note the size of a new binding; make room for it."""
        if signature not in self.ready:
            return  # it was given up in the meantime
        self._sizes[signature] = self._sizes.get(signature, 0) + size
        for other in [*self.ready]:
            if sum(self._sizes.values()) <= BYTES or other == signature:
                break
            self._give_up(other)

    def _give_up(self, signature: Signature) -> None:
        self.ready.pop(signature, None)
        self._sizes.pop(signature, None)

    def _bind(self, specs: Sequence[Spec]) -> Bound:
        return bind(self.program, specs, Bound, self.threads)


B = TypeVar("B", bound=Bound)


def bind(
    program: Program, specs: Sequence[Spec], kind: type[B], threads: int = THREADS
) -> B:
    """The binding of a program to inputs of these shapes and dtypes."""
    draws = Draws()
    simple = partial(as_written, draws)
    with np.errstate(all="ignore"):
        try:
            new = improve(specialised(program, specs))
            return kind(collect(new, simple, threads=threads), draws)
        except Exception as error:  # it cannot be computed: the run will say why
            bound = kind(collect(program, simple, bind=False), draws)
            bound.refusal = error
            return bound


def compiled(
    plan: Plan, fed: Sequence[Tensor], fetched: Sequence[Any], threads: int = THREADS
) -> Compiled:
    """What the compiled engine makes of a plan."""
    return Compiled(improve(program_of(plan, fed, fetched)), threads)


class Draws:
    """Where the random operations of a run get their generators from."""

    generator: Any = None


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
