"""Bodies that no well-behaved client sends: each is refused, and the refusal names the field."""

from __future__ import annotations

from typing import Any

import httpx
import pytest
from hcloud.images import BoundImage

from tests.localcloud.conftest import MakeServer

API = "/hcloud/v1"
SERVER = {"name": "one", "server_type": "cx23", "location": "hel1"}
VOLUME = {"name": "state", "size": 10, "location": "hel1"}
RULE = {"direction": "in", "protocol": "tcp", "port": "80", "source_ips": ["0.0.0.0/0"]}


@pytest.mark.parametrize(
    ("more", "field"),
    [
        ({"user_data": 1}, "user_data"),
        ({"labels": "a=b"}, "labels"),
        ({"labels": {"a": 1}}, "labels"),
        ({"ssh_keys": "mine"}, "ssh_keys"),
        ({"ssh_keys": [1]}, "ssh_keys"),
        ({"firewalls": [{"firewall": 1}]}, "firewalls"),
        ({"networks": [1]}, "networks"),
        ({"volumes": [1]}, "volumes"),
        ({"placement_group": 1}, "placement_group"),
        ({"start_after_create": "yes"}, "start_after_create"),
        ({"datacenter": "hel1-dc2"}, "datacenter"),
        ({"public_net": {"ipv4": 1}}, "public_net.ipv4"),
        ({"name": 1}, "name"),
        ({"name": ""}, "name"),
    ],
)
def test_bad_server(http: httpx.Client, image: BoundImage, more: dict[str, Any], field: str) -> None:
    answer = http.post(f"{API}/servers", json={**SERVER, "image": image.id, **more})
    assert (answer.status_code, answer.json()["error"]["code"]) == (422, "invalid_input")
    assert answer.json()["error"]["details"]["fields"][0]["name"] == field


@pytest.mark.parametrize(
    ("kind", "body", "field"),
    [
        ("volumes", {**VOLUME, "size": "10"}, "size"),
        ("volumes", {**VOLUME, "size": True}, "size"),
        ("volumes", {**VOLUME, "format": "btrfs"}, "format"),
        ("volumes", {**VOLUME, "location": "mars1"}, "location"),
        ("volumes", {**VOLUME, "location": None}, "location"),
        ("volumes", {**VOLUME, "server": 1}, "location"),
        ("volumes", {**VOLUME, "name": "x" * 65}, "name"),
        ("networks", {"name": "n"}, "ip_range"),
        ("networks", {"name": "n", "ip_range": "10.0.0.0/16", "subnets": [{"type": "what"}]}, "type"),
        ("firewalls", {"name": "f", "rules": [{**RULE, "direction": "up"}]}, "rules.0.direction"),
        ("firewalls", {"name": "f", "rules": [{**RULE, "protocol": "http"}]}, "rules.0.protocol"),
        ("firewalls", {"name": "f", "rules": [{**RULE, "port": "90-80"}]}, "rules.0.port"),
        ("firewalls", {"name": "f", "rules": [RULE | {"source_ips": ["10.0.0.1"]}]}, "rules.0.source_ips"),
        ("firewalls", {"name": "f", "apply_to": [{"type": "planet"}]}, "apply_to"),
        ("primary_ips", {"name": "p", "type": "ipv5", "location": "hel1"}, "type"),
        ("primary_ips", {"name": "p", "type": "ipv4"}, "location"),
        ("primary_ips", {"name": "p", "type": "ipv4", "location": "mars1"}, "location"),
        ("placement_groups", {"name": "g", "type": "pack"}, "type"),
    ],
)
def test_bad_thing(http: httpx.Client, kind: str, body: dict[str, Any], field: str) -> None:
    answer = http.post(f"{API}/{kind}", json=body)
    assert (answer.status_code, answer.json()["error"]["code"]) == (422, "invalid_input")
    assert answer.json()["error"]["details"]["fields"][0]["name"] == field


def _post(http: httpx.Client, path: str, body: dict[str, Any], code: str) -> None:
    answer = http.post(API + path, json=body)
    assert answer.json()["error"]["code"] == code, answer.text


