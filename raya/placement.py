"""Where each machine is and of which type: the fleet's entries, the stack's defaults filled in. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from raya.addressing import CONTROL_PLANE_NAME, architecture
from raya.fleet import Agent
from raya.settings import Settings


@dataclass(frozen=True, kw_only=True)
class Placement:
    """One machine: its node name, its Hetzner server type and its location."""

    node: str
    server_type: str
    location: str

    @property
    def architecture(self) -> str:
        """``x86`` or ``arm``."""
        return architecture(self.server_type)


def of_control_plane(settings: Settings) -> Placement:
    """Of the control plane."""
    return Placement(
        node=CONTROL_PLANE_NAME, server_type=settings.control_plane.server_type, location=settings.location
    )


def of_agent(settings: Settings, agent: Agent) -> Placement:
    """Of one agent."""
    return Placement(
        node=agent.name,
        server_type=agent.server_type or settings.agents.server_type,
        location=agent.location or settings.location,
    )


def of_all(settings: Settings) -> list[Placement]:
    """Of every machine, the control plane first."""
    return [of_control_plane(settings), *(of_agent(settings, agent) for agent in settings.fleet.agents)]


def server_type_keys(settings: Settings) -> Mapping[str, str]:
    """Where each machine's server type is written down, by node name: ``raya:agents.serverType``."""
    agents = {
        agent.name: f"{settings.fleet.where(agent)}.serverType"
        if agent.server_type
        else "raya:agents.serverType"
        for agent in settings.fleet.agents
    }
    return {CONTROL_PLANE_NAME: "raya:controlPlane.serverType", **agents}
