"""The reaper's judgement: which nodes go, and that on any doubt none does."""

from __future__ import annotations

import datetime
import json
from typing import Any

import pytest

from deploy.fleet import node_reaper
from deploy.fleet.node_reaper import Doubt, nodes_to_delete, read_fleet
from tests import machines

NOW = datetime.datetime(2026, 1, 1, 12, tzinfo=datetime.UTC)


def node(name: str, *, ready: str = "False", minutes: int = 60, **labels: str) -> dict[str, Any]:
    since = (NOW - datetime.timedelta(minutes=minutes)).strftime("%Y-%m-%dT%H:%M:%SZ")
    condition = {"type": "Ready", "status": ready, "lastTransitionTime": since}
    return {
        "metadata": {"name": name, "labels": labels or {"raya.dev/fleet": "file"}},
        "status": {"conditions": [condition]},
    }


CONTROL_PLANE = node("control-plane", ready="True", other="x")


def deleted(*nodes: dict[str, Any], fleet: set[str] | None = None) -> list[str]:
    return nodes_to_delete([CONTROL_PLANE, *nodes], fleet or {"agent-0"}, NOW)


def test_the_projects_own_fleet_is_read() -> None:
    text = (machines.PROJECT_ROOT / "deploy/fleet/agents.json").read_text()
    assert read_fleet(text) == {"agent-0", "agent-1"}


def test_a_retired_position_is_not_in_the_fleet() -> None:
    assert read_fleet('{"agents": [{}, null, {"serverType": "cx33"}]}') == {"agent-0", "agent-2"}


@pytest.mark.parametrize(
    "text", ["{}", "[]", '{"agents": {}}', '{"agents": ["x"]}', '{"agents": []}', '{"agents": [null]}']
)
def test_a_fleet_that_says_nothing_is_a_doubt(text: str) -> None:
    with pytest.raises(Doubt):
        read_fleet(text)


def test_a_malformed_fleet_is_an_error_that_main_takes_for_a_doubt() -> None:
    with pytest.raises(json.JSONDecodeError):
        read_fleet("{")
    assert issubclass(json.JSONDecodeError, ValueError)


def test_an_agent_that_the_fleet_no_longer_has_goes() -> None:
    assert deleted(node("agent-7"), node("agent-8", ready="Unknown")) == ["agent-7", "agent-8"]


@pytest.mark.parametrize(
    "kept",
    [
        node("agent-0"),
        node("agent-7", ready="True"),
        node("agent-7", minutes=29),
        node("agent-7", other="x"),
        node("agent-07"),
        node("agent-x"),
        node("worker-7"),
        node("control-plane"),
        {"metadata": {"name": "agent-7", "labels": {"raya.dev/fleet": "file"}}, "status": {}},
        {"metadata": {"name": "agent-7"}, "status": {"conditions": []}},
    ],
)
def test_every_other_node_stays(kept: dict[str, Any]) -> None:
    assert deleted(kept) == []


def test_a_control_plane_stays_whatever_it_is_called() -> None:
    labels = {"raya.dev/fleet": "file", "node-role.kubernetes.io/control-plane": "true"}
    item = node("agent-7")
    item["metadata"]["labels"] = labels
    assert deleted(item) == []


def test_when_not_one_node_is_ready_nothing_goes() -> None:
    with pytest.raises(Doubt, match="not one node is Ready"):
        nodes_to_delete([node("agent-7"), node("control-plane")], {"agent-0"}, NOW)


def test_a_cluster_without_nodes_is_a_doubt() -> None:
    with pytest.raises(Doubt):
        nodes_to_delete([], {"agent-0"}, NOW)


def test_the_label_is_the_one_that_machines_get() -> None:
    assert node_reaper.FLEET_LABEL in machines.agent().node_labels
