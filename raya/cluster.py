"""Cluster: wires the rooms in the order data flows, and collects the outputs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pulumi

from raya import addressing, placement
from raya.addressing import CONTROL_PLANE_NAME
from raya.agent_pool import AgentPool, AgentPoolArgs
from raya.control_plane import ControlPlane, ControlPlaneArgs
from raya.dns_identity import DnsIdentity, DnsIdentityArgs
from raya.dns_zone import DnsZone, DnsZoneArgs
from raya.fleet import Agent
from raya.identity import Identity, IdentityArgs
from raya.last_update import LastUpdate
from raya.machine_config import NodeSpec
from raya.machine_specs import AgentSecrets, ControlPlaneSecrets
from raya.network import Network, NetworkArgs
from raya.node import Node, NodeArgs
from raya.placement import Placement
from raya.preflight import Preflight
from raya.release import when_released
from raya.settings import Settings
from raya.snapshot import Snapshot, SnapshotArgs


@dataclass(frozen=True, kw_only=True)
class ClusterArgs:
    settings: Settings
    preflight: Preflight
    project_root: Path
    last_update: LastUpdate


class Cluster(pulumi.ComponentResource):
    """One cluster. ``outputs`` are the stack's outputs by name."""

    outputs: dict[str, pulumi.Output[object]]

    def __init__(self, name: str, args: ClusterArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("raya:cluster:Cluster", name, None, opts)
        self._args, self._settings = args, args.settings
        self._children = pulumi.ResourceOptions(parent=self)
        self._when_released = when_released()
        self.identity = Identity(
            "identity", IdentityArgs(cluster_name=self._settings.cluster_name), self._children
        )
        self.network = self._network()
        self.snapshot = self._snapshot()
        self.dns_zone = self._dns_zone()
        self.external_dns = self._dns_identity("external-dns")
        self.cert_manager = self._dns_identity("cert-manager")
        self.control_plane = self._control_plane()
        self.agents = self._agents()
        self._publish()
        self.outputs = self._outputs()
        self.register_outputs({"nameServers": self.dns_zone.name_servers})

    @property
    def nodes(self) -> dict[str, Node]:
        """Every machine by its node name, the control plane first."""
        agents = {agent.name: node for agent, node in self.agents.nodes.items()}
        return {CONTROL_PLANE_NAME: self.control_plane.node, **agents}

    def _network(self) -> Network:
        network = self._settings.network
        args = NetworkArgs(
            resource_name=self._resource_name(),
            ip_range=str(network.range),
            nodes_subnet=str(network.nodes_subnet),
            network_zone=self._settings.network_zone,
            ssh_sources=[str(source) for source in self._settings.firewall.ssh_sources],
            labels=self._labels("network"),
        )
        return Network("network", args, self._children)

    def _snapshot(self) -> Snapshot:
        preflight = self._args.preflight
        return Snapshot(
            "snapshot", SnapshotArgs(pins=preflight.specs.pins, found=preflight.snapshots), self._children
        )

    def _dns_zone(self) -> DnsZone:
        args = DnsZoneArgs(
            project=self._settings.gcp_project,
            cluster_name=self._settings.cluster_name,
            dns_name=self._settings.managed_zone,
            parent_zone=self._args.preflight.parent_zone,
            labels=self._labels("dns"),
        )
        return DnsZone("primary", args, self._children)

    def _dns_identity(self, component: str) -> DnsIdentity | None:
        if not self._settings.components[component]:
            return None
        args = DnsIdentityArgs(project=self._settings.gcp_project, cluster_name=self._settings.cluster_name)
        return DnsIdentity(component, args, self._children)

    def _control_plane(self) -> ControlPlane:
        settings = self._settings
        args = ControlPlaneArgs(
            volume_name=f"{self._resource_name()}{addressing.STATE_VOLUME_SUFFIX}",
            volume_size_gb=settings.control_plane.volume_size_gb,
            location=settings.location,
            labels=self._labels("control-plane"),
            when_released=self._when_released,
            make_node=self._control_plane_node,
        )
        return ControlPlane(CONTROL_PLANE_NAME, args, self._children)

    def _control_plane_node(self, volume_device: pulumi.Output[str]) -> NodeArgs:
        specs = self._args.preflight.specs
        secrets = pulumi.Output.all(
            join_secret=self.identity.join_secret,
            node_password=self.identity.node_password(CONTROL_PLANE_NAME),
            pki=self.identity.pki,
            external_dns_key=self.external_dns.key if self.external_dns else None,
            cert_manager_key=self.cert_manager.key if self.cert_manager else None,
        ).apply(lambda values: ControlPlaneSecrets(**values))
        spec = pulumi.Output.all(secrets, volume_device).apply(
            lambda values: specs.control_plane(values[0], volume_device=values[1])
        )
        return self._node(
            placement.of_control_plane(self._settings),
            role="control-plane",
            private_ip=str(self._settings.addresses.control_plane),
            spec=spec,
            after=self._before_machines(),
        )

    def _agents(self) -> AgentPool:
        args = AgentPoolArgs(agents=self._settings.fleet.agents, make_node=self._agent_node)
        return AgentPool("agents", args, self._children)

    def _agent_node(self, agent: Agent) -> NodeArgs:
        specs = self._args.preflight.specs
        spec = pulumi.Output.all(
            agent_token=self.identity.agent_token, node_password=self.identity.node_password(agent.name)
        ).apply(lambda values: specs.agent(agent, AgentSecrets(**values)))
        return self._node(
            placement.of_agent(self._settings, agent),
            role="agent",
            private_ip=str(self._settings.addresses.agent(agent.position)),
            spec=spec,
            # There is nothing to join before; and an update of all never takes them and the control plane at
            # once. What comes before the control plane comes before them, too.
            after=[self.control_plane.attachment],
        )

    def _node(
        self,
        placed: Placement,
        *,
        role: str,
        private_ip: str,
        spec: pulumi.Output[NodeSpec],
        after: Sequence[pulumi.Resource],
    ) -> NodeArgs:
        return NodeArgs(
            server_name=f"{self._settings.server_name_prefix}{placed.node}",
            placement=placed,
            image=self.snapshot.image(placed.architecture),
            labels=self._labels(role),
            private_ip=private_ip,
            network=self.network,
            spec=spec,
            digest_key=self.identity.digest_key,
            project_root=self._args.project_root,
            when_released=self._when_released,
            after=after,
        )

    def _before_machines(self) -> Sequence[pulumi.Resource]:
        """At destroy these go after the machines: a running external-dns would write into the zone again."""
        identities = [identity.grant for identity in (self.external_dns, self.cert_manager) if identity]
        return [self.dns_zone.zone, self.dns_zone.delegation, *identities]

    def _publish(self) -> None:
        self.dns_zone.publish(addressing.CONTROL_PLANE_RECORD, self.control_plane.node.ipv4_address)
        for agent, node in self.agents.nodes.items():
            self.dns_zone.publish(addressing.agent_record(agent.position), node.ipv4_address)

    def _outputs(self) -> dict[str, pulumi.Output[object]]:
        agents = {
            agent.name: self._described(node, addressing.agent_record(agent.position))
            for agent, node in self.agents.nodes.items()
        }
        control_plane = self._described(self.control_plane.node, addressing.CONTROL_PLANE_RECORD)
        volume = self.control_plane.volume
        before = self._args.last_update.digests
        return {
            "controlPlane": pulumi.Output.from_input(control_plane),
            "agents": pulumi.Output.from_input(agents),
            "stateVolume": pulumi.Output.all(id=volume.id, sizeGb=volume.size, location=volume.location),
            "placements": pulumi.Output.from_input(
                {
                    # Of the server: a run with `--target` does not bring all of them where they should be.
                    name: {"serverType": node.server.server_type, "location": node.server.location}
                    for name, node in self.nodes.items()
                }
            ),
            "nameServers": self.dns_zone.name_servers,
            "kubeconfig": self.identity.kubeconfig,
            "kubeconfigExpires": self.identity.kubeconfig_expires,
            "joinToken": self.identity.agent_token,
            "machineConfigDigests": pulumi.Output.all(
                **{name: node.digests_in_force(before.get(name, {})) for name, node in self.nodes.items()}
            ),
        }

    def _described(self, node: Node, record: str) -> dict[str, pulumi.Input[str]]:
        return {
            "publicIp": node.ipv4_address,
            "privateIp": node.private_ip,
            "fqdn": addressing.fqdn(record, self._settings.managed_zone),
        }

    def _resource_name(self) -> str:
        return f"{self._settings.server_name_prefix}{self._settings.cluster_name}"

    def _labels(self, role: str) -> dict[str, pulumi.Input[str]]:
        return {
            "managed_by": "raya",
            "cluster": self._settings.cluster_name,
            "role": role,
            "stack": self.identity.stack_id,
        }
