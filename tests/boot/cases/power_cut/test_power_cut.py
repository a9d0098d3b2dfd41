"""The power is cut at any moment of a boot's work on the volume: the next boot ends where it would have."""

from __future__ import annotations

from pathlib import Path

from tests.boot.lab.cluster import Cluster, Lab
from tests.boot.lab.hardware import Volume
from tests.boot.lab.power_cuts import at_every_command

# The scripts of a boot, in their order, on a volume of the judge's choice; then what they have left.
# Not where the judge's own systemd waits for another volume: it would take a mount there away again.
BOOT = """
set -euo pipefail
export VOLUME_DEVICE=/dev/disk/by-id/scsi-0HC_Volume_{number} LINK=/run/judge/volume
export DATA_DIR=/mnt/judge SERVER_DIR=/mnt/judge/server
udevadm settle
mkdir --parents "$DATA_DIR"
/usr/local/bin/mkfs-k3s-volume >&2
mount "$LINK" "$DATA_DIR"
/usr/local/bin/k3s-seed-pki >&2
/usr/local/bin/k3s-sync-manifests >&2
cd "$DATA_DIR"
find . -mindepth 1 ! -path ./lost+found -printf '%y %m %u %P %l\\n' | sort
find . -type f -print0 | sort --zero-terminated | xargs --null --no-run-if-empty sha256sum
cd /
umount "$DATA_DIR"
rm "$LINK"
"""


def test_a_blank_volume(lab: Lab, cluster: Cluster, tmp_path: Path) -> None:
    every_cut_ends_alike(lab, cluster, cluster.volume(size_mib=24), tmp_path)


def test_f10_a_volume_of_another_cluster(lab: Lab, cluster: Cluster, tmp_path: Path) -> None:
    tree = tmp_path / "tree"
    for name, text in {
        "server/token": f"K10{'0' * 64}::server:of-another-cluster\n",
        "server/db/state.db": "the datastore of another cluster",
        "server/cred/passwd": "a password of another cluster",
        "agent/client-kubelet.key": "a key of another cluster",
        "agent/containerd/layer": "unrelated\n",
        **{f"server/tls/{name}": "of another cluster\n" for name in cluster.pki.files},
        "server/tls/etcd/peer-ca.crt": "of another cluster\n",
    }.items():
        (tree / name).parent.mkdir(parents=True, exist_ok=True)
        (tree / name).write_text(text)
    volume = cluster.volume(size_mib=24)
    volume.make_ext4(tree)
    every_cut_ends_alike(lab, cluster, volume, tmp_path)


def every_cut_ends_alike(lab: Lab, cluster: Cluster, volume: Volume, folder: Path) -> None:
    control_plane = cluster.server("control-plane", volume=volume)
    cuts = at_every_command(control_plane, volume, folder)
    control_plane.discard()
    commands = [command for cut in cuts for command in cut.before]
    for script in ("mkfs-k3s-volume", "k3s-seed-pki", "k3s-sync-manifests"):
        assert any(command.startswith(f"{script}:end") for command in commands), script
    # That many different states of the disk were there to be left behind.
    assert len(cuts) > 8

    judge = cluster.server("control-plane")
    judge.volumes = [Volume(cut.file, f"90{index:03}") for index, cut in enumerate(cuts)]
    judge.power_on()
    # The judge's own boot waits for its volume, and never sees one.
    judge.wait_until("test -e /dev/disk/by-id/scsi-0HC_Volume_90000")
    ends = [judge.run(BOOT.format(number=volume.number)) for volume in judge.volumes]
    undisturbed = ends[-1]
    assert "server/token" in undisturbed
    for end, cut in zip(ends, cuts, strict=True):
        assert end == undisturbed, cut.before
