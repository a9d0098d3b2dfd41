"""mkfs-k3s-volume on loop devices: when it makes a file system, and above all when it does not."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.unit.machine import script

TOOLS = ("losetup", "blkid", "mkfs.ext4", "e2fsck", "debugfs", "mkswap", "findmnt", "blockdev")
MISSING = [tool for tool in TOOLS if not shutil.which(tool, path=f"{os.environ['PATH']}:/usr/sbin:/sbin")]
pytestmark = pytest.mark.skipif(
    os.geteuid() != 0 or bool(MISSING), reason=f"needs root and {', '.join(MISSING) or 'loop devices'}"
)
SIZE_BYTES = 32 * 1024 * 1024


class Volume:
    """A disk in a file, attached as a loop device."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.file = folder / "disk"
        self.file.write_bytes(b"\0" * SIZE_BYTES)
        self.bin = folder / "bin"
        self.bin.mkdir()
        self.device = command("losetup", "--find", "--show", str(self.file)).strip()
        self.link = folder / "run" / "k3s-volume"

    def run(self, kill_at: int | None = None, **variables: str) -> subprocess.CompletedProcess[str]:
        environment = {"VOLUME_DEVICE": self.device, "LINK": str(self.link), "RETRY_S": "0.1", **variables}
        environment["PATH"] = f"{self.bin}:{os.environ['PATH']}:/usr/sbin:/sbin"
        return script.run(
            "mkfs-k3s-volume", "control-plane", environment, kill_at=kill_at, folder=self.folder
        )

    def digest(self) -> str:
        command("blockdev", "--flushbufs", self.device)
        return hashlib.sha256(self.file.read_bytes()).hexdigest()

    def field(self, name: str) -> str:
        done = subprocess.run(
            ["/usr/sbin/blkid", "--probe", "--match-tag", name, "--output", "value", self.device],
            capture_output=True,
            text=True,
            check=False,
        )
        return done.stdout.strip()


def command(*words: str) -> str:
    path = f"{os.environ['PATH']}:/usr/sbin:/sbin"
    return subprocess.run(
        words, capture_output=True, text=True, check=True, env={**os.environ, "PATH": path}
    ).stdout


@pytest.fixture
def volume(tmp_path: Path) -> Iterator[Volume]:
    try:
        made = Volume(tmp_path)
    except subprocess.CalledProcessError as error:
        pytest.skip(f"no loop device can be had here: {error.stderr}")
    yield made
    command("losetup", "--detach", made.device)


def test_f5_a_blank_device_gets_a_file_system_and_the_link(volume: Volume) -> None:
    done = volume.run()
    assert done.returncode == 0, done.stderr
    assert (volume.field("TYPE"), volume.field("LABEL")) == ("ext4", "raya-k3s")
    assert str(volume.link.readlink()) == volume.device


def test_f5_an_ext4_file_system_is_kept_whatever_its_label(volume: Volume) -> None:
    (volume.folder / "content").mkdir()
    (volume.folder / "content" / "state.db").write_text("kept")
    command("mkfs.ext4", "-q", "-L", "other", "-d", str(volume.folder / "content"), volume.device)
    uuid = volume.field("UUID")
    done = volume.run()
    assert done.returncode == 0, done.stderr
    assert (volume.field("UUID"), volume.field("LABEL")) == (uuid, "other")
    assert command("debugfs", "-R", "cat /state.db", volume.device) == "kept"
    assert str(volume.link.readlink()) == volume.device


def test_a_file_system_whose_making_was_cut_short_is_made_again(volume: Volume) -> None:
    command("mkfs.ext4", "-q", "-L", "raya-unfinished", volume.device)
    uuid = volume.field("UUID")
    assert volume.run().returncode == 0
    assert volume.field("LABEL") == "raya-k3s"
    assert volume.field("UUID") != uuid


@pytest.mark.parametrize("content", ["swap", "partition table", "luks"])
def test_f5_anything_else_is_refused_and_left_as_it_is(volume: Volume, content: str) -> None:
    if content == "swap":
        command("mkswap", volume.device)
    else:
        with Path(volume.device).open("r+b", buffering=0) as disk:
            disk.write(partition_table() if content == "partition table" else luks_header())
    before = volume.digest()
    done = volume.run()
    assert done.returncode == 65
    assert volume.device in done.stderr
    assert volume.digest() == before
    assert not volume.link.exists()


def partition_table() -> bytes:
    """A DOS label with one Linux partition and nothing in it."""
    entry = bytes([0, 0, 33, 0, 0x83, 0, 0, 0]) + (2048).to_bytes(4, "little") + (8192).to_bytes(4, "little")
    return b"\0" * 446 + entry + b"\0" * 48 + b"\x55\xaa"


def luks_header() -> bytes:
    """The start of a LUKS 1 header, enough to be recognised."""
    head = b"LUKS\xba\xbe\x00\x01" + b"aes".ljust(32, b"\0") + b"xts-plain64".ljust(32, b"\0")
    return (head + b"sha256".ljust(32, b"\0")).ljust(1024, b"\0")


def test_f5_a_device_that_cannot_be_read_is_not_a_blank_one(volume: Volume) -> None:
    script.stub(volume.bin, "dd", "echo 'Input/output error' >&2; exit 1")
    before = volume.digest()
    done = volume.run()
    assert done.returncode == 1
    assert "cannot be read" in done.stderr
    assert volume.digest() == before


@pytest.mark.parametrize(("status", "ends_with"), [(4, 1), (8, 65), (1, 1)])
def test_f5_an_answer_of_blkid_that_is_no_answer_makes_no_file_system(
    volume: Volume, status: int, ends_with: int
) -> None:
    script.stub(volume.bin, "blkid", f"exit {status}")
    before = volume.digest()
    assert volume.run().returncode == ends_with
    assert volume.digest() == before


@pytest.mark.parametrize(("status", "ends_with"), [(1, 0), (4, 65), (12, 65), (8, 1)])
def test_a_file_system_beyond_repair_is_not_mounted(volume: Volume, status: int, ends_with: int) -> None:
    command("mkfs.ext4", "-q", volume.device)
    script.stub(volume.bin, "e2fsck", f"exit {status}")
    assert volume.run().returncode == ends_with
    assert volume.link.is_symlink() == (ends_with == 0)


def test_a_device_that_comes_late_is_waited_for(volume: Volume) -> None:
    late = volume.folder / "by-id"
    script.stub(volume.bin, "sleep", f'ln -sf "{volume.device}" "{late}"')
    done = volume.run(VOLUME_DEVICE=str(late))
    assert done.returncode == 0, done.stderr
    assert f"waiting for the state volume to be attached as {late}" in done.stdout
    assert str(volume.link.readlink()) == str(late)


def test_f10_killed_anywhere_the_next_run_ends_in_the_same_state(volume: Volume) -> None:
    kills = 0
    for kill_at in range(1, 1000, 4):
        command("blkdiscard", "--zeroout", volume.device)
        volume.link.unlink(missing_ok=True)
        if volume.run(kill_at=kill_at).returncode == 0:
            break
        kills += 1
        assert volume.run().returncode == 0
        assert volume.field("LABEL") == "raya-k3s"
        assert str(volume.link.readlink()) == volume.device
    assert kills > 5
