"""The suite in Go, test by test. `go/` has it; it runs once for all tests of this file."""

from __future__ import annotations

import pytest

from tests.conformance.go_suite import GoRun, declared_tests, run_go
from tests.conformance.targets import HetznerTarget


@pytest.fixture(scope="session")
def go_run(hetzner_target: HetznerTarget) -> GoRun:
    return run_go(hetzner_target)


@pytest.mark.parametrize("name", declared_tests())
def test_in_go(go_run: GoRun, name: str) -> None:
    assert name in go_run.outcomes, f"{name} did not run:\n{go_run.remarks}"
    assert go_run.outcomes[name] == "pass", f"{name} failed:\n{go_run.outputs[name]}"


def test_the_run_as_a_whole(go_run: GoRun) -> None:
    """Also fails when the tests passed and something of theirs is left in the account."""
    assert go_run.status == 0, go_run.remarks
    assert sorted(go_run.outcomes) == sorted(declared_tests())
