"""Gradient rules on arrays, as the first toys have them: ``grad * np.cos(x)``."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from .graph import Constant, Operation, Tensor
from .operators import BUILDERS
from .rules import RegisterGradient

Rule = Callable[..., Any]


class ValueView:
    """What a rule on values sees as ``op``: arrays for inputs and outputs."""

    def __init__(
        self, op: Operation, inputs: Sequence[Any], outputs: Sequence[Any]
    ) -> None:
        self._op = op
        self.inputs = list(inputs)
        self.outputs = list(outputs)
        self.output = self.outputs[0]

    def __getattr__(self, name: str) -> Any:
        return getattr(self._op, name)


class GradientOnValues(Operation):
    """Runs a rule on values; its outputs are the gradients of the inputs of `op`."""

    def __init__(self, op: Operation, rule: Rule, grads: Sequence[Tensor]) -> None:
        self.num_outputs = len(op.inputs)
        self.op, self.rule = op, rule
        super().__init__(*op.inputs, *op.outputs, *grads)

    def infer(self, *inputs: Tensor) -> list[Any]:
        """As the inputs of `op`; the dtype is the run's."""
        return [(x.static_shape, None) for x in self.op.inputs]

    def compute(self, *values: Any) -> Any:
        """Call the rule with the values."""
        n, m = len(self.op.inputs), len(self.op.outputs)
        view = ValueView(self.op, values[:n], values[n : n + m])
        result = self.rule(view, *values[n + m :])
        grads = list(result) if isinstance(result, list | tuple) else [result]
        if len(grads) != n:
            raise ValueError(
                f"the rule of {self.op.type} returned {len(grads)} gradients for {n} "
                "inputs"
            )
        grads = [
            np.zeros_like(x) if g is None else np.asarray(g)
            for x, g in zip(values[:n], grads, strict=True)
        ]
        for i, (x, g) in enumerate(zip(values[:n], grads, strict=True)):
            constant = isinstance(self.inputs[i], Constant)  # nobody wants its gradient
            if np.shape(x) != g.shape and not constant:
                raise ValueError(
                    f"the rule of {self.op.type} '{self.op.name}' returned shape "
                    f"{g.shape} for input {i}, which has shape {np.shape(x)}"
                )
        return grads[0] if n == 1 else grads


@RegisterGradient(GradientOnValues)
def _gradient_on_values_grad(op: Any, *grads: Tensor) -> Any:
    raise LookupError(
        f"the rule of {op.op.type} works on values, so there is a first order only. "
        "For "
        "a second derivative, write a rule that takes and returns tensors"
    )


def on_tensors(rule: Rule) -> Rule:
    """A rule that returns tensors, from one that takes and returns arrays."""

    def from_arrays(op: Operation, *grads: Tensor | None) -> list[Tensor]:
        given = [
            BUILDERS["zeros_like"](t) if grad is None else grad
            for t, grad in zip(op.outputs, grads, strict=True)
        ]
        return list(GradientOnValues(op, rule, given).outputs)

    from_arrays.__name__ = getattr(rule, "__name__", "rule")
    from_arrays.__doc__ = rule.__doc__
    return from_arrays
