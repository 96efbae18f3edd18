"""Wrong uses: the class of the error, also where a run raises instead of a builder."""

import numpy as np

from .cases import case, each, outcome

VALUE, TYPE, KEY = "ValueError", "TypeError", "KeyError"
INVALID = "InvalidArgumentError"


def _x(tf, *shape, dtype="float32"):
    return tf.placeholder(dtype, list(shape))


def _run(tf, fetches, feed=None):
    tf.no_op()  # a session on an empty graph would be another error
    with tf.Session() as sess:
        return sess.run(fetches, feed)


def _apart(tf):
    """A tensor of another graph."""
    with tf.Graph().as_default():
        return tf.constant(1.0)


def _reuse(tf, reuse, *arguments, **keywords):
    with tf.variable_scope("s", reuse=reuse):
        return tf.get_variable(*arguments, **keywords)


def _uninitialized(tf):
    v, w = tf.Variable(1.0), tf.Variable(1.0)
    with tf.Session() as sess:
        sess.run(v.initializer)
        sess.run(w + 1.0)


def _finalized(tf):
    tf.get_default_graph().finalize()
    tf.constant(1.0)


def _no_rule(tf):
    x = tf.constant(1.0)
    with tf.get_default_graph().gradient_override_map({"Exp": "ParityNoSuchRule"}):
        y = tf.exp(x)
    tf.gradients(y, x)


def _wrong_arity(tf):
    @tf.custom_gradient
    def f(x, y):
        return x + y, lambda grad: grad

    x, y = tf.constant(1.0), tf.constant(2.0)
    tf.gradients(f(x, y), [x, y])


def _optimizer(tf):
    return tf.train.GradientDescentOptimizer(0.1)


