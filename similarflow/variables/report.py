"""Which variables have a value in the session that is run."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Any

import numpy as np

from ..core.convert import STRING, Array
from ..core.graph import Operation, Spec, Tensor, graph_of
from ..core.infer import BOOL
from ..core.registry import op
from ..core.rules import NotDifferentiable
from ..errors import FailedPreconditionError
from ..ops.fronts import front_of
from .helpers import global_variables, local_variables


def _infer_is_initialized(variable: Any = None) -> Spec:
    return (), BOOL


@op("IsVariableInitialized", infer=_infer_is_initialized, asks=True)
def has_value_in_run(known: Collection[Any], *, variable: Any = None) -> Array:
    """Whether a variable has a value; see `is_variable_initialized`."""
    return np.array(variable in known)


NotDifferentiable("IsVariableInitialized")


@front_of(has_value_in_run)
def is_variable_initialized(variable: Any, name: str | None = None) -> Tensor:
    """Whether the session has a value for a variable, before the run.

    Asking does not start it.

    Parameters
    ----------
    variable : variable

    Returns
    -------
    tensor
        One truth value.

    Examples
    --------
    >>> import similarflow as sf
    >>> w = sf.Variable(1.0)
    >>> there = sf.is_variable_initialized(w)
    >>> sess = sf.Session()
    >>> bool(sess.run(there)), sess.run(w.initializer), bool(sess.run(there))
    (False, None, True)
    """
    with graph_of([variable]).as_default():
        found: Tensor = has_value_in_run(variable=variable.as_tensor(), name=name)
    return found


def _infer_report(variables: Any = ()) -> Spec:
    return (None,), STRING


@op("ReportUninitializedVariables", infer=_infer_report, asks=True)
def names_without_value(known: Collection[Any], *, variables: Any = ()) -> Array:
    """The names of those without a value; see `report_uninitialized_variables`."""
    names = [v.op.name.encode() for v in variables if v not in known]
    return np.array(names, STRING)


NotDifferentiable("ReportUninitializedVariables")


@front_of(names_without_value)
def report_uninitialized_variables(
    var_list: Iterable[Any] | None = None,
    name: str | None = "report_uninitialized_variables",
) -> Tensor:
    """The names of the variables that have no value in the session, before the run.

    Asking does not start them. A variable that nobody initialised, and that would start
    by itself, is among them until a run has read it.

    Parameters
    ----------
    var_list : list of variables, optional
        By default all global and local variables that the graph has now.

    Returns
    -------
    tensor
        A vector of strings.

    Examples
    --------
    >>> import similarflow as sf
    >>> v, w = sf.Variable(1.0, name="v"), sf.Variable(2.0, name="w")
    >>> missing = sf.report_uninitialized_variables([v, w])
    >>> sess = sf.Session()
    >>> sess.run(v.initializer)
    >>> sess.run(missing)
    array([b'w'], dtype=object)
    """
    variables = _given_or_all(var_list)
    with graph_of(variables).as_default():
        found: Tensor = names_without_value(variables=variables, name=name)
    return found


def _infer_check(variables: Any = ()) -> list[Spec]:
    return []


@op("AssertVariablesInitialized", infer=_infer_check, asks=True)
def check_value_in_run(known: Collection[Any], *, variables: Any = ()) -> tuple[()]:
    """Fails unless all variables have a value; see `assert_variables_initialized`."""
    missing = [v.op.name for v in variables if v not in known]
    if missing:
        raise FailedPreconditionError(
            None, None,
            f"uninitialized: {', '.join(missing)}. Run the initializer first: "
            "sess.run(sf.global_variables_initializer())",
        )  # fmt: skip
    return ()


NotDifferentiable("AssertVariablesInitialized")


@front_of(check_value_in_run)
def assert_variables_initialized(
    var_list: Iterable[Any] | None = None,
) -> Operation | None:
    """An operation that fails when a variable has no value in the session, when run.

    As `report_uninitialized_variables`, asking does not start them.

    Parameters
    ----------
    var_list : list of variables, optional
        By default all global and local variables that the graph has now.

    Returns
    -------
    Operation
        None if there are no variables.

    Raises
    ------
    FailedPreconditionError
        In a run: a variable has no value; it names those without.

    Examples
    --------
    >>> import similarflow as sf
    >>> a, b = sf.Variable(1.0, name="a"), sf.Variable(2.0, name="b")
    >>> check = sf.assert_variables_initialized([a, b])
    >>> sess = sf.Session()
    >>> sess.run(a.initializer)
    >>> try:
    ...     sess.run(check)
    ... except sf.errors.FailedPreconditionError as error:
    ...     print(error.message.splitlines()[0].split(".")[0])
    uninitialized: b
    """
    variables = _given_or_all(var_list)
    if not variables:
        return None
    with graph_of(variables).as_default():
        made: Operation = check_value_in_run(variables=variables)
    return made


def _given_or_all(var_list: Iterable[Any] | None) -> tuple[Tensor, ...]:
    given = global_variables() + local_variables() if var_list is None else var_list
    return tuple([v.as_tensor() for v in given])
