"""Firewalls, primary IPs, placement groups, SSH keys, images, prices."""

from __future__ import annotations

import hcloud
import pytest
from hcloud import APIException
from hcloud.firewalls import FirewallResource, FirewallResourceLabelSelector, FirewallRule
from hcloud.locations import Location
from hcloud.primary_ips import PrimaryIP
from hcloud.server_types import ServerType
from hcloud.servers import ServerCreatePublicNetwork

from tests.cloud import RunningCloud
from tests.localcloud.conftest import MakeServer

HTTPS = FirewallRule(direction="in", protocol="tcp", port="443", source_ips=["0.0.0.0/0", "::/0"])


def test_firewall_given_at_creation_is_applied_when_the_server_is_made(
    cloud: RunningCloud, hetzner: hcloud.Client, make_server: MakeServer
) -> None:
    firewall = hetzner.firewalls.create("wall", rules=[HTTPS]).firewall
    server = make_server("one", firewalls=[firewall])
    (applied,) = server.public_net.firewalls
    assert (applied.firewall.id, applied.status) == (firewall.id, "applied")
    assert [each.server.id for each in hetzner.firewalls.get_by_id(firewall.id).applied_to] == [server.id]
    with pytest.raises(APIException) as refused:
        firewall.delete()
    assert refused.value.code == "resource_in_use"
    server.delete().wait_until_finished()
    firewall.delete()


def test_firewall_is_applied_and_removed_later(hetzner: hcloud.Client, make_server: MakeServer) -> None:
    firewall = hetzner.firewalls.create("wall").firewall
    server = make_server("one", labels={"role": "agent"})
    target = FirewallResource(type="server", server=server)
    for action in firewall.apply_to_resources([target]):
        action.wait_until_finished()
    with pytest.raises(APIException) as refused:
        firewall.apply_to_resources([target])
    assert refused.value.code == "firewall_already_applied"
    firewall.remove_from_resources([target])
    selector = FirewallResourceLabelSelector(selector="role=agent")
    firewall.apply_to_resources([FirewallResource(type="label_selector", label_selector=selector)])
    (applied,) = hetzner.firewalls.get_by_id(firewall.id).applied_to
    assert [each.server.id for each in applied.applied_to_resources] == [server.id]


@pytest.mark.parametrize(
    "rule",
    [
        FirewallRule(direction="in", protocol="tcp", source_ips=["0.0.0.0/0"]),
        FirewallRule(direction="in", protocol="icmp", port="1", source_ips=["0.0.0.0/0"]),
        FirewallRule(direction="in", protocol="tcp", port="70000", source_ips=["0.0.0.0/0"]),
        FirewallRule(direction="in", protocol="tcp", port="22", source_ips=[]),
        FirewallRule(direction="in", protocol="tcp", port="22", source_ips=["10.0.0.1/8"]),
    ],
)
def test_bad_rule(hetzner: hcloud.Client, rule: FirewallRule) -> None:
    with pytest.raises(APIException) as refused:
        hetzner.firewalls.create("wall", rules=[rule])
    assert refused.value.code == "invalid_input"


def test_rules_are_replaced_whole(hetzner: hcloud.Client) -> None:
    firewall = hetzner.firewalls.create("wall", rules=[HTTPS]).firewall
    (action,) = firewall.set_rules([HTTPS, HTTPS])
    action.wait_until_finished()
    assert len(hetzner.firewalls.get_by_id(firewall.id).rules) == 2
    with pytest.raises(APIException) as refused:
        firewall.set_rules([HTTPS] * 51)
    assert refused.value.code == "invalid_input"


def test_a_primary_ip_of_ones_own_outlives_the_server(
    hetzner: hcloud.Client, make_server: MakeServer
) -> None:
    made = hetzner.primary_ips.create("ipv4", "front", location=Location(name="hel1"), auto_delete=False)
    public_net = ServerCreatePublicNetwork(ipv4=PrimaryIP(id=made.primary_ip.id), enable_ipv6=False)
    server = make_server("one", public_net=public_net)
    assert server.public_net.ipv4.ip == made.primary_ip.ip
    assert server.public_net.ipv6 is None
    with pytest.raises(APIException) as refused:
        made.primary_ip.delete()
    assert refused.value.code == "must_be_unassigned"
    with pytest.raises(APIException) as refused:
        made.primary_ip.unassign()
    assert refused.value.code == "server_not_stopped"
    server.delete().wait_until_finished()
    (kept,) = hetzner.primary_ips.get_all()
    assert (kept.id, kept.assignee_id) == (made.primary_ip.id, None)
    kept.delete()


