"""A machine's root as systemd sees it at the first boot: the distribution's units, and what Ignition writes.

The distribution is the one that the tests run on; what Fedora CoreOS has and it may not have is a stand-in.
"""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

from raya.machine_config import NodeSpec
from tests import machines

DISTRIBUTION_UNITS = Path("/usr/lib/systemd/system")
STAND_INS = Path(__file__).with_name("stand_in_units")
# Programs of the image, or of the distribution, that units of ours and the stand-ins run.
PROGRAMS = (
    "usr/bin/nm-online",
    "usr/lib/systemd/systemd-growfs",
    "usr/local/bin/k3s",
    "usr/sbin/NetworkManager",
    "usr/sbin/nft",
)
# The first systemd that knows RestartMode=. The machines' has been younger since before this project.
RESTART_MODE_SINCE = 254


def plant(spec: NodeSpec, root: Path) -> Path:
    """Write the machine of `spec` into the folder `root`, its units enabled as at the first boot."""
    plant_distribution(root)
    _ignite(spec, root)
    _enable(root)
    return root


def plant_distribution(root: Path) -> Path:
    """Write what is there before Ignition: units, programs and accounts."""
    missing = [each for each in ("systemctl", "systemd-analyze") if not shutil.which(each)]
    assert not missing, f"{missing} are not on PATH; systemd reads the units here: apt-get install systemd"
    units = root / "usr/lib/systemd/system"
    shutil.copytree(DISTRIBUTION_UNITS, units, symlinks=True)
    shutil.copytree(STAND_INS, units, dirs_exist_ok=True)
    (root / "lib").symlink_to("usr/lib")
    for program in PROGRAMS:
        _write(root / program, b"#!/bin/sh\n", 0o755)
    for name in ("passwd", "group"):
        _write(root / "etc" / name, Path("/etc", name).read_bytes(), 0o644)
    return root


def systemd_version() -> int:
    return int(run("systemd-analyze", "--version").split()[1])


def run(*command: str) -> str:
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def _ignite(spec: NodeSpec, root: Path) -> None:
    """Everything of a config that Ignition turns into files: also a unit's state, which becomes a preset."""
    presets = []
    for path, entry in machines.entries(spec).items():
        if entry.kind in ("file", "dropin") or (entry.kind == "unit" and path.startswith("/")):
            _write(root / path.lstrip("/"), _readable_here(path, entry.contents), entry.mode or 0o644)
        elif entry.kind == "link":
            (root / path.lstrip("/")).symlink_to(entry.contents.decode())
        elif entry.kind == "unit" and json.loads(entry.contents).get("enabled"):
            presets.append(f"enable {path.removeprefix('unit:')}\n")
    _write(root / "etc/systemd/system-preset/20-ignition.preset", "".join(presets).encode(), 0o644)


def _enable(root: Path) -> None:
    """What systemd does when it finds no machine id: presets decide, and Fedora's last word is "no"."""
    presets = root / "usr/lib/systemd/system-preset"
    _write(presets / "80-stand-in.preset", b"enable NetworkManager.service\n", 0o644)
    _write(presets / "99-default-disable.preset", b"disable *\n", 0o644)
    run("systemctl", f"--root={root}", "preset-all", "--preset-mode=enable-only")


def _readable_here(path: str, contents: bytes) -> bytes:
    """The units without the one setting that an older systemd would call unknown."""
    if path.endswith(".service") and systemd_version() < RESTART_MODE_SINCE:
        return contents.replace(b"RestartMode=direct\n", b"")
    return contents


def _write(file: Path, contents: bytes, mode: int) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(contents)
    file.chmod(mode)
