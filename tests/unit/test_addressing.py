"""Names and addresses by position."""

from __future__ import annotations

from ipaddress import IPv4Address, IPv4Network

import pytest
from hypothesis import given
from hypothesis import strategies as st

from raya import addressing
from raya.addressing import Addresses

DEFAULT = Addresses(network_range=IPv4Network("10.0.0.0/16"), nodes_subnet=IPv4Network("10.0.1.0/24"))


def test_the_addresses_of_the_default_networks() -> None:
    assert DEFAULT.gateway == IPv4Address("10.0.0.1")
    assert DEFAULT.control_plane == IPv4Address("10.0.1.10")
    assert DEFAULT.agent(0) == IPv4Address("10.0.1.20")
    assert DEFAULT.agent(234) == IPv4Address("10.0.1.254")


@pytest.mark.parametrize("position", [-1, 235, 236, 10_000])
def test_a_position_outside_the_subnet_has_no_address(position: int) -> None:
    assert not DEFAULT.holds(position)
    with pytest.raises(ValueError, match=f"agent-{position} has no address in the nodes subnet"):
        DEFAULT.agent(position)


@pytest.mark.parametrize(("prefix", "last"), [(22, 1002), (24, 234), (27, 10), (28, -6)])
def test_the_last_position_of_a_subnet(prefix: int, last: int) -> None:
    subnet = IPv4Network(f"10.0.0.0/{prefix}")
    addresses = Addresses(network_range=IPv4Network("10.0.0.0/16"), nodes_subnet=subnet)
    assert addresses.last_position == last
    assert addresses.holds(last) is (last >= 0)
    assert not addresses.holds(last + 1)


def test_names_by_position() -> None:
    assert addressing.agent_name(3) == "agent-3"
    assert addressing.agent_record(3) == "a3"
    assert addressing.fqdn("a3", "k8s.example.org") == "a3.k8s.example.org"
    assert addressing.CONTROL_PLANE_NAME == "control-plane"
    assert addressing.CONTROL_PLANE_RECORD == "cp"


@pytest.mark.parametrize(
    ("server_type", "architecture"),
    [("cx23", "x86"), ("cpx22", "x86"), ("ccx13", "x86"), ("cax11", "arm"), ("cax41", "arm")],
)
def test_the_architecture_of_a_server_type(server_type: str, architecture: str) -> None:
    assert addressing.architecture(server_type) == architecture


@given(st.lists(st.integers(0, 234), unique=True))
def test_no_two_machines_share_an_address(positions: list[int]) -> None:
    taken = [DEFAULT.gateway, DEFAULT.control_plane, *(DEFAULT.agent(position) for position in positions)]
    assert len(set(taken)) == len(taken)
