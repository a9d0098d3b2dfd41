"""Names in the Hetzner project that this cluster would take and somebody else has. Pure.

Names are unique there, kind by kind. Without this look, an update would make a network, a firewall and
perhaps some machines before the first of them is refused; and a cluster that calls itself like another would
be taken for it by everything that goes by labels.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from raya import placement
from raya.addressing import STATE_VOLUME_SUFFIX
from raya.clash import CLUSTER_NAME, SERVER_NAME_PREFIX, Clash
from raya.inventory import HetznerProject, Kind, Thing
from raya.ownership import Ownership
from raya.settings import Settings
from raya.wording import first_and_count

_MOST_NAMED = 4


def clashes(project: HetznerProject, settings: Settings, own: Ownership) -> Iterator[Clash]:
    """One for each owner of something that is in this cluster's way."""
    cluster_name, wanted = settings.cluster_name, _wanted(settings)
    strangers = [
        each
        for each in project.things
        if ((each.kind, each.name) in wanted or each.cluster == cluster_name)
        and not own.has(each, cluster_name=cluster_name)
    ]
    namesakes = [each for each in strangers if each.cluster == cluster_name]
    if namesakes:
        has_our_names = any((each.kind, each.name) in wanted for each in namesakes)
        keys = [CLUSTER_NAME, *([SERVER_NAME_PREFIX] if has_our_names else [])]
        yield Clash(_namesakes(namesakes, cluster_name, own.stack), frozenset(keys))
    others = [each for each in strangers if each.cluster != cluster_name]
    for owner in sorted({each.cluster or "" for each in others}):
        taken = _taken([each for each in others if (each.cluster or "") == owner], owner)
        yield Clash(taken, frozenset({SERVER_NAME_PREFIX}))


def _wanted(settings: Settings) -> frozenset[tuple[Kind, str]]:
    prefix = settings.server_name_prefix
    name = f"{prefix}{settings.cluster_name}"
    servers: list[tuple[Kind, str]] = [
        ("server", f"{prefix}{each.node}") for each in placement.of_all(settings)
    ]
    return frozenset(
        [*servers, ("network", name), ("firewall", name), ("volume", f"{name}{STATE_VOLUME_SUFFIX}")]
    )


def _taken(things: Sequence[Thing], owner: str) -> str:
    whose = (
        f"of the raya cluster {owner}" if owner else "which carries no labels of raya's (managed_by, cluster)"
    )
    return (
        f"this Hetzner project already has {_listed(things)}, {whose}, and names are unique in a project. "
        "Give this cluster names of its own, for instance: pulumi config set raya:serverNamePrefix blue-"
    )


def _namesakes(things: Sequence[Thing], cluster_name: str, stack: str) -> str:
    return (
        f"this Hetzner project already has {_listed(things)}, labelled cluster={cluster_name}, of which the "
        f"state of the stack {stack} does not know. Either another stack calls its cluster {cluster_name} "
        "too: then give this one a raya:clusterName, a raya:serverNamePrefix and a "
        "raya:clusterManagedSubdomain of its own, and do not recover it. Or a run of this stack was "
        "interrupted, or something was removed from its state by hand: then "
        f"`make recover STACK={stack}` brings the state and the project together again."
    )


def _listed(things: Iterable[Thing]) -> str:
    return first_and_count([str(each) for each in things], most=_MOST_NAMED)
