"""Names and types that TensorFlow 1 gives to operations, tensors and variables."""

import numpy as np

from .cases import case, each, kind


class Inputs:
    """Placeholders named x, y, b, i, and a string s."""

    def __init__(self, tf):
        self.x = tf.placeholder(tf.float32, [None, 3], name="x")
        self.y = tf.placeholder(tf.float32, [None, 3], name="y")
        self.b = tf.placeholder(tf.bool, [None, 3], name="b")
        self.i = tf.placeholder(tf.int32, [None], name="i")
        self.s = tf.placeholder(tf.string, [], name="s")


BUILDERS = {
    "abs": lambda tf, p: tf.abs(p.x),
    "abs_operator": lambda tf, p: abs(p.x),
    "add": lambda tf, p: tf.add(p.x, p.y),
    "add_operator": lambda tf, p: p.x + p.y,
    "add_n": lambda tf, p: tf.add_n([p.x, p.y]),
    "and_operator": lambda tf, p: p.b & p.b,
    "argmax": lambda tf, p: tf.argmax(p.x, 1),
    "cast": lambda tf, p: tf.cast(p.x, tf.int32),
    "concat": lambda tf, p: tf.concat([p.x, p.y], 0),
    "constant": lambda tf, p: tf.constant(1.0),
    "convert_to_tensor": lambda tf, p: tf.convert_to_tensor(1.0),
    "divide": lambda tf, p: tf.divide(p.x, p.y),
    "divide_operator": lambda tf, p: p.x / p.y,
    "equal": lambda tf, p: tf.equal(p.x, p.y),
    "exp": lambda tf, p: tf.exp(p.x),
    "expand_dims": lambda tf, p: tf.expand_dims(p.x, 0),
    "fill": lambda tf, p: tf.fill([2], 1.0),
    "floordiv": lambda tf, p: tf.floordiv(p.x, p.y),
    "floordiv_operator": lambda tf, p: p.x // p.y,
    "gather": lambda tf, p: tf.gather(p.x, p.i),
    "greater": lambda tf, p: tf.greater(p.x, p.y),
    "greater_operator": lambda tf, p: p.x > p.y,
    "greater_equal": lambda tf, p: tf.greater_equal(p.x, p.y),
    "identity": lambda tf, p: tf.identity(p.x),
    "less": lambda tf, p: tf.less(p.x, p.y),
    "less_operator": lambda tf, p: p.x < p.y,
    "less_equal": lambda tf, p: tf.less_equal(p.x, p.y),
    "log": lambda tf, p: tf.log(p.x),
    "log_softmax": lambda tf, p: tf.nn.log_softmax(p.x),
    "logical_and": lambda tf, p: tf.logical_and(p.b, p.b),
    "logical_not": lambda tf, p: tf.logical_not(p.b),
    "logical_or": lambda tf, p: tf.logical_or(p.b, p.b),
    "matmul": lambda tf, p: tf.matmul(p.x, p.y, transpose_b=True),
    "matmul_operator": lambda tf, p: p.x @ np.ones([3, 2]),
    "matmul_batch": lambda tf, p: tf.matmul(p.x[tf.newaxis], p.y[tf.newaxis], True),
    "maximum": lambda tf, p: tf.maximum(p.x, p.y),
    "minimum": lambda tf, p: tf.minimum(p.x, p.y),
    "mod": lambda tf, p: tf.mod(p.x, p.y),
    "mod_operator": lambda tf, p: p.x % p.y,
    "multiply": lambda tf, p: tf.multiply(p.x, p.y),
    "multiply_operator": lambda tf, p: p.x * p.y,
    "negative": lambda tf, p: tf.negative(p.x),
    "negative_operator": lambda tf, p: -p.x,
    "no_op": lambda tf, p: tf.no_op(),
    "not_equal": lambda tf, p: tf.not_equal(p.x, p.y),
    "not_operator": lambda tf, p: ~p.b,
    "one_hot": lambda tf, p: tf.one_hot(p.i, 3),
    "or_operator": lambda tf, p: p.b | p.b,
    "placeholder": lambda tf, p: tf.placeholder(tf.float32),
    "placeholder_with_default": lambda tf, p: tf.placeholder_with_default(p.x, None),
    "pow": lambda tf, p: tf.pow(p.x, p.y),
    "pow_operator": lambda tf, p: p.x**p.y,
    "rank": lambda tf, p: tf.rank(tf.placeholder(tf.float32)),
    "reduce_all": lambda tf, p: tf.reduce_all(p.b, 1),
    "reduce_any": lambda tf, p: tf.reduce_any(p.b, 1),
    "reduce_max": lambda tf, p: tf.reduce_max(p.x, 1),
    "reduce_mean": lambda tf, p: tf.reduce_mean(p.x, 1),
    "reduce_min": lambda tf, p: tf.reduce_min(p.x, 1),
    "reduce_prod": lambda tf, p: tf.reduce_prod(p.x, 1),
    "reduce_sum": lambda tf, p: tf.reduce_sum(p.x, 1),
    "relu": lambda tf, p: tf.nn.relu(p.x),
    "reshape": lambda tf, p: tf.reshape(p.x, [-1]),
    "shape": lambda tf, p: tf.shape(p.x),
    "sigmoid": lambda tf, p: tf.sigmoid(p.x),
    "size": lambda tf, p: tf.size(p.x),
    "slice": lambda tf, p: p.x[0],
    "softmax": lambda tf, p: tf.nn.softmax(p.x),
    "sqrt": lambda tf, p: tf.sqrt(p.x),
    "square": lambda tf, p: tf.square(p.x),
    "squeeze": lambda tf, p: tf.squeeze(p.x),
    "stack": lambda tf, p: tf.stack([p.x, p.y]),
    "stop_gradient": lambda tf, p: tf.stop_gradient(p.x),
    "string_join": lambda tf, p: tf.string_join([p.s, p.s]),
    "subtract": lambda tf, p: tf.subtract(p.x, p.y),
    "subtract_operator": lambda tf, p: p.x - p.y,
    "tanh": lambda tf, p: tf.tanh(p.x),
    "transpose": lambda tf, p: tf.transpose(p.x),
    "truediv": lambda tf, p: tf.truediv(p.x, p.y),
    "where": lambda tf, p: tf.where(p.b, p.x, p.y),
    "where_true": lambda tf, p: tf.where(p.b),
    "zeros_like": lambda tf, p: tf.zeros_like(p.x),
}


