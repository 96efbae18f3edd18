"""Variable scopes and `get_variable`: defaults, sharing, and what errors say."""

import inspect

import numpy as np
import pytest

import similarflow as sf


@pytest.fixture
def sess():
    return sf.Session()


def named_line(offset=1):
    return inspect.currentframe().f_back.f_lineno + offset


# Sharing, and messages


def test_a_name_that_exists_is_told_with_its_line_and_the_ways_out():
    line = named_line()
    sf.get_variable("w", [2])
    with pytest.raises(ValueError, match="variable w already exists") as caught:
        sf.get_variable("w", [2])
    text = str(caught.value)
    assert f'made at {__file__}:{line}: `sf.get_variable("w", [2])`\n' in text
    for way in (
        "reuse=True",
        "reuse=sf.AUTO_REUSE",
        "another",
        "reset_default_graph()",
    ):
        assert way in text


def test_a_name_that_does_not_exist_is_told_with_those_that_do():
    with (
        sf.variable_scope("s", reuse=True),
        pytest.raises(ValueError, match="There are: none"),
    ):
        sf.get_variable("w")
    names = [sf.get_variable(f"n{i}", []).op.name for i in range(8)]
    sf.Variable(1.0, name="unshared")
    with (
        sf.variable_scope("s", reuse=True),
        pytest.raises(ValueError, match="variable s/w does not exist") as caught,
    ):
        sf.get_variable("w")
    text = str(caught.value)
    assert f"There are: {', '.join(names[:6])}. " in text
    assert "reuse=sf.AUTO_REUSE" in text
    assert "sf.Variable(...) is not found by get_variable" in text


def test_another_shape_or_dtype_is_told_with_both_and_the_line():
    line = named_line()
    sf.get_variable("w", [2, 3])
    with sf.variable_scope("", reuse=True):
        for shape in ([2, 4], [2], [2, 3, 1], []):
            with pytest.raises(
                ValueError, match=r"w is shared, but has shape"
            ) as caught:
                sf.get_variable("w", shape)
            assert f"(2, 3), and {tuple(shape)} was asked for\n" in str(caught.value)
            assert f"made at {__file__}:{line}:" in str(caught.value)
        with pytest.raises(
            ValueError, match="has dtype float32, and int32 was"
        ) as caught:
            sf.get_variable("w", [2, 3], sf.int32)
        assert f"made at {__file__}:{line}:" in str(caught.value)


def test_sharing_takes_what_is_not_said_for_granted():
    w = sf.get_variable("w", [2, 3], sf.float64)
    with sf.variable_scope("", reuse=True):
        assert sf.get_variable("w") is w
        assert sf.get_variable("w", [None, 3]) is w
        assert sf.get_variable("w", sf.TensorShape([2, 3]), sf.float64) is w
        assert sf.get_variable("w", initializer=sf.ones_initializer()) is w


def test_reuse_goes_inwards_and_cannot_be_taken_back():
    with sf.variable_scope("a"):
        w = sf.get_variable("w", [])
        with sf.variable_scope("b"):
            v = sf.get_variable("v", [])
    with sf.variable_scope("a", reuse=True):
        assert sf.get_variable("w") is w
        with sf.variable_scope("b", reuse=False) as scope:
            assert scope.reuse is True
            assert sf.get_variable("v") is v
    with sf.variable_scope("a", reuse=sf.AUTO_REUSE), sf.variable_scope("b"):
        assert sf.get_variable("v", []) is v
        new = sf.get_variable("new", [])
        assert sf.get_variable("new", []) is new


def test_reuse_can_be_switched_on_for_the_rest_of_a_scope():
    with sf.variable_scope("a") as scope:
        w = sf.get_variable("w", [])
        scope.reuse_variables()
        assert sf.get_variable("w") is w
    with sf.variable_scope("a"), pytest.raises(ValueError, match="already exists"):
        sf.get_variable("w", [])


# Scopes


def test_a_scope_needs_a_name():
    with (
        pytest.raises(ValueError, match="needs a name, a scope, or default_name"),
        sf.variable_scope(None),
    ):
        pass
    with (
        pytest.raises(TypeError, match="name is a string, not 3"),
        sf.variable_scope(3),
    ):
        pass
    with (
        pytest.raises(ValueError, match="reuse needs a name"),
        sf.variable_scope(None, "layer", reuse=True),
    ):
        pass


