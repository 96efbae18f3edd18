"""``map_fn``, ``scan``, ``foldl``, ``foldr``: loops over the elements of tensors."""

from __future__ import annotations

from collections.abc import Callable, Sequence as ListLike
from typing import Any

from ..core.casting import dtype_name
from ..core.convert import Array, agree, as_np_dtype
from ..core.graph import Graph, Operation, Tensor, convert_to_tensor, graph_of
from ..core.infer import same_as_input
from ..core.messages import describe
from ..core.operators import BUILDERS
from ..core.registry import op
from ..core.rules import RegisterGradient
from ..core.samples import case, normal
from .composite import composite
from .known import merge_dims, show
from .loops import Loop, add_loop
from .sequences import Sequence
from .structures import check_same, leaves, rebuild
from .subgraph import SubGraph, inner_result, spec_of

Function = Callable[..., Any]
NO_START = (
    "elems is empty, so that there is no element to start from: give an initializer"
)


@op("NotEmpty", infer=same_as_input, accepts="any", samples=[case(normal(2, 3))])
def not_empty(elems: Array) -> Array:
    """`elems`, which must have a first element."""
    if not len(elems):
        raise ValueError(NO_START)
    return elems


@RegisterGradient("NotEmpty")
def _not_empty_grad(op: Operation, grad: Tensor) -> Any:
    return grad


class _Elements:
    """Tensors that are taken apart along their first axis, one element at a time."""

    def __init__(self, elems: Any, label: str, name: str | None) -> None:
        given = leaves(elems)
        if not given:
            raise ValueError(f"{label}: elems is empty, there is nothing to go through")
        self.structure = elems
        self.tensors = [convert_to_tensor(leaf) for leaf in given]
        self.around: Graph = graph_of(self.tensors)
        self.name = self.around.unique_name(name or label)
        self.size: int | None = None
        for t in self.tensors:
            if t.static_shape == ():
                raise ValueError(
                    f"elems must have an axis to go along, and {describe(t)} is a "
                    "scalar. Make one tensor of a list: sf.stack([...])"
                )
            first = (None,) if t.static_shape is None else t.static_shape[:1]
            try:
                (self.size,) = merge_dims((self.size,), first) or (None,)
            except ValueError:
                shapes = ", ".join(show(t.static_shape) for t in self.tensors)
                raise ValueError(
                    f"{label}: elems must have as many elements each, their shapes are "
                    f"{shapes}"
                ) from None

    def count(self) -> Tensor:
        """The number of elements."""
        if self.size is not None:
            return convert_to_tensor(self.size)
        result: Tensor = BUILDERS["slice_index"](BUILDERS["shape"](self.tensors[0]), 0)
        return result

    def nodes(self, inner: SubGraph) -> list[Tensor]:
        """What stands for one element inside."""
        found = []
        for t in self.tensors:
            dims, dtype = spec_of(t)
            dims = None if dims is None else dims[1:]
            found.append(inner.node(t.op.name, (dims, dtype)))
        return found

    def rest(self) -> tuple[list[Tensor], _Elements]:
        """The first elements, and all others."""
        if self.size == 0:
            raise ValueError(NO_START)
        filled = [t if self.size else not_empty(t) for t in self.tensors]
        firsts = [BUILDERS["slice_index"](t, 0) for t in filled]
        others = [BUILDERS["slice_index"](t, slice(1, None)) for t in self.tensors]
        return firsts, self._with(others)

    def reversed(self) -> _Elements:
        """The same from the last to the first."""
        step = slice(None, None, -1)
        return self._with([BUILDERS["slice_index"](t, step) for t in self.tensors])

    def _with(self, tensors: list[Tensor]) -> _Elements:
        new = _Elements.__new__(_Elements)
        vars(new).update(vars(self))
        new.tensors = tensors
        dims = tensors[0].static_shape
        new.size = None if dims is None else dims[0]
        return new


