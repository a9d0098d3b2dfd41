"""A managed zone that a test made, and its records."""

from __future__ import annotations

from typing import Any

from googleapiclient.errors import HttpError

from tests.conformance.targets import GoogleTarget
from tests.conformance.waiting import until
from tests.discovery import Google

Json = dict[str, Any]


class OwnZone:
    """`shown` is the zone as the API answered when it was made."""

    def __init__(self, google: Google, target: GoogleTarget, shown: Json) -> None:
        self.google, self.target, self.shown = google, target, shown

    @property
    def where(self) -> dict[str, str]:
        """The arguments by which the API's methods find the zone."""
        return {"project": self.target.project, "managedZone": self.shown["name"]}

    def name(self, host: str) -> str:
        """The full name of a host in the zone."""
        return f"{host}.{self.shown['dnsName']}"

    def record(self, host: str, *rrdatas: str, kind: str = "A", ttl: int = 300) -> Json:
        """A record set in the zone; nothing is sent."""
        return {"name": self.name(host), "type": kind, "ttl": ttl, "rrdatas": list(rrdatas)}

    def records(self, **query: Any) -> list[Json]:
        """What the zone holds."""
        answer = self.google.call(self.google.dns.resourceRecordSets().list(**self.where, **query))
        return list(answer["rrsets"])

    def begin_change(self, **sides: list[Json]) -> Json:
        """Send additions and deletions as one change, and do not wait for it."""
        changed: Json = self.google.call(self.google.dns.changes().create(**self.where, body=sides))
        return changed

    def change(self, **sides: list[Json]) -> Json:
        """The same, done."""
        begun = self.begin_change(**sides)
        read = self.google.dns.changes().get(**self.where, changeId=begun["id"])
        return until(
            lambda change: change["status"] == "done", lambda: self.google.call(read), self.target.poll_s
        )

    def get(self) -> Json:
        """The zone as it is now."""
        found: Json = self.google.call(self.google.dns.managedZones().get(**self.where))
        return found

    def delete(self) -> None:
        """Delete the zone; it must be empty."""
        self.google.dns.managedZones().delete(**self.where).execute()

    def remove(self) -> None:
        """Delete the zone with whatever is in it; fine when it is gone."""
        try:
            apex = self.shown["dnsName"]
            deletions = [
                record for record in self.records() if (record["name"], record["type"]) not in
                ((apex, "NS"), (apex, "SOA"))
            ]  # fmt: skip
            if deletions:
                self.change(deletions=deletions)
            self.delete()
        except HttpError as refusal:
            if refusal.status_code != 404:
                raise
