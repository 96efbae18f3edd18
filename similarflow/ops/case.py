"""``case`` and ``switch_case``: one of several branches."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ..core.convert import Array
from ..core.graph import graph_of
from ..core.registry import op
from ..core.rules import NotDifferentiable
from ..core.samples import case as case_of
from .composite import composite
from .cond import as_scalar, choose_branch


@composite
def case(
    pred_fn_pairs: Any, default: Any = None, exclusive: bool = False,
    strict: bool = False, name: str = "case",
) -> Any:  # fmt: skip
    """What the function behind the first true condition returns.

    Parameters
    ----------
    pred_fn_pairs : list of (tensor of bool, function), or dict
        A dict's order counts too, unless `exclusive`.
    default : function, optional
        Taken if no condition is true; without it, that is an error.
    exclusive : bool
        Whether two true conditions are an error.
    strict : bool
        As in `cond`.

    Raises
    ------
    TypeError
        A pair is none, or a function is not callable.
    InvalidArgumentError
        When run: no condition is true, or several are and `exclusive` is set.

    Examples
    --------
    >>> import similarflow as sf
    >>> x = sf.Placeholder(sf.float32)
    >>> y = sf.case([(x < 0.0, lambda: -x), (x > 9.0, lambda: x * 0.0 + 9.0)],
    ...             default=lambda: x)
    >>> [float(sf.Session().run(y, {x: value})) for value in (-2.0, 20.0, 5.0)]
    [2.0, 9.0, 5.0]
    """
    if isinstance(pred_fn_pairs, Mapping):
        pred_fn_pairs = list(pred_fn_pairs.items())
    if not isinstance(pred_fn_pairs, list | tuple):
        raise TypeError(f"pred_fn_pairs is a list or a dict, not {pred_fn_pairs!r:.80}")
    for pair in pred_fn_pairs:
        if not isinstance(pair, list | tuple) or len(pair) != 2:
            raise TypeError(f"each entry is a pair (condition, function), not {pair!r}")
        if not callable(pair[1]):
            raise TypeError(f"the function for {pair[0]!r} must be callable")
    if default is not None and not callable(default):
        raise TypeError(f"default must be callable, and {default!r:.80} is not")
    if not pred_fn_pairs:
        if default is None:
            raise ValueError("case needs a pair (condition, function), or a default")
        return default()
    wanted = "bool. Compare: x > 0"
    preds = [as_scalar(pred, "b", "a condition", wanted) for pred, _ in pred_fn_pairs]
    functions = [(fn, f"function {i}") for i, (_, fn) in enumerate(pred_fn_pairs)]
    if default is not None:
        functions.append((default, "default"))
    graph = graph_of(preds)
    with graph.name_scope(name or "case"):
        index = _first_true(preds, exclusive=exclusive, default=default is not None)
        return choose_branch("Case", "branch", None, index, functions, strict)


@op(
    "FirstTrue", infer=lambda *preds, **attrs: ((), np.dtype(np.int32)), accepts="bool",
    attrs=["exclusive", "default"],
    samples=[
        case_of([False, True, True], exclusive=False, default=False),
        case_of([False, False], exclusive=True, default=True),
    ],
)  # fmt: skip
def _first_true(*preds: Array, exclusive: Any, default: Any) -> Any:
    """The place of the first condition that is true."""
    true = [i for i, pred in enumerate(preds) if np.asarray(pred).item()]
    if exclusive and len(true) > 1:
        raise ValueError(
            f"the conditions {true} are true, and exclusive=True allows only one"
        )
    if not true and not default:
        raise ValueError("no condition is true, and there is no default")
    return np.int32(true[0] if true else len(preds))


NotDifferentiable("FirstTrue")


@composite
def switch_case(
    branch_index: Any, branch_fns: Any, default: Any = None, name: str = "switch_case"
) -> Any:
    """What the function with the number `branch_index` returns.

    Parameters
    ----------
    branch_index : tensor of int32
        A scalar. Without a function of that number, `default` is taken.
    branch_fns : list of functions, or dict (or pairs) from numbers to functions
    default : function, optional
        The function with the largest number, if it is not given.

    Examples
    --------
    >>> import similarflow as sf
    >>> i = sf.Placeholder(sf.int32, [])
    >>> y = sf.switch_case(i, [lambda: sf.constant(10), lambda: sf.constant(20)])
    >>> [int(sf.Session().run(y, {i: k})) for k in (0, 1, 7)]
    [10, 20, 20]
    """
    if isinstance(branch_fns, Mapping):
        branch_fns = list(branch_fns.items())
    pairs = [
        (f[0], f[1]) if isinstance(f, list | tuple) else (i, f)
        for i, f in enumerate(branch_fns)
    ]
    pairs.sort(key=lambda pair: pair[0])
    functions = [(f, f"function {i}") for i, f in pairs]
    if default is not None:
        functions.append((default, "default"))
    numbers = [i for i, _ in pairs]
    if not pairs or numbers != list(range(len(pairs))):
        raise ValueError(
            f"the functions must have the numbers 0, 1, 2, ..., and have {numbers}"
        )
    for f, what in functions:
        if not callable(f):
            raise TypeError(f"{what} must be callable, and {f!r:.80} is not")
    index = as_scalar(branch_index, "iu", "branch_index", "an integer")
    with graph_of([index]).name_scope(name):
        return choose_branch("Case", "branch", None, index, functions, False, last=True)
