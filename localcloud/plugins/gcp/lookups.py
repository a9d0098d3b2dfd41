"""Functions that look zones up."""

from __future__ import annotations

from ..errors import StandInError
from ..fields import STRING, STRINGS, ListOf, Record, fields, may, need, out
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
