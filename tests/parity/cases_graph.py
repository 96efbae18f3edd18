"""The graph: looking things up, collections, control edges, variable scopes."""

import numpy as np

from .cases import case, each, kind, run


@case
def lookup_by_name(tf):
    g = tf.get_default_graph()
    x = tf.placeholder(tf.float32, [2], name="in/x")
    y = tf.add(x, 1.0, name="y")
    v = tf.Variable([1.0], name="v")
    return {
        "tensor": g.get_tensor_by_name("in/x:0") is x,
        "operation": g.get_operation_by_name("y") is y.op,
        "elements": [
            g.as_graph_element("y:0") is y,
            g.as_graph_element("y") is y.op,
            g.as_graph_element(y) is y,
            g.as_graph_element(y.op) is y.op,
            g.as_graph_element("y:0", allow_operation=False) is y,
            g.as_graph_element("y", allow_tensor=False) is y.op,
        ],
        "variable": [g.as_graph_element(v).name, g.as_graph_element("v").name],
        "run": run(tf, ["y:0", "in/x:0"], {"in/x:0": [1.0, 2.0]}),
    }


@case
def operations_and_tensors(tf):
    x = tf.placeholder(tf.float32, name="x")
    y = tf.multiply(x, x, name="y")
    op = y.op
    z = tf.identity(y, name="z")
    return {
        "operations": [o.name for o in tf.get_default_graph().get_operations()],
        "inputs": [t.name for t in op.inputs],
        "outputs": [t.name for t in op.outputs],
        "same": [op.outputs[0] is y, op.inputs[0] is x, y.graph is op.graph],
        "index": [y.value_index, op.name, kind(op)],
        "consumers": [[o.name for o in t.consumers()] for t in (x, y, z)],
        "control_inputs": list(op.control_inputs),
    }


@case
def tensors_compare_by_identity(tf):
    x, y = tf.constant(1.0), tf.constant(1.0)
    same, table = x, {x: "x", y: "y"}
    found = [x == y, x != y, x == same, x in [y, x], table[x], len({x, y, same})]
    return {"found": found}


@case
def graphs(tf):
    first = tf.get_default_graph()
    other = tf.Graph()
    with other.as_default():
        inside = tf.constant(1.0)
        with first.as_default():
            nested = tf.constant(2.0)
        after = tf.constant(3.0)
    outside = tf.constant(4.0)
    found = [
        [t.graph is first, t.graph is other] for t in (inside, nested, after, outside)
    ]
    names = [inside.name, nested.name, after.name, outside.name]
    tf.reset_default_graph()
    return {"graphs": found, "names": names, "new": tf.get_default_graph() is first}


@case
def graph_finalized(tf):
    g = tf.get_default_graph()
    x = tf.constant(1.0)
    before = g.finalized
    g.finalize()
    with tf.Session() as sess:
        return {"before": before, "after": g.finalized, "value": sess.run(x)}


@case
def collections_of_variables(tf):
    a = tf.Variable(1.0, name="a")
    b = tf.Variable(1.0, name="b", trainable=False)
    with tf.variable_scope("s"):
        tf.get_variable("c", [])
        tf.get_variable("d", [], trainable=False, collections=["mine"])
        tf.Variable(1.0, name="e", collections=[tf.GraphKeys.LOCAL_VARIABLES])
        tf.local_variables_initializer()

    def names(variables):
        return [v.name for v in variables]

    return {
        "global": names(tf.global_variables()),
        "trainable": names(tf.trainable_variables()),
        "local": names(tf.local_variables()),
        "mine": names(tf.get_collection("mine")),
        "scope": names(tf.global_variables("s")),
        "scope_slash": names(tf.trainable_variables(scope="s/")),
        "trainable_flags": [a.trainable, b.trainable],
        "keys": sorted(tf.get_default_graph().get_all_collection_keys()),
    }


@case
def collections_of_anything(tf):
    g = tf.get_default_graph()
    x, y = tf.constant(1.0, name="s/x"), tf.constant(2.0, name="y")
    tf.add_to_collection("c", x)
    tf.add_to_collection("c", y)
    tf.add_to_collection("c", 5)
    g.add_to_collections(["c", "d"], x)
    copy = tf.get_collection("c")
    copy.append(1)
    tf.get_collection_ref("e").append(7)
    g.clear_collection("d")
    return {
        "c": [getattr(v, "name", v) for v in tf.get_collection("c")],
        "scope": [v.name for v in tf.get_collection("c", scope="s")],
        "regex": [v.name for v in tf.get_collection("c", scope="y")],
        "rest": [tf.get_collection(name) for name in ("d", "e", "f")],
        "keys": sorted(g.get_all_collection_keys()),
    }


