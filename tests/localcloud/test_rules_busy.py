"""Busy things are left alone (`locked`, for networks `conflict`), and so are protected ones."""

from __future__ import annotations

from typing import Any

import httpx
import pytest
from hcloud.networks import BoundNetwork

from tests.cloud import RunningCloud
from tests.localcloud.conftest import MakeServer

API = "/hcloud/v1"
SUBNET = {"type": "cloud", "ip_range": "10.0.2.0/24", "network_zone": "eu-central"}
ROUTE = {"destination": "10.42.0.0/24", "gateway": "10.0.1.10"}


def _code(answer: httpx.Response) -> tuple[int, str]:
    return answer.status_code, answer.json()["error"]["code"]


def test_a_busy_server_takes_no_other_action(
    cloud: RunningCloud, http: httpx.Client, make_server: MakeServer, network: BoundNetwork
) -> None:
    server = make_server("one")
    server.attach_to_network(network).wait_until_finished()
    volume = cloud.create_volume("state", size_gb=10, labels={})["id"]
    address = http.post(f"{API}/primary_ips", json={"name": "p", "type": "ipv4", "location": "hel1"}).json()
    cloud.advance(1)
    cloud.settings(actionSeconds=1000)
    assert http.post(f"{API}/servers/{server.id}/actions/reboot").status_code == 201
    here = {"network": network.id}
    actions: dict[str, Any] = {
        "poweron": {},
        "poweroff": {},
        "shutdown": {},
        "reset": {},
        "rebuild": {"image": "debian-12"},
        "change_type": {"server_type": "cx33", "upgrade_disk": False},
        "change_protection": {"delete": True, "rebuild": True},
        "attach_to_network": here,
        "detach_from_network": here,
        "change_alias_ips": here | {"alias_ips": []},
        "add_to_placement_group": {"placement_group": 1},
        "remove_from_placement_group": {},
        "change_dns_ptr": {"ip": server.public_net.ipv4.ip, "dns_ptr": None},
    }
    for verb, body in actions.items():
        answer = http.post(f"{API}/servers/{server.id}/actions/{verb}", json=body)
        assert _code(answer) == (423, "locked"), verb
    assert _code(http.delete(f"{API}/servers/{server.id}")) == (423, "locked")
    attach = {"server": server.id}
    assert _code(http.post(f"{API}/volumes/{volume}/actions/attach", json=attach)) == (423, "locked")
    order = {"name": "new", "size": 10, "server": server.id}
    assert _code(http.post(f"{API}/volumes", json=order)) == (423, "locked")
    assign = {"assignee_id": server.id, "assignee_type": "server"}
    path = f"{API}/primary_ips/{address['primary_ip']['id']}/actions/assign"
    assert _code(http.post(path, json=assign)) == (423, "locked")


def test_a_busy_volume_takes_no_other_action(
    cloud: RunningCloud, http: httpx.Client, make_server: MakeServer
) -> None:
    server = make_server("one")
    volume = cloud.create_volume("state", size_gb=10, labels={})["id"]
    held = cloud.create_volume("held", size_gb=10, labels={})["id"]
    cloud.advance(1)
    http.post(f"{API}/volumes/{held}/actions/attach", json={"server": server.id})
    cloud.advance(1)
    cloud.settings(actionSeconds=1000)
    for number in (volume, held):
        assert http.post(f"{API}/volumes/{number}/actions/resize", json={"size": 11}).status_code == 201
        for verb, body in (
            ("attach", {"server": server.id}),
            ("detach", {}),
            ("resize", {"size": 12}),
            ("change_protection", {"delete": True}),
        ):
            answer = http.post(f"{API}/volumes/{number}/actions/{verb}", json=body)
            assert _code(answer) == (423, "locked"), verb
        assert _code(http.delete(f"{API}/volumes/{number}")) == (423, "locked")
    order = {"name": "two", "server_type": "cx23", "location": "hel1", "image": "debian-12"}
    assert _code(http.post(f"{API}/servers", json=order | {"volumes": [volume]})) == (423, "locked")


def test_a_detachment_waits_for_its_server(
    cloud: RunningCloud, http: httpx.Client, make_server: MakeServer
) -> None:
    server = make_server("one")
    volume = cloud.create_volume("state", size_gb=10, labels={})["id"]
    cloud.advance(1)
    http.post(f"{API}/volumes/{volume}/actions/attach", json={"server": server.id})
    cloud.advance(1)
    cloud.settings(actionSeconds=1000)
    http.post(f"{API}/servers/{server.id}/actions/reboot")
    assert _code(http.post(f"{API}/volumes/{volume}/actions/detach")) == (423, "locked")


def test_a_primary_ip_is_ordered_only_when_it_is_quiet(cloud: RunningCloud, http: httpx.Client) -> None:
    body = {"name": "p", "type": "ipv4", "location": "hel1"}
    address = http.post(f"{API}/primary_ips", json=body).json()["primary_ip"]
    cloud.settings(actionSeconds=1000)
    pointer = {"ip": address["ip"], "dns_ptr": "a.example.org"}
    http.post(f"{API}/primary_ips/{address['id']}/actions/change_dns_ptr", json=pointer)
    order = {"name": "two", "server_type": "cx23", "location": "hel1", "image": "debian-12"}
    answer = http.post(f"{API}/servers", json=order | {"public_net": {"ipv4": address["id"]}})
    assert _code(answer) == (423, "locked")


def test_a_network_in_change_takes_no_other_change(
    cloud: RunningCloud, http: httpx.Client, network: BoundNetwork
) -> None:
    cloud.settings(actionSeconds=1000)
    path = f"{API}/networks/{network.id}"
    assert http.post(f"{path}/actions/add_route", json=ROUTE).status_code == 201
    for verb, body in (
        ("add_subnet", SUBNET),
        ("delete_subnet", {"ip_range": "10.0.1.0/24"}),
        ("add_route", ROUTE | {"destination": "10.43.0.0/24"}),
        ("delete_route", ROUTE),
        ("change_ip_range", {"ip_range": "10.0.0.0/8"}),
    ):
        assert _code(http.post(f"{path}/actions/{verb}", json=body)) == (409, "conflict"), verb
    assert _code(http.delete(path)) == (409, "conflict")
    cloud.advance(1001)
    assert http.delete(path).status_code == 204


@pytest.mark.parametrize("kind", ["server", "network", "volume", "primary_ip", "image"])
def test_what_is_protected_is_not_deleted(
    cloud: RunningCloud, http: httpx.Client, make_server: MakeServer, network: BoundNetwork, kind: str
) -> None:
    cloud.settings(actionSeconds=0)
    address = http.post(f"{API}/primary_ips", json={"name": "p", "type": "ipv4", "location": "hel1"}).json()
    number = {
        "server": lambda: make_server("one").id,
        "network": lambda: network.id,
        "volume": lambda: cloud.create_volume("state", size_gb=10, labels={})["id"],
        "primary_ip": lambda: address["primary_ip"]["id"],
        "image": lambda: http.get(f"{API}/images?label_selector=os=fcos").json()["images"][0]["id"],
    }[kind]()
    path = f"{API}/{kind}s/{number}"
    for protected, status in ((True, 423), (False, 200 if kind == "server" else 204)):
        body = {"delete": protected} | ({"rebuild": protected} if kind == "server" else {})
        assert http.post(f"{path}/actions/change_protection", json=body).status_code == 201
        assert http.get(path).json()[kind]["protection"]["delete"] is protected
        answer = http.delete(path)
        assert answer.status_code == status
        if protected:
            assert _code(answer) == (423, "protected")
