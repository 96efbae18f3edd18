"""Writing variables."""

import numpy as np
import pytest

import similarflow as sf


@pytest.fixture
def v():
    return sf.Variable([1.0, 2.0], name="v")


@pytest.fixture
def sess():
    return sf.Session()


def test_names_types_and_static_facts(v):
    made = [
        sf.assign(v, [3.0, 4.0]),
        sf.assign_add(v, [3.0, 4.0]),
        sf.assign_sub(v, [3.0, 4.0]),
        sf.scatter_add(v, [0], [1.0]),
        sf.scatter_sub(v, [0], [1.0]),
        sf.scatter_update(v, [0], [1.0]),
    ]
    types = ["Assign", "AssignAdd", "AssignSub"]
    types += ["ScatterAdd", "ScatterSub", "ScatterUpdate"]
    assert [t.op.type for t in made] == types
    assert [t.op.name for t in made] == types
    assert {t.static_shape for t in made} == {(2,)}
    assert {t.static_dtype for t in made} == {np.dtype(np.float32)}
    assert made[0].op.inputs[1].op.name == "Assign/value"


@pytest.mark.parametrize("build", [sf.assign, sf.assign_add, sf.assign_sub])
def test_only_variables_can_be_written(v, build):
    for ref in (v * 2.0, sf.identity(v), sf.constant([1.0, 2.0]), 3.0, None):
        with pytest.raises(TypeError, match="only a variable can be assigned to"):
            build(ref, [1.0, 2.0])
    with pytest.raises(TypeError, match="only a variable can be assigned to"):
        sf.scatter_add(v * 2.0, [0], [1.0])


def test_a_result_of_an_assignment_can_be_assigned_to(v, sess):
    first = sf.assign(v, [5.0, 6.0])
    assert sess.run(sf.assign_add(first, [1.0, 1.0])).tolist() == [6.0, 7.0]
    assert sess.run(v).tolist() == [6.0, 7.0]


def test_another_shape_is_an_error_that_names_both(v, sess):
    for build in (sf.assign, sf.assign_add, sf.assign_sub):
        with pytest.raises(ValueError, match=r"shape \(2,\), and .* shape \(3,\)"):
            build(v, [1.0, 2.0, 3.0])
        with pytest.raises(ValueError, match=r"shape \(2,\), and .* shape \(\)"):
            build(v, 1.0)
        x = sf.placeholder(sf.float32)
        with pytest.raises(sf.errors.InvalidArgumentError, match=r"\(2,\).*\(1,\)"):
            sess.run(build(v, x), {x: [1.0]})
    assert sess.run(v).tolist() == [1.0, 2.0]


def test_unknown_sizes_become_known_by_the_variable(v):
    x = sf.placeholder(sf.float32, [None])
    assert sf.assign(v, x).static_shape == (2,)
    assert sf.assign(v, x, validate_shape=False).static_shape == (None,)


def test_dtypes_are_the_variable_s(v, sess):
    with pytest.raises(TypeError, match="dtypes differ"):
        sf.assign(v, sf.constant([1, 2]))
    with pytest.raises(TypeError, match=r"2\.5"):
        sf.assign(sf.Variable(1), 2.5)
    assert sess.run(sf.assign(v, np.array([1.5, 2.5]))).dtype == np.float32
    x, n = sf.Placeholder(), sf.Variable(1)
    for build in (sf.assign, sf.assign_add):
        new = sess.run(build(v, x), {x: np.array([1.0, 2.0])})
        assert new.dtype == np.float32
        with pytest.raises(sf.errors.InvalidArgumentError, match="cannot hold"):
            sess.run(build(n, x), {x: 1.5})
    assert sess.run(n) == 1


def test_bools_and_strings_can_be_assigned(sess):
    flag, text = sf.Variable(True), sf.Variable(["a", "b"])
    assert not sess.run(sf.assign(flag, False))
    assert sess.run(sf.assign(text, ["c", "d"])).tolist() == [b"c", b"d"]
    with pytest.raises(TypeError, match="does not take bool"):
        sf.assign_sub(flag, True)


def test_what_is_assigned_is_a_copy(v, sess):
    x = sf.placeholder(sf.float32, [2])
    fed = np.array([7.0, 8.0], np.float32)
    sess.run(sf.assign(v, x), {x: fed})
    fed[:] = 0.0
    assert sess.run(v).tolist() == [7.0, 8.0]
    w = sf.Variable([0.0, 0.0])
    sess.run(sf.assign(w, v))
    sess.run(sf.assign_add(v, [1.0, 1.0]))
    assert sess.run([v, w])[1].tolist() == [7.0, 8.0]


