"""What can change on a running server, in the provider's order of calls."""

from __future__ import annotations

from collections.abc import Callable

from hcloud.firewalls import FirewallResource
from hcloud.firewalls.domain import Firewall as ApiFirewall
from hcloud.isos.domain import Iso
from hcloud.networks.domain import Network as ApiNetwork
from hcloud.placement_groups.domain import PlacementGroup as ApiPlacementGroup
from hcloud.primary_ips.domain import PrimaryIP
from hcloud.server_types.domain import ServerType
from hcloud.servers import BoundServer
from hcloud.servers.domain import Server as ApiServer

from ..errors import StandInError
from ..resource import Properties
from .connection import Connection

ATTACH_AGAIN_ON = ("conflict", "locked", "service_error", "no_subnet_available")


class ServerChanges:
    """One in-place update from `state` to `inputs`."""

    def __init__(self, cloud: Connection, server: BoundServer, state: Properties, inputs: Properties) -> None:
        assert server.id is not None
        self._server_id = server.id
        self._cloud = cloud
        self._server = server
        self._old = state
        self._new = inputs

    def apply(self) -> None:
        """Make every change that is due."""
        if self._differs("name") or self._differs("labels", {}):
            self._server.update(name=self._new["name"], labels=self._new.get("labels", {}))
        if self._differs("serverType"):
            self._switched_off(self._change_type)
        if self._differs("networks", []):
            self._change_networks()
        if self._new.get("firewallIds") is not None:
            self._change_firewalls()
        if self._differs("placementGroupId", 0):
            self._change_placement_group()
        if self._differs("publicNets", []):
            self._switched_off(self._change_public_net)
        set_extras(self._cloud, self._server, self._old, self._new)

    def _differs(self, name: str, default: object = None) -> bool:
        return bool((self._old.get(name) or default) != (self._new.get(name) or default))

    def _switched_off(self, change: Callable[[], object]) -> None:
        """Power off, change, and power on again if it was on."""
        was_on = self._server.status != ApiServer.STATUS_OFF
        if was_on:
            self._cloud.wait(self._server.power_off())
        change()
        if was_on:
            self._cloud.wait(self._server.power_on())

    def _change_type(self) -> None:
        grow_disk = not self._new.get("keepDisk", False)
        self._cloud.wait(
            self._server.change_type(ServerType(name=self._new["serverType"]), upgrade_disk=grow_disk)
        )

    def _change_networks(self) -> None:
        old = {_network_id(net): net for net in self._old.get("networks") or []}
        new = {_network_id(net): net for net in self._new.get("networks") or []}
        for number, net in old.items():
            if number not in new or new[number].get("ip") not in (None, net.get("ip")):
                self._cloud.wait(self._server.detach_from_network(ApiNetwork(id=number)))
            elif sorted(new[number].get("aliasIps") or []) != sorted(net.get("aliasIps") or []):
                aliases = new[number].get("aliasIps") or []
                self._cloud.wait(self._server.change_alias_ips(ApiNetwork(id=number), aliases))
        added = [
            net
            for number, net in new.items()
            if number not in old or net.get("ip") not in (None, old[number].get("ip"))
        ]
        attach_inline(self._cloud, self._server, added)

    def _change_firewalls(self) -> None:
        old, new = set(self._old.get("firewallIds") or []), set(self._new["firewallIds"])
        firewalls = self._cloud.client.firewalls
        here = [FirewallResource(FirewallResource.TYPE_SERVER, server=ApiServer(id=self._server_id))]
        for number in sorted(old - new):
            self._cloud.wait(*firewalls.remove_from_resources(ApiFirewall(id=number), here))
        for number in sorted(new - old):
            self._cloud.wait(*firewalls.apply_to_resources(ApiFirewall(id=number), here))

    def _change_placement_group(self) -> None:
        if self._old.get("placementGroupId"):
            self._switched_off(lambda: self._cloud.wait(self._server.remove_from_placement_group()))
        if self._new.get("placementGroupId"):
            group = ApiPlacementGroup(id=self._new["placementGroupId"])
            self._switched_off(lambda: self._cloud.wait(self._server.add_to_placement_group(group)))

    def _change_public_net(self) -> None:
        old = (self._old.get("publicNets") or [{}])[0]
        new = (self._new.get("publicNets") or [{}])[0]
        public = self._server.public_net
        for family, current in (
            ("ipv4", public.primary_ipv4 if public else None),
            ("ipv6", public.primary_ipv6 if public else None),
        ):
            wanted_on = new.get(f"{family}Enabled", True)
            if wanted_on == old.get(f"{family}Enabled", True) and new.get(family) == old.get(family):
                continue
            if current is not None:
                self._give_up(current, was_managed=not old.get(family))
            if wanted_on:
                self._take(family, new.get(family))

    def _give_up(self, address: PrimaryIP, *, was_managed: bool) -> None:
        primary_ips = self._cloud.client.primary_ips
        self._cloud.wait(primary_ips.unassign(address))
        if was_managed:  # the server's own address goes with it, one of the program's stays
            primary_ips.delete(address)

    def _take(self, family: str, number: int | None) -> None:
        primary_ips, server_id = self._cloud.client.primary_ips, self._server_id
        if number:
            self._cloud.wait(primary_ips.assign(PrimaryIP(id=number), assignee_id=server_id))
            return
        answer = primary_ips.create(
            type=family,
            name=f"{self._server.name}-{family}",
            assignee_type="server",
            assignee_id=server_id,
            auto_delete=True,
        )
        self._cloud.wait(answer.action)


