"""What a test makes at Google: marked for its run, and removed when the test ended."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from googleapiclient.errors import HttpError

from tests.conformance.google_zone import OwnZone
from tests.conformance.run import LABEL, Belongings, Run
from tests.conformance.targets import GoogleTarget
from tests.conformance.waiting import until
from tests.discovery import Google

Json = dict[str, Any]

# A new account is seen by some of Google's servers later than by others: this often in a row is seen by all.
SIGHTINGS = 3


class GoogleThings(Belongings):
    """Each method makes one thing and waits until it is there."""

    def __init__(self, google: Google, target: GoogleTarget, run: Run) -> None:
        super().__init__()
        self.google, self.target, self.run = google, target, run

    @property
    def parent(self) -> str:
        """The project, as IAM names it."""
        return f"projects/{self.target.project}"

    def zone(self) -> OwnZone:
        """An empty zone below the domain."""
        name = self.run.name("zone")
        return self.zone_from(
            {"name": name, "dnsName": f"{name}.{self.target.domain}.", "description": self.run.marks}
        )

    def zone_from(self, body: Json) -> OwnZone:
        """A zone from this body, which gets the run's labels."""
        body = {**body, "labels": self.run.labels | body.get("labels", {})}
        zones = self.google.dns.managedZones()
        shown = self.google.call(zones.create(project=self.target.project, body=body))
        made = OwnZone(self.google, self.target, shown)
        self.to_remove(made.remove)
        return made

    def account(self, account_id: str = "") -> Json:
        """A service account that can be seen."""
        account = self.account_at_once(account_id)
        sightings = 0

        def seen() -> int:
            nonlocal sightings
            sightings = sightings + 1 if self.sees(account) else 0
            return sightings

        until(lambda count: count >= SIGHTINGS, seen, self.target.poll_s)
        return account

    def account_at_once(self, account_id: str = "") -> Json:
        """A service account that may not be seen yet."""
        details = {"displayName": "conformance", "description": self.run.marks}
        body = {"accountId": account_id or self.run.name("account"), "serviceAccount": details}
        made: Json = self.google.call(self.accounts.create(name=self.parent, body=body))
        self.to_remove(lambda: _gone_is_fine(self.accounts.delete(name=made["name"]).execute))
        return made

    @property
    def accounts(self) -> Any:
        """IAM's methods for service accounts."""
        return self.google.iam.projects().serviceAccounts()

    def sees(self, account: Json) -> bool:
        """Whether an account can be read now. A new one may be unknown, or forbidden, for a while."""
        try:
            return bool(self.google.call(self.accounts.get(name=account["name"])) == account)
        except HttpError as refusal:
            if refusal.status_code in (403, 404):
                return False
            raise


def remove_marked_google(google: Google, target: GoogleTarget, run: Run | None) -> list[str]:
    """Remove what a run left, or with None what any run left; and say what that was."""
    removed = []
    for zone in marked_zones(google, target, run):
        OwnZone(google, target, zone).remove()
        removed.append(f"zone {zone['name']}")
    for account in marked_accounts(google, target, run):
        _gone_is_fine(google.iam.projects().serviceAccounts().delete(name=account["name"]).execute)
        removed.append(f"service account {account['email']}")
    return removed


def marked_zones(google: Google, target: GoogleTarget, run: Run | None) -> list[Json]:
    """The zones that a run, or any run, has made and that are still there."""
    zones = google.dns.managedZones()
    return [
        zone
        for zone in _all(google, zones, zones.list(project=target.project), "managedZones")
        if LABEL in zone.get("labels", {}) and (run is None or zone["labels"][LABEL] == run.id)
    ]


def marked_accounts(google: Google, target: GoogleTarget, run: Run | None) -> list[Json]:
    """The service accounts that a run, or any run, has made and that are still there."""
    accounts = google.iam.projects().serviceAccounts()
    marks = run.marks if run else LABEL + " "
    listing = accounts.list(name=f"projects/{target.project}")
    return [
        account
        for account in _all(google, accounts, listing, "accounts")
        if account.get("description", "").startswith(marks)
    ]


def _all(google: Google, resource: Any, request: Any, field: str) -> list[Json]:
    found: list[Json] = []
    while request is not None:
        answer = google.call(request)
        found += answer.get(field, [])
        request = resource.list_next(request, answer)
    return found


def _gone_is_fine(act: Callable[[], Any]) -> None:
    try:
        act()
    except HttpError as refusal:
        if refusal.status_code != 404:
            raise
