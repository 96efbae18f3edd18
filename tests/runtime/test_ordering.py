"""Reads and writes of variables in one run: what each read sees, what is kept."""

import numpy as np
import pytest

import similarflow as sf
from similarflow.runtime import plan as plan_module
from similarflow.runtime.ordering import is_initializer, variable_behind, written
from similarflow.runtime.plan import make_plan


@pytest.fixture
def sess():
    return sf.Session()


@pytest.fixture
def v():
    return sf.Variable(1.0, name="v")


@sf.operation
def passed(value):
    """An own operation, which plans treat with more care."""
    return value


# Reads


def test_reads_that_nothing_orders_see_the_value_from_before(sess, v):
    read = v * 10.0
    add = v.assign_add(1.0)
    late = v * 100.0
    assert sess.run([late, add, read]) == [100.0, 2.0, 10.0]
    assert sess.run([add, read]) == [3.0, 20.0]


def test_reads_see_the_value_from_before_when_a_variable_is_replaced(sess, v):
    read = v * 10.0
    new = v.assign(read + 1.0)
    assert sess.run([read, new, v + 0.0]) == [10.0, 11.0, 1.0]
    assert sess.run(v) == 11.0


def test_a_variable_fetched_as_such_is_its_value_at_the_end(sess, v):
    add = v.assign_add(1.0)
    fetches = [v, sf.identity(v), add, v.value(), "v:0", add.op]
    assert sess.run(fetches) == [2.0, 1.0, 2.0, 2.0, 2.0, None]
    assert sess.run([v, v.assign(7.0).op]) == [7.0, None]


def test_a_control_dependency_orders_a_read_after_a_write(sess, v):
    add = v.assign_add(1.0)
    before = sf.identity(v)
    with sf.control_dependencies([add]):
        after = sf.identity(v)
        double = v * 2.0
    assert sess.run([before, after, double]) == [1.0, 2.0, 4.0]
    assert sess.run(after) == 3.0
    assert sess.run(before) == 3.0


def test_the_reader_s_own_control_inputs_count(sess, v):
    """A tensor that was made before does not wait, whoever takes it."""
    early = v * 10.0
    with sf.control_dependencies([v.assign(5.0)]):
        late = early + v
    assert sess.run(late) == 15.0


def test_waiting_goes_through_other_operations(sess, v):
    with sf.control_dependencies([v.assign_add(1.0)]):
        nothing = sf.no_op()
    with sf.control_dependencies([sf.group(nothing)]):
        first = sf.constant(0.0) * 3.0
    after = first + v  # it waits through its input
    assert sess.run(after) == 2.0


@pytest.mark.parametrize("make", [sf.constant, sf.identity])
def test_waiting_goes_through_constants_as_through_operations(sess, v, make):
    with sf.control_dependencies([v.assign_add(1.0)]):
        c = make(2.0)
    with sf.control_dependencies([c]):
        y = v * 10.0
    assert sess.run(y) == 20.0
    assert sess.run(c * v) == 6.0


def test_a_read_may_wait_for_its_own_write_and_not_for_others(sess, v):
    w = sf.Variable(10.0)
    add_v, add_w = v.assign_add(1.0), w.assign_add(1.0)
    with sf.control_dependencies([add_v]):
        both = v + w
    assert sess.run([both, add_w]) == [12.0, 11.0]


def test_a_new_value_is_what_its_write_gave(sess, v):
    first = v.assign_add(1.0)
    second = v.assign_add(10.0)
    assert sess.run([first * 1.0, second * 1.0, first, v]) == [2.0, 12.0, 2.0, 12.0]


# Writes


def test_writes_that_nothing_orders_go_as_they_were_made(sess, v):
    a = v.assign_add(1.0)
    b = v.assign(v * 10.0)
    c = v.assign_sub(3.0)
    assert sess.run([c, b, a]) == [7.0, 10.0, 2.0]
    assert sess.run(v) == 7.0
    assert sess.run([c, a]) == [5.0, 8.0]


