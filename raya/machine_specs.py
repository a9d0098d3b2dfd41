"""What each machine is told: settings and secrets become NodeSpecs. Pure.

The one place where a NodeSpec is put together: the program calls it with the cluster's real secrets, `make
render` and the size check at plan time with throw-away ones.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import SecretStr

from raya import addressing, manifests
from raya.addressing import CONTROL_PLANE_NAME
from raya.dns_names import zone_resource_name
from raya.fleet import Agent
from raya.machine_config import ClusterPki, NodeSpec
from raya.pins import Pins
from raya.settings import Settings

# On the Node objects of agents that the fleet file declares: the reaper touches no other node.
FLEET_LABEL = "raya.dev/fleet"


@dataclass(frozen=True, kw_only=True)
class ControlPlaneSecrets:
    """Everything secret in the control plane's Ignition. The Google keys are texts of JSON key files."""

    join_secret: str
    node_password: str
    pki: ClusterPki
    external_dns_key: str | None
    cert_manager_key: str | None


@dataclass(frozen=True, kw_only=True)
class AgentSecrets:
    """All that an agent is trusted with."""

    agent_token: str
    node_password: str


@dataclass(frozen=True, kw_only=True)
class MachineSpecs:
    """Makes the NodeSpecs of one cluster. ``authorized_keys`` are OpenSSH public keys, one a line."""

    settings: Settings
    pins: Pins
    authorized_keys: Sequence[str]
    project_root: Path

    def control_plane(self, secrets: ControlPlaneSecrets, *, volume_device: str) -> NodeSpec:
        """``volume_device``: the state volume's path below /dev/disk/by-id."""
        return NodeSpec(
            role="control-plane",
            name=CONTROL_PLANE_NAME,
            private_ip=str(self.settings.addresses.control_plane),
            dns_name=self._fqdn(addressing.CONTROL_PLANE_RECORD),
            token=secrets.join_secret,
            node_password=secrets.node_password,
            node_labels={},
            volume_device=volume_device,
            pki=secrets.pki,
            manifests=self._manifests(secrets),
            **self._shared(),
        )

    def agent(self, agent: Agent, secrets: AgentSecrets) -> NodeSpec:
        """The spec of the agent at ``agent.position``."""
        return NodeSpec(
            role="agent",
            name=agent.name,
            private_ip=str(self.settings.addresses.agent(agent.position)),
            dns_name=self._fqdn(addressing.agent_record(agent.position)),
            token=secrets.agent_token,
            node_password=secrets.node_password,
            node_labels={FLEET_LABEL: "file"} if self.settings.fleet.from_file else {},
            volume_device=None,
            pki=None,
            manifests={},
            **self._shared(),
        )

    def _shared(self) -> dict[str, Any]:
        addresses = self.settings.addresses
        return {
            "cluster_name": self.settings.cluster_name,
            "gateway": str(addresses.gateway),
            "route": str(self.settings.network.route),
            "nodes_subnet": str(self.settings.network.nodes_subnet),
            "control_plane_ip": str(addresses.control_plane),
            "authorized_keys": tuple(self.authorized_keys),
            "fcos_version": self.pins.fcos.version,
            "k3s_version": self.pins.k3s.version,
        }

    def _fqdn(self, record: str) -> str:
        return addressing.fqdn(record, self.settings.managed_zone)

    def _manifests(self, secrets: ControlPlaneSecrets) -> Mapping[str, str]:
        settings = self.settings
        values = manifests.ManifestValues(
            cluster_name=settings.cluster_name,
            location=settings.location,
            gcp_project=settings.gcp_project,
            managed_zone_name=zone_resource_name(settings.managed_zone),
            managed_zone=settings.managed_zone,
            dns_zones=settings.dns_zones,
            acme_email=settings.acme.email,
            acme_server=settings.acme.server,
            gitops_url=settings.gitops.url,
            gitops_branch=settings.gitops.branch,
            gitops_path=settings.gitops.path,
            gitops_token=_reveal(settings.gitops.token),
            hcloud_csi_token=_reveal(settings.hcloud_csi_token),
            external_dns_key=secrets.external_dns_key,
            cert_manager_key=secrets.cert_manager_key,
            components=settings.components,
        )
        return manifests.render(values, project_root=self.project_root)


def device_path(volume_id: str) -> str:
    """Where a server finds the volume, whatever the kernel calls the disk (Hetzner: ``linux_device``)."""
    return f"/dev/disk/by-id/scsi-0HC_Volume_{volume_id}"


def _reveal(secret: SecretStr | None) -> str | None:
    return None if secret is None else secret.get_secret_value()
