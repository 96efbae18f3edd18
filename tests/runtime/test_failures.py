"""A run that fails or is interrupted changes nothing, and says what failed."""

import inspect

import numpy as np
import pytest

import similarflow as sf


class Boom(Exception):
    """An exception of the user's."""


@sf.operation
def boom(value, error=None):
    raise error


def failing(kind, after, target):
    """A fetch that fails once `after` are done, feeds for it, and what it raises.

    It may be a write of the variable `target`, of two numbers.
    """
    x = sf.placeholder(sf.float32)
    i = sf.placeholder(sf.int32)
    with sf.control_dependencies(after):
        c = sf.identity(1.0)
        kinds = {
            "kernel": lambda: (sf.gather([1.0], i), {i: 5}),
            "write": lambda: (sf.assign_add(target, x), {x: [1.0]}),
            "shape": lambda: (sf.assign(target, x), {x: [1.0, 2.0, 3.0]}),
            "rows": lambda: (sf.scatter_add(target, i, [1.0]), {i: [7]}),
            "own": lambda: (boom(c, error=Boom("no")), {}),
            "interrupt": lambda: (boom(c, error=KeyboardInterrupt()), {}),
            "exit": lambda: (boom(c, error=SystemExit()), {}),
            "memory": lambda: (boom(c, error=MemoryError()), {}),
            "unfed": lambda: (sf.identity(x), {}),
            "none": lambda: (nothing(c), {}),
        }
        fetch, feeds = kinds[kind]()
    invalid = sf.errors.InvalidArgumentError
    raised = {
        "own": Boom,
        "interrupt": KeyboardInterrupt,
        "exit": SystemExit,
        "memory": MemoryError,
        "none": TypeError,
    }
    return fetch, feeds, raised.get(kind, invalid)


@sf.operation
def nothing(value):
    return None


KINDS = ["kernel", "write", "shape", "rows", "own", "interrupt", "exit", "memory"]
KINDS += ["unfed", "none"]
each_kind = pytest.mark.parametrize("kind", KINDS)


class Model:
    """Variables and writes of every kind, and random numbers."""

    def __init__(self):
        sf.set_random_seed(7)
        self.noise = sf.random_normal([2])
        self.v = sf.Variable([1.0, 2.0], name="v")
        self.w = sf.Variable(sf.random_uniform([2]), name="w")
        self.n = sf.Variable(0, trainable=False, name="n")
        self.target = sf.Variable([1.0, 2.0], trainable=False)
        loss = sf.reduce_sum(sf.square(self.v * self.w + self.noise))
        self.step = sf.train.GradientDescentOptimizer(0.1).minimize(loss, self.n)
        self.writes = [
            self.v.assign(self.noise),
            self.w.assign_add(self.v),
            sf.scatter_sub(self.v, [0], [5.0]),
            self.n.assign_add(1),
        ]
        self.init = sf.global_variables_initializer()
        self.all = [self.v, self.w, self.n, self.target]

    def session(self, sess=None):
        """A session, or `sess`, in which the variables have values."""
        sess = sess or sf.Session()
        sess.run(self.init)
        sess.run(self.step)
        return sess

    def next_values(self, sess):
        """All that a change would show in: values, and the next random numbers."""
        found = [sess.run([*self.all, self.noise])]
        sess.run(self.writes)
        sess.run(self.init)
        found.append(sess.run([*self.all, self.noise]))
        return [value.tolist() for values in found for value in values]


# Nothing is changed


@each_kind
@pytest.mark.parametrize("ordered", [False, True])
def test_a_run_that_fails_changes_neither_variables_nor_draws(kind, ordered):
    model = Model()
    fetch, feeds, raised = failing(kind, model.writes if ordered else [], model.target)
    untouched, sess = model.session(), model.session()
    before = dict(sess.state)
    fetches = [fetch, model.noise, *model.writes]
    with pytest.raises(raised):
        sess.run(fetches, feeds)
    assert before.keys() == sess.state.keys()
    assert all(before[key] is sess.state[key] for key in before)
    assert model.next_values(sess) == model.next_values(untouched)


@each_kind
@pytest.mark.parametrize("what", ["step", "init"])
def test_a_failing_step_or_initialiser_changes_nothing(kind, what):
    model = Model()
    done = getattr(model, what)
    fetch, feeds, raised = failing(kind, [done], model.target)
    untouched, sess = model.session(), model.session()
    for fetches in ([fetch], [done, fetch, model.noise]):
        with pytest.raises(raised):
            sess.run(fetches, feeds)
    assert model.next_values(sess) == model.next_values(untouched)


