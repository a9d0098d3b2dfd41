"""Bodies and queries that no well-behaved client sends: each is refused with its status and reason."""

from __future__ import annotations

from typing import Any

import httpx
import pytest

PROJECT = "/google/dns/v1/projects/raya-local"
ZONES = f"{PROJECT}/managedZones"
CHANGES = f"{ZONES}/example-org/changes"
ACCOUNTS = "/google/iam/v1/projects/raya-local/serviceAccounts"
POLICY = "/google/cloudresourcemanager/v1/projects/raya-local:setIamPolicy"
A = {"name": "a.example.org.", "type": "A", "ttl": 60, "rrdatas": ["192.0.2.1"]}
SOA = {"name": "a.example.org.", "type": "SOA", "ttl": 60, "rrdatas": ["x. y. 1 2 3 4 5"]}
ZONE = {"name": "b", "dnsName": "b.example.", "description": ""}
NEVER_BOUND = "deleted:serviceAccount:x@y.iam.gserviceaccount.com?uid=1"


def _without(record: dict[str, Any], field: str) -> dict[str, Any]:
    return {key: value for key, value in record.items() if key != field}


def _binding(member: str) -> dict[str, Any]:
    return {"policy": {"bindings": [{"role": "roles/dns.admin", "members": [member]}]}}


@pytest.mark.parametrize(
    ("url", "body", "reason"),
    [
        (CHANGES, {}, (400, "required")),
        (CHANGES, {"additions": ["a"]}, (400, "invalid")),
        (CHANGES, {"additions": [_without(A, "name")]}, (400, "required")),
        (CHANGES, {"additions": [_without(A, "type")]}, (400, "required")),
        (CHANGES, {"additions": [{**A, "rrdatas": ["192.0.2.1", "192.0.2.1"]}]}, (400, "invalid")),
        (CHANGES, {"additions": [{**A, "routingPolicy": {"wrr": {}}}]}, (501, "notImplemented")),
        (CHANGES, {"additions": [A, A]}, (400, "invalid")),
        (CHANGES, {"additions": [SOA]}, (400, "invalidZoneApex")),
        (ZONES, {**ZONE, "visibility": "private"}, (501, "notImplemented")),
        (ZONES, {**ZONE, "description": "x" * 1025}, (400, "invalid")),
        (POLICY, {}, (400, "invalid")),
        (POLICY, _binding(NEVER_BOUND), (400, "badRequest")),
    ],
)
def test_bad_body(http: httpx.Client, url: str, body: dict[str, Any], reason: tuple[int, str]) -> None:
    answer = http.post(url, json=body)
    assert (answer.status_code, answer.json()["error"]["errors"][0]["reason"]) == reason


@pytest.mark.parametrize(
    ("url", "reason"),
    [
        (f"{CHANGES}/99", (404, "notFound")),
        (f"{ZONES}?maxResults=0", (400, "invalid")),
        (f"{ZONES}?maxResults=many", (400, "invalid")),
        (f"{ZONES}?pageToken=x", (400, "invalid")),
        (f"{ZONES}/example-org/rrsets?type=A", (400, "required")),
        (f"{ZONES}/absent", (404, "notFound")),
        (f"{ACCOUNTS}/nobody", (404, "notFound")),
    ],
)
def test_bad_query(http: httpx.Client, url: str, reason: tuple[int, str]) -> None:
    answer = http.get(url)
    assert (answer.status_code, answer.json()["error"]["errors"][0]["reason"]) == reason


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ({"keyAlgorithm": "KEY_ALG_ROT13"}, (400, "invalid")),
        ({"privateKeyType": "TYPE_PKCS12_FILE"}, (501, "notImplemented")),
    ],
)
def test_bad_key(http: httpx.Client, body: dict[str, str], reason: tuple[int, str]) -> None:
    email = http.post(ACCOUNTS, json={"accountId": "external-dns"}).json()["email"]
    answer = http.post(f"{ACCOUNTS}/{email}/keys", json=body)
    assert (answer.status_code, answer.json()["error"]["errors"][0]["reason"]) == reason
    name = http.post(f"{ACCOUNTS}/{email}/keys", json={"keyAlgorithm": "KEY_ALG_RSA_1024"}).json()["name"]
    shown = http.get(f"/google/iam/v1/{name}?publicKeyType=TYPE_ROT13")
    assert shown.status_code == 400
