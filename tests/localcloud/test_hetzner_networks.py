"""Networks: their limits, and what holds while an action runs."""

from __future__ import annotations

import hcloud
import pytest
from hcloud import APIException
from hcloud.networks import BoundNetwork, Network, NetworkSubnet

from tests.cloud import RunningCloud
from tests.localcloud.conftest import MakeServer


def _subnet(ip_range: str) -> NetworkSubnet:
    return NetworkSubnet(type="cloud", ip_range=ip_range, network_zone="eu-central")


def test_fifty_subnets_are_the_limit(cloud: RunningCloud, network: BoundNetwork) -> None:
    cloud.settings(actionSeconds=0)
    for number in range(2, 51):
        network.add_subnet(_subnet(f"10.0.{number}.0/24"))
    with pytest.raises(APIException) as refused:
        network.add_subnet(_subnet("10.0.99.0/24"))
    assert refused.value.code == "resource_limit_exceeded"


def test_one_change_of_a_network_at_a_time(cloud: RunningCloud, network: BoundNetwork) -> None:
    cloud.settings(actionSeconds=10)
    network.add_subnet(_subnet("10.0.2.0/24"))
    raw = hcloud.Client("t" * 64, api_endpoint=cloud.hcloud_endpoint)
    raw._client._retry_max_retries = 0  # the client would try again by itself for half a minute
    with pytest.raises(APIException) as refused:
        raw.networks.add_subnet(Network(id=network.id), _subnet("10.0.3.0/24"))
    assert refused.value.code == "conflict"


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


def test_a_network_takes_100_resources(
    cloud: RunningCloud, make_server: MakeServer, network: BoundNetwork
) -> None:
    cloud.settings(actionSeconds=0)
    for number in range(100):
        make_server(f"server-{number}").attach_to_network(network)
    with pytest.raises(APIException) as refused:
        make_server("server-100").attach_to_network(network)
    assert refused.value.code == "resource_limit_exceeded"
    with pytest.raises(APIException) as refused:
        make_server("server-101", networks=[network])
    assert refused.value.code == "resource_limit_exceeded"
    servers = cloud.hetzner("servers")
    assert len({server["public_net"]["ipv4"]["ip"] for server in servers}) == 101
