"""The Fedora CoreOS snapshot that machines are made from, looked up by the labels its pins give it."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

import pulumi
import pulumi_hcloud as hcloud

from raya import lookups
from raya.errors import RayaError
from raya.pins import Pins


class SnapshotMissingError(RayaError):
    """No snapshot of the pinned versions exists for an architecture of the fleet."""


def find_snapshots(pins: Pins, architectures: Collection[str]) -> Mapping[str, Sequence[str]]:
    """Ids of the available snapshots of ``pins`` by architecture (``x86``, ``arm``), newest first.

    Raises SnapshotMissingError when an architecture has none. Reads only; called before anything is
    registered.
    """
    return {architecture: _find(pins, architecture) for architecture in sorted(architectures)}


def _find(pins: Pins, architecture: str) -> Sequence[str]:
    with lookups.hetzner("which snapshots there are"):
        found = hcloud.get_images(
            with_selector=pins.label_selector,
            with_architectures=[architecture],
            with_statuses=["available"],
        )
    # The order of the answer is the API's business; "newest" is ours.
    newest_first = sorted(found.images, key=lambda image: datetime.fromisoformat(image.created), reverse=True)
    if not newest_first:
        raise SnapshotMissingError(
            f"no {architecture} snapshot of Fedora CoreOS {pins.fcos.version} with k3s {pins.k3s.version} "
            f"(image/fcos.pin, image/k3s.pin) exists in this Hetzner project: looked for the labels "
            f'"{pins.label_selector}". Make it (docs/image.md), or pin versions that were made.'
        )
    return [str(image.id) for image in newest_first]


@dataclass(frozen=True, kw_only=True)
class SnapshotArgs:
    """``found``: what :func:`find_snapshots` returned."""

    pins: Pins
    found: Mapping[str, Sequence[str]]


class Snapshot(pulumi.ComponentResource):
    """Holds the snapshot in use, per architecture.

    The first run with a pair of pins takes the newest snapshot and remembers it: a newer one of the same pins
    must not replace running machines. Changed pins are another memory, so they start from the newest again.
    """

    def __init__(self, name: str, args: SnapshotArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("raya:cluster:Snapshot", name, None, opts)
        self._args = args
        self._images = {architecture: self._remember(architecture) for architecture in args.found}
        self.register_outputs({"images": self._images})

    def image(self, architecture: str) -> pulumi.Output[str]:
        """The id of the snapshot that machines of ``architecture`` are made from."""
        return self._images[architecture]

    def _remember(self, architecture: str) -> pulumi.Output[str]:
        pins, known = self._args.pins, self._args.found[architecture]
        name = f"{architecture}-{pins.fcos.version}-{pins.k3s.version}"
        memory = pulumi.Stash(
            name,
            input=known[0],
            # The newest at the time of the first run counts; later ones must not even show up in a preview.
            opts=pulumi.ResourceOptions(parent=self, ignore_changes=["input"]),
        )

        def still_there(image: str) -> str:
            if image not in known:
                raise pulumi.RunError(
                    f"the snapshot {image}, which this cluster's {architecture} machines were made from, no "
                    f"longer exists; others of the same pins do ({', '.join(known)}). Running machines "
                    f"are not affected, but a new one could not be made. To adopt the newest, which rebuilds "
                    f"the {architecture} machines: pulumi up --replace '**{name}'"
                )
            return image

        return memory.output.apply(still_there)