def test_default_names_are_unique_in_the_scope_outside():
    names = []
    for outer in ("a", "a", "b"):
        with sf.variable_scope(outer), sf.variable_scope(None, "layer") as scope:
            names.append(scope.name)
    assert names == ["a/layer", "a/layer_1", "b/layer"]


def test_a_scope_object_is_entered_again_wherever_one_is():
    with sf.variable_scope("a"), sf.variable_scope("b") as scope:
        w = sf.get_variable("w", [])
    with sf.variable_scope("c"), sf.variable_scope(scope, reuse=True) as again:
        assert (again.name, again.original_name_scope) == ("a/b", "a/b/")
        assert sf.get_variable("w") is w
        assert sf.get_variable_scope() is again
        assert sf.constant(1.0, name="x").op.name == "c/b/x"
    with sf.variable_scope(scope), pytest.raises(ValueError, match="already exists"):
        sf.get_variable("w", [])


def test_a_scope_entered_again_keeps_its_defaults(sess):
    with sf.variable_scope("a", initializer=sf.constant_initializer(4.0)) as scope:
        pass
    zeros = sf.zeros_initializer()
    with sf.variable_scope("b", initializer=zeros), sf.variable_scope(scope):
        w = sf.get_variable("w", [])
    assert sess.run(w) == 4.0


def test_the_scope_is_left_after_an_exception():
    with pytest.raises(ZeroDivisionError), sf.variable_scope("a"):
        raise ZeroDivisionError
    assert sf.get_variable_scope().name == ""
    assert sf.get_default_graph().scope == ""


def test_without_a_name_scope_only_variables_are_prefixed():
    with sf.variable_scope("a", auxiliary_name_scope=False) as scope:
        assert sf.get_variable("w", []).op.name == "a/w"
        assert sf.constant(1.0, name="x").op.name == "x"
        assert scope.original_name_scope == ""


def test_values_choose_the_graph():
    with sf.Graph().as_default() as graph:
        x = sf.constant(1.0)
    with sf.variable_scope("a", values=[x]):
        w = sf.get_variable("w", [])
    assert w.graph is graph
    assert sf.get_default_graph() is not graph


def test_a_scope_has_the_attributes_that_it_has():
    with sf.variable_scope("a", dtype=sf.float64, constraint=sf.abs) as scope:
        assert scope.dtype == sf.float64
        assert scope.constraint is sf.abs
        assert scope.caching_device is None
    with pytest.raises(AttributeError, match="no attribute 'anything'"):
        scope.anything  # noqa: B018


def test_a_scope_lists_its_variables():
    sf.get_variable("w", [])
    with sf.variable_scope("a") as scope:
        v = sf.get_variable("v", [])
        fixed = sf.get_variable("fixed", [], trainable=False)
    with sf.variable_scope("ab"):
        sf.get_variable("v", [])
    assert scope.global_variables() == [v, fixed]
    assert scope.trainable_variables() == [v]
    assert len(sf.get_variable_scope().global_variables()) == 4


def test_a_scope_object_makes_variables_from_outside():
    with sf.variable_scope("a", initializer=sf.ones_initializer()) as scope:
        pass
    w = scope.get_variable("w", [2])
    assert w.op.name == "a/w"
    assert sf.Session().run(w).tolist() == [1.0, 1.0]
    assert sf.get_variable_scope().name == ""
    with pytest.raises(ValueError, match="a/w already exists"):
        scope.get_variable("w", [2])
    assert sf.get_variable_scope().name == ""


def test_name_scopes_and_control_dependencies_have_no_say():
    with sf.name_scope("n"), sf.control_dependencies([sf.no_op()]):
        w = sf.get_variable("w", [3], initializer=sf.random_normal_initializer())
        after = sf.constant(1.0)
    assert w.op.name == "w"
    assert w.initial_value.op.name == "w/Initializer/random_normal"
    assert w.initial_value.op.control_inputs == ()
    assert after.op.name == "n/Const"
    assert after.op.control_inputs != ()


