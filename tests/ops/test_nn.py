"""Activations, softmax, cross entropies and biases: extremes, errors, old names."""

from typing import Any

import numpy as np
import pytest

import similarflow as sf
from similarflow.testing import check_gradients

nn = sf.nn
INF = np.inf
LOGITS = np.array([[0.5, -0.5, 1.0], [1000.0, 0.0, -1000.0]])


def run(fetches: Any, feeds: Any = None) -> Any:
    with sf.Session() as sess:
        return sess.run(fetches, feeds)


def gradients(y: Any, xs: Any, feeds: Any = None) -> Any:
    return run(sf.gradients(y, xs), feeds)


def test_relu() -> None:
    x = sf.constant([-1.0, 0.0, 2.0])
    y = nn.relu(x)
    g = sf.gradients(y, x, grad_ys=sf.constant([INF, INF, 3.0]))[0]
    np.testing.assert_array_equal(run([y, g]), [[0, 0, 2], [0, 0, 3]])
    assert g.op.type == "ReluGrad"
    assert run(nn.relu(sf.constant([-3, 4]))).tolist() == [0, 4]
    assert np.isnan(run(nn.relu([np.nan]))).all()


def test_softplus_of_large_numbers() -> None:
    x = sf.constant([-800.0, 0.0, 800.0])
    y = nn.softplus(x)
    np.testing.assert_allclose(run(y), [0, np.log(2), 800])
    np.testing.assert_allclose(gradients(y, x)[0], [0, 0.5, 1])


def test_softmax_of_large_numbers() -> None:
    x = sf.constant([[1000.0, 0.0, -1000.0], [-1000.0, -1000.0, -1001.0]])
    e = np.exp(-1.0)
    want = np.array([[1, 0, 0], np.array([1, 1, e]) / (2 + e)])
    np.testing.assert_allclose(run(nn.softmax(x)), want, rtol=1e-6)
    logs = [[0, -1000, -2000], -np.log(2 + e) - np.array([0, 0, 1])]
    np.testing.assert_allclose(run(nn.log_softmax(x)), logs, rtol=1e-6)


@pytest.mark.parametrize("f", [nn.softmax, nn.log_softmax])
def test_softmax_axis_and_older_name(f: Any) -> None:
    x = np.random.default_rng(0).normal(size=(2, 3, 4))
    by_axis = run([f(x, 1), f(x, axis=-2), f(x, dim=1), f(x, None, "s")])
    np.testing.assert_array_equal(by_axis[0], by_axis[1])
    np.testing.assert_array_equal(by_axis[0], by_axis[2])
    np.testing.assert_array_equal(by_axis[3], run(f(x)))
    moved = np.moveaxis(run(f(np.moveaxis(x, 1, -1))), -1, 1)
    np.testing.assert_allclose(by_axis[0], moved, rtol=1e-12)
    with pytest.raises(ValueError, match=r"axis 3 .*rank 3"):
        f(x, 3)
    with pytest.raises(ValueError, match="rank 0"):
        f(1.0)
    with pytest.raises(TypeError, match="int32"):
        f([1, 2])


@pytest.mark.parametrize("f", [nn.softmax, nn.log_softmax])
def test_softmax_gradients_with_ties_and_unknown_shape(f: Any) -> None:
    x = sf.placeholder(sf.float64)
    check_gradients(f(x, 0), x, {x: [[1.0, 1.0], [1.0, -2.0], [0.5, 1.0]]})


LABELS = np.array([[2.0, 0.0, 1.0], [0.25, 0.5, 0.25]])


def test_softmax_cross_entropy_of_labels_that_do_not_sum_to_1() -> None:
    x = sf.placeholder(sf.float64, [1, 3])
    loss = nn.softmax_cross_entropy_with_logits_v2(labels=LABELS[:1], logits=x)
    feeds = {x: LOGITS[:1]}
    np.testing.assert_allclose(run(loss, feeds), [2.8123918160101846])
    want = [[-1.0055031185451924, 0.3658549569962588, 0.6396481615489336]]
    np.testing.assert_allclose(gradients(loss, x, feeds)[0], want)
    check_gradients(loss, x, feeds)


