"""Cloud DNS zones: what they begin with, what may change, when they may go."""

from __future__ import annotations

from typing import Any

import pytest

from tests.conformance.google_things import GoogleThings
from tests.conformance.google_zone import OwnZone
from tests.conformance.refusals import google_refused


@pytest.fixture
def zone(project: GoogleThings) -> OwnZone:
    return project.zone()


def test_a_zone_begins_with_ns_and_soa(zone: OwnZone) -> None:
    assert zone.shown["id"].isdecimal()
    assert len(zone.shown["nameServers"]) == 4
    assert all(name.endswith(".") for name in zone.shown["nameServers"])
    records = {record["type"]: record for record in zone.records()}
    assert set(records) == {"NS", "SOA"}
    assert records["NS"]["rrdatas"] == zone.shown["nameServers"]
    assert {record["name"] for record in records.values()} == {zone.shown["dnsName"]}


def test_a_zone_is_found_by_its_dns_name(project: GoogleThings, zone: OwnZone) -> None:
    listing = project.google.dns.managedZones().list(
        project=project.target.project, dnsName=zone.shown["dnsName"]
    )
    assert [each["name"] for each in project.google.call(listing)["managedZones"]] == [zone.shown["name"]]


def test_a_name_is_unique(project: GoogleThings, zone: OwnZone) -> None:
    taken = {key: zone.shown[key] for key in ("name", "dnsName", "description")}
    with google_refused(409, "alreadyExists"):
        project.zone_from(taken)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"name": "Upper"}, "invalid"),
        ({"dnsName": "no-dot.example"}, "invalid"),
        ({"description": None}, "required"),
        ({"labels": {"A": "b"}}, "invalid"),
    ],
)
def test_bad_zone(project: GoogleThings, change: dict[str, Any], reason: str) -> None:
    name = project.run.name("zone")
    body = {"name": name, "dnsName": f"{name}.{project.target.domain}.", "description": ""}
    with google_refused(400, reason):
        project.zone_from({**body, **change})


def test_what_may_change_of_a_zone(project: GoogleThings, zone: OwnZone) -> None:
    zones = project.google.dns.managedZones()
    labels = project.run.labels
    patch = {"description": "new", "labels": {**labels, "a": "b"}}
    operation = project.google.call(zones.patch(**zone.where, body=patch))
    assert operation["status"] in ("pending", "done")
    assert (zone.get()["description"], zone.get()["labels"]) == ("new", patch["labels"])
    whole = {**zone.shown, "description": "newer", "labels": labels}
    project.google.call(zones.update(**zone.where, body=whole))
    assert (zone.get()["description"], zone.get()["labels"]) == ("newer", labels)
    with google_refused(400):
        project.google.call(zones.patch(**zone.where, body={"dnsName": f"other.{project.target.domain}."}))


def test_only_an_empty_zone_is_deleted(zone: OwnZone) -> None:
    record = zone.record("cp", "203.0.113.1")
    zone.change(additions=[record])
    with google_refused(400, "containerNotEmpty"):
        zone.delete()
    zone.change(deletions=[record])
    zone.delete()
    with google_refused(404, "notFound"):
        zone.get()
