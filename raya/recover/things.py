"""What exists in a cloud, described the way the engine records it. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, NamedTuple

from raya.account import Price


class Kind(StrEnum):
    """The program's resource types that exist in a cloud; each after those that it hangs on."""

    NETWORK = "hcloud:index/network:Network"
    SUBNET = "hcloud:index/networkSubnet:NetworkSubnet"
    FIREWALL = "hcloud:index/firewall:Firewall"
    VOLUME = "hcloud:index/volume:Volume"
    SERVER = "hcloud:index/server:Server"
    SERVER_NETWORK = "hcloud:index/serverNetwork:ServerNetwork"
    VOLUME_ATTACHMENT = "hcloud:index/volumeAttachment:VolumeAttachment"
    ZONE = "gcp:dns/managedZone:ManagedZone"
    RECORD = "gcp:dns/recordSet:RecordSet"
    ACCOUNT = "gcp:serviceaccount/account:Account"
    KEY = "gcp:serviceaccount/key:Key"
    GRANT = "gcp:projects/iAMMember:IAMMember"

    @property
    def noun(self) -> str:
        return _NOUNS[self]


_NOUNS = {
    Kind.NETWORK: "network",
    Kind.SUBNET: "subnet",
    Kind.FIREWALL: "firewall",
    Kind.VOLUME: "state volume",
    Kind.SERVER: "server",
    Kind.SERVER_NETWORK: "network attachment",
    Kind.VOLUME_ATTACHMENT: "volume attachment",
    Kind.ZONE: "managed zone",
    Kind.RECORD: "record",
    Kind.ACCOUNT: "service account",
    Kind.KEY: "service account key",
    Kind.GRANT: "role binding",
}


class Key(NamedTuple):
    """One object of one cloud."""

    kind: Kind
    id: str


def key(kind: Kind, id_: str, properties: Mapping[str, Any]) -> Key:
    """``id_`` as the engine knows it. A volume attachment has its volume's id, whichever server it means."""
    if kind is Kind.VOLUME_ATTACHMENT:
        return Key(kind, f"{id_}@{int(properties.get('serverId', 0))}")
    return Key(kind, id_)


@dataclass(frozen=True, kw_only=True)
class Thing:
    """One object of a cloud.

    ``name``: what an operator calls it. ``inputs``: what the program would have given for it, read back.
    ``outputs``: what else the program reads of it. ``needs``: what it hangs on, the closest first.
    ``price``: None when it costs nothing.
    """

    kind: Kind
    id: str
    name: str
    inputs: Mapping[str, Any]
    outputs: Mapping[str, Any] = field(default_factory=dict)
    labels: Mapping[str, str] = field(default_factory=dict)
    needs: tuple[Key, ...] = ()
    price: Price | None = None

    @property
    def key(self) -> Key:
        return key(self.kind, self.id, self.inputs)

    def __str__(self) -> str:
        known = [] if self.id == self.name else [self.id]
        inside = ", ".join([*known, *([str(self.price)] if self.price else [])])
        return f"{self.kind.noun} {self.name}" + (f" ({inside})" if inside else "")
