"""Servers: ordered, waited for, changed, deleted."""

from __future__ import annotations

import hcloud
import httpx
import pytest
from hcloud.locations import BoundLocation
from hcloud.server_types import BoundServerType
from hcloud.servers import BoundServer, ServerCreatePublicNetwork

from tests.conformance.hetzner_offer import Offer
from tests.conformance.hetzner_things import HetznerThings
from tests.conformance.refusals import refused

USER_DATA_LIMIT_BYTES = 32 * 1024


def test_an_order_is_carried_out_by_its_actions(
    hetzner: hcloud.Client, things: HetznerThings, offer: Offer
) -> None:
    made = things.order_server(user_data="x" * USER_DATA_LIMIT_BYTES)
    assert (made.action.command, made.action.status) == ("create_server", "running")
    assert [action.command for action in made.next_actions] == ["start_server"]
    assert made.server.status == "initializing"
    assert made.root_password
    for action in (made.action, *made.next_actions):
        action.wait_until_finished()
        assert (action.status, action.progress) == ("success", 100)
        assert action.finished is not None
    server = hetzner.servers.get_by_id(made.server.id)
    assert server.status == "running"
    assert server.location.name == offer.location.name
    assert server.server_type.name == offer.server_type.name
    assert server.image.id == offer.image.id
    assert server.public_net.ipv6.ip.endswith("::/64")
    assert server.locked is False
    found = hetzner.servers.get_by_name(made.server.name)
    assert found is not None
    assert found.id == server.id


def test_a_name_is_unique_until_its_server_is_gone(things: HetznerThings, server: BoundServer) -> None:
    with refused("uniqueness_error"):
        things.server(name=server.name)
    name = things.run.name("again")
    first = things.server(name)
    first.delete().wait_until_finished()
    assert things.server(name).id != first.id


def test_a_name_is_a_hostname(things: HetznerThings) -> None:
    with refused("invalid_input", field="name"):
        things.order_server("under_score")


