"""Limits: what the account may hold, as the settings say, and what a network takes at one time."""

from __future__ import annotations

from typing import Any

import pytest

from raya import placement, project_limits
from raya.inventory import HetznerProject, Thing
from raya.placement import Placement
from raya.server_offer import ServerType
from tests.unit import example_stack

OFFER = {
    name: ServerType(name=name, architecture="x86", cores=cores, memory_gb=4, places={})
    for name, cores in (("cx23", 2), ("cx53", 16))
}


def _server(name: str) -> Thing:
    return Thing(kind="server", name=name)


STATE_VOLUME = Thing(kind="volume", name="prod-state", labels={"managed_by": "raya", "cluster": "prod"})


def _refusals(limits: dict[str, int], *things: Thing, addresses: int = 0, kind: str = "cx23") -> list[str]:
    """Of a cluster with a control plane and two agents."""
    settings = example_stack.load({"raya:limits": limits})
    types = {each.name: kind for each in things if each.kind == "server"}
    project = HetznerProject(things=things, server_types=types)
    wanted = placement.of_all(settings)
    return list(project_limits.refusals(project, addresses, settings, wanted=wanted, offer=OFFER))


def test_nothing_is_counted_without_a_limit() -> None:
    assert _refusals({}, *(_server(str(number)) for number in range(500))) == []


@pytest.mark.parametrize(
    ("limits", "enough"),
    [({"servers": 3}, 4), ({"cores": 6}, 8), ({"volumes": 1}, 2), ({"primaryIps": 6}, 7)],
)
def test_each_limit_is_compared_with_what_there_would_be(limits: dict[str, int], enough: int) -> None:
    things = (_server("of somebody else"), Thing(kind="volume", name="pvc-1"))
    assert _refusals(limits) == []
    (sentence,) = _refusals(limits, *things, addresses=1)
    ((key, limit),) = limits.items()
    assert sentence.startswith(f"raya:limits.{key} is {limit}: the Hetzner project has")
    assert _refusals({key: enough}, *things, addresses=1) == []


def test_the_numbers_are_in_the_sentence() -> None:
    (sentence,) = _refusals({"servers": 4}, _server("a"), _server("b"))
    assert "has 2 and this update would make 3 more, 1 too many" in sentence


def test_what_exists_is_not_made_again() -> None:
    mine = [_server(name) for name in ("control-plane", "agent-0", "agent-1")]
    limits = {"servers": 3, "cores": 6, "volumes": 1, "primaryIps": 6}
    assert _refusals(limits, *mine, STATE_VOLUME, addresses=6) == []
    # A limit that was lowered below what there is stops no update that adds nothing.
    assert _refusals({"servers": 2, "cores": 2}, *mine, STATE_VOLUME, addresses=6) == []


def test_a_machine_that_becomes_smaller_frees_cores() -> None:
    mine = [_server(name) for name in ("control-plane", "agent-0")]
    assert _refusals({"cores": 10}, *mine, kind="cx53") == []


def _placed(*positions: int) -> list[Placement]:
    return [
        Placement(node=f"agent-{position}", server_type="cx23", location="hel1") for position in positions
    ]


def test_retired_machines_count_until_the_new_ones_are_made() -> None:
    running, wanted = _placed(*range(100)), _placed(*range(1, 101))
    (sentence,) = project_limits.network_refusals(wanted, running)
    assert "before it deletes the retired ones (1), 101 in one network for a while" in sentence
    assert list(project_limits.network_refusals(running, running)) == []
    assert list(project_limits.network_refusals(_placed(*range(50, 100)), _placed(*range(50)))) == []


@pytest.mark.parametrize("value", [0, -1, "10", True, 2.5])
def test_a_limit_is_a_whole_number_above_zero(value: Any) -> None:
    (problem,) = example_stack.problems({"raya:limits": {"servers": value}})
    assert "raya:limits.servers" in problem
    assert "a whole number above zero" in problem
