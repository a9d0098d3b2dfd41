"""Volumes: created, resized, attached to one server at a time."""

from localcloud.cloud import Cloud
from localcloud.hetzner import catalog
from localcloud.hetzner.actions import action_reply, add_action_routes, new_id, rendered, start
from localcloud.hetzner.fields import (
    by_id,
    by_id_or_name,
    flag,
    integer,
    name,
    optional_text,
    public,
    require_unique,
    require_unlocked,
    require_unprotected,
)
from localcloud.hetzner.labels import checked_labels
from localcloud.hetzner.lists import listing
from localcloud.hetzner.refusals import invalid, limit_exceeded, refusal
from localcloud.hetzner.updates import rename_and_relabel
from localcloud.routing import Call, Reply, Routes
from localcloud.schedule import effect
from localcloud.store import Json

MIN_GB, MAX_GB = 10, 10240
VOLUMES_PER_SERVER = 16

routes = Routes()
add_action_routes(routes, "volumes", "volume")


def shown(volume: Json) -> Json:
    """A volume as the API shows it."""
    return public(volume) | {"location": catalog.location(volume["_location"])}


@routes.get("/volumes")
def list_volumes(cloud: Cloud, call: Call) -> Reply:
    """The volumes, by name, status or labels"""
    return listing(call, "volumes", cloud.store.all("volume"), shown, ("name", "status"))


@routes.get("/volumes/{id}")
def get_volume(cloud: Cloud, call: Call) -> Reply:
    """One volume"""
    return Reply(200, {"volume": shown(by_id(cloud, "volume", call.params["id"]))})


@routes.post("/volumes")
def create_volume(cloud: Cloud, call: Call) -> Reply:
    """Create a volume in a location, or attached to a server"""
    volume_name = name(call.body)
    require_unique(cloud, "volume", volume_name)
    size_gb = _checked_size(call.body)
    filesystem = optional_text(call.body, "format")
    if filesystem not in (None, "xfs", "ext4"):
        raise invalid("format", f"'{filesystem}' is not one of xfs, ext4")
    server, place = _place(cloud, call.body)
    if cloud.store.count("volume") >= cloud.setting("volumeLimit"):
        raise limit_exceeded("volume")
    labels = checked_labels(call.body.get("labels"))
    number = new_id(cloud, "volume")
    volume: Json = {
        "id": number,
        "name": volume_name,
        "created": cloud.clock.stamp(),
        "server": None,
        "status": "creating",
        "size": size_gb,
        "format": filesystem,
        "protection": {"delete": False},
        "labels": labels,
        "linux_device": f"/dev/disk/by-id/scsi-0HC_Volume_{number}",
        "_location": place,
    }
    cloud.event("volume.create", volume_name, id=number, size_gb=size_gb)
    cloud.store.put("volume", number, volume)
    action = start(cloud, "create_volume", [("volume", volume)], "volume.created", {"volume": number})
    follow = [begin_attach(cloud, volume, server, after=action)] if server else []
    body = {
        "volume": shown(volume),
        "action": rendered(cloud, action),
        "next_actions": [rendered(cloud, a) for a in follow],
    }
    return Reply(201, body)


def _checked_size(body: Json) -> int:
    size_gb = integer(body, "size")
    if not MIN_GB <= size_gb <= MAX_GB:
        raise invalid("size", f"must be between {MIN_GB} and {MAX_GB} GB")
    return size_gb


def _place(cloud: Cloud, body: Json) -> tuple[Json | None, str]:
    """The server and the location's name; exactly one of them is given."""
    if (body.get("server") is None) == (body.get("location") is None):
        raise invalid("location", "exactly one of location and server must be given")
    if body.get("server") is not None:
        server = by_id_or_name(cloud, "server", "server", body["server"])
        require_unlocked(server, "server")
        _require_slot(cloud, server)
        return server, str(server["_location"])
    place = catalog.location(body["location"])
    if place is None:
        raise invalid("location", f"location {body['location']!r} not found")
    return None, str(place["name"])


@effect("volume.created")
def _created(cloud: Cloud, args: Json) -> None:
    volume = by_id(cloud, "volume", args["volume"])
    if not args["ok"]:
        cloud.store.delete("volume", volume["id"])
        return
    volume["status"] = "available"
    cloud.store.put("volume", volume["id"], volume)


@routes.put("/volumes/{id}")
def update_volume(cloud: Cloud, call: Call) -> Reply:
    """Change a volume's name or labels"""
    volume = by_id(cloud, "volume", call.params["id"])
    rename_and_relabel(cloud, "volume", volume, call.body)
    cloud.store.put("volume", volume["id"], volume)
    return Reply(200, {"volume": shown(volume)})


@routes.delete("/volumes/{id}")
def delete_volume(cloud: Cloud, call: Call) -> Reply:
    """Delete a volume that no server holds"""
    volume = by_id(cloud, "volume", call.params["id"])
    require_unprotected(volume, "volume")
    require_unlocked(volume, "volume")
    if holder(volume) is not None:
        raise refusal("resource_in_use", "volume is still attached to a server")
    cloud.store.delete("volume", volume["id"])
    cloud.event("volume.delete", volume["name"], id=volume["id"])
    return Reply(204)


