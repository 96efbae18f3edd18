"""The special functions: values from high-precision arithmetic, poles, infinities."""

from typing import Any

import numpy as np
import pytest

import similarflow as sf
from similarflow.ops.special import digamma, erf, erfc, lgamma, polygamma, zeta
from similarflow.testing import check_gradients

INF, NAN = np.inf, np.nan
FUNCTIONS = {"erf": erf, "erfc": erfc, "lgamma": lgamma, "digamma": digamma}
VALUES = {  # arguments and values, computed with 60 digits
    "erf": [
        (1e-300, 1.1283791670955126e-300), (1e-08, 1.1283791670955126e-08),
        (0.1, 0.1124629160182849), (0.46, 0.4846553900016797),
        (0.47, 0.4937450508860821), (0.9, 0.7969082124228322),
        (1.5, 0.9661051464753108), (2.5, 0.999593047982555), (3.9, 0.9999999652077514),
        (4.1, 0.9999999932999724), (5.8, 0.9999999999999998),
        (-0.3, -0.3286267594591274), (-2.0, -0.9953222650189527),
    ],
    "erfc": [
        (-3.0, 1.9999779095030015), (-0.3, 1.3286267594591274),
        (1e-08, 0.9999999887162083), (0.46, 0.5153446099983203),
        (0.47, 0.5062549491139179), (1.0, 0.15729920705028513),
        (2.6, 0.00023603441652934908), (3.99, 1.6739211364520814e-08),
        (4.01, 1.4196939421371052e-08), (8.0, 1.1224297172982926e-29),
        (13.7, 1.2613158337408749e-83), (20.0, 5.395865611607901e-176),
        (26.5, 2.2109076642637343e-307),
    ],
    "lgamma": [
        (1e-300, 690.7755278982137), (1e-08, 18.42068073818021),
        (0.1, 2.252712651734206), (0.5, 0.5723649429247001), (0.6, 0.39823385806923495),
        (0.7, 0.26086724653166654), (0.9, 0.06637623973474295),
        (1.000000001, -5.772157118381039e-10), (1.25, -0.09827183642181316),
        (1.5, -0.12078223763524522), (1.999999, -4.227840125965854e-07),
        (2.000001, 4.2278465762452923e-07), (3.0, 0.6931471805599453),
        (4.0, 1.791759469228055), (5.5, 3.9578139676187165), (12.0, 17.502307845873887),
        (12.5, 18.734347511936445), (100.0, 359.1342053695754),
        (10000000000.0, 220258509288.81058), (1e+300, 6.897755278982137e+302),
        (-0.1, 2.3689613327287886), (-0.4, 1.31452458994339),
        (-0.9, 2.3580731673920323), (-1.5, 0.860047015376481),
        (-3.3, -0.8243558050174264), (-20.7, -43.105133189536225),
    ],
    "digamma": [
        (1e-300, -9.999999999999999e+299), (1e-08, -100000000.57721564),
        (0.1, -10.423754940411076), (0.5, -1.9635100260214235),
        (1.0, -0.5772156649015329), (1.2, -0.2890398965921884),
        (1.8, 0.28499143329386156), (3.0, 0.9227843350984671),
        (9.99, 2.250700372831201), (10.0, 2.251752589066721), (25.0, 3.198742512851974),
        (10000000000.0, 23.025850929890456), (1e+300, 690.7755278982137),
        (-1e-08, 99999999.42278431), (-0.4, 0.9593807861068093),
        (-1.3, 2.8825405488661673), (-7.8, -2.207172510985607),
    ],
}  # fmt: skip
POLYGAMMA = [  # order, argument and value
    (1, 0.02, 2501.598118191868), (1, 0.5, 4.934802200544679),
    (1, 3.7, 0.3100378576700383), (1, 40.0, 0.02531510384129103),
    (1, -0.3, 13.945160267805722), (1, -2.6, 10.591688362390217),
    (2, 0.02, -250002.27905420522), (2, 0.5, -16.82879664423432),
    (2, 3.7, -0.09539530872855403), (2, 40.0, -0.0006408202718352986),
    (2, -0.3, 67.63908119988317), (2, -2.6, -22.377796580409246),
    (3, 0.02, 37500006.019694984), (3, 0.5, 97.40909103400244),
    (3, 3.7, 0.058279217956563614), (3, 40.0, 3.24414001515635e-05),
    (3, -0.3, 766.6198904191685), (3, -2.6, 283.53838059773574),
    (8, 0.02, -7.875000000000002e+19), (8, 0.5, -20644899.96176004),
    (8, 3.7, -0.35476306402938856), (8, 40.0, -8.488278799223605e-10),
    (8, -0.3, 2047468708.477271), (8, -2.6, -149809052.59941623),
    (30, 0.02, -1.235179881622041e+85), (30, 0.5, -5.696261790319176e+41),
    (30, 3.7, -645161486058326.2), (30, 40.0, -1.0912335543822422e-17),
    (30, -0.3, 4.2943869916847625e+48), (30, -2.6, -5.751734540029702e+44),
]  # fmt: skip
ZETA = [  # exponent, argument and value
    (1.01, 0.02, 152.54015682030789), (1.01, 1.0, 100.57794333849678),
    (1.01, 7.3, 98.10044405356155), (1.01, 150.0, 95.1160003687894),
    (2.0, 0.02, 2501.598118191868), (2.0, 1.0, 1.6449340668482264),
    (2.0, 7.3, 0.1467957681314271), (2.0, 150.0, 0.006688938271165994),
    (3.5, 0.02, 883884.5325036994), (3.5, 1.0, 1.1267338673170566),
    (3.5, 7.3, 0.0032915643532439197), (3.5, 150.0, 1.4636927629411267e-06),
    (12.0, 0.02, 2.4414062499999993e+20), (12.0, 1.0, 1.000246086553308),
    (12.0, 7.3, 5.648224781393408e-11), (12.0, 150.0, 1.0900523000822959e-25),
    (50.0, 0.02, 8.881784197001244e+84), (50.0, 1.0, 1.0000000000000009),
    (50.0, 7.3, 6.832298129432109e-44), (50.0, 150.0, 5.628649383948044e-109),
]  # fmt: skip


