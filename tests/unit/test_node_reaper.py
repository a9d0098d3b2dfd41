"""The reaper's judgement by itself, at its edges. `tests/kube` runs the program against a real API server."""

from __future__ import annotations

import datetime
from pathlib import Path
from typing import Any

import pytest

from deploy.fleet import node_reaper
from deploy.fleet.node_reaper import Doubt, Node, read_fleet, reason_to_wait, surplus
from raya.addressing import agent_name
from raya.fleet import parse_fleet_file
from tests import machines

NOW = datetime.datetime(2026, 1, 1, 12, tzinfo=datetime.UTC)
FLEET_FILE = machines.PROJECT_ROOT / "deploy/fleet/agents.json"


def node(name: str = "agent-7", *, ready: str = "False", seconds: int = 3600, **labels: str) -> Node:
    since = (NOW - datetime.timedelta(seconds=seconds)).strftime("%Y-%m-%dT%H:%M:%SZ")
    condition = {"type": "Ready", "status": ready, "lastTransitionTime": since}
    metadata = {"name": name, "labels": labels or {"raya.dev/fleet": "file"}}
    return Node.read({"metadata": metadata, "status": {"conditions": [condition]}})


def written(tmp_path: Path, text: str) -> Path:
    file = tmp_path / "agents.json"
    file.write_text(text)
    return file


def test_the_projects_own_fleet_is_read_as_the_program_reads_it() -> None:
    assert read_fleet(FLEET_FILE) == {agent.name for agent in parse_fleet_file(FLEET_FILE).agents}


def test_a_retired_position_is_not_in_the_fleet(tmp_path: Path) -> None:
    file = written(tmp_path, '{"agents": [{}, null, {"serverType": "cx33"}]}')
    assert read_fleet(file) == {"agent-0", "agent-2"}


def test_what_is_not_even_text_is_a_doubt(tmp_path: Path) -> None:
    file = tmp_path / "agents.json"
    file.write_bytes(b'{"agents": [{}], "\xff": 1}')
    with pytest.raises(Doubt, match="cannot be read"):
        read_fleet(file)


@pytest.mark.parametrize(("seconds", "waits"), [(1799, True), (1800, False), (-1, True)])
def test_half_an_hour_is_long_enough(seconds: int, waits: bool) -> None:
    assert (reason_to_wait(node(seconds=seconds), NOW) is not None) == waits


def test_a_node_that_says_nothing_of_itself_counts_neither_as_ready_nor_as_surplus() -> None:
    silent: list[dict[str, Any]] = [
        {"metadata": {"name": "agent-7"}},
        {"metadata": {"name": "agent-8"}, "status": {}},
    ]
    nodes = [Node.read(each) for each in silent]
    with pytest.raises(Doubt, match="not one node is Ready"):
        surplus(nodes, {"agent-0"})
    assert surplus([*nodes, node("agent-0", ready="True")], {"agent-0"}) == []


def test_names_and_label_are_those_that_machines_get() -> None:
    assert node_reaper.FLEET_LABEL in machines.agent().node_labels
    assert all(node_reaper.AGENT_NAME.fullmatch(agent_name(position)) for position in (0, 9, 10, 98, 100))
