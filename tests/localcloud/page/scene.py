"""A cloud with something of everything that the page shows, made with the vendor's client."""

from __future__ import annotations

import hcloud
from hcloud.firewalls import FirewallRule
from hcloud.images import BoundImage
from hcloud.locations import Location
from hcloud.networks import BoundNetwork, NetworkSubnet
from hcloud.server_types import ServerType
from hcloud.servers import BoundServer

from tests.cloud import RunningCloud

SEED = {
    "projects": ["raya-local"],
    "zones": [
        {"project": "raya-local", "name": "example-org", "dnsName": "example.org."},
        {"project": "raya-local", "name": "k8s", "dnsName": "k8s.example.org."},
    ],
    "users": {"alice": None},
    "snapshots": [{"labels": {"os": "fcos"}, "architecture": "x86"}],
}
ANYWHERE = ["0.0.0.0/0", "::/0"]
LABELS = {"cluster": "prod"}
HELSINKI = Location(name="hel1")


def make_scene(cloud: RunningCloud, hetzner: hcloud.Client, *, agents: int = 3) -> None:
    """A cluster `prod` of one control plane and some agents, delegated, with one fault in force."""
    network = _network(hetzner)
    firewall = hetzner.firewalls.create("prod", labels=LABELS, rules=_rules()).firewall
    volume = hetzner.volumes.create(10, "prod-state", labels=LABELS, location=HELSINKI, format="xfs").volume
    image = hetzner.images.get_all(label_selector="os=fcos")[0]
    addresses = {"control-plane": "10.0.1.10"} | {f"agent-{n}": f"10.0.1.{20 + n}" for n in range(agents)}
    for number, (name, ip) in enumerate(addresses.items()):
        server = make_server(hetzner, image, name, "cx23" if number else "cpx22", firewalls=[firewall])
        server.attach_to_network(network, ip=ip).wait_until_finished()
        if number == 0:
            hetzner.volumes.get_by_id(volume.id).attach(server).wait_until_finished()
        record = f"a{number - 1}" if number else "cp"
        public_ip = f"203.0.113.{number + 1}"
        cloud.add_record("k8s.example.org.", f"{record}.k8s.example.org.", "A", [public_ip])
    (zone,) = [each for each in cloud.zones() if each["name"] == "k8s"]
    cloud.add_record("example.org.", "k8s.example.org.", "NS", zone["nameServers"])
    fault = {"path": "/hcloud/v1/servers$", "status": 412, "code": "resource_unavailable"}
    cloud.fault("status", method="POST", nth=3, **fault)


def make_server(
    hetzner: hcloud.Client, image: BoundImage, name: str, server_type: str = "cx23", **more: object
) -> BoundServer:
    """A running server of the cluster, in Helsinki."""
    made = hetzner.servers.create(
        name, ServerType(name=server_type), image=image, location=HELSINKI, labels=LABELS, **more
    )
    for action in (made.action, *made.next_actions):
        action.wait_until_finished()
    return made.server


def _network(hetzner: hcloud.Client) -> BoundNetwork:
    network = hetzner.networks.create("prod", ip_range="10.0.0.0/16", labels=LABELS)
    subnet = NetworkSubnet(type="cloud", ip_range="10.0.1.0/24", network_zone="eu-central")
    network.add_subnet(subnet).wait_until_finished()
    return network


def _rules() -> list[FirewallRule]:
    return [
        FirewallRule("in", "tcp", ["203.0.113.0/24"], port="22", description="SSH from the office"),
        FirewallRule("in", "tcp", ANYWHERE, port="80"),
        FirewallRule("in", "tcp", ANYWHERE, port="443"),
        FirewallRule("in", "icmp", ANYWHERE),
    ]
