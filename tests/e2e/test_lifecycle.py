"""The life of a cluster with the real engine, from nothing to nothing: run in order, on one stack."""

from __future__ import annotations

import json
from typing import Any

import pytest

from rendering import ignition
from tests.cloud import RunningCloud
from tests.e2e.engine import Engine

AGENT_PARTS = ("Node::{0}", "Server::{0}", "ServerNetwork::{0}")


def _agent(name: str, record: str) -> set[str]:
    return {*(part.format(name) for part in AGENT_PARTS), f"RecordSet::{record}"}


def _addresses(engine: Engine) -> dict[str, str]:
    outputs = engine.outputs()
    agents = {name: agent["publicIp"] for name, agent in outputs["agents"].items()}
    return {"control-plane": outputs["controlPlane"]["publicIp"], **agents}


def _published(cloud: RunningCloud) -> dict[str, str]:
    """A records of the managed zone: name -> address."""
    return {
        record["name"].removesuffix(".k8s.example.org."): record["rrdatas"][0]
        for record in cloud.records("k8s.example.org.")
        if record["type"] == "A"
    }


def _volume(cloud: RunningCloud) -> dict[str, Any]:
    (volume,) = cloud.hetzner("volumes")
    return volume


def test_nothing_exists_before(cloud: RunningCloud) -> None:
    assert cloud.hetzner("servers") == []
    assert cloud.hetzner("volumes") == []


def test_preview_of_a_new_cluster_needs_nothing_to_exist(engine: Engine, cloud: RunningCloud) -> None:
    engine.fleet({}, {})
    planned = engine.planned()
    assert set(planned) == {"create"}
    assert {"Server::control-plane", "Server::agent-0", "Server::agent-1", "ManagedZone::primary"} <= planned[
        "create"
    ]
    assert cloud.hetzner("servers") == []


def test_one_up_makes_the_whole_cluster(engine: Engine, cloud: RunningCloud) -> None:
    engine.up()
    servers = {server["name"]: server for server in cloud.hetzner("servers")}
    private = {name: [net["ip"] for net in server["private_net"]] for name, server in servers.items()}
    assert private == {"control-plane": ["10.0.1.10"], "agent-0": ["10.0.1.20"], "agent-1": ["10.0.1.21"]}
    assert _volume(cloud)["server"] == servers["control-plane"]["id"]
    addresses = {name: server["public_net"]["ipv4"]["ip"] for name, server in servers.items()}
    assert _addresses(engine) == addresses
    assert _published(cloud) == {
        "cp": addresses["control-plane"],
        "a0": addresses["agent-0"],
        "a1": addresses["agent-1"],
    }
    (firewall,) = cloud.hetzner("firewalls")
    assert {applied["server"]["id"] for applied in firewall["applied_to"]} == {
        s["id"] for s in servers.values()
    }


def test_every_server_was_created_behind_the_firewall(cloud: RunningCloud) -> None:
    creations = [event for event in cloud.events() if event["event"] == "server.create"]
    assert len(creations) == 3
    assert not [event for event in cloud.events() if event["event"] == "firewall.apply"]


def test_delegation_is_in_the_parent(engine: Engine, cloud: RunningCloud) -> None:
    (delegation,) = [each for each in cloud.records("example.org.") if each["name"] == "k8s.example.org."]
    assert sorted(delegation["rrdatas"]) == sorted(engine.outputs()["nameServers"])
    assert len(delegation["rrdatas"]) == 4


def test_machines_are_made_after_the_zone_and_the_rights(cloud: RunningCloud) -> None:
    texts = [event["event"] for event in cloud.events()]
    first_server = texts.index("server.create")
    assert texts.index("zone.create") < first_server
    assert max(index for index, text in enumerate(texts) if text == "policy.set") < first_server


def test_second_up_changes_nothing(engine: Engine) -> None:
    engine.preview("--expect-no-changes")
    engine.up("--expect-no-changes")
    engine.pulumi("refresh", "--yes", "--expect-no-changes")


def test_adding_an_agent_touches_only_its_resources(engine: Engine, cloud: RunningCloud) -> None:
    before = _addresses(engine)
    engine.fleet({}, {}, {"serverType": "cpx22", "location": "fsn1"})
    assert engine.planned() == {"create": _agent("agent-2", "a2")}
    engine.up()
    after = _addresses(engine)
    assert {name: after[name] for name in before} == before
    assert _published(cloud)["a2"] == after["agent-2"]


