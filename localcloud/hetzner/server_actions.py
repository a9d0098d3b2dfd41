"""Power, protection, type, image, placement and reverse DNS of a server."""

from localcloud.cloud import Cloud
from localcloud.hetzner import catalog
from localcloud.hetzner.actions import action_reply, start
from localcloud.hetzner.fields import by_id, by_id_or_name, flag, require_unlocked
from localcloud.hetzner.placement_groups import require_place
from localcloud.hetzner.primary_ips import assigned, change_pointer
from localcloud.hetzner.refusals import invalid, refusal
from localcloud.hetzner.server_order import checked_user_data, fitting_image
from localcloud.hetzner.server_types import is_gone, sold_out
from localcloud.routing import Call, Reply, Routes
from localcloud.schedule import effect
from localcloud.store import Json

routes = Routes()


def _target(cloud: Cloud, call: Call) -> Json:
    server = by_id(cloud, "server", call.params["id"])
    require_unlocked(server, "server")
    return server


def _power(cloud: Cloud, call: Call, command: str, event: str, status: str) -> Reply:
    server = _target(cloud, call)
    cloud.event(event, server["name"], id=server["id"])
    action = start(
        cloud, command, [("server", server)], "server.powered", {"server": server["id"], "status": status}
    )
    return action_reply(cloud, action)


@routes.post("/servers/{id}/actions/poweron")
def power_on(cloud: Cloud, call: Call) -> Reply:
    """Turn a server on"""
    return _power(cloud, call, "start_server", "server.poweron", "running")


@routes.post("/servers/{id}/actions/poweroff")
def power_off(cloud: Cloud, call: Call) -> Reply:
    """Cut a server's power"""
    return _power(cloud, call, "stop_server", "server.poweroff", "off")


@routes.post("/servers/{id}/actions/reboot")
def reboot(cloud: Cloud, call: Call) -> Reply:
    """Restart a server through its guest"""
    return _power(cloud, call, "reboot_server", "server.reboot", "running")


@routes.post("/servers/{id}/actions/reset")
def reset(cloud: Cloud, call: Call) -> Reply:
    """Cut a server's power and turn it on again"""
    return _power(cloud, call, "reset_server", "server.reset", "running")


@routes.post("/servers/{id}/actions/shutdown")
def shutdown(cloud: Cloud, call: Call) -> Reply:
    """Ask the guest to power off; the action ends when it was asked, the server is `off` a little later"""
    server = _target(cloud, call)
    cloud.event("server.shutdown", server["name"], id=server["id"])
    action = start(
        cloud, "shutdown_server", [("server", server)], "server.asked_to_stop", {"server": server["id"]}
    )
    return action_reply(cloud, action)


@effect("server.powered")
def _powered(cloud: Cloud, args: Json) -> None:
    server = cloud.store.get("server", args["server"])
    if server is None or server["status"] == "deleting":
        return
    if not args["ok"] and server["status"] != "initializing":
        return
    # A machine whose first start failed is there, and off.
    server["status"] = args["status"] if args["ok"] else "off"
    cloud.store.put("server", server["id"], server)
    cloud.event(f"server.{server['status']}", server["name"], id=server["id"])


@effect("server.asked_to_stop")
def _asked_to_stop(cloud: Cloud, args: Json) -> None:
    server = by_id(cloud, "server", args["server"])
    if args["ok"] and server["status"] == "running":
        server["status"] = "stopping"
        cloud.store.put("server", server["id"], server)
        cloud.later(cloud.setting("shutdownSeconds"), "server.guest_stopped", {"server": server["id"]})


@effect("server.guest_stopped")
def _guest_stopped(cloud: Cloud, args: Json) -> None:
    server = cloud.store.get("server", args["server"])
    # Whoever turned it on or deleted it meanwhile was later.
    if server is not None and server["status"] == "stopping":
        _powered(cloud, args | {"status": "off", "ok": True})


