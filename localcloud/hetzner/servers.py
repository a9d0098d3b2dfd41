"""Servers: create, read, rename, delete."""

from localcloud.cloud import Cloud
from localcloud.hetzner import catalog, server_types
from localcloud.hetzner.actions import action_reply, add_action_routes, new_id, rendered, start
from localcloud.hetzner.addresses import release_private_ip
from localcloud.hetzner.fields import (
    by_id,
    hostname,
    public,
    require_unlocked,
    require_unprotected,
)
from localcloud.hetzner.lists import listing
from localcloud.hetzner.primary_ips import assigned, give_auto_ip, let_go
from localcloud.hetzner.server_networks import attach_reserved
from localcloud.hetzner.server_order import Order, read_order
from localcloud.hetzner.updates import rename_and_relabel
from localcloud.hetzner.volumes import begin_attach, free_after
from localcloud.routing import Call, Reply, Routes
from localcloud.schedule import effect
from localcloud.store import Json

routes = Routes()
add_action_routes(routes, "servers", "server")


def shown(cloud: Cloud, server: Json) -> Json:
    """A server as the API shows it."""
    row = catalog.server_type(server["_type"])
    assert row is not None
    location = catalog.location(server["_location"])
    image = cloud.store.get("image", server["_image"]["id"]) or server["_image"]
    group = server["_placement_group"]
    offer = next(
        (entry for entry in catalog.type_prices(row) if entry["location"] == server["_location"]), None
    )
    return public(server) | {
        "server_type": server_types.rendered(cloud, row),
        "location": location,
        # Providers made before the property was dropped still read it.
        "datacenter": {
            "id": (location or {})["id"],
            "name": f"{server['_location']}-dc1",
            "description": "",
            "location": location,
        },
        "image": public(image),
        "placement_group": public(by_id(cloud, "placement_group", group)) if group else None,
        "locked": bool(server.get("_busy")),
        "volumes": [volume["id"] for volume in cloud.store.all("volume") if volume["server"] == server["id"]],
        "private_net": [public(net) for net in server["private_net"] if not net.get("_pending")],
        "public_net": _public_net(cloud, server),
        "included_traffic": offer["included_traffic"] if offer else 0,
    }


def _public_net(cloud: Cloud, server: Json) -> Json:
    addresses = {ip["type"]: ip for ip in assigned(cloud, server)}
    v4, v6 = addresses.get("ipv4"), addresses.get("ipv6")
    return {
        "ipv4": v4
        and {
            "id": v4["id"],
            "ip": v4["ip"],
            "blocked": False,
            "dns_ptr": next((entry["dns_ptr"] for entry in v4["dns_ptr"]), None),
        },
        "ipv6": v6 and {"id": v6["id"], "ip": v6["ip"], "blocked": False, "dns_ptr": v6["dns_ptr"]},
        "floating_ips": [],
        "firewalls": [
            {"id": firewall["id"], "status": status}
            for firewall in cloud.store.all("firewall")
            if (status := firewall["_servers"].get(str(server["id"])))
        ],
    }


@routes.get("/servers")
def list_servers(cloud: Cloud, call: Call) -> Reply:
    """The servers, by name, status or labels"""
    return listing(
        call, "servers", cloud.store.all("server"), lambda one: shown(cloud, one), ("name", "status")
    )


@routes.get("/servers/{id}")
def get_server(cloud: Cloud, call: Call) -> Reply:
    """One server"""
    return Reply(200, {"server": shown(cloud, by_id(cloud, "server", call.params["id"]))})


@routes.put("/servers/{id}")
def update_server(cloud: Cloud, call: Call) -> Reply:
    """Change a server's name or labels"""
    server = by_id(cloud, "server", call.params["id"])
    rename_and_relabel(cloud, "server", server, call.body, hostname)
    cloud.store.put("server", server["id"], server)
    return Reply(200, {"server": shown(cloud, server)})


@routes.post("/servers")
def create_server(cloud: Cloud, call: Call) -> Reply:
    """Create a server; an action creates it, a second one starts it"""
    order = read_order(cloud, call.body)
    server = _registered(cloud, order)
    cloud.event("server.create", server["name"], id=server["id"], server_type=order.type_row.name)
    # The account's limit of firewalls and the rest were checked: from here on nothing is refused.
    for firewall in order.firewalls:
        firewall["_servers"][str(server["id"])] = "pending"
        cloud.store.put("firewall", firewall["id"], firewall)
    action = start(cloud, "create_server", [("server", server)], "server.created", {"server": server["id"]})
    follow = (
        [
            start(
                cloud,
                "start_server",
                [("server", server)],
                "server.powered",
                {"server": server["id"], "status": "running"},
                after=action,
            )
        ]
        if order.start
        else []
    )
    for network, ip in order.networks:
        follow.append(attach_reserved(cloud, server, network, ip, [], after=action))
    for volume in order.volumes:
        follow.append(begin_attach(cloud, volume, server, after=action))
    body = {
        "server": shown(cloud, server),
        "action": rendered(cloud, action),
        "next_actions": [rendered(cloud, one) for one in follow],
        "root_password": None if order.ssh_keys else order.root_password,
    }
    return Reply(201, body)