def test_softmax_cross_entropy_of_large_logits() -> None:
    x = sf.placeholder(sf.float32, [None, 2])
    loss = nn.softmax_cross_entropy_with_logits_v2(labels=[[0.25, 0.75]], logits=x)
    feeds = {x: [[-4000.0, 4000.0]]}
    assert run(loss, feeds).tolist() == [2000]
    assert gradients(loss, x, feeds)[0].tolist() == [[-0.25, 0.25]]


@pytest.mark.parametrize("kind", ["known", "untyped"])
def test_softmax_cross_entropy_axis(kind: str) -> None:
    labels, logits = LABELS.T.copy(), LOGITS.T / 500
    known = kind == "known"
    x = sf.placeholder(sf.float64, [3, 2]) if known else sf.Placeholder()
    y = sf.placeholder(sf.float64, [3, 2]) if known else sf.Placeholder()
    feeds = {x: logits, y: labels}
    f = nn.softmax_cross_entropy_with_logits_v2
    losses = [f(y, x, 0), f(y, x, dim=-2), f(sf.transpose(y), sf.transpose(x))]
    values = run(losses, feeds)
    np.testing.assert_allclose(values[0], values[1])
    np.testing.assert_allclose(values[0], values[2])
    check_gradients(losses[0], [x, y], feeds)


def test_softmax_cross_entropy_takes_labels_of_any_dtype() -> None:
    x = sf.constant(LOGITS, sf.float32)
    f = nn.softmax_cross_entropy_with_logits_v2
    one_hot = np.array([[0, 1, 0], [1, 0, 0]])
    for labels in (one_hot, one_hot * 1.0, one_hot.tolist(), sf.constant(one_hot)):
        loss = f(labels=labels, logits=x)
        assert loss.dtype == sf.float32
        np.testing.assert_allclose(run(loss), [2.1041307, 0.0], atol=1e-6)


def test_softmax_cross_entropy_refuses_axes_and_integer_logits() -> None:
    f = nn.softmax_cross_entropy_with_logits_v2
    with pytest.raises(ValueError, match="axis 2 is out of range"):
        f(labels=LABELS, logits=LOGITS, axis=2)
    with pytest.raises(TypeError, match="int"):
        f(labels=sf.constant(LABELS), logits=sf.constant([[1, 2, 3], [4, 5, 6]]))


def test_softmax_cross_entropy_names() -> None:
    x = sf.constant(LOGITS)
    old = nn.softmax_cross_entropy_with_logits(labels=x, logits=x)
    new = nn.softmax_cross_entropy_with_logits_v2(labels=x, logits=x)
    mine = nn.softmax_cross_entropy_with_logits_v2(x, x, -1, "mine")
    names = [t.op.name for t in (old, new, mine)]
    function = "softmax_cross_entropy_with_logits"
    assert names == [f"{function}_sg", function, "mine"]
    assert {t.op.type for t in (old, new)} == {"SoftmaxCrossEntropyWithLogits"}


def test_only_the_new_one_differentiates_labels() -> None:
    labels, logits = sf.constant(LABELS), sf.constant(LOGITS)
    old = nn.softmax_cross_entropy_with_logits(labels=labels, logits=logits)
    new = nn.softmax_cross_entropy_with_logits_v2(labels=labels, logits=logits)
    assert sf.gradients(old, labels) == [None]
    want = -run(nn.log_softmax(logits))
    np.testing.assert_allclose(gradients(new, labels)[0], want)
    np.testing.assert_array_equal(gradients(old, logits), gradients(new, logits))


@pytest.mark.parametrize(
    "f",
    [
        nn.softmax_cross_entropy_with_logits,
        nn.sparse_softmax_cross_entropy_with_logits,
        nn.sigmoid_cross_entropy_with_logits,
    ],
)
def test_arguments_go_by_name(f: Any) -> None:
    with pytest.raises(ValueError, match=r"labels=\.\.\., logits=\.\.\."):
        f(LOGITS, LOGITS)
    with pytest.raises(ValueError, match="logits is missing"):
        f(labels=LABELS)
    with pytest.raises(ValueError, match="labels is missing"):
        f(logits=LABELS)


