"""What the official plugins send at their start and for each resource of the program: none of it is unknown.

The plugins themselves are not here. Their requests are replayed as their sources make them, in the order of a
resource's life, each with the status that the plugin counts on.
"""

from __future__ import annotations

from typing import Any

import httpx
import pytest

from tests.cloud import RunningCloud

API = "/hcloud/v1"
DNS = "/google/dns/v1/projects/raya-local/managedZones"
IAM = "/google/iam/v1/projects/raya-local/serviceAccounts"
MANAGER = "/google/cloudresourcemanager/v1/projects/raya-local"
USAGE = "/google/serviceusage/v1/projects/raya-local/services"
EMAIL = "external-dns@raya-local.iam.gserviceaccount.com"
BY_STATUS = "sort=status&sort=id&page=1&per_page=50"
NEWEST = "architecture=x86&sort=created:desc&page=1&per_page=50"
RECORD = {"name": "cp.k8s.example.org.", "type": "A", "ttl": 300, "rrdatas": ["203.0.113.1"]}
RULE = {
    "direction": "in",
    "protocol": "tcp",
    "port": "22",
    "source_ips": ["0.0.0.0/0"],
    "destination_ips": [],
}
SUBNET = {"type": "cloud", "ip_range": "10.0.1.0/24", "network_zone": "eu-central"}
ROUTE = {"destination": "10.42.0.0/24", "gateway": "10.0.1.10"}


class Replay:
    """Sends requests, and knows the ids that came back: `{server}` in a path is the server's."""

    def __init__(self, http: httpx.Client, cloud: RunningCloud) -> None:
        self._http, self.cloud = http, cloud
        self.ids: dict[str, Any] = {}
        self.sent = 0

    def __call__(self, status: int, method: str, path: str, body: Any = None) -> Any:
        path = path.format(**self.ids)
        answer = self._http.request(method, path, json=body)
        assert answer.status_code == status, (method, path, answer.text)
        self.sent += 1
        if not answer.content:
            return None
        assert answer.headers["content-type"].startswith("application/json")
        shown = answer.json()
        if status == 201 and method == "POST":
            self.ids |= {kind: thing["id"] for kind, thing in shown.items() if _has_id(thing)}
            self._wait(shown)
        return shown

    def _wait(self, shown: dict[str, Any]) -> None:
        """The plugin's polling: by id, sorted; as many must come back as were asked for."""
        actions = [shown.get("action"), *shown.get("next_actions", []), *shown.get("actions", [])]
        ids = [action["id"] for action in actions if action]
        if not ids:
            return
        query = "&".join(f"id={number}" for number in ids)
        listed = self(200, "GET", f"{API}/actions?{query}&{BY_STATUS}")["actions"]
        assert len(listed) == len(ids)
        self.cloud.advance(5)
        ended = self(200, "GET", f"{API}/actions?{query}&{BY_STATUS}")["actions"]
        assert {action["status"] for action in ended} == {"success"}


def _has_id(thing: Any) -> bool:
    return isinstance(thing, dict) and "id" in thing


@pytest.fixture
def replay(http: httpx.Client, cloud: RunningCloud) -> Replay:
    http.headers["User-Agent"] = "hcloud-terraform/1.68.0 hcloud-go/2.53.0"
    return Replay(http, cloud)


def _network(replay: Replay) -> None:
    body = {"name": "net", "ip_range": "10.0.0.0/16", "labels": {}, "expose_routes_to_vswitch": False}
    replay(201, "POST", f"{API}/networks", body)
    replay(201, "POST", f"{API}/networks/{{network}}/actions/add_subnet", SUBNET)
    replay(200, "GET", f"{API}/networks/{{network}}")


def _server(replay: Replay, **more: Any) -> None:
    replay(200, "GET", f"{API}/server_types?name=cx23")
    images = replay(200, "GET", f"{API}/images?name=debian-12&include_deprecated=true&{NEWEST}")["images"]
    replay(200, "GET", f"{API}/images/{images[0]['id']}")
    order = {
        "name": "one",
        "server_type": "cx23",
        "location": "hel1",
        "image": images[0]["id"],
        "user_data": "x",
        "labels": {"role": "agent"},
        "public_net": {"enable_ipv4": True, "enable_ipv6": True},
    }
    replay(201, "POST", f"{API}/servers", order | more)
    replay(200, "GET", f"{API}/servers/{{server}}")


