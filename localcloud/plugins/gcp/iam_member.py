"""projects IAMMember: one member of one role, by reading, changing and writing a project's policy."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from typing import Any

from googleapiclient.errors import HttpError

from ..fields import STRING, Record, fields, may, need, out
from ..resource import Made, Properties, Resource
from .connection import CONSECUTIVE_READS, PAUSE_S, Connection, found

POLICY_VERSION = 3
CONFLICT_RETRIES = 20
_CONDITION = Record(fields(description=may(STRING), expression=need(STRING), title=need(STRING)))


class IAMMember(Resource):
    """Id `<project>/<role>/<member>`, with a condition `…/<title>`; every input replaces."""

    token = "gcp:projects/iAMMember:IAMMember"
    inputs = fields(
        condition=may(_CONDITION, replaces=True),
        member=need(STRING, replaces=True),
        project=need(STRING, replaces=True),
        role=need(STRING, replaces=True),
    )
    outputs = fields(etag=out(STRING))

    def __init__(self, cloud: Connection) -> None:
        self._cloud = cloud

    def create(self, inputs: Properties) -> Made:
        project = inputs["project"]

        def add(policy: dict[str, Any]) -> None:
            members = _binding(policy, inputs, create=True)["members"]
            if inputs["member"] not in members:
                members.append(inputs["member"])

        self._change(project, add)
        for _ in range(CONSECUTIVE_READS):
            policy = self._policy(project)
            time.sleep(PAUSE_S)
        resource_id = f"{project}/{inputs['role']}/{inputs['member']}"
        if inputs.get("condition"):
            resource_id += f"/{inputs['condition']['title']}"
        return Made(resource_id, {**inputs, "etag": policy.get("etag", "")})

    def read(self, resource_id: str, state: Properties) -> Made | None:
        wanted = state or _from_id(resource_id)
        policy = found(lambda: self._policy(wanted["project"]), gone=(403, 404))
        if policy is None or wanted["member"] not in _binding(policy, wanted)["members"]:
            return None
        resource_id = resource_id.replace(" ", "/")
        return Made(resource_id, {**wanted, "etag": policy.get("etag", "")})

    def delete(self, resource_id: str, state: Properties) -> None:
        def remove(policy: dict[str, Any]) -> None:
            binding = _binding(policy, state)
            binding["members"] = [member for member in binding["members"] if member != state["member"]]
            policy["bindings"] = [entry for entry in policy.get("bindings", []) if entry["members"]]

        self._change(state["project"], remove)

    def _policy(self, project: str) -> dict[str, Any]:
        body = {"options": {"requestedPolicyVersion": POLICY_VERSION}}
        return self._cloud.run(self._cloud.projects.getIamPolicy(resource=project, body=body))

    def _change(self, project: str, change: Callable[[dict[str, Any]], None]) -> None:
        """Read, change, write with the etag that was read; another's write in between starts it again."""
        with self._cloud.policy_lock(project):
            for attempt in range(CONFLICT_RETRIES + 1):
                policy = self._policy(project)
                change(policy)
                policy["version"] = POLICY_VERSION
                body = {"policy": policy, "updateMask": "bindings,etag,auditConfigs"}
                try:
                    self._cloud.run(self._cloud.projects.setIamPolicy(resource=project, body=body))
                    return
                except HttpError as error:
                    if error.status_code != 409 or attempt == CONFLICT_RETRIES:
                        raise
                time.sleep(PAUSE_S * (attempt + random.random()))


def _binding(policy: dict[str, Any], wanted: Properties, *, create: bool = False) -> dict[str, Any]:
    """The policy's binding for role and condition; an empty one, added when asked, if there is none."""
    condition = wanted.get("condition") or None
    for binding in policy.get("bindings", []):
        if binding["role"] == wanted["role"] and (binding.get("condition") or None) == condition:
            found_binding: dict[str, Any] = binding
            return found_binding
    fresh: dict[str, Any] = {"role": wanted["role"], "members": []}
    if condition:
        fresh["condition"] = condition
    if create:
        policy.setdefault("bindings", []).append(fresh)
    return fresh


def _from_id(resource_id: str) -> Properties:
    """`<project>/<role>/<member>`; the role itself holds slashes. An import separates them with blanks."""
    if resource_id.count(" ") == 2:
        return dict(zip(("project", "role", "member"), resource_id.split(" "), strict=True))
    project, _, rest = resource_id.partition("/")
    role, _, member = rest.rpartition("/")
    return {"project": project, "role": role, "member": member}
