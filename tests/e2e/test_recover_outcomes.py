"""How `make recover` ends when it cannot mend everything: the statuses of docs/runbooks/interrupted.md."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import pytest

from tests import by_hand
from tests.cloud import RunningCloud
from tests.e2e.engine import STACK, Engine
from tests.killing import until

FAILED, NOT_CARRIED_OUT, LOOK_AT_IT = 1, 3, 4


@pytest.fixture(scope="module", autouse=True)
def _running(engine: Engine) -> None:
    engine.fleet({}, {})
    engine.up("--skip-preview")


def _state(engine: Engine) -> bytes:
    return (engine.folder / f".state/.pulumi/stacks/raya/{STACK}.json").read_bytes()


def _flat(text: str) -> str:
    return " ".join(text.split())


def _replace_state(engine: Engine, document: dict[str, Any]) -> None:
    file = engine.folder / "state.json"
    file.write_text(json.dumps(document))
    engine.pulumi("stack", "import", "--file", str(file), "--stack", STACK)


def test_google_does_not_know_the_token(engine: Engine, cloud: RunningCloud) -> None:
    cloud.fault("status", method="GET", path="/managedZones$", status=401, code="authError", message="Who?")
    status, said = engine.recover("--yes")
    assert status == FAILED
    assert said.startswith("raya: Google does not accept the access token of gcp:accessToken: ")
    assert "Traceback" not in said


def test_a_second_recovery_is_told_who_holds_the_turn(engine: Engine, cloud: RunningCloud) -> None:
    """The first one is held up by a cloud that does not answer yet."""
    cloud.fault("hang", method="GET", path="/hcloud/v1/servers$", delaySeconds=5)
    first = subprocess.Popen(
        [sys.executable, "-m", "raya.recover", "--stack", STACK, "--yes"],
        cwd=engine.folder,
        env=engine.environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    until(lambda: cloud.control("GET", "faults")["faults"][-1]["struck"])
    status, said = engine.recover("--yes")
    assert status == FAILED
    assert f"raya: another recovery of {STACK} runs in this checkout (pid {first.pid}, begun at " in said
    printed, _ = first.communicate(timeout=120)
    assert (first.returncode, printed) == (0, f"Nothing to recover: {STACK} and its clouds agree.\n")


def test_what_is_not_touched_does_not_pass_for_well(engine: Engine, cloud: RunningCloud) -> None:
    """An emptied state: it has made nothing, so nothing is its own."""
    whole = json.loads(engine.export())
    emptied = {**whole, "deployment": {**whole["deployment"], "resources": []}}
    _replace_state(engine, emptied)
    before, servers = _state(engine), cloud.hetzner("servers")
    status, said = engine.recover("--yes")
    assert status == LOOK_AT_IT
    assert _flat(said).count("this state has made nothing yet that has labels") == 1
    for name in (
        "server control-plane (",
        "server agent-0 (",
        "server agent-1 (",
        "state volume local-state (",
    ):
        assert f"    - {name}" in said
    assert f"ends with status {LOOK_AT_IT}" in said
    assert (_state(engine), cloud.hetzner("servers")) == (before, servers)
    _replace_state(engine, whole)
    assert engine.recover("--yes")[0] == 0
    engine.preview("--expect-no-changes")


def test_what_can_be_mended_is_and_the_rest_is_still_to_be_looked_at(
    engine: Engine, cloud: RunningCloud
) -> None:
    """A stranger with a name that this cluster gives, and an agent that is gone."""
    image = cloud.hetzner("servers")[0]["image"]["id"]
    stranger = {"name": "agent-9", "server_type": "cx23", "image": image, "location": "hel1"}
    by_hand.hetzner(cloud, "POST", "servers", stranger)
    cloud.delete_server("agent-1")
    status, said = engine.recover()
    assert status == NOT_CARRIED_OUT
    status, said = engine.recover("--yes")
    assert status == LOOK_AT_IT
    assert "Forget the server agent-1 (" in said
    assert f"{STACK} and its clouds agree again" in said
    assert "    - server agent-9 (" in said
    status, said = engine.recover("--yes")
    assert status == LOOK_AT_IT
    assert "Forget" not in said
    cloud.delete_server("agent-9")
    assert engine.recover("--yes")[0] == 0
    engine.up("--skip-preview")
    assert {each["name"] for each in cloud.hetzner("servers")} == {"control-plane", "agent-0", "agent-1"}
