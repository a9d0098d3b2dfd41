"""Volumes: one server at a time, in the same location."""

from __future__ import annotations

import pytest
from hcloud.servers import BoundServer
from hcloud.volumes import BoundVolume

from tests.conformance.hetzner_offer import Offer
from tests.conformance.hetzner_things import SMALLEST_VOLUME_GB, HetznerThings
from tests.conformance.refusals import refused


@pytest.fixture
def volume(things: HetznerThings) -> BoundVolume:
    return things.volume()


def test_a_volume_has_its_device_path(volume: BoundVolume, offer: Offer) -> None:
    assert volume.linux_device == f"/dev/disk/by-id/scsi-0HC_Volume_{volume.id}"
    assert (volume.status, volume.size, volume.server) == ("available", SMALLEST_VOLUME_GB, None)
    assert volume.location.name == offer.location.name


@pytest.mark.parametrize("size_gb", [9, 10241])
def test_size_limits(things: HetznerThings, size_gb: int) -> None:
    with refused("invalid_input"):
        things.volume(size=size_gb)


def test_a_name_is_unique(things: HetznerThings, volume: BoundVolume) -> None:
    with refused("uniqueness_error"):
        things.volume(volume.name)


def test_one_server_at_a_time(server: BoundServer, neighbour: BoundServer, volume: BoundVolume) -> None:
    volume.attach(server).wait_until_finished()
    server.reload()
    assert [each.id for each in server.volumes] == [volume.id]
    with refused("volume_already_attached"):
        volume.attach(neighbour)
    volume.detach().wait_until_finished()
    volume.attach(neighbour).wait_until_finished()
    volume.reload()
    assert volume.server.id == neighbour.id


def test_a_volume_can_be_made_attached(things: HetznerThings, server: BoundServer) -> None:
    volume = things.volume(server=server)
    assert (volume.server.id, volume.location.name) == (server.id, server.location.name)


def test_server_and_volume_are_in_one_location(
    things: HetznerThings, server: BoundServer, offer: Offer
) -> None:
    with refused("invalid_input"):
        things.volume(location=offer.elsewhere).attach(server)


def test_a_volume_in_use_or_protected_is_not_deleted(server: BoundServer, volume: BoundVolume) -> None:
    volume.attach(server).wait_until_finished()
    with refused("resource_in_use"):
        volume.delete()
    volume.detach().wait_until_finished()
    volume.change_protection(delete=True).wait_until_finished()
    with refused("protected"):
        volume.delete()


def test_a_volume_only_grows(volume: BoundVolume) -> None:
    volume.resize(SMALLEST_VOLUME_GB + 1).wait_until_finished()
    volume.reload()
    assert volume.size == SMALLEST_VOLUME_GB + 1
    with refused("invalid_input"):
        volume.resize(SMALLEST_VOLUME_GB)
