"""What a tensor tells before it has a value: shape, dtype, and who uses it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .casting import dtype_name
from .convert import as_dims
from .dtypes import DType, dtype_of
from .graph import Dims, Operation, sessions
from .operators import BUILDERS
from .shapes import TensorShape

if TYPE_CHECKING:
    from .graph import Tensor


class Flowing:
    """What tensors and variables have in common."""

    __slots__ = ()
    if TYPE_CHECKING:

        def as_tensor(self) -> Tensor:
            """The tensor that it is or stands for."""
            raise NotImplementedError

    @property
    def dtype(self) -> DType:
        """The dtype; None for an untyped tensor, whose dtype the run decides."""
        return dtype_of(self.as_tensor().static_dtype)  # type: ignore[return-value]

    @property
    def shape(self) -> TensorShape:
        """The static shape: what is known of the shape before a run."""
        return TensorShape.from_dims(self.as_tensor().static_shape)

    def get_shape(self) -> TensorShape:
        """The static shape, as the property `shape`."""
        return self.shape

    def set_shape(self, shape: Any) -> None:
        """Add to what is known of the shape.

        Raises
        ------
        ValueError
            `shape` contradicts what is known already.
        """
        tensor = self.as_tensor()
        merged = self.shape.merge_with(TensorShape.from_dims(as_dims(shape)))
        dims: Dims = None if merged.dims is None else tuple(merged.as_list())
        tensor.static_shape = dims

    @property
    def ndim(self) -> int | None:
        """The number of dimensions; None while it is unknown."""
        dims = self.as_tensor().static_shape
        return None if dims is None else len(dims)

    @property
    def T(self) -> Tensor:
        """The transpose: the axes in reverse order."""
        result: Tensor = BUILDERS["transpose"](self)
        return result

    def eval(self, feed_dict: Any = None, session: Any = None) -> Any:
        """The value, in `session` or the default session.

        Raises
        ------
        ValueError
            There is no default session.
        """
        return default_session(session, "eval").run(self, feed_dict)


class TensorMethods(Flowing):
    """Further methods of `Tensor`."""

    __slots__ = ()
    if TYPE_CHECKING:
        op: Operation
        uses: list[Operation]
        static_shape: Dims
        static_dtype: Any

        @property
        def name(self) -> str:
            """See `Tensor`."""
            raise NotImplementedError

    def consumers(self) -> list[Operation]:
        """The operations that take this tensor, once for each time that they do."""
        return list(self.uses)

    def __repr__(self) -> str:
        dims = self.static_shape
        shape = "<unknown>" if dims is None else str(dims).replace("None", "?")
        dtype = dtype_name(self.static_dtype)
        return f"<{type(self).__name__} '{self.name}' shape={shape} dtype={dtype}>"

    @property
    def device(self) -> str:
        """The device asked for when it was made; recorded, without effect."""
        return self.op.device


def default_session(session: Any, method: str) -> Any:
    """`session`, or the default one."""
    session = session or sessions.top()
    if session is None:
        raise ValueError(
            f"no session to {method} in. Call it inside `with sf.Session():`, pass "
            f"{method}(session=sess), or start with sf.InteractiveSession()"
        )
    return session
