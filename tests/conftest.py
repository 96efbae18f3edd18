"""Shared by the tests and by the docstring examples of the package."""

import os

import pytest

os.environ["MPLBACKEND"] = "Agg"  # no test opens a window; subprocesses inherit it


@pytest.fixture(autouse=True)
def _fresh_default_graph() -> None:
    import similarflow as sf

    sf.reset_default_graph()


@pytest.fixture(autouse=True)
def _nothing_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """What can be run can be bound: else the engine would be slow, and nobody knew."""
    from similarflow.runtime.compiled.bound import Bound

    outcome = Bound.outcome

    def checked(bound: Bound) -> list[object]:
        if bound.refusal is not None:
            raise AssertionError("a run that could not be bound") from bound.refusal
        return outcome(bound)

    monkeypatch.setattr(Bound, "outcome", checked)
