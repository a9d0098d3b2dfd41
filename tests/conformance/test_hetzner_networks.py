"""Networks, subnets, routes and the servers in them."""

from __future__ import annotations

import hcloud
import pytest
from hcloud.networks import BoundNetwork, NetworkRoute, NetworkSubnet
from hcloud.servers import BoundServer

from tests.conformance.hetzner_offer import Offer
from tests.conformance.hetzner_things import HetznerThings
from tests.conformance.refusals import refused


@pytest.fixture
def network(things: HetznerThings) -> BoundNetwork:
    """10.0.0.0/16 with the subnet 10.0.1.0/24 in the zone of the servers."""
    return things.network("10.0.1.0/24")


def _subnet(ip_range: str, zone: str) -> NetworkSubnet:
    return NetworkSubnet(type="cloud", ip_range=ip_range, network_zone=zone)


@pytest.fixture
def foreign_zone(hetzner: hcloud.Client, offer: Offer) -> str:
    zones = {location.network_zone for location in hetzner.locations.get_all()}
    return min(zone for zone in zones if zone and zone != offer.location.network_zone)


def test_a_network_shows_its_subnets_and_gateway(network: BoundNetwork, offer: Offer) -> None:
    (subnet,) = network.subnets
    zone = offer.location.network_zone
    assert (subnet.ip_range, subnet.gateway, subnet.network_zone) == ("10.0.1.0/24", "10.0.0.1", zone)


@pytest.mark.parametrize("ip_range", ["8.8.0.0/16", "10.0.0.0/25", "10.0.0.1/16", "10.0.0.0/7", "nonsense"])
def test_bad_network_range(things: HetznerThings, ip_range: str) -> None:
    with refused("invalid_input"):
        things.network(ip_range=ip_range)


def test_a_name_is_unique(things: HetznerThings, network: BoundNetwork) -> None:
    with refused("uniqueness_error"):
        things.network(name=network.name)


@pytest.mark.parametrize(
    "ip_range",
    [
        "10.1.0.0/24",  # outside
        "10.0.1.128/25",  # overlaps
        "10.0.2.0/31",  # too small
    ],
)
def test_bad_subnet(network: BoundNetwork, offer: Offer, ip_range: str) -> None:
    with refused("invalid_input"):
        network.add_subnet(_subnet(ip_range, str(offer.location.network_zone)))


def test_the_subnets_of_a_network_are_in_one_zone(network: BoundNetwork, foreign_zone: str) -> None:
    for zone in (foreign_zone, "mars"):
        with refused("invalid_input"):
            network.add_subnet(_subnet("10.0.2.0/24", zone))


def test_subnets_come_and_go(network: BoundNetwork, offer: Offer) -> None:
    second = _subnet("10.0.2.0/24", str(offer.location.network_zone))
    network.add_subnet(second).wait_until_finished()
    network.reload()
    assert {subnet.ip_range for subnet in network.subnets} == {"10.0.1.0/24", "10.0.2.0/24"}
    network.delete_subnet(second).wait_until_finished()
    network.reload()
    assert [subnet.ip_range for subnet in network.subnets] == ["10.0.1.0/24"]


def test_routes_come_and_go(network: BoundNetwork) -> None:
    route = NetworkRoute("192.168.0.0/16", "10.0.1.10")
    network.add_route(route).wait_until_finished()
    network.reload()
    assert [(each.destination, each.gateway) for each in network.routes] == [("192.168.0.0/16", "10.0.1.10")]
    network.delete_route(route).wait_until_finished()
    network.reload()
    assert network.routes == []


@pytest.mark.parametrize(
    ("destination", "gateway"),
    [
        ("8.8.8.0/24", "10.0.1.10"),  # neither private nor everything
        ("192.168.1.0/24", "10.0.1.10"),  # overlaps with the route
        ("10.0.1.0/25", "10.0.1.10"),  # overlaps with the subnet
        ("172.16.0.0/16", "10.0.0.1"),  # the network's own gateway
        ("172.16.0.0/16", "10.9.0.1"),  # outside
    ],
)
def test_bad_route(network: BoundNetwork, destination: str, gateway: str) -> None:
    network.add_route(NetworkRoute("192.168.0.0/16", "10.0.1.10")).wait_until_finished()
    with refused("invalid_input"):
        network.add_route(NetworkRoute(destination, gateway))