@pytest.mark.parametrize(("labels", "logits"), [([2], [2, 3]), ([2, 1], [2, 3])])
def test_softmax_cross_entropy_of_class_numbers_is_refused(
    labels: Any, logits: Any
) -> None:
    f = nn.softmax_cross_entropy_with_logits_v2
    arrays = np.zeros(labels), np.zeros(logits)
    words = r"labels \(2.*logits \(2, 3\).*sparse_softmax"
    with pytest.raises(ValueError, match=words):
        f(*arrays)
    free = sf.placeholder(sf.float64), sf.placeholder(sf.float64)
    with pytest.raises(sf.errors.InvalidArgumentError, match=words):
        run(f(*free), dict(zip(free, arrays, strict=True)))


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int32, np.int64])
def test_sparse_labels_of_any_dtype_and_rank(dtype: Any) -> None:
    f = nn.sparse_softmax_cross_entropy_with_logits
    cube = np.random.default_rng(0).normal(size=(2, 3, 4))
    labels = np.array([[0, 1, 3], [3, 2, 0]], dtype)
    logs = run(nn.log_softmax(cube))
    want = -np.take_along_axis(logs, labels[..., None].astype(int), -1)[..., 0]
    loss = f(labels=labels, logits=cube)
    assert loss.shape == [2, 3]
    np.testing.assert_allclose(run(loss), want)
    scalar = f(labels=labels[0, 1], logits=cube[0, 1])
    np.testing.assert_allclose(run(scalar), want[0, 1])
    assert loss.op.name == "SparseSoftmaxCrossEntropyWithLogits"


def test_sparse_gradients_with_unknown_shapes() -> None:
    x, y = sf.Placeholder(), sf.placeholder(sf.int32)
    loss = nn.sparse_softmax_cross_entropy_with_logits(labels=y, logits=x)
    feeds = {x: LOGITS, y: [2, 0]}
    np.testing.assert_allclose(
        run(loss, feeds), [0.6041306, 0.0], rtol=1e-6, atol=1e-12
    )
    check_gradients(loss, x, {x: LOGITS[:, :2] / 500, y: [1, 0]})
    x32 = {**feeds, x: LOGITS.astype(np.float32)}
    assert [v.dtype for v in run([loss, sf.gradients(loss, x)[0]], x32)] == [
        np.float32
    ] * 2


@pytest.mark.parametrize(
    ("labels", "words"),
    [
        ([1, 10], r"label 10 at \[1\] .*\[0, 10\).*labels start at 0"),
        ([-1, 0], r"label -1 at \[0\] .*\[0, 10\)"),
        ([10, 11], r"label 10 at \[0\] .*so are 1 more"),
    ],
)
def test_sparse_labels_out_of_range(labels: Any, words: str) -> None:
    y = sf.placeholder(sf.int32, [None])
    f = nn.sparse_softmax_cross_entropy_with_logits
    loss = f(labels=y, logits=np.zeros((2, 10)))
    with pytest.raises(sf.errors.InvalidArgumentError, match=words):
        run(loss, {y: labels})


@pytest.mark.parametrize(("shape", "words"), [
    ([2, 1], "squeeze"), ([3], r"\(2,\)"), ([2, 3], "one-hot"), ([], r"\(2,\)")
])  # fmt: skip
def test_sparse_labels_of_a_wrong_shape(shape: Any, words: str) -> None:
    f = nn.sparse_softmax_cross_entropy_with_logits
    labels, logits = np.zeros(shape, np.int32), np.zeros((2, 3))
    with pytest.raises(ValueError, match=words):
        f(labels=labels, logits=logits)
    x = sf.placeholder(sf.int32)
    with pytest.raises(sf.errors.InvalidArgumentError, match=words):
        run(f(labels=x, logits=logits), {x: labels})


