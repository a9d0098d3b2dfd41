"""The policy of a project: read, changed and written back under its etag."""

from __future__ import annotations

from typing import Any

from googleapiclient.errors import HttpError

from tests.conformance.google_things import GoogleThings
from tests.conformance.waiting import TRIES

Json = dict[str, Any]


class Policy:
    """Remembers what it bound, so that a test can take back just that."""

    def __init__(self, project: GoogleThings) -> None:
        self.project = project
        self._bound: list[tuple[str, str]] = []

    def read(self) -> Json:
        """The policy as it is now, in the version that can hold conditions."""
        body = {"options": {"requestedPolicyVersion": 3}}
        got: Json = self._call("getIamPolicy", body)
        return {**got, "bindings": got.get("bindings", [])}

    def write(self, policy: Json) -> Json:
        """Replace the policy; refused when its etag is not the present one."""
        body = {"policy": policy, "updateMask": "bindings,etag,version"}
        got: Json = self._call("setIamPolicy", body)
        return got

    def members(self, role: str) -> list[str]:
        """Who has a role without a condition."""
        return _members(self.read(), role)

    def bind(self, role: str, member: str) -> Json:
        """Give a member a role."""
        self._bound.append((role, member))
        return self._change(lambda bindings: bindings.append({"role": role, "members": [member]}))

    def unbind_all(self) -> None:
        """Take back what was given."""
        for role, member in self._bound:
            if member in self.members(role):
                self._change(lambda bindings, role=role, member=member: _remove(bindings, role, member))

    def _change(self, edit: Any) -> Json:
        """Read, edit, write; again from the start when somebody else wrote in between."""
        for attempt in range(TRIES):
            policy = self.read()
            edit(policy["bindings"])
            try:
                return self.write(policy)
            except HttpError as refusal:
                if refusal.status_code != 409 or attempt == TRIES - 1:
                    raise
        raise AssertionError("unreachable")

    def _call(self, method: str, body: Json) -> Any:
        projects = self.project.google.resource_manager.projects()
        request = getattr(projects, method)(resource=self.project.target.project, body=body)
        return self.project.google.call(request)


def _members(policy: Json, role: str) -> list[str]:
    plain = [entry for entry in policy["bindings"] if entry["role"] == role and "condition" not in entry]
    return [member for entry in plain for member in entry["members"]]


def _remove(bindings: list[Json], role: str, member: str) -> None:
    for entry in bindings:
        if entry["role"] == role and "condition" not in entry:
            entry["members"] = [each for each in entry["members"] if each != member]
    bindings[:] = [entry for entry in bindings if entry["members"]]