def test_lookups(replay: Replay) -> None:
    for path in (
        f"images?label_selector=os=fcos&status=available&{NEWEST}",
        f"images?label_selector=os%3Dfcos&include_deprecated=true&{NEWEST}",
        "server_types?name=cx23",
        "server_types?page=1&per_page=50",
        "locations?name=hel1",
        "locations?page=1&per_page=50",
        "servers?name=one",
        "servers?label_selector=role=agent&page=1&per_page=50",
        "networks?page=1&per_page=50",
        "volumes?label_selector=role=agent&page=1&per_page=50",
        "firewalls?name=wall",
        "primary_ips?page=1&per_page=50",
        "placement_groups?name=spread",
        "ssh_keys?name=mine",
    ):
        replay(200, "GET", f"{API}/{path}")
    for kind in ("servers", "networks", "volumes", "firewalls", "primary_ips", "placement_groups", "images"):
        assert replay(404, "GET", f"{API}/{kind}/1")["error"]["code"] == "not_found"


def test_server_and_network(replay: Replay) -> None:
    _network(replay)
    replay(201, "POST", f"{API}/networks/{{network}}/actions/add_route", ROUTE)
    _server(replay)
    attach = {"network": replay.ids["network"], "ip": "10.0.1.20", "alias_ips": []}
    replay(201, "POST", f"{API}/servers/{{server}}/actions/attach_to_network", attach)
    server = replay(200, "GET", f"{API}/servers/{{server}}")["server"]
    assert [net["ip"] for net in server["private_net"]] == ["10.0.1.20"]
    aliases = {"network": replay.ids["network"], "alias_ips": ["10.0.1.21"]}
    replay(201, "POST", f"{API}/servers/{{server}}/actions/change_alias_ips", aliases)
    replay(200, "PUT", f"{API}/servers/{{server}}", {"name": "renamed"})
    replay(200, "PUT", f"{API}/servers/{{server}}", {"labels": {"role": "cp"}})
    protect = {"delete": False, "rebuild": False}
    replay(201, "POST", f"{API}/servers/{{server}}/actions/change_protection", protect)
    replay(201, "POST", f"{API}/servers/{{server}}/actions/shutdown")
    replay.cloud.advance(5)
    assert replay(200, "GET", f"{API}/servers/{{server}}")["server"]["status"] == "off"
    change = {"server_type": "cx33", "upgrade_disk": False}
    replay(201, "POST", f"{API}/servers/{{server}}/actions/change_type", change)
    replay(201, "POST", f"{API}/servers/{{server}}/actions/poweron")
    detach = {"network": replay.ids["network"]}
    replay(201, "POST", f"{API}/servers/{{server}}/actions/detach_from_network", detach)
    action = replay(200, "DELETE", f"{API}/servers/{{server}}")["action"]
    replay(200, "GET", f"{API}/actions/{action['id']}")
    replay.cloud.advance(5)
    replay(404, "GET", f"{API}/servers/{{server}}")
    replay(201, "POST", f"{API}/networks/{{network}}/actions/delete_route", ROUTE)
    replay(201, "POST", f"{API}/networks/{{network}}/actions/delete_subnet", {"ip_range": "10.0.1.0/24"})
    replay(200, "PUT", f"{API}/networks/{{network}}", {"labels": {"a": "b"}})
    replay(201, "POST", f"{API}/networks/{{network}}/actions/change_protection", {"delete": False})
    replay(204, "DELETE", f"{API}/networks/{{network}}")


def test_volume(replay: Replay) -> None:
    _server(replay)
    order = {"name": "state", "size": 10, "location": "hel1", "labels": {}, "format": "xfs"}
    replay(201, "POST", f"{API}/volumes", order)
    replay(201, "POST", f"{API}/volumes/{{volume}}/actions/change_protection", {"delete": True})
    replay(201, "POST", f"{API}/volumes/{{volume}}/actions/attach", {"server": replay.ids["server"]})
    assert replay(200, "GET", f"{API}/volumes/{{volume}}")["volume"]["server"] == replay.ids["server"]
    replay(200, "PUT", f"{API}/volumes/{{volume}}", {"name": "renamed", "labels": {"a": "b"}})
    replay(201, "POST", f"{API}/volumes/{{volume}}/actions/detach", {})
    replay(201, "POST", f"{API}/volumes/{{volume}}/actions/resize", {"size": 20})
    replay(201, "POST", f"{API}/volumes/{{volume}}/actions/change_protection", {"delete": False})
    replay(204, "DELETE", f"{API}/volumes/{{volume}}")


