"""What was changed by hand in the clouds: `refresh` finds it, `up` mends it (docs/runbooks/drift.md)."""

from __future__ import annotations

from typing import Any

import pytest

from tests import by_hand
from tests.cloud import RunningCloud
from tests.e2e.engine import Engine

ZONE, PARENT = "k8s.example.org.", "example.org."


@pytest.fixture(scope="module", autouse=True)
def _running(engine: Engine) -> None:
    engine.fleet({}, {})
    engine.up("--skip-preview")


def _ids(cloud: RunningCloud) -> dict[str, int]:
    return {each["name"]: each["id"] for each in cloud.hetzner("servers")}


def _record(cloud: RunningCloud, label: str) -> dict[str, Any]:
    found = by_hand.record(cloud, ZONE, f"{label}.{ZONE}", "A")
    assert found is not None
    return found


def _seen(engine: Engine) -> dict[str, set[str]]:
    """What an update would mend, after a look."""
    engine.pulumi("refresh", "--yes", "--skip-preview")
    return engine.planned()


def test_records_rules_labels_attachments_and_a_deleted_agent_come_back(
    engine: Engine, cloud: RunningCloud
) -> None:
    before = _ids(cloud)
    delegation = by_hand.record(cloud, PARENT, ZONE, "NS")
    assert delegation is not None
    (firewall,) = cloud.hetzner("firewalls")
    volume = by_hand.the(cloud, "volumes", "local-state")
    network = by_hand.the(cloud, "networks", "local")
    addresses = {label: _record(cloud, label)["rrdatas"] for label in ("cp", "a0")}

    by_hand.rewrite(cloud, ZONE, _record(cloud, "cp"), ["198.51.100.1"])
    by_hand.rewrite(cloud, ZONE, _record(cloud, "a0"), None)
    by_hand.rewrite(cloud, PARENT, delegation, ["ns1.example.net."])
    wide_open = {"direction": "in", "protocol": "tcp", "port": "6443", "source_ips": ["0.0.0.0/0"]}
    by_hand.hetzner(
        cloud,
        "POST",
        f"firewalls/{firewall['id']}/actions/set_rules",
        {"rules": [*firewall["rules"], wide_open]},
    )
    by_hand.hetzner(cloud, "PUT", f"networks/{network['id']}", {"labels": {}})
    by_hand.hetzner(cloud, "PUT", f"servers/{before['agent-0']}", {"labels": {"role": "spare"}})
    cloud.delete_server("agent-1")
    by_hand.hetzner(cloud, "POST", f"volumes/{volume['id']}/actions/detach", {})
    by_hand.hetzner(
        cloud,
        "POST",
        f"servers/{before['agent-0']}/actions/detach_from_network",
        {"network": network["id"]},
    )
    by_hand.hetzner(cloud, "POST", f"servers/{before['agent-0']}/actions/poweroff", {})

    engine.preview("--expect-no-changes")
    planned = _seen(engine)
    assert planned["create"] == {
        "Server::agent-1",
        "ServerNetwork::agent-1",
        "ServerNetwork::agent-0",
        "VolumeAttachment::control-plane",
        "RecordSet::a0",
    }
    assert planned["update"] >= {
        "RecordSet::cp",
        "RecordSet::primary-delegation",
        "Firewall::network",
        "Network::network",
        "Server::agent-0",
    }
    assert "replace" not in planned
    engine.up("--skip-preview")
    engine.preview("--refresh", "--expect-no-changes")

    assert {label: _record(cloud, label)["rrdatas"] for label in addresses} == addresses
    assert by_hand.record(cloud, PARENT, ZONE, "NS") == delegation
    assert cloud.hetzner("firewalls")[0]["rules"] == firewall["rules"]
    assert by_hand.the(cloud, "networks", "local")["labels"] == network["labels"]
    after = _ids(cloud)
    assert after.pop("agent-1") != before.pop("agent-1")
    assert after == before
    again = by_hand.the(cloud, "servers", "agent-1")
    assert _record(cloud, "a1")["rrdatas"] == [again["public_net"]["ipv4"]["ip"]]

    assert by_hand.the(cloud, "volumes", "local-state")["server"] == before["control-plane"]
    agent = by_hand.the(cloud, "servers", "agent-0")
    assert [each["ip"] for each in agent["private_net"]] == ["10.0.1.20"]
    # What the runbook says is not seen.
    assert agent["status"] == "off"


def test_a_deleted_key_rebuilds_the_control_plane_and_a_deleted_control_plane_comes_back_on_its_volume(
    engine: Engine, cloud: RunningCloud
) -> None:
    before, token = _ids(cloud), engine.outputs(secrets=True)["joinToken"]
    volume = by_hand.the(cloud, "volumes", "local-state")
    (account,) = [each for each in by_hand.accounts(cloud) if each["email"].startswith("external-dns")]
    for key in by_hand.google(cloud, "GET", f"iam/v1/{account['name']}/keys")["keys"]:
        if key["keyType"] == "USER_MANAGED":
            by_hand.google(cloud, "DELETE", f"iam/v1/{key['name']}")
    planned = _seen(engine)
    assert planned["create"] == {"Key::external-dns"}
    assert {name for name in planned["replace"] if name.startswith("Server::")} == {"Server::control-plane"}

    cloud.delete_server("control-plane")
    planned = _seen(engine)
    assert planned["create"] >= {"Key::external-dns", "Server::control-plane"}
    engine.up("--skip-preview")
    after = _ids(cloud)
    assert after.pop("control-plane") != before.pop("control-plane")
    assert after == before
    kept = by_hand.the(cloud, "volumes", "local-state")
    assert (kept["id"], kept["server"]) == (volume["id"], _ids(cloud)["control-plane"])
    assert engine.outputs(secrets=True)["joinToken"] == token
    engine.preview("--expect-no-changes")
