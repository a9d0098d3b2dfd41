"""Network: the firewall's rules are the whole of what reaches a machine from outside."""

from __future__ import annotations

from raya.network import Network, NetworkArgs
from tests.components.recording import RecordingMonitor, declare


def _network(*ssh_sources: str) -> RecordingMonitor:
    args = NetworkArgs(
        resource_name="home",
        ip_range="10.0.0.0/16",
        nodes_subnet="10.0.1.0/24",
        network_zone="eu-central",
        ssh_sources=ssh_sources,
        labels={"managed_by": "raya"},
    )
    return declare(lambda: Network("network", args))


def _ports(monitor: RecordingMonitor) -> dict[str, list[str]]:
    (firewall,) = monitor.of("Firewall")
    assert all(rule["direction"] == "in" for rule in firewall.inputs["rules"])
    return {rule.get("port", rule["protocol"]): rule["sourceIps"] for rule in firewall.inputs["rules"]}


def test_web_and_icmp_from_anywhere_ssh_only_from_the_stated_sources_and_never_the_api() -> None:
    anywhere = ["0.0.0.0/0", "::/0"]
    assert _ports(_network("192.0.2.0/24")) == {
        "80": anywhere,
        "443": anywhere,
        "icmp": anywhere,
        "22": ["192.0.2.0/24"],
    }


def test_no_ssh_source_means_no_ssh_rule_rather_than_an_open_one() -> None:
    assert "22" not in _ports(_network())


def test_subnet_is_in_the_network_and_its_zone() -> None:
    monitor = _network()
    (network,), (subnet,) = monitor.of("Network")[-1:], monitor.of("NetworkSubnet")
    assert network.inputs["ipRange"] == "10.0.0.0/16"
    assert subnet.inputs["ipRange"] == "10.0.1.0/24"
    assert subnet.inputs["networkZone"] == "eu-central"
