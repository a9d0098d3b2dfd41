"""Everything that is read and checked before the first resource is registered."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from raya import (
    authorized_keys,
    clash,
    hetzner_project,
    lookups,
    name_clashes,
    placement,
    project_limits,
    rehearsal,
    server_offer,
    server_types,
    snapshot_search,
    state_volume,
    zone_clashes,
)
from raya.clash import Clash
from raya.dns_zone import find_delegation, find_parent_zone, look_up_zones
from raya.errors import RayaError
from raya.inventory import HetznerProject, Zone
from raya.last_update import LastUpdate
from raya.machine_specs import MachineSpecs
from raya.ownership import Ownership
from raya.pins import Pins
from raya.placement import Placement
from raya.project_limits import Count
from raya.server_offer import Offer
from raya.settings import Settings
from raya.snapshot_fit import Fit

_KEYS_TIMEOUT_S = 10.0


class StateVolumeError(RayaError):
    """The settings ask for something that the existing state volume does not allow."""


class ServerTypeError(RayaError):
    """A machine that is to be made cannot be ordered."""


class SnapshotError(RayaError):
    """There is no snapshot that a machine could be made from."""


class ClashError(RayaError):
    """Something that the cluster needs for itself is there already, and is not this stack's."""


class LimitError(RayaError):
    """More would be made than the network, or the account, takes."""


@dataclass(frozen=True, kw_only=True)
class Preflight:
    """What the checks found: ``snapshots`` by architecture, newest first; ``parent_zone`` a resource name.

    ``irreplaceable``: machines that run and could not be made again, with the reason, by node name.
    ``warnings``: sentences about what will stop working one day.
    """

    specs: MachineSpecs
    snapshots: Mapping[str, Sequence[str]]
    parent_zone: str
    irreplaceable: Mapping[str, str] = field(default_factory=dict)
    warnings: Sequence[str] = ()


def check(
    settings: Settings,
    project_root: Path,
    *,
    config: Mapping[str, str],
    last: LastUpdate,
    own: Ownership,
) -> Preflight:
    """Fetches the authorized keys, renders every machine once, then looks up what the clouds have to have.

    ``config``: what the settings were read from; ``last``: what the last update left; ``own``: what this
    stack may find there without surprise. Changes nothing; raises one of ``errors.SENTENCES``.
    """
    wanted = placement.of_all(settings)
    _refuse(StateVolumeError, state_volume.refusals(last.volume, settings))
    _refuse(LimitError, project_limits.network_refusals(wanted, last.placements))
    specs = _rehearsed(settings, project_root)
    snapshots = lookups.meanwhile(lambda: snapshot_search.find(config, specs.pins))
    zones = lookups.meanwhile(lambda: look_up_zones(settings.gcp_project, settings.dns_parent_zone))
    offer = server_types.look_up()
    types = server_offer.compare(offer, wanted, last.placements)
    _refuse(ServerTypeError, types.refusals)
    project = hetzner_project.look_up()
    parent_zone = _free_parent_zone(project, zones(), settings, last, own)
    counts = _counts(project, settings, wanted=wanted, offer=offer)
    _refuse(LimitError, [each.refusal for each in counts if each.refusal])
    fit = Fit(found=snapshots(), pins=specs.pins, offer=offer, running=last.placements)
    images = fit.compare(settings)
    _refuse(SnapshotError, images.refusals)
    return Preflight(
        specs=specs,
        snapshots={
            architecture: [each.id for each in fit.found[architecture]]
            for architecture in sorted({each.architecture for each in wanted})
        },
        parent_zone=parent_zone,
        irreplaceable={**images.irreplaceable, **types.irreplaceable},
        warnings=[*types.warnings, *(each.warning for each in counts if each.warning)],
    )


def _rehearsed(settings: Settings, project_root: Path) -> MachineSpecs:
    """The machines' specs, each rendered once with throw-away secrets."""
    keys = authorized_keys.fetch(
        settings.authorized_users, base_url=settings.endpoints.github, timeout_s=_KEYS_TIMEOUT_S
    )
    specs = MachineSpecs(
        settings=settings,
        pins=Pins.load(project_root / "image"),
        authorized_keys=keys,
        project_root=project_root,
    )
    for _ in rehearsal.rehearse(specs):
        pass
    return specs


def _free_parent_zone(
    project: HetznerProject, zones: Sequence[Zone], settings: Settings, last: LastUpdate, own: Ownership
) -> str:
    """The parent zone's resource name, when nothing is in the cluster's way in either cloud."""
    parent_zone = find_parent_zone(zones, settings.gcp_project, settings.dns_parent_zone)
    public = [each for each in zones if each.is_public]
    clashes = [
        *name_clashes.clashes(project, settings, own),
        *zone_clashes.clashes(public, settings, own),
        *_delegation_clashes(public, parent_zone, settings, last),
    ]
    _refuse(ClashError, clash.told(clashes))
    return parent_zone


def _delegation_clashes(
    zones: Sequence[Zone], parent_zone: str, settings: Settings, last: LastUpdate
) -> Iterable[Clash]:
    """Asked for only when the zone is about to be made."""
    managed = settings.managed_zone
    if last.managed_zone == managed or any(each.dns_name == managed for each in zones):
        return ()
    delegation = find_delegation(settings.gcp_project, parent_zone, managed)
    return zone_clashes.of_delegation(delegation, settings)


def _counts(
    project: HetznerProject, settings: Settings, *, wanted: Sequence[Placement], offer: Offer
) -> Sequence[Count]:
    # Asked for only when it is compared with something.
    primary_ips = hetzner_project.count_primary_ips() if settings.limits.primary_ips else 0
    return project_limits.counts(project, primary_ips, settings, wanted=wanted, offer=offer)


def _refuse(error: type[RayaError], sentences: Iterable[str]) -> None:
    """Raises ``error`` with all ``sentences``, if there is one."""
    if broken := list(sentences):
        raise error("\n".join(broken))
