"""A machine needs a snapshot of its architecture whose disk is not larger than its own."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from raya import placement
from raya.pins import Pins
from raya.server_offer import Findings, Place, ServerType
from raya.snapshot_fit import Fit, FoundSnapshot
from tests.machines import PROJECT_ROOT
from tests.unit import example_stack

HERE = {"hel1": Place()}
OFFER = {
    name: ServerType(
        name=name, architecture=architecture, cores=cores, memory_gb=4, disk_gb=disk_gb, places=HERE
    )
    for name, architecture, cores, disk_gb in (
        ("cx23", "x86", 2, 40),
        ("cx33", "x86", 4, 80),
        ("cx43", "x86", 8, 160),
        ("cax11", "arm", 2, 40),
        ("cax21", "arm", 4, 80),
    )
}


def _snapshots(*disks_gb: float) -> list[FoundSnapshot]:
    return [FoundSnapshot(id=str(number), disk_gb=disk) for number, disk in enumerate(disks_gb, 7)]


def _compare(found: dict[str, Sequence[FoundSnapshot]], *, running: bool = False, **changes: Any) -> Findings:
    settings = example_stack.load(changes)
    left = placement.of_all(settings) if running else []
    pins = Pins.load(PROJECT_ROOT / "image")
    return Fit(found=found, pins=pins, offer=OFFER, running=left).compare(settings)


@pytest.mark.parametrize("disk_gb", [4.8, 40])
def test_a_disk_as_large_as_the_image_is_enough(disk_gb: float) -> None:
    assert _compare({"x86": _snapshots(disk_gb)}) == Findings()


def test_a_machine_without_a_snapshot_is_named_with_the_key_of_its_type() -> None:
    fleet = [{}, {"serverType": "cax11"}, {"serverType": "cax11"}]
    (sentence,) = _compare({"x86": _snapshots(40)}, **{"raya:fleet": fleet}).refusals
    assert sentence.startswith(
        "agent-1, agent-2 (raya:fleet: agents[1].serverType, raya:fleet: agents[2].serverType): no arm "
        "snapshot of Fedora CoreOS"
    )
    assert "image/fcos.pin" in sentence
    assert (
        "Make it (docs/image.md), pin versions that were made, or take a server type of an arch" in sentence
    )


def test_each_architecture_without_a_snapshot_is_a_sentence() -> None:
    control_plane, agents = _compare({}, **{"raya:controlPlane": {"serverType": "cax11"}}).refusals
    assert control_plane.startswith("control-plane (raya:controlPlane.serverType): no arm snapshot")
    assert agents.startswith("agent-0, agent-1 (raya:agents.serverType): no x86 snapshot")


def test_an_image_larger_than_the_disk_is_refused_with_what_could_be_taken() -> None:
    changes = {"raya:controlPlane": {"serverType": "cx33"}}
    assert _compare({"x86": _snapshots(80)}, **changes).refusals == [
        "agent-0, agent-1 (raya:agents.serverType): the snapshot 7 has a disk of 80 GB, and the server type "
        "cx23 has one of 40 GB: Hetzner makes no server from a larger image. Take a type with a larger disk "
        "(hel1 has cx33, cx43), or make the snapshot anew on the smallest type of its architecture "
        "(docs/image.md)."
    ]


def test_the_newest_is_what_a_new_cluster_takes() -> None:
    assert _compare({"x86": _snapshots(80, 40)}).refusals
    assert _compare({"x86": _snapshots(40, 80)}) == Findings()


def test_running_machines_may_be_made_from_any_of_them() -> None:
    assert _compare({"x86": _snapshots(80, 40)}, running=True) == Findings()


def test_a_machine_that_runs_is_not_refused_but_could_not_be_made_again() -> None:
    findings = _compare({"x86": _snapshots(80)}, running=True)
    assert findings.refusals == []
    assert set(findings.irreplaceable) == {"control-plane", "agent-0", "agent-1"}
    assert findings.irreplaceable["agent-0"].startswith("the snapshot 7 has a disk of 80 GB")
