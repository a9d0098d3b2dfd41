"""DnsZone and DnsIdentity: where the delegation goes, which zone it is found in, and who may write."""

from __future__ import annotations

import re
from typing import Any

import pytest

from raya.dns_identity import DnsIdentity, DnsIdentityArgs
from raya.dns_names import account_id, zone_resource_name
from raya.dns_zone import DnsZone, DnsZoneArgs, ParentZoneError, find_parent_zone, look_up_zones
from tests.components.recording import RecordingMonitor, declare

ZONES = "gcp:dns/getManagedZones:getManagedZones"


def _zone() -> RecordingMonitor:
    args = DnsZoneArgs(
        project="raya-local",
        cluster_name="home",
        dns_name="k8s.example.org",
        parent_zone="example-org",
        labels={"role": "dns"},
    )

    def program() -> None:
        DnsZone("primary", args).publish("cp", "203.0.113.7")

    return declare(program)


def test_delegation_is_in_the_parent_and_names_the_four_servers_of_the_child() -> None:
    monitor = _zone()
    delegation = monitor.one("RecordSet", "primary-delegation")
    assert delegation.inputs["managedZone"] == "example-org"
    assert delegation.inputs["name"] == "k8s.example.org."
    assert delegation.inputs["type"] == "NS"
    assert delegation.inputs["ttl"] == 3600
    assert len(delegation.inputs["rrdatas"]) == 4
    assert [each.name for each in monitor.of("RecordSet") if each.inputs["type"] == "NS"] == [
        "primary-delegation"
    ]


def test_records_are_in_the_managed_zone_with_a_ttl_of_300_s() -> None:
    record = _zone().one("RecordSet", "cp")
    assert record.inputs["name"] == "cp.k8s.example.org."
    assert record.inputs["managedZone"] == zone_resource_name("k8s.example.org")
    assert record.inputs["ttl"] == 300
    assert record.inputs["rrdatas"] == ["203.0.113.7"]


def test_zone_may_be_deleted_with_what_external_dns_left_in_it() -> None:
    (zone,) = _zone().of("ManagedZone")
    assert zone.inputs["forceDestroy"] is True
    assert zone.inputs["visibility"] == "public"
    assert zone.inputs["description"] == "The machines and applications of the raya cluster home"


def _managed_zone(name: str, dns_name: str, visibility: str = "public") -> dict[str, Any]:
    described = {"description": "by hand", "nameServers": ["ns-1.example.net."]}
    return {"name": name, "dnsName": dns_name, "visibility": visibility, **described}


def _found(*zones: dict[str, Any]) -> str:
    found: list[str] = []
    answers = {ZONES: {"id": "x", "project": "p", "managedZones": list(zones)}}

    def program() -> None:
        found.append(find_parent_zone(look_up_zones("p", "example.org"), "p", "example.org"))

    declare(program, answers=answers)
    return found[0]


def test_parent_zone_is_found_by_its_dns_name_in_any_case() -> None:
    assert _found(_managed_zone("other", "example.com."), _managed_zone("mine", "Example.ORG.")) == "mine"


def test_private_namesake_is_not_taken_for_the_parent() -> None:
    zones = (_managed_zone("inside", "example.org.", "private"), _managed_zone("outside", "example.org."))
    assert _found(*zones) == "outside"


@pytest.mark.parametrize(
    ("zones", "says"),
    [
        ([], "has no public zone for example.org; its zones: none. Create"),
        ([_managed_zone("a", "example.com.")], "its zones: example.com"),
        ([_managed_zone("a", "example.org.", "private")], "a private zone of that name does not count"),
        (
            [_managed_zone("a", "example.org."), _managed_zone("b", "example.org.")],
            "2 public zones .* \\(a, b\\)",
        ),
    ],
)
def test_absent_or_ambiguous_parent_is_a_sentence(zones: list[dict[str, Any]], says: str) -> None:
    with pytest.raises(ParentZoneError, match=says):
        _found(*zones)


def test_identity_has_one_account_one_key_and_dns_admin() -> None:
    args = DnsIdentityArgs(project="raya-local", cluster_name="home")
    monitor = declare(lambda: DnsIdentity("external-dns", args))
    (account,), (member,) = monitor.of("Account"), monitor.of("IAMMember")
    assert account.inputs["accountId"] == "external-dns-home-0a1b2c"
    assert member.inputs["role"] == "roles/dns.admin"
    assert (
        member.inputs["member"]
        == "serviceAccount:external-dns-home-0a1b2c@raya-local.iam.gserviceaccount.com"
    )
    assert len(monitor.of("Key")) == 1


@pytest.mark.parametrize("component", ["external-dns", "cert-manager"])
@pytest.mark.parametrize("cluster", ["a", "home", "x" * 40, "my_Big.Cluster", "a-b-c-d-e-f-g-h-i-j", "---"])
def test_account_id_is_legal_for_every_cluster_name_and_keeps_its_suffix(
    component: str, cluster: str
) -> None:
    name = account_id(component, cluster, "0a1b2c")
    assert re.fullmatch(r"[a-z][a-z0-9-]{4,28}[a-z0-9]", name)
    assert name.endswith("-0a1b2c")


@pytest.mark.parametrize("dns_name", ["k8s.example.org", ".".join(["x" * 60] * 3)])
def test_zone_resource_name_is_legal_and_tells_zones_apart(dns_name: str) -> None:
    name = zone_resource_name(dns_name)
    assert re.fullmatch(r"[a-z][a-z0-9-]{0,61}[a-z0-9]", name)
    assert name != zone_resource_name(f"y{dns_name}")
