"""What a state volume that exists allows. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from raya.settings import Settings


@dataclass(frozen=True, kw_only=True)
class StateVolume:
    """The volume that the last update left."""

    size_gb: int
    location: str


def refusals(volume: StateVolume | None, settings: Settings) -> Iterator[str]:
    """Why ``settings`` cannot be had with ``volume``, which holds the datastore and is never made anew."""
    if volume is None:
        return
    if settings.location != volume.location:
        yield (
            f"raya:location is {settings.location}, but the cluster's state volume is in {volume.location} "
            f"and a volume cannot be moved. Set it back to {volume.location} (an agent may be elsewhere: "
            "give its entry in the fleet a location); a cluster in another place is another stack. Do not "
            "take the volume's protection away: the datastore would be deleted with it."
        )
    if settings.control_plane.volume_size_gb < volume.size_gb:
        yield (
            f"raya:controlPlane.volumeSizeGb is {settings.control_plane.volume_size_gb}, but the state "
            f"volume has {volume.size_gb} GB and a volume cannot shrink. Set it to {volume.size_gb} or more."
        )
