"""Network: the private network, the nodes subnet and the firewall that every machine is created behind."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import pulumi
import pulumi_hcloud as hcloud

_ANYWHERE = ["0.0.0.0/0", "::/0"]


@dataclass(frozen=True, kw_only=True)
class NetworkArgs:
    """``ip_range``, ``nodes_subnet``: CIDRs; ``ssh_sources``: the CIDRs that may reach port 22 (or none)."""

    resource_name: str
    ip_range: str
    nodes_subnet: str
    network_zone: str
    ssh_sources: Sequence[str]
    labels: Mapping[str, pulumi.Input[str]]


class Network(pulumi.ComponentResource):
    """The private network and the firewall. The API is open to nobody outside: it is reached over SSH."""

    nodes_subnet: hcloud.NetworkSubnet
    subnet_id: pulumi.Output[str]
    firewall_id: pulumi.Output[int]

    def __init__(self, name: str, args: NetworkArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("raya:cluster:Network", name, None, opts)
        self._args = args
        network = self._network(name)
        self.nodes_subnet = self._nodes_subnet(network)
        self.subnet_id = self.nodes_subnet.id
        self.firewall_id = self._firewall(name).id.apply(int)
        self.register_outputs({"subnetId": self.subnet_id, "firewallId": self.firewall_id})

    def _network(self, name: str) -> hcloud.Network:
        return hcloud.Network(
            name,
            name=self._args.resource_name,
            ip_range=self._args.ip_range,
            labels=self._args.labels,
            # Its name is unique in the project, so the next one cannot exist beside it.
            opts=pulumi.ResourceOptions(parent=self, delete_before_replace=True),
        )

    def _nodes_subnet(self, network: hcloud.Network) -> hcloud.NetworkSubnet:
        return hcloud.NetworkSubnet(
            "nodes",
            network_id=network.id.apply(int),
            type="cloud",
            network_zone=self._args.network_zone,
            ip_range=self._args.nodes_subnet,
            opts=pulumi.ResourceOptions(parent=self, delete_before_replace=True),
        )

    def _firewall(self, name: str) -> hcloud.Firewall:
        return hcloud.Firewall(
            name,
            name=self._args.resource_name,
            labels=self._args.labels,
            rules=list(self._rules()),
            opts=pulumi.ResourceOptions(parent=self),
        )

    def _rules(self) -> list[hcloud.FirewallRuleArgs]:
        rules = [
            hcloud.FirewallRuleArgs(
                direction="in", protocol="tcp", port=port, source_ips=_ANYWHERE, description=description
            )
            for port, description in (("80", "HTTP"), ("443", "HTTPS"))
        ]
        rules.append(
            hcloud.FirewallRuleArgs(direction="in", protocol="icmp", source_ips=_ANYWHERE, description="ICMP")
        )
        if self._args.ssh_sources:
            rules.append(
                hcloud.FirewallRuleArgs(
                    direction="in",
                    protocol="tcp",
                    port="22",
                    source_ips=list(self._args.ssh_sources),
                    description="SSH",
                )
            )
        return rules
