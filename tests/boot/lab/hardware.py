"""What a server of Hetzner's has: NICs by their place on the bus, disks by what they say of themselves."""

from __future__ import annotations

import errno
import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.boot.lab.network import PRIVATE, PUBLIC, Addresses
from tests.commands import run


@dataclass
class Volume:
    """A block device that a machine can have: a raw file, and the number Hetzner knows it by."""

    file: Path
    number: str
    unreadable: bool = False
    """Every read of it fails; writes do not."""

    @classmethod
    def blank(cls, folder: Path, number: str, *, size_mib: int = 64) -> Volume:
        file = folder / f"volume-{number}.raw"
        with file.open("wb") as made:
            made.truncate(size_mib << 20)
        return cls(file, number)

    def make_ext4(self, tree: Path) -> None:
        """A file system as the machines make it, holding what is in the folder `tree`."""
        run(["mke2fs", "-q", "-F", "-t", "ext4", "-m", "0", "-L", "raya-k3s", "-d", tree, self.file])

    def enlarge(self, *, size_mib: int) -> None:
        """As Hetzner does it: more space at the end, everything else as it was."""
        with self.file.open("r+b") as file:
            file.truncate(size_mib << 20)


def disks(volumes: Iterable[Volume]) -> list[str]:
    """QEMU's options for these disks."""
    options = []
    for volume in volumes:
        options += ["-blockdev", json.dumps(blockdev(volume)), "-device", json.dumps(scsi_disk(volume))]
    return options


def nics(addresses: Addresses, *, private: bool) -> list[str]:
    """QEMU's options for the slots of all NICs, and for those that are plugged."""
    # A NIC's name follows from its place: behind the first root port it is enp1s0, the seventh enp7s0.
    options = []
    for slot in range(1, 8):
        port = {"driver": "pcie-root-port", "id": f"rp{slot}", "chassis": slot, "slot": slot}
        options += ["-device", json.dumps({**port, "bus": "pcie.0"})]
    for segment in (PUBLIC, PRIVATE) if private else (PUBLIC,):
        options += ["-netdev", json.dumps(netdev(addresses, segment))]
        options += ["-device", json.dumps(nic(addresses, segment))]
    return options


def netdev(addresses: Addresses, segment: str) -> dict[str, Any]:
    return {
        "type": "tap", "id": segment, "ifname": addresses.tap(segment), "script": "no", "downscript": "no",
    }  # fmt: skip


def nic(addresses: Addresses, segment: str) -> dict[str, Any]:
    mac, port = (addresses.public_mac, "rp1") if segment == PUBLIC else (addresses.private_mac, "rp7")
    # No boot code from the card: nothing boots from the network.
    return {
        "driver": "virtio-net-pci",
        "id": f"nic-{segment}",
        "netdev": segment,
        "bus": port,
        "mac": mac,
        "romfile": "",
    }


def blockdev(volume: Volume) -> dict[str, Any]:
    file: dict[str, Any] = {"driver": "file", "filename": str(volume.file)}
    if volume.unreadable:
        fault = {"event": "read_aio", "errno": errno.EIO, "once": False}
        file = {"driver": "blkdebug", "image": file, "inject-error": [fault]}
    return {"driver": "raw", "node-name": f"volume-{volume.number}", "file": file}


def scsi_disk(volume: Volume) -> dict[str, Any]:
    # By these the machine's udev makes /dev/disk/by-id/scsi-0HC_Volume_<number>.
    return {
        "driver": "scsi-hd", "bus": "scsi.0",
        "id": f"disk-{volume.number}", "drive": f"volume-{volume.number}",
        "vendor": "HC", "product": "Volume", "serial": volume.number,
    }  # fmt: skip
