"""Which volumes the cluster still knows: what `kubectl get pv --output json` printed, read. Pure."""

from __future__ import annotations

import json

from raya.errors import RayaError

_DRIVER = "csi.hetzner.cloud"


def volume_ids(listing: str) -> frozenset[int]:
    """The Hetzner ids of the volumes that a PersistentVolume refers to.

    Raises:
        RayaError: it is no such list. An empty one is: a cluster that has no volume at all.
    """
    try:
        document = json.loads(listing)
        volumes = document["items"]
        if document["kind"] not in ("List", "PersistentVolumeList"):
            raise ValueError
        if any(volume["kind"] != "PersistentVolume" for volume in volumes):
            raise ValueError
        csi = [volume["spec"].get("csi") or {} for volume in volumes]
        return frozenset(int(each["volumeHandle"]) for each in csi if each.get("driver") == _DRIVER)
    except (ValueError, KeyError, TypeError, AttributeError):
        raise RayaError(
            "the list of volumes is not what `kubectl get pv --output json` prints: nothing is listed or "
            "deleted by it"
        ) from None
