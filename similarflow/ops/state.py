"""Writing variables: assign, add to, subtract from, all of one or some rows of it.

Each gives the new value. A kernel never writes into the old one: it makes a new array,
so that a run that fails has changed nothing.
"""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np

from ..core.convert import Array, as_array
from ..core.graph import Operation, Spec, Tensor, source_kind
from ..core.infer import same_as_input
from ..core.registry import DEFINITIONS, op
from ..core.rules import NotDifferentiable
from .fronts import front_of
from .gather import add_rows, check_index_type, check_indices
from .known import merge_dims, show


def as_reference(ref: Any, x: Any = None) -> Tensor:
    """The variable's tensor; raises TypeError unless `ref` can be written."""
    tensor = ref.as_tensor() if hasattr(ref, "as_tensor") else ref
    if isinstance(tensor, Tensor):
        made_by: Operation = tensor.op
        writes = 0 if made_by.definition is None else made_by.definition.writes
        if source_kind(made_by) == "VariableV2" or tensor.value_index < writes:
            return tensor
    raise TypeError(
        f"only a variable can be assigned to, and {ref!r:.100} is none. Pass the "
        "variable itself: sf.assign(w, w * 2.0)"
    )


def _new_dims(ref: Tensor, value: Tensor) -> Any:
    try:
        return merge_dims(ref.static_shape, value.static_shape)
    except ValueError:
        raise ValueError(
            f"the variable has shape {show(ref.static_shape)}, and the value has shape "
            f"{show(value.static_shape)}"
        ) from None


def _infer_assign(
    ref: Tensor, value: Tensor, validate_shape: Any = None, **attrs: Any
) -> Spec:
    if validate_shape is False:
        return value.static_shape, ref.static_dtype
    return _new_dims(ref, value), ref.static_dtype


@op(
    "Assign", infer=_infer_assign, accepts="any", writes=1, reads=False,
    converters={"ref": as_reference},
)  # fmt: skip
def assign_value(
    ref: Array, value: Array, validate_shape: Any = None, use_locking: Any = None,
    *, initializer: bool = False, dtype: Any = None,
) -> Array:  # fmt: skip
    """A copy of `value`, of the variable's dtype; see `assign`."""
    return np.array(as_array(value, dtype))


NotDifferentiable("Assign")


@front_of(assign_value)
def assign(
    ref: Any, value: Any, validate_shape: bool | None = None,
    use_locking: bool | None = None, name: str | None = None,
    *, initializer: bool = False,
) -> Tensor:  # fmt: skip
    """Replace the value of a variable, when run.

    Parameters
    ----------
    ref : variable
        Or the result of another assignment, which then comes first.
    value : tensor
        Of the variable's dtype, and of its shape.
    validate_shape : bool
        False takes a value of any shape, which the variable has from then on. What
        was known of its shape when the graph was built is not.
    initializer : bool
        The value is the initial one: from now on the variable is initialised.

    Returns
    -------
    tensor
        The new value.

    Raises
    ------
    TypeError
        `ref` is no variable, or the dtypes differ.
    ValueError
        The shapes differ.

    Examples
    --------
    >>> import similarflow as sf
    >>> w = sf.Variable([1.0, 2.0])
    >>> double = sf.assign(w, w * 2.0)
    >>> sess = sf.Session()
    >>> sess.run(double), sess.run(double)
    (array([2., 4.], dtype=float32), array([4., 8.], dtype=float32))
    """
    tensor = as_reference(ref)
    new = assign_value(
        tensor, value, validate_shape, use_locking, name,
        initializer=initializer, dtype=tensor.static_dtype,
    )  # fmt: skip
    return new  # type: ignore[no-any-return]


def _infer_update(ref: Tensor, value: Tensor, use_locking: Any = None) -> Spec:
    return _new_dims(ref, value), ref.static_dtype


def _check_update(ref: Array, value: Array) -> None:
    if np.shape(ref) != np.shape(value):
        raise ValueError(
            f"the variable has shape {np.shape(ref)}, and the value has shape "
            f"{np.shape(value)}"
        )