# Defaults


def test_floats_start_between_glorot_s_ends_and_others_at_zero(sess):
    sf.set_random_seed(1)
    w = sf.get_variable("w", [100, 200])
    n = sf.get_variable("n", [2], sf.int32)
    flag = sf.get_variable("flag", [2], sf.bool)
    z = sf.get_variable("z", [200], sf.float64)
    value, whole, flags, vector = sess.run([w, n, flag, z])
    assert np.abs(value).max() == pytest.approx((6 / 300) ** 0.5, rel=1e-2)
    assert whole.tolist() == [0, 0]
    assert flags.tolist() == [False, False]
    assert vector.dtype == np.float64
    assert vector.std() > 0.0
    assert w.dtype == sf.float32


def test_a_scope_s_initialiser_can_be_set_and_left_out(sess):
    with sf.variable_scope("a") as scope:
        scope.set_initializer(sf.constant_initializer(7.0))
        a = sf.get_variable("a", [])
        with sf.variable_scope("inner"):
            b = sf.get_variable("b", [])
        c = sf.get_variable("c", initializer=1.0)
    d = sf.get_variable("d", [], initializer=sf.zeros_initializer())
    assert sess.run([a, b, c, d]) == [7.0, 7.0, 1.0, 0.0]


def test_initialisers_of_every_kind(sess):
    def threes(shape, dtype=None):
        return sf.fill(shape, sf.cast(3.0, dtype))

    made = [
        sf.get_variable("a", [2], initializer=sf.ones_initializer),
        sf.get_variable("b", [2], sf.float64, initializer=threes),
        sf.get_variable("c", initializer=[1, 2]),
        sf.get_variable("d", initializer=sf.constant([5.0, 6.0])),
        sf.get_variable("e", dtype=sf.float64, initializer=np.array([1, 2])),
    ]
    values = sess.run(made)
    assert [v.tolist() for v in values] == [
        [1.0, 1.0], [3.0, 3.0], [1, 2], [5.0, 6.0], [1.0, 2.0],
    ]  # fmt: skip
    assert [v.dtype.name for v in values] == [
        "float32", "float64", "int32", "float32", "float64",
    ]  # fmt: skip
    assert made[2].initial_value.op.name == "c/Initializer/Const"


def test_a_function_may_take_the_partition_or_nothing_at_all(sess):
    def with_partition(shape, dtype, partition_info):
        assert partition_info is None
        return sf.ones(shape, dtype)

    a = sf.get_variable("a", [2], initializer=with_partition)
    b = sf.get_variable("b", initializer=lambda: sf.constant([5.0, 6.0]))
    assert [v.tolist() for v in sess.run([a, b])] == [[1.0, 1.0], [5.0, 6.0]]


def test_a_shape_beside_a_value_is_an_error():
    with pytest.raises(
        ValueError, match=r"has the shape \(2,\)\. Leave the shape \(2,\)"
    ):
        sf.get_variable("w", [2], initializer=[1.0, 2.0])


def test_a_shape_is_needed_and_must_be_known():
    for shape in (None, [None, 2]):
        with pytest.raises(ValueError, match=r"variable w needs a shape .* got"):
            sf.get_variable("w", shape)
    assert sf.get_variable("w", []).shape.as_list() == []  # nothing was left behind


def test_a_scope_s_dtype_is_the_default():
    with sf.variable_scope("a", dtype=sf.float64), sf.variable_scope("b"):
        assert sf.get_variable("v", [1]).dtype == sf.float64
        assert sf.get_variable("w", [1], sf.float16).dtype == sf.float16


def test_options_reach_the_variable():
    keys = sf.GraphKeys
    w = sf.get_variable(
        "w", [1], trainable=False, collections=[keys.MODEL_VARIABLES], constraint=sf.abs
    )
    assert sf.model_variables() == [w]
    assert sf.trainable_variables() == sf.global_variables() == []
    assert w.options["constraint"] is sf.abs
    with sf.variable_scope("a", constraint=sf.exp):
        assert sf.get_variable("v", [1]).options["constraint"] is sf.exp
    loose = sf.get_variable(
        "loose", initializer=sf.placeholder(sf.float32), validate_shape=False
    )
    assert loose.value().static_shape is None


