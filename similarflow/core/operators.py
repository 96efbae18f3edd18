"""``x * w + b``: what Python's operators build.

The operators look their builder up by name when they are called, so that this file
comes before every operation.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .graph import Tensor
    from .protocols import PythonProtocols

else:
    PythonProtocols = object

BUILDERS: dict[str, Callable[..., Any]] = {}
"""Functions that add an operation to the graph, by name; filled by ``@op``."""

_Binary = Callable[[Any, Any], "Tensor"]


def _pair(builder: str, name: str | None = None) -> tuple[_Binary, _Binary]:
    """An operator and its reflected form: ``x + 1`` and ``1 + x``."""

    def left(self: Any, other: Any) -> Any:
        own = getattr(other, "__array_ufunc__", 0) is None  # as NumPy: `other` does it
        return NotImplemented if own else BUILDERS[builder](self, other, name=name)

    def right(self: Any, other: Any) -> Tensor:
        result: Tensor = BUILDERS[builder](other, self, name=name)
        return result

    return left, right


def _single(builder: str) -> Callable[[Any], Tensor]:
    return lambda self: BUILDERS[builder](self)


class Operators(PythonProtocols):
    """The operators of everything that flows: tensors, variables, own operations.

    ``*`` is element by element and ``@`` the matrix product, as in NumPy.
    """

    __slots__ = ()

    __add__, __radd__ = _pair("add", "add")
    __sub__, __rsub__ = _pair("subtract", "sub")
    __mul__, __rmul__ = _pair("multiply", "mul")
    __truediv__, __rtruediv__ = _pair("truediv", "truediv")
    __floordiv__, __rfloordiv__ = _pair("floordiv", "floordiv")
    __mod__, __rmod__ = _pair("mod", "mod")
    __pow__, __rpow__ = _pair("pow", "pow")
    __matmul__, __rmatmul__ = _pair("matmul", "matmul")
    __and__, __rand__ = _pair("logical_and", "and")
    __or__, __ror__ = _pair("logical_or", "or")
    __xor__, __rxor__ = _pair("logical_xor", "xor")
    __lt__, __gt__ = _pair("less")[0], _pair("greater")[0]
    __le__, __ge__ = _pair("less_equal")[0], _pair("greater_equal")[0]
    __neg__, __abs__ = _single("negative"), _single("abs")
    __invert__ = _single("logical_not")

    def __getitem__(self, index: Any) -> Tensor:
        """A slice, as in NumPy: ints, slices, ``...``, None; tensors as ints."""
        result: Tensor = BUILDERS["slice_index"](self, index)
        return result
