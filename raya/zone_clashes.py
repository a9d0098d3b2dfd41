"""Zones in the Google project that are in the way of the one this cluster is about to make. Pure.

A project may hold two zones of one DNS name, and external-dns writes into every zone whose name ends in one
that it was told. So nothing would refuse a second cluster in the zone of the first: it would take over the
delegation.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from raya import domain_name
from raya.clash import CLUSTER_NAME, DNS_ZONES, PARENT_ZONE, SUBDOMAIN, Clash
from raya.dns_names import cluster_of
from raya.inventory import Zone
from raya.ownership import Ownership
from raya.settings import Settings
from raya.wording import first_and_count


def clashes(zones: Sequence[Zone], settings: Settings, own: Ownership) -> Iterator[Clash]:
    """Why the cluster's zone cannot be had beside ``zones``, all public."""
    mine = [zone for zone in zones if _is_own(zone, settings, own)]
    others = [zone for zone in zones if zone not in mine]
    for zone in others:
        yield from _beside(zone, settings, own.stack)
    if all(zone.dns_name != settings.managed_zone for zone in mine):
        for zone in others:
            yield from _nested(zone, settings)


def of_delegation(name_servers: Sequence[str], settings: Settings) -> Iterator[Clash]:
    """Why a zone that is about to be made cannot be delegated: the parent zone points elsewhere already."""
    if name_servers:
        yield Clash(
            f"the parent zone {settings.dns_parent_zone} delegates {settings.managed_zone} to "
            f"{first_and_count(sorted(name_servers))} already, and this cluster would take that over. Take "
            "another raya:clusterManagedSubdomain, or remove that NS record.",
            frozenset({SUBDOMAIN}),
        )


def _is_own(zone: Zone, settings: Settings, own: Ownership) -> bool:
    cluster_name = settings.cluster_name
    # Asked only of a zone that may be: the answer can cost a look into the state.
    may_be = zone.dns_name == settings.managed_zone or cluster_of(zone.description) == cluster_name
    return may_be and own.has(zone.thing, cluster_name=cluster_name)


def _beside(zone: Zone, settings: Settings, stack: str) -> Iterator[Clash]:
    cluster = cluster_of(zone.description)
    if zone.dns_name == settings.managed_zone:
        yield _taken(zone, settings, stack)
    elif cluster is not None and cluster == settings.cluster_name:
        yield _namesake(zone, settings)
    elif cluster is not None and zone.dns_name == settings.dns_parent_zone:
        yield Clash(
            f"raya:dnsParentZone is {zone.dns_name}, the zone {_owner(zone)}, whose external-dns writes into "
            "every zone below it. Name a zone that no cluster manages.",
            frozenset({PARENT_ZONE}),
        )
    elif cluster is not None and zone.dns_name in settings.dns_zones:
        yield Clash(
            f"raya:dnsZones holds {zone.dns_name}, the zone {_owner(zone)}: the external-dns of two clusters "
            "would write into it. Leave it out.",
            frozenset({DNS_ZONES}),
        )


def _owner(zone: Zone) -> str:
    """Whose it is, as a sentence goes on."""
    cluster = cluster_of(zone.description)
    return f"of the raya cluster {cluster}" if cluster else "which no raya cluster made"


def _taken(zone: Zone, settings: Settings, stack: str) -> Clash:
    subject = (
        f"the Google project {settings.gcp_project} already has the zone {zone.dns_name} ({zone.name}), "
        f"{_owner(zone)}, of which the state of the stack {stack} does not know"
    )
    # Where raya:dnsZones names the zone, which is the default too, it would clash next.
    keys = frozenset({SUBDOMAIN, *([DNS_ZONES] if zone.dns_name in settings.dns_zones else [])})
    if cluster_of(zone.description) == settings.cluster_name:
        return Clash(
            f"{subject}. If a run of this stack was interrupted, or the zone was removed from its state by "
            f"hand, `make recover STACK={stack}` brings it back; if another stack calls its cluster so too, "
            "give this one a raya:clusterName and a raya:clusterManagedSubdomain of its own, and do not "
            "recover it.",
            keys | {CLUSTER_NAME},
        )
    return Clash(
        f"{subject}. Give this cluster another raya:clusterManagedSubdomain, and leave the zone out of "
        "raya:dnsZones; or delete it.",
        keys,
    )


def _namesake(zone: Zone, settings: Settings) -> Clash:
    return Clash(
        f"the Google project {settings.gcp_project} has the zone {zone.dns_name} of another raya cluster "
        f"that is called {settings.cluster_name}: external-dns tells its records from those of others by "
        "that name. Give this cluster another raya:clusterName.",
        frozenset({CLUSTER_NAME}),
    )


def _nested(zone: Zone, settings: Settings) -> Iterator[Clash]:
    """Before the zone is made: one around it hides its delegation, and one inside it would be hidden."""
    managed, parent = settings.managed_zone, settings.dns_parent_zone
    if zone.dns_name in (managed, parent):
        return
    if domain_name.is_within(managed, zone.dns_name) and domain_name.is_within(zone.dns_name, parent):
        yield Clash(
            f"{managed} lies inside the zone {zone.dns_name} ({zone.name}), {_owner(zone)}: a delegation in "
            f"{parent} would never be asked. Take another raya:clusterManagedSubdomain, or a "
            "raya:dnsParentZone below which there is no zone yet.",
            frozenset({SUBDOMAIN}),
        )
    elif domain_name.is_within(zone.dns_name, managed) and zone.dns_name not in settings.dns_zones:
        yield Clash(
            f"the zone {zone.dns_name} ({zone.name}), {_owner(zone)}, lies inside {managed}: this cluster's "
            "zone would hide it, and this cluster's external-dns would write into it. Take another "
            "raya:clusterManagedSubdomain; or, if it is meant to be this cluster's, name it in "
            "raya:dnsZones.",
            frozenset({SUBDOMAIN}),
        )