def test_firewall(replay: Replay) -> None:
    replay(201, "POST", f"{API}/firewalls", {"name": "wall", "labels": {}, "rules": [RULE]})
    _server(replay, firewalls=[{"firewall": replay.ids["firewall"]}])
    target = {"type": "server", "server": {"id": replay.ids["server"]}}
    replay(200, "GET", f"{API}/firewalls/{{firewall}}")
    replay(200, "PUT", f"{API}/firewalls/{{firewall}}", {"name": "renamed", "labels": {}})
    replay(201, "POST", f"{API}/firewalls/{{firewall}}/actions/set_rules", {"rules": [RULE]})
    remove, apply = ({field: [target]} for field in ("remove_from", "apply_to"))
    replay(201, "POST", f"{API}/firewalls/{{firewall}}/actions/remove_from_resources", remove)
    replay(201, "POST", f"{API}/firewalls/{{firewall}}/actions/apply_to_resources", apply)
    replay(201, "POST", f"{API}/firewalls/{{firewall}}/actions/remove_from_resources", remove)
    replay(204, "DELETE", f"{API}/firewalls/{{firewall}}")


def test_primary_ip_reverse_entry_group_and_key(replay: Replay) -> None:
    body = {"name": "ip", "type": "ipv4", "auto_delete": False, "labels": {}, "location": "hel1"}
    replay(201, "POST", f"{API}/primary_ips", body)
    ip = replay(200, "GET", f"{API}/primary_ips/{{primary_ip}}")["primary_ip"]["ip"]
    replay(201, "POST", f"{API}/placement_groups", {"name": "g", "type": "spread", "labels": {}})
    key = {"name": "key", "public_key": "ssh-ed25519 AAAA", "labels": {}}
    replay(201, "POST", f"{API}/ssh_keys", key)
    for path in ("placement_groups/{placement_group}", "ssh_keys/{ssh_key}", "primary_ips/{primary_ip}"):
        replay(200, "GET", f"{API}/{path}")
        replay(200, "PUT", f"{API}/{path}", {"name": "renamed", "labels": {"a": "b"}})
    _server(
        replay,
        placement_group=replay.ids["placement_group"],
        ssh_keys=[replay.ids["ssh_key"]],
        public_net={"enable_ipv4": True, "enable_ipv6": False, "ipv4": replay.ids["primary_ip"]},
    )
    for owner in ("servers/{server}", "primary_ips/{primary_ip}"):
        for pointer in ("cp.example.org", None):
            replay(201, "POST", f"{API}/{owner}/actions/change_dns_ptr", {"ip": ip, "dns_ptr": pointer})
    replay(201, "POST", f"{API}/primary_ips/{{primary_ip}}/actions/change_protection", {"delete": False})
    replay(201, "POST", f"{API}/servers/{{server}}/actions/poweroff")
    replay(201, "POST", f"{API}/primary_ips/{{primary_ip}}/actions/unassign")
    assign = {"assignee_id": replay.ids["server"], "assignee_type": "server"}
    replay(201, "POST", f"{API}/primary_ips/{{primary_ip}}/actions/assign", assign)
    replay(201, "POST", f"{API}/primary_ips/{{primary_ip}}/actions/unassign")
    replay(204, "DELETE", f"{API}/primary_ips/{{primary_ip}}")
    replay(201, "POST", f"{API}/servers/{{server}}/actions/remove_from_placement_group")
    replay(204, "DELETE", f"{API}/placement_groups/{{placement_group}}")
    replay(204, "DELETE", f"{API}/ssh_keys/{{ssh_key}}")


