"""The volume is attached after the server was made: late, or never. k3s never founds a cluster without it."""

from __future__ import annotations

import time

from tests.boot.lab.cluster import Cluster, Lab
from tests.boot.lab.machine import Machine
from tests.boot.lab.observed import has_started, nothing_failed, until_ready

# systemd gives up a device after 90 s by default, and retries nothing that depended on it.
LATE_S = 120
# How long "for ever" is watched.
FOR_EVER_S = 240


def test_a_volume_attached_after_two_minutes_is_waited_for(lab: Lab, cluster: Cluster) -> None:
    control_plane = cluster.server("control-plane")
    control_plane.power_on()
    control_plane.wait_until("systemctl is-active sshd.service || systemctl is-active ssh.service")
    powered = control_plane.powered_at
    # A script that is killed while it waits is started again, and what waits behind it waits on.
    control_plane.wait_until("pkill --signal KILL --full /usr/local/bin/mkfs-k3s-volume")
    time.sleep(max(0.0, powered + LATE_S - time.monotonic()))
    stands_still(control_plane)

    control_plane.plug_volume(cluster.volume())
    until_ready(control_plane, 1)
    nothing_failed(control_plane)


def test_without_a_volume_k3s_never_starts(lab: Lab, cluster: Cluster) -> None:
    control_plane = cluster.server("control-plane")
    control_plane.power_on()
    control_plane.wait_until("systemctl is-active k3s-init.service")
    # Nor by hand.
    control_plane.run("systemctl start --no-block k3s.service")
    time.sleep(FOR_EVER_S)
    stands_still(control_plane)
    said = control_plane.journal("mkfs-k3s-volume.service")
    assert said.count("waiting for the state volume to be attached as /dev/disk/by-id/") == 1
    # Whoever wants to know why can log in and look.
    assert control_plane.run("systemctl is-active multi-user.target", check=False).strip() != "failed"


def stands_still(machine: Machine) -> None:
    """k3s has not run, and nothing of it is on the root disk."""
    assert not has_started(machine, "k3s.service")
    assert machine.run("ls -A /var/lib/rancher/k3s 2>/dev/null || true") == ""
    assert machine.run("systemctl is-active mkfs-k3s-volume.service", check=False).strip() == "activating"
