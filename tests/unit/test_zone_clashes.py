"""Zones in the way of the cluster's, or that it would write into though another cluster manages them."""

from __future__ import annotations

from typing import Any

import pytest

from raya import zone_clashes
from raya.clash import CLUSTER_NAME, DNS_ZONES, PARENT_ZONE, SUBDOMAIN, Clash
from raya.dns_names import cluster_of, zone_description, zone_resource_name
from raya.inventory import Zone
from raya.ownership import Ownership
from tests.unit import example_stack

SERVERS = ("ns-1.", "ns-2.")
PARENT = Zone(name="example-org", dns_name="example.org")


def _zone(dns_name: str, cluster: str | None = None) -> Zone:
    description = zone_description(cluster) if cluster else "by hand"
    name = zone_resource_name(dns_name)
    return Zone(name=name, dns_name=dns_name, description=description, name_servers=SERVERS)


def _clashes(*zones: Zone, state: Any = None, **changes: Any) -> list[Clash]:
    def read() -> Any:
        assert state is not None, "the state need not be read for this"
        return state

    own = Ownership(stack="mine", read_state=read)
    return list(zone_clashes.clashes([PARENT, *zones], example_stack.load(changes), own))


def _refusals(*zones: Zone, state: Any = None, **changes: Any) -> list[str]:
    return [each.sentence for each in _clashes(*zones, state=state, **changes)]


def test_the_parent_and_other_clusters_beside_are_fine() -> None:
    assert _refusals(_zone("blue.example.org", "blue"), _zone("example.net")) == []


def test_ones_own_zone_is_known_by_its_name_and_servers() -> None:
    mine = _zone("k8s.example.org", "prod")
    assert _refusals(mine, state=[mine.thing]) == []
    # Of a cluster that is about to get another zone.
    changes: dict[str, Any] = {"raya:clusterManagedSubdomain": "new"}
    assert _refusals(mine, state=[mine.thing], **changes) == []


@pytest.mark.parametrize(
    ("cluster", "says"),
    [
        ("green", "of the raya cluster green, of which the state of the stack mine does not know. Give"),
        (None, "which no raya cluster made, of which the state of the stack mine does not know. Give"),
        ("prod", "`make recover STACK=mine` brings it back; if another stack calls its cluster so too"),
    ],
)
def test_a_zone_of_the_same_dns_name_is_refused(cluster: str | None, says: str) -> None:
    (sentence,) = _refusals(_zone("k8s.example.org", cluster), state=[])
    assert "already has the zone k8s.example.org (raya-k8s-example-org)" in sentence
    assert says in sentence


def test_another_cluster_of_the_same_name_would_share_the_ownership_of_records() -> None:
    (sentence,) = _refusals(_zone("blue.example.org", "prod"), state=[])
    assert "Give this cluster another raya:clusterName" in sentence


def test_a_parent_that_another_cluster_manages_is_refused() -> None:
    changes: dict[str, Any] = {"raya:dnsParentZone": "k8s.example.net"}
    (sentence,) = _refusals(_zone("k8s.example.net", "green"), **changes)
    assert "raya:dnsParentZone is k8s.example.net, the zone of the raya cluster green" in sentence


def test_publishing_into_another_clusters_zone_is_refused() -> None:
    changes: dict[str, Any] = {"raya:dnsZones": ["k8s.example.org", "blue.example.org"]}
    (sentence,) = _refusals(_zone("blue.example.org", "blue"), **changes)
    assert "raya:dnsZones holds blue.example.org" in sentence
    assert _refusals(_zone("blue.example.org"), **changes) == []


def test_a_zone_between_the_parent_and_ours_would_hide_the_delegation() -> None:
    changes: dict[str, Any] = {"raya:clusterManagedSubdomain": "a.b"}
    (sentence,) = _refusals(_zone("b.example.org"), **changes)
    assert "a.b.example.org lies inside the zone b.example.org" in sentence


def test_a_zone_inside_ours_is_refused_before_ours_is_made_unless_it_is_named() -> None:
    inside = _zone("apps.k8s.example.org")
    (sentence,) = _refusals(inside)
    assert "lies inside k8s.example.org" in sentence
    changes: dict[str, Any] = {"raya:dnsZones": ["k8s.example.org", "apps.k8s.example.org"]}
    assert _refusals(inside, **changes) == []
    mine = _zone("k8s.example.org", "prod")
    assert _refusals(inside, mine, state=[mine.thing]) == []


def test_a_delegation_to_another_place_is_not_taken_over() -> None:
    settings = example_stack.load()
    assert list(zone_clashes.of_delegation([], settings)) == []
    (clash,) = zone_clashes.of_delegation(["ns2.example.net.", "ns1.example.net."], settings)
    assert "delegates k8s.example.org to ns1.example.net., ns2.example.net. already" in clash.sentence
    assert clash.settings == {SUBDOMAIN}


@pytest.mark.parametrize(
    ("zone", "changes", "keys"),
    [
        (_zone("k8s.example.org", "green"), {}, {SUBDOMAIN, DNS_ZONES}),
        (_zone("k8s.example.org", "green"), {"raya:dnsZones": ["apps.example.net"]}, {SUBDOMAIN}),
        (_zone("k8s.example.org", "prod"), {}, {CLUSTER_NAME, SUBDOMAIN, DNS_ZONES}),
        (_zone("blue.example.org", "prod"), {}, {CLUSTER_NAME}),
        (_zone("k.example.net", "blue"), {"raya:dnsParentZone": "k.example.net"}, {PARENT_ZONE}),
        (_zone("b.example.org", "b"), {"raya:dnsZones": ["b.example.org"]}, {DNS_ZONES}),
        (_zone("in.k8s.example.org"), {}, {SUBDOMAIN}),
    ],
)
def test_each_clash_knows_the_settings_that_get_out_of_its_way(
    zone: Zone, changes: dict[str, Any], keys: set[str]
) -> None:
    (clash,) = _clashes(zone, state=[], **changes)
    assert clash.settings == keys


def test_a_description_tells_its_cluster_and_no_other_text_does() -> None:
    assert cluster_of(zone_description("prod")) == "prod"
    assert cluster_of("planted by a seed") is None
