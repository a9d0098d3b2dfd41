"""Which volumes a cluster still knows: kubectl's list, and what is none."""

from __future__ import annotations

import json
from typing import Any

import pytest

from raya.errors import RayaError
from raya.orphans.claimed import volume_ids


def volume(driver: str | None, handle: str) -> dict[str, Any]:
    source = {"csi": {"driver": driver, "volumeHandle": handle}} if driver else {"nfs": {"path": handle}}
    return {"apiVersion": "v1", "kind": "PersistentVolume", "metadata": {"name": handle}, "spec": source}


def listing(*items: dict[str, Any], kind: str = "List") -> str:
    return json.dumps({"apiVersion": "v1", "kind": kind, "items": list(items)})


def test_only_volumes_at_hetzner_count() -> None:
    of_all_kinds = listing(
        volume("csi.hetzner.cloud", "17"), volume("nfs.example.org", "18"), volume(None, "19")
    )
    assert volume_ids(of_all_kinds) == {17}


@pytest.mark.parametrize("kind", ["List", "PersistentVolumeList"])
def test_a_cluster_without_volumes_knows_none(kind: str) -> None:
    assert volume_ids(listing(kind=kind)) == frozenset()


@pytest.mark.parametrize(
    "text",
    [
        "",
        "No resources found\n",
        "[]",
        "null",
        "{}",
        listing({"kind": "Pod", "spec": {}}),
        listing(kind="PodList"),
        listing(volume("csi.hetzner.cloud", "a name")),
        json.dumps(volume("csi.hetzner.cloud", "17")),
    ],
    ids=("nothing", "words", "an array", "null", "an object", "pods", "no pods", "a name", "one volume"),
)
def test_anything_else_is_refused_instead_of_calling_every_volume_an_orphan(text: str) -> None:
    with pytest.raises(RayaError, match="is not what `kubectl get pv --output json` prints"):
        volume_ids(text)
