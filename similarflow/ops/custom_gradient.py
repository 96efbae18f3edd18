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


@op("CustomGradient", infer=_infer, same=(), accepts="any")
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
        `f` reads trainable variables, and its `grad` does not take `variables`.

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

    def build(*args: Any, **kwargs: Any) -> Any:
        xs = [convert_to_tensor(a) for a in args]
        result, grad = f(*xs, **kwargs)
        single = not isinstance(result, list | tuple)
        ys = [convert_to_tensor(y) for y in ([result] if single else result)]
        variables = _variables_read(ys, xs)
        if variables and not _takes_variables(grad):
            raise TypeError(
                f"{getattr(f, '__name__', 'the function')} reads the variables "
                f"{', '.join(v.op.name for v in variables)}, so its gradient function "
                "must "
                "take `variables` and return (gradients, gradients of the variables)"
            )

        def rule(*dys: Tensor) -> list[Any]:
            if not variables:
                given = grad(*dys)
                return list(given) if isinstance(given, list | tuple) else [given]
            given, of_variables = grad(*dys, variables=variables)
            given = list(given) if isinstance(given, list | tuple) else [given]
            return given + list(of_variables)

        outputs = _custom_gradient([*ys, *xs, *variables], count=len(ys), rule=rule)
        return outputs[0] if single else outputs

    build.__name__, build.__doc__ = getattr(f, "__name__", "build"), f.__doc__
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
