"""Networks, subnets, routes and the servers in them."""

from __future__ import annotations

import hcloud
import pytest
from hcloud import APIException
from hcloud.networks import BoundNetwork, Network, NetworkRoute, NetworkSubnet

from tests.cloud import RunningCloud
from tests.localcloud.conftest import MakeServer


def _subnet(ip_range: str, zone: str = "eu-central") -> NetworkSubnet:
    return NetworkSubnet(type="cloud", ip_range=ip_range, network_zone=zone)


def test_a_network_shows_its_subnets_and_gateway(network: BoundNetwork) -> None:
    (subnet,) = network.subnets
    assert (subnet.ip_range, subnet.gateway, subnet.network_zone) == ("10.0.1.0/24", "10.0.0.1", "eu-central")


@pytest.mark.parametrize("ip_range", ["8.8.0.0/16", "10.0.0.0/25", "10.0.0.1/16", "10.0.0.0/7", "nonsense"])
def test_bad_network_range(hetzner: hcloud.Client, ip_range: str) -> None:
    with pytest.raises(APIException) as refused:
        hetzner.networks.create("bad", ip_range=ip_range)
    assert refused.value.code == "invalid_input"


@pytest.mark.parametrize(
    ("ip_range", "zone"),
    [
        ("10.1.0.0/24", "eu-central"),  # outside
        ("10.0.1.128/25", "eu-central"),  # overlaps
        ("10.0.2.0/31", "eu-central"),  # too small
        ("10.0.2.0/24", "us-east"),  # another zone
        ("10.0.2.0/24", "mars"),
    ],
)
def test_bad_subnet(network: BoundNetwork, ip_range: str, zone: str) -> None:
    with pytest.raises(APIException) as refused:
        network.add_subnet(_subnet(ip_range, zone))
    assert refused.value.code == "invalid_input"


def test_fifty_subnets_are_the_limit(cloud: RunningCloud, network: BoundNetwork) -> None:
    cloud.settings(actionSeconds=0)
    for number in range(2, 51):
        network.add_subnet(_subnet(f"10.0.{number}.0/24"))
    with pytest.raises(APIException) as refused:
        network.add_subnet(_subnet("10.0.99.0/24"))
    assert refused.value.code == "resource_limit_exceeded"


def test_routes_follow_the_rules(network: BoundNetwork) -> None:
    network.add_route(NetworkRoute("192.168.0.0/16", "10.0.1.10")).wait_until_finished()
    network.reload()
    assert [(route.destination, route.gateway) for route in network.routes] == [
        ("192.168.0.0/16", "10.0.1.10")
    ]
    for destination, gateway in (
        ("8.8.8.0/24", "10.0.1.10"),  # neither private nor everything
        ("192.168.1.0/24", "10.0.1.10"),  # overlaps with the route
        ("10.0.1.0/25", "10.0.1.10"),  # overlaps with the subnet
        ("172.16.0.0/16", "10.0.0.1"),  # the network's own gateway
        ("172.16.0.0/16", "10.9.0.1"),  # outside
    ):
        with pytest.raises(APIException) as refused:
            network.add_route(NetworkRoute(destination, gateway))
        assert refused.value.code == "invalid_input"
    network.delete_route(NetworkRoute("192.168.0.0/16", "10.0.1.10")).wait_until_finished()


def test_one_change_of_a_network_at_a_time(cloud: RunningCloud, network: BoundNetwork) -> None:
    cloud.settings(actionSeconds=10)
    network.add_subnet(_subnet("10.0.2.0/24"))
    raw = hcloud.Client("t" * 64, api_endpoint=cloud.hcloud_endpoint)
    raw._client._retry_max_retries = 0  # the client would try again by itself for half a minute
    with pytest.raises(APIException) as refused:
        raw.networks.add_subnet(Network(id=network.id), _subnet("10.0.3.0/24"))
    assert refused.value.code == "conflict"


def test_attach_with_and_without_an_address(
    hetzner: hcloud.Client, make_server: MakeServer, network: BoundNetwork
) -> None:
    first, second = make_server("one"), make_server("two")
    first.attach_to_network(network, ip="10.0.1.20").wait_until_finished()
    second.attach_to_network(network).wait_until_finished()
    addresses = [net.ip for server in hetzner.servers.get_all() for net in server.private_net]
    assert addresses == ["10.0.1.20", "10.0.1.1"]
    network.reload()
    assert [server.id for server in network.servers] == [first.id, second.id]
    members = [(member.id, member.ip, member.subnet) for member in network.get_member_list().members]
    assert members == [(first.id, "10.0.1.20", "10.0.1.0/24"), (second.id, "10.0.1.1", "10.0.1.0/24")]


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
def test_addresses_must_be_free_and_in_a_subnet(
    make_server: MakeServer, network: BoundNetwork, ip: str, code: str
) -> None:
    make_server("one").attach_to_network(network, ip="10.0.1.20").wait_until_finished()
    with pytest.raises(APIException) as refused:
        make_server("two").attach_to_network(network, ip=ip)
    assert refused.value.code == code