@each(BUILDERS)
def builder(tf, f):
    """The default name and the type. Static shapes are unknown: nothing is folded."""
    made = f(tf, Inputs(tf))
    return {"name": made.name, "type": kind(made)}


COMPOSITES = {
    "logical_xor": lambda tf, p: tf.logical_xor(p.b, p.b),
    "ones": lambda tf, p: tf.ones([2]),
    "ones_like": lambda tf, p: tf.ones_like(p.x),
    "random_normal": lambda tf, p: tf.random_normal([2]),
    "random_uniform": lambda tf, p: tf.random_uniform([2]),
    "truncated_normal": lambda tf, p: tf.truncated_normal([2]),
    "xor_operator": lambda tf, p: p.b ^ p.b,
    "zeros": lambda tf, p: tf.zeros([2]),
    "sigmoid_cross_entropy": lambda tf, p: tf.nn.sigmoid_cross_entropy_with_logits(
        labels=p.x, logits=p.y
    ),
    "gradients": lambda tf, p: tf.gradients(tf.square(p.x), p.x)[0],
}


@each(COMPOSITES)
def builder_of_several(tf, f):
    """In TensorFlow several operations, so only the first part of the name counts."""
    made = f(tf, Inputs(tf))
    return {"first": made.op.name.split("/")[0]}


LOSSES = {
    "softmax": "softmax_cross_entropy_with_logits",
    "softmax_v2": "softmax_cross_entropy_with_logits_v2",
}


@each(LOSSES)
def builder_of_loss(tf, function):
    p = Inputs(tf)
    loss = getattr(tf.nn, function)(labels=p.x, logits=p.y)
    return {"first": loss.op.name.split("/")[0]}


@case
def builder_of_sparse_loss(tf):
    p = Inputs(tf)
    f = tf.nn.sparse_softmax_cross_entropy_with_logits
    return {"first": f(labels=p.i, logits=p.y).op.name.split("/")[0]}


STATE = {
    "assign": lambda tf, v: tf.assign(v, 2.0),
    "assign_method": lambda tf, v: v.assign(2.0),
    "assign_add": lambda tf, v: tf.assign_add(v, 2.0),
    "assign_sub": lambda tf, v: v.assign_sub(2.0),
    "named": lambda tf, v: tf.assign(v, 2.0, name="set"),
}


@each(STATE)
def builder_of_state(tf, f):
    made = f(tf, tf.Variable(1.0, name="v"))
    return {"name": made.name, "type": kind(made)}


