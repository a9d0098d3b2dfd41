"""What a Hetzner project and a Google project hold, as far as it can be in a cluster's way. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

Kind = Literal["server", "network", "firewall", "volume", "zone"]


@dataclass(frozen=True, kw_only=True)
class Thing:
    """One named object. ``mark``: what only this object has, besides its name: a server's public address, a
    zone's name servers, an id; empty where it is not known.
    """

    kind: Kind
    name: str
    id: str = ""
    mark: str = ""
    labels: Mapping[str, str] = field(default_factory=dict, hash=False)

    @property
    def cluster(self) -> str | None:
        """The raya cluster that it says it belongs to."""
        return self.labels.get("cluster") if self.labels.get("managed_by") == "raya" else None

    def __str__(self) -> str:
        return f"the {self.kind} {self.name}" + (f" ({self.id})" if self.id else "")


@dataclass(frozen=True, kw_only=True)
class HetznerProject:
    """``things``: everything that has a name a cluster takes too; ``server_types``: by server name."""

    things: Sequence[Thing]
    server_types: Mapping[str, str]

    def count(self, kind: Kind) -> int:
        """How many of a kind there are, whosever they are."""
        return sum(each.kind == kind for each in self.things)


@dataclass(frozen=True, kw_only=True)
class Zone:
    """A zone of the Google project. ``dns_name``: without the final dot."""

    name: str
    dns_name: str
    is_public: bool = True
    description: str = ""
    name_servers: Sequence[str] = ()

    @property
    def thing(self) -> Thing:
        """As one named object among others."""
        return Thing(kind="zone", name=self.name, mark=zone_mark(self.dns_name, self.name_servers))


def zone_mark(dns_name: str, name_servers: Iterable[str]) -> str:
    """The mark of a zone: Google has few sets of name servers, and no two zones of one name share one."""
    return " ".join([dns_name, *sorted(name_servers)])
