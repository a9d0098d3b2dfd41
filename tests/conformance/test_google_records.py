"""Cloud DNS records: changed together or not at all."""

from __future__ import annotations

from typing import Any

import pytest

from tests.conformance.google_things import GoogleThings
from tests.conformance.google_zone import OwnZone
from tests.conformance.refusals import google_refused
from tests.discovery import Google


@pytest.fixture
def zone(project: GoogleThings) -> OwnZone:
    return project.zone()


def test_a_change_becomes_done(zone: OwnZone) -> None:
    begun = zone.begin_change(additions=[zone.record("a", "203.0.113.1")])
    assert begun["status"] in ("pending", "done")
    done = zone.change(additions=[zone.record("b", "203.0.113.1")])
    assert done["status"] == "done"
    listed = zone.google.call(zone.google.dns.changes().list(**zone.where))["changes"]
    assert {begun["id"], done["id"]} <= {change["id"] for change in listed}
    assert {record["type"] for record in zone.records(name=zone.name("a"))} == {"A"}


def test_an_existing_record_is_not_added_again(zone: OwnZone) -> None:
    zone.change(additions=[zone.record("cp", "203.0.113.1")])
    with google_refused(409, "alreadyExists"):
        zone.change(additions=[zone.record("cp", "203.0.113.2")])


@pytest.mark.parametrize(
    ("deletion", "status", "reason"),
    [
        ({"ttl": 60}, 412, "conditionNotMet"),
        ({"rrdatas": ["203.0.113.2"]}, 412, "conditionNotMet"),
        ({"name": "other"}, 404, "notFound"),
    ],
)
def test_deletions_match_exactly(zone: OwnZone, deletion: dict[str, Any], status: int, reason: str) -> None:
    there = zone.record("cp", "203.0.113.1")
    zone.change(additions=[there])
    if "name" in deletion:
        deletion = {"name": zone.name(deletion["name"])}
    with google_refused(status, reason):
        zone.change(deletions=[{**there, **deletion}], additions=[zone.record("new", "203.0.113.9")])
    # Refused whole: the addition that was fine is not there either.
    assert zone.records(name=zone.name("new")) == []


def test_a_record_is_replaced_in_one_change(zone: OwnZone) -> None:
    old, new = zone.record("cp", "203.0.113.1"), zone.record("cp", "203.0.113.2", ttl=60)
    zone.change(additions=[old])
    zone.change(deletions=[old], additions=[new])
    (record,) = zone.records(name=zone.name("cp"), type="A")
    assert (record["rrdatas"], record["ttl"]) == (["203.0.113.2"], 60)


@pytest.mark.parametrize(
    ("host", "rrdatas", "more"),
    [
        ("cp", ["not-an-address"], {}),
        ("cp", ["no-dot.example"], {"kind": "CNAME"}),
        ("cp", ["x"], {"kind": "WHAT"}),
        ("cp", [], {}),
        ("cp", ["203.0.113.1"], {"ttl": -1}),
    ],
)
def test_bad_record(zone: OwnZone, host: str, rrdatas: list[str], more: dict[str, Any]) -> None:
    with google_refused(400):
        zone.change(additions=[zone.record(host, *rrdatas, **more)])


def test_a_name_is_in_the_zone_and_ends_with_a_dot(zone: OwnZone) -> None:
    record = zone.record("cp", "203.0.113.1")
    for name in ("cp.elsewhere.example.", record["name"].rstrip(".")):
        with google_refused(400):
            zone.change(additions=[{**record, "name": name}])


def test_a_name_with_a_cname_has_nothing_else(zone: OwnZone) -> None:
    zone.change(additions=[zone.record("www", zone.name("cp"), kind="CNAME")])
    with google_refused(400, "cnameResourceRecordSetConflict"):
        zone.change(additions=[zone.record("www", "203.0.113.1")])


def test_the_apex_keeps_ns_and_soa(zone: OwnZone) -> None:
    apex = {record["type"]: record for record in zone.records()}
    for record in apex.values():
        with google_refused(400, "invalidZoneApex"):
            zone.change(deletions=[record])
    shorter = {**apex["NS"], "ttl": 60}
    zone.change(deletions=[apex["NS"]], additions=[shorter])
    assert [record["ttl"] for record in zone.records(name=zone.shown["dnsName"], type="NS")] == [60]


def test_records_come_in_pages(zone: OwnZone) -> None:
    zone.change(additions=[zone.record(f"a{number}", "203.0.113.1") for number in range(7)])
    sets = zone.google.dns.resourceRecordSets()
    request, sizes = sets.list(**zone.where, maxResults=4), []
    while request is not None:
        answer = zone.google.call(request)
        sizes.append(len(answer["rrsets"]))
        request = sets.list_next(request, answer)
    assert sizes == [4, 4, 1]


def test_record_sets_without_a_change(zone: OwnZone) -> None:
    sets = zone.google.dns.resourceRecordSets()
    record = zone.record("cp", "203.0.113.1")
    one = {**zone.where, "name": record["name"], "type": "A"}
    zone.google.call(sets.create(**zone.where, body=record))
    zone.google.call(sets.patch(**one, body={**record, "rrdatas": ["203.0.113.2"]}))
    assert zone.google.call(sets.get(**one))["rrdatas"] == ["203.0.113.2"]
    zone.google.call(sets.delete(**one))
    with google_refused(404):
        zone.google.call(sets.get(**one))


def test_a_request_without_a_token(project: GoogleThings) -> None:
    with Google(project.target.endpoint, None) as nobody, google_refused(401):
        nobody.call(nobody.dns.managedZones().list(project=project.target.project))
