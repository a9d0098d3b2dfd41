"""IAM: service accounts."""

import base64
import re

from localcloud.cloud import Cloud
from localcloud.google.fields import mapping, text
from localcloud.google.pages import page
from localcloud.google.policies import forget_account
from localcloud.google.projects import project_for
from localcloud.google.refusals import refusal
from localcloud.routing import Call, Reply, Routes
from localcloud.store import Json

API = "iam.googleapis.com"
ACCOUNTS = "/projects/{project}/serviceAccounts"
ACCOUNT_ID = re.compile(r"[a-z]([-a-z0-9]{4,28}[a-z0-9])")

DETAILS = "serviceAccount"

routes = Routes()


def shown(account: Json) -> Json:
    """An account as the API shows it."""
    return {key: value for key, value in account.items() if not key.startswith("_")}


def account_for(cloud: Cloud, call: Call) -> Json:
    """The account a request names by email or unique id; the project may be `-`.

    A new account may still be unknown for a few requests, when a fault says so.
    """
    key = call.params["account"]
    for account in cloud.store.all("account"):
        if key in (account["email"], account["uniqueId"]) and call.params["project"] in (
            "-",
            account["projectId"],
        ):
            project_for(cloud, account["projectId"], API)
            if not late(cloud, account):
                return account
    if call.params["project"] != "-":
        project_for(cloud, call.params["project"], API)
    raise refusal(404, "notFound", f"Unknown service account: {key}")


def late(cloud: Cloud, account: Json) -> bool:
    """Whether the account does not show yet; each question counts."""
    if account["_misses"] <= 0:
        return False
    account["_misses"] -= 1
    cloud.store.put("account", account["email"], account)
    # The refusal that follows must not take the count back.
    cloud.store.commit()
    return True


def _details(call: Call) -> Json:
    return mapping(call.body, DETAILS)


def _etag(cloud: Cloud) -> str:
    return base64.b64encode(f"account-{cloud.store.next_number('account_etag')}".encode()).decode()


@routes.get(ACCOUNTS)
def list_accounts(cloud: Cloud, call: Call) -> Reply:
    """The service accounts of a project"""
    project = project_for(cloud, call.params["project"], API)
    accounts = [shown(one) for one in cloud.store.all("account") if one["projectId"] == project["projectId"]]
    chosen, more = page(call, accounts, "pageSize", 20, 100)
    return Reply(200, ({"accounts": chosen} if chosen else {}) | more)


@routes.post(ACCOUNTS)
def create_account(cloud: Cloud, call: Call) -> Reply:
    """Create a service account"""
    project = project_for(cloud, call.params["project"], API)
    account_id = text(call.body, "accountId")
    if not ACCOUNT_ID.fullmatch(account_id):
        message = (
            f'The account ID "{account_id}" does not match the pattern: it must have 6-30 lower-case '
            "letters, digits and '-', begin with a letter and not end with '-'."
        )
        raise refusal(400, "badRequest", message)
    project_id = project["projectId"]
    email = f"{account_id}@{project_id}.iam.gserviceaccount.com"
    if cloud.store.get("account", email) is not None:
        message = f"Service account {account_id} already exists within project projects/{project_id}."
        raise refusal(409, "alreadyExists", message)
    details = _details(call)
    unique_id = str(100_000_000_000_000_000_000 + cloud.store.next_number("account") * 7_919)
    account: Json = {
        "name": f"projects/{project_id}/serviceAccounts/{email}",
        "projectId": project_id,
        "uniqueId": unique_id,
        "email": email,
        "displayName": text(details, "displayName", DETAILS),
        "description": text(details, "description", DETAILS),
        "etag": _etag(cloud),
        "oauth2ClientId": unique_id,
        "_misses": cloud.faults.account_misses(),
    }
    cloud.store.put("account", email, account)
    cloud.event("account.create", email)
    return Reply(200, shown(account))


@routes.get(ACCOUNTS + "/{account}")
def get_account(cloud: Cloud, call: Call) -> Reply:
    """One service account"""
    return Reply(200, shown(account_for(cloud, call)))


@routes.patch(ACCOUNTS + "/{account}")
def patch_account(cloud: Cloud, call: Call) -> Reply:
    """Change a service account's display name or description"""
    account = account_for(cloud, call)
    details = _details(call)
    for field in text(call.body, "updateMask").replace("display_name", "displayName").split(","):
        if field.strip() in ("displayName", "description"):
            account[field.strip()] = text(details, field.strip(), DETAILS)
    account["etag"] = _etag(cloud)
    cloud.store.put("account", account["email"], account)
    return Reply(200, shown(account))


@routes.delete(ACCOUNTS + "/{account}")
def delete_account(cloud: Cloud, call: Call) -> Reply:
    """Delete a service account; policies keep it as a deleted member"""
    account = account_for(cloud, call)
    for key in cloud.store.all("account_key"):
        if key["_account"] == account["email"]:
            cloud.store.delete("account_key", key["_id"])
    forget_account(cloud, account)
    cloud.store.delete("account", account["email"])
    cloud.event("account.delete", account["email"])
    return Reply(200, {})


@routes.post(ACCOUNTS + "/{account}:disable")
def disable_account(cloud: Cloud, call: Call) -> Reply:
    """Disable a service account"""
    account = account_for(cloud, call)
    account["disabled"] = True
    cloud.store.put("account", account["email"], account)
    return Reply(200, {})


@routes.post(ACCOUNTS + "/{account}:enable")
def enable_account(cloud: Cloud, call: Call) -> Reply:
    """Enable a service account"""
    account = account_for(cloud, call)
    account.pop("disabled", None)
    cloud.store.put("account", account["email"], account)
    return Reply(200, {})
