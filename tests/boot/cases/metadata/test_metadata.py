"""The metadata service: down, then talking rubbish, then good; and out of the reach of pods."""

from __future__ import annotations

import itertools
import time

from tests.boot.lab.cluster import Cluster, Lab
from tests.boot.lab.machine import Machine
from tests.boot.lab.metadata import PUBLIC_IPV4
from tests.boot.lab.observed import has_started, nothing_failed, until_started

DOWN_S = 120
WRITTEN = "/etc/rancher/k3s/config.yaml.d/50-public-ip.yaml"
# Status and body. None of it is one public IPv4 address.
RUBBISH = (
    (500, b"internal error"),
    (404, b"not found"),
    (200, b""),
    (200, b"<html><body>203.0.113.7</body></html>"),
    (200, b"2001:db8::7"),
    (200, b"203.0.113.7\n203.0.113.8\n"),
    (200, b"10.0.1.20"),
    (200, b"203.0.113.700"),
    (200, b"203.0.113.7\x00"),
    (200, b"1" * 100_000),
)


def test_nothing_but_a_public_address_is_believed(lab: Lab, cluster: Cluster) -> None:
    served: list[int] = []
    rubbish = itertools.cycle(range(len(RUBBISH)))

    def talk_rubbish(_address: str) -> tuple[int, bytes]:
        served.append(next(rubbish))
        return RUBBISH[served[-1]]

    lab.metadata.public_ipv4 = talk_rubbish
    lab.metadata.stop()
    agent = cluster.server("agent-0")
    agent.power_on()
    # Nothing else has the user data: Ignition waits too.
    time.sleep(DOWN_S)
    assert "Welcome" not in agent.console()
    lab.metadata.start()

    limit = time.monotonic() + 600
    while len(served) < 2 * len(RUBBISH) and time.monotonic() < limit:
        time.sleep(1)
    assert set(served) == set(range(len(RUBBISH)))
    assert agent.run(f"cat {WRITTEN}", check=False) == ""
    assert not has_started(agent, "k3s-agent.service")
    # A script that is killed while it waits is started again, and what waits behind it waits on.
    agent.run("pkill --signal KILL --full /usr/local/bin/k3s-init")

    lab.metadata.public_ipv4 = lambda address: (200, address.encode())
    until_started(agent, "k3s-agent.service")
    assert agent.run(f"cat {WRITTEN}") == f'node-external-ip: "{agent.addresses.public_ip}"\n'
    nothing_failed(agent)
    asked_from = {request.address for request in lab.metadata.requests if request.path == PUBLIC_IPV4}
    assert asked_from == {agent.addresses.public_ip}
    pods_cannot_reach_it(agent)


def pods_cannot_reach_it(machine: Machine) -> None:
    """A network namespace behind a veth, with an address of the pods' range and the node's masquerading."""
    machine.run(
        "ip netns add pod && ip link add pod0 type veth peer name eth0 netns pod && "
        "ip address add 10.42.1.1/24 dev pod0 && ip link set pod0 up && "
        "ip -n pod address add 10.42.1.2/24 dev eth0 && ip -n pod link set eth0 up && "
        "ip -n pod route add default via 10.42.1.1 && "
        "nft 'table ip lab { chain out { type nat hook postrouting priority 100; "
        "ip saddr 10.42.0.0/16 masquerade; } }'"
    )
    ask = f"curl --silent --show-error --max-time 10 http://169.254.169.254{PUBLIC_IPV4}"
    # What runs on the node itself may ask.
    assert machine.run(ask) == machine.addresses.public_ip
    assert machine.run(f"ip netns exec pod {ask}", check=False) == ""
    # Nothing but our rule refuses it.
    machine.run("nft delete table ip raya_metadata")
    assert machine.run(f"ip netns exec pod {ask}") == machine.addresses.public_ip
    machine.run("systemctl restart k3s-metadata-guard.service")
    assert machine.run(f"ip netns exec pod {ask}", check=False) == ""
