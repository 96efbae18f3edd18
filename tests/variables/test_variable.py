"""Variables: what they are, what they are made of, and what changes them."""

import numpy as np
import pytest

import similarflow as sf


@pytest.fixture
def sess():
    return sf.Session()


def types():
    return [op.type for op in sf.get_default_graph().operations]


# Names and facts


def test_a_variable_has_its_tensor_s_name_and_its_operation_s():
    w = sf.Variable([1.0], name="w")
    assert (w.name, w.op.name, w.op.type) == ("w:0", "w", "VariableV2")
    assert w.value() is w.as_tensor() is w.op.outputs[0]
    assert w.op.owner is w.node is w
    assert w.graph.variables == [w]
    assert sf.Variable(1.0).name == "Variable:0"


def test_shape_and_dtype_are_those_of_the_initial_value():
    w = sf.Variable([[1, 2]])
    assert (w.dtype, w.shape.as_list(), w.ndim) == (sf.int32, [1, 2], 2)
    assert sf.Variable(np.float64(1.0)).dtype == sf.float64
    assert sf.Variable(1, dtype=sf.float16).dtype == sf.float16
    assert sf.Variable(["a"]).dtype == sf.string
    w.set_shape([1, None])
    with pytest.raises(ValueError, match=r"[Ss]hape"):
        w.set_shape([3])


def test_dtype_is_what_the_initial_value_is_converted_to(sess):
    w = sf.Variable([1, 2], dtype=sf.float64)
    assert sess.run(w).dtype == np.float64
    with pytest.raises(TypeError, match=r"1\.5"):
        sf.Variable(1.5, dtype=sf.int32)
    with pytest.raises(ValueError, match="float64 is needed"):
        sf.Variable(sf.constant(1.0), dtype=sf.float64)


def test_a_variable_shows_itself():
    w = sf.Variable([[1.0, 2.0]], name="w")
    assert repr(w) == "<Variable 'w:0' shape=(1, 2) dtype=float32>"
    loose = sf.Variable([1.0], validate_shape=False, name="loose")
    assert repr(loose) == "<Variable 'loose:0' shape=<unknown> dtype=float32>"


def test_the_device_asked_for_is_recorded():
    with sf.device("/cpu:0"):
        w = sf.Variable(1.0)
    assert w.device == "/device:CPU:0"
    assert sf.Variable(1.0).device == ""


def test_variables_are_compared_and_hashed_by_identity():
    v, w = sf.Variable(1.0), sf.Variable(1.0)
    assert {v: 1, w: 2}[v] == 1
    assert v != w
    assert [v, w].index(w) == 1


# Initial values


def test_an_initial_value_is_needed():
    with pytest.raises(
        ValueError, match=r"needs its initial_value: sf\.Variable\(0\.0"
    ):
        sf.Variable()
    with pytest.raises(ValueError, match="initial_value"):
        sf.Variable(name="w")


def test_a_function_makes_the_initial_value_in_the_variable_s_scope(sess):
    made = []

    def start():
        made.append(sf.constant(2.0, name="two") * 3.0)
        return made[0]

    with sf.name_scope("s"), sf.control_dependencies([sf.no_op()]):
        w = sf.Variable(start, name="w")
        after = sf.constant(1.0, name="after")
    assert made[0].op.name == "s/w/Initializer/mul"
    assert made[0].op.control_inputs == made[0].op.inputs[0].op.control_inputs == ()
    assert w.op.control_inputs == ()
    assert after.op.name == "s/after"
    assert after.op.control_inputs != ()
    assert sess.run(w) == 6.0


def test_a_function_that_raises_leaves_the_scope():
    with pytest.raises(ZeroDivisionError):
        sf.Variable(lambda: 1 / 0)
    assert sf.constant(1.0, name="c").name == "c:0"


def test_lists_with_tensors_and_own_operations_are_initial_values(sess):
    class Two(sf.Operation):
        def infer(self):
            return [((), np.dtype(np.float32))]

        def compute(self):
            return 2.0

    v = sf.Variable([1.0, sf.constant(2.0)])
    w = sf.Variable(Two())
    assert [sess.run(v).tolist(), sess.run(w)] == [[1.0, 2.0], 2.0]


