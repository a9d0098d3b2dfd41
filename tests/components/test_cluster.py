"""Cluster: the whole graph as it is registered, with the options that decide about each resource's life."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pulumi
import pytest

from raya import placement, stack, throwaway_keys
from raya.cluster import Cluster, ClusterArgs
from raya.last_update import LastUpdate
from raya.machine_specs import MachineSpecs
from raya.pins import Pins
from raya.preflight import Preflight
from tests.components.recording import RecordingMonitor, Registered, declare
from tests.machines import PROJECT_ROOT
from tests.unit import example_stack

SNAPSHOTS = {"x86": ["42", "41"], "arm": ["52"]}
SERVERS = ("control-plane", "agent-0", "agent-2")


def _declare(
    seen: dict[str, Any] | None = None, then: Callable[[Cluster], None] | None = None, **changes: Any
) -> RecordingMonitor:
    settings = example_stack.load({"raya:fleet": [{}, None, {"location": "fsn1"}], **changes})
    specs = MachineSpecs(
        settings=settings,
        pins=Pins.load(PROJECT_ROOT / "image"),
        authorized_keys=(throwaway_keys.authorized_key(),),
        project_root=PROJECT_ROOT,
    )
    found = {each.architecture: SNAPSHOTS[each.architecture] for each in placement.of_all(settings)}
    preflight = Preflight(specs=specs, snapshots=found, parent_zone="example-org")
    args = ClusterArgs(
        settings=settings, preflight=preflight, project_root=PROJECT_ROOT, last_update=LastUpdate()
    )

    async def program() -> None:
        cluster = Cluster("raya", args)
        if then is not None:
            then(cluster)
        if seen is not None:
            for name, output in cluster.outputs.items():
                seen[name] = await output.future()

    return declare(program)


@pytest.fixture(scope="module")
def monitor() -> RecordingMonitor:
    return _declare()


def _urn(monitor: RecordingMonitor, kind: str, name: str) -> str:
    return monitor.one(kind, name).urn


def _labels(role: str) -> dict[str, str]:
    return {"managed_by": "raya", "cluster": "prod", "role": role, "stack": "0a1b2c"}


def _all_before(monitor: RecordingMonitor, kind: str, name: str) -> set[str]:
    """What must exist before it, directly or through something else: the engine keeps to both alike."""
    direct = {each.urn: each.dependencies for each in monitor.registered}
    found: set[str] = set()
    queue = [_urn(monitor, kind, name)]
    while queue:
        new = direct.get(queue.pop(), frozenset()) - found
        found |= new
        queue.extend(new)
    return found


def test_p1_p2_what_can_be_held_once_is_deleted_before_it_is_replaced(monitor: RecordingMonitor) -> None:
    held_once = [*monitor.of("Server"), *monitor.of("ServerNetwork"), *monitor.of("VolumeAttachment")]
    assert len(held_once) == 7
    assert [each.urn for each in held_once if not each.delete_before_replace] == []


def test_attachments_go_with_their_server_which_is_shut_down_first(monitor: RecordingMonitor) -> None:
    for each in monitor.of("Server"):
        assert each.inputs["shutdownBeforeDeletion"] is True
    for each in monitor.of("ServerNetwork"):
        assert each.deleted_with == _urn(monitor, "Server", each.name)
    (attachment,) = monitor.of("VolumeAttachment")
    assert attachment.deleted_with == _urn(monitor, "Server", "control-plane")


def test_h6_volume_belongs_to_no_server_is_protected_and_never_mounted_by_the_provider(
    monitor: RecordingMonitor,
) -> None:
    (volume,) = monitor.of("Volume")
    assert volume.protect
    assert "serverId" not in volume.inputs
    assert volume.inputs["size"] == 10
    (attachment,) = monitor.of("VolumeAttachment")
    assert attachment.inputs["automount"] is False


def test_p4_no_server_names_its_network(monitor: RecordingMonitor) -> None:
    assert [each.name for each in monitor.of("Server") if "networks" in each.inputs] == []
    addresses = {each.name: each.inputs["ip"] for each in monitor.of("ServerNetwork")}
    assert addresses == {"control-plane": "10.0.1.10", "agent-0": "10.0.1.20", "agent-2": "10.0.1.22"}


def test_every_server_is_created_behind_the_firewall_and_labelled(monitor: RecordingMonitor) -> None:
    roles = {"control-plane": "control-plane", "agent-0": "agent", "agent-2": "agent"}
    for each in monitor.of("Server"):
        assert len(each.inputs["firewallIds"]) == 1
        assert each.inputs["labels"] == _labels(roles[each.name])


def test_p7_user_data_is_secret_on_both_sides(monitor: RecordingMonitor) -> None:
    servers = monitor.of("Server")
    assert {each.name for each in servers} == set(SERVERS)
    for each in servers:
        assert "userData" in each.secret_outputs
        # The wire format of a secret: its signature beside the value.
        assert each.secret_inputs == {"userData"}


def test_p5_no_text_holds_an_output_object(monitor: RecordingMonitor) -> None:
    texts = [json.dumps(each.inputs, default=str) for each in monitor.registered]
    assert len(texts) > 40
    assert [text for text in texts if "Output object" in text or "Calling __str__" in text] == []


def test_machines_come_after_the_zone_its_delegation_and_the_rights(monitor: RecordingMonitor) -> None:
    before = {
        _urn(monitor, "ManagedZone", "primary"),
        _urn(monitor, "RecordSet", "primary-delegation"),
        _urn(monitor, "IAMMember", "external-dns"),
        _urn(monitor, "IAMMember", "cert-manager"),
    }
    for name in SERVERS:
        assert before <= _all_before(monitor, "Server", name)


def test_p3_agents_come_after_the_control_plane_and_not_after_each_other(monitor: RecordingMonitor) -> None:
    for name in ("agent-0", "agent-2"):
        dependencies = _all_before(monitor, "Server", name)
        assert _urn(monitor, "Server", "control-plane") in dependencies
        assert _urn(monitor, "VolumeAttachment", "control-plane") in dependencies
        assert not {urn for urn in dependencies if "agent-" in urn}


def test_h13_records_follow_the_servers_addresses(monitor: RecordingMonitor) -> None:
    records = {each.name: each for each in monitor.of("RecordSet") if each.inputs["type"] == "A"}
    assert set(records) == {"cp", "a0", "a2"}
    for record, server in (("cp", "control-plane"), ("a0", "agent-0"), ("a2", "agent-2")):
        assert records[record].inputs["rrdatas"] == ["203.0.113.7"]
        assert _urn(monitor, "Server", server) in records[record].dependencies


def test_an_entry_of_the_fleet_decides_about_its_agent(monitor: RecordingMonitor) -> None:
    locations = {each.name: each.inputs["location"] for each in monitor.of("Server")}
    assert locations == {"control-plane": "hel1", "agent-0": "hel1", "agent-2": "fsn1"}


def test_each_architecture_gets_its_own_snapshot() -> None:
    monitor = _declare(**{"raya:fleet": [{}, {"serverType": "cax21"}]})
    assert {each.name.split("-")[0] for each in monitor.of("Stash")} == {"arm", "x86"}
    images = {each.name: each.inputs["image"] for each in monitor.of("Server")}
    assert images == {"control-plane": "42", "agent-0": "42", "agent-1": "52"}


def test_a_component_that_is_off_gets_no_identity() -> None:
    monitor = _declare(**{"raya:components": {"external-dns": False}})
    assert {each.name for each in monitor.of("Account")} == {"cert-manager"}


def test_a_prefix_sets_a_second_cluster_apart_in_the_project() -> None:
    monitor = _declare(**{"raya:serverNamePrefix": "blue-"})
    named = [*monitor.of("Server"), *monitor.of("Network"), *monitor.of("Firewall"), *monitor.of("Volume")]
    assert sorted(each.inputs["name"] for each in named if "name" in each.inputs) == [
        "blue-agent-0",
        "blue-agent-2",
        "blue-control-plane",
        "blue-prod",
        "blue-prod",
        "blue-prod-state",
    ]


def test_everything_that_takes_labels_has_them(monitor: RecordingMonitor) -> None:
    roles = {"Network": "network", "Firewall": "network", "Volume": "control-plane", "ManagedZone": "dns"}
    for kind, role in roles.items():
        (each,) = [one for one in monitor.of(kind) if not one.type.startswith("raya:")]
        assert each.inputs["labels"] == _labels(role)


def test_what_a_machine_is_told_is_an_input_of_its_node_so_that_a_diff_shows_it(
    monitor: RecordingMonitor,
) -> None:
    files = monitor.one("Node", "agent-0").inputs["files"]
    assert "/etc/rancher/k3s/config.yaml" in files
    assert monitor.one("Node", "control-plane").inputs["files"] != files


def test_outputs_have_the_names_that_others_rely_on() -> None:
    outputs: dict[str, Any] = {}
    _declare(seen=outputs)
    assert set(outputs) == {
        *("controlPlane", "agents", "nameServers", "kubeconfig", "kubeconfigExpires", "joinToken"),
        *("machineConfigDigests", "placements", "stateVolume"),
    }
    assert outputs["agents"]["agent-2"] == {
        "publicIp": "203.0.113.7",
        "privateIp": "10.0.1.22",
        "fqdn": "a2.k8s.example.org",
    }
    assert outputs["placements"]["agent-2"] == {"serverType": "cx23", "location": "fsn1"}


CHANGED = LastUpdate(digests={name: {"/etc/hostname": "0"} for name in SERVERS})


def test_rebuilds_of_the_whole_cluster_are_announced(caplog: pytest.LogCaptureFixture) -> None:
    _declare(then=lambda cluster: stack.announce_rebuilds(CHANGED, cluster.nodes, {}))
    assert "this update rebuilds the control plane and every agent (2)" in caplog.text


def test_h7_a_machine_that_could_not_be_made_again_stops_the_run() -> None:
    gone = {"agent-0": "its type is sold nowhere any more."}
    with pytest.raises(pulumi.RunError, match="this update would delete agent-0 and could not make it again"):
        _declare(then=lambda cluster: stack.announce_rebuilds(CHANGED, cluster.nodes, gone))


def test_every_child_has_its_component_as_parent(monitor: RecordingMonitor) -> None:
    orphans: list[Registered] = [
        each
        for each in monitor.registered
        if not each.type.startswith("raya:") and not each.urn.split("::")[2].startswith("raya:")
    ]
    assert orphans == []
