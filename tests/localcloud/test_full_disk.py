"""A disk that takes nothing any more: the APIs are down for the moment, and nothing is lost or half done.

The disk is played by a limit on the size of the server's files, which the kernel enforces on its writes.
"""

from __future__ import annotations

import contextlib
import resource
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from tests.cloud import PROJECT_ROOT, TOKEN, RunningCloud, running_cloud
from tests.localcloud.conftest import SEED

VOLUMES = "/hcloud/v1/volumes"
ZONES = "/google/dns/v1/projects/raya-local/managedZones"
ORDER = {"size": 10, "location": "hel1"}
ZONE = {"name": "late", "dnsName": "late.example.", "description": ""}


@pytest.fixture
def cloud(tmp_path: Path) -> Iterator[RunningCloud]:
    with running_cloud(tmp_path, seed=SEED) as running:
        running.settings(actionSeconds=0)
        yield running


@pytest.fixture
def http(cloud: RunningCloud) -> Iterator[httpx.Client]:
    headers = {"Authorization": f"Bearer {TOKEN}"}
    with httpx.Client(base_url=cloud.base_url, headers=headers, timeout=30) as client:
        yield client


@contextlib.contextmanager
def full_disk(cloud: RunningCloud) -> Iterator[None]:
    """No file of the server grows."""
    before = resource.prlimit(cloud.pid, resource.RLIMIT_FSIZE)
    resource.prlimit(cloud.pid, resource.RLIMIT_FSIZE, (4096, before[1]))
    try:
        yield
    finally:
        resource.prlimit(cloud.pid, resource.RLIMIT_FSIZE, before)


def _says_why(message: str, cloud: RunningCloud) -> bool:
    begin = f"the local cloud cannot write its state in {cloud.folder} ("
    return message.startswith(begin) and message.endswith("Make room there, then repeat it.")


def test_hetzner_is_unavailable(cloud: RunningCloud, http: httpx.Client) -> None:
    kept = http.post(VOLUMES, json={"name": "kept"} | ORDER).raise_for_status().json()["volume"]
    with full_disk(cloud):
        for answer in (http.post(VOLUMES, json={"name": "lost"} | ORDER), http.get(VOLUMES)):
            assert answer.status_code == 503
            error = answer.json()["error"]
            assert (error["code"], error["details"]) == ("unavailable", None)
            assert _says_why(error["message"], cloud)
        assert _is_logged_in_one_line_each(cloud, 2)
    assert [each["name"] for each in cloud.hetzner("volumes")] == ["kept"]
    again = http.post(VOLUMES, json={"name": "lost"} | ORDER).raise_for_status().json()["volume"]
    assert again["id"] == kept["id"] + 1, "the number of what was not kept is free"
    cloud.restart(kill=True)
    assert [each["name"] for each in cloud.hetzner("volumes")] == ["kept", "lost"]


def test_google_is_unavailable(cloud: RunningCloud, http: httpx.Client) -> None:
    with full_disk(cloud):
        answer = http.post(ZONES, json=ZONE)
        assert answer.status_code == 503
        error = answer.json()["error"]
        assert (error["code"], error["status"]) == (503, "UNAVAILABLE")
        assert error["errors"][0]["reason"] == "backendUnavailable"
        assert _says_why(error["message"], cloud)
        assert _is_logged_in_one_line_each(cloud, 1)
    assert "late" not in [zone["name"] for zone in cloud.zones()]
    http.post(ZONES, json=ZONE).raise_for_status()


def test_what_falls_due_waits_for_room(cloud: RunningCloud, http: httpx.Client) -> None:
    cloud.settings(actionSeconds=1000)
    action = http.post(VOLUMES, json={"name": "state"} | ORDER).raise_for_status().json()["action"]
    with full_disk(cloud):
        assert http.post("/_control/clock", json={"advanceSeconds": 2000}).status_code == 503
        assert http.post("/_control/reset").status_code == 503
        assert http.get("/").status_code == 200, "what writes nothing goes on"
    url = f"/hcloud/v1/actions/{action['id']}"
    assert http.get(url).json()["action"]["status"] == "running", "the clock did not move on"
    cloud.advance(2000)
    assert http.get(url).json()["action"]["status"] == "success"
    assert "Traceback" not in cloud.log


def _localcloud(*arguments: str, before: tuple[str, ...] = ()) -> subprocess.CompletedProcess[str]:
    command = [*before, sys.executable, "-m", "localcloud", *arguments]
    return subprocess.run(command, cwd=PROJECT_ROOT, capture_output=True, text=True, timeout=60, check=False)


def test_a_start_without_room_ends_in_a_sentence(tmp_path: Path) -> None:
    no_room = ("prlimit", "--fsize=0", "--")
    state, log, pid = (str(tmp_path / name) for name in ("cloud.sqlite", "cloud.log", "cloud.pid"))
    serving = ("--port", "0", "--state", state)
    served = _localcloud("serve", *serving, before=no_room)
    assert served.returncode == 1
    assert served.stderr.startswith(f"localcloud: {state}: cannot be opened (")
    assert "another local cloud" not in served.stderr
    assert len(served.stderr.splitlines()) == 1
    started = _localcloud("start", *serving, "--log", log, "--pid-file", pid, before=no_room)
    assert (started.returncode, started.stderr) == (
        1,
        f"localcloud: {pid}.lock cannot be written: File too large\n",
    )


def test_a_state_file_that_is_none_is_named(tmp_path: Path) -> None:
    state = tmp_path / "cloud.sqlite"
    state.write_text("something else\n" * 100)
    served = _localcloud("serve", "--port", "0", "--state", str(state))
    assert (served.returncode, served.stderr) == (
        1,
        f"localcloud: {state}: cannot be opened (file is not a database).\n",
    )


def _is_logged_in_one_line_each(cloud: RunningCloud, requests: int) -> bool:
    lines = [line.removeprefix("localcloud: ") for line in cloud.log.splitlines()]
    return len(lines) == requests and all(_says_why(line, cloud) for line in lines)