def test_addresses_are_given_or_found(
    server: BoundServer, neighbour: BoundServer, network: BoundNetwork
) -> None:
    server.attach_to_network(network, ip="10.0.1.20").wait_until_finished()
    neighbour.attach_to_network(network).wait_until_finished()
    server.reload()
    neighbour.reload()
    (given,), (found,) = server.private_net, neighbour.private_net
    assert given.ip == "10.0.1.20"
    assert found.ip.startswith("10.0.1.")
    assert found.ip != given.ip
    assert given.mac_address != found.mac_address
    network.reload()
    assert {each.id for each in network.servers} == {server.id, neighbour.id}
    members = {(member.id, member.ip, member.subnet) for member in network.get_member_list().members}
    assert members == {(server.id, given.ip, "10.0.1.0/24"), (neighbour.id, found.ip, "10.0.1.0/24")}


@pytest.mark.parametrize(
    ("ip", "code"),
    [
        ("10.0.2.20", "invalid_input"),  # in the network, in no subnet
        ("10.0.0.1", "invalid_input"),
        ("10.0.1.0", "invalid_input"),
        ("10.0.1.255", "invalid_input"),
        ("10.0.1.20", "ip_not_available"),
    ],
)
def test_an_address_must_be_in_a_subnet_and_free(
    server: BoundServer, neighbour: BoundServer, network: BoundNetwork, ip: str, code: str
) -> None:
    server.attach_to_network(network, ip="10.0.1.20").wait_until_finished()
    with refused(code):
        neighbour.attach_to_network(network, ip=ip)


def test_an_address_is_free_when_its_server_is_detached(
    server: BoundServer, neighbour: BoundServer, network: BoundNetwork
) -> None:
    server.attach_to_network(network, ip="10.0.1.20").wait_until_finished()
    server.detach_from_network(network).wait_until_finished()
    neighbour.attach_to_network(network, ip="10.0.1.20").wait_until_finished()


def test_a_server_is_attached_once(server: BoundServer, network: BoundNetwork) -> None:
    server.attach_to_network(network).wait_until_finished()
    with refused("server_already_attached"):
        server.attach_to_network(network)


def test_the_networks_of_a_server_do_not_overlap(
    things: HetznerThings, server: BoundServer, network: BoundNetwork
) -> None:
    wider = things.network("10.9.0.0/24", ip_range="10.0.0.0/8")
    server.attach_to_network(network).wait_until_finished()
    with refused("networks_overlap"):
        server.attach_to_network(wider)


def test_a_server_needs_a_subnet_in_its_zone(
    things: HetznerThings, server: BoundServer, foreign_zone: str
) -> None:
    for subnets in ([], [_subnet("10.0.1.0/24", foreign_zone)]):
        with refused("no_subnet_available"):
            server.attach_to_network(things.network(subnets=subnets))


def test_alias_addresses(server: BoundServer, neighbour: BoundServer, network: BoundNetwork) -> None:
    server.attach_to_network(network, ip="10.0.1.20", alias_ips=["10.0.1.21"]).wait_until_finished()
    server.change_alias_ips(network, ["10.0.1.21", "10.0.1.22"]).wait_until_finished()
    server.reload()
    assert set(server.private_net[0].alias_ips) == {"10.0.1.21", "10.0.1.22"}
    with refused("ip_not_available"):
        neighbour.attach_to_network(network, ip="10.0.1.22")


def test_a_subnet_with_a_server_stays(server: BoundServer, network: BoundNetwork) -> None:
    server.attach_to_network(network, ip="10.0.1.20").wait_until_finished()
    # Pulumi's provider tries again when it reads these words.
    with refused("service_error", saying="servers are attached"):
        network.delete_subnet(network.subnets[0])
    server.detach_from_network(network).wait_until_finished()
    network.delete_subnet(network.subnets[0]).wait_until_finished()


def test_deleting_a_network_detaches_its_servers(server: BoundServer, network: BoundNetwork) -> None:
    server.attach_to_network(network).wait_until_finished()
    network.change_protection(delete=True).wait_until_finished()
    with refused("protected"):
        network.delete()
    network.change_protection(delete=False).wait_until_finished()
    network.delete()
    server.reload()
    assert server.private_net == []