@each_kind
def test_a_failing_run_starts_no_variable(kind):
    model = Model()
    fetch, feeds, raised = failing(kind, [], model.target)
    sess = sf.Session()
    with pytest.raises(raised):
        sess.run([fetch, model.w, model.noise], feeds)
    after, untouched = model.session(sess), model.session()
    assert model.next_values(after) == model.next_values(untouched)


@each_kind
def test_a_failing_run_initialises_nothing(kind):
    model = Model()
    fetch, feeds, raised = failing(kind, [model.v.initializer], model.target)
    sess = sf.Session()
    with pytest.raises(raised):
        sess.run([fetch, model.v.initializer], feeds)
    assert sess.run(model.n) == 0  # it still starts by itself


def test_an_initial_value_that_fails_leaves_the_others_as_they_were():
    x = sf.placeholder(sf.float32, [])
    v = sf.Variable(1.0)
    w = sf.Variable(sf.gather([5.0], sf.cast(x, sf.int32)))
    sess = sf.Session()
    with pytest.raises(sf.errors.InvalidArgumentError):
        sess.run([v, w], {x: 1.0})
    assert sess.run([v, w], {x: 0.0}) == [1.0, 5.0]


@pytest.fixture
def refused():
    """A fetch that fails, and its feed."""
    i = sf.placeholder(sf.int32)
    return sf.gather([1.0], i), {i: 5}


def test_a_start_that_failed_takes_its_feeds_with_it(refused):
    bad, feed = refused
    x = sf.placeholder(sf.float32, [])
    v, sess = sf.Variable(x * 2.0), sf.Session()
    with pytest.raises(sf.errors.InvalidArgumentError):
        sess.run([v, bad], {x: 4.0, **feed})
    assert sess.run(v, {x: 5.0}) == 10.0


def test_a_start_that_failed_takes_what_it_depended_on_with_it(refused):
    bad, feed = refused
    v, sess = sf.Variable(3.0), sf.Session()
    w = sf.Variable(v * 2.0)
    with pytest.raises(sf.errors.InvalidArgumentError):
        sess.run([w, bad], feed)
    sess.run(v.assign(10.0))
    assert sess.run(w) == 20.0


def test_a_start_that_failed_initialises_nothing_later(refused):
    bad, feed = refused
    v, sess = sf.Variable(3.0), sf.Session()
    w = sf.Variable(v * 2.0)
    with pytest.raises(sf.errors.InvalidArgumentError):
        sess.run([w, bad], feed)
    w.load(1.0, sess)
    assert sess.run(w) == 1.0
    with pytest.raises(sf.errors.FailedPreconditionError):
        sess.run(v)


def test_a_start_that_failed_itself_takes_its_feeds_with_it():
    x = sf.placeholder(sf.float32, [])
    v = sf.Variable(x * 2.0)
    w = sf.Variable(sf.gather([5.0], sf.cast(x, sf.int32)))
    sess = sf.Session()
    with pytest.raises(sf.errors.InvalidArgumentError):
        sess.run([v, w], {x: 4.0})
    assert sess.run(v, {x: 5.0}) == 10.0


def test_a_start_that_failed_itself_gives_its_numbers_back():
    sf.set_random_seed(3)
    x = sf.placeholder(sf.float32, [])
    noise = sf.random_normal([2])
    v = sf.Variable(noise * x)
    w = sf.Variable(sf.gather([5.0], sf.cast(x, sf.int32)))
    failed, untouched = sf.Session(), sf.Session()
    with pytest.raises(sf.errors.InvalidArgumentError):
        failed.run([v, w], {x: 1.0})
    for _ in range(2):
        found = [s.run([v, noise], {x: 0.5}) for s in (failed, untouched)]
        assert [a.tolist() for a in found[0]] == [a.tolist() for a in found[1]]


def test_all_that_a_failed_run_and_its_start_drew_is_given_back(refused):
    bad, feed = refused
    sf.set_random_seed(3)
    noise = sf.random_normal([2])
    v, w = sf.Variable(noise), sf.Variable(noise + 1.0)
    failed, untouched = sf.Session(), sf.Session()
    for _ in range(2):
        with pytest.raises(sf.errors.InvalidArgumentError):
            failed.run([v, w, noise, bad], feed)
    for fetches in ([v, w, noise], [noise], [v.initializer, noise], [v]):
        found = [s.run(fetches) for s in (failed, untouched)]
        assert str(found[0]) == str(found[1])


def test_a_result_that_cannot_be_put_together_changes_nothing():
    class Picky(list):
        def __init__(self, items):
            if not all(isinstance(item, sf.Tensor) for item in items):
                raise Boom
            super().__init__(items)

    v, sess = sf.Variable(1.0), sf.Session()
    add = v.assign_add(1.0)
    with pytest.raises(Boom):
        sess.run(Picky([add]))
    assert sess.run(v) == 1.0


