"""Networks: which ranges, subnets, routes and addresses are taken, and which are refused."""

from __future__ import annotations

from typing import Any

import httpx
import pytest
from hcloud.networks import BoundNetwork

from tests.cloud import RunningCloud
from tests.localcloud.conftest import MakeServer

API = "/hcloud/v1"


@pytest.fixture(autouse=True)
def at_once(cloud: RunningCloud) -> None:
    cloud.settings(actionSeconds=0)


def _refused(answer: httpx.Response) -> tuple[str, str]:
    """The code and the field of a refusal."""
    error = answer.json()["error"]
    return error["code"], (error.get("details") or {}).get("fields", [{"name": ""}])[0]["name"]


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ({"ip": "not an address"}, "invalid_input"),
        ({"ip": "10.0.1.0"}, "invalid_input"),
        ({"ip": "10.0.1.255"}, "invalid_input"),
        ({"ip": "10.0.0.1"}, "invalid_input"),
        ({"ip": "10.0.2.1"}, "invalid_input"),
        ({"ip": "fd00::1"}, "invalid_input"),
        ({"ip": "10.0.1.9", "ip_range": "10.0.9.0/24"}, "no_subnet_available"),
        ({"ip": "10.0.1.50"}, "ip_not_available"),
        ({"ip": "10.0.1.51"}, "ip_not_available"),
        ({"alias_ips": ["10.0.1.50"]}, "ip_not_available"),
        ({"alias_ips": ["10.0.1.51"]}, "ip_not_available"),
        ({"ip": "10.0.1.9", "alias_ips": ["10.0.1.9"]}, "ip_not_available"),
        ({"alias_ips": ["10.0.1.9", "10.0.1.9"]}, "invalid_input"),
        ({"alias_ips": ["10.0.2.9"]}, "invalid_input"),
        ({"alias_ips": [f"10.0.1.{n}" for n in range(100, 106)]}, "invalid_input"),
    ],
)
def test_addresses_that_a_server_does_not_get(
    http: httpx.Client, make_server: MakeServer, network: BoundNetwork, body: dict[str, Any], code: str
) -> None:
    first, second = make_server("one"), make_server("two")
    here = {"network": network.id}
    taken = here | {"ip": "10.0.1.50", "alias_ips": ["10.0.1.51"]}
    assert http.post(f"{API}/servers/{first.id}/actions/attach_to_network", json=taken).status_code == 201
    answer = http.post(f"{API}/servers/{second.id}/actions/attach_to_network", json=here | body)
    assert answer.json()["error"]["code"] == code
    fine = here | {"ip": "10.0.1.9", "alias_ips": [f"10.0.1.{n}" for n in range(100, 105)]}
    assert http.post(f"{API}/servers/{second.id}/actions/attach_to_network", json=fine).status_code == 201
    # Its own aliases are not in its way.
    again = here | {"alias_ips": ["10.0.1.100"]}
    assert http.post(f"{API}/servers/{second.id}/actions/change_alias_ips", json=again).status_code == 201


@pytest.mark.parametrize(
    ("network_range", "subnet", "gateway"),
    [("10.0.0.0/16", "10.0.0.0/24", "10.0.0.1"), ("172.31.0.0/16", "172.31.1.0/24", "172.31.1.1")],
)
def test_gateways_are_nobodys(
    http: httpx.Client, make_server: MakeServer, network_range: str, subnet: str, gateway: str
) -> None:
    subnets = [{"type": "cloud", "network_zone": "eu-central", "ip_range": subnet}]
    body = {"name": "n", "ip_range": network_range, "subnets": subnets}
    network = http.post(f"{API}/networks", json=body).json()["network"]["id"]
    path = f"{API}/servers/{make_server('one').id}"
    answer = http.post(f"{path}/actions/attach_to_network", json={"network": network, "ip": gateway})
    assert _refused(answer) == ("invalid_input", "ip")
    assert http.post(f"{path}/actions/attach_to_network", json={"network": network}).status_code == 201
    (attachment,) = http.get(path).json()["server"]["private_net"]
    assert attachment["ip"] == gateway.rpartition(".")[0] + ".2"


def test_only_the_subnet_of_a_server_stays(
    http: httpx.Client, make_server: MakeServer, network: BoundNetwork
) -> None:
    path = f"{API}/networks/{network.id}/actions"
    other = {"type": "cloud", "network_zone": "eu-central", "ip_range": "10.0.2.0/24"}
    assert http.post(f"{path}/add_subnet", json=other).status_code == 201
    make_server("one").attach_to_network(network, ip="10.0.1.20")
    answer = http.post(f"{path}/delete_subnet", json={"ip_range": "10.0.1.0/24"})
    assert (answer.status_code, _refused(answer)[0]) == (422, "service_error")
    assert http.post(f"{path}/delete_subnet", json={"ip_range": "10.0.2.0/24"}).status_code == 201