def test_an_address_is_held_while_its_attachment_runs(
    cloud: RunningCloud, hetzner: hcloud.Client, make_server: MakeServer, network: BoundNetwork
) -> None:
    first, second = make_server("one"), make_server("two")
    cloud.settings(actionSeconds=10)
    first.attach_to_network(network, ip="10.0.1.20")
    assert hetzner.servers.get_by_id(first.id).private_net == []
    with pytest.raises(APIException) as refused:
        second.attach_to_network(network, ip="10.0.1.20")
    assert refused.value.code == "ip_not_available"
    cloud.advance(11)
    assert [net.ip for net in hetzner.servers.get_by_id(first.id).private_net] == ["10.0.1.20"]


def test_one_attachment_per_network(make_server: MakeServer, network: BoundNetwork) -> None:
    server = make_server("one")
    server.attach_to_network(network).wait_until_finished()
    with pytest.raises(APIException) as refused:
        server.attach_to_network(network)
    assert refused.value.code == "server_already_attached"


def test_overlapping_networks_and_foreign_zones(
    hetzner: hcloud.Client, make_server: MakeServer, network: BoundNetwork
) -> None:
    other = hetzner.networks.create("other", ip_range="10.0.0.0/8", subnets=[_subnet("10.9.0.0/24")])
    server = make_server("one")
    server.attach_to_network(network).wait_until_finished()
    with pytest.raises(APIException) as refused:
        server.attach_to_network(other)
    assert refused.value.code == "networks_overlap"
    with pytest.raises(APIException) as refused:
        make_server("far", "cpx11", "ash").attach_to_network(network)
    assert refused.value.code == "no_subnet_available"


def test_alias_addresses(make_server: MakeServer, network: BoundNetwork) -> None:
    server = make_server("one")
    server.attach_to_network(network, ip="10.0.1.20", alias_ips=["10.0.1.21"]).wait_until_finished()
    server.change_alias_ips(network, ["10.0.1.21", "10.0.1.22"]).wait_until_finished()
    server.reload()
    assert server.private_net[0].alias_ips == ["10.0.1.21", "10.0.1.22"]
    with pytest.raises(APIException) as refused:
        make_server("two").attach_to_network(network, ip="10.0.1.22")
    assert refused.value.code == "ip_not_available"


def test_a_subnet_with_servers_stays(make_server: MakeServer, network: BoundNetwork) -> None:
    server = make_server("one")
    server.attach_to_network(network, ip="10.0.1.20").wait_until_finished()
    with pytest.raises(APIException) as refused:
        network.delete_subnet(_subnet("10.0.1.0/24"))
    assert refused.value.code == "service_error"
    assert "servers are attached" in refused.value.message
    server.detach_from_network(network).wait_until_finished()
    network.delete_subnet(_subnet("10.0.1.0/24")).wait_until_finished()


def test_deleting_a_network_detaches_its_servers(
    hetzner: hcloud.Client, make_server: MakeServer, network: BoundNetwork
) -> None:
    server = make_server("one")
    server.attach_to_network(network).wait_until_finished()
    network.change_protection(delete=True).wait_until_finished()
    with pytest.raises(APIException) as refused:
        network.delete()
    assert refused.value.code == "protected"
    network.change_protection(delete=False).wait_until_finished()
    network.delete()
    assert hetzner.servers.get_by_id(server.id).private_net == []


def test_a_network_takes_100_resources(
    cloud: RunningCloud, make_server: MakeServer, network: BoundNetwork
) -> None:
    cloud.settings(actionSeconds=0)
    for number in range(100):
        make_server(f"server-{number}").attach_to_network(network)
    with pytest.raises(APIException) as refused:
        make_server("server-100").attach_to_network(network)
    assert refused.value.code == "resource_limit_exceeded"
    servers = cloud.hetzner("servers")
    assert len({server["public_net"]["ipv4"]["ip"] for server in servers}) == 101
