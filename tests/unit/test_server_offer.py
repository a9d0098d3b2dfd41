"""Server types: what can be ordered where (H7), and whose private interface has the expected name (H1)."""

from __future__ import annotations

import pytest

from raya.placement import Placement
from raya.server_offer import Findings, compare
from tests.unit import example_stack

OFFER = {"cx23": {"hel1", "fsn1"}, "cx22": set[str](), "cax11": {"fsn1"}}


def _compare(server_type: str, *, running: bool = False) -> Findings:
    wanted = [Placement(node="agent-1", server_type=server_type, location="hel1")]
    return compare(OFFER, wanted, wanted if running else [])


def test_a_type_that_is_sold_there_is_no_finding() -> None:
    assert _compare("cx23") == Findings()


@pytest.mark.parametrize(
    ("server_type", "sentence"),
    [
        ("cx99", "agent-1: Hetzner has no server type cx99; in hel1 there are cx23."),
        (
            "cax11",
            "agent-1: the server type cax11 cannot be ordered in hel1; it is in fsn1, and hel1 has cx23.",
        ),
        (
            "cx22",
            "agent-1: the server type cx22 cannot be ordered in hel1; "
            "it is sold nowhere any more, and hel1 has cx23.",
        ),
    ],
)
def test_h7_a_machine_that_could_not_be_made_is_refused(server_type: str, sentence: str) -> None:
    assert _compare(server_type) == Findings(refusals=[sentence])


def test_h7_the_end_of_its_type_does_not_stop_the_cluster_of_a_machine_that_runs() -> None:
    findings = _compare("cx22", running=True)
    assert findings.refusals == []
    assert "the server type cx22 cannot be ordered in hel1" in findings.irreplaceable["agent-1"]


def test_h7_a_running_machine_is_not_changed_to_a_type_that_does_not_exist() -> None:
    running = [Placement(node="agent-1", server_type="cx23", location="hel1")]
    wanted = [Placement(node="agent-1", server_type="cx99", location="hel1")]
    assert compare(OFFER, wanted, running).refusals


@pytest.mark.parametrize("server_type", ["cx21", "cx51", "ccx11", "ccx22"])
def test_h1_generations_with_another_interface_name_are_refused(server_type: str) -> None:
    for changes in (
        {"raya:controlPlane": {"serverType": server_type}},
        {"raya:agents": {"serverType": server_type}},
        {"raya:fleet": [{"serverType": server_type}]},
    ):
        (problem,) = example_stack.problems(changes)
        assert server_type in problem
        assert "enp7s0" in problem


@pytest.mark.parametrize(
    "server_type", ["cx23", "cx53", "cpx11", "cpx22", "cax11", "cax41", "ccx13", "ccx63"]
)
def test_h1_current_generations_are_accepted(server_type: str) -> None:
    assert example_stack.problems({"raya:fleet": [{"serverType": server_type}]}) == ()