@case
def collection_names(tf):
    keys = "GLOBAL_VARIABLES TRAINABLE_VARIABLES LOCAL_VARIABLES LOSSES UPDATE_OPS"
    keys += " REGULARIZATION_LOSSES SUMMARIES GLOBAL_STEP MODEL_VARIABLES TRAIN_OP"
    return {"names": {key: getattr(tf.GraphKeys, key) for key in keys.split()}}


def _controls(*tensors):
    return [sorted(c.name for c in t.op.control_inputs) for t in tensors]


@case
def control_edges(tf):
    a, b = tf.constant(1.0, name="a"), tf.no_op(name="b")
    v = tf.Variable(1.0, name="v")
    with tf.control_dependencies([a, b]):
        x = tf.constant(1.0)
        with tf.control_dependencies([v.initializer]):
            y = tf.constant(2.0)
            with tf.control_dependencies(None):
                z = tf.constant(3.0)
                with tf.control_dependencies([b]):
                    w = tf.constant(4.0)
        u = tf.constant(5.0)
    t = tf.constant(6.0)
    return {"controls": _controls(x, y, z, w, u, t)}


@case
def control_edges_that_inputs_imply(tf):
    """An operation that has the control input as an input gets no control edge."""
    a = tf.constant(1.0, name="a")
    with tf.control_dependencies([a]):
        b = tf.identity(a, name="b")
        c = tf.identity(b, name="c")
    return {"controls": _controls(b, c)}


@case
def control_edges_order_a_run(tf):
    v = tf.Variable(1.0)
    add = v.assign_add(10.0)
    with tf.control_dependencies([add]):
        double = tf.assign(v, v.value() * 2.0)
    with tf.control_dependencies([double]):
        done = tf.no_op()
    with tf.Session() as sess:
        sess.run(v.initializer)
        first = sess.run(double)
        sess.run(done)
        return {"first": first, "second": sess.run(v)}


@case
def control_edges_run_side_effects(tf):
    v, w = tf.Variable(1.0), tf.Variable(1.0)
    with tf.control_dependencies([v.assign(5.0), w.assign(6.0)]):
        x = tf.constant(3.0)
        y = tf.identity(2.0)
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        found = [sess.run(x + 1.0), sess.run([v, w]), sess.run(y)]
    return {"found": found}


@case
def control_edges_of_a_tensor_made_outside(tf):
    """A tensor that exists already does not wait."""
    v = tf.Variable(1.0)
    x = tf.constant(3.0)
    with tf.control_dependencies([v.assign(5.0)]):
        y = x
    with tf.Session() as sess:
        sess.run(v.initializer)
        return {"y": sess.run(y), "v": sess.run(v)}


@case
def graph_control_dependencies(tf):
    g = tf.Graph()
    with g.as_default():
        a = tf.no_op(name="a")
        with g.control_dependencies([a]):
            x = tf.constant(1.0)
    return {"controls": _controls(x)}


@case
def tuples_and_groups(tf):
    v, w = tf.Variable(1.0), tf.Variable(2.0)
    both = tf.group(v.assign_add(1.0), w.assign(7.0))
    x, y = tf.tuple([tf.constant(1.0), tf.constant(2.0)])
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        nothing = sess.run(both)
        return {"group": nothing, "values": sess.run([v, w, x, y])}


@case
def devices(tf):
    with tf.device("/cpu:0"):
        x = tf.constant(1.0)
        with tf.device(None):
            y = tf.constant(1.0)
    return {"devices": [x.device, y.device, x.op.device], "value": run(tf, x + y)}


@case
def variable_reuse(tf):
    with tf.variable_scope("a") as scope:
        first = tf.get_variable("w", [2])
        before = scope.reuse
    with tf.variable_scope("a", reuse=True):
        second = tf.get_variable("w", [2])
        with tf.variable_scope("b"):
            inherited = tf.get_variable_scope().reuse
    with tf.variable_scope(scope, reuse=True):
        third = tf.get_variable("w")
    with tf.variable_scope("a"):
        tf.get_variable_scope().reuse_variables()
        fourth = tf.get_variable("w")
    with tf.variable_scope("a", reuse=tf.AUTO_REUSE):
        fifth = tf.get_variable("w", [2])
        new = [tf.get_variable("u", [3]) for _ in range(2)]
    same = [v is first for v in (second, third, fourth, fifth)] + [new[0] is new[1]]
    names = [v.name for v in tf.global_variables()]
    return {"same": same, "flags": [bool(before), bool(inherited)], "all": names}


