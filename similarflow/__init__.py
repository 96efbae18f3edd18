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
from .ops import shields as _shields  # noqa: F401  (it stands around gradient rules)
from .ops.adjoint import matrix_transpose
from .ops.asserts import (
    assert_equal,
    assert_greater,
    assert_greater_equal,
    assert_integer,
    assert_less,
    assert_less_equal,
    assert_near,
    assert_negative,
    assert_non_negative,
    assert_non_positive,
    assert_none_equal,
    assert_positive,
    assert_rank,
    assert_rank_at_least,
    assert_rank_in,
    assert_scalar,
    assert_type,
)
from .ops.bincount import (
    bincount,
)
from .ops.blocks import (
    batch_to_space,
    batch_to_space_nd,
    depth_to_space,
    space_to_batch,
    space_to_batch_nd,
    space_to_depth,
)
from .ops.case import case, switch_case
from .ops.casts import bitcast, saturate_cast
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
from .ops.complex import (
    abs,
    angle,
    complex,
    conj,
    imag,
    real,
    sign,
)
from .ops.cond import cond
from .ops.contract import tensordot
from .ops.count import count_up_to
from .ops.cumulative import accumulate_n, cumprod, cumsum
from .ops.custom_gradient import custom_gradient
from .ops.decompose import qr, self_adjoint_eig, self_adjoint_eigvals, svd
from .ops.derivatives import (
    hessian_vector_product,
    hessians,
    jacobian,
    jacobian_vector_product,
)
from .ops.diagonals import (
    matrix_diag,
    matrix_diag_part,
    matrix_set_diag,
    trace,
)
from .ops.distributions import multinomial, random_crop, random_gamma, random_poisson
from .ops.effects import (
    Assert,
    Print,
    add_check_numerics_ops,
    check_numerics,
    identity_n,
)
from .ops.einsum import einsum
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
from .ops.ensure import ensure_shape, is_tensor, shape_n, unravel_index
from .ops.functional import foldl, foldr, map_fn, scan
from .ops.gate import tuple
from .ops.gather import gather
from .ops.incomplete import (
    betainc,
    igamma,
    igammac,
)
from .ops.indexed_slices import IndexedSlices, IndexedSlicesValue
from .ops.inverse import log_matrix_determinant, matrix_determinant, matrix_inverse
from .ops.join import concat, stack, unstack
from .ops.linalg import matmul
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
    squared_difference,
    tanh,
    truediv,
)
from .ops.matrices import (
    diag,
    diag_part,
    matrix_band_part,
)
from .ops.matrix_functions import matrix_solve_ls
from .ops.nn import relu
from .ops.no_nan import div_no_nan
from .ops.norms import count_nonzero, norm, reduce_logsumexp
from .ops.order import argsort, searchsorted, sort
from .ops.pad import pad
from .ops.partition import (
    boolean_mask,
    dynamic_partition,
    dynamic_stitch,
    invert_permutation,
)
from .ops.patches import extract_image_patches
from .ops.py_func import py_func
from .ops.random import random_normal, random_shuffle, random_uniform, truncated_normal
from .ops.ranges import (
    broadcast_dynamic_shape,
    eye,
    lin_space,
    linspace,
    meshgrid,
    range,
)
from .ops.recipes import confusion_matrix, cross, lbeta, scalar_mul, where_v2
from .ops.reduce import (
    arg_max,
    arg_min,
    argmax,
    argmin,
    reduce_all,
    reduce_any,
    reduce_max,
    reduce_mean,
    reduce_min,
    reduce_prod,
)
from .ops.reshape import expand_dims, reshape, squeeze, transpose
from .ops.reverse import reverse, reverse_sequence, sequence_mask
from .ops.roots import reciprocal, rsqrt, sqrt
from .ops.rounding import (
    ceil,
    floor,
    floor_div,
    is_finite,
    is_inf,
    is_nan,
    log_sigmoid,
    realdiv,
    rint,
    round,
    truncatediv,
    truncatemod,
)
from .ops.scatter import (
    batch_gather,
    batch_scatter_update,
    gather_nd,
    scatter_nd,
    scatter_nd_add,
    scatter_nd_sub,
    scatter_nd_update,
)
from .ops.segment import (
    segment_mean,
    segment_sum,
    sparse_segment_mean,
    sparse_segment_sqrt_n,
    sparse_segment_sum,
    unsorted_segment_mean,
    unsorted_segment_sqrt_n,
    unsorted_segment_sum,
)
from .ops.segment_extremes import (
    segment_max,
    segment_min,
    segment_prod,
    unsorted_segment_max,
    unsorted_segment_min,
    unsorted_segment_prod,
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
from .ops.softmax import log_softmax, softmax
from .ops.solve import cholesky, cholesky_solve, matrix_solve, matrix_triangular_solve
from .ops.sparse import (
    SparseTensor,
    SparseTensorValue,
    sparse_placeholder,
    sparse_tensor_to_dense,
    sparse_to_dense,
)
from .ops.sparse_changes import (
    sparse_add,
    sparse_concat,
    sparse_reduce_sum,
    sparse_reorder,
    sparse_reshape,
    sparse_retain,
    sparse_transpose,
)
from .ops.sparse_products import sparse_tensor_dense_matmul
from .ops.special import digamma, erf, erfc, lgamma, polygamma, zeta
from .ops.split import slice, split, strided_slice
from .ops.state import (
    assign,
    assign_add,
    assign_sub,
    scatter_add,
    scatter_div,
    scatter_max,
    scatter_min,
    scatter_mul,
    scatter_sub,
    scatter_update,
)
from .ops.strings import string_join
from .ops.tensor_array import TensorArray
from .ops.tensor_scatter import (
    tensor_scatter_add,
    tensor_scatter_add as tensor_scatter_nd_add,
    tensor_scatter_sub,
    tensor_scatter_sub as tensor_scatter_nd_sub,
    tensor_scatter_update,
    tensor_scatter_update as tensor_scatter_nd_update,
)
from .ops.tile import repeat, roll, tile
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
from .ops.unique import setdiff1d, unique, unique_with_counts
from .ops.while_loop import while_loop
from .variables import methods as _variable_methods  # noqa: F401
from .variables.helpers import (
    global_variables,
    global_variables_initializer,
    initialize_all_variables,
    initialize_local_variables,
    initialize_variables,
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
from .variables.report import (
    assert_variables_initialized,
    is_variable_initialized,
    report_uninitialized_variables,
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
    from . import datasets, linalg, math, nn, runtime, testing, train
    from .runtime.compiled.profile import profile
    from .runtime.compiled.session import Session
    from .runtime.config import ConfigProto, GPUOptions, RunMetadata, RunOptions
    from .runtime.interactive import InteractiveSession
    from .runtime.methods import get_default_session
    from .train.averages import moving_average_variables

placeholder = Placeholder
newaxis = None
_MODULES = frozenset(
    {"datasets", "linalg", "math", "nn", "runtime", "testing", "train"}
)
_LATER = {
    "ConfigProto": ".runtime.config",
    "GPUOptions": ".runtime.config",
    "InteractiveSession": ".runtime.interactive",
    "RunMetadata": ".runtime.config",
    "RunOptions": ".runtime.config",
    "Session": ".runtime.compiled.session",
    "get_default_session": ".runtime.methods",
    "moving_average_variables": ".train.averages",
    "profile": ".runtime.compiled.profile",
}
"""What is loaded when it is first used: defining a graph needs no runtime."""

__all__ = [
    "AUTO_REUSE", "Assert", "ConfigProto", "Constant", "DType", "Dimension",
    "GPUOptions", "GradientTable", "Graph", "GraphKeys", "IndexedSlices",
    "IndexedSlicesValue", "InteractiveSession", "NotDifferentiable", "Operation",
    "Placeholder", "Print", "RegisterGradient", "RunMetadata", "RunOptions", "Session",
    "SparseTensor", "SparseTensorValue", "Tensor", "TensorArray", "TensorShape",
    "UnconnectedGradients", "Variable", "VariableScope", "__version__", "abs",
    "accumulate_n", "acos", "acosh", "add", "add_check_numerics_ops", "add_n",
    "add_to_collection", "add_to_collections", "angle", "arg_max", "arg_min", "argmax",
    "argmin", "argsort", "as_dtype", "asin", "asinh", "assert_equal", "assert_greater",
    "assert_greater_equal", "assert_integer", "assert_less", "assert_less_equal",
    "assert_near", "assert_negative", "assert_non_negative", "assert_non_positive",
    "assert_none_equal", "assert_positive", "assert_rank", "assert_rank_at_least",
    "assert_rank_in", "assert_scalar", "assert_type", "assert_variables_initialized",
    "assign", "assign_add", "assign_sub", "atan", "atan2", "atanh", "batch_gather",
    "batch_scatter_update", "batch_to_space", "batch_to_space_nd", "betainc",
    "bincount", "bitcast", "bool", "boolean_mask", "broadcast_dynamic_shape",
    "broadcast_static_shape", "broadcast_to", "case", "cast", "ceil", "check_numerics",
    "cholesky", "cholesky_solve", "clip_by_average_norm", "clip_by_global_norm",
    "clip_by_norm", "clip_by_value", "colocate_with", "complex", "complex128",
    "complex64", "compute_gradients", "concat", "cond", "confusion_matrix", "conj",
    "constant", "constant_initializer", "control_dependencies", "convert_to_tensor",
    "cos", "cosh", "count_nonzero", "count_up_to", "cross", "cumprod", "cumsum",
    "custom_gradient", "datasets", "depth_to_space", "device", "diag", "diag_part",
    "digamma", "div", "div_no_nan", "divide", "double", "dynamic_partition",
    "dynamic_stitch", "einsum", "ensure_shape", "equal", "erf", "erfc", "errors", "exp",
    "expand_dims", "explain_gradient", "expm1", "extract_image_patches", "eye", "fill",
    "float16", "float32", "float64", "floor", "floor_div", "floordiv", "floormod",
    "foldl", "foldr", "gather", "gather_nd", "get_collection", "get_collection_ref",
    "get_default_graph", "get_default_session", "get_local_variable", "get_variable",
    "get_variable_scope", "global_norm", "global_variables",
    "global_variables_initializer", "glorot_normal_initializer",
    "glorot_uniform_initializer", "gradient_registry", "gradients", "greater",
    "greater_equal", "group", "half", "hessian_vector_product", "hessians", "identity",
    "identity_n", "igamma", "igammac", "imag", "initialize_all_variables",
    "initialize_local_variables", "initialize_variables", "int16", "int32", "int64",
    "int8", "invert_permutation", "is_finite", "is_inf", "is_nan", "is_tensor",
    "is_variable_initialized", "jacobian", "jacobian_vector_product", "lbeta", "less",
    "less_equal", "lgamma", "lin_space", "linalg", "linspace", "local_variables",
    "local_variables_initializer", "log", "log1p", "log_matrix_determinant",
    "log_sigmoid", "log_softmax", "logical_and", "logical_not", "logical_or",
    "logical_xor", "map_fn", "math", "matmul", "matrix_band_part", "matrix_determinant",
    "matrix_diag", "matrix_diag_part", "matrix_inverse", "matrix_set_diag",
    "matrix_solve", "matrix_solve_ls", "matrix_transpose", "matrix_triangular_solve",
    "maximum", "meshgrid", "minimum", "mod", "model_variables",
    "moving_average_variables", "multinomial", "multiply", "name_scope", "negative",
    "newaxis", "nn", "no_op", "norm", "not_equal", "one_hot", "ones",
    "ones_initializer", "ones_like", "operation", "pad", "placeholder",
    "placeholder_with_default", "polygamma", "pow", "profile", "py_func", "qr",
    "random_crop", "random_gamma", "random_normal", "random_normal_initializer",
    "random_poisson", "random_shuffle", "random_uniform", "random_uniform_initializer",
    "range", "rank", "real", "realdiv", "reciprocal", "reduce_all", "reduce_any",
    "reduce_logsumexp", "reduce_max", "reduce_mean", "reduce_min", "reduce_prod",
    "reduce_sum", "relu", "repeat", "report_uninitialized_variables",
    "reset_default_graph", "reshape", "reverse", "reverse_sequence", "rint", "roll",
    "round", "rsqrt", "runtime", "saturate_cast", "scalar_mul", "scan", "scatter_add",
    "scatter_div", "scatter_max", "scatter_min", "scatter_mul", "scatter_nd",
    "scatter_nd_add", "scatter_nd_sub", "scatter_nd_update", "scatter_sub",
    "scatter_update", "searchsorted", "segment_max", "segment_mean", "segment_min",
    "segment_prod", "segment_sum", "self_adjoint_eig", "self_adjoint_eigvals",
    "sequence_mask", "set_random_seed", "setdiff1d", "shape", "shape_n", "sigmoid",
    "sign", "sin", "sinh", "size", "slice", "softmax", "sort", "space_to_batch",
    "space_to_batch_nd", "space_to_depth", "sparse_add", "sparse_concat",
    "sparse_placeholder", "sparse_reduce_sum", "sparse_reorder", "sparse_reshape",
    "sparse_retain", "sparse_segment_mean", "sparse_segment_sqrt_n",
    "sparse_segment_sum", "sparse_tensor_dense_matmul", "sparse_tensor_to_dense",
    "sparse_to_dense", "sparse_transpose", "split", "sqrt", "square",
    "squared_difference", "squeeze", "stack", "stop_gradient", "strided_slice",
    "string", "string_join", "subtract", "svd", "switch_case", "tables_initializer",
    "tan", "tanh", "tensor_scatter_add", "tensor_scatter_nd_add",
    "tensor_scatter_nd_sub", "tensor_scatter_nd_update", "tensor_scatter_sub",
    "tensor_scatter_update", "tensordot", "testing", "tile", "to_double", "to_float",
    "to_int32", "to_int64", "trace", "train", "trainable_variables", "transpose",
    "traverse_postorder", "truediv", "truncated_normal", "truncated_normal_initializer",
    "truncatediv", "truncatemod", "tuple", "uint16", "uint32", "uint64", "uint8",
    "unique", "unique_with_counts", "unravel_index", "unsorted_segment_max",
    "unsorted_segment_mean", "unsorted_segment_min", "unsorted_segment_prod",
    "unsorted_segment_sqrt_n", "unsorted_segment_sum", "unstack", "variable_scope",
    "variables_initializer", "variance_scaling_initializer", "where", "where_v2",
    "while_loop", "zeros", "zeros_initializer", "zeros_like", "zeta",
]  # fmt: skip


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
