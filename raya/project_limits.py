"""How many of everything there would be, against the limits that can be known. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from raya.fleet import MAX_LIVE_AGENTS
from raya.inventory import HetznerProject
from raya.placement import Placement
from raya.server_offer import Offer
from raya.settings import Settings

# A server comes with an IPv4 and an IPv6 address.
_ADDRESSES_PER_SERVER = 2
_NETWORK_RESOURCES = MAX_LIVE_AGENTS + 1


def network_refusals(wanted: Sequence[Placement], running: Sequence[Placement]) -> Iterator[str]:
    """Whether the network would be overfull for a while: new machines come before retired ones go."""
    nodes = {each.node for each in running} | {each.node for each in wanted}
    retired = len(nodes) - len(wanted)
    if len(nodes) > _NETWORK_RESOURCES:
        yield (
            f"this update would make its new machines before it deletes the retired ones ({retired}), "
            f"{len(nodes)} in one network for a while, and a Hetzner network takes {_NETWORK_RESOURCES} "
            "resources. Retire agents in an update of their own first."
        )


@dataclass(frozen=True, kw_only=True)
class Count:
    """Of one kind: the ``limit`` as written, how many are ``present``, how many ``more`` there would be.

    ``more`` is negative when there would be fewer.
    """

    key: str
    noun: str
    limit: int
    present: int
    more: int

    @property
    def refusal(self) -> str | None:
        """When this update would go beyond the limit."""
        excess = self.present + self.more - self.limit
        if self.more <= 0 or excess <= 0:
            return None
        return (
            f"raya:limits.{self.key} is {self.limit}: the Hetzner project has {self._of(self.present)} and "
            f"this update would make {self.more} more, {self._of(excess)} too many. Take machines out of the "
            "fleet, or ask Hetzner for more (console.hetzner.cloud, the account's limits) and write the new "
            f"limit into raya:limits.{self.key}."
        )

    @property
    def warning(self) -> str | None:
        """When what exists is beyond the limit: an update that adds nothing still works."""
        if self.refusal or self.present <= self.limit:
            return None
        return (
            f"raya:limits.{self.key} is {self.limit}, and the Hetzner project has {self._of(self.present)} "
            "already: no more can be made by this stack. If the account may hold more, write the limit that "
            f"console.hetzner.cloud shows into raya:limits.{self.key}."
        )

    def _of(self, number: int) -> str:
        plural = "es" if self.noun.endswith("s") else "s"
        return f"{number} {self.noun}" + ("" if number == 1 else plural)


def counts(
    project: HetznerProject,
    primary_ips: int,
    settings: Settings,
    *,
    wanted: Sequence[Placement],
    offer: Offer,
) -> list[Count]:
    """Of every kind that ``settings`` give a limit for."""
    limits, prefix = settings.limits, settings.server_name_prefix
    new = [each for each in wanted if f"{prefix}{each.node}" not in project.server_types]
    volume = (
        0
        if any(each.kind == "volume" and each.cluster == settings.cluster_name for each in project.things)
        else 1
    )
    # What an update retires still counts: it is deleted after the rest has been made.
    return [
        Count(key=key, noun=noun, limit=limit, present=present, more=more)
        for key, noun, limit, present, more in (
            ("servers", "server", limits.servers, project.count("server"), len(new)),
            ("cores", "core", limits.cores, *_cores(project, prefix, wanted=wanted, offer=offer)),
            ("volumes", "volume", limits.volumes, project.count("volume"), volume),
            ("primaryIps", "address", limits.primary_ips, primary_ips, _ADDRESSES_PER_SERVER * len(new)),
        )
        if limit is not None
    ]


def _cores(
    project: HetznerProject, prefix: str, *, wanted: Sequence[Placement], offer: Offer
) -> tuple[int, int]:
    """Those of the servers that are there, and how many more there would be (fewer: a negative number)."""
    present = sum(_cores_of(each, offer) for each in project.server_types.values())
    future = {
        **project.server_types,
        **{f"{prefix}{each.node}": each.server_type for each in wanted},
    }
    return present, sum(_cores_of(each, offer) for each in future.values()) - present


def _cores_of(server_type: str, offer: Offer) -> int:
    return offer[server_type].cores if server_type in offer else 0
