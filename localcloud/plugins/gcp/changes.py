"""Cloud DNS record sets and the changes that add and remove them."""

from __future__ import annotations

import time
from typing import Any

from ..errors import StandInError
from .connection import PAUSE_S, SETTLE_TIMEOUT_S, Connection


def record_sets(cloud: Connection, project: str, zone: str) -> list[dict[str, Any]]:
    """All record sets of a zone, page by page."""
    sets = cloud.dns.resourceRecordSets()
    request, found = sets.list(project=project, managedZone=zone), []
    while request is not None:
        answer = cloud.run(request)
        found += answer.get("rrsets", [])
        request = sets.list_next(request, answer)
    return found


def apply_change(
    cloud: Connection,
    project: str,
    zone: str,
    *,
    additions: list[dict[str, Any]] | None = None,
    deletions: list[dict[str, Any]] | None = None,
) -> dict[str, Any]:
    """Post one change, wait until it is done, and return it."""
    changes = cloud.dns.changes()
    body = {"additions": additions or [], "deletions": deletions or []}
    change = cloud.run(changes.create(project=project, managedZone=zone, body=body))
    end = time.monotonic() + SETTLE_TIMEOUT_S
    while change.get("status") != "done":
        if time.monotonic() > end:
            raise StandInError(f"the DNS change {change['id']} did not end in {SETTLE_TIMEOUT_S:.0f} s")
        time.sleep(PAUSE_S)
        change = cloud.run(changes.get(project=project, managedZone=zone, changeId=change["id"]))
    return change
