"""``raya:network`` and ``raya:firewall``: who can reach whom.

Hetzner's rules for private networks: docs.hetzner.com/networking/networks/faq.
"""

from __future__ import annotations

from ipaddress import IPv4Network, IPv6Network, ip_network
from typing import Annotated, Any, Self

from pydantic import AfterValidator, BaseModel, BeforeValidator, Field, Strict, model_validator

from raya.addressing import CONTROL_PLANE_HOST, POD_RANGE, RESERVED_ADDRESS, SERVICE_RANGE, Addresses
from raya.section import SECTION, as_list
from raya.wording import Refused, json_kind, refuse_all

_PRIVATE = tuple(IPv4Network(cidr) for cidr in ("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16"))
_SMALLEST_RANGE_BITS = 24
_SMALLEST_SUBNET_BITS = 30
# Hetzner: 100 addresses in one rule of a firewall.
_MAX_SSH_SOURCES = 100

SSH_SOURCES_STATEMENT = (
    "sshSources has no default and must be stated: [] lets nobody in over SSH, and the kubeconfig, which "
    'goes through an SSH tunnel, is of no use then; ["203.0.113.7/32"] lets one address in; ["0.0.0.0/0", '
    '"::/0"] lets the whole internet try its keys. Write one of them as raya:firewall: {sshSources: [...]}'
)


def _cidr(value: Any) -> IPv4Network | IPv6Network:
    if not isinstance(value, str):
        raise Refused(
            f"it must be a network in CIDR notation as text, not {json_kind(value)}; write 10.0.0.0/16 for "
            "one"
        )
    if "%" in value:
        raise Refused(
            "it has a zone id (the part from % on), which means something on one machine only; write the "
            "network without it, like 2001:db8::/64"
        )
    try:
        return ip_network(value)
    except ValueError:
        pass
    try:
        network = ip_network(value, strict=False)
    except ValueError:
        raise Refused("it is not a network in CIDR notation; write it like 10.0.0.0/16") from None
    raise Refused(
        f"the address has bits set beyond /{network.prefixlen}; the network it lies in is {network}"
    )


def _private_network(value: Any) -> IPv4Network:
    network = _cidr(value)
    if not isinstance(network, IPv4Network):
        raise Refused("Hetzner's private networks are IPv4; write it like 10.0.0.0/16")
    if not any(network.subnet_of(private) for private in _PRIVATE):
        raise Refused(
            "it is not a private network (RFC 1918); take one inside 10.0.0.0/8, 172.16.0.0/12 or "
            "192.168.0.0/16"
        )
    return network


def _range(value: Any) -> IPv4Network:
    network = _private_network(value)
    if network.prefixlen > _SMALLEST_RANGE_BITS:
        raise Refused(f"a Hetzner network is /{_SMALLEST_RANGE_BITS} or larger; 10.0.0.0/16 is the default")
    for taken, owner in ((POD_RANGE, "pods"), (SERVICE_RANGE, "services")):
        if network.overlaps(taken):
            raise Refused(
                f"it overlaps {taken}, which k3s gives to {owner}; take another one, such as 10.0.0.0/16"
            )
    if network.network_address + 1 == RESERVED_ADDRESS:
        raise Refused(
            f"its gateway would be {RESERVED_ADDRESS}, which Hetzner keeps for itself; take another one"
        )
    return network


def _subnet(value: Any) -> IPv4Network:
    network = _private_network(value)
    if network.prefixlen > _SMALLEST_SUBNET_BITS:
        raise Refused(f"a Hetzner subnet is /{_SMALLEST_SUBNET_BITS} or larger; 10.0.1.0/24 is the default")
    if network.num_addresses - 2 < CONTROL_PLANE_HOST:
        raise Refused(
            f"it is too small: the control plane has host {CONTROL_PLANE_HOST} and agents have hosts from "
            "20 on, so /27 is the smallest with agents and /24 the usual one"
        )
    return network


def _once(items: tuple[IPv4Network | IPv6Network, ...]) -> tuple[IPv4Network | IPv6Network, ...]:
    return tuple(dict.fromkeys(items))


class NetworkSettings(BaseModel):
    """The private network. ``route`` is what every machine sends into it through the gateway."""

    model_config = SECTION

    range: Annotated[IPv4Network, BeforeValidator(_range)] = IPv4Network("10.0.0.0/16")
    nodes_subnet: Annotated[IPv4Network, BeforeValidator(_subnet)] = IPv4Network("10.0.1.0/24")
    route: Annotated[IPv4Network, BeforeValidator(_private_network)] = IPv4Network("10.0.0.0/8")

    @model_validator(mode="after")
    def _fit_together(self) -> Self:
        refuse_all([self._subnet_outside(), self._route_elsewhere()])
        return self

    def _subnet_outside(self) -> Refused | None:
        if self.nodes_subnet.subnet_of(self.range):
            return None
        reason = f"it is not inside network.range {self.range}; take a subnet of that, or another range"
        return Refused(reason, at="nodesSubnet", value=str(self.nodes_subnet))

    def _route_elsewhere(self) -> Refused | None:
        # Hetzner networks are routed: a machine reaches its neighbours through this route only. It may
        # contain the pod and service ranges, whose own routes are longer and win.
        if self.range.subnet_of(self.route):
            return None
        reason = (
            f"it does not contain network.range {self.range}, so the machines could not reach each other; "
            "set it to that range or to a private network around it"
        )
        return Refused(reason, at="route", value=str(self.route))

    @property
    def addresses(self) -> Addresses:
        """Every address that follows from these networks."""
        return Addresses(network_range=self.range, nodes_subnet=self.nodes_subnet)


class FirewallSettings(BaseModel):
    """``ssh_sources``: the networks that may reach port 22 (may be none); a bare address is just that one."""

    model_config = SECTION

    ssh_sources: Annotated[
        tuple[Annotated[IPv4Network | IPv6Network, BeforeValidator(_cidr)], ...],
        Strict(False),
        BeforeValidator(as_list("networks in CIDR notation")),
        AfterValidator(_once),
        Field(description=SSH_SOURCES_STATEMENT),
    ]

    @model_validator(mode="after")
    def _few_enough(self) -> Self:
        if len(self.ssh_sources) > _MAX_SSH_SOURCES:
            raise Refused(
                f"it has {len(self.ssh_sources)} networks; a Hetzner firewall rule takes "
                f"{_MAX_SSH_SOURCES}: join neighbours",
                at="sshSources",
                name_value=False,
            )
        return self