def holder(volume: Json) -> int | None:
    """The id of the server that has the volume, or is getting it."""
    held: int | None = volume["server"] if volume["server"] is not None else volume.get("_attaching")
    return held


def require_attachable(cloud: Cloud, volume: Json, location: str) -> Json:
    """The volume, if it is free, quiet and in the location."""
    require_unlocked(volume, "volume")
    if holder(volume) is not None:
        raise refusal("volume_already_attached", "volume is already attached to a server")
    if volume["_location"] != location:
        raise invalid("server", f"volume is in {volume['_location']}, server in {location}")
    return volume


def _require_slot(cloud: Cloud, server: Json) -> None:
    require_slots(sum(holder(volume) == server["id"] for volume in cloud.store.all("volume")) + 1)


def require_slots(count: int) -> None:
    """Refuse more volumes than one server takes."""
    if count > VOLUMES_PER_SERVER:
        raise limit_exceeded("volume", f"a server takes {VOLUMES_PER_SERVER} volumes")


def begin_attach(cloud: Cloud, volume: Json, server: Json, *, after: Json | None = None) -> Json:
    """Start the attachment of a checked volume. It is held at once and shown when the action ended."""
    volume["_attaching"] = server["id"]
    cloud.event(
        "volume.attach",
        f"{volume['name']} -> {server['name']}",
        volume=volume["id"],
        server=server["id"],
        server_status=server["status"],
    )
    resources = [("server", server), ("volume", volume)]
    return start(cloud, "attach_volume", resources, "volume.attached", {"volume": volume["id"]}, after=after)


@routes.post("/volumes/{id}/actions/attach")
def attach_volume(cloud: Cloud, call: Call) -> Reply:
    """Attach a volume to a server of its location"""
    volume = by_id(cloud, "volume", call.params["id"])
    server = by_id_or_name(cloud, "server", "server", call.body.get("server"))
    require_attachable(cloud, volume, server["_location"])
    require_unlocked(server, "server")
    _require_slot(cloud, server)
    flag(call.body, "automount", False)
    return action_reply(cloud, begin_attach(cloud, volume, server))


@effect("volume.attached")
def _attached(cloud: Cloud, args: Json) -> None:
    volume = cloud.store.get("volume", args["volume"])
    if volume is None:
        return
    server = volume.pop("_attaching", None)
    if args["ok"]:
        volume["server"] = server
    cloud.store.put("volume", volume["id"], volume)


@routes.post("/volumes/{id}/actions/detach")
def detach_volume(cloud: Cloud, call: Call) -> Reply:
    """Detach a volume from its server"""
    volume = by_id(cloud, "volume", call.params["id"])
    require_unlocked(volume, "volume")
    server = cloud.store.get("server", volume["server"])
    if server is None:
        raise refusal("volume_not_attached", "volume is not attached to a server")
    require_unlocked(server, "server")
    status = server["status"]
    cloud.event(
        "volume.detach",
        f"{volume['name']} <- {server['name']} ({status})",
        volume=volume["id"],
        server=server["id"],
        server_status=status,
    )
    resources = [("server", server), ("volume", volume)]
    return action_reply(
        cloud, start(cloud, "detach_volume", resources, "volume.detached", {"volume": volume["id"]})
    )


@effect("volume.detached")
def _detached(cloud: Cloud, args: Json) -> None:
    volume = cloud.store.get("volume", args["volume"])
    if volume is not None and args["ok"]:
        free_after(cloud, volume, cloud.faults.release_delay_s("volume"))


def free_after(cloud: Cloud, volume: Json, delay_s: float) -> None:
    """Give a volume back, at once or after some seconds."""
    if delay_s > 0:
        cloud.later(delay_s, "volume.free", {"volume": volume["id"]})
        return
    volume["server"] = None
    volume.pop("_attaching", None)
    cloud.store.put("volume", volume["id"], volume)


@effect("volume.free")
def _free(cloud: Cloud, args: Json) -> None:
    volume = cloud.store.get("volume", args["volume"])
    if volume is not None:
        free_after(cloud, volume, 0)


@routes.post("/volumes/{id}/actions/resize")
def resize_volume(cloud: Cloud, call: Call) -> Reply:
    """Make a volume larger"""
    volume = by_id(cloud, "volume", call.params["id"])
    require_unlocked(volume, "volume")
    size_gb = _checked_size(call.body)
    if size_gb <= volume["size"]:
        raise invalid("size", f"must be greater than the present {volume['size']} GB")
    volume["size"] = size_gb
    cloud.event("volume.resize", f"{volume['name']} {size_gb}", volume=volume["id"])
    return action_reply(cloud, start(cloud, "resize_volume", [("volume", volume)]))


@routes.post("/volumes/{id}/actions/change_protection")
def change_protection(cloud: Cloud, call: Call) -> Reply:
    """Protect a volume against deletion"""
    volume = by_id(cloud, "volume", call.params["id"])
    require_unlocked(volume, "volume")
    volume["protection"] = {"delete": flag(call.body, "delete", volume["protection"]["delete"])}
    return action_reply(cloud, start(cloud, "change_protection", [("volume", volume)]))
