"""Service accounts, their keys, and the project's policy."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator
from typing import Any

import pytest
from cryptography import x509
from cryptography.hazmat.primitives.serialization import load_pem_private_key
from googleapiclient.errors import HttpError

from tests.conformance.google_policy import Policy
from tests.conformance.google_things import GoogleThings
from tests.conformance.refusals import google_refused
from tests.conformance.targets import GOOGLE_POLICY
from tests.conformance.waiting import until

ROLE = "roles/dns.reader"
KEYS_PER_ACCOUNT = 10


def test_an_account_is_found_by_email_and_unique_id(project: GoogleThings) -> None:
    account_id = project.run.name("account")
    account = project.account(account_id)
    assert account["email"] == f"{account_id}@{project.target.project}.iam.gserviceaccount.com"
    assert account["name"] == f"{project.parent}/serviceAccounts/{account['email']}"
    assert len(account["uniqueId"]) == 21
    for name in (
        account["name"],
        f"{project.parent}/serviceAccounts/{account['uniqueId']}",
        f"projects/-/serviceAccounts/{account['email']}",
    ):
        assert project.google.call(project.accounts.get(name=name)) == account


def test_a_new_account_is_seen_after_a_while(project: GoogleThings) -> None:
    account = project.account_at_once()
    until(bool, lambda: project.sees(account), project.target.poll_s)
    listing = project.accounts.list(name=project.parent, pageSize=100)
    assert account["email"] in [each["email"] for each in project.google.call(listing)["accounts"]]


@pytest.mark.parametrize(
    "account_id", ["short", "Upper-case", "with_underscore", "x" * 31, "1digit", "ends-"]
)
def test_bad_account_id(project: GoogleThings, account_id: str) -> None:
    with google_refused(400):
        project.account_at_once(account_id)


def test_an_account_exists_once_and_comes_again_with_another_id(project: GoogleThings) -> None:
    account_id = project.run.name("account")
    account = project.account(account_id)
    with google_refused(409):
        project.account_at_once(account_id)
    project.google.call(project.accounts.delete(name=account["name"]))
    assert project.account_at_once(account_id)["uniqueId"] != account["uniqueId"]


def test_the_display_name_changes(project: GoogleThings) -> None:
    account = project.account()
    body = {"serviceAccount": {"displayName": "new"}, "updateMask": "displayName"}
    patched = project.google.call(project.accounts.patch(name=account["name"], body=body))
    assert (patched["displayName"], patched["description"]) == ("new", account["description"])
    assert patched["etag"] != account["etag"]


def test_a_key_shows_its_private_half_once(project: GoogleThings) -> None:
    account = project.account()
    keys = project.accounts.keys()
    key = project.google.call(keys.create(name=account["name"], body={}))
    file = json.loads(base64.b64decode(key["privateKeyData"]))
    identity = (file["type"], file["client_email"], file["project_id"])
    assert identity == ("service_account", account["email"], project.target.project)
    private = load_pem_private_key(file["private_key"].encode(), None)
    again = _key_when_seen(project, key["name"])
    assert "privateKeyData" not in again
    certificate = x509.load_pem_x509_certificate(base64.b64decode(again["publicKeyData"]))
    assert certificate.public_key() == private.public_key()
    listing = keys.list(name=account["name"], keyTypes="USER_MANAGED")
    assert [each["name"] for each in project.google.call(listing)["keys"]] == [key["name"]]
    project.google.call(keys.delete(name=key["name"]))
    with google_refused(404):
        project.google.call(keys.get(name=key["name"]))


def _key_when_seen(project: GoogleThings, name: str) -> dict[str, Any]:
    """A new key is unknown for a while, as a new account is."""

    def read() -> dict[str, Any] | None:
        try:
            request = project.accounts.keys().get(name=name, publicKeyType="TYPE_X509_PEM_FILE")
            return dict(project.google.call(request))
        except HttpError as refusal:
            if refusal.status_code == 404:
                return None
            raise

    found = until(lambda key: key is not None, read, project.target.poll_s)
    assert found is not None
    return found


def test_an_account_has_ten_keys_at_the_most(project: GoogleThings) -> None:
    account = project.account()
    keys = project.accounts.keys()
    for _ in range(KEYS_PER_ACCOUNT):
        project.google.call(keys.create(name=account["name"], body={"keyAlgorithm": "KEY_ALG_RSA_1024"}))
    with google_refused(400):
        project.google.call(keys.create(name=account["name"], body={}))


def test_the_project_is_active(project: GoogleThings) -> None:
    found = project.google.call(
        project.google.resource_manager.projects().get(projectId=project.target.project)
    )
    assert found["lifecycleState"] == "ACTIVE"
    assert found["projectNumber"].isdecimal()


@pytest.fixture
def policy(project: GoogleThings) -> Iterator[Policy]:
    """The project's policy; whatever is bound in a test is unbound again."""
    if not project.target.may_edit_policy:
        pytest.skip(f"edits who may do what in the project: allowed by {GOOGLE_POLICY}=edit")
    own = Policy(project)
    yield own
    own.unbind_all()


def test_a_policy_is_written_under_its_etag(project: GoogleThings, policy: Policy) -> None:
    member = f"serviceAccount:{project.account()['email']}"
    stale = policy.read()
    fresh = policy.bind(ROLE, member)
    assert fresh["etag"] != stale["etag"]
    # Nobody loses anything by it.
    assert [entry for entry in stale["bindings"] if entry["role"] != ROLE] == [
        entry for entry in fresh["bindings"] if entry["role"] != ROLE
    ]
    with google_refused(409, saying="concurrent policy changes"):
        policy.write(stale)
    assert member in policy.members(ROLE)


@pytest.mark.parametrize(
    ("role", "member"),
    [
        (ROLE, "serviceAccount:nobody-here@{project}.iam.gserviceaccount.com"),
        (ROLE, "no-kind"),
        ("dns.reader", "user:a@example.org"),
    ],
)
def test_a_policy_names_only_what_exists(
    project: GoogleThings, policy: Policy, role: str, member: str
) -> None:
    with google_refused(400):
        policy.bind(role, member.format(project=project.target.project))
