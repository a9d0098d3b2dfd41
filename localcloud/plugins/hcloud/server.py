"""Server: creation, reading and deletion. In-place changes are in server_changes.py."""

from __future__ import annotations

import base64
import hashlib

from hcloud import APIException
from hcloud.firewalls.domain import Firewall as ApiFirewall
from hcloud.images.domain import Image as ApiImage
from hcloud.locations.domain import Location as ApiLocation
from hcloud.placement_groups.domain import PlacementGroup as ApiPlacementGroup
from hcloud.primary_ips.domain import PrimaryIP
from hcloud.server_types import BoundServerType
from hcloud.servers import BoundServer
from hcloud.servers.domain import Server as ApiServer
from hcloud.servers.domain import ServerCreatePublicNetwork
from hcloud.ssh_keys.domain import SSHKey

from ..errors import InvalidInput, PartlyCreated, StandInError
from ..fields import BOOLEAN, INTEGER, STRING, STRINGS, Field, ListOf, Record, fields, may, need, out
from ..resource import Made, Properties, Resource
from .connection import Connection, found, gone_is_fine, is_protected
from .labels import LABELS, check_labels
from .server_changes import ServerChanges, attach_inline, set_extras
from .server_state import server_outputs

SHUTDOWN_TIMEOUT_S = 5 * 60.0

_INLINE_NETWORK = Record(
    fields(
        aliasIps=may(ListOf(STRING, ordered=False)),
        ip=may(STRING),
        macAddress=may(STRING, computed=True),
        networkId=may(INTEGER),
        subnetId=may(STRING),
    )
)
_PUBLIC_NET = Record(
    fields(ipv4=may(INTEGER), ipv4Enabled=may(BOOLEAN), ipv6=may(INTEGER), ipv6Enabled=may(BOOLEAN))
)


def _digest(user_data: str) -> str:
    return base64.b64encode(hashlib.sha1(user_data.encode(), usedforsecurity=False).digest()).decode()