def run(fetches: Any, feeds: Any = None) -> Any:
    with sf.Session() as sess:
        return sess.run(fetches, feeds)


def double(values: Any) -> Any:
    return sf.constant(np.array(values, np.float64))


@pytest.mark.parametrize("name", VALUES)
def test_values(name: str) -> None:
    at, want = zip(*VALUES[name], strict=True)
    found = run(FUNCTIONS[name](double(at)))
    np.testing.assert_allclose(found, want, rtol=4e-15)


@pytest.mark.parametrize("name", VALUES)
@pytest.mark.parametrize("dtype", [np.float16, np.float32])
def test_smaller_floats_are_rounded_once(name: str, dtype: Any) -> None:
    at = np.array([0.3, 2.75, 7.25, -1.5], dtype)
    free = sf.Placeholder()
    y = FUNCTIONS[name](free)
    wide = run(y, {free: at.astype(np.float64)})
    found, slope = run([y, sf.gradients(y, free)[0]], {free: at})
    assert found.dtype == slope.dtype == dtype
    np.testing.assert_array_equal(found, wide.astype(dtype))


def test_single_precision_as_recorded() -> None:
    """As TensorFlow 2.21 gave them."""
    at = np.float32([0.3, 2.7, 7.25, -1.4])
    want = {
        "erf": [0.3286267817020416, 0.9998656511306763, 1.0, -0.9522851705551147],
        "erfc": [0.6713731884956, 1.3433270214591e-04, 1.14669008e-24, 1.9522850513],
        "lgamma": [1.0957980155, 0.4348205924034, 7.0521855354309, 0.9780524373054],
        "digamma": [-3.50252389907837, 0.7967830896377, 1.91045343875, 1.6736664965],
    }
    for name, values in want.items():
        np.testing.assert_allclose(run(FUNCTIONS[name](at)), values, rtol=1e-6)


