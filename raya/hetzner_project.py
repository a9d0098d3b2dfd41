"""What the Hetzner project holds, looked up: one list request a kind."""

from __future__ import annotations

from collections.abc import Iterator

import pulumi_hcloud as hcloud

from raya import lookups
from raya.inventory import HetznerProject, Thing


def look_up() -> HetznerProject:
    """Everything of the kinds that a cluster makes, whosever it is. Reads only."""
    with lookups.hetzner("what the project holds already"):
        servers = hcloud.get_servers().servers
        others = [*_networks(), *_firewalls(), *_volumes()]
    machines = [
        Thing(kind="server", name=each.name, id=str(each.id), mark=each.ipv4_address, labels=each.labels)
        for each in servers
    ]
    return HetznerProject(
        things=[*machines, *others], server_types={each.name: each.server_type for each in servers}
    )


def count_primary_ips() -> int:
    """How many public addresses the project has, those of its servers included."""
    with lookups.hetzner("which public addresses the project has"):
        return len(hcloud.get_primary_ips().primary_ips)


def _networks() -> Iterator[Thing]:
    for each in hcloud.get_networks().networks:
        yield Thing(kind="network", name=each.name, id=str(each.id), mark=str(each.id), labels=each.labels)


def _firewalls() -> Iterator[Thing]:
    for each in hcloud.get_firewalls().firewalls:
        labels = each.labels or {}
        yield Thing(kind="firewall", name=each.name, id=str(each.id), mark=str(each.id), labels=labels)


def _volumes() -> Iterator[Thing]:
    for each in hcloud.get_volumes().volumes:
        yield Thing(kind="volume", name=each.name, id=str(each.id), mark=str(each.id), labels=each.labels)
