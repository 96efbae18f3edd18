"""Cross entropies on logits: what a classifier minimises.

Logits are any numbers. The softmax or the sigmoid is in the operation, which is how it
stays accurate for large ones.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core.casting import dtype_name
from ..core.convert import Array
from ..core.graph import Dims, Operation, Spec, Tensor, convert_to_tensor, graph_of
from ..core.infer import broadcast_dims, common_dtype, reduced_dims
from ..core.registry import op
from ..core.rules import NotDifferentiable, RegisterGradient
from ..core.samples import case, integers, normal, uniform
from .choose import stop_gradient
from .elementary import reduce_sum
from .fronts import front_of
from .known import merge_dims, show
from .logic import cast, tensor_or_value
from .math import sigmoid
from .reducing import narrowed
from .reshape import expand_dims
from .softmax import SOFTMAX, below_max, log_softmax, softmax

# ---- of classes that exclude each other, one probability each


def _named(labels: Any, logits: Any, sentinel: Any, function: str) -> None:
    """Refuse arguments by position, which are mixed up too easily."""
    if sentinel is not None:
        raise ValueError(
            f"{function}() takes its arguments by name, as their order is easily mixed "
            f"up: write {function}(labels=..., logits=...)"
        )
    if labels is None or logits is None:
        missing = "labels" if labels is None else "logits"
        raise ValueError(
            f"{function}() needs both labels= and logits=; {missing} is missing"
        )


def _infer_softmax_cross_entropy(labels: Tensor, logits: Tensor, axis: int) -> Spec:
    dims = labels.static_shape, logits.static_shape
    _check_classes(*dims, axis)
    for x in dims:
        reduced_dims(x, (axis,), False)
    rank = max((len(x) for x in dims if x is not None), default=None)
    unknown = None if rank is None else (None,) * rank  # both have that rank
    shape = broadcast_dims(*[unknown if x is None else x for x in dims])
    return reduced_dims(shape, (axis,), False), common_dtype(labels, logits)


def _check_classes(labels: Any, logits: Any, axis: int) -> None:
    """Labels and logits must have one rank, and as many classes."""
    if labels is None or logits is None:
        return
    rank = len(logits)
    if len(labels) == rank:
        if not -rank <= axis < rank:
            return  # that has its own message
        classes = labels[axis], logits[axis]
        if classes[0] == classes[1] or None in classes:
            return
    raise ValueError(
        f"labels {show(labels)} do not fit logits {show(logits)}: they are one "
        "probability for each class. For the numbers of the classes use "
        "sparse_softmax_cross_entropy_with_logits"
    )


@op(
    "SoftmaxCrossEntropyWithLogits", infer=_infer_softmax_cross_entropy,
    broadcasts=True, **SOFTMAX, samples=[
        case(uniform(0.0, 1.0, 2, 3), normal(2, 3)),
        case(uniform(0.0, 1.0, 2, 3, 2), normal(2, 3, 2), axis=1),
        case(uniform(0.0, 1.0, 1, 3), normal(2, 3)),
        case(normal(3), normal(3)),
        case(normal(0, 3), normal(0, 3)),
        case([[0.25, 0.75]], [[-800.0, 800.0]]),
    ],
)  # fmt: skip
def softmax_cross_entropy(labels: Array, logits: Array, axis: int = -1) -> Array:
    """The operation of `softmax_cross_entropy_with_logits_v2`."""
    _check_classes(np.shape(labels), np.shape(logits), axis)
    shifted = below_max(logits, axis)
    log_sum = np.log(np.sum(np.exp(shifted), axis, keepdims=True))
    return narrowed(np.sum(labels * (log_sum - shifted), axis), logits)


@RegisterGradient("SoftmaxCrossEntropyWithLogits")
def _softmax_cross_entropy_grad(op: Operation, grad: Tensor) -> Any:
    labels, logits = op.inputs
    axis = op.attrs["axis"]
    grad = expand_dims(grad, axis)
    total = reduce_sum(labels, axis, keepdims=True)
    grad_logits = grad * (softmax(logits, axis) * total - labels)
    return -grad * log_softmax(logits, axis), grad_logits


@front_of(softmax_cross_entropy)
def softmax_cross_entropy_with_logits_v2(
    labels: Any,
    logits: Any,
    axis: int | None = None,
    name: str | None = None,
    dim: int | None = None,
) -> Tensor:
    """``-sum(labels * log(softmax(logits)))`` along `axis`, the last by default.

    The gradient of the logits is ``softmax(logits) * sum(labels) - labels``, also right
    for labels that do not add up to 1. The labels get a gradient, too.

    Parameters
    ----------
    labels : tensor
        One probability for each class; cast to the dtype of the logits.
    logits : tensor
        Floats of the same shape, any numbers: no softmax must be applied before.
    axis : int, optional
        The axis of the classes; TensorFlow's older name is `dim`.
    name : str, optional
        The operation's name.

    Raises
    ------
    ValueError
        The number of classes or the rank differs.

    Examples
    --------
    >>> import similarflow as sf
    >>> loss = sf.nn.softmax_cross_entropy_with_logits_v2(
    ...     labels=[[0.0, 1.0], [0.5, 0.5]], logits=[[0.0, 1000.0], [3.0, 3.0]])
    >>> sf.Session().run(loss)
    array([0.       , 0.6931472], dtype=float32)
    """
    name = name or "softmax_cross_entropy_with_logits"
    axis = dim if axis is None else axis
    labels, logits = tensor_or_value(labels), tensor_or_value(logits)
    if isinstance(labels, Tensor) and labels.static_dtype is not None:
        graph = graph_of([labels, logits])
        name = f"{graph.unique_name(name)}/"
        logits = convert_to_tensor(logits, name=f"{name}logits/", graph=graph)
        wanted = logits.static_dtype
        if wanted is not None and wanted.kind == "f":
            labels = cast(labels, wanted, name=f"{name}Cast/")
    loss: Tensor = softmax_cross_entropy(labels, logits, axis, name=name)
    return loss


def softmax_cross_entropy_with_logits(
    _sentinel: Any = None,
    labels: Any = None,
    logits: Any = None,
    dim: Any = -1,
    name: str | None = None,
    axis: Any = None,
) -> Tensor:
    """`softmax_cross_entropy_with_logits_v2` without a gradient of the labels.

    Raises
    ------
    ValueError
        The arguments are not given by name, or one is missing.
    """
    _named(labels, logits, _sentinel, "softmax_cross_entropy_with_logits")
    name = name or "softmax_cross_entropy_with_logits_sg"
    graph = graph_of([labels, logits])
    name = f"{graph.unique_name(name)}/"
    labels = stop_gradient(labels, name=f"{name}labels_stop_gradient/")
    axis = dim if axis is None else axis
    return softmax_cross_entropy_with_logits_v2(labels, logits, axis, name)


# ---- of classes that exclude each other, the number of the right one


def _infer_sparse(labels: Tensor, logits: Tensor) -> Spec:
    dtype = labels.static_dtype
    if dtype is not None and dtype.kind not in "iu":
        raise TypeError(
            f"labels are the numbers of classes, integers, not {dtype_name(dtype)}. "
            "For one probability per class use softmax_cross_entropy_with_logits_v2"
        )
    _check_sparse(labels.static_shape, logits.static_shape)
    rows = None if logits.static_shape is None else logits.static_shape[:-1]
    return merge_dims(labels.static_shape, rows), logits.static_dtype


def _check_sparse(labels: Any, logits: Any) -> None:
    """Logits have the shape of the labels and one axis more, that of the classes."""
    if logits is not None and not logits:
        raise ValueError("logits need an axis of classes, the last; they have rank 0")
    if labels is None or logits is None:
        return
    pairs = zip(labels, logits, strict=False)
    if len(labels) != len(logits) - 1 or any(
        m != n for m, n in pairs if None not in (m, n)
    ):
        raise ValueError(
            f"labels {show(labels)} do not fit logits {show(logits)}: one "
            f"class number for each row is needed, {show(logits[:-1])}. For "
            "one-hot labels use softmax_cross_entropy_with_logits_v2; an axis of size "
            "1 goes with sf.squeeze(labels, -1)"
        )


@op("SparseSoftmaxCrossEntropyWithLogits", infer=_infer_sparse, same=["logits"],
    accepts="plain", samples=[
        case(integers(0, 3, 2), normal(2, 3)),
        case(integers(0, 4, 2, 3), normal(2, 3, 4)),
        case(integers(0, 3), normal(3)),
        case(integers(0, 3, 0), normal(0, 3)),
        case([1, 0], [[-800.0, 800.0], [-800.0, 800.0]]),
])  # fmt: skip
def sparse_softmax_cross_entropy(labels: Array, logits: Array) -> Array:
    """The operation of `sparse_softmax_cross_entropy_with_logits`."""
    _check_sparse(np.shape(labels), np.shape(logits))
    classes = logits.shape[-1]
    check_labels(labels, classes)
    shifted = below_max(logits, -1)
    index = np.asarray(labels, np.intp).ravel()
    rows = shifted.reshape(index.size, classes)
    picked = rows[np.arange(index.size), index].reshape(np.shape(labels))
    return narrowed(np.log(np.sum(np.exp(shifted), -1)) - picked, logits)


def check_labels(labels: Array, classes: int) -> None:
    """Every label must be the number of a class."""
    labels = np.asarray(labels)
    if labels.dtype.kind not in "iu":
        raise TypeError(
            f"labels are the numbers of classes, integers, not {labels.dtype}"
        )
    bad = (labels < 0) | (labels >= classes)
    if bad.any():
        place = tuple(int(i) for i in np.argwhere(bad)[0])
        where = "" if not place else f" at [{', '.join(map(str, place))}]"
        more = int(bad.sum()) - 1
        others = f", and so are {more} more" if more else ""
        raise ValueError(
            f"the label {labels[place]}{where} is out of the range [0, {classes}) of "
            f"the {classes} classes{others}; labels start at 0"
        )


@RegisterGradient("SparseSoftmaxCrossEntropyWithLogits")
def _sparse_softmax_cross_entropy_grad(op: Operation, grad: Tensor) -> Any:
    labels, logits = op.inputs
    wrong = softmax(logits) - one_hot_like(labels, logits)
    return None, expand_dims(grad, -1) * wrong


def _infer_one_hot_like(labels: Tensor, like: Tensor) -> Spec:
    return like.static_shape, like.static_dtype


@op("OneHotLike", infer=_infer_one_hot_like, same=["like"], samples=[
    case(integers(0, 3, 2), normal(2, 3)),
    case(integers(0, 3), normal(3)),
])  # fmt: skip
def one_hot_like(labels: Array, like: Array) -> Array:
    """1 at the class numbers, else 0, in the shape and dtype of `like`."""
    classes = np.arange(like.shape[-1])
    found = np.equal(np.asarray(labels)[..., np.newaxis], classes)
    return np.asarray(found, like.dtype)


NotDifferentiable("OneHotLike")


def sparse_softmax_cross_entropy_with_logits(
    _sentinel: Any = None,
    labels: Any = None,
    logits: Any = None,
    name: str | None = None,
) -> Tensor:
    """``-log(softmax(logits))`` at the labels, the numbers of the right classes.

    Parameters
    ----------
    labels : tensor
        Integers of any rank, from 0 up to, without, the number of classes.
    logits : tensor
        Floats; one axis more than the labels, the last, for the classes.
    name : str, optional
        The operation's name.

    Raises
    ------
    ValueError
        The shapes do not fit; or, when run, a label is out of range.
    TypeError
        The labels are no integers.

    Examples
    --------
    >>> import similarflow as sf
    >>> loss = sf.nn.sparse_softmax_cross_entropy_with_logits(
    ...     labels=[1, 0], logits=[[0.0, 1000.0], [3.0, 3.0]])
    >>> sf.Session().run(loss)
    array([0.       , 0.6931472], dtype=float32)
    """
    _named(labels, logits, _sentinel, "sparse_softmax_cross_entropy_with_logits")
    loss: Tensor = sparse_softmax_cross_entropy(labels, logits, name=name)
    return loss


# ---- of independent decisions


def _infer_same_shape(labels: Tensor, logits: Tensor) -> Spec:
    shapes = labels.static_shape, logits.static_shape
    _check_same_shape(*shapes)
    return merge_dims(*shapes), common_dtype(labels, logits)


def _check_same_shape(labels: Dims, logits: Dims) -> None:
    try:
        merge_dims(labels, logits)
    except ValueError:
        raise ValueError(
            f"labels {show(labels)} and logits {show(logits)} must have the same "
            "shape: they are not broadcast. Reshape or expand one of them"
        ) from None


@op("SigmoidCrossEntropyWithLogits", infer=_infer_same_shape, accepts="plain", samples=[
    case(uniform(0.0, 1.0, 2, 3), normal(2, 3)),
    case([0.0, 1.0, 0.5, 1.0], [800.0, 800.0, -800.0, -20.0]),
    case(normal(), normal()),
    case(normal(0, 2), normal(0, 2)),
])  # fmt: skip
def sigmoid_cross_entropy(labels: Array, logits: Array) -> Array:
    """The operation of `sigmoid_cross_entropy_with_logits`."""
    _check_same_shape(np.shape(labels), np.shape(logits))
    # max(x, 0) - x*z keeps its digits where softplus(x) - x*z is a difference of two
    # large numbers
    loss: Array = np.maximum(logits, 0) - logits * labels
    return loss + np.log1p(np.exp(-np.abs(logits)))


@RegisterGradient("SigmoidCrossEntropyWithLogits")
def _sigmoid_cross_entropy_grad(op: Operation, grad: Tensor) -> Any:
    labels, logits = op.inputs
    return -grad * logits, grad * (sigmoid(logits) - labels)


def sigmoid_cross_entropy_with_logits(
    _sentinel: Any = None,
    labels: Any = None,
    logits: Any = None,
    name: str | None = None,
) -> Tensor:
    """Cross entropy of independent yes-or-no decisions, element by element.

    ``-z * log(sigmoid(x)) - (1 - z) * log(1 - sigmoid(x))`` for the labels `z` and the
    logits `x`, computed as ``max(x, 0) - x*z + log(1 + exp(-abs(x)))``.

    Parameters
    ----------
    labels : tensor
        Probabilities, of the shape and dtype of the logits.
    logits : tensor
        Floats, any numbers: no sigmoid must be applied before.
    name : str, optional
        The operation's name.

    Raises
    ------
    ValueError
        The shapes differ.

    Examples
    --------
    >>> import similarflow as sf
    >>> loss = sf.nn.sigmoid_cross_entropy_with_logits(
    ...     labels=[1.0, 0.0, 0.0], logits=[800.0, -800.0, 0.0])
    >>> sf.Session().run(loss)
    array([0.       , 0.       , 0.6931472], dtype=float32)
    """
    _named(labels, logits, _sentinel, "sigmoid_cross_entropy_with_logits")
    loss: Tensor = sigmoid_cross_entropy(labels, logits, name=name or "logistic_loss")
    return loss
