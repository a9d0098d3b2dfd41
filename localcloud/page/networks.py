"""Networks and firewalls, as the page shows them."""

from dataclasses import dataclass
from ipaddress import IPv4Network, ip_address

from localcloud.cloud import Cloud
from localcloud.hetzner.labels import matches
from localcloud.hetzner.networks import RESOURCES_PER_NETWORK, attached_servers
from localcloud.hetzner.subnets import contains
from localcloud.page.wording import Cut, counted, cut, ranges
from localcloud.store import Json

MEMBERS_AT_ONCE = 24
_PROTOCOLS = {"tcp": "TCP", "udp": "UDP", "icmp": "ICMP (ping)", "esp": "ESP", "gre": "GRE"}


@dataclass(frozen=True)
class Member:
    """A machine's place in a subnet."""

    ip: str
    server: str
    attaching: bool


@dataclass(frozen=True, kw_only=True)
class Subnet:
    """One subnet with what is attached to it, by address."""

    ip_range: str
    zone: str
    members: Cut[Member]


@dataclass(frozen=True, kw_only=True)
class Network:
    """One private network."""

    id: int
    name: str
    ip_range: str
    gateway: str
    members: int
    members_limit: int
    subnets: tuple[Subnet, ...]
    routes: tuple[str, ...]
    protected: bool


@dataclass(frozen=True, kw_only=True)
class Rule:
    """One rule in words: what (`TCP 22`), and from or to where."""

    direction: str
    what: str
    ranges: str
    description: str


@dataclass(frozen=True, kw_only=True)
class Firewall:
    """One firewall, and in words what it protects."""

    name: str
    rules: tuple[Rule, ...]
    protects: str
    unruled: str
    """What happens to traffic that no rule names."""


def network(cloud: Cloud, thing: Json) -> Network:
    """What may be seen of a network."""
    return Network(
        id=thing["id"],
        name=thing["name"],
        ip_range=thing["ip_range"],
        gateway=str(IPv4Network(thing["ip_range"])[1]),
        members=len(attached_servers(cloud, thing)),
        members_limit=RESOURCES_PER_NETWORK,
        subnets=tuple(_subnet(cloud, thing, subnet) for subnet in thing["subnets"]),
        routes=tuple(f"{route['destination']} via {route['gateway']}" for route in thing["routes"]),
        protected=thing["protection"]["delete"],
    )


def _subnet(cloud: Cloud, thing: Json, subnet: Json) -> Subnet:
    members = [
        Member(net["ip"], server["name"], bool(net.get("_pending")))
        for server in attached_servers(cloud, thing)
        for net in server["private_net"]
        if net["network"] == thing["id"] and contains(subnet["ip_range"], net["ip"])
    ]
    members.sort(key=lambda member: int(ip_address(member.ip)))
    return Subnet(
        ip_range=subnet["ip_range"],
        zone=subnet["network_zone"],
        members=cut(members, MEMBERS_AT_ONCE),
    )


def firewall(cloud: Cloud, thing: Json) -> Firewall:
    """What may be seen of a firewall."""
    rules = tuple(_rule(rule) for rule in thing["rules"])
    comes_in, goes_out = (any(rule.direction == way for rule in rules) for way in ("in", "out"))
    return Firewall(
        name=thing["name"],
        rules=rules,
        protects=_protects(cloud, thing),
        unruled=("Nothing else comes in" if comes_in else "Nothing comes in")
        + ("; nothing else goes out." if goes_out else "; everything goes out."),
    )


def _rule(rule: Json) -> Rule:
    port = {None: "", "any": ", every port", "1-65535": ", every port"}.get(rule["port"], f" {rule['port']}")
    return Rule(
        direction=rule["direction"],
        what=_PROTOCOLS[rule["protocol"]] + port,
        ranges=ranges(rule["source_ips"] if rule["direction"] == "in" else rule["destination_ips"]),
        description=rule["description"] or "",
    )


def _protects(cloud: Cloud, thing: Json) -> str:
    words = [counted(len(thing["_servers"]), "machine")] if thing["_servers"] else []
    for selector in thing["_selectors"]:
        found = sum(matches(selector, server["labels"]) for server in cloud.store.all("server"))
        words.append(f"{counted(found, 'machine')} labelled {selector}")
    return "Protects " + " and ".join(words) if words else "Protects nothing"
