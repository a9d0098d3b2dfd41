"""One machine: a QEMU process with Hetzner's NICs and disks, and a way in that needs no network."""

from __future__ import annotations

import base64
import contextlib
import socket
import subprocess
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from tests.boot.lab.channel import Channel
from tests.boot.lab.hardware import Volume, blockdev, disks, netdev, nic, nics, scsi_disk
from tests.boot.lab.image import Image
from tests.boot.lab.network import PRIVATE, Addresses
from tests.commands import LabError, end, run, start

# Emulated, on a busy machine: from the kernel's start to a system that answers.
BOOT_S = 600
MEMORY_MIB = 640
KERNEL = (
    "root=/dev/vda rw console=ttyS0 quiet loglevel=4 systemd.show_status=0 systemd.log_level=info "
    # What costs an emulated processor much and proves nothing here.
    "mitigations=off nokaslr audit=0 apparmor=0 "
    # On a busy machine the emulated timers are too late for the kernel's test of them.
    "ignition.platform.id=hetzner net.ifnames=1 panic=-1 no_timer_check"
)


class MachineOff(LabError):
    """The machine is off, or went off: nothing that is asked of it will ever be answered."""


class Machine:
    """Made switched off. What it writes to its console is in `<folder>/<name>.serial.log`."""

    def __init__(
        self, name: str, folder: Path, image: Image, addresses: Addresses, *, private: bool = True
    ) -> None:
        self.name, self.addresses = name, addresses
        self.private_nic = private
        self.volumes: list[Volume] = []
        self.kernel_options = ""
        self.serial_log = folder / f"{name}.serial.log"
        self.powered_at = 0.0
        self._folder, self._image = folder, image
        self._disk = folder / f"{name}.qcow2"
        self._qemu: subprocess.Popen[bytes] | None = None
        self._monitor: Channel | None = None
        self._agent: Channel | None = None
        run(["qemu-img", "create", "-q", "-f", "qcow2", "-F", "raw", "-b", image.root, self._disk])

    # -- power --

    def power_on(self) -> None:
        if self._qemu is not None:
            raise LabError(f"{self.name} is on already")
        for name in ("qmp", "qga", "lab"):
            self._socket(name).unlink(missing_ok=True)
        with (self._folder / f"{self.name}.qemu.log").open("ab") as log:
            self._qemu = start(self._command(), log=log)
        self.powered_at = time.monotonic()
        self._monitor = Channel(self._socket("qmp"), self._alive)
        self._monitor.call("qmp_capabilities")
        self._agent = None

    def cut_power(self) -> None:
        """At once: nothing is flushed that the machine has not flushed itself."""
        if self._qemu is not None:
            self._qemu.kill()
            self._gone()

    def shut_down(self, *, patience_s: float = 120) -> None:
        """As systemd does it."""
        if self._qemu is None:
            return
        self.run("systemctl --no-block poweroff")
        try:
            self._qemu.wait(patience_s)
        except subprocess.TimeoutExpired:
            raise LabError(f"{self.name} did not shut down in {patience_s} s") from None
        self._gone()

    def reboot(self) -> None:
        """An orderly one."""
        self.shut_down()
        self.power_on()

    def pause(self) -> None:
        """The processor stands still; what the machine has written to its disks is in their files."""
        self._call("stop")

    def resume(self) -> None:
        self._call("cont")

    def discard(self) -> None:
        self.cut_power()
        self._disk.unlink(missing_ok=True)

    # -- hardware --

    def plug_private_nic(self) -> None:
        """As Hetzner does when a running server is attached to a network."""
        self._call("netdev_add", netdev(self.addresses, PRIVATE))
        self._call("device_add", nic(self.addresses, PRIVATE))
        self.private_nic = True

    def plug_volume(self, volume: Volume) -> None:
        """As Hetzner does when a volume is attached to a running server."""
        self._call("blockdev-add", blockdev(volume))
        self._call("device_add", scsi_disk(volume))
        self.volumes.append(volume)

    # -- inside --

    def run(self, script: str, *, check: bool = True, patience_s: float = 120) -> str:
        """What a bash script prints, run as root on the machine; its standard error is in the LabError."""
        agent = self._guest_agent()
        started = agent.call(
            "guest-exec", {"path": "/usr/bin/bash", "arg": ["-c", script], "capture-output": True}
        )
        limit = time.monotonic() + patience_s
        while True:
            status = agent.call("guest-exec-status", started)
            if status["exited"]:
                break
            if time.monotonic() > limit:
                raise LabError(f"{self.name}: `{script}` did not end in {patience_s} s")
            time.sleep(0.1)
        printed, errors = (
            base64.b64decode(status.get(stream, "")).decode(errors="replace")
            for stream in ("out-data", "err-data")
        )
        if check and status.get("exitcode") != 0:
            raise LabError(
                f"{self.name}: `{script}` ended with {status.get('exitcode')}: {errors or printed}"
            )
        return printed

    def wait_until(self, script: str, *, patience_s: float = BOOT_S) -> str:
        """Runs `script` until it ends with 0; what it printed then, or LabError after `patience_s`."""
        limit = time.monotonic() + patience_s
        while True:
            try:
                return self.run(script)
            except MachineOff:
                raise
            except LabError as error:
                last = error
            if time.monotonic() > limit:
                raise LabError(f"{self.name}: within {patience_s} s it did not come to this: {last}")
            time.sleep(0.5)

    def wait_for_console(self, text: str, *, patience_s: float = BOOT_S) -> None:
        """Until the serial console has shown `text` since the machine was made."""
        limit = time.monotonic() + patience_s
        while text not in self.console():
            self._alive()
            if time.monotonic() > limit:
                raise LabError(f"{self.name}: the console did not show {text!r} within {patience_s} s")
            time.sleep(0.2)

    def console(self) -> str:
        return self.serial_log.read_text(errors="replace") if self.serial_log.exists() else ""

    def journal(self, *units: str) -> str:
        """The messages of this boot, of these units or of all."""
        chosen = " ".join(f"-u {unit}" for unit in units)
        return self.run(f"journalctl --boot --no-pager --output=short-monotonic {chosen}")

    @contextlib.contextmanager
    def lab_port(self) -> Iterator[socket.socket]:
        """This side of /dev/virtio-ports/lab."""
        with socket.socket(socket.AF_UNIX) as port:
            port.connect(str(self._socket("lab")))
            yield port

    def save_journal(self) -> None:
        """For a case that failed: the journal beside the serial log, when the machine still answers."""
        with contextlib.suppress(LabError, OSError):
            if self._qemu is not None:
                (self._folder / f"{self.name}.journal.log").write_text(self.journal())

    # -- inner workings --

    def _socket(self, kind: str) -> Path:
        return self._folder / f"{self.name}.{kind}"

    def _call(self, command: str, arguments: Mapping[str, Any] | None = None) -> Any:
        if self._monitor is None:
            raise MachineOff(f"{self.name} is off")
        return self._monitor.call(command, arguments)

    def _alive(self) -> None:
        if self._qemu is None or self._qemu.poll() is not None:
            log = (self._folder / f"{self.name}.qemu.log").read_text(errors="replace")
            raise MachineOff(f"{self.name} is off: {log.strip()[-2000:]} {self.console()[-500:]}")

    def _guest_agent(self) -> Channel:
        if self._agent is None:
            channel = Channel(self._socket("qga"), self._alive)
            try:
                self._until_answered(channel)
            except BaseException:
                channel.close()
                raise
            self._agent = channel
        return self._agent

    def _until_answered(self, channel: Channel) -> None:
        limit = time.monotonic() + BOOT_S
        while not channel.answers("guest-ping", patience_s=2):
            self._alive()
            if time.monotonic() > limit:
                raise LabError(f"{self.name} did not come up in {BOOT_S} s: {self.console()[-2000:]}")

    def _gone(self) -> None:
        if self._qemu is not None:
            end(self._qemu)
        for channel in (self._monitor, self._agent):
            if channel is not None:
                channel.close()
        self._qemu = self._monitor = self._agent = None

    def _command(self) -> Sequence[str | Path]:
        # KVM may be there and hang, as on machines that are virtual themselves: the processor is emulated.
        machine: list[str | Path] = [
            "-machine",
            "q35,accel=tcg",
            "-cpu",
            "qemu64",
            "-smp",
            "1",
            "-m",
            str(MEMORY_MIB),
        ]
        kernel: list[str | Path] = ["-kernel", self._image.kernel, "-initrd", self._image.initrd]
        kernel += ["-append", f"{KERNEL} {self.kernel_options}"]
        return [
            "qemu-system-x86_64", "-name", self.name, "-nodefaults", "-display", "none", "-no-reboot",
            *machine, *kernel,
            "-chardev", f"file,id=serial,path={self.serial_log},append=on", "-serial", "chardev:serial",
            "-chardev", f"socket,id=qmp,path={self._socket('qmp')},server=on,wait=off",
            "-mon", "chardev=qmp,mode=control",
            "-object", "rng-random,id=rng,filename=/dev/urandom", "-device", "virtio-rng-pci,rng=rng",
            "-drive", f"file={self._disk},format=qcow2,if=virtio,cache=writeback",
            "-device", "virtio-serial-pci",
            "-chardev", f"socket,id=qga,path={self._socket('qga')},server=on,wait=off",
            "-device", "virtserialport,chardev=qga,name=org.qemu.guest_agent.0",
            "-chardev", f"socket,id=lab,path={self._socket('lab')},server=on,wait=off",
            "-device", "virtserialport,chardev=lab,name=lab",
            "-device", "virtio-scsi-pci,id=scsi",
            *disks(self.volumes), *nics(self.addresses, private=self.private_nic),
        ]  # fmt: skip