def test_a_dependency_may_turn_the_order_of_reads_between_writes(sess, v):
    first = v.assign(5.0)
    with sf.control_dependencies([first]):
        second = v.assign(v * 2.0)
    with sf.control_dependencies([second]):
        third = sf.identity(v)
    assert sess.run(third) == 10.0
    assert sess.run([third, v, first]) == [10.0, 10.0, 5.0]


def test_an_assignment_to_an_assignment_comes_after_it(sess, v):
    first = sf.assign(v, 5.0)
    second = sf.assign_add(first, 1.0)
    third = sf.assign_sub(second, v * 3.0)
    assert variable_behind(third) is v.value()
    assert sess.run(third) == 3.0
    assert sess.run(v) == 3.0
    assert sess.run([first, second, third]) == [5.0, 6.0, -3.0]


def test_a_write_between_an_assignment_and_one_to_it_is_not_lost(sess, v):
    first = sf.assign(v, 5.0)
    between = v.assign_add(1.0)
    last = sf.assign_add(first, 10.0)
    assert sess.run([first, between, last]) == [5.0, 6.0, 16.0]
    assert sess.run(v) == 16.0


def test_an_assignment_to_an_assignment_does_not_see_what_the_variable_is_fed(sess, v):
    first = sf.assign(v, 5.0)
    second = sf.assign_add(first, 1.0)
    assert sess.run([second, v * 2.0], {v: 10.0}) == [6.0, 20.0]
    assert sess.run(v) == 6.0


def test_two_variables_can_be_swapped(sess, v):
    w = sf.Variable(2.0)
    swap = sf.group(v.assign(w), w.assign(v))
    sess.run(swap)
    assert sess.run([v, w]) == [2.0, 1.0]
    with sf.control_dependencies([v.assign(w)]):
        copy = w.assign(v)  # after the first
    sess.run(copy)
    assert sess.run([v, w]) == [1.0, 1.0]


def test_rows_are_written_in_order_too(sess):
    t = sf.Variable([1.0, 2.0, 3.0])
    a = sf.scatter_add(t, [0, 0], [1.0, 1.0])
    b = sf.scatter_update(t, [0], t[2:])
    c = sf.scatter_sub(t, [1], [2.0])
    assert sess.run([c, b, a])[0].tolist() == [3.0, 0.0, 3.0]
    assert sess.run(t).tolist() == [3.0, 0.0, 3.0]


def test_own_operations_between_writes_see_what_was_written(sess, v):
    a = v.assign_add(1.0)
    with sf.control_dependencies([a]):
        seen = passed(v)
    b = v.assign(seen * 10.0)
    assert sess.run([b, passed(v), seen]) == [20.0, 1.0, 2.0]
    assert sess.run(v) == 20.0


# Initialisers


def test_all_initial_values_come_in_the_order_in_which_they_depend(sess):
    a = sf.Variable(3.0)
    b = sf.Variable(a * 2.0)
    c = sf.Variable(b)
    sess.run([c.initializer, b.initializer, a.initializer])
    assert sess.run([a, b, c]) == [3.0, 6.0, 6.0]
    sess.run([a.assign(100.0), b.assign(100.0), c.assign(100.0)])
    sess.run(sf.global_variables_initializer())
    assert sess.run([a, b, c]) == [3.0, 6.0, 6.0]


def test_an_initial_value_reads_what_is_there_if_the_other_is_not_initialised(sess):
    a = sf.Variable(3.0)
    b = sf.Variable(a * 2.0)
    sess.run(a.assign(100.0))
    sess.run(b.initializer)
    assert sess.run(b) == 200.0


def test_a_variable_of_its_own_old_value(sess):
    """A second variable may start from the first, and then replace it."""
    a = sf.Variable(3.0)
    b = sf.Variable(a)
    change = a.assign(b + 1.0)
    sess.run([a.initializer, b.initializer])
    sess.run([change, b.initializer])
    assert sess.run([a, b]) == [4.0, 3.0]


