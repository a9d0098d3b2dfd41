"""Google's rules one by one: each value alone is wrong, everything beside it is right."""

from __future__ import annotations

from typing import Any

import httpx
import pytest

ZONES = "/google/dns/v1/projects/raya-local/managedZones"
RRSETS = f"{ZONES}/example-org/rrsets"
CHANGES = f"{ZONES}/example-org/changes"
ACCOUNTS = "/google/iam/v1/projects/raya-local/serviceAccounts"
POLICY = "/google/cloudresourcemanager/v1/projects/raya-local"
A = {"name": "a.example.org.", "type": "A", "ttl": 60, "rrdatas": ["192.0.2.1"]}
ZONE = {"name": "k8s", "dnsName": "k8s.example.org.", "description": "d"}


def _reason(answer: httpx.Response) -> tuple[int, str]:
    return answer.status_code, answer.json()["error"]["errors"][0]["reason"]


@pytest.mark.parametrize(
    "change",
    [
        {"name": "a b.example.org."},
        {"name": "a..example.org."},
        {"name": "a.example.com."},
        {"name": "aexample.org."},
        {"name": "a.example.org"},
        {"name": "-.example.org."},
        {"type": "what"},
        {"ttl": True},
        {"ttl": "60"},
        {"ttl": -1},
        {"ttl": 2**31},
        {"rrdatas": ["192.0.2.256"]},
        {"rrdatas": [1]},
        {"rrdatas": "192.0.2.1"},
        {"type": "AAAA"},
        {"type": "CNAME", "rrdatas": ["no dot"]},
    ],
)
def test_bad_records(http: httpx.Client, change: dict[str, Any]) -> None:
    assert _reason(http.post(RRSETS, json=A | change)) == (400, "invalid")
    assert http.post(RRSETS, json=A | {"name": "*.example.org.", "ttl": 2**31 - 1}).status_code == 200


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"ttl": 61}, (412, "conditionNotMet")),
        ({"rrdatas": ["192.0.2.2"]}, (412, "conditionNotMet")),
        ({"rrdatas": ["192.0.2.1", "192.0.2.2"]}, (412, "conditionNotMet")),
        ({"name": "b.example.org."}, (404, "notFound")),
        ({"type": "AAAA", "rrdatas": ["2001:db8::1"]}, (404, "notFound")),
    ],
)
def test_a_deletion_matches_in_everything(
    http: httpx.Client, change: dict[str, Any], reason: tuple[int, str]
) -> None:
    assert http.post(RRSETS, json=A).status_code == 200
    assert _reason(http.post(CHANGES, json={"deletions": [A | change]})) == reason
    assert http.post(CHANGES, json={"deletions": [A]}).status_code == 200


def test_the_soa_is_replaced_at_the_apex_and_nowhere_else(http: httpx.Client) -> None:
    (soa,) = [one for one in http.get(RRSETS).json()["rrsets"] if one["type"] == "SOA"]
    change = {"deletions": [soa], "additions": [soa | {"ttl": 60}]}
    assert http.post(CHANGES, json=change).status_code == 200
    answer = http.post(CHANGES, json={"additions": [soa | {"name": "a.example.org."}]})
    assert _reason(answer) == (400, "invalidZoneApex")


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"labels": {"A": "b"}}, (400, "invalid")),
        ({"labels": {"a": "B"}}, (400, "invalid")),
        ({"labels": {"a": 1}}, (400, "invalid")),
        ({"labels": ["a"]}, (400, "invalid")),
        ({"description": "x" * 1025}, (400, "invalid")),
        ({"description": 1}, (400, "invalid")),
        ({"dnssecConfig": {"state": "on"}}, (501, "notImplemented")),
        ({"forwardingConfig": {"targetNameServers": []}}, (501, "notImplemented")),
        ({"peeringConfig": {"targetNetwork": {}}}, (501, "notImplemented")),
    ],
)
def test_bad_zones(http: httpx.Client, change: dict[str, Any], reason: tuple[int, str]) -> None:
    assert _reason(http.post(ZONES, json=ZONE | change)) == reason
    assert http.post(ZONES, json=ZONE).status_code == 200
    assert _reason(http.patch(f"{ZONES}/k8s", json=change)) == reason
    assert _reason(http.put(f"{ZONES}/k8s", json=ZONE | change)) == reason


@pytest.mark.parametrize("version", [0.5, 4, -1, True, "3"])
def test_bad_versions_of_a_policy(http: httpx.Client, version: Any) -> None:
    answer = http.post(f"{POLICY}:setIamPolicy", json={"policy": {"version": version, "bindings": []}})
    assert _reason(answer) == (400, "invalid")


@pytest.mark.parametrize(
    "binding",
    [
        {"role": "dns.admin", "members": ["user:a@example.org"]},
        {"role": "roles/dns.admin", "members": ["a@example.org"]},
        {"role": "roles/dns.admin", "members": ["serviceAccount:no@raya-local.iam.gserviceaccount.com"]},
    ],
)
def test_bad_bindings(http: httpx.Client, binding: dict[str, Any]) -> None:
    answer = http.post(f"{POLICY}:setIamPolicy", json={"policy": {"bindings": [binding]}})
    assert _reason(answer) == (400, "badRequest")


def test_a_key_is_its_own_accounts(http: httpx.Client) -> None:
    emails = []
    for name in ("external-dns", "cert-manager"):
        emails.append(http.post(ACCOUNTS, json={"accountId": name}).json()["email"])
    first, second = emails
    wish = {"keyAlgorithm": "KEY_ALG_RSA_1024"}
    key = http.post(f"{ACCOUNTS}/{first}/keys", json=wish).json()["name"].rsplit("/", 1)[1]
    assert http.get(f"{ACCOUNTS}/{first}/keys/{key}").status_code == 200
    assert _reason(http.get(f"{ACCOUNTS}/{second}/keys/{key}")) == (404, "notFound")
    assert _reason(http.delete(f"{ACCOUNTS}/{second}/keys/{key}")) == (404, "notFound")
