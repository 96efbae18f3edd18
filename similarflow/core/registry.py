"""The operation registry: ``@op`` declares an operation in one place.

The decorated function is the kernel: arrays in, arrays out, nothing in place. `@op`
returns the builder, which takes the same arguments and adds the operation to the graph.
Arguments without a default are inputs, those with one are attributes (plain data).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from .graph import Constant, convert_to_tensor, graph_of, new_operation
from .infer import ELEMENTWISE
from .lazy import lazy
from .operators import BUILDERS
from .samples import Case

calls, casting = lazy(".calls", __package__), lazy(".casting", __package__)
messages = lazy(".messages", __package__)
Builder = Callable[..., Any]
DEFINITIONS: dict[str, Definition] = {}
KINDS = {
    "any": "biufcO", "number": "iufc", "real": "iuf", "float": "fc", "plain": "f",
    "bool": "b", "int": "iu", "ordered": "biuf", "addable": "iufcO", "value": "biufc",
}  # fmt: skip


@dataclass(slots=True, eq=False, kw_only=True)
class Definition:
    """All there is to know of an operation type."""

    type: str
    kernel: Callable[..., Any]
    infer: Callable[..., Any]  # (shape, dtype) of the result, or a list of them
    name: str = ""  # what the operations are called by default; else the type
    attrs: Any = ()  # those without a default; from then on all, with their defaults
    same: Sequence[str] | None = None  # inputs that share a dtype; None: all
    accepts: str = "number"  # what kind of dtype that may be
    elementwise: bool = False  # an element depends on those in its place alone
    broadcasts: bool = False  # gradients are summed back to the inputs' shapes
    writes: int = 0  # so many first inputs are variables, which the outputs replace
    reads: bool = True  # whether it also reads what it writes
    random: bool = False  # the kernel's first argument is a random generator
    asks: bool = False  # the first argument tells which variables have a value
    calls: bool = False  # it is a function that prepares a sub-graph to be run
    effects: bool = (
        False  # it does more than compute: prints, checks, asks the user's code
    )
    holomorphic: bool = True  # of complex numbers, with a rule as for real ones
    samples: Sequence[Case] = ()
    converters: Mapping[str, Callable[..., Any]] = field(default_factory=dict)
    aliases: Mapping[str, str] = field(default_factory=dict)  # older names of arguments
    inputs: tuple[str, ...] = ()  # this and the rest is read off the kernel
    order: tuple[str, ...] = ()  # of the arguments
    title: str = ""  # the name of the function that users call
    variadic: bool = False  # the builder takes one list, the kernel each of its items
    shares: tuple[bool, ...] = ()  # for each input, whether it shares the dtype

    def __post_init__(self) -> None:
        self.name, self.title = self.name or self.type, self.kernel.__name__
        self.elementwise = self.elementwise or self.infer in ELEMENTWISE
        self.holomorphic = self.holomorphic and not self.calls
        code, defaults = self.kernel.__code__, self.kernel.__defaults__ or ()
        count, keyword = code.co_argcount, code.co_kwonlyargcount
        names = code.co_varnames[:count]
        optional = dict(zip(names[count - len(defaults) :], defaults, strict=True))
        keywords = code.co_varnames[count : count + keyword]
        self.variadic = bool(code.co_flags & 0x04)  # the kernel takes *values
        if self.variadic:
            names, keywords = (code.co_varnames[count + keyword], *keywords), ()
        plain = (*self.attrs, *code.co_varnames[count : count + keyword])
        self.attrs = (
            dict.fromkeys(plain) | optional | (self.kernel.__kwdefaults__ or {})
        )
        own = self.random or self.asks
        self.order = (*names[own:], "name", *keywords)
        self.inputs = tuple(n for n in names[own:] if n not in self.attrs)
        self.shares = tuple(self.same is None or n in self.same for n in self.inputs)


def op(type: str, **declared: Any) -> Callable[[Callable[..., Any]], Builder]:
    """Declare an operation; the fields of `Definition` say what can be declared."""

    def declare(kernel: Callable[..., Any]) -> Builder:
        definition = DEFINITIONS[type] = Definition(
            type=type, kernel=kernel, **declared
        )
        converted = set(definition.converters)
        plain = (
            definition.attrs.keys() - converted
        )  # attributes to be taken as they are
        simple = not definition.variadic and converted.isdisjoint(definition.inputs)
        count = len(definition.inputs)

        def build(*args: Any, name: str | None = None, **given: Any) -> Any:
            try:
                if simple and len(args) == count and given.keys() <= plain:
                    return make(definition, args, {**definition.attrs, **given}, name)
                return make(definition, *calls.bind(definition, args, given, name))
            except (TypeError, ValueError) as error:
                messages.add_place(error, definition.title)
                raise

        build.__name__ = build.__qualname__ = kernel.__name__
        build.__module__, build.__doc__ = kernel.__module__, kernel.__doc__
        vars(build)["__wrapped__"] = kernel  # whose arguments are shown
        vars(build)["definition"] = definition
        BUILDERS[kernel.__name__] = build
        return build

    return declare


def make(
    definition: Definition, args: Sequence[Any], attrs: dict[str, Any], name: str | None
) -> Any:
    """Add an operation to the graph; gives its output, a list of several, or itself."""
    graph = graph_of(args)
    name = graph.unique_name(definition.name if name in (None, "") else name)
    inputs = _as_tensors(definition, args, name)
    try:
        specs = definition.infer(*inputs, **attrs)
    except (ValueError, TypeError) as error:
        raise messages.at_build(error, definition, name, inputs) from None
    op = new_operation(definition.type, name, graph, inputs, **attrs)
    op.definition = definition
    op.set_outputs(specs if isinstance(specs, list) else (specs,))
    if isinstance(specs, list):
        return list(op.outputs) if specs else op
    return op.outputs[0]


def _as_tensors(definition: Definition, args: Sequence[Any], name: str) -> list[Any]:
    """The inputs: numbers and arrays take the dtype of a tensor beside them."""
    tensors: list[Any] = [
        a.as_tensor() if hasattr(a, "as_tensor") else None for a in args
    ]
    labels, same = definition.inputs, definition.shares
    same = same * len(args) if definition.variadic else same
    beside = [t for t, s in zip(tensors, same, strict=True) if s and t is not None]
    dtype = next((t.static_dtype for t in beside if t.static_dtype is not None), None)
    if definition.variadic and args and not beside and all(same):
        dtype = casting.common_dtype(args)
    for i, value in enumerate(args):
        if tensors[i] is None:
            label = f"{labels[0]}_{i}" if definition.variadic else labels[i]
            label, graph = f"{name}/{label}/", graph_of(args)
            if same[i] and beside and dtype is None and isinstance(value, int | float):
                tensors[i] = Constant(value, name=label, graph=graph, weak=True)
            else:
                wanted = dtype if same[i] else None
                tensors[i] = convert_to_tensor(value, wanted, label, graph)
        given = tensors[i].static_dtype
        if same[i] and given is not None:
            dtype = dtype or given
            if given != dtype or given.kind not in KINDS[definition.accepts]:
                raise TypeError(
                    messages.wrong_dtype(definition, name, tensors, i, dtype)
                )
    return tensors