def test_an_initializer_comes_before_other_writes(sess, v):
    add = v.assign_add(5.0)
    assert sess.run([add, v.initializer, v]) == [6.0, None, 6.0]
    assert sess.run([add, v.initializer, v]) == [6.0, None, 6.0]
    assert is_initializer(v.initializer)
    assert not is_initializer(add.op)


def test_an_initial_value_that_is_fed_waits_for_nothing(sess):
    a = sf.Variable(3.0)
    b = sf.Variable(a * 2.0)
    sess.run([a.initializer, b.initializer], {a: 50.0})
    assert sess.run([a, b]) == [3.0, 100.0]
    sess.run([a.initializer, b.initializer], {b.initial_value: 7.0})
    assert sess.run([a, b]) == [3.0, 7.0]


def test_an_own_initial_value_is_computed_early(sess):
    a = sf.Variable(lambda: passed(sf.constant([1.0, 2.0])), validate_shape=False)
    b = sf.Variable(lambda: passed(a) * 2.0, validate_shape=False)
    sess.run(sf.global_variables_initializer())
    assert sess.run(b).tolist() == [2.0, 4.0]


def test_an_initial_value_that_writes_acts_as_its_initializer_does():
    w = sf.Variable(1.0)
    v = sf.Variable(w.assign_add(passed(sf.constant(2.0))), validate_shape=False)
    explicit, implicit = sf.Session(), sf.Session()
    explicit.run(v.initializer)
    assert explicit.run(w) == 3.0
    assert implicit.run(v) == 3.0
    assert implicit.run(w) == 3.0


# Training


def line(own=False):
    x = sf.constant([1.0, 2.0])
    w, b = sf.Variable(1.0, name="w"), sf.Variable(0.5, name="b")
    out = x * w + b
    loss = sf.reduce_sum(sf.square(out))
    if own:
        loss = loss + passed(0.0)
    train = sf.train.GradientDescentOptimizer(0.125).minimize(loss)
    return w, b, loss, train


@pytest.mark.parametrize("own", [False, True])
def test_the_loss_beside_a_step_is_the_loss_before_it(sess, own):
    w, b, loss, train = line(own)
    before = sess.run(loss)
    found, nothing, w_after = sess.run([loss, train, w])
    assert (found, nothing) == (before, None)
    assert w_after == sess.run(w) == 1.0 - 0.125 * 2 * (1.5 + 2 * 2.5)
    assert sess.run(b) == 0.5 - 0.125 * 2 * (1.5 + 2.5)
    assert sess.run(loss) != before


def test_the_loss_after_a_step_takes_a_control_dependency(sess):
    w, b, loss, train = line()
    with sf.control_dependencies([train]):
        after = sf.square(w + b) + sf.square(2.0 * w + b)
    before, found = sess.run([loss, after])
    assert found == sess.run(loss) != before


def test_a_step_reads_all_gradients_before_it_writes(sess):
    a, b = sf.Variable(2.0), sf.Variable(3.0)
    train = sf.train.GradientDescentOptimizer(0.5).minimize(a * b)
    sess.run([train, a.assign_add(0.0)])  # with another write in the run
    assert sess.run([a, b]) == [2.0 - 1.5, 3.0 - 1.0]


def test_two_steps_in_one_run_both_start_from_the_same_gradients(sess):
    a = sf.Variable(4.0)
    slow = sf.train.GradientDescentOptimizer(0.125).minimize(a * a)
    fast = sf.train.GradientDescentOptimizer(0.25).minimize(a * a)
    sess.run([fast, slow])
    assert sess.run(a) == 4.0 - 0.125 * 8.0 - 0.25 * 8.0


# Plans


def plan_of(*fetches, fed=()):
    return make_plan(sf.get_default_graph(), fetches, fed)