def test_zone_and_records(replay: Replay) -> None:
    replay(200, "GET", f"{DNS}?alt=json")
    body = {
        "name": "k8s",
        "dnsName": "k8s.example.org.",
        "description": "Managed by Pulumi",
        "visibility": "public",
        "labels": {"goog-pulumi-provisioned": "true"},
        "privateVisibilityConfig": {},
    }
    replay(200, "POST", f"{DNS}?alt=json", body)
    replay(200, "GET", f"{DNS}/k8s?alt=json")
    replay(200, "PUT", f"{DNS}/k8s?alt=json", body | {"description": "changed"})
    google = "alt=json&prettyPrint=false"
    for additions, deletions in (
        ([RECORD], []),
        ([RECORD | {"ttl": 60}], [RECORD]),
        ([], [RECORD | {"ttl": 60}]),
    ):
        replay(200, "GET", f"{DNS}/k8s/rrsets?{google}")
        change = {"additions": additions, "deletions": deletions}
        number = replay(200, "POST", f"{DNS}/k8s/changes?{google}", change)["id"]
        replay(200, "GET", f"{DNS}/k8s/changes/{number}?{google}")
        replay.cloud.advance(5)
        assert replay(200, "GET", f"{DNS}/k8s/changes/{number}?{google}")["status"] == "done"
        found = replay(200, "GET", f"{DNS}/k8s/rrsets?name=cp.k8s.example.org.&type=A&{google}")["rrsets"]
        assert [one["ttl"] for one in found] == [one["ttl"] for one in additions]
    replay(204, "DELETE", f"{DNS}/k8s?alt=json")
    replay(404, "GET", f"{DNS}/k8s?alt=json")


def test_account_key_and_role(replay: Replay) -> None:
    details = {"displayName": "d", "description": "d"}
    order = {"accountId": "external-dns", "serviceAccount": details}
    replay(200, "POST", f"{IAM}?alt=json&prettyPrint=false", order)
    replay(200, "GET", f"{IAM}/{EMAIL}?alt=json")
    change = {"serviceAccount": details, "updateMask": "description,displayName"}
    replay(200, "PATCH", f"{IAM}/{EMAIL}?alt=json", change)
    wish = {"keyAlgorithm": "KEY_ALG_RSA_2048", "privateKeyType": "TYPE_GOOGLE_CREDENTIALS_FILE"}
    key = replay(200, "POST", f"{IAM}/{EMAIL}/keys?alt=json", wish)["name"].rsplit("/", 1)[1]
    replay(200, "GET", f"{IAM}/{EMAIL}/keys/{key}?publicKeyType=TYPE_X509_PEM_FILE&alt=json")
    options = {"options": {"requestedPolicyVersion": 3}}
    policy = replay(200, "POST", f"{MANAGER}:getIamPolicy?alt=json", options)
    policy["bindings"].append({"role": "roles/dns.admin", "members": [f"serviceAccount:{EMAIL}"]})
    written = {"policy": policy, "updateMask": "bindings,etag,auditConfigs"}
    replay(200, "POST", f"{MANAGER}:setIamPolicy?alt=json", written)
    replay(409, "POST", f"{MANAGER}:setIamPolicy?alt=json", written)
    replay(200, "GET", f"{MANAGER}?alt=json")
    replay(200, "POST", f"{IAM}/{EMAIL}:disable?alt=json", {})
    replay(200, "POST", f"{IAM}/{EMAIL}:enable?alt=json", {})
    replay(200, "DELETE", f"{IAM}/{EMAIL}/keys/{key}?alt=json")
    replay(200, "DELETE", f"{IAM}/{EMAIL}?alt=json")
    replay(404, "GET", f"{IAM}/{EMAIL}?alt=json")


def test_enabled_apis(replay: Replay) -> None:
    fields = "fields=services/name,nextPageToken&filter=state:ENABLED&pageSize=200&alt=json"
    replay(200, "GET", f"{USAGE}?{fields}")
    replay(200, "POST", f"{USAGE}/compute.googleapis.com:enable?alt=json", {})
    operation = replay(200, "POST", f"{USAGE}:batchEnable?alt=json", {"serviceIds": ["dns.googleapis.com"]})
    replay(200, "GET", f"/google/serviceusage/v1/{operation['name']}?alt=json")
    replay(200, "POST", f"{USAGE}/compute.googleapis.com:disable?alt=json", {})