@composite
def map_fn(
    fn: Function, elems: Any, dtype: Any = None, parallel_iterations: int | None = None,
    back_prop: bool = True, swap_memory: bool = False, infer_shape: bool = True,
    name: str | None = None,
) -> Any:  # fmt: skip
    """What `fn` gives for each element along the first axis, stacked.

    Without elements, shape rules give the sizes of the empty result; one that only a
    call of `fn` could tell is 0.

    Parameters
    ----------
    fn : function
        From an element (or a nest of them, as `elems`) to a tensor or a nest.
    elems : tensor, or nest of tensors
        All with the same number of elements.
    dtype : DType or nest of them, optional
        What `fn` returns; by default as `elems`.
    back_prop : bool
        False lets no gradient through.
    parallel_iterations, swap_memory, infer_shape : optional
        Accepted as in TensorFlow.

    Raises
    ------
    TypeError
        `fn` is not callable, or returns another dtype.
    ValueError
        `elems` are scalars, or `fn` returns another structure than `dtype` says.

    Examples
    --------
    >>> import similarflow as sf
    >>> sums = sf.map_fn(lambda row: sf.reduce_sum(row), sf.constant([[1, 2], [3, 4]]))
    >>> sf.Session().run(sums)
    array([3, 7], dtype=int32)
    """
    _check_callable(fn)
    given = _Elements(elems, "map", name)
    inner = SubGraph(given.around, f"{given.name}/")
    nodes = given.nodes(inner)
    with inner.open():
        result = fn(rebuild(given.structure, nodes))
        like = elems if dtype is None else dtype
        what = "elems, which dtype= may replace," if dtype is None else "dtype"
        check_same(like, result, f"{what} and what fn returns")
        wanted = _dtypes(like, given.tensors if dtype is None else None)
        found = _typed(inner, leaves(result), wanted)
    loop = Loop(inner, [], [], _sequences(nodes, given), found, stacked=set(found))
    outputs = _add(loop, given, [], back_prop)[1]
    return rebuild(result, outputs)


def _check_callable(fn: Any) -> None:
    if not callable(fn):
        raise TypeError(f"fn must be callable, and {fn!r:.80} is not")


def _dtypes(like: Any, tensors: ListLike[Tensor] | None) -> list[Any]:
    if tensors is not None:
        return [t.static_dtype for t in tensors]
    return [as_np_dtype(leaf) for leaf in leaves(like)]


def _typed(inner: SubGraph, results: list[Any], dtypes: list[Any]) -> list[Tensor]:
    """Results of `fn` as tensors of the dtypes that they shall have."""
    found = []
    for value, dtype in zip(results, dtypes, strict=True):
        t = inner_result(inner, value, dtype)
        if not agree(t.static_dtype, dtype):
            raise TypeError(
                f"fn returns {describe(t)}, and {dtype_name(dtype)} is expected. Give "
                f"dtype=sf.{dtype_name(t.static_dtype)}, or write sf.cast"
            )
        with inner.as_default():  # each result is emitted for itself
            found.append(BUILDERS["identity"](t))
    return found


def _sequences(nodes: list[Tensor], given: _Elements) -> list[Sequence]:
    pairs = zip(nodes, given.tensors, strict=True)
    return [Sequence(node, (t,)) for node, t in pairs]


def _add(
    loop: Loop, given: _Elements, starts: list[Tensor], back_prop: bool
) -> tuple[list[Tensor], list[Tensor]]:
    loop.differentiable = bool(back_prop)
    with given.around.as_default():
        limit = given.count()
        finals, _, outputs = add_loop(loop, given.around, given.name, starts, limit)
    return finals, outputs


def _fold(
    fn: Function, given: _Elements, structure: Any, starts: list[Tensor], emits: bool,
    back_prop: bool,
) -> tuple[list[Tensor], list[Tensor]]:  # fmt: skip
    """Carry what `fn` makes of the state so far and an element."""
    inner = SubGraph(given.around, f"{given.name}/")
    states = [inner.node(t.op.name, spec_of(t)) for t in starts]
    nodes = given.nodes(inner)
    with inner.open():
        result = fn(rebuild(structure, states), rebuild(given.structure, nodes))
        check_same(structure, result, "the state and what fn returns")
        dtypes = [t.static_dtype for t in starts]
        found = _typed(inner, leaves(result), dtypes)
    for state, t in zip(states, found, strict=True):
        try:
            t.static_shape = merge_dims(state.static_shape, t.static_shape)
        except ValueError:
            raise ValueError(
                f"fn changes the shape of its state from {show(state.static_shape)} to "
                f"{show(t.static_shape)}. Return one of the same shape"
            ) from None
    loop = Loop(inner, states, found, _sequences(nodes, given))
    if emits:
        loop.emitted, loop.stacked = list(found), set(found)
        loop.like = dict(zip(found, states, strict=True))
    return _add(loop, given, starts, back_prop)