def test_own_operations_that_wait_for_no_write_are_early(v):
    a = passed(v.value())
    b = a * 2.0
    c = passed(b)
    write = v.assign(c + 1.0)
    with sf.control_dependencies([write]):
        late = passed(c)
    plan = plan_of(late, b)
    assert [op for op, _, _ in plan.early] == [a.op, b.op, c.op]
    assert [op.type for op, _, _ in plan.steps] == ["Add", "Assign", "passed"]


def test_without_own_operations_nothing_is_early(v):
    w = sf.Variable(1.0)
    assert plan_of(v.assign(w), w.assign_add(1.0)).early == []


def test_what_an_operation_writes(v):
    first = v.assign(1.0)
    second = sf.assign_add(first, 1.0)
    assert list(written(first.op)) == [(v.value(), first)]
    assert list(written(second.op)) == [(v.value(), second)]
    assert list(written((v * 2.0).op)) == list(written(passed(1.0).op)) == []


# Random programs against a tiny interpreter


class Program:
    """A random graph of reads, writes, groups and own operations.

    `interpret` knows only this: take the operations in the order of their making; each
    sees, of each variable, the last version that something it waits for has seen or
    written; a write waits for the write of its variable before it.
    """

    def __init__(self, seed):
        rng = self.rng = np.random.default_rng(seed)
        self.first = [float(rng.integers(1, 9)) for _ in range(3)]
        self.variables = [sf.Variable(np.float64(x)) for x in self.first]
        self.x = sf.placeholder(sf.float64, [])
        self.lines = []  # (node, kind, variable, inputs, controls), in their order
        self.latest = {}  # the last write of a variable
        for _ in range(rng.integers(4, 16)):
            kinds = ["sum", "double", "own", "const", "group", *["write"] * 3]
            self.add(rng.choice(kinds))

    def pick(self, items, most=2):
        count = min(len(items), int(self.rng.integers(0, most + 1)))
        return [items[i] for i in self.rng.permutation(len(items))[:count]]

    def add(self, kind):
        rng = self.rng
        made = [entry[0] for entry in self.lines]
        values = [n for n in made if isinstance(n, sf.Tensor)]
        sources = [*values[-6:], *self.variables, self.x]
        a, b = (sources[rng.integers(len(sources))] for _ in range(2))
        index, controls = int(rng.integers(3)), self.pick(made)
        with sf.control_dependencies(controls):
            if kind == "sum":
                node, inputs = a - b, (a, b)
            elif kind == "double":
                node, inputs = 2.0 * a, (a,)
            elif kind == "own":
                node, inputs = passed(a), (a,)
            elif kind == "const":
                node, inputs = sf.constant(3.0, sf.float64), ()
            elif kind == "group":
                node, inputs = sf.no_op(), ()
            else:
                kind = ["set", "plus", "minus"][rng.integers(3)]
                ref = self.variables[index]
                if index in self.latest and rng.random() < 0.3:
                    ref = self.latest[index]
                build = {"set": sf.assign, "plus": sf.assign_add}
                node = build.get(kind, sf.assign_sub)(ref, a)
                inputs = (a,) if ref is self.variables[index] else (a, ref)
                self.latest[index] = node
        if kind != "double":  # there the constant waits too
            controls = [c for c in controls if c not in inputs]
        self.lines.append((node, kind, index, inputs, controls))

    def draw(self):
        """Fetches and feeds."""
        made = [entry[0] for entry in self.lines]
        writes = [entry[0] for entry in self.lines if entry[1] in WRITES]
        others = [n for n in made if isinstance(n, sf.Tensor) and n not in writes]
        feeds = {self.x: 1.0}
        if self.rng.random() < 0.3:
            feeds |= dict.fromkeys(self.pick(others, 1), 5.0)
        if self.rng.random() < 0.3:
            feeds[self.variables[int(self.rng.integers(3))]] = 7.0
        free = [v for v in self.variables if v not in feeds]
        fetches = self.pick(made, 4) + self.pick(free, 2) + self.pick(writes, 2)
        return fetches or [made[-1]], feeds

    def needed(self, fetches, feeds):
        """All that `fetches` need; a fed tensor needs nothing."""
        by_node = {entry[0]: entry for entry in self.lines}
        wanted, todo = set(), [f for f in fetches if f not in feeds]
        while todo:
            node = todo.pop()
            if node in by_node and node not in wanted:
                wanted.add(node)
                _, _, _, inputs, controls = by_node[node]
                todo += [*(i for i in inputs if i not in feeds), *controls]
        return wanted

    def interpret(self, fetches, feeds, start):
        """The values of `fetches`, and of all variables afterwards."""
        wanted = self.needed(fetches, feeds)
        versions = [[value] for value in start]  # of each variable, one per write
        value, seen, last = dict(feeds), {}, [None] * 3

        def read(source, view):
            if source in self.variables and source not in feeds:
                i = self.variables.index(source)
                return versions[i][view[i]]
            return value[source]

        for node, kind, i, inputs, controls in self.lines:
            if node not in wanted:
                continue
            waits = [*controls, *(n for n in inputs if n not in feeds)]
            waits += [last[i]] if kind in WRITES and last[i] is not None else []
            views = [seen[n] for n in waits if n in seen]
            view = [max((s[j] for s in views), default=0) for j in range(3)]
            if kind in ("group", "const"):
                result = {"const": 3.0}.get(kind)
            elif kind in WRITES:
                delta = read(inputs[0], view)
                to_it = len(inputs) > 1  # an assignment to an assignment
                old = versions[i][view[i]] if to_it else read(self.variables[i], view)
                result = {"set": delta, "plus": old + delta, "minus": old - delta}[kind]
                versions[i].append(result)
                view[i], last[i] = len(versions[i]) - 1, node
            else:
                a, b = read(inputs[0], view), read(inputs[-1], view)
                result = {"sum": a - b, "double": 2.0 * a, "own": a}[kind]
            seen[node] = view
            value.setdefault(node, result)
        after = [all_of[-1] for all_of in versions]
        found = [
            after[self.variables.index(f)] if f in self.variables else value[f]
            for f in fetches
        ]
        return found, after