@case
def variable_reuse_at_the_top(tf):
    with tf.variable_scope(tf.get_variable_scope(), reuse=tf.AUTO_REUSE):
        v, w = tf.get_variable("v", [1]), tf.get_variable("v", [1])
    with tf.variable_scope("", reuse=True):
        u = tf.get_variable("v")
    return {"same": [v is w, v is u], "name": v.name}


@case
def variable_scope_defaults(tf):
    constant, zeros = tf.constant_initializer(3.0), tf.zeros_initializer()
    with tf.variable_scope("a", initializer=constant):
        v = tf.get_variable("v", [2])
        with tf.variable_scope("b", initializer=zeros, dtype=tf.float64):
            w = tf.get_variable("w", [1])
        u = tf.get_variable("u", [1], initializer=tf.ones_initializer())
    return {"values": run(tf, [v, w, u])}


@case
def variable_from_values(tf):
    made = [
        tf.get_variable("a", initializer=[1.0, 2.0]),
        tf.get_variable("b", initializer=np.array([[1, 2]])),
        tf.get_variable("c", [2, 2], initializer=tf.constant_initializer([1, 2, 3, 4])),
        tf.get_variable("d", [2], tf.int32, initializer=tf.zeros_initializer()),
        tf.get_variable("e", shape=(), initializer=tf.constant_initializer(2)),
        tf.get_variable("f", [2], initializer=tf.ones_initializer, dtype="float64"),
        tf.Variable(tf.zeros([2, 1]) + 3.0),
        tf.Variable(lambda: tf.constant(4.0)),
        tf.Variable([True, False]),
        tf.Variable("ab"),
        tf.Variable(1, dtype=tf.float64),
        tf.Variable(np.float64(1.0)),
        tf.Variable(2.5, expected_shape=[]),
    ]
    facts = [[v.dtype.base_dtype.name, v.get_shape().as_list()] for v in made]
    return {"facts": facts, "values": run(tf, made)}


@case
def variable_getter(tf):
    seen = []

    def watch(getter, name, *arguments, **keywords):
        seen.append(name)
        return getter(name, *arguments, **keywords)

    with tf.variable_scope("a", custom_getter=watch):
        tf.get_variable("v", [])
        with tf.variable_scope("b"):
            tf.get_variable("w", [])
    tf.get_variable("u", [])
    return {"seen": seen}


@case
def variable_depends_on_another(tf):
    v = tf.Variable([1.0, 2.0], name="v")
    w = tf.Variable(v.initialized_value() * 2.0, name="w")
    return {"values": run(tf, [v, w])}


@case
def variable_facts(tf):
    v = tf.Variable([[1.0, 2.0]], name="v")
    found = [v.name, v.op.name, v.shape.as_list(), v.get_shape().as_list()]
    found += [v.dtype.base_dtype.name, v.graph is tf.get_default_graph(), v.trainable]
    t = tf.convert_to_tensor(v)
    found += [t.dtype.name, t.get_shape().as_list(), v.value().dtype.base_dtype.name]
    with tf.Session() as sess:
        sess.run(v.initializer)
        found += [v.eval(sess), sess.run(v.initialized_value())]
    return {"found": found}


@each({"assign": "assign", "assign_add": "assign_add", "assign_sub": "assign_sub"})
def variable_update(tf, name):
    v = tf.Variable([1.0, 2.0])
    update = getattr(tf, name)(v, [10.0, 20.0])
    method = getattr(v, name)([1, 2])
    with tf.Session() as sess:
        sess.run(v.initializer)
        found = [sess.run(update), sess.run(v), sess.run(method.op), sess.run(v)]
        v.load([5.0, 6.0], sess)
        found += [sess.run(v), sess.run(update)]
    return {"found": found, "static": update.get_shape().as_list()}


@case
def variable_of_two_sessions(tf):
    v = tf.Variable(1.0)
    add = v.assign_add(1.0)
    with tf.Session() as first, tf.Session() as second:
        first.run(v.initializer)
        second.run(v.initializer)
        first.run(add)
        return {"values": [first.run(v), second.run(v)]}


@case
def variable_assign_another_shape(tf):
    v = tf.Variable([1.0], validate_shape=False)
    w = tf.placeholder(tf.float32)
    change = tf.assign(v, w, validate_shape=False)
    with tf.Session() as sess:
        sess.run(v.initializer)
        return {"values": [sess.run(change, {w: [[1.0, 2.0]]}), sess.run(v + 1.0)]}
