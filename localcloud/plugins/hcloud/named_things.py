"""PlacementGroup and SshKey: a name, labels, and one more property."""

from __future__ import annotations

from hcloud.placement_groups import BoundPlacementGroup
from hcloud.placement_groups.domain import PlacementGroup as ApiPlacementGroup
from hcloud.ssh_keys import BoundSSHKey
from hcloud.ssh_keys.domain import SSHKey as ApiSSHKey

from ..errors import StandInError
from ..fields import INTEGER, STRING, ListOf, fields, may, need, out
from ..resource import Made, Properties, Resource
from .connection import Connection, found, gone_is_fine
from .labels import LABELS, check_labels


class PlacementGroup(Resource):
    """The schema marks no replacement; a changed type is refused, because the API cannot change it."""

    token = "hcloud:index/placementGroup:PlacementGroup"
    inputs = fields(labels=LABELS, name=may(STRING), type=need(STRING))
    outputs = fields(servers=out(ListOf(INTEGER)))
    autonamed = "name"

    def __init__(self, cloud: Connection) -> None:
        self._cloud = cloud

    def prepare(self, inputs: Properties) -> None:
        check_labels(inputs)

    def create(self, inputs: Properties) -> Made:
        answer = self._cloud.client.placement_groups.create(
            name=inputs["name"], type=inputs["type"], labels=inputs.get("labels")
        )
        self._cloud.wait(answer.action)
        return Made(str(answer.placement_group.id), _group_outputs(answer.placement_group))

    def read(self, resource_id: str, state: Properties) -> Made | None:
        group = found(lambda: self._cloud.client.placement_groups.get_by_id(int(resource_id)))
        return None if group is None else Made(resource_id, _group_outputs(group))

    def update(self, resource_id: str, state: Properties, inputs: Properties) -> Properties:
        if inputs["type"] != state.get("type"):
            raise StandInError("the API cannot change the type of a placement group: make a new one")
        group = self._cloud.client.placement_groups.update(
            ApiPlacementGroup(id=int(resource_id)), labels=inputs.get("labels", {}), name=inputs["name"]
        )
        return _group_outputs(group)

    def delete(self, resource_id: str, state: Properties) -> None:
        groups = self._cloud.client.placement_groups
        gone_is_fine(lambda: groups.delete(ApiPlacementGroup(id=int(resource_id))))


class SshKey(Resource):
    """A public key in the project. The key replaces (cloud-side rule; the schema carries no flag)."""

    token = "hcloud:index/sshKey:SshKey"
    inputs = fields(labels=LABELS, name=may(STRING), publicKey=need(STRING, replaces=True))
    outputs = fields(fingerprint=out(STRING))
    autonamed = "name"

    def __init__(self, cloud: Connection) -> None:
        self._cloud = cloud

    def prepare(self, inputs: Properties) -> None:
        check_labels(inputs)

    def create(self, inputs: Properties) -> Made:
        key = self._cloud.client.ssh_keys.create(
            name=inputs["name"], public_key=inputs["publicKey"], labels=inputs.get("labels")
        )
        return Made(str(key.id), _key_outputs(key, inputs))

    def read(self, resource_id: str, state: Properties) -> Made | None:
        key = found(lambda: self._cloud.client.ssh_keys.get_by_id(int(resource_id)))
        return None if key is None else Made(resource_id, _key_outputs(key, state))

    def update(self, resource_id: str, state: Properties, inputs: Properties) -> Properties:
        key = self._cloud.client.ssh_keys.update(
            ApiSSHKey(id=int(resource_id)), name=inputs["name"], labels=inputs.get("labels", {})
        )
        return _key_outputs(key, inputs)

    def delete(self, resource_id: str, state: Properties) -> None:
        gone_is_fine(lambda: self._cloud.client.ssh_keys.delete(ApiSSHKey(id=int(resource_id))))


def _group_outputs(group: BoundPlacementGroup) -> Properties:
    return {
        "labels": group.labels or {},
        "name": group.name,
        "servers": list(group.servers or []),
        "type": group.type,
    }


def _key_outputs(key: BoundSSHKey, state: Properties) -> Properties:
    given = str(state.get("publicKey", ""))
    same = given.strip() == (key.public_key or "").strip()
    return {
        "fingerprint": key.fingerprint,
        "labels": key.labels or {},
        "name": key.name,
        "publicKey": given if same else key.public_key,
    }
