"""Everything that is read and checked before the first resource is registered."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from raya import authorized_keys, rehearsal
from raya.addressing import architecture
from raya.dns_zone import find_parent_zone
from raya.machine_specs import MachineSpecs
from raya.pins import Pins
from raya.settings import Settings
from raya.snapshot import find_snapshots

_KEYS_TIMEOUT_S = 10.0


@dataclass(frozen=True, kw_only=True)
class Preflight:
    """What the checks found: ``snapshots`` by architecture, newest first; ``parent_zone`` a resource name."""

    specs: MachineSpecs
    snapshots: Mapping[str, Sequence[str]]
    parent_zone: str


def check(settings: Settings, project_root: Path) -> Preflight:
    """Fetches the authorized keys, renders every machine once, then looks up the snapshots and the parent
    zone.

    Changes nothing. Raises one of ``raya.errors.SENTENCES``.
    """
    pins = Pins.load(project_root / "image")
    keys = authorized_keys.fetch(
        settings.authorized_users, base_url=settings.endpoints.github, timeout_s=_KEYS_TIMEOUT_S
    )
    specs = MachineSpecs(settings=settings, pins=pins, authorized_keys=keys, project_root=project_root)
    for _ in rehearsal.rehearse(specs):
        pass
    return Preflight(
        specs=specs,
        snapshots=find_snapshots(pins, architectures(settings)),
        parent_zone=find_parent_zone(settings.gcp_project, settings.dns_parent_zone),
    )


def architectures(settings: Settings) -> set[str]:
    """The architectures (``x86``, ``arm``) of the cluster's machines."""
    agent_types = {agent.server_type or settings.agents.server_type for agent in settings.fleet.agents}
    return {architecture(server_type) for server_type in {settings.control_plane.server_type, *agent_types}}