@case
def group_names(tf):
    a, b = tf.no_op(), tf.no_op("b")
    groups = [tf.group(a, b), tf.group([a], name="all"), tf.group()]
    facts = [[g.name, g.type, [c.name for c in g.control_inputs]] for g in groups]
    return {"groups": facts}


CHILDREN = {
    "add_right": lambda tf, p: p.x + 1.0,
    "add_left": lambda tf, p: 1.0 + p.x,
    "add_array": lambda tf, p: np.ones([3], np.float32) + p.x,
    "add_builder": lambda tf, p: tf.add(p.x, 1.0),
    "sub": lambda tf, p: 1 - p.x,
    "mul": lambda tf, p: 2 * p.x,
    "truediv": lambda tf, p: 1 / p.x,
    "floordiv": lambda tf, p: p.x // 2,
    "pow": lambda tf, p: p.x**2,
    "greater": lambda tf, p: p.x > 0,
    "equal": lambda tf, p: tf.equal(p.x, 0.0),
    "maximum": lambda tf, p: tf.maximum(0.0, p.x),
    "matmul": lambda tf, p: tf.matmul(p.x, np.ones([3, 2], np.float32)),
    "string_join": lambda tf, p: tf.string_join(["a", p.s]),
    "named": lambda tf, p: tf.add(p.x, 1.0, name="sum"),
    "scoped": lambda tf, p: tf.multiply(p.x, 2.0, name="in/ner"),
    "square": lambda tf, p: tf.square(3.0),
    "exp": lambda tf, p: tf.exp([1.0]),
    "sigmoid": lambda tf, p: tf.sigmoid(0.0),
    "identity": lambda tf, p: tf.identity(2.0),
    "negative": lambda tf, p: tf.negative(1),
    "where": lambda tf, p: tf.where(p.b[0], [1.0, 2.0, 3.0], p.x[0]),
    "cast": lambda tf, p: tf.cast([1.0], tf.int32),
}


@each(CHILDREN)
def constant_child(tf, f):
    """Plain values become constants named after the argument."""
    made = f(tf, Inputs(tf))
    return {"name": made.name, "inputs": [x.name for x in made.op.inputs]}


@case
def unique_names(tf):
    x = tf.placeholder(tf.float32, name="x")
    tensors = [
        x + x,
        x + x,
        tf.add(x, x),
        tf.add(x, x, name="add"),
        tf.add(x, x, name="mine"),
        tf.add(x, x, name="mine"),
        tf.add(x, x, name="mine_1"),
        tf.add(x, x, name="mine"),
        tf.placeholder(tf.float32),
        tf.placeholder(tf.float32),
        tf.placeholder(tf.float32, name="x"),
        tf.constant(1.0),
        tf.constant(1.0),
        tf.constant(1.0, name="Const_2"),
        tf.constant(1.0),
        tf.constant(1.0, name="const"),
    ]
    return {"names": [t.name for t in tensors], "ops": [t.op.name for t in tensors]}


@case
def unique_names_ignore_case(tf):
    """TensorFlow compares names without regard to case: Add after add is Add_1."""
    x = tf.placeholder(tf.float32, name="x")
    tensors = [x + x, tf.add(x, x), x * x, tf.multiply(x, x), tf.identity(x, "X")]
    return {"names": [t.name for t in tensors]}


@case
def unique_name_method(tf):
    g = tf.get_default_graph()
    names = [g.unique_name("a"), g.unique_name("a"), g.unique_name("b/c")]
    with g.name_scope("s"):
        names += [g.unique_name("a"), g.unique_name("a", mark_as_used=False)]
        names += [g.unique_name("a"), tf.constant(1.0, name="a").name]
    return {"names": names}


@case
def name_scopes(tf):
    names = []
    x = tf.placeholder(tf.float32, name="x")
    with tf.name_scope("s") as s:
        names += [s, (x + x).name, tf.constant(1.0, name="c").name]
        with tf.name_scope("t") as t:
            names += [t, (x + x).name, (x + x).name]
        with tf.name_scope("t") as t:
            names += [t, (x + x).name]
    with tf.name_scope("s") as again:
        names += [again, (x + x).name]
    with tf.name_scope("s/"):
        names += [(x + x).name]
    with tf.name_scope(s) as same:
        names += [same, (x + x).name]
    with tf.name_scope("s/t/") as inner:
        names += [inner, (x + x).name]
    with tf.name_scope("a/b") as deep:
        names += [deep, (x + x).name]
    with tf.name_scope("outer"):
        with tf.name_scope(None) as none:
            names += [none, tf.identity(x, "top").name]
        with tf.name_scope("") as empty:
            names += [empty, tf.identity(x, "top").name]
    return {"names": names}