@routes.post("/servers/{id}/actions/change_protection")
def change_protection(cloud: Cloud, call: Call) -> Reply:
    """Protect a server against deletion and rebuild"""
    server = _target(cloud, call)
    protection = {name: flag(call.body, name, server["protection"][name]) for name in ("delete", "rebuild")}
    if protection["delete"] != protection["rebuild"]:
        raise invalid("delete", "delete and rebuild must be the same")
    server["protection"] = protection
    return action_reply(cloud, start(cloud, "change_protection", [("server", server)]))


@routes.post("/servers/{id}/actions/change_type")
def change_type(cloud: Cloud, call: Call) -> Reply:
    """Change the type of a server that is off"""
    server = _target(cloud, call)
    row, old = catalog.server_type(call.body.get("server_type")), catalog.server_type(server["_type"])
    if row is None or old is None:
        raise invalid("server_type", f"server type {call.body.get('server_type')!r} not found")
    if server["status"] != "off":
        raise refusal("server_not_stopped", "server must be stopped")
    if row.architecture != old.architecture:
        raise refusal("invalid_server_type", "server type has another architecture than the server")
    if row.disk_gb < server["primary_disk_size"]:
        raise refusal("invalid_server_type", "the disk of the server type is smaller than the server's")
    if server["_location"] not in row.locations or is_gone(cloud, row, server["_location"]):
        raise refusal("invalid_server_type", "server type is not offered in the location of the server")
    if sold_out(cloud, row, server["_location"]):
        raise refusal("resource_unavailable", f"server type {row.name} is currently unavailable")
    server["_type"] = row.name
    if flag(call.body, "upgrade_disk", True):
        server["primary_disk_size"] = row.disk_gb
    cloud.event("server.change_type", f"{server['name']} {row.name}", id=server["id"])
    return action_reply(cloud, start(cloud, "change_server_type", [("server", server)]))


@routes.post("/servers/{id}/actions/rebuild")
def rebuild(cloud: Cloud, call: Call) -> Reply:
    """Overwrite a server's disk with an image"""
    server = _target(cloud, call)
    if server["protection"]["rebuild"]:
        raise refusal("protected", "server rebuild is protected")
    row = catalog.server_type(server["_type"])
    assert row is not None
    server["_image"] = fitting_image(cloud, call.body, row)
    if call.body.get("user_data") is not None:
        cloud.store.put("user_data", server["id"], {"text": checked_user_data(call.body)})
    cloud.event("server.rebuild", server["name"], id=server["id"])
    action = start(cloud, "rebuild_server", [("server", server)])
    reply = action_reply(cloud, action)
    return Reply(reply.status, reply.body | {"root_password": None})


@routes.post("/servers/{id}/actions/add_to_placement_group")
def add_to_placement_group(cloud: Cloud, call: Call) -> Reply:
    """Put a server that is off into a placement group"""
    server = _target(cloud, call)
    group = by_id_or_name(cloud, "placement_group", "placement_group", call.body.get("placement_group"))
    if server["_placement_group"] is not None:
        raise refusal("already_in_placement_group", "server is in a placement group already")
    if server["status"] != "off":
        raise refusal("server_not_stopped", "server must be stopped")
    require_place(cloud, group)
    server["_placement_group"] = group["id"]
    return action_reply(cloud, start(cloud, "add_to_placement_group", [("server", server)]))


@routes.post("/servers/{id}/actions/remove_from_placement_group")
def remove_from_placement_group(cloud: Cloud, call: Call) -> Reply:
    """Take a server out of its placement group"""
    server = _target(cloud, call)
    if server["_placement_group"] is None:
        raise invalid("placement_group", "server is in no placement group")
    server["_placement_group"] = None
    return action_reply(cloud, start(cloud, "remove_from_placement_group", [("server", server)]))


@routes.post("/servers/{id}/actions/change_dns_ptr")
def change_dns_ptr(cloud: Cloud, call: Call) -> Reply:
    """Set or clear the reverse DNS entry of one of a server's public addresses"""
    server = _target(cloud, call)
    change_pointer(assigned(cloud, server), call.body)
    for address in assigned(cloud, server):
        cloud.store.put("primary_ip", address["id"], address)
    return action_reply(cloud, start(cloud, "change_dns_ptr", [("server", server)]))