BUILDING = {
    "add_shapes": (lambda tf: _x(tf, 2, 3) + _x(tf, 4), VALUE),
    "add_floats": (lambda tf: _x(tf) + _x(tf, dtype="float64"), TYPE, VALUE),
    "add_int": (lambda tf: _x(tf) + _x(tf, dtype="int32"), TYPE, VALUE),
    "add_float_to_int": (lambda tf: _x(tf, dtype="int32") + 1.5, TYPE, VALUE),
    "add_text": (lambda tf: _x(tf) + "a", TYPE, VALUE),
    "multiply_shapes": (lambda tf: _x(tf, 2, 3) * _x(tf, 3, 2), VALUE),
    "matmul_shapes": (lambda tf: tf.matmul(_x(tf, 2, 3), _x(tf, 2, 3)), VALUE),
    "matmul_vector": (lambda tf: tf.matmul(_x(tf, 3), _x(tf, 3, 2)), VALUE),
    "matmul_dtypes": (
        lambda tf: tf.matmul(_x(tf, 2, 2), _x(tf, 2, 2, dtype="int32")),
        TYPE,
        VALUE,
    ),
    "matmul_twice_a": (
        lambda tf: tf.matmul(_x(tf, 2, 2), _x(tf, 2, 2), True, adjoint_a=True),
        VALUE,
    ),
    "reshape": (lambda tf: tf.reshape(_x(tf, 2, 3), [4]), VALUE),
    "reshape_rest": (lambda tf: tf.reshape(_x(tf, 2, 3), [4, -1]), VALUE),
    "transpose": (lambda tf: tf.transpose(_x(tf, 2, 3), [0]), VALUE),
    "concat_shapes": (lambda tf: tf.concat([_x(tf, 2, 3), _x(tf, 2, 4)], 0), VALUE),
    "concat_ranks": (lambda tf: tf.concat([_x(tf, 2, 3), _x(tf, 2)], 0), VALUE),
    "concat_axis": (lambda tf: tf.concat([_x(tf, 2), _x(tf, 2)], 1), VALUE),
    "concat_dtypes": (
        lambda tf: tf.concat([_x(tf, 2), _x(tf, 2, dtype="int32")], 0),
        TYPE,
        VALUE,
    ),
    "stack_shapes": (lambda tf: tf.stack([_x(tf, 2), _x(tf, 3)]), VALUE),
    "stack_axis": (lambda tf: tf.stack([_x(tf, 2), _x(tf, 2)], axis=3), VALUE),
    "expand_dims": (lambda tf: tf.expand_dims(_x(tf, 2), 3), VALUE),
    "squeeze": (lambda tf: tf.squeeze(_x(tf, 2, 1), 0), VALUE),
    "gather_axis": (lambda tf: tf.gather(_x(tf, 2), [0], axis=2), VALUE),
    "gather_float": (lambda tf: tf.gather(_x(tf, 2), [0.5]), TYPE),
    "reduce_axis": (lambda tf: tf.reduce_sum(_x(tf, 2), 1), VALUE),
    "slice_outside": (lambda tf: _x(tf, 2)[2], VALUE),
    "slice_many": (lambda tf: _x(tf, 2)[0, 0], VALUE),
    "slice_two_ellipses": (lambda tf: _x(tf, 2, 2)[..., ...], VALUE),
    "slice_text": (lambda tf: _x(tf, 2)["a"], TYPE),
    "slice_float": (lambda tf: _x(tf, 2)[1.0], TYPE),
    "slice_zero_step": (lambda tf: _x(tf, 2)[::0], VALUE),
    "logical_not_float": (lambda tf: tf.logical_not(_x(tf)), TYPE),
    "log_int": (lambda tf: tf.log(_x(tf, dtype="int32")), TYPE),
    "add_n_empty": (lambda tf: tf.add_n([]), VALUE),
    "add_n_shapes": (lambda tf: tf.add_n([_x(tf, 2), _x(tf, 3)]), VALUE),
    "loss_shapes": (
        lambda tf: tf.nn.sigmoid_cross_entropy_with_logits(
            labels=_x(tf, 2), logits=_x(tf, 3)
        ),
        VALUE,
    ),
    "loss_ranks": (
        lambda tf: tf.nn.sparse_softmax_cross_entropy_with_logits(
            labels=_x(tf, 2, 3, dtype="int32"), logits=_x(tf, 2, 3)
        ),
        VALUE,
    ),
    "constant_none": (lambda tf: tf.constant(None), VALUE),
    "constant_ragged": (lambda tf: tf.constant([[1, 2], [3]]), VALUE),
    "constant_mixed": (lambda tf: tf.constant([1, "a"]), TYPE, VALUE),
    "constant_float_as_int": (lambda tf: tf.constant(1.5, tf.int32), TYPE),
    "constant_text_as_float": (lambda tf: tf.constant("a", tf.float32), TYPE),
    "constant_many": (lambda tf: tf.constant([1, 2, 3], shape=[2]), VALUE, TYPE),
    "convert_dtype": (
        lambda tf: tf.convert_to_tensor(tf.constant(1.0), tf.int32),
        VALUE,
    ),
    "convert_object": (lambda tf: tf.convert_to_tensor(object()), TYPE, VALUE),
    "bad_dtype": (lambda tf: tf.placeholder("nonsense"), TYPE),
    "bad_shape": (lambda tf: tf.placeholder(tf.float32, ["a"]), TYPE, VALUE),
    "negative_shape": (lambda tf: tf.TensorShape([-2]), VALUE),
    "name_with_space": (lambda tf: tf.constant(1.0, name="a b"), VALUE),
    "scope_with_space": (lambda tf: tf.name_scope("a b").__enter__(), VALUE),
    "two_graphs": (lambda tf: _apart(tf) + tf.constant(1.0), VALUE),
    "finalized": (_finalized, "RuntimeError"),
    "set_shape": (lambda tf: _x(tf, 2).set_shape([3]), VALUE),
    "merge": (lambda tf: tf.TensorShape([2]).merge_with([3]), VALUE),
    "rank": (lambda tf: tf.TensorShape([2]).with_rank(2), VALUE),
    "unknown_as_list": (lambda tf: tf.TensorShape(None).as_list(), VALUE),
    "unknown_length": (lambda tf: len(tf.TensorShape(None)), VALUE),
    "dimension_merge": (lambda tf: tf.Dimension(2).merge_with(3), VALUE),
    "dimension_int": (lambda tf: int(tf.Dimension(None)), TYPE),
    "control_of_a_number": (
        lambda tf: tf.control_dependencies([1.0]).__enter__(),
        TYPE,
    ),
    "group_of_a_number": (lambda tf: tf.group(1.0), TYPE),
}

LOOKUPS = {
    "tensor_without_index": (lambda g: g.get_tensor_by_name("x"), VALUE),
    "tensor_unknown": (lambda g: g.get_tensor_by_name("y:0"), KEY),
    "tensor_index": (lambda g: g.get_tensor_by_name("x:1"), KEY),
    "operation_with_index": (lambda g: g.get_operation_by_name("x:0"), VALUE),
    "operation_unknown": (lambda g: g.get_operation_by_name("y"), KEY),
    "tensor_by_number": (lambda g: g.get_tensor_by_name(3), TYPE),
    "operation_by_number": (lambda g: g.get_operation_by_name(3), TYPE),
    "element_number": (lambda g: g.as_graph_element(3), TYPE),
    "element_not_tensor": (
        lambda g: g.as_graph_element("x:0", allow_tensor=False),
        VALUE,
    ),
    "element_two_colons": (lambda g: g.as_graph_element("x:0:0"), VALUE),
}