def test_bad_changes_of_a_server(http: httpx.Client, make_server: MakeServer) -> None:
    server = f"/servers/{make_server('one').id}/actions"
    for verb, body, code in (
        ("change_type", {"server_type": "cx99"}, "invalid_input"),
        ("change_protection", {"delete": True, "rebuild": False}, "invalid_input"),
        ("attach_to_network", {"network": 1}, "invalid_input"),
        ("detach_from_network", {"network": 1}, "invalid_input"),
        ("rebuild", {"image": 1}, "invalid_input"),
        ("remove_from_placement_group", {}, "invalid_input"),
        ("change_dns_ptr", {"ip": "192.0.2.250", "dns_ptr": "x.example"}, "not_found"),
    ):
        _post(http, f"{server}/{verb}", body, code)
    assert http.post(f"{API}{server}/poweroff").status_code == 201


def test_type_changes_keep_architecture_disk_and_location(
    http: httpx.Client, make_server: MakeServer
) -> None:
    server = make_server("one", "cx33")
    server.power_off().wait_until_finished()
    path = f"/servers/{server.id}/actions/change_type"
    for server_type in ("cax21", "cx23", "cx22"):
        _post(http, path, {"server_type": server_type, "upgrade_disk": False}, "invalid_server_type")
    _post(
        http, f"/servers/{server.id}/actions/add_to_placement_group", {"placement_group": 1}, "invalid_input"
    )


def test_volumes_of_no_server_and_of_a_full_account(http: httpx.Client) -> None:
    http.post("/_control/settings", json={"actionSeconds": 0, "volumeLimit": 1})
    volume = http.post(f"{API}/volumes", json=VOLUME).json()["volume"]
    _post(http, f"/volumes/{volume['id']}/actions/detach", {}, "volume_not_attached")
    _post(http, f"/volumes/{volume['id']}/actions/attach", {"server": 1}, "invalid_input")
    _post(http, "/volumes", {**VOLUME, "name": "second"}, "resource_limit_exceeded")


def test_subnets_and_routes_that_are_not_there(http: httpx.Client) -> None:
    http.post("/_control/settings", json={"actionSeconds": 0})
    body = {"name": "n", "ip_range": "10.0.0.0/16"}
    network = http.post(f"{API}/networks", json=body).json()["network"]
    path = f"/networks/{network['id']}/actions"
    _post(http, f"{path}/delete_subnet", {"ip_range": "10.0.1.0/24"}, "not_found")
    _post(http, f"{path}/delete_route", {"destination": "10.1.0.0/24", "gateway": "10.0.0.2"}, "not_found")
    _post(http, f"{path}/change_ip_range", {"ip_range": "10.0.0.0/17"}, "invalid_input")
    _post(http, f"{path}/add_route", {"destination": "172.16.0.0/16", "gateway": "no"}, "invalid_input")
    assert http.post(f"{API}{path}/change_ip_range", json={"ip_range": "10.0.0.0/8"}).status_code == 201
    everything = {"destination": "0.0.0.0/0", "gateway": "10.0.0.2"}
    assert http.post(f"{API}{path}/add_route", json=everything).status_code == 201
    _post(http, f"{path}/add_route", everything, "invalid_input")


def test_primary_ips_go_only_to_a_server_that_is_off_and_near(
    http: httpx.Client, make_server: MakeServer
) -> None:
    def address(name: str, location: str) -> int:
        body = {"name": name, "type": "ipv4", "location": location}
        return int(http.post(f"{API}/primary_ips", json=body).json()["primary_ip"]["id"])

    near, far = address("near", "hel1"), address("far", "ash")
    server = make_server("one")
    to_it = {"assignee_id": server.id, "assignee_type": "server"}
    _post(http, f"/primary_ips/{near}/actions/unassign", {}, "primary_ip_not_assigned")
    _post(http, f"/primary_ips/{near}/actions/assign", to_it, "server_not_stopped")
    server.power_off().wait_until_finished()
    _post(http, f"/primary_ips/{near}/actions/assign", to_it, "server_has_ipv4")
    (own,) = [each for each in http.get(f"{API}/primary_ips").json()["primary_ips"]
              if each["assignee_id"] == server.id and each["type"] == "ipv4"]  # fmt: skip
    http.post(f"{API}/primary_ips/{own['id']}/actions/unassign")
    http.post("/_control/clock", json={"advanceSeconds": 1})
    _post(http, f"/primary_ips/{far}/actions/assign", to_it, "invalid_input")
    assert http.post(f"{API}/primary_ips/{near}/actions/assign", json=to_it).status_code == 201
    _post(http, f"/primary_ips/{near}/actions/assign", to_it, "primary_ip_already_assigned")
    order = {**SERVER, "name": "two", "image": "debian-12"}
    for wish, code in ((near, "primary_ip_assigned"), (far, "invalid_input")):
        _post(http, "/servers", {**order, "public_net": {"ipv4": wish}}, code)
    _post(http, "/servers", {**order, "public_net": {"ipv6": own["id"]}}, "invalid_input")