WRITES = ("set", "plus", "minus")
PROGRAMS = range(150)


@pytest.mark.parametrize("seed", PROGRAMS)
def test_a_random_program_does_what_the_interpreter_says(seed):
    program = Program(seed)
    sess, start = sf.Session(), program.first
    for _ in range(6):
        fetches, feeds = program.draw()
        found, start = program.interpret(fetches, feeds, start)
        assert sess.run(fetches, feeds) == found
        assert sess.run(program.variables) == start


@pytest.mark.filterwarnings("ignore:variables start")
@pytest.mark.parametrize("seed", PROGRAMS)
def test_plain_plans_and_ordered_plans_agree(seed, monkeypatch):
    program = Program(seed)
    draws = [program.draw() for _ in range(6)]
    plain, ordered = sf.Session(), sf.Session()
    want = [plain.run([fetches, program.variables], feeds) for fetches, feeds in draws]

    def never(ops, writers):
        return not writers

    monkeypatch.setattr(plan_module, "is_plain", never)
    got = [ordered.run([fetches, program.variables], feeds) for fetches, feeds in draws]
    assert got == want


def test_some_of_the_random_programs_are_plain_and_some_are_ordered(monkeypatch):
    answers = []
    is_plain = plan_module.is_plain

    def noted(ops, writers):
        if writers:
            answers.append(is_plain(ops, writers))
        return is_plain(ops, writers)

    monkeypatch.setattr(plan_module, "is_plain", noted)
    for seed in PROGRAMS:
        program = Program(seed)
        sess = sf.Session()
        for _ in range(6):
            sess.run(*program.draw())
    assert answers.count(True) > 30
    assert answers.count(False) > 100
