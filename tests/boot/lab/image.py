"""The disk that the lab's machines start from: Debian 13 with Fedora CoreOS's paths, made once and kept.

The key of what is kept is the recipe: this file, the initramfs's script, and the programs that are put in.
"""

from __future__ import annotations

import hashlib
import lzma
import os
import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

from tests.boot.lab import k3s_stand_in
from tests.commands import LabError, require_programs, run
from toolchain import cache

FOLDER = Path(__file__).resolve().parent
SUITE = "trixie"
# What Fedora CoreOS has and the units use, and no more: each service costs each boot.
PACKAGES = (
    "systemd", "systemd-sysv", "udev", "dbus", "kmod", "linux-image-cloud-amd64",
    "network-manager", "iproute2", "nftables", "curl", "openssh-server", "sudo",
    "e2fsprogs", "xfsprogs", "fdisk", "util-linux-extra",
    "policycoreutils", "selinux-policy-default",
    # The lab's own way in, which does not depend on the network.
    "qemu-guest-agent",
    # For the lab's initramfs.
    "busybox-static",
)  # fmt: skip
# Fedora CoreOS enables nothing that a preset does not name; Debian would enable all that is installed.
PRESET = """\
# The lab's stand-in for Fedora CoreOS's presets.
enable NetworkManager.service
enable NetworkManager-wait-online.service
enable NetworkManager-dispatcher.service
enable dbus.service
enable dbus.socket
enable ssh.service
enable qemu-guest-agent.service
enable getty@.service
disable *
"""
# Debian's own housekeeping, which costs an emulated machine seconds and Fedora CoreOS does not have.
UNWANTED = (
    "apt-daily.timer", "apt-daily-upgrade.timer", "dpkg-db-backup.timer", "e2scrub_all.timer",
    "e2scrub_reap.service", "fstrim.timer", "selinux-autorelabel-mark.service", "systemd-binfmt.service",
    "serial-getty@ttyS0.service",
)  # fmt: skip
# As Fedora CoreOS' policy says it: what is below /var/usrlocal is labelled as if it were below /usr/local.
SELINUX_EQUIVALENCE = "/var/usrlocal /usr/local\n/var/home /home\n/var/roothome /root\n"
IMAGE_SIZE = "3G"
# Ignition calls the last three, with the real root as their root.
PROGRAMS_OF_THE_INITRAMFS = (
    Path("usr/bin/busybox"), Path("usr/sbin/useradd"), Path("usr/sbin/usermod"), Path("usr/sbin/groupadd"),
)  # fmt: skip
# Needed before the root is mounted, in the order of their dependencies.
MODULES = ("virtio_pci", "virtio_net", "virtio_blk", "virtio_scsi", "sd_mod", "ext4")


@dataclass(frozen=True)
class Image:
    """What QEMU starts: a kernel, an initramfs, and a raw root disk that is only ever read."""

    folder: Path

    @property
    def kernel(self) -> Path:
        return self.folder / "vmlinuz"

    @property
    def initrd(self) -> Path:
        return self.folder / "initrd"

    @property
    def root(self) -> Path:
        return self.folder / "root.raw"


def ready() -> Image:
    """The image with the Ignition and the stand-in for k3s of this checkout; LabError when a tool is missing.

    What it is made of is fetched from package registries: call it before `namespace.enter`.
    """
    require_programs(FOLDER.parent / "packages.txt", "the boot lab")
    ignition = shutil.which("ignition")
    if ignition is None:
        raise LabError("the boot lab needs Ignition: make setup TOOLS=ignition")
    return get(Path(ignition).resolve(), k3s_stand_in.build())


def get(ignition: Path, k3s: Path) -> Image:
    """The image with these two programs in it: kept from an earlier run, or made now (about two minutes)."""
    digest = hashlib.sha256(repr((os.uname().machine, SUITE)).encode())
    for file in (Path(__file__), FOLDER / "init.sh", FOLDER / "trace.sh", ignition, k3s):
        digest.update(hashlib.sha256(file.read_bytes()).digest())
    kept = cache.folder(os.environ).with_name("boot")
    return Image(
        cache.kept(
            kept / f"image-{digest.hexdigest()[:16]}",
            lambda place: _make(place, ignition, k3s),
            lambda: None,
        )
    )


