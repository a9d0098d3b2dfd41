"""How a plan reads: numbered in the order in which it is done, with numbers and prices."""

from __future__ import annotations

from decimal import Decimal

from raya.account import Price
from raya.recover.engine import Lock
from raya.recover.wording import plan_text
from tests.unit.recover import example


def _price(net: str, gross: str) -> Price:
    return Price(net=Decimal(net), gross=Decimal(gross), currency="EUR")


def test_every_kind_of_step_in_order() -> None:
    known = example.state(
        example.RANDOM_SUFFIX,
        example.NETWORK,
        pending=[("creating", example.SERVER), ("creating", example.VOLUME)],
    )
    found = [
        example.server("agent-1", 60, price=_price("3.49", "4.15")),
        example.volume(price=_price("0.44", "0.44")),
    ]
    plan = example.plan(known, *found)
    text = plan_text(plan, Lock("It is locked by a run that was killed (pid 4).", is_held=False))
    assert text.splitlines() == [
        "  1. Free the stack. It is locked by a run that was killed (pid 4).",
        "  2. Take the state volume prod-state (5, 0.44 EUR a month) into the state: it holds the",
        "     cluster's data, so it is protected there.",
        "  3. Forget that a run was creating the server control-plane.",
        "  4. Delete the server agent-1 (60, 3.49 EUR a month, 4.15 with VAT): the state does not know",
        "     it, and what it was told cannot be read back. It is shut down first; the next update makes",
        "     it anew.",
        "  5. Forget the network network (3): the state has it and the cloud does not.",
    ]


def test_a_machine_whose_deletion_was_begun_may_be_off() -> None:
    known = example.state(example.SERVER, pending=[("deleting", example.SERVER)])
    assert "`hcloud server poweron`" in plan_text(example.plan(known, example.server()), None)
    begun = example.state(example.SERVER, pending=[("updating", example.SERVER)])
    assert "poweron" not in plan_text(example.plan(begun, example.server()), None)


def test_what_is_deleted_is_summed() -> None:
    found = [example.server(f"agent-{each}", 60 + each, price=_price("3.99", "4.75")) for each in range(3)]
    text = plan_text(example.plan(example.state(), *found), None)
    assert text.endswith("\n\nWhat is deleted costs 11.97 EUR a month, 14.25 with VAT together.")


def test_each_reason_for_leaving_something_alone_is_said_once_above_its_things() -> None:
    elsewhere = {**example.OURS, "stack": "ffff"}
    found = [
        example.server("agent-0", 61, labels={}),
        example.server("agent-1", 62, labels=elsewhere),
        example.server("agent-2", 63, labels={}),
        example.network(labels=elsewhere),
    ]
    text = plan_text(example.plan(example.state(), *found), None)
    assert text.splitlines() == [
        "Not touched:",
        "  Has a name and the labels of this cluster, but its label stack is not that of this state, so",
        "  another state made it. Is this the right backend, the right token? Two clusters need two",
        "  raya:clusterName or raya:serverNamePrefix. When the other state was lost:",
        '  docs/runbooks/interrupted.md, "The state was lost".',
        "    - network prod (3)",
        "    - server agent-1 (62)",
        "  Has a name that this cluster gives, but not its labels (managed_by=raya, cluster=prod), so it",
        "  is somebody else's. Rename one of the two: raya:serverNamePrefix changes the cluster's names.",
        "    - server agent-0 (61)",
        "    - server agent-2 (63)",
    ]


def test_nothing_to_say() -> None:
    assert plan_text(example.plan(example.state()), None) == ""