def attach_inline(cloud: Connection, server: BoundServer, nets: list[Properties]) -> None:
    """Attach the networks given on the server itself."""
    for net in nets:
        number, _, subnet = str(net.get("subnetId") or "").partition("-")
        network = ApiNetwork(id=net.get("networkId") or int(number))
        cloud.wait(
            cloud.retried(
                lambda network=network, net=net, subnet=subnet: server.attach_to_network(  # type: ignore[misc]
                    network, ip=net.get("ip"), alias_ips=net.get("aliasIps") or [], ip_range=subnet or None
                ),
                ATTACH_AGAIN_ON,
            )
        )


def set_extras(cloud: Connection, server: BoundServer, old: Properties, new: Properties) -> None:
    """Backups, ISO, rescue system and protection, each only when it changes."""
    if bool(new.get("backups")) != bool(old.get("backups")):
        cloud.wait(server.enable_backup() if new.get("backups") else server.disable_backup())
    if new.get("iso") != old.get("iso"):
        if old.get("iso"):
            cloud.wait(server.detach_iso())
        if new.get("iso"):
            cloud.wait(server.attach_iso(Iso(name=new["iso"])))
    if new.get("rescue") != old.get("rescue"):
        _set_rescue(cloud, server, new.get("rescue"), was_set=bool(old.get("rescue")))
    wanted = [bool(new.get(name)) for name in ("deleteProtection", "rebuildProtection")]
    if wanted != [bool(old.get(name)) for name in ("deleteProtection", "rebuildProtection")]:
        cloud.wait(server.change_protection(delete=wanted[0], rebuild=wanted[1]))


def _set_rescue(cloud: Connection, server: BoundServer, kind: str | None, *, was_set: bool) -> None:
    if was_set:
        cloud.wait(server.disable_rescue())
    if kind:
        cloud.wait(server.enable_rescue(type=kind).action)
        cloud.wait(server.reset())


def _network_id(net: Properties) -> int:
    if net.get("networkId"):
        return int(net["networkId"])
    if net.get("subnetId"):
        return int(str(net["subnetId"]).partition("-")[0])
    raise StandInError("networks: an entry needs networkId or subnetId")
