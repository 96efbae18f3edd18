"""The gradient registry: for each operation type, the rule that differentiates it.

A rule ``rule(op, grad)`` gets the operation and the gradient of its output, and
returns the gradients of its inputs: tensors, so that they can be differentiated again.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

from .graph import OWN_TYPES, Operation
from .lazy import lazy
from .operators import BUILDERS
from .registry import DEFINITIONS

messages, on_values = lazy(".messages", __package__), lazy(".on_values", __package__)
Rule = Callable[..., Any]
_rules: dict[str, Rule | None] = {}
gradient_registry: Mapping[str, Rule | None] = MappingProxyType(_rules)
"""The rules by operation type, to look at; None where no gradient flows."""


def _key(of: Any) -> str:
    """The type that a class, a type's name or a builder's name means."""
    if isinstance(of, str):
        if of in OWN_TYPES or of in DEFINITIONS or of not in BUILDERS:
            return of
        of = BUILDERS[of]
    of = getattr(of, "own", of)  # the class behind an `@operation`
    if isinstance(of, type) and issubclass(of, Operation):
        return own_key(of.__name__)
    if not hasattr(of, "definition"):
        raise TypeError(messages.no_type(of))
    return of.definition.type  # type: ignore[no-any-return]


def own_key(type: str) -> str:
    """The rule's key for an own operation, which may be called as a built-in one."""
    return f"own {type}" if type in DEFINITIONS else type


class RegisterGradient:
    """Decorator: the function is the gradient rule of an operation type.

    Parameters
    ----------
    op_type : class, or str
        An own operation's class, a type ("MatMul", "cube") or a builder's name. A name
        that is none of them is a rule for `Graph.gradient_override_map`.
    on_values : bool
        The rule takes arrays (``op.inputs``, ``op.output``, ``grad``) and returns
        arrays. It cannot be differentiated again.

    Raises
    ------
    KeyError
        The type is built in and has its rule.
    """

    def __init__(self, op_type: Any, on_values: bool = False) -> None:
        self.key, self.on_values = _key(op_type), on_values
        if self.key in DEFINITIONS and self.key in _rules:
            raise KeyError(messages.has_rule(self.key))

    def __call__(self, rule: Rule) -> Rule:
        """Register `rule`."""
        _rules[self.key] = on_values.on_tensors(rule) if self.on_values else rule
        return rule


def NotDifferentiable(op_type: Any) -> None:
    """Say on purpose that no gradient flows through an operation type."""
    key = _key(op_type)
    if key in DEFINITIONS and key in _rules:
        raise KeyError(messages.has_rule(key))
    _rules[key] = None
