"""Server types: what can be ordered where (H7), and whose private interface has the expected name (H1)."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, date, datetime

import pytest
from pulumi_hcloud.outputs import GetServerTypesServerTypeLocationResult

from raya.placement import Placement
from raya.server_offer import Findings, Place, ServerType, compare
from raya.server_types import place_of
from tests.unit import example_stack

HERE = Place()
OUT_OF_STOCK = Place(in_stock=False)
OVER = Place(sold=False, last_day=date(2026, 1, 1))
ENDING = Place(last_day=date(2027, 3, 31))


def _type(name: str, cores: int, memory_gb: float, **places: Place) -> ServerType:
    architecture = "arm" if name.startswith("cax") else "x86"
    return ServerType(
        name=name,
        architecture=architecture,
        cores=cores,
        memory_gb=memory_gb,
        disk_gb=20 * cores,
        places=places,
    )


OFFER = {
    each.name: each
    for each in (
        _type("ccx03", 1, 64, hel1=HERE),
        _type("cx22", 2, 4, hel1=OVER, fsn1=OVER),
        _type("cx23", 2, 4, hel1=HERE, fsn1=HERE),
        _type("cx33", 4, 8, hel1=HERE),
        _type("cx43", 8, 16, hel1=OUT_OF_STOCK, nbg1=HERE, ash=HERE),
        _type("cpx22", 2, 4, hel1=ENDING),
        _type("cax11", 2, 4, fsn1=HERE),
        _type("cax21", 4, 8, hel1=HERE),
        _type("ccx13", 2, 8, ash=HERE),
        _type("ccx63", 48, 192, hel1=OUT_OF_STOCK, fsn1=OUT_OF_STOCK),
    )
}


def _compare(server_type: str, *, running: bool = False, nodes: tuple[str, ...] = ("agent-1",)) -> Findings:
    wanted = [Placement(node=node, server_type=server_type, location="hel1") for node in nodes]
    return compare(OFFER, wanted, wanted if running else [])


def test_a_type_that_is_sold_there_is_no_finding() -> None:
    assert _compare("cx23") == Findings()


@pytest.mark.parametrize(
    ("server_type", "sentence"),
    [
        (
            "cx99",
            "agent-1: Hetzner has no server type cx99; in hel1 there are ccx03, cpx22, cx23, cax21, cx33.",
        ),
        (
            "cax11",
            "agent-1: the server type cax11 cannot be ordered in hel1; it is in fsn1, "
            "and hel1 has cax21 (arm, at least 2 cores and 4 GB).",
        ),
        (
            "cx22",
            "agent-1: the server type cx22 cannot be ordered in hel1; it is sold nowhere any more, "
            "and hel1 has cpx22, cx23, cx33 (x86, at least 2 cores and 4 GB).",
        ),
        (
            "cx43",
            "agent-1: the server type cx43 is out of stock in hel1 at the moment; it is in nbg1, "
            "and hel1 has nothing like it (x86, at least 8 cores and 16 GB).",
        ),
        (
            "ccx13",
            "agent-1: the server type ccx13 cannot be ordered in hel1; no location of the network zone "
            "eu-central has it, and hel1 has cx33 (x86, at least 2 cores and 8 GB).",
        ),
        (
            "ccx63",
            "agent-1: the server type ccx63 is out of stock in hel1 at the moment; no location of the "
            "network zone eu-central has it, and hel1 has nothing like it (x86, at least 48 cores and 192 "
            "GB).",
        ),
    ],
)
def test_h7_a_machine_that_could_not_be_made_is_refused_and_what_could_is_named(
    server_type: str, sentence: str
) -> None:
    assert _compare(server_type) == Findings(refusals=[sentence])


def test_h7_a_hundred_machines_of_one_kind_are_one_sentence() -> None:
    nodes = tuple(f"agent-{position}" for position in range(99))
    (sentence,) = _compare("cx22", nodes=nodes).refusals
    assert sentence.startswith("agent-0, agent-1, agent-2 and 96 more: the server type cx22")


@pytest.mark.parametrize("server_type", ["cx22", "cx43"])
def test_h7_the_end_of_its_type_does_not_stop_the_cluster_of_a_machine_that_runs(server_type: str) -> None:
    findings = _compare(server_type, running=True)
    assert findings.refusals == []
    assert findings.irreplaceable["agent-1"].startswith(f"the server type {server_type}")


def test_h7_a_running_machine_is_not_changed_to_a_type_that_does_not_exist() -> None:
    running = [Placement(node="agent-1", server_type="cx23", location="hel1")]
    wanted = [Placement(node="agent-1", server_type="cx99", location="hel1")]
    assert compare(OFFER, wanted, running).refusals


@pytest.mark.parametrize("running", [True, False])
def test_h7_an_announced_end_is_a_warning_that_names_types_that_stay(*, running: bool) -> None:
    findings = _compare("cpx22", running=running)
    assert (findings.refusals, findings.irreplaceable) == ([], {})
    assert findings.warnings == [
        "agent-1: the server type cpx22 is sold in hel1 until 2027-03-31 only, and a machine of it cannot be "
        "rebuilt after that; hel1 has cx23, cx33 (x86, at least 2 cores and 4 GB)."
    ]


def test_a_type_of_another_architecture_than_its_name_says_is_refused() -> None:
    offer = {"cx23": replace(OFFER["cx23"], architecture="arm")}
    (sentence,) = compare(
        offer, [Placement(node="agent-1", server_type="cx23", location="hel1")], []
    ).refusals
    assert "Hetzner says that the server type cx23 is arm" in sentence


def _found(unavailable_after: str, *, available: bool = True) -> GetServerTypesServerTypeLocationResult:
    return GetServerTypesServerTypeLocationResult(
        available=available,
        deprecation_announced="",
        id=3,
        is_deprecated=bool(unavailable_after),
        name="hel1",
        recommended=False,
        unavailable_after=unavailable_after,
    )


def test_the_last_day_counts_and_the_announcement_does_not() -> None:
    now = datetime(2026, 12, 1, tzinfo=UTC)
    assert place_of(_found(""), now=now) == Place()
    assert place_of(_found("", available=False), now=now) == Place(in_stock=False)
    assert place_of(_found("2026-12-01T00:00:00Z"), now=now).sold is False
    later = place_of(_found("2026-12-01T00:00:01Z"), now=now)
    assert (later.sold, later.last_day) == (True, date(2026, 12, 1))


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
