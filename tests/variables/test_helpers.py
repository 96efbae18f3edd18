"""Lists of variables, and what initialises them."""

import pytest

import similarflow as sf


@pytest.fixture
def sess():
    return sf.Session()


def test_variables_are_listed_by_collection_and_scope():
    keys = sf.GraphKeys
    a = sf.Variable(1.0, name="a")
    with sf.name_scope("s"):
        b = sf.Variable(1.0, name="b", trainable=False)
        c = sf.Variable(
            1.0, name="c", trainable=False, collections=[keys.LOCAL_VARIABLES]
        )
    sf.add_to_collection(keys.MODEL_VARIABLES, a)
    assert sf.global_variables() == [a, b]
    assert sf.global_variables("s/") == [b]
    assert sf.trainable_variables() == [a]
    assert sf.trainable_variables("s") == []
    assert sf.local_variables() == sf.local_variables("s") == [c]
    assert sf.model_variables() == [a]
    assert sf.model_variables("s") == []


def test_the_lists_are_copies():
    a = sf.Variable(1.0)
    sf.global_variables().clear()
    assert sf.global_variables() == [a]


def test_only_the_listed_variables_are_initialised(sess):
    a, b, c = sf.Variable(1.0), sf.Variable(2.0), sf.Variable(3.0)
    init = sf.variables_initializer([a, b], name="some")
    assert (init.name, init.type) == ("some", "NoOp")
    assert sess.run(init) is None
    assert sess.run([a, b]) == [1.0, 2.0]
    with pytest.raises(sf.errors.FailedPreconditionError):
        sess.run(c)


def test_any_iterable_of_variables_will_do(sess):
    a, b = sf.Variable(1.0), sf.Variable(2.0)
    sess.run(sf.variables_initializer(v for v in {a, b}))
    assert sess.run([a, b]) == [1.0, 2.0]


def test_nothing_to_initialise_is_no_error(sess):
    for init in (
        sf.global_variables_initializer(),
        sf.local_variables_initializer(),
        sf.tables_initializer(),
        sf.variables_initializer([]),
    ):
        assert init.type == "NoOp"
        assert sess.run(init) is None


def test_global_and_local_variables_are_initialised_apart(sess):
    keys = sf.GraphKeys
    a = sf.Variable(1.0)
    b = sf.Variable(2.0, collections=[keys.LOCAL_VARIABLES], trainable=False)
    sess.run(sf.global_variables_initializer())
    with pytest.raises(sf.errors.FailedPreconditionError, match="'Variable_1'"):
        sess.run(b)
    sess.run(sf.local_variables_initializer())
    assert sess.run([a, b]) == [1.0, 2.0]


def test_initialisers_made_before_a_variable_leave_it_out(sess):
    sf.Variable(1.0)
    init = sf.global_variables_initializer()
    late = sf.Variable(2.0, name="late")
    sess.run(init)
    with pytest.raises(
        sf.errors.FailedPreconditionError, match="after everything is built"
    ):
        sess.run(late)


def test_tables_are_initialised_by_what_their_collection_holds(sess):
    v = sf.Variable(1.0)
    sf.add_to_collection(sf.GraphKeys.TABLE_INITIALIZERS, v.initializer)
    init = sf.tables_initializer("tables")
    assert init.name == "tables"
    assert list(init.control_inputs) == [v.initializer]


def test_older_names_of_initializers():
    v = sf.Variable(3.0)
    sess = sf.Session()
    for build in (
        sf.initialize_all_variables,
        sf.initialize_local_variables,
        lambda: sf.initialize_variables([v]),
    ):
        sess.run(build())
    assert sess.run(v) == 3.0