def test_sparse_labels_are_integers() -> None:
    f = nn.sparse_softmax_cross_entropy_with_logits
    with pytest.raises(TypeError, match=r"integers, not float32.*with_logits_v2"):
        f(labels=[0.0, 1.0], logits=LOGITS)
    free = sf.Placeholder()
    with pytest.raises(sf.errors.InvalidArgumentError, match="integers, not float32"):
        run(f(labels=free, logits=LOGITS), {free: np.float32([0, 1])})
    with pytest.raises(ValueError, match="rank 0"):
        f(labels=0, logits=1.0)


def test_sigmoid_cross_entropy_of_large_logits() -> None:
    x = sf.constant([800.0, -800.0, 800.0, -800.0, 20.0, 0.0])
    z = sf.constant([1.0, 0.0, 0.0, 1.0, 1.0, 0.25])
    loss = nn.sigmoid_cross_entropy_with_logits(labels=z, logits=x)
    assert loss.op.name == "logistic_loss"
    want = [0, 0, 800, 800, 2.0611537e-9, np.log(2)]
    np.testing.assert_allclose(run(loss), want, rtol=1e-6)
    by_x, by_z = gradients(loss, [x, z])
    np.testing.assert_allclose(by_x, [0, 0, 1, -1, 0, 0.25], atol=1e-6)
    np.testing.assert_allclose(by_z, [-800, 800, -800, 800, -20, 0])


def test_sigmoid_cross_entropy_does_not_broadcast() -> None:
    f = nn.sigmoid_cross_entropy_with_logits
    words = r"labels \(2,\) and logits \(2, 1\) must have the same shape"
    with pytest.raises(ValueError, match=words):
        f(labels=np.zeros(2), logits=np.zeros((2, 1)))
    free = sf.placeholder(sf.float32)
    with pytest.raises(sf.errors.InvalidArgumentError, match=words):
        run(f(labels=np.zeros(2), logits=free), {free: np.zeros((2, 1))})
    partly = f(labels=sf.placeholder(sf.float32, [None, 3]), logits=np.zeros((2, 3)))
    assert partly.shape == [2, 3]


def test_bias_add_data_formats() -> None:
    x = np.random.default_rng(0).normal(size=(2, 3, 4, 3))
    bias = np.array([1.0, 2.0, 3.0])
    for form in (None, "NHWC", "NDHWC", "N...C"):
        np.testing.assert_array_equal(run(nn.bias_add(x, bias, form)), x + bias)
    want = x + bias[:, None, None]
    for form in ("NCHW", "NC..."):
        y = nn.bias_add(x, bias, data_format=form)
        np.testing.assert_array_equal(run(y), want)
        assert y.op.name.startswith("BiasAdd")


@pytest.mark.parametrize("form", ["NHWC", "NCHW"])
def test_bias_add_gradients_with_unknown_shape(form: str) -> None:
    x, b = sf.placeholder(sf.float64), sf.placeholder(sf.float64)
    feeds = {x: np.random.default_rng(0).normal(size=(2, 3, 3)), b: [1.0, 2.0, 3.0]}
    check_gradients(sf.square(nn.bias_add(x, b, form)), [x, b], feeds)


