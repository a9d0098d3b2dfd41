"""Renders machines with throw-away secrets: what would fail later fails before any change. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from raya import machine_config
from raya.fleet import Agent
from raya.machine_config import MachineConfig, NodeSpec
from raya.machine_specs import MachineSpecs, device_path
from raya.throwaway import VOLUME_ID, ThrowawaySecrets, noise_pki

Rendered = tuple[NodeSpec, MachineConfig]


def rehearse(specs: MachineSpecs) -> Iterator[Rendered]:
    """Renders the control plane and one agent, which stands for all: name, address and password differ.

    Raises RenderingError for what would fail with the real ones too: a template, Butane's objections, user
    data above the provider's limit.
    """
    secrets = ThrowawaySecrets(specs.settings, noise_pki())
    agents = specs.settings.fleet.agents
    return _rendered(specs, secrets, sorted(agents, key=lambda agent: len(agent.name))[-1:])


def every_machine(specs: MachineSpecs, secrets: ThrowawaySecrets) -> Iterator[Rendered]:
    """Renders the whole cluster, the control plane first; raises as :func:`rehearse`."""
    return _rendered(specs, secrets, specs.settings.fleet.agents)


def _rendered(specs: MachineSpecs, secrets: ThrowawaySecrets, agents: Iterable[Agent]) -> Iterator[Rendered]:
    device = device_path(VOLUME_ID)
    wanted = [
        specs.control_plane(secrets.control_plane(), volume_device=device),
        *(specs.agent(agent, secrets.agent(agent)) for agent in agents),
    ]
    for spec in wanted:
        yield spec, machine_config.render(spec, project_root=specs.project_root)
