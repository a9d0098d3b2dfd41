"""Volumes: locks while they are attached, their limit per server, and the events."""

from __future__ import annotations

import hcloud
import pytest
from hcloud import APIException
from hcloud.locations import Location
from hcloud.volumes import BoundVolume

from tests.cloud import RunningCloud
from tests.localcloud.conftest import MakeServer


@pytest.fixture
def volume(hetzner: hcloud.Client) -> BoundVolume:
    made = hetzner.volumes.create(10, "state", location=Location(name="hel1"))
    made.action.wait_until_finished()
    return hetzner.volumes.get_by_id(made.volume.id)


def test_an_attachment_under_way_locks_volume_and_server(
    cloud: RunningCloud, hetzner: hcloud.Client, make_server: MakeServer, volume: BoundVolume
) -> None:
    server = make_server("one")
    cloud.settings(actionSeconds=10)
    volume.attach(server)
    assert hetzner.volumes.get_by_id(volume.id).server is None
    for again in (volume.detach, server.delete, volume.delete):
        with pytest.raises(APIException) as refused:
            again()
        assert refused.value.code == "locked"


def test_sixteen_volumes_per_server(
    cloud: RunningCloud, hetzner: hcloud.Client, make_server: MakeServer
) -> None:
    server = make_server("one")
    cloud.settings(actionSeconds=0)
    for number in range(16):
        hetzner.volumes.create(10, f"v{number}", server=server)
    with pytest.raises(APIException) as refused:
        hetzner.volumes.create(10, "v16", server=server)
    assert refused.value.code == "resource_limit_exceeded"


def test_pulling_a_volume_from_a_running_server_shows(
    cloud: RunningCloud, make_server: MakeServer, volume: BoundVolume
) -> None:
    server = make_server("one")
    volume.attach(server).wait_until_finished()
    volume.detach().wait_until_finished()
    server.power_off().wait_until_finished()
    volume.attach(server).wait_until_finished()
    volume.detach().wait_until_finished()
    detached = [event for event in cloud.events() if event["event"] == "volume.detach"]
    assert [event["server_status"] for event in detached] == ["running", "off"]
    assert detached[0]["text"] == "volume.detach state <- one (running)"