def test_changing_one_agents_entry_touches_that_agent_only(engine: Engine) -> None:
    engine.fleet({}, {}, {"serverType": "cpx22", "location": "nbg1"})
    planned = engine.planned()
    assert planned["replace"] == {"Server::agent-2", "ServerNetwork::agent-2"}
    assert set().union(*planned.values()) <= _agent("agent-2", "a2")
    engine.up()


def test_changing_an_agents_file_replaces_the_agents_and_no_control_plane(
    engine: Engine, cloud: RunningCloud
) -> None:
    before, volume = _addresses(engine), _volume(cloud)
    path = engine.folder / "butane" / "overlay" / "agent" / "etc" / "systemd" / "system" / "k3s-agent.service"
    path.write_text(path.read_text() + "# changed\n")
    planned = engine.planned()
    agents = ("agent-0", "agent-1", "agent-2")
    assert planned["replace"] == {
        f"{kind}::{name}" for kind in ("Server", "ServerNetwork") for name in agents
    }
    shown = engine.preview()
    assert "this update rebuilds every agent (3), because of" in shown.stdout + shown.stderr
    assert "k3s-agent.service" in shown.stdout + shown.stderr
    engine.up()
    after = _addresses(engine)
    assert after["control-plane"] == before["control-plane"]
    assert not {after[name] for name in agents} & {before[name] for name in agents}
    assert _volume(cloud) == volume
    assert {f"a{n}": after[f"agent-{n}"] for n in range(3)}.items() <= _published(cloud).items()


def test_changing_a_control_plane_file_keeps_the_volume_and_never_pulls_it_from_a_running_server(
    engine: Engine, cloud: RunningCloud
) -> None:
    before, volume, mark = _addresses(engine), _volume(cloud), len(cloud.events())
    path = (
        engine.folder / "butane" / "overlay" / "control-plane" / "etc" / "systemd" / "system" / "k3s.service"
    )
    path.write_text(path.read_text() + "# changed\n")
    assert engine.planned()["replace"] == {
        "Server::control-plane",
        "ServerNetwork::control-plane",
        "VolumeAttachment::control-plane",
    }
    diff = engine.preview("--diff").stdout
    assert "k3s.service" in diff
    engine.up()
    after, kept = _addresses(engine), _volume(cloud)
    assert kept["id"] == volume["id"]
    assert kept["server"] != volume["server"]
    assert {name: after[name] for name in after if name != "control-plane"} == {
        name: before[name] for name in before if name != "control-plane"
    }
    assert _published(cloud)["cp"] == after["control-plane"] != before["control-plane"]
    happened = [
        event for event in cloud.events()[mark:] if event["event"].split(".")[0] in ("server", "volume")
    ]
    order = [event["event"] for event in happened]
    assert order.index("server.shutdown") < order.index("server.delete")
    assert order.index("server.delete") < order.index("server.create") < order.index("volume.attach")
    assert [
        event for event in happened if event["event"] == "volume.detach" and "running" in event["text"]
    ] == []


def _node_password(cloud: RunningCloud, node: str) -> str:
    entries = ignition.decode(cloud.user_data(node))
    (password,) = [each.contents for each in entries if each.path == "/etc/rancher/node/password"]
    return password.decode()


@pytest.fixture(scope="module")
def node_passwords() -> dict[str, str]:
    """What the retired agent was told, for the test that brings it back."""
    return {}


def test_retiring_a_middle_agent_moves_no_other(
    engine: Engine, cloud: RunningCloud, node_passwords: dict[str, str]
) -> None:
    before = _addresses(engine)
    node_passwords["agent-1"] = _node_password(cloud, "agent-1")
    engine.fleet({}, None, {"serverType": "cpx22", "location": "nbg1"})
    assert engine.planned() == {"delete": _agent("agent-1", "a1")}
    engine.up()
    del before["agent-1"]
    assert _addresses(engine) == before
    assert "a1" not in _published(cloud)


def test_a_retired_position_can_be_used_again_with_its_node_password(
    engine: Engine, cloud: RunningCloud, node_passwords: dict[str, str]
) -> None:
    engine.fleet({}, {}, {"serverType": "cpx22", "location": "nbg1"})
    assert engine.planned() == {"create": _agent("agent-1", "a1")}
    engine.up()
    assert _node_password(cloud, "agent-1") == node_passwords["agent-1"]


