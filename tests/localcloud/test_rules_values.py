"""Limits and grammars at their edges: the last value that is taken, and the first that is refused."""

from __future__ import annotations

from typing import Any

import httpx
import pytest
from hcloud.networks import BoundNetwork

from tests.cloud import RunningCloud
from tests.localcloud.conftest import MakeServer

API = "/hcloud/v1"
HEL1 = {"location": "hel1"}
ORDER = {"name": "one", "server_type": "cx23", "image": "debian-12"} | HEL1
RULE = {"direction": "in", "protocol": "tcp", "port": "80", "source_ips": ["0.0.0.0/0"]}
# What makes one of each kind, without its name.
MADE: dict[str, dict[str, Any]] = {
    "servers": {"server_type": "cx23", "image": "debian-12"} | HEL1,
    "networks": {"ip_range": "10.0.0.0/16"},
    "volumes": {"size": 10} | HEL1,
    "firewalls": {},
    "primary_ips": {"type": "ipv4"} | HEL1,
    "placement_groups": {"type": "spread"},
    "ssh_keys": {"public_key": "ssh-ed25519 AAAA"},
}
LONGEST = {"servers": 63, "firewalls": 128}


@pytest.fixture(autouse=True)
def at_once(cloud: RunningCloud) -> None:
    cloud.settings(actionSeconds=0)


def _refused(answer: httpx.Response) -> tuple[str, str]:
    """The code and the field of a refusal."""
    error = answer.json()["error"]
    return error["code"], (error.get("details") or {}).get("fields", [{"name": ""}])[0]["name"]


@pytest.mark.parametrize("kind", MADE)
def test_names(http: httpx.Client, kind: str) -> None:
    longest = LONGEST.get(kind, 64)
    for name in (None, "", 7, "-x", "x-", "x" * (longest + 1), "a\nb", "x\n", "\u00e4"):
        answer = http.post(f"{API}/{kind}", json=MADE[kind] | {"name": name})
        assert _refused(answer) == ("invalid_input", "name"), name
        assert answer.json()["error"]["message"].endswith(": is required") is (name in (None, ""))
    assert http.post(f"{API}/{kind}", json=MADE[kind] | {"name": "x" * longest}).status_code == 201


@pytest.mark.parametrize("kind", MADE)
def test_labels(http: httpx.Client, kind: str) -> None:
    body = MADE[kind] | {"name": "one"}
    for labels in (
        {"a": "b+c"},
        {"a": "-b"},
        {"a": "b" * 64},
        {"a": None},
        {"": "b"},
        {"a b": "c"},
        {"a" * 64: "b"},
        {"/a": "b"},
        {"example..org/a": "b"},
        {"hetzner.cloud/a": "b"},
        {"x" * 254 + "/a": "b"},
        ["a"],
    ):
        assert _refused(http.post(f"{API}/{kind}", json=body | {"labels": labels})) == (
            "invalid_input",
            "labels",
        ), labels
    labels = {"a": "", "example.org/b": "c" * 63, "d" * 63: "e_f.g-h"}
    made = http.post(f"{API}/{kind}", json=body | {"labels": labels}).json()
    (thing,) = [made[one] for one in made if one == kind[:-1]]
    assert thing["labels"] == labels
    path = f"{API}/{kind}/{thing['id']}"
    assert _refused(http.put(path, json={"labels": {"a": "+"}})) == ("invalid_input", "labels")
    assert http.put(path, json={"labels": {}}).json()[kind[:-1]]["labels"] == {}


