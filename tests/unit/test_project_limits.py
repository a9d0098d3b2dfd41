"""Limits: what the account may hold, as the settings say, and what a network takes at one time."""

from __future__ import annotations

from typing import Any

import pytest

from raya import placement, project_limits
from raya.inventory import HetznerProject, Thing
from raya.placement import Placement
from raya.project_limits import Count
from raya.server_offer import ServerType
from tests.unit import example_stack

OFFER = {
    name: ServerType(name=name, architecture="x86", cores=cores, memory_gb=4, disk_gb=40, places={})
    for name, cores in (("cx23", 2), ("cx53", 16))
}


def _server(name: str) -> Thing:
    return Thing(kind="server", name=name)


STATE_VOLUME = Thing(kind="volume", name="prod-state", labels={"managed_by": "raya", "cluster": "prod"})


def _counts(limits: dict[str, int], *things: Thing, addresses: int = 0, kind: str = "cx23") -> list[Count]:
    """Of a cluster with a control plane and two agents."""
    settings = example_stack.load({"raya:limits": limits})
    types = {each.name: kind for each in things if each.kind == "server"}
    project = HetznerProject(things=things, server_types=types)
    wanted = placement.of_all(settings)
    return project_limits.counts(project, addresses, settings, wanted=wanted, offer=OFFER)


def _refusals(limits: dict[str, int], *things: Thing, addresses: int = 0, kind: str = "cx23") -> list[str]:
    counted = _counts(limits, *things, addresses=addresses, kind=kind)
    return [each.refusal for each in counted if each.refusal]


def _warnings(limits: dict[str, int], *things: Thing, addresses: int = 0) -> list[str]:
    return [each.warning for each in _counts(limits, *things, addresses=addresses) if each.warning]


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


@pytest.mark.parametrize(
    ("limits", "says"),
    [
        ({"servers": 4}, "has 2 servers and this update would make 3 more, 1 server too many"),
        ({"cores": 6}, "has 4 cores and this update would make 6 more, 4 cores too many"),
        ({"primaryIps": 8}, "has 4 addresses and this update would make 6 more, 2 addresses too many"),
        ({"primaryIps": 9}, "make 6 more, 1 address too many"),
    ],
)
def test_numbers_and_units_are_in_the_sentence(limits: dict[str, int], says: str) -> None:
    (sentence,) = _refusals(limits, _server("a"), _server("b"), addresses=4)
    assert says in sentence


MINE = (*map(_server, ("control-plane", "agent-0", "agent-1")), STATE_VOLUME)


def test_what_exists_is_not_made_again() -> None:
    limits = {"servers": 3, "cores": 6, "volumes": 1, "primaryIps": 6}
    assert _refusals(limits, *MINE, addresses=6) == []
    assert _warnings(limits, *MINE, addresses=6) == []


def test_a_limit_below_what_there_is_stops_no_update_that_adds_nothing_and_is_said() -> None:
    lowered = {"servers": 2, "cores": 2, "primaryIps": 5}
    assert _refusals(lowered, *MINE, addresses=6) == []
    servers, cores, addresses = _warnings(lowered, *MINE, addresses=6)
    assert servers.startswith(
        "raya:limits.servers is 2, and the Hetzner project has 3 servers already: no more can be made by "
        "this stack."
    )
    assert "raya:limits.cores is 2, and the Hetzner project has 6 cores already" in cores
    assert "raya:limits.primaryIps is 5, and the Hetzner project has 6 addresses already" in addresses


def test_a_limit_that_is_refused_is_not_a_warning_too() -> None:
    assert _refusals({"servers": 2}, *map(_server, "abc"))
    assert _warnings({"servers": 2}, *map(_server, "abc")) == []


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