@pytest.mark.parametrize(
    ("verb", "body"),
    [
        ("add_route", {"destination": "10.0.1.0/25", "gateway": "10.0.1.9"}),
        ("add_route", {"destination": "10.0.0.0/24", "gateway": "10.0.1.9"}),
        ("add_route", {"destination": "172.31.1.0/24", "gateway": "10.0.1.9"}),
        ("add_route", {"destination": "8.8.8.0/24", "gateway": "10.0.1.9"}),
        ("add_route", {"destination": "10.9.0.0/24", "gateway": "10.0.0.1"}),
        ("add_route", {"destination": "10.9.0.0/24", "gateway": "10.1.0.9"}),
        ("add_route", {"destination": "10.9.0.1/24", "gateway": "10.0.1.9"}),
        ("add_route", {"destination": "10.8.0.128/25", "gateway": "10.0.1.9"}),
        ("add_subnet", {"ip_range": "10.0.1.128/25"}),
        ("add_subnet", {"ip_range": "10.1.0.0/24"}),
        ("add_subnet", {"ip_range": "10.0.2.0/31"}),
        ("add_subnet", {"ip_range": "10.0.7.0/25"}),
    ],
)
def test_bad_routes_and_subnets(
    http: httpx.Client, network: BoundNetwork, verb: str, body: dict[str, str]
) -> None:
    path = f"{API}/networks/{network.id}/actions"
    for destination in ("10.8.0.0/24", "10.0.7.0/24"):
        route = {"destination": destination, "gateway": "10.0.1.9"}
        assert http.post(f"{path}/add_route", json=route).status_code == 201
    common = {"type": "cloud", "network_zone": "eu-central"} if verb == "add_subnet" else {}
    answer = http.post(f"{path}/{verb}", json=common | body)
    assert answer.json()["error"]["code"] == "invalid_input"


def test_routes_that_are_not_in_the_way_of_a_subnet(http: httpx.Client, network: BoundNetwork) -> None:
    path = f"{API}/networks/{network.id}/actions"
    for destination in ("0.0.0.0/0", "10.8.0.0/24"):
        route = {"destination": destination, "gateway": "10.0.1.9"}
        assert http.post(f"{path}/add_route", json=route).status_code == 201
    subnet = {"type": "cloud", "network_zone": "eu-central", "ip_range": "10.0.2.0/24"}
    assert http.post(f"{path}/add_subnet", json=subnet).status_code == 201


def test_a_zone_that_does_not_exist(http: httpx.Client) -> None:
    subnet = {"type": "cloud", "network_zone": "mars", "ip_range": "10.0.2.0/24"}
    answer = http.post(f"{API}/networks", json={"name": "n", "ip_range": "10.0.0.0/16", "subnets": [subnet]})
    assert _refused(answer) == ("invalid_input", "network_zone")


def test_a_hundred_routes_and_a_full_network(http: httpx.Client, network: BoundNetwork) -> None:
    path = f"{API}/networks/{network.id}/actions/add_route"
    routes = [{"destination": f"10.8.{n}.0/24", "gateway": "10.0.1.9"} for n in range(101)]
    answers = [http.post(path, json=route).status_code for route in routes]
    assert answers == [201] * 100 + [403]
    subnet = {"type": "cloud", "network_zone": "eu-central"}
    body = {"name": "small", "ip_range": "10.3.0.0/24", "subnets": [subnet]}
    small = http.post(f"{API}/networks", json=body).json()["network"]
    assert [one["ip_range"] for one in small["subnets"]] == ["10.3.0.0/24"]
    answer = http.post(f"{API}/networks/{small['id']}/actions/add_subnet", json=subnet)
    assert _refused(answer) == ("invalid_input", "ip_range")


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"type": None}, "type"),
        ({"type": "server", "network_zone": "mars"}, "network_zone"),
        ({"type": "vswitch", "network_zone": "eu-central", "ip_range": "10.0.2.0/24"}, "vswitch_id"),
        (
            {"type": "vswitch", "network_zone": "eu-central", "ip_range": "10.0.2.0/24", "vswitch_id": True},
            "vswitch_id",
        ),
    ],
)
def test_bad_subnet_fields(
    http: httpx.Client, network: BoundNetwork, body: dict[str, Any], field: str
) -> None:
    answer = http.post(f"{API}/networks/{network.id}/actions/add_subnet", json=body)
    assert _refused(answer) == ("invalid_input", field)


@pytest.mark.parametrize(
    "ip_range", ["10.0.0.0/25", "10.0.0.1/16", "8.8.8.0/24", "9.0.0.0/7", "x", "fd00::/16", 1]
)
def test_bad_network_ranges(http: httpx.Client, ip_range: Any) -> None:
    answer = http.post(f"{API}/networks", json={"name": "n", "ip_range": ip_range})
    assert _refused(answer) == ("invalid_input", "ip_range")
