"""The Fedora CoreOS snapshot that machines are made from, as the first run with its pins found it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import pulumi

from raya.pins import Pins


@dataclass(frozen=True, kw_only=True)
class SnapshotArgs:
    """``found``: the ids of the snapshots of ``pins`` by architecture (``x86``, ``arm``), newest first."""

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
