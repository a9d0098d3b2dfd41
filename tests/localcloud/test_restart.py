"""State survives a restart, also in the middle of an action and after SIGKILL."""

from __future__ import annotations

from pathlib import Path

import hcloud
import pytest
from hcloud.images import Image
from hcloud.server_types import ServerType

from tests.cloud import TOKEN, running_cloud
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


def test_sigterm_ends_it_cleanly(tmp_path: Path) -> None:
    with running_cloud(tmp_path, seed=SEED) as cloud:
        cloud.create_volume("state", size_gb=10, labels={})
        assert cloud.stop() == 0
        assert cloud.log == ""
