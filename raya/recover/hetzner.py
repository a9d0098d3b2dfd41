"""The Hetzner project of a stack: what is in it of the kinds that the program makes; the end of a server."""

from __future__ import annotations

import ipaddress
import time
from collections.abc import Iterator
from decimal import Decimal
from typing import Any

from hcloud import APIException, Client
from hcloud.firewalls import BoundFirewall
from hcloud.networks import BoundNetwork
from hcloud.servers import BoundServer
from hcloud.servers.domain import Server
from hcloud.volumes import BoundVolume

from raya.account import Price, PriceList
from raya.recover.things import Key, Kind, Thing

# As the provider's shutdownBeforeDeletion: a machine that has not obeyed by then never will.
_SHUTDOWN_S = 300.0
_PAUSE_S = 0.5
_NOT_NOW = ("locked", "conflict")
_GONE = "not_found"


def things(client: Client) -> Iterator[Thing]:
    """Whosever they are."""
    networks = client.networks.get_all()
    prices = PriceList.of(client)
    for network in networks:
        yield from _network(network)
    for firewall in client.firewalls.get_all():
        yield _firewall(firewall)
    for volume in client.volumes.get_all():
        yield from _volume(volume, prices.volume(Decimal(volume.size or 0)))
    for server in client.servers.get_all():
        yield from _server(server, networks, prices.machine(server))


def delete_server(client: Client, server_id: int) -> None:
    """Shuts it down first: nothing is ever pulled from under a running machine. Fine when it is gone."""
    try:
        server = client.servers.get_by_id(server_id)
        _shut_down(server)
        server.delete().wait_until_finished()
    except APIException as error:
        if error.code != _GONE:
            raise


def _shut_down(server: BoundServer) -> None:
    end, asked = time.monotonic() + _SHUTDOWN_S, False
    while server.status != Server.STATUS_OFF and time.monotonic() < end:
        if not asked:
            asked = _ask(server)
        time.sleep(_PAUSE_S)
        server.reload()


def _ask(server: BoundServer) -> bool:
    """Whether the request was taken; a machine that is still being made takes none."""
    try:
        server.shutdown()
    except APIException as error:
        if error.code not in _NOT_NOW:
            raise
        return False
    return True


def _network(network: BoundNetwork) -> Iterator[Thing]:
    labels = dict(network.labels or {})
    yield Thing(
        kind=Kind.NETWORK,
        id=str(network.id),
        name=str(network.name),
        inputs={"name": network.name, "ipRange": network.ip_range, "labels": labels},
        labels=labels,
    )
    for subnet in network.subnets or []:
        inputs = {"type": subnet.type, "networkZone": subnet.network_zone, "ipRange": subnet.ip_range}
        yield Thing(
            kind=Kind.SUBNET,
            id=_subnet_id(network, subnet.ip_range),
            name=f"{subnet.ip_range} of {network.name}",
            inputs={"networkId": network.id, **inputs},
            needs=(Key(Kind.NETWORK, str(network.id)),),
        )


def _subnet_id(network: BoundNetwork, ip_range: str | None) -> str:
    return f"{network.id}-{ip_range}"


def _firewall(firewall: BoundFirewall) -> Thing:
    labels = dict(firewall.labels or {})
    rules = [
        _given(
            description=rule.description,
            direction=rule.direction,
            port=rule.port,
            protocol=rule.protocol,
            sourceIps=list(rule.source_ips or []),
            destinationIps=list(rule.destination_ips or []),
        )
        for rule in firewall.rules or []
    ]
    return Thing(
        kind=Kind.FIREWALL,
        id=str(firewall.id),
        name=str(firewall.name),
        inputs={"name": firewall.name, "rules": rules, "labels": labels},
        labels=labels,
    )


def _given(**values: Any) -> dict[str, Any]:
    return {name: value for name, value in values.items() if value}


def _volume(volume: BoundVolume, price: Price) -> Iterator[Thing]:
    labels = dict(volume.labels or {})
    location = volume.location.name if volume.location else None
    yield Thing(
        kind=Kind.VOLUME,
        id=str(volume.id),
        name=str(volume.name),
        inputs={"name": volume.name, "size": volume.size, "location": location, "labels": labels},
        outputs={"linuxDevice": volume.linux_device},
        labels=labels,
        price=price,
    )
    if volume.server is not None:
        yield Thing(
            kind=Kind.VOLUME_ATTACHMENT,
            id=str(volume.id),
            name=f"of {volume.name} to server {volume.server.id}",
            # The program never asks for a mount: the machine mounts by its own unit.
            inputs={"volumeId": volume.id, "serverId": volume.server.id, "automount": False},
            needs=(Key(Kind.VOLUME, str(volume.id)), Key(Kind.SERVER, str(volume.server.id))),
        )


def _server(server: BoundServer, networks: list[BoundNetwork], price: Price) -> Iterator[Thing]:
    yield Thing(
        kind=Kind.SERVER,
        id=str(server.id),
        name=str(server.name),
        # Not all of them: the user data is never read back, so a server is never taken into the state.
        inputs={"name": server.name},
        labels=dict(server.labels or {}),
        price=price,
    )
    by_id = {network.id: network for network in networks}
    for attachment in server.private_net or []:
        network = by_id.get(attachment.network.id)
        if network is None:
            continue  # made after the networks were listed, by somebody else
        subnet_id = _subnet_id(network, _range_around(attachment.ip, network))
        yield Thing(
            kind=Kind.SERVER_NETWORK,
            id=f"{server.id}-{network.id}",
            name=f"of {server.name} to {network.name}",
            inputs={"serverId": server.id, "subnetId": subnet_id, "ip": attachment.ip},
            needs=(Key(Kind.SERVER, str(server.id)), Key(Kind.SUBNET, subnet_id)),
        )


def _range_around(ip: str | None, network: BoundNetwork) -> str | None:
    ranges = [subnet.ip_range for subnet in network.subnets or [] if subnet.ip_range]
    return next((each for each in ranges if ip and _is_in(ip, each)), None)


def _is_in(ip: str, ip_range: str) -> bool:
    return ipaddress.ip_address(ip) in ipaddress.ip_network(ip_range)
