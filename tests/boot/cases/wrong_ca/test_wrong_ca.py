"""An agent whose token pins another CA sends nothing to the server that answers, and says why."""

from __future__ import annotations

import dataclasses

from raya import throwaway_keys, tokens
from tests.boot.lab.cluster import Cluster, Lab
from tests.boot.lab.observed import addresses, until_ready, until_started


def test_an_agent_refuses_a_server_with_another_ca(lab: Lab, cluster: Cluster) -> None:
    specs = cluster.specs()
    other = tokens.agent_token(throwaway_keys.pki().server_ca_cert, specs["control-plane"].token)
    control_plane = cluster.server("control-plane", volume=cluster.volume())
    stranger = cluster.machine(dataclasses.replace(specs["agent-0"], token=other))
    for machine in (control_plane, stranger):
        machine.power_on()
    until_ready(control_plane, 1)
    until_started(stranger, "k3s-agent.service")

    said = "token CA hash does not match the Cluster CA certificate hash"
    stranger.wait_until(f"journalctl --boot -u k3s-agent.service | grep '{said}'")
    assert set(addresses(control_plane)) == {"control-plane"}
