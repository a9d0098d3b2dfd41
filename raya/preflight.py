"""Everything that is read and checked before the first resource is registered."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from raya import (
    authorized_keys,
    hetzner_project,
    lookups,
    name_clashes,
    placement,
    project_limits,
    rehearsal,
    server_offer,
    server_types,
    state_volume,
    zone_clashes,
)
from raya.dns_zone import find_delegation, find_parent_zone, look_up_zones
from raya.errors import RayaError
from raya.inventory import Zone
from raya.last_update import LastUpdate
from raya.machine_specs import MachineSpecs
from raya.ownership import Ownership
from raya.pins import Pins
from raya.placement import Placement
from raya.server_offer import Offer
from raya.settings import Settings
from raya.snapshot import find_snapshots

_KEYS_TIMEOUT_S = 10.0


class StateVolumeError(RayaError):
    """The settings ask for something that the existing state volume does not allow."""


class ServerTypeError(RayaError):
    """A machine that is to be made cannot be ordered."""


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


def check(settings: Settings, project_root: Path, *, last: LastUpdate, own: Ownership) -> Preflight:
    """Fetches the authorized keys, renders every machine once, then looks up what the clouds have to have.

    ``last``: what the last update left; ``own``: what this stack may find there without surprise. Changes
    nothing; raises one of ``errors.SENTENCES``.
    """
    wanted = placement.of_all(settings)
    _refuse(StateVolumeError, state_volume.refusals(last.volume, settings))
    _refuse(LimitError, project_limits.network_refusals(wanted, last.placements))
    specs = _rehearsed(settings, project_root)
    looked_up = lookups.meanwhile(lambda: look_up_zones(settings.gcp_project, settings.dns_parent_zone))
    offer = server_types.look_up()
    findings = server_offer.compare(offer, wanted, last.placements)
    _refuse(ServerTypeError, findings.refusals)
    _check_project(settings, own, wanted=wanted, offer=offer)
    parent_zone = _checked_parent_zone(looked_up(), settings, last, own)
    return Preflight(
        specs=specs,
        snapshots=find_snapshots(specs.pins, {each.architecture for each in wanted}),
        parent_zone=parent_zone,
        irreplaceable=findings.irreplaceable,
        warnings=findings.warnings,
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


def _check_project(settings: Settings, own: Ownership, *, wanted: Sequence[Placement], offer: Offer) -> None:
    project = hetzner_project.look_up()
    _refuse(ClashError, name_clashes.refusals(project, settings, own))
    # Asked for only when it is compared with something.
    primary_ips = hetzner_project.count_primary_ips() if settings.limits.primary_ips else 0
    _refuse(LimitError, project_limits.refusals(project, primary_ips, settings, wanted=wanted, offer=offer))


def _checked_parent_zone(zones: Sequence[Zone], settings: Settings, last: LastUpdate, own: Ownership) -> str:
    """The parent zone's resource name, when the cluster's own zone can be had below it."""
    project, managed = settings.gcp_project, settings.managed_zone
    parent_zone = find_parent_zone(zones, project, settings.dns_parent_zone)
    public = [each for each in zones if each.is_public]
    _refuse(ClashError, zone_clashes.refusals(public, settings, own))
    if last.managed_zone != managed and all(each.dns_name != managed for each in public):
        delegation = find_delegation(project, parent_zone, managed)
        _refuse(ClashError, zone_clashes.delegation_refusals(delegation, settings))
    return parent_zone


def _refuse(error: type[RayaError], sentences: Iterable[str]) -> None:
    """Raises ``error`` with all ``sentences``, if there is one."""
    if broken := list(sentences):
        raise error("\n".join(broken))
