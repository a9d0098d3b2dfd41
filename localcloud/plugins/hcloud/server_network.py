"""ServerNetwork: one server's place in one network."""

from __future__ import annotations

import ipaddress

from hcloud import APIException
from hcloud.networks.domain import Network as ApiNetwork
from hcloud.servers.domain import Server as ApiServer

from ..errors import InvalidInput, StandInError
from ..fields import INTEGER, STRING, ListOf, fields, may, need, out
from ..resource import Made, Properties, Resource
from ..values import UNKNOWN
from .connection import Connection, found, gone_is_fine
from .server_changes import ATTACH_AGAIN_ON


class ServerNetwork(Resource):
    """Id `<server>-<network>`; only the alias addresses change in place."""

    token = "hcloud:index/serverNetwork:ServerNetwork"
    inputs = fields(
        aliasIps=may(ListOf(STRING, ordered=False)),
        ip=may(STRING, replaces=True, computed=True),
        networkId=may(INTEGER, replaces=True, computed=True),
        serverId=need(INTEGER, replaces=True),
        subnetId=may(STRING, replaces=True),
    )
    outputs = fields(macAddress=out(STRING))

    def __init__(self, cloud: Connection) -> None:
        self._cloud = cloud

    def prepare(self, inputs: Properties) -> None:
        if (inputs.get("networkId") is None) == (inputs.get("subnetId") is None):
            raise InvalidInput("networkId", "give exactly one of networkId and subnetId")
        subnet = inputs.get("subnetId")
        if subnet is not None and subnet is not UNKNOWN and not subnet.partition("-")[0].isdigit():
            raise InvalidInput("subnetId", f"is {subnet!r}: a subnet's id is <network id>-<range>")

    def create(self, inputs: Properties) -> Made:
        network_id, ip_range = _place(inputs)
        servers, server = self._cloud.client.servers, ApiServer(id=inputs["serverId"])
        try:
            self._cloud.wait(
                self._cloud.retried(
                    lambda: servers.attach_to_network(
                        server,
                        ApiNetwork(id=network_id),
                        ip=inputs.get("ip"),
                        alias_ips=inputs.get("aliasIps"),
                        ip_range=ip_range,
                    ),
                    ATTACH_AGAIN_ON,
                )
            )
        except APIException as error:
            if error.code != "server_already_attached":
                raise
        made = self.read(f"{inputs['serverId']}-{network_id}", inputs)
        if made is None:
            raise StandInError(f"the server does not show the network {network_id} after attaching it")
        return made

    def read(self, resource_id: str, state: Properties) -> Made | None:
        server_id, network_id = (int(part) for part in resource_id.split("-"))
        server = found(lambda: self._cloud.client.servers.get_by_id(server_id))
        for net in (server.private_net or []) if server is not None else []:
            if net.network.id == network_id:
                return Made(
                    resource_id,
                    {
                        "aliasIps": sorted(net.alias_ips or []),
                        "ip": net.ip,
                        "macAddress": net.mac_address,
                        "networkId": None if state.get("subnetId") else network_id,
                        "serverId": server_id,
                        "subnetId": state.get("subnetId"),
                    },
                )
        return None

    def update(self, resource_id: str, state: Properties, inputs: Properties) -> Properties:
        server_id, network_id = (int(part) for part in resource_id.split("-"))
        action = self._cloud.client.servers.change_alias_ips(
            ApiServer(id=server_id), ApiNetwork(id=network_id), inputs.get("aliasIps") or []
        )
        self._cloud.wait(action)
        made = self.read(resource_id, inputs)
        if made is None:
            raise StandInError("the server is no longer attached to the network")
        return made.outputs

    def delete(self, resource_id: str, state: Properties) -> None:
        server_id, network_id = (int(part) for part in resource_id.split("-"))
        servers, network = self._cloud.client.servers, ApiNetwork(id=network_id)
        gone_is_fine(
            lambda: self._cloud.wait(
                self._cloud.retried(
                    lambda: servers.detach_from_network(ApiServer(id=server_id), network),
                    ("conflict", "locked"),
                )
            )
        )

    def replaced_by_itself(self, state: Properties, inputs: Properties) -> str | None:
        """An address outside the subnet it should be in asks for a new attachment."""
        subnet, ip = state.get("subnetId"), state.get("ip")
        if not subnet or not ip:
            return None
        inside = ipaddress.ip_address(ip) in ipaddress.ip_network(subnet.partition("-")[2])
        return None if inside else "ip"


def _place(inputs: Properties) -> tuple[int, str | None]:
    """Network id, and the subnet's range when a subnet was given."""
    if inputs.get("subnetId"):
        number, _, ip_range = inputs["subnetId"].partition("-")
        return int(number), ip_range
    return inputs["networkId"], None
