"""What the API says of a server -> the properties of the Server resource."""

from __future__ import annotations

from hcloud.servers import BoundServer

from ..resource import Properties
from .connection import is_protected

# The API does not give these back, or not in the form they were given in.
_KEPT = (
    "allowDeprecatedImages",
    "ignoreRemoteFirewallIds",
    "iso",
    "keepDisk",
    "networks",
    "publicNets",
    "rescue",
    "shutdownBeforeDeletion",
    "sshKeys",
    "userData",
)


def server_outputs(server: BoundServer, state: Properties) -> Properties:
    """All properties; `state` supplies what only the program knows (empty for an import)."""
    public = server.public_net
    ipv6_network = public.ipv6.ip if public and public.ipv6 else ""
    outputs: Properties = {name: state[name] for name in _KEPT if name in state}
    outputs |= {
        "backups": server.backup_window is not None,
        "backupWindow": server.backup_window or "",
        "datacenter": "",  # gone from the API since July 2026
        "deleteProtection": is_protected(server),
        "firewallIds": _firewall_ids(server, state),
        "image": _image(server, state),
        "ipv4Address": public.ipv4.ip if public and public.ipv4 else "",
        # The provider calls the first address of the network the server's address.
        "ipv6Address": ipv6_network.partition("/")[0] + "1" if ipv6_network else "",
        "ipv6Network": ipv6_network,
        "labels": server.labels or {},
        "location": server.location.name if server.location else state.get("location"),
        "name": server.name,
        "placementGroupId": server.placement_group.id if server.placement_group else None,
        "primaryDiskSize": server.primary_disk_size,
        "rebuildProtection": is_protected(server, "rebuild"),
        "serverType": server.server_type.name if server.server_type else state.get("serverType"),
        "status": server.status,
    }
    return outputs


def _firewall_ids(server: BoundServer, state: Properties) -> list[int]:
    if state.get("ignoreRemoteFirewallIds"):
        return list(state.get("firewallIds", []))
    applied = server.public_net.firewalls if server.public_net else None
    return sorted(entry.firewall.id for entry in applied or [] if entry.firewall.id is not None)


def _image(server: BoundServer, state: Properties) -> str | None:
    """Keep how the program wrote it (name or id) as long as it means the server's image."""
    given: str | None = state.get("image")
    if server.image is None:  # the snapshot was deleted after the server was made from it
        return given
    names = [name for name in (server.image.name, str(server.image.id)) if name]
    return given if given in names else names[0]
