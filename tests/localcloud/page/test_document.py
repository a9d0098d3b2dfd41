"""The page as it is served: complete without a script, escaped, cheap when nothing changed."""

from __future__ import annotations

import dataclasses
from types import UnionType
from typing import Any, TypeVar, Union, get_args, get_origin, get_type_hints

import httpx
import pytest
from hcloud.networks import BoundNetwork

from localcloud.page.activity import Request
from localcloud.page.machines import Machine
from localcloud.page.view import View
from localcloud.page.zones import Record
from tests.cloud import TOKEN, RunningCloud
from tests.localcloud.conftest import MakeServer

SNAPSHOT_NET_EUR = 0.9 * 0.011
TIMES = "\N{MULTIPLICATION SIGN}"


def test_an_empty_cloud_says_so(cloud: RunningCloud, http: httpx.Client) -> None:
    for image in cloud.hetzner("images"):
        if image["type"] == "snapshot":
            cloud.delete_image(image["id"])
    page = http.get("/")
    assert page.status_code == 200
    assert "No machine, network, volume or firewall yet." in page.text
    assert "Nothing that costs." in page.text


def test_it_shows_what_exists_and_what_it_costs(
    cloud: RunningCloud, http: httpx.Client, make_server: MakeServer, network: BoundNetwork
) -> None:
    server = make_server("agent-0", user_data="canary-user-data")
    server.attach_to_network(network, ip="10.0.1.20").wait_until_finished()
    cloud.create_volume("local-state", size_gb=10, labels={})
    cloud.add_record("example.org.", "cp.example.org.", "TXT", ['"<script>"'])
    page = http.get("/").text
    for shown in ("agent-0", "10.0.1.20", "local-state", "cp.example.org.", "server create"):
        assert shown in page
    net = 3.49 + 0.5 + 10 * 0.044 + SNAPSHOT_NET_EUR
    assert f"{net:.2f} € without VAT" in page
    assert f"Cost a month <b>{net * 1.19:.2f} €</b>" in page
    assert "canary-user-data" not in page
    assert '"<script>"' not in page
    assert "&lt;script&gt;" in page


def test_alike_things_are_one_line_of_the_bill(
    cloud: RunningCloud, http: httpx.Client, make_server: MakeServer
) -> None:
    for name in ("one", "two"):
        make_server(name)
    cloud.create_volume("small", size_gb=10, labels={})
    cloud.create_volume("large", size_gb=20, labels={})
    page = http.get("/").text
    assert f"2 {TIMES} 3.49 €" in page
    assert f"30 GB {TIMES} 0.044 €" in page
    assert f"0.9 GB {TIMES} 0.011 €" in page


def test_what_carries_the_same_label_stands_together(
    cloud: RunningCloud, http: httpx.Client, make_server: MakeServer
) -> None:
    make_server("blue-1", labels={"cluster": "blue"})
    make_server("green-1", labels={"cluster": "green"})
    cloud.create_volume("blue-state", size_gb=10, labels={"cluster": "blue"})
    cloud.create_volume("nobodys", size_gb=10, labels={})
    page = http.get("/").text
    _, blue, green, none = page.split('class="cluster"')
    assert "blue-1" in blue
    assert "blue-state" in blue
    net = 3.49 + 0.5 + 10 * 0.044
    assert f"{net:.2f} € a month, {net * 1.19:.2f} € with VAT" in blue
    assert "green-1" in green
    assert "green-1" not in blue
    assert "Without a cluster label" in none
    assert "nobodys" in none


def test_other_projects_are_shown_and_told_apart(cloud: RunningCloud, http: httpx.Client) -> None:
    other = "o" * 64
    cloud.seed({"tokens": [{"token": TOKEN}, {"token": other, "project": "theirs"}]})
    labels = {"cluster": "prod"}
    ours = cloud.create_volume("state", size_gb=10, labels=labels)
    body = {"name": "state", "size": 20, "location": "hel1", "labels": labels}
    answer = http.post("/hcloud/v1/volumes", json=body, headers={"Authorization": f"Bearer {other}"})
    page = http.get("/").text
    _, first, second = page.split('class="cluster"')
    assert "in project" not in first
    assert ours["linux_device"] in first
    assert "in project <b>theirs</b>" in second
    assert answer.json()["volume"]["linux_device"] in second
    assert f"30 GB {TIMES} 0.044 €" in page
    assert "2 so far" in page


def test_an_address_that_no_machine_has_is_shown_and_costs(
    cloud: RunningCloud, http: httpx.Client, make_server: MakeServer
) -> None:
    make_server("has-one")
    assert "Addresses without a machine" not in http.get("/").text
    body = {"name": "spare", "type": "ipv4", "location": "hel1", "labels": {"cluster": "blue"}}
    spare = http.post("/hcloud/v1/primary_ips", json=body).raise_for_status().json()["primary_ip"]
    _, blue, _ = http.get("/").text.split('class="cluster"')
    assert "Addresses without a machine" in blue
    assert spare["ip"] in blue
    assert "0.50 € a month" in blue


@pytest.mark.parametrize("path", ["/", "/page.css", "/page.js", "/page.svg"])
def test_what_did_not_change_is_not_sent_again(http: httpx.Client, path: str) -> None:
    first = http.get(path)
    again = http.get(path, headers={"If-None-Match": first.headers["etag"]})
    assert (again.status_code, again.content) == (304, b"")
    assert again.headers["etag"] == first.headers["etag"]


def test_what_changed_is_sent_again(cloud: RunningCloud, http: httpx.Client) -> None:
    tag = http.get("/").headers["etag"]
    cloud.create_volume("state", size_gb=10, labels={})
    again = http.get("/", headers={"If-None-Match": tag})
    assert again.status_code == 200
    assert "state" in again.text


def test_it_may_load_nothing_from_elsewhere_and_nothing_inline(http: httpx.Client) -> None:
    page = http.get("/")
    policy = dict(part.split(" ", 1) for part in page.headers["content-security-policy"].split("; "))
    assert policy.pop("default-src") == "'none'"
    assert set(policy.values()) == {"'self'", "'none'"}
    assert "://" not in page.text


def test_looking_is_no_request_of_the_apis_and_no_fault_strikes_it(
    cloud: RunningCloud, http: httpx.Client
) -> None:
    cloud.fault("status", status=500)
    for path in ("/", "/page.css", "/page.js", "/page.svg"):
        assert http.get(path).status_code == 200
    assert cloud.requests() == []
    assert http.get("/hcloud/v1/servers").status_code == 500


def test_the_templates_get_nothing_but_named_fields() -> None:
    """No object of the store can be among them: every field from View on is text, a number or a dataclass."""
    seen: set[Any] = set()
    _collect(View, seen)
    assert {Machine, Request, Record} <= seen
    others = {kind for kind in seen if not dataclasses.is_dataclass(kind)}
    assert others == {str, int, float, bool, type(None)}
    assert all(kind.__dataclass_params__.frozen for kind in seen - others)


def _collect(kind: Any, seen: set[Any]) -> None:
    origin, inner = get_origin(kind), get_args(kind)
    for part in inner:
        if part is not Ellipsis:
            _collect(part, seen)
    plain = origin or kind
    if plain in (tuple, Union, UnionType) or isinstance(kind, TypeVar) or plain in seen:
        return
    seen.add(plain)
    if dataclasses.is_dataclass(plain):
        for hint in get_type_hints(plain).values():
            _collect(hint, seen)
