"""DnsZone: the managed zone and its delegation (before the machines), its A records (after them)."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import pulumi
import pulumi_gcp as gcp

from raya import addressing
from raya.dns_names import zone_description, zone_resource_name
from raya.errors import RayaError
from raya.inventory import Zone

_DELEGATION_TTL_S = 3600
_RECORD_TTL_S = 300
# How Google's provider says that there is none: dataSourceDnsRecordSetRead in its sources.
_NO_RECORD = re.compile(r"only expected 1 record set|\b0 record sets|not ?found|\b404\b", re.IGNORECASE)


class ParentZoneError(RayaError):
    """The parent zone cannot be delegated from: absent, ambiguous, or out of reach."""


def look_up_zones(project: str, parent: str) -> list[Zone]:
    """The project's zones, public and private, looked up to find ``parent`` and what may be in the way.

    Raises ParentZoneError, a sentence. Reads only; called before anything is registered.
    """
    try:
        found = gcp.dns.get_managed_zones(project=project).managed_zones
    except Exception as error:  # The SDK raises plain Exceptions with the provider's text.
        raise ParentZoneError(_unreachable(project, parent, str(error))) from error
    return [
        Zone(
            name=str(each.name),
            dns_name=each.dns_name.rstrip(".").lower(),
            is_public=each.visibility == "public",
            description=each.description,
            name_servers=each.name_servers,
        )
        for each in found
    ]


def find_parent_zone(zones: Sequence[Zone], project: str, dns_name: str) -> str:
    """The resource name of the one public zone for ``dns_name`` (no final dot) among ``zones``.

    Raises ParentZoneError, a sentence.
    """
    named = [zone for zone in zones if zone.dns_name == dns_name]
    public = [zone.name for zone in named if zone.is_public]
    if len(public) == 1:
        return public[0]
    if public:
        raise ParentZoneError(
            f"raya:dnsParentZone: the Google project {project} has {len(public)} public zones for {dns_name} "
            f"({', '.join(sorted(public))}), and only one of them can be what its registrar points to. "
            "Delete the others."
        )
    private = " (a private zone of that name does not count)" if named else ""
    available = ", ".join(sorted(zone.dns_name for zone in zones)) or "none"
    raise ParentZoneError(
        f"raya:dnsParentZone: the Google project {project} has no public zone for {dns_name}{private}; "
        f"its zones: {available}. Create the parent zone there first, or name another one."
    )


def find_delegation(project: str, parent_zone: str, dns_name: str) -> Sequence[str]:
    """The name servers that the parent zone (a resource name) points ``dns_name`` to already, if any.

    Google's provider overwrites a record set that exists when it creates one: somebody's delegation to
    another place would be taken over without a word. Raises ParentZoneError when that cannot be known.
    """
    try:
        found = gcp.dns.get_record_set(
            project=project, managed_zone=parent_zone, name=f"{dns_name}.", type="NS"
        )
    except Exception as error:  # The SDK's plain Exception; that there is none is an error, too.
        if _NO_RECORD.search(str(error)):
            return []
        raise ParentZoneError(
            f"the zone {parent_zone} of the Google project {project} did not say whether {dns_name} is "
            f"delegated already: {error}. Try again later."
        ) from error
    return list(found.rrdatas)


def _unreachable(project: str, dns_name: str, reason: str) -> str:
    if re.search(r"SERVICE_DISABLED|accessNotConfigured|has not been used in project|it is disabled", reason):
        return (
            f"the Cloud DNS API is not enabled in the Google project {project}, where the zone {dns_name} is "
            f"looked up: gcloud services enable dns.googleapis.com --project {project}"
        )
    return (
        f"the zones of the Google project {project} could not be listed to find {dns_name}: {reason}. Check "
        "gcp:project and the credentials (they need roles/dns.admin)."
    )


@dataclass(frozen=True, kw_only=True)
class DnsZoneArgs:
    """``dns_name``: the managed zone's, no final dot; ``parent_zone``: a resource name in ``project``."""

    project: str
    cluster_name: str
    dns_name: str
    parent_zone: str
    labels: Mapping[str, pulumi.Input[str]]


class DnsZone(pulumi.ComponentResource):
    """The managed zone and the NS record that the parent zone points to it with."""

    zone: gcp.dns.ManagedZone
    delegation: gcp.dns.RecordSet
    name_servers: pulumi.Output[list[str]]

    def __init__(self, name: str, args: DnsZoneArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("raya:cluster:DnsZone", name, None, opts)
        self._args = args
        self.zone = self._zone(name)
        self.name_servers = self.zone.name_servers.apply(list)
        self.delegation = self._delegation(name)
        self.register_outputs({"nameServers": self.name_servers})

    def publish(self, record: str, address: pulumi.Input[str]) -> gcp.dns.RecordSet:
        """An A record for ``record`` (relative to the zone) that follows ``address``."""
        return gcp.dns.RecordSet(
            record,
            project=self._args.project,
            managed_zone=self.zone.name,
            name=f"{addressing.fqdn(record, self._args.dns_name)}.",
            type="A",
            ttl=_RECORD_TTL_S,
            rrdatas=[address],
            opts=pulumi.ResourceOptions(parent=self, delete_before_replace=True),
        )

    def _zone(self, name: str) -> gcp.dns.ManagedZone:
        return gcp.dns.ManagedZone(
            name,
            project=self._args.project,
            name=zone_resource_name(self._args.dns_name),
            dns_name=f"{self._args.dns_name}.",
            description=zone_description(self._args.cluster_name),
            visibility="public",
            labels=self._args.labels,
            # external-dns leaves its records behind when its machines go.
            force_destroy=True,
            opts=pulumi.ResourceOptions(parent=self, delete_before_replace=True),
        )

    def _delegation(self, name: str) -> gcp.dns.RecordSet:
        # In the parent: the NS record at the zone's own apex belongs to Cloud DNS.
        return gcp.dns.RecordSet(
            f"{name}-delegation",
            project=self._args.project,
            managed_zone=self._args.parent_zone,
            name=f"{self._args.dns_name}.",
            type="NS",
            ttl=_DELEGATION_TTL_S,
            rrdatas=self.name_servers,
            opts=pulumi.ResourceOptions(parent=self, delete_before_replace=True),
        )
