"""similarflow answers every case as TensorFlow did when it was recorded."""

import json
import math
import pathlib

import pytest

import similarflow as sf

from .cases import load_cases, plain

RECORDED = json.loads(
    pathlib.Path(__file__).with_name("recorded.json").read_text(encoding="utf-8")
)["cases"]
CASES = load_cases()
# Relative to the number itself, and to the largest in its array.
TOLERANCE = {
    "float64": (1e-9, 1e-12),
    "float32": (1e-5, 2e-6),
    "float16": (2e-3, 2e-3),
}


def differences(got, want, where="", rtol=1e-9, atol=0.0):
    """One line for each place where `got` is not `want`."""
    here = where or "answer"
    if isinstance(want, dict) and "array" in want and isinstance(got, dict):
        if got.get("array") != want["array"]:
            return [f"{here}: {got.get('array')} instead of {want['array']}"]
        rtol, atol = TOLERANCE.get(want["array"].split("[")[0], (0.0, 0.0))
        atol *= max((abs(v) for v in want["values"] if _is_number(v)), default=0.0)
        return differences(got["values"], want["values"], where, rtol, atol)
    if isinstance(want, dict) and isinstance(got, dict):
        if got.keys() != want.keys():
            return [f"{here}: keys {sorted(got)} instead of {sorted(want)}"]
        pairs = [(f"{where}.{k}".lstrip("."), got[k], want[k]) for k in want]
    elif isinstance(want, list) and isinstance(got, list):
        if len(got) != len(want):
            return [f"{here}: {got} instead of {want}"]
        both = zip(got, want, strict=True)
        pairs = [(f"{where}[{i}]", g, w) for i, (g, w) in enumerate(both)]
    else:
        same = _same(got, want, rtol, atol)
        return [] if same else [f"{here}: {got!r} instead of {want!r}"]
    return [d for place, g, w in pairs for d in differences(g, w, place, rtol, atol)]


def _is_number(value):
    return isinstance(value, int | float) and not isinstance(value, bool)


def _same(got, want, rtol, atol):
    """Numbers within tolerance; everything else, and its type, exactly."""
    if isinstance(want, float) and isinstance(got, float):
        return math.isclose(got, want, rel_tol=rtol, abs_tol=atol)
    return type(got) is type(want) and got == want


@pytest.mark.parametrize("name", CASES)
def test_parity(name):
    assert name in RECORDED, "not recorded: run record.py"
    sf.reset_default_graph()
    found = differences(plain(CASES[name](sf)), RECORDED[name])
    assert not found, "\n".join(["similarflow differs from TensorFlow:", *found[:20]])


def test_every_recording_has_its_case():
    assert sorted(RECORDED) == sorted(CASES)