@pytest.mark.parametrize("build", [sf.scatter_add, sf.scatter_sub, sf.scatter_update])
def test_an_update_makes_a_new_array(build):
    kernel = build.definition.kernel
    old = np.array([[1.0, 2.0], [3.0, 4.0]])
    new = kernel(old, np.array([1]), np.array([[1.0, 1.0]]))
    assert old.tolist() == [[1, 2], [3, 4]]
    assert not np.shares_memory(old, new)
    assert new[0].tolist() == [1, 2]
    turned = kernel(np.asfortranarray(old), np.array([1]), np.array([[1.0, 1.0]]))
    assert (turned == new).all()


def test_updates_of_one_row(v, sess):
    assert sess.run(sf.scatter_add(v, [0, 0], [1.0, 2.0])).tolist() == [4.0, 2.0]
    assert sess.run(sf.scatter_sub(v, [[0, 0]], 1.0)).tolist() == [2.0, 2.0]
    assert sess.run(sf.scatter_update(v, [0, 0], [7.0, 8.0])).tolist() == [8.0, 2.0]
    assert sess.run(sf.scatter_update(v, 1, 9.0)).tolist() == [8.0, 9.0]
    assert sess.run(v).tolist() == [8.0, 9.0]


def test_updates_check_indices_and_shapes(v, sess):
    for build in (sf.scatter_add, sf.scatter_sub, sf.scatter_update):
        text = r"indices\[1\] = 2 is not in \[0, 2\)"
        with pytest.raises(sf.errors.InvalidArgumentError, match=text):
            sess.run(build(v, [0, 2], [1.0, 1.0]))
        with pytest.raises(ValueError, match=r"updates have shape \(1, 1\)"):
            build(v, [0], [[1.0]])
        x = sf.placeholder(sf.float32)
        with pytest.raises(sf.errors.InvalidArgumentError, match="updates have shape"):
            sess.run(build(v, [0], x), {x: [1.0, 2.0]})
        with pytest.raises(TypeError, match="whole numbers"):
            build(v, [0.0], [1.0])
        with pytest.raises(ValueError, match="scalar"):
            build(sf.Variable(1.0), [0], [1.0])
    assert sess.run(v).tolist() == [1.0, 2.0]


def test_no_gradient_flows_through_a_write(v):
    new = sf.assign(v, sf.constant([1.0, 2.0]) * 2.0)
    assert sf.gradients(new * 3.0, v) == [None]


def test_an_initializer_is_marked(v):
    assert v.initializer.attrs["initializer"] is True
    assert sf.assign(v, [1.0, 2.0]).op.attrs["initializer"] is False


def test_a_counter_stops_at_its_limit() -> None:
    n = sf.Variable(1)
    count, method = sf.count_up_to(n, 3, name="count"), n.count_up_to(4)
    sess = sf.Session()
    assert [sess.run(count) for _ in range(2)] == [1, 2]
    with pytest.raises(sf.errors.OutOfRangeError, match=r"is at 3.*\nin CountUpTo 'c"):
        sess.run(count)
    assert [sess.run(n), sess.run(method), sess.run(n)] == [3, 3, 4]
    with pytest.raises(ValueError, match="one number"):
        sf.count_up_to(sf.Variable([1]), 3)
    with pytest.raises(TypeError):
        sf.count_up_to(sf.Variable(1.0), 3)


def test_an_assignment_may_change_the_shape(v, sess):
    x = sf.placeholder(sf.float32)
    wide = sf.assign(v, [[1.0, 2.0, 3.0]], validate_shape=False)
    assert (v.value().static_shape, wide.static_shape) == ((2,), (1, 3))
    assert sf.assign(wide, x).static_shape == (1, 3)
    twice, more = v * 2.0, sf.assign_add(v, x)
    assert sess.run(wide).tolist() == [[1, 2, 3]]
    assert sess.run([v, twice])[1].tolist() == [[2, 4, 6]]
    assert sess.run(v.read_value()).tolist() == [[1, 2, 3]]
    assert sess.run(more, {x: [[1.0, 1.0, 1.0]]}).tolist() == [[2, 3, 4]]
    for build, value in ((sf.assign, [[3.0]]), (sf.assign_add, [1.0, 1.0])):
        with pytest.raises(sf.errors.InvalidArgumentError, match=r"Assign|has shape"):
            sess.run(build(v, x), {x: value})
    assert sess.run(v).tolist() == [[2, 3, 4]]
    sess.run(v.initializer)
    assert sess.run(v).tolist() == [1, 2]


