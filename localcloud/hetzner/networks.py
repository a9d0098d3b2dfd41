"""Networks, their subnets and their routes."""

from ipaddress import IPv4Network

from localcloud.cloud import Cloud
from localcloud.hetzner import subnets
from localcloud.hetzner.actions import action_reply, add_action_routes, new_id, start
from localcloud.hetzner.addresses import release_private_ip
from localcloud.hetzner.fields import (
    by_id,
    flag,
    name,
    objects,
    public,
    require_unique,
    require_unprotected,
    text,
)
from localcloud.hetzner.labels import checked_labels
from localcloud.hetzner.lists import listing
from localcloud.hetzner.refusals import invalid, limit_exceeded, refusal
from localcloud.hetzner.updates import rename_and_relabel
from localcloud.routing import Call, Reply, Routes
from localcloud.store import Json

RESOURCES_PER_NETWORK = 100

routes = Routes()
add_action_routes(routes, "networks", "network")


def attached_servers(cloud: Cloud, network: Json) -> list[Json]:
    """The servers in a network, also those whose attachment is under way."""
    return [
        server
        for server in cloud.store.all("server")
        if any(net["network"] == network["id"] for net in server["private_net"])
    ]


def require_room(cloud: Cloud, network: Json) -> None:
    """Refuse the 101st resource of a network."""
    if len(attached_servers(cloud, network)) >= RESOURCES_PER_NETWORK:
        raise limit_exceeded("resource", f"a network takes {RESOURCES_PER_NETWORK} resources")


def shown(cloud: Cloud, network: Json) -> Json:
    """A network as the API shows it."""
    servers = [
        server["id"]
        for server in cloud.store.all("server")
        if any(net["network"] == network["id"] and not net.get("_pending") for net in server["private_net"])
    ]
    return public(network) | {"servers": servers, "load_balancers": []}


def _reply(cloud: Cloud, network: Json, status: int = 200) -> Reply:
    return Reply(status, {"network": shown(cloud, network)})


@routes.get("/networks")
def list_networks(cloud: Cloud, call: Call) -> Reply:
    """The networks, by name or labels"""
    return listing(call, "networks", cloud.store.all("network"), lambda one: shown(cloud, one))


@routes.get("/networks/{id}")
def get_network(cloud: Cloud, call: Call) -> Reply:
    """One network"""
    return _reply(cloud, by_id(cloud, "network", call.params["id"]))


@routes.get("/networks/{id}/members")
def list_members(cloud: Cloud, call: Call) -> Reply:
    """What is attached to a network, with addresses and subnet"""
    network = by_id(cloud, "network", call.params["id"])
    members = []
    for server in attached_servers(cloud, network):
        net = next(net for net in server["private_net"] if net["network"] == network["id"])
        ranges = [subnet["ip_range"] for subnet in network["subnets"]]
        members.append(
            {
                "id": server["id"],
                "type": "server",
                "ip": net["ip"],
                "alias_ips": net["alias_ips"],
                "subnet": next((one for one in ranges if subnets.contains(one, net["ip"])), None),
                "status": "attaching" if net.get("_pending") else "ok",
            }
        )
    return listing(call, "members", members, dict, ("type", "status", "subnet"), ("id",))


@routes.post("/networks")
def create_network(cloud: Cloud, call: Call) -> Reply:
    """Create a network, with subnets and routes if given"""
    network_name = name(call.body)
    require_unique(cloud, "network", network_name)
    ip_range = subnets.network_range(text(call.body, "ip_range"))
    if cloud.store.count("network") >= cloud.setting("networkLimit"):
        raise limit_exceeded("network")
    network: Json = {
        "id": 0,
        "name": network_name,
        "created": cloud.clock.stamp(),
        "ip_range": str(ip_range),
        "subnets": [],
        "routes": [],
        "protection": {"delete": False},
        "labels": checked_labels(call.body.get("labels")),
        "expose_routes_to_vswitch": flag(call.body, "expose_routes_to_vswitch", False),
    }
    for subnet in objects(call.body, "subnets"):
        network["subnets"].append(subnets.checked_subnet(network, subnet))
    for route in objects(call.body, "routes"):
        network["routes"].append(subnets.checked_route(network, route))
    network["id"] = new_id(cloud, "network")
    cloud.store.put("network", network["id"], network)
    cloud.event("network.create", network_name, id=network["id"], ip_range=str(ip_range))
    return _reply(cloud, network, 201)