def _make(place: Path, ignition: Path, k3s: Path) -> None:
    with tempfile.TemporaryDirectory(prefix="raya-boot-", dir=place) as scratch:
        root = Path(scratch) / "root"
        _debian(root, place.parent)
        _fedora_paths(root)
        _first_boot(root)
        _unpack_modules(root)
        _selinux(root)
        # Last: written by a rescue system without SELinux, it is what nothing has ever labelled.
        program = root / "var/usrlocal/bin/k3s"
        shutil.copy(k3s, program)
        program.chmod(0o755)
        (root / "var/usrlocal/unlabelled").touch()
        (root / "usr/lib/boot-lab").mkdir()
        shutil.copy(FOLDER / "trace.sh", root / "usr/lib/boot-lab")
        shutil.copy(next(root.glob("boot/vmlinuz-*")), place / "vmlinuz")
        run(["mke2fs", "-q", "-t", "ext4", "-L", "root", "-d", root, place / "root.raw", IMAGE_SIZE])
        _initramfs(root, ignition, Path(scratch) / "initramfs", place / "initrd")


def _debian(root: Path, kept: Path) -> None:
    """Unpacks Debian's packages. The archive is kept by their list: fetching it is the slowest part."""
    archive = kept / f"debian-{hashlib.sha256(repr((SUITE, PACKAGES)).encode()).hexdigest()[:16]}.tar"
    if not archive.exists():
        partial = archive.with_suffix(f".{os.getpid()}.partial.tar")
        run(
            [
                "mmdebstrap", "--quiet", "--mode=root", "--variant=minbase",
                f"--include={','.join(PACKAGES)}",
                # No initramfs of Debian's: the lab has its own.
                "--dpkgopt=path-exclude=/usr/share/doc/*", "--dpkgopt=path-exclude=/usr/share/man/*",
                "--dpkgopt=path-exclude=/usr/share/locale/*",
                SUITE, partial, _mirror(),
            ]
        )  # fmt: skip
        partial.rename(archive)
    root.mkdir()
    run(["tar", "--extract", "--xattrs", "--numeric-owner", "--file", archive, "--directory", root])


def _mirror() -> str:
    """The mirror that this machine's own packages come from."""
    sites = run(["apt-get", "indextargets", "--format", "$(SITE)"]).split()
    sites = [site for site in sites if "security" not in site and "debian" in site]
    if not sites:
        raise LabError("apt knows no Debian mirror: run apt-get update, or see /etc/apt/sources.list")
    return sites[0]


def _fedora_paths(root: Path) -> None:
    var = root / "var"
    for old, new in (("usr/local", "usrlocal"), ("home", "home"), ("root", "roothome")):
        shutil.move(root / old, var / new)
        (root / old).symlink_to(os.path.relpath(var / new, (root / old).parent))
    (var / "usrlocal/bin").mkdir(parents=True, exist_ok=True)


def _first_boot(root: Path) -> None:
    (root / "boot/ignition.firstboot").touch()
    # systemd takes this for a first boot, and then follows the presets, Ignition's among them.
    (root / "etc/machine-id").write_text("uninitialized\n")
    presets = root / "usr/lib/systemd/system-preset"
    for preset in presets.glob("*"):
        preset.unlink()
    (presets / "80-lab.preset").write_text(PRESET)
    (root / "etc/fstab").write_text("/dev/vda / ext4 defaults 0 1\n")
    (root / "etc/hostname").unlink(missing_ok=True)
    (root / "etc/resolv.conf").unlink(missing_ok=True)
    (root / "etc/resolv.conf").write_text("")
    # On Fedora CoreOS, core may do anything.
    (root / "etc/sudoers.d/core").write_text("core ALL=(ALL) NOPASSWD: ALL\n")
    (root / "etc/group").write_text((root / "etc/group").read_text() + "wheel:x:10:\n")
    for link in root.glob("etc/systemd/system/*.wants/*"):
        link.unlink()
    for unit in UNWANTED:
        (root / "etc/systemd/system" / unit).symlink_to("/dev/null")
    generators = root / "etc/systemd/system-generators"
    generators.mkdir(exist_ok=True)
    (generators / "systemd-ssh-generator").symlink_to("/dev/null")
    # Nothing is out of date with /usr: saves an ldconfig at the first boot.
    for folder in ("etc", "var"):
        (root / folder / ".updated").touch()


