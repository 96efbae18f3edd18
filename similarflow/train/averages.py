"""Moving averages: smoother copies of variables and tensors."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from ..core.casting import dtype_name
from ..core.collections import GraphKeys, get_collection
from ..core.graph import Operation, Tensor
from ..core.scopes import name_scope
from ..ops.elementary import group
from ..ops.logic import cast
from ..ops.math import minimum, pow
from ..ops.shape import zeros, zeros_like
from ..variables.helpers import global_variables, trainable_variables
from ..variables.variable import Variable


class ExponentialMovingAverage:
    """Averages in which the past fades: ``average -= (1 - decay) * (average - value)``.

    Parameters
    ----------
    decay : float or scalar tensor
        Close to 1; the average reaches back about ``1 / (1 - decay)`` updates.
    num_updates : int, variable or scalar tensor, optional
        How many updates there have been; then early averages move faster, with
        ``min(decay, (1 + num_updates) / (10 + num_updates))``.
    zero_debias : bool
        Averages of tensors start at zero; correct them for that.
    name : str
        What the averages are called: "w/ExponentialMovingAverage".

    Examples
    --------
    >>> import similarflow as sf
    >>> w = sf.Variable(0.0)
    >>> ema = sf.train.ExponentialMovingAverage(0.5)
    >>> with sf.control_dependencies([w.assign_add(1.0)]):
    ...     update = ema.apply([w])
    >>> sess = sf.Session()
    >>> for _ in range(2):
    ...     sess.run(update)
    >>> float(sess.run(w)), float(sess.run(ema.average(w)))
    (2.0, 1.25)
    """

    def __init__(
        self, decay: Any, num_updates: Any = None, zero_debias: bool = False,
        name: str = "ExponentialMovingAverage",
    ) -> None:  # fmt: skip
        self._decay, self._num_updates = decay, num_updates
        self._zero_debias, self._name = zero_debias, name
        self._averages: dict[Tensor, Variable] = {}
        self._biased: dict[Tensor, tuple[Any, Any]] = {}  # and the number of updates

    @property
    def name(self) -> str:
        """What the averages are called."""
        return self._name

    def apply(self, var_list: Iterable[Any] | None = None) -> Operation:
        """An operation that updates the averages of variables and tensors.

        The average of a variable starts with the variable's initial value, that of a
        tensor with zeros.

        Parameters
        ----------
        var_list : list of variables and tensors, optional
            All trainable variables by default.

        Raises
        ------
        TypeError
            One of them is of no float type.
        """
        given = trainable_variables() if var_list is None else list(var_list)
        tensors = [_as_averaged(x) for x in given]
        for x in tensors:
            if x not in self._averages:
                self._start(x)
        with name_scope(self._name, values=tensors) as scope:
            rest = self._rest()
            updates = [self._update(x, rest) for x in tensors]
            return group(*updates, name=scope)

    def _start(self, x: Tensor) -> None:
        """Make the average of `x`, and what goes with it."""
        dims = x.static_shape
        known = dims is not None and None not in dims
        graph = x.graph
        with (
            graph.as_default(),
            graph.name_scope(None),
            graph.control_dependencies(None),
        ):

            def keep(value: Any, name: str) -> Any:
                return Variable(
                    value, trainable=False, name=f"{x.op.name}/{name}",
                    validate_shape=known,
                )  # fmt: skip

            if isinstance(x.node, Variable):
                self._averages[x] = keep(x, self._name)
                graph.add_to_collection(GraphKeys.MOVING_AVERAGE_VARIABLES, x.node)
                return

            def start() -> Tensor:
                exact = known and x.static_dtype is not None
                return zeros(dims, x.dtype) if exact else zeros_like(x)

            self._averages[x] = keep(start, self._name)
            if self._zero_debias:
                self._biased[x] = (
                    keep(start, f"{self._name}/biased"),
                    keep(lambda: zeros([], x.dtype), f"{self._name}/local_step"),
                )

    def _rest(self) -> Any:
        """The part by which averages move towards their values, ``1 - decay``."""
        decay = self._decay
        if self._num_updates is not None:
            count = cast(self._num_updates, np.float32, "num_updates")
            early = (1.0 + count) / (10.0 + count)
            decay = cast(decay, np.float32) if hasattr(decay, "graph") else decay
            decay = minimum(decay, early)
        return 1.0 - decay

    def _update(self, x: Tensor, rest: Any) -> Tensor:
        average: Any = self._averages[x]
        rest = cast(rest, average.dtype) if hasattr(rest, "graph") else rest
        if x not in self._biased:
            step = (average - x) * rest
            return average.assign_sub(step, name="AssignMovingAvg")  # type: ignore[no-any-return]
        biased, steps = self._biased[x]
        sums = biased.assign_sub((biased - x) * rest)
        count = steps.assign_add(1.0)
        # So much of the start, zero, is still in the average.
        start = pow(1.0 - rest, count)
        return average.assign(sums / (1.0 - start), name="AssignMovingAvg")  # type: ignore[no-any-return]

    def average(self, var: Any) -> Any:
        """The variable that is the average of `var`; None if there is none."""
        return self._averages.get(var.as_tensor())

    def average_name(self, var: Any) -> str:
        """The name of the average of `var`, even if there is none yet."""
        found: Any = self.average(var)
        if found is not None:
            return str(found.op.name)
        tensor = var.as_tensor()
        with tensor.graph.name_scope(None):
            name: str = tensor.graph.unique_name(
                f"{tensor.op.name}/{self._name}", mark_as_used=False
            )
        return name

    def variables_to_restore(
        self, moving_avg_variables: Iterable[Any] | None = None
    ) -> dict[str, Any]:
        """By the name in a checkpoint, the variable that is to get the value.

        The variables themselves get the values of their averages; all others get their
        own.

        Parameters
        ----------
        moving_avg_variables : list of variables, optional
            Those that have averages; by default the trainable ones, and those whose
            averages were made.
        """
        if moving_avg_variables is None:
            moving_avg_variables = trainable_variables() + moving_average_variables()
        averaged = dict.fromkeys(moving_avg_variables)
        found = {self.average_name(v): v for v in averaged}
        for v in global_variables():
            if v not in averaged:
                found.setdefault(v.op.name, v)
        return found


def _as_averaged(x: Any) -> Tensor:
    if not hasattr(x, "as_tensor"):
        raise TypeError(f"averages are of variables and tensors, not of {x!r:.60}")
    tensor: Tensor = x.as_tensor()
    dtype = tensor.static_dtype
    if dtype is not None and dtype.kind != "f":
        raise TypeError(
            f"averages are of floats, and {tensor.name} is {dtype_name(dtype)}"
        )
    return tensor


def moving_average_variables(scope: str | None = None) -> list[Any]:
    """The variables that have moving averages."""
    return get_collection(GraphKeys.MOVING_AVERAGE_VARIABLES, scope)
