"""Servers: what shows only when the clock, the settings or the events are at hand."""

from __future__ import annotations

import hcloud
import pytest
from hcloud import APIException
from hcloud.images import BoundImage, Image
from hcloud.locations import Location
from hcloud.networks import BoundNetwork
from hcloud.server_types import ServerType

from tests.cloud import RunningCloud
from tests.localcloud.conftest import MakeServer


def test_progress_moves_and_ends_at_100(
    cloud: RunningCloud, hetzner: hcloud.Client, image: BoundImage
) -> None:
    cloud.settings(actionSeconds=100)
    made = hetzner.servers.create("slow", ServerType(name="cx23"), image=image)
    cloud.advance(50)
    assert 40 <= hetzner.actions.get_by_id(made.action.id).progress <= 60
    cloud.advance(50)
    ended = hetzner.actions.get_by_id(made.action.id)
    assert (ended.status, ended.progress) == ("success", 100)
    assert ended.finished is not None


def test_a_name_is_free_when_the_delete_action_ended(
    cloud: RunningCloud, hetzner: hcloud.Client, make_server: MakeServer
) -> None:
    server = make_server("agent-0")
    cloud.settings(actionSeconds=0.2)
    action = server.delete()
    with pytest.raises(APIException) as refused:
        make_server("agent-0")
    assert refused.value.code == "uniqueness_error"
    action.wait_until_finished()
    assert hetzner.servers.get_by_name("agent-0") is None
    make_server("agent-0")


def test_every_server_gets_a_new_address(make_server: MakeServer) -> None:
    seen = set()
    for _ in range(5):
        server = make_server("again")
        seen.add(server.public_net.ipv4.ip)
        server.delete().wait_until_finished()
    assert len(seen) == 5
    assert {address.rsplit(".", 1)[0] for address in seen} <= {"203.0.113", "198.51.100", "192.0.2"}


def test_ipv6_is_a_net_of_its_own(make_server: MakeServer) -> None:
    first, second = make_server("one"), make_server("two")
    assert first.public_net.ipv6.network != second.public_net.ipv6.network
    assert first.public_net.ipv6.ip.startswith("2001:db8:")
    assert first.public_net.ipv6.ip.endswith("::/64")


@pytest.mark.parametrize(
    ("server_type", "location", "code"),
    [
        ("cx23", "ash", "invalid_input"),  # not offered there
        ("cx22", "hel1", "invalid_input"),  # deprecated everywhere
        ("cpx11", "fsn1", "invalid_input"),  # deprecated there
        ("cpx11", "ash", None),
        ("cx99", "hel1", "invalid_input"),
        ("cx23", "mars1", "invalid_input"),
    ],
)
def test_types_are_offered_by_location(
    make_server: MakeServer, server_type: str, location: str, code: str | None
) -> None:
    if code is None:
        assert make_server("one", server_type, location).location.name == location
        return
    with pytest.raises(APIException) as refused:
        make_server("one", server_type, location)
    assert refused.value.code == code


def test_sold_out_type_is_unavailable_and_shows_it(
    cloud: RunningCloud, hetzner: hcloud.Client, make_server: MakeServer
) -> None:
    cloud.settings(soldOut=["cx23@hel1"])
    with pytest.raises(APIException) as refused:
        make_server("one")
    assert refused.value.code == "resource_unavailable"
    offers = {offer["name"]: offer["available"] for offer in cloud.hetzner("server_types")[1]["locations"]}
    assert offers == {"fsn1": True, "nbg1": True, "hel1": False}
    make_server("one", location="fsn1")


def test_image_must_exist_and_fit(hetzner: hcloud.Client, make_server: MakeServer, image: BoundImage) -> None:
    for server_type, wanted in (("cax11", image), ("cx23", Image(id=1)), ("cx23", Image(name="debian-1"))):
        with pytest.raises(APIException) as refused:
            make_server("one", server_type, image=wanted)
        assert refused.value.code == "invalid_input"
    assert make_server("arm", "cax11", image=Image(name="debian-12")).image.architecture == "arm"


def test_server_limit(cloud: RunningCloud, make_server: MakeServer) -> None:
    cloud.settings(serverLimit=1)
    make_server("one")
    with pytest.raises(APIException) as refused:
        make_server("two")
    assert refused.value.code == "resource_limit_exceeded"


def test_shutdown_asks_the_guest_and_the_server_is_off_later(
    cloud: RunningCloud, hetzner: hcloud.Client, make_server: MakeServer
) -> None:
    server = make_server("agent-0")
    cloud.settings(shutdownSeconds=60)
    server.shutdown().wait_until_finished()
    assert hetzner.servers.get_by_id(server.id).status == "stopping"
    cloud.advance(61)
    assert hetzner.servers.get_by_id(server.id).status == "off"
    server.power_on().wait_until_finished()
    assert hetzner.servers.get_by_id(server.id).status == "running"


def test_a_busy_server_is_locked(cloud: RunningCloud, make_server: MakeServer) -> None:
    server = make_server("agent-0")
    cloud.settings(actionSeconds=10)
    server.power_off()
    for again in (server.power_on, server.delete, server.shutdown):
        with pytest.raises(APIException) as refused:
            again()
        assert refused.value.code == "locked"
    server.reload()
    assert server.locked is True


def test_what_a_deleted_server_lost_is_told_in_order(
    cloud: RunningCloud, hetzner: hcloud.Client, make_server: MakeServer, network: BoundNetwork
) -> None:
    server = make_server("agent-0")
    server.attach_to_network(network, ip="10.0.1.20").wait_until_finished()
    volume = hetzner.volumes.create(10, "state", location=Location(name="hel1"))
    volume.action.wait_until_finished()
    volume.volume.attach(server).wait_until_finished()
    server.delete().wait_until_finished()
    texts = [event["text"] for event in cloud.events()]
    assert texts[-4:] == [
        "server.delete agent-0",
        "volume.detach state <- agent-0 (running)",
        "network.detach agent-0 <- net (running)",
        "server.gone agent-0",
    ]


def test_a_spread_group_holds_ten(
    cloud: RunningCloud, hetzner: hcloud.Client, make_server: MakeServer
) -> None:
    cloud.settings(actionSeconds=0)
    group = hetzner.placement_groups.create("spread", "spread").placement_group
    servers = [make_server(f"server-{number}", placement_group=group) for number in range(10)]
    with pytest.raises(APIException) as refused:
        make_server("server-10", placement_group=group)
    assert refused.value.code == "placement_error"
    with pytest.raises(APIException) as refused:
        group.delete()
    assert refused.value.code == "resource_in_use"
    group.reload()
    assert group.servers == [server.id for server in servers]
