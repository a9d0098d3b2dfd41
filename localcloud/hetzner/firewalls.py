"""Firewalls: rules, and the servers they are applied to."""

from ipaddress import ip_network

from localcloud.cloud import Cloud
from localcloud.hetzner.actions import add_action_routes, new_id, rendered, start
from localcloud.hetzner.fields import (
    by_id,
    by_id_or_name,
    mapping,
    name,
    objects,
    optional_text,
    public,
    require_unique,
    text,
    texts,
)
from localcloud.hetzner.labels import checked_labels, matches
from localcloud.hetzner.lists import listing
from localcloud.hetzner.primary_ips import assigned
from localcloud.hetzner.refusals import invalid, limit_exceeded, refusal
from localcloud.hetzner.updates import rename_and_relabel
from localcloud.routing import Call, Reply, Routes
from localcloud.schedule import effect
from localcloud.store import Json

RULES_PER_FIREWALL = 50
RANGES_PER_RULE = 100
FIREWALLS_PER_SERVER = 5
PROTOCOLS = ("tcp", "udp", "icmp", "esp", "gre")

routes = Routes()
add_action_routes(routes, "firewalls", "firewall")


def shown(cloud: Cloud, firewall: Json) -> Json:
    """A firewall as the API shows it."""
    applied: list[Json] = [{"type": "server", "server": {"id": int(key)}} for key in firewall["_servers"]]
    for selector in firewall["_selectors"]:
        servers = [
            {"type": "server", "server": {"id": server["id"]}}
            for server in cloud.store.all("server")
            if matches(selector, server["labels"])
        ]
        applied.append(
            {
                "type": "label_selector",
                "label_selector": {"selector": selector},
                "applied_to_resources": servers,
            }
        )
    return public(firewall) | {"applied_to": applied}


@routes.get("/firewalls")
def list_firewalls(cloud: Cloud, call: Call) -> Reply:
    """The firewalls, by name or labels"""
    return listing(call, "firewalls", cloud.store.all("firewall"), lambda one: shown(cloud, one))


@routes.get("/firewalls/{id}")
def get_firewall(cloud: Cloud, call: Call) -> Reply:
    """One firewall"""
    return Reply(200, {"firewall": shown(cloud, by_id(cloud, "firewall", call.params["id"]))})


def _name(body: Json) -> str:
    return name(body, 128)


@routes.post("/firewalls")
def create_firewall(cloud: Cloud, call: Call) -> Reply:
    """Create a firewall, applied to servers or label selectors if given"""
    firewall_name = _name(call.body)
    require_unique(cloud, "firewall", firewall_name)
    rules = _checked_rules(call.body)
    labels = checked_labels(call.body.get("labels"))
    targets = _targets(cloud, objects(call.body, "apply_to"), "apply_to")
    number = new_id(cloud, "firewall")
    firewall: Json = {
        "id": number,
        "name": firewall_name,
        "labels": labels,
        "created": cloud.clock.stamp(),
        "rules": rules,
        "_servers": {},
        "_selectors": [],
    }
    cloud.store.put("firewall", number, firewall)
    cloud.event("firewall.create", firewall_name, id=number, rules=len(rules))
    actions = [start(cloud, "set_firewall_rules", [("firewall", firewall)])] if rules else []
    actions += _apply(cloud, firewall, targets)
    return Reply(
        201, {"firewall": shown(cloud, firewall), "actions": [rendered(cloud, one) for one in actions]}
    )


@routes.put("/firewalls/{id}")
def update_firewall(cloud: Cloud, call: Call) -> Reply:
    """Change a firewall's name or labels"""
    firewall = by_id(cloud, "firewall", call.params["id"])
    rename_and_relabel(cloud, "firewall", firewall, call.body, _name)
    cloud.store.put("firewall", firewall["id"], firewall)
    return Reply(200, {"firewall": shown(cloud, firewall)})


@routes.delete("/firewalls/{id}")
def delete_firewall(cloud: Cloud, call: Call) -> Reply:
    """Delete a firewall that is applied to nothing"""
    firewall = by_id(cloud, "firewall", call.params["id"])
    if firewall["_servers"] or firewall["_selectors"]:
        raise refusal("resource_in_use", "firewall is still applied to a resource")
    cloud.store.delete("firewall", firewall["id"])
    cloud.event("firewall.delete", firewall["name"], id=firewall["id"])
    return Reply(204)


@routes.post("/firewalls/{id}/actions/set_rules")
def set_rules(cloud: Cloud, call: Call) -> Reply:
    """Replace all rules of a firewall"""
    firewall = by_id(cloud, "firewall", call.params["id"])
    firewall["rules"] = _checked_rules(call.body)
    cloud.event("firewall.set_rules", firewall["name"], rules=len(firewall["rules"]))
    return _actions_reply(cloud, [start(cloud, "set_firewall_rules", [("firewall", firewall)])])


@routes.post("/firewalls/{id}/actions/apply_to_resources")
def apply_to_resources(cloud: Cloud, call: Call) -> Reply:
    """Apply a firewall to servers or label selectors"""
    firewall = by_id(cloud, "firewall", call.params["id"])
    targets = _targets(cloud, objects(call.body, "apply_to"), "apply_to")
    for server in targets[0]:
        if str(server["id"]) in firewall["_servers"]:
            raise refusal("firewall_already_applied", f"firewall is already applied to server {server['id']}")
    return _actions_reply(cloud, _apply(cloud, firewall, targets))


