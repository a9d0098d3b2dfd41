"""Functions that look zones and records up."""

from __future__ import annotations

from ..errors import StandInError
from ..fields import INTEGER, STRING, STRINGS, ListOf, Record, fields, may, need, out
from ..resource import Function, Properties
from .connection import Connection, found

ZONE = fields(
    description=out(STRING),
    dnsName=out(STRING),
    id=out(STRING),
    managedZoneId=out(STRING),
    name=out(STRING),
    nameServers=out(STRINGS),
    project=out(STRING),
    visibility=out(STRING),
)


class GetManagedZones(Function):
    """The zones of a project; like the official provider, the first page of them."""

    token = "gcp:dns/getManagedZones:getManagedZones"
    inputs = fields(project=may(STRING))
    outputs = fields(id=out(STRING), managedZones=out(ListOf(Record(ZONE))), project=out(STRING))

    def __init__(self, cloud: Connection) -> None:
        self._cloud = cloud

    def call(self, arguments: Properties) -> Properties:
        project = self._cloud.project(arguments.get("project"))
        answer = self._cloud.run(self._cloud.dns.managedZones().list(project=project))
        zones = [_zone(project, zone) for zone in answer.get("managedZones", [])]
        return {"id": f"projects/{project}/managedZones", "managedZones": zones, "project": project}


class GetManagedZone(Function):
    """One zone by its resource name."""

    token = "gcp:dns/getManagedZone:getManagedZone"
    inputs = fields(name=need(STRING), project=may(STRING))
    outputs = ZONE

    def __init__(self, cloud: Connection) -> None:
        self._cloud = cloud

    def call(self, arguments: Properties) -> Properties:
        project, name = self._cloud.project(arguments.get("project")), arguments["name"]
        zones = self._cloud.dns.managedZones()
        zone = found(lambda: self._cloud.run(zones.get(project=project, managedZone=name)))
        if zone is None:
            raise StandInError(f"projects/{project}/managedZones/{name} not found")
        return _zone(project, zone)


class GetRecordSet(Function):
    """One record set by zone, name and type; like the official provider, an error when there is none."""

    token = "gcp:dns/getRecordSet:getRecordSet"
    inputs = fields(managedZone=need(STRING), name=need(STRING), project=may(STRING), type=need(STRING))
    outputs = fields(**inputs, id=out(STRING), rrdatas=out(STRINGS), ttl=out(INTEGER))

    def __init__(self, cloud: Connection) -> None:
        self._cloud = cloud

    def call(self, arguments: Properties) -> Properties:
        project, zone = self._cloud.project(arguments.get("project")), arguments["managedZone"]
        name, kind = arguments["name"], arguments["type"]
        records = self._cloud.dns.resourceRecordSets()
        answer = self._cloud.run(records.list(project=project, managedZone=zone, name=name, type=kind))
        found_records = answer.get("rrsets", [])
        if len(found_records) != 1:
            raise StandInError(f"Only expected 1 record set, got {len(found_records)}")
        return {
            **arguments,
            "id": f"projects/{project}/managedZones/{zone}/rrsets/{name}/{kind}",
            "project": project,
            "rrdatas": found_records[0]["rrdatas"],
            "ttl": found_records[0]["ttl"],
        }


def _zone(project: str, zone: Properties) -> Properties:
    return {
        "description": zone.get("description", ""),
        "dnsName": zone["dnsName"],
        "id": f"projects/{project}/managedZones/{zone['name']}",
        "managedZoneId": str(zone["id"]),
        "name": zone["name"],
        "nameServers": zone.get("nameServers", []),
        "project": project,
        "visibility": zone.get("visibility", "public"),
    }
