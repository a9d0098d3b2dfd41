"""dns RecordSet."""

from __future__ import annotations

from typing import Any

from ..errors import InvalidInput, StandInError
from ..fields import INTEGER, STRING, ListOf, Opaque, fields, may, need
from ..resource import Made, Properties
from ..values import UNKNOWN
from .changes import apply_change
from .connection import found
from .deletion import DELETION_POLICY, Deletable


class RecordSet(Deletable):
    """Id `projects/<p>/managedZones/<z>/rrsets/<name>/<type>`; a changed type does not replace it."""

    token = "gcp:dns/recordSet:RecordSet"
    inputs = fields(
        deletionPolicy=DELETION_POLICY,
        managedZone=need(STRING, replaces=True),
        name=need(STRING, replaces=True),
        project=may(STRING, replaces=True, computed=True),
        routingPolicy=may(Opaque()),
        rrdatas=may(ListOf(STRING, ordered=False)),
        ttl=may(INTEGER),
        type=need(STRING),
    )

    def prepare(self, inputs: Properties) -> None:
        super().prepare(inputs)
        if inputs.get("routingPolicy"):
            raise InvalidInput("routingPolicy", "is not something the local cloud does: give rrdatas")
        if inputs.get("rrdatas") is None:
            raise InvalidInput("rrdatas", "is required and was not given")
        name = inputs["name"]
        if name is not UNKNOWN and not name.endswith("."):
            raise InvalidInput("name", f"is {name!r}: a record's name ends with a dot")

    def create(self, inputs: Properties) -> Made:
        project, zone = self._cloud.project(inputs.get("project")), inputs["managedZone"]
        sets = self._cloud.dns.resourceRecordSets()
        listed = self._cloud.run(sets.list(project=project, managedZone=zone)).get("rrsets", [])
        there = [
            record
            for record in listed
            if (record["name"], record["type"]) == (inputs["name"], inputs["type"])
        ]
        apply_change(self._cloud, project, zone, additions=[_record(inputs)], deletions=there)
        return Made(_id(project, inputs), {**inputs, "project": project})

    def read(self, resource_id: str, state: Properties) -> Made | None:
        project, zone, name, kind = _parts(resource_id)
        sets = self._cloud.dns.resourceRecordSets()
        request = sets.list(project=project, managedZone=zone, name=name, type=kind)
        answer = found(lambda: self._cloud.run(request))
        records = answer.get("rrsets", []) if answer is not None else []
        if len(records) > 1:
            raise StandInError(f"the zone {zone} lists {name} {kind} {len(records)} times")
        if not records:
            return None
        outputs: Properties = {
            "deletionPolicy": state.get("deletionPolicy"),
            "managedZone": zone,
            "name": name,
            "project": project,
            "rrdatas": records[0].get("rrdatas", []),
            "ttl": records[0].get("ttl"),
            "type": kind,
        }
        return Made(resource_id, outputs)

    def update(self, resource_id: str, state: Properties, inputs: Properties) -> Properties:
        project, zone = state["project"], state["managedZone"]
        if _record(state) != _record(inputs):
            apply_change(self._cloud, project, zone, additions=[_record(inputs)], deletions=[_record(state)])
        return {**inputs, "project": project}

    def remove(self, resource_id: str, state: Properties) -> None:
        project, zone = state["project"], state["managedZone"]
        if state["type"] in {"NS", "SOA"} and self._is_apex(project, zone, state["name"]):
            return  # a zone keeps its own; they go with it
        found(lambda: apply_change(self._cloud, project, zone, deletions=[_record(state)]))

    def _is_apex(self, project: str, zone: str, name: str) -> bool:
        zones = self._cloud.dns.managedZones()
        answer = found(lambda: self._cloud.run(zones.get(project=project, managedZone=zone)))
        return answer is not None and answer["dnsName"] == name


def _record(properties: Properties) -> dict[str, Any]:
    return {
        "kind": "dns#resourceRecordSet",
        "name": properties["name"],
        "type": properties["type"],
        "ttl": properties.get("ttl", 0),
        "rrdatas": list(properties.get("rrdatas") or []),
    }


def _id(project: str, inputs: Properties) -> str:
    zone, name, kind = inputs["managedZone"], inputs["name"], inputs["type"]
    return f"projects/{project}/managedZones/{zone}/rrsets/{name}/{kind}"


def _parts(resource_id: str) -> tuple[str, str, str, str]:
    parts = resource_id.split("/")
    if len(parts) != 7 or (parts[0], parts[2], parts[4]) != ("projects", "managedZones", "rrsets"):
        raise StandInError(
            f"{resource_id!r} is no record id: projects/<p>/managedZones/<zone>/rrsets/<name>/<type>"
        )
    return parts[1], parts[3], parts[5], parts[6]