@routes.post("/firewalls/{id}/actions/remove_from_resources")
def remove_from_resources(cloud: Cloud, call: Call) -> Reply:
    """Take a firewall off servers or label selectors"""
    firewall = by_id(cloud, "firewall", call.params["id"])
    servers, selectors = _targets(cloud, objects(call.body, "remove_from"), "remove_from")
    # Once refused with firewall_already_removed; since August 2025 the API takes it for done.
    servers = [one for one in servers if firewall["_servers"].pop(str(one["id"]), None) is not None]
    for server in servers:
        cloud.event("firewall.remove", f"{firewall['name']} <- {server['name']}")
    firewall["_selectors"] = [one for one in firewall["_selectors"] if one not in selectors]
    cloud.store.put("firewall", firewall["id"], firewall)
    actions = [
        start(cloud, "remove_firewall", [("firewall", firewall), ("server", server)]) for server in servers
    ]
    return _actions_reply(cloud, actions)


def _actions_reply(cloud: Cloud, actions: list[Json]) -> Reply:
    return Reply(201, {"actions": [rendered(cloud, one) for one in actions]})


def _targets(cloud: Cloud, entries: list[Json], field: str) -> tuple[list[Json], list[str]]:
    servers, selectors = [], []
    for entry in entries:
        kind = text(entry, "type")
        if kind == "server":
            servers.append(by_id_or_name(cloud, "server", field, mapping(entry, "server").get("id")))
        elif kind == "label_selector":
            selector = text(mapping(entry, "label_selector"), "selector")
            matches(selector, {})
            selectors.append(selector)
        else:
            raise invalid(field, f"type '{kind}' is not one of server, label_selector")
    for server in servers:
        if field == "apply_to" and not assigned(cloud, server):
            raise refusal("private_net_only_server", f"server {server['id']} has no public interface")
        others = [one for one in cloud.store.all("firewall") if str(server["id"]) in one["_servers"]]
        if field == "apply_to" and len(others) >= FIREWALLS_PER_SERVER:
            raise limit_exceeded("firewall", f"a server takes {FIREWALLS_PER_SERVER} firewalls")
    return servers, selectors


def _apply(cloud: Cloud, firewall: Json, targets: tuple[list[Json], list[str]]) -> list[Json]:
    servers, selectors = targets
    firewall["_selectors"] = list(dict.fromkeys([*firewall["_selectors"], *selectors]))
    actions = []
    for server in servers:
        firewall["_servers"][str(server["id"])] = "pending"
        cloud.event("firewall.apply", f"{firewall['name']} -> {server['name']}")
        args = {"firewall": firewall["id"], "server": server["id"]}
        resources = [("firewall", firewall), ("server", server)]
        actions.append(start(cloud, "apply_firewall", resources, "firewall.applied", args))
    cloud.store.put("firewall", firewall["id"], firewall)
    return actions


@effect("firewall.applied")
def _applied(cloud: Cloud, args: Json) -> None:
    firewall = cloud.store.get("firewall", args["firewall"])
    if firewall is None or str(args["server"]) not in firewall["_servers"]:
        return
    if args["ok"]:
        firewall["_servers"][str(args["server"])] = "applied"
    else:
        del firewall["_servers"][str(args["server"])]
    cloud.store.put("firewall", firewall["id"], firewall)


def _checked_rules(body: Json) -> list[Json]:
    rules = objects(body, "rules")
    if len(rules) > RULES_PER_FIREWALL:
        raise invalid("rules", f"a firewall takes {RULES_PER_FIREWALL} rules")
    return [_checked_rule(rule, f"rules.{index}") for index, rule in enumerate(rules)]


def _checked_rule(rule: Json, where: str) -> Json:
    direction, protocol, port = rule.get("direction"), rule.get("protocol"), rule.get("port")
    if direction not in ("in", "out"):
        raise invalid(f"{where}.direction", "must be in or out")
    if protocol not in PROTOCOLS:
        raise invalid(f"{where}.protocol", f"must be one of {', '.join(PROTOCOLS)}")
    if (protocol in ("tcp", "udp")) != bool(port):
        raise invalid(f"{where}.port", "is required for tcp and udp, and for nothing else")
    if port is not None and not _is_port(str(port)):
        raise invalid(f"{where}.port", f"'{port}' is neither any, a port, nor a range of ports")
    field, other = (
        ("source_ips", "destination_ips") if direction == "in" else ("destination_ips", "source_ips")
    )
    ranges = texts(rule, field)
    if not 1 <= len(ranges) <= RANGES_PER_RULE:
        raise invalid(f"{where}.{field}", f"must list 1 to {RANGES_PER_RULE} ranges")
    for cidr in ranges:
        _check_range(cidr, f"{where}.{field}")
    if texts(rule, other):
        raise invalid(f"{where}.{other}", f"must be empty when the direction is {direction}")
    return {
        "direction": direction,
        "protocol": protocol,
        "port": str(port) if port is not None else None,
        field: ranges,
        other: [],
        "description": optional_text(rule, "description"),
    }


def _is_port(port: str) -> bool:
    if port == "any":
        return True
    ends = port.split("-")
    numbers = [int(end) for end in ends if end.isdecimal()]
    return (
        len(numbers) == len(ends) <= 2
        and all(1 <= n <= 65535 for n in numbers)
        and numbers == sorted(numbers)
    )


def _check_range(cidr: str, field: str) -> None:
    try:
        ip_network(cidr)
    except ValueError as error:
        raise invalid(field, f"'{cidr}' is not a network: {error}") from None
    if "/" not in cidr:
        raise invalid(field, f"'{cidr}' has no prefix length")
