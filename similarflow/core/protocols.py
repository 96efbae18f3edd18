"""What Python and NumPy try on a tensor.

NumPy's functions build the graph: ``np.tanh(x)`` is ``sf.tanh(x)``. What needs a number
now (``float(x)``, ``if x:``) raises and says what to do instead.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NoReturn

import numpy as np

from .graph import convert_to_tensor
from .operators import BUILDERS

UFUNCS = {
    "absolute": "abs", "add": "add", "bitwise_and": "logical_and",
    "bitwise_or": "logical_or", "bitwise_xor": "logical_xor", "divide": "truediv",
    "equal": "equal", "exp": "exp", "expm1": "expm1", "floor_divide": "floordiv",
    "greater": "greater", "greater_equal": "greater_equal", "invert": "logical_not",
    "less": "less", "less_equal": "less_equal", "log": "log", "log1p": "log1p",
    "logical_and": "logical_and", "logical_not": "logical_not",
    "logical_or": "logical_or", "logical_xor": "logical_xor", "matmul": "matmul",
    "maximum": "maximum", "minimum": "minimum", "multiply": "multiply",
    "negative": "negative", "not_equal": "not_equal", "power": "pow",
    "remainder": "mod", "sign": "sign", "sqrt": "sqrt", "square": "square",
    "subtract": "subtract", "tanh": "tanh",
    "arccos": "acos", "arccosh": "acosh", "arcsin": "asin", "arcsinh": "asinh",
    "arctan": "atan", "arctan2": "atan2", "arctanh": "atanh", "ceil": "ceil",
    "cos": "cos", "cosh": "cosh", "floor": "floor", "isfinite": "is_finite",
    "isinf": "is_inf", "isnan": "is_nan", "reciprocal": "reciprocal", "rint": "rint",
    "sin": "sin", "sinh": "sinh", "tan": "tan",
}  # fmt: skip
"""NumPy's element-by-element functions, and the builders that mean the same."""
OPERATORS = {
    "bitwise_and": "and", "bitwise_or": "or", "bitwise_xor": "xor",
    "add": "add", "divide": "truediv", "floor_divide": "floordiv", "matmul": "matmul",
    "multiply": "mul", "power": "pow", "remainder": "mod", "subtract": "sub",
}  # fmt: skip
"""What ``array + x`` calls, and the names that TensorFlow gives the operations."""


def _reduction(builder: str, widen: bool = False) -> Callable[..., Any]:
    def reduce(a: Any, axis: Any = None, *, keepdims: bool = False) -> Any:
        a = convert_to_tensor(a)
        kind = "" if a.static_dtype is None else a.static_dtype.kind
        if widen and kind in {"b", "i", "u"}:  # as NumPy, which then cannot overflow
            a = BUILDERS["cast"](a, np.uint64 if kind == "u" else np.int64)
        return BUILDERS[builder](a, axis=axis, keepdims=keepdims)

    return reduce


def _where(condition: Any, x: Any, y: Any) -> Any:
    """NumPy's rule: a vector as condition goes along the last axis."""
    condition = convert_to_tensor(condition)
    if condition.static_shape is not None and len(condition.static_shape) == 1:
        condition = BUILDERS["expand_dims"](condition, 0)
    return BUILDERS["where"](condition, x, y)


FUNCTIONS: dict[str, Callable[..., Any]] = {
    "amax": _reduction("reduce_max"),
    "amin": _reduction("reduce_min"),
    "argmax": lambda a, axis: BUILDERS["argmax"](a, axis=axis),
    "argmin": lambda a, axis: BUILDERS["argmin"](a, axis=axis),
    "concatenate": lambda arrays, axis=0: BUILDERS["concat"](list(arrays), axis),
    "expand_dims": lambda a, axis: BUILDERS["expand_dims"](a, axis),
    "max": _reduction("reduce_max"),
    "min": _reduction("reduce_min"),
    "ones_like": lambda a: BUILDERS["ones_like"](a),
    "prod": _reduction("reduce_prod", widen=True),
    "reshape": lambda a, shape: BUILDERS["reshape"](a, shape),
    "squeeze": lambda a, axis=None: BUILDERS["squeeze"](a, axis),
    "stack": lambda arrays, axis=0: BUILDERS["stack"](list(arrays), axis),
    "sum": _reduction("reduce_sum", widen=True),
    "transpose": lambda a, axes=None: BUILDERS["transpose"](a, axes),
    "where": lambda condition, x, y: _where(condition, x, y),
    "zeros_like": lambda a: BUILDERS["zeros_like"](a),
}
"""NumPy's other functions that have the same meaning here."""