@pytest.mark.parametrize(
    ("x", "bias", "form", "words"),
    [
        ([2, 3], [2], None, r"\(2, 3\) has 3 channels .*\(2,\) has 2"),
        ([3], [3], None, "rank 1, and NHWC needs at least 2"),
        ([2, 3], [3], "NCHW", "rank 2, and NCHW needs at least 3"),
        ([2, 3], [1, 3], None, "bias has rank 1"),
        ([2, 3], [3], "HWC", "'HWC'"),
    ],
)
def test_bias_add_refuses(x: Any, bias: Any, form: Any, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        nn.bias_add(np.zeros(x), np.zeros(bias), form)


def test_bias_add_does_not_broadcast_in_a_run() -> None:
    x, b = sf.placeholder(sf.float32), sf.placeholder(sf.float32)
    for bias in (np.zeros(1), np.zeros((1, 3))):
        with pytest.raises(sf.errors.InvalidArgumentError, match="channels"):
            run(nn.bias_add(x, b), {x: np.zeros((2, 3)), b: bias})


def test_bias_add_checks_ranks_in_a_run() -> None:
    x = sf.placeholder(sf.float32)
    for value, form in ((1.0, None), ([1.0], None), ([[1.0]], "NCHW")):
        with pytest.raises(sf.errors.InvalidArgumentError, match="needs at least"):
            run(nn.bias_add(x, [1.0], form), {x: value})


@pytest.mark.parametrize("f", [nn.softmax, nn.log_softmax])
def test_softmax_of_a_number(f: Any) -> None:
    x = sf.placeholder(sf.float32)
    with pytest.raises(sf.errors.InvalidArgumentError, match=r"axis -1 .* rank 0"):
        run(f(x), {x: 1.0})


@pytest.mark.parametrize("axis", [0, 1])
def test_half_precision_is_rounded_once(axis: int) -> None:
    value = np.linspace(0.5, 1.5, 6000).reshape(3000, 2).astype(np.float16)
    value = value if axis == 0 else value.T

    def results(x: Any) -> list[Any]:
        xent = nn.softmax_cross_entropy_with_logits_v2(x / 1024, x, axis)
        return [nn.softmax(x, axis), nn.log_softmax(x, axis), xent, nn.l2_loss(x)]

    found, want = (run(results(sf.constant(v))) for v in (value, value.astype(float)))
    for half, wide in zip(found, want, strict=True):
        assert half.dtype == np.float16
        np.testing.assert_allclose(half, wide, rtol=6e-4)


def test_half_precision_class_numbers() -> None:
    x = sf.constant(np.full((2, 3000), 0.1, np.float16))
    f = nn.sparse_softmax_cross_entropy_with_logits
    assert run(f(labels=[0, 1], logits=x)).tolist() == [8.0078125] * 2


def test_bias_gradients_of_half_precision_are_rounded_once() -> None:
    x, b = sf.constant(np.full((3000, 2), 0.1, np.float16)), sf.zeros([2], sf.float16)
    assert run(sf.gradients(nn.bias_add(x, b), b, x)[0]).tolist() == [300.0] * 2


def test_static_shapes_of_cross_entropies() -> None:
    """What labels and logits know together; as TensorFlow 2.21 gave them."""

    def dims(f: Any, labels: Any, logits: Any, kind: Any = sf.float32) -> Any:
        y = sf.placeholder(kind, labels)
        return f(labels=y, logits=sf.placeholder(sf.float32, logits)).static_shape

    dense = nn.softmax_cross_entropy_with_logits_v2
    for labels, logits, want in [
        (None, [2, 3], (2,)), ([None, 3], [2, None], (2,)), (None, None, None),
        ([2, None], [None, 3], (2,)), ([2, 3], [None, 3], (2,)),
    ]:  # fmt: skip
        assert dims(dense, labels, logits) == want
    sparse = nn.sparse_softmax_cross_entropy_with_logits
    for labels, logits, want in [
        ([2], None, (2,)), (None, [2, 3], (2,)), ([None], [2, None], (2,)),
        ([2], [None, 3], (2,)), ([None, 3], [2, None, 4], (2, 3)), (None, None, None),
    ]:  # fmt: skip
        assert dims(sparse, labels, logits, sf.int32) == want


def test_l2_loss() -> None:
    x = sf.constant([[3.0, 4.0]])
    loss = nn.l2_loss(x)
    assert (loss.op.type, loss.shape.as_list(), run(loss)) == ("L2Loss", [], 12.5)
    assert gradients(loss, x)[0].tolist() == [[3, 4]]
    with pytest.raises(TypeError, match="int32"):
        nn.l2_loss([1, 2])


@pytest.mark.parametrize("name", ["softmax", "log_softmax", "argmax", "argmin"])
def test_no_order_no_maximum(name: str) -> None:
    for value in ([1j, 2.0], ["a", "b"]):
        with pytest.raises(TypeError, match=f"{name} does not take"):
            getattr(sf, name)(sf.constant(value))
