"""Everything that is read and checked before the first resource is registered."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from raya import authorized_keys, placement, rehearsal, server_offer, server_types, state_volume
from raya.dns_zone import find_parent_zone
from raya.errors import RayaError
from raya.last_update import LastUpdate
from raya.machine_specs import MachineSpecs
from raya.pins import Pins
from raya.settings import Settings
from raya.snapshot import find_snapshots

_KEYS_TIMEOUT_S = 10.0


class StateVolumeError(RayaError):
    """The settings ask for something that the existing state volume does not allow."""


class ServerTypeError(RayaError):
    """A machine that is to be made cannot be ordered."""


@dataclass(frozen=True, kw_only=True)
class Preflight:
    """What the checks found: ``snapshots`` by architecture, newest first; ``parent_zone`` a resource name.

    ``irreplaceable``: machines that run and could not be made again, with the reason, by node name.
    """

    specs: MachineSpecs
    snapshots: Mapping[str, Sequence[str]]
    parent_zone: str
    irreplaceable: Mapping[str, str] = field(default_factory=dict)


def check(settings: Settings, project_root: Path, *, last: LastUpdate) -> Preflight:
    """Fetches the authorized keys, renders every machine once, then looks up what the clouds have to have.

    Changes nothing; raises one of ``errors.SENTENCES``.
    """
    if refused := list(state_volume.refusals(last.volume, settings)):
        raise StateVolumeError("\n".join(refused))
    pins = Pins.load(project_root / "image")
    keys = authorized_keys.fetch(
        settings.authorized_users, base_url=settings.endpoints.github, timeout_s=_KEYS_TIMEOUT_S
    )
    specs = MachineSpecs(settings=settings, pins=pins, authorized_keys=keys, project_root=project_root)
    for _ in rehearsal.rehearse(specs):
        pass
    wanted = placement.of_all(settings)
    findings = server_offer.compare(server_types.look_up(), wanted, last.placements)
    if findings.refusals:
        raise ServerTypeError("\n".join(findings.refusals))
    return Preflight(
        specs=specs,
        snapshots=find_snapshots(pins, {each.architecture for each in wanted}),
        parent_zone=find_parent_zone(settings.gcp_project, settings.dns_parent_zone),
        irreplaceable=findings.irreplaceable,
    )