VARIABLES = {
    "twice": (
        lambda tf: [_reuse(tf, False, "v", [1]), _reuse(tf, False, "v", [1])],
        VALUE,
    ),
    "reuse_missing": (lambda tf: _reuse(tf, True, "v", [1]), VALUE),
    "reuse_shape": (
        lambda tf: [_reuse(tf, False, "v", [1]), _reuse(tf, True, "v", [2])],
        VALUE,
    ),
    "reuse_dtype": (
        lambda tf: [_reuse(tf, False, "v", [1]), _reuse(tf, True, "v", [1], tf.int32)],
        VALUE,
    ),
    "no_shape": (lambda tf: tf.get_variable("v"), VALUE),
    "shape_and_value": (
        lambda tf: tf.get_variable("v", [1], initializer=tf.constant([1.0])),
        VALUE,
    ),
    "unknown_shape": (lambda tf: tf.Variable(tf.placeholder(tf.float32)), VALUE),
    "no_value": (lambda tf: tf.Variable(), VALUE, TYPE),
    "assign_shape": (lambda tf: tf.Variable([1.0]).assign([1.0, 2.0]), VALUE),
    "assign_dtype": (lambda tf: tf.Variable([1.0]).assign(["a"]), TYPE, VALUE),
    "assign_to_a_tensor": (
        lambda tf: tf.assign(tf.constant(1.0), 2.0),
        TYPE,
        VALUE,
        "AttributeError",
    ),
    "iterate": (lambda tf: list(tf.Variable([1.0])), TYPE),
}

TRAINING = {
    "nothing_to_train": (lambda tf: _optimizer(tf).minimize(tf.constant(1.0)), VALUE),
    "not_connected": (
        lambda tf: [tf.Variable(1.0), _optimizer(tf).minimize(tf.constant(1.0))],
        VALUE,
    ),
    "no_pairs": (lambda tf: _optimizer(tf).apply_gradients([]), VALUE),
    "only_none": (
        lambda tf: _optimizer(tf).apply_gradients([(None, tf.Variable(1.0))]),
        VALUE,
    ),
    "integer_variable": (
        lambda tf: _optimizer(tf).minimize(tf.square(tf.Variable(1))),
        VALUE,
        TYPE,
    ),
    "no_rule": (_no_rule, "LookupError"),
    "wrong_arity": (_wrong_arity, VALUE, TYPE),
    "grad_ys_count": (
        lambda tf: tf.gradients(tf.constant(1.0), tf.constant(1.0), grad_ys=[1.0, 2.0]),
        VALUE,
    ),
    "unconnected_word": (
        lambda tf: tf.gradients(
            tf.constant(1.0), tf.constant(1.0), unconnected_gradients="nonsense"
        ),
        VALUE,
    ),
    "step_twice": (
        lambda tf: [tf.train.create_global_step(), tf.train.create_global_step()],
        VALUE,
    ),
}

RUNNING = {
    "not_fed": (lambda tf: _run(tf, tf.identity(_x(tf, 2))), INVALID),
    "not_fed_scalar": (lambda tf: _run(tf, _x(tf) + 1.0), INVALID),
    "fed_shape": (lambda tf: _run(tf, tf.constant(1.0), {_x(tf, 2): [1.0]}), VALUE),
    "fed_rank": (
        lambda tf: _run(tf, tf.constant(1.0), {_x(tf, None, 2): [1.0, 2.0]}),
        VALUE,
    ),
    "fed_text": (lambda tf: _run(tf, tf.constant(1.0), {_x(tf): "a"}), VALUE, TYPE),
    "fed_ragged": (
        lambda tf: _run(tf, tf.constant(1.0), {_x(tf, None, None): [[1, 2], [3]]}),
        VALUE,
    ),
    "fed_tensor": (
        lambda tf: _run(tf, tf.constant(1.0), {_x(tf): tf.constant(1.0)}),
        TYPE,
    ),
    "feed_key": (lambda tf: _run(tf, tf.constant(1.0), {3: 1.0}), TYPE),
    "feed_name": (
        lambda tf: _run(tf, tf.constant(1.0), {"no:0": 1.0}),
        TYPE,
        VALUE,
        KEY,
    ),
    "feed_list": (lambda tf: _run(tf, tf.constant(1.0), [1.0]), TYPE, "AttributeError"),
    "fetch_none": (lambda tf: _run(tf, None), TYPE),
    "fetch_none_inside": (lambda tf: _run(tf, [tf.constant(1.0), None]), TYPE),
    "fetch_number": (lambda tf: _run(tf, 1), TYPE),
    "fetch_array": (lambda tf: _run(tf, np.float32(1.0)), TYPE),
    "fetch_name": (lambda tf: _run(tf, "no:0"), VALUE, KEY),
    "fetch_apart": (lambda tf: _run(tf, _apart(tf)), VALUE),
    "uninitialized": (_uninitialized, "FailedPreconditionError"),
    "eval_without_session": (lambda tf: tf.constant(1.0).eval(), VALUE),
    "run_without_session": (lambda tf: tf.no_op().run(), VALUE),
}

