"""State survives a restart, also in the middle of an action and after SIGKILL."""

from __future__ import annotations

import threading
import time
from pathlib import Path

import hcloud
import httpx
import pytest
from hcloud.images import Image
from hcloud.locations import Location
from hcloud.server_types import ServerType

from tests.cloud import TOKEN, RunningCloud, running_cloud
from tests.localcloud.conftest import SEED


@pytest.mark.parametrize("kill", [False, True])
def test_restart_in_the_middle_of_an_action(tmp_path: Path, kill: bool) -> None:
    with running_cloud(tmp_path, seed=SEED) as cloud:
        client = hcloud.Client(TOKEN, api_endpoint=cloud.hcloud_endpoint, poll_interval=0.02)
        keys = cloud.keys("alice")
        cloud.settings(actionSeconds=1000)
        made = client.servers.create("agent-0", ServerType(name="cx23"), Image(name="debian-12"))
        address = made.server.public_net.ipv4.ip
        events = cloud.events()
        cloud.restart(kill=kill)
        assert client.actions.get_by_id(made.action.id).status == "running"
        cloud.advance(2000)
        made.action.wait_until_finished()
        made.next_actions[0].wait_until_finished()
        (server,) = cloud.hetzner("servers")
        assert (server["status"], server["public_net"]["ipv4"]["ip"]) == ("running", address)
        assert cloud.keys("alice") == keys
        assert cloud.events()[: len(events)] == events
        assert len(cloud.hetzner("images")) == 6


def test_an_action_that_ended_meanwhile_has_ended(tmp_path: Path) -> None:
    with running_cloud(tmp_path, seed=SEED) as cloud:
        client = hcloud.Client(TOKEN, api_endpoint=cloud.hcloud_endpoint)
        made = client.servers.create("agent-0", ServerType(name="cx23"), Image(name="debian-12"))
        cloud.restart(kill=True)
        cloud.advance(10)
        assert client.actions.get_by_id(made.action.id).status == "success"


KILLS = 6


def test_what_was_answered_survives_a_kill_at_any_moment(tmp_path: Path) -> None:
    """Volumes are made as fast as can be while the server is killed again and again."""
    answered: dict[str, int] = {}
    stopping = threading.Event()

    def make_volumes(url: str) -> None:
        number = 0
        with httpx.Client(headers={"Authorization": f"Bearer {TOKEN}"}, timeout=10) as client:
            while not stopping.is_set() and number < 20_000:
                number += 1
                body = {"name": f"v{number}", "size": 10, "location": "hel1"}
                try:
                    answer = client.post(f"{url}/volumes", json=body)
                except httpx.TransportError:
                    continue  # whether it was made is not known, and nothing is promised
                if answer.status_code == 201:
                    answered[body["name"]] = answer.json()["volume"]["id"]

    with running_cloud(tmp_path, seed=SEED) as cloud:
        limits = {"volumeLimit": 1_000_000, "rateLimit": 1_000_000, "actionSeconds": 0.01}
        cloud.settings(**limits)
        writer = threading.Thread(target=make_volumes, args=(cloud.hcloud_endpoint,))
        writer.start()
        try:
            for round_number in range(KILLS):
                begun, deadline = len(answered), time.monotonic() + 30
                while len(answered) < begun + 10 + 3 * round_number and time.monotonic() < deadline:
                    time.sleep(0.001)
                cloud.restart(kill=True)
        finally:
            stopping.set()
            writer.join(30)
        volumes = {volume["name"]: volume["id"] for volume in cloud.hetzner("volumes")}
        assert len(answered) >= 10 * KILLS
        assert answered.items() <= volumes.items()
        assert len(set(volumes.values())) == len(volumes)
        cloud.advance(1)
        assert {volume["status"] for volume in cloud.hetzner("volumes")} == {"available"}
        created = [event for event in cloud.events() if event["event"] == "volume.create"]
        assert [event["id"] for event in created] == sorted(volumes.values())


@pytest.mark.parametrize("percent", [1, 30, 60, 99])
def test_progress_goes_on_where_it_was(tmp_path: Path, percent: int) -> None:
    with running_cloud(tmp_path, seed=SEED) as cloud:
        client = hcloud.Client(TOKEN, api_endpoint=cloud.hcloud_endpoint, poll_interval=0.02)
        cloud.settings(actionSeconds=10_000)
        made = client.volumes.create(10, "state", location=Location(name="hel1"))
        cloud.advance(100 * percent)
        cloud.restart(kill=True)
        action = client.actions.get_by_id(made.action.id)
        assert (action.status, action.progress // 2) == ("running", percent // 2)
        assert client.volumes.get_by_id(made.volume.id).status == "creating"
        cloud.advance(10_000)
        action = client.actions.get_by_id(made.action.id)
        assert (action.status, action.progress) == ("success", 100)
        assert client.volumes.create(10, "next", location=Location(name="hel1")).action.id > action.id


def test_restart_on_demand_keeps_the_port_and_the_state(cloud: RunningCloud) -> None:
    def client() -> hcloud.Client:
        # A new one each time: like after any crash, connections that were open are not any more.
        return hcloud.Client(TOKEN, api_endpoint=cloud.hcloud_endpoint, poll_interval=0.02)

    cloud.settings(actionSeconds=1000)
    made = client().servers.create("agent-0", ServerType(name="cx23"), Image(name="debian-12"))
    keys = cloud.keys("alice")
    for _ in range(2):
        assert cloud.control("POST", "restart") == {}
        assert client().actions.get_by_id(made.action.id).status == "running"
        assert cloud.keys("alice") == keys
    cloud.advance(2000)
    assert [server["status"] for server in cloud.hetzner("servers")] == ["running"]


def test_sigterm_ends_it_cleanly(tmp_path: Path) -> None:
    with running_cloud(tmp_path, seed=SEED) as cloud:
        cloud.create_volume("state", size_gb=10, labels={})
        assert cloud.stop() == 0
        assert cloud.log == ""
