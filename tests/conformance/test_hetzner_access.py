"""Who and what may reach a server: firewalls, primary IPs, SSH keys."""

from __future__ import annotations

import hcloud
import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from hcloud.firewalls import FirewallResource, FirewallResourceLabelSelector, FirewallRule
from hcloud.primary_ips import PrimaryIP
from hcloud.servers import BoundServer, ServerCreatePublicNetwork

from tests.conformance.hetzner_things import HetznerThings
from tests.conformance.refusals import refused

EVERYWHERE = ["0.0.0.0/0", "::/0"]
HTTPS = FirewallRule(direction="in", protocol="tcp", port="443", source_ips=EVERYWHERE)


def test_a_firewall_of_the_order_is_applied(things: HetznerThings) -> None:
    firewall = things.firewall(HTTPS)
    server = things.server(firewalls=[firewall])
    (applied,) = server.public_net.firewalls
    assert (applied.firewall.id, applied.status) == (firewall.id, "applied")
    firewall.reload()
    assert [each.server.id for each in firewall.applied_to] == [server.id]
    with refused("resource_in_use"):
        firewall.delete()


def test_a_firewall_is_applied_later_and_taken_off(things: HetznerThings, server: BoundServer) -> None:
    firewall = things.firewall()
    target = FirewallResource(type="server", server=server)
    for action in firewall.apply_to_resources([target]):
        action.wait_until_finished()
    with refused("firewall_already_applied"):
        firewall.apply_to_resources([target])
    for action in firewall.remove_from_resources([target]):
        action.wait_until_finished()
    firewall.reload()
    assert firewall.applied_to == []
    # To take it off again is no error.
    firewall.remove_from_resources([target])


def test_a_firewall_follows_labels(things: HetznerThings, server: BoundServer) -> None:
    role = things.run.name("role")
    server.update(labels={**things.run.labels, "role": role})
    firewall = things.firewall()
    selector = FirewallResourceLabelSelector(selector=f"role={role}")
    target = FirewallResource(type="label_selector", label_selector=selector)
    for action in firewall.apply_to_resources([target]):
        action.wait_until_finished()
    firewall.reload()
    (applied,) = firewall.applied_to
    assert [each.server.id for each in applied.applied_to_resources] == [server.id]


def test_names_are_unique(things: HetznerThings) -> None:
    firewall, address = things.firewall(), things.primary_ip(kind="ipv6")
    with refused("uniqueness_error"):
        things.firewall(name=firewall.name)
    with refused("uniqueness_error"):
        things.primary_ip(address.name, kind="ipv6")


@pytest.mark.parametrize(
    "rule",
    [
        FirewallRule(direction="in", protocol="tcp", source_ips=EVERYWHERE),
        FirewallRule(direction="in", protocol="icmp", port="1", source_ips=EVERYWHERE),
        FirewallRule(direction="in", protocol="tcp", port="70000", source_ips=EVERYWHERE),
        FirewallRule(direction="in", protocol="tcp", port="22", source_ips=[]),
        FirewallRule(direction="in", protocol="tcp", port="22", source_ips=["10.0.0.1/8"]),
    ],
)
def test_bad_rule(things: HetznerThings, rule: FirewallRule) -> None:
    with refused("invalid_input"):
        things.firewall(rule)


def test_rules_are_replaced_whole(things: HetznerThings) -> None:
    firewall = things.firewall(HTTPS)
    udp = FirewallRule(direction="in", protocol="udp", port="80-90", source_ips=EVERYWHERE, description="udp")
    for action in firewall.set_rules([udp]):
        action.wait_until_finished()
    firewall.reload()
    (rule,) = firewall.rules
    assert (rule.protocol, rule.port, rule.description) == ("udp", "80-90", "udp")
    with refused("invalid_input"):
        firewall.set_rules([HTTPS] * 51)


def test_a_primary_ip_of_ones_own_outlives_the_server(things: HetznerThings) -> None:
    address = things.primary_ip()
    public_net = ServerCreatePublicNetwork(ipv4=PrimaryIP(id=address.id), enable_ipv6=False)
    server = things.server(public_net=public_net)
    assert server.public_net.ipv4.ip == address.ip
    assert server.public_net.ipv6 is None
    with refused("must_be_unassigned"):
        address.delete()
    with refused("server_not_stopped"):
        address.unassign()
    server.delete().wait_until_finished()
    address.reload()
    assert address.assignee_id is None


def test_a_primary_ip_is_assigned_to_a_server_that_is_off(things: HetznerThings) -> None:
    address = things.primary_ip(kind="ipv6")
    server = things.server(public_net=ServerCreatePublicNetwork(enable_ipv6=False))
    with refused("server_not_stopped"):
        address.assign(server.id, "server")
    server.power_off().wait_until_finished()
    address.assign(server.id, "server").wait_until_finished()
    server.reload()
    assert server.public_net.primary_ipv6.id == address.id
    with refused("primary_ip_already_assigned"):
        address.assign(server.id, "server")


def test_a_protected_primary_ip_is_not_deleted(things: HetznerThings) -> None:
    address = things.primary_ip(kind="ipv6")
    address.change_protection(delete=True).wait_until_finished()
    with refused("protected"):
        address.delete()


def test_ssh_keys(hetzner: hcloud.Client, things: HetznerThings) -> None:
    line, other_line = _public_key(), _public_key()
    key = things.ssh_key(line)
    found = hetzner.ssh_keys.get_by_fingerprint(key.fingerprint)
    assert found is not None
    assert (found.id, found.public_key) == (key.id, line)
    with refused("uniqueness_error"):
        things.ssh_key(other_line, name=key.name)
    with refused("uniqueness_error"):
        things.ssh_key(line)
    with refused("invalid_input"):
        things.ssh_key("nonsense")


def test_a_server_with_a_key_has_no_password(things: HetznerThings) -> None:
    made = things.order_server(ssh_keys=[things.ssh_key(_public_key())])
    assert made.root_password is None
    made.action.wait_until_finished()


def _public_key() -> str:
    public = Ed25519PrivateKey.generate().public_key()
    return public.public_bytes(serialization.Encoding.OpenSSH, serialization.PublicFormat.OpenSSH).decode()