@pytest.mark.parametrize("kind", [kind for kind in MADE if kind != "ssh_keys"])
def test_a_new_name_is_free_and_well_formed(http: httpx.Client, kind: str) -> None:
    ids = [
        http.post(f"{API}/{kind}", json=MADE[kind] | {"name": name}).json()[kind[:-1]]["id"]
        for name in ("one", "two")
    ]
    again = http.post(f"{API}/{kind}", json=MADE[kind] | {"name": "two"})
    assert (again.status_code, _refused(again)) == (409, ("uniqueness_error", "name"))
    path = f"{API}/{kind}/{ids[0]}"
    refused = http.put(path, json={"name": "two"})
    assert (refused.status_code, _refused(refused)) == (409, ("uniqueness_error", "name"))
    assert _refused(http.put(path, json={"name": "-"})) == ("invalid_input", "name")
    assert http.put(path, json={"name": "one"}).status_code == 200
    assert http.put(path, json={"name": "three"}).status_code == 200
    assert http.post(f"{API}/{kind}", json=MADE[kind] | {"name": "one"}).status_code == 201


@pytest.mark.parametrize("selector", ["a b", "+", "a=+", "a in (+)", "!+", "a!=b c", "a notin (b", "x/y/z"])
def test_bad_selectors(http: httpx.Client, selector: str) -> None:
    for kind in MADE:
        answer = http.get(f"{API}/{kind}", params={"label_selector": selector})
        assert _refused(answer) == ("invalid_input", "label_selector")
    target = {"type": "label_selector", "label_selector": {"selector": selector}}
    answer = http.post(f"{API}/firewalls", json={"name": "wall", "apply_to": [target]})
    assert _refused(answer) == ("invalid_input", "label_selector")


@pytest.mark.parametrize(
    ("rule", "field"),
    [
        (RULE | {"source_ips": []}, "source_ips"),
        (RULE | {"source_ips": ["10.0.0.0/33"]}, "source_ips"),
        (RULE | {"source_ips": ["10.0.0.1/8"]}, "source_ips"),
        (RULE | {"source_ips": [f"10.0.{n}.0/24" for n in range(101)]}, "source_ips"),
        (RULE | {"destination_ips": ["10.0.0.0/8"]}, "destination_ips"),
        (RULE | {"direction": "out"}, "destination_ips"),
        (RULE | {"protocol": "icmp"}, "port"),
        (RULE | {"port": None}, "port"),
        (RULE | {"port": "0"}, "port"),
        (RULE | {"port": "65536"}, "port"),
        (RULE | {"port": "1-2-3"}, "port"),
        (RULE | {"port": "80-"}, "port"),
    ],
)
def test_bad_rules(http: httpx.Client, rule: dict[str, Any], field: str) -> None:
    code, name = _refused(http.post(f"{API}/firewalls", json={"name": "wall", "rules": [rule]}))
    assert (code, name.rsplit(".", 1)[-1]) == ("invalid_input", field)


def test_rules_at_their_limits(http: httpx.Client) -> None:
    many = RULE | {"source_ips": [f"10.0.{n}.0/24" for n in range(100)], "port": "1-65535"}
    ping = {"direction": "out", "protocol": "icmp", "destination_ips": ["::/0"]}
    rules = [many, ping, *([RULE | {"port": "any"}] * 48)]
    assert http.post(f"{API}/firewalls", json={"name": "wall", "rules": rules}).status_code == 201
    answer = http.post(f"{API}/firewalls", json={"name": "next", "rules": [*rules, RULE]})
    assert _refused(answer) == ("invalid_input", "rules")


def test_a_firewall_with_a_selector_is_in_use(http: httpx.Client) -> None:
    target = [{"type": "label_selector", "label_selector": {"selector": "a=b"}}]
    made = http.post(f"{API}/firewalls", json={"name": "wall", "apply_to": target}).json()["firewall"]
    path = f"{API}/firewalls/{made['id']}"
    assert http.delete(path).json()["error"]["code"] == "resource_in_use"
    http.post(f"{path}/actions/remove_from_resources", json={"remove_from": target})
    assert http.delete(path).status_code == 204


