"""Whole trajectories, slots, rates and averages, against TensorFlow's."""

import pytest

import similarflow as sf

from . import problems
from .compare import RECORDED, differences


@pytest.mark.parametrize("problem", [problems.dense, problems.sparse])
@pytest.mark.parametrize("optimizer", problems.OPTIMIZERS)
def test_optimizers_go_tensorflow_s_way(optimizer, problem):
    found = problems.train(sf, optimizer, problem)
    want = RECORDED[f"{optimizer}/{problem.__name__}"]
    assert differences(found, want) == []
    assert list(found["values"]) == list(want["values"])  # made in the same order


@pytest.mark.parametrize("optimizer", problems.OPTIMIZERS)
def test_rows_without_a_gradient_are_kept_to_the_last_bit(optimizer):
    values = problems.train(sf, optimizer, problems.sparse)["values"]
    start = [[1.0, -2.0], [3.0, 0.5], [-0.5, 1.5], [0.25, -0.75]]
    assert [values["table"][i] for i in (1, 3)] == [start[1], start[3]]
    for name in values.keys() - {"table", "global_step"}:
        if name.startswith("table/"):
            assert values[name][1] == values[name][3] == [values[name][1][0]] * 2


@pytest.mark.parametrize("schedule", problems.SCHEDULES)
def test_rates_fall_as_tensorflow_s(schedule):
    found, want = problems.follow(sf, schedule), RECORDED[f"schedule/{schedule}"]
    assert found["dtype"] == want["dtype"]
    if schedule.startswith("natural"):
        rtol = 1e-6  # TensorFlow rounds exp(-decay_rate) to float32 first
    else:
        rtol = 1e-12 if found["dtype"] == "float64" else 1e-5
    assert differences(found["values"], want["values"], rtol) == []
    assert found["name"] == want["name"].split("/")[0]


@pytest.mark.parametrize("kind", problems.AVERAGES)
def test_averages_are_tensorflow_s(kind):
    assert differences(problems.average(sf, kind), RECORDED[f"average/{kind}"]) == []


def test_every_recording_is_compared():
    assert list(RECORDED) == [key for key, _ in problems.iterate()]
