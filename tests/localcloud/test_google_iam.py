"""Service accounts, keys and policies, through Google's own client."""

from __future__ import annotations

import base64
import json
from typing import Any

import pytest
from cryptography import x509
from cryptography.hazmat.primitives.serialization import load_pem_private_key
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


def test_an_account_is_found_by_email_and_unique_id(google: Google) -> None:
    account = _create(google)
    assert account["email"] == "external-dns@raya-local.iam.gserviceaccount.com"
    assert account["name"] == f"{PARENT}/serviceAccounts/{account['email']}"
    assert len(account["uniqueId"]) == 21
    accounts = google.iam.projects().serviceAccounts()
    for name in (account["name"], f"{PARENT}/serviceAccounts/{account['uniqueId']}",
                 f"projects/-/serviceAccounts/{account['email']}"):  # fmt: skip
        assert google.call(accounts.get(name=name)) == account
    assert google.call(accounts.list(name=PARENT))["accounts"] == [account]


@pytest.mark.parametrize(
    "account_id", ["short", "Upper-case", "with_underscore", "x" * 31, "1digit", "ends-", ""]
)
def test_bad_account_id(google: Google, account_id: str) -> None:
    with pytest.raises(HttpError) as refused:
        _create(google, account_id)
    assert refused.value.status_code == 400


def test_an_account_exists_once_and_comes_again_with_another_id(google: Google) -> None:
    account = _create(google)
    with pytest.raises(HttpError) as refused:
        _create(google)
    assert refused.value.status_code == 409
    google.call(google.iam.projects().serviceAccounts().delete(name=account["name"]))
    assert _create(google)["uniqueId"] != account["uniqueId"]


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


def test_display_name_changes(google: Google) -> None:
    account = _create(google)
    body = {"serviceAccount": {"displayName": "new"}, "updateMask": "displayName"}
    patched = google.call(google.iam.projects().serviceAccounts().patch(name=account["name"], body=body))
    assert patched["displayName"] == "new"
    assert patched["etag"] != account["etag"]


def test_a_key_shows_its_private_half_once(google: Google) -> None:
    account = _create(google)
    keys = google.iam.projects().serviceAccounts().keys()
    key = google.call(keys.create(name=account["name"], body={}))
    file = json.loads(base64.b64decode(key["privateKeyData"]))
    assert (file["type"], file["client_email"], file["project_id"]) == (
        "service_account",
        account["email"],
        PROJECT,
    )
    private = load_pem_private_key(file["private_key"].encode(), None)
    again = google.call(keys.get(name=key["name"], publicKeyType="TYPE_X509_PEM_FILE"))
    assert "privateKeyData" not in again
    certificate = x509.load_pem_x509_certificate(base64.b64decode(again["publicKeyData"]))
    assert certificate.public_key() == private.public_key()
    assert [each["name"] for each in google.call(keys.list(name=account["name"]))["keys"]] == [key["name"]]
    google.call(keys.delete(name=key["name"]))
    with pytest.raises(HttpError) as refused:
        google.call(keys.get(name=key["name"]))
    assert refused.value.status_code == 404


def test_the_private_half_is_not_stored(cloud: RunningCloud, google: Google) -> None:
    account = _create(google)
    key = google.call(google.iam.projects().serviceAccounts().keys().create(name=account["name"], body={}))
    secret = json.loads(base64.b64decode(key["privateKeyData"]))["private_key"].splitlines()[3]
    stored = b"".join(path.read_bytes() for path in cloud.folder.glob("cloud.sqlite*"))
    assert account["email"].encode() in stored
    assert secret.encode() not in stored


def test_ten_keys_are_the_limit(google: Google) -> None:
    account = _create(google)
    keys = google.iam.projects().serviceAccounts().keys()
    body = {"keyAlgorithm": "KEY_ALG_RSA_1024"}
    for _ in range(10):
        google.call(keys.create(name=account["name"], body=body))
    with pytest.raises(HttpError) as refused:
        google.call(keys.create(name=account["name"], body=body))
    assert refused.value.status_code == 400


def test_a_policy_is_written_under_its_etag(google: Google) -> None:
    member = f"serviceAccount:{_create(google)['email']}"
    stale = _policy(google)
    fresh = _bind(google, member)
    assert fresh["etag"] != stale["etag"]
    assert {binding["role"] for binding in fresh["bindings"]} == {ROLE, "roles/owner"}
    with pytest.raises(HttpError) as refused:
        _set(google, stale)
    assert refused.value.status_code == 409
    assert "concurrent policy changes" in refused.value.reason
    assert _members(_policy(google)) == [member]


def test_a_deleted_account_stays_in_the_policy_as_deleted(google: Google) -> None:
    account = _create(google)
    member = f"serviceAccount:{account['email']}"
    _bind(google, member)
    google.call(google.iam.projects().serviceAccounts().delete(name=account["name"]))
    gone = f"deleted:{member}?uid={account['uniqueId']}"
    assert _members(_policy(google)) == [gone]
    _create(google)
    assert sorted(_members(_bind(google, member))) == sorted([gone, member])


@pytest.mark.parametrize(
    ("role", "member"),
    [
        (ROLE, "serviceAccount:nobody-here@raya-local.iam.gserviceaccount.com"),
        (ROLE, "external-dns"),
        ("dns.admin", "user:a@example.org"),
    ],
)
def test_bad_binding(google: Google, role: str, member: str) -> None:
    policy = _policy(google)
    policy["bindings"].append({"role": role, "members": [member]})
    with pytest.raises(HttpError) as refused:
        _set(google, policy)
    assert refused.value.status_code == 400


def test_project(google: Google) -> None:
    project = google.call(google.resource_manager.projects().get(projectId=PROJECT))
    assert project["lifecycleState"] == "ACTIVE"
    assert project["projectNumber"].isdecimal()
    with pytest.raises(HttpError) as refused:
        google.call(google.resource_manager.projects().get(projectId="nobodys"))
    assert refused.value.status_code == 403