def test_removing_the_last_agent(engine: Engine) -> None:
    engine.fleet({}, {})
    assert engine.planned() == {"delete": _agent("agent-2", "a2")}
    engine.up()
    assert set(_addresses(engine)) == {"control-plane", "agent-0", "agent-1"}


def test_machines_are_listed_with_what_they_cost(engine: Engine) -> None:
    listed = [line.split() for line in engine.orphans().splitlines() if line.startswith("server")]
    assert {row[2] for row in listed} == {"control-plane", "agent-0", "agent-1"}
    assert all(float(row[-2]) > 0 for row in listed)


def test_plain_destroy_refuses_in_its_preview_and_deletes_nothing(
    engine: Engine, cloud: RunningCloud
) -> None:
    mark = len(cloud.events())
    refused = engine.destroy(check=False)
    assert refused.returncode != 0
    assert "protect" in refused.stdout + refused.stderr
    assert cloud.events()[mark:] == []


def test_destroy_takes_the_machines_first_and_the_zone_with_what_external_dns_left(
    engine: Engine, cloud: RunningCloud
) -> None:
    cloud.add_record("k8s.example.org.", "hello.k8s.example.org.", "A", ["203.0.113.99"])
    cloud.add_record("k8s.example.org.", "hello.k8s.example.org.", "TXT", ['"heritage=external-dns"'])
    cloud.create_volume("pvc-1234", size_gb=20, labels={"managed-by": "csi-driver", "cluster": "local"})
    mark = len(cloud.events())
    engine.destroy("--exclude-protected")
    texts = [event["event"] for event in cloud.events()[mark:]]
    last_server = max(index for index, text in enumerate(texts) if text == "server.delete")
    assert last_server < texts.index("zone.delete")
    assert cloud.hetzner("servers") == []
    assert cloud.hetzner("networks") == []
    assert cloud.hetzner("firewalls") == []
    assert [zone["dnsName"] for zone in cloud.zones()] == ["example.org."]
    assert {each["name"] for each in cloud.records("example.org.")} == {"example.org."}


def test_volume_and_identity_are_what_is_kept(engine: Engine, cloud: RunningCloud) -> None:
    kept = {resource["type"] for resource in engine.resources() if resource.get("protect")}
    assert kept == {
        "hcloud:index/volume:Volume",
        "random:index/randomId:RandomId",
        "random:index/randomPassword:RandomPassword",
        "tls:index/privateKey:PrivateKey",
        "tls:index/selfSignedCert:SelfSignedCert",
    }
    assert {volume["name"] for volume in cloud.hetzner("volumes")} == {"local-state", "pvc-1234"}


def test_what_stays_is_listed_with_its_monthly_cost(engine: Engine, cloud: RunningCloud) -> None:
    listed = engine.orphans()
    per_gb = float(cloud.pricing()["volume"]["price_per_gb_month"]["net"])
    assert "local-state" in listed
    assert f"{10 * per_gb:.2f}" in listed
    assert "pvc-1234" in listed
    assert f"{20 * per_gb:.2f}" in listed


def test_up_after_destroy_is_the_same_cluster_on_the_same_volume(engine: Engine, cloud: RunningCloud) -> None:
    volume = next(each for each in cloud.hetzner("volumes") if each["name"] == "local-state")
    token = engine.outputs(secrets=True).get("joinToken")
    engine.up()
    assert [each["id"] for each in cloud.hetzner("volumes") if each["server"]] == [volume["id"]]
    again = engine.outputs(secrets=True)["joinToken"]
    assert token in (None, again)


def test_documented_second_step_removes_everything(engine: Engine, cloud: RunningCloud) -> None:
    engine.destroy("--exclude-protected")
    engine.orphans("--delete")
    assert {volume["name"] for volume in cloud.hetzner("volumes")} == {"local-state"}
    engine.pulumi("state", "unprotect", "--all", "--yes")
    engine.destroy()
    assert cloud.hetzner("volumes") == []
    assert json.loads(engine.export())["deployment"].get("resources", []) == []


@pytest.fixture(autouse=True)
def _no_stack_is_left_locked(engine: Engine) -> None:
    assert not list(engine.folder.glob(".state/.pulumi/locks/**/*.json"))
