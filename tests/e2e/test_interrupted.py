"""Runs that are killed in the middle of a creation, and both ways back of docs/runbooks/interrupted.md."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Mapping
from typing import Any

import pytest

from raya import account
from raya.recover import hetzner
from raya.recover.checkpoint import Checkpoint
from raya.recover.claims import Claims
from raya.recover.comparison import compare
from raya.recover.engine import Engine as Commands
from raya.recover.google import Project
from raya.recover.things import Kind
from raya.settings import Settings
from tests.cloud import TOKEN, RunningCloud
from tests.e2e.engine import STACK, Engine
from tests.killing import Killed, Run, in_flight

NOT_CARRIED_OUT = 3
# What recovery deletes instead, and what it leaves to the next update.
_NEVER_TAKEN_IN = (Kind.SERVER, Kind.KEY)


def _killed(engine: Engine, cloud: RunningCloud, command: list[str], method: str, path: str) -> Killed:
    run = Run(command, folder=engine.folder, environment=engine.environment)
    return run.killed(in_flight(method, path), cloud)


def _update_killed(engine: Engine, cloud: RunningCloud, method: str, path: str) -> None:
    command = ["pulumi", "--non-interactive", "up", "--yes", "--skip-preview", "--stack", STACK]
    _killed(engine, cloud, command, method, path)


def _recover(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "raya.recover", "--stack", STACK, *arguments]


def _state(engine: Engine) -> bytes:
    return (engine.folder / f".state/.pulumi/stacks/raya/{STACK}.json").read_bytes()


def _servers(cloud: RunningCloud) -> list[tuple[int, str]]:
    return [(each["id"], each["name"]) for each in cloud.hetzner("servers")]


def _pending(engine: Engine) -> list[tuple[str, str]]:
    operations = json.loads(engine.export())["deployment"].get("pending_operations", [])
    return [(each["type"], each["resource"]["urn"].split("::")[-2].split("$")[-1]) for each in operations]


def _remove_torn_notes(engine: Engine) -> None:
    """By hand, when every command says "EOF": the kill met the engine while it wrote one."""
    for note in (engine.folder / ".state/.pulumi/stacks/raya").glob("*.attrs"):
        if not note.read_text():
            note.unlink()


@pytest.fixture(scope="module", autouse=True)
def _two_agents(engine: Engine) -> None:
    engine.fleet({}, {})


def test_a_volume_whose_creation_was_killed_is_brought_back_by_hand(
    engine: Engine, cloud: RunningCloud
) -> None:
    _update_killed(engine, cloud, "POST", "/volumes$")
    _remove_torn_notes(engine)
    locked = engine.up(check=False)
    assert locked.returncode != 0
    assert "locked" in locked.stdout + locked.stderr
    engine.pulumi("cancel", "--yes", "--stack", STACK)
    assert ("creating", "hcloud:index/volume:Volume") in _pending(engine)
    (volume,) = cloud.hetzner("volumes")
    parent = next(each["urn"] for each in engine.resources() if each["type"] == "raya:cluster:ControlPlane")
    imported = {
        "type": "hcloud:index/volume:Volume",
        "name": "control-plane",
        "id": str(volume["id"]),
        "parent": "parent",
    }
    file = engine.folder / "volume.json"
    file.write_text(json.dumps({"nameTable": {"parent": parent}, "resources": [imported]}))
    engine.pulumi(
        *("import", "--file", str(file), "--yes", "--skip-preview", "--stack", STACK),
        *("--generate-code=false", "--protect=true"),
    )
    engine.pulumi("refresh", "--yes", "--clear-pending-creates", "--stack", STACK)
    # What else was under way at that moment is another matter, and the command's.
    assert engine.recover("--yes")[0] == 0
    engine.up()
    assert [each["id"] for each in cloud.hetzner("volumes")] == [volume["id"]]
    engine.preview("--expect-no-changes")
    assert _pending(engine) == []


def test_a_healthy_stack_is_left_exactly_as_it_is(engine: Engine) -> None:
    before = _state(engine)
    status, said = engine.recover("--yes")
    assert (status, said) == (0, f"Nothing to recover: {STACK} and its clouds agree.\n")
    assert _state(engine) == before


def test_recovery_records_what_the_engine_would_have(engine: Engine, cloud: RunningCloud) -> None:
    """The whole cluster, as if the state had lost everything that can be taken into it again."""
    document = json.loads(engine.export())
    engines_own = {
        each["urn"]: each
        for each in document["deployment"]["resources"]
        if each["type"] in list(Kind) and each["type"] not in _NEVER_TAKEN_IN
    }
    kept = [each for each in document["deployment"]["resources"] if each["urn"] not in engines_own]
    records = _taken_in({**document, "deployment": {**document["deployment"], "resources": kept}}, engine)
    # The machines' own records need nothing: an update overwrites them, and they go with their zone.
    machines = {"cp", "a0", "a1"}
    assert set(records) == {urn for urn in engines_own if urn.rpartition("::")[2] not in machines}
    for urn, record in records.items():
        whole = engines_own[urn]
        for field in ("id", "type", "inputs", "parent", "provider", "protect", "deletedWith", "custom"):
            assert record.get(field) == whole.get(field), (urn, field)
        assert set(record["dependencies"]) <= set(whole.get("dependencies", [])), urn
        for name in set(record["outputs"]) - set(record["inputs"]):
            assert record["outputs"][name] == whole["outputs"][name], (urn, name)


def _taken_in(document: Mapping[str, Any], engine: Engine) -> dict[str, Any]:
    commands = Commands(engine.folder, STACK)
    with pytest.MonkeyPatch.context() as patch:
        for name, value in engine.environment.items():
            patch.setenv(name, value)
        config, secret_keys = commands.config()
    settings = Settings.load(config, secret_keys=secret_keys, root=engine.folder, environment=os.environ)
    checkpoint = Checkpoint(document)
    claims = Claims(settings, checkpoint)
    in_google = Project(config, settings.gcp_project).things(
        zones=claims.zone_names, accounts=claims.accounts
    )
    things = [*hetzner.things(account.client(config, token=TOKEN)), *in_google]
    return {str(each.record["urn"]): each.record for each in compare(checkpoint, things, claims).take_in}


def test_a_server_whose_creation_was_killed(engine: Engine, cloud: RunningCloud) -> None:
    engine.fleet({}, {}, {})
    _update_killed(engine, cloud, "POST", "/servers$")
    before, servers = _state(engine), _servers(cloud)
    status, said = engine.recover()
    assert status == NOT_CARRIED_OUT
    assert "Delete the server agent-2 (" in said
    assert "Nothing was changed" in said
    assert (_state(engine), _servers(cloud)) == (before, servers)

    # The way back is killed as well, and then refused by the cloud: running it again goes on.
    _killed(engine, cloud, _recover("--yes"), "POST", "/actions/shutdown$")
    cloud.fault("status", method="DELETE", path="/servers/", status=423, code="protected")
    status, said = engine.recover("--yes")
    assert status == 1
    assert "raya: Hetzner did not delete the server agent-2 (" in said
    assert "Traceback" not in said
    status, said = engine.recover("--yes")
    assert status == 0, said
    engine.up()
    engine.preview("--expect-no-changes")
    assert len(cloud.hetzner("servers")) == 4


def test_a_stack_at_which_somebody_works_is_not_touched(engine: Engine) -> None:
    """An engine on another machine: nobody here can tell whether it lives."""
    locks = engine.folder / f".state/.pulumi/locks/organization/raya/{STACK}"
    locks.mkdir(parents=True, exist_ok=True)
    lock = locks / "somebody.json"
    lock.write_text(json.dumps({"pid": 1, "username": "bob", "hostname": "elsewhere", "timestamp": ""}))
    before = _state(engine)
    status, said = engine.recover("--yes")
    assert status == 1
    assert "an engine works on it (pid 1 on elsewhere)" in said
    assert _state(engine) == before
    lock.unlink()
