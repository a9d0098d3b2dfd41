"""`make orphans` before a stack has made anything, while its cluster runs, and when it is no more."""

from __future__ import annotations

import json
from pathlib import Path

from tests import by_hand
from tests.cloud import TOKEN, RunningCloud
from tests.e2e.engine import STACK, Engine


def test_only_the_snapshots_are_there_before_the_first_update(engine: Engine) -> None:
    _, *rows, summed = engine.orphans().splitlines()
    assert {row.split()[0] for row in rows} == {"snapshot"}
    assert summed.startswith("sum in EUR ")


def test_what_a_running_cluster_still_knows_is_neither_an_orphan_nor_deleted(
    engine: Engine, cloud: RunningCloud, tmp_path: Path
) -> None:
    body = {"name": "agent-0", "server_type": "cx23", "image": "debian-12", "location": "hel1"}
    labels = {"managed_by": "raya", "cluster": "local"}
    server = by_hand.hetzner(cloud, "POST", "servers", {**body, "labels": labels})["server"]
    known, orphan = (
        cloud.create_volume(f"pvc-{name}", size_gb=10, labels={"cluster": "local"})["id"]
        for name in ("known", "orphan")
    )

    assert "CSI volume: while the cluster exists, only it knows" in engine.orphans()
    status, said = engine.command("raya.orphans", "--delete")
    assert status == 1
    assert "nothing is deleted: the cluster has machines" in said

    csi = {"driver": "csi.hetzner.cloud", "volumeHandle": str(known)}
    volumes = tmp_path / "pv.json"
    volumes.write_text(
        json.dumps({"kind": "List", "items": [{"kind": "PersistentVolume", "spec": {"csi": csi}}]})
    )
    given = ("--persistent-volumes", str(volumes), "--delete")
    by_hand.hetzner(cloud, "POST", f"volumes/{orphan}/actions/attach", {"server": server["id"]})
    status, said = engine.command("raya.orphans", *given)
    assert status == 1
    assert "nothing is deleted: pvc-orphan is attached to a machine" in said

    by_hand.hetzner(cloud, "POST", f"volumes/{orphan}/actions/detach")
    listed = engine.orphans(*given)
    rows = [line.rsplit(maxsplit=6) for line in listed.splitlines() if "pvc-" in line]
    assert [row[:2] for row in rows[:2]] == [["claimed CSI", str(known)], ["CSI volume", str(orphan)]]
    assert "only it knows" not in listed
    assert f"deleted the CSI volume pvc-orphan ({orphan})" in listed
    assert [volume["id"] for volume in cloud.hetzner("volumes")] == [known]


def test_a_removed_stack_is_named_with_the_way_to_look_all_the_same(engine: Engine) -> None:
    engine.pulumi("stack", "rm", "--yes", "--preserve-config", STACK)
    status, said = engine.command("raya.orphans")
    assert status == 1
    assert said.startswith(f"raya: there is no stack {STACK} in this backend: it was never made, or it was")
    assert "set HCLOUD_TOKEN" in said
    engine.environment["HCLOUD_TOKEN"] = TOKEN
    assert "snapshot" in engine.orphans()
