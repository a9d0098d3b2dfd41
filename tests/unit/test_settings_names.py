"""Names of servers, zones and people, and who may knock. Each is refused in one sentence."""

from __future__ import annotations

from typing import Any

import pytest

from tests.unit.example_stack import problems

LONG_LABEL = "a" * 64
# One row: what is set, and what the sentence says.
REFUSED: list[tuple[dict[str, Any], list[str]]] = [
    # Names.
    ({"raya:clusterName": "Prod"}, ['raya:clusterName is "Prod"', "RFC 1123"]),
    ({"raya:clusterName": "my_cluster"}, ['"my_cluster"', "RFC 1123"]),
    ({"raya:clusterName": "-a"}, ["RFC 1123"]),
    ({"raya:clusterName": ""}, ["raya:clusterName", "RFC 1123"]),
    ({"raya:clusterName": LONG_LABEL}, ["raya:clusterName", "63"]),
    ({"raya:clusterName": "a" * 59}, ["raya:clusterName", "-state", "at most 64", "shorten it by 1"]),
    (
        {"raya:clusterName": "a" * 40, "raya:serverNamePrefix": "b" * 20},
        ["raya:clusterName", "shorten it by 2"],
    ),
    ({"raya:serverNamePrefix": "-blue"}, ['raya:serverNamePrefix is "-blue"', "as in blue-"]),
    ({"raya:serverNamePrefix": "Blue-"}, ["lower-case"]),
    (
        {"raya:serverNamePrefix": "b" * 51},
        ["raya:serverNamePrefix", "control-plane", "at most 63", "shorten the prefix by 1"],
    ),
    (
        {"raya:location": "hel2"},
        ['raya:location is "hel2"', "did you mean hel1?", "fsn1, hel1, nbg1, ash, hil or sin"],
    ),
    ({"gcp:project": "123456789"}, ['gcp:project is "123456789"', "6 to 30"]),
    ({"gcp:project": "My Project"}, ["gcp:project", "not the project's name or number"]),
    # DNS.
    ({"raya:clusterManagedSubdomain": ""}, ["raya:clusterManagedSubdomain", "the parent zone itself"]),
    ({"raya:clusterManagedSubdomain": "."}, ["the parent zone itself"]),
    ({"raya:clusterManagedSubdomain": "example.org"}, ["is the parent zone"]),
    ({"raya:clusterManagedSubdomain": "k8s.Example.org."}, ["repeats the parent zone", "write k8s"]),
    ({"raya:clusterManagedSubdomain": "k8s_1"}, ['"k8s_1"', "not a DNS label"]),
    ({"raya:clusterManagedSubdomain": LONG_LABEL}, ["not a DNS label"]),
    (
        {"raya:clusterManagedSubdomain": ".".join(["a" * 60] * 4)},
        ["raya:clusterManagedSubdomain", "at most 253"],
    ),
    ({"raya:dnsParentZone": ""}, ["raya:dnsParentZone", "it is empty"]),
    ({"raya:dnsParentZone": "example..org"}, ["not a DNS label"]),
    ({"raya:dnsParentZone": "bücher.example"}, ["xn--"]),
    ({"raya:dnsParentZone": "192.0.2.1"}, ["as in an address"]),
    (
        {"raya:dnsZones": ["k8s.example.org", "Example.org."]},
        ["raya:dnsZones: example.org", "parent zone example.org"],
    ),
    ({"raya:dnsZones": ["org"]}, ["raya:dnsZones: org", "parent zone"]),
    ({"raya:dnsZones": ["a b"]}, ['raya:dnsZones[0] is "a b"', "not a DNS label"]),
    ({"raya:dnsZones": "k8s.example.org"}, ["raya:dnsZones", "a list"]),
    # Who may log in.
    ({"raya:authorizedUsers": []}, ["raya:authorizedUsers", "at least one"]),
    ({"raya:authorizedUsers": ["@alice"]}, ['raya:authorizedUsers[0] is "@alice"', "without @"]),
    ({"raya:authorizedUsers": ["alice", "a--b"]}, ["raya:authorizedUsers[1]", "single hyphens"]),
    ({"raya:authorizedUsers": ["../x"]}, ["raya:authorizedUsers[0]"]),
    ({"raya:authorizedUsers": ["a" * 40]}, ["at most 39"]),
    ({"raya:authorizedUsers": [123]}, ["raya:authorizedUsers[0]", "the number 123", "quotes"]),
    ({"raya:authorizedUsers": {"alice": True}}, ["raya:authorizedUsers", "a list of GitHub handles"]),
    ({"raya:authorizedUsers": "alice"}, ["raya:authorizedUsers", "a list or an object in the stack file"]),
    ({"raya:firewall": {"sshSources": "0.0.0.0/0"}}, ["raya:firewall.sshSources", "must be a list"]),
    (
        {"raya:firewall": {"sshSources": ["203.0.113.7/24"]}},
        ["raya:firewall.sshSources[0]", "bits set beyond /24", "203.0.113.0/24"],
    ),
    ({"raya:firewall": {"sshSources": ["home"]}}, ["raya:firewall.sshSources[0]", "CIDR"]),
    (
        {"raya:firewall": {"sshSources": [f"203.0.113.{i}" for i in range(101)]}},
        ["raya:firewall.sshSources", "100"],
    ),
]


@pytest.mark.parametrize(("changes", "parts"), REFUSED, ids=range(len(REFUSED)))
def test_refused_in_one_sentence(changes: dict[str, Any], parts: list[str]) -> None:
    sentences = problems(changes)
    assert len(sentences) == 1, sentences
    assert "\n" not in sentences[0]
    for part in parts:
        assert part in sentences[0]
