"""Primary IPs: made with each server, or on their own."""

from ipaddress import ip_address, ip_network

from localcloud.cloud import Cloud
from localcloud.hetzner import catalog
from localcloud.hetzner.actions import action_reply, add_action_routes, new_id, rendered, start
from localcloud.hetzner.addresses import next_public_ipv4, next_public_ipv6
from localcloud.hetzner.fields import (
    by_id,
    by_id_or_name,
    flag,
    name,
    optional_text,
    public,
    require_unique,
    require_unlocked,
    require_unprotected,
    text,
)
from localcloud.hetzner.labels import checked_labels
from localcloud.hetzner.lists import listing
from localcloud.hetzner.refusals import invalid, limit_exceeded, refusal
from localcloud.hetzner.updates import rename_and_relabel
from localcloud.routing import Call, Reply, Routes
from localcloud.store import Json

routes = Routes()
add_action_routes(routes, "primary_ips", "primary_ip")


def shown(address: Json) -> Json:
    """A primary IP as the API shows it."""
    return public(address) | {"location": catalog.location(address["_location"])}


def assigned(cloud: Cloud, server: Json) -> list[Json]:
    """The primary IPs of a server."""
    return [address for address in cloud.store.all("primary_ip") if address["assignee_id"] == server["id"]]


def give_auto_ip(cloud: Cloud, server: Json, version: str) -> Json:
    """A new address for a new server; it goes with the server."""
    return _made(
        cloud, version, f"primary_ip-{server['id']}-{version}", server["_location"], server["id"], True, {}
    )


def let_go(cloud: Cloud, address: Json) -> None:
    """Called when the server goes: the address goes too, or stays unassigned."""
    if address["auto_delete"]:
        cloud.store.delete("primary_ip", address["id"])
        return
    address["assignee_id"] = None
    cloud.store.put("primary_ip", address["id"], address)


def change_pointer(addresses: list[Json], body: Json) -> None:
    """Set (or with null clear) the reverse entry of one address; the caller stores them."""
    ip, pointer = _address(text(body, "ip")), optional_text(body, "dns_ptr")
    for address in addresses:
        if ip_address(ip) in ip_network(address["ip"]):
            address["dns_ptr"] = [entry for entry in address["dns_ptr"] if entry["ip"] != ip]
            if pointer is not None:
                address["dns_ptr"].append({"ip": ip, "dns_ptr": pointer})
            elif address["type"] == "ipv4":
                address["dns_ptr"].append({"ip": ip, "dns_ptr": _default_pointer(ip)})
            return
    raise refusal("not_found", f"{ip} is not an address of this resource")


def _address(ip: str) -> str:
    try:
        return str(ip_address(ip))
    except ValueError:
        raise invalid("ip", f"'{ip}' is not an IP address") from None


def _default_pointer(ip: str) -> str:
    return f"static.{'.'.join(reversed(ip.split('.')))}.clients.your-server.de"


def _made(
    cloud: Cloud,
    version: str,
    title: str,
    location: str,
    assignee: int | None,
    auto_delete: bool,
    labels: dict[str, str],
) -> Json:
    if cloud.store.count("primary_ip") >= cloud.setting("primaryIpLimit"):
        raise limit_exceeded("Primary IP")
    ip = next_public_ipv4(cloud) if version == "ipv4" else next_public_ipv6(cloud)
    address: Json = {
        "id": new_id(cloud, "primary_ip"),
        "name": title,
        "type": version,
        "ip": ip,
        "assignee_id": assignee,
        "assignee_type": "server",
        "auto_delete": auto_delete,
        "blocked": False,
        "created": cloud.clock.stamp(),
        "dns_ptr": [{"ip": ip, "dns_ptr": _default_pointer(ip)}] if version == "ipv4" else [],
        "labels": labels,
        "protection": {"delete": False},
        "_location": location,
    }
    return cloud.store.put("primary_ip", address["id"], address)


@routes.get("/primary_ips")
def list_primary_ips(cloud: Cloud, call: Call) -> Reply:
    """The primary IPs, by name, address or labels"""
    return listing(
        call, "primary_ips", cloud.store.all("primary_ip"), shown, ("name", "ip"), ("id", "created")
    )


@routes.get("/primary_ips/{id}")
def get_primary_ip(cloud: Cloud, call: Call) -> Reply:
    """One primary IP"""
    return Reply(200, {"primary_ip": shown(by_id(cloud, "primary_ip", call.params["id"]))})


