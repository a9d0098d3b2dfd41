"""The rules for network ranges, subnets and routes; pure."""

from ipaddress import IPv4Address, IPv4Network, ip_address

from localcloud.hetzner.catalog import LOCATIONS
from localcloud.hetzner.fields import integer, optional_text, text
from localcloud.hetzner.refusals import invalid, limit_exceeded
from localcloud.store import Json

RFC1918 = tuple(IPv4Network(net) for net in ("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16"))
SUBNETS_PER_NETWORK = 50
ROUTES_PER_NETWORK = 100
ZONES = tuple(dict.fromkeys(row["network_zone"] for row in LOCATIONS))
DOCKER_GATEWAY = IPv4Address("172.31.1.1")  # the gateway of every server's public interface


def contains(ip_range: str, ip: str) -> bool:
    """Whether an address lies in a range."""
    return ip_address(ip) in IPv4Network(ip_range)


def network_range(cidr: str) -> IPv4Network:
    """The range of a network: RFC 1918, at least a /24."""
    net = _parse(cidr, "ip_range")
    if not any(net.subnet_of(private) for private in RFC1918):
        raise invalid("ip_range", f"{cidr} is not part of a private range (RFC 1918)")
    if net.prefixlen > 24:
        raise invalid("ip_range", f"{cidr} is too small: a network has at least a /24")
    return net


def checked_subnet(network: Json, body: Json) -> Json:
    """A subnet as it is kept, or the refusal."""
    kind = text(body, "type")
    if kind not in ("cloud", "server", "vswitch"):
        raise invalid("type", f"'{kind}' is not one of cloud, server, vswitch")
    zone = text(body, "network_zone")
    if zone not in ZONES:
        raise invalid("network_zone", f"'{zone}' is not one of {', '.join(ZONES)}")
    if any(subnet["network_zone"] != zone for subnet in network["subnets"]):
        raise invalid("network_zone", "all subnets of a network must be in the same zone")
    if len(network["subnets"]) >= SUBNETS_PER_NETWORK:
        raise limit_exceeded("subnet", f"a network takes {SUBNETS_PER_NETWORK} subnets")
    whole = IPv4Network(network["ip_range"])
    wanted = optional_text(body, "ip_range")
    net = _parse(wanted, "ip_range") if wanted else _free_range(network, whole)
    _check_range(network, whole, net)
    subnet: Json = {"type": kind, "ip_range": str(net), "network_zone": zone, "gateway": str(whole[1])}
    if kind == "vswitch":
        subnet["vswitch_id"] = integer(body, "vswitch_id")
    return subnet


def _check_range(network: Json, whole: IPv4Network, net: IPv4Network) -> None:
    if not net.subnet_of(whole):
        raise invalid("ip_range", f"{net} is not inside the network {whole}")
    if net.prefixlen > 30:
        raise invalid("ip_range", f"{net} is too small: a subnet has at least a /30")
    for other in network["subnets"]:
        if net.overlaps(IPv4Network(other["ip_range"])):
            raise invalid("ip_range", f"{net} overlaps with the subnet {other['ip_range']}")
    for route in network["routes"]:
        destination = IPv4Network(route["destination"])
        if destination.prefixlen and net.overlaps(destination):
            raise invalid("ip_range", f"{net} overlaps with the route to {route['destination']}")


def _free_range(network: Json, whole: IPv4Network) -> IPv4Network:
    taken = [IPv4Network(subnet["ip_range"]) for subnet in network["subnets"]]
    for candidate in whole.subnets(new_prefix=24):
        if not any(candidate.overlaps(other) for other in taken):
            return candidate
    raise invalid("ip_range", "the network has no free range left")


def checked_route(network: Json, body: Json) -> Json:
    """A route as it is kept, or the refusal."""
    destination = _parse(text(body, "destination"), "destination")
    gateway_text = text(body, "gateway")
    whole = IPv4Network(network["ip_range"])
    if len(network["routes"]) >= ROUTES_PER_NETWORK:
        raise limit_exceeded("route", f"a network takes {ROUTES_PER_NETWORK} routes")
    if destination.prefixlen and not any(destination.subnet_of(private) for private in RFC1918):
        raise invalid("destination", f"{destination} is neither private (RFC 1918) nor 0.0.0.0/0")
    if destination.prefixlen:
        _check_destination(network, whole, destination)
    try:
        gateway = IPv4Address(gateway_text)
    except ValueError:
        raise invalid("gateway", f"'{gateway_text}' is not an IPv4 address") from None
    if gateway not in whole or gateway in (whole[1], DOCKER_GATEWAY):
        raise invalid("gateway", f"{gateway} must be inside the network and not its first address")
    if any(route["destination"] == str(destination) for route in network["routes"]):
        raise invalid("destination", f"the network has a route to {destination} already")
    return {"destination": str(destination), "gateway": str(gateway)}


def _check_destination(network: Json, whole: IPv4Network, destination: IPv4Network) -> None:
    taken = [subnet["ip_range"] for subnet in network["subnets"]]
    taken += [route["destination"] for route in network["routes"] if route["destination"] != "0.0.0.0/0"]
    for other in taken:
        if destination.overlaps(IPv4Network(other)):
            raise invalid("destination", f"{destination} overlaps with {other}")
    if whole[1] in destination or DOCKER_GATEWAY in destination:
        raise invalid("destination", f"{destination} contains a gateway")


def _parse(cidr: str, field: str) -> IPv4Network:
    try:
        return IPv4Network(cidr)
    except ValueError as error:
        raise invalid(field, f"'{cidr}' is not an IPv4 range: {error}") from None
