"""Placement groups: servers of one group run on different hosts, so a group holds ten."""

from localcloud.cloud import Cloud
from localcloud.hetzner.actions import add_action_routes, new_id
from localcloud.hetzner.fields import by_id, name, public, require_unique, text
from localcloud.hetzner.labels import checked_labels
from localcloud.hetzner.lists import listing
from localcloud.hetzner.refusals import invalid, limit_exceeded, refusal
from localcloud.hetzner.updates import rename_and_relabel
from localcloud.routing import Call, Reply, Routes
from localcloud.store import Json

SERVERS_PER_GROUP = 10
GROUPS_PER_PROJECT = 50

routes = Routes()
add_action_routes(routes, "placement_groups", "placement_group")


def _members(cloud: Cloud, group: Json) -> list[int]:
    return [server["id"] for server in cloud.store.all("server") if server["_placement_group"] == group["id"]]


def require_place(cloud: Cloud, group: Json) -> None:
    """Refuse the eleventh server of a group."""
    if len(_members(cloud, group)) >= SERVERS_PER_GROUP:
        raise refusal(
            "placement_error", f"placement group {group['name']} holds {SERVERS_PER_GROUP} servers already"
        )


def shown(cloud: Cloud, group: Json) -> Json:
    """A placement group as the API shows it."""
    return public(group) | {"servers": _members(cloud, group)}


@routes.get("/placement_groups")
def list_placement_groups(cloud: Cloud, call: Call) -> Reply:
    """The placement groups, by name, type or labels"""
    groups = cloud.store.all("placement_group")
    return listing(call, "placement_groups", groups, lambda one: shown(cloud, one), ("name", "type"))


@routes.get("/placement_groups/{id}")
def get_placement_group(cloud: Cloud, call: Call) -> Reply:
    """One placement group"""
    return Reply(200, {"placement_group": shown(cloud, by_id(cloud, "placement_group", call.params["id"]))})


@routes.post("/placement_groups")
def create_placement_group(cloud: Cloud, call: Call) -> Reply:
    """Create a placement group"""
    title, kind = name(call.body), text(call.body, "type")
    require_unique(cloud, "placement_group", title)
    if kind != "spread":
        raise invalid("type", f"'{kind}' is not spread")
    if cloud.store.count("placement_group") >= GROUPS_PER_PROJECT:
        raise limit_exceeded("placement group", f"a project takes {GROUPS_PER_PROJECT} placement groups")
    labels = checked_labels(call.body.get("labels"))
    group: Json = {
        "id": new_id(cloud, "placement_group"),
        "name": title,
        "type": kind,
        "labels": labels,
        "created": cloud.clock.stamp(),
    }
    cloud.store.put("placement_group", group["id"], group)
    cloud.event("placement_group.create", title, id=group["id"])
    return Reply(201, {"placement_group": shown(cloud, group), "action": None})


@routes.put("/placement_groups/{id}")
def update_placement_group(cloud: Cloud, call: Call) -> Reply:
    """Change a placement group's name or labels"""
    group = by_id(cloud, "placement_group", call.params["id"])
    rename_and_relabel(cloud, "placement_group", group, call.body)
    cloud.store.put("placement_group", group["id"], group)
    return Reply(200, {"placement_group": shown(cloud, group)})


@routes.delete("/placement_groups/{id}")
def delete_placement_group(cloud: Cloud, call: Call) -> Reply:
    """Delete an empty placement group"""
    group = by_id(cloud, "placement_group", call.params["id"])
    if _members(cloud, group):
        raise refusal("resource_in_use", "placement group still holds servers")
    cloud.store.delete("placement_group", group["id"])
    cloud.event("placement_group.delete", group["name"], id=group["id"])
    return Reply(204)
