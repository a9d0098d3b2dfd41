"""The IAM policy of a project: who has which role; read, changed and written back under an etag."""

import base64
import re
from typing import Any

from localcloud.cloud import Cloud
from localcloud.google.fields import mapping, objects, text, texts
from localcloud.google.refusals import invalid, refusal
from localcloud.store import Json

_ROLE = re.compile(r"roles/[a-zA-Z0-9_.]+|(projects|organizations)/[^/]+/roles/[a-zA-Z0-9_.]+")
_MEMBER = re.compile(
    r"(user|group|domain|serviceAccount|principal|principalSet):.+"
    r"|deleted:(user|group|serviceAccount):.+\?uid=\d+"
)

Binding = tuple[str, str]


def shown(policy: Json) -> Json:
    """A policy as the API shows it."""
    return {"version": policy["version"], "etag": _etag(policy), "bindings": policy["bindings"]}


def _etag(policy: Json) -> str:
    return base64.b64encode(f"revision-{policy['revision']:08d}".encode()).decode()


def replace_policy(cloud: Cloud, project_id: str, body: Any) -> Json:
    """Write a policy, if its etag is still the present one (or none was given)."""
    if not isinstance(body, dict):
        raise invalid("policy", body)
    policy = cloud.store.get("policy", project_id)
    assert policy is not None
    if body.get("etag") and body["etag"] != _etag(policy):
        message = (
            "There were concurrent policy changes. "
            "Please retry the whole read-modify-write with exponential backoff."
        )
        raise refusal(409, "aborted", message, rpc_status="ABORTED")
    bindings = _checked_bindings(cloud, policy, objects(body, "bindings", "policy"))
    version = body.get("version") or 1
    if version not in (1, 2, 3) or isinstance(version, bool):
        raise invalid("policy.version", version)
    cloud.event("policy.set", project_id)
    before, after = _pairs(policy["bindings"]), _pairs(bindings)
    for role, member in sorted(after - before):
        cloud.event("iam.bind", f"{role} {member}", project=project_id)
    for role, member in sorted(before - after):
        cloud.event("iam.unbind", f"{role} {member}", project=project_id)
    policy |= {"bindings": bindings, "version": version, "revision": policy["revision"] + 1}
    return cloud.store.put("policy", project_id, policy)


def forget_account(cloud: Cloud, account: Json) -> None:
    """Turn a deleted account's memberships into `deleted:` ones, in every project."""
    alive = f"serviceAccount:{account['email']}"
    gone = f"deleted:{alive}?uid={account['uniqueId']}"
    for project in cloud.store.all("project"):
        policy = cloud.store.get("policy", project["projectId"])
        if policy is None or not any(alive in binding["members"] for binding in policy["bindings"]):
            continue
        for binding in policy["bindings"]:
            binding["members"] = [gone if member == alive else member for member in binding["members"]]
        policy["revision"] += 1
        cloud.store.put("policy", project["projectId"], policy)


def _pairs(bindings: list[Json]) -> set[Binding]:
    return {(binding["role"], member) for binding in bindings for member in binding["members"]}


def _checked_bindings(cloud: Cloud, policy: Json, entries: list[Json]) -> list[Json]:
    """Bindings without empty or double entries, by role."""
    known = {member for _, member in _pairs(policy["bindings"])}
    merged: dict[str, Json] = {}
    for entry in entries:
        role, condition = text(entry, "role"), mapping(entry, "condition")
        if not _ROLE.fullmatch(role):
            raise refusal(400, "badRequest", f"Role {role} is not supported for this resource.")
        members = texts(entry, "members")
        for member in members:
            _check_member(cloud, member, known)
        binding = merged.setdefault(f"{role} {condition}", {"role": role, "members": []})
        binding["members"] = sorted({*binding["members"], *members})
        if condition:
            binding["condition"] = condition
    return [binding for _, binding in sorted(merged.items()) if binding["members"]]


def _check_member(cloud: Cloud, member: str, known: set[str]) -> None:
    if not _MEMBER.fullmatch(member):
        raise refusal(400, "badRequest", f"Invalid member {member!r}: it must have the form type:name.")
    if member.startswith("deleted:") and member not in known:
        raise refusal(400, "badRequest", f"Member {member} was never bound here.")
    email = member.removeprefix("serviceAccount:")
    if email == member or not email.endswith(".iam.gserviceaccount.com"):
        return
    account = cloud.store.get("account", email)
    if account is not None and account["_misses"] > 0:
        account["_misses"] -= 1
        cloud.store.put("account", email, account)
        cloud.store.commit()
        account = None
    if account is None:
        raise refusal(400, "badRequest", f"Service account {email} does not exist.")
