"""Functions that list what a project holds: servers, networks, firewalls, primary addresses."""

from __future__ import annotations

from hcloud.servers import BoundServer

from ..fields import BOOLEAN, INTEGER, STRING, STRING_MAP, STRINGS, ListOf, Record, fields, may, out
from ..resource import Properties
from .firewall import firewall_outputs
from .lookups import Lookup, list_id
from .network import network_outputs
from .primary_ip import address_outputs
from .server_state import server_outputs

_INTEGERS = ListOf(INTEGER)
_PRIVATE_NET = fields(aliasIps=out(STRINGS), ip=out(STRING), macAddress=out(STRING), networkId=out(INTEGER))
SERVER = fields(
    backupWindow=out(STRING),
    backups=out(BOOLEAN),
    datacenter=out(STRING),
    deleteProtection=out(BOOLEAN),
    firewallIds=out(_INTEGERS),
    id=out(INTEGER),
    image=out(STRING),
    ipv4Address=out(STRING),
    ipv6Address=out(STRING),
    ipv6Network=out(STRING),
    iso=out(STRING),
    labels=out(STRING_MAP),
    location=out(STRING),
    name=out(STRING),
    networks=out(ListOf(Record(_PRIVATE_NET))),
    placementGroupId=out(INTEGER),
    primaryDiskSize=out(INTEGER),
    rebuildProtection=out(BOOLEAN),
    rescue=out(STRING),
    serverType=out(STRING),
    status=out(STRING),
)
NETWORK = fields(
    deleteProtection=out(BOOLEAN),
    exposeRoutesToVswitch=out(BOOLEAN),
    id=out(INTEGER),
    ipRange=out(STRING),
    labels=out(STRING_MAP),
    name=out(STRING),
)
_RULE = fields(
    description=out(STRING),
    destinationIps=out(STRINGS),
    direction=out(STRING),
    port=out(STRING),
    protocol=out(STRING),
    sourceIps=out(STRINGS),
)
FIREWALL = fields(
    applyTos=out(ListOf(Record(fields(labelSelector=out(STRING), server=out(INTEGER))))),
    id=out(INTEGER),
    labels=out(STRING_MAP),
    name=out(STRING),
    rules=out(ListOf(Record(_RULE))),
)
ADDRESS = fields(
    assigneeId=out(INTEGER),
    assigneeType=out(STRING),
    autoDelete=out(BOOLEAN),
    datacenter=out(STRING),
    deleteProtection=out(BOOLEAN),
    id=out(INTEGER),
    ipAddress=out(STRING),
    ipNetwork=out(STRING),
    labels=out(STRING_MAP),
    location=out(STRING),
    name=out(STRING),
    type=out(STRING),
)


class GetServers(Lookup):
    """All servers that fit."""

    token = "hcloud:index/getServers:getServers"
    inputs = fields(withSelector=may(STRING), withStatuses=may(STRINGS))
    outputs = fields(**inputs, id=out(STRING), servers=out(ListOf(Record(SERVER))))

    def call(self, arguments: Properties) -> Properties:
        found = self._cloud.client.servers.get_all(
            label_selector=arguments.get("withSelector"), status=arguments.get("withStatuses")
        )
        servers = [_server(server) for server in found]
        return {**arguments, "id": list_id(servers), "servers": servers}


class GetNetworks(Lookup):
    """All networks that fit."""

    token = "hcloud:index/getNetworks:getNetworks"
    inputs = fields(withSelector=may(STRING))
    outputs = fields(**inputs, id=out(STRING), networks=out(ListOf(Record(NETWORK))))

    def call(self, arguments: Properties) -> Properties:
        found = self._cloud.client.networks.get_all(label_selector=arguments.get("withSelector"))
        networks = [{"id": network.id, **network_outputs(network)} for network in found]
        return {**arguments, "id": list_id(networks), "networks": networks}


class GetFirewalls(Lookup):
    """All firewalls that fit; mostRecent puts the newest first."""

    token = "hcloud:index/getFirewalls:getFirewalls"
    inputs = fields(mostRecent=may(BOOLEAN), withSelector=may(STRING))
    outputs = fields(**inputs, firewalls=out(ListOf(Record(FIREWALL))), id=out(STRING))

    def call(self, arguments: Properties) -> Properties:
        found = self._cloud.client.firewalls.get_all(
            label_selector=arguments.get("withSelector"),
            sort=["created:desc"] if arguments.get("mostRecent") else None,
        )
        firewalls = [{"id": firewall.id, **firewall_outputs(firewall)} for firewall in found]
        return {**arguments, "firewalls": firewalls, "id": list_id(firewalls)}


class GetPrimaryIps(Lookup):
    """All primary addresses that fit."""

    token = "hcloud:index/getPrimaryIps:getPrimaryIps"
    inputs = fields(id=may(STRING), withSelector=may(STRING))
    outputs = fields(**{**inputs, "id": out(STRING)}, primaryIps=out(ListOf(Record(ADDRESS))))

    def call(self, arguments: Properties) -> Properties:
        found = self._cloud.client.primary_ips.get_all(label_selector=arguments.get("withSelector"))
        addresses = [{"id": address.id, **address_outputs(address)} for address in found]
        return {**arguments, "id": list_id(addresses), "primaryIps": addresses}


def _server(server: BoundServer) -> Properties:
    """One server as the function gives it: the resource's properties that are in the schema, and more."""
    outputs = {name: value for name, value in server_outputs(server, {}).items() if name in SERVER}
    private = [
        {"aliasIps": net.alias_ips, "ip": net.ip, "macAddress": net.mac_address, "networkId": net.network.id}
        for net in server.private_net or []
        if net.network is not None
    ]
    return {"id": server.id, "iso": "", "networks": private, "rescue": "", **outputs}
