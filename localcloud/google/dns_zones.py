"""Cloud DNS: managed zones."""

import re

from localcloud.cloud import Cloud
from localcloud.google.dns_records import apex_records, of_zone
from localcloud.google.fields import mapping, text
from localcloud.google.pages import page
from localcloud.google.projects import project_for
from localcloud.google.refusals import invalid, refusal
from localcloud.routing import Call, Reply, Routes
from localcloud.store import Json

API = "dns.googleapis.com"
ZONES = "/projects/{project}/managedZones"
NAME = re.compile(r"[a-z]([-a-z0-9]{0,61}[a-z0-9])?")
DNS_NAME = re.compile(r"([a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?\.)+")
LABEL = re.compile(r"[a-z0-9_-]{0,63}")
MUTABLE = ("description", "labels", "dnssecConfig", "cloudLoggingConfig", "privateVisibilityConfig")
ENTITY = "entity.managedZone"
LETTERS = "abcdefghijklmnopqrstuvwxyz"

routes = Routes()


def zone_key(project: Json, name: str) -> str:
    """The key of a zone in the store."""
    return f"{project['projectId']}/{name}"


def zone_for(cloud: Cloud, call: Call) -> Json:
    """The zone a request names, by name or numeric id."""
    project = project_for(cloud, call.params["project"], API)
    key = call.params["zone"]
    for zone in cloud.store.all("zone"):
        if zone["_project"] == project["projectId"] and key in (zone["name"], zone["id"]):
            return zone
    raise refusal(404, "notFound", f"The 'parameters.managedZone' resource named '{key}' does not exist.")


def shown(zone: Json) -> Json:
    """A zone as the API shows it."""
    return {key: value for key, value in zone.items() if not key.startswith("_")}


def add_zone(cloud: Cloud, project: Json, body: Json) -> Json:
    """A new public zone with its four name servers and its records at the apex."""
    number = cloud.store.next_number("zone")
    # Each zone has a set of its own, so that a delegation copied from another zone is noticed.
    letter = LETTERS[(number - 1) % len(LETTERS)]
    zone: Json = {
        "kind": "dns#managedZone",
        "id": str(4_000_000_000_000_000_000 + number),
        "name": body["name"],
        "dnsName": body["dnsName"].lower(),
        "description": body.get("description", ""),
        "nameServers": [f"ns-cloud-{letter}{n}.googledomains.com." for n in (1, 2, 3, 4)],
        "creationTime": cloud.clock.stamp_ms(),
        "visibility": "public",
        "cloudLoggingConfig": {"kind": "dns#managedZoneCloudLoggingConfig"},
        "_project": project["projectId"],
        "_changes": 1,
    }
    zone |= {key: body[key] for key in MUTABLE if key in body and key != "privateVisibilityConfig"}
    cloud.store.put("zone", zone_key(project, zone["name"]), zone)
    for record in apex_records(zone):
        cloud.store.put(
            "rrset", f"{zone['id']}/{record['name']}/{record['type']}", record | {"_zone": zone["id"]}
        )
    cloud.event("zone.create", f"{zone['dnsName']} {zone['name']}", project=project["projectId"])
    return zone


@routes.get(ZONES)
def list_zones(cloud: Cloud, call: Call) -> Reply:
    """The managed zones of a project, by DNS name if given"""
    project = project_for(cloud, call.params["project"], API)
    wanted = call.first("dnsName")
    zones = [
        zone
        for zone in cloud.store.all("zone")
        if zone["_project"] == project["projectId"] and wanted in (None, zone["dnsName"])
    ]
    chosen, more = page(call, sorted(zones, key=lambda zone: str(zone["name"])), "maxResults", 100, 100)
    return Reply(
        200, {"kind": "dns#managedZonesListResponse", "managedZones": [shown(zone) for zone in chosen]} | more
    )


