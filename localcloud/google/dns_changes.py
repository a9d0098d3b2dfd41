"""Cloud DNS: reading record sets, and changing them."""

from localcloud.cloud import Cloud
from localcloud.google.dns_records import apply_change, checked, find, of_zone, shown
from localcloud.google.dns_zones import zone_for
from localcloud.google.fields import objects
from localcloud.google.pages import page
from localcloud.google.refusals import refusal
from localcloud.routing import Call, Reply, Routes
from localcloud.store import Json

ZONE = "/projects/{project}/managedZones/{zone}"

routes = Routes()


@routes.get(ZONE + "/rrsets")
def list_records(cloud: Cloud, call: Call) -> Reply:
    """The record sets of a zone, by name and type if given"""
    zone = zone_for(cloud, call)
    name, kind = call.first("name"), call.first("type")
    if kind is not None and name is None:
        raise refusal(400, "required", "The 'parameters.name' parameter is required but was missing.")
    records = [
        shown(entry)
        for entry in of_zone(cloud, zone)
        if (name is None or entry["name"] == name.lower()) and kind in (None, entry["type"])
    ]
    chosen, more = page(call, records, "maxResults", 100, 1000)
    return Reply(200, {"kind": "dns#resourceRecordSetsListResponse", "rrsets": chosen} | more)


@routes.get(ZONE + "/rrsets/{name}/{type}")
def get_record(cloud: Cloud, call: Call) -> Reply:
    """One record set"""
    return Reply(200, shown(_record_for(cloud, zone_for(cloud, call), call)))


@routes.post(ZONE + "/rrsets")
def create_record(cloud: Cloud, call: Call) -> Reply:
    """Create a record set without a change of one's own"""
    zone = zone_for(cloud, call)
    entry = checked(zone, call.body, "entity.resourceRecordSet")
    _change(cloud, zone, [entry], [])
    return Reply(200, entry)


@routes.patch(ZONE + "/rrsets/{name}/{type}")
def patch_record(cloud: Cloud, call: Call) -> Reply:
    """Change a record set without a change of one's own"""
    zone = zone_for(cloud, call)
    old = shown(_record_for(cloud, zone, call))
    entry = checked(zone, old | call.body, "entity.resourceRecordSet")
    _change(cloud, zone, [entry], [old])
    return Reply(200, entry)


@routes.delete(ZONE + "/rrsets/{name}/{type}")
def delete_record(cloud: Cloud, call: Call) -> Reply:
    """Delete a record set without a change of one's own"""
    zone = zone_for(cloud, call)
    _change(cloud, zone, [], [shown(_record_for(cloud, zone, call))])
    return Reply(200, {})


@routes.get(ZONE + "/changes")
def list_changes(cloud: Cloud, call: Call) -> Reply:
    """The changes of a zone, the newest first"""
    zone = zone_for(cloud, call)
    changes = [_shown_change(cloud, one) for one in cloud.store.all("change") if one["_zone"] == zone["id"]]
    chosen, more = page(call, changes[::-1], "maxResults", 100, 1000)
    return Reply(200, {"kind": "dns#changesListResponse", "changes": chosen} | more)


@routes.post(ZONE + "/changes")
def create_change(cloud: Cloud, call: Call) -> Reply:
    """Add and delete record sets in one step; deletions must match exactly"""
    zone = zone_for(cloud, call)
    sides = {}
    for side in ("additions", "deletions"):
        entries = objects(call.body, side, "entity.change")
        sides[side] = [
            checked(zone, entry, f"entity.change.{side}[{index}]") for index, entry in enumerate(entries)
        ]
    if not sides["additions"] and not sides["deletions"]:
        raise refusal(400, "required", "The 'entity.change' parameter is required but was missing.")
    return Reply(200, _shown_change(cloud, _change(cloud, zone, sides["additions"], sides["deletions"])))


@routes.get(ZONE + "/changes/{change}")
def get_change(cloud: Cloud, call: Call) -> Reply:
    """One change, `pending` at first and `done` later"""
    zone, key = zone_for(cloud, call), call.params["change"]
    change = cloud.store.get("change", f"{zone['id']}/{key}")
    if change is None:
        raise refusal(404, "notFound", f"The 'parameters.changeId' resource named '{key}' does not exist.")
    return Reply(200, _shown_change(cloud, change))


def _record_for(cloud: Cloud, zone: Json, call: Call) -> Json:
    name, kind = call.params["name"].lower(), call.params["type"]
    entry = find(cloud, zone, name, kind)
    if entry is None:
        raise refusal(
            404,
            "notFound",
            f"The 'entity.resourceRecordSet' resource named '{name} ({kind})' does not exist.",
        )
    return entry


def _change(cloud: Cloud, zone: Json, additions: list[Json], deletions: list[Json]) -> Json:
    apply_change(cloud, zone, additions, deletions)
    change: Json = {
        "kind": "dns#change",
        "id": str(zone["_changes"]),
        "startTime": cloud.clock.stamp_ms(),
        "isServing": False,
        "_zone": zone["id"],
        "_done": cloud.clock.now() + cloud.setting("dnsChangeSeconds"),
    }
    change |= {side: rows for side, rows in (("additions", additions), ("deletions", deletions)) if rows}
    zone["_changes"] += 1
    cloud.store.put("zone", f"{zone['_project']}/{zone['name']}", zone)
    return cloud.store.put("change", f"{zone['id']}/{change['id']}", change)


def _shown_change(cloud: Cloud, change: Json) -> Json:
    status = "done" if cloud.clock.now() >= change["_done"] else "pending"
    return shown(change) | {"status": status}
