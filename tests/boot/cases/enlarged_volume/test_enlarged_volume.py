"""A volume that was enlarged is used in full after the next boot."""

from __future__ import annotations

from tests.boot.lab.cluster import Cluster, Lab
from tests.boot.lab.observed import datastore_id, nothing_failed, until_ready

SIZE = "findmnt --noheadings --bytes --output SIZE /var/lib/rancher/k3s"


def test_the_new_space_is_there_after_a_reboot(lab: Lab, cluster: Cluster) -> None:
    volume = cluster.volume(size_mib=64)
    control_plane = cluster.server("control-plane", volume=volume)
    control_plane.power_on()
    until_ready(control_plane, 1)
    before, datastore = int(control_plane.run(SIZE)), datastore_id(control_plane)
    assert before < 64 << 20

    control_plane.shut_down()
    volume.enlarge(size_mib=256)
    control_plane.power_on()
    until_ready(control_plane, 1)
    assert int(control_plane.run(SIZE)) > 200 << 20
    assert datastore_id(control_plane) == datastore
    nothing_failed(control_plane)
