"""What is on a volume when the power is cut: at every command of the scripts that work on it, and in between.

A machine that boots with `trace.sh` asks for leave before each command. While it waits, its processor stands
still and what has reached the disk is copied, without what is in memory only: a power cut leaves just that.
"""

from __future__ import annotations

import hashlib
import select
import socket
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tests.boot.lab.hardware import Volume
from tests.boot.lab.machine import BOOT_S, Machine
from tests.commands import LabError, run

KERNEL_OPTIONS = "systemd.setenv=BASH_ENV=/usr/lib/boot-lab/trace.sh"
# A command that takes longer than this is looked at while it runs, too.
BETWEEN_S = 0.1
LAST = "k3s-sync-manifests:end"


@dataclass(frozen=True)
class Cut:
    """The volume as a power cut left it; `before` are the commands before which it looked like this."""

    file: Path
    before: list[str]


def at_every_command(machine: Machine, volume: Volume, folder: Path) -> list[Cut]:
    """Powers `machine` on and follows its scripts to the end; each state of the volume once."""
    machine.kernel_options += f" {KERNEL_OPTIONS}"
    machine.power_on()
    cuts: dict[str, Cut] = {}
    written, state = 0, ""
    with machine.lab_port() as port:
        for command in _commands(port):
            # Whoever waits for leave writes nothing, and most commands have not written either.
            if volume.file.stat().st_mtime_ns != written:
                machine.pause()
                written, state = volume.file.stat().st_mtime_ns, _digest(volume.file)
                if state not in cuts:
                    cuts[state] = Cut(folder / f"cut-{len(cuts):03}.raw", [])
                    run(["cp", "--sparse=always", volume.file, cuts[state].file])
                machine.resume()
            cuts[state].before.append(command)
    return list(cuts.values())


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _commands(port: socket.socket) -> Iterator[str]:
    """Each command that asks for leave, which it gets when the caller comes back; in between "during ..."."""
    buffer, last, since, looks = b"", "", time.monotonic(), 0
    while not last.startswith(LAST):
        if time.monotonic() - since > BOOT_S:
            raise LabError(f"no command asked for leave for {BOOT_S} s, after {last or 'none at all'}")
        # Ever less often: a command that waits for something is not looked at for ever.
        readable, _, _ = select.select([port], [], [], BETWEEN_S * 1.3**looks if last else BOOT_S)
        if not readable:
            looks += 1
            yield f"during {last}"
            continue
        buffer += port.recv(4096)
        while b"\n" in buffer:
            line, buffer = buffer.split(b"\n", 1)
            last, since, looks = line.decode(errors="replace"), time.monotonic(), 0
            yield last
            port.sendall(b"\n")
