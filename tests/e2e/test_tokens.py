"""docs/runbooks/tokens.md: the configuration has another token, the state still the withdrawn one."""

from __future__ import annotations

import json

import pytest

from tests.cloud import RunningCloud
from tests.e2e.engine import STACK, Engine

NEW_TOKEN = "n" * 64
_WRITE_IT = ("--target", "**pulumi:providers:**")


@pytest.fixture(scope="module", autouse=True)
def _withdrawn(engine: Engine, cloud: RunningCloud) -> None:
    """An agent is gone, too: what recovery forgets it has the engine read."""
    engine.fleet({})
    engine.up("--skip-preview")
    cloud.delete_server("agent-0")
    # Once one is named, the local cloud takes no other.
    cloud.seed({"tokens": [{"token": NEW_TOKEN, "project": "default"}]})
    engine.configure("hcloud:token", NEW_TOKEN, secret=True)


def _refreshed(engine: Engine) -> tuple[int, str]:
    ran = engine.pulumi("refresh", "--yes", "--skip-preview", "--stack", STACK, check=False)
    return ran.returncode, ran.stdout + ran.stderr


def test_the_engine_reads_with_the_token_of_the_state(engine: Engine) -> None:
    status, said = _refreshed(engine)
    assert status != 0
    assert "unauthorized: the token you have provided is invalid" in said


def test_recovery_says_so_and_names_the_way_out(engine: Engine) -> None:
    status, said = engine.recover("--yes")
    assert status == 1
    assert "Forget the server agent-0 (" in said
    assert f"pulumi up --stack {STACK} --target '{_WRITE_IT[1]}'" in said
    assert "Traceback" not in said


def test_a_targeted_update_writes_it_and_touches_nothing_else(engine: Engine, cloud: RunningCloud) -> None:
    mark = len(cloud.events())
    engine.up("--skip-preview", *_WRITE_IT)
    assert cloud.events()[mark:] == []
    assert any(each["urn"].endswith("Server::agent-0") for each in engine.resources())
    status, said = engine.recover("--yes")
    assert status == 0, said
    assert _refreshed(engine)[0] == 0
    engine.up("--skip-preview")
    engine.preview("--expect-no-changes")


def test_an_update_writes_it_as_well(engine: Engine, cloud: RunningCloud) -> None:
    newer = "o" * 64
    cloud.seed({"tokens": [{"token": newer, "project": "default"}]})
    engine.configure("hcloud:token", newer, secret=True)
    engine.up("--skip-preview")
    (provider,) = [each for each in engine.resources() if each["type"] == "pulumi:providers:hcloud"]
    exported = json.loads(engine.pulumi("stack", "export", "--show-secrets").stdout)["deployment"]
    (shown,) = [each for each in exported["resources"] if each["urn"] == provider["urn"]]
    assert newer in json.dumps(shown["inputs"]["token"])