def test_firewalls_per_server(http: httpx.Client, make_server: MakeServer) -> None:
    walls = [http.post(f"{API}/firewalls", json={"name": f"f{n}"}).json()["firewall"]["id"] for n in range(6)]
    body = {**SERVER, "image": "debian-12", "firewalls": [{"firewall": wall} for wall in walls]}
    _post(http, "/servers", body, "resource_limit_exceeded")
    server = http.post(f"{API}/servers", json={**body, "firewalls": body["firewalls"][:5]}).json()["server"][
        "id"
    ]
    target = [{"type": "server", "server": {"id": server}}]
    _post(
        http,
        f"/firewalls/{walls[5]}/actions/apply_to_resources",
        {"apply_to": target},
        "resource_limit_exceeded",
    )


def test_limits_of_groups_and_attachments(http: httpx.Client, make_server: MakeServer) -> None:
    http.post("/_control/settings", json={"actionSeconds": 0})
    for number in range(50):
        http.post(f"{API}/placement_groups", json={"name": f"g{number}", "type": "spread"})
    _post(http, "/placement_groups", {"name": "g50", "type": "spread"}, "resource_limit_exceeded")
    server = make_server("one").id
    for number in range(4):
        subnet = {"type": "cloud", "network_zone": "eu-central", "ip_range": f"10.{number}.1.0/24"}
        body = {"name": f"n{number}", "ip_range": f"10.{number}.0.0/16", "subnets": [subnet]}
        network = http.post(f"{API}/networks", json=body).json()["network"]["id"]
        path = f"/servers/{server}/actions/attach_to_network"
        aliases = [f"10.{number}.1.{host}" for host in range(20, 26)]
        code = "resource_limit_exceeded" if number == 3 else "invalid_input"
        _post(http, path, {"network": network, "alias_ips": aliases}, code)
        if number < 3:
            assert http.post(API + path, json={"network": network}).status_code == 201


def test_rebuild_of_a_protected_server(http: httpx.Client, make_server: MakeServer) -> None:
    server = make_server("one")
    server.change_protection(delete=True, rebuild=True).wait_until_finished()
    _post(http, f"/servers/{server.id}/actions/rebuild", {"image": "debian-12"}, "protected")


def test_an_image_that_is_not_ready_or_too_big(http: httpx.Client) -> None:
    seed = {"snapshots": [{"labels": {"a": "b"}, "status": "creating", "description": "unready"}]}
    http.post("/_control/seed", json=seed)
    (image,) = http.get(f"{API}/images?label_selector=a=b").json()["images"]
    _post(http, "/servers", {**SERVER, "image": image["id"]}, "invalid_input")


def test_addresses_run_out(http: httpx.Client, make_server: MakeServer) -> None:
    http.post("/_control/settings", json={"actionSeconds": 0})
    subnet = {"type": "cloud", "network_zone": "eu-central", "ip_range": "10.0.1.0/30"}
    body = {"name": "n", "ip_range": "10.0.0.0/16", "subnets": [subnet]}
    network = {"network": http.post(f"{API}/networks", json=body).json()["network"]["id"]}
    servers = [make_server(f"server-{number}").id for number in range(3)]
    for server in servers[:2]:
        assert http.post(f"{API}/servers/{server}/actions/attach_to_network", json=network).status_code == 201
    _post(http, f"/servers/{servers[2]}/actions/attach_to_network", network, "ip_not_available")
    http.post("/_control/settings", json={"rateLimit": 100_000})
    for number in range(3 * 254 - 3):
        order = {"name": f"p{number}", "type": "ipv4", "location": "hel1"}
        assert http.post(f"{API}/primary_ips", json=order).status_code == 201
    _post(http, "/primary_ips", {"name": "last", "type": "ipv4", "location": "hel1"}, "resource_unavailable")