class PythonProtocols:
    """Special methods of everything that flows."""

    __slots__ = ()

    def __copy__(self) -> Any:
        return self  # a node of a graph is that node

    def __deepcopy__(self, memo: Any) -> NoReturn:
        _no_copy(self)

    def __reduce_ex__(self, protocol: Any) -> NoReturn:
        _no_copy(self)

    def __format__(self, spec: str) -> str:
        if spec:
            _no_number(self, f"the format {spec!r}", "f'{sess.run(x):.3f}'")
        return str(self)

    def __round__(self, digits: Any = None) -> NoReturn:
        _no_number(self, "round()")

    def __setitem__(self, index: Any, value: Any) -> NoReturn:
        raise TypeError(
            f"{self!r} cannot be changed in place: a tensor is symbolic. Write "
            "sess.run(v.assign(...)) for a variable v, or make another with sf.where"
        )

    def __array_ufunc__(
        self, ufunc: Any, method: str, *args: Any, **kwargs: Any
    ) -> Any:
        if method == "__call__" and not kwargs:
            if ufunc is np.equal or ufunc is np.not_equal:  # by identity, as `==`
                return (args[0] is args[1]) == (ufunc is np.equal)
            if ufunc.__name__ in UFUNCS:
                name = OPERATORS.get(ufunc.__name__)
                return BUILDERS[UFUNCS[ufunc.__name__]](*args, name=name)
        how = ufunc.__name__ if method == "__call__" else f"{ufunc.__name__}.{method}"
        _no_number(
            self, f"np.{how}({', '.join(kwargs)}{'=' * bool(kwargs)})", _sf(ufunc)
        )

    def __array_function__(
        self, function: Any, types: Any, args: Any, kwargs: Any
    ) -> Any:
        build = FUNCTIONS.get(function.__name__)
        if build is not None:
            try:
                return build(*args, **kwargs)
            except TypeError as error:
                if "unexpected keyword" not in str(error) and "positional" not in str(
                    error
                ):
                    raise
        _no_number(self, f"np.{function.__name__} with these arguments", _sf(function))

    def __array__(self, *args: Any, **kwargs: Any) -> NoReturn:
        _no_number(self, "a NumPy array of it")

    def __float__(self) -> NoReturn:
        _no_number(self, "float()")

    def __int__(self) -> NoReturn:
        _no_number(self, "int()")

    def __index__(self) -> NoReturn:
        _no_number(self, "an index or range()")

    def __complex__(self) -> NoReturn:
        _no_number(self, "complex()")

    def __bool__(self) -> NoReturn:
        _no_number(
            self,
            "`if`, `while`, `and`, `or`, `not`",
            "sf.where to choose between values",
        )

    def __len__(self) -> NoReturn:
        _no_number(self, "len()", "x.shape[0], or sf.shape(x)[0] if it is unknown")

    def __iter__(self) -> Iterator[Any]:
        _no_number(
            self, "iteration and unpacking", "x[i], or sf.unstack(x) for all parts"
        )

    def __contains__(self, item: Any) -> NoReturn:
        _no_number(self, "`in`", "sf.reduce_any(sf.equal(x, item))")


def _sf(function: Any) -> str:
    return f"the function of sf that does what np.{function.__name__} does"


def _no_copy(node: Any) -> NoReturn:
    raise TypeError(
        f"{node!r} belongs to its graph and cannot be copied or pickled. Build it "
        "again, and save the values of variables"
    )


def _no_number(node: Any, use: str, instead: str = "") -> NoReturn:
    instead = f", or use {instead}" if instead else ""
    raise TypeError(
        f"{use} needs a number, and {node!r} has none before it is run: a tensor is "
        f"symbolic. Use sess.run(x) (or x.eval()) to get its value{instead}"
    )