@op(
    "AssignAdd", infer=_infer_update, accepts="addable", writes=1,
    converters={"ref": as_reference},
)  # fmt: skip
def assign_add(ref: Array, value: Array, use_locking: Any = None) -> Array:
    """Add to a variable, when run; gives the new value.

    Parameters
    ----------
    ref : variable
    value : tensor
        Of the variable's dtype and shape.

    Raises
    ------
    TypeError
        `ref` is no variable, or the dtypes differ.
    ValueError
        The shapes differ.
    """
    _check_update(ref, value)
    return as_array(ref + value, np.result_type(ref))


NotDifferentiable("AssignAdd")


@op(
    "AssignSub", infer=_infer_update, writes=1, converters={"ref": as_reference}
)  # fmt: skip
def assign_sub(ref: Array, value: Array, use_locking: Any = None) -> Array:
    """Subtract from a variable, when run; gives the new value. See `assign_add`."""
    _check_update(ref, value)
    return as_array(ref - value, np.result_type(ref))


NotDifferentiable("AssignSub")


# Some rows


def _infer_scatter(
    ref: Tensor, indices: Tensor, updates: Tensor, use_locking: Any = None
) -> Spec:
    check_index_type(indices)
    dims, places, rows = (t.static_shape for t in (ref, indices, updates))
    if dims == ():
        raise ValueError("the variable is a scalar, and has no rows")
    if dims is not None and places is not None and rows not in (None, ()):
        try:
            merge_dims((*places, *dims[1:]), rows)
        except ValueError:
            raise ValueError(_misfit(places, dims, rows)) from None
    return same_as_input(ref)


def _misfit(places: Any, dims: Any, rows: Any) -> str:
    return (
        f"updates have shape {show(rows)}; {show(places)} indices into a variable of "
        f"shape {show(dims)} take shape {show((*places, *dims[1:]))}, or one number"
    )


def _rows(ref: Array, indices: Array, updates: Array) -> tuple[Array, Array]:
    """Numbers of rows, and the rows as a matrix, both checked."""
    dims = np.shape(ref)
    places = check_indices(indices, dims[0])
    updates = as_array(updates, np.result_type(ref))
    if np.shape(updates) not in ((), (*places.shape, *dims[1:])):
        raise ValueError(_misfit(places.shape, dims, np.shape(updates)))
    spread = np.broadcast_to(updates, (*places.shape, *dims[1:]))
    return places.ravel(), spread.reshape(places.size, prod(dims[1:]))


def _with_rows_added(ref: Array, indices: Array, updates: Array) -> Array:
    places, rows = _rows(ref, indices, updates)
    new = np.array(ref, order="C")
    add_rows(new.reshape(new.shape[0], rows.shape[1]), places, rows)
    return new


SCATTER: dict[str, Any] = {
    "infer": _infer_scatter,
    "same": ["ref", "updates"],
    "converters": {"ref": as_reference},
    "writes": 1,
}


@op("ScatterAdd", **SCATTER)
def scatter_add(
    ref: Array, indices: Array, updates: Array, use_locking: Any = False
) -> Array:
    """Add to some rows of a variable, when run; gives the new value of all of it.

    Parameters
    ----------
    ref : variable
    indices : tensor of ints
        The rows. One that occurs twice is added to twice.
    updates : tensor
        What to add to each; or one number.

    Raises
    ------
    ValueError
        An index is not in ``[0, rows)``, or the shapes do not fit.

    Examples
    --------
    >>> import similarflow as sf
    >>> w = sf.Variable([1.0, 2.0, 3.0])
    >>> sf.Session().run(sf.scatter_add(w, [0, 0, 2], [10.0, 20.0, 30.0]))
    array([31.,  2., 33.], dtype=float32)
    """
    return _with_rows_added(ref, indices, updates)


NotDifferentiable("ScatterAdd")


