"""``while_loop``: repeat a function as long as a condition is true."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ..core.casting import dtype_name
from ..core.convert import agree, as_dims
from ..core.graph import Dims, Tensor, convert_to_tensor, graph_of
from ..core.messages import describe
from .composite import composite
from .known import show
from .loops import Loop, add_loop
from .structures import check_same, is_nested, leaves, rebuild
from .subgraph import SubGraph, as_leaf, inner_result, like_leaf


@composite
def while_loop(
    cond: Callable[..., Any], body: Callable[..., Any], loop_vars: Any,
    shape_invariants: Any = None, parallel_iterations: int = 10, back_prop: bool = True,
    swap_memory: bool = False, name: str | None = None, maximum_iterations: Any = None,
    return_same_structure: bool = False,
) -> Any:  # fmt: skip
    """Apply `body` to the loop's variables as long as `cond` of them is true.

    Parameters
    ----------
    cond : function
        From the loop's variables to a scalar bool.
    body : function
        From the loop's variables to their next values, of the same structure.
    loop_vars : list or tuple
        The values to start with: tensors, `TensorArray`, and nests of them.
    shape_invariants : optional
        For each variable a shape that holds in all iterations; without it, a shape must
        not change.
    back_prop : bool
        False lets no gradient through.
    maximum_iterations : int or tensor, optional
        Stop after so many iterations.
    return_same_structure : bool
        Whether a list with one variable stays a list.
    parallel_iterations, swap_memory : optional
        Accepted as in TensorFlow; iterations go one after the other.

    Returns
    -------
    tensor, or a nest of them
        The variables in the end.

    Raises
    ------
    TypeError
        `cond` or `body` is not callable, or a dtype changes.
    ValueError
        The structure or a shape changes, or there are no variables.

    Examples
    --------
    >>> import similarflow as sf
    >>> n = sf.Placeholder(sf.int32, [])
    >>> power = sf.while_loop(
    ...     lambda i, p: i < n, lambda i, p: (i + 1, p * 2.0), [0, sf.constant(1.0)])[1]
    >>> float(sf.Session().run(power, {n: 10}))
    1024.0
    """
    for function, what in ((cond, "cond"), (body, "body")):
        if not callable(function):
            raise TypeError(f"{what} must be callable, and {function!r:.80} is not")
    single = not is_nested(loop_vars)
    if single and (loop_vars is None or not hasattr(loop_vars, "graph")):
        raise ValueError("loop_vars is a list of the values to start with")
    variables: Any = [loop_vars] if single else loop_vars
    given = leaves(variables)
    if not given:
        raise ValueError("while_loop needs loop_vars: there is nothing to repeat")
    around = graph_of([g for g in given if hasattr(g, "graph")])
    name = around.unique_name(name or "while")
    with around.as_default():
        starts = [as_leaf(leaf) for leaf in given]
        limit = None
        if maximum_iterations is not None:
            limit = _limit(maximum_iterations)
    dims = _invariants(shape_invariants, variables, starts)
    carried = _Carried(variables, given, starts, dims, explicit=shape_invariants)
    loop = _build(cond, body, carried, SubGraph(around, f"{name}/"), f"{name}/cond/")
    loop.differentiable = bool(back_prop)
    finals, _, _ = add_loop(loop, around, name, starts, limit)
    result = carried.packed(finals)
    if isinstance(variables, list | tuple) and (single or not return_same_structure):
        if len(variables) == 1:
            return result[0]
        return tuple(result) if type(variables) is list else result
    return result


def _limit(value: Any) -> Tensor:
    limit = convert_to_tensor(value)
    if limit.static_dtype is not None and limit.static_dtype.kind not in "iu":
        raise TypeError(
            f"maximum_iterations is an integer, not {dtype_name(limit.static_dtype)}"
        )
    if limit.static_shape not in (None, ()):
        raise ValueError(f"maximum_iterations must be a scalar, not {describe(limit)}")
    return limit


class _Carried:
    """The variables of a loop: their structure, and what is known of each."""

    def __init__(
        self, structure: Any, given: list[Any], starts: list[Tensor],
        dims: list[Dims], explicit: Any,
    ) -> None:  # fmt: skip
        self.structure, self.given, self.starts = structure, given, starts
        self.dims, self.explicit = dims, explicit

    def nodes(self, graph: SubGraph) -> list[Tensor]:
        """What stands for the variables inside."""
        pairs = zip(self.starts, self.dims, strict=True)
        return [graph.node(t.op.name, (dims, t.static_dtype)) for t, dims in pairs]

    def packed(self, tensors: Sequence[Tensor]) -> Any:
        """Tensors in the variables' form."""
        pairs = zip(self.given, tensors, strict=True)
        return rebuild(self.structure, [like_leaf(leaf, t) for leaf, t in pairs])

    def call(self, function: Callable[..., Any], nodes: Sequence[Tensor]) -> Any:
        """What `function` gives for these tensors."""
        arguments = self.packed(nodes)
        if isinstance(arguments, list | tuple):
            return function(*arguments)
        return function(arguments)


