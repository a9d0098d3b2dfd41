"""Volume and VolumeAttachment."""

from __future__ import annotations

from typing import Any, cast

from hcloud.locations.domain import Location as ApiLocation
from hcloud.servers.domain import Server as ApiServer
from hcloud.volumes import BoundVolume
from hcloud.volumes.domain import Volume as ApiVolume

from ..errors import InvalidInput, PartlyCreated, StandInError
from ..fields import BOOLEAN, INTEGER, STRING, fields, may, need, out
from ..resource import Made, Properties, Resource
from .connection import Connection, found, gone_is_fine, is_protected
from .labels import LABELS, check_labels


class Volume(Resource):
    """A block device; only its location replaces it, and it can only grow."""

    token = "hcloud:index/volume:Volume"
    inputs = fields(
        automount=may(BOOLEAN),
        deleteProtection=may(BOOLEAN, default=False),
        format=may(STRING),
        labels=LABELS,
        location=may(STRING, replaces=True, computed=True),
        name=may(STRING),
        serverId=may(INTEGER, computed=True),
        size=need(INTEGER),
    )
    outputs = fields(linuxDevice=out(STRING))
    autonamed = "name"

    def __init__(self, cloud: Connection) -> None:
        self._cloud = cloud

    def prepare(self, inputs: Properties) -> None:
        check_labels(inputs)
        if (inputs.get("location") is None) == (inputs.get("serverId") is None):
            raise InvalidInput("location", "give exactly one of location and serverId")

    @classmethod
    def inputs_of_import(cls, outputs: Properties) -> Properties:
        """Its location alone: location and serverId exclude each other."""
        return {
            name: value for name, value in super().inputs_of_import(outputs).items() if name != "serverId"
        }

    def create(self, inputs: Properties) -> Made:
        answer = self._cloud.client.volumes.create(
            size=inputs["size"],
            name=inputs["name"],
            labels=cast(Any, inputs.get("labels")),  # the library's annotation says str; it sends the mapping
            location=ApiLocation(name=inputs["location"]) if inputs.get("location") else None,
            server=ApiServer(id=inputs["serverId"]) if inputs.get("serverId") else None,
            automount=inputs.get("automount"),
            format=inputs.get("format"),
        )
        resource_id = str(answer.volume.id)
        try:
            self._cloud.wait(answer.action)
            for action in answer.next_actions or []:
                self._cloud.wait(action)
            if inputs.get("deleteProtection"):
                self._cloud.wait(answer.volume.change_protection(delete=True))
        except StandInError as error:
            raise PartlyCreated(str(error), resource_id, inputs) from error
        made = self.read(resource_id, inputs)
        if made is None:
            raise StandInError("the API no longer knows the volume it just created")
        return made

    def read(self, resource_id: str, state: Properties) -> Made | None:
        volume = found(lambda: self._cloud.client.volumes.get_by_id(int(resource_id)))
        return None if volume is None else Made(resource_id, _outputs(volume, state))

    def update(self, resource_id: str, state: Properties, inputs: Properties) -> Properties:
        volume = self._cloud.client.volumes.get_by_id(int(resource_id))
        volume = volume.update(name=inputs["name"], labels=inputs.get("labels", {}))
        if inputs["size"] != state.get("size"):
            self._cloud.wait(volume.resize(inputs["size"]))
        wanted = inputs.get("serverId")
        if wanted is not None and wanted != state.get("serverId"):
            self._move(volume, wanted, inputs.get("automount"))
        protected = inputs.get("deleteProtection", False)
        if protected != state.get("deleteProtection", False):
            self._cloud.wait(volume.change_protection(delete=protected))
        made = self.read(resource_id, {**state, **inputs})
        if made is None:
            raise StandInError("the API no longer knows this volume")
        return made.outputs

    def _move(self, volume: BoundVolume, server_id: int, automount: bool | None) -> None:
        if volume.server is not None:
            self._cloud.wait(self._cloud.retried(volume.detach, ("locked",)))
        target = ApiServer(id=server_id)
        self._cloud.wait(self._cloud.retried(lambda: volume.attach(target, automount), ("locked",)))

    def delete(self, resource_id: str, state: Properties) -> None:
        volume = found(lambda: self._cloud.client.volumes.get_by_id(int(resource_id)))
        if volume is None:
            return
        if is_protected(volume):
            self._cloud.wait(volume.change_protection(delete=False))
        if volume.server is not None:
            self._cloud.wait(self._cloud.retried(volume.detach, ("locked",)))
        gone_is_fine(lambda: self._cloud.retried(volume.delete, ("locked", "conflict")))


class VolumeAttachment(Resource):
    """Id = the volume's id; every change but automount replaces."""

    token = "hcloud:index/volumeAttachment:VolumeAttachment"
    inputs = fields(
        automount=may(BOOLEAN),
        serverId=need(INTEGER, replaces=True),
        volumeId=need(INTEGER, replaces=True),
    )

    def __init__(self, cloud: Connection) -> None:
        self._cloud = cloud

    def create(self, inputs: Properties) -> Made:
        volume, server = ApiVolume(id=inputs["volumeId"]), ApiServer(id=inputs["serverId"])
        automount = True if inputs.get("automount") else None  # false is left out, as the provider does
        volumes = self._cloud.client.volumes
        self._cloud.wait(self._cloud.retried(lambda: volumes.attach(volume, server, automount), ("locked",)))
        return Made(str(inputs["volumeId"]), dict(inputs))

    def read(self, resource_id: str, state: Properties) -> Made | None:
        volume = found(lambda: self._cloud.client.volumes.get_by_id(int(resource_id)))
        if volume is None or volume.server is None:
            return None
        outputs = {**state, "volumeId": int(resource_id), "serverId": volume.server.id}
        return Made(resource_id, outputs)

    def update(self, resource_id: str, state: Properties, inputs: Properties) -> Properties:
        return dict(inputs)  # automount only says what happens when a volume is attached

    def delete(self, resource_id: str, state: Properties) -> None:
        volume = found(lambda: self._cloud.client.volumes.get_by_id(int(resource_id)))
        if volume is None or volume.server is None or volume.server.id != state.get("serverId"):
            return
        gone_is_fine(lambda: self._cloud.wait(self._cloud.retried(volume.detach, ("locked",))))


def _outputs(volume: BoundVolume, state: Properties) -> Properties:
    return {
        "automount": state.get("automount"),
        "deleteProtection": is_protected(volume),
        "format": state.get("format") if state else volume.format,
        "labels": volume.labels or {},
        "linuxDevice": volume.linux_device,
        "location": volume.location.name if volume.location else state.get("location"),
        "name": volume.name,
        "serverId": volume.server.id if volume.server else None,
        "size": volume.size,
    }