@op("ScatterSub", **SCATTER)
def scatter_sub(
    ref: Array, indices: Array, updates: Array, use_locking: Any = False
) -> Array:
    """Subtract from some rows of a variable, when run; see `scatter_add`."""
    return _with_rows_added(ref, indices, np.negative(updates))


NotDifferentiable("ScatterSub")


@op("ScatterUpdate", **{**SCATTER, "accepts": "any"})
def scatter_update(
    ref: Array, indices: Array, updates: Array, use_locking: Any = True
) -> Array:
    """Replace some rows of a variable, when run; see `scatter_add`.

    Of two updates of one row, the last counts.
    """
    places, rows = _rows(ref, indices, updates)
    new = np.array(ref, order="C")
    new.reshape(new.shape[0], rows.shape[1])[places] = rows
    return new


NotDifferentiable("ScatterUpdate")


# Some rows, with other rules than adding


def _with_rows(combine: Any, ref: Array, indices: Array, updates: Array) -> Array:
    """Rows combined with updates one after the other, as often as they are named."""
    places, rows = _rows(ref, indices, updates)
    new = np.array(ref, order="C")
    combine(new.reshape(new.shape[0], rows.shape[1]), places, rows)
    return new


@op("ScatterMul", **SCATTER)
def scatter_mul(
    ref: Array, indices: Array, updates: Array, use_locking: Any = False
) -> Array:
    """Multiply some rows of a variable, when run; see `scatter_add`.

    Examples
    --------
    >>> import similarflow as sf
    >>> w = sf.Variable([1.0, 2.0, 3.0])
    >>> sf.Session().run(sf.scatter_mul(w, [1, 2, 2], [10.0, 2.0, 3.0]))
    array([ 1., 20., 18.], dtype=float32)
    """
    return _with_rows(np.multiply.at, ref, indices, updates)


NotDifferentiable("ScatterMul")


@op("ScatterDiv", **SCATTER)
def scatter_div(
    ref: Array, indices: Array, updates: Array, use_locking: Any = False
) -> Array:
    """Divide some rows of a variable, when run; see `scatter_add`.

    Whole numbers are divided as C does, without what is behind the point.

    Raises
    ------
    ZeroDivisionError
        An integer is divided by zero. Floats give inf or nan.

    Examples
    --------
    >>> import similarflow as sf
    >>> w = sf.Variable([100.0, 2.0])
    >>> sf.Session().run(sf.scatter_div(w, [0, 0], [4.0, 5.0]))
    array([5., 2.], dtype=float32)
    """
    whole = np.result_type(ref).kind in "iu"
    divide = _divide_whole if whole else np.divide.at
    return _with_rows(divide, ref, indices, updates)


NotDifferentiable("ScatterDiv")


def _divide_whole(target: Array, places: Array, rows: Array) -> None:
    """Rows of whole numbers divided in place, one after the other."""
    for place, row in zip(places, rows, strict=True):
        target[place] = DEFINITIONS["TruncateDiv"].kernel(target[place], row)


@op("ScatterMin", **SCATTER, accepts="real")
def scatter_min(
    ref: Array, indices: Array, updates: Array, use_locking: Any = False
) -> Array:
    """Let some rows of a variable be at most an update, when run; see `scatter_add`.

    Examples
    --------
    >>> import similarflow as sf
    >>> w = sf.Variable([1, 2, 3])
    >>> sf.Session().run(sf.scatter_min(w, [0, 2], [0, 5]))
    array([0, 2, 3], dtype=int32)
    """
    return _with_rows(np.minimum.at, ref, indices, updates)


NotDifferentiable("ScatterMin")


@op("ScatterMax", **SCATTER, accepts="real")
def scatter_max(
    ref: Array, indices: Array, updates: Array, use_locking: Any = False
) -> Array:
    """Let rows of a variable be at least an update, when run; see `scatter_min`."""
    return _with_rows(np.maximum.at, ref, indices, updates)


NotDifferentiable("ScatterMax")
