"""What may be on the volume: only a device that provably holds nothing gets a file system."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.boot.lab.cluster import Cluster, Lab
from tests.boot.lab.hardware import Volume
from tests.boot.lab.machine import Machine
from tests.boot.lab.observed import has_started, nothing_failed, until_ready
from tests.commands import run

KEPT = "kept/by-hand.txt"


def test_a_file_system_of_ours_is_used_as_it_is(lab: Lab, cluster: Cluster, tmp_path: Path) -> None:
    (tmp_path / "tree/kept").mkdir(parents=True)
    (tmp_path / "tree" / KEPT).write_text("from before\n")
    volume = cluster.volume()
    volume.make_ext4(tmp_path / "tree")
    control_plane = cluster.server("control-plane", volume=volume)
    control_plane.power_on()
    until_ready(control_plane, 1)
    assert control_plane.run(f"cat /var/lib/rancher/k3s/{KEPT}") == "from before\n"
    nothing_failed(control_plane)


def xfs(volume: Volume) -> None:
    run(["mkfs.xfs", "-q", volume.file])


def partitioned(volume: Volume) -> None:
    run(["sfdisk", "--quiet", volume.file], given="label: gpt\n,,L\n")


def unreadable(volume: Volume) -> None:
    volume.unreadable = True


@pytest.mark.parametrize(
    ("spoil", "size_mib", "says"),
    [
        (xfs, 320, "holds xfs, not ext4; remove it by hand if it is not needed"),
        (partitioned, 64, "has a partition table (gpt); the state volume has none, so this is not it"),
        (unreadable, 64, "cannot be read; nothing is written to it"),
    ],
)
def test_f5_anything_else_is_refused_and_left_as_it_is(
    lab: Lab, cluster: Cluster, spoil: Callable[[Volume], None], size_mib: int, says: str
) -> None:
    volume = cluster.volume(size_mib=size_mib)
    spoil(volume)
    before = digest(volume)
    control_plane = cluster.server("control-plane", volume=volume)
    control_plane.power_on()
    control_plane.wait_until(f"journalctl --boot -u mkfs-k3s-volume.service | grep --fixed-strings '{says}'")
    control_plane.wait_until("systemctl is-active k3s-init.service")
    stays_down(control_plane)
    control_plane.cut_power()
    assert digest(volume) == before


def stays_down(machine: Machine) -> None:
    assert not has_started(machine, "k3s.service")
    machine.run("systemctl start --no-block k3s.service; sleep 10")
    assert not has_started(machine, "k3s.service")
    assert machine.run("ls -A /var/lib/rancher/k3s 2>/dev/null || true") == ""


def digest(volume: Volume) -> str:
    with volume.file.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
