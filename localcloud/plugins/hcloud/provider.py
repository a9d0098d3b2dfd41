"""The `hcloud` provider: its configuration, and what it serves."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Any

from ..errors import InvalidInput, StandInError
from ..fields import STRING, fields, may
from ..guard import loopback
from ..provider import StandIn
from ..resource import Function, Properties, Resource
from ..values import UNKNOWN
from . import connection
from .connection import Connection, Settings
from .durations import seconds
from .firewall import Firewall
from .images import GetImage, GetImages
from .lists import GetFirewalls, GetNetworks, GetPrimaryIps, GetServers
from .lookups import GetLocation, GetLocations, GetServerType, GetServerTypes, GetVolumes
from .named_things import PlacementGroup, SshKey
from .network import Network, NetworkRoute, NetworkSubnet
from .primary_ip import PrimaryIp, Rdns
from .server import Server
from .server_network import ServerNetwork
from .volume import Volume, VolumeAttachment

TOKEN_LENGTH = 64
RESOURCES = (
    Firewall,
    Network,
    NetworkRoute,
    NetworkSubnet,
    PlacementGroup,
    PrimaryIp,
    Rdns,
    Server,
    ServerNetwork,
    SshKey,
    Volume,
    VolumeAttachment,
)
FUNCTIONS = (
    GetFirewalls,
    GetImage,
    GetImages,
    GetLocation,
    GetLocations,
    GetNetworks,
    GetPrimaryIps,
    GetServers,
    GetServerType,
    GetServerTypes,
    GetVolumes,
)


class Hcloud(StandIn):
    """The provider. Environment variables stand in for missing keys, as for the real one."""

    name = "hcloud"
    config_fields = fields(
        endpoint=may(STRING),
        endpointHetzner=may(STRING),
        pollFunction=may(STRING, default="exponential"),
        pollInterval=may(STRING, default="500ms"),
        token=may(STRING, secret=True),
    )

    def check_settings(self, config: Properties) -> None:
        token = config.get("token", os.environ.get("HCLOUD_TOKEN", ""))
        if token is not UNKNOWN and len(token) != TOKEN_LENGTH:
            reason = f"entered token is invalid (must be exactly {TOKEN_LENGTH} characters long)"
            raise InvalidInput("token", reason)
        if config.get("pollFunction", "exponential") not in ("constant", "exponential", UNKNOWN):
            raise InvalidInput("pollFunction", "must be constant or exponential")
        interval = config.get("pollInterval", "500ms")
        if interval is not UNKNOWN and seconds(interval) is None:
            raise InvalidInput("pollInterval", f"is {interval!r}: must be a duration such as 500ms or 2s")
        for key, value in _endpoints(config).items():
            try:
                if value is not UNKNOWN:
                    loopback(value, key=f"hcloud:{key}")
            except StandInError as refusal:
                raise InvalidInput(key, str(refusal)) from refusal

    def open(self, config: Properties) -> tuple[Iterable[Resource], Iterable[Function]]:
        settings = Settings(
            endpoint=loopback(_endpoints(config)["endpoint"], key="hcloud:endpoint"),
            token=config.get("token") or os.environ["HCLOUD_TOKEN"],
            poll_interval_s=seconds(config.get("pollInterval", "500ms")) or 0.0,
            poll_constant=config.get("pollFunction") == "constant",
        )
        cloud = Connection(settings)
        return [kind(cloud) for kind in RESOURCES], [kind(cloud) for kind in FUNCTIONS]

    def sentence(self, error: Exception) -> str | None:
        return connection.sentence(error)


def _endpoints(config: Properties) -> dict[str, Any]:
    """The endpoints by key; the second one (storage boxes) matters only when it is given."""
    endpoints = {"endpoint": config.get("endpoint") or os.environ.get("HCLOUD_ENDPOINT")}
    second = config.get("endpointHetzner") or os.environ.get("HETZNER_ENDPOINT")
    return {**endpoints, "endpointHetzner": second} if second else endpoints