def test_a_local_variable_is_neither_trained_nor_global():
    w = sf.get_local_variable("w", [2])
    v = sf.get_local_variable("v", [2], collections=["mine"], trainable=True)
    assert sf.local_variables() == [w]
    assert sf.get_collection("mine") == [v]
    assert sf.trainable_variables() == sf.global_variables() == []


# Regularisers


def penalty(scale):
    return lambda v: scale * sf.reduce_sum(sf.square(v))


def test_regularisers_add_their_losses_once(sess):
    losses = sf.GraphKeys.REGULARIZATION_LOSSES
    with sf.variable_scope("a", regularizer=penalty(1.0)) as scope:
        sf.get_variable("v", initializer=[1.0, 2.0])
        sf.get_variable("w", initializer=[3.0], regularizer=penalty(10.0))
        scope.set_regularizer(penalty(100.0))
        with sf.variable_scope("b"):
            sf.get_variable("u", initializer=[1.0])
        scope.reuse_variables()
        sf.get_variable("v")
    sf.get_variable("plain", initializer=[1.0])
    found = sf.get_collection(losses)
    assert sess.run(found) == [5.0, 90.0, 100.0]
    assert found[0].op.name == "a/v/Regularizer/mul"


def test_a_regulariser_may_give_nothing():
    seen = []
    v = sf.get_variable("v", [1], regularizer=seen.append)
    assert seen == [v]
    assert sf.get_collection(sf.GraphKeys.REGULARIZATION_LOSSES) == []


# Getters


def test_a_custom_getter_sees_everything_and_may_change_it(sess):
    seen = {}

    def doubled(getter, name, *args, **kwargs):
        seen[name] = kwargs["shape"]
        return getter(name, *args, **{**kwargs, "shape": [4]})

    with sf.variable_scope("a", custom_getter=doubled):
        v = sf.get_variable("v", [2])
        with sf.variable_scope("b"):
            sf.get_variable("w", [3])
    assert seen == {"a/v": [2], "a/b/w": [3]}
    assert v.shape.as_list() == [4]


def test_a_getter_may_be_given_for_one_variable_and_give_anything():
    x = sf.constant(1.0)
    assert sf.get_variable("v", [], custom_getter=lambda **given: x) is x


def test_getters_inside_each_other_are_all_asked():
    seen = []

    def watch(label):
        def getter(getter, name, *args, **kwargs):
            seen.append(label)
            return getter(name, *args, **kwargs)

        return getter

    with (
        sf.variable_scope("a", custom_getter=watch("outer")),
        sf.variable_scope("b", custom_getter=watch("inner")),
    ):
        v = sf.get_variable("v", [], custom_getter=watch("own"))
    assert v.op.name == "a/b/v"
    assert sorted(seen) == ["inner", "outer", "own"]


# Slots


class Momentum(sf.train.Optimizer):
    """A plain optimizer with one slot."""

    def __init__(self):
        super().__init__(False, "Momentum")

    def _create_slots(self, var_list):
        for v in var_list:
            self._zeros_slot(v, "m", "M")

    def _apply_dense(self, grad, var):
        m = self.get_slot(var, "m")
        return sf.assign_sub(var, 0.1 * sf.assign(m, 0.5 * m + grad))


@pytest.mark.parametrize("reuse", [True, sf.AUTO_REUSE])
def test_slots_ignore_reuse_and_scopes(sess, reuse):
    with sf.variable_scope("a"):
        w = sf.get_variable("w", initializer=1.0)
    with sf.variable_scope("a", reuse=reuse, initializer=sf.ones_initializer()):
        optimizer = Momentum()
        train = optimizer.minimize(w * w)
        again = Momentum()
        again.minimize(w * w)
    assert optimizer.get_slot(w, "m").op.name == "a/w/M"
    assert again.get_slot(w, "m").op.name == "a/w/M_1"
    sess.run(train)
    assert sess.run([w, optimizer.get_slot(w, "m")]) == [np.float32(0.8), 2.0]
