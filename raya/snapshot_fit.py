"""Whether the machines can be made from the snapshots that there are. Pure.

Hetzner makes a server from an image of its architecture whose disk is not larger than its own. A snapshot has
the disk of the server that it was taken from.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from raya import placement
from raya.pins import Pins
from raya.placement import Placement
from raya.server_offer import Findings, Offer, by_kind, named
from raya.settings import Settings
from raya.wording import first_and_count


@dataclass(frozen=True, kw_only=True)
class FoundSnapshot:
    """``id``: Hetzner's number of it; ``disk_gb``: what a server needs at least."""

    id: str
    disk_gb: float


@dataclass(frozen=True, kw_only=True)
class Fit:
    """``found``: the snapshots of ``pins`` by architecture, newest first; ``offer``: the server types;
    ``running``: the placements that the last update left.
    """

    found: Mapping[str, Sequence[FoundSnapshot]]
    pins: Pins
    offer: Offer
    running: Sequence[Placement]

    def compare(self, settings: Settings) -> Findings:
        """Which machines have no snapshot, or one that is too large for them."""
        wanted, keys = placement.of_all(settings), placement.server_type_keys(settings)
        there = {each.node for each in wanted if each in self.running}
        findings = Findings(refusals=list(self._missing(wanted, keys)))
        for (server_type, location), nodes in by_kind(wanted).items():
            if problem := self._too_large(server_type, location):
                new = [node for node in nodes if node not in there]
                findings.irreplaceable |= {node: problem for node in nodes if node in there}
                findings.refusals += [f"{_with_keys(new, keys)}: {problem}"] if new else []
        return findings

    def _missing(self, wanted: Sequence[Placement], keys: Mapping[str, str]) -> Iterator[str]:
        pins = self.pins
        for architecture in sorted({each.architecture for each in wanted} - {*self.found}):
            nodes = [each.node for each in wanted if each.architecture == architecture]
            yield (
                f"{_with_keys(nodes, keys)}: no {architecture} snapshot of Fedora CoreOS {pins.fcos.version} "
                f"with k3s {pins.k3s.version} (image/fcos.pin, image/k3s.pin) exists in this Hetzner "
                f'project: looked for the labels "{pins.label_selector}". Make it (docs/image.md), pin '
                "versions that were made, or take a server type of an architecture that has one."
            )

    def _too_large(self, name: str, location: str) -> str | None:
        server_type = self.offer.get(name)
        snapshot = self._at_best(server_type.architecture) if server_type else None
        if snapshot is None or server_type is None or snapshot.disk_gb <= server_type.disk_gb:
            return None
        larger = [
            each
            for each in self.offer.values()
            if each.disk_gb >= snapshot.disk_gb
            and each.architecture == server_type.architecture
            and each.orderable_in(location)
        ]
        return (
            f"the snapshot {snapshot.id} has a disk of {snapshot.disk_gb:g} GB, and the server type "
            f"{name} has one of {server_type.disk_gb} GB: Hetzner makes no server from a larger image. Take "
            f"a type with a larger disk ({location} has {named(larger)}), or make the snapshot anew on the "
            "smallest type of its architecture (docs/image.md)."
        )

    def _at_best(self, architecture: str) -> FoundSnapshot | None:
        """The one that is taken; where machines run, which may be made from any of them, the smallest."""
        found = self.found.get(architecture, ())
        if any(each.architecture == architecture for each in self.running):
            return min(found, key=lambda each: each.disk_gb, default=None)
        return next(iter(found), None)


def _with_keys(nodes: Sequence[str], keys: Mapping[str, str]) -> str:
    """``agent-0, agent-1 (raya:agents.serverType)``"""
    distinct = list(dict.fromkeys(keys[node] for node in nodes))
    return f"{first_and_count(nodes)} ({first_and_count(distinct)})"