def test_a_firewall_follows_labels(http: httpx.Client, make_server: MakeServer) -> None:
    mine, _ = make_server("one", labels={"a": "b"}), make_server("two", labels={"a": "c"})
    target = [{"type": "label_selector", "label_selector": {"selector": "a=b"}}]
    wall = http.post(f"{API}/firewalls", json={"name": "wall", "apply_to": target}).json()["firewall"]
    (applied,) = http.get(f"{API}/firewalls/{wall['id']}").json()["firewall"]["applied_to"]
    assert applied["applied_to_resources"] == [{"type": "server", "server": {"id": mine.id}}]


def test_a_firewall_takes_five_on_a_server(http: httpx.Client, make_server: MakeServer) -> None:
    target = {"apply_to": [{"type": "server", "server": {"id": make_server("one").id}}]}
    answers = [http.post(f"{API}/firewalls", json={"name": f"f{n}"} | target) for n in range(6)]
    assert [answer.status_code for answer in answers] == [201] * 5 + [403]
    path = f"{API}/firewalls/{answers[0].json()['firewall']['id']}/actions/remove_from_resources"
    assert http.post(path, json={"remove_from": target["apply_to"]}).status_code == 201


def test_a_firewall_needs_a_public_interface(http: httpx.Client, network: BoundNetwork) -> None:
    private = {"enable_ipv4": False, "enable_ipv6": False}
    order = ORDER | {"networks": [network.id], "public_net": private}
    server = http.post(f"{API}/servers", json=order).json()["server"]["id"]
    target = {"apply_to": [{"type": "server", "server": {"id": server}}]}
    answer = http.post(f"{API}/firewalls", json={"name": "wall"} | target)
    assert _refused(answer)[0] == "private_net_only_server"


@pytest.mark.parametrize("size", [9, 10241, True, "10", 10.5, None])
def test_bad_sizes(http: httpx.Client, size: Any) -> None:
    assert _refused(http.post(f"{API}/volumes", json={"name": "v", "size": size} | HEL1)) == (
        "invalid_input",
        "size",
    )


def test_sizes_at_their_limits(http: httpx.Client) -> None:
    for size in (10, 10240):
        body = {"name": f"v{size}", "size": size} | HEL1
        assert http.post(f"{API}/volumes", json=body).status_code == 201


def test_user_data_at_its_limit(http: httpx.Client) -> None:
    # An umlaut has two bytes.
    fits, too_long = "\u00e4" * 16384, "\u00e4" * 16384 + "x"
    assert _refused(http.post(f"{API}/servers", json=ORDER | {"user_data": too_long})) == (
        "invalid_input",
        "user_data",
    )
    assert http.post(f"{API}/servers", json=ORDER | {"user_data": fits}).status_code == 201


def test_an_image_needs_room_on_the_disk(cloud: RunningCloud, http: httpx.Client) -> None:
    cloud.seed({"snapshots": [{"labels": {"size": "big"}, "diskGb": 41, "description": "big"}]})
    (image,) = http.get(f"{API}/images?label_selector=size=big").json()["images"]
    order = ORDER | {"image": image["id"]}
    assert _refused(http.post(f"{API}/servers", json=order)) == ("invalid_input", "image")
    assert http.post(f"{API}/servers", json=order | {"server_type": "cx33"}).status_code == 201


@pytest.mark.parametrize("location", [True, 99, "mars1", ["hel1"]])
def test_bad_locations(http: httpx.Client, location: Any) -> None:
    for kind in ("servers", "volumes", "primary_ips"):
        body = MADE[kind] | {"name": "one", "location": location}
        assert _refused(http.post(f"{API}/{kind}", json=body)) == ("invalid_input", "location")


def test_a_location_may_be_left_out_or_named_by_its_id(http: httpx.Client) -> None:
    for name, location in (("one", None), ("two", 3), ("three", "3")):
        answer = http.post(f"{API}/servers", json=ORDER | {"name": name, "location": location})
        assert answer.status_code == 201
        assert answer.json()["server"]["location"]["name"] == ("fsn1" if location is None else "hel1")
