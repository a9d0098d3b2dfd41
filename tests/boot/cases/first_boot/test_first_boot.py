"""The main case: a control plane and two agents, from power-on to joined, and each of them rebooted."""

from __future__ import annotations

import json

from tests.boot.lab.cluster import Cluster, Lab
from tests.boot.lab.machine import Machine
from tests.boot.lab.observed import addresses, nothing_failed, until_ready


def test_a_cluster_comes_up_and_comes_back(lab: Lab, cluster: Cluster) -> None:
    control_plane = cluster.server("control-plane", volume=cluster.volume())
    agents = [cluster.server(name) for name in ("agent-0", "agent-1")]
    machines = [control_plane, *agents]
    for machine in machines:
        machine.power_on()

    until_ready(control_plane, 3)
    for machine, address in zip(machines, ("10.0.1.10", "10.0.1.20", "10.0.1.21"), strict=True):
        has_its_addresses_only(machine, address)
        trusts_the_public_way_only(lab, machine)
        nothing_failed(machine)
    nodes_have_both_addresses(control_plane, machines)

    for machine in machines:
        machine.reboot()
    until_ready(control_plane, 3)
    for machine in machines:
        nothing_failed(machine)


def nodes_have_both_addresses(control_plane: Machine, machines: list[Machine]) -> None:
    found = addresses(control_plane)
    privates = ("10.0.1.10", "10.0.1.20", "10.0.1.21")
    for name, machine, private in zip(
        ("control-plane", "agent-0", "agent-1"), machines, privates, strict=True
    ):
        assert found[name]["InternalIP"] == private
        assert found[name]["ExternalIP"] == machine.addresses.public_ip


def has_its_addresses_only(machine: Machine, private_ip: str) -> None:
    shown = json.loads(machine.run("ip -json -4 address show dev enp7s0"))[0]
    assert [entry["local"] for entry in shown["addr_info"]] == [private_ip]
    assert shown["mtu"] == 1450
    assert "inet6" not in machine.run("ip -6 address show dev enp7s0")
    assert " dev enp1s0 " in machine.run("ip route get 8.8.8.8")
    assert " dev enp7s0 " in machine.run("ip route get 10.0.1.99")
    assert " via 10.0.0.1 " in machine.run("ip route get 10.0.1.99")


def trusts_the_public_way_only(lab: Lab, machine: Machine) -> None:
    assert " dev enp1s0 " in machine.run("ip route get 169.254.169.254")
    assert machine.addresses.public_ip in {request.address for request in lab.metadata.requests}
    assert all(request.address.startswith("203.0.113.") for request in lab.metadata.requests)
