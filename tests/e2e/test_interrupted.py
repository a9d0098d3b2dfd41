"""A run that is killed in the middle of a creation, and the way back of docs/runbooks/interrupted.md."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.cloud import RunningCloud
from tests.e2e.engine import STACK, Engine

PATIENCE_S = 60
HANG_S = 15


def _members(session: int) -> Iterator[int]:
    """The processes of a session: the engine, its language host, the program and the plugins."""
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[3]) == session:
            yield int(stat.parent.name)


def _kill_during(engine: Engine, cloud: RunningCloud, plural: str, name: str) -> None:
    """Runs an update and ends all of it by SIGKILL while the cloud makes ``name``, and all else is done."""
    cloud.fault("hang", method="POST", path=f"/{plural}$", name=name, delaySeconds=HANG_S)
    run = subprocess.Popen(
        ["pulumi", "--non-interactive", "up", "--yes", "--skip-preview", "--stack", STACK],
        cwd=engine.folder,
        env=engine.environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        _until(lambda: cloud.control("GET", "faults")["faults"][-1]["struck"])
        _until_quiet(cloud)
        assert run.poll() is None
    finally:
        for member in list(_members(run.pid)):
            os.kill(member, signal.SIGKILL)
        run.wait()
    # The request had left: the cloud does not know that nobody waits for the answer.
    _until(lambda: name in [each["name"] for each in cloud.hetzner(plural)])
    cloud.clear_faults()


def _until(holds: Callable[[], object]) -> None:
    end = time.monotonic() + PATIENCE_S
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.1)


def _until_quiet(cloud: RunningCloud) -> None:
    """Until two looks, two seconds apart, show the same requests."""
    before, now = -1, 0
    while before != now:
        before, now = now, len(cloud.requests())
        time.sleep(2)


def _pending(engine: Engine) -> list[tuple[str, str]]:
    operations = json.loads(engine.export())["deployment"].get("pending_operations", [])
    return [(each["type"], each["resource"]["urn"].split("::")[-2].split("$")[-1]) for each in operations]


@pytest.fixture(scope="module", autouse=True)
def _two_agents(engine: Engine) -> None:
    engine.fleet({}, {})


def test_a_kill_while_the_volume_is_made_loses_no_volume(engine: Engine, cloud: RunningCloud) -> None:
    _kill_during(engine, cloud, "volumes", "local-state")
    locked = engine.up(check=False)
    assert locked.returncode != 0
    assert "locked" in locked.stdout + locked.stderr
    engine.pulumi("cancel", "--yes", "--stack", STACK)
    assert _pending(engine) == [("creating", "hcloud:index/volume:Volume")]
    (volume,) = cloud.hetzner("volumes")
    parent = next(each["urn"] for each in engine.resources() if each["type"] == "raya:cluster:ControlPlane")
    imported = engine.folder / "volume.json"
    imported.write_text(
        json.dumps(
            {
                "nameTable": {"parent": parent},
                "resources": [
                    {
                        "type": "hcloud:index/volume:Volume",
                        "name": "control-plane",
                        "id": str(volume["id"]),
                        "parent": "parent",
                    }
                ],
            }
        )
    )
    engine.pulumi(
        *("import", "--file", str(imported), "--yes", "--skip-preview", "--stack", STACK),
        *("--generate-code=false", "--protect=true"),
    )
    engine.pulumi("refresh", "--yes", "--clear-pending-creates", "--stack", STACK)
    engine.up()
    assert [each["id"] for each in cloud.hetzner("volumes")] == [volume["id"]]
    engine.preview("--expect-no-changes")
    assert _pending(engine) == []


def test_a_kill_while_a_server_is_made_needs_it_deleted_by_hand(engine: Engine, cloud: RunningCloud) -> None:
    engine.fleet({}, {}, {})
    _kill_during(engine, cloud, "servers", "agent-2")
    engine.pulumi("cancel", "--yes", "--stack", STACK)
    assert _pending(engine) == [("creating", "hcloud:index/server:Server")]
    cloud.delete_server("agent-2")
    engine.pulumi("refresh", "--yes", "--clear-pending-creates", "--stack", STACK)
    engine.up()
    engine.preview("--expect-no-changes")
    assert len(cloud.hetzner("servers")) == 4
