"""What a fleet must not ask of its network."""

from __future__ import annotations

from collections.abc import Iterator

from raya.addressing import FIRST_AGENT_HOST, NETWORK_ZONES, RESERVED_ADDRESS, Addresses
from raya.fleet import Agent, Fleet
from raya.network_settings import NetworkSettings
from raya.wording import Refused, listing


def refusals(fleet: Fleet, *, network: NetworkSettings | None, location: str | None) -> Iterator[Refused]:
    """Every agent without an address or outside the network's zone. What is ``None`` was refused already."""
    for agent in fleet.agents:
        if network is not None:
            yield from _address(agent, fleet.where(agent), network.addresses)
        if location is not None:
            yield from _zone(agent, fleet.where(agent), location)


def _address(agent: Agent, where: str, addresses: Addresses) -> Iterator[Refused]:
    if not addresses.holds(agent.position):
        yield Refused(
            f"{agent.name} would be host {FIRST_AGENT_HOST + agent.position} of network.nodesSubnet "
            f"{addresses.nodes_subnet}, which ends before that ({_room(addresses)}); retire it (null), use "
            "a free position before it, or build the cluster in a larger subnet",
            where=where,
        )
    elif addresses.agent(agent.position) == RESERVED_ADDRESS:
        yield Refused(
            f"{agent.name} would be {RESERVED_ADDRESS}, which Hetzner keeps for itself; retire this "
            "position (null)",
            where=where,
        )


def _room(addresses: Addresses) -> str:
    last = addresses.last_position
    return f"its last position is {last}" if last >= 0 else "it has room for no agent"


def _zone(agent: Agent, where: str, location: str) -> Iterator[Refused]:
    if agent.location is not None and NETWORK_ZONES[agent.location] != NETWORK_ZONES[location]:
        zone = NETWORK_ZONES[location]
        inside = listing(name for name, own in NETWORK_ZONES.items() if own == zone)
        yield Refused(
            f"{agent.name} is in location {agent.location}, network zone {NETWORK_ZONES[agent.location]}; "
            f"the private network follows raya:location {location} and lies in {zone}: take {inside}",
            where=where,
        )
