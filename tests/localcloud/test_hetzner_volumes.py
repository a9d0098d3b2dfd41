"""Volumes: one server at a time, in the same location."""

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


def test_a_volume_has_its_device_path(volume: BoundVolume) -> None:
    assert volume.linux_device == f"/dev/disk/by-id/scsi-0HC_Volume_{volume.id}"
    assert (volume.status, volume.size, volume.server) == ("available", 10, None)


@pytest.mark.parametrize("size_gb", [9, 10241])
def test_size_limits(hetzner: hcloud.Client, size_gb: int) -> None:
    with pytest.raises(APIException) as refused:
        hetzner.volumes.create(size_gb, "bad", location=Location(name="hel1"))
    assert refused.value.code == "invalid_input"


def test_names_are_unique(hetzner: hcloud.Client, volume: BoundVolume) -> None:
    with pytest.raises(APIException) as refused:
        hetzner.volumes.create(10, "state", location=Location(name="hel1"))
    assert refused.value.code == "uniqueness_error"


def test_one_server_at_a_time(make_server: MakeServer, volume: BoundVolume) -> None:
    first, second = make_server("one"), make_server("two")
    volume.attach(first).wait_until_finished()
    first.reload()
    assert [each.id for each in first.volumes] == [volume.id]
    with pytest.raises(APIException) as refused:
        volume.attach(second)
    assert refused.value.code == "volume_already_attached"
    volume.detach().wait_until_finished()
    volume.attach(second).wait_until_finished()


def test_server_must_be_in_the_volumes_location(make_server: MakeServer, volume: BoundVolume) -> None:
    with pytest.raises(APIException) as refused:
        volume.attach(make_server("far", location="fsn1"))
    assert refused.value.code == "invalid_input"


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


def test_an_attached_volume_is_not_deleted(make_server: MakeServer, volume: BoundVolume) -> None:
    volume.attach(make_server("one")).wait_until_finished()
    with pytest.raises(APIException) as refused:
        volume.delete()
    assert refused.value.code == "resource_in_use"
    volume.detach().wait_until_finished()
    volume.change_protection(delete=True).wait_until_finished()
    with pytest.raises(APIException) as refused:
        volume.delete()
    assert refused.value.code == "protected"
    volume.change_protection(delete=False).wait_until_finished()
    volume.delete()


def test_a_volume_only_grows(volume: BoundVolume) -> None:
    volume.resize(20).wait_until_finished()
    with pytest.raises(APIException) as refused:
        volume.resize(10)
    assert refused.value.code == "invalid_input"


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