@routes.post("/primary_ips")
def create_primary_ip(cloud: Cloud, call: Call) -> Reply:
    """Create a primary IP in a location, or assigned to a server that is off"""
    title, version = name(call.body), text(call.body, "type")
    require_unique(cloud, "primary_ip", title)
    if version not in ("ipv4", "ipv6"):
        raise invalid("type", f"'{version}' is not one of ipv4, ipv6")
    assignee = call.body.get("assignee_id")
    if (assignee is None) == (call.body.get("location") is None):
        raise invalid("location", "exactly one of location and assignee_id must be given")
    labels = checked_labels(call.body.get("labels"))
    auto_delete = flag(call.body, "auto_delete", False)
    if assignee is None:
        place = catalog.location(call.body["location"])
        if place is None:
            raise invalid("location", f"location {call.body['location']!r} not found")
        address = _made(cloud, version, title, place["name"], None, auto_delete, labels)
        cloud.event("primary_ip.create", title, ip=address["ip"])
        return Reply(201, {"primary_ip": shown(address), "action": None})
    server = _assignable_server(cloud, assignee, version)
    address = _made(cloud, version, title, server["_location"], server["id"], auto_delete, labels)
    cloud.event("primary_ip.create", title, ip=address["ip"])
    action = start(cloud, "assign_primary_ip", [("primary_ip", address), ("server", server)])
    return Reply(201, {"primary_ip": shown(address), "action": rendered(cloud, action)})


@routes.put("/primary_ips/{id}")
def update_primary_ip(cloud: Cloud, call: Call) -> Reply:
    """Change a primary IP's name, labels or whether it goes with its server"""
    address = by_id(cloud, "primary_ip", call.params["id"])
    rename_and_relabel(cloud, "primary_ip", address, call.body)
    address["auto_delete"] = flag(call.body, "auto_delete", address["auto_delete"])
    cloud.store.put("primary_ip", address["id"], address)
    return Reply(200, {"primary_ip": shown(address)})


@routes.delete("/primary_ips/{id}")
def delete_primary_ip(cloud: Cloud, call: Call) -> Reply:
    """Delete a primary IP that no server has"""
    address = by_id(cloud, "primary_ip", call.params["id"])
    require_unprotected(address, "primary_ip")
    if address["assignee_id"] is not None:
        raise refusal("must_be_unassigned", "primary IP is assigned to a resource; unassign it first")
    cloud.store.delete("primary_ip", address["id"])
    cloud.event("primary_ip.delete", address["name"], ip=address["ip"])
    return Reply(204)


@routes.post("/primary_ips/{id}/actions/assign")
def assign(cloud: Cloud, call: Call) -> Reply:
    """Assign a primary IP to a server that is off"""
    address = by_id(cloud, "primary_ip", call.params["id"])
    if address["assignee_id"] is not None:
        raise refusal("primary_ip_already_assigned", "primary IP is already assigned")
    server = _assignable_server(cloud, call.body.get("assignee_id"), address["type"])
    if server["_location"] != address["_location"]:
        raise invalid(
            "assignee_id", f"primary IP is in {address['_location']}, server in {server['_location']}"
        )
    address["assignee_id"] = server["id"]
    return action_reply(
        cloud, start(cloud, "assign_primary_ip", [("primary_ip", address), ("server", server)])
    )


@routes.post("/primary_ips/{id}/actions/unassign")
def unassign(cloud: Cloud, call: Call) -> Reply:
    """Take a primary IP from its server, which must be off"""
    address = by_id(cloud, "primary_ip", call.params["id"])
    if address["assignee_id"] is None:
        raise refusal("primary_ip_not_assigned", "primary IP is not assigned")
    _require_off(by_id(cloud, "server", address["assignee_id"]))
    address["assignee_id"] = None
    return action_reply(cloud, start(cloud, "unassign_primary_ip", [("primary_ip", address)]))


@routes.post("/primary_ips/{id}/actions/change_protection")
def change_protection(cloud: Cloud, call: Call) -> Reply:
    """Protect a primary IP against deletion"""
    address = by_id(cloud, "primary_ip", call.params["id"])
    address["protection"] = {"delete": flag(call.body, "delete", address["protection"]["delete"])}
    return action_reply(cloud, start(cloud, "change_protection", [("primary_ip", address)]))


@routes.post("/primary_ips/{id}/actions/change_dns_ptr")
def change_dns_ptr(cloud: Cloud, call: Call) -> Reply:
    """Set or clear the reverse DNS entry of a primary IP"""
    address = by_id(cloud, "primary_ip", call.params["id"])
    change_pointer([address], call.body)
    return action_reply(cloud, start(cloud, "change_dns_ptr", [("primary_ip", address)]))


def _assignable_server(cloud: Cloud, key: object, version: str) -> Json:
    server = by_id_or_name(cloud, "server", "assignee_id", key)
    require_unlocked(server, "server")
    _require_off(server)
    if any(address["type"] == version for address in assigned(cloud, server)):
        raise refusal("server_has_" + version, f"server has a primary {version} already")
    return server


def _require_off(server: Json) -> None:
    if server["status"] != "off":
        raise refusal("server_not_stopped", "server must be stopped")