@pytest.mark.parametrize("text", ["x" * (USER_DATA_LIMIT_BYTES + 1), "é" * (USER_DATA_LIMIT_BYTES // 2 + 1)])
def test_the_limit_of_user_data_counts_bytes(things: HetznerThings, text: str) -> None:
    with refused("invalid_input", field="user_data"):
        things.order_server(user_data=text)


def test_a_type_is_not_to_be_had_in_every_location(hetzner: hcloud.Client, things: HetznerThings) -> None:
    server_type, location = _not_offered(hetzner)
    image = hetzner.images.get_all(type=["system"], architecture=[str(server_type.architecture)])[0]
    with refused("invalid_input"):
        things.order_server(server_type=server_type, location=location, image=image)


def _not_offered(client: hcloud.Client) -> tuple[BoundServerType, BoundLocation]:
    """A server type, and a location that is not among its own."""
    locations = client.locations.get_all()
    for kind in client.server_types.get_all():
        names = {each.location.name for each in kind.locations or []}
        for location in locations:
            if location.name not in names:
                return kind, location
    raise AssertionError("every type is offered everywhere")


@pytest.mark.parametrize("field", ["name", "server_type", "image"])
def test_required_fields(wire: httpx.Client, offer: Offer, things: HetznerThings, field: str) -> None:
    order = {
        "name": things.run.name("server"),
        "server_type": offer.server_type.name,
        "image": offer.image.id,
        "labels": things.run.labels,
    }
    del order[field]
    answer = wire.post("/servers", json=order)
    assert (answer.status_code, answer.json()["error"]["code"]) == (422, "invalid_input")


def test_ids_may_be_texts(
    wire: httpx.Client, hetzner: hcloud.Client, offer: Offer, things: HetznerThings
) -> None:
    order = {
        "name": things.run.name("server"),
        "server_type": offer.server_type.name,
        "image": str(offer.image.id),
        "location": offer.location.name,
        "labels": things.run.labels,
    }
    answer = wire.post("/servers", json=order)
    assert answer.status_code == 201
    body = answer.json()
    for action in (body["action"], *body["next_actions"]):
        hetzner.actions.get_by_id(action["id"]).wait_until_finished()
    hetzner.servers.get_by_id(body["server"]["id"]).delete().wait_until_finished()


def test_power(server: BoundServer) -> None:
    for act, status in ((server.power_off, "off"), (server.power_on, "running"), (server.reset, "running")):
        act().wait_until_finished()
        server.reload()
        assert server.status == status


def test_a_protected_server_is_not_deleted(server: BoundServer) -> None:
    server.change_protection(delete=True, rebuild=True).wait_until_finished()
    server.reload()
    assert server.protection == {"delete": True, "rebuild": True}
    with refused("protected"):
        server.delete()


def test_a_deleted_server_gives_back_what_it_held(hetzner: hcloud.Client, things: HetznerThings) -> None:
    network, volume = things.network("10.0.1.0/24"), things.volume()
    server = things.server()
    server.attach_to_network(network, ip="10.0.1.20").wait_until_finished()
    volume.attach(server).wait_until_finished()
    address = hetzner.primary_ips.get_by_id(server.public_net.primary_ipv4.id)
    assert (address.assignee_id, address.auto_delete) == (server.id, True)
    server.delete().wait_until_finished()
    volume.reload()
    network.reload()
    assert (volume.server, network.servers) == (None, [])
    for read, number in ((hetzner.servers.get_by_id, server.id), (hetzner.primary_ips.get_by_id, address.id)):
        with refused("not_found"):
            read(number)


def test_name_and_labels_change(things: HetznerThings, server: BoundServer, neighbour: BoundServer) -> None:
    name, labels = server.name, server.labels
    renamed = server.update(name=things.run.name("new"))
    assert renamed.labels == labels
    relabelled = server.update(labels={**labels, "a": "b"})
    assert (relabelled.name, relabelled.labels["a"]) == (renamed.name, "b")
    with refused("uniqueness_error"):
        server.update(name=neighbour.name)
    # A refused update changes nothing, not even the part of it that was fine.
    with refused("invalid_input"):
        server.update(name=name, labels={"+": "+"})
    server.reload()
    assert server.name == renamed.name


def test_the_type_changes_when_the_server_is_off(things: HetznerThings, offer: Offer) -> None:
    server = things.server()
    with refused("server_not_stopped"):
        server.change_type(offer.larger, upgrade_disk=False)
    server.power_off().wait_until_finished()
    server.change_type(offer.larger, upgrade_disk=False).wait_until_finished()
    server.reload()
    assert (server.server_type.name, server.primary_disk_size) == (offer.larger.name, offer.server_type.disk)


def test_a_server_needs_a_net(things: HetznerThings) -> None:
    alone = ServerCreatePublicNetwork(enable_ipv4=False, enable_ipv6=False)
    with refused("invalid_input"):
        things.order_server(public_net=alone)
    server = things.server(public_net=alone, networks=[things.network("10.0.1.0/24")])
    assert (server.public_net.ipv4, server.public_net.ipv6) == (None, None)
    assert [net.ip.rsplit(".", 1)[0] for net in server.private_net] == ["10.0.1"]


def test_placement(things: HetznerThings, server: BoundServer) -> None:
    group = things.placement_group()
    with refused("server_not_stopped"):
        server.add_to_placement_group(group)
    server.power_off().wait_until_finished()
    server.add_to_placement_group(group).wait_until_finished()
    group.reload()
    assert group.servers == [server.id]
    with refused("already_in_placement_group"):
        server.add_to_placement_group(things.placement_group())
    server.remove_from_placement_group().wait_until_finished()
    group.reload()
    assert group.servers == []


def test_reverse_dns(hetzner: hcloud.Client, server: BoundServer) -> None:
    ip, own = server.public_net.ipv4.ip, server.public_net.ipv4.dns_ptr
    server.change_dns_ptr(ip, "cp.conformance.example.org").wait_until_finished()
    server.reload()
    assert server.public_net.ipv4.dns_ptr == "cp.conformance.example.org"
    server.change_dns_ptr(ip, None).wait_until_finished()
    server.reload()
    assert server.public_net.ipv4.dns_ptr == own


def test_rebuilding(server: BoundServer, offer: Offer) -> None:
    address = server.public_net.ipv4.ip
    server.rebuild(offer.image).action.wait_until_finished()
    server.reload()
    assert (server.public_net.ipv4.ip, server.image.id) == (address, offer.image.id)