@routes.post(ZONES)
def create_zone(cloud: Cloud, call: Call) -> Reply:
    """Create a public managed zone"""
    project, body = project_for(cloud, call.params["project"], API), call.body
    for field in ("name", "dnsName", "description"):
        if body.get(field) is None:
            raise refusal(
                400, "required", f"The 'entity.managedZone.{field}' parameter is required but was missing."
            )
    if not NAME.fullmatch(text(body, "name", ENTITY)):
        raise invalid("entity.managedZone.name", body["name"])
    if not DNS_NAME.fullmatch(text(body, "dnsName", ENTITY).lower()):
        raise invalid("entity.managedZone.dnsName", body["dnsName"])
    if body.get("visibility", "public") != "public":
        raise refusal(501, "notImplemented", "The local cloud has only public managed zones.")
    _check_mutable(body)
    if cloud.store.get("zone", zone_key(project, body["name"])) is not None:
        message = f"The resource 'entity.managedZone' named '{body['name']}' already exists"
        raise refusal(409, "alreadyExists", message)
    return Reply(200, shown(add_zone(cloud, project, body)))


@routes.get(ZONES + "/{zone}")
def get_zone(cloud: Cloud, call: Call) -> Reply:
    """One managed zone"""
    return Reply(200, shown(zone_for(cloud, call)))


@routes.delete(ZONES + "/{zone}")
def delete_zone(cloud: Cloud, call: Call) -> Reply:
    """Delete a zone that holds nothing but NS and SOA at its apex"""
    zone = zone_for(cloud, call)
    records = of_zone(cloud, zone)
    if any(record["name"] != zone["dnsName"] or record["type"] not in ("NS", "SOA") for record in records):
        message = (
            f"The resource named '{zone['name']}' cannot be deleted because it contains one or more "
            "'resource records'."
        )
        raise refusal(400, "containerNotEmpty", message, rpc_status="FAILED_PRECONDITION")
    for record in records:
        cloud.store.delete("rrset", f"{zone['id']}/{record['name']}/{record['type']}")
    for change in cloud.store.all("change"):
        if change["_zone"] == zone["id"]:
            cloud.store.delete("change", f"{zone['id']}/{change['id']}")
    cloud.store.delete("zone", f"{zone['_project']}/{zone['name']}")
    cloud.event("zone.delete", f"{zone['dnsName']} {zone['name']}", project=zone["_project"])
    return Reply(204)


@routes.put(ZONES + "/{zone}")
def update_zone(cloud: Cloud, call: Call) -> Reply:
    """Replace what may change of a zone: description, labels, DNSSEC, logging"""
    return _update(cloud, call, whole=True)


@routes.patch(ZONES + "/{zone}")
def patch_zone(cloud: Cloud, call: Call) -> Reply:
    """Change some of what may change of a zone"""
    return _update(cloud, call, whole=False)


def _update(cloud: Cloud, call: Call, *, whole: bool) -> Reply:
    zone, body = zone_for(cloud, call), call.body
    before = shown(zone)
    for field in ("name", "dnsName", "visibility"):
        if body.get(field) is not None and body[field] != zone[field]:
            raise refusal(400, "invalid", f"The 'entity.managedZone.{field}' field cannot be changed.")
    _check_mutable(body)
    for field in MUTABLE:
        if field in body:
            zone[field] = body[field]
        elif whole and field == "labels":
            zone.pop(field, None)
    cloud.store.put("zone", f"{zone['_project']}/{zone['name']}", zone)
    cloud.event("zone.update", f"{zone['dnsName']} {zone['name']}", project=zone["_project"])
    operation = {
        "kind": "dns#operation",
        "id": str(cloud.store.next_number("dns_operation")),
        "startTime": cloud.clock.stamp_ms(),
        "status": "done",
        "user": "owner@example.org",
        "type": "update",
        "zoneContext": {"oldValue": before, "newValue": shown(zone)},
    }
    return Reply(200, operation)


def _check_mutable(body: Json) -> None:
    if len(text(body, "description", ENTITY)) > 1024:
        raise invalid("entity.managedZone.description", body["description"])
    for key, value in mapping(body, "labels", ENTITY).items():
        if not LABEL.fullmatch(key) or not isinstance(value, str) or not LABEL.fullmatch(value):
            raise invalid("entity.managedZone.labels", f"{key}={value}")
    mapping(body, "cloudLoggingConfig", ENTITY)
    if mapping(body, "dnssecConfig", ENTITY).get("state", "off") != "off":
        raise refusal(501, "notImplemented", "The local cloud signs no zones (DNSSEC).")
    for field in ("forwardingConfig", "peeringConfig", "reverseLookupConfig", "serviceDirectoryConfig"):
        if body.get(field):
            raise refusal(501, "notImplemented", f"The local cloud has no zones with {field}.")