def test_reverse_dns(hetzner: hcloud.Client, make_server: MakeServer) -> None:
    server = make_server("one")
    ip = server.public_net.ipv4.ip
    server.change_dns_ptr(ip, "cp.k8s.example.org").wait_until_finished()
    server.reload()
    assert server.public_net.ipv4.dns_ptr == "cp.k8s.example.org"


def test_a_spread_group_holds_ten(
    cloud: RunningCloud, hetzner: hcloud.Client, make_server: MakeServer
) -> None:
    cloud.settings(actionSeconds=0)
    group = hetzner.placement_groups.create("spread", "spread").placement_group
    servers = [make_server(f"server-{number}", placement_group=group) for number in range(10)]
    with pytest.raises(APIException) as refused:
        make_server("server-10", placement_group=group)
    assert refused.value.code == "placement_error"
    with pytest.raises(APIException) as refused:
        group.delete()
    assert refused.value.code == "resource_in_use"
    group.reload()
    assert group.servers == [server.id for server in servers]


def test_ssh_keys(cloud: RunningCloud, hetzner: hcloud.Client, make_server: MakeServer) -> None:
    (line,) = cloud.keys("alice")
    key = hetzner.ssh_keys.create("alice", line)
    assert len(key.fingerprint) == 47
    for name, public_key in (("alice", line), ("other", line), ("bad", "nonsense")):
        with pytest.raises(APIException) as refused:
            hetzner.ssh_keys.create(name, public_key)
        assert refused.value.code in ("uniqueness_error", "invalid_input")
    make_server("one", ssh_keys=[key])


def test_images_by_selector_and_architecture_newest_first(
    cloud: RunningCloud, hetzner: hcloud.Client
) -> None:
    for description in ("older", "newer"):
        snapshot = {"labels": {"os": "fcos", "v": "2"}, "architecture": "x86", "description": description}
        cloud.seed({"snapshots": [snapshot]})
        cloud.advance(1)
    found = hetzner.images.get_all(
        type=["snapshot"], label_selector="os=fcos,v=2", architecture=["x86"],
        sort=["created:desc"],
    )  # fmt: skip
    assert [image.description for image in found] == ["newer", "older"]
    assert hetzner.images.get_by_name_and_architecture("debian-12", "arm").architecture == "arm"


def test_types_have_prices_and_offers(hetzner: hcloud.Client) -> None:
    names = {"cx23", "cx33", "cx43", "cx53", "cpx22", "cpx32", "cax11", "cax21", "cax31", "ccx13"}
    assert names <= {each.name for each in hetzner.server_types.get_all()}
    cx23 = hetzner.server_types.get_by_name("cx23")
    assert {price["location"] for price in cx23.prices} == {"fsn1", "nbg1", "hel1"}
    for price in cx23.prices:
        assert float(price["price_monthly"]["gross"]) == pytest.approx(
            float(price["price_monthly"]["net"]) * 1.19
        )
    assert hetzner.server_types.get_by_name("cax11").architecture == "arm"
    assert all(offer.deprecation for offer in hetzner.server_types.get_by_name("cx22").locations)


def test_locations_have_zones(hetzner: hcloud.Client) -> None:
    zones = {each.name: each.network_zone for each in hetzner.locations.get_all()}
    assert zones == {
        "fsn1": "eu-central",
        "nbg1": "eu-central",
        "hel1": "eu-central",
        "ash": "us-east",
        "hil": "us-west",
        "sin": "ap-southeast",
    }


def test_price_list(cloud: RunningCloud) -> None:
    pricing = cloud.pricing()
    assert float(pricing["volume"]["price_per_gb_month"]["net"]) == pytest.approx(0.044)
    assert {entry["type"] for entry in pricing["primary_ips"]} == {"ipv4", "ipv6"}
    assert {entry["name"] for entry in pricing["server_types"]} >= {"cx23", "cax11"}


def test_rebuild_protection(hetzner: hcloud.Client, make_server: MakeServer) -> None:
    server = make_server("one")
    server.rebuild(hetzner.images.get_all(label_selector="os=fcos", architecture=["x86"])[0])
    assert hetzner.server_types.get_by_name("cx23").name == ServerType(name="cx23").name
