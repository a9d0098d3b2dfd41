"""A real stack in the local stack's shell would keep its secrets under a passphrase that everybody knows."""

from __future__ import annotations

from tests.cloud import RunningCloud
from tests.e2e.engine import Engine


def test_a_stack_whose_endpoint_is_not_local_is_refused_before_anything(
    engine: Engine, cloud: RunningCloud
) -> None:
    engine.configure("hcloud:endpoint", None)
    refused = engine.preview(check=False)
    shown = " ".join((refused.stdout + refused.stderr).split())
    assert refused.returncode != 0
    assert "this shell is set up for the local stack, and test is not one" in shown
    assert cloud.requests() == []
