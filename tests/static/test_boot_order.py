"""Nothing in a machine's boot waits for itself: systemd's verdict on each role's tree, and a second one."""

from __future__ import annotations

import re
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.static import machine_tree
from tests.static.overlay import BOTH, SPECS, STARTS_K3S
from tests.static.unit_order import Boot
from toolchain.unit_files import UNIT_DIR


def verify(root: Path, *units: str) -> subprocess.CompletedProcess[str]:
    """systemd's verdict on the whole boot, and on `units` in particular."""
    command = ["systemd-analyze", "verify", "--man=no", "--recursive-errors=yes", f"--root={root}"]
    return subprocess.run(
        [*command, "multi-user.target", *units], capture_output=True, text=True, check=False
    )


def ours(root: Path) -> list[str]:
    return sorted(file.name for file in (root / UNIT_DIR).iterdir() if file.is_file())


@BOTH
def test_systemd_has_nothing_to_say_about_the_tree(role: str, tmp_path: Path) -> None:
    # What it may say about the distribution's own units is not ours to mend.
    before = verify(machine_tree.plant_distribution(tmp_path / "before"))
    root = machine_tree.plant(SPECS[role], tmp_path / "machine")
    assert len(ours(root)) >= 4
    done = verify(root, *ours(root))
    assert set(done.stderr.splitlines()) - set(before.stderr.splitlines()) == set()
    assert done.returncode == before.returncode


@BOTH
def test_the_first_boot_enables_one_unit_of_ours(role: str, tmp_path: Path) -> None:
    root = machine_tree.plant(SPECS[role], tmp_path)
    wanted = {link.name for link in (root / UNIT_DIR / "multi-user.target.wants").iterdir()}
    assert wanted == {"NetworkManager.service", STARTS_K3S[role]}


@BOTH
def test_the_boot_has_an_order(role: str, tmp_path: Path) -> None:
    boot = Boot(machine_tree.plant(SPECS[role], tmp_path))
    assert set(ours(tmp_path)) <= set(boot.units), "something of ours is in no boot"
    assert {"basic.target", "NetworkManager-wait-online.service", "dbus.socket"} <= set(boot.units)
    assert sum(map(len, boot.order().values())) > 100
    assert boot.cycle() == []


@dataclass(frozen=True)
class Plant:
    """A line that makes the boot wait for itself, and two units of the ring."""

    unit: str
    line: str
    ring: tuple[str, str]
    instead_of: str = ""
    """Text of the unit that goes; empty: the line is a drop-in."""


CYCLES = {
    "a stated order": Plant(
        "k3s-seed-pki.service",
        "After=k3s-sync-manifests.service",
        ("k3s-seed-pki.service", "k3s-sync-manifests.service"),
    ),
    "a requirement in a ring": Plant(
        "mkfs-k3s-volume.service",
        "Requires=k3s-setup.target\nAfter=k3s-setup.target",
        ("mkfs-k3s-volume.service", "k3s-setup.target"),
    ),
    "a mount with its default place in the boot": Plant(
        "var-lib-rancher-k3s.mount",
        "",
        ("local-fs.target", "mkfs-k3s-volume.service"),
        instead_of="DefaultDependencies=no",
    ),
    "a service before what its default place is after": Plant(
        "mkfs-k3s-volume.service",
        "Before=local-fs.target",
        ("mkfs-k3s-volume.service", "local-fs.target"),
    ),
    "a path on the mount": Plant(
        "mkfs-k3s-volume.service",
        "RequiresMountsFor=/var/lib/rancher/k3s/server",
        ("mkfs-k3s-volume.service", "var-lib-rancher-k3s.mount"),
    ),
    "a target after what it wants": Plant(
        "network-online.target", "Wants=k3s.service", ("network-online.target", "k3s.service")
    ),
    "a state directory on the mount": Plant(
        "mkfs-k3s-volume.service",
        "[Service]\nStateDirectory=rancher/k3s",
        ("mkfs-k3s-volume.service", "var-lib-rancher-k3s.mount"),
    ),
}


@pytest.mark.parametrize("plant", CYCLES.values(), ids=CYCLES.keys())
def test_a_planted_cycle_is_seen_by_both(plant: Plant, tmp_path: Path) -> None:
    root = machine_tree.plant(SPECS["control-plane"], tmp_path)
    if plant.instead_of:
        file = root / UNIT_DIR / plant.unit
        assert plant.instead_of in file.read_text()
        file.write_text(file.read_text().replace(plant.instead_of, plant.line))
    else:
        folder = root / UNIT_DIR / f"{plant.unit}.d"
        folder.mkdir()
        (folder / "planted.conf").write_text(f"[Unit]\n{plant.line}\n")
    ring = Boot(root).cycle()
    assert set(plant.ring) <= set(ring)
    assert ring[0] == ring[-1]
    seen = re.findall(r"Found (?:ordering cycle|dependency) on (\S+)/start", verify(root).stderr)
    assert set(plant.ring) <= set(seen)