@case
def name_scope_function(tf):
    def layer(x, name=None):
        with tf.name_scope(name, "layer", [x]) as scope:
            return tf.identity(x * 2.0, name=scope)

    x = tf.placeholder(tf.float32, name="x")
    tensors = [layer(x), layer(x), layer(x, "mine"), layer(x, name="mine")]
    inner = [t.op.inputs[0].name for t in tensors]
    return {"names": [t.name for t in tensors], "inner": inner}


@case
def name_ending_in_slash(tf):
    x = tf.placeholder(tf.float32, name="x")
    with tf.name_scope("s"):
        y = tf.identity(x, name="exact/")
    return {"name": y.name}


@case
def name_scope_and_operation(tf):
    x = tf.placeholder(tf.float32, name="x")
    with tf.name_scope("x") as scope:
        y = tf.identity(x)
    named = tf.identity(x, name="scope")
    with tf.name_scope("scope") as other:
        z = tf.identity(x)
    return {"names": [scope, y.name, named.name, other, z.name]}


@case
def graph_name_scope(tf):
    g = tf.Graph()
    with g.as_default(), g.name_scope("s") as s:
        c = tf.constant(1.0)
        current = [g.get_name_scope()]
        with g.name_scope("t"):
            current.append(g.get_name_scope())
    return {"names": [s, c.name, *current, g.get_name_scope()]}


@case
def variable_names(tf):
    made = [tf.Variable(1.0), tf.Variable(2.0), tf.Variable(3.0, name="w")]
    made += [tf.Variable(3.0, name="w"), tf.get_variable("g", [])]
    with tf.name_scope("n"):
        made += [tf.Variable(1.0, name="w"), tf.get_variable("h", [])]
    with tf.variable_scope("v"):
        made += [tf.Variable(1.0, name="w"), tf.get_variable("w", [])]
        made += [tf.get_variable("g", []), tf.Variable(1.0)]
    facts = [[v.name, v.op.name, kind(v.op)] for v in made]
    starts = [[v.initializer.name, v.initializer.type] for v in made[:3]]
    return {"variables": facts, "initializers": starts}


@case
def variable_scope_names(tf):
    names = []
    x = tf.placeholder(tf.float32, name="x")
    for reuse in (None, True):
        with tf.variable_scope("a", reuse=reuse) as scope:
            v = tf.get_variable("w", [])
            names += [scope.name, scope.original_name_scope, v.name, (v * x).name]
            with tf.variable_scope("b") as inner:
                u = tf.get_variable("w", [])
                names += [inner.name, inner.original_name_scope, u.name, (u * x).name]
    with tf.variable_scope(scope, reuse=True) as again:
        names += [again.name, again.original_name_scope, (v * x).name]
    with tf.variable_scope("z"), tf.variable_scope(scope, reuse=True):
        names += [tf.get_variable("w", []).name, (v * x).name]
    return {"names": names}


@case
def variable_scope_default_names(tf):
    names = []
    for given in (None, None, "mine", "mine", None):
        with tf.variable_scope(given, default_name="layer") as scope:
            names += [scope.name, scope.original_name_scope]
            names += [tf.Variable(0.0, name="w").name]
    with tf.name_scope("n"), tf.variable_scope("v") as scope:
        names += [scope.name, scope.original_name_scope]
        names += [tf.get_variable("w", []).name, tf.constant(0.0).name]
        with tf.name_scope("inner"):
            names += [tf.get_variable("u", []).name, tf.constant(0.0).name]
    with tf.variable_scope("v", auxiliary_name_scope=False):
        names += [tf.get_variable("t", []).name, tf.constant(0.0).name]
    return {"names": names}


@case
def training_names(tf):
    w = tf.Variable(1.0, name="w")
    step = tf.train.get_or_create_global_step()
    optimizer = tf.train.GradientDescentOptimizer(0.1)
    first, second = optimizer.minimize(w * w), optimizer.minimize(w * w, step)
    named = optimizer.minimize(w * w, name="go")
    init = tf.global_variables_initializer()
    names = [op.name for op in (first, second, named, init)]
    return {"names": [*names, step.name, optimizer.get_name()], "init": init.type}
