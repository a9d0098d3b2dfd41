"""The private NIC is attached to a server that runs: a minute after it was made, as Hetzner may do it."""

from __future__ import annotations

import time

from tests.boot.lab.cluster import Cluster, Lab
from tests.boot.lab.observed import has_started, nothing_failed, until_started

LATE_S = 60


def test_h2_k3s_starts_with_the_private_address_of_a_nic_that_came_late(lab: Lab, cluster: Cluster) -> None:
    agent = cluster.server("agent-0", private=False)
    agent.power_on()
    agent.wait_until("systemctl is-active NetworkManager.service")
    time.sleep(LATE_S)
    # The public way is up, and that is not enough for network-online.target.
    assert " dev enp1s0 " in agent.run("ip route get 8.8.8.8")
    assert agent.run("systemctl is-active network-online.target", check=False).strip() == "inactive"
    assert not has_started(agent, "k3s-agent.service")

    agent.plug_private_nic()
    until_started(agent, "k3s-agent.service")
    assert "10.0.1.20/32" in agent.run("ip -4 address show dev enp7s0")
    assert " mtu 1450 " in agent.run("ip link show dev enp7s0")
    nothing_failed(agent)