def test_an_unknown_shape_needs_validate_shape_false(sess):
    for shape in (None, [None, 2]):
        x = sf.placeholder(sf.float32, shape, name="x")
        with pytest.raises(ValueError, match="validate_shape=False") as caught:
            sf.Variable(x, name="w")
        assert "variable 'w" in str(caught.value)
        assert f"'{x.name}'" in str(caught.value)
    x = sf.placeholder(sf.float32)
    w = sf.Variable(x, validate_shape=False)
    sess.run(w.initializer, {x: [1.0, 2.0]})
    assert sess.run(w).tolist() == [1.0, 2.0]
    sess.run(w.initializer, {x: 3.0})
    assert sess.run(w) == 3.0


def test_a_variable_that_could_not_be_made_leaves_the_graph_whole():
    graph = sf.get_default_graph()
    with pytest.raises(ValueError, match="not known"):
        sf.Variable(sf.placeholder(sf.float32), name="w")
    assert [op.outputs[0].name for op in graph.get_operations()] == ["Placeholder:0"]
    assert graph.variables == sf.global_variables() == []
    graph.summary()


def test_an_initial_value_of_another_graph_is_refused():
    with sf.Graph().as_default():
        far = sf.constant(1.0)
    with pytest.raises(ValueError, match="graph"):
        sf.Variable(far)


def test_without_validation_a_variable_takes_any_shape(sess):
    w = sf.Variable([1.0], validate_shape=False)
    x = sf.placeholder(sf.float32)
    change = sf.assign(w, x)
    assert sess.run(change, {x: [[1.0, 2.0]]}).shape == (1, 2)
    assert sess.run(w * 2.0).tolist() == [[2.0, 4.0]]


# Collections


def test_variables_join_the_usual_collections():
    w = sf.Variable(1.0)
    fixed = sf.Variable(1.0, trainable=False)
    assert sf.global_variables() == [w, fixed]
    assert sf.trainable_variables() == [w]
    assert (w.trainable, fixed.trainable) == (True, False)
    assert sf.Variable(1.0, trainable=None).trainable is True


def test_collections_may_be_chosen():
    keys = sf.GraphKeys
    local = sf.Variable(1.0, collections=[keys.LOCAL_VARIABLES], trainable=False)
    mine = sf.Variable(1.0, collections=["mine", keys.TRAINABLE_VARIABLES])
    none = sf.Variable(1.0, collections=[], trainable=False)
    assert sf.global_variables() == []
    assert sf.local_variables() == [local]
    assert sf.get_collection("mine") == sf.trainable_variables() == [mine]
    assert none.graph.variables == [local, mine, none]


def test_further_options_are_kept():
    w = sf.Variable(1.0, constraint=sf.abs, use_resource=True)
    assert w.options == {"constraint": sf.abs, "use_resource": True}


# What is made only when it is asked for


def test_a_line_adds_two_operations():
    x = sf.Placeholder()
    w, b = sf.Variable([[1.0]]), sf.Variable(0.0)
    assert sf.get_default_graph().operations == []
    y = x * w + b
    assert [op.type for op in sf.get_default_graph().operations] == ["Mul", "Add"]
    sf.Session().run([y, w], {x: 2.0})
    assert types() == ["Mul", "Add"]


def test_the_initializer_is_made_once_when_asked_for():
    with sf.name_scope("s"):
        w = sf.Variable(1.0, name="w")
        assert types() == []
        with sf.control_dependencies([sf.no_op()]), sf.name_scope("elsewhere"):
            init = w.initializer
    assert w.initializer is init
    assert types() == ["NoOp", "Assign"]
    assert init.name == "s/w/Assign"
    assert init.control_inputs == ()


def test_the_initializer_works_after_the_graph_is_finalized(sess):
    w, v = sf.Variable(3.0), sf.Variable(4.0)
    sess.run(v.initializer)
    sf.get_default_graph().finalize()
    sess.run(w.initializer)
    assert sess.run([v, w]) == [4.0, 3.0]
    assert sf.get_default_graph().finalized
    with pytest.raises(RuntimeError, match="finalized"):
        w + 1.0


def test_reading_makes_an_identity_that_waits(sess):
    w = sf.Variable(1.0, name="w")
    with sf.control_dependencies([w.assign(5.0)]):
        read = w.read_value()
    assert read.op.type == "Identity"
    assert sess.run(read) == 5.0


