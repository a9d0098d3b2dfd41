"""Names and addresses of the cluster, decided before any machine exists. Pure arithmetic, written once.

Addresses follow the fleet's positions and nothing else, so that a machine's own configuration can hold them
and a rebuilt machine has the ones it had. Hetzner's rules: docs.hetzner.com/networking/networks/faq.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv4Network
from types import MappingProxyType
from typing import Final

CONTROL_PLANE_NAME: Final = "control-plane"
CONTROL_PLANE_RECORD: Final = "cp"
# The state volume is named after the cluster: <server name prefix><cluster name>-state.
STATE_VOLUME_SUFFIX: Final = "-state"
# In the program, the random id that the stack's things carry as a label.
STACK_ID: Final = "stack-id"
CONTROL_PLANE_HOST: Final = 10
FIRST_AGENT_HOST: Final = 20
# Hetzner answers on it inside every private network; no machine can have it.
RESERVED_ADDRESS: Final = IPv4Address("172.31.1.1")
# What k3s gives to pods and services when it is not told otherwise, and it is not told otherwise here.
POD_RANGE: Final = IPv4Network("10.42.0.0/16")
SERVICE_RANGE: Final = IPv4Network("10.43.0.0/16")

# A private network lives in one zone; a server reaches it only from a location of that zone.
NETWORK_ZONES: Final[Mapping[str, str]] = MappingProxyType(
    {
        "fsn1": "eu-central",
        "hel1": "eu-central",
        "nbg1": "eu-central",
        "ash": "us-east",
        "hil": "us-west",
        "sin": "ap-southeast",
    }
)


@dataclass(frozen=True)
class Addresses:
    """Every private address of the cluster. The two networks have passed the settings' checks."""

    network_range: IPv4Network
    nodes_subnet: IPv4Network

    @property
    def gateway(self) -> IPv4Address:
        """First address of the network: Hetzner's router, through which all machines reach each other."""
        return self.network_range.network_address + 1

    @property
    def control_plane(self) -> IPv4Address:
        """Host 10 of the nodes subnet."""
        return self.nodes_subnet.network_address + CONTROL_PLANE_HOST

    def agent(self, position: int) -> IPv4Address:
        """Host 20 + position of the nodes subnet. ``ValueError`` where ``holds`` is false."""
        if not self.holds(position):
            raise ValueError(f"agent-{position} has no address in the nodes subnet {self.nodes_subnet}")
        return self.nodes_subnet.network_address + FIRST_AGENT_HOST + position

    def holds(self, position: int) -> bool:
        """Whether the nodes subnet has an address for the agent at this position (its last is broadcast)."""
        return 0 <= position <= self.last_position

    @property
    def last_position(self) -> int:
        """The highest position the nodes subnet has an address for; negative when it has room for none."""
        return self.nodes_subnet.num_addresses - 2 - FIRST_AGENT_HOST


def agent_name(position: int) -> str:
    """Node name and hostname of the agent at ``position``: ``agent-3``."""
    return f"agent-{position}"


def agent_record(position: int) -> str:
    """Label of the agent's A record in the managed zone: ``a3``."""
    return f"a{position}"


def fqdn(record: str, zone: str) -> str:
    """``fqdn("a3", "k8s.example.org")`` is ``a3.k8s.example.org``, without the final dot of Cloud DNS."""
    return f"{record}.{zone}"


def architecture(server_type: str) -> str:
    """``arm`` for Hetzner's Ampere types (cax11, cax21, ...), ``x86`` for all others: as the API has it."""
    return "arm" if server_type.startswith("cax") else "x86"
