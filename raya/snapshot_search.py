"""The snapshots of the pinned versions that the Hetzner project has, looked up by the labels of the pins."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from raya import lookups
from raya.pins import Pins
from raya.snapshot_fit import FoundSnapshot

if TYPE_CHECKING:
    from hcloud.images import BoundImage


def find(config: Mapping[str, str], pins: Pins) -> Mapping[str, Sequence[FoundSnapshot]]:
    """The available snapshots of ``pins`` by architecture (``x86``, ``arm``), newest first. Reads only.

    ``config``: the stack's configuration by full key. Asks the API by itself, because what the provider's
    functions tell of an image leaves out the size of its disk.
    """
    # Here, because it is needed for this only and takes its time: the provider starts meanwhile.
    from raya import account

    client = account.client(config, token=config.get("hcloud:token") or os.environ["HCLOUD_TOKEN"])
    with lookups.hetzner("which snapshots there are"):
        images = client.images.get_all(label_selector=pins.label_selector)
    found: dict[str, list[FoundSnapshot]] = {}
    # The order of the answer is the API's business; "newest" is ours.
    for image in sorted(images, key=_age, reverse=True):
        if image.status == "available":
            snapshot = FoundSnapshot(id=str(image.id), disk_gb=image.disk_size or 0)
            found.setdefault(str(image.architecture), []).append(snapshot)
    return found


def _age(image: BoundImage) -> tuple[datetime, int]:
    """By the second in which it was made; numbers grow within one."""
    return image.created or datetime.fromtimestamp(0, UTC), image.id or 0
