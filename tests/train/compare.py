"""Answers beside what TensorFlow answered when it was recorded."""

import json
import math
import pathlib

RECORDED = json.loads(
    pathlib.Path(__file__).with_name("recorded.json").read_text(encoding="utf-8")
)


def differences(found, want, rtol=1e-12, where="answer"):
    """One line for each place where the two differ; numbers may by `rtol`."""
    if (
        isinstance(want, dict)
        and isinstance(found, dict)
        and found.keys() == want.keys()
    ):
        pairs = [(f"{where}.{k}", found[k], want[k]) for k in want]
    elif isinstance(want, list) and isinstance(found, list) and len(found) == len(want):
        both = zip(found, want, strict=True)
        pairs = [(f"{where}[{i}]", f, w) for i, (f, w) in enumerate(both)]
    elif isinstance(want, float) and isinstance(found, float):
        near = math.isclose(found, want, rel_tol=rtol)
        return [] if near else [f"{where}: {found!r} instead of {want!r}"]
    else:
        same = type(found) is type(want) and found == want
        return [] if same else [f"{where}: {found!r} instead of {want!r}"]
    return [d for place, f, w in pairs for d in differences(f, w, rtol, place)]
