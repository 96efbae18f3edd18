"""Nested lists, tuples, named tuples and dicts of tensors: taken apart and rebuilt."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any


def is_nested(value: Any) -> bool:
    """Whether it is a list, tuple or dict, and no leaf."""
    return isinstance(value, list | tuple | Mapping)


def leaves(structure: Any) -> list[Any]:
    """What is in it, in order; dicts go by their sorted keys."""
    if not is_nested(structure):
        return [structure]
    return [leaf for part in _parts(structure) for leaf in leaves(part)]


def rebuild(structure: Any, values: Sequence[Any]) -> Any:
    """The same structure with `values` in place of its leaves."""
    ahead = iter(values)
    return map_leaves(lambda _: next(ahead), structure)


def map_leaves(function: Callable[..., Any], structure: Any, *others: Any) -> Any:
    """The structure of what `function` gives for each leaf (and those of `others`)."""
    if not is_nested(structure):
        return function(structure, *others)
    columns = zip(_parts(structure), *(_parts(o) for o in others), strict=True)
    return _like(structure, [map_leaves(function, *parts) for parts in columns])


def check_same(first: Any, second: Any, what: str) -> None:
    """Raise unless both have the same structure.

    Raises
    ------
    ValueError
        Another number of parts, or a part where a leaf is expected.
    TypeError
        A list where a tuple is expected, and the like.
    """
    if is_nested(first) != is_nested(second):
        raise ValueError(_differ(first, second, what))
    if not is_nested(first):
        return
    sequences = isinstance(first, Mapping) is isinstance(second, Mapping)
    if not sequences or type(first) is not type(second):
        raise TypeError(_differ(first, second, what))
    keys = [set(x) if isinstance(x, Mapping) else len(x) for x in (first, second)]
    if keys[0] != keys[1]:
        raise ValueError(_differ(first, second, what))
    for x, y in zip(_parts(first), _parts(second), strict=True):
        check_same(x, y, what)


def _differ(first: Any, second: Any, what: str) -> str:
    shown = f"{show(first)}, {show(second)}"
    return f"{what} differ in structure: {shown}. Return the same structure"


def show(structure: Any) -> str:
    """A structure as text, without its values: "[value, (value, value)]"."""
    if isinstance(structure, Mapping):
        inside = ", ".join(f"{k!r}: {show(structure[k])}" for k in structure)
        return f"{{{inside}}}"
    if isinstance(structure, list):
        return f"[{', '.join(map(show, structure))}]"
    if isinstance(structure, tuple):
        inside = ", ".join(map(show, structure))
        return f"({inside}{',' * (len(structure) == 1)})"
    return "value"


def _parts(structure: Any) -> Iterator[Any]:
    if isinstance(structure, Mapping):
        return iter([structure[key] for key in _keys(structure)])
    return iter(structure)


def _keys(mapping: Mapping[Any, Any]) -> list[Any]:
    try:
        return sorted(mapping)
    except TypeError:  # keys of several kinds keep their order
        return list(mapping)


def _like(structure: Any, parts: list[Any]) -> Any:
    if isinstance(structure, Mapping):
        found = dict(zip(_keys(structure), parts, strict=True))
        in_order = {key: found[key] for key in structure}
        return in_order if type(structure) is dict else type(structure)(in_order)  # type: ignore[call-arg]
    if hasattr(structure, "_make"):
        return structure._make(parts)
    return type(structure)(parts)