def _invariants(shapes: Any, variables: Any, starts: list[Tensor]) -> list[Dims]:
    """What is known of each variable's shape in all iterations."""
    if shapes is None:
        return [t.static_shape for t in starts]
    dims: list[Dims] = []
    for t, shape in zip(starts, _shape_leaves(shapes, variables), strict=True):
        wanted = as_dims(shape)
        if not _covers(wanted, t.static_shape):
            raise ValueError(
                f"the shape invariant {show(wanted)} does not hold for the start "
                f"{describe(t)}"
            )
        dims.append(wanted)
    return dims


def _shape_leaves(shapes: Any, variables: Any) -> list[Any]:
    """The shapes, one for each leaf; a list of ints is one shape."""
    if not is_nested(variables):
        return [shapes]
    if isinstance(variables, Mapping):
        if not isinstance(shapes, Mapping) or set(shapes) != set(variables):
            raise ValueError(
                f"shape_invariants has {shapes!r:.80} where loop_vars has a dict with "
                f"the keys {sorted(variables)}"
            )
        return [
            s for k in sorted(variables) for s in _shape_leaves(shapes[k], variables[k])
        ]
    if len(shapes) != len(variables):
        raise ValueError(
            f"shape_invariants has {len(shapes)} parts, and loop_vars {len(variables)}"
        )
    pairs = zip(shapes, variables, strict=True)
    return [s for shape, v in pairs for s in _shape_leaves(shape, v)]


def _covers(wanted: Dims, dims: Dims) -> bool:
    """Whether every shape that `dims` allows is one that `wanted` allows."""
    if wanted is None:
        return True
    if dims is None or len(dims) != len(wanted):
        return False
    return all(m is None or m == n for m, n in zip(wanted, dims, strict=True))


def _build(
    cond: Callable[..., Any], body: Callable[..., Any], carried: _Carried,
    graph: SubGraph, test_scope: str,
) -> Loop:  # fmt: skip
    test = SubGraph(graph.outer, test_scope)
    test_nodes = carried.nodes(test)
    with test.open():
        truth = inner_result(test, carried.call(cond, test_nodes))
    if truth.static_dtype is not None and truth.static_dtype.kind != "b":
        raise TypeError(
            f"cond must return a bool, and returns {describe(truth)}. Compare: i < n"
        )
    if truth.static_shape not in (None, ()):
        raise ValueError(f"cond must return a scalar, and returns {describe(truth)}")
    nodes = carried.nodes(graph)
    with graph.open():
        result = carried.call(body, nodes)
        results = _results(result, carried, nodes, graph)
    for i, t in enumerate(results):
        _check_result(carried, i, nodes[i], t)
    return Loop(
        graph, nodes, results, test=test, test_nodes=test_nodes, test_result=truth
    )


def _results(
    result: Any, carried: _Carried, nodes: list[Tensor], graph: SubGraph
) -> list[Tensor]:
    structure = carried.structure
    if result is None:
        raise ValueError(
            "body returned None, and must return the variables' next values"
        )
    if isinstance(structure, list | tuple):
        if len(structure) == 1 and not (
            isinstance(result, list | tuple) and len(result) == 1
        ):
            result = [result]
        if not isinstance(result, list | tuple) or len(result) != len(structure):
            raise ValueError(
                "body must return as many values as there are loop variables: "
                f"{len(structure)}, and returned "
                f"{len(result) if isinstance(result, list | tuple) else 1}"
            )
        for x, y in zip(structure, result, strict=True):
            check_same(x, y, "a loop variable and what body returns for it")
    else:
        check_same(structure, result, "the loop variables and what body returns")
    found = leaves(list(result) if isinstance(structure, list | tuple) else result)
    pairs = zip(found, nodes, strict=True)
    return [inner_result(graph, leaf, node.static_dtype) for leaf, node in pairs]


def _check_result(carried: _Carried, i: int, node: Tensor, result: Tensor) -> None:
    """Raise if a variable's dtype or shape would change."""
    start = carried.starts[i]
    if not agree(node.static_dtype, result.static_dtype):
        raise TypeError(
            f"loop variable {i} starts as {describe(start)}, and body returns "
            f"{describe(result)}: the dtype must not change. Write sf.cast, or start "
            f"with {dtype_name(result.static_dtype)}"
        )
    if not _covers(node.static_shape, result.static_shape):
        what = "the shape invariant" if carried.explicit is not None else "its shape"
        raise ValueError(
            f"loop variable {i} starts as {describe(start)}, {what} is "
            f"{show(node.static_shape)}, and after one iteration its shape is "
            f"{show(result.static_shape)}, which is not an invariant of the loop. Give "
            "shape_invariants with None for sizes that change, or use x.set_shape in "
            "body"
        )
    if node.static_dtype is not None and result.static_dtype is None:
        result.static_dtype = node.static_dtype