class Server(Resource):
    """A server. image, location, sshKeys, userData (and the retired datacenter) replace it, nothing else."""

    token = "hcloud:index/server:Server"
    inputs = fields(
        allowDeprecatedImages=may(BOOLEAN, default=False),
        backups=may(BOOLEAN, default=False),
        datacenter=may(STRING, replaces=True, computed=True),
        deleteProtection=may(BOOLEAN, default=False),
        firewallIds=may(ListOf(INTEGER, ordered=False), computed=True),
        ignoreRemoteFirewallIds=may(BOOLEAN, default=False),
        image=may(STRING, replaces=True),
        iso=may(STRING),
        keepDisk=may(BOOLEAN, default=False),
        labels=LABELS,
        location=may(STRING, replaces=True, computed=True),
        name=may(STRING),
        networks=may(ListOf(_INLINE_NETWORK, ordered=False)),
        placementGroupId=may(INTEGER),
        publicNets=may(ListOf(_PUBLIC_NET, ordered=False)),
        rebuildProtection=may(BOOLEAN, default=False),
        rescue=may(STRING),
        serverType=need(STRING),
        shutdownBeforeDeletion=may(BOOLEAN, default=False),
        sshKeys=may(STRINGS, replaces=True),
        userData=Field(type=STRING, replaces=True, kept_as=_digest),
    )
    outputs = fields(
        backupWindow=out(STRING),
        ipv4Address=out(STRING),
        ipv6Address=out(STRING),
        ipv6Network=out(STRING),
        primaryDiskSize=out(INTEGER),
        status=out(STRING),
    )
    autonamed = "name"

    def __init__(self, cloud: Connection) -> None:
        self._cloud = cloud

    def prepare(self, inputs: Properties) -> None:
        check_labels(inputs)
        if inputs.get("datacenter") is not None:
            raise InvalidInput("datacenter", "is no longer supported by the API: set location instead")
        nets = inputs.get("publicNets")
        if isinstance(nets, list) and len(nets) > 1:
            raise InvalidInput("publicNets", f"has {len(nets)} entries: a server has one public network")

    def create(self, inputs: Properties) -> Made:
        if not inputs.get("image"):
            raise InvalidInput("image", "is required to create a server")
        client = self._cloud.client
        server_type = self._server_type(inputs["serverType"])
        image = self._image(inputs["image"], server_type)
        answer = client.servers.create(
            name=inputs["name"],
            server_type=server_type,
            image=image,
            location=ApiLocation(name=inputs["location"]) if inputs.get("location") else None,
            user_data=inputs.get("userData"),
            ssh_keys=[self._ssh_key(key) for key in inputs.get("sshKeys", [])] or None,
            labels=inputs.get("labels"),
            firewalls=[ApiFirewall(id=number) for number in inputs.get("firewallIds", [])] or None,
            placement_group=self._placement_group(inputs.get("placementGroupId")),
            public_net=_public_net(inputs.get("publicNets")),
            start_after_create=_is_public(inputs),
        )
        server = answer.server
        try:
            self._cloud.wait(answer.action)
            for action in answer.next_actions or []:
                self._cloud.wait(action)
            attach_inline(self._cloud, server, inputs.get("networks", []))
            if not _is_public(inputs):
                self._cloud.wait(server.power_on())
            set_extras(self._cloud, server, {}, inputs)
        except (APIException, StandInError) as error:
            raise PartlyCreated(str(error), str(server.id), inputs) from error
        made = self.read(str(server.id), {**self.defaults(), **inputs})
        if made is None:
            raise StandInError("the API no longer knows the server it just created")
        return made

    def read(self, resource_id: str, state: Properties) -> Made | None:
        server = found(lambda: self._cloud.client.servers.get_by_id(int(resource_id)))
        return None if server is None else Made(resource_id, server_outputs(server, state))

    def update(self, resource_id: str, state: Properties, inputs: Properties) -> Properties:
        server = self._cloud.client.servers.get_by_id(int(resource_id))
        ServerChanges(self._cloud, server, state, inputs).apply()
        made = self.read(resource_id, {**state, **self.defaults(), **inputs})
        if made is None:
            raise StandInError("the API no longer knows this server")
        return made.outputs

    def delete(self, resource_id: str, state: Properties) -> None:
        server = found(lambda: self._cloud.client.servers.get_by_id(int(resource_id)))
        if server is None:
            return
        if is_protected(server):
            self._cloud.wait(server.change_protection(delete=False, rebuild=False))
        if state.get("shutdownBeforeDeletion"):
            gone_is_fine(lambda: self._shut_down(server))
        gone_is_fine(lambda: self._cloud.wait(server.delete()))

    def _shut_down(self, server: BoundServer) -> None:
        """Ask for an orderly shutdown and wait for it; a server that does not obey is deleted anyway."""
        if server.status == ApiServer.STATUS_OFF:
            return
        self._cloud.wait(server.shutdown())
        self._cloud.until(lambda: self._is_off(server), timeout_s=SHUTDOWN_TIMEOUT_S)

    def _is_off(self, server: BoundServer) -> bool:
        server.reload()
        return bool(server.status == ApiServer.STATUS_OFF)

    def _server_type(self, name: str) -> BoundServerType:
        found_type = self._cloud.client.server_types.get_by_name(name)
        if found_type is None:
            raise InvalidInput("serverType", f"there is no server type {name!r}")
        return found_type

    def _image(self, id_or_name: str, server_type: BoundServerType) -> ApiImage:
        images, architecture = self._cloud.client.images, server_type.architecture or "x86"
        image = found(lambda: images.get_by_id(int(id_or_name))) if id_or_name.isdigit() else None
        if image is None:
            image = images.get_by_name_and_architecture(id_or_name, architecture, include_deprecated=True)
        if image is None:
            raise InvalidInput("image", f"there is no image {id_or_name!r} for {architecture}")
        return ApiImage(id=image.id)

    def _ssh_key(self, id_or_name: str) -> SSHKey:
        keys = self._cloud.client.ssh_keys
        key = found(lambda: keys.get_by_id(int(id_or_name))) if id_or_name.isdigit() else None
        key = key or keys.get_by_name(id_or_name)
        if key is None:
            raise InvalidInput("sshKeys", f"there is no SSH key {id_or_name!r}")
        return SSHKey(id=key.id)

    def _placement_group(self, number: int | None) -> ApiPlacementGroup | None:
        if not number:
            return None
        group = found(lambda: self._cloud.client.placement_groups.get_by_id(number))
        if group is None:
            raise InvalidInput("placementGroupId", f"there is no placement group {number}")
        return group


def _public_net(nets: list[Properties] | None) -> ServerCreatePublicNetwork | None:
    if not nets:
        return None
    net = nets[0]
    return ServerCreatePublicNetwork(
        ipv4=PrimaryIP(id=net["ipv4"]) if net.get("ipv4") else None,
        ipv6=PrimaryIP(id=net["ipv6"]) if net.get("ipv6") else None,
        enable_ipv4=net.get("ipv4Enabled", True),
        enable_ipv6=net.get("ipv6Enabled", True),
    )


def _is_public(inputs: Properties) -> bool:
    """A server without a public network is started only when its private one is attached."""
    net = (inputs.get("publicNets") or [{}])[0]
    return bool(net.get("ipv4Enabled", True) or net.get("ipv6Enabled", True))