def test_after_a_failure_the_session_goes_on():
    x = sf.placeholder(sf.float32)
    v, sess = sf.Variable([1.0, 2.0]), sf.Session()
    add = v.assign_add(x)
    for _ in range(3):
        with pytest.raises(sf.errors.InvalidArgumentError):
            sess.run(add, {x: [1.0]})
        sess.run(add, {x: [1.0, 1.0]})
    assert sess.run(v).tolist() == [4.0, 5.0]


# What the error says


def test_a_kernel_s_error_names_operation_line_and_inputs():
    x = sf.placeholder(sf.float32, name="x")
    line = inspect.currentframe().f_lineno + 1
    y = sf.add(x, [[1.0], [2.0]], name="y")
    with pytest.raises(sf.errors.InvalidArgumentError) as caught:
        sf.Session().run(y * 2.0, {x: np.ones([3, 1])})
    error = caught.value
    first, where, given = str(error).splitlines()
    assert first == "operands could not be broadcast together with shapes (3,1) (2,1) "
    assert where.startswith(f"in Add 'y', made at {__file__}:{line}: `y = sf.add")
    assert given == "  given: (3,1) float32, (2,1) float32"
    assert error.op is y.op
    assert error.message == str(error)
    assert error.error_code == 3
    assert isinstance(error, ValueError)
    assert isinstance(error.__cause__, ValueError)


def test_scalars_and_generators_among_the_inputs_are_shown():
    i, n = sf.placeholder(sf.int32), sf.placeholder(sf.int32)
    sess = sf.Session()
    with pytest.raises(sf.errors.InvalidArgumentError, match=r"given: .*int32\(9\)$"):
        sess.run(sf.gather([1.0, 2.0], i), {i: 9})
    with pytest.raises(sf.errors.InvalidArgumentError, match=r"\(9\) in shape \(1,\)$"):
        sess.run(sf.gather([1.0, 2.0], i), {i: [9]})
    with pytest.raises(sf.errors.InvalidArgumentError, match="given: a generator, "):
        sess.run(sf.random_uniform([2], 5, n, sf.int32), {n: 3})


def test_a_failing_product_of_matrices_that_would_fit_says_so():
    x = sf.placeholder(sf.float32)
    with pytest.raises(sf.errors.InvalidArgumentError, match="write x @ y"):
        sf.Session().run(x * np.ones([3, 4], np.float32), {x: np.ones([2, 3])})


def test_a_kernel_without_memory_is_an_exhausted_resource():
    n = sf.placeholder(sf.int32, [2])
    huge = sf.zeros(n)
    with pytest.raises(sf.errors.ResourceExhaustedError) as caught:
        sf.Session().run(huge, {n: [2**30, 2**30]})
    assert isinstance(caught.value, MemoryError)
    assert caught.value.op is huge.op
    assert "in Fill 'zeros', made at " in str(caught.value)


def test_a_wrong_new_shape_is_told_with_the_way_out():
    x = sf.placeholder(sf.float32)
    v = sf.Variable([1.0, 2.0], name="v")
    strict = sf.assign(v, x)
    sess = sf.Session()
    with pytest.raises(sf.errors.InvalidArgumentError) as caught:
        sess.run(strict, {x: [1.0]})
    text = str(caught.value)
    assert text.startswith(
        "variable 'v' has shape (2,), and Assign 'Assign' would give"
    )
    assert "it shape (1,)\n" in text
    assert "Nothing was changed" in text
    assert "validate_shape=False" in text
    assert caught.value.op is strict.op
    assert sess.run(strict, {x: [3.0, 4.0]}).tolist() == [3.0, 4.0]


@pytest.mark.parametrize(
    "error",
    [Boom("text", 5), ZeroDivisionError("/"), StopIteration(3), MemoryError("full")],
    ids=lambda error: type(error).__name__,
)
def test_a_user_s_exception_comes_through_as_it_is_with_a_note(error):
    line = inspect.currentframe().f_lineno + 1
    y = boom(1.0, error=error, name="mine")
    with pytest.raises(type(error)) as caught:
        sf.Session().run(y)
    assert caught.value is error
    [note] = error.__notes__
    assert note.startswith(f"in boom 'mine', made at {__file__}:{line}: `y = boom")


def test_an_error_of_the_library_inside_an_own_operation_keeps_its_operation():
    x = sf.placeholder(sf.float32, name="x")
    inner = sf.Session()

    @sf.operation
    def outer(value):
        return inner.run(x)

    with pytest.raises(
        sf.errors.InvalidArgumentError, match="placeholder 'x'"
    ) as caught:
        sf.Session().run(outer(1.0))
    assert caught.value.op is x.op
    assert caught.value.__notes__[0].startswith("in outer 'outer'")
