"""Public and private addresses: which are free, which is next."""

from ipaddress import IPv4Address, IPv4Network, ip_address, ip_network

from localcloud.cloud import Cloud
from localcloud.hetzner.refusals import invalid, refusal
from localcloud.projects import all_projects
from localcloud.schedule import effect
from localcloud.store import Json

# The ranges that documents may use (RFC 5737, RFC 3849): nobody is reached by mistake.
PUBLIC_IPV4 = tuple(
    str(address)
    for net in ("203.0.113.0/24", "198.51.100.0/24", "192.0.2.0/24")
    for address in ip_network(net).hosts()
)
PUBLIC_IPV6 = "2001:db8:"


def next_public_ipv4(cloud: Cloud) -> str:
    """An address that nobody has, and not the one given back a moment ago: the counter only moves on."""
    taken = {
        address["ip"]
        for project in all_projects(cloud.base)
        for address in cloud.of(project).store.all("primary_ip")
    }
    for _ in PUBLIC_IPV4:
        candidate = PUBLIC_IPV4[(cloud.store.next_number("public_ipv4") - 1) % len(PUBLIC_IPV4)]
        if candidate not in taken:
            return candidate
    raise refusal("resource_unavailable", "no public IPv4 address is left")


def next_public_ipv6(cloud: Cloud) -> str:
    """A /64 of its own."""
    number = cloud.store.next_number("public_ipv6")
    return (
        f"{PUBLIC_IPV6}{number >> 16:x}:{number & 0xFFFF:x}::/64"
        if number >> 16
        else f"{PUBLIC_IPV6}{number:x}::/64"
    )


def taken_private_ips(cloud: Cloud, network: Json) -> set[str]:
    """Every held private address of a network, also by an attachment under way or not yet released."""
    taken = {str(held["ip"]) for held in cloud.store.all("held_ip") if held["network"] == network["id"]}
    for server in cloud.store.all("server"):
        for attachment in server["private_net"]:
            if attachment["network"] == network["id"]:
                taken |= {attachment["ip"], *attachment["alias_ips"]}
    return taken


def choose_private_ip(
    cloud: Cloud, network: Json, wanted: str | None, ip_range: str | None, zone: str
) -> str:
    """The wanted address if it may be had, else the first free one of the network's subnets in the zone."""
    subnets = [
        IPv4Network(subnet["ip_range"])
        for subnet in network["subnets"]
        if subnet["network_zone"] == zone and ip_range in (None, subnet["ip_range"])
    ]
    if not subnets:
        raise refusal("no_subnet_available", "the network has no subnet that the server could be attached to")
    taken = taken_private_ips(cloud, network)
    if wanted is None:
        return _first_free(network, subnets, taken)
    require_assignable(network, wanted, subnets, "ip")
    if wanted in taken:
        raise refusal("ip_not_available", f"the IP address {wanted} is not available in the network")
    return wanted


def require_assignable(network: Json, text: str, subnets: list[IPv4Network], field: str) -> None:
    """Refuse an address that no server may have: outside the subnets, a subnet's ends, the gateway."""
    try:
        address = ip_address(text)
    except ValueError:
        raise invalid(field, f"'{text}' is not an IP address") from None
    if not any(address in subnet for subnet in subnets):
        raise invalid(field, f"{text} is not in a subnet of the network")
    if address in _reserved(network, subnets):
        raise invalid(field, f"{text} is reserved: gateway, network or broadcast address")


def _first_free(network: Json, subnets: list[IPv4Network], taken: set[str]) -> str:
    reserved = _reserved(network, subnets)
    for subnet in subnets:
        for address in subnet:
            if address not in reserved and str(address) not in taken:
                return str(address)
    raise refusal("ip_not_available", "no IP address is left in the network")


def _reserved(network: Json, subnets: list[IPv4Network]) -> set[IPv4Address]:
    ends = {end for subnet in subnets for end in (subnet.network_address, subnet.broadcast_address)}
    return ends | {IPv4Network(network["ip_range"])[1], IPv4Address("172.31.1.1")}


def release_private_ip(cloud: Cloud, network_id: int, ip: str) -> None:
    """Called when a private address is given back: keeps it busy when a fault wants that."""
    delay_s = cloud.faults.release_delay_s("private_ip")
    if delay_s > 0:
        key = f"{network_id}/{ip}"
        cloud.store.put("held_ip", key, {"network": network_id, "ip": ip})
        cloud.later(delay_s, "private_ip.free", {"key": key})


@effect("private_ip.free")
def _free(cloud: Cloud, args: Json) -> None:
    cloud.store.delete("held_ip", args["key"])