def _selinux(root: Path) -> None:
    """Labels the whole root, as an image's build does; only a machine that is told so looks at the labels."""
    contexts = root / "etc/selinux/default/contexts/files"
    distributed = contexts / "file_contexts.subs_dist"
    distributed.write_text(distributed.read_text() + SELINUX_EQUIVALENCE)
    config = root / "etc/selinux/config"
    config.write_text("SELINUX=permissive\nSELINUXTYPE=default\n")
    # -r: paths are looked up as they will be on the machine.
    run(
        [
            "chroot",
            root,
            "/sbin/setfiles",
            "-F",
            "/" + str((contexts / "file_contexts").relative_to(root)),
            "/",
        ]
    )


def _unpack_modules(root: Path) -> None:
    """Unpacked once here, instead of at each boot by an emulated processor."""
    kernel = next(root.glob("usr/lib/modules/*"))
    for packed in kernel.rglob("*.ko.xz"):
        packed.with_suffix("").write_bytes(lzma.decompress(packed.read_bytes()))
        packed.unlink()
    run(["chroot", root, "depmod", kernel.name])


def _initramfs(root: Path, ignition: Path, tree: Path, target: Path) -> None:
    for folder in ("bin", "modules", "lib64"):
        (tree / folder).mkdir(parents=True)
    shutil.copy(FOLDER / "init.sh", tree / "init")
    (tree / "init").chmod(0o755)
    for program in (*PROGRAMS_OF_THE_INITRAMFS, _put_in(root, ignition)):
        shutil.copy(root / program, tree / "bin" / program.name)
        _copy_libraries(root, program, tree)
    (tree / "modules/order").write_text(
        "".join(f"{name}\n" for name in _copy_modules(root, tree / "modules"))
    )
    with target.open("wb") as archive:
        files = subprocess.run(["find", "."], cwd=tree, capture_output=True, check=True).stdout
        subprocess.run(
            ["cpio", "--quiet", "--format=newc", "--create", "--owner=0:0"],
            cwd=tree, input=files, stdout=archive, check=True,
        )  # fmt: skip


def _put_in(root: Path, program: Path) -> Path:
    """Puts `program` where the root's own loader can look at it; the root's disk is written already."""
    shutil.copy(program, root / "tmp")
    return Path("tmp") / program.name


def _copy_libraries(root: Path, program: Path, tree: Path) -> None:
    """Copies the shared libraries of the root's `program`; there are none when it is static."""
    listed = subprocess.run(
        ["chroot", root, "ldd", f"/{program}"], capture_output=True, text=True, check=False
    ).stdout
    for library in {word for line in listed.splitlines() for word in line.split() if word.startswith("/")}:
        place = tree / library.lstrip("/")
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy((root / library.lstrip("/")).resolve(), place)


def _copy_modules(root: Path, target: Path) -> list[str]:
    """Copies MODULES and what they need, unpacked; returns the names in the order to load them."""
    kernel = next(root.glob("usr/lib/modules/*"))
    needs: dict[str, list[str]] = {}
    for line in (kernel / "modules.dep").read_text().splitlines():
        path, _, needed = line.partition(":")
        needs[path] = needed.split()
    by_name = {Path(path).name.split(".")[0].replace("-", "_"): path for path in needs}
    order: list[str] = []
    for name in MODULES:
        if name not in by_name:
            continue  # it is part of the kernel itself
        path = by_name[name]
        # modules.dep lists the deepest need last.
        for one in [*reversed(needs[path]), path]:
            if one not in order:
                order.append(one)
    for path in order:
        shutil.copy(kernel / path, target)
    return [Path(path).name for path in order]
