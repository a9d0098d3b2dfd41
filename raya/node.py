"""Node: one machine. The only place that renders inside apply."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import pulumi
import pulumi_hcloud as hcloud

from raya import machine_config
from raya.machine_config import MachineConfig, NodeSpec
from raya.network import Network
from raya.placement import Placement
from rendering.errors import RenderingError


@dataclass(frozen=True, kw_only=True)
class NodeArgs:
    """``spec`` is a secret output; ``image`` a snapshot id; ``private_ip`` the address the spec carries as
    well.

    ``after``: what must exist before the server is made, and outlives it.
    """

    server_name: str
    placement: Placement
    image: pulumi.Input[str]
    labels: Mapping[str, pulumi.Input[str]]
    private_ip: str
    network: Network
    spec: pulumi.Output[NodeSpec]
    digest_key: pulumi.Output[bytes]
    project_root: Path
    after: Sequence[pulumi.Resource]
    when_released: pulumi.ResourceHookBinding


class Node(pulumi.ComponentResource):
    """A server, its network attachment and its user data.

    The name and the private address can be held by one server at a time, so a replacement deletes first. The
    server is shut down before that, and the attachments are declared deleted with it: nothing is ever pulled
    from under a running machine.
    """

    server: hcloud.Server
    attachment: hcloud.ServerNetwork
    digests: pulumi.Output[Mapping[str, str]]
    ipv4_address: pulumi.Output[str]
    image: pulumi.Output[str]
    subnet_id: pulumi.Output[str]
    placement: Placement
    private_ip: str

    def __init__(self, name: str, args: NodeArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        config: pulumi.Output[MachineConfig] = args.spec.apply(_renderer(args.project_root))
        # Keyed digests tell nothing about what they digest, so a preview may show them.
        self.digests = pulumi.Output.unsecret(
            pulumi.Output.all(config, args.digest_key).apply(lambda values: values[0].digests(values[1]))
        )
        # As inputs of the component, they are what `preview --diff` shows of a changed machine.
        super().__init__("raya:cluster:Node", name, {"files": self.digests}, opts)
        self._name, self._args = name, args
        self.placement, self.private_ip = args.placement, args.private_ip
        self.image, self.subnet_id = pulumi.Output.from_input(args.image), args.network.subnet_id
        # Secret already, as all that it is made of; marked again so that no change up the line can show it.
        self._user_data: pulumi.Output[str] = config.apply(
            lambda rendered: pulumi.Output.secret(rendered.user_data)
        )
        self.server = self._server()
        self.attachment = self._attachment()
        self.ipv4_address = self.server.ipv4_address
        self.register_outputs({"ipv4Address": self.ipv4_address, "privateIp": args.private_ip})

    def digests_in_force(self, before: Mapping[str, str]) -> pulumi.Output[Mapping[str, str]]:
        """Of what the machine was made with: ``before``, when a run with `--target` does not come to it."""
        found: pulumi.Output[Mapping[str, str]] = pulumi.Output.all(
            self.server.user_data, self._user_data, self.digests
        ).apply(lambda values: values[2] if _is_told(values[0], values[1]) or not before else before)
        return pulumi.Output.unsecret(found)

    def _server(self) -> hcloud.Server:
        return hcloud.Server(
            self._name,
            name=self._args.server_name,
            server_type=self._args.placement.server_type,
            location=self._args.placement.location,
            image=self._args.image,
            labels=self._args.labels,
            user_data=self._user_data,
            # At creation: a server must not be reachable for one moment without it.
            firewall_ids=[self._args.network.firewall_id],
            shutdown_before_deletion=True,
            opts=pulumi.ResourceOptions(
                parent=self,
                depends_on=list(self._args.after),
                delete_before_replace=True,
                # In place, the provider would switch the machine off without asking it, and leave it off when
                # the change fails: with another type, too, it is another machine.
                replace_on_changes=["serverType"],
                # Another private network is another machine: it must not be taken from under a running one.
                replace_with=[self._args.network.nodes_subnet],
                additional_secret_outputs=["userData"],
            ),
        )

    def _attachment(self) -> hcloud.ServerNetwork:
        return hcloud.ServerNetwork(
            self._name,
            server_id=self.server.id.apply(int),
            subnet_id=self._args.network.subnet_id,
            ip=self._args.private_ip,
            opts=pulumi.ResourceOptions(
                parent=self,
                delete_before_replace=True,
                deleted_with=self.server,
                hooks=self._args.when_released,
            ),
        )


def _is_told(recorded: str | None, user_data: str) -> bool:
    """Whether a server has this user data. Hetzner's provider records it as the base64 of its SHA-1."""
    digest = base64.b64encode(hashlib.sha1(user_data.encode(), usedforsecurity=False).digest()).decode()
    return recorded in (digest, user_data)


def _renderer(project_root: Path) -> Callable[[NodeSpec], MachineConfig]:
    def render(spec: NodeSpec) -> MachineConfig:
        try:
            return machine_config.render(spec, project_root=project_root)
        except RenderingError as error:
            raise pulumi.RunError(str(error)) from None

    return render
