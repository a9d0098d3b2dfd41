"""Renders a whole cluster with throw-away secrets: what would fail later fails before any change. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

from raya import machine_config, throwaway
from raya.machine_config import MachineConfig, NodeSpec
from raya.machine_specs import MachineSpecs, device_path


def rehearse(specs: MachineSpecs) -> Iterator[tuple[NodeSpec, MachineConfig]]:
    """Renders every machine of the cluster with throw-away secrets, the control plane first.

    Raises RenderingError for what would fail with the real ones too: a template, Butane's objections, user
    data above the provider's limit.
    """
    secrets = throwaway.ThrowawaySecrets(specs.settings)
    device = device_path(throwaway.VOLUME_ID)
    wanted = [
        specs.control_plane(secrets.control_plane(), volume_device=device),
        *(specs.agent(agent, secrets.agent(agent)) for agent in specs.settings.fleet.agents),
    ]
    # Threads, so that butane runs overlap.
    with ThreadPoolExecutor() as pool:
        yield from pool.map(lambda spec: _rendered(specs, spec), wanted)


def _rendered(specs: MachineSpecs, spec: NodeSpec) -> tuple[NodeSpec, MachineConfig]:
    return spec, machine_config.render(spec, project_root=specs.project_root)
