"""What Hetzner sells where, compared with what the cluster wants. Pure."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from raya.placement import Placement

# Server type -> the locations where it can be ordered.
Offer = Mapping[str, Collection[str]]


@dataclass
class Findings:
    """``refusals``: of machines to be made; ``irreplaceable``: the reason, by name, of ones that run."""

    refusals: list[str] = field(default_factory=list)
    irreplaceable: dict[str, str] = field(default_factory=dict)


def compare(offer: Offer, wanted: Iterable[Placement], running: Collection[Placement]) -> Findings:
    """Which placements cannot be ordered; ``running``: the placements that the last update left.

    A machine that runs is not affected by the end of its type: with a refusal, no update of the cluster would
    be possible any more. Only an update that would rebuild it must not begin.
    """
    findings = Findings()
    for placement in wanted:
        if placement.location in offer.get(placement.server_type, ()):
            continue
        problem = _problem(offer, placement)
        if placement in running:
            findings.irreplaceable[placement.node] = problem
        else:
            findings.refusals.append(problem)
    return findings


def _problem(offer: Offer, placement: Placement) -> str:
    here = sorted(name for name, locations in offer.items() if placement.location in locations)
    if placement.server_type not in offer:
        return (
            f"{placement.node}: Hetzner has no server type {placement.server_type}; "
            f"in {placement.location} there are {_listed(here)}."
        )
    elsewhere = sorted(offer[placement.server_type])
    where = f"it is in {_listed(elsewhere)}" if elsewhere else "it is sold nowhere any more"
    return (
        f"{placement.node}: the server type {placement.server_type} cannot be ordered in "
        f"{placement.location}; {where}, and {placement.location} has {_listed(here)}."
    )


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names) or "none"
