"""ControlPlane: the one server machine, and the volume that outlives it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import pulumi
import pulumi_hcloud as hcloud

from raya.addressing import CONTROL_PLANE_NAME
from raya.machine_specs import device_path
from raya.node import Node, NodeArgs


@dataclass(frozen=True, kw_only=True)
class ControlPlaneArgs:
    """``make_node`` turns the volume's device path (an output) into what the machine takes."""

    volume_name: str
    volume_size_gb: int
    location: str
    labels: Mapping[str, pulumi.Input[str]]
    when_released: pulumi.ResourceHookBinding
    make_node: Callable[[pulumi.Output[str]], NodeArgs]


class ControlPlane(pulumi.ComponentResource):
    """The state volume, the control plane's machine and the attachment between them.

    The volume is made first and belongs to no server: its device path is in the machine's Ignition. It is
    protected and is never replaced because a server is.
    """

    node: Node
    volume: hcloud.Volume

    def __init__(self, name: str, args: ControlPlaneArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("raya:cluster:ControlPlane", name, None, opts)
        self._args = args
        self.volume = self._volume()
        self.node = Node(
            CONTROL_PLANE_NAME,
            args.make_node(self.volume.id.apply(device_path)),
            opts=pulumi.ResourceOptions(parent=self),
        )
        self.attachment = self._attachment()
        self.register_outputs({"volumeId": self.volume.id, "ipv4Address": self.node.ipv4_address})

    def _volume(self) -> hcloud.Volume:
        return hcloud.Volume(
            CONTROL_PLANE_NAME,
            name=self._args.volume_name,
            size=self._args.volume_size_gb,
            location=self._args.location,
            labels=self._args.labels,
            opts=pulumi.ResourceOptions(parent=self, protect=True),
        )

    def _attachment(self) -> hcloud.VolumeAttachment:
        return hcloud.VolumeAttachment(
            CONTROL_PLANE_NAME,
            volume_id=self.volume.id.apply(int),
            server_id=self.node.server.id.apply(int),
            # The machine mounts it by its own unit, after it has looked at what is on it.
            automount=False,
            opts=pulumi.ResourceOptions(
                parent=self,
                delete_before_replace=True,
                deleted_with=self.node.server,
                hooks=self._args.when_released,
            ),
        )