def test_infinities_poles_and_nan() -> None:
    at = double([INF, -INF, NAN, 0.0, -0.0, -1.0, -1e20])
    found = run([f(at) for f in FUNCTIONS.values()])
    want = [
        [1, -1, NAN, 0, 0, -0.8427007929497148, -1],
        [0, 2, NAN, 1, 1, 1.8427007929497148, 2],
        [INF, INF, NAN, INF, INF, INF, INF],
        [INF, NAN, NAN, NAN, NAN, NAN, NAN],
    ]
    np.testing.assert_allclose(found, want, rtol=1e-15)
    np.testing.assert_array_equal(run(polygamma(1.0, at))[2:], [NAN, *[INF] * 4])
    np.testing.assert_array_equal(run(polygamma(2.0, at))[1:], [NAN] * 6)
    assert run(polygamma(1.0, at))[0] == 0


def test_tails_that_are_too_small() -> None:
    assert run(erfc(double([27.5, 1e300]))).tolist() == [0, 0]
    assert run(erfc(double(27.0))) == pytest.approx(5.237e-319, rel=1e-3)  # subnormal
    assert run(lgamma(double(1e306))) == INF


@pytest.mark.parametrize(("n", "at", "want"), POLYGAMMA)
def test_polygamma(n: int, at: float, want: float) -> None:
    assert run(polygamma(double(n), double(at))) == pytest.approx(want, rel=2e-14)


@pytest.mark.parametrize(("s", "at", "want"), ZETA)
def test_zeta(s: float, at: float, want: float) -> None:
    assert run(zeta(double(s), double(at))) == pytest.approx(want, rel=4e-15)


def test_zeta_where_it_is_not_defined() -> None:
    s, q = [2.0, 2.0, 2.5, 1.0, 0.5, 3.0], [0.0, -1.5, -1.5, 1.0, 1.0, INF]
    found = run(zeta(double(s), double(q)))
    np.testing.assert_allclose(found, [INF, 9.37924664498912, NAN, INF, NAN, 0])


def test_orders_are_whole_and_not_negative() -> None:
    found = run(polygamma(double([0.5, -1.0, NAN, 0.0, 200.0]), double(0.5)))
    assert np.isnan(found[:3]).all()
    assert found[3] == pytest.approx(-1.9635100260214235)
    assert found[4] == -INF


def test_gradients_are_a_chain() -> None:
    """lgamma, digamma, and polygamma of orders 1, 2, 3."""
    x = double([0.3, 2.7, -1.4])
    chain = [lgamma(x)]
    for _ in range(4):
        chain += sf.gradients(chain[-1], x)
    orders = [polygamma(float(n), x) for n in range(4)]
    for slope, order in zip(run(chain[1:]), run(orders), strict=True):
        np.testing.assert_array_equal(slope, order)


def test_slopes_of_erf() -> None:
    x = double([0.3, 2.7])
    found = run(sf.gradients(erf(x), x) + sf.gradients(erfc(x), x))
    want = [1.031260909618963, 0.0007699247598551432]
    np.testing.assert_allclose(found, [want, np.negative(want)], rtol=1e-14)


def test_no_gradient_flows_to_orders() -> None:
    a, x = double([1.0, 2.0]), double(1.5)
    assert sf.gradients(polygamma(a, x), a) == [None]
    assert sf.gradients(zeta(a, x), a) == [None]
    slope = sf.gradients(polygamma(a, x), x)[0]
    assert run(slope) == pytest.approx(run(polygamma(2.0, x) + polygamma(3.0, x)))


def test_orders_of_another_dtype() -> None:
    x = sf.constant([0.5, 1.5])
    for order in (1, 1.0, np.int64(1), np.float64(1)):
        y = polygamma(order, x)
        assert y.dtype == sf.float32
        assert run(y)[0] == pytest.approx(np.pi**2 / 2, rel=1e-6)


@pytest.mark.parametrize("build", [*FUNCTIONS.values(), lambda x: polygamma(2.0, x)])
def test_sizes_that_only_a_run_tells(build: Any) -> None:
    x = sf.placeholder(sf.float64)
    for value in (np.float64(1.3), np.ones((0, 2)), np.full((2, 1), 0.7)):
        assert run(build(x), {x: value}).shape == value.shape
    check_gradients(build(x), x, {x: [[0.4, 2.5]]})


def test_whole_numbers_are_refused() -> None:
    for name, build in FUNCTIONS.items():
        with pytest.raises(TypeError, match=f"{name} does not take int32"):
            build(sf.constant([1, 2]))
