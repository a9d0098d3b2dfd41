"""dns ManagedZone."""

from __future__ import annotations

from typing import Any

from ..errors import InvalidInput, StandInError
from ..fields import (
    BOOLEAN,
    INTEGER,
    STRING,
    STRING_MAP,
    STRINGS,
    ListOf,
    Opaque,
    Record,
    fields,
    may,
    need,
    out,
)
from ..resource import Made, Properties
from .changes import apply_change, record_sets
from .connection import found
from .deletion import DELETION_POLICY, Deletable

_KEY_SPEC = Record(
    fields(algorithm=may(STRING), keyLength=may(INTEGER), keyType=may(STRING), kind=may(STRING))
)
_DNSSEC = Record(
    fields(
        defaultKeySpecs=may(ListOf(_KEY_SPEC)),
        kind=may(STRING),
        nonExistence=may(STRING),
        state=may(STRING),
    )
)
_NETWORKS = ListOf(Record(fields(networkUrl=need(STRING))), ordered=False)
_PRIVATE_VISIBILITY = Record(
    fields(gkeClusters=may(ListOf(Record(fields(gkeClusterName=need(STRING))))), networks=may(_NETWORKS))
)
_REFUSED = ("forwardingConfig", "peeringConfig", "reverseLookup", "serviceDirectoryConfig")
ATTRIBUTION = {"goog-pulumi-provisioned": "true"}


class ManagedZone(Deletable):
    """Id `projects/<p>/managedZones/<n>`; name, dnsName, visibility and project replace."""

    token = "gcp:dns/managedZone:ManagedZone"
    inputs = fields(
        cloudLoggingConfig=may(Record(fields(enableLogging=need(BOOLEAN)))),
        deletionPolicy=DELETION_POLICY,
        description=may(STRING, default="Managed by Pulumi"),
        dnsName=need(STRING, replaces=True),
        dnssecConfig=may(_DNSSEC),
        forceDestroy=may(BOOLEAN, default=False),
        forwardingConfig=may(Opaque()),
        labels=may(STRING_MAP),
        name=may(STRING, replaces=True),
        peeringConfig=may(Opaque()),
        privateVisibilityConfig=may(_PRIVATE_VISIBILITY),
        project=may(STRING, replaces=True, computed=True),
        reverseLookup=may(BOOLEAN),
        serviceDirectoryConfig=may(Opaque()),
        visibility=may(STRING, replaces=True, default="public"),
    )
    outputs = fields(
        creationTime=out(STRING),
        effectiveLabels=out(STRING_MAP, secret=True),
        managedZoneId=out(STRING),
        nameServers=out(STRINGS),
        pulumiLabels=out(STRING_MAP, secret=True),
    )
    autonamed = "name"

    def prepare(self, inputs: Properties) -> None:
        super().prepare(inputs)
        for name in _REFUSED:
            if inputs.get(name):
                raise InvalidInput(name, "is not something the local cloud does")

    def create(self, inputs: Properties) -> Made:
        project = self._cloud.project(inputs.get("project"))
        zone = self._cloud.run(
            self._cloud.dns.managedZones().create(project=project, body=self._body(inputs))
        )
        return Made(f"projects/{project}/managedZones/{zone['name']}", self._outputs(project, zone, inputs))

    def read(self, resource_id: str, state: Properties) -> Made | None:
        project, name = _parts(resource_id)
        zones = self._cloud.dns.managedZones()
        zone = found(lambda: self._cloud.run(zones.get(project=project, managedZone=name)))
        return None if zone is None else Made(resource_id, self._outputs(project, zone, state))

    def update(self, resource_id: str, state: Properties, inputs: Properties) -> Properties:
        project, name = _parts(resource_id)
        body = {**self._body(inputs), "id": state.get("managedZoneId"), "nameServers": state["nameServers"]}
        zones = self._cloud.dns.managedZones()
        self._cloud.run(zones.update(project=project, managedZone=name, body=body))
        zone = self._cloud.run(zones.get(project=project, managedZone=name))
        return self._outputs(project, zone, inputs)

    def remove(self, resource_id: str, state: Properties) -> None:
        project, name = _parts(resource_id)
        if state.get("forceDestroy"):
            found(lambda: self._empty(project, name, state["dnsName"]))
        zones = self._cloud.dns.managedZones()
        found(lambda: self._cloud.run(zones.delete(project=project, managedZone=name)) or {})

    def _empty(self, project: str, zone: str, apex: str) -> dict[str, Any]:
        """Delete every record but the zone's own NS and SOA."""
        own = {(apex, "NS"), (apex, "SOA")}
        records = [
            record
            for record in record_sets(self._cloud, project, zone)
            if (record["name"], record["type"]) not in own
        ]
        if records:
            apply_change(self._cloud, project, zone, deletions=records)
        return {}

    def _labels(self, inputs: Properties) -> tuple[dict[str, str], dict[str, str]]:
        """Those of the program with the provider's defaults, and those with the attribution as well."""
        labels = {**self._cloud.settings.default_labels, **(inputs.get("labels") or {})}
        return labels, {**labels, **(ATTRIBUTION if self._cloud.settings.attribution_label else {})}

    def _body(self, inputs: Properties) -> Properties:
        body: Properties = {
            "kind": "dns#managedZone",
            "name": inputs["name"],
            "dnsName": inputs["dnsName"],
            "description": inputs.get("description", "Managed by Pulumi"),
            "visibility": inputs.get("visibility", "public"),
            "labels": self._labels(inputs)[1],
        }
        for name in ("dnssecConfig", "cloudLoggingConfig"):
            if inputs.get(name) is not None:
                body[name] = inputs[name]
        private = inputs.get("privateVisibilityConfig")
        if private is not None:
            body["privateVisibilityConfig"] = private
        return body

    def _outputs(self, project: str, zone: Properties, state: Properties) -> Properties:
        labels, _ = self._labels(state)
        effective = zone.get("labels") or {}
        own = set(ATTRIBUTION) | (set(self._cloud.settings.default_labels) - set(state.get("labels") or {}))
        kept = {name: state.get(name) for name in ("cloudLoggingConfig", "dnssecConfig", "deletionPolicy")}
        return {
            **kept,
            "creationTime": zone.get("creationTime"),
            "description": zone.get("description", ""),
            "dnsName": zone["dnsName"],
            "effectiveLabels": effective,
            "forceDestroy": state.get("forceDestroy", False),
            "labels": {key: value for key, value in effective.items() if key not in own},
            "managedZoneId": str(zone["id"]),
            "name": zone["name"],
            "nameServers": zone.get("nameServers", []),
            "privateVisibilityConfig": state.get("privateVisibilityConfig"),
            "project": project,
            "pulumiLabels": labels,
            "visibility": zone.get("visibility", "public"),
        }


def _parts(resource_id: str) -> tuple[str, str]:
    """Project and name in `projects/<p>/managedZones/<n>`."""
    parts = resource_id.split("/")
    if len(parts) != 4 or parts[0] != "projects" or parts[2] != "managedZones":
        raise StandInError(f"{resource_id!r} is no zone id: projects/<project>/managedZones/<name>")
    return parts[1], parts[3]
