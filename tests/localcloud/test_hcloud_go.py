"""Refusals that pass: hcloud-go tries again, if the local cloud words them as the API does."""

from __future__ import annotations

from typing import Any

import pytest

from tests.cloud import RunningCloud
from tests.conformance.go_suite import run_go
from tests.conformance.targets import hetzner_of


@pytest.mark.parametrize(
    ("status", "code"),
    [(429, "rate_limit_exceeded"), (409, "conflict"), (502, "bad_gateway"), (504, "timeout")],
)
def test_the_client_tries_again(cloud: RunningCloud, status: int, code: str) -> None:
    cloud.fault("status", path="/pricing$", status=status, code=code)
    done = run_go(hetzner_of(cloud), "-run=^TestPricing$")
    assert done.outcomes == {"TestPricing": "pass"}, done.remarks
    answers: list[Any] = [each["status"] for each in cloud.requests() if each["path"].endswith("/pricing")]
    assert answers == [status, 200]
