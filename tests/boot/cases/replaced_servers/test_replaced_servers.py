"""Servers go, the cluster stays: the state is on the volume, and an agent is its name and its token."""

from __future__ import annotations

from tests.boot.lab.cluster import Cluster, Lab
from tests.boot.lab.observed import addresses, datastore_id, nothing_failed, until_ready

TOUCHED = "systemctl show --property ExecMainPID,NRestarts k3s-agent.service"


def test_a_new_control_plane_finds_its_cluster_on_the_volume(lab: Lab, cluster: Cluster) -> None:
    volume = cluster.volume()
    control_plane = cluster.server("control-plane", volume=volume)
    agent = cluster.server("agent-0")
    for machine in (control_plane, agent):
        machine.power_on()
    until_ready(control_plane, 2)
    datastore, running = datastore_id(control_plane), agent.run(TOUCHED)
    boot = agent.run("cat /proc/sys/kernel/random/boot_id")

    # As a replacement does it: the server is deleted while it runs, its disk with it.
    control_plane.discard()
    successor = cluster.server("control-plane", volume=volume)
    successor.power_on()
    until_ready(successor, 2)

    assert datastore_id(successor) == datastore
    assert "token and CAs are in place" not in successor.journal("k3s-seed-pki.service")
    assert addresses(successor)["control-plane"]["ExternalIP"] == successor.addresses.public_ip
    # The agent was not touched: same boot, same process.
    assert agent.run("cat /proc/sys/kernel/random/boot_id") == boot
    assert agent.run(TOUCHED) == running
    nothing_failed(successor)
    nothing_failed(agent)


def test_k9_an_agent_made_anew_under_its_name_is_let_in(lab: Lab, cluster: Cluster) -> None:
    control_plane = cluster.server("control-plane", volume=cluster.volume())
    agent = cluster.server("agent-0")
    for machine in (control_plane, agent):
        machine.power_on()
    until_ready(control_plane, 2)

    agent.discard()
    successor = cluster.server("agent-0")
    successor.power_on()
    control_plane.wait_until(
        f"k3s kubectl get node agent-0 -o json | grep -q {successor.addresses.public_ip}"
    )
    until_ready(control_plane, 2)
    assert "password rejected" not in successor.journal("k3s-agent.service")
