"""TensorFlow 1's way of working on plain NumPy: define a graph, then run it.

>>> import similarflow as sf
>>> x = sf.Placeholder(sf.float32)
>>> y = x * 2.0 + 1.0
>>> with sf.Session() as sess:
...     sess.run(y, feed_dict={x: 3.0})
np.float32(7.0)
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from . import errors
from ._version import __version__
from .core import methods as _methods  # noqa: F401 - completes Graph, Tensor
from .core.collections import (
    GraphKeys,
    add_to_collection,
    add_to_collections,
    get_collection,
    get_collection_ref,
)
from .core.constant import constant, convert_to_tensor
from .core.dtypes import (
    DType,
    as_dtype,
    bool,
    complex64,
    complex128,
    double,
    float16,
    float32,
    float64,
    half,
    int8,
    int16,
    int32,
    int64,
    string,
    uint8,
    uint16,
    uint32,
    uint64,
)
from .core.explain import explain_gradient
from .core.gradients import compute_gradients
from .core.graph import (
    Constant,
    Graph,
    Operation,
    Placeholder,
    Tensor,
    get_default_graph,
    reset_default_graph,
)
from .core.own_operation import operation
from .core.rules import NotDifferentiable, RegisterGradient, gradient_registry
from .core.scopes import colocate_with, control_dependencies, device, name_scope
from .core.seeds import set_random_seed
from .core.shapes import Dimension, TensorShape
from .core.table import GradientTable
from .core.tf_gradients import UnconnectedGradients, gradients
from .core.traverse import traverse_postorder
from .ops.choose import (
    identity,
    one_hot,
    placeholder_with_default,
    stop_gradient,
    where,
)
from .ops.clipping import (
    clip_by_average_norm,
    clip_by_global_norm,
    clip_by_norm,
    clip_by_value,
    global_norm,
)
from .ops.contract import (
    tensordot,
)
from .ops.cumulative import (
    accumulate_n,
    cumprod,
    cumsum,
)
from .ops.custom_gradient import (
    custom_gradient,
)
from .ops.einsum import (
    einsum,
)
from .ops.elementary import (
    add,
    add_n,
    group,
    multiply,
    negative,
    no_op,
    ones_like,
    reduce_sum,
    square,
    subtract,
)
from .ops.gate import (
    tuple,
)
from .ops.gather import (
    gather,
)
from .ops.indexed_slices import IndexedSlices, IndexedSlicesValue
from .ops.join import (
    concat,
    stack,
    unstack,
)
from .ops.linalg import (
    matmul,
)
from .ops.logic import (
    cast,
    equal,
    greater,
    greater_equal,
    less,
    less_equal,
    logical_and,
    logical_not,
    logical_or,
    logical_xor,
    not_equal,
    to_double,
    to_float,
    to_int32,
    to_int64,
)
from .ops.math import (
    abs,
    div,
    divide,
    exp,
    expm1,
    floordiv,
    floormod,
    log,
    log1p,
    maximum,
    minimum,
    mod,
    pow,
    sigmoid,
    sign,
    sqrt,
    squared_difference,
    tanh,
    truediv,
)
from .ops.nn import (
    relu,
)
from .ops.norms import (
    count_nonzero,
    norm,
    reduce_logsumexp,
)
from .ops.random import (
    random_normal,
    random_shuffle,
    random_uniform,
    truncated_normal,
)
from .ops.reduce import (
    argmax,
    argmin,
    reduce_all,
    reduce_any,
    reduce_max,
    reduce_mean,
    reduce_min,
    reduce_prod,
)
from .ops.reshape import (
    expand_dims,
    reshape,
    squeeze,
    transpose,
)
from .ops.rounding import (
    ceil,
    floor,
    floor_div,
    is_finite,
    is_inf,
    is_nan,
    log_sigmoid,
    realdiv,
    reciprocal,
    rint,
    round,
    rsqrt,
    truncatediv,
    truncatemod,
)
from .ops.shape import (
    broadcast_static_shape,
    broadcast_to,
    fill,
    ones,
    rank,
    shape,
    size,
    zeros,
    zeros_like,
)
from .ops.softmax import (
    log_softmax,
    softmax,
)
from .ops.special import (
    digamma,
    erf,
    erfc,
    lgamma,
    polygamma,
    zeta,
)
from .ops.state import (
    assign,
    assign_add,
    assign_sub,
    scatter_add,
    scatter_sub,
    scatter_update,
)
from .ops.strings import (
    string_join,
)
from .ops.trigonometry import (
    acos,
    acosh,
    asin,
    asinh,
    atan,
    atan2,
    atanh,
    cos,
    cosh,
    sin,
    sinh,
    tan,
)
from .variables import methods as _variable_methods  # noqa: F401
from .variables.helpers import (
    global_variables,
    global_variables_initializer,
    local_variables,
    local_variables_initializer,
    model_variables,
    tables_initializer,
    trainable_variables,
    variables_initializer,
)
from .variables.initializers import (
    Constant as constant_initializer,
    GlorotNormal as glorot_normal_initializer,
    GlorotUniform as glorot_uniform_initializer,
    Ones as ones_initializer,
    RandomNormal as random_normal_initializer,
    RandomUniform as random_uniform_initializer,
    TruncatedNormal as truncated_normal_initializer,
    VarianceScaling as variance_scaling_initializer,
    Zeros as zeros_initializer,
)
from .variables.scope import (
    AUTO_REUSE,
    VariableScope,
    get_local_variable,
    get_variable,
    get_variable_scope,
    variable_scope,
)
from .variables.variable import Variable

if TYPE_CHECKING:
    from . import datasets, linalg, math, nn, testing, train
    from .runtime.config import ConfigProto, GPUOptions, RunMetadata, RunOptions
    from .runtime.methods import InteractiveSession, get_default_session
    from .runtime.session import Session
    from .train.averages import moving_average_variables

placeholder = Placeholder
newaxis = None
_MODULES = frozenset({"datasets", "linalg", "math", "nn", "testing", "train"})
_LATER = {
    "ConfigProto": ".runtime.config",
    "GPUOptions": ".runtime.config",
    "InteractiveSession": ".runtime.methods",
    "RunMetadata": ".runtime.config",
    "RunOptions": ".runtime.config",
    "Session": ".runtime.methods",
    "get_default_session": ".runtime.methods",
    "moving_average_variables": ".train.averages",
}
"""What is loaded when it is first used: defining a graph needs no runtime."""

__all__ = [
    "AUTO_REUSE",
    "ConfigProto",
    "Constant",
    "DType",
    "Dimension",
    "GPUOptions",
    "GradientTable",
    "Graph",
    "GraphKeys",
    "IndexedSlices",
    "IndexedSlicesValue",
    "InteractiveSession",
    "NotDifferentiable",
    "Operation",
    "Placeholder",
    "RegisterGradient",
    "RunMetadata",
    "RunOptions",
    "Session",
    "Tensor",
    "TensorShape",
    "UnconnectedGradients",
    "Variable",
    "VariableScope",
    "__version__",
    "abs",
    "accumulate_n",
    "acos",
    "acosh",
    "add",
    "add_n",
    "add_to_collection",
    "add_to_collections",
    "argmax",
    "argmin",
    "as_dtype",
    "asin",
    "asinh",
    "assign",
    "assign_add",
    "assign_sub",
    "atan",
    "atan2",
    "atanh",
    "bool",
    "broadcast_static_shape",
    "broadcast_to",
    "cast",
    "ceil",
    "clip_by_average_norm",
    "clip_by_global_norm",
    "clip_by_norm",
    "clip_by_value",
    "colocate_with",
    "complex128",
    "complex64",
    "compute_gradients",
    "concat",
    "constant",
    "constant_initializer",
    "control_dependencies",
    "convert_to_tensor",
    "cos",
    "cosh",
    "count_nonzero",
    "cumprod",
    "cumsum",
    "custom_gradient",
    "datasets",
    "device",
    "digamma",
    "div",
    "divide",
    "double",
    "einsum",
    "equal",
    "erf",
    "erfc",
    "errors",
    "exp",
    "expand_dims",
    "explain_gradient",
    "expm1",
    "fill",
    "float16",
    "float32",
    "float64",
    "floor",
    "floor_div",
    "floordiv",
    "floormod",
    "gather",
    "get_collection",
    "get_collection_ref",
    "get_default_graph",
    "get_default_session",
    "get_local_variable",
    "get_variable",
    "get_variable_scope",
    "global_norm",
    "global_variables",
    "global_variables_initializer",
    "glorot_normal_initializer",
    "glorot_uniform_initializer",
    "gradient_registry",
    "gradients",
    "greater",
    "greater_equal",
    "group",
    "half",
    "identity",
    "int16",
    "int32",
    "int64",
    "int8",
    "is_finite",
    "is_inf",
    "is_nan",
    "less",
    "less_equal",
    "lgamma",
    "linalg",
    "local_variables",
    "local_variables_initializer",
    "log",
    "log1p",
    "log_sigmoid",
    "log_softmax",
    "logical_and",
    "logical_not",
    "logical_or",
    "logical_xor",
    "math",
    "matmul",
    "maximum",
    "minimum",
    "mod",
    "model_variables",
    "moving_average_variables",
    "multiply",
    "name_scope",
    "negative",
    "newaxis",
    "nn",
    "no_op",
    "norm",
    "not_equal",
    "one_hot",
    "ones",
    "ones_initializer",
    "ones_like",
    "operation",
    "placeholder",
    "placeholder_with_default",
    "polygamma",
    "pow",
    "random_normal",
    "random_normal_initializer",
    "random_shuffle",
    "random_uniform",
    "random_uniform_initializer",
    "rank",
    "realdiv",
    "reciprocal",
    "reduce_all",
    "reduce_any",
    "reduce_logsumexp",
    "reduce_max",
    "reduce_mean",
    "reduce_min",
    "reduce_prod",
    "reduce_sum",
    "relu",
    "reset_default_graph",
    "reshape",
    "rint",
    "round",
    "rsqrt",
    "scatter_add",
    "scatter_sub",
    "scatter_update",
    "set_random_seed",
    "shape",
    "sigmoid",
    "sign",
    "sin",
    "sinh",
    "size",
    "softmax",
    "sqrt",
    "square",
    "squared_difference",
    "squeeze",
    "stack",
    "stop_gradient",
    "string",
    "string_join",
    "subtract",
    "tables_initializer",
    "tan",
    "tanh",
    "tensordot",
    "testing",
    "to_double",
    "to_float",
    "to_int32",
    "to_int64",
    "train",
    "trainable_variables",
    "transpose",
    "traverse_postorder",
    "truediv",
    "truncated_normal",
    "truncated_normal_initializer",
    "truncatediv",
    "truncatemod",
    "tuple",
    "uint16",
    "uint32",
    "uint64",
    "uint8",
    "unstack",
    "variable_scope",
    "variables_initializer",
    "variance_scaling_initializer",
    "where",
    "zeros",
    "zeros_initializer",
    "zeros_like",
    "zeta",
]


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        value: Any = import_module(f".{name}", __name__)
    elif name in _LATER:
        value = getattr(import_module(_LATER[name], __name__), name)
    else:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__
