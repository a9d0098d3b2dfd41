"""What the last update left, and what the state volume among it allows."""

from __future__ import annotations

from raya import state_volume
from raya.last_update import LastUpdate
from raya.placement import Placement
from raya.state_volume import StateVolume
from tests.unit import example_stack

OUTPUTS = {
    "stateVolume": {"id": "1", "sizeGb": 20.0, "location": "hel1"},
    "placements": {
        "control-plane": {"serverType": "cx33", "location": "hel1"},
        "agent-0": {"serverType": "cx23", "location": "fsn1"},
    },
    "machineConfigDigests": {"agent-0": {"/etc/hostname": "1"}},
    "controlPlane": {"publicIp": "203.0.113.1", "privateIp": "10.0.1.10", "fqdn": "cp.k8s.example.org"},
}


def test_nothing_before_the_first_update() -> None:
    assert LastUpdate.of({}) == LastUpdate()


def test_machines_digests_and_volume() -> None:
    last = LastUpdate.of(OUTPUTS)
    assert last.digests == {"agent-0": {"/etc/hostname": "1"}}
    assert last.placement_of("agent-0") == Placement(node="agent-0", server_type="cx23", location="fsn1")
    assert last.placement_of("agent-9") is None
    assert [each.node for each in last.placements] == ["control-plane", "agent-0"]
    assert last.volume == StateVolume(size_gb=20, location="hel1")
    assert last.managed_zone == "k8s.example.org"


def test_what_a_failed_update_did_not_get_to_is_left_out() -> None:
    not_made = object()
    assert LastUpdate.of(dict.fromkeys(OUTPUTS, not_made)) == LastUpdate()


def _refusals(volume: StateVolume | None, **control_plane: object) -> list[str]:
    settings = example_stack.load({"raya:controlPlane": {"volumeSizeGb": 20, **control_plane}})
    return list(state_volume.refusals(volume, settings))


def test_the_same_volume_or_a_larger_one_is_fine() -> None:
    assert _refusals(None) == []
    assert _refusals(StateVolume(size_gb=20, location="hel1")) == []
    assert _refusals(StateVolume(size_gb=10, location="hel1")) == []


def test_a_volume_does_not_shrink() -> None:
    (sentence,) = _refusals(StateVolume(size_gb=30, location="hel1"))
    assert "volumeSizeGb is 20, but the state volume has 30 GB" in sentence


def test_a_volume_does_not_move() -> None:
    (sentence,) = _refusals(StateVolume(size_gb=20, location="fsn1"))
    assert "raya:location is hel1, but the cluster's state volume is in fsn1" in sentence
    assert "Do not take the volume's protection away" in sentence