def _registered(cloud: Cloud, order: Order) -> Json:
    number = new_id(cloud, "server")
    server: Json = {
        "id": number,
        "name": order.name,
        "status": "initializing",
        "created": cloud.clock.stamp(),
        "labels": order.labels,
        "protection": {"delete": False, "rebuild": False},
        "private_net": [],
        "load_balancers": [],
        "primary_disk_size": order.type_row.disk_gb,
        "backup_window": None,
        "rescue_enabled": False,
        "iso": None,
        "outgoing_traffic": 0,
        "ingoing_traffic": 0,
        "_type": order.type_row.name,
        "_location": order.location["name"],
        "_image": order.image,
        "_placement_group": order.placement_group,
        "_starts": order.start,
    }
    cloud.store.put("server", number, server)
    cloud.store.put("user_data", number, {"text": order.user_data})
    for version, wanted in order.public_ips.items():
        if wanted is True:
            give_auto_ip(cloud, server, version)
        elif wanted:
            wanted["assignee_id"] = number
            cloud.store.put("primary_ip", wanted["id"], wanted)
    return server


@effect("server.created")
def _created(cloud: Cloud, args: Json) -> None:
    server = by_id(cloud, "server", args["server"])
    if not args["ok"]:
        remove(cloud, server)
        return
    if not server["_starts"]:
        server["status"] = "off"
    for firewall in cloud.store.all("firewall"):
        if str(server["id"]) in firewall["_servers"]:
            firewall["_servers"][str(server["id"])] = "applied"
            cloud.store.put("firewall", firewall["id"], firewall)
    cloud.store.put("server", server["id"], server)


@routes.delete("/servers/{id}")
def delete_server(cloud: Cloud, call: Call) -> Reply:
    """Delete a server; its volumes and networks are detached, its addresses given back"""
    server = by_id(cloud, "server", call.params["id"])
    require_unprotected(server, "server")
    require_unlocked(server, "server")
    was = server["status"]
    cloud.event("server.delete", server["name"], id=server["id"], server_status=was)
    for volume in cloud.store.all("volume"):
        if volume["server"] == server["id"]:
            cloud.event(
                "volume.detach",
                f"{volume['name']} <- {server['name']} ({was})",
                server_status=was,
                volume=volume["id"],
                server=server["id"],
            )
    for attachment in server["private_net"]:
        network = by_id(cloud, "network", attachment["network"])
        cloud.event(
            "network.detach",
            f"{server['name']} <- {network['name']} ({was})",
            server_status=was,
            network=network["id"],
            server=server["id"],
        )
    action = start(
        cloud, "delete_server", [("server", server)], "server.deleted", {"server": server["id"], "was": was}
    )
    server["status"] = "deleting"
    cloud.store.put("server", server["id"], server)
    return action_reply(cloud, action, 200)


@effect("server.deleted")
def _deleted(cloud: Cloud, args: Json) -> None:
    server = by_id(cloud, "server", args["server"])
    if args["ok"]:
        remove(cloud, server)
        return
    server["status"] = args["was"]
    cloud.store.put("server", server["id"], server)


def remove(cloud: Cloud, server: Json) -> None:
    """Take a server out of everything it was in, and forget it."""
    for attachment in server["private_net"]:
        release_private_ip(cloud, attachment["network"], attachment["ip"])
    for volume in cloud.store.all("volume"):
        if server["id"] in (volume["server"], volume.get("_attaching")):
            free_after(cloud, volume, cloud.faults.release_delay_s("volume"))
    for address in assigned(cloud, server):
        let_go(cloud, address)
    for firewall in cloud.store.all("firewall"):
        if firewall["_servers"].pop(str(server["id"]), None):
            cloud.store.put("firewall", firewall["id"], firewall)
    cloud.store.delete("user_data", server["id"])
    cloud.store.delete("server", server["id"])
    cloud.event("server.gone", server["name"], id=server["id"])