def test_a_shape_changes_only_where_that_is_asked_for(v, sess):
    x = sf.placeholder(sf.float32)
    with pytest.raises(sf.errors.InvalidArgumentError, match="validate_shape=False"):
        sess.run(sf.assign(v, x), {x: [1.0]})
    with sf.control_dependencies([sf.assign(v, x, validate_shape=False)]):
        doubled = sf.assign_add(v, x)
    assert sess.run(doubled, {x: [[1.0]]}).tolist() == [[2]]
    inner = sf.cond(x > 0.0, lambda: sf.assign(v, [4.0, 5, 6], validate_shape=False),
                    lambda: sf.assign(v, [7.0] * 4, validate_shape=False))  # fmt: skip
    assert sess.run([inner, v], {x: 1.0})[1].tolist() == [4, 5, 6]
    kept = sf.cond(x > 0.0, lambda: sf.assign(v, x * [1.0, 1]), lambda: v + 0.0)
    assert sess.run([kept, v], {x: 2.0})[1].tolist() == [2, 2]


ROWS = np.array([[1, -200], [3, 4], [500, 6]])
BY = np.array([[2, 3], [4, 5], [5, -8]])
SCATTERED = {  # TensorFlow's: in turn at rows 0, 2, 0
    "mul": [[10, 4800], [3, 4], [2000, 30]],
    "div": [[0, 8], [3, 4], [125, 1]],
    "min": [[1, -200], [3, 4], [4, 5]],
    "max": [[5, 3], [3, 4], [500, 6]],
}


@pytest.mark.parametrize("how", SCATTERED)
def test_rows_are_combined_with_updates_in_turn(sess, how):
    build = getattr(sf, f"scatter_{how}")
    found = sess.run(build(sf.Variable(ROWS), [0, 2, 0], BY))
    assert found.tolist() == SCATTERED[how]
    w = sf.Variable(np.float64(ROWS))
    single = sess.run(build(w, [1], 2.0))[1].tolist()
    assert single == {"mul": [6, 8], "div": [1.5, 2], "min": [2, 2]}.get(how, [3, 4])
    slices = sf.IndexedSlices(np.full([1, 2], 2.0), [1])
    method = getattr(w, f"scatter_{how}")(slices)
    assert sess.run([w.initializer, method])[1][1].tolist() == single
    with pytest.raises(sf.errors.InvalidArgumentError, match=r"indices\[0\] = 3"):
        sess.run(build(w, [3], 1.0))


def test_scattering_knows_what_its_numbers_can_do(sess):
    z = sf.Variable([1j, 2.0])
    assert sess.run(sf.scatter_mul(z, [0], [2j])).tolist() == [-2, 2]
    with pytest.raises(TypeError, match="does not take complex"):
        sf.scatter_max(z, [0], [2j])
    with pytest.raises(sf.errors.InvalidArgumentError, match="ScatterDiv"):
        sess.run(sf.scatter_div(sf.Variable([1, 2]), [0], [0]))
    with pytest.raises(TypeError, match="IndexedSlices"):
        z.scatter_add([1.0])


def test_variables_have_the_scattering_functions_as_methods(sess):
    w = sf.Variable([[1.0, 2.0], [3.0, 4.0]])
    slices = sf.IndexedSlices([[1.0, 1.0]], [1])
    assert sess.run(w.scatter_add(slices)).tolist() == [[1, 2], [4, 5]]
    assert sess.run(w.scatter_nd_add([[0, 1]], [5.0])).tolist() == [[1, 7], [4, 5]]
    assert sess.run(w.scatter_nd_sub([[0, 1]], [5.0])).tolist() == [[1, 2], [4, 5]]
    assert sess.run(w.scatter_nd_update([[0, 0]], [5.0])).tolist() == [[5, 2], [4, 5]]
    assert sess.run(w.scatter_sub(slices)).tolist() == [[5, 2], [3, 4]]
    assert sess.run(w.scatter_update(slices)).tolist() == [[5, 2], [1, 1]]
    parts = sf.IndexedSlices([[1.0], [2.0]], [[1], [0]])
    assert sess.run(w.batch_scatter_update(parts)).tolist() == [[5, 1], [2, 1]]
    assert sf.Variable.scatter_nd_add.__doc__ == "See `sf.scatter_nd_add`."
