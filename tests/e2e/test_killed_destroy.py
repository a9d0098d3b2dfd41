"""docs/runbooks/interrupted.md, "An update right after a killed destroy": what it misses, what finds it."""

from __future__ import annotations

import json
import subprocess
import sys

from tests import by_hand
from tests.cloud import RunningCloud
from tests.e2e.engine import PROJECT_ROOT, STACK, Engine
from tests.killing import Point, Run, in_flight

_DESTROY = ("destroy", "--yes", "--exclude-protected", "--skip-preview", "--stack", STACK)


def _destroy_killed(engine: Engine, cloud: RunningCloud, point: Point) -> None:
    command = ["pulumi", "--non-interactive", *_DESTROY]
    Run(command, folder=engine.folder, environment=engine.environment).killed(point, cloud)
    for note in (engine.folder / ".state/.pulumi/stacks/raya").glob("*.attrs"):
        if not note.read_text():
            note.unlink()
    engine.pulumi("cancel", "--yes", "--stack", STACK)


def _pending(engine: Engine) -> tuple[int, str]:
    """What `make up` and the workflow ask before an update."""
    ran = subprocess.run(
        [sys.executable, "-m", "toolchain.pending", STACK],
        cwd=PROJECT_ROOT,
        input=engine.export(),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    return ran.returncode, ran.stdout


def _protected(engine: Engine) -> set[tuple[str, str]]:
    return {(each["urn"], each["id"]) for each in engine.resources() if each.get("protect")}


def test_a_machine_that_is_gone_ends_the_update_and_recovery_finds_it(
    engine: Engine, cloud: RunningCloud
) -> None:
    engine.fleet({})
    engine.up("--skip-preview")
    kept = _protected(engine)
    _destroy_killed(engine, cloud, in_flight("DELETE", r"/servers/\d+$"))
    (left,) = cloud.hetzner("servers")
    status, said = _pending(engine)
    assert status == 1
    assert f"A run of {STACK} was killed while it was deleting Server agent-0. " in said
    assert engine.preview(check=False).returncode == 0, "the preview does not see it"

    ran = engine.up("--skip-preview", check=False)
    assert ran.returncode != 0
    assert "not_found" in ran.stdout + ran.stderr
    assert _protected(engine) == kept
    assert [each["id"] for each in cloud.hetzner("servers")] == [left["id"]]

    status, said = engine.recover("--yes")
    assert status == 0, said
    assert "Forget the server agent-0 (" in said
    engine.up("--skip-preview")
    assert _protected(engine) == kept
    assert {each["name"] for each in cloud.hetzner("servers")} == {"control-plane", "agent-0"}
    engine.preview("--refresh", "--expect-no-changes")


def test_a_machine_that_was_only_shut_down_stays_off_and_recovery_says_so(
    engine: Engine, cloud: RunningCloud
) -> None:
    _destroy_killed(engine, cloud, in_flight("POST", "/actions/shutdown$"))
    pending = json.loads(engine.export())["deployment"]["pending_operations"]
    assert [each["type"] for each in pending] == ["deleting"]
    assert "`hcloud server poweron`" in " ".join(engine.recover()[1].split())
    engine.up("--skip-preview")
    assert by_hand.the(cloud, "servers", "agent-0")["status"] == "off"
    assert engine.recover("--yes")[0] == 0
    assert _pending(engine) == (0, "")


def _unpublished(cloud: RunningCloud) -> set[str]:
    zone = "k8s.example.org."
    names = {f"{label}.{zone}" for label in ("cp", "a0")}
    return {name for name in names if by_hand.record(cloud, zone, name, "A") is None}


def test_a_record_that_is_gone_is_missed_until_recovery_finds_it(engine: Engine, cloud: RunningCloud) -> None:
    """Why an update is refused until then wherever this project starts it."""
    engine.up("--skip-preview")
    _destroy_killed(engine, cloud, in_flight("POST", "-k8s-example-org/changes$"))
    assert "deleting RecordSet " in _pending(engine)[1]
    engine.up("--skip-preview")
    assert _unpublished(cloud), "the engine takes the state's word"
    status, said = engine.recover("--yes")
    assert status == 0
    assert "Forget the record " in said
    engine.up("--skip-preview")
    assert not _unpublished(cloud)
    engine.preview("--expect-no-changes")