@composite
def scan(
    fn: Function, elems: Any, initializer: Any = None, parallel_iterations: int = 10,
    back_prop: bool = True, swap_memory: bool = False, infer_shape: bool = True,
    reverse: bool = False, name: str | None = None,
) -> Any:  # fmt: skip
    """All states on the way through the elements: ``s = fn(s, element)``, stacked.

    Parameters
    ----------
    fn : function
        From the state and an element to the next state.
    elems : tensor, or nest of tensors
        Gone through along the first axis.
    initializer : tensor, or nest of tensors, optional
        The first state; by default the first element, which is the first result then.
    back_prop : bool
        False lets no gradient through.
    reverse : bool
        Start with the last element; a result stands at its element's place.
    parallel_iterations, swap_memory, infer_shape : optional
        Accepted as in TensorFlow.

    Examples
    --------
    >>> import similarflow as sf
    >>> sf.Session().run(sf.scan(lambda s, x: s + x, sf.constant([1, 2, 3])))
    array([1, 3, 6], dtype=int32)
    """
    _check_callable(fn)
    given = _Elements(elems, "scan", name)
    with given.around.as_default():
        if reverse:
            given = given.reversed()
        structure, starts, rest = _start(given, initializer)
        outputs = _fold(fn, rest, structure, starts, True, back_prop)[1]
        if initializer is None:
            pairs = zip(starts, outputs, strict=True)
            outputs = [_put_before(first, others) for first, others in pairs]
        if reverse:
            step = slice(None, None, -1)
            outputs = [BUILDERS["slice_index"](t, step) for t in outputs]
    return rebuild(structure, outputs)


def _start(given: _Elements, initializer: Any) -> tuple[Any, list[Tensor], _Elements]:
    """The state's structure, its first value, and what is left to go through."""
    if initializer is None:
        starts, rest = given.rest()
        return given.structure, starts, rest
    return initializer, [convert_to_tensor(leaf) for leaf in leaves(initializer)], given


def _put_before(first: Tensor, others: Tensor) -> Tensor:
    result: Tensor = BUILDERS["concat"]([BUILDERS["expand_dims"](first, 0), others], 0)
    return result


@composite
def foldl(
    fn: Function, elems: Any, initializer: Any = None, parallel_iterations: int = 10,
    back_prop: bool = True, swap_memory: bool = False, name: str | None = None,
) -> Any:  # fmt: skip
    """The last state on the way through the elements, from the first to the last.

    Parameters
    ----------
    fn : function
        From the state and an element to the next state.
    elems : tensor, or nest of tensors
        Gone through along the first axis.
    initializer : tensor, or nest of tensors, optional
        The first state; by default the first element.

    Examples
    --------
    >>> import similarflow as sf
    >>> int(sf.Session().run(sf.foldl(lambda s, x: 10 * s + x, sf.constant([1, 2, 3]))))
    123
    """
    return _folded(fn, elems, initializer, back_prop, name or "foldl", False)


@composite
def foldr(
    fn: Function, elems: Any, initializer: Any = None, parallel_iterations: int = 10,
    back_prop: bool = True, swap_memory: bool = False, name: str | None = None,
) -> Any:  # fmt: skip
    """The last state on the way through the elements, from the last to the first.

    See `foldl`.

    Examples
    --------
    >>> import similarflow as sf
    >>> int(sf.Session().run(sf.foldr(lambda s, x: 10 * s + x, sf.constant([1, 2, 3]))))
    321
    """
    return _folded(fn, elems, initializer, back_prop, name or "foldr", True)


def _folded(
    fn: Function, elems: Any, initializer: Any, back_prop: bool, name: str,
    backward: bool,
) -> Any:  # fmt: skip
    _check_callable(fn)
    given = _Elements(elems, name, None)
    with given.around.as_default():
        if backward:
            given = given.reversed()
        structure, starts, rest = _start(given, initializer)
        finals = _fold(fn, rest, structure, starts, False, back_prop)[0]
    return rebuild(structure, finals)
