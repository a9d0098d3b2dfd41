"""One run of the reaper over a cluster that has every state of a node in it, and what it leaves."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.kube.fleet_objects import (
    CONTROL_PLANE_LABEL,
    FLEET_LABEL,
    attachment,
    csi_node,
    mark_attached,
    names,
    node,
    password,
    put,
)
from tests.kube.lab.api_server import ApiServer
from tests.kube.reaper_pod import ReaperPod, Run

# Position 2 is retired, 5 has no Node yet; 6 and those after it were never there, or are no more.
FLEET = {"agents": [{}, {"serverType": "cx33"}, None, {}, {}, {}]}

NODES = [
    node("control-plane", ready="True", labels={CONTROL_PLANE_LABEL: "true"}),
    node("agent-0", ready="True"),
    node("agent-1", ready="False"),
    node("agent-2", ready="Unknown"),
    node("agent-3", ready="True"),
    node("agent-4", ready="True"),
    node("agent-20", ready="False"),
    node("agent-123", ready="Unknown", minutes=31),
    node("agent-6", ready="True"),
    node("agent-7", ready="Unknown", minutes=20),
    node("agent-8", ready="Unknown", minutes=-60),
    node("agent-9", ready=None),
    node("agent-10", ready="False", minutes=None),
    node("agent-11", ready="False", labels={}),
    node("agent-12", ready="False", labels={FLEET_LABEL: "file", CONTROL_PLANE_LABEL: "true"}),
    node("agent-012", ready="False"),
    node("agent-x", ready="False"),
    node("worker-5", ready="False"),
    node("control-plane-2", ready="False"),
]

GONE = {
    "agent-2": "retired",
    "agent-20": "behind the end of the fleet, and says that it is not Ready",
    "agent-123": "behind the end of the fleet, silent for a minute more than it may be",
}
KEPT = {
    "control-plane": "the control plane, Ready",
    "agent-0": "in the fleet",
    "agent-1": "in the fleet, NotReady",
    "agent-6": "not in the fleet, but Ready",
    "agent-7": "not in the fleet, NotReady not long enough",
    "agent-8": "not in the fleet, NotReady from a moment that is to come",
    "agent-9": "not in the fleet, and never said whether it is Ready",
    "agent-10": "not in the fleet, does not say since when it is NotReady",
    "agent-11": "an agent that did not come from the fleet file",
    "agent-12": "a control plane, whatever it is called",
    "agent-012": "no agent's name",
    "agent-x": "no agent's name",
    "worker-5": "no agent's name",
    "control-plane-2": "no agent's name",
}

# name of the volume -> node, machine it was attached to, attached, goes
ATTACHMENTS = {
    "retired": ("agent-2", "102", True, True),
    "half-done": ("agent-20", None, False, True),
    "node-long-gone": ("agent-77", "177", True, True),
    "rebuilt": ("agent-3", "103", True, True),
    "as-it-should-be": ("agent-0", "100", True, False),
    "after-the-rebuild": ("agent-3", "203", True, False),
    "waits-for-the-cloud": ("agent-3", "103", False, False),
    "of-an-unknown-machine": ("agent-3", None, True, False),
    "driver-not-there-yet": ("agent-4", "104", True, False),
    "nobody-says": ("agent-1", "101", True, False),
    "node-not-there-yet": ("agent-5", "105", True, False),
    "kept-node": ("agent-7", "107", True, False),
    "control-plane": ("control-plane", "1", True, False),
    "called-like-an-agent": ("agent-12", "112", True, False),
    "almost-an-agents": ("agent-9-b", "9", True, False),
    "somebody-elses": ("worker-9", "9", True, False),
}
CSI_NODES = [
    csi_node("control-plane", machine="2"),
    csi_node("agent-0", machine="100"),
    csi_node("agent-3", machine="203"),
    csi_node("agent-4", machine=None),
    csi_node("agent-7", machine="107"),
    csi_node("agent-12", machine="212"),
]


@dataclass(frozen=True, kw_only=True)
class After:
    """What is left after the first run, and how that run and a second one ended."""

    nodes: set[str]
    passwords: set[str]
    attachments: set[str]
    first: Run
    second: Run


@pytest.fixture(scope="module")
def after(api: ApiServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[After]:
    pod = ReaperPod(api=api, folder=tmp_path_factory.mktemp("pod"))
    pod.deploy(json.dumps(FLEET))
    put(api, [*NODES, *map(password, [*GONE, *KEPT]), *CSI_NODES])
    put(
        api,
        [attachment(name, node=on, machine=machine) for name, (on, machine, _, _) in ATTACHMENTS.items()],
    )
    mark_attached(api, *(name for name, (_, _, done, _) in ATTACHMENTS.items() if done))
    first = pod.run()
    yield After(
        nodes=names(api, "nodes"),
        passwords=names(api, "secrets"),
        attachments=names(api, "volumeattachments"),
        first=first,
        second=pod.run(),
    )
    api.wipe()


def test_the_table_has_every_node() -> None:
    ready = {"agent-3", "agent-4"}
    assert {each["metadata"]["name"] for each in NODES} == {*GONE, *KEPT, *ready}


@pytest.mark.parametrize("name", GONE, ids=lambda name: f"{name}: {GONE[name]}")
def test_goes(after: After, name: str) -> None:
    assert name not in after.nodes, after.first.said
    assert f"{name}.node-password.k3s" not in after.passwords


@pytest.mark.parametrize("name", KEPT, ids=lambda name: f"{name}: {KEPT[name]}")
def test_stays(after: After, name: str) -> None:
    assert name in after.nodes, after.first.said
    assert f"{name}.node-password.k3s" in after.passwords


@pytest.mark.parametrize("name", ATTACHMENTS)
def test_attachments_of_machines_that_are_no_more_go(after: After, name: str) -> None:
    *_, goes = ATTACHMENTS[name]
    assert (name not in after.attachments) == goes, after.first.said


def test_the_run_says_what_it_did_and_why(after: After) -> None:
    assert after.first.status == 0, after.first.said
    for sentence in (
        "agent-2 is not in the fleet: deleted",
        "agent-6 is not in the fleet: kept, it is Ready",
        "agent-7 is not in the fleet: kept, it is NotReady only since ",
        "agent-9 is not in the fleet: kept, it never said whether it is Ready",
        "volume attachment retired: agent-2 is no more: deleted",
        "volume attachment rebuilt: agent-3 was machine 103 and is machine 203 now: deleted",
        "5 agents in the fleet, 19 nodes, 3 of them deleted",
    ):
        assert sentence in after.first.said


def test_a_second_run_finds_nothing_to_do(after: After) -> None:
    assert after.second.status == 0, after.second.said
    assert "deleted" not in after.second.said.replace("0 of them deleted", "")


def test_a_name_that_was_reaped_can_be_used_again(after: After, api: ApiServer, tmp_path: Path) -> None:
    put(api, [node("agent-20", ready="True"), password("agent-20")])
    said = ReaperPod(api=api, folder=tmp_path).run().said
    assert "agent-20 is not in the fleet: kept, it is Ready" in said
    assert "agent-20" in names(api, "nodes")
