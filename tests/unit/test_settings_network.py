"""Networks and the fleet that must fit into them. Each is refused in one sentence."""

from __future__ import annotations

from typing import Any

import pytest

from tests.unit.example_stack import problems

# One row: what is set, and what the sentence says.
REFUSED: list[tuple[dict[str, Any], list[str]]] = [
    # Networks.
    (
        {"raya:network": {"nodesSubnet": "10.1.0.0/24"}},
        ['raya:network.nodesSubnet is "10.1.0.0/24"', "not inside network.range 10.0.0.0/16"],
    ),
    ({"raya:network": {"range": "10.0.0.0/25"}}, ["raya:network.range", "/24 or larger"]),
    ({"raya:network": {"nodesSubnet": "10.0.1.0/31"}}, ["raya:network.nodesSubnet", "/30 or larger"]),
    ({"raya:network": {"nodesSubnet": "10.0.1.0/30"}}, ["raya:network.nodesSubnet", "too small", "host 10"]),
    ({"raya:network": {"range": "8.8.0.0/16"}}, ['raya:network.range is "8.8.0.0/16"', "RFC 1918"]),
    ({"raya:network": {"range": "172.0.0.0/8"}}, ["RFC 1918"]),
    ({"raya:network": {"range": "10.42.0.0/16"}}, ["overlaps 10.42.0.0/16", "pods"]),
    ({"raya:network": {"range": "10.43.128.0/17"}}, ["overlaps 10.43.0.0/16", "services"]),
    ({"raya:network": {"range": "10.0.0.0/8"}}, ["overlaps 10.42.0.0/16"]),
    (
        {"raya:network": {"range": "10.0.0.1/16"}},
        ["raya:network.range", "bits set beyond /16", "10.0.0.0/16"],
    ),
    ({"raya:network": {"range": "fd00::/16"}}, ["raya:network.range", "IPv4"]),
    ({"raya:network": {"range": "ten"}}, ['raya:network.range is "ten"', "CIDR"]),
    ({"raya:network": {"range": 10}}, ["raya:network.range", "CIDR", "the number 10"]),
    ({"raya:network": {"route": "0.0.0.0/0"}}, ["raya:network.route", "RFC 1918"]),
    (
        {"raya:network": {"route": "192.168.0.0/16"}},
        ["raya:network.route", "does not contain network.range 10.0.0.0/16"],
    ),
    (
        {
            "raya:network": {
                "range": "172.31.1.0/24",
                "nodesSubnet": "172.31.1.0/24",
                "route": "172.16.0.0/12",
            }
        },
        ["raya:network.range", "gateway would be 172.31.1.1"],
    ),
    # The fleet in its network.
    (
        {"raya:network": {"nodesSubnet": "10.0.1.0/28"}, "raya:fleet": [{}]},
        ["raya:fleet: agents[0]: agent-0 would be host 20", "no agent"],
    ),
    (
        {"raya:network": {"nodesSubnet": "10.0.1.0/27"}, "raya:fleet": [{}] + [None] * 10 + [{}]},
        ["agents[11]: agent-11", "last position is 10"],
    ),
    (
        {"raya:fleet": [{"location": "ash"}]},
        ["raya:fleet: agents[0]: agent-0 is in location ash", "us-east", "fsn1, hel1 or nbg1"],
    ),
    (
        {"raya:fleet": [{}] * 101},
        ["raya:fleet: fleet has 101 agents: a Hetzner network takes 100 resources, control plane included"],
    ),
    (
        {"raya:fleet": [{}], "raya:fleetFile": "deploy/fleet/agents.json"},
        ["raya:fleet and raya:fleetFile are both given"],
    ),
    ({"raya:fleet": None, "raya:fleetFile": "other.json"}, ["/nonexistent/other.json does not exist"]),
    ({"raya:fleet": None, "raya:fleetFile": "a\0b"}, [r'raya:fleetFile is "a\u0000b"', "control"]),
    ({"raya:fleet": None, "raya:fleetFile": "a\ud800b"}, [r'raya:fleetFile is "a\ud800b"', "control"]),
    ({"raya:fleet": None, "raya:fleetFile": "/etc/hosts"}, ["inside the project's folder", "raya:fleet"]),
    ({"raya:fleet": None, "raya:fleetFile": "../../etc/hosts"}, ["inside the project's folder"]),
    ({"raya:fleet": None, "raya:fleetFile": "deploy/../../x"}, ["inside the project's folder"]),
    ({"raya:fleet": None, "raya:fleetFile": "deploy/../x"}, ["/nonexistent/deploy/../x does not exist"]),
    ({"raya:fleet": "[" + "1" * 5000 + "]"}, ["raya:fleet is", "a number of 5000 digits"]),
    ({"raya:firewall": {"sshSources": ["fe80::1%eth0"]}}, ['sshSources[0] is "fe80::1%eth0"', "zone id"]),
    ({"raya:firewall": {"sshSources": ["fe80::%1/64"]}}, ["raya:firewall.sshSources[0]", "zone id"]),
    ({"raya:fleet": None, "raya:fleetFile": ""}, ["raya:fleetFile is empty"]),
    ({"raya:fleet": "null"}, ["raya:fleet: the agents are null", "must be a list"]),
]


@pytest.mark.parametrize(("changes", "parts"), REFUSED, ids=range(len(REFUSED)))
def test_refused_in_one_sentence(changes: dict[str, Any], parts: list[str]) -> None:
    sentences = problems(changes)
    assert len(sentences) == 1, sentences
    assert "\n" not in sentences[0]
    for part in parts:
        assert part in sentences[0]
