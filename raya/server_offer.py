"""What Hetzner sells where, compared with what the cluster wants. Pure."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date

from raya.addressing import NETWORK_ZONES, architecture
from raya.placement import Placement
from raya.wording import first_and_count

_MOST_ALTERNATIVES = 5


@dataclass(frozen=True, kw_only=True)
class Place:
    """A type in one location. ``last_day``: of its sale, where its end is announced.

    ``sold``: that day is not over; ``in_stock``: it can be ordered at this moment.
    """

    sold: bool = True
    in_stock: bool = True
    last_day: date | None = None

    @property
    def orderable(self) -> bool:
        return self.sold and self.in_stock


@dataclass(frozen=True, kw_only=True)
class ServerType:
    """``architecture``: ``x86`` or ``arm``; ``places``: by location."""

    name: str
    architecture: str
    cores: int
    memory_gb: float
    disk_gb: int
    places: Mapping[str, Place]

    def orderable_in(self, location: str) -> bool:
        """Whether a server of this type can be ordered there now."""
        return location in self.places and self.places[location].orderable

    def replaces(self, other: ServerType) -> bool:
        """Whether what runs on ``other`` runs on this one: the same architecture, and nothing smaller."""
        return (
            self.architecture == other.architecture
            and self.cores >= other.cores
            and self.memory_gb >= other.memory_gb
        )


Offer = Mapping[str, ServerType]


@dataclass
class Findings:
    """``refusals``: of machines to be made; ``irreplaceable``: the reason, by node name, of ones that run.

    ``warnings``: of types that are on sale for a while yet.
    """

    refusals: list[str] = field(default_factory=list)
    irreplaceable: dict[str, str] = field(default_factory=dict)
    warnings: list[str] = field(default_factory=list)


def compare(offer: Offer, wanted: Iterable[Placement], running: Collection[Placement]) -> Findings:
    """Which placements cannot be ordered; ``running``: the placements that the last update left.

    A machine that runs is not affected by the end of its type, nor by an empty stock: with a refusal, no
    update of the cluster would be possible. Only an update that would rebuild it must not begin, because it
    would be deleted first.
    """
    findings = Findings()
    for (server_type, location), nodes in by_kind(wanted).items():
        problem = _problem(offer, server_type, location)
        if problem is None:
            findings.warnings.extend(_last_day(offer, server_type, location, nodes))
            continue
        new = []
        for node in nodes:
            if Placement(node=node, server_type=server_type, location=location) in running:
                findings.irreplaceable[node] = problem
            else:
                new.append(node)
        if new:
            findings.refusals.append(f"{first_and_count(new)}: {problem}")
    return findings


def by_kind(wanted: Iterable[Placement]) -> Mapping[tuple[str, str], Sequence[str]]:
    """Node names by what they are and where: a hundred machines of one kind are one sentence."""
    nodes: dict[tuple[str, str], list[str]] = {}
    for each in wanted:
        nodes.setdefault((each.server_type, each.location), []).append(each.node)
    return nodes


def _problem(offer: Offer, server_type: str, location: str) -> str | None:
    if server_type not in offer:
        here = [each for each in offer.values() if each.orderable_in(location)]
        return f"Hetzner has no server type {server_type}; in {location} there are {named(here)}."
    wanted = offer[server_type]
    if wanted.architecture != architecture(server_type):
        return (
            f"Hetzner says that the server type {server_type} is {wanted.architecture}, and this program "
            f"would give it an image for {architecture(server_type)}; take another type."
        )
    if wanted.orderable_in(location):
        return None
    return (
        f"the server type {server_type} {_why_not(wanted, location)}; {_elsewhere(wanted, location)}, and "
        f"{location} has {_instead(offer, wanted, location)}."
    )


def _why_not(wanted: ServerType, location: str) -> str:
    place = wanted.places.get(location)
    if place is not None and place.sold:
        return f"is out of stock in {location} at the moment"
    return f"cannot be ordered in {location}"


def _elsewhere(wanted: ServerType, location: str) -> str:
    """The other locations of the same network zone that have it: a machine cannot leave the zone."""
    zone = NETWORK_ZONES.get(location)
    there = sorted(name for name, own in NETWORK_ZONES.items() if own == zone and wanted.orderable_in(name))
    if there:
        return f"it is in {', '.join(there)}"
    if any(place.sold for place in wanted.places.values()):
        return f"no location of the network zone {zone} has it"
    return "it is sold nowhere any more"


def _instead(offer: Offer, wanted: ServerType, location: str) -> str:
    """What could be taken in its place, the smallest first."""
    fitting = [each for each in offer.values() if each.orderable_in(location) and each.replaces(wanted)]
    what = f"{wanted.architecture}, at least {wanted.cores} cores and {wanted.memory_gb:g} GB"
    return f"{named(fitting)} ({what})" if fitting else f"nothing like it ({what})"


def named(types: Iterable[ServerType]) -> str:
    """The smallest first, and how many more there are; ``none`` for none."""
    by_size = sorted(types, key=lambda each: (each.cores, each.memory_gb, each.name))
    return first_and_count([each.name for each in by_size], most=_MOST_ALTERNATIVES) or "none"


def _last_day(offer: Offer, server_type: str, location: str, nodes: Sequence[str]) -> Iterator[str]:
    """A warning while there is time: after that day the machines run on, but could not be rebuilt."""
    last = offer[server_type].places[location].last_day
    if last is not None:
        yield (
            f"{first_and_count(nodes)}: the server type {server_type} is sold in {location} until {last} "
            f"only, and a machine of it cannot be rebuilt after that; {location} has "
            f"{_instead(_lasting(offer, location), offer[server_type], location)}."
        )


def _lasting(offer: Offer, location: str) -> Offer:
    """The types whose end nobody has announced there."""
    return {
        name: each
        for name, each in offer.items()
        if location in each.places and each.places[location].last_day is None
    }
