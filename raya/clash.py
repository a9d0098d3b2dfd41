"""Something that is in this cluster's way in the clouds, and how all of it is told at once. Pure.

A second cluster differs from the first in several settings. Whoever copied a stack file learns of them in one
run, and not of the next one each time that the last was put right.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from raya.wording import listing

CLUSTER_NAME = "raya:clusterName"
SERVER_NAME_PREFIX = "raya:serverNamePrefix"
SUBDOMAIN = "raya:clusterManagedSubdomain"
PARENT_ZONE = "raya:dnsParentZone"
DNS_ZONES = "raya:dnsZones"
_ORDER = (CLUSTER_NAME, SERVER_NAME_PREFIX, PARENT_ZONE, SUBDOMAIN, DNS_ZONES)


@dataclass(frozen=True)
class Clash:
    """``sentence``: what is there, whose, what to do; ``settings``: the keys that get out of its way."""

    sentence: str
    settings: frozenset[str]


def told(clashes: Sequence[Clash]) -> Iterator[str]:
    """Their sentences; before them one that names every setting, when they speak of several."""
    keys = [key for key in _ORDER if any(key in each.settings for each in clashes)]
    if len(keys) > 1:
        yield (
            f"a cluster beside others needs its own {listing(keys, last='and')}: change them together "
            "(docs/runbooks/second-cluster.md). What is in the way of this one:"
        )
    yield from (each.sentence for each in clashes)
