"""What the last update left, read back from the stack's outputs. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from raya.addressing import CONTROL_PLANE_RECORD
from raya.placement import Placement
from raya.state_volume import StateVolume


@dataclass(frozen=True, kw_only=True)
class LastUpdate:
    """``digests``: path -> short digest, by node name. Everything is empty before the first update."""

    digests: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    placements: Sequence[Placement] = ()
    volume: StateVolume | None = None
    managed_zone: str = ""

    @classmethod
    def of(cls, outputs: Mapping[str, Any]) -> LastUpdate:
        """From the stack's outputs; one that the update did not get to is left out."""
        volume, control_plane = _object(outputs, "stateVolume"), _object(outputs, "controlPlane")
        return cls(
            digests=_object(outputs, "machineConfigDigests"),
            placements=tuple(
                Placement(node=node, server_type=placed["serverType"], location=placed["location"])
                for node, placed in _object(outputs, "placements").items()
            ),
            volume=StateVolume(size_gb=int(volume["sizeGb"]), location=volume["location"])
            if volume
            else None,
            managed_zone=str(control_plane.get("fqdn", "")).removeprefix(f"{CONTROL_PLANE_RECORD}."),
        )

    def placement_of(self, node: str) -> Placement | None:
        """Where the machine of that name was."""
        return next((each for each in self.placements if each.node == node), None)


def _object(outputs: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    # After a failed update, an output that depends on what was not made is an object of the SDK's own kind.
    value = outputs.get(name)
    return value if isinstance(value, Mapping) else {}