@routes.put("/networks/{id}")
def update_network(cloud: Cloud, call: Call) -> Reply:
    """Change a network's name, labels or exposure to a vSwitch"""
    network = by_id(cloud, "network", call.params["id"])
    rename_and_relabel(cloud, "network", network, call.body)
    network["expose_routes_to_vswitch"] = flag(
        call.body, "expose_routes_to_vswitch", network["expose_routes_to_vswitch"]
    )
    cloud.store.put("network", network["id"], network)
    return _reply(cloud, network)


@routes.delete("/networks/{id}")
def delete_network(cloud: Cloud, call: Call) -> Reply:
    """Delete a network; attached servers lose it"""
    network = by_id(cloud, "network", call.params["id"])
    require_unprotected(network, "network")
    _require_quiet(network)
    for server in attached_servers(cloud, network):
        for net in [net for net in server["private_net"] if net["network"] == network["id"]]:
            cloud.event(
                "network.detach",
                f"{server['name']} <- {network['name']} ({server['status']})",
                server=server["id"],
                network=network["id"],
                server_status=server["status"],
            )
            release_private_ip(cloud, network["id"], net["ip"])
            server["private_net"].remove(net)
        cloud.store.put("server", server["id"], server)
    cloud.store.delete("network", network["id"])
    cloud.event("network.delete", network["name"], id=network["id"])
    return Reply(204)


def _require_quiet(network: Json) -> None:
    """One change of a network's shape at a time; clients retry on `conflict`."""
    if network.get("_busy"):
        raise refusal("conflict", "the network is being changed by another action")


def _change(cloud: Cloud, network: Json, command: str) -> Reply:
    cloud.event(f"network.{command}", network["name"], id=network["id"])
    return action_reply(cloud, start(cloud, command, [("network", network)]))


@routes.post("/networks/{id}/actions/add_subnet")
def add_subnet(cloud: Cloud, call: Call) -> Reply:
    """Add a subnet to a network"""
    network = by_id(cloud, "network", call.params["id"])
    _require_quiet(network)
    network["subnets"] = [*network["subnets"], subnets.checked_subnet(network, call.body)]
    return _change(cloud, network, "add_subnet")


@routes.post("/networks/{id}/actions/delete_subnet")
def delete_subnet(cloud: Cloud, call: Call) -> Reply:
    """Delete a subnet that no server is attached to"""
    network = by_id(cloud, "network", call.params["id"])
    _require_quiet(network)
    ip_range = text(call.body, "ip_range")
    remaining = [subnet for subnet in network["subnets"] if subnet["ip_range"] != ip_range]
    if len(remaining) == len(network["subnets"]):
        raise refusal("not_found", f"the network has no subnet {ip_range}")
    for server in attached_servers(cloud, network):
        for net in server["private_net"]:
            if net["network"] == network["id"] and subnets.contains(ip_range, net["ip"]):
                raise refusal("service_error", "cannot remove subnet because servers are attached to it")
    network["subnets"] = remaining
    return _change(cloud, network, "delete_subnet")


@routes.post("/networks/{id}/actions/add_route")
def add_route(cloud: Cloud, call: Call) -> Reply:
    """Add a route to a network"""
    network = by_id(cloud, "network", call.params["id"])
    _require_quiet(network)
    network["routes"] = [*network["routes"], subnets.checked_route(network, call.body)]
    return _change(cloud, network, "add_route")


@routes.post("/networks/{id}/actions/delete_route")
def delete_route(cloud: Cloud, call: Call) -> Reply:
    """Delete a route of a network"""
    network = by_id(cloud, "network", call.params["id"])
    _require_quiet(network)
    route = {"destination": text(call.body, "destination"), "gateway": text(call.body, "gateway")}
    if route not in network["routes"]:
        raise refusal("not_found", f"the network has no route {route['destination']} via {route['gateway']}")
    network["routes"] = [one for one in network["routes"] if one != route]
    return _change(cloud, network, "delete_route")


@routes.post("/networks/{id}/actions/change_ip_range")
def change_ip_range(cloud: Cloud, call: Call) -> Reply:
    """Widen a network's range; it must keep the network address and all subnets"""
    network = by_id(cloud, "network", call.params["id"])
    _require_quiet(network)
    wanted = subnets.network_range(text(call.body, "ip_range"))
    if not wanted.supernet_of(IPv4Network(network["ip_range"])):
        raise invalid("ip_range", f"must contain the present range {network['ip_range']}")
    network["ip_range"] = str(wanted)
    return _change(cloud, network, "change_ip_range")


@routes.post("/networks/{id}/actions/change_protection")
def change_protection(cloud: Cloud, call: Call) -> Reply:
    """Protect a network against deletion"""
    network = by_id(cloud, "network", call.params["id"])
    network["protection"] = {"delete": flag(call.body, "delete", network["protection"]["delete"])}
    return _change(cloud, network, "change_protection")