def test_a_read_does_not_repeat_the_scope_in_its_name():
    with sf.name_scope("s"):
        read = sf.Variable(1.0, name="w").read_value()
    assert read.op.name in ("s/w/read", "s/read")


# Changing it


def test_a_value_cannot_be_set_from_outside_a_session():
    w = sf.Variable(1.0, name="w")
    with pytest.raises(AttributeError) as caught:
        w.value = 5.0
    assert str(caught.value) == (
        "the value of variable 'w' belongs to a session. Write "
        "sess.run(w.assign(new)) or w.load(new, sess)"
    )
    with pytest.raises(AttributeError):
        w.anything = 1.0


def test_assignments_give_the_new_value(sess):
    w = sf.Variable([1.0, 2.0])
    new = w.assign([3.0, 4.0], use_locking=True, name="new", read_value=False)
    more = w.assign_add([1.0, 1.0], name="more")
    less = w.assign_sub([2.0, 2.0], name="less")
    assert [t.op.name for t in (new, more, less)] == ["new", "more", "less"]
    values = [sess.run(t).tolist() for t in (new, more, less)]
    assert values == [[3.0, 4.0], [4.0, 5.0], [2.0, 3.0]]
    assert sess.run(w).tolist() == [2.0, 3.0]


def test_an_assignment_can_be_used_as_a_tensor(sess):
    w = sf.Variable(1.0)
    y = w.assign_add(2.0) * 10.0
    assert [sess.run(y), sess.run(y)] == [30.0, 50.0]


def test_a_variable_starts_from_another_one(sess):
    v = sf.Variable(2.0)
    w = sf.Variable(v.initialized_value() * 3.0)
    sess.run(sf.global_variables_initializer())
    assert sess.run(w) == 6.0


# It stands for its tensor


def test_operators_take_variables_on_both_sides(sess):
    w, m = sf.Variable([4.0, 9.0]), sf.Variable([[1.0, 2.0], [3.0, 4.0]])
    fetches = [
        w + 1, 1 + w, w - 1, 1 - w, w * 2, 2 * w, w / 2, 2 / w, w**2, 2.0**w, w // 3,
        w % 3, -w, abs(w), w > 5, w >= 9, w < 5, w <= 4, m @ m, m @ np.eye(2), w[0],
        m.T, np.sqrt(w), np.float32(3.0) * w, np.ones(2, np.float32) + w,
    ]  # fmt: skip
    a, b = np.array([4.0, 9.0], np.float32), np.array([[1.0, 2.0], [3.0, 4.0]])
    want = [
        a + 1, 1 + a, a - 1, 1 - a, a * 2, 2 * a, a / 2, 2 / a, a**2, 2.0**a, a // 3,
        a % 3, -a, abs(a), a > 5, a >= 9, a < 5, a <= 4, b @ b, b, a[0], b.T,
        np.sqrt(a), 3.0 * a, 1.0 + a,
    ]  # fmt: skip
    for found, expected in zip(sess.run(fetches), want, strict=True):
        np.testing.assert_allclose(found, expected, rtol=1e-6)
    flag = sf.Variable([True, False])
    found = sess.run([flag & True, flag | True, ~flag, flag ^ True])
    assert [f.tolist() for f in found] == [
        [True, False], [True, True], [False, True], [False, True],
    ]  # fmt: skip


def test_a_variable_is_a_control_dependency_without_effect(sess):
    w = sf.Variable(1.0)
    with sf.control_dependencies([w, w.assign_add(1.0)]):
        y = sf.identity(w)
    assert sess.run(y) == 2.0
    assert w.op in y.op.control_inputs or w.op in [t.op for t in y.op.inputs]


def test_gradients_reach_variables(sess):
    w = sf.Variable([1.0, 2.0])
    [grad] = sf.gradients(sf.reduce_sum(w * w), [w])
    assert sess.run(grad).tolist() == [2.0, 4.0]


def test_numbers_that_a_variable_does_not_have_are_not_given():
    w = sf.Variable([1.0, 2.0])
    for use in (float, bool, len, list, int):
        with pytest.raises(TypeError, match="has none before it is run"):
            use(w)
