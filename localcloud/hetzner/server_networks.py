"""A server's place in private networks."""

from collections.abc import Set
from ipaddress import IPv4Network
from itertools import combinations

from localcloud.cloud import Cloud
from localcloud.hetzner import catalog
from localcloud.hetzner.actions import action_reply, start
from localcloud.hetzner.addresses import (
    choose_private_ip,
    release_private_ip,
    require_assignable,
    taken_private_ips,
)
from localcloud.hetzner.fields import by_id, by_id_or_name, optional_text, require_unlocked, texts
from localcloud.hetzner.networks import require_room
from localcloud.hetzner.refusals import invalid, limit_exceeded, refusal
from localcloud.routing import Call, Reply, Routes
from localcloud.schedule import effect
from localcloud.store import Json

NETWORKS_PER_SERVER = 3
ALIAS_IPS_PER_SERVER = 5

routes = Routes()


def attach_reserved(
    cloud: Cloud, server: Json, network: Json, ip: str, alias_ips: list[str], *, after: Json | None = None
) -> Json:
    """Attach with a checked address. It is held at once; the attachment shows when the action ended."""
    number = cloud.store.next_number("mac_address")
    mac = "86:00:00:" + ":".join(f"{number >> shift & 0xFF:02x}" for shift in (16, 8, 0))
    server["private_net"].append(
        {"network": network["id"], "ip": ip, "alias_ips": alias_ips, "mac_address": mac, "_pending": True}
    )
    cloud.event(
        "network.attach",
        f"{server['name']} -> {network['name']}",
        ip=ip,
        server=server["id"],
        network=network["id"],
    )
    args = {"server": server["id"], "network": network["id"]}
    return start(
        cloud,
        "attach_to_network",
        [("server", server), ("network", network)],
        "network.attached",
        args,
        after=after,
    )


@routes.post("/servers/{id}/actions/attach_to_network")
def attach_to_network(cloud: Cloud, call: Call) -> Reply:
    """Attach a server to a network, with a given or the next free address"""
    server = by_id(cloud, "server", call.params["id"])
    require_unlocked(server, "server")
    network = by_id_or_name(cloud, "network", "network", call.body.get("network"))
    if any(net["network"] == network["id"] for net in server["private_net"]):
        raise refusal("server_already_attached", "server is already attached to the network")
    present = [by_id(cloud, "network", net["network"]) for net in server["private_net"]]
    require_compatible([*present, network])
    require_room(cloud, network)
    zone = (catalog.location(server["_location"]) or {})["network_zone"]
    ip_range = optional_text(call.body, "ip_range")
    ip = choose_private_ip(cloud, network, optional_text(call.body, "ip"), ip_range, zone)
    aliases = _checked_aliases(cloud, network, texts(call.body, "alias_ips"), {ip})
    return action_reply(cloud, attach_reserved(cloud, server, network, ip, aliases))


@routes.post("/servers/{id}/actions/detach_from_network")
def detach_from_network(cloud: Cloud, call: Call) -> Reply:
    """Detach a server from a network; its address is free when the action ended"""
    server, network, _ = _attachment(cloud, call)
    cloud.event(
        "network.detach",
        f"{server['name']} <- {network['name']} ({server['status']})",
        server=server["id"],
        network=network["id"],
        server_status=server["status"],
    )
    args = {"server": server["id"], "network": network["id"]}
    resources = [("server", server), ("network", network)]
    return action_reply(cloud, start(cloud, "detach_from_network", resources, "network.detached", args))


@routes.post("/servers/{id}/actions/change_alias_ips")
def change_alias_ips(cloud: Cloud, call: Call) -> Reply:
    """Replace the alias addresses of a server in a network"""
    server, network, attachment = _attachment(cloud, call)
    own = {attachment["ip"]}
    wanted = _checked_aliases(
        cloud, network, texts(call.body, "alias_ips"), own, mine=set(attachment["alias_ips"])
    )
    attachment["alias_ips"] = wanted
    return action_reply(cloud, start(cloud, "change_alias_ips", [("server", server), ("network", network)]))


@effect("network.attached")
def _attached(cloud: Cloud, args: Json) -> None:
    server = cloud.store.get("server", args["server"])
    if server is None:
        return
    for attachment in list(server["private_net"]):
        if attachment["network"] == args["network"]:
            attachment["_pending"] = False
            if not args["ok"]:
                server["private_net"].remove(attachment)
    cloud.store.put("server", server["id"], server)


@effect("network.detached")
def _detached(cloud: Cloud, args: Json) -> None:
    server = cloud.store.get("server", args["server"])
    if server is None or not args["ok"]:
        return
    for attachment in list(server["private_net"]):
        if attachment["network"] == args["network"]:
            release_private_ip(cloud, attachment["network"], attachment["ip"])
            server["private_net"].remove(attachment)
    cloud.store.put("server", server["id"], server)


def _attachment(cloud: Cloud, call: Call) -> tuple[Json, Json, Json]:
    server = by_id(cloud, "server", call.params["id"])
    require_unlocked(server, "server")
    network = by_id_or_name(cloud, "network", "network", call.body.get("network"))
    for attachment in server["private_net"]:
        if attachment["network"] == network["id"]:
            return server, network, attachment
    raise refusal("not_found", f"server {server['id']} is not attached to network {network['id']}")


def require_compatible(networks: list[Json]) -> None:
    """One server is in few networks, and no two of them overlap."""
    if len(networks) > NETWORKS_PER_SERVER:
        raise limit_exceeded("network", f"a server takes {NETWORKS_PER_SERVER} networks")
    for one, other in combinations(networks, 2):
        if IPv4Network(one["ip_range"]).overlaps(IPv4Network(other["ip_range"])):
            raise refusal("networks_overlap", f"network {other['name']} overlaps with {one['name']}")


def _checked_aliases(
    cloud: Cloud, network: Json, wanted: list[str], own: set[str], mine: Set[str] = frozenset()
) -> list[str]:
    if len(set(wanted)) != len(wanted):
        raise invalid("alias_ips", "must not name an address twice")
    if len(wanted) > ALIAS_IPS_PER_SERVER:
        raise invalid("alias_ips", f"a server takes {ALIAS_IPS_PER_SERVER} alias IPs in a network")
    taken = taken_private_ips(cloud, network) - mine | own
    subnets = [IPv4Network(subnet["ip_range"]) for subnet in network["subnets"]]
    for alias in wanted:
        require_assignable(network, alias, subnets, "alias_ips")
        if alias in taken:
            raise refusal("ip_not_available", f"the IP address {alias} is not available in the network")
    return list(wanted)
