"""The server types of the Hetzner account, looked up."""

from __future__ import annotations

from datetime import UTC, datetime

import pulumi_hcloud as hcloud
from pulumi_hcloud.outputs import GetServerTypesServerTypeLocationResult

from raya import lookups
from raya.server_offer import Offer, Place, ServerType


def look_up() -> Offer:
    """Every server type by name, with where it can be ordered now. Reads only."""
    with lookups.hetzner("which server types there are"):
        found = hcloud.get_server_types().server_types
    now = datetime.now(UTC)
    return {
        each.name: ServerType(
            name=each.name,
            architecture=each.architecture,
            cores=each.cores,
            memory_gb=each.memory,
            disk_gb=each.disk,
            places={place.name: place_of(place, now=now) for place in each.locations},
        )
        for each in found
    }


def place_of(found: GetServerTypesServerTypeLocationResult, *, now: datetime) -> Place:
    """What the API says of one location: the end of a type is announced location by location."""
    end = datetime.fromisoformat(found.unavailable_after) if found.unavailable_after else None
    return Place(
        sold=end is None or end > now, in_stock=found.available, last_day=end.date() if end else None
    )
