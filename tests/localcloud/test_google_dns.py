"""Cloud DNS, through Google's own client."""

from __future__ import annotations

import time
from typing import Any

import httpx
import pytest
from googleapiclient.errors import HttpError

from tests.cloud import RunningCloud
from tests.discovery import Google

PROJECT = "raya-local"
ZONE = {"name": "k8s", "dnsName": "k8s.example.org.", "description": "managed"}


def _reason(refused: HttpError) -> tuple[int, str]:
    return refused.status_code, refused.error_details[0]["reason"]


@pytest.fixture
def zone(google: Google) -> dict[str, Any]:
    made: dict[str, Any] = google.call(google.dns.managedZones().create(project=PROJECT, body=ZONE))
    return made


def _records(google: Google, **query: Any) -> list[dict[str, Any]]:
    answer = google.call(google.dns.resourceRecordSets().list(project=PROJECT, managedZone="k8s", **query))
    return list(answer["rrsets"])


def _change(google: Google, **sides: list[dict[str, Any]]) -> Any:
    return google.call(google.dns.changes().create(project=PROJECT, managedZone="k8s", body=sides))


def _record(name: str, *rrdatas: str, kind: str = "A", ttl: int = 300) -> dict[str, Any]:
    return {"name": f"{name}.k8s.example.org.", "type": kind, "ttl": ttl, "rrdatas": list(rrdatas)}


def test_a_zone_begins_with_ns_and_soa(google: Google, zone: dict[str, Any]) -> None:
    assert zone["id"].isdecimal()
    assert len(zone["nameServers"]) == 4
    assert all(name.endswith(".") for name in zone["nameServers"])
    records = {record["type"]: record for record in _records(google)}
    assert set(records) == {"NS", "SOA"}
    assert records["NS"]["rrdatas"] == zone["nameServers"]
    assert {record["name"] for record in records.values()} == {"k8s.example.org."}


def test_zones_have_name_servers_of_their_own(google: Google, zone: dict[str, Any]) -> None:
    zones = google.call(google.dns.managedZones().list(project=PROJECT))["managedZones"]
    assert [each["name"] for each in zones] == ["example-org", "k8s"]
    assert not set(zones[0]["nameServers"]) & set(zones[1]["nameServers"])
    by_name = google.call(google.dns.managedZones().list(project=PROJECT, dnsName="k8s.example.org."))
    assert [each["name"] for each in by_name["managedZones"]] == ["k8s"]


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ({"name": "k8s"}, (409, "alreadyExists")),
        ({"name": "K8s"}, (400, "invalid")),
        ({"name": "b", "dnsName": "no-dot.example"}, (400, "invalid")),
        ({"name": "b", "description": None}, (400, "required")),
        ({"name": "b", "labels": {"A": "b"}}, (400, "invalid")),
    ],
)
def test_bad_zone(
    google: Google, zone: dict[str, Any], body: dict[str, Any], reason: tuple[int, str]
) -> None:
    with pytest.raises(HttpError) as refused:
        google.call(google.dns.managedZones().create(project=PROJECT, body={**ZONE, **body}))
    assert _reason(refused.value) == reason


def test_what_may_change_of_a_zone(google: Google, zone: dict[str, Any]) -> None:
    zones = google.dns.managedZones()
    operation = google.call(
        zones.patch(project=PROJECT, managedZone="k8s", body={"description": "new", "labels": {"a": "b"}})
    )
    assert operation["status"] == "done"
    google.call(zones.update(project=PROJECT, managedZone="k8s", body={**ZONE, "description": "newer"}))
    shown = google.call(zones.get(project=PROJECT, managedZone="k8s"))
    assert shown["description"] == "newer"
    assert "labels" not in shown
    with pytest.raises(HttpError) as refused:
        google.call(zones.patch(project=PROJECT, managedZone="k8s", body={"dnsName": "other.example."}))
    assert refused.value.status_code == 400


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


def test_existing_record_is_not_added_again(google: Google, zone: dict[str, Any]) -> None:
    _change(google, additions=[_record("cp", "203.0.113.1")])
    with pytest.raises(HttpError) as refused:
        _change(google, additions=[_record("cp", "203.0.113.2")])
    assert _reason(refused.value) == (409, "alreadyExists")


@pytest.mark.parametrize(
    ("deletion", "reason"),
    [
        (_record("cp", "203.0.113.1", ttl=60), (412, "conditionNotMet")),
        (_record("cp", "203.0.113.2"), (412, "conditionNotMet")),
        (_record("a0", "203.0.113.1"), (404, "notFound")),
    ],
)
def test_deletions_match_exactly(
    google: Google, zone: dict[str, Any], deletion: dict[str, Any], reason: tuple[int, str]
) -> None:
    _change(google, additions=[_record("cp", "203.0.113.1")])
    with pytest.raises(HttpError) as refused:
        _change(google, deletions=[deletion], additions=[_record("new", "203.0.113.9")])
    assert _reason(refused.value) == reason
    # Refused whole: the addition that was fine is not there either.
    assert [record["name"] for record in _records(google, name="new.k8s.example.org.")] == []


