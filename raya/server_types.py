"""The server types of the Hetzner account, looked up."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime

import pulumi_hcloud as hcloud
from pulumi_hcloud.outputs import GetServerTypesServerTypeLocationResult

from raya import lookups
from raya.server_offer import Offer


def look_up() -> Offer:
    """Server type -> the locations where it can be ordered now. Reads only.

    Being out of stock for a moment does not count: it changes by the minute, and the API says so at the time.
    """
    with lookups.hetzner("which server types there are"):
        found = hcloud.get_server_types().server_types
    return {each.name: orderable(each.locations) for each in found}


def orderable(locations: Iterable[GetServerTypesServerTypeLocationResult]) -> frozenset[str]:
    """Without the locations where the type's last day is over."""
    return frozenset(each.name for each in locations if not _is_over(each.unavailable_after))


def _is_over(last_day: str | None) -> bool:
    return bool(last_day) and datetime.fromisoformat(str(last_day)) <= datetime.now(UTC)
