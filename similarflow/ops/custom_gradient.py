"""A gradient of one's own for a piece of a graph."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from ..core.convert import Array
from ..core.graph import Operation, Spec, Tensor, convert_to_tensor, source_kind
from ..core.infer import same_as_input
from ..core.registry import op
from ..core.rules import RegisterGradient
from ..core.traverse import traverse_postorder


def _infer(*values: Tensor, count: int, rule: Any) -> list[Spec]:
    return [same_as_input(v) for v in values[:count]]


@op("CustomGradient", infer=_infer, same=(), accepts="any", holomorphic=False)
def _custom_gradient(*values: Array, count: int = 1, rule: Any = None) -> Any:
    """The first `count` of its inputs, unchanged; `rule` gives the gradient."""
    return values[0] if count == 1 else values[:count]


@RegisterGradient("CustomGradient")
def _custom_gradient_grad(op: Operation, *grads: Tensor) -> Any:
    return [None] * op.attrs["count"] + list(op.attrs["rule"](*grads))


def custom_gradient(f: Callable[..., Any]) -> Callable[..., Any]:
    """Decorator: `f` returns its result and a function that gives the gradient.

    Parameters
    ----------
    f : function
        From tensors to ``(y, grad)``: y a tensor or a list of them, and
        ``grad(dy)`` the gradients for the arguments of `f`. Where `f` reads trainable
        variables, ``grad(dy, variables)`` gives their gradients as a second list.

    Raises
    ------
    TypeError
        `f` does not return such a pair, or it reads trainable variables, and its
        `grad` does not take `variables`.
    ValueError
        `grad` gives fewer or more gradients than there are arguments.

    Examples
    --------
    >>> import similarflow as sf
    >>> @sf.custom_gradient
    ... def clipped(x):
    ...     return sf.identity(x), lambda dy: sf.minimum(dy, 1.0)
    >>> x = sf.constant(3.0)
    >>> sf.Session().run(sf.gradients(5.0 * clipped(x), x))
    [np.float32(1.0)]
    """
    called = getattr(f, "__name__", "the function")

    def build(*args: Any, **kwargs: Any) -> Any:
        xs = [convert_to_tensor(a) for a in args]
        made = f(*xs, **kwargs)
        if not (isinstance(made, tuple) and len(made) == 2 and callable(made[1])):
            raise TypeError(
                f"{called} returns its result and a function that gives the gradient: "
                f"(y, grad); it returned {made!r}"
            )
        result, grad = made
        single = not isinstance(result, list | tuple)
        ys = [convert_to_tensor(y) for y in ([result] if single else result)]
        variables = _variables_read(ys, xs)
        if variables and not _takes_variables(grad):
            raise TypeError(
                f"{called} reads the variables "
                f"{', '.join(v.op.name for v in variables)}, so its gradient function "
                "must take `variables` and return (gradients, gradients of the "
                "variables)"
            )

        def checked(given: Any, wanted: list[Any], what: str) -> list[Any]:
            found = list(given) if isinstance(given, list | tuple) else [given]
            if len(found) != len(wanted):
                raise ValueError(
                    f"the gradient function of {called} gave {len(found)} gradients "
                    f"for {what}, and there are {len(wanted)}: "
                    f"{', '.join(w.op.name for w in wanted)}. Give one for each, None "
                    "where no gradient flows"
                )
            return found

        def rule(*dys: Tensor) -> list[Any]:
            if not variables:
                return checked(grad(*dys), xs, "its arguments")
            given, of_variables = grad(*dys, variables=variables)
            return checked(given, xs, "its arguments") + checked(
                of_variables, variables, "the variables it reads"
            )

        outputs = _custom_gradient([*ys, *xs, *variables], count=len(ys), rule=rule)
        return outputs[0] if single else outputs

    build.__name__, build.__doc__ = called, f.__doc__
    return build


def _takes_variables(grad: Callable[..., Any]) -> bool:
    parameters = inspect.signature(grad).parameters
    kinds = [p.kind for p in parameters.values()]
    return "variables" in parameters or inspect.Parameter.VAR_KEYWORD in kinds


def _variables_read(ys: list[Tensor], xs: list[Tensor]) -> list[Any]:
    """The trainable variables between `xs` and `ys`."""
    order = traverse_postorder(ys, set(xs))
    found = [op.owner for op in order if source_kind(op) == "VariableV2"]
    return [v for v in found if v.trainable and v.as_tensor() not in xs]