VALUES = {
    "add": (lambda tf, x, y: x + y, np.ones([2, 3]), np.ones([4])),
    "argmax": (lambda tf, x: tf.argmax(x, 1), [1.0, 2.0]),
    "assign": (lambda tf, x: tf.Variable(np.ones([1])).assign(x), [1.0, 2.0]),
    "concat": (lambda tf, x, y: tf.concat([x, y], 0), np.ones([2, 3]), np.ones([2, 4])),
    "floordiv": (lambda tf, x, y: x // y, 1, 0),
    "gather": (lambda tf, x, i: tf.gather(x, i), [1.0, 2.0], [2]),
    "gather_negative": (lambda tf, x, i: tf.gather(x, i), [1.0, 2.0], [-1]),
    "labels": (
        lambda tf, z, x: tf.nn.sparse_softmax_cross_entropy_with_logits(
            labels=z, logits=x
        ),
        [3, 0],
        np.ones([2, 3]),
    ),
    "loss": (
        lambda tf, z, x: tf.nn.softmax_cross_entropy_with_logits_v2(labels=z, logits=x),
        np.ones([2, 3]),
        np.ones([2, 4]),
    ),
    "matmul": (lambda tf, x, y: tf.matmul(x, y), np.ones([2, 3]), np.ones([2, 3])),
    "reshape": (lambda tf, x: tf.reshape(x, [2, -1]), np.ones([3])),
    "slice": (lambda tf, x: x[5], [1.0, 2.0]),
    "squeeze": (lambda tf, x: tf.squeeze(x, 0), [1.0, 2.0]),
    "stack": (lambda tf, x, y: tf.stack([x, y]), [1.0, 2.0], [1.0]),
    "where": (lambda tf, x, y: tf.where(x > 0, x, y), np.ones([2, 3]), np.ones([2, 2])),
}


@each(BUILDING | TRAINING)
def error(tf, row):
    build, *accepted = row
    return {"error": outcome(lambda: build(tf), *accepted)}


@each(VARIABLES)
def error_variable(tf, row):
    build, *accepted = row
    return {"error": outcome(lambda: build(tf), *accepted)}


@each(RUNNING)
def error_run(tf, row):
    build, *accepted = row
    return {"error": outcome(lambda: build(tf), *accepted)}


@each(VALUES)
def error_of_values(tf, row):
    """Little is known statically: a run may be what tells."""
    f, *values = row
    arrays = [np.asarray(value) for value in values]
    tensors = [tf.placeholder(a.dtype, [None] * a.ndim) for a in arrays]
    feed = dict(zip(tensors, arrays, strict=True))
    return {"error": outcome(lambda: _run(tf, f(tf, *tensors), feed), INVALID, VALUE)}


@each(LOOKUPS)
def error_lookup(tf, row):
    look, *accepted = row
    tf.placeholder(tf.float32, name="x")
    g = tf.get_default_graph()
    return {"error": outcome(lambda: look(g), *accepted)}


@case
def error_classes(tf):
    """The exceptions under `tf.errors`, and what they carry."""
    names = "InvalidArgumentError FailedPreconditionError NotFoundError OutOfRangeError"
    classes = [getattr(tf.errors, name) for name in names.split()]
    x = tf.placeholder(tf.float32, [2], name="x")
    facts = []
    try:
        with tf.Session() as sess:
            sess.run(x * 2.0)
    except tf.errors.OpError as error:
        facts = [isinstance(error.message, str), "x" in error.message, error.op is x.op]
    subclasses = [issubclass(c, tf.errors.OpError) for c in classes]
    return {"subclasses": subclasses, "facts": facts}
