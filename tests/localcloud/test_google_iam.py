"""Service accounts, keys and policies: what a fault makes late, what is kept, what a deletion leaves."""

from __future__ import annotations

import base64
import json
from typing import Any

import pytest
from googleapiclient.errors import HttpError

from tests.cloud import RunningCloud
from tests.discovery import Google

PROJECT = "raya-local"
PARENT = f"projects/{PROJECT}"
ROLE = "roles/dns.admin"


def _create(google: Google, account_id: str = "external-dns") -> dict[str, Any]:
    body = {"accountId": account_id, "serviceAccount": {"displayName": "a name"}}
    made: dict[str, Any] = google.call(google.iam.projects().serviceAccounts().create(name=PARENT, body=body))
    return made


def _policy(google: Google) -> dict[str, Any]:
    body = {"options": {"requestedPolicyVersion": 3}}
    got: dict[str, Any] = google.call(
        google.resource_manager.projects().getIamPolicy(resource=PROJECT, body=body)
    )
    return got


def _set(google: Google, policy: dict[str, Any]) -> dict[str, Any]:
    body = {"policy": policy, "updateMask": "bindings,etag,auditConfigs"}
    got: dict[str, Any] = google.call(
        google.resource_manager.projects().setIamPolicy(resource=PROJECT, body=body)
    )
    return got


def _bind(google: Google, member: str) -> dict[str, Any]:
    policy = _policy(google)
    policy["bindings"].append({"role": ROLE, "members": [member]})
    return _set(google, policy)


def _members(policy: dict[str, Any]) -> list[str]:
    return [
        member for binding in policy["bindings"] if binding["role"] == ROLE for member in binding["members"]
    ]


def test_an_account_may_appear_late(cloud: RunningCloud, google: Google) -> None:
    cloud.fault("late_account", misses=2)
    account = _create(google)
    answers = []
    for _ in range(3):
        try:
            google.call(google.iam.projects().serviceAccounts().get(name=account["name"]))
            answers.append(200)
        except HttpError as error:
            answers.append(error.status_code)
    assert answers == [404, 404, 200]


def test_a_late_account_cannot_be_bound_yet(cloud: RunningCloud, google: Google) -> None:
    cloud.fault("late_account", misses=1)
    account = _create(google)
    with pytest.raises(HttpError) as refused:
        _bind(google, f"serviceAccount:{account['email']}")
    assert refused.value.status_code == 400
    assert "does not exist" in refused.value.reason
    _bind(google, f"serviceAccount:{account['email']}")


def test_the_private_half_is_not_stored(cloud: RunningCloud, google: Google) -> None:
    account = _create(google)
    key = google.call(google.iam.projects().serviceAccounts().keys().create(name=account["name"], body={}))
    secret = json.loads(base64.b64decode(key["privateKeyData"]))["private_key"].splitlines()[3]
    stored = b"".join(path.read_bytes() for path in cloud.folder.glob("cloud.sqlite*"))
    assert account["email"].encode() in stored
    assert secret.encode() not in stored


def test_a_deleted_account_stays_in_the_policy_as_deleted(google: Google) -> None:
    account = _create(google)
    member = f"serviceAccount:{account['email']}"
    _bind(google, member)
    google.call(google.iam.projects().serviceAccounts().delete(name=account["name"]))
    gone = f"deleted:{member}?uid={account['uniqueId']}"
    assert _members(_policy(google)) == [gone]
    _create(google)
    assert sorted(_members(_bind(google, member))) == sorted([gone, member])


def test_unknown_project(google: Google) -> None:
    with pytest.raises(HttpError) as refused:
        google.call(google.resource_manager.projects().get(projectId="nobodys"))
    assert refused.value.status_code == 403
