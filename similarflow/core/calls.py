"""How a call's arguments become inputs, attributes and a name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .registry import Definition


def bind(
    definition: Definition,
    args: tuple[Any, ...],
    given: dict[str, Any],
    name: str | None,
) -> tuple[tuple[Any, ...], dict[str, Any], str | None]:
    """Sort arguments into inputs, attributes and the name, and normalise them.

    Raises
    ------
    TypeError
        An argument is unknown, missing or given twice.
    """
    order, builder = definition.order, definition.title
    if len(args) > len(order):
        raise TypeError(
            f"{builder}() takes {len(order)} arguments, {len(args)} were given"
        )
    values = dict(zip(order, args, strict=False))
    for key, value in given.items():
        key = definition.aliases.get(key, key)
        if key not in order:
            raise TypeError(
                f"{builder}() has no argument {key!r}, it has {', '.join(order)}"
            )
        if values.get(key) is not None:
            raise TypeError(f"{builder}() got the argument {key!r} twice")
        values[key] = value
    if name is not None and values.get("name") is not None:
        raise TypeError(f"{builder}() got the argument 'name' twice")
    name = values.pop("name", name)
    if name is not None and not isinstance(name, str):
        takes = ", ".join(definition.inputs)
        raise TypeError(
            f"{builder}() takes {takes}; the name that was given is no text: {name!r}"
        )
    missing = [key for key in definition.inputs if key not in values]
    if missing:
        raise TypeError(f"{builder}() needs the argument {missing[0]!r}")
    for key, convert in definition.converters.items():
        if key in values:
            values[key] = convert(values[key], values[order[0]])
    inputs = tuple(values.pop(key) for key in definition.inputs)
    if definition.variadic and isinstance(inputs[0], list | tuple | range):
        inputs = tuple(inputs[0])
    return inputs, {**definition.attrs, **values}, name