def test_a_record_is_replaced_in_one_change(
    cloud: RunningCloud, google: Google, zone: dict[str, Any]
) -> None:
    old, new = _record("cp", "203.0.113.1"), _record("cp", "203.0.113.2")
    _change(google, additions=[old])
    _change(google, deletions=[old], additions=[new])
    (record,) = _records(google, name="cp.k8s.example.org.", type="A")
    assert record["rrdatas"] == ["203.0.113.2"]
    assert cloud.events()[-1]["text"] == "record.change cp.k8s.example.org. A"


@pytest.mark.parametrize(
    "record",
    [
        {"name": "cp.other.org.", "type": "A", "ttl": 300, "rrdatas": ["203.0.113.1"]},
        {"name": "cp.k8s.example.org", "type": "A", "ttl": 300, "rrdatas": ["203.0.113.1"]},
        _record("cp", "not-an-address"),
        _record("cp", "no-dot.example", kind="CNAME"),
        _record("cp", "x", kind="WHAT"),
        _record("cp"),
        _record("cp", "203.0.113.1", ttl=-1),
    ],
)
def test_bad_record(google: Google, zone: dict[str, Any], record: dict[str, Any]) -> None:
    with pytest.raises(HttpError) as refused:
        _change(google, additions=[record])
    assert refused.value.status_code == 400


def test_a_name_with_a_cname_has_nothing_else(google: Google, zone: dict[str, Any]) -> None:
    _change(google, additions=[_record("www", "cp.k8s.example.org.", kind="CNAME")])
    with pytest.raises(HttpError) as refused:
        _change(google, additions=[_record("www", "203.0.113.1")])
    assert _reason(refused.value) == (400, "cnameResourceRecordSetConflict")


def test_the_apex_keeps_ns_and_soa(google: Google, zone: dict[str, Any]) -> None:
    ns, soa = _records(google)
    for record in (ns, soa):
        with pytest.raises(HttpError) as refused:
            _change(google, deletions=[record])
        assert _reason(refused.value) == (400, "invalidZoneApex")
    _change(google, deletions=[ns], additions=[{**ns, "ttl": 60}])


def test_only_an_empty_zone_is_deleted(google: Google, zone: dict[str, Any]) -> None:
    record = _record("cp", "203.0.113.1")
    _change(google, additions=[record])
    delete = google.dns.managedZones().delete(project=PROJECT, managedZone="k8s")
    with pytest.raises(HttpError) as refused:
        delete.execute()
    assert _reason(refused.value) == (400, "containerNotEmpty")
    _change(google, deletions=[record])
    delete.execute()
    with pytest.raises(HttpError) as refused:
        google.call(google.dns.managedZones().get(project=PROJECT, managedZone="k8s"))
    assert _reason(refused.value) == (404, "notFound")


def test_records_come_in_pages(google: Google, zone: dict[str, Any]) -> None:
    _change(google, additions=[_record(f"a{number}", "203.0.113.1") for number in range(7)])
    sets = google.dns.resourceRecordSets()
    request = sets.list(project=PROJECT, managedZone="k8s", maxResults=4)
    sizes = []
    while request is not None:
        answer = google.call(request)
        sizes.append(len(answer["rrsets"]))
        request = sets.list_next(request, answer)
    assert sizes == [4, 4, 1]


def test_a_disabled_api_says_how_to_enable_it(cloud: RunningCloud, google: Google) -> None:
    cloud.seed({"projects": [{"id": "off", "disabledApis": ["dns.googleapis.com"]}]})
    with pytest.raises(HttpError) as refused:
        google.call(google.dns.managedZones().list(project="off"))
    assert refused.value.status_code == 403
    assert "Cloud DNS API has not been used in project" in refused.value.reason
    info = [detail for detail in refused.value.error_details if detail.get("reason") == "SERVICE_DISABLED"]
    assert info[0]["metadata"]["service"] == "dns.googleapis.com"


def test_unknown_project_and_missing_token(google: Google, http: httpx.Client) -> None:
    with pytest.raises(HttpError) as refused:
        google.call(google.dns.managedZones().list(project="nobodys"))
    assert refused.value.status_code == 403
    del http.headers["Authorization"]
    answer = http.get(f"/google/dns/v1/projects/{PROJECT}/managedZones")
    assert (answer.status_code, answer.json()["error"]["status"]) == (401, "UNAUTHENTICATED")


def test_record_sets_without_a_change(google: Google, zone: dict[str, Any]) -> None:
    sets = google.dns.resourceRecordSets()
    where = {"project": PROJECT, "managedZone": "k8s"}
    one = {"name": "cp.k8s.example.org.", "type": "A"}
    google.call(sets.create(**where, body=_record("cp", "203.0.113.1")))
    google.call(sets.patch(**where, **one, body={"rrdatas": ["203.0.113.2"]}))
    assert google.call(sets.get(**where, **one))["rrdatas"] == ["203.0.113.2"]
    google.call(sets.delete(**where, **one))
    with pytest.raises(HttpError) as refused:
        google.call(sets.get(**where, **one))
    assert refused.value.status_code == 404


def test_change_ids_count_per_zone(google: Google, zone: dict[str, Any]) -> None:
    begun = time.time()
    ids = [_change(google, additions=[_record(name, "203.0.113.1")])["id"] for name in ("a", "b")]
    assert ids == ["1", "2"]
    assert time.time() - begun < 5
