"""Cloud DNS: what shows only when the clock, the seed or the events are at hand."""

from __future__ import annotations

from typing import Any

import pytest
from googleapiclient.errors import HttpError

from tests.cloud import RunningCloud
from tests.discovery import Google

PROJECT = "raya-local"
ZONE = {"name": "k8s", "dnsName": "k8s.example.org.", "description": "managed"}


@pytest.fixture
def zone(google: Google) -> dict[str, Any]:
    made: dict[str, Any] = google.call(google.dns.managedZones().create(project=PROJECT, body=ZONE))
    return made


def _change(google: Google, **sides: list[dict[str, Any]]) -> Any:
    return google.call(google.dns.changes().create(project=PROJECT, managedZone="k8s", body=sides))


def _record(name: str, address: str) -> dict[str, Any]:
    return {"name": f"{name}.k8s.example.org.", "type": "A", "ttl": 300, "rrdatas": [address]}


def test_zones_have_name_servers_of_their_own(google: Google, zone: dict[str, Any]) -> None:
    zones = google.call(google.dns.managedZones().list(project=PROJECT))["managedZones"]
    assert [each["name"] for each in zones] == ["example-org", "k8s"]
    assert not set(zones[0]["nameServers"]) & set(zones[1]["nameServers"])


def test_a_change_becomes_done_later(cloud: RunningCloud, google: Google, zone: dict[str, Any]) -> None:
    cloud.settings(dnsChangeSeconds=60)
    change = _change(google, additions=[_record("cp", "203.0.113.1")])
    assert change["status"] == "pending"
    read = google.dns.changes().get(project=PROJECT, managedZone="k8s", changeId=change["id"])
    assert google.call(read)["status"] == "pending"
    cloud.advance(61)
    assert google.call(read)["status"] == "done"
    listed = google.call(google.dns.changes().list(project=PROJECT, managedZone="k8s"))
    assert [each["id"] for each in listed["changes"]] == [change["id"]]


def test_a_replaced_record_is_one_event(cloud: RunningCloud, google: Google, zone: dict[str, Any]) -> None:
    old, new = _record("cp", "203.0.113.1"), _record("cp", "203.0.113.2")
    _change(google, additions=[old])
    _change(google, deletions=[old], additions=[new])
    assert cloud.events()[-1]["text"] == "record.change cp.k8s.example.org. A"


def test_a_disabled_api_says_how_to_enable_it(cloud: RunningCloud, google: Google) -> None:
    cloud.seed({"projects": [{"id": "off", "disabledApis": ["dns.googleapis.com"]}]})
    with pytest.raises(HttpError) as refused:
        google.call(google.dns.managedZones().list(project="off"))
    assert refused.value.status_code == 403
    assert "Cloud DNS API has not been used in project" in refused.value.reason
    info = [detail for detail in refused.value.error_details if detail.get("reason") == "SERVICE_DISABLED"]
    assert info[0]["metadata"]["service"] == "dns.googleapis.com"


def test_unknown_project(google: Google) -> None:
    with pytest.raises(HttpError) as refused:
        google.call(google.dns.managedZones().list(project="nobodys"))
    assert refused.value.status_code == 403


def test_change_ids_count_per_zone(google: Google, zone: dict[str, Any]) -> None:
    ids = [_change(google, additions=[_record(name, "203.0.113.1")])["id"] for name in ("a", "b")]
    assert ids == ["1", "2"]
